/* SPDX-License-Identifier: MIT */
/* Pipe objects (API 5.4), as arguments of kernels built of OpenCL C, read and written by two queues. */
#include "support.h"

static const char text[] = "kernel void put(write_only pipe int4 out, global int *failed) {\n"
                           "    int4 v = (int4)(get_global_id(0), 1, 2, 3);\n"
                           "    failed[get_global_id(0)] = write_pipe(out, &v);\n"
                           "}\n"
                           "kernel void get(read_only pipe int4 in, global int *values) {\n"
                           "    int4 v = -1;\n"
                           "    if (read_pipe(in, &v) == 0 && v.w != 3) v.x = -2;\n"
                           "    values[get_global_id(0)] = v.x;\n"
                           "}\n"
                           "kernel void wait_put(write_only pipe int out, int n) {\n"
                           "    for (int i = get_global_id(0); i < n; i += get_global_size(0))\n"
                           "        while (write_pipe(out, &i)) ;\n"
                           "}\n"
                           "kernel void wait_get(read_only pipe int in, global uint *seen, int n) {\n"
                           "    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {\n"
                           "        int v;\n"
                           "        while (read_pipe(in, &v)) ;\n"
                           "        atomic_inc(seen + v);\n"
                           "    }\n"
                           "}\n"
                           "kernel void null(read_only pipe int in, global int *out) {\n"
                           "    reserve_id_t none = CLK_NULL_RESERVE_ID, other = none;\n"
                           "    if (out[0]) other = reserve_read_pipe(in, 1);\n"
                           "    out[1] = is_valid_reserve_id(none);\n"
                           "    out[2] = is_valid_reserve_id(other);\n"
                           "}\n"
                           "#if !defined(__opencl_c_pipes)\n#error\n#endif\n";

static cl_mem
pipe_of(cl_uint size, cl_uint packets)
{
    cl_int error;
    cl_mem pipe = clCreatePipe(w.context, 0, size, packets, NULL, &error);
    ok(error);
    return pipe;
}

START_TEST(test_pipe_device)
{
    cl_bool support;
    cl_uint arguments, reservations, size;
    ok(clGetDeviceInfo(w.device, CL_DEVICE_PIPE_SUPPORT, sizeof support, &support, NULL));
    ok(clGetDeviceInfo(w.device, CL_DEVICE_MAX_PIPE_ARGS, sizeof arguments, &arguments, NULL));
    ok(clGetDeviceInfo(w.device, CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, sizeof reservations, &reservations,
                       NULL));
    ok(clGetDeviceInfo(w.device, CL_DEVICE_PIPE_MAX_PACKET_SIZE, sizeof size, &size, NULL));
    ck_assert(support && arguments >= 16 && reservations >= 1 && size >= 1024);
    ok(clReleaseMemObject(pipe_of(size, 3)));
    makes(CL_INVALID_PIPE_SIZE, clCreatePipe(w.context, 0, size + 1, 3, NULL, code_ret));
}
END_TEST

START_TEST(test_pipe_object)
{
    const cl_pipe_properties properties[] = {0};
    makes(CL_INVALID_VALUE, clCreatePipe(w.context, CL_MEM_READ_ONLY, 4, 16, NULL, code_ret));
    makes(CL_INVALID_VALUE, clCreatePipe(w.context, CL_MEM_COPY_HOST_PTR, 4, 16, NULL, code_ret));
    makes(CL_INVALID_VALUE, clCreatePipe(w.context, 0, 4, 16, properties, code_ret));
    makes(CL_INVALID_PIPE_SIZE, clCreatePipe(w.context, 0, 0, 16, NULL, code_ret));
    makes(CL_INVALID_PIPE_SIZE, clCreatePipe(w.context, 0, 4, 0, NULL, code_ret));
    makes(CL_MEM_OBJECT_ALLOCATION_FAILURE, clCreatePipe(w.context, 0, 4, UINT32_MAX, NULL, code_ret));
    makes(CL_INVALID_CONTEXT, clCreatePipe(NULL, 0, 4, 16, NULL, code_ret));
    cl_mem pipe = pipe_of(12, 77), buffer = make_buffer(NULL, 16);
    cl_uint packet, packets, type;
    cl_mem_flags flags;
    size_t bytes = 1;
    ok(clGetPipeInfo(pipe, CL_PIPE_PACKET_SIZE, sizeof packet, &packet, NULL));
    ok(clGetPipeInfo(pipe, CL_PIPE_MAX_PACKETS, sizeof packets, &packets, NULL));
    ok(clGetPipeInfo(pipe, CL_PIPE_PROPERTIES, 0, NULL, &bytes));
    ok(clGetMemObjectInfo(pipe, CL_MEM_TYPE, sizeof type, &type, NULL));
    ok(clGetMemObjectInfo(pipe, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
    ck_assert(packet == 12 && packets == 77 && bytes == 0 && type == CL_MEM_OBJECT_PIPE);
    ck_assert_uint_eq(flags, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS);
    fails(CL_INVALID_VALUE, clGetPipeInfo(pipe, CL_PIPE_PACKET_SIZE, 1, &packet, NULL));
    fails(CL_INVALID_VALUE, clGetPipeInfo(pipe, CL_MEM_SIZE, sizeof packet, &packet, NULL));
    fails(CL_INVALID_MEM_OBJECT, clGetPipeInfo(buffer, CL_PIPE_PACKET_SIZE, sizeof packet, &packet, NULL));
    /* No host call reads or writes one. */
    fails(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(w.queue, pipe, CL_TRUE, 0, 4, &packet, 0, NULL, NULL));
    fails(CL_INVALID_MEM_OBJECT, clEnqueueCopyBuffer(w.queue, buffer, pipe, 0, 0, 4, 0, NULL, NULL));
    cl_buffer_region region = {0, 4};
    makes(CL_INVALID_MEM_OBJECT, clCreateSubBuffer(pipe, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, code_ret));
    ok(clEnqueueMigrateMemObjects(w.queue, 1, &pipe, 0, 0, NULL, NULL));
    ok(clRetainMemObject(pipe));
    ok(clReleaseMemObject(pipe));
    ok(clReleaseMemObject(pipe));
    ok(clReleaseMemObject(buffer));
}
END_TEST

START_TEST(test_pipe_arguments)
{
    cl_program program = make_program(text, "-cl-std=CL3.0 -cl-kernel-arg-info");
    cl_kernel put = make_kernel_of(program, "put"), get = make_kernel_of(program, "get");
    cl_mem pipe = pipe_of(16, 100), buffer = make_buffer(NULL, 16);
    cl_kernel_arg_type_qualifier qualifier;
    cl_kernel_arg_access_qualifier access[2];
    char name[20];
    ok(clGetKernelArgInfo(put, 0, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifier, &qualifier, NULL));
    ok(clGetKernelArgInfo(put, 0, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof *access, &access[0], NULL));
    ok(clGetKernelArgInfo(get, 0, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof *access, &access[1], NULL));
    ok(clGetKernelArgInfo(get, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof name, name, NULL));
    ck_assert_uint_eq(qualifier, CL_KERNEL_ARG_TYPE_PIPE);
    ck_assert(access[0] == CL_KERNEL_ARG_ACCESS_WRITE_ONLY && access[1] == CL_KERNEL_ARG_ACCESS_READ_ONLY);
    ck_assert_str_eq(name, "int4");
    fails(CL_INVALID_MEM_OBJECT, clSetKernelArg(put, 0, sizeof buffer, &buffer));
    fails(CL_INVALID_MEM_OBJECT, clSetKernelArg(put, 1, sizeof pipe, &pipe));
    fails(CL_INVALID_ARG_SIZE, clSetKernelArg(put, 0, 4, &pipe));
    fails(CL_INVALID_MEM_OBJECT, clSetKernelArg(put, 0, sizeof pipe, NULL));
    size_t global = 10;
    ok(clSetKernelArg(put, 1, sizeof buffer, &buffer));
    fails(CL_INVALID_KERNEL_ARGS,
          clEnqueueNDRangeKernel(w.queue, put, 1, NULL, &global, NULL, 0, NULL, NULL));
    ok(clReleaseMemObject(pipe));
    ok(clReleaseMemObject(buffer));
    ok(clReleaseKernel(put));
    ok(clReleaseKernel(get));
    ok(clReleaseProgram(program));
}
END_TEST

START_TEST(test_pipe_passes_packets)
{
    enum { N = 300, CAPACITY = 200 };
    cl_program program = make_program(text, "-cl-std=CL3.0");
    cl_kernel put = make_kernel_of(program, "put"), get = make_kernel_of(program, "get");
    cl_mem pipe = pipe_of(16, CAPACITY), failed = make_buffer(NULL, N), values = make_buffer(NULL, N);
    ok(clSetKernelArg(put, 0, sizeof pipe, &pipe));
    ok(clSetKernelArg(put, 1, sizeof failed, &failed));
    ok(clSetKernelArg(get, 0, sizeof pipe, &pipe));
    ok(clSetKernelArg(get, 1, sizeof values, &values));
    size_t global = N;
    int results[N], got[N], wrong = 0, count = 0;
    cl_event written;
    ok(clEnqueueNDRangeKernel(w.unordered, put, 1, NULL, &global, NULL, 0, NULL, &written));
    ok(clEnqueueNDRangeKernel(w.unordered, get, 1, NULL, &global, NULL, 1, &written, NULL));
    ok(clReleaseMemObject(pipe)); /* held by the commands */
    ok(clFinish(w.unordered));
    ok(clEnqueueReadBuffer(w.queue, failed, CL_TRUE, 0, sizeof results, results, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(w.queue, values, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < N; i++) /* before any is marked: a packet may come to an item before its writer */
        count += results[i] == 0;
    for (int i = 0; i < N; i++) {
        if (got[i] == -1)
            continue;
        bool known = got[i] >= 0 && got[i] < N && results[got[i]] == 0;
        wrong += !known;
        if (known)
            results[got[i]] = 1;
    }
    for (int i = 0; i < N; i++)
        wrong += results[i] == 0; /* written, and never read */
    ck_assert_int_eq(count, CAPACITY);
    ck_assert_int_eq(wrong, 0);
    ok(clReleaseEvent(written));
    ok(clReleaseMemObject(failed));
    ok(clReleaseMemObject(values));
    ok(clReleaseKernel(put));
    ok(clReleaseKernel(get));
    ok(clReleaseProgram(program));
}
END_TEST

/* Kernels of two queues that wait for each other. */
START_TEST(test_pipe_null)
{
    static const char *const options[] = {"-cl-std=CL2.0", "-cl-std=CL3.0", "-cl-std=CL3.0 -cl-opt-disable"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        int values[3] = {1, 7, 7};
        size_t one = 1;
        cl_program program = make_program(text, options[i]);
        cl_kernel null = make_kernel_of(program, "null");
        cl_mem pipe = pipe_of(4, 10), out = make_buffer(values, 3);
        ok(clSetKernelArg(null, 0, sizeof pipe, &pipe));
        ok(clSetKernelArg(null, 1, sizeof out, &out));
        ok(clEnqueueNDRangeKernel(w.queue, null, 1, NULL, &one, NULL, 0, NULL, NULL));
        ok(clEnqueueReadBuffer(w.queue, out, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
        ck_assert_msg(values[1] == 0 && values[2] == 0, "%s: %d %d", options[i], values[1], values[2]);
        ok(clReleaseMemObject(out));
        ok(clReleaseMemObject(pipe));
        ok(clReleaseKernel(null));
        ok(clReleaseProgram(program));
    }
}
END_TEST

START_TEST(test_pipe_between_queues)
{
    enum { N = 5000 };
    static int seen[N];
    cl_program program = make_program(text, "-cl-std=CL3.0");
    cl_kernel put = make_kernel_of(program, "wait_put"), get = make_kernel_of(program, "wait_get");
    cl_mem pipe = pipe_of(4, 20), counts = make_buffer(seen, N);
    cl_int n = N;
    ok(clSetKernelArg(put, 0, sizeof pipe, &pipe));
    ok(clSetKernelArg(put, 1, sizeof n, &n));
    ok(clSetKernelArg(get, 0, sizeof pipe, &pipe));
    ok(clSetKernelArg(get, 1, sizeof counts, &counts));
    ok(clSetKernelArg(get, 2, sizeof n, &n));
    size_t writers = 100, readers = 64;
    ok(clEnqueueNDRangeKernel(w.unordered, put, 1, NULL, &writers, NULL, 0, NULL, NULL));
    ok(clFlush(w.unordered));
    ok(clEnqueueNDRangeKernel(w.queue, get, 1, NULL, &readers, NULL, 0, NULL, NULL));
    ok(clFinish(w.queue));
    ok(clFinish(w.unordered));
    ok(clEnqueueReadBuffer(w.queue, counts, CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(seen[i], 1);
    ok(clReleaseMemObject(pipe));
    ok(clReleaseMemObject(counts));
    ok(clReleaseKernel(put));
    ok(clReleaseKernel(get));
    ok(clReleaseProgram(program));
}
END_TEST

TCase *
pipe_tests(void)
{
    TCase *tests = tcase_create("pipe");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, test_pipe_device);
    tcase_add_test(tests, test_pipe_object);
    tcase_add_test(tests, test_pipe_arguments);
    tcase_add_test(tests, test_pipe_passes_packets);
    tcase_add_test(tests, test_pipe_null);
    tcase_add_test(tests, test_pipe_between_queues);
    return tests;
}

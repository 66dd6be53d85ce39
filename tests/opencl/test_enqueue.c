/* SPDX-License-Identifier: MIT */
/* Queues on the device (API 5.1), and kernels that enqueue others: of OpenCL C, and of the IL of
 * tests/enqueue. */
#include "support.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const char text[] =
    "kernel void captures(global int *out, int n, queue_t queue) {\n"
    "    int id = (int)get_global_id(0);\n"
    "    short s = (short)(3 * id);\n"
    "    out[id] = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(n), ^{\n"
    "        out[100 + id * n + get_global_id(0)] = s + (int)get_global_id(0);\n"
    "    });\n"
    "}\n"
    "void descend(global int *count, int depth) {\n"
    "    if (depth > 0)\n"
    "        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{\n"
    "            count[0]++;\n"
    "            descend(count, depth - 1);\n"
    "        });\n"
    "}\n"
    "kernel void recursion(global int *count, int depth) { descend(count, depth); }\n"
    "kernel void codes(global int *out, queue_t queue) {\n"
    "    size_t eight[2] = {8, 8}, none[2] = {8, 0};\n"
    "    clk_event_t gone = create_user_event();\n"
    "    release_event(gone);\n"
    "    out[0] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ out[9] = "
    "1; });\n"
    "    out[1] = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_2D(eight, none), ^{ out[9] = 1; "
    "});\n"
    "    out[2] = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &gone, NULL, ^{ out[9] "
    "= 1; });\n"
    "    out[3] = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^(local void *p) { out[9] "
    "= 1; },\n"
    "                            (uint)(get_global_size(0) - 1));\n"
    "    out[4] = 0;\n"
    "    while (out[4] == 0 && out[5] < 100000) {\n"
    "        out[4] = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1),\n"
    "                                ^{ atomic_inc(&out[6]); });\n"
    "        out[5] += out[4] == 0;\n"
    "    }\n"
    "    out[7] = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(10, 4), ^{ out[9] = 1; });\n"
    "}\n"
    "kernel void ask(global uint *out, int size) {\n"
    "    void (^block)(void) = ^{ out[3] = get_max_sub_group_size(); };\n"
    "    out[0] = get_kernel_sub_group_count_for_ndrange(ndrange_1D(1000, size), block);\n"
    "    out[1] = get_kernel_max_sub_group_size_for_ndrange(ndrange_1D(1000, size), block);\n"
    "    out[2] = get_kernel_work_group_size(block);\n"
    "}\n"
    "kernel void timed(global ulong *out, int turns) {\n"
    "    clk_event_t child;\n"
    "    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &child, ^{\n"
    "        ulong x = out[2];\n"
    "        for (int i = 0; i < turns; i++)\n"
    "            x = x * 6364136223846793005UL + 1442695040888963407UL;\n"
    "        out[2] = x;\n"
    "    });\n"
    "    capture_event_profiling_info(child, CLK_PROFILING_COMMAND_EXEC_TIME, out);\n"
    "    release_event(child);\n"
    "}\n"
    "kernel void nulls(global int *out, queue_t queue) {\n"
    "    queue_t none = CLK_NULL_QUEUE;\n"
    "    clk_event_t nothing = CLK_NULL_EVENT, user = create_user_event();\n"
    "    out[0] = is_valid_event(nothing);\n"
    "    out[1] = nothing == CLK_NULL_EVENT;\n"
    "    out[2] = user != CLK_NULL_EVENT;\n"
    "    out[3] = none == CLK_NULL_QUEUE;\n"
    "    out[4] = queue != none;\n"
    "    out[5] = get_default_queue() == CLK_NULL_QUEUE;\n"
    "    out[6] = enqueue_kernel(none, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ out[9] = 1; });\n"
    "    release_event(user);\n"
    "}\n"
    "__attribute__((noinline)) void differ(global int *out, int *p, int *q, int *r, int *s, int *t) {\n"
    "    int x = out[6], y = out[7];\n"
    "    out[0] = (x & (p != q)) < y;\n"
    "    out[1] = (x & (r != q)) < y;\n"
    "    out[2] = (x & (s != q)) < y;\n"
    "    out[3] = (x & (t != q)) < y;\n"
    "}\n"
    "kernel void pointers(global int *out, queue_t queue) {\n"
    "    differ(out, out, out + 1, out + 2, out + 1, out + 4);\n"
    "    out[5] = queue != get_default_queue();\n"
    "}\n"
    "kernel void exchanges(global int *out, queue_t queue) {\n"
    "    global atomic_float *f = (global atomic_float *)out;\n"
    "    float seen = 1.0f;\n"
    "    double zero = 0;\n"
    "    int none = 0;\n"
    "    out[4] = atomic_compare_exchange_strong(f, &seen, 3.0f);\n"
    "    out[5] = atomic_compare_exchange_weak_explicit(f, &seen, 2.0f, memory_order_relaxed, "
    "memory_order_relaxed);\n"
    "    out[6] = atomic_compare_exchange_strong((global atomic_double *)(out + 2), &zero, 0.5);\n"
    "    out[7] = atomic_compare_exchange_strong_explicit((global atomic_int *)(out + 8), &none, 9, "
    "memory_order_acq_rel,\n"
    "        memory_order_acquire, memory_scope_device);\n"
    "    out[9] = queue == get_default_queue();\n"
    "}\n"
    "ndrange_t range_of(const private size_t *sizes) { return ndrange_2D(sizes); }\n"
    "#define COUNT(range, at) enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, range, ^{ "
    "atomic_inc(&out[at]); })\n"
    "kernel void ranges(global int *out, queue_t queue) {\n"
    "    size_t g[5] = {1, 2, 3, 4, 9}, ones[3] = {1, 1, 1};\n"
    "    COUNT(ndrange_2D(g), 0);\n"
    "    COUNT(ndrange_2D(g + 1), 1);\n"
    "    COUNT(ndrange_3D(&g[1], ones), 2);\n"
    "    COUNT(range_of(g + 2), 3);\n"
    "    COUNT(ndrange_2D(ones, out[8] ? g : g + 1, ones), 4);\n"
    "    COUNT(ndrange_3D(ones, g, ones), 5);\n"
    "}\n"
    "#if !defined(__opencl_c_device_enqueue)\n#error\n#endif\n";

/* `bytes` 0: as many as there are by default. */
static cl_command_queue
device_queue(cl_uint bytes, bool is_default)
{
    const cl_queue_properties flags = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE |
                                      (is_default ? CL_QUEUE_ON_DEVICE_DEFAULT : 0);
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, flags, bytes ? CL_QUEUE_SIZE : 0, bytes, 0};
    cl_int error;
    cl_command_queue queue = clCreateCommandQueueWithProperties(w.context, w.device, list, &error);
    ok(error);
    return queue;
}

static void
run(cl_kernel kernel, size_t global, cl_mem out, int *values, size_t count)
{
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(w.queue, out, CL_TRUE, 0, count * sizeof *values, values, 0, NULL, NULL));
}

START_TEST(test_enqueue_device)
{
    cl_device_device_enqueue_capabilities able;
    cl_command_queue_properties properties;
    cl_uint preferred, most, queues, events;
    ok(clGetDeviceInfo(w.device, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, sizeof able, &able, NULL));
    ok(clGetDeviceInfo(w.device, CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, sizeof properties, &properties, NULL));
    ok(clGetDeviceInfo(w.device, CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, sizeof preferred, &preferred,
                       NULL));
    ok(clGetDeviceInfo(w.device, CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, sizeof most, &most, NULL));
    ok(clGetDeviceInfo(w.device, CL_DEVICE_MAX_ON_DEVICE_QUEUES, sizeof queues, &queues, NULL));
    ok(clGetDeviceInfo(w.device, CL_DEVICE_MAX_ON_DEVICE_EVENTS, sizeof events, &events, NULL));
    ck_assert_uint_eq(able, CL_DEVICE_QUEUE_SUPPORTED | CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT);
    ck_assert_uint_eq(properties, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    ck_assert(preferred >= 16384 && most >= 262144 && preferred <= most && queues >= 1 && events >= 1024);
}
END_TEST

START_TEST(test_enqueue_queue)
{
    cl_command_queue first = device_queue(0, true), again = device_queue(0, true),
                     other = device_queue(4096, false), got;
    cl_uint size, preferred;
    cl_command_queue_properties properties;
    ok(clGetDeviceInfo(w.device, CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, sizeof preferred, &preferred,
                       NULL));
    ck_assert_ptr_eq(first, again);
    ck_assert_ptr_ne(first, other);
    ok(clGetCommandQueueInfo(first, CL_QUEUE_SIZE, sizeof size, &size, NULL));
    ck_assert_uint_eq(size, preferred);
    ok(clGetCommandQueueInfo(other, CL_QUEUE_SIZE, sizeof size, &size, NULL));
    ck_assert_uint_eq(size, 4096);
    ok(clGetCommandQueueInfo(other, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL));
    ck_assert_uint_eq(properties, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    ok(clGetCommandQueueInfo(w.queue, CL_QUEUE_DEVICE_DEFAULT, sizeof got, &got, NULL));
    ck_assert_ptr_eq(got, first);
    ok(clSetDefaultDeviceCommandQueue(w.context, w.device, other));
    ok(clGetCommandQueueInfo(first, CL_QUEUE_DEVICE_DEFAULT, sizeof got, &got, NULL));
    ck_assert_ptr_eq(got, other);
    /* The host enqueues nothing to it. */
    cl_mem buffer = make_buffer(NULL, 16);
    int zero = 0;
    fails(CL_INVALID_COMMAND_QUEUE, clFinish(first));
    fails(CL_INVALID_COMMAND_QUEUE, clFlush(first));
    fails(CL_INVALID_COMMAND_QUEUE, clEnqueueFillBuffer(first, buffer, &zero, 4, 0, 64, 0, NULL, NULL));
    fails(CL_INVALID_COMMAND_QUEUE, clSetDefaultDeviceCommandQueue(w.context, w.device, NULL));
    fails(CL_INVALID_COMMAND_QUEUE, clGetCommandQueueInfo(w.queue, CL_QUEUE_SIZE, sizeof size, &size, NULL));
    ok(clRetainCommandQueue(other));
    ok(clReleaseCommandQueue(other));
    ok(clReleaseCommandQueue(other));
    ok(clReleaseCommandQueue(again));
    ok(clReleaseCommandQueue(first));
    fails(CL_INVALID_COMMAND_QUEUE, clReleaseCommandQueue(first));
    ok(clGetCommandQueueInfo(w.queue, CL_QUEUE_DEVICE_DEFAULT, sizeof got, &got, NULL));
    ck_assert_ptr_null(got);
    ok(clReleaseMemObject(buffer));
}
END_TEST

/* No more than the device says, of one context; those that go make room. */
START_TEST(test_enqueue_limit)
{
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES,
                                        CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                        CL_QUEUE_SIZE, 4096, 0};
    cl_int error;
    cl_uint most;
    ok(clGetDeviceInfo(w.device, CL_DEVICE_MAX_ON_DEVICE_QUEUES, sizeof most, &most, NULL));
    cl_command_queue *queues = calloc(most, sizeof *queues);
    ck_assert_ptr_nonnull(queues);
    for (cl_uint i = 0; i < most; i++)
        queues[i] = device_queue(4096, false);
    for (int round = 0; round < 2; round++) {
        ck_assert_ptr_null(clCreateCommandQueueWithProperties(w.context, w.device, list, &error));
        ck_assert_int_eq(error, CL_OUT_OF_RESOURCES);
    }
    cl_command_queue host = clCreateCommandQueueWithProperties(w.context, w.device, NULL, &error);
    ok(error);
    ok(clReleaseCommandQueue(host));
    ok(clReleaseCommandQueue(queues[most / 2]));
    queues[most / 2] = device_queue(4096, false);
    for (cl_uint i = 0; i < most; i++)
        ok(clReleaseCommandQueue(queues[i]));
    free(queues);
}
END_TEST

START_TEST(test_enqueue_children)
{
    enum { N = 30, EACH = 20, ALL = 100 + N * EACH };
    static int values[ALL];
    cl_program program = make_program(text, "-cl-std=CL3.0");
    cl_command_queue queue = device_queue(1 << 20, false);
    cl_kernel captures = make_kernel_of(program, "captures"),
              recursion = make_kernel_of(program, "recursion");
    cl_mem out = make_buffer(values, ALL);
    int each = EACH, depth = 1000, wrong = 0;
    size_t kernels;
    ok(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL));
    ck_assert_uint_eq(kernels, 9); /* blocks are none of the host's */
    ok(clSetKernelArg(captures, 0, sizeof out, &out));
    ok(clSetKernelArg(captures, 1, sizeof each, &each));
    fails(CL_INVALID_ARG_SIZE, clSetKernelArg(captures, 2, 4, &queue));
    fails(CL_INVALID_DEVICE_QUEUE, clSetKernelArg(captures, 2, sizeof queue, NULL));
    fails(CL_INVALID_DEVICE_QUEUE, clSetKernelArg(captures, 2, sizeof queue, &w.queue));
    ok(clSetKernelArg(captures, 2, sizeof queue, &queue));
    run(captures, N, out, values, ALL);
    for (int i = 0; i < N; i++) {
        wrong += values[i] != 0;
        for (int k = 0; k < EACH; k++)
            wrong += values[100 + i * EACH + k] != 3 * i + k;
    }
    ck_assert_int_eq(wrong, 0);
    /* Without a default queue nothing is enqueued. */
    int count[1] = {0};
    cl_mem counter = make_buffer(count, 1);
    ok(clSetKernelArg(recursion, 0, sizeof counter, &counter));
    ok(clSetKernelArg(recursion, 1, sizeof depth, &depth));
    run(recursion, 1, counter, count, 1);
    ck_assert_int_eq(count[0], 0);
    cl_command_queue standard = device_queue(0, true);
    run(recursion, 1, counter, count, 1);
    ck_assert_int_eq(count[0], depth);
    ok(clReleaseCommandQueue(standard));
    ok(clReleaseCommandQueue(queue));
    ok(clReleaseMemObject(out));
    ok(clReleaseMemObject(counter));
    ok(clReleaseKernel(captures));
    ok(clReleaseKernel(recursion));
    ok(clReleaseProgram(program));
}
END_TEST

/* A kernel of (ten numbers, a queue), built by these options and run once. */
static void
run_with_queue(const char *options, const char *name, cl_uint bytes, int values[10])
{
    cl_program program = make_program(text, options);
    cl_kernel kernel = make_kernel_of(program, name);
    cl_command_queue queue = device_queue(bytes, false);
    cl_mem out = make_buffer(values, 10);

    ok(clSetKernelArg(kernel, 0, sizeof out, &out));
    ok(clSetKernelArg(kernel, 1, sizeof queue, &queue));
    run(kernel, 1, out, values, 10);
    ok(clReleaseMemObject(out));
    ok(clReleaseCommandQueue(queue));
    ok(clReleaseKernel(kernel));
    ok(clReleaseProgram(program));
}

/* What enqueue_kernel answers: one error for all, or by a program with -g the very error. */
START_TEST(test_enqueue_codes)
{
    static const struct {
        const char *options;
        int expected[6]; /* no queue, range, list, size of local memory, full, uniform */
    } rows[] = {{"-cl-std=CL3.0", {-101, -101, -101, -101, -101, 0}},
                {"-cl-std=CL3.0 -g", {-102, -160, -57, -51, -161, 0}},
                {"-cl-std=CL3.0 -g -cl-uniform-work-group-size", {-102, -160, -57, -51, -161, -160}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int values[10] = {0};
        const int *e = rows[i].expected;
        run_with_queue(rows[i].options, "codes", 8192, values);
        ck_assert_msg(values[0] == e[0] && values[1] == e[1] && values[2] == e[2] && values[3] == e[3] &&
                          values[4] == e[4],
                      "%s: %d %d %d %d %d", rows[i].options, values[0], values[1], values[2], values[3],
                      values[4]);
        /* The queue is full: the range is looked at first. */
        ck_assert_msg(values[7] == (e[5] ? e[5] : e[4]), "%s: %d", rows[i].options, values[7]);
        ck_assert(values[5] > 1 && values[5] < 200 && values[6] == values[5]);
        ck_assert_int_eq(values[9], 0);
    }
}
END_TEST

/* clang-22 dies of a comparison of queues. */
START_TEST(test_enqueue_nulls)
{
    static const char *const options[] = {"-cl-std=CL2.0", "-cl-std=CL3.0", "-cl-std=CL3.0 -cl-opt-disable"};
    static const int expected[10] = {0, 1, 1, 1, 1, 1, -101};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        int values[10] = {0};
        run_with_queue(options[i], "nulls", 0, values);
        for (size_t k = 0; k < 10; k++)
            ck_assert_msg(values[k] == expected[k], "%s: %zu is %d", options[i], k, values[k]);
    }
}
END_TEST

/* clang-15 compares four pointers as a vector, if it is let. */
START_TEST(test_enqueue_pointers)
{
    static const int expected[10] = {0, 0, 1, 0, 0, 1, 1, 1};
    int values[10] = {0, 0, 0, 0, 0, 0, 1, 1};
    run_with_queue("-cl-std=CL3.0", "pointers", 0, values);
    ck_assert_mem_eq(values, expected, sizeof expected);
}
END_TEST

/* llvm-spirv-15 dies of compare exchanges of floats. */
START_TEST(test_enqueue_exchanges)
{
    static const char *const options[] = {"-cl-std=CL2.0", "-cl-std=CL3.0", "-cl-std=CL3.0 -cl-opt-disable"};
    static const int expected[10] = {0x40000000, 0, 0, 0x3fe00000, 0, 1, 1, 1, 9, 0};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        int values[10] = {0};
        run_with_queue(options[i], "exchanges", 0, values);
        ck_assert_mem_eq(values, expected, sizeof expected);
    }
}
END_TEST

/* llvm-spirv-15 dies of sizes that are no whole array of as many. */
START_TEST(test_enqueue_ranges)
{
    static const char *const options[] = {"-cl-std=CL2.0", "-cl-std=CL3.0", "-cl-std=CL3.0 -cl-opt-disable",
                                          "-cl-std=CL3.0 -g"};
    static const int expected[6] = {2, 6, 24, 12, 6, 6};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        int values[10] = {0};
        run_with_queue(options[i], "ranges", 0, values);
        ck_assert_mem_eq(values, expected, sizeof expected);
    }
}
END_TEST

START_TEST(test_enqueue_queries)
{
    cl_program program = make_program(text, "-cl-std=CL3.0");
    cl_kernel ask = make_kernel_of(program, "ask");
    cl_mem out = make_buffer(NULL, 4);
    for (int size = 1; size < 2000; size = 3 * size + 1) {
        int values[4];
        size_t local = (size_t)size, n, count, most;
        ok(clSetKernelArg(ask, 0, sizeof out, &out));
        ok(clSetKernelArg(ask, 1, sizeof size, &size));
        run(ask, 1, out, values, 4);
        ok(clGetKernelSubGroupInfo(ask, w.device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof local,
                                   &local, sizeof n, &n, NULL));
        ok(clGetKernelSubGroupInfo(ask, w.device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof local, &local,
                                   sizeof count, &count, NULL));
        ok(clGetKernelWorkGroupInfo(ask, w.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL));
        ck_assert_int_eq(values[0], (int)((local + (size_t)values[1] - 1) / (size_t)values[1]));
        if (getenv("LANEWISE_SUB_GROUP_SIZE")) { /* else each kernel has its own */
            ck_assert_int_eq(values[0], (int)count);
            ck_assert_int_eq(values[1], (int)n);
        }
        ck_assert_int_eq(values[2], (int)most);
    }
    ok(clReleaseMemObject(out));
    ok(clReleaseKernel(ask));
    ok(clReleaseProgram(program));
}
END_TEST

/* A command ends with its own work-items, and is complete with those of its children. */
START_TEST(test_enqueue_times)
{
    static const cl_profiling_info names[3] = {CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END,
                                               CL_PROFILING_COMMAND_COMPLETE};
    cl_program program = make_program(text, "-cl-std=CL3.0");
    cl_kernel timed = make_kernel_of(program, "timed");
    cl_command_queue standard = device_queue(0, true);
    cl_mem out = make_buffer(NULL, 8);
    const cl_int turns = 3000000;
    size_t one = 1;
    cl_event event;
    cl_ulong stamps[3], child[2];
    ok(clSetKernelArg(timed, 0, sizeof out, &out));
    ok(clSetKernelArg(timed, 1, sizeof turns, &turns));
    ok(clEnqueueNDRangeKernel(w.queue, timed, 1, NULL, &one, NULL, 0, NULL, &event));
    ok(clEnqueueReadBuffer(w.queue, out, CL_TRUE, 0, sizeof child, child, 0, NULL, NULL));
    for (int i = 0; i < 3; i++)
        ok(clGetEventProfilingInfo(event, names[i], sizeof stamps[i], &stamps[i], NULL));
    ck_assert_uint_ge(stamps[1], stamps[0]);
    ck_assert_uint_gt(child[0], 0);
    ck_assert_uint_ge(stamps[2] - stamps[1], child[0]);
    ok(clReleaseEvent(event));
    ok(clReleaseMemObject(out));
    ok(clReleaseCommandQueue(standard));
    ok(clReleaseKernel(timed));
    ok(clReleaseProgram(program));
}
END_TEST

/* OpGetKernelLocalSizeForSubgroupCount, OpGetKernelMaxNumSubgroups: as clGetKernelSubGroupInfo, and as the
 * child runs. */
START_TEST(test_enqueue_counts)
{
    cl_program program = load_program("../enqueue/counts.spv");
    ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_command_queue standard = device_queue(0, true);
    cl_kernel ask = make_kernel_of(program, "ask"), child = make_kernel_of(program, "child");
    for (int count = 1; count < 3000; count = 2 * count + 1) {
        int values[5] = {0};
        size_t wanted = (size_t)count, local, most, one = 1;
        cl_mem out = make_buffer(values, 5);
        ok(clSetKernelArg(ask, 0, sizeof out, &out));
        ok(clSetKernelArg(ask, 1, sizeof count, &count));
        ok(clGetKernelSubGroupInfo(child, w.device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof wanted,
                                   &wanted, sizeof local, &local, NULL));
        ok(clGetKernelSubGroupInfo(child, w.device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof most, &most,
                                   NULL));
        run(ask, one, out, values, 5);
        ck_assert_int_eq(values[0], (int)local);
        ck_assert_int_eq(values[1], (int)most);
        ck_assert_int_eq(values[2], CL_SUCCESS);
        ck_assert_int_eq(values[3], wanted <= most ? count : 0);
        ck_assert_int_eq(values[4], values[0]);
        ok(clReleaseMemObject(out));
    }
    ok(clReleaseKernel(ask));
    ok(clReleaseKernel(child));
    ok(clReleaseCommandQueue(standard));
    ok(clReleaseProgram(program));
}
END_TEST

/* The parent's event is complete when the children are, and not before. */
START_TEST(test_enqueue_il)
{
    enum { N = 70 };
    static int values[4 * N], valid[4 * N];
    cl_program program = load_program("../enqueue/enqueue.spv");
    ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_command_queue standard = device_queue(0, true);
    cl_kernel events = make_kernel_of(program, "events"), many = make_kernel_of(program, "many"),
              unending = make_kernel_of(program, "unending");
    cl_mem out = make_buffer(values, 4 * N), flags = make_buffer(valid, 4 * N),
           all = make_buffer(NULL, 100000);
    cl_event event;
    cl_int status;
    size_t global = N;
    ok(clSetKernelArg(events, 0, sizeof out, &out));
    ok(clSetKernelArg(events, 1, sizeof flags, &flags));
    run(events, N, out, values, 4 * N);
    for (int i = 0; i < 4 * N; i++)
        ck_assert_int_eq(values[i], i % 4 + 1);
    int each = 1000, zero = 0, *got;
    global = 100;
    ok(clEnqueueFillBuffer(w.queue, all, &zero, sizeof zero, 0, 100000 * sizeof zero, 0, NULL, NULL));
    ok(clSetKernelArg(many, 0, sizeof all, &all));
    ok(clSetKernelArg(many, 1, sizeof each, &each));
    ok(clEnqueueNDRangeKernel(w.queue, many, 1, NULL, &global, NULL, 0, NULL, &event));
    ok(clWaitForEvents(1, &event));
    ok(clReleaseEvent(event));
    got = clEnqueueMapBuffer(w.unordered, all, CL_TRUE, CL_MAP_READ, 0, 400000, 0, NULL, NULL, &status);
    ok(status);
    int wrong = 0;
    for (int i = 0; i < 100000; i++)
        wrong += got[i] != i + 1;
    ck_assert_int_eq(wrong, 0);
    ok(clEnqueueUnmapMemObject(w.unordered, all, got, 0, NULL, NULL));
    /* A child that nobody lets begin: the command fails instead of hanging. */
    ok(clSetKernelArg(unending, 0, sizeof out, &out));
    global = 1;
    ok(clEnqueueNDRangeKernel(w.unordered, unending, 1, NULL, &global, NULL, 0, NULL, &event));
    fails(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &event));
    ok(clReleaseEvent(event));
    ok(clReleaseMemObject(out));
    ok(clReleaseMemObject(flags));
    ok(clReleaseMemObject(all));
    ok(clReleaseKernel(events));
    ok(clReleaseKernel(many));
    ok(clReleaseKernel(unending));
    ok(clReleaseCommandQueue(standard));
    ok(clReleaseProgram(program));
}
END_TEST

/* The log says which program is not there. */
START_TEST(test_enqueue_missing)
{
    char log[3000], comment[60];
    const char *source[] = {text, comment};
    cl_int error;
    setenv("PATH", "/nowhere", 1); /* this process is the test's own */
    snprintf(comment, sizeof comment, "/* %lld %d, in no cache */", (long long)time(NULL), (int)getpid());
    cl_program program = clCreateProgramWithSource(w.context, 2, source, NULL, &error);
    ok(error);
    fails(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
    ok(clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    ck_assert_msg(strstr(log, "clang-15 is not installed") != NULL, "%s", log);
    ok(clReleaseProgram(program));
}
END_TEST

TCase *
enqueue_tests(void)
{
    TCase *tests = tcase_create("enqueue");
    tcase_add_test(tests, test_enqueue_device);
    tcase_add_test(tests, test_enqueue_queue);
    tcase_add_test(tests, test_enqueue_limit);
    tcase_add_test(tests, test_enqueue_children);
    tcase_add_test(tests, test_enqueue_codes);
    tcase_add_test(tests, test_enqueue_nulls);
    tcase_add_test(tests, test_enqueue_pointers);
    tcase_add_test(tests, test_enqueue_exchanges);
    tcase_add_test(tests, test_enqueue_ranges);
    tcase_add_test(tests, test_enqueue_queries);
    tcase_add_test(tests, test_enqueue_times);
    tcase_add_test(tests, test_enqueue_counts);
    tcase_add_test(tests, test_enqueue_il);
    tcase_add_test(tests, test_enqueue_missing);
    return tests;
}

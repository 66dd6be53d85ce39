/* SPDX-License-Identifier: MIT */
/* What kernels leave behind besides their buffers, as an OpenCL program sees it: printed text, program-scope
 * variables. And what extensions bring to OpenCL C.
 */
#include "support.h"

#include <unistd.h>

static void
run(cl_kernel kernel, size_t items)
{
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
}

/* Two commands' text is there, in order, when clFinish returns. */
START_TEST(test_print)
{
    static const char source[] =
        "kernel void say(int n, const global int *p) {\n"
        "    printf(\"%d of %d: %v4hld %s %.2f\\n\", (int)get_global_id(0), n, vload4(0, p),\n"
        "           get_global_id(0) % 2 ? \"odd\" : \"even\", n / 4.0f);\n"
        "}\n";
    char text[1000] = "", expected[1000] = "";
    int data[4] = {1, -2, 3, 4};
    size_t bytes;
    ok(clGetDeviceInfo(w.device, CL_DEVICE_PRINTF_BUFFER_SIZE, sizeof bytes, &bytes, NULL));
    ck_assert_uint_ge(bytes, 1 << 20);
    cl_program program = make_program(source, "-cl-std=CL3.0");
    cl_kernel say = make_kernel_of(program, "say");
    cl_mem buffer = make_buffer(data, 4);
    ok(clSetKernelArg(say, 1, sizeof buffer, &buffer));

    FILE *file = tmpfile();
    fflush(stdout);
    int keep = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    for (int n = 3; n < 5; n++) {
        clSetKernelArg(say, 0, sizeof n, &n);
        run(say, (size_t)n);
        for (int i = 0; i < n; i++)
            sprintf(expected + strlen(expected), "%d of %d: 1,-2,3,4 %s %.2f\n", i, n, i % 2 ? "odd" : "even",
                    n / 4.0);
    }
    cl_int finished = clFinish(w.queue);
    dup2(keep, STDOUT_FILENO);
    close(keep);
    ok(finished);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    ck_assert_str_eq(text, expected);
    ok(clReleaseMemObject(buffer));
    ok(clReleaseKernel(say));
    ok(clReleaseProgram(program));
}
END_TEST

static int
read_one(cl_kernel kernel)
{
    int value;
    cl_mem buffer = make_buffer(NULL, 1);
    ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    run(kernel, 1);
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    ok(clReleaseMemObject(buffer));
    return value;
}

/* They live as long as the program's build, and kernels share them. */
START_TEST(test_variables)
{
    static const char source[] = "#ifndef __opencl_c_program_scope_global_variables\n"
                                 "#error\n"
                                 "#endif\n"
                                 "global int total = 100;\n"
                                 "global int *where = &total;\n"
                                 "kernel void add(int n) { atomic_add(where, n); }\n"
                                 "kernel void get(global int *out) { *out = total; }\n";
    size_t bytes;
    const int seven = 7;
    ok(clGetDeviceInfo(w.device, CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, sizeof bytes, &bytes, NULL));
    ck_assert_uint_ge(bytes, 64 << 10);
    cl_program program = make_program(source, "-cl-std=CL3.0"), other = make_program(source, "-cl-std=CL3.0");
    ok(clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, sizeof bytes,
                             &bytes, NULL));
    ck_assert_uint_eq(bytes, 16);
    cl_kernel add = make_kernel_of(program, "add"), get = make_kernel_of(program, "get"),
              its = make_kernel_of(other, "get");
    ok(clSetKernelArg(add, 0, sizeof seven, &seven));
    run(add, 50);
    run(add, 3);
    ck_assert_int_eq(read_one(get), 100 + 53 * 7);
    ck_assert_int_eq(read_one(its), 100);
    ok(clReleaseKernel(get));
    get = make_kernel_of(program, "get");
    ck_assert_int_eq(read_one(get), 100 + 53 * 7);
    ok(clReleaseKernel(add));
    ok(clReleaseKernel(get));
    ok(clReleaseKernel(its));
    ok(clReleaseProgram(program));
    ok(clReleaseProgram(other));
}
END_TEST

typedef cl_int CL_API_CALL read_function(cl_command_queue, cl_program, const char *, cl_bool, size_t, size_t,
                                         void *, cl_uint, const cl_event *, cl_event *);
typedef cl_int CL_API_CALL write_function(cl_command_queue, cl_program, const char *, cl_bool, size_t, size_t,
                                          const void *, cl_uint, const cl_event *, cl_event *);
typedef cl_int CL_API_CALL pointer_function(cl_device_id, cl_program, const char *, size_t *, void **);

/* By name, as SYCL's device_global is. */
START_TEST(test_variables_from_the_host)
{
    static const char source[] = "global int numbers[4] = {1, 2, 3, 4};\n"
                                 "kernel void get(global int *out) { *out = numbers[2]++; }\n";
    __extension__ read_function *read_variable = (read_function *)clGetExtensionFunctionAddressForPlatform(
        w.platform, "clEnqueueReadGlobalVariableINTEL");
    __extension__ write_function *write_variable = (write_function *)clGetExtensionFunctionAddressForPlatform(
        w.platform, "clEnqueueWriteGlobalVariableINTEL");
    __extension__ pointer_function *point = (pointer_function *)clGetExtensionFunctionAddressForPlatform(
        w.platform, "clGetDeviceGlobalVariablePointerINTEL");
    ck_assert(read_variable && write_variable && point);
    cl_program program = make_program(source, "-cl-std=CL3.0");
    const int data[2] = {50, 60};
    int got[4] = {0}, *address;
    size_t size;
    ok(write_variable(w.queue, program, "numbers", CL_FALSE, 8, 4, data, 0, NULL, NULL));
    cl_kernel get = make_kernel_of(program, "get");
    ck_assert_int_eq(read_one(get), 60);
    ok(read_variable(w.queue, program, "numbers", CL_TRUE, 16, 0, got, 0, NULL, NULL));
    ck_assert(got[0] == 1 && got[1] == 50 && got[2] == 61 && got[3] == 4);
    ok(point(w.device, program, "numbers", &size, (void **)&address));
    ck_assert_uint_eq(size, 16);
    ck_assert_int_eq(address[2], 61);
    fails(CL_INVALID_VALUE, read_variable(w.queue, program, "numbers", CL_TRUE, 16, 4, got, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, write_variable(w.queue, program, "numbers", CL_TRUE, 4, 0, NULL, 0, NULL, NULL));
    fails(CL_INVALID_ARG_VALUE, read_variable(w.queue, program, "none", CL_TRUE, 4, 0, got, 0, NULL, NULL));
    fails(CL_INVALID_PROGRAM, point(w.device, NULL, "numbers", &size, (void **)&address));
    fails(CL_INVALID_COMMAND_QUEUE,
          read_variable(NULL, program, "numbers", CL_TRUE, 4, 0, got, 0, NULL, NULL));
    ok(clReleaseKernel(get));
    ok(clReleaseProgram(program));
}
END_TEST

/* Declared in one module, defined in another. */
START_TEST(test_linked_variables)
{
    static const char *const sources[] = {
        "extern global int shared[4]; void grow(void);\n"
        "kernel void get(global int *out) { grow(); *out = shared[2]++; }\n",
        "global int shared[4] = {1, 2, 3, 4}; void grow(void) { shared[2] *= 10; }\n"};
    cl_int error;
    cl_program parts[2];
    for (int i = 0; i < 2; i++) {
        parts[i] = clCreateProgramWithSource(w.context, 1, (const char **)&sources[i], NULL, &error);
        ok(error);
        ok(clCompileProgram(parts[i], 1, &w.device, "-cl-std=CL3.0", 0, NULL, NULL, NULL, NULL));
    }
    cl_program program = clLinkProgram(w.context, 1, &w.device, NULL, 2, parts, NULL, NULL, &error);
    ok(error);
    cl_kernel get = make_kernel_of(program, "get");
    ck_assert_int_eq(read_one(get), 30);
    ck_assert_int_eq(read_one(get), 310);
    ok(clReleaseKernel(get));
    ok(clReleaseProgram(program));
    for (int i = 0; i < 2; i++)
        ok(clReleaseProgram(parts[i]));
}
END_TEST

/* 64 work-items in four sub-groups; `in` is 0, 1, 2 ... */
static void
run_extension(const char *source, const char *options, int *out)
{
    const size_t global = 64, local = 64;
    int in[1024];
    for (int i = 0; i < 1024; i++)
        in[i] = i;
    cl_int error;
    cl_program program = clCreateProgramWithSource(w.context, 1, &source, NULL, &error);
    ok(error);
    error = clBuildProgram(program, 1, &w.device, options, NULL, NULL);
    if (error) {
        char log[4000] = "";
        clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        ck_abort_msg("%s: %d: %s", options, error, log);
    }
    cl_kernel kernel = make_kernel_of(program, "f");
    cl_mem from = make_buffer(in, 1024), to = make_buffer(in, 1024);
    ok(clSetKernelArg(kernel, 0, sizeof to, &to));
    ok(clSetKernelArg(kernel, 1, sizeof from, &from));
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(w.queue, to, CL_TRUE, 0, 1024 * sizeof *out, out, 0, NULL, NULL));
    ok(clReleaseMemObject(from));
    ok(clReleaseMemObject(to));
    ok(clReleaseKernel(kernel));
    ok(clReleaseProgram(program));
}

/* clang has no header for these: source.c gives it one, in every version of the language. */
START_TEST(test_intel_sub_groups)
{
    static const char source[] =
        "__attribute__((intel_reqd_sub_group_size(16))) kernel void f(global uint *o, global uint *a) {\n"
        "    uint lane = get_sub_group_local_id(), first = get_sub_group_id() * 16;\n"
        "    uint4 v = intel_sub_group_block_read4(a + first);\n"
        "    ushort2 s = intel_sub_group_block_read_us2((global ushort *)a + first);\n"
        "    uint x = intel_sub_group_shuffle(v.y, (lane * 3) & 15);\n"
        "    short t = intel_sub_group_reduce_max((short)lane) + intel_sub_group_broadcast((short)lane, 2);\n"
        "    float4 f = intel_sub_group_shuffle_xor((float4)(lane, 1, 2, 3), 1);\n"
        "    intel_sub_group_block_write2(o + first * 2, (uint2)(x + t, v.w + s.y + (uint)f.x));\n"
        "}\n";
    static const char *const options[] = {"-cl-std=CL1.2", "-cl-std=CL2.0", "-cl-std=CL3.0", ""};
    int out[1024];
    run_extension(source, options[_i], out);
    for (int g = 0; g < 4; g++) {
        for (int lane = 0; lane < 16; lane++) {
            int first = g * 16, half = first + 16 + lane; /* of the 16-bit words of 0, 1, 2 ... */
            ck_assert_int_eq(out[first * 2 + lane], first + 16 + (lane * 3) % 16 + 15 + 2);
            ck_assert_int_eq(out[first * 2 + 16 + lane],
                             first + 48 + lane + (half % 2 ? 0 : half / 2) + (lane ^ 1));
        }
    }
}
END_TEST

START_TEST(test_group_multiplication)
{
    static const char source[] = "kernel void f(global int *o, global int *a) {\n"
                                 "    int i = get_global_id(0);\n"
                                 "    o[i] = work_group_scan_inclusive_mul(i % 16 ? 1 : 2) + "
                                 "work_group_reduce_logical_and(a[i] < 64);\n"
                                 "}\n";
    int out[1024];
    run_extension(source, "-cl-std=CL3.0", out);
    for (int i = 0; i < 64; i++)
        ck_assert_int_eq(out[i], (2 << i / 16) + 1);
}
END_TEST

START_TEST(test_float_atomics_and_dots)
{
    static const char source[] =
        "kernel void f(global int *o, global int *a) {\n"
        "    int i = get_global_id(0);\n"
        "    local float sum;\n"
        "    if (i == 0) { sum = 0; atomic_store((global atomic_float *)&o[100], 0.0f); }\n"
        "    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
        "    atomic_fetch_add_explicit((local atomic_float *)&sum, (float)i, memory_order_relaxed,\n"
        "                              memory_scope_work_group);\n"
        "    atomic_fetch_max_explicit((global atomic_float *)&o[100], (float)i, memory_order_relaxed);\n"
        "    float seen = -1;\n"
        "    while (!atomic_compare_exchange_strong((global atomic_float *)&o[200 + i], &seen, 7.0f)) {}\n"
        "    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
        "    o[i] = (int)sum + dot((char4)(i, -1, 2, 3), (uchar4)(2, 200, 1, 1)) +\n"
        "           dot_acc_sat_4x8packed_ss_int(0x7f7f7f7f, 0x01010101, INT_MAX - 3);\n"
        "}\n";
    int out[1024];
    float most, seven;
    run_extension(source, "-cl-std=CL3.0", out);
    memcpy(&most, &out[100], 4);
    memcpy(&seven, &out[220], 4);
    ck_assert(most == 63 && seven == 7);
    for (int i = 0; i < 64; i++)
        ck_assert_int_eq(out[i], (int)(2016u + 2u * (unsigned)i - 200 + 5 + 0x7fffffffu));
}
END_TEST

/* Lanes that read element after element, of unsigned indices that begin below zero. */
START_TEST(test_indices_that_wrap)
{
    static const char source[] =
        "kernel void summed(global const int *in, global int *out)\n"
        "{\n"
        "    size_t i = get_global_id(0);\n"
        "    uint k = ((uint)in[i] & 3u) - 2u, end = (uint)i * 5u % 21u;\n"
        "    int s = 3;\n"
        "    for (uint r = 0; r < end; r++, k++) s = s * 5 + (in[k + 2u] ^ (int)(k & 6u));\n"
        "    out[i] = s;\n"
        "}\n";
    enum { items = 1000 };
    unsigned in[items];
    int out[items] = {0};
    for (unsigned i = 0; i < items; i++)
        in[i] = i * 2654435761u >> 8;
    cl_program program = make_program(source, "-cl-std=CL3.0");
    cl_kernel summed = make_kernel_of(program, "summed");
    cl_mem from = make_buffer((const int *)in, items), to = make_buffer(out, items);
    ok(clSetKernelArg(summed, 0, sizeof from, &from));
    ok(clSetKernelArg(summed, 1, sizeof to, &to));
    run(summed, items);
    ok(clEnqueueReadBuffer(w.queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (unsigned i = 0; i < items; i++) {
        unsigned s = 3, k = (in[i] & 3) - 2;
        for (unsigned r = 0; r < i * 5 % 21; r++, k++)
            s = s * 5 + (in[k + 2] ^ (k & 6));
        ck_assert_int_eq(out[i], (int)s);
    }
    ok(clReleaseMemObject(from));
    ok(clReleaseMemObject(to));
    ok(clReleaseKernel(summed));
    ok(clReleaseProgram(program));
}
END_TEST

/* A function that is `inline` alone is C's to leave out, but every platform has it. */
START_TEST(test_large_inline)
{
    char source[16000] = "inline int turn(int x, int y) {\n";
    unsigned expected[8] = {0};
    for (unsigned i = 0; i < 60; i++)
        snprintf(source + strlen(source), sizeof source - strlen(source),
                 "    x = x * %u + (y ^ %u); if (x & %u) y += x;\n"
                 "    for (int k = 0; k < (y & 3); k++) x += y + k;\n",
                 i + 3, i * 7, 1u << i % 9);
    strcat(source, "    return x + y;\n}\n"
                   "kernel void use(global int *out) {\n"
                   "    int i = get_global_id(0);\n"
                   "    out[i] = turn(i, 1) + turn(i + 1, 2) * 2 + turn(i * 3, 4);\n"
                   "}\n");
    for (unsigned i = 0; i < 24; i++) {
        unsigned j = i / 3, x = i % 3 == 0 ? j : i % 3 == 1 ? j + 1 : j * 3, y = 1u << i % 3;
        for (unsigned k = 0; k < 60; k++) {
            x = x * (k + 3) + (y ^ k * 7);
            y += x & 1u << k % 9 ? x : 0;
            for (unsigned n = 0; n < (y & 3); n++)
                x += y + n;
        }
        expected[j] += (x + y) * (i % 3 == 1 ? 2 : 1);
    }
    unsigned out[8];
    cl_program program = make_program(source, "-cl-std=CL3.0");
    cl_kernel use = make_kernel_of(program, "use");
    cl_mem buffer = make_buffer(NULL, 8);
    ok(clSetKernelArg(use, 0, sizeof buffer, &buffer));
    run(use, 8);
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < 8; i++)
        ck_assert_uint_eq(out[i], expected[i]);
    ok(clReleaseMemObject(buffer));
    ok(clReleaseKernel(use));
    ok(clReleaseProgram(program));
}
END_TEST

/* Work-items that know only their global ids take turns at a lock, in work-groups of their own and of many:
 * none waits side by side with the one that has it. */
START_TEST(test_locks)
{
    static const char source[] =
        "kernel void weak(global atomic_int *lock, global int *out) {\n"
        "    int free = 0;\n"
        "    while (!atomic_compare_exchange_strong(lock, &free, 1)) free = 0;\n"
        "    out[0] += 3;\n"
        "    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);\n"
        "}\n"
        "kernel void old(volatile global int *lock, global int *out) {\n"
        "    for (int had = 0; !had;)\n"
        "        if (atomic_cmpxchg(lock, 0, 1) == 0) {\n"
        "            out[0] += 3;\n"
        "            mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
        "            atomic_xchg(lock, 0);\n"
        "            had = 1;\n"
        "        }\n"
        "}\n"
        "kernel void swap(volatile global int *lock, global int *out) {\n"
        "    while (atomic_xchg(lock, 7)) {}\n"
        "    out[0] += 3;\n"
        "    mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
        "    atomic_xchg(lock, 0);\n"
        "}\n"
        "kernel void flag(global atomic_flag *lock, global int *out) {\n"
        "    while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire, memory_scope_device)) {}\n"
        "    out[0] += 3;\n"
        "    atomic_flag_clear_explicit(lock, memory_order_release, memory_scope_device);\n"
        "}\n"
        "kernel void ticket(global atomic_int *lock, global int *out) {\n"
        "    int mine = atomic_fetch_add(lock, 1);\n"
        "    while (atomic_load_explicit(lock + 1, memory_order_acquire, memory_scope_device) != mine) {}\n"
        "    out[0] += 3;\n"
        "    atomic_store_explicit(lock + 1, mine + 1, memory_order_release, memory_scope_device);\n"
        "}\n";
    static const char *const names[] = {"weak", "old", "swap", "flag", "ticket"};
    static const size_t sizes[] = {1, 5, 50, 100};
    const int zeros[2] = {0, 0};
    const size_t items = 100;
    cl_program program = make_program(source, "-cl-std=CL3.0");
    for (unsigned i = 0; i < 5; i++)
        for (unsigned k = 0; k < (i < 4 ? 4u : 1u); k++) {
            int out;
            cl_kernel take = make_kernel_of(program, names[i]);
            cl_mem lock = make_buffer(zeros, 2), sum = make_buffer(zeros, 1);
            ok(clSetKernelArg(take, 0, sizeof lock, &lock));
            ok(clSetKernelArg(take, 1, sizeof sum, &sum));
            ok(clEnqueueNDRangeKernel(w.queue, take, 1, NULL, &items, &sizes[k], 0, NULL, NULL));
            ok(clEnqueueReadBuffer(w.queue, sum, CL_TRUE, 0, sizeof out, &out, 0, NULL, NULL));
            ck_assert_int_eq(out, 300);
            ok(clReleaseMemObject(lock));
            ok(clReleaseMemObject(sum));
            ok(clReleaseKernel(take));
        }
    ok(clReleaseProgram(program));
}
END_TEST

/* A struct in memory may have as many members as its type can tell: here 6,600, a third of them padding. */
START_TEST(test_many_members)
{
    enum { pairs = 2200 };
    int out[pairs];
    char *source = malloc(200000), *to = source;
    ck_assert_ptr_nonnull(source);
    to += sprintf(to, "typedef struct {");
    for (int i = 0; i < pairs; i++)
        to += sprintf(to, "int i%d; char c%d;", i, i);
    to += sprintf(to, "} record;\nconstant record r = {");
    for (int i = 0; i < pairs; i++)
        to += sprintf(to, "%d, %d,", i * 5, i % 100);
    sprintf(to, "};\nkernel void look(global int *out, global const record *rs) {\n"
                "    size_t i = get_global_id(0);\n"
                "    out[i] = ((constant int *)&r)[i * 2] + r.c2177 * 100000 + rs->i2;\n"
                "}\n");
    cl_program program = make_program(source, "-cl-std=CL3.0");
    cl_kernel look = make_kernel_of(program, "look");
    cl_mem buffer = make_buffer(NULL, pairs), records = make_buffer((int[]){1, 2, 3, 4, 7, 6}, 6);
    ok(clSetKernelArg(look, 0, sizeof buffer, &buffer));
    ok(clSetKernelArg(look, 1, sizeof records, &records));
    run(look, pairs);
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < pairs; i++)
        ck_assert_int_eq(out[i], i * 5 + 77 * 100000 + 7);
    ok(clReleaseMemObject(buffer));
    ok(clReleaseMemObject(records));
    ok(clReleaseKernel(look));
    ok(clReleaseProgram(program));
    free(source);
}
END_TEST

TCase *
language_tests(void)
{
    TCase *tests = tcase_create("language");
    tcase_add_test(tests, test_print);
    tcase_add_test(tests, test_variables);
    tcase_add_test(tests, test_variables_from_the_host);
    tcase_add_test(tests, test_linked_variables);
    tcase_add_loop_test(tests, test_intel_sub_groups, 0, 4);
    tcase_add_test(tests, test_group_multiplication);
    tcase_add_test(tests, test_float_atomics_and_dots);
    tcase_add_test(tests, test_indices_that_wrap);
    tcase_add_test(tests, test_locks);
    tcase_add_test(tests, test_large_inline);
    tcase_add_test(tests, test_many_members);
    return tests;
}

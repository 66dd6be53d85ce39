/* SPDX-License-Identifier: MIT */
/* OpenCL C of which clang-22, or LLVM's SPIR-V back end, writes what it does not mean: producer/ says it
 * otherwise before.
 */
#include "support.h"

static void
run(cl_kernel kernel, size_t items)
{
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
}

/* clang-22's loop strength reduction counts this loop in two bits and writes eight. */
START_TEST(test_short_counts)
{
    static const char source[] =
        "kernel void counted(global const uint *in, global int *out)\n"
        "{\n"
        "    uint lin = (uint)get_local_linear_id(), lsz = (uint)(get_local_size(0) *\n"
        "        get_local_size(1) * get_local_size(2));\n"
        "    uint g = (uint)(get_global_id(0) - get_global_offset(0) + get_global_size(0) *\n"
        "        (get_global_id(1) - get_global_offset(1) + get_global_size(1) * (get_global_id(2)\n"
        "        - get_global_offset(2))));\n"
        "    uint all = (uint)(get_global_size(0) * get_global_size(1) * get_global_size(2));\n"
        "    uint base = (uint)(get_enqueued_local_size(0) * get_enqueued_local_size(1) *\n"
        "        get_enqueued_local_size(2) * (get_group_id(0) + get_num_groups(0) *\n"
        "        (get_group_id(1) + get_num_groups(1) * get_group_id(2))));\n"
        "    uint five = 5u;\n"
        "    int i0 = (int)(in[(g + 35u) & 255u] >> 5);\n"
        "    uint u0 = (uint)(in[(g + 42u) & 255u] >> 6);\n"
        "    long l0 = (long)(in[(g + 49u) & 255u] >> 7);\n"
        "    float f0 = (float)(g & 15u); double d0 = (double)(lin & 7u);\n"
        "    int part[8]; for (int q = 0; q < 8; q++) part[q] = (int)in[(g + q) & 255u];\n"
        "    if (g + 3u >= all) return;\n"
        "    for (int k3 = 0, k3_n = (int)(((uint)(int)f0) & 3u); k3 < k3_n; k3++) {\n"
        "        for (int k4 = 0, k4_n = 2; k4 < k4_n; k4++) {\n"
        "            if ((((long)((ulong)((long)get_global_id(0)) | (ulong)l0)) < ((long)lin))) {\n"
        "                part[((uint)((uint)five - (uint)((uint)2))) & 7u] =\n"
        "        ((int)part[((uint)get_global_id(0)) & 7u]);\n"
        "            }\n"
        "        }\n"
        "        part[u0 & 7u] = ((int)((uint)((int)in[((uint)k3 * 7u % (256u))]) |\n"
        "        (uint)((int)((uint)((int)u0) * (uint)i0))));\n"
        "    }\n"
        "    for (int q = 0; q < 8; q++) out[g * 8 + q] = part[q];\n"
        "}\n";
    enum { items = 64, words = 256 };
    unsigned in[words];
    int out[items * 8] = {0};
    for (unsigned i = 0; i < words; i++)
        in[i] = i * 2654435761u ^ 0x5bd1e995u;
    cl_program program = make_program(source, "-cl-std=CL3.0");
    cl_kernel counted = make_kernel_of(program, "counted");
    cl_mem from = make_buffer((const int *)in, words), to = make_buffer(out, items * 8);
    ok(clSetKernelArg(counted, 0, sizeof from, &from));
    ok(clSetKernelArg(counted, 1, sizeof to, &to));
    run(counted, items);
    ok(clEnqueueReadBuffer(w.queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (unsigned g = 0; g + 3 < items; g++) {
        unsigned part[8], at = (in[g + 42] >> 6) & 7;
        for (unsigned q = 0; q < 8; q++)
            part[q] = in[g + q];
        for (unsigned k = 0; k < (g & 3); k++)
            part[at] = in[k * 7] | ((in[g + 42] >> 6) * (in[g + 35] >> 5));
        for (unsigned q = 0; q < 8; q++)
            ck_assert_int_eq(out[g * 8 + q], (int)part[q]);
    }
    ok(clReleaseMemObject(from));
    ok(clReleaseMemObject(to));
    ok(clReleaseKernel(counted));
    ok(clReleaseProgram(program));
}
END_TEST

/* clang's passes count this loop in an i2, which its back end takes for an i8. */
START_TEST(test_inner_counts)
{
    static const char source[] =
        "kernel void inner(global int *out, uint shift) {\n"
        "    uint lane = (uint)get_local_id(0);\n"
        "    int last = -1;\n"
        "    for (int k = 0, n = (int)(lane & 3u) + 1; k < n; k++)\n"
        "        for (int j = 0, m = (int)((uint)k * lane * 15u & 3u); j < m; j++)\n"
        "            last = k * 8 + out[(uint)j >> (shift & 31u)];\n"
        "    out[get_global_id(0) + 4] = last;\n"
        "}\n";
    int out[36] = {5, 6, 7, 8};
    cl_uint shift = 1;
    const char *options[] = {"-cl-std=CL3.0", "-cl-std=CL3.0 -cl-opt-disable"};
    const char *text = source;
    for (size_t o = 0; o < 2; o++) {
        cl_int error;
        cl_program program = clCreateProgramWithSource(w.context, 1, &text, NULL, &error);
        ok(error);
        ok(clBuildProgram(program, 1, &w.device, options[o], NULL, NULL));
        cl_kernel inner = make_kernel_of(program, "inner");
        cl_mem buffer = make_buffer(out, 36);
        ok(clSetKernelArg(inner, 0, sizeof buffer, &buffer));
        ok(clSetKernelArg(inner, 1, sizeof shift, &shift));
        size_t items = 32;
        ok(clEnqueueNDRangeKernel(w.queue, inner, 1, NULL, &items, &items, 0, NULL, NULL));
        ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
        for (unsigned lane = 0; lane < 32; lane++) {
            int last = -1;
            for (unsigned k = 0; k < (lane & 3) + 1; k++)
                for (unsigned j = 0; j < (k * lane * 15 & 3); j++)
                    last = (int)k * 8 + 5 + (int)(j >> shift);
            ck_assert_int_eq(out[lane + 4], last);
        }
        ok(clReleaseMemObject(buffer));
        ok(clReleaseKernel(inner));
        ok(clReleaseProgram(program));
    }
}
END_TEST

/* clang-22 writes 1 for the truth that is -1 here. */
START_TEST(test_truth_as_number)
{
    static const char source[] =
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
        "kernel void truth(global const int *in, global int *out) {\n"
        "    int i = get_global_id(0);\n"
        "    float f = (float)(in[i] > 3 ? -1 : 0), g = -(float)(in[i] > 4);\n"
        "    half h = (half)(in[i] > 5 ? -1 : 0);\n"
        "    double d = (double)-(int)(in[i] > 6);\n"
        "    float4 v = convert_float4(vload4(0, in) > i);\n"
        "    out[i] = (int)f * 1000 + (int)g * 100 + (int)h * 10 + (int)d + (int)v.y * 10000;\n"
        "}\n";
    int in[8] = {0, 1, 2, 3, 4, 5, 6, 7}, out[8];
    cl_program program = make_program(source, "-cl-std=CL3.0");
    cl_kernel truth = make_kernel_of(program, "truth");
    cl_mem from = make_buffer(in, 8), to = make_buffer(in, 8);
    ok(clSetKernelArg(truth, 0, sizeof from, &from));
    ok(clSetKernelArg(truth, 1, sizeof to, &to));
    run(truth, 8);
    ok(clEnqueueReadBuffer(w.queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(out[i],
                         -(i > 3) * 1000 - (i > 4) * 100 - (i > 5) * 10 - (i > 6) - (1 > i) * 10000);
    ok(clReleaseMemObject(from));
    ok(clReleaseMemObject(to));
    ok(clReleaseKernel(truth));
    ok(clReleaseProgram(program));
}
END_TEST

/* Events that are null at first: clang-22's back end dies of them in phis and selects, and clang-15 takes no
 * `?:` of events. */
START_TEST(test_null_events)
{
    static const char source[] =
        "event_t part(local int *to, const global int *from, event_t after) {\n"
        "    return async_work_group_copy(to, from, 16, after);\n"
        "}\n"
        "kernel void copy(const global int *in, global int *out, local int *l, int n, int chained) {\n"
        "    event_t e = (event_t)0;\n"
        "    do {\n"
        "        n--;\n"
        "        e = part(l + n * 16, in + n * 16, chained ? e : (event_t)0);\n"
        "    } while (n > 0);\n"
        "    wait_group_events(1, &e);\n"
        "    for (int k = 0; k < 4; k++)\n"
        "        out[k * 16 + get_local_id(0)] = l[k * 16 + 15 - get_local_id(0)];\n"
        "}\n";
    int in[64], out[64];
    for (int i = 0; i < 64; i++)
        in[i] = i * i;
    cl_program program = make_program(source, "-cl-std=CL3.0");
    cl_kernel copy = make_kernel_of(program, "copy");
    cl_mem from = make_buffer(in, 64), to = make_buffer(in, 64);
    ok(clSetKernelArg(copy, 0, sizeof from, &from));
    ok(clSetKernelArg(copy, 1, sizeof to, &to));
    ok(clSetKernelArg(copy, 2, sizeof in, NULL));
    ok(clSetKernelArg(copy, 3, sizeof(int), &(int){4}));
    for (int chained = 0; chained < 2; chained++) {
        ok(clSetKernelArg(copy, 4, sizeof chained, &chained));
        run(copy, 16);
        ok(clEnqueueReadBuffer(w.queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
        for (int i = 0; i < 64; i++)
            ck_assert_int_eq(out[i], in[i / 16 * 16 + 15 - i % 16]);
    }
    ok(clReleaseMemObject(from));
    ok(clReleaseMemObject(to));
    ok(clReleaseKernel(copy));
    ok(clReleaseProgram(program));
}
END_TEST

/* clang-22 writes the memory's scope for that of execution. */
START_TEST(test_barrier_scopes)
{
    static const char source[] =
        "kernel void turn(global int *out) {\n"
        "    int i = get_local_id(0), last = get_local_size(0) - 1;\n"
        "    global int *mine = out + get_group_id(0) * (last + 1);\n"
        "    mine[i] = i;\n"
        "    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);\n"
        "    int other = mine[last - i] * 2;\n"
        "    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_all_svm_devices);\n"
        "    mine[i] = other;\n"
        "    work_group_barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_scope_work_group);\n"
        "    other = mine[last - i] + 1;\n"
        "    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);\n"
        "    mine[i] = other;\n"
        "}\n";
    const size_t items = 120, local = 60;
    int out[120];
    cl_program program = make_program(source, "-cl-std=CL3.0");
    cl_kernel turn = make_kernel_of(program, "turn");
    cl_mem buffer = make_buffer(NULL, 120);
    ok(clSetKernelArg(turn, 0, sizeof buffer, &buffer));
    ok(clEnqueueNDRangeKernel(w.queue, turn, 1, NULL, &items, &local, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < 120; i++)
        ck_assert_int_eq(out[i], i % 60 * 2 + 1);
    ok(clReleaseMemObject(buffer));
    ok(clReleaseKernel(turn));
    ok(clReleaseProgram(program));
}
END_TEST

/* SPIR-V has no instruction with so many elements: they are parted. */
START_TEST(test_long_arrays)
{
    enum { members = 65540, elements = 2 * 65532, places = 6 };
    static const int at[places] = {0, 65531, 65532, 65535, 65539, elements - 1};
    int out[places];
    char *source = malloc(2000000), *to = source;
    ck_assert_ptr_nonnull(source);
    to += sprintf(to, "constant struct { short n; uchar of[2][%d]; } s = {-7, {{9}, {", members);
    for (int i = 0; i < members; i++)
        to += sprintf(to, "%d,", i % 251);
    to += sprintf(to, "}}};\nglobal int g[%d] = {", elements);
    for (int i = 0; i < elements; i++)
        to += sprintf(to, "%d,", -i);
    sprintf(to, "};\nkernel void look(global int *at) {\n"
                "    global int *mine = at + get_global_id(0);\n"
                "    int i = *mine;\n"
                "    local char begins_as_anything[70000];\n"
                "    begins_as_anything[i / 2] = -7;\n"
                "    *mine = g[i] * 1000 + s.of[1][i %% %d] * 10 + s.of[0][i %% %d]\n"
                "        + begins_as_anything[i / 2] + s.n + 7;\n"
                "}\n", members, members);
    for (unsigned optimised = 0; optimised < 2; optimised++) {
        const char *options = optimised ? "-cl-std=CL3.0" : "-cl-std=CL3.0 -cl-opt-disable";
        cl_program program = make_program(source, options);
        cl_kernel look = make_kernel_of(program, "look");
        cl_mem buffer = make_buffer(at, places);
        ok(clSetKernelArg(look, 0, sizeof buffer, &buffer));
        run(look, places);
        ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
        for (int k = 0; k < places; k++) {
            int i = at[k] % members;
            ck_assert_int_eq(out[k], -at[k] * 1000 + i % 251 * 10 + (i ? 0 : 9) - 7);
        }
        ok(clReleaseMemObject(buffer));
        ok(clReleaseKernel(look));
        ok(clReleaseProgram(program));
    }
    free(source);
}
END_TEST

TCase *
producer_tests(void)
{
    TCase *tests = tcase_create("producer");
    tcase_add_test(tests, test_short_counts);
    tcase_add_test(tests, test_truth_as_number);
    tcase_add_test(tests, test_null_events);
    tcase_add_test(tests, test_inner_counts);
    tcase_add_test(tests, test_barrier_scopes);
    tcase_add_test(tests, test_long_arrays);
    return tests;
}

/* SPDX-License-Identifier: MIT */
/* The C++ form of the work-item and work-group functions (cxx.clcpp): the headers that the platform brings,
 * from source and as IL that clang-22 made with the same headers. */
#include "support.h"

#include <math.h>

enum { N = 60, ROWS = 17 };

static cl_program
build(bool il)
{
    cl_int error;
    cl_program program;
    if (il) {
        program = load_program("opencl_cxx.spv");
    } else {
        size_t size;
        char *text = read_module("cxx.clcpp", &size);
        const char *source = text;
        program = clCreateProgramWithSource(w.context, 1, &source, &size, &error);
        free(text);
        ok(error);
    }
    error = clBuildProgram(program, 0, NULL, il ? "" : "-cl-std=CLC++2021", NULL, NULL);
    if (error) {
        char log[4000];
        ok(clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
        printf("%s\n", log);
    }
    ok(error);
    return program;
}

static void
run(cl_program program, const char *name, cl_uint dimensions, const size_t *global, const size_t *local,
    cl_mem first, void *out, size_t bytes)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    cl_mem buffer = clCreateBuffer(w.context, 0, bytes, NULL, NULL);
    ok(error);

    ok(clSetKernelArg(kernel, 0, sizeof first, first ? &first : &buffer));
    if (first)
        ok(clSetKernelArg(kernel, 1, sizeof buffer, &buffer));
    ok(clEnqueueNDRangeKernel(w.queue, kernel, dimensions, NULL, global, local, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, bytes, out, 0, NULL, NULL));
    ok(clReleaseMemObject(buffer));
    ok(clReleaseKernel(kernel));
}

START_TEST(test_cxx_examples)
{
    static const int p[] = {3, 1, 7, 0, 4, 1, 6, 3}, inclusive[] = {3, 4, 11, 11, 15, 16, 22, 25},
                     exclusive[] = {0, 3, 4, 11, 11, 15, 16, 22};
    const size_t eight = 8;
    int got[32];
    cl_program program = build(_i);
    cl_mem in = make_buffer(p, 8);
    run(program, "examples", 1, &eight, &eight, in, got, sizeof got);
    for (int i = 0; i < 8; i++) {
        ck_assert_int_eq(got[i], inclusive[i]);
        ck_assert_int_eq(got[8 + i], exclusive[i]);
        ck_assert_int_eq(got[16 + i], 3);
        ck_assert_int_eq(got[24 + i], 0);
    }
    ok(clReleaseMemObject(in));
    ok(clReleaseProgram(program));
}
END_TEST

START_TEST(test_cxx_items)
{
    const size_t global[] = {7, 6, 4}, local[] = {7, 3, 2};
    static cl_ulong got[7 * 6 * 4 * 35];
    cl_program program = build(_i);
    run(program, "items", 3, global, local, NULL, got, sizeof got);
    cl_ulong most = got[31] / 100;
    ck_assert(most >= 4 && most <= 64);
    for (size_t z = 0; z < 4; z++)
        for (size_t y = 0; y < 6; y++)
            for (size_t x = 0; x < 7; x++) {
                const cl_ulong *g = got + 35 * (x + 7 * (y + 6 * z));
                const size_t id[] = {x, y, z}, linear = x + 7 * (y % 3 + 3 * (z % 2));
                ck_assert_uint_eq(*g++, 3);
                for (int d = 0; d < 4; d++, g += 7) {
                    bool in = d < 3;
                    ck_assert_uint_eq(g[0], in ? global[d] : 1);
                    ck_assert_uint_eq(g[1], in ? id[d] : 0);
                    ck_assert_uint_eq(g[2], in ? local[d] : 1);
                    ck_assert_uint_eq(g[3], in ? local[d] : 1);
                    ck_assert_uint_eq(g[4], in ? id[d] % local[d] : 0);
                    ck_assert_uint_eq(g[5], in ? global[d] / local[d] : 1);
                    ck_assert_uint_eq(g[6], in ? id[d] / local[d] : 0);
                }
                cl_ulong count = (42 + most - 1) / most, own = linear / most;
                cl_ulong size = own + 1 < count ? most : 42 - own * most;
                ck_assert_uint_eq(g[0], 0);
                ck_assert_uint_eq(g[1], linear);
                ck_assert_uint_eq(g[2], size + 100 * most);
                ck_assert_uint_eq(g[3], count + 100 * count);
                ck_assert_uint_eq(g[4], own);
                ck_assert_uint_eq(g[5], linear % most);
            }
    ok(clReleaseProgram(program));
}
END_TEST

/* An element of what a kernel of this type wrote. */
static double
element(const void *values, const char *type, size_t at)
{
    if (strcmp(type, "half") == 0) {
        unsigned h = ((const cl_ushort *)values)[at], e = h >> 10 & 31;
        double m = (h & 1023) + (e ? 1024 : 0);
        return (h >> 15 ? -m : m) * (double)(1u << (e ? e - 1 : 0)) / 16777216;
    }
    return strcmp(type, "int") == 0      ? ((const cl_int *)values)[at]
           : strcmp(type, "uint") == 0   ? ((const cl_uint *)values)[at]
           : strcmp(type, "float") == 0  ? ((const cl_float *)values)[at]
           : strcmp(type, "double") == 0 ? ((const cl_double *)values)[at]
                                         : (double)((const cl_long *)values)[at];
}

static double
input(size_t i)
{
    return (double)((i * 7 + 3) % 13);
}

/* What row `row` has at `i`, for groups of `n` consecutive work-items. */
static double
folded(int row, size_t i, size_t n)
{
    size_t first = i / n * n, last = first + n < N ? first + n : N,
           end = row < 3   ? last
                 : row < 6 ? i + 1
                           : i;
    double sum = 0, low = INFINITY, high = -INFINITY;
    for (size_t k = first; k < end; k++) {
        double x = input(k);
        sum += x;
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    return row % 3 == 0 ? sum : row % 3 == 1 ? low : high;
}

START_TEST(test_cxx_types)
{
    static const char *const types[] = {"int", "uint", "long", "ulong", "half", "float", "double"};
    static double raw[N * ROWS];
    const size_t global[] = {5, 4, 3};
    cl_program program = build(_i);
    cl_ulong got[35 * N];
    run(program, "items", 3, global, global, NULL, got, sizeof got);
    size_t n = got[31] / 100;
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        char name[30];
        snprintf(name, sizeof name, "collect_%s", types[t]);
        run(program, name, 3, global, global, NULL, raw, sizeof raw);
        for (size_t i = 0; i < N; i++) {
            double wanted[ROWS], twos = 1;
            for (int row = 0; row < 9; row++)
                wanted[row] = folded(row, i, N);
            size_t first = i / n * n;
            wanted[9] = input(7) + input(3 + 5 * 2) + input(2 + 5 + 20);
            wanted[10] = input(first + 1) + folded(0, i, n);
            wanted[11] = folded(1, i, n) + folded(2, i, n);
            wanted[12] = folded(3, i, n);
            wanted[13] = folded(4, i, n) + folded(5, i, n);
            wanted[14] = folded(6, i, n);
            wanted[15] = i == first ? 1 : folded(7, i, n) + folded(8, i, n);
            for (size_t k = 0; k <= i; k++)
                twos *= input(k) > 10 ? 1 : 2;
            for (int row = 0; row < 16; row++) {
                bool identity = i == 0 && (row == 7 || row == 8);
                if (!identity)
                    ck_assert_msg(element(raw, types[t], row * N + i) == wanted[row],
                                  "%s row %d item %zu: %g, not %g", types[t], row, i,
                                  element(raw, types[t], row * N + i), wanted[row]);
            }
            bool fits = t >= 5 || (t == 4 ? twos <= 32768 : t < 2 ? twos < 2147483648.0 : twos < 9e15);
            if (fits)
                ck_assert_msg(element(raw, types[t], 16 * N + i) == twos, "%s product, item %zu", types[t],
                              i);
        }
    }
    ok(clReleaseProgram(program));
}
END_TEST

START_TEST(test_cxx_bits)
{
    const size_t sixty = N;
    cl_uint got[5 * N], all = ~0u, any = 0, before = 0;
    cl_program program = build(_i);
    run(program, "bits", 1, &sixty, &sixty, NULL, got, sizeof got);
    for (cl_uint i = 0; i < N; i++)
        all &= (i * 0x01234567u + 5) | 0x10;
    for (cl_uint i = 0, parity = 0; i < N; i++) {
        cl_uint x = i * 0x01234567u + 5;
        any |= x;
        ck_assert_uint_eq(got[i], all);
        ck_assert_uint_eq(got[N + i], any);
        ck_assert_uint_eq(got[2 * N + i], before);
        ck_assert_uint_eq(got[3 * N + i], 1 + 2 * (i >= 30) + 4 * parity);
        ck_assert_uint_eq(got[4 * N + i], 1);
        before ^= x;
        parity ^= i % 3 == 0;
    }
    ok(clReleaseProgram(program));
}
END_TEST

/* cl_ext_cxx_for_opencl: what is asked for is what -cl-std=CLC++ is, and what the language says of itself. */
START_TEST(test_cxx_version)
{
    const char *source = "template <typename T> T twice(T x) { return x + x; }\n"
                         "kernel void version(global int *out) {\n"
                         "    out[0] = __OPENCL_CPP_VERSION__;\n"
                         "    out[1] = twice<int>(__CL_CPP_VERSION_1_0__);\n"
                         "#ifdef cl_ext_cxx_for_opencl\n"
                         "    out[0] = 0;\n"
                         "#endif\n"
                         "}\n";
    const size_t one = 1;
    cl_int error, got[2];
    cl_version version;
    ok(clGetDeviceInfo(w.device, CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT, sizeof version, &version,
                       NULL));
    cl_program program = clCreateProgramWithSource(w.context, 1, &source, NULL, &error);
    ok(clBuildProgram(program, 0, NULL, "-cl-std=CLC++", NULL, NULL));
    run(program, "version", 1, &one, NULL, NULL, got, sizeof got);
    ck_assert_int_eq(got[0], CL_VERSION_MAJOR(version) * 100 + CL_VERSION_MINOR(version) * 10);
    ck_assert_int_eq(got[1], 200);
    ok(clReleaseProgram(program));
}
END_TEST

/* Functions of extensions that clang's own header lacks, as OpenCL C has them. */
START_TEST(test_cxx_extensions)
{
    const char *source = "#ifndef cl_intel_subgroups\n"
                         "#error\n"
                         "#endif\n"
                         "kernel void extensions(global int *out) {\n"
                         "    uint i = get_local_id(0), lane = get_sub_group_local_id();\n"
                         "    out[i] = intel_sub_group_shuffle((int)lane, lane ^ 1) == (int)(lane ^ 1);\n"
                         "    out[8 + i] = work_group_reduce_mul(i == 3 ? 5 : 1) +\n"
                         "                 work_group_reduce_logical_or(i == 7);\n"
                         "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
                         "    size_t first = i - lane;\n"
                         "    out[i] += intel_sub_group_block_read((global uint *)out + 8 + first);\n"
                         "}\n";
    static const char *const versions[] = {"-cl-std=CLC++", "-cl-std=CLC++2021"};
    const size_t eight = 8;
    for (size_t v = 0; v < 2; v++) {
        cl_int got[16];
        cl_program program = make_program(source, versions[v]);
        run(program, "extensions", 1, &eight, &eight, NULL, got, sizeof got);
        for (size_t i = 0; i < 8; i++)
            ck_assert(got[i] == 7 && got[8 + i] == 6);
        ok(clReleaseProgram(program));
    }
}
END_TEST

TCase *
cxx_tests(void)
{
    TCase *tests = tcase_create("c++");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, test_cxx_examples, 0, 2);
    tcase_add_loop_test(tests, test_cxx_items, 0, 2);
    tcase_add_loop_test(tests, test_cxx_types, 0, 2);
    tcase_add_loop_test(tests, test_cxx_bits, 0, 2);
    tcase_add_test(tests, test_cxx_version);
    tcase_add_test(tests, test_cxx_extensions);
    return tests;
}

/* SPDX-License-Identifier: MIT */
/* The options of builds and links, on IL: what they change in the results, and which are refused. */
#include "support.h"

#include <math.h>
#include <stdint.h>

static cl_program
build(const char *options)
{
    cl_program program = load_program("opencl_math.spv");
    ok(clBuildProgram(program, 0, NULL, options, NULL, NULL));
    return program;
}

/* Runs a kernel of `count` float arguments over enough work-items for whole vectors; all results agree. */
static float
run_in(cl_program program, const char *name, const float *values, cl_uint count)
{
    const size_t items = 64;
    float out[64];
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    ok(error);
    cl_mem buffer = clCreateBuffer(w.context, CL_MEM_READ_WRITE, sizeof out, NULL, &error);
    ok(error);
    ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    for (cl_uint i = 0; i < count; i++)
        ok(clSetKernelArg(kernel, i + 1, sizeof values[i], &values[i]));
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (size_t i = 1; i < items; i++)
        ck_assert_mem_eq(&out[i], &out[0], sizeof out[0]);
    ok(clReleaseMemObject(buffer));
    ok(clReleaseKernel(kernel));
    return out[0];
}

static float
run(const char *options, const char *name, const float *values, cl_uint count)
{
    cl_program program = build(options);
    float result = run_in(program, name, values, count);
    ok(clReleaseProgram(program));
    return result;
}

static bool
has_fma(void)
{
    const char *isa = getenv("LANEWISE_ISA");
    return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2") &&
           !(isa && strcmp(isa, "sse4.2") == 0);
}

START_TEST(test_subnormals)
{
    const float values[] = {0x1p-100f, 0x1.8p-30f};
    ck_assert(run(NULL, "product", values, 2) == 0x1.8p-130f);
    ck_assert(run("-cl-fp32-correctly-rounded-divide-sqrt", "product", values, 2) == 0x1.8p-130f);
    ck_assert(run("-cl-denorms-are-zero", "product", values, 2) == 0);
    ck_assert(run("-cl-unsafe-math-optimizations", "product", values, 2) == 0);
    ck_assert(run(NULL, "product", values, 2) == 0x1.8p-130f); /* nothing stays behind */
    /* Nor on this thread. */
    volatile float a = values[0], b = values[1];
    ck_assert(a * b == 0x1.8p-130f);
}
END_TEST

/* Functions of a subnormal number give what they give for it, or for zero. */
START_TEST(test_functions_of_subnormals)
{
    static const struct {
        const char *name;
        float argument[2];
        cl_uint count;
        float kept, flushed;
    } rows[] = {
        {"raised", {0x1p-140f, 0.5f}, 2, 0x1p-70f, 0},
        {"raised", {0x1p-140f, -0.25f}, 2, 0x1p35f, INFINITY},
        {"raised", {-0x1p-140f, 1}, 2, -0x1p-140f, 0},
        {"positive_raised", {0x1p-140f, 0.5f}, 2, 0x1p-70f, 0},
        {"positive_raised", {0x1p-140f, -0.25f}, 2, 0x1p35f, INFINITY},
        {"parts", {0x1p-149f}, 1, -147.5f, 0},
        {"parts", {-0x1p-140f}, 1, -139.5f, 0},
        {"exponent", {0x1p-149f}, 1, -149, -INFINITY},
        {"whole_exponent", {0x1p-149f}, 1, -149, -0x1p31f},
        {"through_half", {0x1p-23f}, 1, 0x1.8p-23f, 0x1.8p-23f}, /* subnormal in half: kept, always */
        {"down_to_half", {-0x1p-40f}, 1, -0x1p-24f, -0x1p-24f},
        {"down_to_half", {0x1p-40f}, 1, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert(run(NULL, rows[i].name, rows[i].argument, rows[i].count) == rows[i].kept);
        ck_assert(run("-cl-denorms-are-zero", rows[i].name, rows[i].argument, rows[i].count) ==
                  rows[i].flushed);
    }
}
END_TEST

/* Of the least normal numbers: what a function computes on the way may be smaller, and must not be lost. */
START_TEST(test_functions_near_subnormals)
{
    const char *const options[] = {NULL, "-cl-denorms-are-zero"};
    for (size_t i = 0; i < 2; i++) {
        const float least[] = {0x1.0179p-125f, 0x1p-126f, -0x1p-126f};
        for (size_t k = 0; k < 3; k++) {
            float right = (float)(least[k] * M_2_SQRTPI);
            float error = run(options[i], "error", &least[k], 1) - right;
            ck_assert_float_le(fabsf(error), 0x1p-23f * fabsf(right));
        }
        for (float a = 1.25f; a < 1.9f; a += 0x1.23p-8f)
            ck_assert_float_le(fabsf(run(options[i], "cube_root", &a, 1)), 0x1p-11f);
    }
}
END_TEST

START_TEST(test_contraction)
{
    /* (1 + 2^-12)^2 is 1 + 2^-11 and half a unit in the last place, which rounding to even drops. */
    const float values[] = {1 + 0x1p-12f, 1 + 0x1p-12f, -(1 + 0x1p-11f)};
    ck_assert(run(NULL, "product_sum", values, 3) == 0);
    ck_assert(run("-cl-no-signed-zeros", "product_sum", values, 3) == 0);
    ck_assert(run("-cl-mad-enable", "product_sum", values, 3) == (has_fma() ? 0x1p-24f : 0));
}
END_TEST

START_TEST(test_regrouping)
{
    const float values[] = {0x1p-30f, 1};
    ck_assert(run(NULL, "there_and_back", values, 2) == 0);
    ck_assert(run("-cl-mad-enable -cl-finite-math-only", "there_and_back", values, 2) == 0);
    ck_assert(run("-cl-unsafe-math-optimizations", "there_and_back", values, 2) == 0x1p-30f);
    ck_assert(run("-cl-fast-relaxed-math", "there_and_back", values, 2) == 0x1p-30f);
    ck_assert(run("-cl-fast-relaxed-math -cl-opt-disable", "there_and_back", values, 2) < 1);
}
END_TEST

START_TEST(test_finite)
{
    const float infinite = INFINITY, minus_zero = -0.0f;
    ck_assert(isnan(run(NULL, "nothing", &infinite, 1)));
    ck_assert(isnan(run("-cl-unsafe-math-optimizations", "nothing", &infinite, 1)));
    ck_assert(run("-cl-finite-math-only", "nothing", &infinite, 1) == 0);
    ck_assert(!signbit(run(NULL, "add_zero", &minus_zero, 1)));
    ck_assert(signbit(run("-cl-no-signed-zeros", "add_zero", &minus_zero, 1)));
}
END_TEST

enum { PAIRS = 1024 };

static void
run_on_pairs(const char *options, const char *name, float *a, float *b, float *out)
{
    const size_t items = PAIRS;
    cl_int error;
    cl_program program = build(options);
    cl_kernel kernel = clCreateKernel(program, name, &error);
    ok(error);
    float *const hosts[] = {out, a, b};
    cl_mem buffers[3];
    for (cl_uint i = 0; i < 3; i++) {
        buffers[i] = clCreateBuffer(w.context, CL_MEM_USE_HOST_PTR, PAIRS * sizeof *a, hosts[i], &error);
        ok(error);
        ok(clSetKernelArg(kernel, i, sizeof buffers[i], &buffers[i]));
    }
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    ok(clFinish(w.queue));
    for (cl_uint i = 0; i < 3; i++)
        ok(clReleaseMemObject(buffers[i]));
    ok(clReleaseKernel(kernel));
    ok(clReleaseProgram(program));
}

/* The largest error of a[i] / b[i], or of a[i] / sqrt(b[i]) with the root rounded, in units in the last
 * place. */
static double
division_error(const char *options, const char *name)
{
    static float a[PAIRS], b[PAIRS], out[PAIRS];
    uint32_t seed = 12345;
    double worst = 0;
    for (unsigned i = 0; i < PAIRS; i++) {
        a[i] = 1 + (float)((seed = seed * 1664525u + 1013904223u) >> 9) * 0x1p-23f;
        b[i] = 1 + (float)((seed = seed * 1664525u + 1013904223u) >> 9) * 0x1p-23f;
    }
    run_on_pairs(options, name, a, b, out);
    for (unsigned i = 0; i < PAIRS; i++) {
        double exact = (double)a[i] / (strcmp(name, "quotient") == 0 ? b[i] : sqrtf(b[i])),
               unit = exact < 1 ? 0x1p-24 : 0x1p-23;
        worst = fmax(worst, fabs(out[i] - exact) / unit);
    }
    return worst;
}

START_TEST(test_division)
{
    ck_assert(division_error(NULL, "quotient") <= 0.5);
    ck_assert(division_error("-cl-fp32-correctly-rounded-divide-sqrt -cl-fast-relaxed-math", "quotient") <=
              0.5);
    ck_assert(division_error("-cl-fast-relaxed-math", "quotient") <= 2.5);
    ck_assert(division_error(NULL, "quotient_by_root") <= 2.5);
    ck_assert(division_error("-cl-fp32-correctly-rounded-divide-sqrt", "quotient_by_root") <= 0.5);
}
END_TEST

/* Reciprocals too have an inverse of infinity, as the exponential of 100 is. */
START_TEST(test_infinite_divisors)
{
    static float a[PAIRS], b[PAIRS], out[PAIRS];
    static const char *const options[] = {NULL, "-cl-unsafe-math-optimizations", "-cl-fast-relaxed-math"};
    for (unsigned i = 0; i < PAIRS; i++) {
        a[i] = (float)(1 + i % 3);
        b[i] = (float)i - PAIRS / 2;
    }
    for (size_t k = 0; k < 3; k++) {
        run_on_pairs(options[k], "logistic", a, b, out);
        for (unsigned i = 0; i < PAIRS; i++) {
            double right = a[i] / (1 + exp(-(double)b[i]));
            ck_assert_double_le(fabs(out[i] - right), 1e-5 * right + 1e-36);
        }
        for (unsigned i = 0; i < PAIRS; i++)
            b[i] = i % 2 ? 0 : INFINITY;
        run_on_pairs(options[k], "quotient", a, b, out);
        for (unsigned i = 0; i < PAIRS; i++) {
            ck_assert(out[i] == (i % 2 ? INFINITY : 0));
            b[i] = (float)i - PAIRS / 2;
        }
    }
}
END_TEST

/* Undefined by OpenCL C; other devices read and write what lies there. */
START_TEST(test_misplaced_vectors)
{
    static float a[PAIRS], b[PAIRS], out[PAIRS], wide[PAIRS];
    for (unsigned i = 0; i < PAIRS; i++) {
        a[i] = (float)(i * i % 1021);
        b[i] = (float)(i * 7 % 1019);
    }
    run_on_pairs(NULL, "misplaced", a, b, out);
    for (unsigned i = 0; i < 4 * 255; i++) {
        unsigned k = i / 4 % 100, part = i % 4;
        const float *x = a + 1 + 8 * k + part;
        ck_assert(out[1 + i] == x[0] + x[4] * 2 + b[5 + 7 * k + part] * 4 + b[3 + part]);
    }
    run_on_pairs(NULL, "misplaced_wide", a, b, wide);
    for (unsigned i = 0; i < 16 * 60; i++)
        ck_assert(wide[1 + i] == (b[i / 16] < 200 ? a[3 + i] * 2 : 0));
}
END_TEST

/* Flags go into binaries and through links: freedoms only where all parts have them. */
START_TEST(test_flags_travel)
{
    const float values[] = {0x1p-30f, 1};
    cl_program program = build("-cl-unsafe-math-optimizations");
    size_t size;
    cl_int status, error;
    ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *binary = malloc(size);
    ok(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    const unsigned char *given = binary;
    cl_program again = clCreateProgramWithBinary(w.context, 1, &w.device, &size, &given, &status, &error);
    ok(error);
    ok(clBuildProgram(again, 0, NULL, NULL, NULL, NULL));
    ck_assert(run_in(again, "there_and_back", values, 2) == 0x1p-30f);
    ok(clReleaseProgram(again));
    ok(clReleaseProgram(program));
    free(binary);

    cl_program parts[2] = {load_program("opencl_math.spv"), load_program("opencl_library_part.spv")};
    ok(clCompileProgram(parts[0], 0, NULL, "-cl-fast-relaxed-math", 0, NULL, NULL, NULL, NULL));
    ok(clCompileProgram(parts[1], 0, NULL, "-cl-unsafe-math-optimizations", 0, NULL, NULL, NULL, NULL));
    cl_program linked = clLinkProgram(w.context, 0, NULL, NULL, 2, parts, NULL, NULL, &error);
    ok(error);
    ck_assert(run_in(linked, "there_and_back", values, 2) == 0x1p-30f);
    ok(clReleaseProgram(linked));
    ok(clCompileProgram(parts[1], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    linked = clLinkProgram(w.context, 0, NULL, NULL, 2, parts, NULL, NULL, &error);
    ok(error);
    ck_assert(run_in(linked, "there_and_back", values, 2) == 0);
    ok(clReleaseProgram(linked));
    linked = clLinkProgram(w.context, 0, NULL, "-cl-fast-relaxed-math", 2, parts, NULL, NULL, &error);
    ok(error);
    ck_assert(run_in(linked, "there_and_back", values, 2) == 0x1p-30f);
    ok(clReleaseProgram(linked));
    /* A library keeps to itself unless it was made for it. */
    static const char *const made[] = {"-create-library", "-create-library -enable-link-options"};
    for (unsigned open = 0; open < 2; open++) {
        cl_program with[2] = {parts[0]};
        with[1] = clLinkProgram(w.context, 0, NULL, made[open], 1, &parts[1], NULL, NULL, &error);
        ok(error);
        linked = clLinkProgram(w.context, 0, NULL, "-cl-fast-relaxed-math", 2, with, NULL, NULL, &error);
        ok(error);
        ck_assert(run_in(linked, "there_and_back", values, 2) == (open ? 0x1p-30f : 0));
        ok(clReleaseProgram(linked));
        ok(clReleaseProgram(with[1]));
    }
    ok(clReleaseProgram(parts[0]));
    ok(clReleaseProgram(parts[1]));
}
END_TEST

START_TEST(test_refused_options)
{
    static const char *const wrong[] = {"-cl-fast",        "-frob", "-cl-std=", "-cl-std=CL7",
                                        "-create-library", "-D",    "loose",    "-wx",
                                        "-O3"};
    cl_program program = load_program("opencl_library_part.spv");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        fails(CL_INVALID_BUILD_OPTIONS, clBuildProgram(program, 0, NULL, wrong[i], NULL, NULL));
        fails(CL_INVALID_COMPILER_OPTIONS,
              clCompileProgram(program, 0, NULL, wrong[i], 0, NULL, NULL, NULL, NULL));
    }
    ok(clCompileProgram(program, 0, NULL, "-cl-std=CL3.0 -w -g", 0, NULL, NULL, NULL, NULL));
    static const char *const wrong_links[] = {"-w", "-D X=1", "-enable-link-options", "-cl-std=CL3.0",
                                              "-frob"};
    for (size_t i = 0; i < sizeof wrong_links / sizeof wrong_links[0]; i++)
        makes(CL_INVALID_LINKER_OPTIONS,
              clLinkProgram(w.context, 0, NULL, wrong_links[i], 1, &program, NULL, NULL, code_ret));
    ok(clReleaseProgram(program));
}
END_TEST

TCase *
option_tests(void)
{
    TCase *tests = tcase_create("options");
    tcase_add_test(tests, test_subnormals);
    tcase_add_test(tests, test_functions_of_subnormals);
    tcase_add_test(tests, test_functions_near_subnormals);
    tcase_add_test(tests, test_contraction);
    tcase_add_test(tests, test_regrouping);
    tcase_add_test(tests, test_finite);
    tcase_add_test(tests, test_division);
    tcase_add_test(tests, test_infinite_divisors);
    tcase_add_test(tests, test_misplaced_vectors);
    tcase_add_test(tests, test_flags_travel);
    tcase_add_test(tests, test_refused_options);
    return tests;
}

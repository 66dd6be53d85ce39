/* SPDX-License-Identifier: MIT */
/* Modules and sources as certain producers write them, though no specification says so. */
#include "support.h"

/* DPC++ declares built-in variables in CrossWorkgroup memory, and imports them. */
START_TEST(test_dpcpp_builtins)
{
    const size_t global[3] = {13, 5, 3}, local[3] = {4, 2, 1};
    enum { items = 13 * 5 * 3 };
    cl_ulong got[items];
    cl_int error;
    size_t lanes;
    cl_program program = load_program("opencl_dpcpp.spv");
    ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "ids", &error);
    ok(error);
    cl_mem out = clCreateBuffer(w.context, CL_MEM_WRITE_ONLY, sizeof got, NULL, &error);
    ok(error);
    ok(clSetKernelArg(kernel, 0, sizeof out, &out));
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 3, NULL, global, local, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(w.queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    ok(clGetKernelSubGroupInfo(kernel, w.device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof local,
                               local,
                               sizeof lanes, &lanes, NULL));
    for (unsigned i = 0; i < items; i++)
        ck_assert_uint_eq(got[i], i * lanes);
    ok(clReleaseMemObject(out));
    ok(clReleaseKernel(kernel));
    ok(clReleaseProgram(program));
}
END_TEST

/* clFFT's kernels take a float2 pointer for a float4 pointer: clang 15 only warned. */
START_TEST(test_incompatible_pointers)
{
    const char *source = "kernel void k(global float2 *in) { global float4 *wide = in; wide[0] = 1.0f; }\n";
    cl_int error;
    cl_program program = clCreateProgramWithSource(w.context, 1, &source, NULL, &error);
    ok(error);
    ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    fails(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, NULL, "-Werror", NULL, NULL));
    ok(clReleaseProgram(program));
}
END_TEST

/* The device's own extensions are no reason to fail: test_source.c has those. */
START_TEST(test_unknown_pragma)
{
    const char *source = "#pragma OPENCL EXTENSION made_up_extension : enable\n"
                         "kernel void k(global int *out) { *out = 1; }\n";
    char log[1000];
    cl_int error;
    cl_program program = clCreateProgramWithSource(w.context, 1, &source, NULL, &error);
    ok(error);
    ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    fails(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, NULL, "-Werror", NULL, NULL));
    ok(clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    ck_assert_ptr_nonnull(strstr(log, "'made_up_extension' unknown"));
    ck_assert_ptr_nonnull(strstr(log, "error: a pragma is ignored (-Werror)"));
    ok(clBuildProgram(program, 0, NULL, "-w -Werror", NULL, NULL));
    ok(clReleaseProgram(program));
}
END_TEST

START_TEST(test_structure_by_value)
{
    static const struct {
        cl_uchar first;
        cl_float three[3];
        struct {
            cl_uchar unused;
            cl_ulong third;
        } inner;
    } value = {200, {1, 2, 30}, {9, 4000}};
    const size_t items = 37;
    const cl_uint n = 7;
    cl_uint got[37];
    cl_int error;
    cl_program program = load_program("opencl_values.spv");
    ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_mem out = clCreateBuffer(w.context, CL_MEM_WRITE_ONLY, sizeof got, NULL, &error);
    ok(error);
    for (cl_uint calling = 0; calling < 2; calling++) {
        cl_kernel kernel = clCreateKernel(program, calling ? "calling" : "direct", &error);
        ok(error);
        ok(clSetKernelArg(kernel, 0, sizeof out, &out));
        fails(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 1, sizeof value - 1, &value));
        ok(clSetKernelArg(kernel, 1, sizeof value, &value));
        ok(clSetKernelArg(kernel, 2, sizeof n, &n));
        ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
        ok(clEnqueueReadBuffer(w.queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        for (cl_uint i = 0; i < items; i++)
            ck_assert_uint_eq(got[i], 4230 + (calling ? 35 : 7) + i);
        ok(clReleaseKernel(kernel));
    }
    ok(clReleaseMemObject(out));
    ok(clReleaseProgram(program));
}
END_TEST

TCase *
dialect_tests(void)
{
    TCase *tests = tcase_create("dialects");
    tcase_add_test(tests, test_dpcpp_builtins);
    tcase_add_test(tests, test_incompatible_pointers);
    tcase_add_test(tests, test_unknown_pragma);
    tcase_add_test(tests, test_structure_by_value);
    return tests;
}

/* SPDX-License-Identifier: MIT */
/* Kernels: arguments, queries, ranges, and that what is answered of sub-groups is what a dispatch does. */
#include "support.h"

START_TEST(test_arguments)
{
    cl_kernel add = make_kernel("add"), reverse = make_kernel("reverse");
    cl_mem buffer = make_buffer(NULL, 16), none = NULL;
    const int value = 3;
    const size_t items = 16;
    fails(CL_INVALID_KERNEL, clSetKernelArg((cl_kernel)buffer, 0, 8, &buffer));
    fails(CL_INVALID_ARG_INDEX, clSetKernelArg(add, 3, 8, &buffer));
    fails(CL_INVALID_ARG_SIZE, clSetKernelArg(add, 0, 4, &buffer));
    fails(CL_INVALID_MEM_OBJECT, clSetKernelArg(add, 0, 8, &w.queue));
    fails(CL_INVALID_ARG_SIZE, clSetKernelArg(add, 2, 8, &items));
    fails(CL_INVALID_ARG_VALUE, clSetKernelArg(add, 2, 4, NULL));
    fails(CL_INVALID_ARG_VALUE, clSetKernelArg(reverse, 1, 64, &value));
    ok(clSetKernelArg(reverse, 1, 0, NULL)); /* legal since 3.1 */
    ok(clSetKernelArg(reverse, 1, 64, NULL));
    ok(clSetKernelArg(add, 0, 8, &none));
    ok(clSetKernelArg(add, 0, 8, &buffer));
    ok(clSetKernelArg(add, 2, 4, &value));
    fails(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(w.queue, add, 1, NULL, &items, NULL, 0, NULL, NULL));
    ok(clSetKernelArg(add, 1, 8, &buffer));
    ok(clReleaseMemObject(buffer));
    fails(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(w.queue, add, 1, NULL, &items, NULL, 0, NULL, NULL));
    ok(clReleaseKernel(add));
    ok(clReleaseKernel(reverse));
    fails(CL_INVALID_KERNEL, clSetKernelArg(add, 2, 4, &value));
}
END_TEST

/* The arguments of a command are those at the time of its enqueuing. */
START_TEST(test_arguments_are_taken)
{
    int zero[16] = {0}, got[16];
    const size_t items = 16;
    cl_kernel add = make_kernel("add");
    cl_mem buffer = make_buffer(zero, 16);
    ok(clSetKernelArg(add, 0, 8, &buffer));
    ok(clSetKernelArg(add, 1, 8, &buffer));
    for (int value = 1; value <= 1000; value *= 10) {
        ok(clSetKernelArg(add, 2, 4, &value));
        ok(clEnqueueNDRangeKernel(w.queue, add, 1, NULL, &items, NULL, 0, NULL, NULL));
    }
    cl_int error;
    cl_kernel clone = clCloneKernel(add, &error);
    ok(error);
    int value = 5;
    ok(clSetKernelArg(add, 2, 4, &value));
    ok(clReleaseKernel(add));
    ok(clEnqueueNDRangeKernel(w.queue, clone, 1, NULL, &items, NULL, 0, NULL, NULL)); /* adds 1000 again */
    ok(clReleaseKernel(clone));
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    ck_assert_int_eq(got[0], 2111);
    ck_assert_int_eq(got[15], 2111);
    ok(clReleaseMemObject(buffer));
}
END_TEST

START_TEST(test_info)
{
    cl_kernel kernel = make_kernel("reverse"), fixed = make_kernel("fixed");
    char text[100];
    cl_uint count, where;
    cl_program program;
    size_t sizes[3];
    cl_ulong local;
    ok(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof text, text, NULL));
    ck_assert_str_eq(text, "reverse");
    ok(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 2);
    ok(clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, NULL));
    ck_assert_ptr_eq(program, w.program);
    ok(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
    ck_assert_str_eq(text, "data");
    ok(clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof where, &where, NULL));
    ck_assert_uint_eq(where, CL_KERNEL_ARG_ADDRESS_LOCAL);
    fails(CL_INVALID_ARG_INDEX, clGetKernelArgInfo(kernel, 2, CL_KERNEL_ARG_NAME, 0, NULL, NULL));
    ok(clGetKernelWorkGroupInfo(fixed, NULL, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof sizes, sizes, NULL));
    ck_assert_uint_eq(sizes[0], 8);
    ck_assert_uint_eq(sizes[1], 4);
    ck_assert_uint_eq(sizes[2], 1);
    ok(clSetKernelArg(kernel, 1, 640, NULL));
    ok(clGetKernelWorkGroupInfo(kernel, w.device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local, NULL));
    ck_assert_uint_eq(local, 640);
    fails(CL_INVALID_DEVICE,
          clGetKernelWorkGroupInfo(kernel, (cl_device_id)kernel, CL_KERNEL_LOCAL_MEM_SIZE, 8, &local, NULL));
    fails(CL_INVALID_VALUE, clGetKernelInfo(kernel, 0x9999, 8, &local, NULL));
    ok(clReleaseKernel(kernel));
    ok(clReleaseKernel(fixed));
}
END_TEST

START_TEST(test_ranges)
{
    cl_kernel kernel = make_kernel("fixed");
    cl_mem buffer = make_buffer(NULL, 1024);
    ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    const size_t global[3] = {16, 8, 1}, good[3] = {8, 4, 1}, other[3] = {4, 8, 1}, wide[3] = {8193, 1, 1};
    const size_t many[3] = {128, 128, 1}, zero[3] = {0, 4, 1}, end[3] = {SIZE_MAX, 0, 0};
    cl_command_queue q = w.queue;
    ok(clEnqueueNDRangeKernel(q, kernel, 2, NULL, global, good, 0, NULL, NULL));
    ok(clEnqueueNDRangeKernel(q, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
    fails(CL_INVALID_WORK_DIMENSION, clEnqueueNDRangeKernel(q, kernel, 0, NULL, global, NULL, 0, NULL, NULL));
    fails(CL_INVALID_WORK_DIMENSION, clEnqueueNDRangeKernel(q, kernel, 4, NULL, global, NULL, 0, NULL, NULL));
    fails(CL_INVALID_WORK_GROUP_SIZE,
          clEnqueueNDRangeKernel(q, kernel, 2, NULL, global, other, 0, NULL, NULL));
    fails(CL_INVALID_WORK_ITEM_SIZE, clEnqueueNDRangeKernel(q, kernel, 2, NULL, global, wide, 0, NULL, NULL));
    fails(CL_INVALID_WORK_GROUP_SIZE,
          clEnqueueNDRangeKernel(q, kernel, 2, NULL, global, many, 0, NULL, NULL));
    fails(CL_INVALID_WORK_GROUP_SIZE,
          clEnqueueNDRangeKernel(q, kernel, 2, NULL, global, zero, 0, NULL, NULL));
    fails(CL_INVALID_GLOBAL_OFFSET, clEnqueueNDRangeKernel(q, kernel, 2, end, global, good, 0, NULL, NULL));
    ok(clEnqueueNDRangeKernel(q, kernel, 2, NULL, zero, NULL, 0, NULL, NULL)); /* nothing to do */
    ok(clFinish(q));
    ok(clReleaseKernel(kernel));
    ok(clReleaseMemObject(buffer));
}
END_TEST

/* -cl-uniform-work-group-size: sizes that do not divide are refused, and none are chosen. */
START_TEST(test_uniform)
{
    cl_program program = load_program("opencl_kernels.spv");
    cl_int error;
    const size_t odd = 1009 * 3, four = 4;
    size_t chosen;
    const int value = 0;
    cl_mem buffer = make_buffer(NULL, odd);
    ok(clBuildProgram(program, 0, NULL, "-cl-uniform-work-group-size", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "add", &error);
    ok(clSetKernelArg(kernel, 0, 8, &buffer));
    ok(clSetKernelArg(kernel, 1, 8, &buffer));
    ok(clSetKernelArg(kernel, 2, 4, &value));
    fails(CL_INVALID_WORK_GROUP_SIZE,
          clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &odd, &four, 0, NULL, NULL));
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &odd, NULL, 0, NULL, NULL));
    clGetKernelSuggestedLocalWorkSizeKHR_fn suggest;
    *(void **)&suggest =
        clGetExtensionFunctionAddressForPlatform(w.platform, "clGetKernelSuggestedLocalWorkSizeKHR");
    ck_assert_ptr_nonnull(suggest);
    ok(suggest(w.queue, kernel, 1, NULL, &odd, &chosen));
    ck_assert_uint_eq(odd % chosen, 0);
    ok(clFinish(w.queue));
    ok(clReleaseKernel(kernel));
    ok(clReleaseProgram(program));
    ok(clReleaseMemObject(buffer));
}
END_TEST

/* A program of one source, or of two that are linked. */
static cl_program
from_sources(cl_uint count, const char **sources, const char **options)
{
    cl_program parts[2];
    cl_int error;
    for (cl_uint i = 0; i < count; i++) {
        parts[i] = clCreateProgramWithSource(w.context, 1, &sources[i], NULL, &error);
        ok(error);
        ok(count == 1 ? clBuildProgram(parts[i], 0, NULL, options[i], NULL, NULL)
                      : clCompileProgram(parts[i], 0, NULL, options[i], 0, NULL, NULL, NULL, NULL));
    }
    if (count == 1)
        return parts[0];
    cl_program linked = clLinkProgram(w.context, 0, NULL, NULL, count, parts, NULL, NULL, &error);
    ok(error);
    for (cl_uint i = 0; i < count; i++)
        ok(clReleaseProgram(parts[i]));
    return linked;
}

/* Every work-item writes the size of its work-group: are they all of one size? */
static bool
groups_are_equal(cl_kernel kernel, cl_uint dimensions, const size_t *global, const size_t *local)
{
    static int sizes[8192];
    size_t items = 1;
    bool equal = true;
    for (cl_uint d = 0; d < dimensions; d++)
        items *= global[d];
    cl_mem buffer = make_buffer(NULL, items);
    ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    ok(clEnqueueNDRangeKernel(w.queue, kernel, dimensions, NULL, global, local, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, items * sizeof(int), sizes, 0, NULL, NULL));
    for (size_t i = 0; i < items; i++) {
        ck_assert_int_gt(sizes[i], 0);
        equal &= sizes[i] == sizes[0];
    }
    ok(clReleaseMemObject(buffer));
    return equal;
}

/* Programs in OpenCL C before 2.0, and those linked with one, have work-groups of one size. */
START_TEST(test_uniform_by_version)
{
    static const struct {
        cl_uint count;
        const char *options[2];
        bool uniform;
    } rows[] = {
        {1, {""}, true},
        {1, {NULL}, true},
        {1, {"-cl-std=CL1.0"}, true},
        {1, {"-cl-std=CL3.0 -cl-std=CL1.2"}, true},
        {1, {"-cl-std=CL3.0"}, false},
        {1, {"-cl-std=CL3.1"}, false},
        {1, {"-cl-std=CL3.0 -cl-uniform-work-group-size"}, true},
        {2, {"-cl-std=CL3.0", "-cl-std=CL3.0"}, false},
        {2, {"-cl-std=CL3.0", "-cl-std=CL1.2"}, true},
    };
    static const size_t globals[][3] = {{1009, 1, 1}, {3, 1000, 1}, {7, 11, 13},      {1, 1, 997},
                                        {30, 7, 5},   {250, 3, 2},  {2 * 1009, 1, 1}, {1024, 1, 1}};
    const char *sources[] = {
        "size_t linear_id(void) {\n"
        "  size_t y = get_global_id(2) * get_global_size(1) + get_global_id(1);\n"
        "  return y * get_global_size(0) + get_global_id(0);\n"
        "}\n"
        "kernel void k(global int *o) {\n"
        "  o[linear_id()] =\n"
        "      get_local_size(0) * 1000000 + get_local_size(1) * 1000 + get_local_size(2);\n"
        "}\n"
        "#if __OPENCL_C_VERSION__ >= 200\n"
        "kernel __attribute__((reqd_work_group_size(8, 1, 1)))\n"
        "void fixed(global int *o) { o[linear_id()] = get_local_size(0); }\n"
        "#endif\n",
        "kernel void other(global int *o) { o[0] = 1; }\n"};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const char *options[] = {rows[r].options[0], rows[r].options[1]};
        bool early = !options[0] || !strstr(options[0], "CL3") || strstr(options[0], "CL1");
        cl_program program = from_sources(rows[r].count, sources, options);
        cl_int error;
        cl_kernel kernel = clCreateKernel(program, "k", &error);
        ok(error);
        for (size_t g = 0; g < sizeof globals / sizeof globals[0]; g++) {
            bool equal = groups_are_equal(kernel, 3, globals[g], NULL);
            ck_assert_msg(equal || !rows[r].uniform, "row %zu range %zu", r, g);
        }
        const size_t global = 100, odd = 16, even = 25;
        if (rows[r].uniform)
            fails(CL_INVALID_WORK_GROUP_SIZE,
                  clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &global, &odd, 0, NULL, NULL));
        else
            ck_assert(!groups_are_equal(kernel, 1, &global, &odd));
        ck_assert(groups_are_equal(kernel, 1, &global, &even));
        ok(clReleaseKernel(kernel));
        kernel = clCreateKernel(program, "fixed", &error);
        if (!early) {
            ok(error);
            cl_mem buffer = make_buffer(NULL, global);
            ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
            ck_assert_int_eq(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL),
                             rows[r].uniform ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS);
            ok(clFinish(w.queue));
            ok(clReleaseMemObject(buffer));
            ok(clReleaseKernel(kernel));
        }
        ok(clReleaseProgram(program));
    }
}
END_TEST

static size_t
sub_group_info(cl_kernel kernel, cl_kernel_sub_group_info name, size_t input_size, const void *input)
{
    size_t result = 0;
    ok(clGetKernelSubGroupInfo(kernel, w.device, name, input_size, input, sizeof result, &result, NULL));
    return result;
}

/* The kernel writes down what it sees; the queries must have said so. */
START_TEST(test_sub_groups)
{
    static const size_t shapes[][3] = {{64, 1, 1}, {1, 1, 1}, {60, 1, 1}, {7, 5, 1}, {4, 4, 5}, {257, 1, 1}};
    cl_kernel kernel = make_kernel("groups");
    cl_mem buffer = make_buffer(NULL, 4 * 512);
    cl_uint got[4 * 512];
    ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        const size_t *local = shapes[s], items = local[0] * local[1] * local[2];
        size_t n = sub_group_info(kernel, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 24, local);
        size_t count = sub_group_info(kernel, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 24, local);
        ok(clEnqueueNDRangeKernel(w.queue, kernel, 3, NULL, local, local, 0, NULL, NULL));
        ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, 16 * items, got, 0, NULL, NULL));
        for (size_t i = 0; i < items; i++) {
            size_t rest = items - i / n * n;
            ck_assert_uint_eq(got[4 * i], rest < n ? rest : n);
            ck_assert_uint_eq(got[4 * i + 1], count);
            ck_assert_uint_eq(got[4 * i + 2], n);
            ck_assert_uint_eq(got[4 * i + 3], i / n);
        }
    }
    ok(clReleaseKernel(kernel));
    ok(clReleaseMemObject(buffer));
}
END_TEST

START_TEST(test_sub_group_queries)
{
    cl_kernel kernel = make_kernel("groups");
    size_t local[3], result;
    size_t n = sub_group_info(kernel, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 8, (size_t[]){64});
    const size_t three = 3, most = 1u << 20;
    ok(clGetKernelSubGroupInfo(kernel, w.device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 8, &three, 24,
                               local, NULL));
    ck_assert_uint_eq(sub_group_info(kernel, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 24, local), 3);
    ok(clGetKernelSubGroupInfo(kernel, w.device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 8, &most, 24,
                               local, NULL));
    ck_assert_uint_eq(local[0], 0);
    size_t wide[4] = {7, 7, 7, 7}; /* more room than there are dimensions */
    ok(clGetKernelSubGroupInfo(kernel, w.device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 8, &three,
                               sizeof wide, wide, &result));
    ck_assert(wide[0] == 3 * n && wide[1] == 1 && wide[2] == 1 && wide[3] == 7 && result == 24);
    ck_assert_uint_eq(sub_group_info(kernel, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL), 8192 / n);
    ck_assert_uint_eq(sub_group_info(kernel, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0, NULL), 0);
    fails(CL_INVALID_VALUE, clGetKernelSubGroupInfo(kernel, w.device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE,
                                                    0, NULL, 8, &result, NULL));
    fails(CL_INVALID_VALUE,
          clGetKernelSubGroupInfo(kernel, w.device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 4, &result, NULL));
    ok(clReleaseKernel(kernel));
}
END_TEST

START_TEST(test_local_memory)
{
    int data[512];
    const size_t items = 512, local = 128;
    for (int i = 0; i < 512; i++)
        data[i] = i;
    cl_kernel kernel = make_kernel("reverse");
    cl_mem buffer = make_buffer(data, 512);
    ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    ok(clSetKernelArg(kernel, 1, 4 * local, NULL));
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
    for (int i = 0; i < 512; i++)
        ck_assert_int_eq(data[i], i / 128 * 128 + 127 - i % 128);
    const size_t too_much[] = {(size_t)1 << 20, (size_t)1 << 31, (size_t)1 << 40, SIZE_MAX};
    for (size_t i = 0; i < sizeof too_much / sizeof too_much[0]; i++) {
        ok(clSetKernelArg(kernel, 1, too_much[i], NULL));
        fails(CL_OUT_OF_RESOURCES,
              clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    }
    ok(clSetKernelArg(kernel, 1, 4 * local, NULL));
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    ok(clFinish(w.queue));
    ok(clReleaseKernel(kernel));
    ok(clReleaseMemObject(buffer));
}
END_TEST

TCase *
kernel_tests(void)
{
    TCase *tests = tcase_create("kernel");
    tcase_add_test(tests, test_arguments);
    tcase_add_test(tests, test_arguments_are_taken);
    tcase_add_test(tests, test_info);
    tcase_add_test(tests, test_ranges);
    tcase_add_test(tests, test_uniform);
    tcase_add_test(tests, test_uniform_by_version);
    tcase_add_test(tests, test_sub_groups);
    tcase_add_test(tests, test_sub_group_queries);
    tcase_add_test(tests, test_local_memory);
    return tests;
}

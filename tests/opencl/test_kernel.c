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
    ok(clSetKernelArg(kernel, 1, (size_t)1 << 20, NULL));
    fails(CL_OUT_OF_RESOURCES,
          clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
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
    tcase_add_test(tests, test_sub_groups);
    tcase_add_test(tests, test_sub_group_queries);
    tcase_add_test(tests, test_local_memory);
    return tests;
}

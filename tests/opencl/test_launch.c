/* SPDX-License-Identifier: MIT */
/* Arguments of every kind (API 5.9.2), what a launch checks (5.10), tasks, clones, suggested sizes. */
#include "../local_sizes.h"
#include "support.h"

struct pair {
    cl_char small;
    cl_long large;
};

static cl_kernel
kernel_of(const char *name)
{
    cl_int error;
    cl_program program = load_program("opencl_arguments.spv");
    ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, name, &error);
    ok(error);
    ok(clReleaseProgram(program)); /* the kernel keeps it */
    return kernel;
}

static cl_int
launch(cl_kernel kernel, size_t items, size_t local)
{
    return clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &items, local ? &local : NULL, 0, NULL, NULL);
}

/* ---- Arguments ---- */

START_TEST(test_argument_errors)
{
    cl_kernel kernel = kernel_of("kinds");
    cl_mem buffer = make_buffer(NULL, 32), none = NULL;
    cl_int error;
    cl_context context = clCreateContext(NULL, 1, &w.device, NULL, NULL, &error);
    cl_mem foreign = clCreateBuffer(context, 0, 64, NULL, &error);
    static char data[64];
    const struct {
        cl_uint index;
        size_t size;
        const void *value;
        cl_int error;
    } rows[] = {
        {0, sizeof buffer, &buffer, CL_SUCCESS},
        {0, sizeof buffer, &none, CL_SUCCESS},
        {0, sizeof buffer, NULL, CL_SUCCESS},
        {0, 4, &buffer, CL_INVALID_ARG_SIZE},
        {0, 0, &buffer, CL_INVALID_ARG_SIZE},
        {0, sizeof foreign, &foreign, CL_INVALID_MEM_OBJECT},
        {0, sizeof w.queue, &w.queue, CL_INVALID_MEM_OBJECT},
        {1, 1, data, CL_SUCCESS},
        {1, 2, data, CL_INVALID_ARG_SIZE},
        {1, 0, data, CL_INVALID_ARG_SIZE},
        {1, 1, NULL, CL_INVALID_ARG_VALUE},
        {2, 2, data, CL_SUCCESS},
        {2, 4, data, CL_INVALID_ARG_SIZE},
        {3, 16, data, CL_SUCCESS},
        {3, 4, data, CL_INVALID_ARG_SIZE},
        {4, 16, data, CL_SUCCESS}, /* three components are as large as four */
        {4, 12, data, CL_INVALID_ARG_SIZE},
        {5, sizeof(struct pair), data, CL_SUCCESS},
        {5, sizeof(struct pair) - 1, data, CL_INVALID_ARG_SIZE},
        {5, sizeof(struct pair), NULL, CL_INVALID_ARG_VALUE},
        {6, sizeof buffer, &buffer, CL_SUCCESS},
        {6, sizeof buffer, NULL, CL_SUCCESS},
        {6, 16, data, CL_INVALID_ARG_SIZE},
        {7, 64, NULL, CL_SUCCESS},
        {7, 0, NULL, CL_SUCCESS}, /* as of OpenCL 3.1 */
        {7, 64, data, CL_INVALID_ARG_VALUE},
        {8, 4, data, CL_INVALID_ARG_INDEX},
        {~0u, 4, data, CL_INVALID_ARG_INDEX},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        error = clSetKernelArg(kernel, rows[i].index, rows[i].size, rows[i].value);
        ck_assert_msg(error == rows[i].error, "row %zu: %d", i, error);
    }
    ok(clSetKernelArgSVMPointer(kernel, 0, data));
    ok(clSetKernelArgSVMPointer(kernel, 6, NULL));
    fails(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(kernel, 1, data));
    fails(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(kernel, 7, data));
    fails(CL_INVALID_ARG_INDEX, clSetKernelArgSVMPointer(kernel, 8, data));
    ok(clReleaseMemObject(foreign));
    ok(clReleaseContext(context));
    ok(clReleaseMemObject(buffer));
    ok(clReleaseKernel(kernel));
}
END_TEST

/* A kernel runs only when all are set, and an error sets nothing: the values before it stay. */
START_TEST(test_arguments_of_every_kind)
{
    cl_kernel kernel = kernel_of("kinds");
    cl_long out[8] = {0};
    const int constants[2] = {10, 20};
    cl_int error;
    cl_mem buffer = clCreateBuffer(w.context, 0, sizeof out, NULL, &error);
    cl_mem constant = make_buffer(constants, 2);
    const cl_char c = -3;
    const cl_short s = -300;
    const cl_int v[4] = {1, 2, 3, 4};
    const cl_float f[4] = {1.5f, 2.5f, 4.0f, 1e9f};
    const struct pair p = {7, (cl_long)1 << 40};
    const struct {
        size_t size;
        const void *value;
    } values[8] = {{8, &buffer}, {1, &c},        {2, &s},        {16, v},
                   {16, f},      {sizeof p, &p}, {8, &constant}, {64, NULL}};
    for (cl_uint i = 0; i < 8; i++) {
        fails(CL_INVALID_KERNEL_ARGS, launch(kernel, 4, 4));
        fails(CL_INVALID_KERNEL_ARGS, clEnqueueTask(w.queue, kernel, 0, NULL, NULL));
        ok(clSetKernelArg(kernel, i, values[i].size, values[i].value));
    }
    fails(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 1, 2, &s));
    fails(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 3, 16, NULL));
    fails(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, 8, &w.queue));
    ok(launch(kernel, 4, 4));
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    const cl_long expected[7] = {-3, -300, 10, 8, 7 + ((cl_long)1 << 40), 20, 0};
    for (int i = 0; i < 7; i++)
        ck_assert_int_eq(out[i], expected[i]);
    ok(clSetKernelArg(kernel, 6, sizeof constant, NULL));
    ok(launch(kernel, 4, 4));
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    ck_assert_int_eq(out[5], -1);
    ok(clReleaseMemObject(buffer));
    ok(clReleaseMemObject(constant));
    ok(clReleaseKernel(kernel));
}
END_TEST

/* NULL buffers and pointers reach the kernel as NULL; the pointer of a clone is its own. */
START_TEST(test_null_and_clones)
{
    cl_kernel kernel = kernel_of("nullable");
    int values[8] = {1, 2, 3, 4, 5, 6, 7, 8}, got[8];
    cl_int error;
    cl_uint refs;
    cl_mem out = make_buffer(NULL, 8);
    ok(clSetKernelArg(kernel, 0, sizeof out, &out));
    ok(clSetKernelArg(kernel, 1, sizeof out, NULL));
    cl_kernel clone = clCloneKernel(kernel, &error);
    ok(error);
    ok(clGetKernelInfo(clone, CL_KERNEL_REFERENCE_COUNT, sizeof refs, &refs, NULL));
    ck_assert_uint_eq(refs, 1);
    ok(clSetKernelArgSVMPointer(kernel, 1, values));
    ok(launch(kernel, 8, 0));
    ok(clEnqueueReadBuffer(w.queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    ck_assert_mem_eq(got, values, sizeof got);
    ok(launch(clone, 8, 0));
    ok(clEnqueueReadBuffer(w.queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(got[i], 77);
    cl_kernel bare = kernel_of("nullable"), unset = clCloneKernel(bare, &error);
    ok(error);
    fails(CL_INVALID_KERNEL_ARGS, launch(unset, 8, 0));
    ok(clReleaseKernel(bare));
    ok(clReleaseKernel(unset));
    ok(clReleaseKernel(kernel));
    ok(clReleaseKernel(clone));
    ok(clReleaseMemObject(out));
}
END_TEST

START_TEST(test_exec_info)
{
    cl_kernel kernel = kernel_of("count");
    void *list[2] = {list, NULL};
    const cl_bool yes = CL_TRUE, no = CL_FALSE;
    const struct {
        cl_kernel_exec_info name;
        size_t size;
        const void *value;
        cl_int error;
    } rows[] = {
        {CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof list, list, CL_SUCCESS},
        {CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL, CL_SUCCESS}, /* the empty set */
        {CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, NULL, CL_INVALID_VALUE},
        {CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, list, CL_INVALID_VALUE},
        {CL_KERNEL_EXEC_INFO_SVM_PTRS, 7, list, CL_INVALID_VALUE},
        {CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes, CL_SUCCESS},
        {CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof no, &no, CL_SUCCESS},
        {CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 1, &yes, CL_INVALID_VALUE},
        {CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 0, NULL, CL_INVALID_VALUE},
        {CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, NULL, CL_INVALID_VALUE},
        {CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, sizeof list, list, CL_SUCCESS},
        {CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, sizeof yes, &yes, CL_SUCCESS},
        {CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, sizeof yes, &yes, CL_SUCCESS},
        {CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL, 8, &yes, CL_INVALID_VALUE},
        {0x1234, sizeof yes, &yes, CL_INVALID_VALUE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cl_int error = clSetKernelExecInfo(kernel, rows[i].name, rows[i].size, rows[i].value);
        ck_assert_msg(error == rows[i].error, "row %zu: %d", i, error);
    }
    ok(clReleaseKernel(kernel));
}
END_TEST

/* ---- Ranges ---- */

struct range {
    const char *kernel;
    cl_uint dimensions;
    size_t offset[3], global[3], local[3]; /* a local size of zeros: NULL */
    cl_int error;
};

static const struct range ranges[] = {
    {"count", 1, {0}, {64}, {16}, CL_SUCCESS},
    {"count", 1, {0}, {64}, {0}, CL_SUCCESS},
    {"count", 1, {0}, {61}, {16}, CL_SUCCESS}, /* the last work-group is smaller */
    {"count", 3, {0}, {5, 6, 7}, {2, 4, 3}, CL_SUCCESS},
    {"count", 1, {1000}, {10}, {100}, CL_SUCCESS},
#define ONE(global, local, offset) {"count", 1, {offset}, {global}, {local}, CL_SUCCESS},
#define MORE(dims, gx, gy, gz, lx, ly, lz, ox, oy) {"count", dims, {ox, oy}, {gx, gy, gz}, {lx, ly, lz},     \
    CL_SUCCESS},
    LINES_OF_PEOPLE(ONE) BLOCKS_OF_PEOPLE(MORE)
    {"count", 0, {0}, {1}, {1}, CL_INVALID_WORK_DIMENSION},
    {"count", 4, {0}, {1, 1, 1}, {1, 1, 1}, CL_INVALID_WORK_DIMENSION},
    {"count", ~0u, {0}, {1, 1, 1}, {1, 1, 1}, CL_INVALID_WORK_DIMENSION},
    {"count", 1, {0}, {8193}, {8193}, CL_INVALID_WORK_ITEM_SIZE},
    {"count", 2, {0}, {8, 9000}, {1, 9000}, CL_INVALID_WORK_ITEM_SIZE},
    {"count", 2, {0}, {512, 512}, {128, 65}, CL_INVALID_WORK_GROUP_SIZE},
    {"count", 2, {0}, {64, 64}, {16, 0}, CL_INVALID_WORK_GROUP_SIZE},
    {"count", 1, {SIZE_MAX}, {1}, {1}, CL_INVALID_GLOBAL_OFFSET},
    {"count", 2, {0, SIZE_MAX - 3}, {1, 4}, {1, 1}, CL_INVALID_GLOBAL_OFFSET},
    {"fixed", 2, {0}, {16, 8}, {8, 4}, CL_SUCCESS},
    {"fixed", 2, {0}, {16, 8}, {0}, CL_SUCCESS},
    {"fixed", 2, {0}, {16, 8}, {4, 8}, CL_INVALID_WORK_GROUP_SIZE},
    {"fixed", 1, {0}, {16}, {8}, CL_INVALID_WORK_GROUP_SIZE},
    {"fixed", 1, {0}, {16}, {0}, CL_INVALID_WORK_GROUP_SIZE},
    {"fixed", 3, {0}, {16, 8, 2}, {8, 4, 2}, CL_INVALID_WORK_GROUP_SIZE},
    {"single", 1, {0}, {4}, {1}, CL_SUCCESS},
    {"single", 1, {0}, {4}, {2}, CL_INVALID_WORK_GROUP_SIZE},
};

static cl_kernel
ready_kernel(const char *name, cl_mem *buffer)
{
    cl_kernel kernel = strcmp(name, "fixed") == 0 ? make_kernel(name) : kernel_of(name);
    *buffer = make_buffer(NULL, 1024);
    ok(clSetKernelArg(kernel, 0, sizeof *buffer, buffer));
    return kernel;
}

START_TEST(test_ranges)
{
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        const struct range *r = &ranges[i];
        bool local = r->local[0] || r->local[1] || r->local[2];
        cl_mem buffer;
        cl_kernel kernel = ready_kernel(r->kernel, &buffer);
        cl_uint counted = 0;
        ok(clEnqueueFillBuffer(w.queue, buffer, &counted, 4, 0, 4096, 0, NULL, NULL));
        cl_int error = clEnqueueNDRangeKernel(w.queue, kernel, r->dimensions, r->offset, r->global,
                                              local ? r->local : NULL, 0, NULL, NULL);
        ck_assert_msg(error == r->error, "row %zu: %d", i, error);
        ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, 4, &counted, 0, NULL, NULL));
        size_t items = 1;
        for (cl_uint k = 0; k < 3 && k < r->dimensions; k++)
            items *= r->global[k];
        if (strcmp(r->kernel, "count") == 0)
            ck_assert_uint_eq(counted, error ? 0 : items);
        ok(clReleaseKernel(kernel));
        ok(clReleaseMemObject(buffer));
    }
}
END_TEST

/* NULL or a zero: nothing runs, the event completes after its wait list (as of OpenCL 2.1). */
START_TEST(test_empty_ranges)
{
    const size_t none[3] = {4, 0, 4}, some[3] = {2, 2, 2};
    cl_mem buffer;
    cl_kernel kernel = ready_kernel("count", &buffer);
    cl_uint counted = 0;
    cl_int error, status;
    cl_event gate = clCreateUserEvent(w.context, &error), event;
    ok(clEnqueueFillBuffer(w.queue, buffer, &counted, 4, 0, 4, 0, NULL, NULL));
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 3, NULL, none, some, 0, NULL, NULL));
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 3, NULL, none, NULL, 0, NULL, NULL));
    ok(clEnqueueNDRangeKernel(w.unordered, kernel, 1, NULL, NULL, NULL, 1, &gate, &event));
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, 4, &counted, 0, NULL, NULL));
    ck_assert_uint_eq(counted, 0);
    ok(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    ck_assert_int_gt(status, CL_COMPLETE);
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clWaitForEvents(1, &event));
    ok(clReleaseEvent(gate));
    ok(clReleaseEvent(event));
    ok(clReleaseKernel(kernel));
    ok(clReleaseMemObject(buffer));
}
END_TEST

START_TEST(test_task)
{
    cl_mem buffer;
    cl_event event;
    cl_command_type type;
    int value = 0;
    cl_kernel kernel = ready_kernel("single", &buffer), fixed = make_kernel("fixed");
    ok(clEnqueueTask(w.queue, kernel, 0, NULL, &event));
    ok(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    ck_assert_uint_eq(type, CL_COMMAND_TASK);
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, 4, &value, 0, NULL, NULL));
    ck_assert_int_eq(value, 5);
    ok(clSetKernelArg(fixed, 0, sizeof buffer, &buffer));
    fails(CL_INVALID_WORK_GROUP_SIZE, clEnqueueTask(w.queue, fixed, 0, NULL, NULL));
    ok(clReleaseEvent(event));
    ok(clReleaseKernel(kernel));
    ok(clReleaseKernel(fixed));
    ok(clReleaseMemObject(buffer));
}
END_TEST

/* Kernel, queue and events are of one context. */
START_TEST(test_other_context)
{
    const size_t one = 1;
    cl_int error;
    size_t size;
    cl_mem buffer;
    cl_kernel kernel = ready_kernel("count", &buffer);
    cl_context context = clCreateContext(NULL, 1, &w.device, NULL, NULL, &error);
    cl_command_queue queue = clCreateCommandQueue(context, w.device, 0, &error);
    cl_event event = clCreateUserEvent(context, &error);
    clGetKernelSuggestedLocalWorkSizeKHR_fn suggest;
    *(void **)&suggest =
        clGetExtensionFunctionAddressForPlatform(w.platform, "clGetKernelSuggestedLocalWorkSizeKHR");
    fails(CL_INVALID_CONTEXT, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    fails(CL_INVALID_CONTEXT, clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &one, NULL, 1, &event, NULL));
    fails(CL_INVALID_CONTEXT, clEnqueueTask(queue, kernel, 0, NULL, NULL));
    fails(CL_INVALID_CONTEXT, clEnqueueMarkerWithWaitList(w.queue, 1, &event, NULL));
    fails(CL_INVALID_CONTEXT, suggest(queue, kernel, 1, NULL, &one, &size));
    ok(clReleaseEvent(event));
    ok(clReleaseCommandQueue(queue));
    ok(clReleaseContext(context));
    ok(clReleaseKernel(kernel));
    ok(clReleaseMemObject(buffer));
}
END_TEST

/* cl_khr_suggested_local_work_size, core in 3.1 */
START_TEST(test_suggested_size)
{
    static const struct {
        cl_uint dimensions;
        size_t offset[3], global[3];
        cl_int error;
    } rows[] = {
        {1, {0}, {1024}, CL_SUCCESS},
        {1, {0}, {1}, CL_SUCCESS},
        {1, {5}, {1009}, CL_SUCCESS},
        {2, {0}, {7, 13}, CL_SUCCESS},
        {3, {0}, {64, 64, 64}, CL_SUCCESS},
        {0, {0}, {1}, CL_INVALID_WORK_DIMENSION},
        {4, {0}, {1, 1, 1}, CL_INVALID_WORK_DIMENSION},
        {2, {0}, {4, 0}, CL_INVALID_GLOBAL_WORK_SIZE},
        {1, {SIZE_MAX}, {2}, CL_INVALID_GLOBAL_OFFSET},
    };
    size_t sizes[4] = {0, 0, 0, 12345};
    const size_t one = 1;
    cl_mem buffer, other;
    cl_kernel kernel = ready_kernel("count", &buffer), unset = kernel_of("count");
    cl_kernel fixed = ready_kernel("fixed", &other);
    clGetKernelSuggestedLocalWorkSizeKHR_fn suggest;
    *(void **)&suggest =
        clGetExtensionFunctionAddressForPlatform(w.platform, "clGetKernelSuggestedLocalWorkSizeKHR");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cl_int error = suggest(w.queue, kernel, rows[i].dimensions, rows[i].offset, rows[i].global, sizes);
        ck_assert_msg(error == rows[i].error, "row %zu: %d", i, error);
        size_t items = 1;
        for (cl_uint k = 0; !error && k < rows[i].dimensions; k++)
            items *= sizes[k];
        ck_assert(items >= 1 && items <= 8192);
    }
    ck_assert_uint_eq(sizes[3], 12345);
    fails(CL_INVALID_GLOBAL_WORK_SIZE, suggest(w.queue, kernel, 1, NULL, NULL, sizes));
    fails(CL_INVALID_VALUE, suggest(w.queue, kernel, 1, NULL, &one, NULL));
    fails(CL_INVALID_KERNEL_ARGS, suggest(w.queue, unset, 1, NULL, &one, sizes));
    ok(suggest(w.queue, fixed, 2, NULL, rows[3].global, sizes));
    ck_assert(sizes[0] == 8 && sizes[1] == 4);
    ok(clReleaseMemObject(other));
    ok(clReleaseKernel(kernel));
    ok(clReleaseKernel(unset));
    ok(clReleaseKernel(fixed));
    ok(clReleaseMemObject(buffer));
}
END_TEST

/* ---- Sub-group queries (5.9.4) ---- */

START_TEST(test_sub_group_errors)
{
    cl_kernel kernel = make_kernel("groups");
    const size_t local[4] = {8, 8, 1, 1}, count = 2;
    size_t out[4], size;
    const struct {
        cl_kernel_sub_group_info name;
        size_t input_size;
        const void *input;
        size_t room;
        cl_int error;
    } rows[] = {
        {CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 8, local, 8, CL_SUCCESS},
        {CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 24, local, 32, CL_SUCCESS},
        {CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 0, local, 8, CL_INVALID_VALUE},
        {CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 12, local, 8, CL_INVALID_VALUE},
        {CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 32, local, 8, CL_INVALID_VALUE},
        {CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 8, NULL, 8, CL_INVALID_VALUE},
        {CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 8, local, 4, CL_INVALID_VALUE},
        {CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 16, local, 8, CL_SUCCESS},
        {CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 7, local, 8, CL_INVALID_VALUE},
        {CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 16, NULL, 8, CL_INVALID_VALUE},
        {CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 8, &count, 24, CL_SUCCESS},
        {CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 8, &count, 8, CL_SUCCESS},
        {CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 8, NULL, 24, CL_INVALID_VALUE},
        {CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 4, &count, 24, CL_INVALID_VALUE},
        {CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 8, &count, 7, CL_INVALID_VALUE},
        {CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 8, CL_SUCCESS},
        {CL_KERNEL_MAX_NUM_SUB_GROUPS, 3, local, 8, CL_SUCCESS}, /* no input: ignored */
        {CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 4, CL_INVALID_VALUE},
        {CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0, NULL, 8, CL_SUCCESS},
        {0x1234, 0, NULL, 8, CL_INVALID_VALUE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cl_int error = clGetKernelSubGroupInfo(kernel, w.device, rows[i].name, rows[i].input_size,
                                               rows[i].input, rows[i].room, out, &size);
        ck_assert_msg(error == rows[i].error, "row %zu: %d", i, error);
    }
    /* The dimensions that follow the first are 1. */
    ok(clGetKernelSubGroupInfo(kernel, NULL, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 8, &count, 24, out,
                               &size));
    ck_assert_uint_eq(size, 24);
    ck_assert(out[1] == 1 && out[2] == 1 && out[0] > 1);
    ok(clReleaseKernel(kernel));
}
END_TEST

TCase *
launch_tests(void)
{
    TCase *tests = tcase_create("launch");
    tcase_add_test(tests, test_argument_errors);
    tcase_add_test(tests, test_arguments_of_every_kind);
    tcase_add_test(tests, test_null_and_clones);
    tcase_add_test(tests, test_exec_info);
    tcase_add_test(tests, test_ranges);
    tcase_add_test(tests, test_empty_ranges);
    tcase_add_test(tests, test_task);
    tcase_add_test(tests, test_other_context);
    tcase_add_test(tests, test_suggested_size);
    tcase_add_test(tests, test_sub_group_errors);
    return tests;
}

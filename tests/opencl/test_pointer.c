/* SPDX-License-Identifier: MIT */
/* Memory by pointer: SVM, and cl_intel_unified_shared_memory as DPC++ uses it. */
#include "support.h"

static void *
function(const char *name)
{
    void *found = clGetExtensionFunctionAddressForPlatform(w.platform, name);
    ck_assert_msg(found != NULL, "%s", name);
    return found;
}

#define EXTENSION(name)                                                                                    \
    name##_fn name;                                                                                        \
    *(void **)&name = function(#name)

/* Any host memory is the kernel's, reached through a pointer in a buffer too. */
START_TEST(test_system_svm)
{
    int *target = malloc(64 * sizeof *target);
    unsigned long *addresses = malloc(sizeof *addresses);
    const size_t items = 64;
    const cl_bool on = CL_TRUE;
    addresses[0] = (unsigned long)target;
    cl_kernel kernel = make_kernel("indirect");
    ok(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof on, &on));
    fails(CL_INVALID_VALUE, clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 3, &on));
    fails(CL_INVALID_VALUE, clSetKernelExecInfo(kernel, 0x1, sizeof on, &on));
    fails(CL_INVALID_ARG_INDEX, clSetKernelArgSVMPointer(kernel, 1, addresses));
    ok(clSetKernelArgSVMPointer(kernel, 0, addresses));
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    ok(clFinish(w.queue));
    for (int i = 0; i < 64; i++)
        ck_assert_int_eq(target[i], 3 * i);
    ok(clReleaseKernel(kernel));
    free(target);
    free(addresses);
}
END_TEST

START_TEST(test_svm_commands)
{
    const int pattern = 0x55aa;
    int *a = clSVMAlloc(w.context, CL_MEM_READ_WRITE, 256, 0), *b = clSVMAlloc(w.context, 0, 256, 64);
    ck_assert_ptr_nonnull(a);
    ck_assert_uint_eq((size_t)b % 64, 0);
    ck_assert_ptr_null(clSVMAlloc(w.context, 0, 0, 0));
    ck_assert_ptr_null(clSVMAlloc(w.context, 0, 16, 3));
    ck_assert_ptr_null(clSVMAlloc(w.context, CL_MEM_SVM_ATOMICS, 16, 0));
    ok(clEnqueueSVMMemFill(w.queue, a, &pattern, 4, 256, 0, NULL, NULL));
    ok(clEnqueueSVMMemcpy(w.queue, CL_TRUE, b, a, 256, 0, NULL, NULL));
    ck_assert_int_eq(b[63], pattern);
    fails(CL_MEM_COPY_OVERLAP, clEnqueueSVMMemcpy(w.queue, CL_TRUE, a + 1, a, 16, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueSVMMemcpy(w.queue, CL_TRUE, NULL, a, 16, 0, NULL, NULL));
    ok(clEnqueueSVMMap(w.queue, CL_TRUE, CL_MAP_READ, a, 256, 0, NULL, NULL));
    ok(clEnqueueSVMUnmap(w.queue, a, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueSVMMap(w.queue, CL_TRUE, CL_MAP_READ, NULL, 256, 0, NULL, NULL));
    void *both[2] = {a, b};
    ok(clEnqueueSVMFree(w.queue, 2, both, NULL, NULL, 0, NULL, NULL));
    ok(clFinish(w.queue));
}
END_TEST

START_TEST(test_usm)
{
    EXTENSION(clHostMemAllocINTEL);
    EXTENSION(clDeviceMemAllocINTEL);
    EXTENSION(clSharedMemAllocINTEL);
    EXTENSION(clMemFreeINTEL);
    EXTENSION(clMemBlockingFreeINTEL);
    EXTENSION(clGetMemAllocInfoINTEL);
    cl_int error;
    cl_unified_shared_memory_type_intel type;
    void *base;
    size_t size;
    char *host = clHostMemAllocINTEL(w.context, NULL, 100, 0, &error);
    ok(error);
    char *device = clDeviceMemAllocINTEL(w.context, w.device, NULL, 200, 4096, &error);
    ok(error);
    ck_assert_uint_eq((size_t)device % 4096, 0);
    char *shared = clSharedMemAllocINTEL(w.context, w.device, NULL, 300, 0, &error);
    ok(error);
    ok(clGetMemAllocInfoINTEL(w.context, device + 150, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type, NULL));
    ck_assert_uint_eq(type, CL_MEM_TYPE_DEVICE_INTEL);
    ok(clGetMemAllocInfoINTEL(w.context, shared + 299, CL_MEM_ALLOC_BASE_PTR_INTEL, sizeof base, &base,
                              NULL));
    ck_assert_ptr_eq(base, shared);
    ok(clGetMemAllocInfoINTEL(w.context, host, CL_MEM_ALLOC_SIZE_INTEL, sizeof size, &size, NULL));
    ck_assert_uint_eq(size, 100);
    ok(clGetMemAllocInfoINTEL(w.context, &size, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type, NULL));
    ck_assert_uint_eq(type, CL_MEM_TYPE_UNKNOWN_INTEL);
    makes(CL_INVALID_BUFFER_SIZE, clHostMemAllocINTEL(w.context, NULL, 0, 0, code_ret));
    makes(CL_INVALID_VALUE, clHostMemAllocINTEL(w.context, NULL, 8, 3, code_ret));
    makes(CL_INVALID_DEVICE, clDeviceMemAllocINTEL(w.context, NULL, NULL, 8, 0, code_ret));
    ok(clMemFreeINTEL(w.context, host));
    fails(CL_INVALID_VALUE, clMemFreeINTEL(w.context, host));
    ok(clMemBlockingFreeINTEL(w.context, device));
    ok(clMemFreeINTEL(w.context, shared));
    ok(clMemFreeINTEL(w.context, NULL));
}
END_TEST

/* It waits for the commands of every queue; of queues that have none, however many, it takes no notice. */
START_TEST(test_usm_queues)
{
    EXTENSION(clSharedMemAllocINTEL);
    EXTENSION(clMemBlockingFreeINTEL);
    EXTENSION(clEnqueueMemFillINTEL);
    EXTENSION(clEnqueueMemcpyINTEL);
    enum { QUEUES = 8, VALUES = 1 << 16 };
    cl_command_queue queues[QUEUES];
    static int got[QUEUES][VALUES];
    cl_int error;
    for (int round = 0; round < 3; round++) {
        int *memory = clSharedMemAllocINTEL(w.context, w.device, NULL, sizeof got, 0, &error);
        ok(error);
        for (int i = 0; i < QUEUES; i++) {
            int value = 100 * round + i + 1;
            queues[i] = clCreateCommandQueueWithProperties(w.context, w.device, NULL, &error);
            ok(error);
            if (i == 5)
                continue; /* one that has nothing to do */
            ok(clEnqueueMemFillINTEL(queues[i], memory + i * VALUES, &value, 4, sizeof got[i], 0, NULL,
                                     NULL));
            ok(clEnqueueMemcpyINTEL(queues[i], CL_FALSE, got[i], memory + i * VALUES, sizeof got[i], 0, NULL,
                                    NULL));
            if (i == 3)
                ok(clFinish(queues[i])); /* and one that is done */
        }
        ok(clMemBlockingFreeINTEL(w.context, memory));
        for (int i = 0; i < QUEUES; i++) {
            for (int k = 0; k < VALUES && i != 5; k++)
                ck_assert_int_eq(got[i][k], 100 * round + i + 1);
            ok(clReleaseCommandQueue(queues[i]));
        }
    }
}
END_TEST

/* The blocking free waits for the kernel that writes there. */
START_TEST(test_usm_commands)
{
    EXTENSION(clSharedMemAllocINTEL);
    EXTENSION(clMemBlockingFreeINTEL);
    EXTENSION(clSetKernelArgMemPointerINTEL);
    EXTENSION(clEnqueueMemFillINTEL);
    EXTENSION(clEnqueueMemcpyINTEL);
    const int nothing = 0, value = 4;
    int got[256];
    const size_t items = 256;
    const cl_bool on = CL_TRUE;
    cl_int error;
    int *memory = clSharedMemAllocINTEL(w.context, w.device, NULL, sizeof got, 0, &error);
    cl_kernel kernel = make_kernel("add");
    ok(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL, sizeof on, &on));
    ok(clSetKernelArgMemPointerINTEL(kernel, 0, memory));
    ok(clSetKernelArgMemPointerINTEL(kernel, 1, memory));
    fails(CL_INVALID_ARG_VALUE, clSetKernelArgMemPointerINTEL(kernel, 2, memory));
    ok(clSetKernelArg(kernel, 2, sizeof value, &value));
    ok(clEnqueueMemFillINTEL(w.queue, memory, &nothing, 4, sizeof got, 0, NULL, NULL));
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    ok(clEnqueueMemcpyINTEL(w.queue, CL_FALSE, got, memory, sizeof got, 0, NULL, NULL));
    ok(clMemBlockingFreeINTEL(w.context, memory));
    for (int i = 0; i < 256; i++)
        ck_assert_int_eq(got[i], 4);
    ok(clReleaseKernel(kernel));
}
END_TEST

TCase *
pointer_tests(void)
{
    TCase *tests = tcase_create("pointer");
    tcase_add_test(tests, test_system_svm);
    tcase_add_test(tests, test_svm_commands);
    tcase_add_test(tests, test_usm);
    tcase_add_test(tests, test_usm_queues);
    tcase_add_test(tests, test_usm_commands);
    return tests;
}

/* SPDX-License-Identifier: MIT */
/* Memory by pointer, error by error: SVM (API 5.6) and cl_intel_unified_shared_memory. */
#include "support.h"

#include <stdatomic.h>
#include <stdint.h>

static void *
function(const char *name)
{
    void *found = clGetExtensionFunctionAddressForPlatform(w.platform, name);
    ck_assert_msg(found != NULL, "%s", name);
    return found;
}

#define EXTENSION(name)                                                                                      \
    name##_fn name;                                                                                          \
    *(void **)&name = function(#name)

static cl_ulong
largest(void)
{
    cl_ulong bytes;
    ok(clGetDeviceInfo(w.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof bytes, &bytes, NULL));
    return bytes;
}

static cl_command_type
type_of(cl_event event)
{
    cl_command_type type;
    ok(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    ok(clReleaseEvent(event));
    return type;
}

/* ---- SVM ---- */

START_TEST(test_svm_alloc)
{
    const cl_svm_mem_flags fine = CL_MEM_SVM_FINE_GRAIN_BUFFER, atomics = CL_MEM_SVM_ATOMICS;
    const struct {
        cl_svm_mem_flags flags;
        size_t size;
        cl_uint align;
        bool good;
    } rows[] = {
        {0, 1, 0, true},
        {CL_MEM_READ_WRITE, 100, 1, true},
        {CL_MEM_READ_ONLY, 100, 64, true},
        {CL_MEM_WRITE_ONLY | fine, 100, 128, true},
        {CL_MEM_READ_WRITE | fine | atomics, 4096, 2, true},
        {CL_MEM_READ_WRITE, 0, 0, false},
        {CL_MEM_READ_WRITE, largest() + 1, 0, false},
        {CL_MEM_READ_WRITE, SIZE_MAX, 0, false},
        {CL_MEM_READ_WRITE, 16, 3, false},
        {CL_MEM_READ_WRITE, 16, 256, false}, /* more than the largest type, long16, has */
        {CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, 16, 0, false},
        {CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 16, 0, false},
        {atomics, 16, 0, false},
        {CL_MEM_USE_HOST_PTR, 16, 0, false},
        {CL_MEM_HOST_NO_ACCESS, 16, 0, false},
        {(cl_svm_mem_flags)1 << 40, 16, 0, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *p = clSVMAlloc(w.context, rows[i].flags, rows[i].size, rows[i].align);
        ck_assert_msg((p != NULL) == rows[i].good, "row %zu", i);
        if (!p)
            continue;
        ck_assert_uint_eq((uintptr_t)p % (rows[i].align ? rows[i].align : 128), 0);
        memset(p, 1, rows[i].size);
        clSVMFree(w.context, p);
    }
    clSVMFree(w.context, NULL);
}
END_TEST

/* Buffers over SVM memory: no larger than it, and they say so (5.2.1, 5.5.6). */
START_TEST(test_svm_buffers)
{
    char *svm = clSVMAlloc(w.context, CL_MEM_READ_WRITE, 512, 0), plain[64];
    cl_int error;
    cl_bool uses;
    cl_mem_flags use = CL_MEM_USE_HOST_PTR, copy = CL_MEM_COPY_HOST_PTR;
    makes(CL_INVALID_BUFFER_SIZE, clCreateBuffer(w.context, use, 513, svm, code_ret));
    makes(CL_INVALID_BUFFER_SIZE, clCreateBuffer(w.context, copy, 513, svm, code_ret));
    const struct {
        cl_mem_flags flags;
        void *pointer;
        cl_bool uses;
    } rows[] = {
        {use, svm, CL_TRUE}, {use, svm + 128, CL_TRUE}, {copy, svm, CL_FALSE}, {use, plain, CL_FALSE}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cl_mem memory = clCreateBuffer(w.context, rows[i].flags, 64, rows[i].pointer, &error);
        ok(error);
        ok(clGetMemObjectInfo(memory, CL_MEM_USES_SVM_POINTER, sizeof uses, &uses, NULL));
        ck_assert_int_eq(uses, rows[i].uses);
        ok(clReleaseMemObject(memory));
    }
    cl_mem whole = clCreateBuffer(w.context, use, 512, svm, &error);
    const cl_buffer_region region = {256, 64};
    cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    ok(clGetMemObjectInfo(part, CL_MEM_USES_SVM_POINTER, sizeof uses, &uses, NULL));
    ck_assert_int_eq(uses, CL_TRUE);
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 64};
    cl_mem image = clCreateImage(w.context, use, &format, &desc, svm, &error);
    ok(error);
    ok(clGetMemObjectInfo(image, CL_MEM_USES_SVM_POINTER, sizeof uses, &uses, NULL));
    ck_assert_int_eq(uses, CL_FALSE); /* no buffer */
    ok(clReleaseMemObject(image));
    const int pattern = 0x01020304;
    ok(clEnqueueFillBuffer(w.queue, part, &pattern, 4, 0, 64, 0, NULL, NULL));
    ok(clFinish(w.queue));
    ck_assert_int_eq(svm[256], 4); /* the same memory */
    ok(clReleaseMemObject(part));
    ok(clReleaseMemObject(whole));
    clSVMFree(w.context, svm);
}
END_TEST

START_TEST(test_svm_copy)
{
    char *svm = clSVMAlloc(w.context, 0, 256, 0), plain[64] = "text";
    const struct {
        void *to;
        const void *from;
        size_t size;
        cl_int error;
    } rows[] = {
        {svm, plain, 64, CL_SUCCESS},
        {plain, svm, 64, CL_SUCCESS},
        {svm + 64, svm, 64, CL_SUCCESS},
        {svm + 63, svm, 64, CL_MEM_COPY_OVERLAP},
        {svm, svm + 63, 64, CL_MEM_COPY_OVERLAP},
        {svm, svm, 1, CL_MEM_COPY_OVERLAP},
        {svm, svm, 0, CL_SUCCESS},
        {NULL, svm, 4, CL_INVALID_VALUE},
        {svm, NULL, 4, CL_INVALID_VALUE},
        {NULL, svm, 0, CL_INVALID_VALUE},
        {svm, NULL, 0, CL_INVALID_VALUE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (cl_bool blocking = CL_FALSE; blocking <= CL_TRUE; blocking++)
            fails(rows[i].error, clEnqueueSVMMemcpy(w.queue, blocking, rows[i].to, rows[i].from, rows[i].size,
                                                    0, NULL, NULL));
    cl_event event;
    ok(clEnqueueSVMMemcpy(w.queue, CL_TRUE, plain, svm, 8, 0, NULL, &event));
    ck_assert_uint_eq(type_of(event), CL_COMMAND_SVM_MEMCPY);
    ck_assert_str_eq(plain, "text");
    clSVMFree(w.context, svm);
}
END_TEST

START_TEST(test_svm_fill)
{
    unsigned char *svm = clSVMAlloc(w.context, 0, 512, 128), pattern[128];
    for (int i = 0; i < 128; i++)
        pattern[i] = (unsigned char)(i + 1);
    cl_event event;
    for (size_t size = 1; size <= 128; size *= 2) {
        memset(svm, 0, 512);
        ok(clEnqueueSVMMemFill(w.queue, svm + size, pattern, size, 256, 0, NULL, &event));
        ok(clFinish(w.queue));
        ck_assert_uint_eq(type_of(event), CL_COMMAND_SVM_MEMFILL);
        for (size_t i = 0; i < 512; i++)
            ck_assert_uint_eq(svm[i], i < size || i >= size + 256 ? 0 : pattern[(i - size) % size]);
    }
    const struct {
        void *to;
        const void *pattern;
        size_t pattern_size, size;
    } bad[] = {
        {NULL, pattern, 4, 4}, {NULL, pattern, 4, 0},    {svm, NULL, 4, 4},
        {svm, pattern, 0, 4},  {svm, pattern, 3, 6},     {svm, pattern, 256, 256},
        {svm, pattern, 4, 6},  {svm + 2, pattern, 4, 8}, {svm + 64, pattern, 128, 128},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        fails(CL_INVALID_VALUE, clEnqueueSVMMemFill(w.queue, bad[i].to, bad[i].pattern, bad[i].pattern_size,
                                                    bad[i].size, 0, NULL, NULL));
    clSVMFree(w.context, svm);
}
END_TEST

START_TEST(test_svm_map_and_migrate)
{
    char *svm = clSVMAlloc(w.context, 0, 256, 0), plain[16];
    const void *inside[2] = {svm, svm + 200}, *outside[1] = {plain};
    const size_t good[2] = {256, 56}, zeros[2] = {0, 0}, long_first[2] = {257, 1}, long_second[2] = {1, 57};
    cl_event event;
    fails(CL_INVALID_VALUE, clEnqueueSVMMap(w.queue, CL_TRUE, CL_MAP_READ, NULL, 4, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueSVMMap(w.queue, CL_TRUE, CL_MAP_READ, svm, 0, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueSVMUnmap(w.queue, NULL, 0, NULL, NULL));
    ok(clEnqueueSVMMap(w.queue, CL_FALSE, CL_MAP_WRITE_INVALIDATE_REGION, svm, 256, 0, NULL, &event));
    ck_assert_uint_eq(type_of(event), CL_COMMAND_SVM_MAP);
    ok(clEnqueueSVMUnmap(w.queue, svm, 0, NULL, &event));
    ck_assert_uint_eq(type_of(event), CL_COMMAND_SVM_UNMAP);
    ok(clEnqueueSVMMigrateMem(w.queue, 2, inside, NULL, 0, 0, NULL, &event));
    ck_assert_uint_eq(type_of(event), CL_COMMAND_SVM_MIGRATE_MEM);
    ok(clEnqueueSVMMigrateMem(w.queue, 2, inside, good, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
    ok(clEnqueueSVMMigrateMem(w.queue, 2, inside, zeros, 0, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(w.queue, 2, inside, long_first, 0, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(w.queue, 2, inside, long_second, 0, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(w.queue, 1, outside, good, 0, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(w.queue, 0, inside, NULL, 0, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(w.queue, 1, NULL, NULL, 0, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(w.queue, 1, inside, NULL, 16, 0, NULL, NULL));
    ok(clFinish(w.queue));
    clSVMFree(w.context, svm);
}
END_TEST

static struct {
    cl_command_queue queue;
    cl_uint count;
    void *first, *data;
    atomic_int calls;
} freed;

static void CL_CALLBACK
free_all(cl_command_queue queue, cl_uint count, void *pointers[], void *data)
{
    freed.queue = queue;
    freed.count = count;
    freed.first = count ? pointers[0] : NULL;
    freed.data = data;
    for (cl_uint i = 0; i < count; i++)
        free(pointers[i]);
    atomic_fetch_add(&freed.calls, 1);
}

/* With a callback it frees, whatever the pointers are; without, ours are freed. Not before the wait list. */
START_TEST(test_svm_free)
{
    cl_int error;
    cl_event gate = clCreateUserEvent(w.context, &error), event;
    void *system[2] = {malloc(16), malloc(16)}, *first = system[0];
    ok(clEnqueueSVMFree(w.queue, 2, system, free_all, &freed, 1, &gate, &event));
    system[0] = system[1] = NULL; /* the list is the caller's again */
    ok(clFlush(w.queue));
    ck_assert_int_eq(atomic_load(&freed.calls), 0);
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clWaitForEvents(1, &event));
    ck_assert_uint_eq(type_of(event), CL_COMMAND_SVM_FREE);
    ck_assert_int_eq(atomic_load(&freed.calls), 1);
    ck_assert_ptr_eq(freed.queue, w.queue);
    ck_assert_uint_eq(freed.count, 2);
    ck_assert_ptr_eq(freed.first, first);
    ck_assert_ptr_eq(freed.data, &freed);
    void *svm[1] = {clSVMAlloc(w.context, 0, 64, 0)};
    ok(clEnqueueSVMFree(w.queue, 1, svm, NULL, NULL, 0, NULL, NULL));
    ok(clEnqueueSVMFree(w.queue, 0, NULL, free_all, NULL, 0, NULL, NULL));
    ok(clFinish(w.queue));
    ck_assert_uint_eq(freed.count, 0);
    fails(CL_INVALID_VALUE, clEnqueueSVMFree(w.queue, 0, svm, NULL, NULL, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueSVMFree(w.queue, 1, NULL, NULL, NULL, 0, NULL, NULL));
    ok(clReleaseEvent(gate));
}
END_TEST

/* ---- cl_intel_unified_shared_memory ---- */

START_TEST(test_usm_alloc)
{
    EXTENSION(clHostMemAllocINTEL);
    EXTENSION(clDeviceMemAllocINTEL);
    EXTENSION(clSharedMemAllocINTEL);
    EXTENSION(clMemFreeINTEL);
    const cl_mem_properties_intel combined = CL_MEM_ALLOC_WRITE_COMBINED_INTEL;
    const cl_mem_properties_intel device = CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL;
    const cl_mem_properties_intel host = CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;
    const cl_int no = CL_INVALID_PROPERTY;
    const struct {
        cl_mem_properties_intel list[5];
        size_t size;
        cl_uint align;
        cl_int host, device, shared;
    } rows[] = {
        {{0}, 16, 0, CL_SUCCESS, CL_SUCCESS, CL_SUCCESS},
        {{0}, 16, 128, CL_SUCCESS, CL_SUCCESS, CL_SUCCESS},
        {{CL_MEM_ALLOC_FLAGS_INTEL, 0, 0}, 16, 0, CL_SUCCESS, CL_SUCCESS, CL_SUCCESS},
        {{CL_MEM_ALLOC_FLAGS_INTEL, combined, 0}, 16, 0, CL_SUCCESS, CL_SUCCESS, CL_SUCCESS},
        {{CL_MEM_ALLOC_FLAGS_INTEL, device, 0}, 16, 0, no, no, CL_SUCCESS},
        {{CL_MEM_ALLOC_FLAGS_INTEL, host | combined, 0}, 16, 0, no, no, CL_SUCCESS},
        {{CL_MEM_ALLOC_FLAGS_INTEL, host | device, 0}, 16, 0, no, no, no},
        {{CL_MEM_ALLOC_FLAGS_INTEL, 0, CL_MEM_ALLOC_FLAGS_INTEL, 0, 0}, 16, 0, no, no, no}, /* twice */
        {{CL_MEM_ALLOC_FLAGS_INTEL, 1 << 20, 0}, 16, 0, no, no, no},
        {{0x7777, 0, 0}, 16, 0, no, no, no},
        {{0}, 16, 3, CL_INVALID_VALUE, CL_INVALID_VALUE, CL_INVALID_VALUE},
        {{0}, 0, 0, CL_INVALID_BUFFER_SIZE, CL_INVALID_BUFFER_SIZE, CL_INVALID_BUFFER_SIZE},
        {{0}, largest() + 1, 0, CL_INVALID_BUFFER_SIZE, CL_INVALID_BUFFER_SIZE, CL_INVALID_BUFFER_SIZE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cl_int error[3];
        void *p[3] = {
            clHostMemAllocINTEL(w.context, rows[i].list, rows[i].size, rows[i].align, &error[0]),
            clDeviceMemAllocINTEL(w.context, w.device, rows[i].list, rows[i].size, rows[i].align, &error[1]),
            clSharedMemAllocINTEL(w.context, i % 2 ? w.device : NULL, rows[i].list, rows[i].size,
                                  rows[i].align, &error[2])};
        ck_assert_msg(error[0] == rows[i].host && error[1] == rows[i].device && error[2] == rows[i].shared,
                      "row %zu: %d %d %d", i, error[0], error[1], error[2]);
        for (int k = 0; k < 3; k++) {
            ck_assert((p[k] != NULL) == (error[k] == CL_SUCCESS));
            ok(clMemFreeINTEL(w.context, p[k]));
        }
    }
}
END_TEST

/* What is asked of pointers into an allocation, behind it, and of those that are none. */
START_TEST(test_usm_info)
{
    EXTENSION(clHostMemAllocINTEL);
    EXTENSION(clDeviceMemAllocINTEL);
    EXTENSION(clSharedMemAllocINTEL);
    EXTENSION(clMemFreeINTEL);
    EXTENSION(clGetMemAllocInfoINTEL);
    const cl_mem_properties_intel flags[] = {CL_MEM_ALLOC_FLAGS_INTEL, CL_MEM_ALLOC_WRITE_COMBINED_INTEL, 0};
    cl_int error;
    char *host = clHostMemAllocINTEL(w.context, flags, 100, 0, &error);
    char *device = clDeviceMemAllocINTEL(w.context, w.device, NULL, 200, 0, &error);
    char *shared = clSharedMemAllocINTEL(w.context, NULL, NULL, 300, 0, &error);
    char *svm = clSVMAlloc(w.context, 0, 64, 0), plain;
    const struct {
        const char *pointer;
        cl_uint type;
        char *base;
        size_t size;
        cl_device_id device;
        cl_mem_alloc_flags_intel flags;
    } rows[] = {
        {host, CL_MEM_TYPE_HOST_INTEL, host, 100, NULL, CL_MEM_ALLOC_WRITE_COMBINED_INTEL},
        {host + 99, CL_MEM_TYPE_HOST_INTEL, host, 100, NULL, CL_MEM_ALLOC_WRITE_COMBINED_INTEL},
        {host + 100, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0},
        {device + 7, CL_MEM_TYPE_DEVICE_INTEL, device, 200, w.device, 0},
        {shared, CL_MEM_TYPE_SHARED_INTEL, shared, 300, NULL, 0},
        {svm, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0},
        {&plain, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0},
        {NULL, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cl_uint type;
        void *base;
        size_t size;
        cl_device_id owner;
        cl_mem_alloc_flags_intel got;
        const char *p = rows[i].pointer;
        ok(clGetMemAllocInfoINTEL(w.context, p, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type, NULL));
        ok(clGetMemAllocInfoINTEL(w.context, p, CL_MEM_ALLOC_BASE_PTR_INTEL, sizeof base, &base, NULL));
        ok(clGetMemAllocInfoINTEL(w.context, p, CL_MEM_ALLOC_SIZE_INTEL, sizeof size, &size, NULL));
        ok(clGetMemAllocInfoINTEL(w.context, p, CL_MEM_ALLOC_DEVICE_INTEL, sizeof owner, &owner, NULL));
        ok(clGetMemAllocInfoINTEL(w.context, p, CL_MEM_ALLOC_FLAGS_INTEL, sizeof got, &got, NULL));
        ck_assert_msg(type == rows[i].type && base == rows[i].base && size == rows[i].size &&
                          owner == rows[i].device && got == rows[i].flags,
                      "row %zu", i);
        fails(CL_INVALID_VALUE, clGetMemAllocInfoINTEL(w.context, p, 0x1234, 8, &base, NULL));
        fails(CL_INVALID_VALUE,
              clGetMemAllocInfoINTEL(w.context, p, CL_MEM_ALLOC_BASE_PTR_INTEL, 7, &base, NULL));
    }
    /* Each way of freeing is for its own allocations. */
    fails(CL_INVALID_VALUE, clMemFreeINTEL(w.context, svm));
    fails(CL_INVALID_VALUE, clMemFreeINTEL(w.context, device + 1));
    fails(CL_INVALID_VALUE, clMemFreeINTEL(w.context, &plain));
    clSVMFree(w.context, device);
    cl_uint type;
    ok(clGetMemAllocInfoINTEL(w.context, device, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type, NULL));
    ck_assert_uint_eq(type, CL_MEM_TYPE_DEVICE_INTEL);
    ok(clMemFreeINTEL(w.context, host));
    ok(clMemFreeINTEL(w.context, device));
    ok(clMemFreeINTEL(w.context, shared));
    fails(CL_INVALID_VALUE, clMemFreeINTEL(w.context, shared));
    clSVMFree(w.context, svm);
}
END_TEST

START_TEST(test_usm_commands)
{
    EXTENSION(clSharedMemAllocINTEL);
    EXTENSION(clMemFreeINTEL);
    EXTENSION(clEnqueueMemFillINTEL);
    EXTENSION(clEnqueueMemcpyINTEL);
    EXTENSION(clEnqueueMigrateMemINTEL);
    EXTENSION(clEnqueueMemAdviseINTEL);
    cl_int error;
    cl_event event;
    char *p = clSharedMemAllocINTEL(w.context, w.device, NULL, 256, 0, &error);
    const char pattern[128] = {1, 2, 3};
    cl_command_queue q = w.queue;
    ok(clEnqueueMemFillINTEL(q, p, pattern, 4, 256, 0, NULL, &event));
    ck_assert_uint_eq(type_of(event), CL_COMMAND_MEMFILL_INTEL);
    ok(clEnqueueMemcpyINTEL(q, CL_TRUE, p, pattern, 128, 0, NULL, &event));
    ck_assert_uint_eq(type_of(event), CL_COMMAND_MEMCPY_INTEL);
    ck_assert_mem_eq(p, pattern, 128);
    ck_assert_int_eq(p[128], 1);
    ok(clEnqueueMigrateMemINTEL(q, p, 256, 0, 0, NULL, &event));
    ck_assert_uint_eq(type_of(event), CL_COMMAND_MIGRATEMEM_INTEL);
    ok(clEnqueueMemAdviseINTEL(q, p, 256, 0, 0, NULL, &event));
    ck_assert_uint_eq(type_of(event), CL_COMMAND_MEMADVISE_INTEL);
    fails(CL_INVALID_VALUE, clEnqueueMemFillINTEL(q, NULL, pattern, 4, 4, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueMemFillINTEL(q, p + 2, pattern, 4, 4, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueMemFillINTEL(q, p, NULL, 4, 4, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueMemFillINTEL(q, p, pattern, 0, 4, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueMemFillINTEL(q, p, pattern, 12, 12, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueMemFillINTEL(q, p, pattern, 256, 256, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueMemFillINTEL(q, p, pattern, 8, 12, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueMemcpyINTEL(q, CL_TRUE, NULL, p, 4, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueMemcpyINTEL(q, CL_TRUE, p, NULL, 4, 0, NULL, NULL));
    fails(CL_MEM_COPY_OVERLAP, clEnqueueMemcpyINTEL(q, CL_TRUE, p, p + 3, 4, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueMigrateMemINTEL(q, p, 4, 16, 0, NULL, NULL));
    ok(clFinish(q));
    ok(clMemFreeINTEL(w.context, p));
}
END_TEST

TCase *
svm_tests(void)
{
    TCase *tests = tcase_create("svm");
    tcase_add_test(tests, test_svm_alloc);
    tcase_add_test(tests, test_svm_buffers);
    tcase_add_test(tests, test_svm_copy);
    tcase_add_test(tests, test_svm_fill);
    tcase_add_test(tests, test_svm_map_and_migrate);
    tcase_add_test(tests, test_svm_free);
    tcase_add_test(tests, test_usm_alloc);
    tcase_add_test(tests, test_usm_info);
    tcase_add_test(tests, test_usm_commands);
    return tests;
}

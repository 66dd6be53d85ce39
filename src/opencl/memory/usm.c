/* SPDX-License-Identifier: MIT */
/* cl_intel_unified_shared_memory: host, device and shared allocations are all the same memory here. */
#include "allocations.h"

#include <stdlib.h>

/* ---- Allocating ---- */

static cl_int
read_properties(const cl_mem_properties_intel *properties, bool shared, cl_mem_alloc_flags_intel *flags)
{
    const cl_mem_alloc_flags_intel placement =
        CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;
    *flags = 0;
    for (size_t i = 0; properties && properties[i]; i += 2) {
        if (i || properties[i] != CL_MEM_ALLOC_FLAGS_INTEL) /* the only one, and that once */
            return CL_INVALID_PROPERTY;
        *flags = properties[i + 1];
        if ((*flags & ~(placement | CL_MEM_ALLOC_WRITE_COMBINED_INTEL)) ||
            (*flags & placement) == placement || (!shared && (*flags & placement)))
            return CL_INVALID_PROPERTY;
    }
    return CL_SUCCESS;
}

static void *
allocate(cl_context context, cl_device_id device, cl_uint type, const cl_mem_properties_intel *properties,
         size_t size, cl_uint align, cl_int *errcode_ret)
{
    struct lw_cl_allocation kind = {.type = type, .device = device};
    if (!lw_cl_is(context, LW_CL_CONTEXT))
        return lw_cl_fail(errcode_ret, CL_INVALID_CONTEXT);
    bool device_needed = type == CL_MEM_TYPE_DEVICE_INTEL;
    if ((device || device_needed) && !lw_cl_context_has(context, device))
        return lw_cl_fail(errcode_ret, CL_INVALID_DEVICE);
    if (align & (align - 1))
        return lw_cl_fail(errcode_ret, CL_INVALID_VALUE);
    cl_int error = read_properties(properties, type == CL_MEM_TYPE_SHARED_INTEL, &kind.flags);
    if (error)
        return lw_cl_fail(errcode_ret, error);
    if (!size || size > lw_cl_max_alloc(context->device))
        return lw_cl_fail(errcode_ret, CL_INVALID_BUFFER_SIZE);
    void *pointer = lw_cl_allocate(context, size, align, kind);
    if (!pointer)
        return lw_cl_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    return lw_cl_give(errcode_ret, pointer);
}

CL_API_ENTRY void *CL_API_CALL
clHostMemAllocINTEL(cl_context context, const cl_mem_properties_intel *properties, size_t size, cl_uint align,
                    cl_int *errcode_ret)
{
    return allocate(context, NULL, CL_MEM_TYPE_HOST_INTEL, properties, size, align, errcode_ret);
}

CL_API_ENTRY void *CL_API_CALL
clDeviceMemAllocINTEL(cl_context context, cl_device_id device, const cl_mem_properties_intel *properties,
                      size_t size, cl_uint align, cl_int *errcode_ret)
{
    return allocate(context, device, CL_MEM_TYPE_DEVICE_INTEL, properties, size, align, errcode_ret);
}

CL_API_ENTRY void *CL_API_CALL
clSharedMemAllocINTEL(cl_context context, cl_device_id device, const cl_mem_properties_intel *properties,
                      size_t size, cl_uint align, cl_int *errcode_ret)
{
    return allocate(context, device, CL_MEM_TYPE_SHARED_INTEL, properties, size, align, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL
clMemFreeINTEL(cl_context context, void *pointer)
{
    if (!lw_cl_is(context, LW_CL_CONTEXT))
        return CL_INVALID_CONTEXT;
    return !pointer || lw_cl_free_allocation(context, pointer, false) ? CL_SUCCESS : CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL
clMemBlockingFreeINTEL(cl_context context, void *pointer)
{
    if (!lw_cl_is(context, LW_CL_CONTEXT))
        return CL_INVALID_CONTEXT;
    lw_cl_finish_all(context);
    return clMemFreeINTEL(context, pointer);
}

CL_API_ENTRY cl_int CL_API_CALL
clGetMemAllocInfoINTEL(cl_context context, const void *pointer, cl_mem_info_intel name, size_t size,
                       void *value, size_t *size_ret)
{
    struct lw_cl_answer to = {size, value, size_ret};
    struct lw_cl_allocation found = {.type = CL_MEM_TYPE_UNKNOWN_INTEL};
    if (!lw_cl_is(context, LW_CL_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!lw_cl_find_allocation(context, pointer, &found) || !found.type)
        found = (struct lw_cl_allocation){.type = CL_MEM_TYPE_UNKNOWN_INTEL};
    switch (name) {
    case CL_MEM_ALLOC_TYPE_INTEL: return lw_cl_answer_uint(&to, found.type);
    case CL_MEM_ALLOC_BASE_PTR_INTEL: return lw_cl_answer_pointer(&to, found.base);
    case CL_MEM_ALLOC_SIZE_INTEL: return lw_cl_answer_size(&to, found.size);
    case CL_MEM_ALLOC_DEVICE_INTEL: return lw_cl_answer_pointer(&to, found.device);
    case CL_MEM_ALLOC_FLAGS_INTEL: return lw_cl_answer_ulong(&to, found.flags);
    default: return CL_INVALID_VALUE;
    }
}

/* ---- Commands ---- */

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueMemFillINTEL(cl_command_queue queue, void *to, const void *pattern, size_t pattern_size, size_t size,
                      cl_uint count, const cl_event *list, cl_event *event)
{
    struct lw_cl_pointer_command c = {queue, CL_COMMAND_MEMFILL_INTEL, count, list, event};
    cl_int error = lw_cl_check_pointer_command(&c);
    return error ? error : lw_cl_enqueue_pattern(&c, to, pattern, pattern_size, size);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueMemsetINTEL(cl_command_queue queue, void *to, cl_int value, size_t size, cl_uint count,
                     const cl_event *list, cl_event *event)
{
    unsigned char byte = (unsigned char)value;
    return clEnqueueMemFillINTEL(queue, to, &byte, 1, size, count, list, event);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueMemcpyINTEL(cl_command_queue queue, cl_bool blocking, void *to, const void *from, size_t size,
                     cl_uint count, const cl_event *list, cl_event *event)
{
    struct lw_cl_pointer_command c = {queue, CL_COMMAND_MEMCPY_INTEL, count, list, event};
    cl_int error = lw_cl_check_pointer_command(&c);
    return error ? error : lw_cl_enqueue_copy(&c, blocking, to, from, size, NULL);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueMigrateMemINTEL(cl_command_queue queue, const void *pointer, size_t size,
                         cl_mem_migration_flags flags, cl_uint count, const cl_event *list, cl_event *event)
{
    struct lw_cl_pointer_command c = {queue, CL_COMMAND_MIGRATEMEM_INTEL, count, list, event};
    cl_int error = lw_cl_check_pointer_command(&c);
    (void)size;
    if (error)
        return error;
    return pointer && lw_cl_migration_flags_are_valid(flags) ? lw_cl_enqueue_nothing(&c, CL_FALSE)
                                                             : CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueMemAdviseINTEL(cl_command_queue queue, const void *pointer, size_t size, cl_mem_advice_intel advice,
                        cl_uint count, const cl_event *list, cl_event *event)
{
    struct lw_cl_pointer_command c = {queue, CL_COMMAND_MEMADVISE_INTEL, count, list, event};
    cl_int error = lw_cl_check_pointer_command(&c);
    (void)size, (void)advice;
    if (error)
        return error;
    return pointer ? lw_cl_enqueue_nothing(&c, CL_FALSE) : CL_INVALID_VALUE;
}

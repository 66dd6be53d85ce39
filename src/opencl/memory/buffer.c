/* SPDX-License-Identifier: MIT */
/* Buffers and sub-buffers. Their memory is the host's: a pointer that the program gives with
 * CL_MEM_USE_HOST_PTR is used where it is. */
#include "../../host/pages.h"
#include "allocations.h"
#include "images.h"

#include <stdlib.h>
#include <string.h>

typedef void CL_CALLBACK memory_callback(cl_mem memory, void *data);

void
lw_cl_call_memory_destructors(cl_mem memory)
{
    struct lw_cl_destructor destructor;
    while (lw_cl_pop_destructor(&memory->destructors, &destructor))
        ((memory_callback *)destructor.function)(memory, destructor.data);
}

void
lw_cl_destroy_memory(void *object)
{
    cl_mem memory = object;
    lw_cl_call_memory_destructors(memory);
    lw_cl_forget_mappings(memory);
    if (memory->owns_data)
        lw_cl_give_memory(memory->data, memory->size + LW_IMAGE_PADDING);
    free(memory->properties.list);
    lw_cl_drop(memory->parent);
    lw_cl_drop(memory->context);
}

cl_mem
lw_cl_new_memory(cl_context context, cl_mem_flags flags, void (*destroy)(void *memory))
{
    cl_mem memory = lw_cl_new(LW_CL_MEMORY, sizeof *memory, destroy);
    if (memory) {
        memory->context = context;
        lw_cl_hold(context);
        memory->flags = flags;
    }
    return memory;
}

cl_mem
lw_cl_complete_memory(cl_mem memory, cl_int error, const cl_mem_properties *properties, cl_int *errcode_ret)
{
    if (!error && !lw_cl_copy_properties(&memory->properties, properties))
        error = CL_OUT_OF_HOST_MEMORY;
    if (!error)
        return lw_cl_give(errcode_ret, memory);
    lw_cl_drop(memory);
    return lw_cl_fail(errcode_ret, error);
}

/* At most one of each: device access, host access. */
static bool
access_is_valid(cl_mem_flags flags)
{
    const cl_mem_flags device = flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY);
    const cl_mem_flags host =
        flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS);
    return !(device & (device - 1)) && !(host & (host - 1));
}

bool
lw_cl_memory_flags_are_valid(cl_mem_flags flags)
{
    const cl_mem_flags known = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY |
                               CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR |
                               CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
    if ((flags & ~known) || !access_is_valid(flags))
        return false;
    return !(flags & CL_MEM_USE_HOST_PTR) || !(flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR));
}

static cl_int
place(cl_mem memory, void *host_ptr)
{
    if (memory->flags & CL_MEM_USE_HOST_PTR) {
        memory->data = memory->host_ptr = host_ptr;
        return CL_SUCCESS;
    }
    /* Images may be made from it. */
    memory->data = lw_cl_take_memory(LW_HEAD, memory->size + LW_IMAGE_PADDING);
    if (!memory->data)
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    memory->owns_data = true;
    if (memory->flags & CL_MEM_COPY_HOST_PTR)
        lw_bulk_copy(memory->context->device->device, memory->context->device->units,
                     &(struct lw_bulk){memory->data, host_ptr, {memory->size, 1, 1}, 0, 0, 0, 0});
    return CL_SUCCESS;
}

void
lw_cl_map_for_kernels(cl_mem memory)
{
    cl_mem root = lw_cl_root_of(memory);
    if (root->owns_data && root->size <= LW_PAGES_MOST_MAPPED && !atomic_exchange(&root->mapped, true))
        lw_pages_map(root->data, root->size);
}

static cl_mem
make_buffer(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags, size_t size,
            void *host_ptr, cl_int *errcode_ret)
{
    cl_mem memory = lw_cl_new_memory(context, flags, lw_cl_destroy_memory);
    if (!memory)
        return lw_cl_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    memory->size = size;
    return lw_cl_complete_memory(memory, place(memory, host_ptr), properties, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL
clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                             size_t size, void *host_ptr, cl_int *errcode_ret)
{
    if (!lw_cl_is(context, LW_CL_CONTEXT))
        return lw_cl_fail(errcode_ret, CL_INVALID_CONTEXT);
    if (properties && *properties)
        return lw_cl_fail(errcode_ret, CL_INVALID_PROPERTY);
    if (!lw_cl_memory_flags_are_valid(flags))
        return lw_cl_fail(errcode_ret, CL_INVALID_VALUE);
    if (!size || size > lw_cl_max_alloc(context->device))
        return lw_cl_fail(errcode_ret, CL_INVALID_BUFFER_SIZE);
    bool wants = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    if (wants != (host_ptr != NULL))
        return lw_cl_fail(errcode_ret, CL_INVALID_HOST_PTR);
    struct lw_cl_allocation svm;
    if (host_ptr && lw_cl_find_allocation(context, host_ptr, &svm) &&
        size > (size_t)(svm.base + svm.size - (char *)host_ptr))
        return lw_cl_fail(errcode_ret, CL_INVALID_BUFFER_SIZE);
    return make_buffer(context, properties, flags ? flags : CL_MEM_READ_WRITE, size, host_ptr, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL
clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr, cl_int *errcode_ret)
{
    return clCreateBufferWithProperties(context, NULL, flags, size, host_ptr, errcode_ret);
}

/* ---- Sub-buffers ---- */

bool
lw_cl_inherit_flags(cl_mem_flags flags, cl_mem_flags parent, cl_mem_flags *out)
{
    const cl_mem_flags device = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    const cl_mem_flags host = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
    const cl_mem_flags pointer = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
    if ((flags & ~(device | host)) || !access_is_valid(flags))
        return false;
    if (((parent & CL_MEM_WRITE_ONLY) && (flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY))) ||
        ((parent & CL_MEM_READ_ONLY) && (flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY))) ||
        ((parent & CL_MEM_HOST_WRITE_ONLY) && (flags & CL_MEM_HOST_READ_ONLY)) ||
        ((parent & CL_MEM_HOST_READ_ONLY) && (flags & CL_MEM_HOST_WRITE_ONLY)) ||
        ((parent & CL_MEM_HOST_NO_ACCESS) && (flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY))))
        return false;
    if (!(flags & device))
        flags |= parent & device;
    if (!(flags & host))
        flags |= parent & host;
    *out = flags | (parent & pointer);
    return true;
}

CL_API_ENTRY cl_mem CL_API_CALL
clCreateSubBuffer(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type, const void *info,
                  cl_int *errcode_ret)
{
    if (!lw_cl_is_buffer(parent) || parent->parent)
        return lw_cl_fail(errcode_ret, CL_INVALID_MEM_OBJECT);
    if (!lw_cl_inherit_flags(flags, parent->flags, &flags) || type != CL_BUFFER_CREATE_TYPE_REGION || !info)
        return lw_cl_fail(errcode_ret, CL_INVALID_VALUE);
    const cl_buffer_region *region = info;
    if (region->origin > parent->size || region->size > parent->size - region->origin)
        return lw_cl_fail(errcode_ret, CL_INVALID_VALUE);
    if (!region->size)
        return lw_cl_fail(errcode_ret, CL_INVALID_BUFFER_SIZE);
    if (region->origin % LW_CL_BASE_ALIGN)
        return lw_cl_fail(errcode_ret, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    cl_mem memory = lw_cl_new_memory(parent->context, flags, lw_cl_destroy_memory);
    if (!memory)
        return lw_cl_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    memory->parent = parent;
    lw_cl_hold(parent);
    memory->origin = region->origin;
    memory->size = region->size;
    memory->data = parent->data + region->origin;
    memory->host_ptr = parent->host_ptr ? (char *)parent->host_ptr + region->origin : NULL;
    return lw_cl_give(errcode_ret, memory);
}

/* ---- The rest ---- */

CL_API_ENTRY cl_int CL_API_CALL
clRetainMemObject(cl_mem memory)
{
    return lw_cl_retain(memory, LW_CL_MEMORY);
}

CL_API_ENTRY cl_int CL_API_CALL
clReleaseMemObject(cl_mem memory)
{
    return lw_cl_release(memory, LW_CL_MEMORY);
}

CL_API_ENTRY cl_int CL_API_CALL
clSetMemObjectDestructorCallback(cl_mem memory, memory_callback *function, void *data)
{
    if (!lw_cl_is(memory, LW_CL_MEMORY))
        return CL_INVALID_MEM_OBJECT;
    return lw_cl_push_destructor(memory->context, &memory->destructors, __extension__(void *) function, data);
}

/* A buffer made over SVM memory says so, an image does not. */
static cl_bool
uses_svm(cl_mem memory)
{
    struct lw_cl_allocation found;
    return memory->host_ptr && !memory->image.kind &&
           lw_cl_find_allocation(memory->context, memory->host_ptr, &found) && !found.type;
}

static cl_mem_object_type
type_of(cl_mem memory)
{
    return memory->image.kind    ? lw_cl_image_type(memory)
           : memory->max_packets ? CL_MEM_OBJECT_PIPE
                                 : CL_MEM_OBJECT_BUFFER;
}

CL_API_ENTRY cl_int CL_API_CALL
clGetMemObjectInfo(cl_mem memory, cl_mem_info name, size_t size, void *value, size_t *size_ret)
{
    struct lw_cl_answer to = {size, value, size_ret};
    if (!lw_cl_is(memory, LW_CL_MEMORY))
        return CL_INVALID_MEM_OBJECT;
    switch (name) {
    case CL_MEM_TYPE: return lw_cl_answer_uint(&to, type_of(memory));
    case CL_MEM_FLAGS: return lw_cl_answer_ulong(&to, memory->flags);
    case CL_MEM_SIZE: return lw_cl_answer_size(&to, memory->size);
    case CL_MEM_HOST_PTR: return lw_cl_answer_pointer(&to, memory->host_ptr);
    case CL_MEM_MAP_COUNT: return lw_cl_answer_uint(&to, atomic_load(&memory->map_count));
    case CL_MEM_REFERENCE_COUNT: return lw_cl_answer_uint(&to, lw_cl_refs(memory));
    case CL_MEM_CONTEXT: return lw_cl_answer_pointer(&to, memory->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT: return lw_cl_answer_pointer(&to, memory->parent);
    case CL_MEM_OFFSET: return lw_cl_answer_size(&to, memory->origin);
    case CL_MEM_USES_SVM_POINTER: return lw_cl_answer_uint(&to, uses_svm(memory));
    case CL_MEM_PROPERTIES: return lw_cl_answer_properties(&to, &memory->properties);
    default: return CL_INVALID_VALUE;
    }
}

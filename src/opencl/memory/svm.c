/* SPDX-License-Identifier: MIT */
/* Shared virtual memory: fine-grain system, so that every pointer of the host is the device's too; and the
 * context's list of allocations, which cl_intel_unified_shared_memory (usm.c) shares. */
#include "../../host/pages.h"
#include "allocations.h"

#include <stdlib.h>
#include <string.h>

/* ---- The list ---- */

/* The first allocation that ends behind `pointer`. Under the lock. */
static size_t
search(cl_context context, const char *pointer)
{
    size_t low = 0, high = context->allocation_count;
    while (low < high) {
        size_t mid = (low + high) / 2;
        const struct lw_cl_allocation *a = &context->allocations[mid];
        if (a->base + a->size <= pointer)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

bool
lw_cl_find_allocation(cl_context context, const void *pointer, struct lw_cl_allocation *out)
{
    pthread_mutex_lock(&context->memory_lock);
    size_t at = search(context, pointer);
    bool found = at < context->allocation_count && context->allocations[at].base <= (const char *)pointer;
    if (found)
        *out = context->allocations[at];
    pthread_mutex_unlock(&context->memory_lock);
    return found;
}

static void
note_mapped(cl_context context, const char *base)
{
    pthread_mutex_lock(&context->memory_lock);
    size_t at = search(context, base);
    if (at < context->allocation_count && context->allocations[at].base == base)
        context->allocations[at].mapped = true;
    pthread_mutex_unlock(&context->memory_lock);
}

size_t
lw_cl_kernel_pointer_bytes(cl_context context, const void *pointer)
{
    struct lw_cl_allocation found;
    if (!lw_cl_find_allocation(context, pointer, &found))
        return SIZE_MAX;
    if (!found.mapped && found.size <= LW_PAGES_MOST_MAPPED) {
        lw_pages_map(found.base, found.size);
        note_mapped(context, found.base);
    }
    return found.size;
}

void *
lw_cl_allocate(cl_context context, size_t size, size_t align, struct lw_cl_allocation kind)
{
    if (align < LW_HEAD)
        align = LW_HEAD;
    char *base = lw_cl_take_memory(align, size);
    if (!base)
        return NULL;
    pthread_mutex_lock(&context->memory_lock);
    bool room = context->allocation_count < context->allocation_room;
    if (!room) {
        size_t wanted = context->allocation_room ? 2 * context->allocation_room : 16;
        void *grown = realloc(context->allocations, wanted * sizeof *context->allocations);
        if (grown) {
            context->allocations = grown;
            context->allocation_room = wanted;
            room = true;
        }
    }
    if (room) {
        size_t at = search(context, base);
        memmove(&context->allocations[at + 1], &context->allocations[at],
                (context->allocation_count - at) * sizeof *context->allocations);
        kind.base = base;
        kind.size = size;
        context->allocations[at] = kind;
        context->allocation_count++;
    }
    pthread_mutex_unlock(&context->memory_lock);
    if (room)
        return base;
    lw_cl_give_memory(base, size);
    return NULL;
}

bool
lw_cl_free_allocation(cl_context context, void *pointer, bool svm)
{
    pthread_mutex_lock(&context->memory_lock);
    size_t at = search(context, pointer), size = 0;
    bool found = at < context->allocation_count && context->allocations[at].base == pointer &&
                 svm == !context->allocations[at].type;
    if (found) {
        size = context->allocations[at].size;
        context->allocation_count--;
        memmove(&context->allocations[at], &context->allocations[at + 1],
                (context->allocation_count - at) * sizeof *context->allocations);
    }
    pthread_mutex_unlock(&context->memory_lock);
    if (found)
        lw_cl_give_memory(pointer, size);
    return found;
}

/* ---- Commands on plain pointers, for SVM and USM ---- */

cl_int
lw_cl_enqueue_copy(const struct lw_cl_pointer_command *c, cl_bool blocking, void *to, const void *from,
                   size_t size, lw_program *build)
{
    const char *a = from, *b = to;
    if (!to || !from)
        return CL_INVALID_VALUE;
    if (a < b + size && b < a + size)
        return CL_MEM_COPY_OVERLAP;
    cl_event command = lw_cl_copy_command(c->queue, c->type, to, from, size);
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    command->build = build;
    if (build)
        atomic_fetch_add_explicit(&build->refs, 1, memory_order_relaxed);
    return lw_cl_enqueue(command, c->count, c->list, blocking, c->event);
}

cl_int
lw_cl_enqueue_pattern(const struct lw_cl_pointer_command *c, void *to, const void *pattern,
                      size_t pattern_size, size_t size)
{
    if (!to || !lw_cl_pattern_is_valid(pattern, pattern_size, (uintptr_t)to, size))
        return CL_INVALID_VALUE;
    cl_event command = lw_cl_fill_command(c->queue, c->type, to, pattern, pattern_size, size);
    return command ? lw_cl_enqueue(command, c->count, c->list, CL_FALSE, c->event) : CL_OUT_OF_HOST_MEMORY;
}

cl_int
lw_cl_enqueue_nothing(const struct lw_cl_pointer_command *c, cl_bool blocking)
{
    cl_event command = lw_cl_command(c->queue, c->type, NULL);
    return command ? lw_cl_enqueue(command, c->count, c->list, blocking, c->event) : CL_OUT_OF_HOST_MEMORY;
}

cl_int
lw_cl_check_pointer_command(const struct lw_cl_pointer_command *c)
{
    if (!lw_cl_is(c->queue, LW_CL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    return lw_cl_check_wait_list(c->queue->context, c->count, c->list);
}

/* ---- Entry points ---- */

CL_API_ENTRY void *CL_API_CALL
clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint align)
{
    const cl_svm_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    cl_svm_mem_flags given = flags & access;
    if (!lw_cl_is(context, LW_CL_CONTEXT) || (given & (given - 1)) ||
        (flags & ~(access | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS)) ||
        ((flags & CL_MEM_SVM_ATOMICS) && !(flags & CL_MEM_SVM_FINE_GRAIN_BUFFER)) || !size ||
        size > lw_cl_max_alloc(context->device) || (align & (align - 1)) || align > LW_CL_BASE_ALIGN)
        return NULL;
    return lw_cl_allocate(context, size, align, (struct lw_cl_allocation){.device = context->device});
}

CL_API_ENTRY void CL_API_CALL
clSVMFree(cl_context context, void *pointer)
{
    if (lw_cl_is(context, LW_CL_CONTEXT) && pointer)
        lw_cl_free_allocation(context, pointer, true);
}

typedef void CL_CALLBACK free_function(cl_command_queue queue, cl_uint count, void *pointers[], void *data);

static cl_int
run_free(cl_event event)
{
    const struct lw_cl_other *o = &event->other;
    if (o->function)
        ((free_function *)o->function)(event->queue, o->count, o->pointers, o->data);
    else
        for (cl_uint i = 0; i < o->count; i++)
            clSVMFree(event->context, o->pointers[i]);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueSVMFree(cl_command_queue queue, cl_uint pointer_count, void *pointers[], free_function *function,
                 void *data, cl_uint count, const cl_event *list, cl_event *event)
{
    struct lw_cl_pointer_command c = {queue, CL_COMMAND_SVM_FREE, count, list, event};
    if (!lw_cl_is(queue, LW_CL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if ((pointer_count == 0) != (pointers == NULL))
        return CL_INVALID_VALUE;
    cl_int error = lw_cl_check_pointer_command(&c);
    if (error)
        return error;
    cl_event command = lw_cl_command(queue, CL_COMMAND_SVM_FREE, run_free);
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    command->owned = malloc((pointer_count + 1) * sizeof *pointers);
    if (!command->owned) {
        lw_cl_command_discard(command);
        return CL_OUT_OF_HOST_MEMORY;
    }
    if (pointer_count)
        memcpy(command->owned, pointers, pointer_count * sizeof *pointers);
    command->other =
        (struct lw_cl_other){__extension__(void *) function, data, pointer_count, command->owned};
    return lw_cl_enqueue(command, count, list, CL_FALSE, event);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking, void *to, const void *from, size_t size,
                   cl_uint count, const cl_event *list, cl_event *event)
{
    struct lw_cl_pointer_command c = {queue, CL_COMMAND_SVM_MEMCPY, count, list, event};
    cl_int error = lw_cl_check_pointer_command(&c);
    return error ? error : lw_cl_enqueue_copy(&c, blocking, to, from, size, NULL);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueSVMMemFill(cl_command_queue queue, void *to, const void *pattern, size_t pattern_size, size_t size,
                    cl_uint count, const cl_event *list, cl_event *event)
{
    struct lw_cl_pointer_command c = {queue, CL_COMMAND_SVM_MEMFILL, count, list, event};
    cl_int error = lw_cl_check_pointer_command(&c);
    return error ? error : lw_cl_enqueue_pattern(&c, to, pattern, pattern_size, size);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking, cl_map_flags flags, void *pointer, size_t size,
                cl_uint count, const cl_event *list, cl_event *event)
{
    struct lw_cl_pointer_command c = {queue, CL_COMMAND_SVM_MAP, count, list, event};
    cl_int error = lw_cl_check_pointer_command(&c);
    if (error)
        return error;
    if (!pointer || !size || !lw_cl_map_flags_are_valid(flags))
        return CL_INVALID_VALUE;
    return lw_cl_enqueue_nothing(&c, blocking);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueSVMUnmap(cl_command_queue queue, void *pointer, cl_uint count, const cl_event *list, cl_event *event)
{
    struct lw_cl_pointer_command c = {queue, CL_COMMAND_SVM_UNMAP, count, list, event};
    cl_int error = lw_cl_check_pointer_command(&c);
    if (error)
        return error;
    return pointer ? lw_cl_enqueue_nothing(&c, CL_FALSE) : CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint pointer_count, const void **pointers,
                       const size_t *sizes, cl_mem_migration_flags flags, cl_uint count, const cl_event *list,
                       cl_event *event)
{
    struct lw_cl_pointer_command c = {queue, CL_COMMAND_SVM_MIGRATE_MEM, count, list, event};
    cl_int error = lw_cl_check_pointer_command(&c);
    if (error)
        return error;
    if (!pointer_count || !pointers || !lw_cl_migration_flags_are_valid(flags))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; sizes && i < pointer_count; i++) {
        struct lw_cl_allocation found;
        if (sizes[i] && (!lw_cl_find_allocation(queue->context, pointers[i], &found) ||
                         (size_t)(found.base + found.size - (const char *)pointers[i]) < sizes[i]))
            return CL_INVALID_VALUE;
    }
    return lw_cl_enqueue_nothing(&c, CL_FALSE);
}

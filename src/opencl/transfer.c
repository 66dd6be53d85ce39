/* SPDX-License-Identifier: MIT */
/* Commands on buffers: read, write, copy, fill (with rectangles), map and unmap, migrate. */
#include "objects.h"

#include <stdlib.h>
#include <string.h>

/* ---- Doing it ---- */

static cl_int
run_transfer(cl_event event)
{
    const struct lw_cl_transfer *t = &event->transfer;
    if (t->to == t->from)
        return CL_SUCCESS;
    for (size_t z = 0; z < t->region[2]; z++)
        for (size_t y = 0; y < t->region[1]; y++)
            memmove(t->to + z * t->to_slice + y * t->to_row, t->from + z * t->from_slice + y * t->from_row,
                    t->region[0]);
    return CL_SUCCESS;
}

/* The pattern is in `owned`; to_row is its size. */
static cl_int
run_fill(cl_event event)
{
    const struct lw_cl_transfer *t = &event->transfer;
    size_t size = t->region[0], done = t->to_row;
    if (!size)
        return CL_SUCCESS;
    memcpy(t->to, event->owned, done);
    while (done < size) {
        size_t part = done < size - done ? done : size - done;
        memcpy(t->to + done, t->to, part);
        done += part;
    }
    return CL_SUCCESS;
}

/* ---- Checks shared by all ---- */

static cl_int
check_queue_and_buffers(cl_command_queue queue, cl_mem one, cl_mem two, cl_uint count, const cl_event *list)
{
    if (!lw_cl_is(queue, LW_CL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!lw_cl_is(one, LW_CL_MEMORY) || !lw_cl_is(two, LW_CL_MEMORY))
        return CL_INVALID_MEM_OBJECT;
    if (one->context != queue->context || two->context != queue->context)
        return CL_INVALID_CONTEXT;
    return lw_cl_check_wait_list(queue->context, count, list);
}

static bool
outside(cl_mem memory, size_t offset, size_t size)
{
    return offset > memory->size || size > memory->size - offset;
}

static cl_event
transfer_command(cl_command_queue queue, cl_command_type type, cl_mem one, cl_mem two)
{
    cl_event command = lw_cl_command(queue, type, run_transfer);
    if (command && one)
        lw_cl_command_hold_memory(command, 0, one);
    if (command && two)
        lw_cl_command_hold_memory(command, 1, two);
    return command;
}

static void
set_line(cl_event command, void *to, const void *from, size_t size)
{
    command->transfer = (struct lw_cl_transfer){.to = to, .from = from, .region = {size, 1, 1}};
    command->weight = size;
}

/* ---- Read, write, copy ---- */

static cl_int
read_or_write(cl_command_queue queue, cl_mem buffer, bool writing, cl_bool blocking, size_t offset,
              size_t size, void *pointer, cl_uint count, const cl_event *list, cl_event *event)
{
    const cl_mem_flags refused =
        CL_MEM_HOST_NO_ACCESS | (writing ? CL_MEM_HOST_READ_ONLY : CL_MEM_HOST_WRITE_ONLY);
    cl_int error = check_queue_and_buffers(queue, buffer, buffer, count, list);
    if (error)
        return error;
    if (outside(buffer, offset, size) || !pointer)
        return CL_INVALID_VALUE;
    if (buffer->flags & refused)
        return CL_INVALID_OPERATION;
    cl_event command =
        transfer_command(queue, writing ? CL_COMMAND_WRITE_BUFFER : CL_COMMAND_READ_BUFFER, buffer, NULL);
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    char *data = buffer->data + offset;
    set_line(command, writing ? data : pointer, writing ? pointer : data, size);
    return lw_cl_enqueue(command, count, list, blocking, event);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
                    void *pointer, cl_uint count, const cl_event *list, cl_event *event)
{
    return read_or_write(queue, buffer, false, blocking, offset, size, pointer, count, list, event);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
                     const void *pointer, cl_uint count, const cl_event *list, cl_event *event)
{
    return read_or_write(queue, buffer, true, blocking, offset, size, (void *)pointer, count, list, event);
}

static cl_mem
root_of(cl_mem memory)
{
    return memory->parent ? memory->parent : memory;
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
                    size_t size, cl_uint count, const cl_event *list, cl_event *event)
{
    cl_int error = check_queue_and_buffers(queue, from, to, count, list);
    if (error)
        return error;
    if (outside(from, from_offset, size) || outside(to, to_offset, size))
        return CL_INVALID_VALUE;
    const char *source = from->data + from_offset;
    char *target = to->data + to_offset;
    if (root_of(from) == root_of(to) && source < target + size && target < source + size)
        return CL_MEM_COPY_OVERLAP;
    cl_event command = transfer_command(queue, CL_COMMAND_COPY_BUFFER, from, to);
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    set_line(command, target, source, size);
    return lw_cl_enqueue(command, count, list, CL_FALSE, event);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_size,
                    size_t offset, size_t size, cl_uint count, const cl_event *list, cl_event *event)
{
    cl_int error = check_queue_and_buffers(queue, buffer, buffer, count, list);
    if (error)
        return error;
    if (outside(buffer, offset, size) || !pattern || !pattern_size || pattern_size > 128 ||
        (pattern_size & (pattern_size - 1)) || offset % pattern_size || size % pattern_size)
        return CL_INVALID_VALUE;
    cl_event command = transfer_command(queue, CL_COMMAND_FILL_BUFFER, buffer, NULL);
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    command->run = run_fill;
    set_line(command, buffer->data + offset, NULL, size);
    command->transfer.to_row = pattern_size;
    command->owned = malloc(pattern_size);
    if (!command->owned) {
        lw_cl_command_discard(command);
        return CL_OUT_OF_HOST_MEMORY;
    }
    memcpy(command->owned, pattern, pattern_size);
    return lw_cl_enqueue(command, count, list, CL_FALSE, event);
}

/* ---- Rectangles ---- */

struct rectangle {
    const size_t *origin;
    size_t row, slice;
    size_t start, end; /* first byte, and one past the last */
};

/* Fills the open pitches in; false: CL_INVALID_VALUE. */
static bool
check_rectangle(struct rectangle *r, const size_t region[3])
{
    if (r->row == 0)
        r->row = region[0];
    if (r->row < region[0])
        return false;
    size_t least;
    if (__builtin_mul_overflow(region[1], r->row, &least))
        return false;
    if (r->slice == 0)
        r->slice = least;
    if (r->slice < least || r->slice % r->row)
        return false;
    size_t z, y, last_z, last_y;
    if (__builtin_mul_overflow(r->origin[2], r->slice, &z) ||
        __builtin_mul_overflow(r->origin[1], r->row, &y) || __builtin_add_overflow(z, y, &r->start) ||
        __builtin_add_overflow(r->start, r->origin[0], &r->start) ||
        __builtin_mul_overflow(region[2] - 1, r->slice, &last_z) ||
        __builtin_mul_overflow(region[1] - 1, r->row, &last_y) ||
        __builtin_add_overflow(last_z, last_y, &r->end) ||
        __builtin_add_overflow(r->end, region[0], &r->end) ||
        __builtin_add_overflow(r->end, r->start, &r->end))
        return false;
    return true;
}

static bool
region_is_valid(const size_t *region)
{
    return region && region[0] && region[1] && region[2];
}

static void
set_box(cl_event command, const size_t region[3], char *to, const struct rectangle *r_to, const char *from,
        const struct rectangle *r_from)
{
    command->transfer = (struct lw_cl_transfer){
        .to = to + r_to->start,
        .from = from + r_from->start,
        .region = {region[0], region[1], region[2]},
        .to_row = r_to->row,
        .to_slice = r_to->slice,
        .from_row = r_from->row,
        .from_slice = r_from->slice,
    };
    command->weight = region[0] * region[1] * region[2];
}

struct rect_arguments {
    cl_command_queue queue;
    cl_mem buffer;
    cl_bool blocking;
    const size_t *region;
    struct rectangle buffer_part, host_part;
    void *pointer;
    cl_uint count;
    const cl_event *list;
    cl_event *event;
};

static cl_int
read_or_write_rect(struct rect_arguments *a, bool writing)
{
    const cl_mem_flags refused =
        CL_MEM_HOST_NO_ACCESS | (writing ? CL_MEM_HOST_READ_ONLY : CL_MEM_HOST_WRITE_ONLY);
    cl_int error = check_queue_and_buffers(a->queue, a->buffer, a->buffer, a->count, a->list);
    if (error)
        return error;
    if (!a->buffer_part.origin || !a->host_part.origin || !region_is_valid(a->region) || !a->pointer ||
        !check_rectangle(&a->buffer_part, a->region) || !check_rectangle(&a->host_part, a->region) ||
        a->buffer_part.end > a->buffer->size)
        return CL_INVALID_VALUE;
    if (a->buffer->flags & refused)
        return CL_INVALID_OPERATION;
    cl_event command = transfer_command(
        a->queue, writing ? CL_COMMAND_WRITE_BUFFER_RECT : CL_COMMAND_READ_BUFFER_RECT, a->buffer, NULL);
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    if (writing)
        set_box(command, a->region, a->buffer->data, &a->buffer_part, a->pointer, &a->host_part);
    else
        set_box(command, a->region, a->pointer, &a->host_part, a->buffer->data, &a->buffer_part);
    return lw_cl_enqueue(command, a->count, a->list, a->blocking, a->event);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *buffer_origin,
                        const size_t *host_origin, const size_t *region, size_t buffer_row,
                        size_t buffer_slice, size_t host_row, size_t host_slice, void *pointer, cl_uint count,
                        const cl_event *list, cl_event *event)
{
    struct rect_arguments a = {
        queue,   buffer, blocking, region, {buffer_origin, buffer_row, buffer_slice, 0, 0},
        {host_origin, host_row, host_slice, 0, 0}, pointer, count, list, event};
    return read_or_write_rect(&a, false);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *buffer_origin,
                         const size_t *host_origin, const size_t *region, size_t buffer_row,
                         size_t buffer_slice, size_t host_row, size_t host_slice, const void *pointer,
                         cl_uint count, const cl_event *list, cl_event *event)
{
    struct rect_arguments a = {
        queue,   buffer, blocking, region, {buffer_origin, buffer_row, buffer_slice, 0, 0},
        {host_origin, host_row, host_slice, 0, 0}, (void *)pointer, count, list, event};
    return read_or_write_rect(&a, true);
}

/* Do two boxes of equal pitches share a byte? */
static bool
boxes_overlap(const struct rectangle *a, size_t a_base, const struct rectangle *b, size_t b_base,
              const size_t region[3])
{
    size_t first_a = a_base + a->start, first_b = b_base + b->start;
    if (first_a >= b_base + b->end || first_b >= a_base + a->end)
        return false;
    if (a->row != b->row || a->slice != b->slice)
        return true;
    size_t apart = first_a > first_b ? first_a - first_b : first_b - first_a;
    for (size_t z = apart / a->slice; z <= apart / a->slice + 1; z++) {
        size_t at = z * a->slice;
        size_t rest = apart > at ? apart - at : at - apart;
        for (size_t y = rest / a->row; y <= rest / a->row + 1; y++) {
            size_t x = rest > y * a->row ? rest - y * a->row : y * a->row - rest;
            if (z < region[2] && y < region[1] && x < region[0])
                return true;
        }
    }
    return false;
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin,
                        const size_t *to_origin, const size_t *region, size_t from_row, size_t from_slice,
                        size_t to_row, size_t to_slice, cl_uint count, const cl_event *list, cl_event *event)
{
    cl_int error = check_queue_and_buffers(queue, from, to, count, list);
    struct rectangle source = {from_origin, from_row, from_slice, 0, 0};
    struct rectangle target = {to_origin, to_row, to_slice, 0, 0};
    if (error)
        return error;
    if (!from_origin || !to_origin || !region_is_valid(region) || !check_rectangle(&source, region) ||
        !check_rectangle(&target, region) || source.end > from->size || target.end > to->size)
        return CL_INVALID_VALUE;
    if (from == to && (source.row != target.row || source.slice != target.slice))
        return CL_INVALID_VALUE;
    if (root_of(from) == root_of(to) &&
        boxes_overlap(&source, from->origin, &target, to->origin, region))
        return CL_MEM_COPY_OVERLAP;
    cl_event command = transfer_command(queue, CL_COMMAND_COPY_BUFFER_RECT, from, to);
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    set_box(command, region, to->data, &target, from->data, &source);
    return lw_cl_enqueue(command, count, list, CL_FALSE, event);
}

/* ---- Map and unmap ---- */

static bool
note_mapping(cl_mem memory, void *pointer)
{
    pthread_mutex_lock(&memory->context->memory_lock);
    struct lw_cl_mapping *mapping = memory->mappings;
    while (mapping && mapping->pointer != pointer)
        mapping = mapping->next;
    if (!mapping && (mapping = calloc(1, sizeof *mapping))) {
        mapping->pointer = pointer;
        mapping->next = memory->mappings;
        memory->mappings = mapping;
    }
    if (mapping) {
        mapping->count++;
        memory->map_count++;
    }
    pthread_mutex_unlock(&memory->context->memory_lock);
    return mapping;
}

/* false: `pointer` is not mapped. */
static bool
forget_mapping(cl_mem memory, void *pointer)
{
    pthread_mutex_lock(&memory->context->memory_lock);
    struct lw_cl_mapping **link = &memory->mappings;
    while (*link && (*link)->pointer != pointer)
        link = &(*link)->next;
    struct lw_cl_mapping *mapping = *link;
    if (mapping) {
        memory->map_count--;
        if (--mapping->count == 0) {
            *link = mapping->next;
            free(mapping);
        }
    }
    pthread_mutex_unlock(&memory->context->memory_lock);
    return mapping;
}

static cl_int
check_map(cl_mem buffer, cl_map_flags flags, size_t offset, size_t size)
{
    const cl_map_flags writes = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    if (!size || outside(buffer, offset, size) || (flags & ~(CL_MAP_READ | writes)) ||
        ((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & (CL_MAP_READ | CL_MAP_WRITE))))
        return CL_INVALID_VALUE;
    if (((buffer->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)) && (flags & CL_MAP_READ)) ||
        ((buffer->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)) && (flags & writes)))
        return CL_INVALID_OPERATION;
    return CL_SUCCESS;
}

CL_API_ENTRY void *CL_API_CALL
clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags, size_t offset,
                   size_t size, cl_uint count, const cl_event *list, cl_event *event, cl_int *errcode_ret)
{
    cl_int error = check_queue_and_buffers(queue, buffer, buffer, count, list);
    if (!error)
        error = check_map(buffer, flags, offset, size);
    if (error)
        return lw_cl_fail(errcode_ret, error);
    void *pointer = buffer->data + offset;
    cl_event command = transfer_command(queue, CL_COMMAND_MAP_BUFFER, buffer, NULL);
    if (!command)
        return lw_cl_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    command->run = NULL; /* the memory is the host's already */
    if (!note_mapping(buffer, pointer)) {
        lw_cl_command_discard(command);
        return lw_cl_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    }
    error = lw_cl_enqueue(command, count, list, blocking, event);
    if (error) {
        forget_mapping(buffer, pointer);
        return lw_cl_fail(errcode_ret, error);
    }
    if (errcode_ret)
        *errcode_ret = CL_SUCCESS;
    return pointer;
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memory, void *pointer, cl_uint count,
                        const cl_event *list, cl_event *event)
{
    cl_int error = check_queue_and_buffers(queue, memory, memory, count, list);
    if (error)
        return error;
    cl_event command = transfer_command(queue, CL_COMMAND_UNMAP_MEM_OBJECT, memory, NULL);
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    command->run = NULL;
    if (!forget_mapping(memory, pointer)) {
        lw_cl_command_discard(command);
        return CL_INVALID_VALUE;
    }
    return lw_cl_enqueue(command, count, list, CL_FALSE, event);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint memory_count, const cl_mem *memories,
                           cl_mem_migration_flags flags, cl_uint count, const cl_event *list, cl_event *event)
{
    if (!lw_cl_is(queue, LW_CL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    cl_int error = lw_cl_check_wait_list(queue->context, count, list);
    if (error)
        return error;
    if (!memory_count || !memories ||
        (flags &
         ~(cl_mem_migration_flags)(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED)))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < memory_count; i++) {
        if (!lw_cl_is(memories[i], LW_CL_MEMORY))
            return CL_INVALID_MEM_OBJECT;
        if (memories[i]->context != queue->context)
            return CL_INVALID_CONTEXT;
    }
    cl_event command = lw_cl_command(queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, NULL);
    return command ? lw_cl_enqueue(command, count, list, CL_FALSE, event) : CL_OUT_OF_HOST_MEMORY;
}

/* SPDX-License-Identifier: MIT */
/* Commands on buffers: read, write, copy, fill (with rectangles), map; and unmapping and migration of all
 * memory. */
#include "../memory/images.h"

#include <stdlib.h>
#include <string.h>

/* ---- Doing it ---- */

static cl_int
run_transfer(cl_event event)
{
    cl_device_id device = event->queue->device;
    if (event->transfer.to != event->transfer.from)
        lw_bulk_copy(device->device, device->units, &event->transfer);
    return CL_SUCCESS;
}

/* The pattern is in `owned`; to_row is its size. */
static cl_int
run_fill(cl_event event)
{
    const struct lw_bulk *t = &event->transfer;
    cl_device_id device = event->queue->device;
    if (t->region[0])
        lw_bulk_fill(device->device, device->units, t->to, event->owned, t->to_row, t->region[0]);
    return CL_SUCCESS;
}

/* ---- Checks shared by all ---- */

static cl_int
check_queue_and_buffers(cl_command_queue queue, cl_mem one, cl_mem two, cl_uint count, const cl_event *list)
{
    if (!lw_cl_is(queue, LW_CL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!lw_cl_is_buffer(one) || !lw_cl_is_buffer(two))
        return CL_INVALID_MEM_OBJECT;
    return lw_cl_check_contexts(queue, one, two, count, list);
}

static bool
outside(cl_mem memory, size_t offset, size_t size)
{
    return offset > memory->size || size > memory->size - offset;
}

/* The buffers are held until the command is done. */
static cl_event
with_buffers(cl_event command, cl_mem one, cl_mem two)
{
    if (command && one)
        lw_cl_command_hold_memory(command, 0, one);
    if (command && two)
        lw_cl_command_hold_memory(command, 1, two);
    return command;
}

cl_event
lw_cl_copy_command(cl_command_queue queue, cl_command_type type, void *to, const void *from, size_t size)
{
    cl_event command = lw_cl_command(queue, type, run_transfer);
    if (!command)
        return NULL;
    command->transfer = (struct lw_bulk){.to = to, .from = from, .region = {size, 1, 1}};
    command->weight = size;
    return command;
}

cl_event
lw_cl_fill_command(cl_command_queue queue, cl_command_type type, void *to, const void *pattern,
                   size_t pattern_size, size_t size)
{
    cl_event command = lw_cl_copy_command(queue, type, to, NULL, size);
    if (!command)
        return NULL;
    command->run = run_fill;
    command->transfer.to_row = pattern_size;
    command->owned = malloc(pattern_size);
    if (!command->owned) {
        lw_cl_command_discard(command);
        return NULL;
    }
    memcpy(command->owned, pattern, pattern_size);
    return command;
}

/* 1 to 128 bytes, a power of two; `at` (an offset or an address) and `size` are multiples of it. */
bool
lw_cl_pattern_is_valid(const void *pattern, size_t pattern_size, size_t at, size_t size)
{
    return pattern && pattern_size && pattern_size <= 128 && !(pattern_size & (pattern_size - 1)) &&
           at % pattern_size == 0 && size % pattern_size == 0;
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
    char *data = buffer->data + offset;
    cl_event command = writing ? lw_cl_copy_command(queue, CL_COMMAND_WRITE_BUFFER, data, pointer, size)
                               : lw_cl_copy_command(queue, CL_COMMAND_READ_BUFFER, pointer, data, size);
    if (!with_buffers(command, buffer, NULL))
        return CL_OUT_OF_HOST_MEMORY;
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
    if (lw_cl_root_of(from) == lw_cl_root_of(to) && source < target + size && target < source + size)
        return CL_MEM_COPY_OVERLAP;
    cl_event command = lw_cl_copy_command(queue, CL_COMMAND_COPY_BUFFER, target, source, size);
    if (!with_buffers(command, from, to))
        return CL_OUT_OF_HOST_MEMORY;
    return lw_cl_enqueue(command, count, list, CL_FALSE, event);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_size,
                    size_t offset, size_t size, cl_uint count, const cl_event *list, cl_event *event)
{
    cl_int error = check_queue_and_buffers(queue, buffer, buffer, count, list);
    if (error)
        return error;
    if (outside(buffer, offset, size) || !lw_cl_pattern_is_valid(pattern, pattern_size, offset, size))
        return CL_INVALID_VALUE;
    cl_event command =
        lw_cl_fill_command(queue, CL_COMMAND_FILL_BUFFER, buffer->data + offset, pattern, pattern_size, size);
    if (!with_buffers(command, buffer, NULL))
        return CL_OUT_OF_HOST_MEMORY;
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
    if (r->slice < least)
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

cl_event
lw_cl_box_command(cl_command_queue queue, cl_command_type type, const struct lw_bulk *box)
{
    cl_event command = lw_cl_command(queue, type, run_transfer);
    if (!command)
        return NULL;
    command->transfer = *box;
    command->weight = box->region[0] * box->region[1] * box->region[2];
    return command;
}

static cl_event
box_command(cl_command_queue queue, cl_command_type type, const size_t region[3], char *to,
            const struct rectangle *r_to, const char *from, const struct rectangle *r_from)
{
    const struct lw_bulk box = {
        .to = to + r_to->start,
        .from = from + r_from->start,
        .region = {region[0], region[1], region[2]},
        .to_row = r_to->row,
        .to_slice = r_to->slice,
        .from_row = r_from->row,
        .from_slice = r_from->slice,
    };
    return lw_cl_box_command(queue, type, &box);
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
    cl_event command = writing ? box_command(a->queue, CL_COMMAND_WRITE_BUFFER_RECT, a->region,
                                             a->buffer->data, &a->buffer_part, a->pointer, &a->host_part)
                               : box_command(a->queue, CL_COMMAND_READ_BUFFER_RECT, a->region, a->pointer,
                                             &a->host_part, a->buffer->data, &a->buffer_part);
    if (!with_buffers(command, a->buffer, NULL))
        return CL_OUT_OF_HOST_MEMORY;
    return lw_cl_enqueue(command, a->count, a->list, a->blocking, a->event);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *buffer_origin,
                        const size_t *host_origin, const size_t *region, size_t buffer_row,
                        size_t buffer_slice, size_t host_row, size_t host_slice, void *pointer, cl_uint count,
                        const cl_event *list, cl_event *event)
{
    struct rect_arguments a = {queue,
                               buffer,
                               blocking,
                               region,
                               {buffer_origin, buffer_row, buffer_slice, 0, 0},
                               {host_origin, host_row, host_slice, 0, 0},
                               pointer,
                               count,
                               list,
                               event};
    return read_or_write_rect(&a, false);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *buffer_origin,
                         const size_t *host_origin, const size_t *region, size_t buffer_row,
                         size_t buffer_slice, size_t host_row, size_t host_slice, const void *pointer,
                         cl_uint count, const cl_event *list, cl_event *event)
{
    struct rect_arguments a = {queue,
                               buffer,
                               blocking,
                               region,
                               {buffer_origin, buffer_row, buffer_slice, 0, 0},
                               {host_origin, host_row, host_slice, 0, 0},
                               (void *)pointer,
                               count,
                               list,
                               event};
    return read_or_write_rect(&a, true);
}

/* Do the two stretches of `length` bytes, repeated every `pitch`, lie in each other's gaps? */
static bool
interleave(size_t a, size_t b, size_t length, size_t pitch)
{
    a %= pitch;
    b %= pitch;
    return (b >= a + length && b + length <= a + pitch) || (a >= b + length && a + length <= b + pitch);
}

/* The specification's appendix "Checking for Memory Copy Overlap"; the bases are offsets in the parent. */
static bool
boxes_overlap(const struct rectangle *a, size_t a_base, const struct rectangle *b, size_t b_base,
              const size_t region[3])
{
    size_t first_a = a_base + a->start, first_b = b_base + b->start;
    if (first_a >= b_base + b->end || first_b >= a_base + a->end)
        return false;
    if (a->row != b->row || a->slice != b->slice)
        return true;
    return !interleave(first_a, first_b, region[0], a->row) &&
           !interleave(first_a, first_b, (region[1] - 1) * a->row + region[0], a->slice);
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
    if (source.slice % source.row || target.slice % target.row)
        return CL_INVALID_VALUE;
    if (from == to && (source.row != target.row || source.slice != target.slice))
        return CL_INVALID_VALUE;
    if (lw_cl_root_of(from) == lw_cl_root_of(to) &&
        boxes_overlap(&source, from->origin, &target, to->origin, region))
        return CL_MEM_COPY_OVERLAP;
    cl_event command =
        box_command(queue, CL_COMMAND_COPY_BUFFER_RECT, region, to->data, &target, from->data, &source);
    if (!with_buffers(command, from, to))
        return CL_OUT_OF_HOST_MEMORY;
    return lw_cl_enqueue(command, count, list, CL_FALSE, event);
}

/* ---- Map and unmap ---- */

bool
lw_cl_map_flags_are_valid(cl_map_flags flags)
{
    return !(flags & ~(cl_map_flags)(CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) &&
           !((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & (CL_MAP_READ | CL_MAP_WRITE)));
}

/* Boxes of one image may lie in each other's gaps. */
static bool
mappings_meet(const struct lw_cl_mapping *a, const struct lw_cl_mapping *b)
{
    if (a->pointer >= b->pointer + b->size || b->pointer >= a->pointer + a->size)
        return false;
    for (unsigned d = 0; d < 3 && a->memory == b->memory && a->region[0]; d++)
        if (a->origin[d] >= b->origin[d] + b->region[d] || b->origin[d] >= a->origin[d] + a->region[d])
            return false;
    return true;
}

/* No byte is mapped for writing twice, whether by the buffer or by sub-buffers and images of it. */
cl_int
lw_cl_note_mapping(struct lw_cl_mapping *mapping)
{
    cl_mem memory = mapping->memory, root = lw_cl_root_of(memory);
    cl_int error = CL_SUCCESS;
    pthread_mutex_lock(&memory->context->memory_lock);
    for (struct lw_cl_mapping *m = root->mappings; m && mapping->writing; m = m->next)
        if (m->writing && mappings_meet(m, mapping))
            error = CL_INVALID_OPERATION;
    if (!error) {
        mapping->next = root->mappings;
        root->mappings = mapping;
        atomic_fetch_add(&memory->map_count, 1);
    }
    pthread_mutex_unlock(&memory->context->memory_lock);
    return error;
}

bool
lw_cl_forget_mapping(cl_mem memory, const void *pointer)
{
    pthread_mutex_lock(&memory->context->memory_lock);
    struct lw_cl_mapping **link = &lw_cl_root_of(memory)->mappings;
    while (*link && ((*link)->memory != memory || (*link)->pointer != pointer))
        link = &(*link)->next;
    struct lw_cl_mapping *mapping = *link;
    if (mapping) {
        *link = mapping->next;
        atomic_fetch_sub(&memory->map_count, 1);
    }
    pthread_mutex_unlock(&memory->context->memory_lock);
    free(mapping);
    return mapping;
}

void
lw_cl_forget_mappings(cl_mem memory)
{
    pthread_mutex_lock(&memory->context->memory_lock);
    struct lw_cl_mapping **link = &lw_cl_root_of(memory)->mappings;
    while (*link) {
        struct lw_cl_mapping *mapping = *link;
        if (mapping->memory != memory) {
            link = &mapping->next;
            continue;
        }
        *link = mapping->next;
        free(mapping);
    }
    pthread_mutex_unlock(&memory->context->memory_lock);
}

cl_int
lw_cl_check_map_access(const struct _cl_mem *memory, cl_map_flags flags)
{
    bool refused =
        ((memory->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)) && (flags & CL_MAP_READ)) ||
        ((memory->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)) && lw_cl_map_writes(flags));
    return refused ? CL_INVALID_OPERATION : CL_SUCCESS;
}

static cl_int
check_map(cl_mem buffer, cl_map_flags flags, size_t offset, size_t size)
{
    if (!size || outside(buffer, offset, size) || !lw_cl_map_flags_are_valid(flags))
        return CL_INVALID_VALUE;
    return lw_cl_check_map_access(buffer, flags);
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
    char *pointer = buffer->data + offset;
    struct lw_cl_mapping *mapping = malloc(sizeof *mapping);
    /* Nothing is run: the memory is the host's already. */
    cl_event command = mapping ? lw_cl_command(queue, CL_COMMAND_MAP_BUFFER, NULL) : NULL;
    if (!with_buffers(command, buffer, NULL)) {
        free(mapping);
        return lw_cl_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    }
    *mapping = (struct lw_cl_mapping){NULL, buffer, pointer, size, lw_cl_map_writes(flags), {0}, {0}};
    error = lw_cl_note_mapping(mapping);
    if (error) {
        free(mapping);
        lw_cl_command_discard(command);
        return lw_cl_fail(errcode_ret, error);
    }
    error = lw_cl_enqueue(command, count, list, blocking, event);
    if (error) {
        lw_cl_forget_mapping(buffer, pointer);
        return lw_cl_fail(errcode_ret, error);
    }
    return lw_cl_give(errcode_ret, pointer);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memory, void *pointer, cl_uint count,
                        const cl_event *list, cl_event *event)
{
    cl_int error = lw_cl_is(queue, LW_CL_QUEUE) && lw_cl_is_image(memory)
                       ? lw_cl_check_contexts(queue, memory, memory, count, list)
                       : check_queue_and_buffers(queue, memory, memory, count, list);
    if (error)
        return error;
    cl_event command = lw_cl_command(queue, CL_COMMAND_UNMAP_MEM_OBJECT, NULL);
    if (!with_buffers(command, memory, NULL))
        return CL_OUT_OF_HOST_MEMORY;
    if (!lw_cl_forget_mapping(memory, pointer)) {
        lw_cl_command_discard(command);
        return CL_INVALID_VALUE;
    }
    return lw_cl_enqueue(command, count, list, CL_FALSE, event);
}

/* ---- Migration: all memory is where it is used ---- */

bool
lw_cl_migration_flags_are_valid(cl_mem_migration_flags flags)
{
    return !(flags &
             ~(cl_mem_migration_flags)(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED));
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
    if (!memory_count || !memories || !lw_cl_migration_flags_are_valid(flags))
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

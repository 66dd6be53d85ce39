/* SPDX-License-Identifier: MIT */
/* Children made by kernels: arguments checked as the specification lists the errors (OpenCL C 6.15.17), what
 * the block captured copied; and the queues that kernels name.
 *
 * A queue is a limit and no more: whatever is in one may run in any order (CL_QUEUE_ON_DEVICE queues are
 * out of order), so children are listed in their family. */
#include "../../spirv/enqueue.h"
#include "../ranges/range.h"
#include "family.h"

#include <stdlib.h>
#include <string.h>

/* ---- queues ---- */

lw_device_queue *
lw_device_queue_create(lw_device *device, size_t bytes, lw_error *error)
{
    lw_no_error(error);
    lw_device_queue *queue = device ? calloc(1, sizeof *queue) : NULL;
    if (!queue) {
        if (device)
            lw_runtime_error(error, LW_OUT_OF_MEMORY, "no memory for a queue");
        else
            lw_runtime_error(error, LW_BAD_ARGUMENT, "lw_device_queue_create was given no device");
        return NULL;
    }
    queue->device = device;
    queue->size = bytes ? bytes : LW_DEVICE_QUEUE_BYTES;
    atomic_init(&queue->refs, 1);
    lw_device_retain(device);
    return queue;
}

void
lw_device_queue_release(lw_device_queue *queue)
{
    if (!queue || atomic_fetch_sub(&queue->refs, 1) != 1)
        return;
    lw_device_release(queue->device);
    free(queue);
}

/* Those that the kernel that the host runs was given: no other handle is one. */
static struct lw_device_queue *
find_queue(const struct lw_family *f, uint64_t handle)
{
    const lw_kernel *kernel = f->kernel;
    struct lw_device_queue *queue = (struct lw_device_queue *)(uintptr_t)handle;
    if (!queue || queue == kernel->default_queue)
        return queue;
    for (uint32_t i = 0; i < kernel->desc->arg_count; i++) {
        uint64_t value;
        if (kernel->desc->args[i].info.kind != LW_ARG_QUEUE)
            continue;
        memcpy(&value, kernel->args + kernel->desc->args[i].offset, sizeof value);
        if (value == handle)
            return queue;
    }
    return NULL;
}

uint64_t
lw_default_queue(const struct lw_family *f)
{
    return (uintptr_t)f->kernel->default_queue;
}

static bool
take_room(struct lw_device_queue *queue, size_t bytes)
{
    size_t used = atomic_fetch_add_explicit(&queue->used, bytes, memory_order_relaxed);
    if (used <= queue->size && bytes <= queue->size - used)
        return true;
    atomic_fetch_sub_explicit(&queue->used, bytes, memory_order_relaxed);
    return false;
}

/* ---- children ---- */

/* What a program that does not ask for more is told. */
static int64_t
failure(const struct lw_family *f, enum lw_enqueue_error error)
{
    return f->kernel->program->enqueue & LW_ENQUEUE_CODES ? error : LW_CLK_ENQUEUE_FAILURE;
}

static void
list_child(struct lw_family *f, struct lw_child *child, struct lw_child *parent)
{
    child->parent = parent;
    child->pending = 1;
    parent->pending++;
    child->next = f->all;
    if (f->all)
        f->all->previous = child;
    f->all = child;
}

/* The events of the list, which is freed, and that of the child's own. false: `error`. */
static bool
connect(struct lw_family *f, struct lw_child *child, struct lw_event_list *list, bool wants_event,
        enum lw_enqueue_error *error)
{
    bool good = true;
    if (wants_event) {
        child->event = lw_event_make(f, false);
        *error = LW_CLK_EVENT_ALLOCATION_FAILURE;
        good = child->event != 0;
    }
    /* Released meanwhile by another work-item: it is as if it were complete. */
    for (uint32_t i = 0; list && good && i < list->count; i++)
        if (f->events[list->events[i]].refs && !lw_event_add_waiter(f, list->events[i], child)) {
            *error = LW_CLK_OUT_OF_RESOURCES;
            good = false;
        }
    free(list);
    return good;
}

static int64_t
start(struct lw_family *f, struct lw_child *child, uint64_t list, bool wants_event)
{
    enum lw_enqueue_error error;
    if (!connect(f, child, (struct lw_event_list *)(uintptr_t)list, wants_event, &error)) {
        /* Events may already tell it that they are complete: it ends as what never ran. */
        child->is_marker = true;
        child->failed = error;
        lw_child_start(f, child);
        return failure(f, error);
    }
    uint64_t handle = lw_event_handle(f, child->event);
    lw_event_retain(f, child->event); /* the child's own reference */
    lw_child_start(f, child);
    return (int64_t)handle;
}

/* 0, or what is wrong with sizes of local memory. */
static int
check_locals(const lw_kernel *block, const uint64_t *sizes, uint32_t count, uint32_t width)
{
    size_t total = lw_kernel_local_bytes(block);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t size = sizes[i * (size_t)width];
        if (!size)
            return LW_CLK_INVALID_ARG_SIZE;
        if (size > LW_MAX_LOCAL_BYTES || total + ((size + 127) & ~(uint64_t)127) > LW_MAX_LOCAL_BYTES)
            return LW_CLK_OUT_OF_RESOURCES;
        total += (size_t)((size + 127) & ~(uint64_t)127);
    }
    return 0;
}

static bool
is_uniform(const lw_ndrange *range)
{
    for (uint32_t d = 0; d < range->dimensions; d++)
        if (range->local[d] && range->global[d] % range->local[d])
            return false;
    return true;
}

static int
check_range(const struct lw_family *f, const lw_kernel *block, const lw_ndrange *range)
{
    struct lw_range cut;
    bool some = false, all = true;
    for (uint32_t d = 0; d < range->dimensions; d++) {
        some |= range->local[d] != 0;
        all &= range->local[d] != 0;
    }
    if (!range->dimensions || (some && !all) || !lw_range_validate(block, range, &cut, NULL) ||
        ((f->kernel->program->enqueue & LW_ENQUEUE_UNIFORM) && !is_uniform(range)))
        return LW_CLK_INVALID_NDRANGE;
    return 0;
}

static struct lw_child *
make_child(const uint64_t *lane, uint32_t width)
{
    uint32_t locals = (uint32_t)lane[LW_ENQUEUE_LOCALS * (size_t)width];
    size_t captured = lane[LW_ENQUEUE_CAPTURED * (size_t)width],
           align = lane[LW_ENQUEUE_ALIGN * (size_t)width];
    align = align < 16 ? 16 : align;
    size_t words = (captured + 7) / 8, head = sizeof(struct lw_child) + locals * sizeof(size_t);
    char *memory = malloc(head + align + 8 * words);
    if (!memory)
        return NULL;
    struct lw_child *child = (struct lw_child *)memory;
    const uint64_t *rest = lane + LW_ENQUEUE_REST * (size_t)width;
    memset(child, 0, sizeof *child);
    child->local_count = locals;
    child->local_sizes = (size_t *)(memory + sizeof *child);
    child->captured = (uint32_t)captured;
    child->literal = (char *)(((uintptr_t)memory + head + align - 1) & ~(uintptr_t)(align - 1));
    for (uint32_t i = 0; i < locals; i++, rest += width)
        child->local_sizes[i] = rest[0];
    for (size_t i = 0; i < words; i++, rest += width)
        memcpy((char *)child->literal + 8 * i, rest, 8);
    child->block = (uint32_t)lane[LW_ENQUEUE_BLOCK * (size_t)width];
    child->bytes = sizeof *child + locals * sizeof(size_t) + 8 * words;
    return child;
}

/* 0, or the error of anything but the queue. */
static int
check(struct lw_family *f, const lw_kernel *block, const lw_ndrange *range, const uint64_t *lane,
      uint32_t width)
{
    int error;
    if (!block || lane[LW_ENQUEUE_FLAGS * (size_t)width] > 2)
        return LW_CLK_ENQUEUE_FAILURE;
    if (lane[LW_ENQUEUE_LIST * (size_t)width] == LW_BAD_EVENT_LIST)
        return LW_CLK_INVALID_EVENT_WAIT_LIST;
    if ((error = check_range(f, block, range)))
        return error;
    return check_locals(block, lane + LW_ENQUEUE_REST * (size_t)width,
                        (uint32_t)lane[LW_ENQUEUE_LOCALS * (size_t)width], width);
}

static void
free_list(uint64_t list)
{
    if (list != LW_BAD_EVENT_LIST)
        free((void *)(uintptr_t)list);
}

int64_t
lw_enqueue_kernel(struct lw_family *f, struct lw_child *parent, const uint64_t *lane, uint32_t width)
{
    const lw_kernel *block = lw_family_block(f, lane[LW_ENQUEUE_BLOCK * (size_t)width]);
    uint64_t list = lane[LW_ENQUEUE_LIST * (size_t)width];
    lw_ndrange range = lw_read_ndrange(lane + LW_ENQUEUE_RANGE * (size_t)width, width);
    struct lw_device_queue *queue = find_queue(f, lane[LW_ENQUEUE_QUEUE * (size_t)width]);
    int error = queue ? check(f, block, &range, lane, width) : LW_CLK_INVALID_QUEUE;
    struct lw_child *child = error ? NULL : make_child(lane, width);
    if (!error && !child)
        error = LW_CLK_OUT_OF_RESOURCES;
    if (!error && !take_room(queue, child->bytes))
        error = LW_CLK_DEVICE_QUEUE_FULL;
    if (error) {
        free(child);
        free_list(list);
        return failure(f, error);
    }
    child->queue = queue;
    child->range = range;
    child->is_held = lane[LW_ENQUEUE_FLAGS * (size_t)width] != 0;
    list_child(f, child, parent);
    return start(f, child, list, lane[LW_ENQUEUE_WANT_EVENT * (size_t)width]);
}

int64_t
lw_enqueue_marker(struct lw_family *f, struct lw_child *parent, const uint64_t *lane, uint32_t width)
{
    uint64_t list = lane[width];
    int error = 0;
    if (!find_queue(f, lane[0]))
        error = LW_CLK_INVALID_QUEUE;
    else if (list == LW_BAD_EVENT_LIST)
        error = LW_CLK_INVALID_EVENT_WAIT_LIST;
    struct lw_child *child = error || !lane[2 * (size_t)width] ? NULL : calloc(1, sizeof *child);
    if (!child) {
        free_list(list);
        if (!error && lane[2 * (size_t)width])
            error = LW_CLK_OUT_OF_RESOURCES;
        return error ? failure(f, error) : 0; /* without an event it is nothing */
    }
    child->is_marker = true;
    list_child(f, child, parent);
    return start(f, child, list, true);
}

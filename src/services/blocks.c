/* SPDX-License-Identifier: MIT */
/* What kernels ask of the runtime about blocks, and to have done with them. Queries are answered by the
 * functions that dispatches use and the host asks. */
#include "blocks.h"
#include "../../spirv/enqueue.h"
#include "../ranges/range.h"
#include "family.h"

#include <stdlib.h>
#include <string.h>

struct lw_family *
lw_family_create(const lw_kernel *kernel, lw_error *error)
{
    struct lw_family *family = calloc(1, sizeof *family);
    uint32_t count = kernel->build->kernel_count;
    lw_kernel **blocks = family ? calloc(2 * (count + (size_t)1), sizeof *blocks) : NULL;
    if (!blocks) {
        free(family);
        lw_runtime_error(error, LW_OUT_OF_MEMORY, "no memory for the blocks of kernel %s",
                         kernel->desc->name);
        return NULL;
    }
    pthread_mutex_init(&family->lock, NULL);
    pthread_cond_init(&family->changed, NULL);
    family->root.pending = 1;
    family->task.work = lw_family_help;
    family->task.family = family;
    family->kernel = kernel;
    family->block_count = count;
    family->blocks = blocks;
    family->idle = blocks + count + 1;
    return family;
}

void
lw_family_free(struct lw_family *family)
{
    if (!family)
        return;
    for (uint32_t i = 0; i < family->block_count; i++) {
        lw_kernel_release(family->blocks[i]);
        while (family->idle[i]) {
            lw_kernel *kernel = family->idle[i];
            family->idle[i] = kernel->next_idle;
            kernel->family = NULL; /* it is not its own */
            lw_kernel_release(kernel);
        }
    }
    free(family->blocks);
    pthread_cond_destroy(&family->changed);
    pthread_mutex_destroy(&family->lock);
    free(family);
}

const lw_kernel *
lw_family_block(struct lw_family *family, uint64_t number)
{
    if (number >= family->block_count)
        return NULL;
    if (!family->blocks[number])
        family->blocks[number] = lw_kernel_of_block(family->kernel, (uint32_t)number, NULL);
    return family->blocks[number];
}

lw_ndrange
lw_read_ndrange(const uint64_t *words, uint32_t width)
{
    uint64_t dimensions = words[0];
    lw_ndrange range = {.dimensions = dimensions <= 3 ? (uint32_t)dimensions : 0};
    for (uint32_t d = 0; d < range.dimensions; d++) {
        range.offset[d] = words[(LW_NDRANGE_OFFSET + d) * (size_t)width];
        range.global[d] = words[(LW_NDRANGE_GLOBAL + d) * (size_t)width];
        range.local[d] = words[(LW_NDRANGE_LOCAL + d) * (size_t)width];
    }
    return range;
}

/* Of a full work-group of the range. */
static uint64_t
sub_group_count(const lw_kernel *block, const lw_ndrange *asked)
{
    struct lw_range range;
    uint64_t n = block->sub_group_size;
    return lw_range_check(block, asked, &range, NULL) && range.total_groups ? (range.group_items + n - 1) / n
                                                                            : 0;
}

static uint64_t
answer(const lw_kernel *block, uint32_t service, uint32_t width, const uint64_t *lane)
{
    size_t local[3];
    if (!block)
        return 0;
    switch (service) {
    case LW_SERVICE_BLOCK_WORK_GROUP_SIZE: return lw_kernel_max_work_group_size(block);
    case LW_SERVICE_BLOCK_SUB_GROUP_SIZE: return lw_kernel_sub_group_size(block);
    case LW_SERVICE_BLOCK_MAX_SUB_GROUPS: return lw_kernel_max_sub_groups(block);
    case LW_SERVICE_BLOCK_LOCAL_SIZE_FOR_COUNT:
        if (lane[width] > UINT32_MAX)
            return 0;
        lw_kernel_local_size_for_count(block, (uint32_t)lane[width], local);
        return local[0] * local[1] * local[2];
    case LW_SERVICE_BLOCK_SUB_GROUP_COUNT: {
        lw_ndrange asked = lw_read_ndrange(lane + width, width);
        return sub_group_count(block, &asked);
    }
    default: return 0;
    }
}

/* What concerns one event. */
static uint64_t
serve_event(struct lw_family *f, uint32_t service, uint32_t width, const uint64_t *lane)
{
    uint32_t event = lw_event_of_handle(f, lane[0]);
    switch (event ? service : 0) {
    case LW_SERVICE_EVENT_IS_VALID: return 1;
    case LW_SERVICE_EVENT_RETAIN: lw_event_retain(f, event); break;
    case LW_SERVICE_EVENT_RELEASE: lw_event_release(f, event); break;
    case LW_SERVICE_EVENT_SET:
        if (f->events[event].is_user && (int64_t)lane[width] <= 0)
            lw_event_complete(f, event, (int32_t)lane[width]);
        break;
    case LW_SERVICE_EVENT_PROFILE:
        if (lane[width] == LW_PROFILE_EXEC_TIME)
            lw_event_capture(f, event, (uint64_t *)(uintptr_t)lane[2 * (size_t)width]);
        break;
    default: break;
    }
    return 0;
}

/* What all blocks of the module answer. */
static uint64_t
answer_for_any(struct lw_family *f, uint32_t service, uint32_t width, const uint64_t *lane)
{
    uint32_t first = f->kernel->build->source->module->kernel_count;
    uint64_t result = answer(lw_family_block(f, first), service, width, lane);
    for (uint32_t i = first + 1; i < f->block_count; i++) {
        if (answer(lw_family_block(f, i), service, width, lane) == result)
            continue;
        if (!f->failures++)
            lw_runtime_error(
                &f->error, LW_UNSUPPORTED,
                "kernel %s asks about a block, and its module does not say about which (clang-22's SPIR-V); "
                "the answers differ. clang-15 and llvm-spirv-15 make a module that does",
                f->kernel->desc->name);
        return 0;
    }
    return result;
}

static uint64_t
serve_lane(const lw_kernel *kernel, uint32_t service, uint32_t width, const uint64_t *lane)
{
    struct lw_family *f = kernel->family;
    struct lw_child *parent = kernel->child ? kernel->child : &f->root;
    switch (service) {
    case LW_SERVICE_ENQUEUE_KERNEL: return (uint64_t)lw_enqueue_kernel(f, parent, lane, width);
    case LW_SERVICE_ENQUEUE_MARKER: return (uint64_t)lw_enqueue_marker(f, parent, lane, width);
    case LW_SERVICE_EVENT_LIST: return lw_event_list_add(f, lane[0], lane[width]);
    case LW_SERVICE_DEFAULT_QUEUE: return lw_default_queue(f);
    case LW_SERVICE_USER_EVENT: return lw_event_handle(f, lw_event_make(f, true));
    default:
        if (service >= LW_SERVICE_EVENT_IS_VALID)
            return serve_event(f, service, width, lane);
        if (lane[0] == LW_ANY_BLOCK)
            return answer_for_any(f, service, width, lane);
        return answer(lw_family_block(f, lane[0]), service, width, lane);
    }
}

void
lw_serve_blocks(const lw_kernel *kernel, uint32_t service, uint64_t lanes, uint32_t width, uint64_t *columns)
{
    pthread_mutex_lock(&kernel->family->lock);
    for (; lanes; lanes &= lanes - 1) {
        uint64_t *lane = columns + __builtin_ctzll(lanes);
        lane[0] = serve_lane(kernel, service, width, lane);
    }
    pthread_mutex_unlock(&kernel->family->lock);
}

/* SPDX-License-Identifier: MIT */
/* Cuts a range into other work-groups than were asked for, where the kernel cannot notice.
 *
 * Enters: a checked range, and a kernel whose arguments are set. Leaves: the range in work-groups that suit
 * how the kernel accesses memory (spirv/reflect_columns.h), with its dimensions in another order where lanes
 * follow another; as it was, where anything of the kernel could tell.
 */
#include "regroup.h"
#include "known.h"
#include "shape.h"
#include "stretch.h"

#include <stdlib.h>

#define LEAST_SHARED 8 /* work-items of a row */
#define MOST_TALL 64

/* The sub-groups of a one-dimensional range that are all full stay the same in work-groups of other sizes. */
static bool
keeps_sub_groups(const lw_kernel *kernel, const struct lw_range *range)
{
    uint64_t n = kernel->sub_group_size;
    return range->dimensions == 1 && range->local[0] % n == 0 && range->global[0] % n == 0 &&
           !kernel->desc->info.required_sub_groups_per_group;
}

/* Work-items that know nothing of work-groups: these may be cut anew. */
static bool
knows_only_ids(const lw_kernel *kernel)
{
    const struct lw_kernel_desc *desc = kernel->desc;
    return desc->uses_only_global_ids && !desc->has_collective && !desc->info.observes_sub_groups;
}

bool
lw_may_cut(const lw_kernel *kernel)
{
    const struct lw_kernel_desc *desc = kernel->desc;
    const lw_device *device = kernel->program->device;
    for (uint32_t i = 0; i < desc->arg_count; i++)
        if (desc->args[i].info.kind == LW_ARG_LOCAL)
            return false;
    return device->options.reshape && !device->trace_groups && !desc->info.has_barrier &&
           !desc->info.local_bytes && !desc->prints;
}

/* A work-item that waits for a lock may stand side by side with the one that has it, and both wait for ever.
 * One that has a work-group to itself never does; there it may wait for whatever it likes. */
static bool
may_wait(const lw_kernel *kernel, const struct lw_range *range)
{
    const struct lw_kernel_desc *desc = kernel->desc;
    return desc->has_loop && desc->has_atomics && (desc->may_take_lock || range->group_items == 1);
}

/* Odd local sizes and small ones cost nothing then. Atomics keep the order of one-dimensional ranges:
 * lookers-back wait for lower ids only. Those that know their sub-group, but not which of the work-group it
 * is, are worth it where their sub-groups do atomics together. */
static bool
may_regroup(const lw_kernel *kernel, const struct lw_range *range)
{
    const struct lw_kernel_desc *desc = kernel->desc;
    if (knows_only_ids(kernel))
        return !desc->has_atomics || range->dimensions == 1;
    return desc->has_atomics && !desc->knows_group && keeps_sub_groups(kernel, range);
}

/* As many sub-groups together as leave enough work-groups for the threads; never fewer than there were. */
static void
regroup_sub_groups(const lw_kernel *kernel, struct lw_range *range)
{
    uint64_t threads = kernel->program->device->threads, local[3] = {2048, 1, 1};
    while (local[0] > range->local[0] && range->global[0] / local[0] < 16 * threads)
        local[0] /= 2;
    if (local[0] > range->local[0])
        lw_range_cut(range, local);
}

/* Tiles, where memory is accessed by columns: what one row leaves in the cache, the next ones find there. No
 * more than 8 columns, since they are often a power of two apart and compete for the same lines. Loops have
 * accesses of their own, mostly along the rows. */
static bool
regroup_in_tiles(const lw_kernel *kernel, const struct lw_columns *columns, struct lw_range *range)
{
    uint64_t local[3] = {8, 32, 1};

    if (!columns->any || kernel->desc->has_loop || range->lanes_dimension ||
        range->global[0] < 32 || range->global[1] < 32)
        return false;
    while (local[1] > 8 && range->global[1] % local[1])
        local[1] /= 2;
    lw_range_cut(range, local);
    return true;
}

/* Which dimension lanes follow: any may be laid over them where work-items only know their global ids and
 * nothing tells their order. The one along which most accesses to memory are in one piece; where that is all
 * one, the one that work-groups of a single column are long in: whoever asked for those had a reason. */
static unsigned
choose_lanes(const lw_kernel *kernel, const struct lw_columns *columns, const struct lw_range *range)
{
    const uint64_t *cost = columns->lane_cost, least = lw_usual_lanes(kernel->program->device->isa);
    unsigned best = 0;
    for (unsigned d = 1; d < range->dimensions; d++) {
        bool asked = best == 0 && range->local[0] == 1 && range->local[d] >= least && range->global[0] > 1;
        if (range->global[d] >= least && (cost[d] < cost[best] || (asked && cost[d] == cost[best])))
            best = d;
    }
    return best;
}

/* Blocks as wide as a register and tall, where lanes read far apart in loops what their neighbours in another
 * dimension read as well, rows of a matrix each: it stays in the cache for these, and sub-groups of several
 * registers load it once for all (forms/rows.c). Long kernels would spill in these. */
static bool
regroup_to_share(const lw_kernel *kernel, const struct lw_columns *columns, struct lw_range *range)
{
    uint64_t local[3] = {lw_usual_lanes(kernel->program->device->isa), 1, 1}, best = 0;
    uint64_t enough = 2 * (uint64_t)kernel->program->device->threads;
    unsigned lanes = range->lanes_dimension, along = 0;

    for (unsigned d = 1; d < range->dimensions; d++) {
        uint64_t shared = columns->shared[lanes][d == lanes ? 0 : d];
        if (range->global[d] >= LW_MOST_SHARING && shared > best) {
            best = shared;
            along = d;
        }
    }
    while (local[0] > LEAST_SHARED && range->global[0] % local[0] && range->global[0] < 8 * local[0])
        local[0] /= 2;
    if (!best || kernel->desc->instruction_count > LW_MOST_WIDE_INSTRUCTIONS ||
        (range->global[0] % local[0] && range->global[0] < 8 * local[0]))
        return false;
    local[along] = MOST_TALL;
    while (local[along] > LW_MOST_SHARING &&
           (range->global[along] % local[along] || range->total_items < enough * local[0] * local[along]))
        local[along] /= 2;
    lw_range_cut(range, local);
    range->shares = true;
    return true;
}

#define GATHER_COST 16 /* times an operation's: what an access in one piece costs more where lanes wrap */

/* Sub-groups that wrap from row to row gather what lies beside each other. A short row to itself leaves lanes
 * idle: worth it where these compute less than the gathers cost. */
static bool
short_rows_stand_alone(const lw_kernel *kernel, const struct lw_columns *columns,
                       const struct lw_range *range)
{
    uint64_t lanes = lw_usual_lanes(kernel->program->device->isa), width = range->global[0];
    uint64_t idle = (lanes - width % lanes) % lanes;
    return idle && idle * columns->work < width * columns->beside[range->lanes_dimension] * GATHER_COST;
}

/* Whole rows where there are enough of them: no remainder work-group, no sub-group that wraps. Of few
 * work-items small work-groups, so that the threads end at about the same time; where each has a loop, so
 * small that there is one for every thread. */
static void
regroup(const lw_kernel *kernel, const struct lw_columns *columns, struct lw_range *range)
{
    uint64_t least = lw_usual_lanes(kernel->program->device->isa);
    uint64_t threads = kernel->program->device->threads, width = range->global[0], local[3] = {width, 1, 1};
    uint64_t items = range->total_items;
    uint64_t most = items / 1024 >= 8 * threads ? 1024 : 256;
    while (items >= 1024 && most > 64 && items / most < 16 * threads)
        most /= 2;
    while (kernel->desc->has_loop && most > least && items / most < 2 * threads)
        most /= 2;
    bool rows = width < 32 ? short_rows_stand_alone(kernel, columns, range)
                           : width <= 2048 && items / width >= 8 * threads;
    if (!rows)
        lw_choose_block(range->global, most, local);
    lw_range_cut(range, local);
}

/* How it accesses memory where these arguments are 1. */
static struct lw_columns
find_columns(const lw_kernel *kernel, uint64_t ones)
{
    const lw_module *module = kernel->build->module;
    struct lw_columns columns = {0};
    uint32_t *functions = ones ? calloc(module->function_count, sizeof *functions) : NULL;
    if (!functions)
        return kernel->desc->columns;
    uint32_t count = lw_reachable_functions(module, kernel->desc->function, functions);
    for (uint32_t f = 0; f < count; f++)
        lw_reflect_columns(module, functions[f], kernel->desc, ones, &columns);
    free(functions);
    return columns;
}

/* Those that only know their ids. */
static void
regroup_ids(const lw_kernel *kernel, struct lw_range *range)
{
    struct lw_columns columns = find_columns(kernel, range->dimensions > 1 ? lw_find_ones(kernel) : 0);
    unsigned lanes = kernel->desc->has_atomics ? 0 : choose_lanes(kernel, &columns, range);
    if (lanes)
        lw_range_turn(range, lanes);
    if (!regroup_in_tiles(kernel, &columns, range) && !regroup_to_share(kernel, &columns, range))
        regroup(kernel, &columns, range);
}

/* In work-groups of any size, unless the kernel demands one. */
static void
stretch(const lw_kernel *kernel, struct lw_range *range, uint64_t size)
{
    const uint64_t demanded[3] = {range->local[0], 1, 1};
    lw_range_stretch(range, size);
    if (kernel->desc->info.required_local_size[0])
        lw_range_cut(range, demanded);
    else
        regroup(kernel, &kernel->desc->columns, range);
}

void
lw_regroup(const lw_kernel *kernel, struct lw_range *range)
{
    const uint64_t alone[3] = {1, 1, 1}, size = lw_stretched_size(kernel, range);
    if (range->keeps_groups || !lw_may_cut(kernel))
        return;
    if (size)
        stretch(kernel, range, size);
    else if (knows_only_ids(kernel) && may_wait(kernel, range))
        lw_range_cut(range, alone);
    else if (may_regroup(kernel, range) && kernel->desc->info.observes_sub_groups)
        regroup_sub_groups(kernel, range);
    else if (may_regroup(kernel, range))
        regroup_ids(kernel, range);
}

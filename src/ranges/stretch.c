/* SPDX-License-Identifier: MIT */
/* When a dispatch of a grid-stride kernel runs one round a work-item.
 *
 *     for (i = get_global_id(0); i < n; i += get_global_size(0)) ...
 *
 * As written, a work-item's rounds lie a whole range apart in memory: each goes to other pages, and neither
 * caches nor prefetching help. Where no round depends on which work-item runs it, and none meets another in
 * the memory of one argument (reflect_grid_stride.c), the range may be as long as n, and each work-item runs
 * one round: memory is gone through along, and cut among threads in pieces as any other range's.
 *
 * Enters: a checked range.  Leaves: another size of it, or none.  Legal where, beside what the kernel is:
 *  - there is one dimension, no offset, and work-groups are of one size: ids may be reckoned by groups;
 *  - the bound is past the range, so that all that the kernel asks before its loop is as it was; and it, and
 *    what the last round adds to it, is below 2^31 at the scale at which the kernel reckons with it;
 *  - no two arguments share memory.
 */
#include "stretch.h"
#include "dispatch_facts.h"
#include "regroup.h"

#define MOST ((int64_t)(UINT32_C(1) << 31) - 65536)

static unsigned
count_pointers(const lw_kernel *kernel)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < kernel->desc->arg_count; i++)
        count += kernel->desc->args[i].info.kind == LW_ARG_POINTER;
    return count;
}

uint64_t
lw_stretched_size(const lw_kernel *kernel, const struct lw_range *range)
{
    const struct lw_grid_stride *loop = &kernel->desc->grid_stride;
    int64_t bound;
    if (!loop->latch || range->dimensions != 1 || !range->global[0] || range->offset[0] ||
        range->global[0] % range->local[0] || range->keeps_groups || !lw_may_cut(kernel) ||
        !lw_grid_stride_bound(kernel->build->module, kernel->desc, kernel->args, &bound))
        return 0;
    int64_t most = MOST / loop->scale, size = (int64_t)range->global[0];
    if (bound <= size || bound > most || size > most - bound)
        return 0;
    return count_pointers(kernel) == 1 || lw_buffers_are_apart(kernel) ? (uint64_t)bound : 0;
}

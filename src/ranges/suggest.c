/* SPDX-License-Identifier: MIT */
/* Local sizes where the caller leaves them to us.
 *
 * Lanes follow dimension 0 and the caller's memory nearly always does too, so blocks are long in dimension 0.
 * Sizes that nothing divides (primes) are left to a remainder work-group rather than cut into slivers.
 */
#include "range.h"

#include <string.h>

#define USUAL_GROUP 256u
#define LEAST_ROW 64u

/* The largest power of two, `most` at most, that leaves nothing over; or, where only slivers do, `most`
 * itself for long rows (one remainder, at the end) and LEAST_ROW for those that end many times over. */
static uint64_t
row_length(uint64_t width, uint64_t most, bool only_row)
{
    for (uint64_t length = most; length >= LEAST_ROW; length /= 2)
        if (width % length == 0)
            return length;
    uint64_t length = only_row && width >= 4 * most ? most : LEAST_ROW;
    return length < most ? length : most;
}

void
lw_choose_block(const uint64_t global[3], uint64_t most, uint64_t local[3])
{
    uint64_t room = most;
    for (unsigned d = 0; d < 3; d++) {
        bool last = (d > 0 || global[1] == 1) && (d > 1 || global[2] == 1);
        if (d == 0 && global[0] >= LEAST_ROW && global[0] > most / 2)
            local[d] = row_length(global[0], most, last);
        else
            local[d] = global[d] < room ? global[d] : room;
        if (local[d] == 0)
            local[d] = 1;
        room /= local[d];
        if (local[0] >= LEAST_ROW / 2 || room == 0)
            room = 1; /* sub-groups that wrap from row to row would gather */
    }
}

uint32_t
lw_most_work_items(const struct lw_kernel_desc *desc, uint32_t n)
{
    /* Without a barrier one sub-group runs after the other, in the same room. */
    if (!desc->info.has_barrier || desc->private_bytes <= LW_MAX_PRIVATE_BYTES / LW_MAX_WORK_GROUP)
        return LW_MAX_WORK_GROUP;
    uint64_t items = LW_MAX_PRIVATE_BYTES / desc->private_bytes / n * n;
    return items > n ? (uint32_t)items : n;
}

/* The module's own hint counts where it fits the range and its dimensions. */
static bool
use_hint(const lw_kernel *kernel, const struct lw_range *range, uint64_t local[3])
{
    const uint32_t *hint = kernel->desc->info.local_size_hint;
    uint64_t items = 1;
    for (unsigned d = 0; d < 3; d++) {
        uint64_t size = hint[d] ? hint[d] : 1;
        if (size > range->global[d] || size > LW_MAX_WORK_GROUP)
            return false;
        items *= size;
    }
    if (!hint[0] || items > lw_most_work_items(kernel->desc, kernel->sub_group_size))
        return false;
    for (unsigned d = 0; d < 3; d++)
        local[d] = hint[d] ? hint[d] : 1;
    return true;
}

void
lw_suggest_local_size(const lw_kernel *kernel, const struct lw_range *range, uint64_t local[3])
{
    const lw_kernel_info *info = &kernel->desc->info;
    if (lw_required_local_size(info, local))
        return;
    if (info->required_sub_groups_per_group) {
        local[0] = (uint64_t)info->required_sub_groups_per_group * kernel->sub_group_size;
        return;
    }
    if (use_hint(kernel, range, local))
        return;
    lw_choose_block(range->global, USUAL_GROUP, local);
    /* A range of few work-groups is spread over the threads, whole sub-groups at a time. */
    uint64_t wish = 2 * (uint64_t)kernel->program->device->threads;
    while (local[0] >= 2 * LEAST_ROW && local[0] % 2 == 0 &&
           range->total_items / (local[0] * local[1] * local[2]) < wish)
        local[0] /= 2;
}

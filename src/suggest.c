/* SPDX-License-Identifier: MIT */
/* Local sizes where the caller leaves them to us, and the queries about sub-groups and local sizes.
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
lw_most_work_items(const lw_kernel *kernel)
{
    const struct lw_kernel_desc *desc = kernel->desc;
    uint32_t n = kernel->sub_group_size;
    /* Without a barrier one sub-group runs after the other, in the same room. */
    if (!desc->info.has_barrier || desc->private_bytes <= LW_MAX_PRIVATE_BYTES / LW_MAX_WORK_GROUP)
        return LW_MAX_WORK_GROUP;
    uint64_t items = LW_MAX_PRIVATE_BYTES / desc->private_bytes / n * n;
    return items > n ? (uint32_t)items : n;
}

static uint64_t
product(const uint64_t local[3])
{
    return local[0] * local[1] * local[2];
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
    if (!hint[0] || items > lw_most_work_items(kernel))
        return false;
    for (unsigned d = 0; d < 3; d++)
        local[d] = hint[d] ? hint[d] : 1;
    return true;
}

void
lw_suggest_local_size(const lw_kernel *kernel, const struct lw_range *range, uint64_t local[3])
{
    const lw_kernel_info *info = &kernel->desc->info;
    local[0] = local[1] = local[2] = 1;
    if (info->required_local_size[0]) {
        for (unsigned d = 0; d < 3; d++)
            local[d] = info->required_local_size[d] ? info->required_local_size[d] : 1;
        return;
    }
    if (info->required_sub_groups_per_group) {
        local[0] = (uint64_t)info->required_sub_groups_per_group * kernel->sub_group_size;
        return;
    }
    if (use_hint(kernel, range, local))
        return;
    lw_choose_block(range->global, USUAL_GROUP, local);
    /* A range of few work-groups is spread over the threads, whole sub-groups at a time. */
    uint64_t wish = 2 * (uint64_t)kernel->program->device->threads;
    while (local[0] >= 2 * LEAST_ROW && local[0] % 2 == 0 && range->total_items / product(local) < wish)
        local[0] /= 2;
}

/* ---- Queries ---- */

bool
lw_kernel_suggest_local_size(lw_kernel *kernel, const lw_ndrange *asked, size_t local[3], lw_error *error)
{
    lw_no_error(error);
    if (!kernel || !asked || !local)
        return lw_runtime_error(error, LW_BAD_ARGUMENT,
                                "lw_kernel_suggest_local_size was given a null pointer");
    lw_ndrange open = *asked;
    memset(open.local, 0, sizeof open.local);
    struct lw_range range;
    if (!lw_range_check(kernel, &open, &range, error))
        return false;
    for (unsigned d = 0; d < 3; d++)
        local[d] = (size_t)range.local[d];
    return true;
}

uint32_t
lw_kernel_sub_group_size(const lw_kernel *kernel)
{
    return kernel ? kernel->sub_group_size : 0;
}

uint32_t
lw_kernel_sub_group_count(const lw_kernel *kernel, uint32_t dimensions, const size_t *local)
{
    if (!kernel || !local || dimensions < 1 || dimensions > 3)
        return 0;
    uint64_t items = 1;
    for (uint32_t d = 0; d < dimensions; d++) {
        if (local[d] == 0 || local[d] > LW_MAX_WORK_GROUP)
            return 0;
        items *= local[d];
    }
    uint32_t n = kernel->sub_group_size;
    return items > LW_MAX_WORK_GROUP ? 0 : (uint32_t)((items + n - 1) / n);
}

void
lw_kernel_local_size_for_count(const lw_kernel *kernel, uint32_t count, size_t local[3])
{
    if (!local)
        return;
    local[0] = local[1] = local[2] = 0;
    if (!kernel || !count)
        return;
    const lw_kernel_info *info = &kernel->desc->info;
    uint64_t size[3] = {(uint64_t)count * kernel->sub_group_size, 1, 1};
    if (info->required_local_size[0]) {
        for (unsigned d = 0; d < 3; d++)
            size[d] = info->required_local_size[d] ? info->required_local_size[d] : 1;
        if ((product(size) + kernel->sub_group_size - 1) / kernel->sub_group_size != count)
            return;
    }
    if (info->required_sub_groups_per_group && info->required_sub_groups_per_group != count)
        return;
    if (product(size) > lw_kernel_max_work_group_size(kernel))
        return;
    for (unsigned d = 0; d < 3; d++)
        local[d] = (size_t)size[d];
}

size_t
lw_kernel_max_work_group_size(const lw_kernel *kernel)
{
    if (!kernel)
        return 0;
    const lw_kernel_info *info = &kernel->desc->info;
    size_t most = lw_most_work_items(kernel), items = 1;
    if (info->required_local_size[0]) {
        for (unsigned d = 0; d < 3; d++)
            items *= info->required_local_size[d] ? info->required_local_size[d] : 1;
        return items < most ? items : most;
    }
    if (info->required_sub_groups_per_group) {
        items = (size_t)info->required_sub_groups_per_group * kernel->sub_group_size;
        return items < most ? items : most;
    }
    return most;
}

uint32_t
lw_kernel_max_sub_groups(const lw_kernel *kernel)
{
    if (!kernel)
        return 0;
    uint32_t n = kernel->sub_group_size;
    return (uint32_t)((lw_kernel_max_work_group_size(kernel) + n - 1) / n);
}

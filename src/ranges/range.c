/* SPDX-License-Identifier: MIT */
/* Checks an NDRange against a kernel and cuts it into work-groups (OpenCL API 3.2.1). */
#include "range.h"

#include <string.h>

static bool
check_global(const lw_kernel *kernel, const lw_ndrange *asked, struct lw_range *range, lw_error *error)
{
    const char *name = kernel->desc->name;
    range->total_items = 1;
    bool empty = false;
    for (uint32_t d = 0; d < 3; d++) {
        range->global[d] = d < asked->dimensions ? asked->global[d] : 1;
        range->offset[d] = d < asked->dimensions ? asked->offset[d] : 0;
        empty |= range->global[d] == 0;
        uint64_t end;
        if (__builtin_add_overflow(range->global[d], range->offset[d], &end))
            return lw_runtime_error(
                error, LW_BAD_ARGUMENT,
                "kernel %s: global size %llu and offset %llu of dimension %u overflow a global id", name,
                (unsigned long long)range->global[d], (unsigned long long)range->offset[d], d);
    }
    if (empty) {
        range->total_items = 0;
        return true;
    }
    for (uint32_t d = 0; d < 3; d++)
        if (__builtin_mul_overflow(range->total_items, range->global[d], &range->total_items) ||
            range->total_items > INT64_MAX)
            return lw_runtime_error(
                error, LW_BAD_ARGUMENT,
                "kernel %s: a global size of %llu x %llu x %llu is more than 2^63 work-items", name,
                (unsigned long long)range->global[0], (unsigned long long)range->global[1],
                (unsigned long long)range->global[2]);
    return true;
}

uint64_t
lw_required_local_size(const lw_kernel_info *info, uint64_t local[3])
{
    uint64_t items = info->required_local_size[0] ? 1 : 0;
    for (unsigned d = 0; d < 3; d++) {
        local[d] = items && info->required_local_size[d] ? info->required_local_size[d] : 1;
        items = items > LW_MAX_WORK_GROUP ? items : items * local[d];
    }
    return items;
}

static bool
check_required(const lw_kernel *kernel, const struct lw_range *range, lw_error *error)
{
    const lw_kernel_info *info = &kernel->desc->info;
    uint64_t required[3];
    if (lw_required_local_size(info, required) && memcmp(required, range->local, sizeof required) != 0)
        return lw_runtime_error(
            error, LW_BAD_ARGUMENT,
            "kernel %s requires a local size of %llu x %llu x %llu, not %llu x %llu x %llu",
            kernel->desc->name, (unsigned long long)required[0], (unsigned long long)required[1],
            (unsigned long long)required[2], (unsigned long long)range->local[0],
            (unsigned long long)range->local[1], (unsigned long long)range->local[2]);
    uint32_t n = kernel->sub_group_size, count = info->required_sub_groups_per_group;
    uint64_t sub_groups = count ? (range->group_items + n - 1) / n : 0;
    if (sub_groups != count)
        return lw_runtime_error(
            error, LW_BAD_ARGUMENT,
            "kernel %s requires %u sub-groups per work-group; a local size of %llu makes %llu of "
            "%u work-items",
            kernel->desc->name, count, (unsigned long long)range->group_items, (unsigned long long)sub_groups,
            n);
    return true;
}

static bool
check_local(const lw_kernel *kernel, const lw_ndrange *asked, struct lw_range *range, lw_error *error)
{
    unsigned zeros = 0;
    uint64_t local[3] = {1, 1, 1};
    range->group_items = 1;
    for (uint32_t d = 0; d < asked->dimensions; d++) {
        local[d] = asked->local[d];
        zeros += local[d] == 0;
    }
    if (zeros == asked->dimensions)
        lw_suggest_local_size(kernel, range, local);
    else if (zeros)
        return lw_runtime_error(
            error, LW_BAD_ARGUMENT,
            "kernel %s: a local size is zero in every dimension (chosen for you) or in none",
            kernel->desc->name);
    for (unsigned d = 0; d < 3; d++)
        if (local[d] > LW_MAX_WORK_GROUP || (range->group_items *= local[d]) > LW_MAX_WORK_GROUP)
            return lw_runtime_error(
                error, LW_BAD_ARGUMENT,
                "kernel %s: a local size of %llu x %llu x %llu is more than the %u work-items that a "
                "work-group may have",
                kernel->desc->name, (unsigned long long)local[0], (unsigned long long)local[1],
                (unsigned long long)local[2], LW_MAX_WORK_GROUP);
    uint32_t most = lw_most_work_items(kernel->desc, kernel->sub_group_size);
    if (range->group_items > most)
        return lw_runtime_error(error, LW_BAD_ARGUMENT,
                                "kernel %s: %llu work-items are more than the %u that a work-group may have "
                                "with %llu bytes of private memory each",
                                kernel->desc->name, (unsigned long long)range->group_items, most,
                                (unsigned long long)kernel->desc->private_bytes);
    memcpy(range->local, local, sizeof range->local);
    return check_required(kernel, range, error);
}

bool
lw_range_validate(const lw_kernel *kernel, const lw_ndrange *asked, struct lw_range *range, lw_error *error)
{
    memset(range, 0, sizeof *range);
    if (asked->dimensions < 1 || asked->dimensions > 3)
        return lw_runtime_error(error, LW_BAD_ARGUMENT, "kernel %s: an NDRange has 1 to 3 dimensions, not %u",
                                kernel->desc->name, asked->dimensions);
    range->dimensions = asked->dimensions;
    return check_global(kernel, asked, range, error) && check_local(kernel, asked, range, error);
}

bool
lw_range_check(const lw_kernel *kernel, const lw_ndrange *asked, struct lw_range *range, lw_error *error)
{
    uint64_t local[3];
    if (!lw_range_validate(kernel, asked, range, error))
        return false;
    memcpy(local, range->local, sizeof local);
    lw_range_cut(range, local);
    return true;
}

void
lw_range_cut(struct lw_range *range, const uint64_t local[3])
{
    range->group_items = range->total_groups = 1;
    for (unsigned d = 0; d < 3; d++) {
        range->local[d] = local[d];
        range->group_items *= local[d];
        range->full[d] = local[d] == 1 ? range->global[d] : range->global[d] / local[d];
        range->groups[d] = range->full[d] + (range->full[d] * local[d] != range->global[d]);
        range->total_groups *= range->groups[d]; /* at most total_items, which was checked */
    }
    range->first_group = 0;
    range->end_group = range->total_groups;
}

void
lw_range_stretch(struct lw_range *range, uint64_t size)
{
    range->total_items = range->total_items / range->global[0] * size;
    range->global[0] = size;
    range->stretched = true;
}

static void
exchange(uint64_t values[3], unsigned dimension)
{
    uint64_t first = values[0];
    values[0] = values[dimension];
    values[dimension] = first;
}

void
lw_range_turn(struct lw_range *range, unsigned dimension)
{
    exchange(range->global, dimension);
    exchange(range->local, dimension);
    exchange(range->offset, dimension);
    range->lanes_dimension = (uint8_t)dimension;
}

/* SPDX-License-Identifier: MIT */
/* Queries about a kernel's sub-groups and local sizes. */
#include "range.h"

#include <string.h>

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
    uint64_t size[3], n = kernel->sub_group_size;
    uint64_t items = lw_required_local_size(info, size);
    if (items && (items + n - 1) / n != count)
        return;
    if (!items)
        size[0] = items = count * n;
    if (info->required_sub_groups_per_group && info->required_sub_groups_per_group != count)
        return;
    if (items > lw_kernel_max_work_group_size(kernel))
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
    uint64_t most = lw_most_work_items(kernel->desc, kernel->sub_group_size), size[3];
    uint64_t items = lw_required_local_size(info, size);
    if (!items)
        items = (uint64_t)info->required_sub_groups_per_group * kernel->sub_group_size;
    return (size_t)(items && items < most ? items : most);
}

uint32_t
lw_kernel_max_sub_groups(const lw_kernel *kernel)
{
    if (!kernel)
        return 0;
    uint32_t n = kernel->sub_group_size;
    return (uint32_t)((lw_kernel_max_work_group_size(kernel) + n - 1) / n);
}

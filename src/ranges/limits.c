/* SPDX-License-Identifier: MIT */
/* What a kernel asks for that no range could give it on this device: known with the module, so that it fails
 * the build, and not some enqueue behind it.
 *
 * Enters: a kernel that the complete check let pass. Leaves: true, or LW_UNSUPPORTED and why.
 */
#include "shape.h"

static bool
check_work_items(const struct lw_kernel_desc *desc, uint32_t n, lw_error *error)
{
    uint64_t local[3], items = lw_required_local_size(&desc->info, local);
    uint64_t most = lw_most_work_items(desc, n);
    if (items > LW_MAX_WORK_GROUP)
        return lw_runtime_error(error, LW_UNSUPPORTED,
                                "kernel %s requires work-groups of %llu x %llu x %llu; %u work-items are the "
                                "most that one may have",
                                desc->name, (unsigned long long)local[0], (unsigned long long)local[1],
                                (unsigned long long)local[2], LW_MAX_WORK_GROUP);
    if (!items && desc->info.required_sub_groups_per_group)
        items = (uint64_t)(desc->info.required_sub_groups_per_group - 1) * n + 1;
    return items <= most ||
           lw_runtime_error(error, LW_UNSUPPORTED,
                            "kernel %s requires work-groups of %llu work-items; with %llu bytes of private "
                            "memory each one may have %llu",
                            desc->name, (unsigned long long)items, (unsigned long long)desc->private_bytes,
                            (unsigned long long)most);
}

bool
lw_fits_device(const struct lw_kernel_desc *desc, const lw_device *device, lw_error *error)
{
    uint32_t n;
    if (desc->info.local_bytes > device->most_local)
        return lw_runtime_error(error, LW_UNSUPPORTED,
                                "kernel %s: its variables have %u bytes of local memory, of which there are "
                                "%llu",
                                desc->name, desc->info.local_bytes, (unsigned long long)device->most_local);
    return lw_choose_sub_group_size(desc, device->isa, 0, &n, error) && check_work_items(desc, n, error);
}

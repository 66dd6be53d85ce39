/* SPDX-License-Identifier: MIT */
/* The inclusive scan of each work-group's elements. */
kernel void
workgroup_scan(global const int *in, global int *out)
{
    size_t i = get_global_id(0);

    out[i] = work_group_scan_inclusive_add(in[i]);
}

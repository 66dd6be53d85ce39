/* SPDX-License-Identifier: MIT */
/* Both scans of each work-group: the worked example of the OpenCL C specification, on any work-group
 * shape. */
kernel void
scan(global const int *in, global int *inclusive, global int *exclusive)
{
    size_t i = get_global_linear_id();
    int x = in[i];

    inclusive[i] = work_group_scan_inclusive_add(x);
    exclusive[i] = work_group_scan_exclusive_add(x);
}

/* SPDX-License-Identifier: MIT */
/* What client_dpctl.py builds through the SYCL runtime: results of sub-groups, and their shape. */
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

kernel void
sub_group_sums(global const int *in, global int *sums, global int *lanes)
{
    size_t i = get_global_id(0);
    sums[i] = sub_group_scan_inclusive_add(in[i]);
    lanes[i] = (int)get_sub_group_local_id();
}

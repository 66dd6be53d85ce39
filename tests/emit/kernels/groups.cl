/* SPDX-License-Identifier: MIT */
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void sub_groups(global int *o, global float *f, int lane)
{
    size_t i = get_global_id(0);
    int x = o[i];
    x += sub_group_reduce_add(x) + sub_group_scan_inclusive_max(x) + sub_group_scan_exclusive_min(x);
    x += sub_group_broadcast(x, lane) + sub_group_all(x > 3) + sub_group_any(x < 9);
    f[i] = sub_group_reduce_max(f[i]) + sub_group_scan_inclusive_add(f[i]);
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    o[i] = x + get_sub_group_size() + get_max_sub_group_size() * 3 + get_num_sub_groups() + get_sub_group_id() * 7 +
           get_enqueued_num_sub_groups() + get_sub_group_local_id();
}
kernel void work_groups(global int *o, global float *f, uint a)
{
    size_t i = get_global_id(0);
    int x = o[i];
    x += work_group_reduce_add(x) + work_group_scan_inclusive_max(x) + work_group_scan_exclusive_add(x);
    x += work_group_all(x) + work_group_any(x > 3);
    x += work_group_broadcast(x, a) + work_group_broadcast(x, a, a) + work_group_broadcast(x, a, a, a);
    f[i] += work_group_reduce_min(f[i]);
    barrier(CLK_GLOBAL_MEM_FENCE);
    o[i] = x;
}

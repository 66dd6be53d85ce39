/* SPDX-License-Identifier: MIT */
/* The exclusive scan of each sub-group's elements; T is the type. */
#ifdef HALF
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

kernel void
subgroup_exclusive(global const T *in, global T *out)
{
    size_t i = get_global_id(0);

    out[i] = sub_group_scan_exclusive_add(in[i]);
}

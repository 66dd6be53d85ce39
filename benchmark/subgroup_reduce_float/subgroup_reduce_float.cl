/* SPDX-License-Identifier: MIT */
/* The sum of each sub-group's elements; T is the type. */
#ifdef HALF
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

kernel void
subgroup_reduce(global const T *in, global T *out)
{
    size_t i = get_global_id(0);
    T sum = sub_group_reduce_add(in[i]);

    if (get_sub_group_local_id() == 0)
        out[i / get_max_sub_group_size()] = sum;
}

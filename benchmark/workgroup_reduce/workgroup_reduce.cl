/* SPDX-License-Identifier: MIT */
/* The sum of an array by work-groups: each work-item strides over its part. */
kernel void
workgroup_reduce(uint n, global const float *in, global float *sums)
{
    float sum = 0;

    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        sum += in[i];
    sum = work_group_reduce_add(sum);
    if (get_local_id(0) == 0)
        sums[get_group_id(0)] = sum;
}

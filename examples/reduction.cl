/* SPDX-License-Identifier: MIT */
/* The sum of an array: each work-item strides over its part, each work-group folds its partial sums in
 * local memory. Any work-group shape; `partial` has one float per work-item of a work-group, `sums` one
 * per work-group. */
kernel void
reduction(uint n, global const float *in, local float *partial, global float *sums)
{
    uint lid = get_local_linear_id();
    uint width = get_local_size(0) * get_local_size(1) * get_local_size(2);
    uint total = get_global_size(0) * get_global_size(1) * get_global_size(2);
    float sum = 0;

    for (uint i = get_global_linear_id(); i < n; i += total)
        sum += in[i];
    partial[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    while (width > 1) {
        uint rest = (width + 1) / 2;
        if (lid < width / 2)
            partial[lid] += partial[lid + rest];
        barrier(CLK_LOCAL_MEM_FENCE);
        width = rest;
    }
    if (lid == 0)
        sums[(get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0)] =
            partial[0];
}

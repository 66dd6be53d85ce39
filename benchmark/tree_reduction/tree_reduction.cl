/* SPDX-License-Identifier: MIT */
/* The sum of an array: partial sums folded in local memory by halves. */
kernel void
tree_reduction(uint n, global const float *in, global float *sums, local float *partial)
{
    uint lid = get_local_id(0);
    float sum = 0;

    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        sum += in[i];
    partial[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        if (lid < half_size)
            partial[lid] += partial[lid + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        sums[get_group_id(0)] = partial[0];
}

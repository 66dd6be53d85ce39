/* SPDX-License-Identifier: MIT */
/* How often each value of a byte occurs: counted in local memory by each work-group, then added together. */
#define BINS 256

kernel void
histogram(uint n, global const uchar *in, volatile global uint *counts)
{
    local uint mine[BINS];
    uint lid = get_local_id(0), width = get_local_size(0);

    for (uint i = lid; i < BINS; i += width)
        mine[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&mine[in[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = lid; i < BINS; i += width)
        atomic_add(&counts[i], mine[i]);
}

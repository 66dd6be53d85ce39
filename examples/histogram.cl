/* SPDX-License-Identifier: MIT */
/* Counts of byte values: each work-group counts in local memory with atomics, then adds its counts to the
 * result. Any work-group shape; `counts` is zeroed. */
#define BINS 256

kernel void
histogram(uint n, global const uchar *in, volatile global uint *counts)
{
    local uint mine[BINS];
    uint lid = get_local_linear_id();
    uint width = get_local_size(0) * get_local_size(1) * get_local_size(2);
    uint total = get_global_size(0) * get_global_size(1) * get_global_size(2);

    for (uint i = lid; i < BINS; i += width)
        mine[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_linear_id(); i < n; i += total)
        atomic_inc(&mine[in[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = lid; i < BINS; i += width)
        if (mine[i])
            atomic_add(&counts[i], mine[i]);
}

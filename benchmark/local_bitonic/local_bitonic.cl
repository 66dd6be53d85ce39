/* SPDX-License-Identifier: MIT */
/* Each work-group sorts a block of 512 integers in local memory by a bitonic network. */
#define BLOCK 512u

__attribute__((reqd_work_group_size(BLOCK / 2, 1, 1))) kernel void
local_bitonic(global const int *in, global int *out)
{
    local int keys[BLOCK];
    uint lid = get_local_id(0), base = get_group_id(0) * BLOCK;

    keys[lid] = in[base + lid];
    keys[lid + BLOCK / 2] = in[base + lid + BLOCK / 2];
    for (uint size = 2; size <= BLOCK; size *= 2)
        for (uint stride = size / 2; stride > 0; stride /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint low = 2 * lid - (lid & (stride - 1));
            int a = keys[low], b = keys[low + stride];
            bool swap = (a > b) == ((low & size) == 0);
            keys[low] = swap ? b : a;
            keys[low + stride] = swap ? a : b;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + lid] = keys[lid];
    out[base + lid + BLOCK / 2] = keys[lid + BLOCK / 2];
}

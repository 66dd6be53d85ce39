/* SPDX-License-Identifier: MIT */
/* Transposes a matrix by tiles of 16 x 16 held in the registers of one sub-group: lane l holds column l of
 * the tile, log2(16) rounds of shuffles swap ever smaller blocks, and both sides are read and written in
 * rows. */
__attribute__((intel_reqd_sub_group_size(16))) kernel void
subgroup_transpose(uint columns, uint rows, global const uint *in, global uint *out)
{
    uint lane = get_sub_group_local_id();
    uint x = get_group_id(0) * 16, y = (get_group_id(1) * get_num_sub_groups() + get_sub_group_id()) * 16;
    uint tile[16];

    for (uint r = 0; r < 16; r++)
        tile[r] = in[(y + r) * columns + x + lane];
#pragma unroll
    for (uint step = 8; step > 0; step /= 2)
#pragma unroll
        for (uint r = 0; r < 16; r++)
            if ((r & step) == 0) {
                bool high = lane & step;
                uint swapped = sub_group_shuffle_xor(high ? tile[r] : tile[r + step], step);
                if (high)
                    tile[r] = swapped;
                else
                    tile[r + step] = swapped;
            }
    for (uint r = 0; r < 16; r++)
        out[(x + r) * rows + y + lane] = tile[r];
}

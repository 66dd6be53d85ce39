/* SPDX-License-Identifier: MIT */
/* The inclusive prefix sum of a large array in three launches: totals of blocks, their exclusive scan by
 * one work-group, the blocks' scans on top of it. A block is what a work-group has, ITEMS elements a work-
 * item. */
#define ITEMS 4

kernel void
block_totals(global const uint4 *in, global uint *totals)
{
    uint4 mine = in[get_global_id(0)];
    uint sum = work_group_reduce_add(mine.x + mine.y + mine.z + mine.w);

    if (get_local_id(0) == 0)
        totals[get_group_id(0)] = sum;
}

kernel void
scan_totals(uint n, global uint *totals)
{
    uint before = 0;

    for (uint first = 0; first < n; first += get_local_size(0)) {
        uint i = first + get_local_id(0);
        uint mine = i < n ? totals[i] : 0;
        uint scan = work_group_scan_inclusive_add(mine);
        if (i < n)
            totals[i] = before + scan - mine;
        before += work_group_broadcast(scan, get_local_size(0) - 1);
    }
}

kernel void
scan_blocks(global const uint4 *in, global const uint *totals, global uint4 *out)
{
    size_t i = get_global_id(0);
    uint4 mine = in[i];

    mine.y += mine.x;
    mine.z += mine.y;
    mine.w += mine.z;
    out[i] = mine + (totals[get_group_id(0)] + work_group_scan_exclusive_add(mine.w));
}

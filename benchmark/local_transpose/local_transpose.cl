/* SPDX-License-Identifier: MIT */
/* Transposes a matrix by tiles of 16 x 16 in local memory, the rows one apart as against bank conflicts. */
#define TILE 16

__attribute__((reqd_work_group_size(TILE, TILE, 1))) kernel void
local_transpose(uint columns, uint rows, global const float *in, global float *out)
{
    local float tile[TILE][TILE + 1];
    uint x = get_local_id(0), y = get_local_id(1);
    uint left = get_group_id(0) * TILE, top = get_group_id(1) * TILE;

    tile[y][x] = in[(top + y) * columns + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(left + y) * rows + top + x] = tile[x][y];
}

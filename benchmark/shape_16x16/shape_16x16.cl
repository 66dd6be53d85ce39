/* SPDX-License-Identifier: MIT */
/* A filter of 5 x 5 over tiles that work-groups of 16 x 16 load to local memory with their margins. */
#define TILE 16
#define R 2
#define WIDE (TILE + 2 * R)

__attribute__((reqd_work_group_size(TILE, TILE, 1))) kernel void
shape_16x16(uint width, constant float *filter, global const float *in, global float *out)
{
    local float tile[WIDE][WIDE];
    uint x = get_local_id(0), y = get_local_id(1);
    global const float *corner = in + get_group_id(1) * TILE * width + get_group_id(0) * TILE;
    float sum = 0;

    for (uint i = y * TILE + x; i < WIDE * WIDE; i += TILE * TILE)
        tile[i / WIDE][i % WIDE] = corner[i / WIDE * width + i % WIDE];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = 0; j < 5; j++)
        for (uint i = 0; i < 5; i++)
            sum += filter[j * 5 + i] * tile[y + j][x + i];
    out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = sum;
}

/* SPDX-License-Identifier: MIT */
/* c = a * b with tiles of 16 x 16 in local memory, one work-item per element; n is a multiple of 16. */
#define TILE 16

__attribute__((reqd_work_group_size(TILE, TILE, 1))) kernel void
tiled_matmul(uint n, global const float *a, global const float *b, global float *c)
{
    local float ta[TILE][TILE], tb[TILE][TILE];
    uint column = get_global_id(0), row = get_global_id(1), x = get_local_id(0), y = get_local_id(1);
    float sum = 0;

    for (uint k0 = 0; k0 < n; k0 += TILE) {
        ta[y][x] = a[row * n + k0 + x];
        tb[y][x] = b[(k0 + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < TILE; k++)
            sum += ta[y][k] * tb[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

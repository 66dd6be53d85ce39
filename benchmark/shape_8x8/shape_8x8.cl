/* SPDX-License-Identifier: MIT */
/* Discrete cosine transform of blocks of 8 x 8, as in JPEG: a work-group to a block, columns then rows. */
#define N 8

__attribute__((reqd_work_group_size(N, N, 1))) kernel void
shape_8x8(constant float *basis, global const float *in, global float *out)
{
    local float block[N][N], half_way[N][N];
    uint x = get_local_id(0), y = get_local_id(1), width = get_global_size(0);
    size_t i = get_global_id(1) * width + get_global_id(0);
    float sum = 0;

    block[y][x] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < N; k++)
        sum += basis[y * N + k] * block[k][x];
    half_way[y][x] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0;
    for (uint k = 0; k < N; k++)
        sum += half_way[y][k] * basis[x * N + k];
    out[i] = sum;
}

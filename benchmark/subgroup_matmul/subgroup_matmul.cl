/* SPDX-License-Identifier: MIT */
/* c = a * b by sub-group broadcast: each lane holds one element of a's row and hands it round. Each work-
 * item makes ROWS elements of one column; depth is a multiple of the sub-group size. */
#define ROWS 4

kernel void
subgroup_matmul(uint depth, global const float *a, global const float *b, global float *c)
{
    uint column = get_global_id(0), row = get_global_id(1) * ROWS, columns = get_global_size(0);
    uint lane = get_sub_group_local_id(), size = get_max_sub_group_size();
    float sum[ROWS] = {0};

    for (uint k0 = 0; k0 < depth; k0 += size) {
        float mine[ROWS];
        for (uint r = 0; r < ROWS; r++)
            mine[r] = a[(row + r) * depth + k0 + lane];
        for (uint l = 0; l < size; l++) {
            float other = b[(k0 + l) * columns + column];
            for (uint r = 0; r < ROWS; r++)
                sum[r] += sub_group_broadcast(mine[r], l) * other;
        }
    }
    for (uint r = 0; r < ROWS; r++)
        c[(row + r) * columns + column] = sum[r];
}

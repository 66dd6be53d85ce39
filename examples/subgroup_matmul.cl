/* SPDX-License-Identifier: MIT */
/* c = a * b by sub-group broadcast: each lane holds one element of a's row and hands it round. One work-
 * item per element of c (global size: columns, rows); work-groups of one row and any width. */
kernel void
subgroup_matmul(uint depth, global const float *a, global const float *b, global float *c)
{
    uint column = get_global_id(0), row = get_global_id(1), columns = get_global_size(0);
    uint lane = get_sub_group_local_id(), size = get_sub_group_size();
    float sum = 0;

    for (uint k0 = 0; k0 < depth; k0 += size) {
        float mine = k0 + lane < depth ? a[row * depth + k0 + lane] : 0;
        uint count = min(size, depth - k0);
        for (uint l = 0; l < count; l++)
            sum += sub_group_broadcast(mine, l) * b[(k0 + l) * columns + column];
    }
    c[row * columns + column] = sum;
}

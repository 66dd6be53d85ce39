/* SPDX-License-Identifier: MIT */
/* c = a * b with tiles in local memory. One work-item per element of c (global size: columns, rows); a
 * work-group of any shape W x H loads tiles of H x DEPTH and DEPTH x W together, into `ta` and `tb`. */
#define DEPTH 8

kernel void
tiled_matmul(uint depth, global const float *a, global const float *b, global float *c, local float *ta,
             local float *tb)
{
    uint column = get_global_id(0), row = get_global_id(1), columns = get_global_size(0);
    uint x = get_local_id(0), y = get_local_id(1), width = get_local_size(0), height = get_local_size(1);
    float sum = 0;

    for (uint k0 = 0; k0 < depth; k0 += DEPTH) {
        for (uint k = x; k < DEPTH; k += width)
            ta[y * DEPTH + k] = k0 + k < depth ? a[row * depth + k0 + k] : 0;
        for (uint k = y; k < DEPTH; k += height)
            tb[k * width + x] = k0 + k < depth ? b[(k0 + k) * columns + column] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < DEPTH; k++)
            sum += ta[y * DEPTH + k] * tb[k * width + x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * columns + column] = sum;
}

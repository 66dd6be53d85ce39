/* SPDX-License-Identifier: MIT */
/* y = A * x, A in compressed sparse rows: one row per work-item, so that lanes run loops of different
 * lengths over gathered elements. */
kernel void
spmv(global const uint *starts, global const uint *columns, global const float *values, global const float *x,
     global float *y)
{
    size_t row = get_global_id(0);
    float sum = 0;

    for (uint i = starts[row], end = starts[row + 1]; i < end; i++)
        sum += values[i] * x[columns[i]];
    y[row] = sum;
}

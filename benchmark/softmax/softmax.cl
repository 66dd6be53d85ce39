/* SPDX-License-Identifier: MIT */
/* The softmax of each row, one work-group to a row. */
kernel void
softmax(uint columns, global const float *in, global float *out)
{
    global const float *row = in + get_group_id(0) * columns;
    global float *result = out + get_group_id(0) * columns;
    uint lid = get_local_id(0), width = get_local_size(0);
    float top = -INFINITY, sum = 0;

    for (uint i = lid; i < columns; i += width)
        top = fmax(top, row[i]);
    top = work_group_reduce_max(top);
    for (uint i = lid; i < columns; i += width) {
        float e = exp(row[i] - top);
        result[i] = e;
        sum += e;
    }
    float scale = 1 / work_group_reduce_add(sum);
    for (uint i = lid; i < columns; i += width)
        result[i] *= scale;
}

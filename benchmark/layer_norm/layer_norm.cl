/* SPDX-License-Identifier: MIT */
/* Rows brought to mean 0 and variance 1, then scaled and shifted: one work-group to a row, its sums by
 * sub-groups first, then over what these left in local memory. */
float
sum_of_group(float mine, local float *partial)
{
    float sum = sub_group_reduce_add(mine);

    if (get_sub_group_local_id() == 0)
        partial[get_sub_group_id()] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0;
    for (uint i = 0; i < get_num_sub_groups(); i++)
        sum += partial[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}

kernel void
layer_norm(uint columns, float epsilon, global const float *in, global const float *scale,
           global const float *shift, global float *out, local float *partial)
{
    size_t base = get_group_id(0) * columns;
    uint lid = get_local_id(0), width = get_local_size(0);
    float sum = 0, squares = 0;

    for (uint i = lid; i < columns; i += width)
        sum += in[base + i];
    float mean = sum_of_group(sum, partial) / columns;
    for (uint i = lid; i < columns; i += width) {
        float d = in[base + i] - mean;
        squares += d * d;
    }
    float factor = rsqrt(sum_of_group(squares, partial) / columns + epsilon);
    for (uint i = lid; i < columns; i += width)
        out[base + i] = (in[base + i] - mean) * factor * scale[i] + shift[i];
}

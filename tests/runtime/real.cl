// SPDX-License-Identifier: MIT
// What the runtime's tests run through the real compiler.
kernel void saxpy(uint n, float a, global const float *x, global float *y)
{
    uint i = get_global_id(0);
    if (i < n)
        y[i] = a * x[i] + y[i];
}

kernel void reverse(global uint *data, local uint *scratch)
{
    uint last = get_local_size(0) - 1, i = get_local_id(0);
    scratch[last - i] = data[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    data[get_global_id(0)] = scratch[i];
}

kernel void sums(global uint *out, global const uint *in)
{
    size_t i = get_global_linear_id();
    out[i] = sub_group_reduce_add(in[i]) * 1000 + get_sub_group_id() * 10 + get_num_sub_groups();
}

kernel void places(global uint *out)
{
    out[get_global_linear_id()] = get_local_linear_id() + 10000u * (get_group_id(0) + 10 * get_group_id(1) +
                                                                    100 * get_group_id(2));
}

kernel void where(global uint *out, uint width)
{
    out[(get_global_id(1) - get_global_offset(1)) * width + get_global_id(0) - get_global_offset(0)] =
        get_global_id(0) * 7 + get_global_id(1);
}

/* By rows and by columns, which are tiles then. */
kernel void tiled(global const uint *in, global uint *out, uint width, uint height)
{
    uint x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
    out[x * height + y] = in[y * width + x] + get_global_id(0) * 7 + get_global_id(1);
}

/* By columns: lanes follow dimension 1. */
kernel void turned(global uint *out, uint height)
{
    uint x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
    out[x * height + y] = get_global_id(0) * 7 + get_global_id(1);
}

/* Lanes follow dimension 2, and whatever can be asked about the others stays as it is. */
kernel void turned_queries(global uint *out, uint height, uint depth)
{
    uint x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1),
         z = get_global_id(2) - get_global_offset(2);
    uint all = get_global_size(0) + 3 * get_global_size(1) + 5 * get_global_size(2) + 7 * get_global_offset(0) +
               11 * get_global_offset(1) + 13 * get_global_offset(2) + get_work_dim();
    uint k = (x * height + y) * depth + z;
    out[2 * k] = get_global_linear_id();
    out[2 * k + 1] = all + 1000 * get_global_id(0) + 100000 * get_global_id(1) + 10000000 * get_global_id(2);
}

/* In every lane an id that is bounded by another one's size, in a range that lanes do not divide. */
kernel void turned_sums(global const float *a, global const float *b, global float *c, uint columns, uint depth)
{
    uint row = get_global_id(0), column = get_global_id(1);
    float sum = 0;
    if (column >= columns)
        return;
    for (uint k = 0; k < depth; k++)
        sum += a[row * depth + k] * b[k * columns + column];
    c[row * columns + column] = sum;
}

kernel void corners(global uint *out)
{
    size_t at = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
    out[at] = get_local_id(0) + 100 * get_local_id(1) + 10000 * get_local_id(2);
}

/* Quotients, rounds, guards and a narrow integer, all by arguments. */
kernel void by_arguments(global uint *out, global const uint *in, uint width, int rounds, ulong step, uchar bias, ushort end)
{
    uint i = get_global_id(0), x = i % width, y = i / width, sum = bias;
    if (i >= end)
        return;
    for (int k = 0; k < rounds; k++)
        sum += in[(y * width + x + k * step) & 16383] * (k + 1);
    out[i] = sum;
}

kernel void strides(global uint *to, global const uint *from, int n)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        to[i] = from[i] * 3 + 1;
}

kernel void strides_by_groups(global uint *to, global const uint *from, int n)
{
    int stride = get_num_groups(0) * get_local_size(0);
    for (int i = get_group_id(0) * get_local_size(0) + get_local_id(0); i < n; i += stride)
        to[i] = from[i] * 3 + 1;
}

kernel void strides_once_at_least(global uint *to, global const uint *from, int n)
{
    int i = get_global_id(0);
    do {
        to[i] = from[i] * 3 + 1;
        i += get_global_size(0);
    } while (i < n);
}

kernel void __attribute__((reqd_work_group_size(2, 1, 1)))
strides_demanded(global uint *to, global const uint *from, int n)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        to[i] = from[i] * 3 + 1;
}

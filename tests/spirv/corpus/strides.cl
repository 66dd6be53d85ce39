/* SPDX-License-Identifier: MIT */
/* Loops by grid strides; the names tell what number of 31 bits the bound is multiplied by, 0: they are none. */
kernel void
times_1(global float *to, global const float *from, int n)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        to[i] = from[i] * 2;
}

kernel void
times_1_unsigned(global float *to, global const float *from, uint n)
{
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        to[i] = from[i] * 2;
}

kernel void
times_1_by_groups(global float *to, global const float *from, int n)
{
    int first = get_group_id(0) * get_local_size(0) + get_local_id(0);
    int stride = get_num_groups(0) * get_local_size(0);
    for (int i = first; i < n; i += stride)
        to[i] = from[i] * 2;
}

kernel void
times_3_at_least(global float *to, global const float *from, int n)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        to[3 * i] = from[i];
}

kernel void
times_1000_at_least(global float *to, global const float *from, int n)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        to[i] = from[1000 * i + 17];
}

/* The last id may be any: the low bits alone are asked for. */
kernel void
times_0(global float *to, global const float *from, int n)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        to[i & 63] += from[i];
}

kernel void
times_0_short(global float *to, global const float *from, short n)
{
    for (short i = get_global_id(0); i < n; i += get_global_size(0))
        to[i] = from[i];
}

/* Every other round comes to one place, all the way round the memory. */
kernel void
times_0_all_round(global float *to, global const float *from, int n)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        if (from[i] > 0)
            to[(ulong)i << 61] += from[i];
}

/* SPDX-License-Identifier: MIT */
/* Kernels for several ranks: each element's value is known without running anything. */

/* Everything that a work-item can ask of the range. */
kernel void
where_am_i(global ulong *out)
{
    size_t i = get_global_id(0);
    out[8 * i + 0] = i;
    out[8 * i + 1] = get_group_id(0);
    out[8 * i + 2] = get_local_id(0);
    out[8 * i + 3] = get_num_groups(0);
    out[8 * i + 4] = get_global_size(0);
    out[8 * i + 5] = get_global_offset(0);
    out[8 * i + 6] = get_local_size(0);
    out[8 * i + 7] = get_global_linear_id();
}

kernel void
scale(global const float *x, global const float *table, global float *y)
{
    size_t i = get_global_id(0);
    y[i] = x[i] * table[i % 7];
}

/* One result per work-group. */
kernel void
group_sums(global const int *in, global int *out)
{
    local int sum;
    if (get_local_id(0) == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&sum, in[get_global_id(0)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = sum;
}

kernel void
rows(global const int *in, global int *out, int width)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[y * width + x] = 3 * in[y * width + x] + 1000 * (int)get_group_id(1) + (int)get_num_groups(1);
}

/* Reads its neighbours. */
kernel void
stencil(global const int *in, global int *out, int n, int reach)
{
    int i = get_global_id(0), left = i < reach ? 0 : i - reach, right = i + reach < n ? i + reach : n - 1;
    out[i] = in[left] + 2 * in[i] + in[right];
}

kernel void
count(global const int *in, global int *sum, global int *least, global uint *most)
{
    int v = in[get_global_id(0)];
    atomic_add(sum, v);
    atomic_min(least, v);
    atomic_max(most, (uint)v);
}

/* One place per work-group of a float and of a double: a reduction of many. */
kernel void
spread(global float *f, global double *d, global long *l, global half *h)
{
    size_t i = get_global_id(0);
    f[i] = i * 0.5f;
    d[i] = i * 0.25;
    l[i] = -(long)i;
    vstore_half((float)i, i, h);
}

/* Writes a place that another rank has. */
kernel void
turned_over(global int *out, int n, int by)
{
    int i = get_global_id(0);
    out[(i + by) % n] = i;
}

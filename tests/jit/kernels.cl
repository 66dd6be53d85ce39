/* SPDX-License-Identifier: MIT */
/* Kernels for the pipeline's test: out[i] for each work-item i, linear over the NDRange's work-groups. */

static size_t group_linear(void)
{
    return get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2));
}

#define HERE (group_linear() * 1024 + get_local_linear_id())

kernel void reduce(global int *out, global const int *in, local int *tmp, uint n)
{
    size_t l = get_local_linear_id(), size = get_local_size(0) * get_local_size(1) * get_local_size(2);
    tmp[l] = in[HERE];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t count = size; count > 1; count = (count + 1) / 2) {
        if (l < count / 2)
            tmp[l] += tmp[l + (count + 1) / 2];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[HERE] = tmp[0] + (int)n;
}

kernel void scan(global int *out, global const int *in, local int *tmp, uint n)
{
    size_t l = get_local_linear_id(), size = get_local_size(0) * get_local_size(1) * get_local_size(2);
    int sum = in[HERE];
    for (size_t step = 1; step < size; step *= 2) {
        tmp[l] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l >= step)
            sum += tmp[l - step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[HERE] = sum * (int)n;
}

kernel void arrays(global int *out, global const int *in, local int *tmp, uint n)
{
    size_t l = get_local_linear_id(), size = get_local_size(0) * get_local_size(1) * get_local_size(2);
    int mine[5];
    for (int i = 0; i < 5; i++)
        mine[i] = in[HERE] + i;
    for (uint i = 0; i < n; i++) {
        tmp[l] = mine[i % 5];
        barrier(CLK_LOCAL_MEM_FENCE);
        mine[(in[HERE] + i) % 5] += tmp[size - 1 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[HERE] = mine[0] ^ mine[1] ^ mine[2] ^ mine[3] ^ mine[4];
}

kernel void collatz(global int *out, global const int *in, local int *tmp, uint n)
{
    int x = in[HERE], steps = 0;
    if (x % 7 == 3)
        return;
    while (x > 1) {
        x = x & 1 ? 3 * x + 1 : x / 2;
        if (++steps > (int)n * 10)
            break;
    }
    out[HERE] = steps;
}

kernel void fixed_local(global int *out, global const int *in, local int *tmp, uint n)
{
    local int all[1024];
    local int first;
    size_t l = get_local_linear_id(), size = get_local_size(0) * get_local_size(1) * get_local_size(2);
    all[l] = in[HERE];
    if (l == 0)
        first = in[HERE] * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    tmp[l] = all[(l + n) % size] + first;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[HERE] = tmp[(l + 1) % size];
}

/* A loop whose condition is loaded, a barrier in each arm of an if that all work-items take alike. */
kernel void loaded(global int *out, global const int *in, local int *tmp, uint n)
{
    size_t l = get_local_linear_id(), size = get_local_size(0) * get_local_size(1) * get_local_size(2);
    uint sum = (uint)l;
    for (int i = 0; in[i] % 16; i++) {
        if (in[i] & 1) {
            tmp[l] = (int)sum;
            barrier(CLK_LOCAL_MEM_FENCE);
            sum += tmp[size - 1 - l];
        } else {
            sum *= 3;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[HERE] = (int)sum;
}

kernel void ids(global int *out, global const int *in, local int *tmp, uint n)
{
    out[HERE] = (int)(get_global_id(0) + 100 * get_global_id(1) + 10000 * get_global_id(2) +
                      1000000 * get_local_id(0) + 20000000 * get_local_id(1) + 300000000 * (get_local_id(2) & 1));
}

#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void sub_groups(global int *out, global const int *in, local int *tmp, uint n)
{
    int x = in[HERE];
    int sum = sub_group_reduce_add(x), before = sub_group_scan_exclusive_add(x);
    int most = work_group_reduce_max(x), scan = work_group_scan_inclusive_add(x);
    out[HERE] = sum * 7 + before * 5 + most * 3 + scan + (int)(get_sub_group_id() * 1000 + get_num_sub_groups() * 100000 +
                get_sub_group_size() * 17 + get_sub_group_local_id() * 31);
}

struct parts {
    char a;
    int b;
    long c[2];
};

kernel void by_value(global int *out, char c, struct parts p, short3 v, local int *tmp, double d)
{
    size_t l = get_local_linear_id();
    tmp[l] = c + p.a * 2 + p.b * 3 + (int)p.c[1] + v.z;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[HERE] = tmp[l ? l - 1 : 0] + (int)d + (int)l;
}

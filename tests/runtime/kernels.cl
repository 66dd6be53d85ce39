// SPDX-License-Identifier: MIT
// What the runtime's tests dispatch. The fake compiler runs C code instead of the bodies: they are here for what
// reflection sees in them.
kernel void plain(global uint *record, uint k)
{
    record[get_global_id(0) + get_global_id(1) * 7 + get_global_id(2)] = k;
}

kernel void strided(global uint *record, uint k, uint stride, ulong step)
{
    for (ulong i = 0; i < k; i += step)
        record[get_global_id(0) * stride + i] = k;
}

/* Looks at what others write, in a loop. */
kernel void probing(volatile global uint *record, uint k)
{
    while (atomic_cmpxchg(&record[k], 0u, 1u) != 0)
        k++;
}

kernel void grouped(global uint *record)
{
    record[get_group_id(0)] = get_local_id(0) + get_local_id(1) + get_local_id(2);
}

kernel void barriered(global uint *record, local uint *scratch)
{
    scratch[get_local_id(0)] = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    record[get_global_id(0)] = scratch[get_local_size(0) - 1 - get_local_id(0)];
}

kernel void two_locals(global uint *record, local uchar *a, local double *b)
{
    local uint own[5];
    own[get_local_id(0) % 5] = a[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    record[get_global_id(0)] = own[0] + (uint)b[0];
}

kernel void observing(global uint *record)
{
    record[get_global_id(0)] = sub_group_reduce_add(record[get_global_id(0)]);
}

kernel void summing(global uint *record)
{
    record[get_group_id(0)] = work_group_reduce_add(record[get_global_id(0)]);
}

kernel void dividing(global float *p)
{
    size_t i = get_global_id(0);
    p[i] = sqrt(p[i]) / (1 + p[i]) + 1 / p[i];
}

kernel void telling(global float *p, local float *partial)
{
    float mine = sub_group_reduce_add(p[get_global_id(0)]), sum = 0;

    partial[get_sub_group_id()] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < get_num_sub_groups(); i++)
        sum += partial[i];
    p[get_global_id(0)] = sum;
}

kernel void scanning(global float *p)
{
    size_t i = get_global_id(0);
    p[i] = work_group_scan_inclusive_add(p[i]);
}

/* May wait for others, as far as the runtime knows. */
kernel void counting(global uint *record)
{
    while (atomic_add(&record[get_global_id(0) & 15], 1u) < get_group_id(0))
        ;
}

kernel __attribute__((reqd_work_group_size(8, 4, 1))) void required(global uint *record)
{
    record[get_local_id(0)] = 1;
}

kernel __attribute__((work_group_size_hint(32, 2, 1))) void hinted(global uint *record)
{
    record[get_local_id(0)] = 1;
}

kernel void saxpy(uint n, float a, global const float *x, global float *y)
{
    uint i = get_global_id(0);
    if (i < n)
        y[i] = a * x[i] + y[i];
}

kernel void scalars(global uchar *record, uchar c, ushort s, ulong l, double d, local uint *scratch)
{
    scratch[0] = c;
    barrier(CLK_LOCAL_MEM_FENCE);
    record[get_global_id(0)] = (uchar)(scratch[0] + s + l + d);
}

kernel void vector(global float4 *record, float4 v)
{
    record[get_global_id(0)] = v;
}

/* A loop that waits for its own results, in a function too that only computes. */
__attribute__((noinline)) float
step_of(float x)
{
    return sqrt(x * x + 0.5f);
}

kernel void stepping(global float *out)
{
    float x = get_global_id(0);
    for (uint k = 0; k < 96 && x < 60.0f; k++)
        x += step_of(x);
    out[get_global_id(0)] = x;
}

/* The same where the function reads and writes. */
__attribute__((noinline)) float
step_in_memory(global float *at, float x)
{
    at[1] = at[0] + x;
    return sqrt(at[2]);
}

kernel void stepping_in_memory(global float *out)
{
    float x = get_global_id(0);
    for (uint k = 0; k < 96 && x < 60.0f; k++)
        x += step_in_memory(out + 4 * get_global_id(0), x);
    out[get_global_id(0)] = x;
}

kernel void narrow(global uchar *record, uint k)
{
    record[get_global_id(0)] = (uchar)k;
}

kernel void far_apart(global uint *to, global const uint *from, int n)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        to[i] = from[1000 * i];
}

/* SPDX-License-Identifier: MIT */
/* Kernel arguments of every kind, and memory of every kind. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef struct {
    char a;
    float3 b;
    short c;
    double d[3];
    char e;
} natural;

typedef struct __attribute__((packed)) {
    char a;
    int b;
    short c;
} packed;

constant int table[5] = {3, 1, 4, 1, 5};

__attribute__((noinline)) float
helper(natural n, packed p, local int *l)
{
    return n.b.y + (float)n.d[1] + p.b + p.c + l[1] + n.e;
}

kernel __attribute__((reqd_work_group_size(8, 4, 2))) void
arguments(global float *restrict out, global const uchar *in, local int *scratch, natural n, packed p, ushort s,
          double3 v, constant half *h, char c, ulong2 u)
{
    local int tile[33];
    local double wide[4];
    tile[get_local_id(0)] = in[get_local_id(1)];
    wide[get_local_id(2)] = v.z;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = helper(n, p, scratch) + s + (float)v.x + vload_half(1, h) + c + u.y + tile[3] +
                            (float)wide[1] + table[s % 5];
}

kernel __attribute__((work_group_size_hint(64, 1, 1))) void
plain(global int *out, int factor)
{
    out[get_global_id(0)] = factor * (int)get_global_size(0);
}

kernel void columns(global const float *in, global float *out, uint n)
{
    uint x = get_global_id(0), y = get_global_id(1);
    out[x * n + 2 * y + 1] = in[y * n + x];
}

kernel void columns_of_1024(global float *out)
{
    out[(get_global_id(0) << 10) + get_global_id(1)] = 1;
}

kernel void rows(global const float *in, global float *out, uint n)
{
    uint x = get_global_id(0), y = get_global_id(1);
    out[y * n + 4 * x] = in[(y + 1) * n + x] + in[x * n + 3] + in[x * n + y * n] + in[x + y] + in[y];
}

/* A counter that begins at an id: rows of b are a row's length apart along dimension 1, too. */
kernel void triangle(global const float *a, global const float *b, global float *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1), k = y;
    float sum = 0;
    do
        sum += a[k * n] * b[k * n + x];
    while (++k < n);
    c[y * n + x] = sum;
}

/* SPDX-License-Identifier: MIT */
/* Trees of `if (tid < s)`, as a generation learned reductions from CUDA's samples, and what people make of them. */
#ifndef REAL
#define REAL float
#define REAL2 float2
#define REAL3 float3
#define REAL4 float4
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void
reduce_modulo(global const int *g_idata, global int *g_odata, local int *sdata)
{
    unsigned int tid = get_local_id(0), i = get_global_id(0);

    sdata[tid] = g_idata[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (unsigned int s = 1; s < get_local_size(0); s *= 2) {
        if ((tid % (2 * s)) == 0)
            sdata[tid] += sdata[tid + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (tid == 0)
        g_odata[get_group_id(0)] = sdata[0];
}

kernel void
reduce_strided(global const REAL *g_idata, global REAL *g_odata, local REAL *sdata)
{
    unsigned int tid = get_local_id(0), i = get_global_id(0);

    sdata[tid] = g_idata[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (unsigned int s = 1; s < get_local_size(0); s *= 2) {
        int index = 2 * s * tid;
        if (index < get_local_size(0))
            sdata[index] += sdata[index + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (tid == 0)
        g_odata[get_group_id(0)] = sdata[0];
}

/* Several elements a thread, the last steps written out. */
kernel void
reduce_unrolled(global const REAL *g_idata, global REAL *g_odata, unsigned int n, local REAL *sdata)
{
    unsigned int tid = get_local_id(0), block = get_local_size(0);
    unsigned int i = get_group_id(0) * block * 2 + tid, grid = block * 2 * get_num_groups(0);

    sdata[tid] = 0;
    while (i < n) {
        sdata[tid] += g_idata[i];
        if (i + block < n)
            sdata[tid] += g_idata[i + block];
        i += grid;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (block >= 256) {
        if (tid < 128)
            sdata[tid] += sdata[tid + 128];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (block >= 128) {
        if (tid < 64)
            sdata[tid] += sdata[tid + 64];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (unsigned int s = 32; s > 0; s >>= 1) {
        if (tid < s)
            sdata[tid] += sdata[tid + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (tid == 0)
        g_odata[get_group_id(0)] = sdata[0];
}

/* The sum is kept in local memory in every round of a grid-stride loop, in small groups. */
kernel void
dot_grid_stride(global const double *a, global const double *b, global double *sum, local double *wg_sum, int n)
{
    size_t i = get_global_id(0);
    const size_t local_i = get_local_id(0);

    wg_sum[local_i] = 0.0;
    for (; i < n; i += get_global_size(0))
        wg_sum[local_i] += a[i] * b[i];
    for (int offset = get_local_size(0) / 2; offset > 0; offset /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (local_i < offset)
            wg_sum[local_i] += wg_sum[local_i + offset];
    }
    if (local_i == 0)
        sum[get_group_id(0)] = wg_sum[local_i];
}

/* Least value and where it is. */
kernel void
arg_min(global const float *values, global float *least, global int *where, int n)
{
    local float v[128];
    local int at[128];
    int t = get_local_id(0);
    float mine = MAXFLOAT;
    int my_at = -1;

    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        if (values[i] < mine) {
            mine = values[i];
            my_at = i;
        }
    v[t] = mine;
    at[t] = my_at;
    for (int s = 64; s > 0; s >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < s && (v[t + s] < v[t] || (v[t + s] == v[t] && at[t + s] < at[t]))) {
            v[t] = v[t + s];
            at[t] = at[t + s];
        }
    }
    if (t == 0) {
        least[get_group_id(0)] = v[0];
        where[get_group_id(0)] = at[0];
    }
}

/* Sums of rows: one work-item a row. */
kernel void
row_sums(global const REAL *m, global REAL *sums, int rows, int cols)
{
    int r = get_global_id(0);
    REAL s = (REAL)0.0;

    if (r >= rows)
        return;
    for (int c = 0; c < cols; c++)
        s += m[r * cols + c];
    sums[r] = s;
}

/* Sums of columns: one work-item a column. */
kernel void
column_sums(global const REAL *m, global REAL *sums, int rows, int cols)
{
    int c = get_global_id(0);
    REAL s = (REAL)0.0;

    for (int r = 0; r < rows; r++)
        s += m[r * cols + c];
    sums[c] = s;
}

/* The largest of bytes, all atomics on one word. */
kernel void
atomic_max_bytes(global const uchar *bytes, global int *most)
{
    atomic_max(most, (int)bytes[get_global_id(0)]);
}

/* SPDX-License-Identifier: MIT */
/* What generators print: pyopencl's elementwise, reduction and scan kernels, loopy's splits and prefetches, reikna's
 * virtual sizes, SYCL kernels as DPC++ lowers them to functions with accessors by value, all in their manner. */
#ifndef REAL
#define REAL float
#define REAL2 float2
#define REAL3 float3
#define REAL4 float4
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif


/* ---- pyopencl ---- */
#define PYOPENCL_ELWISE_CONTINUE continue

kernel void
elementwise_axpbyz(global REAL *z__base, long z__offset, REAL a, global REAL *x__base, long x__offset, REAL b,
                   global REAL *y__base, long y__offset, long n)
{
    int lid = get_local_id(0);
    int gsize = get_global_size(0);
    int work_group_start = get_local_size(0) * get_group_id(0);
    long i;
    global REAL *z = (global REAL *)((global char *)z__base + z__offset);
    global REAL *x = (global REAL *)((global char *)x__base + x__offset);
    global REAL *y = (global REAL *)((global char *)y__base + y__offset);

    for (i = work_group_start + lid; i < n; i += gsize) {
        z[i] = a * x[i] + b * y[i];
    }
}

#define GROUP_SIZE 128
#define READ_AND_MAP(i) ((x[i]) * (y[i]))
#define REDUCE(a, b) ((a) + (b))

kernel void
reduction_stage1(global float *out__base, long out__offset, global const float *x, global const float *y, long start,
                 long step, long stop, unsigned int seq_count, long n)
{
    global float *out = (global float *)((global char *)out__base + out__offset);
    local float ldata[GROUP_SIZE];
    unsigned int lid = get_local_id(0);
    const long base_idx = get_group_id(0) * GROUP_SIZE * (long)seq_count + lid;
    long i = base_idx;
    float acc = 0;

    for (unsigned s = 0; s < seq_count; ++s) {
        if (i >= n)
            break;
        acc = REDUCE(acc, READ_AND_MAP(start + i * step));
        i += GROUP_SIZE;
    }
    ldata[lid] = acc;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < 64)
        ldata[lid] = REDUCE(ldata[lid], ldata[lid + 64]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (unsigned s = 32; s > 0; s /= 2) {
        if (lid < s) {
            local volatile float *lvdata = ldata;
            lvdata[lid] = REDUCE(lvdata[lid], lvdata[lid + s]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        out[get_group_id(0)] = ldata[0];
}

/* A scan's first level: K elements a work-item, through local memory, turned and padded. */
#define WG_SIZE 64
#define K 8
kernel void
scan_lev1(global const int *ary, global int *out, global int *interval_results, const long N, const long interval_size)
{
    local int ldata[K + 1][WG_SIZE + 1];
    const unsigned L = get_local_id(0);
    const long interval_begin = interval_size * get_group_id(0);
    const long interval_end = min(interval_begin + interval_size, N);
    int carry = 0;

    for (long unit_base = interval_begin; unit_base < interval_end; unit_base += K * WG_SIZE) {
        for (unsigned k = 0; k < K; k++) {
            const unsigned offset = k * WG_SIZE + L;
            const long read_i = unit_base + offset;
            ldata[offset % K][offset / K] = read_i < interval_end ? ary[read_i] : 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int sum = ldata[0][L];
        for (unsigned k = 1; k < K; k++) {
            sum = sum + ldata[k][L];
            ldata[k][L] = sum;
        }
        ldata[K][L] = sum;
        for (int offset = 1; offset < WG_SIZE; offset *= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            int other = (int)L >= offset ? ldata[K][L - offset] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            sum = other + sum;
            ldata[K][L] = sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int before = carry + (L > 0 ? ldata[K][L - 1] : 0);
        carry += ldata[K][WG_SIZE - 1];
        for (unsigned k = 0; k < K; k++)
            ldata[k][L] = before + ldata[k][L];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (unsigned k = 0; k < K; k++) {
            const unsigned offset = k * WG_SIZE + L;
            const long write_i = unit_base + offset;
            if (write_i < interval_end)
                out[write_i] = ldata[offset % K][offset / K];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (L == 0)
        interval_results[get_group_id(0)] = carry;
}
#undef K

/* ---- loopy ---- */
#define lid(N) ((int)get_local_id(N))
#define gid(N) ((int)get_group_id(N))

kernel void __attribute__((reqd_work_group_size(16, 16, 1)))
loopy_matmul(__global REAL const *__restrict__ a, __global REAL const *__restrict__ b, __global REAL *__restrict__ c,
             int const n)
{
    __local REAL a_fetch[16 * 16];
    __local REAL b_fetch[16 * 16];
    REAL acc_k;

    if (-1 + -16 * gid(1) + -1 * lid(1) + n >= 0 && -1 + -16 * gid(0) + -1 * lid(0) + n >= 0)
        acc_k = (REAL)0.0;
    for (int k_outer = 0; k_outer <= -1 + (15 + n) / 16; ++k_outer) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (-1 + -16 * k_outer + -1 * lid(0) + n >= 0 && -1 + -16 * gid(1) + -1 * lid(1) + n >= 0)
            a_fetch[16 * lid(1) + lid(0)] = a[n * (16 * gid(1) + lid(1)) + 16 * k_outer + lid(0)];
        if (-1 + -16 * k_outer + -1 * lid(1) + n >= 0 && -1 + -16 * gid(0) + -1 * lid(0) + n >= 0)
            b_fetch[16 * lid(1) + lid(0)] = b[n * (16 * k_outer + lid(1)) + 16 * gid(0) + lid(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (-1 + -16 * gid(1) + -1 * lid(1) + n >= 0 && -1 + -16 * gid(0) + -1 * lid(0) + n >= 0)
            for (int k_inner = 0; k_inner <= (-17 + n + -16 * k_outer >= 0 ? 15 : -1 + n + -16 * k_outer); ++k_inner)
                acc_k = acc_k + a_fetch[16 * lid(1) + k_inner] * b_fetch[16 * k_inner + lid(0)];
    }
    if (-1 + -16 * gid(1) + -1 * lid(1) + n >= 0 && -1 + -16 * gid(0) + -1 * lid(0) + n >= 0)
        c[n * (16 * gid(1) + lid(1)) + 16 * gid(0) + lid(0)] = acc_k;
}

/* Finite elements: derivatives in a reference cube, elements by dimension 0, nodes by dimension 1, unrolled ilp. */
kernel void __attribute__((reqd_work_group_size(16, 8, 1)))
loopy_derivatives(__global double const *__restrict__ u, __global double const *__restrict__ d,
                  __global double *__restrict__ out, int const elements)
{
    double acc[2];

    for (int i_outer = 0; i_outer <= 1; ++i_outer)
        for (int k_ilp = 0; k_ilp <= 1; ++k_ilp)
            if (-1 + -32 * gid(0) + -1 * lid(0) + -16 * k_ilp + elements >= 0) {
                acc[k_ilp] = 0.0;
                for (int j = 0; j <= 15; ++j)
                    acc[k_ilp] = acc[k_ilp] + d[16 * (lid(1) + i_outer * 8) + j] *
                                                  u[elements * j + lid(0) + gid(0) * 32 + k_ilp * 16];
                out[elements * (lid(1) + i_outer * 8) + lid(0) + gid(0) * 32 + k_ilp * 16] = acc[k_ilp];
            }
}

/* ---- reikna ---- */
typedef struct {
    float x, y;
} module_complex;

static inline int
virtual_flat_id(void)
{
    return (int)(get_group_id(1) * get_num_groups(0) + get_group_id(0)) * 64 + (int)get_local_id(0);
}

static inline bool
virtual_skip(int virtual_size)
{
    return virtual_flat_id() >= virtual_size;
}

static inline module_complex
complex_mul(module_complex a, module_complex b)
{
    return (module_complex){a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

kernel void
reikna_complex(global module_complex *out, global const module_complex *a, global const module_complex *b, float scale,
               int size0, int size1)
{
    if (virtual_skip(size0 * size1))
        return;
    int id = virtual_flat_id();
    int idx0 = id / size1, idx1 = id - idx0 * size1;
    module_complex v = complex_mul(a[idx0 * size1 + idx1], b[idx1 * size0 + idx0]);

    v.x *= scale;
    v.y *= scale;
    out[id] = v;
}

/* ---- SYCL ---- */
typedef struct {
    size_t common_array[2];
} sycl_range2;
typedef struct {
    size_t common_array[1];
} sycl_id1;

/* parallel_for over a range<2>: items of ids turned round, accessors as pointer, two ranges and an offset. */
kernel void
sycl_stencil(global REAL *_arg_out, ulong2 _arg_out_range, ulong2 _arg_out_mem, ulong2 _arg_out_id,
             global const REAL *_arg_in, ulong2 _arg_in_range, ulong2 _arg_in_mem, ulong2 _arg_in_id, REAL w)
{
    sycl_range2 id = {{get_global_id(1), get_global_id(0)}};
    global REAL *out = _arg_out + (_arg_out_id.x * _arg_out_mem.y + _arg_out_id.y);
    global const REAL *in = _arg_in + (_arg_in_id.x * _arg_in_mem.y + _arg_in_id.y);
    size_t rows = _arg_out_range.x, cols = _arg_out_range.y;

    if (id.common_array[0] == 0 || id.common_array[1] == 0 || id.common_array[0] == rows - 1 ||
        id.common_array[1] == cols - 1)
        return;
    size_t linear = id.common_array[0] * _arg_out_mem.y + id.common_array[1];
    out[linear] = w * in[linear] + ((REAL)1.0 - w) * (REAL)0.25 *
                                       (in[linear - 1] + in[linear + 1] + in[linear - _arg_in_mem.y] +
                                        in[linear + _arg_in_mem.y]);
}

/* A rounded range: a wrapper that goes through what is left, with the user's number of items by value. */
static void
sycl_body(sycl_id1 item, global int *data, global const int *index, int factor)
{
    data[item.common_array[0]] += factor * index[item.common_array[0]];
}

kernel void
sycl_rounded(ulong _arg_user_range, global int *_arg_data, global const int *_arg_index, int _arg_factor)
{
    for (size_t i = get_global_id(0); i < _arg_user_range; i += get_global_size(0)) {
        sycl_id1 item = {{i}};
        sycl_body(item, _arg_data, _arg_index, _arg_factor);
    }
}

#ifdef __opencl_c_work_group_collective_functions
/* An nd_range kernel: local accessor, group barrier, reduction over the group by the library. */
kernel void
sycl_group_reduce(global const double *_arg_in, global double *_arg_out, local double *_arg_scratch)
{
    size_t g = get_global_id(0), l = get_local_id(0), n = get_local_size(0);

    _arg_scratch[l] = _arg_in[g] * _arg_in[g];
    work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_work_group);
    double value = _arg_scratch[n - 1 - l];
    double sum = work_group_reduce_add(value);
    if (l == 0)
        _arg_out[get_group_id(0)] = sqrt(sum);
}
#endif

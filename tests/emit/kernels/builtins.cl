/* SPDX-License-Identifier: MIT */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void scalar_math(global float *o, global const float *a)
{
    size_t i = get_global_id(0);
    float x = a[i], p;
    int e;
    o[i] = exp(x) + sin(x) + pow(x, 3.0f) + fma(x, x, x) + mad(x, x, x) + fract(x, &p) + p + sincos(x, &p) + p;
    o[i] += frexp(x, &e) + e + lgamma_r(x, &e) + e + remquo(x, 3.0f, &e) + e + modf(x, &p) + p + ldexp(x, 3);
    o[i] += native_sin(x) + half_exp(x) + clamp(x, 0.0f, 1.0f) + mix(x, x, 0.5f) + nan(3u) + ilogb(x) + step(x, 2.0f);
}
kernel void vector_math(global float4 *o, global const float4 *a, global double2 *d, global int3 *n)
{
    size_t i = get_global_id(0);
    float4 x = a[i], p;
    int4 e;
    o[i] = exp(x) + fract(x, &p) + p + sincos(x, &o[i + 1]) + frexp(x, &e) + convert_float4(e) + ldexp(x, e) + pown(x, e);
    d[i] = sqrt(d[i]) + fmax(d[i], 2.0);
    n[i] = abs_diff(n[i], 3) == 2 ? max(n[i], 1) : hadd(n[i], n[i]);
    prefetch(a, 4);
}
kernel void geometric(global float *o, global const float4 *a, global double *d)
{
    float4 x = a[0], y = a[1];
    vstore4(cross(x, y), 0, o);
    o[4] = dot(x, y);
    o[5] = length(x);
    o[6] = distance(x, y);
    vstore4(normalize(x), 2, o);
    o[12] = fast_length(x.xyz);
    o[13] = fast_distance(x.xy, y.xy);
    vstore3(fast_normalize(x.xyz), 5, o);
    o[18] = length(x.x);
    vstore3(normalize(y.xyz), 7, o);
    d[2] = length(vload2(0, d));
    vstore2(normalize(vload2(0, d)), 2, d);
}
kernel void loads(global float *o, global const half *h, global half *w, global int *n)
{
    o[0] = vload_half(1, h);
    vstore4(vload_half4(0, h), 1, o);
    vstore3(vloada_half3(1, h), 4, o);
    vstore3(vload_half3(1, h), 5, o);
    vstore_half(o[20], 0, w);
    vstore_half_rtz(o[20], 1, w);
    vstore_half_rtp(o[20], 2, w);
    vstore_half_rtn(o[20], 3, w);
    vstore_half_rte(o[20], 4, w);
    vstore_half3_rtp(vload3(7, o), 2, w);
    vstorea_half3_rtz(vload3(7, o), 3, w);
    vstorea_half4(vload4(5, o), 4, w);
    vstore3(vload3(1, n) + 1, 0, n);
    vstore16(vload16(1, n), 2, n);
}
kernel void halves_from_double(global half *w, global const double *d)
{
    size_t i = get_global_id(0);
    vstore_half(d[i], i * 5, w);
    vstore_half_rte(d[i], i * 5 + 1, w);
    vstore_half_rtz(d[i], i * 5 + 2, w);
    vstore_half_rtp(d[i], i * 5 + 3, w);
    vstore_half_rtn(d[i], i * 5 + 4, w);
}
kernel void shuffled(global int4 *o, global const int4 *a, uint4 m, int k)
{
    o[0] = shuffle(a[0], m);
    o[1] = shuffle2(a[0], a[1], m);
    o[2] = select(a[0], a[1], a[2]);
    o[3] = bitselect(a[0], a[1], a[2]);
    int4 v = a[0];
    ((int *)&v)[k & 3] = 5;
    o[4] = v;
    o[5].x = select(a[0].x, a[1].x, a[2].x);
}

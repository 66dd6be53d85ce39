/* SPDX-License-Identifier: MIT */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void ints(global int *o, global const int *a, global const int *b)
{
    size_t i = get_global_id(0);
    int x = a[i], y = b[i];
    uint u = x, v = y;
    o[i * 16 + 0] = x + y;
    o[i * 16 + 1] = x - y;
    o[i * 16 + 2] = x * y;
    o[i * 16 + 3] = x / (y | 1);
    o[i * 16 + 4] = x % (y | 3);
    o[i * 16 + 5] = u / (v | 1);
    o[i * 16 + 6] = u % (v | 5);
    o[i * 16 + 7] = x << y;
    o[i * 16 + 8] = x >> y;
    o[i * 16 + 9] = u >> v;
    o[i * 16 + 10] = (x & y) ^ (x | ~y);
    o[i * 16 + 11] = popcount(x) + clz(x) * 64;
    o[i * 16 + 12] = x < y ? -x : y;
    o[i * 16 + 13] = (u < v) & (x != y);
    o[i * 16 + 14] = mul_hi(x, y) + rotate(x, y);
    o[i * 16 + 15] = (int)((long)x * y >> 7) + (short)x * (char)y;
}
kernel void floats(global float *o, global const float *a, global const float *b)
{
    size_t i = get_global_id(0);
    float x = a[i], y = b[i];
    o[i * 12 + 0] = x + y;
    o[i * 12 + 1] = x - y;
    o[i * 12 + 2] = x * y;
    o[i * 12 + 3] = x / y;
    o[i * 12 + 4] = fmod(x, y);
    o[i * 12 + 5] = isnan(x) + 2 * isinf(x) + 4 * isfinite(x) + 8 * isnormal(x) + 16 * (signbit(x) != 0);
    o[i * 12 + 6] = isless(x, y) + 2 * islessgreater(x, y) + 4 * isunordered(x, y) + 8 * isordered(x, y);
    o[i * 12 + 7] = (x < y) + 2 * (x <= y) + 4 * (x == y) + 8 * (x != y) + 16 * (x > y) + 32 * (x >= y);
    o[i * 12 + 8] = x > y ? x : -y;
    o[i * 12 + 9] = as_float(as_int(x) ^ 1);
    o[i * 12 + 10] = (float)((double)x * (double)y);
    o[i * 12 + 11] = !(x < y) + 2 * !(x == y);
}
kernel void vectors(global int4 *o, global const int4 *a, global float3 *f)
{
    size_t i = get_global_id(0);
    int4 x = a[i];
    float3 g = f[i];
    o[i] = (x.wzyx + (int4)(1, 2, 3, 4)) * select(x, -x, x < 0) + any(x) + 2 * all(x);
    f[i] = g.zxy * 2.0f + dot(g, g) + any(isnan(g));
}
kernel void narrow(global char *c, global short *s, global ulong *l, global uchar4 *v, global ushort8 *w)
{
    size_t i = get_global_id(0);
    c[i] = c[i] * 3 + 1;
    s[i] = s[i] / 3 - (s[i] >> 2);
    l[i] = l[i] * l[i] + mad_sat(c[i], c[i], c[i]);
    v[i] = v[i] + (uchar4)(1, 2, 3, 4);
    w[i] = w[i] << (ushort8)(3) ^ add_sat(w[i], (ushort8)(60000));
}

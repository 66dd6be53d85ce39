/* SPDX-License-Identifier: MIT */
/* Vectors whose components are computed alike, see test_vectors.py. T, B: the vector and its component. */
/* LLVM 22's back end takes convert_ushort4 of unsigned bytes for that of signed ones. */
#define AS __builtin_convertvector
#define KERNEL(name, T, B, K, statement)                                                                      \
    kernel void name(global const T *a, global const T *b, global const B *s, K k, global T *c)                \
    {                                                                                                        \
        size_t i = get_global_id(0);                                                                         \
        T x = a[i], y = b[i];                                                                                \
        statement;                                                                                           \
    }

KERNEL(add_int4, int4, int, int4, c[i] = x + y)
KERNEL(add_int2, int2, int, int2, c[i] = x * k - y)
KERNEL(add_int8, int8, int, int8, c[i] = x * 3 + (y ^ k))
KERNEL(add_int16, int16, int, int16, c[i] = (x & y) + (x >> 3))
KERNEL(add_uchar4, uchar4, uchar, uchar4, c[i] = x + y * k)
KERNEL(add_uchar16, uchar16, uchar, uchar16, c[i] = rhadd(x, y) - k)
KERNEL(add_short8, short8, short, short8, c[i] = max(x, y) + (short8)(1, 2, 3, 4, 5, 6, 7, 8))
KERNEL(add_ushort2, ushort2, ushort, ushort2, c[i] = add_sat(x, y))
KERNEL(add_long2, long2, long, long2, c[i] = x * y - k)
KERNEL(add_long4, long4, long, long4, c[i] = x - y * (long4)(s[i]))
KERNEL(add_char8, char8, char, char8, c[i] = sub_sat(x, y))
KERNEL(chosen_int4, int4, int, int4, c[i] = x > y ? x - k : y + 1)
KERNEL(chosen_uchar8, uchar8, uchar, uchar8, c[i] = select(x, y, x < k))
KERNEL(chosen_short16, short16, short, short16, c[i] = s[i] & 1 ? x : y)
KERNEL(turned_int4, int4, int, int4, c[i] = x.wzyx + y)
KERNEL(turned_uchar4, uchar4, uchar, uchar4, c[i] = x.yxwz - y.zzzz)
KERNEL(turned_short8, short8, short, short8, c[i] = x.s76543210 * y)
KERNEL(spread_int4, int4, int, int4, c[i] = x * s[i] + y)
KERNEL(spread_uchar16, uchar16, uchar, uchar16, c[i] = (x ^ s[i]) + y)
KERNEL(spread_id, int4, int, int4, c[i] = x + (int)i)
KERNEL(wide_uchar4, uchar4, uchar, uchar4, ushort4 w = AS(x, ushort4) * AS(k, ushort4) + AS(y, ushort4);
       c[i] = AS(w >> (ushort)8, uchar4))
KERNEL(wide_uchar16, uchar16, uchar, uchar16, c[i] = AS((AS(x, int16) * 77 + AS(y, int16) * 150) >> 8, uchar16))
KERNEL(twice_int4, int4, int, int4, c[i] = x + y; c[i] = (x - y) * (x + y))
KERNEL(summed_int4, int4, int, int4, int t = x.x + x.y + x.z + x.w; c[i] = x * 3 + t)
KERNEL(parted_int4, int4, int, int4, c[i] = (int4)(x.xy + y.xy, x.zw + y.zw))
KERNEL(unlike_int4, int4, int, int4, c[i] = (int4)(x.x + y.x, x.y - y.y, x.z + y.z, x.w + y.w))
KERNEL(mixed_int4, int4, int, int4, c[i] = (int4)(x.xy, y.zw) + k)
KERNEL(float_float4, float4, float, float4, c[i] = x + y * 2.0f - k)
KERNEL(float_double2, double2, double, double2, c[i] = fabs(x) - max(x, y))
KERNEL(three_ints, int3, int, int3, c[i] = x + y)
KERNEL(by_three, int, int, int, vstore3(vload3(i, (global const int *)a) * 5 + vload3(i, b), i, c))
KERNEL(in_place, int4, int, int4, c[i] = x; c[i] = c[i] * 3 + y)
KERNEL(behind, int4, int, int4, if (y.x & 1) c[i] = x + y; else c[i] = x - y)

/* Halves, which float or double computes with, or half. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define LOAD_HALF(from) vload_half4(i, (global const half *)from)
KERNEL(half_float, half, half, int, vstore_half4(LOAD_HALF(a) * 0.5f + LOAD_HALF(b), i, c))
KERNEL(half_turned, half, half, int, vstore_half4(LOAD_HALF(a).wzyx * 0.5f + LOAD_HALF(b), i, c))
KERNEL(half_double, half, half, int, vstore_half4(AS(LOAD_HALF(a), double4) * 0.5 + AS(LOAD_HALF(b), double4), i, c))
KERNEL(half_half, half4, half, int, c[i] = x + y)

/* From block to block. */
#define ROUNDS for (int q = k.x & 7; q; q--)
KERNEL(kept_int4, int4, int, int4, int4 t = y; ROUNDS t = t * 3 + x; c[i] = t)
KERNEL(kept_int2, int2, int, int2, int2 t = y; ROUNDS t = (t ^ x) + k; c[i] = t)
KERNEL(kept_short8, short8, short, short8, short8 t = y; ROUNDS t = t * x - k; c[i] = t)
KERNEL(kept_int16, int16, int, int16, int16 t = y; ROUNDS t = t * 5 + x; c[i] = t)
KERNEL(kept_uchar4, uchar4, uchar, uchar4, int4 t = AS(y, int4); ROUNDS t = t * 3 + AS(x, int4); c[i] = AS(t & 255, uchar4))
KERNEL(kept_long2, long2, long, long2, long2 t = y; ROUNDS t = t * 3 - x; c[i] = t)
KERNEL(kept_turned, int4, int, int4, int4 t = y; ROUNDS t = t.yzwx + x; c[i] = t)
KERNEL(kept_mixed, int4, int, int4, int4 t = y; ROUNDS t = (int4)(t.w, x.z, t.y, x.x) * 3 + x; c[i] = t)
KERNEL(kept_spread, int4, int, int4, int4 t = y; ROUNDS t = t * 7 + x; c[i] = t + s[i])
KERNEL(kept_chosen, int4, int, int4, int4 t = y; ROUNDS t = t > x ? t - k : t + x; c[i] = s[i] & 1 ? t : t ^ x)
KERNEL(kept_summed, int4, int, int4, int4 t = y; ROUNDS t = t * 3 + x; c[i] = t * 3 + t.z)
KERNEL(kept_parts, int4, int, int4, int4 t = y; ROUNDS t = t * 3 + x; c[i] = (int4)(t.x, t.y + 1, t.z, 7))
KERNEL(parted_sums, int4, int, int4, int4 t = y; for (int q = s[i] & 7; q; q--) t = t * 3 + x; c[i] = t)
KERNEL(kept_float4, float4, float, float4, float4 t = y; for (int q = (int)k.x & 7; q; q--) t = fma(fabs(t), (float4)0.5f, x); c[i] = t)
KERNEL(kept_double2, double2, double, double2, double2 t = y; for (int q = (int)k.x & 7; q; q--) t = fmax(t * 0.5, x) + k; c[i] = t)
KERNEL(joined_float4, float4, float, float4, float4 t = fma(x.xywz, y, k); c[i] = (float4)(fma(t.x, y.x, k.x),
       fma(t.y, y.y, k.y), fma(t.z, y.w, k.z), fma(t.w, y.z, k.w)))
/* What is spread is computed in front of the loop. */
KERNEL(left_spread, int4, int, int4, int m = x.x * s[i] + x.y; for (int q = (k.x & 7) + 1; q; q--) {
       c[i] = b[i] * q - m; barrier(CLK_GLOBAL_MEM_FENCE); })
KERNEL(left_uniform, int4, int, int4, int m = k.x * k.y + k.z; for (int q = (k.x & 7) + 1; q; q--) {
       c[i] = b[i] * q - m; barrier(CLK_GLOBAL_MEM_FENCE); })
/* And made a vector there, which is all that the loop knows. */
#define LEFT_VECTOR(name, value) \
    kernel void name(global const int4 *a, global const int4 *b, global const int *s, int4 k, global int4 *c) \
    { \
        size_t i = get_global_id(0); \
        int one = value; \
        int4 m = (int4)(one); \
        for (int q = (k.x & 7) + 1; q; q--) { \
            barrier(CLK_GLOBAL_MEM_FENCE); \
            c[i] = b[i] * q - m; \
        } \
    }
LEFT_VECTOR(left_vector_uniform, s[0] * k.y + k.z)
LEFT_VECTOR(left_vector_spread, a[i].x * s[i] + k.z)
kernel void kept_arms(global const int4 *a, global const int4 *b, global const int *s, int4 k, global int4 *c)
{
    size_t i = get_global_id(0);
    int4 t = k;
    if (s[i] & 1)
        t = a[i];
    if (s[i] & 2)
        t = t * 3 + b[i];
    c[i] = t;
}
kernel void kept_places(global const int4 *a, global const int4 *b, global const int *s, int4 k, global int4 *c)
{
    size_t i = get_global_id(0);
    int4 t = b[i];
    ROUNDS t = t * 3 + a[(i * 265 + q * 0) % 519];
    c[i] = t;
}
/* Goes round with all lanes, but for the last time. */
kernel void kept_strides(global const int4 *a, global const int4 *b, global const int *s, int4 k, global int4 *c)
{
    size_t i = get_global_id(0);
    int4 t = b[i], u = a[i];
    __attribute__((opencl_unroll_hint(1)))
    for (int q = get_local_id(0); q < (k.x & 511); q += 64) {
        t += a[q];
        u = u * 3 - a[q];
    }
    c[i] = (int4)(t.x + t.y + t.z + t.w, u.x + u.y, u.z, u.w);
}
kernel void kept_stores(global const int4 *a, global const int4 *b, global const int *s, int4 k, global int4 *c)
{
    size_t i = get_global_id(0);
    int4 x = a[i], t = b[i];
    ROUNDS t += x;
    c[i] = x;
    if (s[i] & 1)
        c[i] = t;
}

/* At any address, at bounds, backward; all lanes and some. N items; a permutation of them. */
#define N 519
#define PLACES(name, T, B)                                                                                   \
    kernel void name(global const T *a, global const T *b, global const B *s, B k, global T *c)                \
    {                                                                                                        \
        int i = (int)get_global_id(0), p = i * 265 % N;                                                      \
        T x = a[i], y = b[i];                                                                                \
        c[i] = a[p] + y;                                                                                     \
        c[N + i] = a[min(i + 1, N - 1)] - a[max(i - 1, 0)];                                                  \
        c[2 * N + p] = x - y;                                                                                \
        if (s[i] > 20) {                                                                                     \
            c[3 * N + i] = a[p];                                                                             \
            c[4 * N + p] = y;                                                                                \
        }                                                                                                    \
        c[5 * N + i] = a[N - 1 - i];                                                                         \
    }

PLACES(places_int4, int4, int)
PLACES(places_int2, int2, int)
PLACES(places_uchar4, uchar4, uchar)
PLACES(places_uchar16, uchar16, uchar)
PLACES(places_short8, short8, short)
PLACES(places_long4, long4, long)
PLACES(places_float16, float16, float)
PLACES(places_double2, double2, double)

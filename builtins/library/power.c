/* SPDX-License-Identifier: MIT */
/* pow and its relatives in single precision: y * log2 |x| in double, then the cases of IEEE 754 by selects.
 */
#include "core.h"

/* Where the processor takes subnormal numbers for zero, a comparison with zero may not: LLVM makes tests of
 * bits of some. The wider number has been made by the processor. */
INLINE int
is_zero(float x)
{
    return bits_f64((double)__builtin_fabsf(x)) == 0;
}

#ifdef __AVX512F__
/* 1 / (j / 32) of j in [24, 48], at j mod 32, rounded; and minus its log2 in two parts, the first of 16 bits
 * behind the point. */
static const float CONSTANT inverse_of[32] = {
    0x1p+0f,
    0x1.f07c2p-1f,
    0x1.e1e1e2p-1f,
    0x1.d41d42p-1f,
    0x1.c71c72p-1f,
    0x1.bacf92p-1f,
    0x1.af286cp-1f,
    0x1.a41a42p-1f,
    0x1.99999ap-1f,
    0x1.8f9c18p-1f,
    0x1.861862p-1f,
    0x1.7d05f4p-1f,
    0x1.745d18p-1f,
    0x1.6c16c2p-1f,
    0x1.642c86p-1f,
    0x1.5c9882p-1f,
    0x1.555556p-1f,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    0x1.555556p+0f,
    0x1.47ae14p+0f,
    0x1.3b13b2p+0f,
    0x1.2f684cp+0f,
    0x1.24924ap+0f,
    0x1.1a7b96p+0f,
    0x1.111112p+0f,
    0x1.08421p+0f,
};
static const float CONSTANT log2_of[32] = {
    0,
    0x1.6bap-5f,
    0x1.664p-4f,
    0x1.08c8p-3f,
    0x1.5cp-3f,
    0x1.acf8p-3f,
    0x1.fbcp-3f,
    0x1.244p-2f,
    0x1.49a8p-2f,
    0x1.6e24p-2f,
    0x1.91bcp-2f,
    0x1.b48p-2f,
    0x1.d674p-2f,
    0x1.f7a8p-2f,
    0x1.0c1p-1f,
    0x1.1bf4p-1f,
    0x1.2b8p-1f,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    -0x1.a9p-2f,
    -0x1.6cbp-2f,
    -0x1.32cp-2f,
    -0x1.f6p-3f,
    -0x1.8a88p-3f,
    -0x1.22d8p-3f,
    -0x1.7d6p-4f,
    -0x1.774p-5f,
};
static const float CONSTANT log2_rest_of[32] = {
    0,
    0x1.a40876p-18f,
    -0x1.238986p-21f,
    -0x1.3c23acp-18f,
    0x1.a22e68p-19f,
    -0x1.10ea82p-18f,
    0x1.6a1ed2p-19f,
    0x1.e5b6dap-20f,
    -0x1.f2d20ap-20f,
    -0x1.df8adcp-18f,
    -0x1.64eeep-20f,
    -0x1.403022p-18f,
    0x1.3b2086p-18f,
    0x1.50d21cp-20f,
    0x1.3c9a3cp-19f,
    -0x1.d91c72p-18f,
    0x1.98151ap-20f,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0x1.98151ap-20f,
    -0x1.e8b8bcp-19f,
    0x1.c5b3bep-23f,
    0x1.39ff24p-18f,
    -0x1.8953f6p-19f,
    -0x1.6db904p-18f,
    -0x1.767e68p-22f,
    0x1.b29decp-19f,
};

/* |x|^y in single precision, its logarithm in two parts, 2^-29 of itself: of zeros and infinite numbers, too,
 * NaN where IEEE 754 has a limit of none. m = |x| / 2^k is near j / 32, and f = 32 m / j - 1 at most 1/47. */
INLINE float
power_in_float(float x, float y)
{
    float a = fabs32(x), m = getmant_f32(a), k = getexp_f32(a) - getexp_f32(m);
    uint32_t j = bits_f32(m + 0x1.8p18f) & 31;
    float p = m * inverse_of[j], f = p - 1.0f, f_lo = mad_f32(m, inverse_of[j], -p);
    f_lo = mad_f32(-f_lo, f, f_lo); /* log(1 + f + f_lo) = log(1 + f) + f_lo (1 - f) */
    float h = f * 0x1.715476p+0f, q = 0x1.279d7ep-2f;
    float h_lo = mad_f32(f_lo, 0x1.715476p+0f, mad_f32(f, 0x1.4ae0cp-26f, mad_f32(f, 0x1.715476p+0f, -h)));
    q = mad_f32(q, f, -0x1.717768p-2f);
    q = mad_f32(q, f, 0x1.ec709cp-2f);
    q = mad_f32(q, f, -0x1.715476p-1f);
    float whole = k + log2_of[j], log = whole + h; /* the first is exact */
    float log_lo = mad_f32(f * f, q, h_lo) + log2_rest_of[j] + (h - (log - whole));
    float t = y * log, t_lo = mad_f32(y, log_lo, mad_f32(y, log, -t));
    t_lo = fabs32(t) < 200.0f ? t_lo : 0.0f;
    t = t < -200.0f ? -200.0f : t;
    t = t > 200.0f ? 200.0f : t;
    float magic = (t + t_lo) + 0x1.8p23f, n = magic - 0x1.8p23f, r = (t - n) + t_lo;
    return scalef_f32(exp2_of_fraction(r), n);
}
#endif

/* |x|^y; x finite, y neither NaN nor, for a zero, zero: |y log2 x| that overflows is clamped to where the
 * result has. */
INLINE float
power(float x, double y)
{
    double t = y * core_log2((double)__builtin_fabsf(x));
    t = t < -200 ? -200 : t > 200 ? 200 : t;
    t = is_zero(x) ? (y < 0 ? 200 : -200) : t;
    return (float)core_exp2(t);
}

/* y is a whole number / an odd one, for finite y. */
INLINE int
is_whole(float y)
{
    return __builtin_truncf(y) == y;
}

INLINE int
is_odd(float y)
{
    float half = y * 0.5f; /* a subnormal that it loses is no whole number */
    return is_whole(y) & (__builtin_truncf(half) != half);
}

/* The result for an infinite |x|, y neither 0 nor NaN. */
INLINE float
power_of_infinity(int y_negative)
{
    return y_negative ? 0.0f : INF32;
}

#ifndef __AVX512F__
/* The result for an infinite y, x neither 1 nor NaN. */
INLINE float
power_to_infinity(float ax, int y_positive)
{
    return (ax > 1) == y_positive ? INF32 : 0.0f;
}
#endif

float
lw_pow_f32(float x, float y)
{
    float ax = fabs32(x);
#ifdef __AVX512F__
    float r = power_in_float(x, y);
    r = ((x < 0) & !is_whole(y) & (ax < INF32)) ? NAN32 : r;
    r = (is_odd(y) & (int)(bits_f32(x) >> 31)) ? -r : r;
    return ((x == 1) | (y == 0) | ((ax == 1) & (fabs32(y) == INF32))) ? 1.0f : r;
#else
    float r = power(ax, y);
    r = ax == INF32 ? power_of_infinity(y < 0) : r;
    int odd = is_odd(y) & (fabs32(y) < INF32);
    r = ((x < 0) & !is_whole(y) & (ax < INF32)) ? NAN32 : r;
    r = (odd & (int)(bits_f32(x) >> 31)) ? -r : r;
    float limit = power_to_infinity(ax, y > 0);
    limit = ax == 1 ? 1.0f : limit;
    r = fabs32(y) == INF32 ? limit : r;
    r = ((x != x) | (y != y)) ? NAN32 : r;
    return ((x == 1) | (y == 0)) ? 1.0f : r;
#endif
}

float
lw_powr_f32(float x, float y)
{
#ifdef __AVX512F__
    return x < 0 ? NAN32 : power_in_float(x, y);
#else
    float r = power(x, y);
    r = x == INF32 ? power_of_infinity(y < 0) : r;
    float limit = power_to_infinity(x, y > 0);
    limit = x == 1 ? NAN32 : limit;
    r = fabs32(y) == INF32 ? limit : r;
    float one = (is_zero(x) | (x == INF32)) ? NAN32 : 1.0f;
    r = y == 0 ? one : r;
    return ((x < 0) | (x != x) | (y != y)) ? NAN32 : r;
#endif
}

/* In single precision: the exponent's error counts up to 90 ULP. */
float lw_exp2_f32(float), lw_log2_f32(float);

float
lw_half_powr_f32(float x, float y)
{
    return lw_exp2_f32(y * lw_log2_f32(x));
}

float
lw_pown_f32(float x, int n)
{
    float ax = fabs32(x);
    float r = power(ax, n);
    r = ax == INF32 ? power_of_infinity(n < 0) : r;
    r = ((n & 1) & (int)(bits_f32(x) >> 31)) ? -r : r;
    r = x != x ? x : r;
    return n == 0 ? 1.0f : r;
}

float
lw_rootn_f32(float x, int n)
{
    float ax = fabs32(x);
    int odd = n & 1;
    float r = power(ax, 1.0 / (n == 0 ? 1 : n));
    r = ax == INF32 ? power_of_infinity(n < 0) : r;
    r = (odd & (int)(bits_f32(x) >> 31)) ? -r : r;
    r = x < 0 && !odd ? NAN32 : r;
    r = x != x ? x : r;
    return n == 0 ? NAN32 : r;
}

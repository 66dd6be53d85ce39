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

/* The result for an infinite y, x neither 1 nor NaN. */
INLINE float
power_to_infinity(float ax, int y_positive)
{
    return (ax > 1) == y_positive ? INF32 : 0.0f;
}

float
lw_pow_f32(float x, float y)
{
    float ax = fabs32(x);
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
}

float
lw_powr_f32(float x, float y)
{
    float r = power(x, y);
    r = x == INF32 ? power_of_infinity(y < 0) : r;
    float limit = power_to_infinity(x, y > 0);
    limit = x == 1 ? NAN32 : limit;
    r = fabs32(y) == INF32 ? limit : r;
    float one = (is_zero(x) | (x == INF32)) ? NAN32 : 1.0f;
    r = y == 0 ? one : r;
    return ((x < 0) | (x != x) | (y != y)) ? NAN32 : r;
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

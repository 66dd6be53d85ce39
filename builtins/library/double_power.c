/* SPDX-License-Identifier: MIT */
/* pow and its relatives in double precision: y * log2 |x| to 2^-63 of itself, then the cases of IEEE 754 by
 * selects. */
#include "double.h"

/* 2 / (3 ln 2) beyond its double */
#define CP_LOW 0x1.d27f05548af0cp-55

/* s = atanh's argument f / (2 + f): (3 atanh(s) / s - 3 - z) / z^2 for z = s^2: minimax, to 2^-64 of log2. */
INLINE double
log2_tail(double z)
{
    double z2 = z * z;
    double a = mad_f64(0x1.b6db6db6833f4p-2, z, 0x1.3333333333466p-1);
    double b = mad_f64(0x1.1745af48e0f70p-2, z, 0x1.555555a26b3aap-2);
    double c = mad_f64(0x1.973eafc9369dcp-3, z, 0x1.d8ae6ea132427p-3);
    c = mad_f64(0x1.956f52930e1b9p-3, z2, c);
    return mad_f64(mad_f64(c, z2, b), z2, a);
}

/* x^y for x positive and finite, y by what 1 / n needs beyond its digits; overflows of y log2 x are clamped
 * to where the result has them. 2 / (3 ln 2) * s * (3 + s^2 + ...), every product with what fma says it lost.
 * A call until slices.py has chosen between the two. */
__attribute__((noinline)) double
lw_power_f64(double x, double y, double low)
{
    double f, k = split_f64(x, &f), d = 2.0 + f, d_lo = f - (d - 2.0), v = inverse_f64(d);
    double s = f * v, s_lo = (mad_f64(-s, d, f) - s * d_lo) * v, z = s * s;
    double z_lo = mad_f64(s + s, s_lo, mad_f64(s, s, -z));
    double rest = mad_f64(log2_tail(z), z * z, z_lo), t = (3.0 + z) + rest, t_lo = rest - ((t - 3.0) - z);
    double m = s * t, m_lo = mad_f64(s_lo, t, mad_f64(s, t_lo, mad_f64(s, t, -m)));
    double h = m * 0x1.ec709dc3a03fdp-1, h_lo = mad_f64(m, 0x1.ec709dc3a03fdp-1, -h);
    h_lo = mad_f64(m_lo, 0x1.ec709dc3a03fdp-1, mad_f64(m, CP_LOW, h_lo));
    double sum = k + h, sum_lo = ((k - sum) + h) + h_lo;
    y = clamp_f64(y, -0x1p64, 0x1p64);
    double product = y * sum, hi = clamp_f64(product, -1100, 1100);
    double lo = mad_f64(y, sum_lo, mad_f64(low, sum, mad_f64(y, sum, -product)));
    lo = clamp_f64(lo, -1, 1);
    double magic = (hi + lo) + STEPS, r = (hi - (magic - STEPS)) + lo;
    return exp_scaled(r * 0x1.62e42fefa39efp-1, 0, magic);
}

#ifndef __AVX512F__
/* Without fma: by upper halves, whose products are exact. */
__attribute__((noinline)) double
lw_near_power_f64(double x, double y, double low)
{
    double f, k = split_f64(x, &f), d = 2.0 + f, d_hi = upper(d), d_lo = f - (d_hi - 2.0), v = 1.0 / d;
    double s_hi = upper(f * v), s_lo = ((f - s_hi * d_hi) - s_hi * d_lo) * v, s = s_hi + s_lo, z = s * s;
    double square = s_hi * s_hi, rest = mad_f64(log2_tail(z), z * z, s_lo * (s_hi + s));
    double t = upper((3.0 + square) + rest), t_lo = rest - ((t - 3.0) - square);
    double u = s_hi * t, w = mad_f64(s_lo, t, t_lo * s), m = upper(u + w), m_lo = w - (m - u);
    double h = m * 0x1.ec709p-1, h_lo = mad_f64(m, 0x1.b87407fae93f8p-22, m_lo * 0x1.ec709dc3a03fdp-1);
    double sum = upper((h + h_lo) + k), sum_lo = h_lo - ((sum - k) - h);
    y = clamp_f64(y, -0x1p64, 0x1p64);
    double y_hi = upper(y);
    double hi = clamp_f64(y_hi * sum, -1100, 1100);
    double lo = clamp_f64(mad_f64(y - y_hi, sum, mad_f64(y, sum_lo, low * sum)), -1, 1);
    double magic = (hi + lo) + STEPS, r = (hi - (magic - STEPS)) + lo;
    return exp_scaled(r * 0x1.62e42fefa39efp-1, 0, magic);
}
#endif

/* Where the cases of IEEE 754 are needed, which few lanes take. */
INLINE int
is_special(double x)
{
    return __builtin_expect(!(x > 0 && x < INF64), 0);
}

/* The results for |x| zero or infinite, y neither 0 nor NaN; for an infinite y, x neither 1 nor NaN. */
INLINE double
power_of_extreme(double ax, int y_negative)
{
    return (ax == 0) == y_negative ? INF64 : 0.0;
}

INLINE double
power_to_infinity(double ax, int y_positive)
{
    return (ax > 1) == y_positive ? INF64 : 0.0;
}

double
lw_pow_f64(double x, double y)
{
    double ax = fabs64(x), r = lw_power_f64(ax, y, 0);
    if (!is_special(x) & (fabs64(y) < INF64))
        return r;
    double half = y * 0.5; /* a subnormal that it loses is no whole number */
    r = ((ax == 0) | (ax == INF64)) ? power_of_extreme(ax, y < 0) : r;
    int whole = __builtin_trunc(y) == y;
    int odd = whole & (__builtin_trunc(half) != half) & (fabs64(y) < INF64);
    r = ((x < 0) & !whole & (ax < INF64)) ? __builtin_nan("") : r;
    r = (odd & (int)(bits_f64(x) >> 63)) ? -r : r;
    double limit = power_to_infinity(ax, y > 0);
    limit = ax == 1 ? 1.0 : limit;
    r = fabs64(y) == INF64 ? limit : r;
    r = ((x != x) | (y != y)) ? __builtin_nan("") : r;
    return ((x == 1) | (y == 0)) ? 1.0 : r;
}

double
lw_powr_f64(double x, double y)
{
    if (!is_special(x) & (fabs64(y) < INF64))
        return lw_power_f64(x, y, 0);
    double r = power_of_extreme(x, y < 0);
    r = y == 0 ? __builtin_nan("") : r;
    double limit = power_to_infinity(x, y > 0);
    limit = x == 1 ? __builtin_nan("") : limit;
    r = fabs64(y) == INF64 ? limit : r;
    return ((x < 0) | (x != x) | (y != y)) ? __builtin_nan("") : r;
}

double
lw_pown_f64(double x, int n)
{
    return lw_pow_f64(x, n);
}

double
lw_rootn_f64(double x, int n)
{
    double ax = fabs64(x), d = n == 0 ? 1 : n;
    int odd = n & 1;
    /* What 1 / n leaves, from the exact product of its upper half. */
    double y = 1.0 / d, hi = upper(y);
    double r = lw_power_f64(ax, y, ((1.0 - hi * d) - (y - hi) * d) * y);
    if (!is_special(x) & (n != 0))
        return r;
    r = ((ax == 0) | (ax == INF64)) ? power_of_extreme(ax, n < 0) : r;
    r = (odd & (int)(bits_f64(x) >> 63)) ? -r : r;
    r = x < 0 && !odd ? __builtin_nan("") : r;
    r = x != x ? x : r;
    return n == 0 ? __builtin_nan("") : r;
}

/* y = x^(-1/3) from the upper word, to 3.4 %, and a step by a minimax cubic, to 2^-18, in 22 bits, so that
 * its square is exact. Then x^(1/3) = x y^2 (1 - e)^(-2/3), e = 1 - x y^3; what x y^2 loses is in both. */
double
lw_cbrt_f64(double x)
{
    double a = fabs64(x);
    int tiny = a < 0x1p-960; /* so that no part of d is subnormal, where fma has to take it apart */
    double d = a * (tiny ? 0x1p54 : 1.0);
    /* the upper word as a whole number in a double's low bits: AVX2 converts none of 64 bits */
    double word = as_f64(0x4330000000000000 | bits_f64(d) >> 32);
    double third = mad_f64(word, -1.0 / 3, 0x1.55555aa943eb6p+52);
    double y = as_f64(bits_f64(third) << 32), e = mad_f64(-(d * y), y * y, 1.0);
    double p = mad_f64(mad_f64(0x1.65c7e261e230cp-3, e, 0x1.c9ac5dfff25c1p-3), e, 0x1.5553d7866d93cp-2);
    y = upper(mad_f64(y * e, p, y));
    double w = y * y, r = d * w, low = __builtin_fma(d, w, -r);
    e = mad_f64(-low, y, __builtin_fma(-r, y, 1.0));
    double q = mad_f64(mad_f64(40.0 / 81, e, 5.0 / 9), e, 2.0 / 3);
    r = (r + mad_f64(r * e, q, low)) * (tiny ? 0x1p-18 : 1.0);
    return a > 0 && a < INF64 ? copysign64(r, x) : x;
}

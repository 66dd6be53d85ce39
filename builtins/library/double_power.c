/* SPDX-License-Identifier: MIT */
/* pow and its relatives in double precision: y * log2 |x| to 2^-63 of itself, then the cases of IEEE 754 by
 * selects. The products of upper halves are exact, with fma or without. */
#include "double.h"

struct pair {
    double hi, lo;
};

/* log2 of a positive finite number; hi has 22 bits. */
INLINE struct pair
log2_pair(double x)
{
    double f, k = split_f64(x, &f);
    /* s = f / (2 + f) in two parts; 2 + f rounds, its own parts do not. */
    double d = 2.0 + f, d_hi = upper(d), d_lo = f - (d_hi - 2.0);
#ifdef __AVX512F__
    double v = rcp14_f64(d), e = mad_f64(-d, v, 1.0);
    v = mad_f64(mad_f64(e, e, e), v, v);
#else
    double v = 1.0 / d;
#endif
    double hi = upper(f * v), lo = ((f - hi * d_hi) - hi * d_lo) * v, s = hi + lo, z = s * s;
    /* (3 atanh(s) / s - 3 - z) / z^2: minimax, to 2^-64 of the logarithm */
    double p = 0x1.956f52930e1b9p-3;
    p = mad_f64(p, z, 0x1.973eafc9369dcp-3);
    p = mad_f64(p, z, 0x1.d8ae6ea132427p-3);
    p = mad_f64(p, z, 0x1.1745af48e0f70p-2);
    p = mad_f64(p, z, 0x1.555555a26b3aap-2);
    p = mad_f64(p, z, 0x1.b6db6db6833f4p-2);
    p = mad_f64(p, z, 0x1.3333333333466p-1);
    /* 3 + s^2 + ... in two parts, times s, times 2 / (3 ln 2) */
    double square = hi * hi, r = mad_f64(p * z, z, lo * (hi + s));
    double t_hi = upper((3.0 + square) + r), t_lo = r - ((t_hi - 3.0) - square);
    double u = hi * t_hi, w = mad_f64(lo, t_hi, t_lo * s), m_hi = upper(u + w), m_lo = w - (m_hi - u);
    double log_hi = m_hi * 0x1.ec709p-1;
    double log_lo = mad_f64(m_hi, 0x1.b87407fae93f8p-22, m_lo * 0x1.ec709dc3a03fdp-1);
    double sum = upper((log_hi + log_lo) + k);
    return (struct pair){sum, log_lo - ((sum - k) - log_hi)};
}

/* x^(y + low) for x positive and finite, any y but NaN: overflows are clamped to where the result has them.
 */
INLINE double
power(double x, double y, double low)
{
    struct pair l = log2_pair(x);
    y = clamp_f64(y, -0x1p64, 0x1p64);
    double y_hi = upper(y);
    double hi = clamp_f64(y_hi * l.hi, -1100, 1100);
    double lo = clamp_f64(mad_f64(y - y_hi, l.hi, mad_f64(y, l.lo, low * l.hi)), -1, 1);
    double t = (hi + lo) + MAGIC, r = (hi - (t - MAGIC)) + lo;
    return scale_by(exp_poly(r * 0x1.62e42fefa39efp-1, 0), t);
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
    double ax = fabs64(x), half = y * 0.5; /* a subnormal that it loses is no whole number */
    double r = power(ax, y, 0);
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
    double r = power(x, y, 0);
    r = ((x == 0) | (x == INF64)) ? power_of_extreme(x, y < 0) : r;
    double limit = power_to_infinity(x, y > 0);
    limit = x == 1 ? __builtin_nan("") : limit;
    r = fabs64(y) == INF64 ? limit : r;
    double one = ((x == 0) | (x == INF64)) ? __builtin_nan("") : 1.0;
    r = y == 0 ? one : r;
    return ((x < 0) | (x != x) | (y != y)) ? __builtin_nan("") : r;
}

double
lw_pown_f64(double x, int n)
{
    double ax = fabs64(x);
    double r = power(ax, n, 0);
    r = ((ax == 0) | (ax == INF64)) ? power_of_extreme(ax, n < 0) : r;
    r = ((n & 1) & (int)(bits_f64(x) >> 63)) ? -r : r;
    r = x != x ? x : r;
    return n == 0 ? 1.0 : r;
}

double
lw_rootn_f64(double x, int n)
{
    double ax = fabs64(x), d = n == 0 ? 1 : n;
    int odd = n & 1;
    /* What 1 / n leaves, from the exact product of its upper half. */
    double y = 1.0 / d, hi = upper(y);
    double r = power(ax, y, ((1.0 - hi * d) - (y - hi) * d) * y);
    r = ((ax == 0) | (ax == INF64)) ? power_of_extreme(ax, n < 0) : r;
    r = (odd & (int)(bits_f64(x) >> 63)) ? -r : r;
    r = x < 0 && !odd ? __builtin_nan("") : r;
    r = x != x ? x : r;
    return n == 0 ? __builtin_nan("") : r;
}

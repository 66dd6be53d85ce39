/* SPDX-License-Identifier: MIT */
/* What the exponentials, logarithms and powers in double precision share. */
#ifndef LW_LIBRARY_DOUBLE_H
#define LW_LIBRARY_DOUBLE_H

#include "avx512.h"

#define MAGIC 0x1.8p52

/* p * 2^n, magic = n + MAGIC, |n| <= 2000: rounded once. */
INLINE double
scale_by(double p, double magic)
{
#ifdef __AVX512F__
    return scalef_f64(p, magic - MAGIC);
#else
    /* In two steps, the second of which rounds, by what is left of the bits at the exponent's place. */
    uint64_t half = bits_f64(mad_f64(magic - MAGIC, 0.5, MAGIC)), rest = bits_f64(magic) - half;
    return p * as_f64((half + 1023) << 52) * as_f64((rest + 1023) << 52);
#endif
}

/* NaN stays. */
INLINE double
clamp_f64(double x, double lo, double hi)
{
    x = x < lo ? lo : x;
    return x > hi ? hi : x;
}

/* (e^r - 1 - r - r^2 / 2) / r^3, |r| <= 0.3466 and a little: minimax, e^r to 2^-57 */
INLINE double
exp_tail(double r)
{
    double r2 = r * r, r4 = r2 * r2;
    double a = mad_f64(0x1.555555555314bp-5, r, 0x1.555555555555cp-3);
    double b = mad_f64(0x1.6c16c17cff632p-10, r, 0x1.111111110e555p-7);
    double c = mad_f64(0x1.a019aa6f058bbp-16, r, 0x1.a01a01b682c2ap-13);
    double d = mad_f64(0x1.28a0483ba841dp-22, r, 0x1.71dde859c679ap-19);
    d = mad_f64(0x1.af797580a646dp-26, r2, d);
    return mad_f64(mad_f64(d, r2, c), r4, mad_f64(b, r2, a));
}

/* x = n ln 2 + r + low, magic = n + MAGIC; |x| < 2000 */
INLINE double
reduce_exp(double x, double *low, double *magic)
{
    double t = mad_f64(x, 0x1.71547652b82fep+0, MAGIC), n = t - MAGIC;
    /* ln 2 in two parts, the first with 21 zero bits at its end. */
    double r = x - n * 0x1.62e42feep-1, rest = n * -0x1.a39ef35793c76p-33, sum = r + rest;
    *low = rest - (sum - r);
    *magic = t;
    return sum;
}

#ifdef __AVX512F__
/* 2^n by eighths from tables in registers: n + STEPS has the eighths in its last three bits. */
#define STEPS 0x1.8p49

/* 2^(j / 8), rounded, and what is missing there by parts of it */
static const double CONSTANT eighths_of_2[8] = {
    1,
    0x1.172b83c7d517bp+0,
    0x1.306fe0a31b715p+0,
    0x1.4bfdad5362a27p+0,
    0x1.6a09e667f3bcdp+0,
    0x1.8ace5422aa0dbp+0,
    0x1.ae89f995ad3adp+0,
    0x1.d5818dcfba487p+0,
};
static const double CONSTANT rest_of_eighths[8] = {
    0,
    -0x1.01b15eaa59348p-55,
    0x1.34d754db0abb6p-55,
    0x1.690cebb7aafbp-56,
    -0x1.3b3efbf5e2229p-54,
    0x1.db72fc1f0eab4p-55,
    0x1.c1a7792cb3386p-55,
    0x1.4a385a63d07a7p-56,
};

/* e^(r + low) * 2^n, magic = n + STEPS, |r| <= ln 2 / 16 and a little, where low counts for nothing: minimax,
 * e^r to 2^-57. */
INLINE double
exp_scaled(double r, double low, double magic)
{
    (void)low;
    uint64_t j = bits_f64(magic) & 7;
    double power = eighths_of_2[j], r2 = r * r;
    double a = mad_f64(0x1.5555555554f68p-3, r, 0.5);
    double b = mad_f64(0x1.1111113394e27p-7, r, 0x1.5555554e650edp-5);
    double c = mad_f64(0x1.a010c6200bc49p-13, r, 0x1.6c1ba0392934cp-10);
    double p = mad_f64(mad_f64(mad_f64(c, r2, b), r2, a), r2, r + rest_of_eighths[j]);
    return scalef_f64(mad_f64(power, p, power), magic - STEPS);
}

/* x = n ln 2 + r + low, magic = n + STEPS; |x| < 2000 */
INLINE double
reduce_scaled(double x, double *low, double *magic)
{
    double t = mad_f64(x, 0x1.71547652b82fep+0, STEPS), n = t - STEPS;
    *low = 0;
    *magic = t;
    return mad_f64(n, -0x1.abc9e3b39803fp-56, mad_f64(n, -0x1.62e42fefa39efp-1, x));
}
#else
#define STEPS MAGIC

/* e^(r + low), |r| <= 0.3466 and a little */
INLINE double
exp_poly(double r, double low)
{
    return mad_f64(mad_f64(exp_tail(r), r, 0.5), r * r, low) + r + 1.0;
}

/* The same times 2^n, magic = n + STEPS */
INLINE double
exp_scaled(double r, double low, double magic)
{
    return scale_by(exp_poly(r, low), magic);
}

INLINE double
reduce_scaled(double x, double *low, double *magic)
{
    return reduce_exp(x, low, magic);
}
#endif

/* x = 2^k * (1 + f), 1 + f in [sqrt 1/2, sqrt 2), for positive finite numbers. With AVX-512 f is 0 of zeros
 * and infinity, k the infinite exponent, and f NaN of NaN and negative numbers: what logarithms make of that
 * is right.
 */
INLINE double
split_f64(double x, double *f)
{
#ifdef __AVX512F__
    double m = fabs64(significand_f64(x)); /* of -0 it is -1 */
    int large = m >= 0x1.6a09e667f3bcdp+0;
    *f = (large ? m * 0.5 : m) - 1.0;
    return getexp_f64(x) + (large ? 1.0 : 0.0);
#else
    int tiny = x < 0x1p-1022;
    uint64_t shifted = bits_f64(tiny ? x * 0x1p54 : x) + (0x3ff0000000000000 - 0x3fe6a09e667f3bcd);
    *f = as_f64((shifted & 0xfffffffffffff) + 0x3fe6a09e667f3bcd) - 1.0;
    /* By the bits of a double, since AVX2 converts no 64-bit integers. */
    return as_f64(0x4330000000000000 + (shifted >> 52)) - (tiny ? 0x1p52 + 1077 : 0x1p52 + 1023);
#endif
}

/* log(1 + f) = f - s * (f - tail) */
struct reduced {
    double k, f, s, tail;
};

INLINE struct reduced
reduce_mantissa(double k, double f)
{
    double s = near_quotient_f64(f, 2.0 + f), z = s * s;
    /* (2 atanh(s) / s - 2) / z: minimax, to 2^-58 */
    double w = z * z, p = mad_f64(0x1.39a0f4fdbcfd3p-3, z, 0x1.7466462cbdeebp-3);
    p = mad_f64(0x1.2f0d8ec43c626p-3, w, p);
    p = mad_f64(p, w, mad_f64(0x1.c71c51e7f6518p-3, z, 0x1.2492494217a30p-2));
    p = mad_f64(p, w, mad_f64(0x1.999999997fb31p-2, z, 0x1.5555555555593p-1));
    return (struct reduced){k, f, s, p * z};
}

INLINE struct reduced
reduce_log(double x)
{
    double f, k = split_f64(x, &f);
    return reduce_mantissa(k, f);
}

/* f in two parts, the first of 22 bits: its product with the first part of a constant is exact. */
INLINE double
upper(double f)
{
    return as_f64(bits_f64(f) & 0xffffffff80000000);
}

#endif

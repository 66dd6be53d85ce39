/* SPDX-License-Identifier: MIT */
/* exp and log and their relatives in double precision, without libclc's tables: a load per lane costs more
 * than the longer polynomials. The methods are those of exponential.c. */
#include "library.h"

#define MAGIC 0x1.8p52

/* p * 2^n, n from the bits of n + MAGIC, |n| <= 2000: in two steps, the second of which rounds. */
INLINE double
scale_by(double p, double magic)
{
    int32_t n = (int32_t)(bits_f64(magic) - bits_f64(MAGIC)), half = n >> 1, rest = n - half;
    return p * as_f64((uint64_t)(int64_t)(half + 1023) << 52) *
           as_f64((uint64_t)(int64_t)(rest + 1023) << 52);
}

INLINE double
clamp_f64(double x, double lo, double hi)
{
    x = x < lo ? lo : x;
    return x > hi ? hi : x;
}

/* e^r, |r| <= 0.3466 and a little. */
INLINE double
exp_poly(double r, double low)
{
    double p = 1.0 / 6227020800;
    p = mad_f64(p, r, 1.0 / 479001600);
    p = mad_f64(p, r, 1.0 / 39916800);
    p = mad_f64(p, r, 1.0 / 3628800);
    p = mad_f64(p, r, 1.0 / 362880);
    p = mad_f64(p, r, 1.0 / 40320);
    p = mad_f64(p, r, 1.0 / 5040);
    p = mad_f64(p, r, 1.0 / 720);
    p = mad_f64(p, r, 1.0 / 120);
    p = mad_f64(p, r, 1.0 / 24);
    p = mad_f64(p, r, 1.0 / 6);
    p = mad_f64(p, r, 0.5);
    return mad_f64(p, r * r, low) + r + 1.0;
}

double
lw_exp_f64(double x)
{
    x = clamp_f64(x, -800, 720);
    double t = mad_f64(x, 0x1.71547652b82fep+0, MAGIC), n = t - MAGIC;
    /* ln 2 in two parts, the first with 21 zero bits at its end. */
    double r = x - n * 0x1.62e42feep-1, low = n * -0x1.a39ef35793c76p-33;
    double sum = r + low;
    return scale_by(exp_poly(sum, low - (sum - r)), t);
}

double
lw_exp2_f64(double x)
{
    x = clamp_f64(x, -1200, 1100);
    double t = x + MAGIC, r = x - (t - MAGIC); /* exact */
    return scale_by(exp_poly(r * 0x1.62e42fefa39efp-1, r * 0x1.abc9e3b39803fp-56), t);
}

double
lw_exp10_f64(double x)
{
    x = clamp_f64(x, -350, 320);
    double t = mad_f64(x, 0x1.a934f0979a371p+1, MAGIC), n = t - MAGIC;
    /* log10 2 in two parts, the first with 21 zero bits at its end. */
    double r = x - n * 0x1.34413508p-2, low = n * -0x1.f79fef311f12bp-34;
    double sum = r + low, rest = low - (sum - r);
    return scale_by(exp_poly(sum * 0x1.26bb1bbb55516p+1, sum * -0x1.f48ad494ea3e9p-53 + rest * 0x1.26bb1bp+1),
                    t);
}

/* As reduce_log of exponential.c. */
struct reduced {
    double k, f, s, tail;
};

INLINE struct reduced
reduce_log(double x)
{
    int tiny = x < 0x1p-1022;
    uint64_t shifted = bits_f64(tiny ? x * 0x1p54 : x) - 0x3fe6a09e667f3bcd;
    /* By the bits of a double, since AVX2 converts no 64-bit integers. */
    double k = as_f64(0x4338000000000000 + (uint64_t)((int64_t)shifted >> 52)) - MAGIC - (tiny ? 54.0 : 0.0);
    double f = as_f64((shifted & 0xfffffffffffff) + 0x3fe6a09e667f3bcd) - 1.0;
    double s = f / (2.0 + f), z = s * s, p = 2.0 / 23;
    p = mad_f64(p, z, 2.0 / 21);
    p = mad_f64(p, z, 2.0 / 19);
    p = mad_f64(p, z, 2.0 / 17);
    p = mad_f64(p, z, 2.0 / 15);
    p = mad_f64(p, z, 2.0 / 13);
    p = mad_f64(p, z, 2.0 / 11);
    p = mad_f64(p, z, 2.0 / 9);
    p = mad_f64(p, z, 2.0 / 7);
    p = mad_f64(p, z, 2.0 / 5);
    p = mad_f64(p, z, 2.0 / 3);
    return (struct reduced){k, f, s, p * z};
}

INLINE double
log_special(double x, double y)
{
    y = x == 0 ? -INF64 : y;
    y = x < INF64 ? y : x; /* infinity, NaN */
    return x < 0 ? __builtin_nan("") : y;
}

double
lw_log_f64(double x)
{
    struct reduced r = reduce_log(x);
    double low = mad_f64(r.s, r.f - r.tail, -r.k * 0x1.a39ef35793c76p-33);
    return log_special(x, mad_f64(r.k, 0x1.62e42feep-1, r.f - low));
}

/* f in two parts, the first of 22 bits: its product with the first part of a constant is exact. */
INLINE double
upper(double f)
{
    return as_f64(bits_f64(f) & 0xffffffff80000000);
}

double
lw_log2_f64(double x)
{
    struct reduced r = reduce_log(x);
    double hi = upper(r.f), log_lo = (r.f - hi) - r.s * (r.f - r.tail);
    double y = mad_f64(log_lo, 0x1.71547652b82fep+0, hi * 0x1.5c17f0bbbe880p-31);
    return log_special(x, (r.k + hi * 0x1.7154765p+0) + y);
}

double
lw_log10_f64(double x)
{
    struct reduced r = reduce_log(x);
    double hi = upper(r.f), log_lo = (r.f - hi) - r.s * (r.f - r.tail);
    double y = mad_f64(log_lo, 0x1.bcb7b1526e50ep-2, hi * 0x1.37287195355bbp-33);
    y = mad_f64(r.k, 0x1.f79fef311f12bp-34, y);
    return log_special(x, mad_f64(r.k, 0x1.34413508p-2, hi * 0x1.bcb7b15p-2 + y));
}

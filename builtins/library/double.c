/* SPDX-License-Identifier: MIT */
/* exp and log and their relatives in double precision, without libclc's tables: a load per lane costs more
 * than the longer polynomials. The methods are those of exponential.c. */
#include "double.h"

double
lw_exp_f64(double x)
{
    double low, magic, r = reduce_scaled(clamp_f64(x, -800, 720), &low, &magic);
    return exp_scaled(r, low, magic);
}

#ifdef __AVX512F__
double
lw_exp2_f64(double x)
{
    x = clamp_f64(x, -1200, 1100);
    double t = x + STEPS, r = x - (t - STEPS); /* exact */
    return exp_scaled(r * 0x1.62e42fefa39efp-1, 0, t);
}

double
lw_exp10_f64(double x)
{
    x = clamp_f64(x, -350, 320);
    double t = mad_f64(x, 0x1.a934f0979a371p+1, STEPS), n = t - STEPS;
    /* log10 2 in two parts, the first with 21 zero bits at its end. */
    double r = (x - n * 0x1.34413508p-2) + n * -0x1.f79fef311f12bp-34;
    return exp_scaled(r * 0x1.26bb1bbb55516p+1, 0, t);
}
#else
/* 2^r, and 10^x where it is 2^n times 10^r: minimax, to 2^-58. Without fma by e^r, of which less is rounded;
 * calls until slices.py has chosen. */
__attribute__((noinline)) double
lw_exp2_part_f64(double r)
{
    double p = mad_f64(0x1.e79bb1407752dp-32, r, 0x1.e61b4f9261e9fp-28);
    p = mad_f64(p, r, 0x1.b5267ce36e96dp-24);
    p = mad_f64(p, r, 0x1.62bfc79d4e9ebp-20);
    p = mad_f64(p, r, 0x1.ffcbfba97f699p-17);
    p = mad_f64(p, r, 0x1.4309130ed8cccp-13);
    p = mad_f64(p, r, 0x1.5d87fe78cd6d3p-10);
    p = mad_f64(p, r, 0x1.3b2ab6fba011ap-7);
    p = mad_f64(p, r, 0x1.c6b08d7049fe8p-5);
    p = mad_f64(p, r, 0x1.ebfbdff82c5a4p-3);
    p = mad_f64(p, r, 0x1.62e42fefa39efp-1);
    return mad_f64(p, r, 1.0);
}

__attribute__((noinline)) double
lw_near_exp2_part_f64(double r)
{
    return exp_poly(r * 0x1.62e42fefa39efp-1, r * 0x1.abc9e3b39803fp-56);
}

/* log10 2 in two parts, the first with 21 zero bits at its end. */
__attribute__((noinline)) double
lw_exp10_part_f64(double x, double n)
{
    double r = mad_f64(n, -0x1.f79fef311f12bp-34, mad_f64(n, -0x1.34413508p-2, x));
    double p = mad_f64(0x1.f9958e221b346p-13, r, 0x1.2f746e4e2fb30p-10);
    p = mad_f64(p, r, 0x1.4898b4aea641bp-8);
    p = mad_f64(p, r, 0x1.41165e59298e0p-6);
    p = mad_f64(p, r, 0x1.16e4df63cb895p-4);
    p = mad_f64(p, r, 0x1.a7ed70a1eb37cp-3);
    p = mad_f64(p, r, 0x1.1429ffd1f3a53p-1);
    p = mad_f64(p, r, 0x1.2bd7609fd4f25p+0);
    p = mad_f64(p, r, 0x1.0470591de2c29p+1);
    p = mad_f64(p, r, 0x1.53524c73cea77p+1);
    p = mad_f64(p, r, 0x1.26bb1bbb55516p+1);
    return mad_f64(p, r, 1.0);
}

__attribute__((noinline)) double
lw_near_exp10_part_f64(double x, double n)
{
    double r = x - n * 0x1.34413508p-2, low = n * -0x1.f79fef311f12bp-34;
    double sum = r + low, rest = low - (sum - r);
    return exp_poly(sum * 0x1.26bb1bbb55516p+1, sum * -0x1.f48ad494ea3e9p-53 + rest * 0x1.26bb1bp+1);
}

double
lw_exp2_f64(double x)
{
    x = clamp_f64(x, -1200, 1100);
    double t = x + MAGIC;
    return scale_by(lw_exp2_part_f64(x - (t - MAGIC)), t); /* the difference is exact */
}

double
lw_exp10_f64(double x)
{
    x = clamp_f64(x, -350, 320);
    double t = mad_f64(x, 0x1.a934f0979a371p+1, MAGIC);
    return scale_by(lw_exp10_part_f64(x, t - MAGIC), t);
}
#endif

/* The logarithms of what is no positive finite number, where split_f64 leaves them open. */
INLINE double
log_special(double x, double y)
{
#ifdef __AVX512F__
    (void)x;
#else
    y = x == 0 ? -INF64 : y;
    y = x < INF64 ? y : x; /* infinity, NaN */
    y = x < 0 ? __builtin_nan("") : y;
#endif
    return y;
}

#ifdef __AVX512F__
/* At j mod 16, j in [12, 24]: 1 / c for a c next to j / 16, such that its log is a multiple of 2^-42 to
 * 2^-64; and that log. */
static const double CONSTANT point_inverse[16] = {
    1,
    0x1.e1e1e1f96ef37p-1,
    0x1.c71c71bb8e936p-1,
    0x1.af286bb117d7p-1,
    0x1.9999997c6253ap-1,
    0x1.8618619cf69edp-1,
    0x1.745d173f0c55ep-1,
    0x1.642c858a08593p-1,
    0x1.55555547b72c4p-1,
    1,
    1,
    1,
    0x1.5555552c0617ap+0,
    0x1.3b13b154f94a2p+0,
    0x1.2492490288d13p+0,
    0x1.11111122a4066p+0,
};
static const double CONSTANT point_log[16] = {
    0,
    0x1.f0a30a70b8p-5,
    0x1.e270774aacp-4,
    0x1.5ff3078148p-3,
    0x1.c8ff7d0bbep-3,
    0x1.1675ca7eb3p-2,
    0x1.4618bc3464p-2,
    0x1.739d7f7ee5p-2,
    0x1.9f323ef4d4p-2,
    0,
    0,
    0,
    -0x1.269620976p-2,
    -0x1.a93ed47102p-3,
    -0x1.1178e7343cp-3,
    -0x1.08598c618p-4,
};

/* x = 2^k m, m = c (1 + f), |f| < 0.0417: log(1 + f) to 2^-58 of f, minimax. The special values are those of
 * getexp and getmant. */
double
lw_log_f64(double x)
{
    double m, k = exponent_beside_f64(x, &m);
    uint64_t j = bits_f64(m + 0x1.8p48) & 15;
    double f = mad_f64(m, point_inverse[j], -1.0), f2 = f * f,
           hi = mad_f64(k, 0x1.62e42fefa38p-1, point_log[j]);
    double a = mad_f64(-0x1.fffffffffeb9ep-3, f, 0x1.5555555555155p-2);
    double b = mad_f64(-0x1.55555568924bfp-3, f, 0x1.999999a4a1125p-3);
    double c = mad_f64(-0x1.ffff3783d1b69p-4, f, 0x1.2491fde807a9dp-3);
    double d = mad_f64(-0x1.9b4edb8550938p-4, f, 0x1.c8b01b9e78d06p-4);
    double p = mad_f64(mad_f64(d, f2, c), f2 * f2, mad_f64(b, f2, a));
    double low = mad_f64(mad_f64(p, f, -0.5), f2, k * 0x1.ef35793c7673p-45);
    return hi + (f + low);
}
#else
double
lw_log_f64(double x)
{
    struct reduced r = reduce_log(x);
    double low = mad_f64(r.s, r.f - r.tail, -r.k * 0x1.a39ef35793c76p-33);
    return log_special(x, mad_f64(r.k, 0x1.62e42feep-1, r.f - low));
}
#endif

/* log(u) + log(1 + c / u), where u = 1 + x but for c. */
double
lw_log1p_f64(double x)
{
    double u = 1.0 + x, c = x < 0x1p54 ? x - (u - 1.0) : 0.0;
    struct reduced r = reduce_log(u);
    double rest = quotient_f64(c, ((u > 0x1p-54) & (x < 0x1p54)) ? u : 1.0);
    double low = mad_f64(r.s, r.f - r.tail, -r.k * 0x1.a39ef35793c76p-33) - rest;
    double y = log_special(u, mad_f64(r.k, 0x1.62e42feep-1, r.f - low));
    return x == 0 ? x : y;
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

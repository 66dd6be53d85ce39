/* SPDX-License-Identifier: MIT */
/* exp and log and their relatives in double precision, without libclc's tables: a load per lane costs more
 * than the longer polynomials. The methods are those of exponential.c. */
#include "double.h"

double
lw_exp_f64(double x)
{
    double low, magic, r = reduce_exp(clamp_f64(x, -800, 720), &low, &magic);
    return scale_by(exp_poly(r, low), magic);
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

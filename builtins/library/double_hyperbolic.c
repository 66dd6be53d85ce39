/* SPDX-License-Identifier: MIT */
/* expm1, the hyperbolic functions and their inverses in double precision. */
#include "double.h"

/* e^x = 2^n * (1 + p); *power becomes 2^(n - less). -58 <= n <= 1023 + less */
INLINE double
expm1_parts(double x, int less, double *power)
{
    double low, magic, r = reduce_exp(x, &low, &magic);
    *power = as_f64((bits_f64(magic) + (uint64_t)(1023 - less)) << 52);
    return mad_f64(mad_f64(exp_tail(r), r, 0.5), r * r, low) + r;
}

double
lw_expm1_f64(double x)
{
    double power, p = expm1_parts(clamp_f64(x, -40, 709.79), 1, &power);
    double y = 2.0 * mad_f64(power, p, power - 0.5);
    return fabs64(x) < 0x1p-54 ? x : y;
}

/* With m = e^a - 1, (m + m / (m + 1)) / 2. */
double
lw_sinh_f64(double x)
{
    double power, p = expm1_parts(clamp_f64(fabs64(x), 0, 710.6), 2, &power);
    double half = 2.0 * mad_f64(power, p, power - 0.25), bounded = half > 0x1p60 ? 0x1p60 : half;
    double y = copysign64(half + near_quotient_f64(bounded, mad_f64(2.0, bounded, 1.0)), x);
    return fabs64(x) < 0x1p-28 ? x : y;
}

double
lw_cosh_f64(double x)
{
#ifdef __AVX512F__
    double low, magic, r = reduce_scaled(clamp_f64(fabs64(x), 0, 710.6), &low, &magic);
    double half = exp_scaled(r, low, magic - 1.0);
    return half + near_quotient_f64(0.25, half > 0x1p60 ? 0x1p60 : half);
#else
    double power, p = expm1_parts(clamp_f64(fabs64(x), 0, 710.6), 2, &power);
    double quarter = mad_f64(power, p, power);
    return mad_f64(2.0, quarter, quotient_f64(0.125, quarter > 0x1p60 ? 0x1p60 : quarter));
#endif
}

/* With m = e^2x - 1, m / (m + 2). */
double
lw_tanh_f64(double x)
{
    double power, p = expm1_parts(2.0 * clamp_f64(x, -20, 20), 0, &power);
    double m = mad_f64(power, p, power - 1.0), y = quotient_f64(m, m + 2.0);
    return fabs64(x) < 0x1p-28 ? x : y;
}

/* log(1 + u) for u > 0; where `large`, log(2 u). As log, but f = u near 1, and what 1 + u rounds away added.
 */
INLINE double
log_of_sum(double u, int large)
{
    double sum = 1.0 + u, part = sum - 1.0, lost = (1.0 - (sum - part)) + (u - part);
    double y = large ? u : sum, f, k = split_f64(y, &f);
    double inverse = as_f64(0x3ff0000000000000 - (bits_f64(k + MAGIC) << 52)); /* 2^-k */
    f = k == 0 ? u : f + (large ? 0 : lost * inverse);
    struct reduced r = reduce_mantissa(large ? k + 1.0 : k, f);
    double low = mad_f64(r.s, r.f - r.tail, -r.k * 0x1.a39ef35793c76p-33);
    return mad_f64(r.k, 0x1.62e42feep-1, r.f - low);
}

double
lw_asinh_f64(double x)
{
    double a = fabs64(x), z = a * a;
    int large = a >= 0x1p28;
    double u = a + quotient_f64(z, 1.0 + root_f64(1.0 + z));
    double y = copysign64(log_of_sum(large ? a : u, large), x);
    return a < INF64 ? y : x;
}

double
lw_acosh_f64(double x)
{
    int large = x >= 0x1p28;
    double t = x - 1.0, w = t * (t + 2.0), u = t + root_f64(w);
    double y = log_of_sum(large ? x : u, large);
    y = x == 1 ? 0.0 : y;
    return x >= 1 && x < INF64 ? y : x == INF64 ? x : __builtin_nan("");
}

double
lw_atanh_f64(double x)
{
    double a = fabs64(x), y = 0.5 * log_of_sum(quotient_f64(a + a, 1.0 - a), 0);
    y = a == 1 ? INF64 : y;
    return a <= 1 ? copysign64(y, x) : __builtin_nan("");
}

/* SPDX-License-Identifier: MIT */
/* tgamma: Stirling's series from 20 on, the recurrence below, the reflection for negative numbers. */
#include "core.h"

double _Z3powdd(double, double), _Z3expd(double); /* libclc's */
double lw_sinpi_f64(double);

#define SQRT_2PI 2.5066282746310005
#define PI 3.1415926535897932

/* gamma(x) = x^(x - 1/2) e^-x sqrt(2 pi) * this, for x >= 20. */
INLINE double
stirling(double x)
{
    double r = 1.0 / x, p = 8.3949872067208728e-04;
    p = mad_f64(p, r, -5.1717909082605922e-05);
    p = mad_f64(p, r, -5.9216643735369393e-04);
    p = mad_f64(p, r, 6.9728137583658571e-05);
    p = mad_f64(p, r, 7.8403922172006663e-04);
    p = mad_f64(p, r, -2.2947209362139918e-04);
    p = mad_f64(p, r, -2.6813271604938273e-03);
    p = mad_f64(p, r, 3.4722222222222222e-03);
    p = mad_f64(p, r, 8.3333333333333333e-02);
    return mad_f64(p, r, 1.0);
}

/* a (a + 1) ... (z - 1), where z = a + n is the first from 20 on, with what is lost on the way in `error`;
 * `lost` is a + n - z. */
INLINE double
rise(double a, double *z, double *error, double *lost)
{
    double product = 1.0, e = 0.0, sum = a;
    double low = 0.0;
#pragma clang loop unroll(disable)
    for (int k = 0; k < 20; k++) {
        double f = a + k, f_low = f < 2 * k ? a - (f - k) : k - (f - a);
        int below = f < 20;
        double p = product * f, p_low = __builtin_fma(product, f, -p);
        e = below ? e * f + (p_low + product * f_low) : e;
        product = below ? p : product;
        double next = a + (k + 1);
        sum = below ? next : sum;
        low = below ? (next < 2 * (k + 1) ? a - (next - (k + 1)) : (k + 1) - (next - a)) : low;
    }
    *z = sum;
    *error = e;
    *lost = low;
    return product;
}

double
lw_tgamma_f64(double x)
{
    double a = fabs64(x), z, error, lost;
    double product = rise(a < 190 ? a : 190, &z, &error, &lost);
    /* The power in two factors, as the whole overflows before the result does, and underflows after it. */
    double w = _Z3powdd(z, (z - 0.5) * 0.5), rest = w * _Z3expd(-z) * (SQRT_2PI * stirling(z));
    /* digamma near 20 times what z lacks, and the product's own error. */
    double correction = lost * (2.9705 + 0.05 * (z - 20)) - error / product;
    rest = (rest + rest * correction) / product;
    double positive = x > 172 ? INF64 : w * rest;
    double negative = -PI / (-a * lw_sinpi_f64(x) * w) / rest;
    double y = x > 0 ? positive : negative;
    y = a < 0x1p-60 ? 1.0 / x : y;
    y = x < 0 && __builtin_trunc(x) == x ? __builtin_nan("") : y;
    return x == x ? y : x;
}

float
lw_tgamma_f32(float x)
{
    double a = fabs64((double)x), z, error, lost;
    double product = rise(a < 60 ? a : 60, &z, &error, &lost);
    double g = core_exp2((z - 0.5) * core_log2(z) - z * CORE_LOG2E) * (SQRT_2PI * stirling(z)) / product;
    double y = x > 0 ? g : -PI / (-a * lw_sinpi_f64((double)x) * g);
    y = a < 0x1p-40 ? 1.0 / (double)x : y;
    y = x < 0 && __builtin_truncf(x) == x ? __builtin_nan("") : y;
    return x == x ? (float)y : x;
}

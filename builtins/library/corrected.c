/* SPDX-License-Identifier: MIT */
/* Functions of libclc with the cases put right that it gets wrong: signs of zeros, infinities, steep ends. */
#include "core.h"

/* libclc's, in OpenCL's mangling. */
float _Z6lgammaf(float), _Z8lgamma_rfPi(float, int *);
double _Z8lgamma_rdPi(double, int *);
float lw_log_f32(float);

INLINE float
lgamma_ends(float x, float y)
{
    float ax = fabs32(x);
    float tiny = -lw_log_f32(ax) - 0.57721566f * x;
    y = ax < 0x1p-20f ? tiny : y;
    return ax == INF32 ? INF32 : y;
}

float
lw_lgamma_f32(float x)
{
    return lgamma_ends(x, _Z6lgammaf(x));
}

/* The gamma function has no sign at its poles: zero and the negative integers. */
float
lw_lgamma_r_f32(float x, int *sign)
{
    int s;
    float y = lgamma_ends(x, _Z8lgamma_rfPi(x, &s));
    *sign = x <= 0 && __builtin_truncf(x) == x ? 0 : s;
    return y;
}

double
lw_lgamma_r_f64(double x, int *sign)
{
    int s;
    double y = _Z8lgamma_rdPi(x, &s);
    *sign = x <= 0 && __builtin_trunc(x) == x ? 0 : s;
    return y;
}

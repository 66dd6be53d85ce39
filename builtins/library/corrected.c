/* SPDX-License-Identifier: MIT */
/* Functions of libclc with the cases put right that it gets wrong: signs of zeros, infinities, steep ends. */
#include "core.h"

/* libclc's, in OpenCL's mangling. */
double _Z4asind(double), _Z6asinpid(double), _Z4atand(double), _Z6atanpid(double);
float _Z6lgammaf(float), _Z8lgamma_rfPi(float, int *);
double _Z8lgamma_rdPi(double, int *);
float lw_log_f32(float);

/* Odd functions that lose the sign of zero. */
#define ODD(name, callee)                                                                                    \
    double lw_##name##_f64(double x)                                                                         \
    {                                                                                                        \
        double y = callee(x);                                                                                \
        return x == 0 ? x : y;                                                                               \
    }
ODD(asin, _Z4asind)
ODD(asinpi, _Z6asinpid)
ODD(atan, _Z4atand)
ODD(atanpi, _Z6atanpid)

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

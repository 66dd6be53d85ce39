/* SPDX-License-Identifier: MIT */
/* Inverse hyperbolic functions, log1p and cbrt in single precision: logarithms in double, series near zero.
 */
#include "core.h"

#define LN2 0x1.62e42fefa39efp-1

/* A logarithm of a positive normal double; not of infinity, which the callers select away. */
INLINE double
ln(double x)
{
    return core_log2(x) * LN2;
}

float
lw_log1p_f32(float x)
{
    double d = x;
    int inside = x > -1 && x < INF32;
    double large = ln(inside ? 1.0 + d : 1.0);
    double small = d - d * d * (0.5 - d * (1.0 / 3));
    float y = (float)(fabs64(d) < 0x1p-18 ? small : large);
    y = x == -1 ? -INF32 : y;
    y = x == 0 ? x : y; /* the sign */
    return x < -1 ? NAN32 : x < INF32 ? y : x;
}

float
lw_asinh_f32(float x)
{
    double d = fabs64((double)x), z = d * d;
    double large = ln(d + __builtin_sqrt(z + 1.0));
    double small = d - d * z * (1.0 / 6 - z * (3.0 / 40));
    float y = copysign32((float)(d < 0x1p-8 ? small : large), x);
    return d < INF64 ? y : x;
}

float
lw_acosh_f32(float x)
{
    double t = (double)x - 1.0;
    int inside = x >= 1 && x < INF32;
    float y = (float)ln(inside ? 1.0 + (t + __builtin_sqrt(t * (t + 2.0))) : 1.0);
    return x < 1 ? NAN32 : x < INF32 ? y : x;
}

float
lw_atanh_f32(float x)
{
    double d = fabs64((double)x), z = d * d;
    int inside = d < 1;
    double large = 0.5 * ln(inside ? (1.0 + d) / (1.0 - d) : 1.0);
    double small = d + d * z * (1.0 / 3 + z * (1.0 / 5));
    float y = copysign32((float)(d < 0x1p-8 ? small : large), x);
    y = d == 1 ? copysign32(INF32, x) : y;
    return d <= 1 ? y : NAN32;
}

float
lw_cbrt_f32(float x)
{
    double d = fabs64((double)x);
    int inside = d > 0 && d < INF64;
    float y = (float)core_exp2(core_log2(inside ? d : 1.0) * (1.0 / 3));
    return inside ? copysign32(y, x) : x;
}

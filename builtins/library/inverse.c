/* SPDX-License-Identifier: MIT */
/* Inverse functions in single precision: the hyperbolic ones and log1p by logarithms in double and series
 * near zero, cbrt, the inverse trigonometric ones. */
#include "avx512.h"
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
    double large = 0.5 * ln(inside ? quotient_f64(1.0 + d, 1.0 - d) : 1.0);
    double small = d + d * z * (1.0 / 3 + z * (1.0 / 5));
    float y = copysign32((float)(d < 0x1p-8 ? small : large), x);
    y = d == 1 ? copysign32(INF32, x) : y;
    return d <= 1 ? y : NAN32;
}

/* x^(-1/3) from the bits of x, to 3.5 %, and two steps; the last, with what x^(1/3) misses, is within 0.8
 * ULP.
 */
float
lw_cbrt_f32(float x)
{
    float d = fabs32(x);
    int inside = d > 0 && d < INF32, tiny = d < 0x1p-100f;
    d = tiny ? d * 0x1p24f : d;
    d = inside ? d : 1.0f;
    float y = as_f32((uint32_t)(int32_t)(0x1.5288p+30f - (float)(int32_t)bits_f32(d) * (1.0f / 3)));
    float e = mad_f32(-(d * y), y * y, 1.0f);
    float p = mad_f32(mad_f32(e, 14.0f / 81, 2.0f / 9), e, 1.0f / 3);
    y = mad_f32(y * e, p, y);
    y = mad_f32(y * mad_f32(-(d * y), y * y, 1.0f), 1.0f / 3, y);
    float r = d * (y * y);
    /* r^3 of the greatest numbers may be infinite where it is rounded: a quarter of it is not. */
    r = mad_f32(mad_f32(-(r * r), r * 0.25f, d * 0.25f), y * y * (4.0f / 3), r);
    r = tiny ? r * 0x1p-8f : r;
    return inside ? copysign32(r, x) : x;
}

/* (atan(t) / t - 1) / z, |t| <= 1, z = t^2: minimax, atan to 2^-26. */
INLINE float
atan_tail(float z)
{
    float p = 0x1.758a9cp-9f;
    p = mad_f32(p, z, -0x1.0744c6p-6f);
    p = mad_f32(p, z, 0x1.5dbaa0p-5f);
    p = mad_f32(p, z, -0x1.33603ap-4f);
    p = mad_f32(p, z, 0x1.b3da44p-4f);
    p = mad_f32(p, z, -0x1.22e400p-3f);
    p = mad_f32(p, z, 0x1.9972e8p-3f);
    return mad_f32(p, z, -0x1.5554a6p-2f);
}

#define PI_2 0x1.921fb6p+0f
#define PI_2_LOW -0x1.777a5cp-25f
#define ONE_BY_PI 0x1.45f306p-2f
#define ONE_BY_PI_LOW 0x1.b9391p-27f

/* base + low + atan(t), where base is 0 or above |t|: what the first sum loses goes into the last, which
 * alone rounds, as far as it counts. */
INLINE float
turned(float t, float base, float low)
{
    float z = t * t, sum = base + t, lost = t - (sum - base);
    return sum + (lost + mad_f32(t * z, atan_tail(z), low));
}

/* base + atan(t) / pi */
INLINE float
turned_pi(float t, float base)
{
    float z = t * t, p = 0x1.db9b94p-11f; /* atan_tail's coefficients, by pi */
    p = mad_f32(p, z, -0x1.4f343cp-8f);
    p = mad_f32(p, z, 0x1.bd49eep-7f);
    p = mad_f32(p, z, -0x1.875cf6p-6f);
    p = mad_f32(p, z, 0x1.1578eep-5f);
    p = mad_f32(p, z, -0x1.725f9ap-5f);
    p = mad_f32(p, z, 0x1.04a9cap-4f);
    p = mad_f32(p, z, -0x1.b2988p-4f);
    return base + mad_f32(t, ONE_BY_PI, mad_f32(p, t * z, t * ONE_BY_PI_LOW));
}

/* 1 / a for a > 1, as good as none from 2^60 on. */
INLINE float
inverse(float a)
{
    return quotient_f32(1.0f, a > 0x1p60f ? 0x1p60f : a);
}

float
lw_atan_f32(float x)
{
    float a = fabs32(x);
    int outside = a > 1;
    float t = outside ? -inverse(a) : a;
    return copysign32(turned(t, outside ? PI_2 : 0.0f, outside ? PI_2_LOW : 0.0f), x);
}

float
lw_atanpi_f32(float x)
{
    float a = fabs32(x);
    int outside = a > 1;
    float t = outside ? -inverse(a) : a;
    return copysign32(turned_pi(t, outside ? 0.5f : 0.0f), x);
}

/* The angle of (|x|, |y|) to the nearer axis by its tangent, negative where the axis lies behind it; both are
 * scaled to where their quotient's steps lose nothing. */
INLINE float
nearest_axis(float y, float x, int *steep, int *behind)
{
    float ax = fabs32(x), ay = fabs32(y);
    *steep = ay > ax;
    *behind = bits_f32(x) >> 31;
    float a = *steep ? ax : ay, b = *steep ? ay : ax;
    float scale = b > 0x1p60f ? 0x1p-66f : b < 0x1p-60f ? 0x1p66f : 1.0f;
    a = b == INF32 ? (a == INF32 ? 1.0f : 0.0f) : a * scale;
    b = b == INF32 || b == 0 ? 1.0f : b * scale;
    float t = quotient_f32(a, b);
    return *steep != *behind ? -t : t;
}

float
lw_atan2_f32(float y, float x)
{
    int steep, behind;
    float t = nearest_axis(y, x, &steep, &behind);
    float base = steep    ? PI_2
                 : behind ? 2 * PI_2
                          : 0.0f,
          low = steep    ? PI_2_LOW
                : behind ? 2 * PI_2_LOW
                         : 0.0f;
    float r = copysign32(turned(t, base, low), y);
    return x != x || y != y ? x + y : r;
}

float
lw_atan2pi_f32(float y, float x)
{
    int steep, behind;
    float t = nearest_axis(y, x, &steep, &behind);
    float r = copysign32(turned_pi(t, steep ? 0.5f : behind ? 1.0f : 0.0f), y);
    return x != x || y != y ? x + y : r;
}

/* libclc's, which are within 1.2 ULP. */
float _Z4asinf(float), _Z4acosf(float);

float
lw_asinpi_f32(float x)
{
    float y = _Z4asinf(x);
    return mad_f32(y, ONE_BY_PI, y * ONE_BY_PI_LOW);
}

float
lw_acospi_f32(float x)
{
    return _Z4acosf(x) * ONE_BY_PI;
}

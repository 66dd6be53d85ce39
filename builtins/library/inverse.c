/* SPDX-License-Identifier: MIT */
/* Inverse functions in single precision: the hyperbolic ones by logarithms in double and series near zero,
 * cbrt, the inverse trigonometric ones. */
#include "avx512.h"
#include "core.h"

#define LN2 0x1.62e42fefa39efp-1

#ifdef __AVX512F__
/* log(x) to 2^-28, or to 2^-53 absolutely where x is near 1; NaN of negative numbers. */
INLINE double
ln(double x)
{
    double m, k = exponent_beside_f64(x, &m);
    double s = quotient_to_f32(m - 1.0, m + 1.0), z = s * s;
    /* 2 atanh(s) / s, z <= 0.04: minimax */
    double p = mad_f64(0x1.37b4216b6794ap-2, z, 0x1.991ce50c6ac89p-2);
    p = mad_f64(mad_f64(p, z, 0x1.5555d6669bba2p-1), z, 0x1.ffffffeb2fda2p+0);
    return mad_f64(s, p, k * LN2);
}

/* log(1 + u), u = |x| + z / (1 + root(1 + z)): no part of a small u is lost. */
float
lw_asinh_f32(float x)
{
    double d = fabs64((double)x), z = d * d, w = z + 1.0;
    double large = ln(1.0 + (d + quotient_to_f32(z, 1.0 + root_to_f32(w))));
    return d > 0x1p-13 && d < INF64 ? copysign32((float)large, x) : x;
}

float
lw_acosh_f32(float x)
{
    double t = (double)x - 1.0;
    float y = (float)ln(1.0 + (t + root_to_f32(t * (t + 2.0))));
    return x < 1 ? NAN32 : x < INF32 ? y : x;
}

/* log((1 + |x|) / (1 - |x|)) / 2, of which the second is taken apart, 2^k b. Where |x| is 1 k makes the
 * result infinite, and where it is more b is NaN. */
float
lw_atanh_f32(float x)
{
    double d = fabs64((double)x), a = 1.0 + d, rest = 1.0 - d;
    double b, k = exponent_beside_f64(rest, &b);
    double s = quotient_to_f32(a - b, a + b), z = s * s;
    /* atanh(s) / s, s within [-0.2, 0.455]: minimax, to 2^-31 */
    double p = mad_f64(0x1.37e050ad64bd8p-3, z, 0x1.1014ba190acf9p-4);
    p = mad_f64(mad_f64(p, z, 0x1.d63c7681a11a6p-4), z, 0x1.240030129a535p-3);
    p = mad_f64(mad_f64(p, z, 0x1.999ec8bca1c2ap-3), z, 0x1.55554c90a008ap-2);
    p = mad_f64(p, z, 0x1.0000000134b54p+0);
    float y = copysign32((float)mad_f64(s, p, k * (-LN2 / 2)), x);
    return d > 0x1p-13 ? y : x;
}
#else
/* A logarithm of a positive normal double; not of infinity, which the callers select away. */
INLINE double
ln(double x)
{
    return core_log2(x) * LN2;
}

float
lw_asinh_f32(float x)
{
    double d = fabs64((double)x), z = d * d;
    double large = ln(d + root_f64(z + 1.0));
    double small = d - d * z * (1.0 / 6 - z * (3.0 / 40));
    float y = copysign32((float)(d < 0x1p-8 ? small : large), x);
    return d < INF64 ? y : x;
}

float
lw_acosh_f32(float x)
{
    double t = (double)x - 1.0;
    int inside = x >= 1 && x < INF32;
    float y = (float)ln(inside ? 1.0 + (t + root_f64(t * (t + 2.0))) : 1.0);
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
#endif

/* y = x^(-1/3) from the bits of x, to 3.4 %, and a step by a minimax quadratic, to 2^-14, in 12 bits, so that
 * its square is exact. Then x^(1/3) = x y^2 (1 - e)^(-2/3) with e = 1 - x y^3, and what the product x y^2
 * loses is in both. */
float
lw_cbrt_f32(float x)
{
    float a = fabs32(x);
    int inside = a > 0 && a < INF32, tiny = a < 0x1p-100f;
    float d = tiny ? a * 0x1p24f : a;
    d = inside ? d : 1.0f;
    float y = as_f32((uint32_t)(int32_t)(0x1.5288p+30f - (float)(int32_t)bits_f32(d) * (1.0f / 3)));
    float e = mad_f32(-(d * y), y * y, 1.0f), p = mad_f32(0x1.ca35a4p-3f, e, 0x1.56b46ep-2f);
    y = as_f32(bits_f32(mad_f32(y * e, p, y)) & 0xfffff000);
    float w = y * y, r = d * w, low = __builtin_fmaf(d, w, -r);
    e = mad_f32(-low, y, __builtin_fmaf(-r, y, 1.0f));
    r += mad_f32(r * e, mad_f32(e, 5.0f / 9, 2.0f / 3), low);
    r = tiny ? r * 0x1p-8f : r;
    return inside ? copysign32(r, x) : x;
}

/* (atan(t) / t - 1) / z, |t| <= 1, z = t^2: minimax, atan to 2^-26 of it. */
INLINE float
atan_ratio(float z)
{
    float p = 0x1.7ebde6p-9f;
    p = mad_f32(p, z, -0x1.0c2182p-6f);
    p = mad_f32(p, z, 0x1.61f4e6p-5f);
    p = mad_f32(p, z, -0x1.3552c4p-4f);
    p = mad_f32(p, z, 0x1.b4df4p-4f);
    p = mad_f32(p, z, -0x1.230a9cp-3f);
    p = mad_f32(p, z, 0x1.9978ecp-3f);
    return mad_f32(p, z, -0x1.5554dcp-2f);
}

/* The same by pi. */
INLINE float
atanpi_ratio(float z)
{
    float p = 0x1.e72db2p-11f;
    p = mad_f32(p, z, -0x1.5555ap-8f);
    p = mad_f32(p, z, 0x1.c2a1cap-7f);
    p = mad_f32(p, z, -0x1.89d47cp-6f);
    p = mad_f32(p, z, 0x1.161e92p-5f);
    p = mad_f32(p, z, -0x1.7290b2p-5f);
    p = mad_f32(p, z, 0x1.04ad9ep-4f);
    return mad_f32(p, z, -0x1.b298c4p-4f);
}

#define PI_2 0x1.921fb6p+0f
#define PI_2_LOW -0x1.777a5cp-25f
#define ONE_BY_PI 0x1.45f306p-2f

/* base + low + t + rest, where base is 0 or above |t| and rest is small: what the first sum loses goes into
 * the last, which alone rounds, as far as it counts. */
INLINE float
turned(float t, float rest, float base, float low)
{
    float sum = base + t, lost = t - (sum - base);
    return sum + (lost + (rest + low));
}

float lw_by_pi_f32(float t, float z, float ratio, float low); /* fma.c */
float lw_quotient_rest_f32(float a, float b, float t);

float
lw_atan_f32(float x)
{
    float a = fabs32(x);
    int outside = a > 1;
    float t = outside ? -1.0f / a : a;
    float z = t * t, rest = t * z * atan_ratio(z);
    return copysign32(turned(t, rest, outside ? PI_2 : 0.0f, outside ? PI_2_LOW : 0.0f), x);
}

float
lw_atanpi_f32(float x)
{
    float a = fabs32(x);
    int outside = a > 1;
    float t = outside ? -1.0f / a : a;
    float z = t * t;
    return copysign32((outside ? 0.5f : 0.0f) + lw_by_pi_f32(t, z, atanpi_ratio(z), 0.0f), x);
}

/* The angle of (|x|, |y|) to the nearer axis by its tangent, negative where the axis lies behind it; *low is
 * what the quotient lacks, where the ISA has fma. */
INLINE float
nearest_axis(float y, float x, int *steep, int *behind, float *low)
{
    float ax = fabs32(x), ay = fabs32(y);
    *steep = ay > ax;
    *behind = bits_f32(x) >> 31;
    float a = *steep ? ax : ay, b = *steep ? ay : ax;
    a = b == INF32 ? (a == INF32 ? 1.0f : 0.0f) : a;
    b = b == INF32 || b == 0 ? 1.0f : b;
    a = *steep != *behind ? -a : a;
    float t = a / b;
    *low = lw_quotient_rest_f32(a, b, t);
    return t;
}

float
lw_atan2_f32(float y, float x)
{
    int steep, behind;
    float lack, t = nearest_axis(y, x, &steep, &behind, &lack);
    float base = steep    ? PI_2
                 : behind ? 2 * PI_2
                          : 0.0f,
          low = steep    ? PI_2_LOW
                : behind ? 2 * PI_2_LOW
                         : 0.0f;
    float z = t * t;
    float rest = mad_f32(t * z, atan_ratio(z), lack * mad_f32(z, -0.5f, 1.0f)); /* about 1 / (1 + z) */
    float r = copysign32(turned(t, rest, base, low), y);
    return x != x || y != y ? x + y : r;
}

float
lw_atan2pi_f32(float y, float x)
{
    int steep, behind;
    float lack, t = nearest_axis(y, x, &steep, &behind, &lack), z = t * t;
    lack *= mad_f32(z, -0.5f * ONE_BY_PI, ONE_BY_PI);
    float base = steep ? 0.5f : behind ? 1.0f : 0.0f;
    float r = copysign32(base + lw_by_pi_f32(t, z, atanpi_ratio(z), lack), y);
    return x != x || y != y ? x + y : r;
}

/* |x| up to 1/2, or the root of (1 - |x|) / 2, of which the arc sine is half the arc cosine of |x|. */
INLINE float
arc_argument(float x, int *outside, float *z)
{
    float a = fabs32(x);
    *outside = a > 0.5f;
    *z = *outside ? mad_f32(a, -0.5f, 0.5f) : a * a;
    return *outside ? __builtin_sqrtf(*z) : a;
}

/* (asin(t) / t - 1) / z, |t| <= 1/2, z = t^2: minimax, asin to 2^-27. */
INLINE float
asin_ratio(float z)
{
    float p = 0x1.595c8cp-5f;
    p = mad_f32(p, z, 0x1.8c3e2ap-6f);
    p = mad_f32(p, z, 0x1.747bbap-5f);
    p = mad_f32(p, z, 0x1.330204p-4f);
    return mad_f32(p, z, 0x1.5555c8p-3f);
}

/* The same by pi. */
INLINE float
asinpi_ratio(float z)
{
    float p = 0x1.b8205ep-7f;
    p = mad_f32(p, z, 0x1.f80e16p-8f);
    p = mad_f32(p, z, 0x1.da4e4ep-7f);
    p = mad_f32(p, z, 0x1.86e48cp-6f);
    return mad_f32(p, z, 0x1.b299f2p-5f);
}

float
lw_asin_f32(float x)
{
    int outside;
    float z, t = arc_argument(x, &outside, &z);
    t = outside ? -2 * t : t;
    float rest = t * z * asin_ratio(z);
    return copysign32(turned(t, rest, outside ? PI_2 : 0.0f, outside ? PI_2_LOW : 0.0f), x);
}

float
lw_asinpi_f32(float x)
{
    int outside;
    float z, t = arc_argument(x, &outside, &z);
    t = outside ? -2 * t : t;
    /* As lw_near_by_pi_f32, but what is taken off 1 / 2 may be more than what stays, and its rounding may not
     * count. */
    float base = outside ? 0x1p23f : 0.0f, s = t * 0x1p24f, high = as_f32(bits_f32(s) & 0xfffff000);
    float rest = mad_f32(s, mad_f32(z, asinpi_ratio(z), -0x1.9f246cp-15f), (s - high) * 0x1.46p-2f);
    return copysign32(turned(high * 0x1.46p-2f, rest, base, 0.0f) * 0x1p-24f, x);
}

float
lw_acos_f32(float x)
{
    int outside;
    float z, t = copysign32(arc_argument(x, &outside, &z), x);
    t = outside ? 2 * t : -t;
    float quarters = outside ? x < 0 ? 2.0f : 0.0f : 1.0f;
    return turned(t, t * z * asin_ratio(z), quarters * PI_2, quarters * PI_2_LOW);
}

float
lw_acospi_f32(float x)
{
    int outside;
    float z, t = copysign32(arc_argument(x, &outside, &z), x);
    t = outside ? 2 * t : -t;
    return (outside ? x < 0 ? 1.0f : 0.0f : 0.5f) + lw_by_pi_f32(t, z, asinpi_ratio(z), 0.0f);
}

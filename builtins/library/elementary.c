/* SPDX-License-Identifier: MIT */
/* What takes a number apart, and the common functions, in single and double precision by one text. */
#include "avx512.h"

#define TYPED(name) name##_f32
#define T float
#define U uint32_t
#define S int32_t
#define BITS bits_f32
#define AS as_f32
#define DIGITS 23
#define BIAS 127
#define SCALE_UP 0x1p25f
#define SCALE_UP_BITS 25
#define LEAST 0x1p-126f
#define BELOW_ONE 0x1.fffffep-1f
#define B(name) __builtin_##name##f
#include "elementary.inc"
#undef TYPED
#undef T
#undef U
#undef S
#undef BITS
#undef AS
#undef DIGITS
#undef BIAS
#undef SCALE_UP
#undef SCALE_UP_BITS
#undef LEAST
#undef BELOW_ONE
#undef B

#define TYPED(name) name##_f64
#define T double
#define U uint64_t
#define S int64_t
#define BITS bits_f64
#define AS as_f64
#define DIGITS 52
#define BIAS 1023
#define SCALE_UP 0x1p54
#define SCALE_UP_BITS 54
#define LEAST 0x1p-1022
#define BELOW_ONE 0x1.fffffffffffffp-1
#define B(name) __builtin_##name
#include "elementary.inc"

float
lw_rsqrt_f32(float x)
{
#ifdef __AVX512F__
    /* The root and the division of 16 lanes take over 20 cycles. Of zero and infinity the estimate is right
     * and the error NaN, which the comparison makes one that changes nothing. */
    float r = rsqrt14_f32(x), e = mad_f32(-(x * r), r, 1.0f);
    e = e < 0x1p-8f ? e : 0x1p-8f;
    return mad_f32(e, r * 0.5f, r);
#else
    return 1.0f / __builtin_sqrtf(x);
#endif
}

double
lw_rsqrt_f64(double x)
{
#ifdef __AVX512F__
    double r = rsqrt14_f64(x), e = mad_f64(-(x * r), r, 1.0);
    e = e < 0x1p-8 ? e : 0x1p-8;
    r = mad_f64(e, r * 0.5, r);
    e = mad_f64(-(x * r), r, 1.0);
    e = e < 0x1p-8 ? e : 0x1p-8;
    return mad_f64(e, r * 0.5, r);
#else
    return 1.0 / __builtin_sqrt(x);
#endif
}

/* As the next one, with the same exceptions as the two above. */
double
lw_near_rsqrt_f64(double x)
{
#ifdef __AVX512F__
    double r = rsqrt14_f64(x), e = mad_f64(-(x * r), r, 1.0);
    e = e < 0x1p-8 ? e : 0x1p-8;
    return mad_f64(e, r * 0.5, r);
#else
    return 1.0 / __builtin_sqrt(x);
#endif
}

/* The estimate corrected once, where 16 lanes' root takes 12 to 20 cycles. */
float
lw_near_sqrt_f32(float x)
{
#ifdef __AVX512F__
    float r = rsqrt14_f32(x);
    r = x == 0.0f ? 0.0f : r;
    float g = x * r, e = mad_f32(-g, r, 1.0f);
    g = mad_f32(e, g * 0.5f, g);
    return x < __builtin_inff() ? g : x;
#else
    return __builtin_sqrtf(x);
#endif
}

double
lw_near_sqrt_f64(double x)
{
#ifdef __AVX512F__
    double r = rsqrt14_f64(x);
    r = x == 0.0 ? 0.0 : r;
    double g = x * r, e = mad_f64(-g, r, 1.0);
    g = mad_f64(e, g * 0.5, g);
    return x < __builtin_inf() ? g : x;
#else
    return __builtin_sqrt(x);
#endif
}

float
lw_ldexp_f32(float x, int n)
{
    return scale_f32(x, n);
}

double
lw_ldexp_f64(double x, int n)
{
#ifdef __AVX512F__
    return scalef_f64(x, n);
#else
    /* The subnormal result must round once: below, go to 2^-969 times 2^-53 or less in one last step. */
    n = n < -2200 ? -2200 : n > 2200 ? 2200 : n;
    int tiny = fabs64(x) < 0x1p-1022;
    double m = tiny ? x * 0x1p54 : x;
    int e = (int)(bits_f64(m) >> 52 & 0x7ff) - 1023 - (tiny ? 54 : 0);
    double one = as_f64((bits_f64(m) & 0x800fffffffffffff) | 0x3ff0000000000000);
    int k = e + n;
    int a = k < -1022 ? -1022 : k > 1023 ? 1023 : k;
    int b = k - a < -100 ? -100 : k - a > 1 ? 1 : k - a;
    double r = one * as_f64((uint64_t)(a + 1023) << 52) * as_f64((uint64_t)(b + 1023) << 52);
    return x == 0 || !(fabs64(x) < INF64) ? x : r;
#endif
}

#ifdef __AVX512F__
/* For all operands: scaled by the greater one's exponent. */
INLINE float
far_hypot_f32(float x, float y)
{
    float ax = fabs32(x), ay = fabs32(y), e = getexp_f32(ax > ay ? ax : ay);
    e = e > -160.0f ? e : -160.0f; /* of zeros */
    float u = scalef_f32(x, -e), v = scalef_f32(y, -e), w = mad_f32(u, u, v * v);
    w = w > 0x1p-80f ? w : 0x1p-80f; /* of zeros too: lost below */
    float s = rsqrt14_f32(w), g = w * s;
    float r = scalef_f32(mad_f32(mad_f32(-g, g, w), s * 0.5f, g), e);
    r = (x != x || y != y) ? NAN32 : r;
    return ax == INF32 || ay == INF32 ? INF32 : r;
}

INLINE double
far_hypot_f64(double x, double y)
{
    double ax = fabs64(x), ay = fabs64(y), e = getexp_f64(ax > ay ? ax : ay);
    e = e > -1080.0 ? e : -1080.0; /* of zeros */
    double u = scalef_f64(x, -e), v = scalef_f64(y, -e);
    double r = scalef_f64(root_f64(mad_f64(u, u, v * v)), e);
    r = x != x || y != y ? x + y : r;
    return ax == INF64 || ay == INF64 ? INF64 : r;
}

/* Squares whose sum is neither huge nor tiny need no scaling. Zeros take the branch with the others. */
float
lw_hypot_f32(float x, float y)
{
    float w = mad_f32(x, x, y * y);
    if (__builtin_expect(!(w > 0x1p-80f && w < 0x1p120f), 0))
        return far_hypot_f32(x, y);
    float s = rsqrt14_f32(w), g = w * s;
    return mad_f32(mad_f32(-g, g, w), s * 0.5f, g);
}

double
lw_hypot_f64(double x, double y)
{
    double w = mad_f64(x, x, y * y);
    if (__builtin_expect(!(w > 0x1p-800 && w < 0x1p1000), 0))
        return far_hypot_f64(x, y);
    return root_by_inverse(w, rsqrt14_f64(w));
}
#else
float
lw_hypot_f32(float x, float y)
{
    float ax = fabs32(x), ay = fabs32(y), big = ax > ay ? ax : ay;
    int huge = big > 0x1p60f, tiny = big < 0x1p-40f;
    float scale = huge ? 0x1p-70f : tiny ? 0x1p100f : 1.0f, back = huge ? 0x1p70f : tiny ? 0x1p-100f : 1.0f;
    ax *= scale;
    ay *= scale;
    float r = __builtin_sqrtf(mad_f32(ax, ax, ay * ay)) * back;
    return fabs32(x) == INF32 || fabs32(y) == INF32 ? INF32 : r;
}

double
lw_hypot_f64(double x, double y)
{
    double ax = fabs64(x), ay = fabs64(y), big = ax > ay ? ax : ay, small = ax > ay ? ay : ax;
    double scale = big > 0x1p500 ? 0x1p-600 : big < 0x1p-400 ? 0x1p600 : 1.0;
    double back = big > 0x1p500 ? 0x1p600 : big < 0x1p-400 ? 0x1p-600 : 1.0;
    big *= scale;
    small *= scale;
    double r = __builtin_sqrt(big * big + small * small) * back;
    r = x != x || y != y ? x + y : r;
    return ax == INF64 || ay == INF64 ? INF64 : r;
}
#endif

/* SPDX-License-Identifier: MIT */
/* Sines, cosines and tangents in single precision. The argument is reduced by a three-part pi / 2 (fma.c);
 * those of 2^17 and more, rare and mostly uniformly absent, take the branch to one in double, by a two-part
 * pi / 2, or from 2^24 on by whole numbers. Tangents, which need more of r, always take that. */
#include "avx512.h"

#define LARGE 0x1p24f
#define NEAR 0x1p17f

float lw_reduce_f32(float x, float *rest, uint32_t *n);
float lw_half_reduce_f32(float x, uint32_t *n);
float lw_times_pi_f32(float t);

/* x - n pi / 2, |r| <= pi / 4, and n's low bits. For |x| < LARGE. */
INLINE double
reduce_small(float x, uint32_t *n)
{
    double d = x;
    double t = mad_f64(d, 0x1.45f306dc9c883p-1, 0x1.8p52);
    double k = t - 0x1.8p52;
    *n = (uint32_t)bits_f64(t);
    /* The first part has 24 zero bits at its end: its product with k is exact. */
    return mad_f64(k, -0x1.10b4611a62633p-30, mad_f64(k, -0x1.921fb54p+0, d));
}

/* 32 bits of high and low from that place on. */
INLINE uint32_t
window(uint32_t high, uint32_t low, uint32_t from)
{
    return high << from | low >> 1 >> (31 - from);
}

/* The same for |x| >= LARGE: x's 24 bits times 96 bits of 2 / pi, from the first on that gives no multiple of
 * 4; r to 2^-60. Infinities and NaN give NaN. */
INLINE double
reduce_large(float x, uint32_t *n)
{
    uint32_t bits = bits_f32(x), first = (bits >> 23 & 255) - 145, m = (bits & 0x7fffff) | 0x800000;
    /* 2 / pi * 2^-7, by the word and by bits. */
    int two = first & 64, one = first & 32;
    uint32_t a = two ? 0x53f84eaf : 0x0145f306, b = two ? 0xa3ea69bb : 0xdc9c882a;
    uint32_t c = two ? 0x81b6c52b : 0x53f84eaf, d = two ? 0x32788720 : 0xa3ea69bb;
    uint32_t e = two ? 0x83fca2c7 : 0x81b6c52b, from = first & 31;
    a = one ? b : a, b = one ? c : b, c = one ? d : c, d = one ? e : d;
    uint64_t turns = (uint64_t)m * window(b, c, from) + ((uint64_t)m * window(c, d, from) >> 32);
    turns += (uint64_t)(m * window(a, b, from)) << 32;
    uint64_t part = turns << 2; /* of a quarter turn, with a sign */
    double high = (int32_t)(part >> 32), low = as_f64(0x4330000000000000 | (uint32_t)part) - 0x1p52;
    double r = mad_f64(low, 0x1p-32, high) * 0x1.921fb54442d18p-32;
    uint32_t quarter = (uint32_t)(turns >> 62) + (uint32_t)(part >> 63);
    *n = x < 0 ? -quarter : quarter;
    r = x < 0 ? -r : r;
    return fabs32(x) < INF32 ? r : (double)NAN32;
}

INLINE double
reduce_wide(float x, uint32_t *n)
{
    if (__builtin_expect(!(fabs32(x) < LARGE), 0))
        return reduce_large(x, n);
    return reduce_small(x, n);
}

/* The rest is what rounding took from r. */
INLINE float
reduce(float x, float *rest, uint32_t *n)
{
    if (__builtin_expect(!(fabs32(x) < NEAR), 0)) {
        double d = reduce_wide(x, n);
        float r = (float)d;
        *rest = (float)(d - r);
        return r;
    }
    return lw_reduce_f32(x, rest, n);
}

/* sin(r) / r - 1 */
INLINE float
sin_ratio(float r)
{
    float z = r * r;
    float p = mad_f32(z, 0x1.71de3ap-19f, -0x1.a01a02p-13f);
    p = mad_f32(p, z, 0x1.111112p-7f);
    p = mad_f32(p, z, -0x1.555556p-3f);
    return p * z;
}

INLINE float
sin_poly(float r)
{
    return mad_f32(sin_ratio(r), r, r);
}

/* sin(r + rest) */
INLINE float
sin_whole(float r, float rest)
{
    return r + mad_f32(sin_ratio(r), r, rest);
}

INLINE float
cos_poly(float r)
{
    float z = r * r;
    float p = mad_f32(z, -0x1.27e4fcp-22f, 0x1.a01a02p-16f);
    p = mad_f32(p, z, -0x1.6c16c2p-10f);
    p = mad_f32(p, z, 0x1.555556p-5f);
    return mad_f32(mad_f32(p, z, -0.5f), z, 1.0f);
}

/* sin(r + n pi / 2) */
INLINE float
sin_quadrant(float s, float c, uint32_t n)
{
    float y = n & 1 ? c : s;
    return as_f32(bits_f32(y) ^ (n & 2) << 30);
}

float
lw_sin_f32(float x)
{
    uint32_t n;
    float rest, r = reduce(x, &rest, &n);
    float y = sin_quadrant(sin_whole(r, rest), cos_poly(r), n);
    return x == 0 ? x : y;
}

float
lw_cos_f32(float x)
{
    uint32_t n;
    float rest, r = reduce(x, &rest, &n);
    return sin_quadrant(sin_whole(r, rest), cos_poly(r), n + 1);
}

/* a / b, or -b / a where n is odd: in double, because rounded operands cost two ULP. */
INLINE float
tan_quotient(double a, double b, uint32_t n)
{
    int odd = n & 1;
    float y = (float)quotient_to_f32(odd ? b : a, odd ? a : b);
    return as_f32(bits_f32(y) ^ n << 31);
}

/* tan(r + n pi / 2): the tangent of r as a quotient, minimax, to 2^-35 */
INLINE float
tan_quadrant(double r, uint32_t n)
{
    double z = r * r;
    double a = mad_f64(mad_f64(0x1.19d86919dd50dp-10, z, -0x1.c822eee18e64cp-4), z, 0x1.000000001848fp+0);
    double b = mad_f64(mad_f64(0x1.05b542f9e70e0p-6, z, -0x1.c75e10f12c06dp-2), z, 1.0);
    return tan_quotient(r * a, b, n);
}

float
lw_tan_f32(float x)
{
    uint32_t n;
    double r = reduce_wide(x, &n);
    return tan_quadrant(r, n);
}

/* half_ and native_: |x| up to 2^16, without the branch to the large ones, of which the results are in
 * [-1, 1]; infinities and NaN give NaN. sin(r) and cos(r), minimax, to some ULP. */
INLINE float
half_reduce(float x, uint32_t *n)
{
    float r = lw_half_reduce_f32(x, n);
    r = 1.0f < r ? 1.0f : r;
    return -1.0f > r ? -1.0f : r;
}

INLINE float
half_sine(float r, float z)
{
    return mad_f32(mad_f32(mad_f32(z, -0x1.98fdaap-13f, 0x1.11066cp-7f), z, -0x1.555544p-3f), z, 1.0f) * r;
}

INLINE float
half_cosine(float z)
{
    float c = mad_f32(mad_f32(z, 0x1.99ab68p-16f, -0x1.6c0b52p-10f), z, 0x1.555548p-5f);
    return mad_f32(mad_f32(c, z, -0.5f), z, 1.0f);
}

INLINE float
half_quadrant(float r, uint32_t n)
{
    float z = r * r;
    return sin_quadrant(half_sine(r, z), half_cosine(z), n);
}

float
lw_half_sin_f32(float x)
{
    uint32_t n;
    float r = half_reduce(x, &n);
    return half_quadrant(r, n);
}

float
lw_half_cos_f32(float x)
{
    uint32_t n;
    float r = half_reduce(x, &n);
    return half_quadrant(r, n + 1);
}

float
lw_half_tan_f32(float x)
{
    uint32_t n;
    float r = half_reduce(x, &n), z = r * r, a = half_sine(r, z), b = half_cosine(z);
    float y = quotient_f32(n & 1 ? b : a, n & 1 ? a : b);
    return as_f32(bits_f32(y) ^ n << 31);
}

float
lw_sincos_f32(float x, float *cosine)
{
    uint32_t n;
    float rest, r = reduce(x, &rest, &n);
    float s = sin_whole(r, rest), c = cos_poly(r);
    *cosine = sin_quadrant(s, c, n + 1);
    float y = sin_quadrant(s, c, n);
    return x == 0 ? x : y;
}

f16
lw_sincos_f16(f16 x, f16 *cosine)
{
    float c;
    f16 s = (f16)lw_sincos_f32((float)x, &c);
    *cosine = (f16)c;
    return s;
}

/* x - n / 2, |r| <= 1/4: exact. */
INLINE float
reduce_pi(float x, uint32_t *n)
{
    float w = x - 2.0f * __builtin_rintf(x * 0.5f); /* within [-1, 1], exact */
    float t = w + 0x1.8p22f;                        /* whole halves */
    *n = bits_f32(t);
    return w - (t - 0x1.8p22f);
}

float
lw_sinpi_f32(float x)
{
    uint32_t n;
    float r = lw_times_pi_f32(reduce_pi(x, &n));
    float y = sin_quadrant(sin_poly(r), cos_poly(r), n);
    /* A zero has the sign of x; sin pi of an infinity is the NaN that the reduction made of it. */
    return y == 0 ? copysign32(0.0f, x) : y;
}

float
lw_cospi_f32(float x)
{
    uint32_t n;
    float r = lw_times_pi_f32(reduce_pi(x, &n));
    float y = sin_quadrant(sin_poly(r), cos_poly(r), n + 1);
    return y == 0 ? 0.0f : y;
}

float
lw_tanpi_f32(float x)
{
    uint32_t n;
    float r = reduce_pi(x, &n);
    double d = r, z = d * d;
    double a = mad_f64(-0x1.7c37e872ea762p+1, z, 0x1.921fb4e4b48acp+1); /* minimax, to 2^-26 */
    double b = mad_f64(mad_f64(0x1.e49cfdd6831e6p-1, z, -0x1.0f10cc8ccfe8ap+2), z, 1.0);
    float y = tan_quotient(d * a, b, n);
    /* At multiples of a half the signs alternate. */
    float zero = copysign32(0.0f, n & 2 ? -x : x), pole = n & 2 ? -INF32 : INF32;
    return r == 0 ? n & 1 ? pole : zero : y;
}

/* SPDX-License-Identifier: MIT */
/* Sines, cosines and tangents in single precision. The argument is reduced in double by a two-part pi / 2;
 * those of 2^18 and more, rare and mostly uniformly absent, take the branch to libclc's integer reduction. */
#include "avx512.h"

/* libclc's, in OpenCL's mangling. */
float _Z3sinf(float);
float _Z3cosf(float);
float _Z3tanf(float);

#define LARGE 0x1p18f

/* x - n pi / 2, |r| <= pi / 4, and n's low bits. For |x| < LARGE. */
INLINE float
reduce(float x, uint32_t *n)
{
    double d = x;
    double t = d * 0x1.45f306dc9c883p-1 + 0x1.8p52;
    double k = t - 0x1.8p52;
    *n = (uint32_t)bits_f64(t);
    /* The first part has 20 zero bits at its end: its product with k is exact. */
    d = d - k * 0x1.921fb544p+0;
    return (float)(d - k * 0x1.0b4611a626331p-34);
}

INLINE float
sin_poly(float r)
{
    float z = r * r;
    float p = mad_f32(z, 0x1.71de3ap-19f, -0x1.a01a02p-13f);
    p = mad_f32(p, z, 0x1.111112p-7f);
    p = mad_f32(p, z, -0x1.555556p-3f);
    return mad_f32(p * z, r, r);
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
    if (__builtin_expect(!(fabs32(x) < LARGE), 0))
        return _Z3sinf(x);
    uint32_t n;
    float r = reduce(x, &n);
    float y = sin_quadrant(sin_poly(r), cos_poly(r), n);
    return x == 0 ? x : y;
}

float
lw_cos_f32(float x)
{
    if (__builtin_expect(!(fabs32(x) < LARGE), 0))
        return _Z3cosf(x);
    uint32_t n;
    float r = reduce(x, &n);
    return sin_quadrant(sin_poly(r), cos_poly(r), n + 1);
}

float
lw_tan_f32(float x)
{
    if (__builtin_expect(!(fabs32(x) < LARGE), 0))
        return _Z3tanf(x);
    uint32_t n;
    float r = reduce(x, &n);
    float s = sin_poly(r), c = cos_poly(r);
    float y = n & 1 ? -c / s : s / c;
    return x == 0 ? x : y;
}

/* half_: |x| up to 2^16, without the branch to the large ones, of which the results are those of 0;
 * infinities and NaN give NaN. */
INLINE float
reduce_half(float x, uint32_t *n)
{
    return reduce(fabs32(x) < LARGE ? x : x - x, n);
}

float
lw_half_sin_f32(float x)
{
    uint32_t n;
    float r = reduce_half(x, &n);
    float y = sin_quadrant(sin_poly(r), cos_poly(r), n);
    return x == 0 ? x : y;
}

float
lw_half_cos_f32(float x)
{
    uint32_t n;
    float r = reduce_half(x, &n);
    return sin_quadrant(sin_poly(r), cos_poly(r), n + 1);
}

float
lw_half_tan_f32(float x)
{
    uint32_t n;
    float r = reduce_half(x, &n);
    float s = sin_poly(r), c = cos_poly(r);
    float y = n & 1 ? quotient_f32(-c, s) : quotient_f32(s, c);
    return x == 0 ? x : y;
}

float
lw_sincos_f32(float x, float *cosine)
{
    if (__builtin_expect(!(fabs32(x) < LARGE), 0)) {
        *cosine = _Z3cosf(x);
        return _Z3sinf(x);
    }
    uint32_t n;
    float r = reduce(x, &n);
    float s = sin_poly(r), c = cos_poly(r);
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

/* x - n / 2 times pi, |x - n / 2| <= 1/4: exact up to the product. */
INLINE float
reduce_pi(float x, uint32_t *n)
{
    float w = x - 2.0f * __builtin_rintf(x * 0.5f); /* within [-1, 1], exact */
    float t = w + 0x1.8p22f;                        /* whole halves */
    *n = bits_f32(t);
    return (float)((double)(w - (t - 0x1.8p22f)) * 0x1.921fb54442d18p+1);
}

float
lw_sinpi_f32(float x)
{
    uint32_t n;
    float r = reduce_pi(x, &n);
    float y = sin_quadrant(sin_poly(r), cos_poly(r), n);
    /* A zero has the sign of x; sin pi of an infinity is the NaN that the reduction made of it. */
    return y == 0 ? copysign32(0.0f, x) : y;
}

float
lw_cospi_f32(float x)
{
    uint32_t n;
    float r = reduce_pi(x, &n);
    float y = sin_quadrant(sin_poly(r), cos_poly(r), n + 1);
    return y == 0 ? 0.0f : y;
}

float
lw_tanpi_f32(float x)
{
    uint32_t n;
    float r = reduce_pi(x, &n);
    float s = sin_poly(r), c = cos_poly(r);
    float y = n & 1 ? -c / s : s / c;
    /* At multiples of a half the signs alternate. */
    float zero = copysign32(0.0f, n & 2 ? -x : x), pole = n & 2 ? -INF32 : INF32;
    return r == 0 ? n & 1 ? pole : zero : y;
}

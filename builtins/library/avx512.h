/* SPDX-License-Identifier: MIT */
/* Instructions of AVX-512 for bodies that are compiled for that level too (../meson.build): on lane 0 of a
 * register here, on all lanes after the vectorizer (vectorizer/lanes/avx512.c). */
#ifndef LW_LIBRARY_AVX512_H
#define LW_LIBRARY_AVX512_H

#include "library.h"

#ifdef __AVX512F__
#include <immintrin.h>

/* p * 2^n for an integral n, rounded once; right for infinite n and for NaN. */
INLINE float
scalef_f32(float p, float n)
{
    return _mm_cvtss_f32(_mm_scalef_ss(_mm_set_ss(p), _mm_set_ss(n)));
}

/* a + b, rounded other than to nearest. */
INLINE float
sum_downwards_f32(float a, float b)
{
    return _mm_cvtss_f32(
        _mm_add_round_ss(_mm_set_ss(a), _mm_set_ss(b), _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC));
}

INLINE float
sum_upwards_f32(float a, float b)
{
    return _mm_cvtss_f32(
        _mm_add_round_ss(_mm_set_ss(a), _mm_set_ss(b), _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC));
}

/* 1 / x and 1 / sqrt(x) to 2^-14, subnormal numbers included. */
INLINE float
rcp14_f32(float x)
{
    return _mm_cvtss_f32(_mm_rcp14_ss(_mm_set_ss(x), _mm_set_ss(x)));
}

INLINE float
rsqrt14_f32(float x)
{
    return _mm_cvtss_f32(_mm_rsqrt14_ss(_mm_set_ss(x), _mm_set_ss(x)));
}

/* The exponent; minus infinity of zero, infinity of infinity. */
INLINE float
getexp_f32(float x)
{
    return _mm_cvtss_f32(_mm_getexp_ss(_mm_set_ss(x), _mm_set_ss(x)));
}

/* x times a power of 2, in [3/4, 3/2): 1 of zeros and infinity, NaN of negative numbers. */
INLINE float
getmant_f32(float x)
{
    return _mm_cvtss_f32(
        _mm_getmant_ss(_mm_set_ss(x), _mm_set_ss(x), _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan));
}

/* The same in double precision. */
INLINE double
getexp_f64(double x)
{
    return _mm_cvtsd_f64(_mm_getexp_sd(_mm_set_sd(x), _mm_set_sd(x)));
}

INLINE double
getmant_f64(double x)
{
    return _mm_cvtsd_f64(
        _mm_getmant_sd(_mm_set_sd(x), _mm_set_sd(x), _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan));
}

/* x = 2^k m, m as getmant has it. */
INLINE double
exponent_beside_f64(double x, double *m)
{
    *m = getmant_f64(x);
    return getexp_f64(x) - getexp_f64(*m);
}

/* x times a power of 2, in [1, 2). */
INLINE double
significand_f64(double x)
{
    return _mm_cvtsd_f64(_mm_getmant_sd(_mm_set_sd(x), _mm_set_sd(x), _MM_MANT_NORM_1_2, _MM_MANT_SIGN_nan));
}

INLINE double
scalef_f64(double p, double n)
{
    return _mm_cvtsd_f64(_mm_scalef_sd(_mm_set_sd(p), _mm_set_sd(n)));
}

INLINE double
rcp14_f64(double x)
{
    return _mm_cvtsd_f64(_mm_rcp14_sd(_mm_set_sd(x), _mm_set_sd(x)));
}

INLINE double
rsqrt14_f64(double x)
{
    return _mm_cvtsd_f64(_mm_rsqrt14_sd(_mm_set_sd(x), _mm_set_sd(x)));
}
#endif

/* a / b to about an ULP, where b is far from 0 and infinity: 16 lanes are divided in 10 to 16 cycles, and
 * estimated and corrected in 3. 8 lanes take 5, in which everything else goes on. */
INLINE float
quotient_f32(float a, float b)
{
#ifdef __AVX512F__
    float r = rcp14_f32(b), q = a * r;
    float error = mad_f32(q, b, -a); /* these signs keep that of a zero */
    return mad_f32(-error, r, q);
#else
    return a / b;
#endif
}

/* The same in double precision, where 8 lanes are divided in 16 cycles: 1 + e + e^2 + e^3 in two factors. */
INLINE double
inverse_f64(double b)
{
#ifdef __AVX512F__
    double r = rcp14_f64(b), e = mad_f64(-b, r, 1.0);
    r = mad_f64(r, e, r);
    return mad_f64(r, e * e, r);
#else
    return 1.0 / b;
#endif
}

INLINE double
quotient_f64(double a, double b)
{
#ifdef __AVX512F__
    double r = inverse_f64(b), q = a * r, error = mad_f64(q, b, -a);
    return mad_f64(-error, r, q);
#else
    return a / b;
#endif
}

/* The same within 0.63 ULP and two operations less. */
INLINE double
near_quotient_f64(double a, double b)
{
#ifdef __AVX512F__
    double r = rcp14_f64(b);
    r = mad_f64(r, mad_f64(-b, r, 1.0), r);
    double q = a * r;
    return mad_f64(-mad_f64(q, b, -a), r, q);
#else
    return a / b;
#endif
}

/* The same to 2^-27, for what single precision takes. */
INLINE double
quotient_to_f32(double a, double b)
{
#ifdef __AVX512F__
    double r = rcp14_f64(b);
    return a * mad_f64(r, mad_f64(-b, r, 1.0), r);
#else
    return a / b;
#endif
}

/* sqrt(w) by r, an estimate of 1 / sqrt(w); 2^-1000 < w < 2^1000, or r * w = 0. 8 lanes take over 30 cycles
 * for a root. */
INLINE double
root_by_inverse(double w, double r)
{
    double g = w * r, h = r * 0.5, e = mad_f64(-g, h, 0.5);
    g = mad_f64(g, e, g);
    h = mad_f64(h, e, h);
    return mad_f64(mad_f64(-g, g, w), h, g);
}

/* sqrt(w) to 2^-27, for what single precision takes, of 0 too, NaN below. */
INLINE double
root_to_f32(double w)
{
#ifdef __AVX512F__
    double r = rsqrt14_f64(w);
    r = r > 0x1p500 ? 0x1p500 : r;
    double g = w * r;
    return mad_f64(mad_f64(-g, r, 1.0), g * 0.5, g);
#else
    return __builtin_sqrt(w);
#endif
}

/* The same in full, for 0 too, NaN below. */
INLINE double
root_f64(double w)
{
#ifdef __AVX512F__
    double r = rsqrt14_f64(w);
    return root_by_inverse(w, r > 0x1p500 ? 0x1p500 : r);
#else
    return __builtin_sqrt(w);
#endif
}

#endif

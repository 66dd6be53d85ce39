/* SPDX-License-Identifier: MIT */
/* Sines, cosines and tangents in double precision, as those in single precision of trigonometric.c: arguments
 * that are too large for pi / 2 in three parts, rare and mostly uniformly absent, branch to libclc's. */
#include "avx512.h"

/* libclc's, in OpenCL's mangling. */
double _Z3sind(double);
double _Z3cosd(double);
double _Z3tand(double);

#define MAGIC 0x1.8p52

#ifdef __AVX512F__
#define LARGE 0x1p30
#else
#define LARGE 0x1p19
#endif

/* x - n pi / 2, |r| <= pi / 4 and a little, and n's low bits. For |x| < LARGE, or 2^30. The first difference
 * is below 1 and a multiple of 2^-53: exact, as the product in it is with fma. */
__attribute__((noinline)) double
lw_reduce_f64(double x, uint64_t *n)
{
    double t = mad_f64(x, 0x1.45f306dc9c883p-1, MAGIC), k = t - MAGIC,
           r = __builtin_fma(k, -0x1.921fb54442d18p+0, x);
    *n = bits_f64(t);
    return mad_f64(k, 0x1.f1976b7ed8fbcp-110, mad_f64(k, -0x1.1a62633145c07p-54, r));
}

/* The first two parts have 20 zero bits at their ends: their products with k are exact. */
__attribute__((noinline)) double
lw_near_reduce_f64(double x, uint64_t *n)
{
    double t = mad_f64(x, 0x1.45f306dc9c883p-1, MAGIC), k = t - MAGIC;
    double a = x - k * 0x1.921fb544p+0, w = k * 0x1.0b4611a6p-34, r = a - w;
    *n = bits_f64(t);
    return r + ((a - r) - w - k * 0x1.3198a2e037073p-69);
}

/* [sin(sqrt(z)) / sqrt(z) - 1] / z, z <= (pi / 4)^2: minimax, to 2^-58 of the sine */
INLINE double
sin_poly(double r)
{
    double z = r * r, p = 0x1.5d9300f007e5ap-33;
    p = mad_f64(p, z, -0x1.ae5e663a65bbbp-26);
    p = mad_f64(p, z, 0x1.71de3577b6644p-19);
    p = mad_f64(p, z, -0x1.a01a019c11991p-13);
    p = mad_f64(p, z, 0x1.111111110f87ap-7);
    p = mad_f64(p, z, -0x1.5555555555549p-3);
    return mad_f64(p * z, r, r);
}

/* [cos(sqrt(z)) - 1 + z / 2] / z^2: minimax, to 2^-64 of the cosine */
INLINE double
cos_poly(double r)
{
    double z = r * r, p = -0x1.8fae9c66ac9bap-37;
    p = mad_f64(p, z, 0x1.1ee9ebe90dd59p-29);
    p = mad_f64(p, z, -0x1.27e4f809f071bp-22);
    p = mad_f64(p, z, 0x1.a01a019cb1bd7p-16);
    p = mad_f64(p, z, -0x1.6c16c16c1517ep-10);
    p = mad_f64(p, z, 0x1.555555555554cp-5);
    return mad_f64(p * z, z, mad_f64(z, -0.5, 1.0));
}

/* sin(r + n pi / 2) */
INLINE double
sin_quadrant(double s, double c, uint64_t n)
{
    double y = n & 1 ? c : s;
    return as_f64(bits_f64(y) ^ (n & 2) << 62);
}

/* tan(r + n pi / 2) */
INLINE double
tan_quadrant(double r, uint64_t n)
{
    double s = sin_poly(r), c = cos_poly(r);
    return quotient_f64(n & 1 ? -c : s, n & 1 ? s : c);
}

double
lw_sin_f64(double x)
{
    if (__builtin_expect(!(fabs64(x) < LARGE), 0))
        return _Z3sind(x);
    uint64_t n;
    double r = lw_reduce_f64(x, &n);
    double y = sin_quadrant(sin_poly(r), cos_poly(r), n);
    return x == 0 ? x : y;
}

double
lw_cos_f64(double x)
{
    if (__builtin_expect(!(fabs64(x) < LARGE), 0))
        return _Z3cosd(x);
    uint64_t n;
    double r = lw_reduce_f64(x, &n);
    return sin_quadrant(sin_poly(r), cos_poly(r), n + 1);
}

double
lw_tan_f64(double x)
{
    if (__builtin_expect(!(fabs64(x) < LARGE), 0))
        return _Z3tand(x);
    uint64_t n;
    double r = lw_reduce_f64(x, &n);
    double y = tan_quadrant(r, n);
    return x == 0 ? x : y;
}

double
lw_sincos_f64(double x, double *cosine)
{
    if (__builtin_expect(!(fabs64(x) < LARGE), 0)) {
        *cosine = _Z3cosd(x);
        return _Z3sind(x);
    }
    uint64_t n;
    double r = lw_reduce_f64(x, &n);
    double s = sin_poly(r), c = cos_poly(r);
    *cosine = sin_quadrant(s, c, n + 1);
    double y = sin_quadrant(s, c, n);
    return x == 0 ? x : y;
}

/* x - n / 2 times pi, |x - n / 2| <= 1/4: exact up to the product. */
INLINE double
reduce_pi(double x, uint64_t *n)
{
    double w = x - 2.0 * __builtin_rint(x * 0.5); /* within [-1, 1], exact */
    double t = w + 0x1.8p51;                      /* whole halves */
    *n = bits_f64(t);
    double d = w - (t - 0x1.8p51);
    return mad_f64(d, 0x1.921fb54442d18p+1, d * 0x1.1a62633145c07p-53);
}

/* sin(pi d), |d| <= 1/2: minimax, to 2^-60. A call until slices.py has chosen. */
__attribute__((noinline)) double
lw_half_turn_f64(double d)
{
    double z = d * d, p = 0x1.9e2c9970c0c17p-21;
    p = mad_f64(p, z, -0x1.6f825877c629cp-16);
    p = mad_f64(p, z, 0x1.e8f39b102efb6p-12);
    p = mad_f64(p, z, -0x1.e3074eb5089acp-8);
    p = mad_f64(p, z, 0x1.50783486c8611p-4);
    p = mad_f64(p, z, -0x1.32d2cce62b066p-1);
    p = mad_f64(p, z, 0x1.466bc6775aaeep+1);
    p = mad_f64(z, -0x1.4abbce625be53p+2, mad_f64(z * z, p, 0x1.1a62633145c07p-53));
    return mad_f64(d, 0x1.921fb54442d18p+1, d * p);
}

/* Without fma the product with pi loses too much near 1/2: there by the cosine. */
__attribute__((noinline)) double
lw_near_half_turn_f64(double d)
{
    double a = fabs64(d);
    int large = a > 0.25;
    double e = large ? 0.5 - a : d, r = mad_f64(e, 0x1.921fb54442d18p+1, e * 0x1.1a62633145c07p-53);
    double s = sin_poly(r), c = copysign64(cos_poly(r), d);
    return large ? c : s;
}

/* x less a multiple of 2, within [-1, 1], exactly; NaN of infinities. */
INLINE double
reduce_turn(double x)
{
    return x - 2.0 * __builtin_rint(x * 0.5);
}

double
lw_sinpi_f64(double x)
{
    double w = reduce_turn(x), a = fabs64(w), rest = 1.0 - a, d = rest < a ? rest : a;
    return copysign64(lw_half_turn_f64(d), d == 0 ? x : w); /* a zero has the sign of x */
}

double
lw_cospi_f64(double x)
{
    return lw_half_turn_f64(0.5 - fabs64(reduce_turn(x)));
}

double
lw_tanpi_f64(double x)
{
    uint64_t n;
    double r = reduce_pi(x, &n);
    double y = tan_quadrant(r, n);
    /* At multiples of a half the signs alternate. */
    double zero = copysign64(0.0, n & 2 ? -x : x), pole = n & 2 ? -INF64 : INF64;
    return r == 0 ? n & 1 ? pole : zero : y;
}

/* SPDX-License-Identifier: MIT */
/* fmod, remainder and remquo. Where |x / y| is below NEAR and y far from zero and infinity: what the whole
 * number next to the quotient leaves, by one fma. It is exact: a multiple of the last place of y, and where
 * |x| >= |y| of x, of at most 3/4 |y|; and a difference of neighbours where |x| < |y|, since the quotient is
 * above 1/2 only where |x / y| is: it errs by less than an eighth of its last place before it is rounded, so
 * that what is a number comes out as that, halves too. All others, rare and mostly uniformly absent, take the
 * branch: single precision to steps in double, each of 27 bits of |x / y|; double precision to a long
 * division of the mantissas, a step per bit of it. */
#include "avx512.h"

/* 2^floor(log2 a) for a positive normal double. */
INLINE int64_t
exponent_of(double a)
{
    return (int64_t)(bits_f64(a) >> 52) - 1023;
}

/* |x| modulo |y|, and the quotient modulo 2^32; both finite, y not zero. Each step takes q s from a, where s
 * is |y| times a power of two and q < 2^29 a whole number: q s has 53 bits, and the difference is a multiple
 * of the last place of s, or of x's, below s. */
INLINE double
reduce(double a, double b, uint32_t *quotient)
{
    uint32_t total = 0;
    while (a >= b) {
        int64_t k = exponent_of(a) - exponent_of(b) - 27;
        k = k < 0 ? 0 : k;
        double s = b * as_f64((uint64_t)(k + 1023) << 52);
        double q = __builtin_trunc(a / s), r = a - q * s;
        /* The quotient may have been rounded up to the next whole number. */
        int over = r < 0;
        q = over ? q - 1 : q;
        a = over ? r + s : r;
        total += k < 32 ? (uint32_t)(int32_t)q << k : 0;
    }
    *quotient = total;
    return a;
}

INLINE int
regular(float x, float y)
{
    return fabs32(x) < INF32 && y == y && y != 0;
}

INLINE float
far_fmod_f32(float x, float y)
{
    uint32_t q;
    int ok = regular(x, y);
    double b = fabs64((double)y);
    float r = (float)reduce(ok ? fabs64((double)x) : 0.0, ok ? b : 1.0, &q);
    return ok ? copysign32(r, x) : NAN32;
}

INLINE float
far_remquo_f32(float x, float y, int *quotient)
{
    uint32_t q;
    int ok = regular(x, y);
    double b = ok ? fabs64((double)y) : 1.0;
    double r = reduce(ok ? fabs64((double)x) : 0.0, b, &q);
    /* To the nearest multiple, ties to the even one. Twice an infinite or huge y is no trouble in double. */
    int up = r + r > b || (r + r == b && (q & 1));
    r = up ? r - b : r;
    q = (q + (uint32_t)up) & 127;
    int negative = (bits_f32(x) ^ bits_f32(y)) >> 31;
    *quotient = ok ? negative ? -(int)q : (int)q : 0;
    float result = (float)(bits_f32(x) >> 31 ? -r : r);
    return ok ? r == 0 ? copysign32(0.0f, x) : result : NAN32;
}

/* ---- Double precision ---- */

/* The mantissa of a positive finite number, its top bit in bit 52, and the exponent of its last bit. */
INLINE uint64_t
mantissa(double a, int64_t *exponent)
{
    int tiny = a < 0x1p-1022;
    uint64_t bits = bits_f64(tiny ? a * 0x1p54 : a);
    *exponent = (int64_t)(bits >> 52) - 1075 - (tiny ? 54 : 0);
    return (bits & 0xfffffffffffff) | 0x10000000000000;
}

INLINE double
reduce_f64(double a, double b, uint32_t *quotient)
{
    int64_t ea, eb;
    uint64_t ma = mantissa(a, &ea), mb = mantissa(b, &eb);
    uint32_t q = 0;
    for (int64_t k = ea - eb; k >= 0; k--) {
        int take = ma >= mb;
        ma = take ? ma - mb : ma;
        q = q << 1 | (uint32_t)take;
        ma = k ? ma << 1 : ma;
    }
    *quotient = q;
    int64_t first = eb < -1000 ? -1000 : eb;
    double r = (double)(int64_t)ma * as_f64((uint64_t)(first + 1023) << 52);
    r *= as_f64((uint64_t)(eb - first + 1023) << 52); /* the remainder is a number: exact */
    return a < b ? a : r;
}

INLINE int
regular_f64(double x, double y)
{
    return fabs64(x) < INF64 && x != 0 && fabs64(y) < INF64 && y != 0;
}

/* x where it is the result itself, NaN where there is none. */
INLINE double
irregular_f64(double x, double y)
{
    return fabs64(x) < INF64 && y == y && y != 0 ? x : __builtin_nan("");
}

INLINE double
far_fmod_f64(double x, double y)
{
    uint32_t q;
    int ok = regular_f64(x, y);
    double r = reduce_f64(ok ? fabs64(x) : 1.0, ok ? fabs64(y) : 1.0, &q);
    return ok ? copysign64(r, x) : irregular_f64(x, y);
}

INLINE double
far_remquo_f64(double x, double y, int *quotient)
{
    uint32_t q;
    int ok = regular_f64(x, y);
    double b = ok ? fabs64(y) : 1.0;
    double r = reduce_f64(ok ? fabs64(x) : 1.0, b, &q);
    int up = r > b - r || (r == b - r && (q & 1));
    r = up ? r - b : r;
    q = (q + (uint32_t)up) & 127;
    int negative = (int)((bits_f64(x) ^ bits_f64(y)) >> 63);
    *quotient = ok ? negative ? -(int)q : (int)q : 0;
    double result = bits_f64(x) >> 63 ? -r : r;
    return ok ? r == 0 ? copysign64(0.0, x) : result : irregular_f64(x, y);
}

#define TYPED(name) name##_f32
#define T float
#define U uint32_t
#define BITS bits_f32
#define AS as_f32
#define B(name) __builtin_##name##f
#define QUOTIENT quotient_f32
#define LEAST 0x1p-100f
#define MOST 0x1p100f
#define NEAR 0x1p20f
#define MAGIC 0x1.8p23f
#include "remainder.inc"
#undef TYPED
#undef T
#undef U
#undef BITS
#undef AS
#undef B
#undef QUOTIENT
#undef LEAST
#undef MOST
#undef NEAR
#undef MAGIC

#define TYPED(name) name##_f64
#define T double
#define U uint64_t
#define BITS bits_f64
#define AS as_f64
#define B(name) __builtin_##name
#define QUOTIENT near_quotient_f64
#define LEAST 0x1p-900
#define MOST 0x1p900
#define NEAR 0x1p46
#define MAGIC 0x1.8p52
#include "remainder.inc"

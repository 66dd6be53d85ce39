/* SPDX-License-Identifier: MIT */
/* fmod, remainder and remquo in single precision: exact steps in double, one where |x / y| < 2^27. */
#include "library.h"

/* 2^floor(log2 a) for a positive normal double. */
INLINE int64_t
exponent_of(double a)
{
    return (int64_t)(bits_f64(a) >> 52) - 1023;
}

/* |x| modulo |y|, and the quotient modulo 2^32; both finite, y not zero. Each step takes q s from a, where s is |y|
 * times a power of two and q < 2^29 a whole number: q s has 53 bits, and the difference is a multiple of the last
 * place of s, or of x's, below s. */
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

float
lw_fmod_f32(float x, float y)
{
    uint32_t q;
    int ok = regular(x, y);
    double b = fabs64((double)y);
    float r = (float)reduce(ok ? fabs64((double)x) : 0.0, ok ? b : 1.0, &q);
    return ok ? copysign32(r, x) : NAN32;
}

float
lw_remquo_f32(float x, float y, int *quotient)
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

float
lw_remainder_f32(float x, float y)
{
    int quotient;
    return lw_remquo_f32(x, y, &quotient);
}

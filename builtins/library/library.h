/* SPDX-License-Identifier: MIT */
/* What the bodies share. They are compiled to scalar bitcode, inlined into kernels and then vectorized, so
 * they prefer selects to branches, call nothing that is not inlined, and never turn an out-of-range value
 * into an integer (that is poison): integers are taken from the bits of a float. */
#ifndef LW_LIBRARY_H
#define LW_LIBRARY_H

#include <stdint.h>

typedef _Float16 f16;

#define CONSTANT __attribute__((address_space(2))) /* tables */
#define INLINE static inline __attribute__((always_inline))

INLINE float
as_f32(uint32_t u)
{
    return __builtin_bit_cast(float, u);
}

INLINE double
as_f64(uint64_t u)
{
    return __builtin_bit_cast(double, u);
}

INLINE f16
as_f16(uint16_t u)
{
    return __builtin_bit_cast(f16, u);
}

INLINE uint16_t
bits_f16(f16 x)
{
    return __builtin_bit_cast(uint16_t, x);
}

INLINE uint32_t
bits_f32(float x)
{
    return __builtin_bit_cast(uint32_t, x);
}

INLINE uint64_t
bits_f64(double x)
{
    return __builtin_bit_cast(uint64_t, x);
}

/* a * b + c, fused where the ISA can: for polynomials, where either is good. */
INLINE float
mad_f32(float a, float b, float c)
{
#pragma clang fp contract(on)
    return a * b + c;
}

INLINE double
mad_f64(double a, double b, double c)
{
#pragma clang fp contract(on)
    return a * b + c;
}

#define NAN32 __builtin_nanf("")
#define INF32 __builtin_inff()
#define INF64 __builtin_inf()
#define fabs32 __builtin_fabsf
#define fabs64 __builtin_fabs
#define copysign32 __builtin_copysignf
#define copysign64 __builtin_copysign

/* x times 2^n for finite results of any size; the last product alone rounds. |n| up to 2^31 - 1. */
INLINE float
scale_f32(float x, int n)
{
    n = n < -400 ? -400 : n > 400 ? 400 : n;
    /* In double both factors are normal and nothing rounds before the conversion. */
    return (float)((double)x * as_f64((uint64_t)(int64_t)(n + 1023) << 52));
}

#endif

/* SPDX-License-Identifier: MIT */
/* exp2 and log2 in double, to about 2^-40 relative: what single precision pow and its relatives need; and
 * what they share in single precision. */
#ifndef LW_LIBRARY_CORE_H
#define LW_LIBRARY_CORE_H

#include "avx512.h"

#define CORE_LOG2E 0x1.71547652b82fep+0

/* 2^r for |r| <= 1/2, in single precision: minimax. */
INLINE float
exp2_of_fraction(float r)
{
    float p = 0x1.417a7ap-13f;
    p = mad_f32(p, r, 0x1.5f094cp-10f);
    p = mad_f32(p, r, 0x1.3b2dd2p-7f);
    p = mad_f32(p, r, 0x1.c6af7ap-5f);
    p = mad_f32(p, r, 0x1.ebfbdcp-3f);
    p = mad_f32(p, r, 0x1.62e43p-1f);
    return mad_f32(p, r, 1.0f);
}

/* 2^t for |t| <= 1000 or NaN. */
INLINE double
core_exp2(double t)
{
    double magic = t + 0x1.8p52;
    double x = (t - (magic - 0x1.8p52)) * 0x1.62e42fefa39efp-1;
    /* e^x, |x| <= 0.3466: minimax, to 2^-40. */
    double p = 0x1.9eda527ac7311p-16;
    p = mad_f64(p, x, 0x1.a1a829e076cb6p-13);
    p = mad_f64(p, x, 0x1.6c18b38dfa210p-10);
    p = mad_f64(p, x, 0x1.111082a573033p-7);
    p = mad_f64(p, x, 0x1.55555404d477cp-5);
    p = mad_f64(p, x, 0x1.555555a0894b2p-3);
    p = mad_f64(p, x, 0x1.00000000880dep-1);
    p = mad_f64(p, x, 0x1.ffffffffd55e0p-1);
    p = mad_f64(p, x, 0x1.ffffffffff7a2p-1);
    return p * as_f64((bits_f64(magic) + 1023) << 52);
}

/* log2 of a positive normal double: single precision's subnormals are normal here. */
INLINE double
core_log2(double x)
{
    uint64_t shifted = bits_f64(x) - 0x3fe6a09e667f3bcd; /* sqrt 1/2 */
    /* The exponent as a double by its bits, since AVX2 has no conversion of 64-bit integers. */
    double k = as_f64(0x4338000000000000 + (uint64_t)((int64_t)shifted >> 52)) - 0x1.8p52;
    double m = as_f64((shifted & 0xfffffffffffff) + 0x3fe6a09e667f3bcd);
    double s = quotient_f64(m - 1.0, m + 1.0), z = s * s;
    /* artanh(s) / s, z <= 0.02945: minimax, to 2^-45. */
    double p = 0x1.919b7d2c49031p-4;
    p = mad_f64(p, z, 0x1.c62052ed9a78bp-4);
    p = mad_f64(p, z, 0x1.24943a0a3bbaap-3);
    p = mad_f64(p, z, 0x1.999996271560bp-3);
    p = mad_f64(p, z, 0x1.555555567380ep-2);
    p = mad_f64(p, z, 0x1.fffffffffff10p-1);
    return mad_f64(s * p, 2 * CORE_LOG2E, k);
}

#endif

/* SPDX-License-Identifier: MIT */
/* exp2 and log2 in double, to about 2^-42 relative: what single precision pow and its relatives need. */
#ifndef LW_LIBRARY_CORE_H
#define LW_LIBRARY_CORE_H

#include "library.h"

#define CORE_LOG2E 0x1.71547652b82fep+0

/* 2^t for |t| <= 1000 or NaN. */
INLINE double
core_exp2(double t)
{
    double magic = t + 0x1.8p52;
    double x = (t - (magic - 0x1.8p52)) * 0x1.62e42fefa39efp-1;
    double p = 1.0 / 39916800;
    p = mad_f64(p, x, 1.0 / 3628800);
    p = mad_f64(p, x, 1.0 / 362880);
    p = mad_f64(p, x, 1.0 / 40320);
    p = mad_f64(p, x, 1.0 / 5040);
    p = mad_f64(p, x, 1.0 / 720);
    p = mad_f64(p, x, 1.0 / 120);
    p = mad_f64(p, x, 1.0 / 24);
    p = mad_f64(p, x, 1.0 / 6);
    p = mad_f64(p, x, 0.5);
    p = mad_f64(p, x, 1.0);
    p = mad_f64(p, x, 1.0);
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
    double s = (m - 1.0) / (m + 1.0), z = s * s;
    double p = 1.0 / 17;
    p = mad_f64(p, z, 1.0 / 15);
    p = mad_f64(p, z, 1.0 / 13);
    p = mad_f64(p, z, 1.0 / 11);
    p = mad_f64(p, z, 1.0 / 9);
    p = mad_f64(p, z, 1.0 / 7);
    p = mad_f64(p, z, 1.0 / 5);
    p = mad_f64(p, z, 1.0 / 3);
    p = mad_f64(p, z, 1.0);
    return mad_f64(s * p, 2 * CORE_LOG2E, k);
}

#endif

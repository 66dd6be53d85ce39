/* SPDX-License-Identifier: MIT */
/* IEEE binary16 to double and back, exact and correctly rounded. */
#include <math.h>
#include <string.h>
#include "cli.h"

double
cli_half_to_double(uint16_t half)
{
    unsigned exponent = half >> 10 & 31, fraction = half & 1023;
    double magnitude;

    if (exponent == 31)
        magnitude = fraction ? NAN : INFINITY;
    else if (exponent == 0)
        magnitude = ldexp(fraction, -24);
    else
        magnitude = ldexp(fraction + 1024, (int)exponent - 25);
    return half & 0x8000 ? -magnitude : magnitude;
}

uint16_t
cli_half_from_double(double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double magnitude = fabs(value);

    if (isnan(value))
        return sign | 0x7e00;
    if (magnitude >= 65520.0) /* halfway between the largest half and the next power of two */
        return sign | 0x7c00;
    if (magnitude < ldexp(1, -14)) /* subnormal: units of 2^-24; nearbyint rounds to even */
        return sign | (uint16_t)nearbyint(ldexp(magnitude, 24));
    int exponent;
    double fraction = frexp(magnitude, &exponent);             /* in [0.5, 1) */
    unsigned units = (unsigned)nearbyint(ldexp(fraction, 11)); /* 1024 .. 2048 */
    /* units 2048 carries into the exponent by the addition */
    return sign | (uint16_t)(((unsigned)(exponent + 13) << 10) + units);
}

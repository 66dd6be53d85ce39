/* SPDX-License-Identifier: MIT */
/* The error functions in double precision; the polynomials are minimax, in two chains of Horner's. */
#include "double.h"

/* (a + 2) * erfc(a) * e^(a^2) for a in [1, 6], q = (a - 2) / (a + 2): erfc to 2^-52 absolutely */
INLINE double
erfc_middle(double q)
{
    double w = q * q;
    double p = 0x1.807f554c77f3cp-14, r = 0x1.991fb8f6a0532p-17;
    p = mad_f64(p, w, -0x1.5c7bfbfd0e459p-11);
    r = mad_f64(r, w, -0x1.b65c31688ff49p-11);
    p = mad_f64(p, w, 0x1.952150096606ep-9);
    r = mad_f64(r, w, 0x1.a89ebdbdff67fp-8);
    p = mad_f64(p, w, -0x1.606e469e32a16p-6);
    r = mad_f64(r, w, -0x1.2a88e645f60fcp-5);
    p = mad_f64(p, w, 0x1.1e2deea6df071p-2);
    r = mad_f64(r, w, -0x1.5fd386754be10p-1);
    p = mad_f64(p, w, 0x1.058671b52c7abp+0);
    return mad_f64(r, q, p);
}

/* (a + 4) * erfc(a) * e^(a^2) for a in [0, 27.3], q = (a - 4) / (a + 4): to 2^-53 */
INLINE double
erfc_whole(double q)
{
    double w = q * q;
    double p = -0x1.f6020c3d91c18p-28, r = 0x1.9d4757dc285c6p-28;
    p = mad_f64(p, w, 0x1.c8c0fcd78f89dp-24);
    r = mad_f64(r, w, -0x1.7e5eba177393dp-24);
    p = mad_f64(p, w, -0x1.bc2cc7dfa939ep-21);
    r = mad_f64(r, w, 0x1.8271542f119a6p-20);
    p = mad_f64(p, w, 0x1.3a4233e6e4f67p-18);
    r = mad_f64(r, w, -0x1.3c98c84a10849p-16);
    p = mad_f64(p, w, -0x1.e74e435c12822p-19);
    r = mad_f64(r, w, 0x1.72cfa48688c74p-13);
    p = mad_f64(p, w, -0x1.dd28922de0260p-12);
    r = mad_f64(r, w, -0x1.269b8c9c03d8bp-12);
    p = mad_f64(p, w, 0x1.908f47e6d2d73p-8);
    r = mad_f64(r, w, -0x1.b00c050c9a922p-6);
    p = mad_f64(p, w, 0x1.38dbd2c7b83d6p-4);
    r = mad_f64(r, w, -0x1.645fd8a505dfep-3);
    p = mad_f64(p, w, 0x1.52cac23713eadp-2);
    r = mad_f64(r, w, -0x1.14eacb1acf987p-1);
    p = mad_f64(p, w, 0x1.8be202d26c661p-1);
    r = mad_f64(r, w, -0x1.f3fe31ecb49d7p-1);
    p = mad_f64(p, w, 0x1.18932bf08e155p+0);
    return mad_f64(r, q, p);
}

/* erf(x) / x for z = x^2 <= 1: to 2^-57 */
INLINE double
erf_small(double z)
{
    double w = z * z;
    double r = -0x1.acdffb9fc1fdbp-31, p = 0x1.d78491a403973p-27;
    r = mad_f64(r, w, -0x1.5c16e25da46f7p-23);
    p = mad_f64(p, w, 0x1.b9827ae5e232dp-20);
    r = mad_f64(r, w, -0x1.f4ca94915a25bp-17);
    p = mad_f64(p, w, 0x1.f9a2bf733e232p-14);
    r = mad_f64(r, w, -0x1.c02db072ea086p-11);
    p = mad_f64(p, w, 0x1.565bccfa9a2c1p-8);
    r = mad_f64(r, w, -0x1.b82ce31206286p-6);
    p = mad_f64(p, w, 0x1.ce2f21a041017p-4);
    r = mad_f64(r, w, -0x1.812746b0379c2p-2);
    p = mad_f64(p, w, 0x1.20dd750429b6dp+0);
    return mad_f64(r, z, p);
}

double
lw_erf_f64(double x)
{
    double a = clamp_f64(fabs64(x), 0, 6), z = a * a;
    double low, magic, r = reduce_scaled(-z, &low, &magic);
    double e = exp_scaled(r, low, magic);
    double t = quotient_f64(1.0, a + 2.0);
    double y = mad_f64(-e * t, erfc_middle((a - 2.0) * t), 1.0);
    return a < 1 ? x * erf_small(z) : copysign64(y, x);
}

/* x^2 as the exact square of x's upper half and what that leaves, so that a large exponent keeps its last
 * bits. */
double
lw_erfc_f64(double x)
{
    double a = clamp_f64(fabs64(x), 0, 28), t = quotient_f64(1.0, a + 4.0);
    double hi = upper(a), low, magic, r = reduce_scaled(-(hi * hi), &low, &magic);
    double y = exp_scaled(mad_f64(hi - a, a + hi, r), low, magic) * (erfc_whole((a - 4.0) * t) * t);
    y = x < 0 ? 2.0 - y : y;
    return x != x ? x : y; /* hi may be infinite of NaN */
}

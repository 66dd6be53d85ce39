/* SPDX-License-Identifier: MIT */
/* Inverse sines, cosines and tangents in double precision; the polynomials are minimax, in two chains. */
#include "avx512.h"

#define PI_2 0x1.921fb54442d18p+0
#define PI_2_LOW 0x1.1a62633145c07p-54
#define INVERSE_PI 0x1.45f306dc9c883p-2

/* asin of w = |x|, or for |x| > 1/2 of w = sqrt((1 - |x|) / 2): |x|'s is then pi / 2 less twice that. */
INLINE double
asin_part(double x, int *big)
{
    double a = fabs64(x);
    *big = a > 0.5;
    double z = *big ? mad_f64(a, -0.5, 0.5) : a * a, w = *big ? root_f64(z) : a, q = z * z;
    /* (asin(sqrt(z)) / sqrt(z) - 1) / z: to 2^-56 of the inverse sine */
    double r = 0x1.05febf88b3605p-5, p = -0x1.0b7ff56f6a7c3p-6;
    r = mad_f64(r, q, 0x1.41092cb1c05bfp-6);
    p = mad_f64(p, q, 0x1.aa36230110b45p-8);
    r = mad_f64(r, q, 0x1.8ef2eb076af95p-7);
    p = mad_f64(p, q, 0x1.c6f65b62b91dcp-7);
    r = mad_f64(r, q, 0x1.1c6c42e0139fap-6);
    p = mad_f64(p, q, 0x1.6e89edb69bf08p-6);
    r = mad_f64(r, q, 0x1.f1c72c7fb8038p-6);
    p = mad_f64(p, q, 0x1.6db6db419c04fp-5);
    r = mad_f64(r, q, 0x1.333333336fdd1p-4);
    p = mad_f64(p, q, 0x1.5555555555384p-3);
    return mad_f64(mad_f64(r, z, p) * z, w, w);
}

double
lw_asin_f64(double x)
{
    int big;
    double r = asin_part(x, &big);
    return copysign64(big ? PI_2 - mad_f64(2.0, r, -PI_2_LOW) : r, x);
}

double
lw_asinpi_f64(double x)
{
    int big;
    double r = asin_part(x, &big);
    return copysign64(big ? mad_f64(r, -2 * INVERSE_PI, 0.5) : r * INVERSE_PI, x);
}

double
lw_acos_f64(double x)
{
    int big;
    double r = asin_part(x, &big);
    double large = x < 0 ? 2 * PI_2 - mad_f64(2.0, r, -2 * PI_2_LOW) : 2.0 * r;
    return big ? large : PI_2 - (copysign64(r, x) - PI_2_LOW);
}

double
lw_acospi_f64(double x)
{
    int big;
    double r = asin_part(x, &big) * INVERSE_PI;
    double large = x < 0 ? mad_f64(r, -2.0, 1.0) : 2.0 * r;
    return big ? large : 0.5 - copysign64(r, x);
}

/* atan(q), |q| <= tan(pi / 8) */
INLINE double
atan_poly(double q)
{
    double z = q * q, w = z * z;
    double r = 0x1.5ca094934c333p-6, p = -0x1.653a62d824c56p-5;
    r = mad_f64(r, w, 0x1.d26160f2e72e3p-5);
    p = mad_f64(p, w, -0x1.10066cf964959p-4);
    r = mad_f64(r, w, 0x1.3afc5bc2445bfp-4);
    p = mad_f64(p, w, -0x1.745bc60aae32bp-4);
    r = mad_f64(r, w, 0x1.c71c65f06076ep-4);
    p = mad_f64(p, w, -0x1.24924905e79efp-3);
    r = mad_f64(r, w, 0x1.999999994ac80p-3);
    p = mad_f64(p, w, -0x1.5555555555324p-2);
    return mad_f64(mad_f64(r, z, p) * z, q, q);
}

/* The angle of (|x|, |y|) in units of which `quarter` (and what its double lacks) is a right angle. */
INLINE double
angle(double y, double x, double unit, double quarter, double lack)
{
    double ax = fabs64(x), ay = fabs64(y);
    int steep = ay > ax;
    double a = steep ? ax : ay, b = steep ? ay : ax;
    double scale = b > 0x1p1000 ? 0x1p-2 : b < 0x1p-900 ? 0x1p100 : 1.0;
    a = b == INF64 ? (a == INF64 ? 1.0 : 0.0) : a * scale;
    b = b == INF64 || b == 0 ? 1.0 : b * scale;
    /* above tan(pi / 8) the angle less half a right one */
    int middle = a > b * 0x1.a8279ap-2;
    double r = atan_poly((middle ? a - b : a) / (middle ? a + b : b)) * unit;
    r = steep ? -r : r;
    /* multiples of half a right angle */
    double turn = middle ? 0.5 : steep ? 1.0 : 0.0;
    r = mad_f64(turn, lack, r);
    r = mad_f64(turn, quarter, r);
    return x != x || y != y ? x + y : r;
}

INLINE double
full_angle(double y, double x, double unit, double quarter, double lack)
{
    double r = angle(y, x, unit, quarter, lack);
    r = bits_f64(x) >> 63 ? 2 * quarter - (r - 2 * lack) : r;
    return copysign64(r, y);
}

double
lw_atan2_f64(double y, double x)
{
    return full_angle(y, x, 1.0, PI_2, PI_2_LOW);
}

double
lw_atan2pi_f64(double y, double x)
{
    return full_angle(y, x, INVERSE_PI, 0.5, 0);
}

/* atan |x|, pi / 4 more than atan((|x| - 1) / (|x| + 1)) and pi / 2 more than atan(-1 / |x|). */
double
lw_atan_f64(double x)
{
    double a = fabs64(x);
    a = a > 0x1p60 ? 0x1p60 : a; /* as good as infinite */
    int outside = a > 0x1.a8279ap-2, far = a > 0x1.3504f4p+1;
    double above = far ? -1.0 : a - 1.0, below = far ? a : a + 1.0;
    double r = atan_poly(outside ? near_quotient_f64(above, below) : a);
    double base = far ? PI_2 : PI_2 / 2, low = far ? PI_2_LOW : PI_2_LOW / 2;
    return copysign64((outside ? base : 0.0) + (r + (outside ? low : 0.0)), x);
}

double
lw_atanpi_f64(double x)
{
    return copysign64(angle(x, 1.0, INVERSE_PI, 0.5, 0), x);
}

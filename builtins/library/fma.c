/* SPDX-License-Identifier: MIT */
/* Fused multiply-add without the instruction: exact sums rounded to odd, then rounded once. Branch-free. */
#include "avx512.h"

/* `s` is fl(p + c); makes it the round-to-odd of the exact sum, so that a further rounding is a single one.
 */
INLINE double
round_to_odd(double s, double p, double c)
{
    double v = s - p;
    double e = (p - (s - v)) + (c - v);
    uint64_t bits = bits_f64(s);
    uint64_t toward = (e > 0) == (s > 0) ? 1 : (uint64_t)-1;
    /* e is NaN where s is not finite, and then neither comparison holds. */
    int adjust = ((e > 0) | (e < 0)) & !(bits & 1);
    return as_f64(bits + (adjust ? toward : 0));
}

float
lw_fma_f32(float a, float b, float c)
{
    double p = (double)a * b; /* exact: 48 bits */
    return (float)round_to_odd(p + c, p, c);
}

/* p + z rounded to odd: of what is between two floats, the one with an odd last bit. */
INLINE float
sum_to_odd(float p, float z)
{
#ifdef __AVX512F__
    /* The one nearer to zero has the lesser bits, of two zeros the positive one; where they are two, one of
     * them is odd. */
    uint32_t low = bits_f32(sum_downwards_f32(p, z)), high = bits_f32(sum_upwards_f32(p, z));
    return as_f32((low < high ? low : high) | ((low | high) & 1));
#else
    float s = p + z, v = s - p;
    float e = (p - (s - v)) + (z - v);
    uint32_t bits = bits_f32(s);
    /* Down by one where it was rounded up; then what was even is odd, and what was odd comes back. Where
     * the sum is not finite the error is NaN, and the comparison false. */
    uint32_t odd = (bits + (uint32_t)((int32_t)(bits_f32(e) ^ bits) >> 31)) | 1;
    return as_f32(((e < 0) | (e > 0)) ? odd : bits);
#endif
}

/* All in float. The product is exact: 22 bits, and a multiple of 2^-48 below 2^32. The sum rounded to odd
 * keeps 24 bits, two more than the 11 of half ask for, and neither it nor its error is near float's limits.
 */
f16
lw_fma_f16(f16 a, f16 b, f16 c)
{
    return (f16)sum_to_odd((float)a * (float)b, (float)c);
}

/* The exact product a * b = hi + lo (Dekker), for operands whose halves neither overflow nor underflow. */
INLINE double
product_error(double a, double b, double p)
{
    double ta = 134217729.0 * a, tb = 134217729.0 * b;
    double ah = ta - (ta - a), bh = tb - (tb - b);
    double al = a - ah, bl = b - bh;
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
}

/* The mantissa of x in [1, 2) with its sign, and its exponent; `x` finite and not zero. */
INLINE double
split(double x, int64_t *exponent)
{
    int tiny = fabs64(x) < 0x1p-1022;
    uint64_t bits = bits_f64(tiny ? x * 0x1p54 : x);
    *exponent = (int64_t)(bits >> 52 & 0x7ff) - 1023 - (tiny ? 54 : 0);
    return as_f64((bits & 0x800fffffffffffff) | 0x3ff0000000000000);
}

INLINE double
power_of_two(int64_t n) /* -1022 .. 1023 */
{
    return as_f64((uint64_t)(n + 1023) << 52);
}

/* r * 2^k, 2^-107 <= |r| < 2^112 or zero: every product but the last is exact. */
INLINE double
scale_once(double r, int64_t k)
{
    int64_t first = k < -900 ? -700 : k > 900 ? 500 : 0;
    int64_t rest = k - first;
    rest = rest < -1022 ? -1022 : rest > 1023 ? 1023 : rest;
    return r * power_of_two(first) * power_of_two(rest);
}

double
lw_fma_f64(double a, double b, double c)
{
    int64_t ea, eb, ec;
    double ma = split(a, &ea), mb = split(b, &eb), mc = split(c, &ec);
    /* Where one side is far below the other it only counts as "not zero": 115 bits apart are enough. */
    int64_t k = ea + eb, apart = c == 0 ? 0 : ec - k;
    apart = apart < -115 ? -115 : apart > 115 ? 115 : apart;
    int64_t scale = apart == 115 ? ec - apart : k;
    double zs = c == 0 ? 0 : mc * power_of_two(apart);
    double p = ma * mb, pe = product_error(ma, mb, p);
    double hi = p + zs;
    double v = hi - p;
    double t = (p - (hi - v)) + (zs - v);
    /* t + pe, rounded to odd: then hi + low rounds as the exact sum does. */
    double low = round_to_odd(t + pe, t, pe);
    double r = hi + low;
    double w = r - hi;
    double e = (hi - (r - w)) + (low - w);
    /* A subnormal result rounds at a higher bit: r must be odd there, but with one bit lost a tie must be
     * broken. */
    uint64_t bits = bits_f64(r);
    int64_t lost = -((int64_t)(bits >> 52 & 0x7ff) - 1023 + scale) - 1022;
    int fix = (lost > 0) & ((e > 0) | (e < 0)) & ((lost != 1) != (bits & 1));
    uint64_t toward = (e > 0) == (r > 0) ? 1 : (uint64_t)-1;
    double result = scale_once(as_f64(bits + (fix ? toward : 0)), scale);
    int plain = !(fabs64(a) < INF64) | !(fabs64(b) < INF64) | (a == 0) | (b == 0);
    result = fabs64(c) < INF64 ? result : c + 0.0;
    return plain ? a * b + c : result;
}

/* In place of fma inside the libclc functions where the ISA has none: exact where it recovers the error of a
 * product, and else within one ULP, which is all that they need, at a quarter of the instructions. */
double
lw_near_fma_f64(double a, double b, double c)
{
    double p = a * b, pe = product_error(a, b, p);
    double s = p + c, v = s - p;
    double t = (p - (s - v)) + (c - v);
    double r = s + (t + pe);
    return r - r == 0 && t + pe != 0 ? r : s; /* s alone has the sign of zero */
}

float
lw_near_fma_f32(float a, float b, float c)
{
    return (float)((double)a * b + c);
}

/* ---- What costs little with fma; without it slices.py takes the near one ---- */

/* a / b - t where t is a / b rounded, to an eighth. */
float
lw_quotient_rest_f32(float a, float b, float t)
{
    int32_t inverse = 0x7ef311c3 - (int32_t)bits_f32(b); /* 1 / b to an eighth; nothing from 2^126 on */
    return __builtin_fmaf(-t, b, a) * as_f32((uint32_t)(inverse > 0 ? inverse : 0));
}

float
lw_near_quotient_rest_f32(float a, float b, float t)
{
    (void)a, (void)b, (void)t;
    return 0;
}

/* t * (1 / pi + z * ratio) + low, |t| <= 1. Without fma low is 0; t is scaled, so that no part of a small one
 * is lost where subnormal numbers are zero, and split: the product of the first part and 12 bits of 1 / pi is
 * exact. */
float
lw_by_pi_f32(float t, float z, float ratio, float low)
{
    return mad_f32(t, 0x1.45f306p-2f, mad_f32(t, mad_f32(z, ratio, 0x1.b9391p-27f), low));
}

float
lw_near_by_pi_f32(float t, float z, float ratio, float low)
{
    (void)low;
    float s = t * 0x1p24f, high = as_f32(bits_f32(s) & 0xfffff000);
    float rest = mad_f32(s, mad_f32(z, ratio, -0x1.9f246cp-15f), (s - high) * 0x1.46p-2f);
    return (high * 0x1.46p-2f + rest) * 0x1p-24f;
}

/* pi t, |t| <= 1/4 */
float
lw_times_pi_f32(float t)
{
    return __builtin_fmaf(t, 0x1.921fb6p+1f, t * -0x1.777a5cp-24f);
}

float
lw_near_times_pi_f32(float t)
{
    return (float)((double)t * 0x1.921fb54442d18p+1);
}

/* x - n pi / 2 = r + rest, |r| <= pi / 4 + 2^-7, and n's low bits, |x| < 2^17: sines of it are right to 1.2
 * ULP. The product with the first part is exact, and so is the difference, a multiple of 2^-24 below 1. Of
 * the second product the rest has what was rounded away. */
float
lw_reduce_f32(float x, float *rest, uint32_t *n)
{
    float t = __builtin_fmaf(x, 0x1.45f306p-1f, 0x1.8p23f), k = t - 0x1.8p23f;
    float a = __builtin_fmaf(k, -0x1.921fb6p+0f, x);
    float r = a + k * 0x1.777a5cp-25f;
    *n = bits_f32(t);
    *rest = __builtin_fmaf(k, 0x1.ee59dap-50f, __builtin_fmaf(k, 0x1.777a5cp-25f, a - r));
    return r;
}

/* In double, by a two-part pi / 2, of which the first has 24 zero bits at its end. */
float
lw_near_reduce_f32(float x, float *rest, uint32_t *n)
{
    double d = x, t = mad_f64(d, 0x1.45f306dc9c883p-1, 0x1.8p52), k = t - 0x1.8p52;
    double whole = mad_f64(k, -0x1.10b4611a62633p-30, mad_f64(k, -0x1.921fb54p+0, d));
    float r = (float)whole;
    *n = (uint32_t)bits_f64(t);
    *rest = (float)(whole - r);
    return r;
}

/* x - n pi / 2, rounded, and n's low bits, for half_ and native_: to some ULP, |x| < 2^17. All parts of
 * pi / 2 are taken off, so that -0 stays -0. */
float
lw_half_reduce_f32(float x, uint32_t *n)
{
    float t = __builtin_fmaf(x, 0x1.45f306p-1f, 0x1.8p23f), k = t - 0x1.8p23f;
    *n = bits_f32(t);
    float a = __builtin_fmaf(k, -0x1.921fb4p+0f, x);
    return __builtin_fmaf(k, -0x1.84698ap-48f, __builtin_fmaf(k, -0x1.4442d0p-24f, a));
}

float
lw_near_half_reduce_f32(float x, uint32_t *n)
{
    float rest;
    return lw_near_reduce_f32(x, &rest, n);
}

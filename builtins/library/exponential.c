/* SPDX-License-Identifier: MIT */
/* exp, log, erfc, their relatives and the hyperbolic functions in single precision, without tables. */
#include "core.h"

/* 1.5 * 2^23: x + MAGIC has rint(x) in its low bits, for |x| < 2^22; NaN needs no care. */
#define MAGIC 0x1.8p23f

/* p * 2^n, p about 1, |n| <= 256, n from the bits of n + MAGIC: in two steps, the second of which rounds. */
INLINE float
scale_by(float p, float magic)
{
    int32_t n = (int32_t)(bits_f32(magic) - bits_f32(MAGIC));
    int32_t half = n >> 1;
    return p * as_f32((uint32_t)(half + 127) << 23) * as_f32((uint32_t)(n - half + 127) << 23);
}

INLINE float
clamp_f32(float x, float lo, float hi)
{
    x = x < lo ? lo : x;
    return x > hi ? hi : x;
}

/* e^r, |r| <= 0.3466 and a little: Taylor, whose next term is below 2^-27. */
INLINE float
exp_poly(float r)
{
    float p = 0x1.a01a02p-13f;
    p = mad_f32(p, r, 0x1.6c16c2p-10f);
    p = mad_f32(p, r, 0x1.111112p-7f);
    p = mad_f32(p, r, 0x1.555556p-5f);
    p = mad_f32(p, r, 0x1.555556p-3f);
    p = mad_f32(p, r, 0.5f);
    return mad_f32(p, r * r, r) + 1.0f;
}

/* e^a in two factors, about 1 and 2^n: n + MAGIC. |a| <= 100 */
INLINE float
exp_parts(float a, float *magic)
{
    *magic = mad_f32(a, 0x1.715476p+0f, MAGIC);
    float n = *magic - MAGIC;
    /* ln 2 in two parts, the first with 9 zero bits at its end: its product with n is exact. */
    float r = mad_f32(n, -0x1.62e4p-1f, a);
    return exp_poly(mad_f32(n, -0x1.7f7d1cp-20f, r));
}

float
lw_exp_f32(float x)
{
    float magic, p = exp_parts(clamp_f32(x, -110.0f, 90.0f), &magic);
    return scale_by(p, magic);
}

float
lw_exp2_f32(float x)
{
    x = clamp_f32(x, -160.0f, 130.0f);
    float t = x + MAGIC;
    float r = x - (t - MAGIC); /* exact */
    return scale_by(exp_poly(r * 0x1.62e43p-1f), t);
}

float
lw_exp10_f32(float x)
{
    x = clamp_f32(x, -48.0f, 40.0f);
    float t = mad_f32(x, 0x1.a934fp+1f, MAGIC);
    float n = t - MAGIC;
    /* log10 2 in two parts, the first with 10 zero bits at its end. */
    float r = mad_f32(n, -0x1.344p-2f, x);
    r = mad_f32(n, -0x1.3509f8p-18f, r);
    return scale_by(exp_poly(r * 0x1.26bb1cp+1f), t);
}

/* x = m * 2^k with m in [sqrt 1/2, sqrt 2); log(m) = f - s * (f - tail), f = m - 1. For positive finite x. */
struct reduced {
    float k, f, s, tail;
};

INLINE struct reduced
reduce_log(float x)
{
    int tiny = x < 0x1p-126f;
    uint32_t bits = bits_f32(tiny ? x * 0x1p25f : x);
    uint32_t shifted = bits - 0x3f3504f3; /* sqrt 1/2 */
    float k = (float)((int32_t)shifted >> 23) - (tiny ? 25.0f : 0.0f);
    float f = as_f32((shifted & 0x7fffff) + 0x3f3504f3) - 1.0f;
    float s = quotient_f32(f, 2.0f + f), z = s * s;
    float p = mad_f32(z, 2.0f / 11, 2.0f / 9);
    p = mad_f32(p, z, 2.0f / 7);
    p = mad_f32(p, z, 2.0f / 5);
    p = mad_f32(p, z, 2.0f / 3);
    return (struct reduced){k, f, s, p * z};
}

/* The logarithms of what is no positive finite number. */
INLINE float
log_special(float x, float y)
{
    y = x == 0 ? -INF32 : y;
    y = x < INF32 ? y : x; /* infinity, NaN */
    return x < 0 ? NAN32 : y;
}

float
lw_log_f32(float x)
{
    struct reduced r = reduce_log(x);
    float low = mad_f32(r.s, r.f - r.tail, -r.k * 0x1.7f7d1cp-20f);
    return log_special(x, mad_f32(r.k, 0x1.62e4p-1f, r.f - low));
}

float
lw_log2_f32(float x)
{
    struct reduced r = reduce_log(x);
    /* f has 24 bits: its upper 11 times the upper 13 of log2 e are exact. */
    float hi = as_f32(bits_f32(r.f) & 0xffffe000), lo = r.f - hi;
    float log_lo = lo - r.s * (r.f - r.tail);
    float y = mad_f32(log_lo, 0x1.715476p+0f, hi * 0x1.1d94aep-14f);
    return log_special(x, (r.k + hi * 0x1.715p+0f) + y);
}

float
lw_log10_f32(float x)
{
    struct reduced r = reduce_log(x);
    float hi = as_f32(bits_f32(r.f) & 0xffffe000), lo = r.f - hi;
    float log_lo = lo - r.s * (r.f - r.tail);
    float y = mad_f32(log_lo, 0x1.bcb7b2p-2f, hi * 0x1.ec549cp-16f);
    y = mad_f32(r.k, 0x1.3509f8p-18f, y);
    return log_special(x, mad_f32(r.k, 0x1.344p-2f, hi * 0x1.bcbp-2f + y));
}

float
lw_expm1_f32(float x)
{
    double d = x;
    double e = core_exp2((d > 130 ? 130 : d < -40 ? -40 : d) * CORE_LOG2E) - 1.0;
    double small = d + d * d * (0.5 + d * (1.0 / 6 + d * (1.0 / 24)));
    float y = (float)(fabs64(d) < 0x1p-8 ? small : e);
    return x == 0 ? x : y;
}

/* e^a / 2, a >= 0: infinite only where sinh and cosh are. */
INLINE float
half_exp(float a)
{
    float magic, p = exp_parts(a > 90.0f ? 90.0f : a, &magic);
    return scale_by(p, magic - 1.0f);
}

/* 1 / (4 h), h >= 1/2; what large h leave is lost in the sum with h. */
INLINE float
quarter_of(float h)
{
    return quotient_f32(0.25f, h > 0x1p60f ? 0x1p60f : h);
}

float
lw_sinh_f32(float x)
{
    float a = fabs32(x), z = a * a, h = half_exp(a);
    float p = mad_f32(z, 1.0f / 362880, 1.0f / 5040);
    p = mad_f32(p, z, 1.0f / 120);
    p = mad_f32(p, z, 1.0f / 6);
    return copysign32(a < 1.0f ? mad_f32(p * z, a, a) : h - quarter_of(h), x);
}

float
lw_cosh_f32(float x)
{
    float h = half_exp(fabs32(x));
    return h + quarter_of(h);
}

/* A minimax polynomial below 0.6 (2^-28), 1 - 2 / (e^2a + 1) above. */
float
lw_tanh_f32(float x)
{
    float a = fabs32(x), z = a * a;
    float p = mad_f32(z, -0x1.8257d4p-8f, 0x1.54b884p-6f);
    p = mad_f32(p, z, -0x1.b898dap-5f);
    p = mad_f32(p, z, 0x1.1109aep-3f);
    p = mad_f32(p, z, -0x1.55553ep-2f);
    float magic, e = exp_parts(a > 10.0f ? 20.0f : a + a, &magic);
    e *= as_f32((bits_f32(magic) << 23) + bits_f32(1.0f)); /* 2^n, n < 30 */
    return copysign32(a < 0.6f ? mad_f32(p * z, a, a) : 1.0f - quotient_f32(2.0f, e + 1.0f), x);
}

/* (|x| + 3) * erfc(|x|) * e^(x^2) is a polynomial in q = (|x| - 3) / (|x| + 3), to 2^-28. x^2 as the exact
 * square of x's upper half and what that leaves, so that a large exponent keeps its last bits. */
float
lw_erfc_f32(float x)
{
    float a = fabs32(x);
    a = a > 11.0f ? 11.0f : a;
    float t = quotient_f32(1.0f, a + 3.0f), q = (a - 3.0f) * t;
    float p = -0.000327613421f;
    p = mad_f32(p, q, -0.000486467848f);
    p = mad_f32(p, q, 0.00308110991f);
    p = mad_f32(p, q, -0.00122413512f);
    p = mad_f32(p, q, -0.0268398083f);
    p = mad_f32(p, q, 0.119528541f);
    p = mad_f32(p, q, -0.31046602f);
    p = mad_f32(p, q, 0.590228339f);
    p = mad_f32(p, q, -0.883394487f);
    p = mad_f32(p, q, 1.07400691f);
    float hi = as_f32(bits_f32(a) & 0xfffff000), square = hi * hi;
    float magic = mad_f32(square, -0x1.715476p+0f, MAGIC);
    float n = magic - MAGIC;
    float r = mad_f32(n, -0x1.62e4p-1f, -square);
    r = mad_f32(n, -0x1.7f7d1cp-20f, r);
    r = mad_f32(hi - a, a + hi, r);
    float y = scale_by(exp_poly(r) * (p * t), magic);
    return x < 0 ? 2.0f - y : y;
}

/* SPDX-License-Identifier: MIT */
/* exp, log, erfc, their relatives and the hyperbolic functions in single precision, without tables. */
#include "avx512.h"
#include "core.h"

/* 1.5 * 2^23 + 126: x + MAGIC has rint(x) + 126 in its low 9 bits, for |x| < 2^22; NaN needs no care. */
#define MAGIC 0x1.8000fcp23f

/* p * 2^(n + up), p in (0.01, 1.5): n is integral, magic n + MAGIC. Beyond the finite numbers, where the
 * callers have bounded n by 128 - up, the result is infinite. */
INLINE float
scale_by(float p, float n, float magic, int up)
{
#ifdef __AVX512F__
    (void)magic;
    return scalef_f32(p, up ? n + (float)up : n);
#else
    (void)n;
    /* 2^(n + up - 1) in two factors, of which the first is at least 2^-100, and the second takes the rest. */
    int32_t e = (int32_t)(bits_f32(magic + (float)up) << 23), least = 27 << 23;
    uint32_t first = (uint32_t)(e > least ? e : least), second = (uint32_t)(e < least ? e : least);
    return p * as_f32(first) * as_f32(second + (101u << 23));
#endif
}

/* NaN stays. */
INLINE float
clamp_f32(float x, float lo, float hi)
{
    x = x < lo ? lo : x;
    return x > hi ? hi : x;
}

/* (e^r - 1 - r) / r^2, |r| <= 0.347: minimax, e^r to 2^-28. */
INLINE float
expm1_rest(float r)
{
    float p = 0x1.6a4506p-10f;
    p = mad_f32(p, r, 0x1.1239aap-7f);
    p = mad_f32(p, r, 0x1.5558b8p-5f);
    p = mad_f32(p, r, 0x1.555492p-3f);
    return mad_f32(p, r, 0x1.fffffcp-2f);
}

INLINE float
exp_poly(float r)
{
    return mad_f32(mad_f32(expm1_rest(r), r, 1.0f), r, 1.0f);
}

/* e^a in two factors, about 1 and 2^n. |a| <= 110 */
INLINE float
exp_parts(float a, float *n, float *magic)
{
    *magic = mad_f32(a, 0x1.715476p+0f, MAGIC);
    *n = *magic - MAGIC;
    /* ln 2 in two parts, the first with 9 zero bits at its end: its product with n is exact. */
    float r = mad_f32(*n, -0x1.62e4p-1f, a);
    return exp_poly(mad_f32(*n, -0x1.7f7d1cp-20f, r));
}

float
lw_exp_f32(float x)
{
    float n, magic, p = exp_parts(clamp_f32(x, -105.0f, 88.9f), &n, &magic);
    return scale_by(p, n, magic, 0);
}

/* 2^x for |x| <= 152. */
INLINE float
exp2_bounded(float x)
{
    float magic = x + MAGIC, n = magic - MAGIC, r = x - n; /* exact */
    return scale_by(exp2_of_fraction(r), n, magic, 0);
}

float
lw_exp2_f32(float x)
{
    return exp2_bounded(clamp_f32(x, -152.0f, 128.0f));
}

float
lw_exp10_f32(float x)
{
    x = clamp_f32(x, -46.0f, 38.6f);
    float magic = mad_f32(x, 0x1.a934fp+1f, MAGIC), n = magic - MAGIC;
    /* log10 2 in two parts, the first with 10 zero bits at its end. */
    float r = mad_f32(n, -0x1.344p-2f, x);
    r = mad_f32(n, -0x1.3509f8p-18f, r);
    return scale_by(exp_poly(r * 0x1.26bb1cp+1f), n, magic, 0);
}

/* log(x) = k * log(2) + f + low, x = 2^k * (1 + f), for positive numbers. For zero, negative and infinite
 * numbers and NaN: with AVX-512 k, or with NaN f, makes the result what it must be. */
struct reduced {
    float k, f, low;
};

INLINE struct reduced
reduce_log(float x)
{
#ifdef __AVX512F__
    /* 1 + f in [3/4, 3/2) */
    float m = getmant_f32(x), k = getexp_f32(x) - getexp_f32(m), f = m - 1.0f;
    float p = -0x1.71967cp-5f;
    p = mad_f32(p, f, 0x1.acd330p-4f);
    p = mad_f32(p, f, -0x1.0d9990p-3f);
    p = mad_f32(p, f, 0x1.288418p-3f);
    p = mad_f32(p, f, -0x1.54ee28p-3f);
    p = mad_f32(p, f, 0x1.996976p-3f);
    p = mad_f32(p, f, -0x1.000046p-2f);
    p = mad_f32(p, f, 0x1.5555a4p-2f);
    /* f up to 1/2 against a k of -1 */
    float square = f * f, low = mad_f32(p * f, square, square * -0.5f);
#else
    /* 1 + f in [sqrt 1/2, sqrt 2) */
    int tiny = x < 0x1p-126f;
    uint32_t shifted = bits_f32(tiny ? x * 0x1p25f : x) - 0x3f3504f3; /* sqrt 1/2 */
    float k = (float)((int32_t)shifted >> 23) - (tiny ? 25.0f : 0.0f);
    float f = as_f32((shifted & 0x7fffff) + 0x3f3504f3) - 1.0f;
    float p = -0x1.38c97cp-4f;
    p = mad_f32(p, f, 0x1.055eb0p-3f);
    p = mad_f32(p, f, -0x1.0d8246p-3f);
    p = mad_f32(p, f, 0x1.22d930p-3f);
    p = mad_f32(p, f, -0x1.54728ap-3f);
    p = mad_f32(p, f, 0x1.99a01cp-3f);
    p = mad_f32(p, f, -0x1.000226p-2f);
    p = mad_f32(p, f, 0x1.555554p-2f);
    float low = mad_f32(p, f, -0.5f) * (f * f);
#endif
    return (struct reduced){k, f, low};
}

/* The logarithms of what is no positive finite number, where reduce_log leaves them open. */
INLINE float
log_special(float x, float y)
{
#ifdef __AVX512F__
    (void)x;
#else
    y = x == 0 ? -INF32 : y;
    y = x < INF32 ? y : x; /* infinity, NaN */
    y = x < 0 ? NAN32 : y;
#endif
    return y;
}

/* Sums from the small to the large; k * log(2) in two parts, the first with zeros at its end. */
float
lw_log_f32(float x)
{
    struct reduced r = reduce_log(x);
    float y = mad_f32(r.k, 0x1.7f7d1cp-20f, r.low) + r.f;
    return log_special(x, mad_f32(r.k, 0x1.62e4p-1f, y));
}

/* log(u) + log(1 + c / u), where u = 1 + x but for c. */
float
lw_log1p_f32(float x)
{
    float u = 1.0f + x, c = x < 0x1p25f ? x - (u - 1.0f) : 0.0f;
    struct reduced r = reduce_log(u);
    float rest = quotient_f32(c, ((u > 0x1p-25f) & (x < 0x1p25f)) ? u : 1.0f);
    float y = mad_f32(r.k, 0x1.7f7d1cp-20f, r.low + rest) + r.f;
    y = log_special(u, mad_f32(r.k, 0x1.62e4p-1f, y));
    return x == 0 ? x : y;
}

/* f * log2(e) as f, of which the sum with k is exact where much of it cancels, and the rest. */
float
lw_log2_f32(float x)
{
    struct reduced r = reduce_log(x);
    return log_special(x, r.k + r.f + mad_f32(r.f, 0x1.c551dap-2f, r.low * 0x1.715476p+0f));
}

/* The same with a part of f of which the product is exact, without fma too where there is none. */
float
lw_log10_f32(float x)
{
#ifdef __AVX512F__
    const float high = 0x1.cp-2f, rest = -0x1.a42756p-9f;
#else
    const float high = 0.5f, rest = -0x1.0d213ap-4f;
#endif
    struct reduced r = reduce_log(x);
    float y = mad_f32(r.k, 0x1.3509f8p-18f, r.low * 0x1.bcb7b2p-2f);
    y = mad_f32(r.f, high, mad_f32(r.f, rest, y));
    return log_special(x, mad_f32(r.k, 0x1.344p-2f, y));
}

/* e^x - 1 = 2^n (e^r - 1) + (2^n - 1), by half of 2^n, which is finite. */
float
lw_expm1_f32(float x)
{
    float a = clamp_f32(x, -18.0f, 88.9f), magic = mad_f32(a, 0x1.715476p+0f, MAGIC), n = magic - MAGIC;
    float r = mad_f32(n, -0x1.62e4p-1f, a);
    r = mad_f32(n, -0x1.7f7d1cp-20f, r);
    float e = mad_f32(r * r, expm1_rest(r), r);
    float half = as_f32(bits_f32(magic) << 23); /* 2^(n - 1) */
    float y = n == 0 ? e : 2.0f * mad_f32(half, e, half - 0.5f);
    return x == 0 ? x : y; /* with its sign */
}

/* e^a / 2, a >= 0: infinite only where sinh and cosh are. */
INLINE float
half_exp(float a)
{
    float n, magic, p = exp_parts(a > 89.6f ? 89.6f : a, &n, &magic);
    return scale_by(p, n, magic, -1);
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
    float p = mad_f32(z, 1.0f / 39916800, 1.0f / 362880);
    p = mad_f32(p, z, 1.0f / 5040);
    p = mad_f32(p, z, 1.0f / 120);
    p = mad_f32(p, z, 1.0f / 6);
    return copysign32(a < 1.45f ? mad_f32(p * z, a, a) : h - quarter_of(h), x);
}

float
lw_cosh_f32(float x)
{
    float h = half_exp(fabs32(x));
    return h + quarter_of(h);
}

/* With x = n log(2) / 2 + s and t = tanh s: (2^n - 1 + (2^n + 1) t) / (2^n + 1 + (2^n - 1) t), t itself where
 * n is 0. n is small where the last digits of s count: log(2) in one part. */
float
lw_tanh_f32(float x)
{
    float a = clamp_f32(x, -9.1f, 9.1f), magic = mad_f32(a, 0x1.715476p+1f, MAGIC + 1.0f);
    float n = magic - (MAGIC + 1.0f), power = as_f32(bits_f32(magic) << 23);
    float s = mad_f32(n, -0x1.62e43p-2f, a), z = s * s;
    float p = mad_f32(z, -0x1.afd7fap-5f, 0x1.110594p-3f);
    p = mad_f32(p, z, -0x1.55554ep-2f);
    float t = mad_f32(p * z, s, s), less = power - 1.0f, more = power + 1.0f;
    float y = quotient_f32(mad_f32(more, t, less), mad_f32(less, t, more));
    return as_f32(bits_f32(y) | (bits_f32(x) & 0x80000000));
}

/* erf(x) / x is a polynomial in x^2 below 0.92, log2(erfc(x)) one in x from there to 4, where erf becomes 1;
 * both minimax, to 2^-25 of erf. */
float
lw_erf_f32(float x)
{
    float a = fabs32(x), z = x * x, b = a > 4.0f ? 4.0f : a;
    float s = -0x1.38c7aap-11f;
    s = mad_f32(s, z, 0x1.46e9eap-8f);
    s = mad_f32(s, z, -0x1.b67d8cp-6f);
    s = mad_f32(s, z, 0x1.ce197ap-4f);
    s = mad_f32(s, z, -0x1.8126e0p-2f);
    s = mad_f32(s, z, 0x1.06eba8p-3f); /* less 1, which the last step adds */
    float l = -0x1.fe973cp-16f;
    l = mad_f32(l, b, 0x1.489f10p-11f);
    l = mad_f32(l, b, -0x1.8a5dfap-8f);
    l = mad_f32(l, b, 0x1.28e010p-5f);
    l = mad_f32(l, b, -0x1.3fedb6p-3f);
    l = mad_f32(l, b, -0x1.d3d3f4p-1f);
    l = mad_f32(l, b, -0x1.a129e6p+0f);
    l = mad_f32(l, b, 0x1.084174p-12f);
    float large = copysign32(1.0f - exp2_bounded(l), x);
    /* Scaled, so that the product of the least x is not subnormal, which may count as zero. */
    float scaled = x * 0x1p32f;
    return a < 0.92f ? mad_f32(scaled, s, scaled) * 0x1p-32f : large;
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
    float magic = mad_f32(square, -0x1.715476p+0f, MAGIC), n = magic - MAGIC;
    float r = mad_f32(n, -0x1.62e4p-1f, -square);
    r = mad_f32(n, -0x1.7f7d1cp-20f, r);
    r = mad_f32(hi - a, a + hi, r);
    float y = scale_by(exp_poly(r) * (p * t), n, magic, 0);
    y = x < 0 ? 2.0f - y : y;
    return x != x ? x : y; /* hi may be infinite of NaN */
}

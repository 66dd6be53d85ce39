/* SPDX-License-Identifier: MIT */
/* The integer operations that are no single instruction, for the four widths by one text. */
#include "library.h"

INLINE uint64_t
mul_hi_u64(uint64_t a, uint64_t b)
{
    uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    uint64_t low = al * bl, m1 = ah * bl + (low >> 32), m2 = al * bh + (uint32_t)m1;
    return ah * bh + (m1 >> 32) + (m2 >> 32);
}

INLINE int64_t
mul_hi_i64(int64_t a, int64_t b)
{
    uint64_t h = mul_hi_u64((uint64_t)a, (uint64_t)b);
    return (int64_t)(h - (a < 0 ? (uint64_t)b : 0) - (b < 0 ? (uint64_t)a : 0));
}

#define WIDE_MUL_HI(n, S2, U2)                                                                               \
    INLINE int##n##_t mul_hi_i##n(int##n##_t a, int##n##_t b)                                                \
    {                                                                                                        \
        return (int##n##_t)(((S2)a * (S2)b) >> n);                                                           \
    }                                                                                                        \
    INLINE uint##n##_t mul_hi_u##n(uint##n##_t a, uint##n##_t b)                                             \
    {                                                                                                        \
        return (uint##n##_t)(((U2)a * (U2)b) >> n);                                                          \
    }
WIDE_MUL_HI(8, int32_t, uint32_t)
WIDE_MUL_HI(16, int32_t, uint32_t)
WIDE_MUL_HI(32, int64_t, uint64_t)

/* a * b + c is exact modulo 2^n; the high part tells whether it fits, and which way not. */
#define OPERATIONS(n, S, U)                                                                                  \
    U lw_u_abs_i##n(U x)                                                                                     \
    {                                                                                                        \
        return x;                                                                                            \
    }                                                                                                        \
    U lw_s_abs_diff_i##n(S a, S b)                                                                           \
    {                                                                                                        \
        return (U)(a > b ? (U)a - (U)b : (U)b - (U)a);                                                       \
    }                                                                                                        \
    U lw_u_abs_diff_i##n(U a, U b)                                                                           \
    {                                                                                                        \
        return (U)(a > b ? a - b : b - a);                                                                   \
    }                                                                                                        \
    S lw_s_hadd_i##n(S a, S b)                                                                               \
    {                                                                                                        \
        return (S)((a & b) + ((a ^ b) >> 1));                                                                \
    }                                                                                                        \
    U lw_u_hadd_i##n(U a, U b)                                                                               \
    {                                                                                                        \
        return (U)((a & b) + ((U)(a ^ b) >> 1));                                                             \
    }                                                                                                        \
    S lw_s_rhadd_i##n(S a, S b)                                                                              \
    {                                                                                                        \
        return (S)((a | b) - ((a ^ b) >> 1));                                                                \
    }                                                                                                        \
    U lw_u_rhadd_i##n(U a, U b)                                                                              \
    {                                                                                                        \
        return (U)((a | b) - ((U)(a ^ b) >> 1));                                                             \
    }                                                                                                        \
    S lw_s_clamp_i##n(S x, S lo, S hi)                                                                       \
    {                                                                                                        \
        return __builtin_elementwise_min(__builtin_elementwise_max(x, lo), hi);                              \
    }                                                                                                        \
    U lw_u_clamp_i##n(U x, U lo, U hi)                                                                       \
    {                                                                                                        \
        return __builtin_elementwise_min(__builtin_elementwise_max(x, lo), hi);                              \
    }                                                                                                        \
    S lw_s_mul_hi_i##n(S a, S b)                                                                             \
    {                                                                                                        \
        return mul_hi_i##n(a, b);                                                                            \
    }                                                                                                        \
    U lw_u_mul_hi_i##n(U a, U b)                                                                             \
    {                                                                                                        \
        return mul_hi_u##n(a, b);                                                                            \
    }                                                                                                        \
    U lw_s_mad_hi_i##n(S a, S b, U c)                                                                        \
    {                                                                                                        \
        return (U)((U)mul_hi_i##n(a, b) + c);                                                                \
    }                                                                                                        \
    U lw_u_mad_hi_i##n(U a, U b, U c)                                                                        \
    {                                                                                                        \
        return (U)(mul_hi_u##n(a, b) + c);                                                                   \
    }                                                                                                        \
    U lw_u_mad_sat_i##n(U a, U b, U c)                                                                       \
    {                                                                                                        \
        U low = (U)((uint64_t)a * b), sum = (U)(low + c);                                                    \
        return mul_hi_u##n(a, b) || sum < low ? (U)-1 : sum;                                                 \
    }                                                                                                        \
    S lw_s_mad_sat_i##n(S a, S b, S c)                                                                       \
    {                                                                                                        \
        U low = (U)((uint64_t)a * (uint64_t)b), sum = (U)(low + (U)c);                                       \
        U high = (U)((U)mul_hi_i##n(a, b) + (U)(c < 0 ? -1 : 0) + (sum < low));                              \
        U most = (U)-1 >> 1;                                                                                 \
        U limit = (S)high < 0 ? (U)(most + 1) : most;                                                        \
        return (S)(high == (U)((S)sum < 0 ? -1 : 0) ? sum : limit);                                          \
    }                                                                                                        \
    U lw_bitselect_i##n(U a, U b, U c)                                                                       \
    {                                                                                                        \
        return (U)((a & ~c) | (b & c));                                                                      \
    }                                                                                                        \
    U lw_select_i##n(U a, U b, U c)                                                                          \
    {                                                                                                        \
        return c ? b : a;                                                                                    \
    }                                                                                                        \
    U lw_select_msb_i##n(U a, U b, S c)                                                                      \
    {                                                                                                        \
        return c < 0 ? b : a;                                                                                \
    }
OPERATIONS(8, int8_t, uint8_t)
OPERATIONS(16, int16_t, uint16_t)
OPERATIONS(32, int32_t, uint32_t)
OPERATIONS(64, int64_t, uint64_t)

#define UPSAMPLE(n, U, S2, U2)                                                                               \
    U2 lw_s_upsample_i##n(U hi, U lo)                                                                        \
    {                                                                                                        \
        return (U2)((U2)hi << n | lo);                                                                       \
    }                                                                                                        \
    U2 lw_u_upsample_i##n(U hi, U lo)                                                                        \
    {                                                                                                        \
        return (U2)((U2)hi << n | lo);                                                                       \
    }
UPSAMPLE(8, uint8_t, int16_t, uint16_t)
UPSAMPLE(16, uint16_t, int32_t, uint32_t)
UPSAMPLE(32, uint32_t, int64_t, uint64_t)

/* Operands beyond 24 bits give undefined results: the whole product is one of them. */
uint32_t
lw_u_mul24_i32(uint32_t a, uint32_t b)
{
    return (a & 0xffffff) * (b & 0xffffff);
}

uint32_t
lw_s_mul24_i32(int32_t a, int32_t b)
{
    return (uint32_t)((int32_t)((uint32_t)a << 8) >> 8) * (uint32_t)((int32_t)((uint32_t)b << 8) >> 8);
}

uint32_t
lw_u_mad24_i32(uint32_t a, uint32_t b, uint32_t c)
{
    return lw_u_mul24_i32(a, b) + c;
}

uint32_t
lw_s_mad24_i32(int32_t a, int32_t b, uint32_t c)
{
    return lw_s_mul24_i32(a, b) + c;
}

/* nan(code): a quiet NaN with the code in its low bits. */
f16
lw_nan_i16(uint16_t code)
{
    return as_f16((uint16_t)((code & 0x1ff) | 0x7e00));
}

float
lw_nan_i32(uint32_t code)
{
    return as_f32((code & 0x3fffff) | 0x7fc00000);
}

double
lw_nan_i64(uint64_t code)
{
    return as_f64((code & 0x7ffffffffffff) | 0x7ff8000000000000);
}

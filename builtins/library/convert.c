/* SPDX-License-Identifier: MIT */
/* Conversions of half that x86 has no instruction for, without calls and without branches. */
#include "library.h"

/* Exact for every half; NaNs become quiet and keep their payload. Where the ISA has no F16C. */
float
lw_extend_f16_f32(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, rest = (uint32_t)(h & 0x7fff) << 13;
    /* The exponent's bias; a subnormal is the fraction of 2^-14, less that. No float here is subnormal:
     * kernels may be told to take those as zero (-cl-denorms-are-zero), not those of half. */
    float small = as_f32(rest + (113u << 23)) - 0x1p-14f;
    uint32_t scaled = rest < 0x800000 ? bits_f32(small) : rest + (112u << 23);
    int special = rest >= 0x7c00u << 13;
    uint32_t quiet = rest > 0x7c00u << 13 ? 0x400000 : 0;
    return as_f32(sign | (special ? rest | 0x7f800000 | quiet : scaled));
}

/* Rounds to nearest even, by integers alone: subnormal floats count as they should. */
uint16_t
lw_truncate_f32_f16(float x)
{
    uint32_t bits = bits_f32(x), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    uint32_t normal = (rest - (112u << 23) + 0xfff + (rest >> 13 & 1)) >> 13;
    /* A subnormal result: adding 0.5 puts its last place at the float's last place, and rounds. */
    uint32_t small = bits_f32(as_f32(rest) + 0.5f) - bits_f32(0.5f);
    uint32_t r = rest < 113u << 23 ? small : normal;
    r = rest >= 0x477ff000 ? 0x7c00 : r;
    r = rest > 0x7f800000 ? 0x7e00 | (rest >> 13 & 0x3ff) : r;
    return (uint16_t)(sign | r);
}

/* double to half in one rounding: to odd on the way through float. */
float
lw_odd_f64_f32(double x)
{
    float f = (float)x;
    double e = x - (double)f;
    uint32_t bits = bits_f32(f);
    uint32_t toward = (e > 0) == (x > 0) ? 1 : (uint32_t)-1;
    int adjust = (e > 0 || e < 0) && !(bits & 1) && fabs32(f) < INF32;
    /* Below the least float only "not zero" counts, and zero has nothing on its other side. */
    uint32_t moved = (bits & 0x7fffffff) ? bits + toward : bits + 1;
    return as_f32(adjust ? moved : bits);
}

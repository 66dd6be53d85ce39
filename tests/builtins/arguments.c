/* SPDX-License-Identifier: MIT */
/* The arguments that every operation is tried with: special values in all pairs, samples, and samples that
 * have to do with each other. Numbers as their bits. */
#include "tests/builtins/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES 15000

static uint64_t
next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

int
digits_of(const char *type)
{
    return type[1] == '1' ? 11 : type[1] == '3' ? 24 : 53;
}

int
least_of(const char *type)
{
    return type[1] == '1' ? -14 : type[1] == '3' ? -126 : -1022;
}

/* ---- Raw values
 * ---------------------------------------------------------------------------------------------- */

uint64_t
load(const void *array, int64_t i, unsigned size)
{
    uint64_t bits = 0;
    memcpy(&bits, (const char *)array + i * size, size);
    return bits;
}

int64_t
sign_extend(uint64_t bits, unsigned size)
{
    unsigned shift = 64 - 8 * size;
    return (int64_t)(bits << shift) >> shift;
}

long double
float_value(uint64_t bits, unsigned size)
{
    if (size == 8) {
        double d;
        memcpy(&d, &bits, 8);
        return d;
    }
    if (size == 4) {
        float f;
        uint32_t low = (uint32_t)bits;
        memcpy(&f, &low, 4);
        return f;
    }
    int e = (int)(bits >> 10 & 31), m = (int)(bits & 1023);
    long double r = e == 31 ? (m ? NAN : INFINITY) : ldexpl(e ? m + 1024 : m, (e ? e : 1) - 25);
    return bits >> 15 ? -r : r;
}

static uint64_t
float_bits(long double x, unsigned size)
{
    if (size == 8) {
        double d = (double)x;
        uint64_t bits;
        memcpy(&bits, &d, 8);
        return bits;
    }
    if (size == 4) {
        float f = (float)x;
        uint32_t bits;
        memcpy(&bits, &f, 4);
        return bits;
    }
    uint64_t sign = signbit(x) ? 0x8000 : 0;
    long double a = fabsl(round_to(x, 11, -14, 15));
    if (isnan(x) || a == 0 || isinf(a))
        return sign | (isnan(x) ? 0x7e00 : a == 0 ? 0 : 0x7c00);
    int e = ilogbl(a) < -14 ? -15 : ilogbl(a);
    uint64_t exponent = e < -14 ? 0 : (uint64_t)(e + 14) << 10;
    return sign | (exponent + (uint64_t)ldexpl(a, e < -14 ? 24 : 10 - e));
}

/* ---- Specials
 * -------------------------------------------------------------------------------------------------- */

static const long double edges[] = {0,
                                    1,
                                    0.5,
                                    2,
                                    3,
                                    1.5,
                                    2.5,
                                    0.25,
                                    0.75,
                                    4,
                                    7,
                                    10,
                                    100,
                                    1e4,
                                    65504,
                                    1e10,
                                    1.5707963267948966L,
                                    3.1415927L,
                                    0.1,
                                    0.7853981633974483L,
                                    2.718281828L,
                                    88.72,
                                    89,
                                    103.97,
                                    104.1,
                                    709.78,
                                    745.2,
                                    127,
                                    128,
                                    149,
                                    150,
                                    1023.5,
                                    1074.5,
                                    38.5,
                                    45.2,
                                    308.3,
                                    171.62,
                                    35.04,
                                    33,
                                    262143,
                                    262144,
                                    8388607.5,
                                    8388608,
                                    16777215,
                                    4503599627370495.5L,
                                    1e-3,
                                    1e-5,
                                    1e-8,
                                    1e-20,
                                    0.49999997,
                                    0.9999999,
                                    1.0000001,
                                    0.70710677,
                                    0x1.7ffc0ap-1, /* log10 and log2 with AVX-512 */
                                    0x1.79f7b4p-1,
                                    1.4142135,
                                    6.103515625e-05,
                                    1e30,
                                    3.4e38,
                                    1e300,
                                    11,
                                    16,
                                    24,
                                    9.0,
                                    0.33333334,
                                    1024,
                                    2048.5,
                                    0x1p113L,
                                    0x1.8p100L,
                                    0x1p31L,
                                    0x1p52L,
                                    0x1p24L,
                                    0x1p63L,
                                    6.5,
                                    12345.678L,
                                    0.6662394L,
                                    /* where functions were the farthest off: sin, cos, log2, log10, */
                                    0x1.e00f9p+20L,
                                    0x1.f30e48p+22L,
                                    0x1.7bdcfp-1L,
                                    0x1.684dbep+0L,
                                    0x1.4bc39ap+0L,
                                    /* atanpi, cosh, sinh, erfc, tanh; of two, as pairs: atan2, atan2pi */
                                    0x1.ff8b98p-1L,
                                    0x1.f7b914p-1L,
                                    0x1.ecd7b8p+1L,
                                    0x1.22c3ep+2L,
                                    0x1.0a6a04p+1L,
                                    0x1.22ac12p-9L,
                                    0x1.206166p+2L,
                                    0x1.dd969ep-4L,
                                    0x1.dcecc2p-1L,
                                    0x1.68a5acp-5L,
                                    0x1.6e0282p-5L,
                                    /* expm1; pow, as pairs */
                                    0x1.7fd9fap-2L,
                                    0x1.0fc44ep+4L,
                                    0x1.f7c9c2p-1L,
                                    0x1.2427cep+12L,
                                    0x1.f72088p-1L,
                                    -0x1.3a8af6p+12L};
#define EDGES (sizeof edges / sizeof *edges)

/* Bits of what has no name as a number, or another one in each format: signalling and quiet NaN of several
 * payloads, the least and the greatest of subnormal and normal numbers and some between, powers of two at the
 * ends, the greatest number with a half. */
#define LISTED 20
static const uint64_t listed[3][LISTED] = {
    {0x7c01, 0x7d00, 0x7dff, 0x7e00, 0x7fff, 0x7c00, 0x0001, 0x0002, 0x0003, 0x0155,
     0x0200, 0x03ff, 0x0400, 0x0401, 0x7bff, 0x7800, 0x7a00, 0x63ff, 0x6400, 0x77ff},
    {0x7f800001, 0x7fa00000, 0x7fbfffff, 0x7fc00000, 0x7fffffff, 0x7f800000, 1,
     2,          3,          0x2aaaaa,   0x400000,   0x7fffff,   0x800000,   0x800001,
     0x7f7fffff, 0x7f000000, 0x7e800000, 0x4affffff, 0x4b000001, 0x7effffff},
    {0x7ff0000000000001,
     0x7ff4000000000000,
     0x7ff7ffffffffffff,
     0x7ff8000000000000,
     0x7fffffffffffffff,
     0x7ff0000000000000,
     1,
     2,
     3,
     0xaaaaaaaaaaaaa,
     0x8000000000000,
     0xfffffffffffff,
     0x10000000000000,
     0x10000000000001,
     0x7fefffffffffffff,
     0x7fe0000000000000,
     0x7fd0000000000000,
     0x432fffffffffffff,
     0x4330000000000001,
     0x7fdfffffffffffff}};
#define SPECIALS (2 * (EDGES + LISTED))

static uint64_t
special(unsigned k, unsigned size)
{
    uint64_t sign = k & 1 ? (uint64_t)1 << (8 * size - 1) : 0;
    k /= 2;
    return k < EDGES ? float_bits(sign ? -edges[k] : edges[k], size) : listed[size / 4][k - EDGES] | sign;
}

/* ---- Samples
 * -------------------------------------------------------------------------------------------------- */

static uint64_t
sample(uint64_t *state, const char *type, unsigned size)
{
    uint64_t u = next_random(state);
    long double unit = (long double)(next_random(state) >> 1) / 0x1p63L, sign = u & 16 ? -1 : 1;
    int least = least_of(type);
    switch (u & 7) {
    case 0:
    case 1:
        return u >> 8 & (size == 8 ? ~(uint64_t)0 : ((uint64_t)1 << 8 * size) - 1);
    case 2:
        return float_bits(sign * unit * 10, size);
    case 3:
        return float_bits(sign * unit, size);
    case 4:
        return float_bits(sign * ldexpl(1 + unit, (int)(u >> 8 & 31) - 16), size);
    case 5: /* half numbers, and their neighbours */
        return float_bits(sign * (float)(int)(u >> 8 & 1023) / 2, size) + ((u >> 20 & 3) == 3);
    case 6:
        return float_bits(1 + sign * unit * ldexpl(1, -(int)(u >> 8 & 31)), size);
    default: /* the whole range where exponentials live */
        return float_bits(sign * unit * -least * 1.2L, size);
    }
}

static int64_t
integer_sample(uint64_t *state, unsigned size)
{
    static const int64_t corners[] = {0,         1,         -1,        2,          3,         7,
                                      8,         31,        32,        63,         64,        INT8_MIN,
                                      INT8_MAX,  INT16_MIN, INT16_MAX, INT32_MIN,  INT32_MAX, INT64_MIN,
                                      INT64_MAX, 255,       65535,     0xffffffff, 127};
    uint64_t u = next_random(state), v = next_random(state);
    int64_t x =
        u & 1 ? corners[(u >> 8) % (sizeof corners / sizeof *corners)] : (int64_t)(v >> (u >> 8 & 63));
    x = u & 2 && x != INT64_MIN ? -x : x;
    return sign_extend((uint64_t)x, size);
}

/* The exponent's bits of a number as far above x as makes x divided by it subnormal, if there is one. */
static uint64_t
far_above(uint64_t x, uint64_t random, unsigned digits, uint64_t top)
{
    uint64_t one = (uint64_t)1 << digits, exponents = top - one, half = (exponents >> digits) / 2;
    uint64_t e = (x & exponents) + (half + random % digits) * one;
    return e < exponents ? e : exponents - one;
}

/* What samples have to do with each other in the operations of several operands: the cases that neither
 * random numbers nor the specials come to. */
static void
relate(uint64_t *state, uint64_t *bits, const struct trial *t)
{
    uint64_t u = next_random(state);
    unsigned size = t->sizes[0], digits = (unsigned)digits_of(t->type) - 1;
    uint64_t top = (uint64_t)1 << (8 * size - 1), fraction = ((uint64_t)1 << digits) - 1;
    long double x = float_value(bits[0], size), factor = (float)(int)(u >> 16 & 31) / 2;
    for (unsigned k = 0; k < t->operands; k++) {
        if (t->row->signature[k + 1] != 'T')
            continue;
        switch (u & 15) {
        case 0: /* all subnormal */
        case 1:
            bits[k] &= top | fraction >> (u >> 8 & 7);
            break;
        case 2: /* all near the greatest number */
            bits[k] = (bits[k] & (top | fraction)) |
                      (((top - 1) & ~fraction) - (fraction + 1) * (1 + (u >> 8 & 1)));
            break;
        case 3: /* neighbours */
            bits[k] = k ? bits[0] + (u >> (8 + 2 * k) & 3) : bits[0];
            break;
        case 4: /* multiples of halves: the half-way cases of remainders, exact quotients */
            bits[k] = k && isfinite(x) ? float_bits(x * factor, size) : bits[k];
            break;
        case 5:
            bits[k] = k == (u >> 8) % t->operands ? special((unsigned)(u >> 16) % SPECIALS, size) : bits[k];
            break;
        case 6: /* of the same size */
            bits[k] = (bits[k] & (top | fraction)) | (bits[0] & ~(top | fraction));
            break;
        case 7: /* quotients of the first by the others are subnormal */
            bits[k] = k ? (bits[k] & (top | fraction)) | far_above(bits[0], u >> 8, digits, top) : bits[0];
            break;
        case 8: /* the first is many halves of the second: half-way cases of any quotient */
            bits[k] &= ~(fraction >> digits / 2);
            factor = (long double)(u >> 16 & fraction >> (digits + 1) / 2) / 2;
            bits[0] = k ? float_bits(float_value(bits[k], size) * factor, size) : bits[0];
            break;
        default:
            break;
        }
    }
}

static void
operands_at(uint64_t *state, uint64_t *bits, const struct trial *t, int64_t i, int64_t specials)
{
    for (unsigned k = 0; k < t->operands; k++) {
        unsigned size = t->sizes[k];
        if (t->type[0] != 'f' || t->row->signature[k + 1] != 'T')
            bits[k] = (uint64_t)integer_sample(state, size);
        else if (i < specials && k < 2)
            bits[k] = special((unsigned)(k ? i / (int64_t)SPECIALS : i % (int64_t)SPECIALS), size);
        else
            bits[k] = sample(state, t->type, size);
        if (strstr(t->row->name, "24") && k < 2)
            bits[k] =
                t->row->name[0] == 'u' ? bits[k] & 0xffffff : (uint64_t)((int64_t)(bits[k] << 40) >> 40);
    }
    if (t->type[0] == 'f' && i >= specials && t->operands > 1)
        relate(state, bits, t);
}

void
fill_operands(struct trial *t)
{
    uint64_t state = 12345, bits[3];
    bool pairs = t->operands > 1, small = t->operands == 1 && t->sizes[0] == 2;
    int64_t specials = t->type[0] != 'f' ? 0 : pairs ? SPECIALS * SPECIALS : SPECIALS;
    t->count = small ? 65536 : specials + SAMPLES;
    for (unsigned k = 0; k < t->operands; k++)
        t->in[k] = malloc((size_t)t->count * t->sizes[k]);
    for (int64_t i = 0; i < t->count; i++) {
        if (small)
            bits[0] = (uint64_t)i;
        else
            operands_at(&state, bits, t, i, specials);
        for (unsigned k = 0; k < t->operands; k++)
            memcpy((char *)t->in[k] + i * t->sizes[k], &bits[k], t->sizes[k]);
    }
}

/* SPDX-License-Identifier: MIT */
/* Texels: their bytes, the numbers in them, and the channels that an order makes of those.
 *
 * Orders, types and samplers are as in spirv/image.h. They are constants where code is compiled for its
 * image, so that all switches fold; else they are the same for all lanes. Zeros are what outside an image
 * lies: an order without alpha has 1 there anyway, and those with padding (Rx, RGx, RGBx, sRGBx) ask. */
#ifndef LW_LIBRARY_IMAGE_H
#define LW_LIBRARY_IMAGE_H

#include "../../spirv/image.h"
#include "core.h"

typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef uint32_t u32x4 __attribute__((ext_vector_type(4)));

#define GLOBAL __attribute__((address_space(1)))

enum { R, A, RG, RA, RGB, RGBA, BGRA, ARGB, INTENSITY, LUMINANCE, RX, RGX, RGBX, DEPTH, DEPTH_STENCIL, SRGB,
       SRGBX, SRGBA, SBGRA, ABGR };
enum { SNORM8, SNORM16, UNORM8, UNORM16, UNORM565, UNORM555, UNORM101010, SIGNED8, SIGNED16, SIGNED32,
       UNSIGNED8, UNSIGNED16, UNSIGNED32, HALF, FLOAT, UNORM24, UNORM101010_2 };

/* Four words of a texel or four numbers in it, in the order of memory. */
struct four {
    uint32_t at[4];
};

/* ---- words <-> the fields of a type ---- */

INLINE struct four
fields_of(struct four w, int type)
{
    uint32_t a = w.at[0], b = w.at[1];
    switch (type) {
    case SNORM8:
    case UNORM8:
    case SIGNED8:
    case UNSIGNED8: return (struct four){{a & 255, a >> 8 & 255, a >> 16 & 255, a >> 24}};
    case SNORM16:
    case UNORM16:
    case SIGNED16:
    case UNSIGNED16:
    case HALF: return (struct four){{a & 65535, a >> 16, b & 65535, b >> 16}};
    case UNORM565: return (struct four){{a >> 11 & 31, a >> 5 & 63, a & 31, 0}};
    case UNORM555: return (struct four){{a >> 10 & 31, a >> 5 & 31, a & 31, 0}};
    case UNORM101010: return (struct four){{a >> 20 & 1023, a >> 10 & 1023, a & 1023, 0}};
    case UNORM101010_2: return (struct four){{a >> 22, a >> 12 & 1023, a >> 2 & 1023, a & 3}};
    default: return w;
    }
}

INLINE struct four
words_of(struct four f, int type)
{
    uint32_t a = f.at[0], b = f.at[1], c = f.at[2], d = f.at[3];
    switch (type) {
    case SNORM8:
    case UNORM8:
    case SIGNED8:
    case UNSIGNED8: return (struct four){{(a & 255) | (b & 255) << 8 | (c & 255) << 16 | d << 24, 0, 0, 0}};
    case SNORM16:
    case UNORM16:
    case SIGNED16:
    case UNSIGNED16:
    case HALF: return (struct four){{(a & 65535) | b << 16, (c & 65535) | d << 16, 0, 0}};
    case UNORM565: return (struct four){{a << 11 | b << 5 | c, 0, 0, 0}};
    case UNORM555: return (struct four){{a << 10 | b << 5 | c, 0, 0, 0}};
    case UNORM101010: return (struct four){{a << 20 | b << 10 | c, 0, 0, 0}};
    case UNORM101010_2: return (struct four){{a << 22 | b << 12 | c << 2 | d, 0, 0, 0}};
    default: return f;
    }
}

/* ---- fields <-> numbers ---- */

INLINE float
snorm(int n, float step)
{
    float x = (float)n * step;
    return x > -1.0f ? x : -1.0f;
}

/* The number in field k. A product with the rounded reciprocal is 1 where it must be, and within 1.5 ULP. */
INLINE float
float_of(uint32_t f, int type, int k)
{
    switch (type) {
    case SNORM8: return snorm((int8_t)f, 1 / 127.0f);
    case SNORM16: return snorm((int16_t)f, 1 / 32767.0f);
    case UNORM8: return (float)(int)f * (1 / 255.0f);
    case UNORM16: return (float)(int)f * (1 / 65535.0f);
    case UNORM565: return (float)(int)f * (k == 1 ? 1 / 63.0f : 1 / 31.0f);
    case UNORM555: return (float)(int)f * (1 / 31.0f);
    case UNORM101010: return (float)(int)f * (1 / 1023.0f);
    case UNORM101010_2: return (float)(int)f * (k == 3 ? 1 / 3.0f : 1 / 1023.0f);
    case HALF: return (float)as_f16((uint16_t)f);
    case FLOAT: return as_f32(f);
    default: return 0;
    }
}

/* To the nearest, NaN to 0, `most` at most. The product is clamped, not its factor: of `x < 1 ? x : 1` LLVM
 * makes a choice between the product and `most`, which is no minimum any more. */
INLINE uint32_t
unorm(float x, float most)
{
    float y = x * most;
    y = y > 0.0f ? y : 0.0f;
    y = y < most ? y : most;
    return (uint32_t)(int)__builtin_rintf(y);
}

INLINE uint32_t
snorm_of(float x, float most)
{
    float y = x == x ? x * most : 0.0f;
    y = y > -most - 1 ? y : -most - 1;
    y = y < most ? y : most;
    return (uint32_t)(int)__builtin_rintf(y);
}

INLINE uint32_t
field_of_float(float x, int type, int k)
{
    switch (type) {
    case SNORM8: return snorm_of(x, 127);
    case SNORM16: return snorm_of(x, 32767);
    case UNORM8: return unorm(x, 255);
    case UNORM16: return unorm(x, 65535);
    case UNORM565: return unorm(x, k == 1 ? 63 : 31);
    case UNORM555: return unorm(x, 31);
    case UNORM101010: return unorm(x, 1023);
    case UNORM101010_2: return unorm(x, k == 3 ? 3 : 1023);
    case HALF: return bits_f16((f16)x);
    default: return bits_f32(x);
    }
}

INLINE uint32_t
integer_of(uint32_t f, int type)
{
    switch (type) {
    case SNORM8:
    case SIGNED8: return (uint32_t)(int8_t)f;
    case SNORM16:
    case SIGNED16: return (uint32_t)(int16_t)f;
    default: return f;
    }
}

INLINE uint32_t
saturated(uint32_t x, int low, int high)
{
    int n = (int)x;
    n = n < low ? low : n;
    return (uint32_t)(n > high ? high : n);
}

INLINE uint32_t
field_of_integer(uint32_t x, int type)
{
    switch (type) {
    case SIGNED8: return saturated(x, -128, 127);
    case SIGNED16: return saturated(x, -32768, 32767);
    case UNSIGNED8: return x < 255 ? x : 255;
    case UNSIGNED16: return x < 65535 ? x : 65535;
    default: return x;
    }
}

/* ---- channels ---- */

/* red, green, blue, alpha of the numbers in memory's order; `alpha` is what stands for no alpha: 1, and
 * outside of an image with padding 0. */
#define CHANNELS_OF(n, order, one, padded)                                                                   \
    switch (order) {                                                                                         \
    case R: return (V4){n[0], 0, 0, one};                                                                    \
    case DEPTH: return (V4){n[0], 0, 0, one};                                                                \
    case A: return (V4){0, 0, 0, n[0]};                                                                      \
    case RG: return (V4){n[0], n[1], 0, one};                                                                \
    case RA: return (V4){n[0], 0, 0, n[1]};                                                                  \
    case SRGB:                                                                                               \
    case RGB: return (V4){n[0], n[1], n[2], one};                                                            \
    case SBGRA:                                                                                              \
    case BGRA: return (V4){n[2], n[1], n[0], n[3]};                                                          \
    case ARGB: return (V4){n[1], n[2], n[3], n[0]};                                                          \
    case ABGR: return (V4){n[3], n[2], n[1], n[0]};                                                          \
    case INTENSITY: return (V4){n[0], n[0], n[0], n[0]};                                                     \
    case LUMINANCE: return (V4){n[0], n[0], n[0], one};                                                      \
    case RX: return (V4){n[0], 0, 0, padded};                                                                \
    case RGX: return (V4){n[0], n[1], 0, padded};                                                            \
    case SRGBX:                                                                                              \
    case RGBX: return (V4){n[0], n[1], n[2], padded};                                                        \
    default: return (V4){n[0], n[1], n[2], n[3]};                                                            \
    }

#define V4 f32x4
INLINE f32x4
float_channels(const float n[4], int order, int inside)
{
    CHANNELS_OF(n, order, 1.0f, inside ? 1.0f : 0.0f)
}
#undef V4

#define V4 u32x4
INLINE u32x4
integer_channels(const uint32_t n[4], int order, int inside)
{
    CHANNELS_OF(n, order, 1u, inside ? 1u : 0u)
}
#undef V4

/* What memory holds of red, green, blue and alpha. */
#define MEMORY_OF(T, c, n, order)                                                                            \
    T n[4] = {c.x, c.y, c.z, c.w};                                                                           \
    switch (order) {                                                                                         \
    case A: n[0] = c.w; break;                                                                               \
    case RA: n[1] = c.w; break;                                                                              \
    case SBGRA:                                                                                              \
    case BGRA: n[0] = c.z, n[2] = c.x; break;                                                                \
    case ARGB: n[0] = c.w, n[1] = c.x, n[2] = c.y, n[3] = c.z; break;                                        \
    case ABGR: n[0] = c.w, n[1] = c.z, n[2] = c.y, n[3] = c.x; break;                                        \
    default: break;                                                                                          \
    }

#endif

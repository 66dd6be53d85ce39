/* SPDX-License-Identifier: MIT */
/* Reading, sampling and writing of images (OpenCL C, Image Addressing and Filtering), for spirv/emit_image.c.
 *
 * The facts of the image, its kind's number of dimensions and the sampler come as arguments: constants among
 * them fold the code to that of the one case. Coordinates may be anything, NaNs too: what is outside is not
 * touched. All but the texels is the same for all lanes, so branches on it stay branches; a condition on the
 * coordinates guards the load or store alone, which then has a mask. */
#include "image.h"

/* Of the image: texels, extent (layers are the last one's), bytes from row to row and slice to slice, of a
 * texel, format; `small`: all of it is less than 2 GiB from the first texel. */
#define IMAGE_ARGUMENTS                                                                                      \
    int width, int height, int depth, int64_t row, int64_t slice, int size, int order, int type, int small
#define IMAGE width, height, depth, row, slice, size, order, type, small

/* sRGB's curve, of every byte. */
static const float CONSTANT linear_of[256] = {
    0, 0x1.3e4568p-12f, 0x1.3e4568p-11f, 0x1.dd681cp-11f, 0x1.3e4568p-10f, 0x1.8dd6c2p-10f, 0x1.dd681cp-10f,
    0x1.167cbap-9f, 0x1.3e4568p-9f, 0x1.660e14p-9f, 0x1.8dd6c2p-9f, 0x1.b6a31cp-9f, 0x1.e1e31ep-9f,
    0x1.07c38cp-8f, 0x1.1fcc2cp-8f, 0x1.390ffap-8f, 0x1.53936cp-8f, 0x1.6f5adep-8f, 0x1.8c6a94p-8f,
    0x1.aac6cp-8f, 0x1.ca7382p-8f, 0x1.eb74e2p-8f, 0x1.06e76cp-7f, 0x1.18c2a6p-7f, 0x1.2b4e0ap-7f,
    0x1.3e8b7cp-7f, 0x1.527cd6p-7f, 0x1.6723eep-7f, 0x1.7c8292p-7f, 0x1.929a88p-7f, 0x1.a96d92p-7f,
    0x1.c0fd68p-7f, 0x1.d94bbep-7f, 0x1.f25a44p-7f, 0x1.061552p-6f, 0x1.135f3ep-6f, 0x1.210bb8p-6f,
    0x1.2f1b8cp-6f, 0x1.3d8f84p-6f, 0x1.4c6866p-6f, 0x1.5ba6fap-6f, 0x1.6b4c04p-6f, 0x1.7b5842p-6f,
    0x1.8bcc74p-6f, 0x1.9ca958p-6f, 0x1.adefaap-6f, 0x1.bfa02p-6f, 0x1.d1bb74p-6f, 0x1.e4425ap-6f,
    0x1.f73586p-6f, 0x1.054ad4p-5f, 0x1.0f31bap-5f, 0x1.194fccp-5f, 0x1.23a55ep-5f, 0x1.2e32c8p-5f,
    0x1.38f86p-5f, 0x1.43f678p-5f, 0x1.4f2d64p-5f, 0x1.5a9d76p-5f, 0x1.664702p-5f, 0x1.722a56p-5f,
    0x1.7e47c8p-5f, 0x1.8a9fa4p-5f, 0x1.97323ap-5f, 0x1.a3ffd8p-5f, 0x1.b108dp-5f, 0x1.be4d6cp-5f,
    0x1.cbcdfap-5f, 0x1.d98ac6p-5f, 0x1.e7841cp-5f, 0x1.f5ba48p-5f, 0x1.0216cap-4f, 0x1.096f26p-4f,
    0x1.10e65cp-4f, 0x1.187c9p-4f, 0x1.2031e8p-4f, 0x1.280688p-4f, 0x1.2ffa92p-4f, 0x1.380e2ap-4f,
    0x1.404174p-4f, 0x1.489494p-4f, 0x1.5107acp-4f, 0x1.599adep-4f, 0x1.624e4ep-4f, 0x1.6b221ep-4f,
    0x1.74167p-4f, 0x1.7d2b66p-4f, 0x1.86612p-4f, 0x1.8fb7cp-4f, 0x1.992f68p-4f, 0x1.a2c83ap-4f,
    0x1.ac8256p-4f, 0x1.b65ddcp-4f, 0x1.c05aecp-4f, 0x1.ca79a8p-4f, 0x1.d4ba3p-4f, 0x1.df1ca2p-4f,
    0x1.e9a12p-4f, 0x1.f447cap-4f, 0x1.ff10bcp-4f, 0x1.04fe0cp-3f, 0x1.0a84fep-3f, 0x1.101d44p-3f,
    0x1.15c6eep-3f, 0x1.1b8208p-3f, 0x1.214ea6p-3f, 0x1.272cd4p-3f, 0x1.2d1ca2p-3f, 0x1.331e1ep-3f,
    0x1.393158p-3f, 0x1.3f566p-3f, 0x1.458d42p-3f, 0x1.4bd60ep-3f, 0x1.5230d4p-3f, 0x1.589dap-3f,
    0x1.5f1c84p-3f, 0x1.65ad8ap-3f, 0x1.6c50c4p-3f, 0x1.73063ep-3f, 0x1.79ce06p-3f, 0x1.80a82ep-3f,
    0x1.8794cp-3f, 0x1.8e93ccp-3f, 0x1.95a55ep-3f, 0x1.9cc986p-3f, 0x1.a40052p-3f, 0x1.ab49cep-3f,
    0x1.b2a60ap-3f, 0x1.ba1512p-3f, 0x1.c196f4p-3f, 0x1.c92bbep-3f, 0x1.d0d37cp-3f, 0x1.d88e3ep-3f,
    0x1.e05c0ep-3f, 0x1.e83cfcp-3f, 0x1.f03116p-3f, 0x1.f83866p-3f, 0x1.00297ep-2f, 0x1.044072p-2f,
    0x1.086116p-2f, 0x1.0c8b7p-2f, 0x1.10bf86p-2f, 0x1.14fd6p-2f, 0x1.194502p-2f, 0x1.1d9676p-2f,
    0x1.21f1bep-2f, 0x1.2656e4p-2f, 0x1.2ac5ecp-2f, 0x1.2f3edep-2f, 0x1.33c1cp-2f, 0x1.384e98p-2f,
    0x1.3ce56cp-2f, 0x1.418642p-2f, 0x1.46312p-2f, 0x1.4ae60ep-2f, 0x1.4fa51p-2f, 0x1.546e2cp-2f,
    0x1.59416cp-2f, 0x1.5e1edp-2f, 0x1.630664p-2f, 0x1.67f82ap-2f, 0x1.6cf428p-2f, 0x1.71fa68p-2f,
    0x1.770aecp-2f, 0x1.7c25bcp-2f, 0x1.814adcp-2f, 0x1.867a54p-2f, 0x1.8bb428p-2f, 0x1.90f86p-2f,
    0x1.9647p-2f, 0x1.9ba01p-2f, 0x1.a10394p-2f, 0x1.a67192p-2f, 0x1.abea1p-2f, 0x1.b16d14p-2f,
    0x1.b6faa4p-2f, 0x1.bc92c6p-2f, 0x1.c2357ep-2f, 0x1.c7e2d2p-2f, 0x1.cd9acap-2f, 0x1.d35d6ap-2f,
    0x1.d92ab6p-2f, 0x1.df02b8p-2f, 0x1.e4e57p-2f, 0x1.ead2e8p-2f, 0x1.f0cb26p-2f, 0x1.f6ce2cp-2f,
    0x1.fcdcp-2f, 0x1.017a56p-1f, 0x1.048c18p-1f, 0x1.07a34ap-1f, 0x1.0abfeep-1f, 0x1.0de208p-1f,
    0x1.11099ap-1f, 0x1.1436a8p-1f, 0x1.176932p-1f, 0x1.1aa13ep-1f, 0x1.1ddecap-1f, 0x1.2121dep-1f,
    0x1.246a7ap-1f, 0x1.27b8ap-1f, 0x1.2b0c54p-1f, 0x1.2e6598p-1f, 0x1.31c46ep-1f, 0x1.3528dcp-1f,
    0x1.3892ep-1f, 0x1.3c028p-1f, 0x1.3f77bcp-1f, 0x1.42f29ap-1f, 0x1.467318p-1f, 0x1.49f93ep-1f,
    0x1.4d850ap-1f, 0x1.511682p-1f, 0x1.54ada4p-1f, 0x1.584a78p-1f, 0x1.5becfep-1f, 0x1.5f9538p-1f,
    0x1.634328p-1f, 0x1.66f6d4p-1f, 0x1.6ab03ap-1f, 0x1.6e6f6p-1f, 0x1.723448p-1f, 0x1.75fef4p-1f,
    0x1.79cf64p-1f, 0x1.7da59ep-1f, 0x1.8181a4p-1f, 0x1.856378p-1f, 0x1.894b1cp-1f, 0x1.8d3892p-1f,
    0x1.912bdep-1f, 0x1.9525p-1f, 0x1.9923fep-1f, 0x1.9d28d8p-1f, 0x1.a13392p-1f, 0x1.a5442cp-1f,
    0x1.a95aacp-1f, 0x1.ad771p-1f, 0x1.b1995ep-1f, 0x1.b5c198p-1f, 0x1.b9efbep-1f, 0x1.be23d4p-1f,
    0x1.c25ddep-1f, 0x1.c69ddcp-1f, 0x1.cae3d2p-1f, 0x1.cf2fcp-1f, 0x1.d381aap-1f, 0x1.d7d994p-1f,
    0x1.dc377ep-1f, 0x1.e09b6ap-1f, 0x1.e5055cp-1f, 0x1.e97556p-1f, 0x1.edeb5cp-1f, 0x1.f2676cp-1f,
    0x1.f6e98cp-1f, 0x1.fb71bcp-1f, 0x1p+0f,
};

INLINE float
linear_of_srgb(uint32_t byte)
{
    return linear_of[byte & 255];
}

INLINE float
srgb_of_linear(float c)
{
    c = c > 0.0f ? c : 0.0f;
    c = c < 1.0f ? c : 1.0f;
    float power = c < 0.0031308f ? 0.5f : c;
    float curved = (float)(1.055 * core_exp2(core_log2(power) * (1 / 2.4)) - 0.055);
    return c < 0.0031308f ? 12.92f * c : curved;
}

#ifndef EACH /* image_soon.c */
#define EACH(k, count) for (int k = 0; k < (count); k++)
#define CORNERS(dims) (1 << (dims))
#define BODY(name) lw_image_##name
#endif

/* ---- places ---- */

/* For places that have nothing to do with each other, which are gathered. */
INLINE int64_t
offset_of(IMAGE_ARGUMENTS, int x, int y, int z)
{
    (void)width, (void)height, (void)depth, (void)order, (void)type;
    if (small)
        return z * (int)slice + y * (int)row + x * size;
    return (int64_t)z * slice + (int64_t)y * row + (int64_t)x * size;
}

/* For coordinates that may be a row of lanes: in 64 bits the vectorizer sees that they lie side by side, as
 * nothing wraps. */
INLINE int64_t
row_offset_of(IMAGE_ARGUMENTS, int x, int y, int z)
{
    (void)width, (void)height, (void)depth, (void)order, (void)type;
    if (small) { /* products of 32 bits, which vectors have */
        slice = (int)slice;
        row = (int)row;
    }
    return (int64_t)z * slice + (int64_t)y * row + (int64_t)x * size;
}

INLINE int
is_inside(int width, int height, int depth, int x, int y, int z)
{
    return ((uint32_t)x < (uint32_t)width) & ((uint32_t)y < (uint32_t)height) &
           ((uint32_t)z < (uint32_t)depth);
}

INLINE int
clamped(int i, int most)
{
    i = i > 0 ? i : 0;
    return i < most ? i : most;
}

/* ---- texels ---- */

#define LOAD(SPACE)                                                                                          \
    switch (size) {                                                                                          \
    case 1: return (struct four){{*texel, 0, 0, 0}};                                                         \
    case 2: return (struct four){{*(const uint16_t SPACE *)texel, 0, 0, 0}};                                 \
    case 3: return (struct four){{texel[0] | texel[1] << 8 | texel[2] << 16, 0, 0, 0}};                      \
    case 4: return (struct four){{*(const uint32_t SPACE *)texel, 0, 0, 0}};                                 \
    case 6: {                                                                                                \
        const uint16_t SPACE *part = (const uint16_t SPACE *)texel;                                          \
        return (struct four){{part[0] | (uint32_t)part[1] << 16, part[2], 0, 0}};                            \
    }                                                                                                        \
    case 8: {                                                                                                \
        const uint32_t SPACE *part = (const uint32_t SPACE *)texel;                                          \
        return (struct four){{part[0], part[1], 0, 0}};                                                      \
    }                                                                                                        \
    case 12: {                                                                                               \
        const uint32_t SPACE *part = (const uint32_t SPACE *)texel;                                          \
        return (struct four){{part[0], part[1], part[2], 0}};                                                \
    }                                                                                                        \
    default: {                                                                                               \
        const uint32_t SPACE *part = (const uint32_t SPACE *)texel;                                          \
        return (struct four){{part[0], part[1], part[2], part[3]}};                                          \
    }                                                                                                        \
    }

INLINE struct four
load_constant(const uint8_t CONSTANT *texel, int size)
{
    LOAD(CONSTANT)
}

INLINE struct four
load_global(const uint8_t GLOBAL *texel, int size)
{
    LOAD(GLOBAL)
}

INLINE void
store(uint8_t GLOBAL *texel, int size, struct four w)
{
    uint16_t GLOBAL *half = (uint16_t GLOBAL *)texel;
    uint32_t GLOBAL *word = (uint32_t GLOBAL *)texel;
    switch (size) {
    case 1: *texel = (uint8_t)w.at[0]; break;
    case 2: *half = (uint16_t)w.at[0]; break;
    case 3:
        texel[0] = (uint8_t)w.at[0];
        texel[1] = (uint8_t)(w.at[0] >> 8);
        texel[2] = (uint8_t)(w.at[0] >> 16);
        break;
    case 4: *word = w.at[0]; break;
    case 6:
        half[0] = (uint16_t)w.at[0];
        half[1] = (uint16_t)(w.at[0] >> 16);
        half[2] = (uint16_t)w.at[1];
        break;
    case 8: word[0] = w.at[0], word[1] = w.at[1]; break;
    case 12: word[0] = w.at[0], word[1] = w.at[1], word[2] = w.at[2]; break;
    default: word[0] = w.at[0], word[1] = w.at[1], word[2] = w.at[2], word[3] = w.at[3]; break;
    }
}

INLINE f32x4
float_texel(struct four words, int order, int type, int inside)
{
    struct four f = fields_of(words, type);
    float n[4];
    EACH(k, 4)
        n[k] = float_of(f.at[k], type, k);
    if (order == SRGB || order == SRGBX || order == SRGBA || order == SBGRA)
        EACH(k, 3)
            n[k] = linear_of_srgb(f.at[k]);
    return float_channels(n, order, inside);
}

INLINE u32x4
integer_texel(struct four words, int order, int type, int inside)
{
    struct four f = fields_of(words, type);
    uint32_t n[4];
    EACH(k, 4)
        n[k] = integer_of(f.at[k], type);
    return integer_channels(n, order, inside);
}

/* The same number; slices.py makes it a freeze. LLVM does not see that two loads might become one. */
uint32_t lw_kept_apart(uint32_t word) __attribute__((const));

/* At whole coordinates: of the nearest texel of the image if `edge`, else zeros outside. Rows above and below
 * the image are those at its edges. Along the row all lanes are clamped where a texel is one load, which is
 * made in one piece where none of them was (vectorizer/forms/bounded.c); of more loads the few lanes outside
 * go apart: clamped, all lanes' places would be no row any more. `edge` of 2 asks for short code, a third of
 * it, half as fast. `edge` of 3: x is inside. */
INLINE struct four
fetch(const uint8_t CONSTANT *data, IMAGE_ARGUMENTS, int x, int y, int z, int edge, int *inside)
{
    struct four w = {{0, 0, 0, 0}};
    *inside = edge || is_inside(width, height, depth, x, y, z);
    if (edge) {
        y = clamped(y, height - 1);
        z = clamped(z, depth - 1);
    }
    int single = size == 1 || size == 2 || size == 4;
    int in = edge ? edge == 3 || (edge == 1 && !single && (uint32_t)x < (uint32_t)width) : *inside;
    if (in) {
        w = load_constant(data + row_offset_of(IMAGE, x, y, z), size);
    } else if (edge == 1 && single) {
        w = load_constant(data + row_offset_of(IMAGE, clamped(x, width - 1), y, z), size);
    } else if (edge) {
        struct four n = load_constant(data + offset_of(IMAGE, clamped(x, width - 1), y, z), size);
        w = (struct four){{lw_kept_apart(n.at[0]), lw_kept_apart(n.at[1]), lw_kept_apart(n.at[2]),
                           lw_kept_apart(n.at[3])}};
    }
    return w;
}

f32x4
BODY(fetch_f)(const uint8_t CONSTANT *data, IMAGE_ARGUMENTS, int x, int y, int z, int edge)
{
    int inside;
    struct four w = fetch(data, IMAGE, x, y, z, edge, &inside);
    return float_texel(w, order, type, inside);
}

u32x4
BODY(fetch_i)(const uint8_t CONSTANT *data, IMAGE_ARGUMENTS, int x, int y, int z, int edge)
{
    int inside;
    struct four w = fetch(data, IMAGE, x, y, z, edge, &inside);
    return integer_texel(w, order, type, inside);
}

/* Of an image that kernels write, too. */
f32x4
BODY(reread_f)(const uint8_t GLOBAL *data, IMAGE_ARGUMENTS, int x, int y, int z)
{
    struct four w = {{0, 0, 0, 0}};
    int inside = is_inside(width, height, depth, x, y, z);
    if (inside)
        w = load_global(data + row_offset_of(IMAGE, x, y, z), size);
    return float_texel(w, order, type, inside);
}

u32x4
BODY(reread_i)(const uint8_t GLOBAL *data, IMAGE_ARGUMENTS, int x, int y, int z)
{
    struct four w = {{0, 0, 0, 0}};
    int inside = is_inside(width, height, depth, x, y, z);
    if (inside)
        w = load_global(data + row_offset_of(IMAGE, x, y, z), size);
    return integer_texel(w, order, type, inside);
}

void
BODY(write_f)(uint8_t GLOBAL *data, IMAGE_ARGUMENTS, int x, int y, int z, f32x4 c)
{
    MEMORY_OF(float, c, n, order)
    struct four f;
    int curved = order == SRGB || order == SRGBX || order == SRGBA || order == SBGRA;
    EACH(k, 4)
        f.at[k] = field_of_float(curved && k < 3 ? srgb_of_linear(n[k]) : n[k], type, k);
    f = words_of(f, type);
    if (is_inside(width, height, depth, x, y, z))
        store(data + row_offset_of(IMAGE, x, y, z), size, f);
}

void
BODY(write_i)(uint8_t GLOBAL *data, IMAGE_ARGUMENTS, int x, int y, int z, u32x4 c)
{
    MEMORY_OF(uint32_t, c, n, order)
    struct four f;
    EACH(k, 4)
        f.at[k] = field_of_integer(n[k], type);
    f = words_of(f, type);
    if (is_inside(width, height, depth, x, y, z))
        store(data + row_offset_of(IMAGE, x, y, z), size, f);
}

/* ---- samplers ---- */

enum { NONE, CLAMP_TO_EDGE, CLAMP, REPEAT, MIRRORED };

/* A whole number, or one far outside. */
INLINE int
whole(float f)
{
    f = f > -0x1p30f ? f : -0x1p30f;
    f = f < 0x1p30f ? f : 0x1p30f;
    return (int)f;
}

/* The coordinate in texels. */
INLINE float
scaled(float s, int size, int sampler)
{
    switch (LW_SAMPLER_ADDRESSING(sampler)) {
    case REPEAT: return (s - __builtin_floorf(s)) * (float)size;
    case MIRRORED: return fabs32(s - 2.0f * __builtin_rintf(0.5f * s)) * (float)size;
    default: return LW_SAMPLER_NORMALIZED(sampler) ? s * (float)size : s;
    }
}

/* Does the sampler lead everything into the image? */
INLINE int
stays_inside(int sampler)
{
    int mode = LW_SAMPLER_ADDRESSING(sampler);
    return mode == CLAMP_TO_EDGE || mode == REPEAT || mode == MIRRORED;
}

INLINE int
nearest(float s, int size, int sampler)
{
    int i = whole(__builtin_floorf(scaled(s, size, sampler)));
    i = LW_SAMPLER_ADDRESSING(sampler) == REPEAT && i > size - 1 ? i - size : i;
    return stays_inside(sampler) ? clamped(i, size - 1) : i;
}

struct between {
    int at[2];
    float part; /* of the second */
};

INLINE struct between
between(float s, int size, int sampler)
{
    float u = scaled(s, size, sampler) - 0.5f, low = __builtin_floorf(u);
    int i = whole(low), j = i + 1;
    if (LW_SAMPLER_ADDRESSING(sampler) == REPEAT) {
        i = i < 0 ? i + size : i;
        j = j > size - 1 ? j - size : j;
    }
    if (stays_inside(sampler)) {
        i = clamped(i, size - 1);
        j = clamped(j, size - 1);
    }
    return (struct between){{i, j}, u - low};
}

/* The layer of an array. */
INLINE int
layer_of(float s, int layers)
{
    return clamped(whole(__builtin_rintf(s)), layers - 1);
}

struct place {
    int x, y, z;
};

/* `dims` coordinates are the image's, one more is the layer if it is an array. */
INLINE struct place
nearest_place(int width, int height, int depth, int dims, int array, float s, float t, float r, int sampler)
{
    struct place p = {nearest(s, width, sampler), 0, 0};
    if (dims > 1)
        p.y = nearest(t, height, sampler);
    else if (array)
        p.y = layer_of(t, height);
    if (dims > 2)
        p.z = nearest(r, depth, sampler);
    else if (array && dims == 2)
        p.z = layer_of(r, depth);
    return p;
}

/* By a row's and a texel's offset each: lanes that keep to a row are seen to (vectorizer/forms/near.c). */
INLINE struct four
fetch_placed(const uint8_t CONSTANT *data, IMAGE_ARGUMENTS, struct place p, int sampler, int *inside)
{
    struct four w = {{0, 0, 0, 0}};
    *inside = stays_inside(sampler) || is_inside(width, height, depth, p.x, p.y, p.z);
    if (*inside)
        w = load_constant(data + row_offset_of(IMAGE, p.x, p.y, p.z), size);
    return w;
}

INLINE f32x4
linear(const uint8_t CONSTANT *data, IMAGE_ARGUMENTS, int dims, int array, float s, float t, float r,
       int sampler)
{
    struct place p = nearest_place(width, height, depth, dims, array, s, t, r, sampler);
    struct between bx = between(s, width, sampler), by = {{p.y, p.y}, 0}, bz = {{p.z, p.z}, 0};
    f32x4 sum = {0, 0, 0, 0};
    if (dims > 1)
        by = between(t, height, sampler);
    if (dims > 2)
        bz = between(r, depth, sampler);
    EACH(k, CORNERS(dims)) {
        if (k >= 1 << dims)
            continue;
        int inside, dx = k & 1, dy = k >> 1 & 1, dz = k >> 2;
        float weight = dx ? bx.part : 1.0f - bx.part;
        if (dims > 1)
            weight *= dy ? by.part : 1.0f - by.part;
        if (dims > 2)
            weight *= dz ? bz.part : 1.0f - bz.part;
        struct place q = {dx ? bx.at[1] : bx.at[0], dy ? by.at[1] : by.at[0], dz ? bz.at[1] : bz.at[0]};
        struct four w = fetch_placed(data, IMAGE, q, sampler, &inside);
        f32x4 n = float_texel(w, order, type, inside);
        sum.x = mad_f32(weight, n.x, sum.x);
        sum.y = mad_f32(weight, n.y, sum.y);
        sum.z = mad_f32(weight, n.z, sum.z);
        sum.w = mad_f32(weight, n.w, sum.w);
    }
    return sum;
}

f32x4
BODY(sample_f)(const uint8_t CONSTANT *data, IMAGE_ARGUMENTS, int dims, int array, float s, float t,
                  float r, int sampler)
{
    int inside;
    if (LW_SAMPLER_LINEAR(sampler))
        return linear(data, IMAGE, dims, array, s, t, r, sampler);
    struct place p = nearest_place(width, height, depth, dims, array, s, t, r, sampler);
    struct four w = fetch_placed(data, IMAGE, p, sampler, &inside);
    return float_texel(w, order, type, inside);
}

u32x4
BODY(sample_i)(const uint8_t CONSTANT *data, IMAGE_ARGUMENTS, int dims, int array, float s, float t,
                  float r, int sampler)
{
    int inside;
    struct place p = nearest_place(width, height, depth, dims, array, s, t, r, sampler);
    struct four w = fetch_placed(data, IMAGE, p, sampler, &inside);
    return integer_texel(w, order, type, inside);
}

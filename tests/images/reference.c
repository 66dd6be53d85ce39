/* SPDX-License-Identifier: MIT */
#include "reference.h"

#include <math.h>
#include <string.h>

/* ---- formats: the fields of a texel by bits, and the channels that they are ---- */

static const struct {
    const char *channels; /* in the order of memory; x is padding, I and L all that they stand for */
    bool curved, alpha_outside; /* sRGB; the border is opaque */
} orders[] = {{"r", 0, 1}, {"a", 0, 0}, {"rg", 0, 1}, {"ra", 0, 0}, {"rgb", 0, 1}, {"rgba", 0, 0},
              {"bgra", 0, 0},
              {"argb", 0, 0}, {"I", 0, 0}, {"L", 0, 1}, {"rx", 0, 0}, {"rgx", 0, 0}, {"rgbx", 0, 0},
              {"r", 0, 1},
              {"", 0, 0}, {"rgb", 1, 1}, {"rgbx", 1, 0}, {"rgba", 1, 0}, {"bgra", 1, 0}, {"abgr", 0, 0}};

/* 'n' normalised, 's' with a sign, 'u' without, 'f' float */
static const struct {
    char kind;
    bool has_sign;
    int bits;
    const char *packed; /* widths from the highest bit on, 0: none */
} types[] = {{'n', 1, 8, 0},  {'n', 1, 16, 0}, {'n', 0, 8, 0},  {'n', 0, 16, 0}, {'n', 0, 0, "\5\6\5"},
             {'n', 0, 0, "\1\5\5\5"}, {'n', 0, 0, "\2\12\12\12"}, {'s', 1, 8, 0}, {'s', 1, 16, 0},
             {'s', 1, 32, 0},
             {'u', 0, 8, 0},  {'u', 0, 16, 0}, {'u', 0, 32, 0}, {'f', 1, 16, 0}, {'f', 1, 32, 0},
             {0, 0, 0, 0},
             {'n', 0, 0, "\12\12\12\2"}};

bool
is_integer(uint32_t type)
{
    return types[type].kind == 's' || types[type].kind == 'u';
}

uint32_t
format_size(uint32_t order, uint32_t type)
{
    const char *channels = orders[order].channels;
    size_t count = strlen(channels);
    if (!count || !types[type].kind)
        return 0;
    if (types[type].packed) {
        bool three = !strcmp(channels, "rgb") || !strcmp(channels, "rgbx");
        bool four = !strcmp(channels, "rgba") && type == 16;
        if (orders[order].curved || !(type == 16 ? four : three))
            return 0;
        return type == 4 || type == 5 ? 2 : 4;
    }
    if (orders[order].curved && type != 2)
        return 0;
    if (!strcmp(channels, "rgb") && !orders[order].curved)
        return 0;
    if (order == 13 && type != 3 && type != 14)
        return 0;
    return (uint32_t)count * (uint32_t)types[type].bits / 8;
}

/* Bit position and width of field k. */
static void
field_at(uint32_t type, int k, int total, int *low, int *width)
{
    const char *packed = types[type].packed;
    *width = types[type].bits;
    *low = k * *width;
    if (!packed)
        return;
    int skip = packed[0] < 4, at = total;
    for (int i = 0; i <= k + skip; i++) {
        *width = packed[i];
        at -= *width;
    }
    *low = at;
}

static uint64_t
get_bits(const uint8_t *bytes, int low, int width)
{
    uint64_t value = 0;
    for (int i = 0; i < width; i++)
        value |= (uint64_t)(bytes[(low + i) / 8] >> (low + i) % 8 & 1) << i;
    return value;
}

static void
put_bits(uint8_t *bytes, int low, int width, uint64_t value)
{
    for (int i = 0; i < width; i++)
        bytes[(low + i) / 8] |= (uint8_t)((value >> i & 1) << (low + i) % 8);
}

static double
half_value(uint64_t h)
{
    int exponent = (int)(h >> 10 & 31);
    double fraction = (double)(h & 1023), value;
    if (exponent == 31)
        value = fraction != 0 ? NAN : INFINITY;
    else
        value = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return h >> 15 ? -value : value;
}

static uint64_t
half_bits(double x)
{
    uint64_t sign = signbit(x) ? 0x8000 : 0;
    x = fabs(x);
    if (isnan(x))
        return sign | 0x7e00;
    if (x >= 65520)
        return sign | 0x7c00;
    int exponent = x < ldexp(1, -14) ? -14 : ilogb(x);
    double units = nearbyint(ldexp(x, 10 - exponent)); /* to even */
    uint64_t bits = exponent == -14 && units < 1024 ? (uint64_t)units
                                                    : (uint64_t)units - 1024 +
                                                    ((uint64_t)(exponent + 15) << 10);
    return sign | bits;
}

static int
channel_of(char c)
{
    return c == 'r' ? 0 : c == 'g' ? 1 : c == 'b' ? 2 : c == 'a' ? 3 : -1;
}

/* ---- texels ---- */

static struct colour
border(const struct lw_image *image)
{
    struct colour c = {.f = {0}};
    c.f[3] = c.i[3] = orders[image->order].alpha_outside;
    return c;
}

static void
set_channel(struct colour *c, char channel, double f, int64_t i, double error)
{
    int first = channel == 'I' || channel == 'L' ? 0 : channel_of(channel);
    int last = channel == 'I' ? 3 : channel == 'L' ? 2 : first;
    for (int k = first; k >= 0 && k <= last; k++)
        c->f[k] = f, c->i[k] = i, c->error[k] = error;
}

static struct colour
decode(const struct lw_image *image, const uint8_t *texel)
{
    struct colour c = {.f = {0, 0, 0, 1}, .i = {0, 0, 0, 1}};
    const char *channels = orders[image->order].channels;
    for (int k = 0; channels[k]; k++) {
        int low, width;
        field_at(image->type, k, (int)image->element_size * 8, &low, &width);
        uint64_t bits = get_bits(texel, low, width);
        int64_t i = types[image->type].has_sign && bits >> (width - 1) ? (int64_t)bits - ((int64_t)1 << width)
                                                                       : (int64_t)bits;
        double f = 0, error = 0;
        if (types[image->type].kind == 'n') {
            double most = ldexp(1, width - types[image->type].has_sign) - 1;
            f = fmax(-1, (double)i / most);
            error = f == 0 || fabs(f) == 1 ? 0 : 1.5 * ldexp(1, ilogb(f) - 23);
        } else if (types[image->type].kind == 'f' && width == 16) {
            f = half_value(bits);
        } else if (types[image->type].kind == 'f') {
            uint32_t word = (uint32_t)bits;
            float single;
            memcpy(&single, &word, 4);
            f = single;
        }
        if (orders[image->order].curved && channels[k] != 'a') {
            f = f <= 0.04045 ? f / 12.92 : pow((f + 0.055) / 1.055, 2.4);
            error = f == 0 || f == 1 ? 0 : 1e-6 * f;
        }
        set_channel(&c, channels[k], f, i, error);
    }
    return c;
}

struct extent {
    int dims;    /* that are filtered */
    int size[3]; /* layers as well */
    bool array;
};

static struct extent
extent_of(const struct lw_image *image)
{
    struct extent e = {1, {(int)image->width, 1, 1}, false};
    switch (image->kind) {
    case LW_IMAGE_1D_ARRAY: e.size[1] = (int)image->layers, e.array = true; break;
    case LW_IMAGE_2D: e.dims = 2, e.size[1] = (int)image->height; break;
    case LW_IMAGE_2D_ARRAY:
        e.dims = 2, e.size[1] = (int)image->height, e.size[2] = (int)image->layers, e.array = true;
        break;
    case LW_IMAGE_3D: e.dims = 3, e.size[1] = (int)image->height, e.size[2] = (int)image->depth; break;
    default: break;
    }
    return e;
}

static const uint8_t *
texel_at(const struct lw_image *image, const struct extent *e, const int64_t at[3])
{
    for (int d = 0; d < 3; d++)
        if (at[d] < 0 || at[d] >= e->size[d])
            return NULL;
    return (const uint8_t *)image->data + at[2] * (int64_t)image->slice_pitch + at[1] *
    (int64_t)image->row_pitch +
           at[0] * (int64_t)image->element_size;
}

static struct colour
texel_or_border(const struct lw_image *image, const struct extent *e, const int64_t at[3])
{
    const uint8_t *texel = texel_at(image, e, at);
    return texel ? decode(image, texel) : border(image);
}

/* ---- addressing ---- */

static int64_t
clamp(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

static int64_t
address_mode(int64_t coord, int size, uint32_t mode)
{
    return mode == 1 ? clamp(coord, 0, size - 1) : mode == 2 ? clamp(coord, -1, size) : coord;
}

/* The one or two texels along an axis, and the part of the second. */
static void
along(float s, int size, uint32_t sampler, int64_t at[2], double *part)
{
    uint32_t mode = LW_SAMPLER_ADDRESSING(sampler);
    bool linear = LW_SAMPLER_LINEAR(sampler);
    float u, n = (float)size;
    if (mode == 3) {
        u = (s - floorf(s)) * n;
    } else if (mode == 4) {
        float folded = 2.0f * rintf(0.5f * s);
        u = fabsf(s - folded) * n;
    } else {
        u = LW_SAMPLER_NORMALIZED(sampler) ? s * n : s;
    }
    if (!linear) {
        int64_t i = (int64_t)floorf(u);
        if (mode == 3)
            i = i > size - 1 ? i - size : i;
        else if (mode == 4)
            i = i < size - 1 ? i : size - 1;
        else
            i = address_mode(i, size, mode);
        at[0] = at[1] = i;
        *part = 0;
        return;
    }
    float below = u - 0.5f;
    at[0] = (int64_t)floorf(below);
    at[1] = at[0] + 1;
    *part = (double)below - floor(below);
    if (mode == 3) {
        at[0] = at[0] < 0 ? size + at[0] : at[0];
        at[1] = at[1] > size - 1 ? at[1] - size : at[1];
    } else if (mode == 4) {
        at[0] = at[0] > 0 ? at[0] : 0;
        at[1] = at[1] < size - 1 ? at[1] : size - 1;
    } else {
        at[0] = address_mode(at[0], size, mode);
        at[1] = address_mode(at[1], size, mode);
    }
}

static struct colour
sample(const struct lw_image *image, const struct extent *e, uint32_t sampler, const float at[4])
{
    int64_t place[3][2] = {{0, 0}, {0, 0}, {0, 0}};
    double part[3] = {0, 0, 0};
    struct colour sum = {.f = {0}};
    for (int d = 0; d < e->dims; d++)
        along(at[d], e->size[d], sampler, place[d], &part[d]);
    if (e->array)
        place[e->dims][0] = place[e->dims][1] =
            (int64_t)clamp((int64_t)rintf(fminf(fmaxf(at[e->dims], -1e6f), 1e6f)), 0, e->size[e->dims] - 1);
    if (!LW_SAMPLER_LINEAR(sampler))
        return texel_or_border(image, e, (const int64_t[3]){place[0][0], place[1][0], place[2][0]});
    for (int k = 0; k < 1 << e->dims; k++) {
        int64_t p[3] = {place[0][k & 1], place[1][k >> 1 & 1], place[2][k >> 2]};
        struct colour c = texel_or_border(image, e, p);
        double weight = 1;
        for (int d = 0; d < e->dims; d++)
            weight *= k >> d & 1 ? part[d] : 1 - part[d];
        for (int n = 0; n < 4; n++) {
            sum.f[n] += weight * c.f[n];
            sum.error[n] += c.error[n] + 1e-6 * fabs(c.f[n]);
        }
    }
    return sum;
}

struct colour
reference_read(const struct lw_image *image, enum reading how, uint32_t sampler, const float at[4])
{
    struct extent e = extent_of(image);
    uint32_t mode = how == READ ? 0 : LW_SAMPLER_ADDRESSING(sampler);
    int64_t p[3] = {0, 0, 0};
    struct colour c;
    for (int d = 0; d < e.dims + e.array; d++)
        if (!(fabsf(at[d]) < 1e9f))
            return (struct colour){.undefined = true};
    if (how == SAMPLE) {
        c = sample(image, &e, sampler, at);
        c.undefined = is_integer(image->type) && LW_SAMPLER_LINEAR(sampler);
        return c;
    }
    for (int d = 0; d < e.dims; d++)
        p[d] = address_mode((int64_t)at[d], e.size[d], mode);
    if (e.array)
        p[e.dims] = how == READ ? (int64_t)at[e.dims] : clamp((int64_t)at[e.dims], 0, e.size[e.dims] - 1);
    c = texel_or_border(image, &e, p);
    c.undefined = !texel_at(image, &e, p) && mode == 0;
    return c;
}

/* ---- writing ---- */

uint8_t *
reference_place(const struct lw_image *image, const float at[4])
{
    struct extent e = extent_of(image);
    int64_t p[3] = {0, 0, 0};
    for (int d = 0; d < e.dims + e.array; d++) {
        if (!(fabsf(at[d]) < 1e9f))
            return NULL; /* the test converts no such numbers */
        p[d] = (int64_t)at[d];
    }
    return (uint8_t *)(uintptr_t)texel_at(image, &e, p);
}

static double
to_even(double x, double low, double high)
{
    return isnan(x) ? 0 : nearbyint(fmin(fmax(x, low), high));
}

static uint64_t
encode_float(uint32_t type, int width, bool curved, float value)
{
    double x = value;
    if (curved) {
        x = isnan(x) ? 0 : fmin(fmax(x, 0), 1);
        x = x < 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
        return (uint64_t)floor(x * 255 + 0.5);
    }
    if (types[type].kind == 'f') {
        uint32_t word;
        memcpy(&word, &value, 4);
        return width == 16 ? half_bits(x) : word;
    }
    bool sign = types[type].has_sign;
    double most = ldexp(1, width - sign) - 1;
    return (uint64_t)(int64_t)to_even((double)(value * (float)most), sign ? -most - 1 : 0, most);
}

void
reference_encode(const struct lw_image *image, const float *f, const uint32_t *i, uint8_t *bytes)
{
    const char *channels = orders[image->order].channels;
    memset(bytes, 0, image->element_size);
    for (int k = 0; channels[k]; k++) {
        int low, width, channel = channels[k] == 'I' || channels[k] == 'L' ? 0 : channel_of(channels[k]);
        field_at(image->type, k, (int)image->element_size * 8, &low, &width);
        if (channel < 0)
            continue;
        uint64_t bits;
        if (f) {
            bits = encode_float(image->type, width, orders[image->order].curved && channel < 3, f[channel]);
        } else if (types[image->type].kind == 's') {
            int64_t most = ((int64_t)1 << (width - 1)) - 1;
            bits = (uint64_t)clamp((int32_t)i[channel], -most - 1, most);
        } else {
            bits = (uint64_t)clamp(i[channel], 0, ((int64_t)1 << width) - 1);
        }
        put_bits(bytes, low, width, bits);
    }
}

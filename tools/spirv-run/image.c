/* SPDX-License-Identifier: MIT */
/* Images and samplers as ARGs: image2d:640x480:rgba8=@picture.png, sampler:repeat,linear,normalized;
 * pictures. */
#include <errno.h>
#include <fcntl.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli.h"

static const struct {
    const char *name;
    uint32_t kind, sizes; /* how many numbers tell its extent */
} kinds[] = {{"image1d_array:", LW_IMAGE_1D_ARRAY, 2}, {"image1d_buffer:", LW_IMAGE_1D_BUFFER, 1},
             {"image1d:", LW_IMAGE_1D, 1},             {"image2d_array:", LW_IMAGE_2D_ARRAY, 3},
             {"image2d:", LW_IMAGE_2D, 2},             {"image3d:", LW_IMAGE_3D, 3}};

/* Numbers of SPIR-V. Those whose names begin with others' come first. */
static const struct {
    const char *name;
    uint32_t order, channels;
} orders[] = {{"rgba", 5, 4}, {"rg", 2, 2},   {"ra", 3, 2},        {"r", 0, 1},         {"bgra", 6, 4},
              {"argb", 7, 4}, {"abgr", 19, 4}, {"a", 1, 1},         {"intensity", 8, 1}, {"luminance", 9, 1},
              {"depth", 13, 1}, {"srgba", 17, 4}, {"sbgra", 18, 4}};

static const struct {
    const char *name, *element;
    uint32_t type;
} types[] = {{"8", "u8", 2},   {"16", "u16", 3},   {"8s", "i8", 0},    {"16s", "i16", 1},  {"i8", "i8", 7},
             {"i16", "i16", 8}, {"i32", "i32", 9}, {"u8", "u8", 10},   {"u16", "u16", 11}, {"u32", "u32", 12},
             {"f16", "f16", 13}, {"f32", "f32", 14}};

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define MOST_TEXELS 65536

static bool
parse_format(struct cli_arg *arg, const char *text, size_t length)
{
    for (size_t o = 0; o < COUNT(orders); o++) {
        size_t n = strlen(orders[o].name);
        if (length <= n || strncmp(text, orders[o].name, n))
            continue;
        for (size_t t = 0; t < COUNT(types); t++) {
            if (strlen(types[t].name) != length - n || strncmp(text + n, types[t].name, length - n))
                continue;
            arg->image.order = orders[o].order;
            arg->image.type = types[t].type;
            arg->components = orders[o].channels;
            arg->type = cli_find_type(types[t].element, strlen(types[t].element));
            return true;
        }
    }
    return false;
}

/* "640x480:" into the sizes of its kind. */
static const char *
parse_extent(const char *text, uint32_t count, uint64_t sizes[3])
{
    for (uint32_t i = 0; i < count; i++) {
        size_t length = strcspn(text, i + 1 < count ? "x" : ":");
        if (!text[length] || !cli_parse_count(text, length, &sizes[i]) || !sizes[i] || sizes[i] > MOST_TEXELS)
            return NULL;
        text += length + 1;
    }
    return text;
}

static void
lay_out(struct cli_arg *arg, const uint64_t sizes[3])
{
    struct lw_image *i = &arg->image;
    bool lines = i->kind == LW_IMAGE_1D_ARRAY;
    i->width = (uint32_t)sizes[0];
    i->height = lines ? 1 : (uint32_t)sizes[1];
    i->depth = i->kind == LW_IMAGE_3D ? (uint32_t)sizes[2] : 1;
    i->layers = (uint32_t)(lines ? sizes[1] : i->kind == LW_IMAGE_2D_ARRAY ? sizes[2] : 1);
    i->element_size = (uint32_t)(arg->type->size * arg->components);
    i->row_pitch = (uint64_t)i->width * i->element_size;
    i->slice_pitch = i->row_pitch * i->height;
    arg->count = sizes[0] * sizes[1] * sizes[2] * arg->components;
    arg->bytes = arg->count * arg->type->size;
}

bool
cli_image_parse(struct cli_arg *arg, const char *text, char why[200])
{
    uint64_t sizes[3] = {1, 1, 1};
    for (size_t k = 0; k < COUNT(kinds); k++) {
        size_t n = strlen(kinds[k].name);
        if (strncmp(text, kinds[k].name, n))
            continue;
        const char *format = parse_extent(text + n, kinds[k].sizes, sizes);
        size_t length = format ? strcspn(format, "=") : 0;
        arg->form = CLI_ARG_IMAGE;
        arg->image.kind = kinds[k].kind;
        if (!format || !parse_format(arg, format, length))
            break;
        lay_out(arg, sizes);
        arg->rest = format[length] ? format + length + 1 : "zeros";
        return true;
    }
    snprintf(why, 200, "'%.60s': an image is written image2d:WxH:FORMAT, FORMAT like rgba8, r16s, rgu8, rf32",
             text);
    return false;
}

bool
cli_sampler_parse(struct cli_arg *arg, const char *text, char why[200])
{
    static const struct {
        const char *word;
        uint32_t mask, bits;
    } words[] = {{"none", 7, 0},     {"edge", 7, 1},       {"clamp", 7, 2},
                 {"repeat", 7, 3},   {"mirrored", 7, 4},   {"nearest", 16, 0},
                 {"linear", 16, 16}, {"normalized", 8, 8}, {"unnormalized", 8, 0}};
    arg->form = CLI_ARG_SAMPLER;
    arg->count = 0;
    for (const char *at = text; *at; at += *at == ',') {
        size_t length = strcspn(at, ","), k = 0;
        while (k < COUNT(words) && (strlen(words[k].word) != length || strncmp(at, words[k].word, length)))
            k++;
        if (k == COUNT(words)) {
            snprintf(why, 200, "'%.60s': a sampler is written sampler:none|edge|clamp|repeat|mirrored"
                               "[,nearest|linear][,normalized]", arg->text);
            return false;
        }
        arg->count = (arg->count & ~(size_t)words[k].mask) | words[k].bits;
        at += length;
    }
    return true;
}

static bool
ends_in_png(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && !strcmp(path + length - 4, ".png");
}

/* What libpng calls the channels of an image of bytes; false: it has none such. */
static bool
png_format(const struct cli_arg *arg, uint32_t *out)
{
    bool swapped = arg->image.order == 6 || arg->image.order == 18;
    if (arg->type->size != 1 || (arg->components == 2 && arg->image.order != 3))
        return false;
    *out = arg->components == 4 ? swapped ? PNG_FORMAT_BGRA : PNG_FORMAT_RGBA
           : arg->components == 2 ? PNG_FORMAT_GA
                                  : PNG_FORMAT_GRAY;
    return arg->image.order != 7 && arg->image.order != 19;
}

static bool
bind_picture(struct cli_arg *arg, const char *path, char why[200])
{
    png_image picture = {.version = PNG_IMAGE_VERSION};
    uint32_t format;
    if (!png_format(arg, &format)) {
        snprintf(why, 200, "pictures are of 8 bits a channel: rgba8, bgra8, ra8, r8 or the like");
        return false;
    }
    if (!png_image_begin_read_from_file(&picture, path)) {
        snprintf(why, 200, "cannot read '%.80s': %.80s", path, picture.message);
        return false;
    }
    bool fits = picture.width == arg->image.width &&
                picture.height * (size_t)picture.width * arg->components == arg->count;
    if (!fits)
        snprintf(why, 200, "'%.80s' is %u by %u", path, picture.width, picture.height);
    picture.format = format;
    arg->value = fits ? malloc(PNG_IMAGE_SIZE(picture)) : NULL;
    bool good = arg->value && png_image_finish_read(&picture, NULL, arg->value, 0, NULL);
    if (fits && !good)
        snprintf(why, 200, "cannot read '%.80s': %.80s", path,
                 arg->value ? picture.message : "out of memory");
    png_image_free(&picture);
    return good;
}

bool
cli_image_bind(struct cli_arg *arg, char why[200])
{
    size_t bytes = arg->bytes;
    const struct cli_type *type = arg->type;
    if (arg->rest[0] != '@')
        return cli_spec_parse(&arg->spec, arg->type, arg->count, arg->rest, why);
    arg->rest++;
    if (ends_in_png(arg->rest))
        return bind_picture(arg, arg->rest, why);
    if (!cli_file_open(arg, why))
        return false;
    if (arg->bytes != bytes)
        snprintf(why, 200, "'%.60s' has %zu bytes, and the image %zu", arg->rest, arg->bytes, bytes);
    bool good = arg->bytes == bytes;
    arg->type = type;
    arg->bytes = bytes;
    arg->count = bytes / type->size;
    return good;
}

bool
cli_image_is_picture(const char *path)
{
    return ends_in_png(path);
}

bool
cli_image_write_picture(const struct cli_arg *arg, int fd)
{
    const struct lw_image *i = &arg->image;
    png_image picture = {.version = PNG_IMAGE_VERSION, .width = i->width};
    uint32_t format;
    FILE *out = NULL;
    int copy = arg->form == CLI_ARG_IMAGE && png_format(arg, &format) ? dup(fd) : -1;
    if (copy < 0 || !(out = fdopen(copy, "wb"))) {
        if (copy >= 0)
            close(copy);
        else
            errno = EINVAL;
        return false;
    }
    picture.height = (uint32_t)(arg->count / arg->components / i->width);
    picture.format = format;
    bool good = png_image_write_to_stdio(&picture, out, 0, cli_elements(arg), 0, NULL);
    return fclose(out) == 0 && good;
}

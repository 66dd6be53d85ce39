/* SPDX-License-Identifier: MIT */
/* Images through the C API against reference.c: modules of both front ends, every format, kind, sampler,
 * instruction set, sub-group size and tier. usage: test_images FOLDER [SEED], with which every case of every
 * set and tier runs, of other numbers, where the test draws some. An image ends at a page that may not be
 * touched, and what lies between its rows must stay as it is. */
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ITEMS 403
#define MAPPED (1u << 20)
#define UNKNOWN 144 /* samplers, behind which nothing is known before (LW_SHAPE_IMAGES) */

static unsigned long long passed;
static unsigned failed, draws = 12345;
static char place[300]; /* what is being tested */

static const uint32_t sizes[] = {16, 4, 64, 8, 32};

static struct setting {
    lw_device *device;
    lw_program *program;
    uint32_t n;
} now;

static void
fail(const char *kernel, const char *what, size_t item)
{
    if (failed++ < 20)
        printf("FAILED %s N %u %s, item %zu: %s\n", place, now.n, kernel, item, what);
}

static unsigned
draw(unsigned count)
{
    draws = draws * 1664525u + 1013904223u;
    return (draws >> 8) % count;
}

/* ---- images ---- */

static uint8_t *mapping;

static struct lw_image
make_image(uint32_t kind, uint32_t order, uint32_t type, uint32_t w, uint32_t h, uint32_t d)
{
    uint32_t size = format_size(order, type);
    struct lw_image i = {.kind = kind, .order = order, .type = type, .element_size = size, .width = w,
                         .height = 1,
                         .depth = 1, .layers = 1};
    bool rows = kind == LW_IMAGE_2D || kind == LW_IMAGE_2D_ARRAY || kind == LW_IMAGE_3D;
    if (rows)
        i.height = h;
    if (kind == LW_IMAGE_3D)
        i.depth = d;
    if (kind == LW_IMAGE_2D_ARRAY || kind == LW_IMAGE_1D_ARRAY)
        i.layers = d;
    i.row_pitch = (uint64_t)w * size + 2 * size;
    i.slice_pitch = i.row_pitch * i.height + 3 * size;
    if (kind == LW_IMAGE_1D_ARRAY)
        i.row_pitch = i.slice_pitch;
    uint64_t last = (i.depth - 1 + (kind == LW_IMAGE_2D_ARRAY ? i.layers - 1 : 0)) * i.slice_pitch +
                    (kind == LW_IMAGE_1D_ARRAY ? i.layers - 1 : i.height - 1) * i.row_pitch + (uint64_t)w *
                    size;
    uint64_t align = size % 4 ? size : 4; /* a texel's words are aligned */
    i.data = mapping + (MAPPED - last) / align * align;
    if (size % 2 == 0 && (uintptr_t)i.data % 2)
        i.data = (uint8_t *)i.data - 1;
    for (uint8_t *p = mapping; p < mapping + MAPPED; p++)
        *p = (uint8_t)draw(256);
    /* Numbers that filters can take. */
    for (uint8_t *p = i.data; type == 13 && p + 2 <= mapping + MAPPED; p += 2)
        p[1] = (uint8_t)(0x38 + (p[1] & 0x83));
    for (uint8_t *p = i.data; type == 14 && p + 4 <= mapping + MAPPED; p += 4)
        memcpy(p, &(float){(float)draw(1000) / 997 - 0.3f}, 4);
    return i;
}

static void
fill_coordinates(const struct lw_image *i, bool normalized, bool whole, float (*c)[4])
{
    static const float odd[] = {INFINITY, -INFINITY, NAN, 3e9f, -3e9f, 1e30f};
    float size[3] = {(float)i->width, (float)(i->kind == LW_IMAGE_1D_ARRAY ? i->layers : i->height),
                     (float)(i->kind == LW_IMAGE_3D ? i->depth : i->layers)};
    int dims = i->kind <= LW_IMAGE_1D_ARRAY ? 1 : i->kind == LW_IMAGE_3D ? 3 : 2;
    for (int k = 0; k < ITEMS; k++) {
        for (int d = 0; d < 4; d++) {
            float n = d < 3 ? size[d] : 1, x;
            if (k % 3 == 0)
                x = (float)draw((unsigned)n) + (draw(2) ? 0.5f : 0);
            else if (k % 3 == 1)
                x = ((float)draw(4000) / 1000 - 1.5f) * n;
            else
                x = (float)((int)draw((unsigned)(n + 6)) - 3);
            if (whole)
                x = floorf(x);
            if (normalized && d < dims)
                x = x / n + (k % 5 == 4 ? (float)((int)draw(9) - 4) : 0);
            c[k][d] = !whole && k % 41 == 40 && d == (int)draw(3) ? odd[draw(6)] : x;
        }
    }
}

/* ---- runs ---- */

struct arguments {
    unsigned samplers; /* that stand before all others and are not used */
    const struct lw_image *image;
    bool sampled;
    uint32_t sampler;
    void *coordinates, *values;
};

static bool
run(const char *kernel, const struct arguments *a)
{
    lw_error error = {0};
    size_t local = (size_t[]){64, 100, 16, 7}[draw(4)];
    lw_ndrange range = {.dimensions = 1, .global = {ITEMS}, .local = {local}};
    lw_kernel *k = lw_kernel_create(now.program, kernel, &error);
    uint32_t n = 0;
    now.n = sizes[draw(5)];
    bool good = k && lw_kernel_set_sub_group_size(k, now.n, &error);
    for (unsigned s = 0; good && s < a->samplers; s++)
        good = lw_kernel_set_arg_sampler(k, n++, 0, &error);
    good = good && lw_kernel_set_arg_image(k, n++, a->image, &error);
    if (a->sampled)
        good = good && lw_kernel_set_arg_sampler(k, n++, a->sampler, &error);
    good = good && lw_kernel_set_arg_pointer(k, n++, a->coordinates, ITEMS * 16, &error) &&
           lw_kernel_set_arg_pointer(k, n++, a->values, ITEMS * 16,
                                     &error) && lw_kernel_run(k, &range, &error);
    if (!good)
        fail(kernel, error.text, 0);
    lw_kernel_release(k);
    return good;
}

static bool
near(double got, double wanted, double error)
{
    return (isnan(got) && isnan(wanted)) || fabs(got - wanted) <= error || got == wanted;
}

/* `out` 'f' floats, 'h' halves, 'i' integers, 'd' one float each. */
static void
compare(const char *kernel, const struct lw_image *image, enum reading how, uint32_t sampler, float (*c)[4],
        const void *values, char out)
{
    const float *f = values;
    const _Float16 *h = values;
    const uint32_t *u = values;
    for (size_t k = 0; k < ITEMS; k++) {
        struct colour r = reference_read(image, how, sampler, c[k]);
        bool good = true;
        for (size_t n = 0; n < (out == 'd' ? 1u : 4u) && !r.undefined; n++)
            good &= out == 'i'   ? u[4 * k + n] == (uint32_t)r.i[n]
                    : out == 'd' ? near(f[k], r.f[n], r.error[n])
                    : out == 'h' ? near(h[4 * k + n], r.f[n], r.error[n] + fabs(r.f[n]) / 1024)
                                 : near(f[4 * k + n], r.f[n], r.error[n]);
        passed += good;
        if (good)
            continue;
        char text[300];
        if (out == 'i')
            snprintf(text, sizeof text, "at %g %g %g: %x %x %x %x, not %llx %llx %llx %llx", c[k][0],
                     c[k][1], c[k][2],
                     u[4 * k], u[4 * k + 1], u[4 * k + 2], u[4 * k + 3], (long long)r.i[0], (long long)r.i[1],
                     (long long)r.i[2], (long long)r.i[3]);
        else
            snprintf(text, sizeof text, "at %.9g %.9g %.9g: %.9g %.9g %.9g %.9g, not %.9g %.9g %.9g %.9g",
                     c[k][0], c[k][1],
                     c[k][2], f[4 * k], f[4 * k + 1], f[4 * k + 2], f[4 * k + 3], r.f[0], r.f[1], r.f[2],
                     r.f[3]);
        fail(kernel, text, k);
    }
}

static void
test_read(const char *kernel, const struct lw_image *image, enum reading how, uint32_t sampler, char out,
          unsigned samplers)
{
    static float c[ITEMS][4];
    static uint8_t values[ITEMS * 16];
    struct arguments a = {samplers, image, how != READ, sampler, c, values};
    fill_coordinates(image, how == SAMPLE && LW_SAMPLER_NORMALIZED(sampler), how != SAMPLE, c);
    if (run(kernel, &a))
        compare(kernel, image, how, sampler, c, values, out);
}

/* Each texel by one work-item at most: 'f' floats, 'h' halves, 'i' and 'u' integers. */
static void
test_write(const char *kernel, const struct lw_image *image, char in, unsigned samplers)
{
    static float c[ITEMS][4], f[ITEMS][4];
    static _Float16 h[ITEMS][4];
    static uint32_t u[ITEMS][4];
    static uint8_t before[MAPPED], wanted[MAPPED];
    struct arguments a = {samplers, image, false, 0, c, in == 'f' ? (void *)f : in == 'h' ? (void *)h : u};
    bool third = !strncmp(kernel, "divergent", 9), curved = image->order >= 15 && image->order <= 18;
    fill_coordinates(image, false, true, c);
    for (size_t k = 0; k < ITEMS; k++) {
        for (size_t n = 0; n < 4; n++) {
            f[k][n] = k % 50 == 49 ? (float[]){NAN, INFINITY, -INFINITY,
                                               -2}[n] : (float)draw(2000) / 1500 - 0.2f;
            h[k][n] = (_Float16)f[k][n];
            f[k][n] = in == 'h' ? (float)h[k][n] : f[k][n];
            u[k][n] = draw(2) ? draw(300) - 150 : draw(1u << 24) * 251;
        }
    }
    memcpy(before, mapping, MAPPED);
    memcpy(wanted, mapping, MAPPED);
    for (size_t k = 0; k < ITEMS; k++) {
        uint8_t *texel = reference_place(image, c[k]);
        for (size_t j = 0; texel && j < k; j++)
            if (reference_place(image, c[j]) == texel)
                texel = NULL;
        if (!texel)
            c[k][0] = -7; /* outside */
        else if (!third || k % 3 != 1)
            reference_encode(image, in == 'f' || in == 'h' ? f[k] : NULL, u[k], wanted + (texel - mapping));
    }
    if (!run(kernel, &a))
        return;
    for (size_t k = 0; k < ITEMS; k++) {
        uint8_t *texel = reference_place(image, c[k]);
        struct lw_image one = *image, other = *image;
        one.data = texel, other.data = texel ? wanted + (texel - mapping) : NULL;
        one.kind = other.kind = LW_IMAGE_1D, one.width = other.width = 1;
        bool good = true;
        if (!texel)
            continue;
        struct colour r = reference_read(&one, READ, 0, (float[4]){0}),
                      s = reference_read(&other, READ, 0, (float[4]){0});
        for (int n = 0; n < 4; n++)
            good &= llabs(r.i[n] - s.i[n]) <= curved || (isnan(r.f[n]) && isnan(s.f[n]));
        passed += good;
        if (!good) {
            char text[300];
            snprintf(text, sizeof text,
                     "at %g %g %g of %g %g %g %g / %x %x %x %x: %llx %llx %llx %llx, not %llx %llx %llx %llx",
                     c[k][0], c[k][1], c[k][2], f[k][0], f[k][1], f[k][2], f[k][3], u[k][0], u[k][1],
                     u[k][2], u[k][3],
                     (long long)r.i[0], (long long)r.i[1], (long long)r.i[2], (long long)r.i[3],
                     (long long)s.i[0],
                     (long long)s.i[1], (long long)s.i[2], (long long)s.i[3]);
            fail(kernel, text, k);
        }
        memcpy(texel, before + (texel - mapping), image->element_size);
    }
    if (memcmp(before, mapping, MAPPED))
        fail(kernel, "memory was written beside the texels", 0);
}

static void
test_change(const char *kernel, const struct lw_image *image)
{
    static float c[ITEMS][4], values[ITEMS][4];
    static uint8_t before[MAPPED];
    struct arguments a = {0, image, false, 0, c, values};
    fill_coordinates(image, false, true, c);
    for (size_t k = 0; k < ITEMS; k++)
        for (size_t j = 0; j < k; j++)
            if (reference_place(image, c[j]) == reference_place(image, c[k]))
                c[k][0] = -5;
    memcpy(before, mapping, MAPPED);
    if (!run(kernel, &a))
        return;
    for (size_t k = 0; k < ITEMS; k++) {
        uint8_t *texel = reference_place(image, c[k]), wanted[16];
        struct lw_image old = *image;
        if (!texel)
            continue;
        old.data = before + ((uint8_t *)image->data - mapping);
        struct colour r = reference_read(&old, READ, 0, c[k]);
        float changed[4];
        bool good = true;
        for (int n = 0; n < 4; n++) {
            good &= near(values[k][n], r.f[n], r.error[n]);
            changed[n] = 1.0f - values[k][n];
        }
        reference_encode(image, changed, NULL, wanted);
        good &= !memcmp(wanted, texel, image->element_size);
        passed += good;
        if (!good)
            fail(kernel, "read and write of one image", k);
        memcpy(texel, before + (texel - mapping), image->element_size);
    }
    if (memcmp(before, mapping, MAPPED))
        fail(kernel, "memory was written beside the texels", 0);
}

/* ---- the matrix ---- */

static const char *const kinds[] = {"", "1d", "1d_buffer", "1d_array", "2d", "2d_array", "3d"};
static const uint32_t common[][2] = {{5, 2}, {0, 14}, {5, 14}, {2, 3}, {6, 2}, {5, 13}, {10, 2}, {9, 3}};
static const uint32_t integers[][2] = {{5, 10}, {0, 7}, {2, 8}, {5, 11}, {5, 9}, {0, 12}, {1, 10}};

static struct lw_image
some_image(uint32_t kind, const uint32_t format[2])
{
    unsigned s = draw(4);
    return s == 0 ? make_image(kind, format[0], format[1], 1, 1, 1)
           : s == 1 ? make_image(kind, format[0], format[1], 37, 1, 3)
                    : make_image(kind, format[0], format[1], 16 + draw(20), 5 + draw(8), 1 + draw(5));
}

static const char *
named(const char *what, uint32_t kind, char out)
{
    static char name[80];
    snprintf(name, sizeof name, "%s_%s_%c", what, kinds[kind], out);
    return name;
}

/* Every kind with every sampler, or with one in `step` of them. */
static void
test_samplers(unsigned step)
{
    for (uint32_t kind = LW_IMAGE_1D; kind <= LW_IMAGE_3D; kind++) {
        for (uint32_t s = 0; kind != LW_IMAGE_1D_BUFFER && s < 32; s++) {
            uint32_t mode = LW_SAMPLER_ADDRESSING(s);
            if (mode > 4 || (mode >= 3 && !LW_SAMPLER_NORMALIZED(s)) || draw(step))
                continue;
            struct lw_image i;
            if (LW_SAMPLER_LINEAR(s) || draw(2)) {
                i = some_image(kind, common[draw(8)]);
                test_read(named("sample", kind, 'f'), &i, SAMPLE, s, 'f', 0);
            } else {
                i = some_image(kind, integers[draw(7)]);
                test_read(named("sample", kind, 'i'), &i, SAMPLE, s, 'i', 0);
            }
            if (!LW_SAMPLER_NORMALIZED(s) && !LW_SAMPLER_LINEAR(s)) {
                i = some_image(kind, common[draw(8)]);
                test_read(named("fetch", kind, 'f'), &i, FETCH, s, 'f', 0);
                i = some_image(kind, integers[draw(7)]);
                test_read(named("fetch", kind, 'u'), &i, FETCH, s, 'i', 0);
            }
        }
        if (draw(step))
            continue;
        struct lw_image i = some_image(kind, common[draw(8)]);
        test_read(named("read", kind, 'f'), &i, READ, 0, 'f', 0);
        test_write(named("write", kind, 'f'), &i, 'f', 0);
        i = some_image(kind, common[2]);
        test_change(named("change", kind, 'f'), &i);
        i = some_image(kind, integers[draw(7)]);
        test_read(named("read", kind, 'i'), &i, READ, 0, 'i', 0);
        test_write(named("write", kind, i.type < 10 ? 'i' : 'u'), &i, i.type < 10 ? 'i' : 'u', 0);
    }
}

/* Every format in two dimensions, or one in `step`. */
static void
test_formats(unsigned step)
{
    for (uint32_t f = draw(step); f < 20 * 17; f += step) {
        uint32_t format[] = {f % 20, f / 20};
        if (!format_size(format[0], format[1]))
            continue;
        struct lw_image i = make_image(LW_IMAGE_2D, format[0], format[1], 23, 9, 1);
        snprintf(strchr(place, '|'), 40, "| order %u type %u", format[0], format[1]);
        char kind = format[1] >= 10 ? 'u' : 'i';
        if (is_integer(format[1])) {
            test_read("fetch_2d_u", &i, FETCH, 2, 'i', 0);
            test_read("sample_2d_i", &i, SAMPLE, 9, 'i', 0);
            test_write(named("write", LW_IMAGE_2D, kind), &i, kind, 0);
            if (draw(4) == 0)
                test_read("unknown_fetch_2d_u", &i, FETCH, 1, 'i', UNKNOWN);
            if (kind == 'u' && draw(4) == 0)
                test_write("unknown_write_2d_u", &i, 'u', UNKNOWN);
            continue;
        }
        test_read("fetch_2d_f", &i, FETCH, 2, 'f', 0);
        test_read("sample_2d_f", &i, SAMPLE, 8 + 16 + 3, 'f', 0);
        test_write("write_2d_f", &i, 'f', 0);
        if (draw(4) == 0) {
            test_read("half_2d", &i, SAMPLE, 2, 'h', 0);
            test_write("half_write", &i, 'h', 0);
        }
        if (draw(8) == 0)
            test_write("unknown_write_2d_f", &i, 'f', UNKNOWN);
        if (format[0] == 13) {
            test_read("depth_2d", &i, SAMPLE, 18, 'd', 0);
            test_write("depth_write", &i, 'f', 0);
        }
        if (draw(16) == 0) {
            struct lw_image deep = make_image(LW_IMAGE_3D, format[0], format[1], 13, 9, 5);
            test_read("unknown_sample_3d_f", &deep, SAMPLE, (uint32_t[]){1, 26, 27, 9, 18, 12}[draw(6)], 'f',
                      UNKNOWN);
        }
    }
    strchr(place, '|')[1] = 0;
}

/* ---- flow, rows, questions ---- */

static void
test_divergent(void)
{
    static float c[ITEMS][4], values[ITEMS][4];
    struct lw_image i = some_image(LW_IMAGE_2D, common[draw(5)]);
    struct arguments a = {0, &i, false, 0, c, values};
    fill_coordinates(&i, false, true, c);
    if (!run("divergent_2d", &a))
        return;
    for (size_t k = 0; k < ITEMS; k++) {
        double sum[4] = {0};
        size_t times = k % 3 == 0 ? 1 : k % 5 == 0 ? k % 7 : k % 4 != 0;
        for (size_t t = 0; t < times; t++) {
            bool inner = k % 3 && k % 5 == 0;
            float at[4] = {c[k][0] + (float)t, c[k][1] + (float)t};
            struct colour r = reference_read(&i, SAMPLE, inner ? 1 : 2, at);
            for (int n = 0; n < 4; n++)
                sum[n] += r.f[n];
        }
        bool good = true;
        for (int n = 0; n < 4; n++)
            good &= near(values[k][n], sum[n], 1e-5);
        passed += good;
        if (!good)
            fail("divergent_2d", "sums of texels", k);
    }
    i = some_image(LW_IMAGE_2D, common[draw(5)]);
    test_write("divergent_write", &i, 'f', 0);
}

/* `kernel` is of sums along rows: rows, whole_floats. */
static void
test_rows(const char *kernel)
{
    static float result[64][131][4];
    static const uint32_t formats[][2] = {{5, 2}, {0, 2}, {5, 14}, {0, 14}, {6, 3}, {5, 13}, {0, 13}};
    const uint32_t *format = formats[draw(7)];
    uint32_t w = 60 + draw(71), h = 1 + draw(20);
    struct lw_image i = make_image(LW_IMAGE_2D, format[0], format[1], w, h, 1), o = i;
    lw_error error = {0};
    lw_ndrange range = {.dimensions = 2, .global = {w + draw(3), h + draw(3)}, .local = {16, 1 + draw(3)}};
    o.data = result, o.order = 5, o.type = 14, o.element_size = 16, o.row_pitch = sizeof result[0];
    memset(result, 0xff, sizeof result);
    lw_kernel *k = lw_kernel_create(now.program, kernel, &error);
    bool good = k && lw_kernel_set_sub_group_size(k, now.n,
                                                  &error) && lw_kernel_set_arg_image(k, 0, &i, &error) &&
                lw_kernel_set_arg_image(k, 1, &o, &error) && lw_kernel_run(k, &range, &error);
    lw_kernel_release(k);
    if (!good)
        fail(kernel, error.text, 0);
    for (uint32_t y = 0; good && y < h; y++) {
        for (uint32_t x = 0; x < w; x++) {
            double sum[4] = {0};
            for (int d = -2; d <= 2; d++) {
                struct colour a = reference_read(&i, FETCH, 1,
                                                 (float[4]){(float)x + (float)d, (float)y - (float)d}),
                              b = reference_read(&i, FETCH, 2,
                                                 (float[4]){(float)x - (float)d, (float)y + (float)d});
                for (int n = 0; n < 4; n++)
                    sum[n] += a.f[n] + 2 * b.f[n];
            }
            bool fine = true;
            for (int n = 0; n < 4; n++)
                fine &= near(result[y][x][n], sum[n] / 15, 1e-5);
            passed += fine;
            if (!fine)
                fail(kernel, "a sum of neighbours", y * 1000 + x);
        }
    }
}

/* `rows` of `bytes` each of what sub-groups read and write in one piece. */
static void
test_blocks(const char *kernel, uint32_t bytes, uint32_t rows)
{
    enum { WIDE = 128, HIGH = 3 };
    static uint8_t out[WIDE * HIGH * 16], before[MAPPED], wanted[MAPPED];
    struct lw_image i = make_image(LW_IMAGE_2D, 5, 2, 40 + draw(40), 8, 1), from = i;
    lw_error error = {0};
    int dx = (int)draw(9) - 4;
    int64_t length = (int64_t)i.width * 4 / bytes;
    lw_ndrange range = {.dimensions = 2, .global = {WIDE, HIGH}, .local = {64, 1}};
    memcpy(before, mapping, MAPPED);
    memcpy(wanted, mapping, MAPPED);
    from.data = before + ((uint8_t *)i.data - mapping);
    lw_kernel *k = lw_kernel_create(now.program, kernel, &error);
    bool good = k && lw_kernel_set_sub_group_size(k, now.n,
                                                  &error) && lw_kernel_set_arg_image(k, 0, &from, &error) &&
                lw_kernel_set_arg_image(k, 1, &i, &error) &&
                lw_kernel_set_arg_pointer(k, 2, out, sizeof out,
                                          &error) && lw_kernel_set_arg(k, 3, &dx, 4, &error) &&
                lw_kernel_run(k, &range, &error);
    lw_kernel_release(k);
    if (!good)
        fail(kernel, error.text, 0);
    for (int64_t n = 0; good && n < WIDE * HIGH * rows; n++) {
        int64_t item = n / rows, x = item % WIDE + dx, y = item / WIDE * rows + n % rows;
        int64_t cx = x < 0 ? 0 : x < length ? x : length - 1, cy = y < i.height ? y : i.height - 1;
        uint64_t at = (uint64_t)((uint8_t *)i.data - mapping) + (uint64_t)cy * i.row_pitch + (uint64_t)cx *
        bytes;
        uint32_t value = 0;
        memcpy(&value, before + at, bytes);
        if (memcmp(out + n * bytes, &value, bytes))
            fail(kernel, "what a block holds", (size_t)n);
        value++;
        if (x == cx && y == cy)
            memcpy(wanted + at, &value, bytes);
        passed++;
    }
    if (good && memcmp(wanted, mapping, MAPPED))
        fail(kernel, "what a block became", 0);
}

static void
test_questions(void)
{
    struct lw_image images[6];
    int32_t answers[17] = {0};
    lw_error error = {0};
    lw_ndrange range = {.dimensions = 1, .global = {1}, .local = {1}};
    for (uint32_t k = 0; k < 6; k++)
        images[k] = make_image(k + 1, 6, 2, 20 + k, 30 + k, 5 + k);
    int32_t wanted[17] = {20, 21, 22, 7, 23, 33, 33, 24, 34, 9, 25, 35, 10, 0, 10, 0x10B6, 0x10D2};
    lw_kernel *k = lw_kernel_create(now.program, "ask", &error);
    bool good = k != NULL;
    for (uint32_t n = 0; n < 6; n++)
        good = good && lw_kernel_set_arg_image(k, n, &images[n], &error);
    good = good && lw_kernel_set_arg_pointer(k, 6, answers, sizeof answers, &error) &&
           lw_kernel_run(k, &range, &error);
    lw_kernel_release(k);
    if (!good)
        fail("ask", error.text, 0);
    for (size_t n = 0; good && n < 17; n++) {
        passed += answers[n] == wanted[n];
        if (answers[n] != wanted[n])
            fail("ask", "an answer", n);
    }
}

/* One in `step` of the cases. */
static void
test_all(unsigned step, const char *blocks)
{
    lw_error error = {0};
    test_samplers(step);
    test_formats(step == 1 ? 2 : 2 * step + 1);
    for (int k = 0; k < 5; k += step < 8 ? 2 : 4) {
        test_divergent();
        now.n = sizes[k];
        test_rows("rows");
        test_rows("whole_floats");
    }
    test_questions();
    lw_program_release(now.program);
    now.program = lw_program_load_file(now.device, blocks, &error);
    if (!now.program)
        fail("blocks", error.text, 0);
    for (int s = 0; now.program && s < 5; s++) {
        now.n = sizes[s];
        test_blocks("blocks_i", 4, 1);
        test_blocks("blocks_i2", 4, 2);
        test_blocks("blocks_s4", 2, 4);
    }
}

int
main(int count, char **arguments)
{
    static const char *const modules[] = {"images.spv", "images15.spv", "images0.spv"},
                             *const tiers[] = {"specialised", "masked", "first"};
    const char *folder = count > 1 ? arguments[1] : ".";
    unsigned seed = count > 2 ? (unsigned)strtoul(arguments[2], NULL, 0) : 0;
    draws += seed;
    setvbuf(stdout, NULL, _IOLBF, 0);
    mapping = mmap(NULL, MAPPED + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED || mprotect(mapping + MAPPED, 4096, PROT_NONE))
        return 1;
    for (int isa = LW_ISA_SSE42; isa <= LW_ISA_AVX512; isa++) {
        for (unsigned t = 0; t < 3; t++) {
            lw_error error = {0};
            char path[1000], blocks[1000];
            unsigned m = ((unsigned)isa + t + seed) % 3;
            setenv("LANEWISE_TIER", tiers[t], 1);
            now.device = lw_device_create(&(lw_device_options){.isa = (lw_isa)isa, .cache_entries = 8},
                                          &error);
            if (!now.device) {
                printf("not run: %s: %s\n", lw_isa_name((lw_isa)isa), error.text);
                continue;
            }
            snprintf(path, sizeof path, "%s/%s", folder, modules[m]);
            snprintf(blocks, sizeof blocks, "%s/blocks.spv", folder);
            snprintf(place, sizeof place, "%s %s %s |", lw_isa_name((lw_isa)isa), tiers[t], modules[m]);
            now.program = lw_program_load_file(now.device, path, &error);
            if (!now.program) {
                fail("", error.text, 0);
                continue;
            }
            test_all(count > 2 || (isa == LW_ISA_AVX2 && t == 0) ? 1 : t == 0 ? 5 : 12, blocks);
            printf("%s done: %llu passed, %u failed\n", place, passed, failed);
            lw_program_release(now.program);
            lw_device_release(now.device);
        }
    }
    printf("%llu passed, %u failed\n", passed, failed);
    return failed || !passed;
}

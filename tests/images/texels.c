/* SPDX-License-Identifier: MIT */
/* Texels read, written, and both, each by itself: every one as reference.c says, and nothing beside them. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void
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
void
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

void
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

/* SPDX-License-Identifier: MIT */
/* See support.h. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

unsigned long long passed;
unsigned failed, draws = 12345;
char place[300];

const uint32_t sizes[5] = {16, 4, 64, 8, 32};
const uint32_t common[8][2] = {{5, 2}, {0, 14}, {5, 14}, {2, 3}, {6, 2}, {5, 13}, {10, 2}, {9, 3}};
const uint32_t integers[7][2] = {{5, 10}, {0, 7}, {2, 8}, {5, 11}, {5, 9}, {0, 12}, {1, 10}};
struct setting now;
uint8_t *mapping;

void
fail(const char *kernel, const char *what, size_t item)
{
    if (failed++ < 20)
        printf("FAILED %s N %u %s, item %zu: %s\n", place, now.n, kernel, item, what);
}

unsigned
draw(unsigned count)
{
    draws = draws * 1664525u + 1013904223u;
    return (draws >> 8) % count;
}

/* ---- images ---- */

bool
map_images(void)
{
    mapping = mmap(NULL, MAPPED + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return mapping != MAP_FAILED && !mprotect(mapping + MAPPED, 4096, PROT_NONE);
}

struct lw_image
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

struct lw_image
some_image(uint32_t kind, const uint32_t format[2])
{
    unsigned s = draw(4);
    return s == 0 ? make_image(kind, format[0], format[1], 1, 1, 1)
           : s == 1 ? make_image(kind, format[0], format[1], 37, 1, 3)
                    : make_image(kind, format[0], format[1], 16 + draw(20), 5 + draw(8), 1 + draw(5));
}

void
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

bool
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

bool
near(double got, double wanted, double error)
{
    return (isnan(got) && isnan(wanted)) || fabs(got - wanted) <= error || got == wanted;
}

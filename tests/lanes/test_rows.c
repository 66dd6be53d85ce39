/* SPDX-License-Identifier: MIT */
/* Runs the kernels of rows.def at every instruction set and sub-group size, between pages that may not be
 * touched, and compares every byte with the same statements run one item after the other.
 *
 *     test_rows MODULE.spv [KERNEL]
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../local_sizes.h"
#include "driver.h"

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;

static uint column; /* of what runs */

#define LANE lane
#define COLUMN column
#define ROW(name, in, out, in_count, out_count, statement)                                                   \
    static void name##_run(const void *from, void *to, size_t w, size_t h, size_t x, size_t y, uint lane)    \
    {                                                                                                        \
        const in *a = from;                                                                                  \
        out *b = to;                                                                                         \
        (void)w, (void)h, (void)lane;                                                                        \
        statement;                                                                                           \
    }                                                                                                        \
    static void name##_sizes(size_t w, size_t h, size_t *in_bytes, size_t *out_bytes)                        \
    {                                                                                                        \
        *in_bytes = (in_count) * sizeof(in);                                                                 \
        *out_bytes = (out_count) * sizeof(out);                                                              \
        (void)w;                                                                                             \
    }
#include "rows.def"
#undef ROW

static const struct form {
    const char *name, *text;
    void (*run)(const void *a, void *b, size_t w, size_t h, size_t x, size_t y, uint lane);
    void (*sizes)(size_t w, size_t h, size_t *in, size_t *out);
} forms[] = {
#define ROW(name, in, out, in_count, out_count, statement) {#name, #statement, name##_run, name##_sizes},
#include "rows.def"
};

static const struct range {
    size_t w, h, global[2], local[2]; /* global > w, h: the guarded kernel */
} ranges[] = {{40, 16, {40, 16}, {8, 8}},  {20, 32, {20, 32}, {4, 16}}, {24, 18, {24, 18}, {8, 3}},
              {36, 12, {36, 12}, {4, 6}},  {32, 8, {32, 8}, {16, 4}},   {37, 21, {40, 24}, {8, 8}},
              {30, 19, {32, 21}, {16, 3}}, {21, 10, {21, 10}, {8, 4}},  {12, 64, {12, 64}, {2, 32}},
#define FLAT(X, Y, LX, LY) {X, Y, {X, Y}, {LX, LY}},
#define BLOCK(DIMENSIONS, X, Y, Z, LX, LY, LZ, OX, OY) FLAT(X, Y, LX, LY)
              BLOCKS_OF_PEOPLE(BLOCK)};

/* Lanes are linear over the work-group; those at the range's end are smaller. */
static uint
lane_of(const struct range *r, size_t x, size_t y, unsigned size)
{
    size_t left = r->global[0] - x / r->local[0] * r->local[0], row = left < r->local[0] ? left : r->local[0];
    return (uint)((y % r->local[1] * row + x % r->local[0]) % (size ? size : 64));
}

static bool
wants_lane(const struct form *form)
{
    return strstr(form->text, "LANE") != NULL;
}

/* Those that read by columns of a work-group have memory for so many. */
#define MOST_COLUMNS 16

static bool
has_memory(const struct form *form, const struct range *range)
{
    return range->local[0] <= MOST_COLUMNS || !strstr(form->text, "COLUMN");
}

struct areas {
    unsigned char *in, *out, *want;
};

static bool
run_one(const struct attempt *attempt)
{
    const struct form *form = &forms[attempt->form];
    const struct range *range = &ranges[attempt->range];
    const struct areas *areas = attempt->data;
    size_t in_bytes, out_bytes;
    char name[80];
    lw_error error = {0};
    bool guarded = range->global[0] > range->w;
    uint64_t w = range->w, h = range->h;

    form->sizes(w, h, &in_bytes, &out_bytes);
    unsigned char *in = lanes_fenced(areas->in, in_bytes), *out = lanes_fenced(areas->out, out_bytes);
    unsigned char *want = lanes_fenced(areas->want, out_bytes);
    snprintf(name, sizeof name, "%s%s", form->name, guarded ? "_guarded" : "");
    lanes_fill(in, in_bytes);
    lanes_fill(want, out_bytes);
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++) {
            column = (uint)(x % range->local[0]);
            form->run(in, want, w, h, x, y, lane_of(range, x, y, attempt->size));
        }
    lw_kernel *kernel = lanes_kernel(attempt, name, &error);
    lw_ndrange r = {.dimensions = 2,
                    .global = {range->global[0], range->global[1]},
                    .local = {range->local[0], range->local[1]}};
    bool ok = kernel && lw_kernel_set_arg_pointer(kernel, 0, in, in_bytes, &error) &&
              lw_kernel_set_arg_pointer(kernel, 1, out, out_bytes, &error) &&
              lw_kernel_set_arg(kernel, 2, &w, sizeof w, &error) &&
              lw_kernel_set_arg(kernel, 3, &h, sizeof h, &error);
    bool same = true;
    for (int pass = 0; ok && same && pass < 3; pass++) {
        lanes_fill(out, out_bytes);
        ok = lw_kernel_run(kernel, &r, &error);
        same = ok && !memcmp(want, out, out_bytes);
    }
    if (!ok || !same) {
        size_t at = 0;
        while (ok && at < out_bytes && want[at] == out[at])
            at++;
        lanes_failed(attempt, name);
        printf("global %zu x %zu, local %zu x %zu: byte %zu differs %s\n", range->global[0], range->global[1],
               range->local[0], range->local[1], at, ok ? "" : error.text);
    }
    lw_kernel_release(kernel);
    return ok && same;
}

static bool
wants(const struct attempt *attempt, size_t turn)
{
    const struct form *form = &forms[attempt->form];
    return turn % 2 == 0 && (attempt->size || !wants_lane(form)) && has_memory(form, &ranges[attempt->range]);
}

int
main(int argc, char **argv)
{
    struct areas areas = {lanes_area(), lanes_area(), lanes_area()};
    struct driver driver = {.forms = forms,
                            .form_size = sizeof *forms,
                            .form_count = sizeof forms / sizeof *forms,
                            .range_count = sizeof ranges / sizeof *ranges,
                            .most_threads = 1,
                            .wants = wants,
                            .run = run_one,
                            .data = &areas};
    return lanes_main(argc, argv, &driver);
}

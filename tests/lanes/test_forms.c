/* SPDX-License-Identifier: MIT */
/* Runs the kernels of forms.def at every instruction set and sub-group size, between pages that may not be
 * touched, and compares every byte with the same statements run one item after the other.
 *
 *     test_forms MODULE.spv [KERNEL | --every N]
 *
 * --every N: each kernel at each size gets every N-th of the ranges (3), from another on than its neighbours.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../local_sizes.h"
#include "driver.h"

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef struct {
    uchar x, y;
} uchar2;
typedef struct {
    uchar x, y, z, w;
} uchar4;
typedef struct {
    short x, y;
} short2;
typedef struct {
    short x, y, z, w;
} short4;
typedef struct {
    int x, y;
} int2;

static const uint shuffled[16] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};

#define global_memory
#define no_peeling
#define FORM(name, in, out, in_count, out_count, statement)                                                  \
    static void name##_run(const void *from, void *to, size_t n)                                             \
    {                                                                                                        \
        const in *a = from;                                                                                  \
        out *b = to;                                                                                         \
        for (size_t i = 0; i < n; i++) {                                                                     \
            statement;                                                                                       \
        }                                                                                                    \
    }                                                                                                        \
    static void name##_sizes(size_t n, size_t *in_bytes, size_t *out_bytes)                                  \
    {                                                                                                        \
        *in_bytes = (in_count) * sizeof(in);                                                                 \
        *out_bytes = (out_count) * sizeof(out);                                                              \
        (void)n;                                                                                             \
    }
#include "forms.def"
#undef FORM

static const struct form {
    const char *name;
    void (*run)(const void *a, void *b, size_t n);
    void (*sizes)(size_t n, size_t *in, size_t *out);
} forms[] = {
#define FORM(name, in, out, in_count, out_count, statement) {#name, name##_run, name##_sizes},
#include "forms.def"
};

static const struct range {
    size_t n, global, local; /* global > n: the guarded kernel */
} ranges[] = {{256, 256, 64}, {250, 256, 64}, {120, 120, 60}, {67, 67, 67}, {60, 75, 25}, {37, 37, 1},
#define LINE(GLOBAL, LOCAL, OFFSET) {GLOBAL, GLOBAL, LOCAL},
              LINES_OF_PEOPLE(LINE)};
enum { FEW = 6 };

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
    bool guarded = range->global > range->n;
    uint n = (uint)range->n;

    form->sizes(range->n, &in_bytes, &out_bytes);
    unsigned char *in = lanes_fenced(areas->in, in_bytes), *out = lanes_fenced(areas->out, out_bytes);
    unsigned char *want = lanes_fenced(areas->want, out_bytes);
    snprintf(name, sizeof name, "%s%s", form->name, guarded ? "_guarded" : "");
    lanes_fill(in, in_bytes);
    lanes_fill(want, out_bytes);
    form->run(in, want, range->n);
    lw_kernel *kernel = lanes_kernel(attempt, name, &error);
    lw_ndrange r = {.dimensions = 1, .global = {range->global}, .local = {range->local}};
    bool ok = kernel && lw_kernel_set_arg_pointer(kernel, 0, in, in_bytes, &error) &&
              lw_kernel_set_arg_pointer(kernel, 1, out, out_bytes, &error) &&
              lw_kernel_set_arg(kernel, 2, &n, sizeof n, &error);
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
        printf("global %zu, local %zu: byte %zu differs %s\n", range->global, range->local, at,
               ok ? "" : error.text);
    }
    lw_kernel_release(kernel);
    return ok && same;
}

static size_t every = 3;

static bool
wants(const struct attempt *attempt, size_t turn)
{
    /* loop_high's and others' numbers are for short ranges. */
    return turn % (attempt->range < FEW ? every : 24 * every + 1) == 0 && ranges[attempt->range].n <= 2048;
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
    if (argc == 4 && !strcmp(argv[2], "--every") && atoi(argv[3]) > 0) {
        every = (size_t)atoi(argv[3]);
        argc = 2;
    }
    return lanes_main(argc, argv, &driver);
}

/* SPDX-License-Identifier: MIT */
/* Runs the kernels of atomics.cl at every instruction set, sub-group size and several local sizes: with one
 * thread, where the answers are those of work-items that come one after the other, and with four, where sums
 * and what was kept stay the same.
 *
 *     test_atomics MODULE.spv [KERNEL]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../local_sizes.h"
#include "driver.h"

#define LOCAL(GLOBAL, SIZE, OFFSET) SIZE,

enum { MOST = MOST_ITEMS_OF_PEOPLE, COUNTERS = 8 };

static const size_t locals[] = {16, 32, LINES_OF_PEOPLE(LOCAL)};

struct run {
    const int *a;
    int *b;
    unsigned *c;
    int items, local, lanes;
};

static void
want_compact(struct run *r)
{
    for (int i = 0; i < r->items; i++)
        if (r->a[i] > 0)
            r->b[r->c[0]++] = r->a[i];
}

static void
want_compact_bytes(struct run *r)
{
    for (int i = 0; i < r->items; i++)
        if (r->a[i] > 0)
            ((unsigned char *)r->b)[r->c[0]++] = (unsigned char)r->a[i];
}

static void
want_compact_shorts(struct run *r)
{
    for (int i = 0; i < r->items; i++)
        if (r->a[i] & 1)
            ((short *)r->b)[r->c[0]++] = (short)(3 * r->a[i]);
}

static void
want_filter(struct run *r)
{
    for (int i = 0; i < r->items; i++)
        if (r->a[i] > 350)
            r->b[r->c[0]++] = r->a[i];
}

static void
want_tickets(struct run *r)
{
    for (int i = 0; i < r->items; i++)
        r->b[i] = (int)r->c[0]++ * 2 + r->a[i];
}

static void
want_some_tickets(struct run *r)
{
    for (int i = 0; i < r->items; i++) {
        r->b[i] = r->a[i] % 3 == 0 ? (int)r->c[0] : -1;
        r->c[0] += r->a[i] % 3 == 0 ? (unsigned)r->a[i] & 7 : 0;
    }
}

static void
want_returned(struct run *r)
{
    for (int i = 0; i < r->items; i++) {
        if (r->a[i] < -300)
            continue;
        r->b[i] = (int)r->c[0];
        r->c[0] -= 3;
    }
}

static void
want_two(struct run *r)
{
    for (int i = 0; i < r->items; i++) {
        unsigned x = r->c[1], mine = (unsigned)r->a[i] & 1023;
        r->b[i] = (int)(x ^ r->c[3] * 3);
        r->c[1] = x > mine ? x : mine;
        r->c[3] ^= (unsigned)r->a[i];
    }
}

static void
want_by_group(struct run *r)
{
    for (int i = 0; i < r->items; i++) {
        int g = i / r->local & 3;
        r->b[i] = (i & 31) < 20 ? (int)r->c[g] : g;
        r->c[g] |= (i & 31) < 20 ? 1u << (r->a[i] & 31) : 0;
    }
}

static void
want_sums(struct run *r)
{
    for (int i = 0; i < r->items; i++) {
        int x = r->a[i], all = 1, first = i / r->local * r->local, low = (int)r->c[1];
        int begin = first + (i - first) / r->lanes * r->lanes;
        int end = begin + r->lanes < first + r->local ? begin + r->lanes : first + r->local;
        for (int k = begin; k < end; k++)
            all &= r->a[k] > -490;
        r->c[0] += (unsigned)x;
        r->c[1] = x > 0 && -x < low ? (unsigned)-x : r->c[1];
        r->c[2] += (unsigned)all;
        r->c[3] &= ~(1u << (x & 31));
        r->c[4] -= 5;
        r->b[i] = x;
    }
}

static void
want_nobody(struct run *r)
{
    for (int i = 0; i < r->items; i++)
        r->b[i] = 7 + r->a[i];
}

static void
want_barriers(struct run *r)
{
    for (int i = 0; i < r->items; i++) {
        int first = i / r->local * r->local;
        unsigned seen = 0;
        for (int k = first; k < first + r->local; k++)
            seen += (r->a[k] & 7) == ((r->a[i] + 1) & 7);
        r->b[i] = (int)((r->c[0] + (unsigned)first) * 5 + r->c[1] + (unsigned)i + seen);
    }
    r->c[0] += (unsigned)r->items;
    r->c[1] += (unsigned)r->items;
}

static void
want_extremes(struct run *r)
{
    for (int i = 0; i < r->items; i++) {
        int x = r->a[i], group = 4 + (x & 3), top = x & 1023, before = (int)r->c[group];
        unsigned was = 0x55555555;
        int low = (unsigned)x < was ? x : (int)was, most = low > 100 ? low : 100;
        r->c[group] = (unsigned)(before > x ? before : x);
        if (x & 4)
            r->c[1] = (int)r->c[1] > top ? r->c[1] : (unsigned)top;
        r->b[i] = (most < 7 ? most : 7) + ((int)(was * 3) ^ low * 5 ^ most * 7);
    }
}

static const struct form {
    const char *name;
    void (*want)(struct run *r);
    enum { EXACT, SORTED, COUNTERS_ONLY } threaded; /* what four threads must agree in */
} forms[] = {
    {"compact", want_compact, SORTED},
    {"compact_bytes", want_compact_bytes, COUNTERS_ONLY},
    {"compact_shorts", want_compact_shorts, COUNTERS_ONLY},
    {"filter", want_filter, SORTED},
    {"tickets", want_tickets, COUNTERS_ONLY},
    {"some_tickets", want_some_tickets, COUNTERS_ONLY},
    {"returned", want_returned, COUNTERS_ONLY},
    {"two", want_two, COUNTERS_ONLY},
    {"by_group", want_by_group, COUNTERS_ONLY},
    {"sums", want_sums, EXACT},
    {"nobody", want_nobody, EXACT},
    {"barriers", want_barriers, COUNTERS_ONLY},
    {"extremes", want_extremes, EXACT},
};

static int
compare(const void *x, const void *y)
{
    int a = *(const int *)x, b = *(const int *)y;
    return a < b ? -1 : a > b;
}

static void
start(struct run *r)
{
    memset(r->b, 0x55, MOST * sizeof *r->b);
    for (unsigned k = 0; k < COUNTERS; k++)
        r->c[k] = k * 40;
    r->c[0] = 0;
    r->c[3] = 0xfffffff0u;
}

static bool
is_right(const struct form *form, const struct run *want, struct run *got, unsigned threads)
{
    if (memcmp(want->c, got->c, COUNTERS * sizeof *got->c))
        return false;
    if (threads > 1 && form->threaded == COUNTERS_ONLY)
        return true;
    if (threads > 1 && form->threaded == SORTED) {
        qsort(got->b, MOST, sizeof *got->b, compare);
        qsort(want->b, MOST, sizeof *want->b, compare);
    }
    return !memcmp(want->b, got->b, MOST * sizeof *got->b);
}

static bool
run_one(const struct attempt *attempt)
{
    static int a[MOST], b[2][MOST];
    static unsigned c[2][COUNTERS];
    const struct form *form = &forms[attempt->form];
    lw_error error = {0};
    size_t local = locals[attempt->range];
    /* Many of some: kernels that cannot tell are run in larger work-groups, with a remainder. */
    size_t groups = local >= 16 && local < 64 ? 4800 / local : local > MOST / 5 ? MOST / local : 5;
    size_t global = groups * local;

    lanes_fill_ints(a, global, -500);
    lw_kernel *kernel = lanes_kernel(attempt, form->name, &error);
    lw_ndrange range = {.dimensions = 1, .global = {global}, .local = {local}};
    bool ok = kernel && lw_kernel_set_arg_pointer(kernel, 0, a, sizeof a, &error) &&
              lw_kernel_set_arg_pointer(kernel, 1, b[1], sizeof b[1], &error) &&
              lw_kernel_set_arg_pointer(kernel, 2, c[1], sizeof c[1], &error);
    unsigned lanes = ok ? lw_kernel_sub_group_size(kernel) : 1;
    struct run want = {a, b[0], c[0], (int)global, (int)local, (int)lanes}, got = {a, b[1], c[1], 0, 0, 0};
    bool same = true;
    start(&want);
    if (ok)
        form->want(&want);
    for (int pass = 0; ok && same && pass < 12; pass++) { /* until it is hot */
        start(&got);
        ok = lw_kernel_run(kernel, &range, &error);
        same = ok && is_right(form, &want, &got, attempt->threads);
    }
    if (!ok || !same) {
        lanes_failed(attempt, form->name);
        printf("%zu groups of %zu %s\n", groups, local, ok ? "" : error.text);
    }
    lw_kernel_release(kernel);
    return ok && same;
}

static bool
wants(const struct attempt *attempt, size_t turn)
{
    return turn % 4 == (attempt->threads > 1);
}

int
main(int argc, char **argv)
{
    struct driver driver = {.forms = forms,
                            .form_size = sizeof *forms,
                            .form_count = sizeof forms / sizeof *forms,
                            .range_count = sizeof locals / sizeof *locals,
                            .most_threads = 4,
                            .wants = wants,
                            .run = run_one};
    return lanes_main(argc, argv, &driver);
}

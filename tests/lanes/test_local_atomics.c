/* SPDX-License-Identifier: MIT */
/* Runs the kernels of local_atomics.cl at every instruction set, sub-group size and local sizes as people use
 * them, and looks at what does not depend on the order of the work-items.
 *
 *     test_local_atomics MODULE.spv [KERNEL]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../local_sizes.h"
#include "driver.h"

enum { MOST = 1 << 14 };

static const lw_ndrange ranges[] = {
#define LINE(GLOBAL, LOCAL, OFFSET) {1, {GLOBAL}, {LOCAL}, {OFFSET}},
#define BLOCK(D, GX, GY, GZ, LX, LY, LZ, OX, OY) {D, {GX, GY, GZ}, {LX, LY, LZ}, {OX, OY}},
    LINES_OF_PEOPLE(LINE) BLOCKS_OF_PEOPLE(BLOCK)
};

/* What kernels leave: of the type that their name ends with, or longs. */
static long
element(const char *kernel, const void *memory, size_t k)
{
    const char *type = strrchr(kernel, '_');

    if (type && !strcmp(type, "_int"))
        return ((const int *)memory)[k];
    if (type && !strcmp(type, "_float"))
        return (long)((const float *)memory)[k];
    return ((const long *)memory)[k];
}

/* A work-group: what its work-items were given, what they left. */
struct group {
    const int *a;
    long *b, *c;
    int items;
};

enum operation { ADD, SUB, OR, AND, XOR, MIN, MAX };

static long
apply(enum operation op, long x, long y)
{
    switch (op) {
    case ADD:
        return x + y;
    case SUB:
        return x - y;
    case OR:
        return x | 1 << (y & 15);
    case AND:
        return x & ~(1 << (y & 15));
    case XOR:
        return x ^ y;
    case MIN:
        return x < y ? x : y;
    default:
        return x > y ? x : y;
    }
}

static bool
all_are(const struct group *g, long value)
{
    for (int l = 0; l < g->items; l++)
        if (g->b[l] != value)
            return false;
    return true;
}

static bool
sums(const struct group *g, enum operation op, long first, bool ones)
{
    for (int l = 0; l < g->items; l++)
        first = apply(op, first, ones ? 1 : g->a[l]);
    return all_are(g, first);
}

static int
compare(const void *x, const void *y)
{
    long a = *(const long *)x, b = *(const long *)y;
    return a < b ? -1 : a > b;
}

static bool
is_sequence(long *values, int count, long first)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    for (int k = 0; k < count; k++)
        if (values[k] != first + k)
            return false;
    return true;
}

static bool
tickets(const struct group *g, int step)
{
    return *g->c == 100 + step * g->items && is_sequence(g->b, g->items, step > 0 ? 100 : 101 - g->items);
}

/* Everyone's own number but the last one's, and what was there before. */
static bool
swaps(const struct group *g)
{
    static long seen[MOST];

    memcpy(seen, g->b, (size_t)g->items * sizeof *seen);
    seen[g->items] = *g->c;
    return is_sequence(seen, g->items + 1, -1);
}

static bool
histogram(const struct group *g)
{
    long v[16] = {0}, w[16] = {0};

    for (int l = 0; l < g->items; l++)
        for (int k = 0; k < 3; k++) {
            int x = g->a[l] >> k & 15;
            v[x]++;
            w[x]++;
            w[15 - x] += 2;
        }
    for (int l = 0; l < g->items; l++)
        if (g->b[l] != v[g->a[l] & 15] * 4096 + w[g->a[l] & 15])
            return false;
    return true;
}

static bool
list(const struct group *g)
{
    static long want[MOST];
    int count = 0;

    for (int l = 0; l < g->items; l++)
        if (g->a[l] & 1)
            want[count++] = g->a[l];
    for (int l = count; l < g->items; l++)
        want[l] = 100000;
    qsort(want, (size_t)g->items, sizeof *want, compare);
    qsort(g->b, (size_t)g->items, sizeof *want, compare);
    return !memcmp(want, g->b, (size_t)g->items * sizeof *want);
}

static bool
rounds(const struct group *g)
{
    long sum = 0;

    for (int l = 0; l < g->items; l++) {
        int n = g->a[l] & 7;
        sum += n * (n + 1) / 2;
    }
    return all_are(g, sum);
}

static bool
turns(const struct group *g)
{
    static int w[MOST];
    unsigned v = 5;

    for (int l = 0; l < g->items; l++)
        w[l] = g->a[l];
    for (int k = 0; k < 4; k++) {
        v = k < g->items ? v * 3 + (unsigned)w[(k + 1) % g->items] : v;
        for (int l = 0; l < g->items; l++)
            w[l] = (int)((unsigned)w[l] + v);
        for (int l = 0; l < g->items; l++)
            w[l] ^= k;
    }
    for (int l = 0; l < g->items; l++)
        if (g->b[l] != w[l] + (long)(int)v * 65536)
            return false;
    return true;
}

static bool
count(const struct group *g)
{
    return all_are(g, g->items);
}

static bool
order(const struct group *g)
{
    return is_sequence(g->b, g->items, 100);
}

static bool
exchange_add(const struct group *g)
{
    return sums(g, ADD, 7, false);
}

static const struct form {
    const char *name;
    bool (*check)(const struct group *g); /* NULL: by name */
} forms[] = {
#define OPERATIONS(T)                                                                                        \
    {"sum_add_" #T, NULL}, {"sum_sub_" #T, NULL}, {"sum_or_" #T, NULL}, {"sum_and_" #T, NULL},               \
        {"sum_xor_" #T, NULL}, {"sum_min_" #T, NULL}, {"sum_max_" #T, NULL}, {"volatile_add_" #T, NULL},     \
        {"global_add_" #T, NULL}, {"global_max_" #T, NULL}, {"ticket_add_" #T, NULL},                        \
        {"ticket_sub_" #T, NULL}, {"ticket_volatile_" #T, NULL}, {"ticket_global_" #T, NULL},                \
        {"swap_" #T, swaps}, {"swap_global_" #T, swaps}
    OPERATIONS(int),
    OPERATIONS(long),
#define ONE(T) {"one_add_" #T, NULL}, {"one_sub_" #T, NULL}, {"one_xor_" #T, NULL},                          \
    {"one_volatile_add_" #T, NULL}
    ONE(int),
    ONE(long),
    {"sum_add_float", NULL},
    {"sum_min_float", NULL},
    {"sum_max_float", NULL},
    {"ticket_float", NULL},
    {"swap_float", swaps},
    {"plain_count_int", count},
    {"plain_order_int", order},
    {"exchange_add", exchange_add},
    {"histogram", histogram},
    {"list", list},
    {"rounds", rounds},
    {"turns", turns},
};

static bool
check(const struct form *form, const struct group *g)
{
    static const char *const names[] = {"_add_", "_sub_", "_or_", "_and_", "_xor_", "_min_", "_max_"};
    static const long firsts[] = {7, 7, 1, 0xffff, 5, 300, -300};

    if (form->check)
        return form->check(g);
    if (!strncmp(form->name, "ticket", 6))
        return tickets(g, strstr(form->name, "_sub_") ? -1 : 1);
    for (unsigned op = 0; op < sizeof names / sizeof *names; op++)
        if (strstr(form->name, names[op]))
            return sums(g, (enum operation)op, firsts[op], !strncmp(form->name, "one", 3));
    return false;
}

/* By work-groups, those at an end with what is left of it. */
static bool
check_all(const struct form *form, const lw_ndrange *range, const int *a, const void *b, long *c, size_t full)
{
    static long left[MOST];
    size_t groups[3] = {1, 1, 1}, number = 0;

    for (unsigned d = 0; d < range->dimensions; d++)
        groups[d] = (range->global[d] + range->local[d] - 1) / range->local[d];
    for (size_t z = 0; z < groups[2]; z++)
        for (size_t y = 0; y < groups[1]; y++)
            for (size_t x = 0; x < groups[0]; x++, number++) {
                size_t at[3] = {x, y, z}, items = 1;
                for (unsigned d = 0; d < range->dimensions; d++) {
                    size_t left = range->global[d] - at[d] * range->local[d];
                    items *= left < range->local[d] ? left : range->local[d];
                }
                for (size_t l = 0; l < items; l++)
                    left[l] = element(form->name, b, number * full + l);
                struct group g = {a + number * full, left, c + number, (int)items};
                if (!check(form, &g))
                    return false;
            }
    return true;
}

static bool
run_one(const struct attempt *attempt)
{
    static int a[MOST];
    static long b[MOST], c[MOST];
    const struct form *form = &forms[attempt->form];
    const lw_ndrange *range = &ranges[attempt->range];
    lw_error error = {0};
    size_t full = 1;

    for (unsigned d = 0; d < range->dimensions; d++)
        full *= range->local[d];
    lanes_fill_ints(a, MOST, -500);
    lw_kernel *kernel = lanes_kernel(attempt, form->name, &error);
    bool same = true, ok = kernel && lw_kernel_set_arg_pointer(kernel, 0, a, sizeof a, &error) &&
                           lw_kernel_set_arg_pointer(kernel, 1, b, sizeof b, &error) &&
                           lw_kernel_set_arg_pointer(kernel, 2, c, sizeof c, &error);
    for (int pass = 0; ok && same && pass < 2; pass++) {
        memset(b, 0x55, sizeof b);
        memset(c, 0x55, sizeof c);
        ok = lw_kernel_run(kernel, range, &error);
        same = ok && check_all(form, range, a, b, c, full);
    }
    if (!ok || !same) {
        lanes_failed(attempt, form->name);
        printf("local size %zu %zu %zu %s\n", range->local[0], range->local[1], range->local[2],
               ok ? "" : error.text);
    }
    lw_kernel_release(kernel);
    return ok && same;
}

static bool
wants(const struct attempt *attempt, size_t turn)
{
    bool plain = !strncmp(forms[attempt->form].name, "plain", 5);
    return plain ? ranges[attempt->range].dimensions == 1 && turn % 3 == 0 : turn % 31 == 0;
}

int
main(int argc, char **argv)
{
    struct driver driver = {.forms = forms,
                            .form_size = sizeof *forms,
                            .form_count = sizeof forms / sizeof *forms,
                            .range_count = sizeof ranges / sizeof *ranges,
                            .most_threads = 1,
                            .wants = wants,
                            .run = run_one};
    return lanes_main(argc, argv, &driver);
}

/* SPDX-License-Identifier: MIT */
/* The kernels of clusters.cl beside themselves in C, one work-item after the other: buffers apart, one buffer
 * twice, and two that overlap in part. What a work-item touches no other one does.
 *
 *     test_clusters MODULE.spv [KERNEL]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

static size_t item;

static size_t
get_global_id(int dimension)
{
    (void)dimension;
    return item;
}

#define kernel static
#define global
#include "clusters.cl"

enum { ITEMS = 517, ELEMENTS = ITEMS * ROW };

struct form {
    const char *name;
    void (*run)(const int *index, int *x, int *y, int n);
    bool overlaps; /* may x and y? */
};

static const struct form forms[] = {
    {"four", four, true},           {"holes", holes, true},
    {"between", between, true},     {"read_back", read_back, true},
    {"kept_sum", kept_sum, true},   {"kept_sums", kept_sums, true},
    {"guarded", guarded, true},     {"two", two, true},
    {"three", three, true},         {"nine", nine, true},
    {"members", members, true},     {"longs", longs, true},
    {"either", either, true},       {"rows", rows, true},
    {"neighbours", neighbours, false}, {"aligned", aligned, false},
    {"tiles", tiles, false},         {"some_tiles", some_tiles, false},
};

/* How far y is behind x, in elements; -1: apart. */
static const int distances[] = {-1, 0, 2, 4, 8};

static bool
compare(const struct attempt *a, const struct form *f, int distance, const int *got, const int *want)
{
    for (size_t k = 0; k < 2 * ELEMENTS; k++) {
        if (got[k] == want[k])
            continue;
        lanes_failed(a, f->name);
        printf("y %d behind x: element %zu of row %zu of %c is %d, must be %d\n", distance, k % ROW,
               k / ROW % ITEMS, k < ELEMENTS ? 'x' : 'y', got[k], want[k]);
        return false;
    }
    return true;
}

static bool
run_at(const struct attempt *a, const struct form *f, int distance)
{
    static unsigned char *area;
    static int index[ITEMS], want[2 * ELEMENTS];
    lw_error error;
    lw_kernel *k = lanes_kernel(a, f->name, &error);
    int n = 13;

    if (!area)
        area = lanes_area();
    if (!k)
        return false;
    int *x = (int *)lanes_fenced(area, sizeof want);
    lanes_fill_ints(x, 2 * ELEMENTS, -200);
    for (int i = 0; i < ITEMS; i++)
        index[i] = i * 265 % ITEMS;
    memcpy(want, x, sizeof want);
    size_t to = distance < 0 ? ELEMENTS : (size_t)distance;
    for (item = 0; item < ITEMS; item++)
        f->run(index, want, want + to, n);
    lw_ndrange range = {1, {ITEMS}, {a->range ? 64 : 24}, {0}};
    /* What lies behind x is y's where they are apart. */
    size_t bytes = (distance < 0 ? ELEMENTS : 2 * ELEMENTS - to) * sizeof *x;
    bool good = lw_kernel_set_arg_pointer(k, 0, index, sizeof index, &error) &&
                lw_kernel_set_arg_pointer(k, 1, x, distance < 0 ? bytes : sizeof want, &error) &&
                lw_kernel_set_arg_pointer(k, 2, x + to, bytes, &error) &&
                lw_kernel_set_arg(k, 3, &n, sizeof n, &error) && lw_kernel_run(k, &range, &error);
    lw_kernel_release(k);
    if (!good) {
        lanes_failed(a, f->name);
        printf("%s\n", error.text);
        return false;
    }
    return compare(a, f, distance, x, want);
}

static bool
wants(const struct attempt *a, size_t turn)
{
    (void)a;
    return turn % 4 == 0;
}

static bool
run(const struct attempt *a)
{
    const struct form *f = &forms[a->form];
    bool good = true;

    for (size_t d = 0; d < sizeof distances / sizeof *distances; d++)
        if (distances[d] < 0 || f->overlaps)
            good = run_at(a, f, distances[d]) && good;
    return good;
}

int
main(int argc, char **argv)
{
    const struct driver driver = {
        .forms = forms,
        .form_size = sizeof *forms,
        .form_count = sizeof forms / sizeof *forms,
        .range_count = 2,
        .most_threads = 1,
        .wants = wants,
        .run = run,
    };

    return lanes_main(argc, argv, &driver);
}

/* SPDX-License-Identifier: MIT */
/* The kernels of alias.cl beside themselves in C, one work-item after the other: three buffers apart, and
 * laid over each other in every way. What a work-item touches no other one does.
 *
 *     test_alias MODULE.spv [KERNEL]
 */
#include <stdint.h>
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
#include "alias.cl"

enum { ITEMS = 133, ELEMENTS = ITEMS * ROW };

struct form {
    const char *name;
    void (*run)(const int *index, int *x, int *y, int *z, const address *to, int n);
};

#define BOTH(name) {#name, name}, {#name "_rows", name##_rows}
static const struct form forms[] = {
    BOTH(three),    BOTH(stored),       BOTH(stored_any), BOTH(of_struct),      BOTH(converted), BOTH(chosen),
    BOTH(branches), BOTH(turns),        BOTH(turns_of_three), BOTH(walk),       BOTH(steps),     BOTH(table),
    BOTH(calls),    BOTH(picked),       BOTH(any_space),  BOTH(atomics),        BOTH(chain),     BOTH(chains),
    BOTH(chain_down), BOTH(chain_of_few), BOTH(sums),     BOTH(bytes),          BOTH(longs),     BOTH(quads),
    BOTH(waiting),  BOTH(waiting_more), BOTH(guarded),    BOTH(kept_values),
    {"records", records},
};

/* Where y and z begin, in elements behind x. */
static const int layouts[][2] = {
    {ELEMENTS, 2 * ELEMENTS}, {0, 2 * ELEMENTS}, {2 * ELEMENTS, 0}, {ELEMENTS, ELEMENTS}, {0, 0},
    {4, 2 * ELEMENTS},        {2 * ELEMENTS, 2}, {ELEMENTS, ELEMENTS + 2}, {2, 4},
};

enum { LAYOUTS = sizeof layouts / sizeof *layouts };

/* What one area has, on the host and on the device. */
struct area {
    int index[ITEMS], *data;
    address to[3];
};

static void
fill(struct area *a, int *data, const int *layout)
{
    a->data = data;
    lanes_fill_ints(data, 3 * ELEMENTS, -200);
    for (int i = 0; i < ITEMS; i++)
        a->index[i] = i * 65 % ITEMS;
    a->to[0] = (uintptr_t)data;
    for (int k = 0; k < 2; k++)
        a->to[k + 1] = (uintptr_t)(data + layout[k]);
}

static bool
run_kernel(const struct attempt *at, lw_kernel *k, struct area *a, const int *layout, int n, lw_error *error)
{
    lw_ndrange range = {1, {ITEMS}, {at->range ? 64 : 12}, {0}};
    bool good = lw_kernel_set_arg_pointer(k, 0, a->index, sizeof a->index, error) &&
                lw_kernel_set_arg_pointer(k, 1, a->data, ELEMENTS * sizeof(int), error);

    for (uint32_t y = 0; good && y < 2; y++)
        good = lw_kernel_set_arg_pointer(k, 2 + y, a->data + layout[y],
                                         (size_t)(layout[y] % ELEMENTS ? ELEMENTS - 4 : ELEMENTS) *
                                         sizeof(int), error);
    return good && lw_kernel_set_arg_pointer(k, 4, a->to, sizeof a->to, error) &&
           lw_kernel_set_arg(k, 5, &n, sizeof n, error) && lw_kernel_run(k, &range, error);
}

static bool
run_at(const struct attempt *a, const struct form *f, const int *layout)
{
    static struct area got, want;
    static int wanted[3 * ELEMENTS];
    static unsigned char *area;
    lw_error error;
    lw_kernel *k = lanes_kernel(a, f->name, &error);
    int n = 9 + layout[0] % 2;

    if (!area)
        area = lanes_area();
    fill(&got, (int *)(void *)lanes_fenced(area, sizeof wanted), layout);
    fill(&want, wanted, layout);
    for (item = 0; item < ITEMS; item++)
        f->run(want.index, wanted, wanted + layout[0], wanted + layout[1], want.to, n);
    bool good = k && run_kernel(a, k, &got, layout, n, &error);
    lw_kernel_release(k);
    if (!good) {
        lanes_failed(a, f->name);
        printf("%s\n", error.text);
        return false;
    }
    for (int e = 0; e < 3 * ELEMENTS; e++) {
        if (got.data[e] == wanted[e])
            continue;
        lanes_failed(a, f->name);
        printf("y %d and z %d behind x: element %d of row %d is %d, must be %d\n", layout[0], layout[1],
               e % ROW, e / ROW,
               got.data[e], wanted[e]);
        return false;
    }
    return true;
}

/* Each kernel at one of the sizes and ranges for each instruction set, and all layouts. */
static bool
wants(const struct attempt *a, size_t turn)
{
    return turn % 12 == lw_device_isa(a->device) * 5u % 12u;
}

static bool
run(const struct attempt *a)
{
    bool good = true;

    for (size_t d = 0; d < LAYOUTS; d++) {
        bool partly = layouts[d][0] % ELEMENTS || layouts[d][1] % ELEMENTS;
        if (!partly || forms[a->form].run != records)
            good = run_at(a, &forms[a->form], layouts[d]) && good;
    }
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

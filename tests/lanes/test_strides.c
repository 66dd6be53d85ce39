/* SPDX-License-Identifier: MIT */
/* The kernels of strides.cl beside themselves in C, by strides that are 1 and by others, in turn and by
 * the same kernel object: code for strides of 1 must not serve others.
 *
 *     test_strides MODULE.spv [KERNEL]
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "driver.h"

static size_t ids[2], sizes[2];

static size_t
get_global_id(int dimension)
{
    return ids[dimension];
}

static size_t
get_global_size(int dimension)
{
    return sizes[dimension];
}

#define kernel static
#define global
#include "strides.cl"

enum { WIDTH = 48, HEIGHT = 6, ITEMS = WIDTH * HEIGHT, SPACE = 200 * ITEMS };

struct form {
    const char *name;
    void (*run)(ARGUMENTS);
};

static const struct form forms[] = {
    {"axpy", axpy}, {"told", told}, {"gemv", gemv}, {"walk", walk},
    {"both", both}, {"turned", turned}, {"called", called}, {"wraps", wraps},
};

/* Of which those that are 1 change, one, some and all of them; 0 and negative ones, and ones beyond
 * everything, of which a single work-item takes none. */
static const struct strides {
    int p, q, ra;
    long rs, cs;
    int n;
} runs[] = {
    {1, 1, WIDTH, 1, WIDTH, ITEMS},
    {2, 1, WIDTH, WIDTH, 1, ITEMS},
    {1, 2, 2 * WIDTH, 2, 2 * WIDTH, ITEMS},
    {1, 1, WIDTH, WIDTH, 1, ITEMS - 5},
    {0, 3, WIDTH + 1, 1, WIDTH, ITEMS},
    {1, -1, WIDTH, 1, WIDTH, ITEMS},
    {-1, 1, WIDTH, WIDTH, 1, ITEMS},
    {-2, -3, 3 * WIDTH, 3, 3 * WIDTH, ITEMS - 1},
    {INT32_MAX, INT32_MIN, WIDTH, HEIGHT, 1, 1},
    {1, INT32_MAX, WIDTH, 1, WIDTH, 1},
    {1, 1, 1 << 30 | 1, 1, WIDTH, ITEMS},
    {1, 1, 1, 1, WIDTH, ITEMS},
};

static int
begin(int stride, int n)
{
    return stride < 0 ? -stride * (n - 1) : 0;
}

/* Within the memory that there is? */
static bool
fits(const struct form *f, const struct strides *s)
{
    if (f->run == turned)
        return s->ra >= WIDTH && s->ra < 4 * WIDTH;
    if (f->run == wraps)
        return s->ra <= WIDTH || s->ra == (1 << 30 | 1);
    return f->run != gemv || s->p < INT32_MAX;
}

static void
run_here(const struct form *f, const struct strides *s, const int *x, int *y)
{
    for (ids[1] = 0; ids[1] < sizes[1]; ids[1]++)
        for (ids[0] = 0; ids[0] < sizes[0]; ids[0]++)
            f->run(s->n, x, begin(s->p, s->n), s->p, y, begin(s->q, s->n), s->q, s->ra, s->rs, s->cs);
}

static bool
run_there(const struct attempt *a, lw_kernel *k, const struct strides *s, int *x, int *y, lw_error *error)
{
    const int ints[] = {s->n, 0, begin(s->p, s->n), s->p, 0, begin(s->q, s->n), s->q, s->ra};
    const lw_ndrange line = {1, {ITEMS}, {96}, {0}};
    const lw_ndrange area = {2, {WIDTH, HEIGHT}, {16, 2}, {0}};
    bool good = true;
    for (uint32_t i = 0; good && i < sizeof ints / sizeof *ints; i++)
        if (i == 1 || i == 4)
            good = lw_kernel_set_arg_pointer(k, i, i == 1 ? x : y, SPACE * sizeof(int), error);
        else
            good = lw_kernel_set_arg(k, i, &ints[i], sizeof *ints, error);
    return good && lw_kernel_set_arg(k, 8, &s->rs, sizeof s->rs, error) &&
           lw_kernel_set_arg(k, 9, &s->cs, sizeof s->cs, error) &&
           lw_kernel_run(k, a->range ? &area : &line, error);
}

static bool
run_one(const struct attempt *a, lw_kernel *k, const struct form *f, const struct strides *s)
{
    static int x[SPACE], got[SPACE], want[SPACE];
    lw_error error;
    lanes_fill_ints(x, SPACE, -200);
    for (int e = 0; e < SPACE; e++)
        got[e] = want[e] = e * 7;
    run_here(f, s, x, want);
    if (!run_there(a, k, s, x, got, &error)) {
        lanes_failed(a, f->name);
        printf("%s\n", error.text);
        return false;
    }
    for (int e = 0; e < SPACE; e++)
        if (got[e] != want[e]) {
            lanes_failed(a, f->name);
            printf("strides %d, %d, %d, %ld, %ld: element %d is %d, must be %d\n", s->p, s->q, s->ra, s->rs,
                   s->cs, e, got[e], want[e]);
            return false;
        }
    return true;
}

static bool
run(const struct attempt *a)
{
    const struct form *f = &forms[a->form];
    lw_error error;
    lw_kernel *k = lanes_kernel(a, f->name, &error);
    bool good = k != NULL;
    sizes[0] = a->range ? WIDTH : ITEMS;
    sizes[1] = a->range ? HEIGHT : 1;
    if (!k)
        printf("%s\n", error.text);
    for (size_t r = 0; good && r < sizeof runs / sizeof *runs; r++)
        good = !fits(f, &runs[r]) || run_one(a, k, f, &runs[r]);
    lw_kernel_release(k);
    return good;
}

/* Every instruction set with every size, by some of the kernels. In one dimension there is no second one to
 * take strides of. */
static bool
wants(const struct attempt *a, size_t turn)
{
    if ((turn + lw_device_isa(a->device)) % 3)
        return false;
    return a->range || (forms[a->form].run != both && forms[a->form].run != turned);
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

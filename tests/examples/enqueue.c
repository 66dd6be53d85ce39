/* SPDX-License-Identifier: MIT */
/* Examples that enqueue kernels themselves, with references in plain C. */
#include "examples_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int
compare(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* Many equal numbers, among others. */
static void
run_quicksort(struct trial *t)
{
    static const uint32_t ranges[] = {UINT32_MAX, 7, 1000};
    uint32_t seed = 4, n = 1 + (uint32_t)(trial_items(t) * 13 % 20000), range = ranges[n % 3];
    uint32_t *data = trial_buffer(t, n, 4), *want = calloc(n, sizeof *want);

    trial_buffer(t, n, 4);
    trial_uint(t, n);
    for (uint32_t i = 0; i < n; i++)
        data[i] = want[i] = trial_random(&seed) % range;
    qsort(want, n, sizeof *want, compare);
    if (trial_run(t))
        for (uint32_t i = 0; i < n; i++)
            trial_equal(t, "data", i, data[i], want[i]);
    free(want);
}

static void
run_quadrature(struct trial *t)
{
    const double a = -1, b = 2, tolerance = 1e-9;
    int64_t *sum = trial_buffer(t, 1, 8);
    uint32_t *intervals = trial_buffer(t, 1, 4);
    double exact = (atan((b - 0.3) / 1e-2) - atan((a - 0.3) / 1e-2)) / 1e-2;

    trial_value(t, &a, sizeof a);
    trial_value(t, &b, sizeof b);
    trial_value(t, &tolerance, sizeof tolerance);
    if (!trial_run(t))
        return;
    trial_near(t, "sum", 0, (double)*sum * 0x1p-40, exact, 0, 1e-8);
    if (*intervals < trial_items(t) || *intervals < 500)
        trial_fail(t, "only %u intervals", *intervals);
}

const struct example lw_enqueue_examples[] = {
    {"quicksort", ANY_SHAPE, run_quicksort},
    {"quadrature", ANY_SHAPE, run_quadrature},
    {NULL, 0, NULL},
};

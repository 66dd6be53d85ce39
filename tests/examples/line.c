/* SPDX-License-Identifier: MIT */
/* Examples whose data is a line, with references in plain C. */
#include "examples_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void
run_saxpy(struct trial *t)
{
    uint32_t n = (uint32_t)t->global[0] - 5, seed = 1;
    const float a = 1.25f;

    trial_uint(t, n);
    trial_float(t, a);
    float *x = trial_buffer(t, n, 4), *y = trial_buffer(t, n, 4);
    double *want = calloc(n, sizeof *want);
    for (uint32_t i = 0; i < n; i++) {
        x[i] = trial_random_float(&seed, -10, 10);
        y[i] = trial_random_float(&seed, -10, 10);
        want[i] = (double)a * x[i] + y[i];
    }
    if (trial_run(t))
        for (uint32_t i = 0; i < n; i++)
            trial_near(t, "y", i, y[i], want[i], 1e-6, 1e-6);
    free(want);
}

struct scan_check {
    struct trial *t;
    const int32_t *in, *inclusive, *exclusive;
    int32_t sum;
};

static void
check_scan(void *data, size_t group, size_t local_id, size_t i)
{
    struct scan_check *c = data;
    (void)group;
    if (local_id == 0)
        c->sum = 0;
    trial_equal(c->t, "exclusive", i, c->exclusive[i], c->sum);
    c->sum += c->in[i];
    trial_equal(c->t, "inclusive", i, c->inclusive[i], c->sum);
}

static void
run_scan(struct trial *t)
{
    size_t n = trial_items(t);
    uint32_t seed = 2;
    int32_t *in = trial_buffer(t, n, 4), *inclusive = trial_buffer(t, n, 4),
            *exclusive = trial_buffer(t, n, 4);

    for (size_t i = 0; i < n; i++)
        in[i] = (int32_t)(trial_random(&seed) % 2001) - 1000;
    struct scan_check check = {t, in, inclusive, exclusive, 0};
    if (trial_run(t))
        trial_each_item(t, check_scan, &check);
}

struct sum_check {
    const float *in;
    double *sums;
    size_t n, total;
};

static void
add_item(void *data, size_t group, size_t local_id, size_t global_id)
{
    struct sum_check *c = data;
    (void)local_id;
    for (size_t i = global_id; i < c->n; i += c->total)
        c->sums[group] += c->in[i];
}

static void
run_reduction(struct trial *t)
{
    size_t groups = trial_groups(t, 0) * trial_groups(t, 1) * trial_groups(t, 2), total = trial_items(t);
    uint32_t n = (uint32_t)(3 * total + 17), seed = 3;

    trial_uint(t, n);
    float *in = trial_buffer(t, n, 4);
    trial_local_memory(t, 4 * trial_group_items(t));
    float *sums = trial_buffer(t, groups, 4);
    double *want = calloc(groups, sizeof *want);
    for (uint32_t i = 0; i < n; i++)
        in[i] = trial_random_float(&seed, 0, 1);
    struct sum_check check = {in, want, n, total};
    trial_each_item(t, add_item, &check);
    if (trial_run(t))
        for (size_t g = 0; g < groups; g++)
            trial_near(t, "sums", g, sums[g], want[g], 1e-5, 1e-6);
    free(want);
}

static void
run_prefix_sum(struct trial *t)
{
    uint32_t n = (uint32_t)t->global[0] - 13, seed = 4, sum = 0;
    size_t groups = trial_groups(t, 0);

    trial_uint(t, n);
    uint32_t *in = trial_buffer(t, n, 4), *out = trial_buffer(t, n, 4);
    trial_buffer(t, groups, 4);
    trial_buffer(t, groups, 4);
    trial_buffer(t, groups, 4);
    for (uint32_t i = 0; i < n; i++)
        in[i] = trial_random(&seed) % 1000;
    if (!trial_run(t))
        return;
    for (uint32_t i = 0; i < n; i++) {
        sum += in[i];
        trial_equal(t, "out", i, out[i], sum);
    }
}

static int
by_value(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}

static void
run_stream_compaction(struct trial *t)
{
    uint32_t n = (uint32_t)trial_items(t) - 3, seed = 5, kept = 0;
    int32_t threshold = 100;

    trial_uint(t, n);
    trial_value(t, &threshold, sizeof threshold);
    int32_t *in = trial_buffer(t, n, 4), *out = trial_buffer(t, n, 4);
    uint32_t *count = trial_buffer(t, 1, 4);
    int32_t *want = calloc(n, sizeof *want);
    for (uint32_t i = 0; i < n; i++) {
        in[i] = (int32_t)(trial_random(&seed) % 100000) - 50000;
        if (in[i] > threshold)
            want[kept++] = in[i];
    }
    if (trial_run(t)) {
        /* sub-groups arrive in any order */
        trial_equal(t, "count", 0, *count, kept);
        qsort(want, kept, sizeof *want, by_value);
        qsort(out, kept, sizeof *out, by_value);
        for (uint32_t i = 0; i < kept; i++)
            trial_equal(t, "sorted out", i, out[i], want[i]);
    }
    free(want);
}

static void
run_histogram(struct trial *t)
{
    uint32_t n = (uint32_t)(5 * trial_items(t) + 11), seed = 6, want[256] = {0};

    trial_uint(t, n);
    uint8_t *in = trial_buffer(t, n, 1);
    uint32_t *counts = trial_buffer(t, 256, 4);
    for (uint32_t i = 0; i < n; i++) {
        /* some values far more often than others, so that lanes meet at one counter */
        in[i] = (uint8_t)(trial_random(&seed) % (i % 3 ? 7 : 256));
        want[in[i]]++;
    }
    if (trial_run(t))
        for (unsigned i = 0; i < 256; i++)
            trial_equal(t, "counts", i, counts[i], want[i]);
}

static void
run_bitonic_sort(struct trial *t)
{
    enum { BLOCK = 128 };
    uint32_t seed = 7;

    /* a few blocks, the last dimension with a remainder work-group */
    for (unsigned d = 0; d < t->dimensions; d++)
        t->global[d] = 2 * t->local[d] + (t->local[d] > 1);
    size_t blocks = trial_groups(t, 0) * trial_groups(t, 1) * trial_groups(t, 2);
    int32_t *data = trial_buffer(t, blocks * BLOCK, 4);
    int32_t *want = calloc(blocks * BLOCK, sizeof *want);
    for (size_t i = 0; i < blocks * BLOCK; i++)
        want[i] = data[i] = (int32_t)(trial_random(&seed) << 8 ^ trial_random(&seed));
    for (size_t b = 0; b < blocks; b++)
        qsort(want + b * BLOCK, BLOCK, sizeof *want, by_value);
    if (trial_run(t))
        for (size_t i = 0; i < blocks * BLOCK; i++)
            trial_equal(t, "data", i, data[i], want[i]);
    free(want);
}

static void
run_csr_spmv(struct trial *t)
{
    uint32_t rows = (uint32_t)t->global[0] - 2, width = 777, seed = 8;
    uint32_t *lengths = calloc(rows, sizeof *lengths), elements = 0;

    for (uint32_t r = 0; r < rows; r++)
        elements += lengths[r] = r % 50 == 7 ? 90 : trial_random(&seed) % 12; /* some rows empty, some long */
    trial_uint(t, rows);
    uint32_t *starts = trial_buffer(t, rows + 1, 4), *columns = trial_buffer(t, elements, 4);
    float *values = trial_buffer(t, elements, 4), *x = trial_buffer(t, width, 4),
          *y = trial_buffer(t, rows, 4);
    for (uint32_t r = 0; r < rows; r++)
        starts[r + 1] = starts[r] + lengths[r];
    for (uint32_t i = 0; i < elements; i++) {
        columns[i] = trial_random(&seed) % width;
        values[i] = trial_random_float(&seed, -1, 1);
    }
    for (uint32_t i = 0; i < width; i++)
        x[i] = trial_random_float(&seed, -1, 1);
    if (trial_run(t))
        for (uint32_t r = 0; r < rows; r++) {
            double sum = 0;
            for (uint32_t i = starts[r]; i < starts[r + 1]; i++)
                sum += (double)values[i] * x[columns[i]];
            trial_near(t, "y", r, y[r], sum, 1e-5, 1e-5);
        }
    free(lengths);
}

static double
normal(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

static void
run_black_scholes(struct trial *t)
{
    size_t n = t->global[0];
    uint32_t seed = 9;
    const float rate = 0.02f, volatility = 0.3f;

    trial_float(t, rate);
    trial_float(t, volatility);
    float *price = trial_buffer(t, n, 4), *strike = trial_buffer(t, n, 4), *years = trial_buffer(t, n, 4);
    float *call = trial_buffer(t, n, 4), *put = trial_buffer(t, n, 4);
    for (size_t i = 0; i < n; i++) {
        price[i] = trial_random_float(&seed, 5, 100);
        strike[i] = trial_random_float(&seed, 5, 100);
        years[i] = trial_random_float(&seed, 0.2f, 10);
    }
    if (!trial_run(t))
        return;
    for (size_t i = 0; i < n; i++) {
        double s = price[i], x = strike[i], time = years[i], v = volatility, r = rate;
        double width = v * sqrt(time), d1 = (log(s / x) + (r + 0.5 * v * v) * time) / width, d2 = d1 - width;
        double discounted = x * exp(-r * time);
        trial_near(t, "call", i, call[i], s * normal(d1) - discounted * normal(d2), 0, 2e-4);
        trial_near(t, "put", i, put[i], discounted * normal(-d2) - s * normal(-d1), 0, 2e-4);
    }
}

static void
check_body(struct trial *t, size_t i, const float *bodies, const float *velocities, const float *moved,
           const float *faster, size_t n, double dt, double softening)
{
    double force[3] = {0, 0, 0};

    for (size_t j = 0; j < n; j++) {
        double d[3], square = softening;
        for (int c = 0; c < 3; c++) {
            d[c] = (double)bodies[4 * j + c] - bodies[4 * i + c];
            square += d[c] * d[c];
        }
        for (int c = 0; c < 3; c++)
            force[c] += d[c] * bodies[4 * j + 3] / (square * sqrt(square));
    }
    for (int c = 0; c < 3; c++) {
        double velocity = velocities[4 * i + c] + force[c] * dt;
        trial_near(t, "new_velocities", 4 * i + c, faster[4 * i + c], velocity, 1e-4, 1e-4);
        trial_near(t, "new_bodies", 4 * i + c, moved[4 * i + c], bodies[4 * i + c] + velocity * dt, 1e-4,
                   1e-4);
    }
    trial_near(t, "new_bodies", 4 * i + 3, moved[4 * i + 3], bodies[4 * i + 3], 0, 0);
}

static void
run_nbody(struct trial *t)
{
    const float dt = 0.01f, softening = 0.05f;
    uint32_t n = 131, seed = 10;

    t->global[0] = 137; /* a few work-items have no body, yet take part in the barriers */
    trial_uint(t, n);
    trial_float(t, dt);
    trial_float(t, softening);
    float *bodies = trial_buffer(t, n, 16), *velocities = trial_buffer(t, n, 16);
    float *moved = trial_buffer(t, n, 16), *faster = trial_buffer(t, n, 16);
    trial_local_memory(t, 16 * trial_group_items(t));
    for (size_t i = 0; i < 4 * n; i++) {
        bodies[i] = i % 4 == 3 ? trial_random_float(&seed, 0.5f, 1) : trial_random_float(&seed, -1, 1);
        velocities[i] = trial_random_float(&seed, -1, 1);
    }
    if (trial_run(t))
        for (size_t i = 0; i < n; i++)
            check_body(t, i, bodies, velocities, moved, faster, n, dt, softening);
}

const struct example lw_line_examples[] = {
    {"saxpy", ON_LINE, run_saxpy},
    {"scan", ANY_SHAPE, run_scan},
    {"reduction", ANY_SHAPE, run_reduction},
    {"prefix_sum", ON_LINE, run_prefix_sum},
    {"stream_compaction", ANY_SHAPE, run_stream_compaction},
    {"histogram", ANY_SHAPE, run_histogram},
    {"bitonic_sort", ANY_SHAPE, run_bitonic_sort},
    {"csr_spmv", ON_LINE, run_csr_spmv},
    {"black_scholes", ON_LINE, run_black_scholes},
    {"nbody", ON_LINE, run_nbody},
    {NULL, 0, NULL},
};

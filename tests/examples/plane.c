/* SPDX-License-Identifier: MIT */
/* Examples whose data is a plane or a block, with references in plain C. */
#include "examples_test.h"

#include <stdlib.h>

/* Small whole numbers: every order of summation gives the same float. */
static void
run_matmul(struct trial *t, bool tiled)
{
    size_t columns = t->global[0], rows = t->global[1], depth = 43;
    uint32_t seed = 1;

    trial_uint(t, (uint32_t)depth);
    float *a = trial_buffer(t, rows * depth, 4), *b = trial_buffer(t, depth * columns, 4);
    float *c = trial_buffer(t, rows * columns, 4);
    if (tiled) {
        trial_local_memory(t, 4 * 8 * t->local[1]);
        trial_local_memory(t, 4 * 8 * t->local[0]);
    }
    for (size_t i = 0; i < rows * depth; i++)
        a[i] = (float)(trial_random(&seed) % 19) - 9;
    for (size_t i = 0; i < depth * columns; i++)
        b[i] = (float)(trial_random(&seed) % 19) - 9;
    if (!trial_run(t))
        return;
    for (size_t y = 0; y < rows; y++)
        for (size_t x = 0; x < columns; x++) {
            int sum = 0;
            for (size_t k = 0; k < depth; k++)
                sum += (int)a[y * depth + k] * (int)b[k * columns + x];
            trial_near(t, "c", y * columns + x, c[y * columns + x], sum, 0, 0);
        }
}

static void
run_tiled_matmul(struct trial *t)
{
    run_matmul(t, true);
}

/* Its work-groups are parts of one row: a shape of several rows is run as one row of as many work-items. */
static void
run_subgroup_matmul(struct trial *t)
{
    t->local[0] *= t->local[1];
    t->local[1] = 1;
    run_matmul(t, false);
}

static void
run_mandelbrot(struct trial *t)
{
    const float left = -2.2f, top = -1.3f, step = 0.071f;
    const uint32_t limit = 200;

    trial_float(t, left);
    trial_float(t, top);
    trial_float(t, step);
    trial_uint(t, limit);
    uint32_t *out = trial_buffer(t, trial_items(t), 4);
    if (!trial_run(t))
        return;
    for (size_t i = 0; i < trial_items(t); i++) {
        float cr = left + step * (float)(i % t->global[0]), ci = top + step * (float)(i / t->global[0]);
        float zr = 0, zi = 0;
        uint32_t n = 0;
        while (n < limit && zr * zr + zi * zi <= 4.0f) {
            float next = zr * zr - zi * zi + cr;
            zi = 2.0f * zr * zi + ci;
            zr = next;
            n++;
        }
        trial_equal(t, "out", i, out[i], n);
    }
}

static void
run_stencil(struct trial *t)
{
    size_t w = t->global[0], h = t->global[1], d = t->global[2], n = w * h * d;
    uint32_t seed = 2;
    const float rate = 0.1f;

    trial_float(t, rate);
    float *in = trial_buffer(t, n, 4), *out = trial_buffer(t, n, 4);
    for (size_t i = 0; i < n; i++)
        in[i] = trial_random_float(&seed, 0, 100);
    if (!trial_run(t))
        return;
    for (size_t i = 0; i < n; i++) {
        size_t x = i % w, y = i / w % h, z = i / w / h;
        double want = in[i];
        if (x > 0 && x < w - 1 && y > 0 && y < h - 1 && z > 0 && z < d - 1)
            want += (double)rate * ((double)in[i - 1] + in[i + 1] + in[i - w] + in[i + w] + in[i - w * h] +
                                    in[i + w * h] - 6.0 * in[i]);
        trial_near(t, "out", i, out[i], want, 1e-5, 1e-4);
    }
}

const struct example lw_plane_examples[] = {
    {"tiled_matmul", ON_PLANE, run_tiled_matmul},
    {"subgroup_matmul", ON_PLANE, run_subgroup_matmul},
    {"mandelbrot", ON_PLANE, run_mandelbrot},
    {"stencil", IN_SPACE, run_stencil},
    {NULL, 0, NULL},
};

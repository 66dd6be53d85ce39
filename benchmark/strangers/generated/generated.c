/* SPDX-License-Identifier: MIT */
#include "limit.h"
#include <math.h>

LIMIT_LOOP(reduction_stage1)
{
    LIMIT_BUFFER(float, out);
    LIMIT_BUFFER(const float, x);
    LIMIT_BUFFER(const float, y);

#pragma omp parallel for
    for (size_t g = 0; g < 64; g++) {
        float sum = 0;
        for (size_t i = g * 4096; i < g * 4096 + 4096; i++)
            sum += x[i] * y[i];
        out[g] = sum;
    }
}

LIMIT_LOOP(scan_lev1)
{
    LIMIT_BUFFER(const int, ary);
    LIMIT_BUFFER(int, out);
    LIMIT_BUFFER(int, interval_results);
    LIMIT_VALUE(int64_t, interval_size);

#pragma omp parallel for
    for (int64_t g = 0; g < 32; g++) {
        int sum = 0;
        for (int64_t i = g * interval_size; i < (g + 1) * interval_size && i < (int64_t)limit->size; i++)
            out[i] = sum += ary[i];
        interval_results[g] = sum;
    }
}

LIMIT_LOOP(loopy_derivatives)
{
    LIMIT_BUFFER(const double, u);
    LIMIT_BUFFER(const double, d);
    LIMIT_BUFFER(double, out);
    size_t n = limit->size;

#pragma omp parallel for
    for (size_t e = 0; e < n; e++)
        for (size_t i = 0; i < 16; i++) {
            double sum = 0;
            for (size_t j = 0; j < 16; j++)
                sum += d[i * 16 + j] * u[j * n + e];
            out[i * n + e] = sum;
        }
}

LIMIT_LOOP(reikna_complex)
{
    LIMIT_BUFFER(float, out);
    LIMIT_BUFFER(const float, a);
    LIMIT_BUFFER(const float, b);
    LIMIT_VALUE(float, scale);
    size_t n = limit->size;

#pragma omp parallel for
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const float *x = a + 2 * (i * n + j), *y = b + 2 * (j * n + i);
            out[2 * (i * n + j)] = (x[0] * y[0] - x[1] * y[1]) * scale;
            out[2 * (i * n + j) + 1] = (x[0] * y[1] + x[1] * y[0]) * scale;
        }
}

LIMIT_LOOP(sycl_rounded)
{
    LIMIT_BUFFER(int, data);
    LIMIT_BUFFER(const int, index);
    LIMIT_VALUE(int, factor);

#pragma omp parallel for simd
    for (size_t i = 0; i < limit->size; i++)
        data[i] += factor * index[i];
}

LIMIT_LOOP(sycl_group_reduce)
{
    LIMIT_BUFFER(const double, in);
    LIMIT_BUFFER(double, out);

#pragma omp parallel for
    for (size_t g = 0; g < limit->size / 64; g++) {
        double sum = 0;
        for (size_t i = g * 64; i < g * 64 + 64; i++)
            sum += in[i] * in[i];
        out[g] = sqrt(sum);
    }
}

#define HALF_TOO
#define WITH_REALS "generated/generated_real.h"
#include "strangers/each_real.h"

/* SPDX-License-Identifier: MIT */
#include "limit.h"
#include <math.h>

LIMIT_LOOP(elementwise_axpbyz)
{
    LIMIT_BUFFER(float, z);
    LIMIT_BUFFER(const float, x);
    LIMIT_BUFFER(const float, y);
    LIMIT_VALUE(float, a);
    LIMIT_VALUE(float, b);

#pragma omp parallel for simd
    for (size_t i = 0; i < limit->size; i++)
        z[i + 4] = a * x[i] + b * y[i + 8];
}

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

LIMIT_LOOP(loopy_matmul)
{
    LIMIT_BUFFER(const float, a);
    LIMIT_BUFFER(const float, b);
    LIMIT_BUFFER(float, c);
    size_t n = limit->size;

#pragma omp parallel for
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            float sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
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

LIMIT_LOOP(sycl_stencil)
{
    LIMIT_BUFFER(float, out);
    LIMIT_BUFFER(const float, in);
    LIMIT_VALUE(float, w);
    size_t n = limit->size;

#pragma omp parallel for
    for (size_t y = 1; y < n - 1; y++)
        for (size_t x = 1; x < n - 1; x++) {
            const float *p = in + y * n + x;
            out[y * n + x] = w * p[0] + (1 - w) * 0.25f * (p[-1] + p[1] + p[-(ptrdiff_t)n] + p[n]);
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

/* SPDX-License-Identifier: MIT */
#include "limit.h"

LIMIT_LOOP(gauss_column)
{
    LIMIT_BUFFER(const float, a);
    LIMIT_BUFFER(float, m);
    LIMIT_VALUE(int, n);
    LIMIT_VALUE(int, t);

#pragma omp parallel for simd
    for (int i = t + 1; i < n; i++)
        m[n * i + t] = a[n * i + t] / a[n * t + t];
}

LIMIT_LOOP(gauss_update)
{
    LIMIT_BUFFER(float, a);
    LIMIT_BUFFER(float, b);
    LIMIT_BUFFER(const float, m);
    LIMIT_VALUE(int, n);
    LIMIT_VALUE(int, t);

#pragma omp parallel for
    for (int x = t + 1; x < n; x++) {
        for (int y = t; y < n; y++)
            a[n * x + y] -= m[n * x + t] * a[n * t + y];
        b[x] -= m[n * x + t] * b[t];
    }
}

/* Diagonally dominant, as elimination without pivots needs. */
LIMIT_FILL(lu_diagonal)
{
    LIMIT_BUFFER(float, m);

    for (size_t i = 0; i < limit->size * 256; i++)
        m[i] = (float)((i * 2654435761u >> 8) % 1000) / 1000 + (i % 256 % 17 == 0 ? 20 : 0);
}

LIMIT_LOOP(lu_diagonal)
{
    LIMIT_BUFFER(float, m);

#pragma omp parallel for
    for (size_t tile = 0; tile < limit->size; tile++) {
        float *a = m + tile * 256;
        for (int k = 0; k < 16; k++)
            for (int i = k + 1; i < 16; i++) {
                a[i * 16 + k] /= a[k * 16 + k];
                for (int j = k + 1; j < 16; j++)
                    a[i * 16 + j] -= a[i * 16 + k] * a[k * 16 + j];
            }
    }
}

LIMIT_LOOP(lu_internal)
{
    LIMIT_BUFFER(float, c);
    LIMIT_BUFFER(const float, a);
    LIMIT_BUFFER(const float, b);
    LIMIT_VALUE(int, n);

#pragma omp parallel for
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            float sum = 0;
            for (int i = 0; i < 16; i++)
                sum += a[y * 16 + i] * b[i * n + x];
            c[y * n + x] -= sum;
        }
}

LIMIT_FILL(solve_small)
{
    LIMIT_BUFFER(double, a);

    for (size_t i = 0; i < limit->size * 72; i++)
        a[i] = (double)((i * 2654435761u >> 8) % 1000) / 1000 + (i % 72 % 10 == 0 ? 9 : 0);
}

LIMIT_LOOP(solve_small)
{
    LIMIT_BUFFER(double, a);
    LIMIT_BUFFER(double, x);

#pragma omp parallel for
    for (size_t id = 0; id < limit->size; id++) {
        double m[8][9];
        memcpy(m, a + id * 72, sizeof m);
        for (int k = 0; k < 8; k++)
            for (int i = 0; i < 8; i++) {
                double f = m[i][k] / m[k][k];
                for (int j = k; j < 9 && i != k; j++)
                    m[i][j] -= f * m[k][j];
            }
        for (int i = 0; i < 8; i++)
            x[id * 8 + i] = m[i][8] / m[i][i];
    }
}

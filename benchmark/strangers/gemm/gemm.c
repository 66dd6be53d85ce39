/* SPDX-License-Identifier: MIT */
#include "limit.h"

/* A times B in all the forms that it is stored in: element (i, k) of A is a[i * as + k * ak], and so on. Sums
 * of half are kept in float here, as no C programmer would do otherwise. */
#define PRODUCT(name, real, as, ak, bk, bj, cs, cj)                                                          \
    LIMIT_LOOP(name)                                                                                         \
    {                                                                                                        \
        LIMIT_BUFFER(const real, A);                                                                         \
        LIMIT_BUFFER(const real, B);                                                                         \
        LIMIT_BUFFER(real, C);                                                                               \
        size_t n = limit->size;                                                                              \
        _Pragma("omp parallel for") for (size_t i = 0; i < n; i++) for (size_t j = 0; j < n; j++)            \
        {                                                                                                    \
            __typeof__((real)0 + 0.0f) sum = 0;                                                              \
            for (size_t k = 0; k < n; k++)                                                                   \
                sum += (__typeof__(sum))A[i * as + k * ak] * B[k * bk + j * bj];                             \
            C[i * cs + j * cj] = (real)sum;                                                                  \
        }                                                                                                    \
    }
PRODUCT(gemm_naive, float, n, 1, n, 1, n, 1)
PRODUCT(gemm_naive_double, double, n, 1, n, 1, n, 1)
PRODUCT(gemm_naive_half, _Float16, n, 1, n, 1, n, 1)
PRODUCT(gemm_rows_first, float, n, 1, n, 1, n, 1)
PRODUCT(gemm_rows_first_double, double, n, 1, n, 1, n, 1)
PRODUCT(gemm_row_item, float, n, 1, n, 1, n, 1)
PRODUCT(gemm_tiles, float, 1, n, 1, n, 1, n)
PRODUCT(gemm_tiles_half, _Float16, 1, n, 1, n, 1, n)

#define FLAT(name, real)                                                                                     \
    LIMIT_LOOP(name)                                                                                         \
    {                                                                                                        \
        LIMIT_BUFFER(const real, A);                                                                         \
        LIMIT_BUFFER(const real, Bt);                                                                        \
        LIMIT_BUFFER(real, C);                                                                               \
        LIMIT_VALUE(real, alpha);                                                                            \
        LIMIT_VALUE(real, beta);                                                                             \
        size_t n = limit->size;                                                                              \
        _Pragma("omp parallel for") for (size_t i = 0; i < n; i++) for (size_t j = 0; j < n; j++)            \
        {                                                                                                    \
            real sum = 0;                                                                                    \
            for (size_t k = 0; k < n; k++)                                                                   \
                sum += A[i * n + k] * Bt[j * n + k];                                                         \
            C[i * n + j] = alpha * sum + beta * C[i * n + j];                                                \
        }                                                                                                    \
    }
FLAT(gemm_flat, float)
FLAT(gemm_flat_double, double)

#define UPDATE(name, real)                                                                                   \
    LIMIT_LOOP(name)                                                                                         \
    {                                                                                                        \
        LIMIT_BUFFER(const real, A);                                                                         \
        LIMIT_BUFFER(real, C);                                                                               \
        LIMIT_VALUE(real, alpha);                                                                            \
        LIMIT_VALUE(real, beta);                                                                             \
        size_t n = limit->size;                                                                              \
        _Pragma("omp parallel for") for (size_t i = 0; i < n; i++) for (size_t j = 0; j < n; j++)            \
        {                                                                                                    \
            C[i * n + j] *= beta;                                                                            \
            for (size_t k = 0; k < n; k++)                                                                   \
                C[i * n + j] += alpha * A[i * n + k] * A[j * n + k];                                         \
        }                                                                                                    \
    }
UPDATE(rank_k_update, float)
UPDATE(rank_k_update_double, double)

#define ROWS(name, real)                                                                                     \
    LIMIT_LOOP(name)                                                                                         \
    {                                                                                                        \
        LIMIT_BUFFER(const real, A);                                                                         \
        LIMIT_BUFFER(const real, x);                                                                         \
        LIMIT_BUFFER(real, y);                                                                               \
        size_t n = limit->size;                                                                              \
        _Pragma("omp parallel for") for (size_t i = 0; i < n; i++)                                           \
        {                                                                                                    \
            real sum = 0;                                                                                    \
            for (size_t j = 0; j < n; j++)                                                                   \
                sum += A[i * n + j] * x[j];                                                                  \
            y[i] = sum;                                                                                      \
        }                                                                                                    \
    }
ROWS(matvec_row, float)
ROWS(matvec_row_double, double)

LIMIT_LOOP(matvec_transposed)
{
    LIMIT_BUFFER(const float, A);
    LIMIT_BUFFER(const float, x);
    LIMIT_BUFFER(float, y);
    size_t n = limit->size;

#pragma omp parallel for simd
    for (size_t j = 0; j < n; j++) {
        float sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += A[i * n + j] * x[i];
        y[j] = sum;
    }
}

#define BATCHED(name, real)                                                                                  \
    LIMIT_LOOP(name)                                                                                         \
    {                                                                                                        \
        LIMIT_BUFFER(const real, A);                                                                         \
        LIMIT_BUFFER(const real, B);                                                                         \
        LIMIT_BUFFER(real, C);                                                                               \
        _Pragma("omp parallel for") for (size_t g = 0; g < limit->size; g++) for (int i = 0; i < 4; i++)     \
            for (int j = 0; j < 4; j++)                                                                      \
        {                                                                                                    \
            real sum = 0;                                                                                    \
            for (int k = 0; k < 4; k++)                                                                      \
                sum += A[g * 16 + (size_t)(i * 4 + k)] * B[g * 16 + (size_t)(k * 4 + j)];                    \
            C[g * 16 + (size_t)(i * 4 + j)] = sum;                                                           \
        }                                                                                                    \
    }
BATCHED(batched_4x4, float)
BATCHED(batched_4x4_double, double)

/* Dominant diagonals, so that there are inverses; these by Gauss and Jordan, not by cofactors. */
#define INVERSE(name, real)                                                                                  \
    LIMIT_FILL(name)                                                                                         \
    {                                                                                                        \
        LIMIT_BUFFER(real, in);                                                                              \
        for (size_t i = 0; i < limit->size * 9; i++)                                                         \
            in[i] = (real)((i * 2654435761u >> 8) % 1000) / 1000 + (real)(i % 9 % 4 == 0 ? 3 : 0);           \
    }                                                                                                        \
    LIMIT_LOOP(name)                                                                                         \
    {                                                                                                        \
        LIMIT_BUFFER(const real, in);                                                                        \
        LIMIT_BUFFER(real, out);                                                                             \
        _Pragma("omp parallel for") for (size_t g = 0; g < limit->size; g++)                                 \
        {                                                                                                    \
            real m[3][3], o[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};                                       \
            memcpy(m, in + 9 * g, sizeof m);                                                                 \
            for (int k = 0; k < 3; k++) {                                                                    \
                real by = 1 / m[k][k];                                                                       \
                for (int j = 0; j < 3; j++)                                                                  \
                    m[k][j] *= by, o[k][j] *= by;                                                            \
                for (int i = 0; i < 3; i++) {                                                                \
                    real f = m[i][k];                                                                        \
                    for (int j = 0; j < 3 && i != k; j++)                                                    \
                        m[i][j] -= f * m[k][j], o[i][j] -= f * o[k][j];                                      \
                }                                                                                            \
            }                                                                                                \
            memcpy(out + 9 * g, o, sizeof o);                                                                \
        }                                                                                                    \
    }
INVERSE(batched_inverse_3x3, float)
INVERSE(batched_inverse_3x3_double, double)

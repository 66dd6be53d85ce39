/* SPDX-License-Identifier: MIT */
#include "limit.h"

static uint32_t
scrambled(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7feb352d;
    x = (x ^ (x >> 15)) * 0x846ca68b;
    return x ^ (x >> 16);
}

/* Rows of 0 to 16 elements near the diagonal and far from it; the diagonal where a row has any. */
static void
fill_rows(int *starts, int *columns, size_t n)
{
    starts[0] = 0;
    for (size_t r = 0; r < n; r++) {
        starts[r + 1] = starts[r] + (int)(scrambled((uint32_t)r) % 17);
        for (int e = starts[r]; e < starts[r + 1]; e++)
            columns[e] = e == starts[r] ? (int)r
                         : e % 2        ? (int)((r + scrambled((uint32_t)e) % 64) % n)
                                        : (int)(scrambled((uint32_t)e) % n);
    }
}

#define CSR(name, real)                                                                                      \
    LIMIT_FILL(name)                                                                                         \
    {                                                                                                        \
        LIMIT_BUFFER(int, row_ptr);                                                                          \
        LIMIT_BUFFER(int, col_ind);                                                                          \
        fill_rows(row_ptr, col_ind, limit->size);                                                            \
    }                                                                                                        \
    LIMIT_LOOP(name)                                                                                         \
    {                                                                                                        \
        LIMIT_BUFFER(const int, row_ptr);                                                                    \
        LIMIT_BUFFER(const int, col_ind);                                                                    \
        LIMIT_BUFFER(const real, val);                                                                       \
        LIMIT_BUFFER(const real, x);                                                                         \
        LIMIT_BUFFER(real, y);                                                                               \
        _Pragma("omp parallel for") for (size_t r = 0; r < limit->size; r++)                                 \
        {                                                                                                    \
            real sum = 0;                                                                                    \
            for (int i = row_ptr[r]; i < row_ptr[r + 1]; i++)                                                \
                sum += val[i] * x[col_ind[i]];                                                               \
            y[r] = sum;                                                                                      \
        }                                                                                                    \
    }
CSR(csr_scalar, float)
CSR(csr_vector, float)
CSR(csr_scalar_double, double)
CSR(csr_vector_double, double)

#define ELL(name, real)                                                                                      \
    LIMIT_LOOP(name)                                                                                         \
    {                                                                                                        \
        LIMIT_BUFFER(const int, cols);                                                                       \
        LIMIT_BUFFER(const real, vals);                                                                      \
        LIMIT_BUFFER(const real, x);                                                                         \
        LIMIT_BUFFER(real, y);                                                                               \
        LIMIT_VALUE(int, width);                                                                             \
        size_t n = limit->size;                                                                              \
        _Pragma("omp parallel for simd") for (size_t r = 0; r < n; r++)                                      \
        {                                                                                                    \
            real sum = 0;                                                                                    \
            for (size_t k = 0; k < (size_t)width; k++)                                                       \
                if (cols[k * n + r] >= 0)                                                                    \
                    sum += vals[k * n + r] * x[cols[k * n + r]];                                             \
            y[r] = sum;                                                                                      \
        }                                                                                                    \
    }
ELL(ell_columns, float)
ELL(ell_columns_double, double)

LIMIT_LOOP(coo_atomic)
{
    LIMIT_BUFFER(const int, row);
    LIMIT_BUFFER(const int, col);
    LIMIT_BUFFER(const int, val);
    LIMIT_BUFFER(const int, x);
    LIMIT_BUFFER(int, y);

#pragma omp parallel for
    for (size_t i = 0; i < limit->size; i++)
#pragma omp atomic
        y[row[i]] += val[i] * x[col[i]];
}

LIMIT_FILL(bsr_3x3)
{
    LIMIT_BUFFER(int, starts);
    LIMIT_BUFFER(int, blocks);

    fill_rows(starts, blocks, limit->size);
}

LIMIT_LOOP(bsr_3x3)
{
    LIMIT_BUFFER(const int, starts);
    LIMIT_BUFFER(const int, blocks);
    LIMIT_BUFFER(const float, values);
    LIMIT_BUFFER(const float, x);
    LIMIT_BUFFER(float, y);

#pragma omp parallel for
    for (size_t b = 0; b < limit->size; b++) {
        float sum[3] = {0, 0, 0};
        for (int k = starts[b]; k < starts[b + 1]; k++)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    sum[i] += values[9 * k + 3 * i + j] * x[3 * blocks[k] + j];
        memcpy(y + 3 * b, sum, sizeof sum);
    }
}

LIMIT_FILL(jacobi_csr)
{
    LIMIT_BUFFER(int, starts);
    LIMIT_BUFFER(int, columns);

    fill_rows(starts, columns, limit->size);
}

LIMIT_LOOP(jacobi_csr)
{
    LIMIT_BUFFER(const int, starts);
    LIMIT_BUFFER(const int, columns);
    LIMIT_BUFFER(const float, values);
    LIMIT_BUFFER(const float, b);
    LIMIT_BUFFER(const float, x);
    LIMIT_BUFFER(float, next);

#pragma omp parallel for
    for (size_t i = 0; i < limit->size; i++) {
        float diagonal = 1, sum = b[i];
        for (int k = starts[i]; k < starts[i + 1]; k++) {
            if ((size_t)columns[k] == i)
                diagonal = values[k];
            else
                sum -= values[k] * x[columns[k]];
        }
        next[i] = sum / diagonal;
    }
}

LIMIT_LOOP(rows_append)
{
    LIMIT_BUFFER(const double, values);
    LIMIT_BUFFER(double, found);
    LIMIT_BUFFER(int, counts);
    LIMIT_VALUE(double, above);
    LIMIT_VALUE(int, width);

#pragma omp parallel for
    for (size_t i = 0; i < limit->size; i++) {
        int count = 0;
        for (int j = 0; j < width; j++)
            if (values[(size_t)j * limit->size + i] > above)
                found[i * (size_t)width + (size_t)count++] = values[(size_t)j * limit->size + i];
        counts[i] = count;
    }
}

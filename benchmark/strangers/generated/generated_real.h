/* SPDX-License-Identifier: MIT */
/* The loops of those kernels that there are in several types. */

LIMIT_LOOP(NAME(elementwise_axpbyz))
{
    LIMIT_BUFFER(REAL, z);
    LIMIT_BUFFER(const REAL, x);
    LIMIT_BUFFER(const REAL, y);
    LIMIT_VALUE(REAL, a);
    LIMIT_VALUE(REAL, b);

#pragma omp parallel for simd
    for (size_t i = 0; i < limit->size; i++)
        z[i + 16 / sizeof(REAL)] = a * x[i] + b * y[i + 32 / sizeof(REAL)];
}

LIMIT_LOOP(NAME(sycl_stencil))
{
    LIMIT_BUFFER(REAL, out);
    LIMIT_BUFFER(const REAL, in);
    LIMIT_VALUE(REAL, w);
    size_t n = limit->size;

#pragma omp parallel for
    for (size_t y = 1; y < n - 1; y++)
        for (size_t x = 1; x < n - 1; x++) {
            const REAL *p = in + y * n + x;
            out[y * n + x] = w * p[0] + (1 - w) * (REAL)0.25 * (p[-1] + p[1] + p[-(ptrdiff_t)n] + p[n]);
        }
}

LIMIT_LOOP(NAME(loopy_matmul))
{
    LIMIT_BUFFER(const REAL, a);
    LIMIT_BUFFER(const REAL, b);
    LIMIT_BUFFER(REAL, c);
    size_t n = limit->size;

#pragma omp parallel for
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            REAL sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}

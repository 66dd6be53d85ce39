/* SPDX-License-Identifier: MIT */
/* The loops of those kernels that there are in several types. */

LIMIT_LOOP(NAME(reduce_unrolled))
{
    LIMIT_BUFFER(const REAL, g_idata);
    LIMIT_BUFFER(REAL, g_odata);

#pragma omp parallel for
    for (size_t g = 0; g < 64; g++) {
        REAL sum = 0;
        for (size_t base = g * 512; base < limit->size; base += 64 * 512)
            for (size_t i = base; i < base + 512 && i < limit->size; i++)
                sum += g_idata[i];
        g_odata[g] = sum;
    }
}

LIMIT_LOOP(NAME(row_sums))
{
    LIMIT_BUFFER(const REAL, m);
    LIMIT_BUFFER(REAL, sums);
    LIMIT_VALUE(int, cols);

#pragma omp parallel for
    for (size_t r = 0; r < limit->size; r++) {
        REAL s = 0;
        for (int c = 0; c < cols; c++)
            s += m[r * (size_t)cols + (size_t)c];
        sums[r] = s;
    }
}

LIMIT_LOOP(NAME(column_sums))
{
    LIMIT_BUFFER(const REAL, m);
    LIMIT_BUFFER(REAL, sums);
    LIMIT_VALUE(int, rows);

#pragma omp parallel for simd
    for (size_t c = 0; c < limit->size; c++) {
        REAL s = 0;
        for (int r = 0; r < rows; r++)
            s += m[(size_t)r * limit->size + c];
        sums[c] = s;
    }
}

/* SPDX-License-Identifier: MIT */
#include "limit.h"

#define SHORTEST 8
#define LONGEST 24

LIMIT_FILL(spmv)
{
    LIMIT_BUFFER(uint32_t, starts);
    LIMIT_BUFFER(uint32_t, columns);
    uint32_t state = 1;

    starts[0] = 0;
    for (size_t row = 0; row < limit->size; row++) {
        state = state * 1664525 + 1013904223;
        starts[row + 1] = starts[row] + SHORTEST + (state >> 8) % (LONGEST - SHORTEST + 1);
        for (uint32_t i = starts[row]; i < starts[row + 1]; i++) {
            state = state * 1664525 + 1013904223;
            columns[i] = (state >> 4) % (uint32_t)limit->size;
        }
    }
}

LIMIT_REFERENCE(spmv)
{
    LIMIT_BUFFER(const uint32_t, starts);
    LIMIT_BUFFER(const uint32_t, columns);
    LIMIT_BUFFER(const float, values);
    LIMIT_BUFFER(const float, x);
    LIMIT_BUFFER(float, y);

    for (size_t row = 0; row < limit->size; row++) {
        double sum = 0;
        for (uint32_t i = starts[row]; i < starts[row + 1]; i++)
            sum += (double)values[i] * (double)x[columns[i]];
        y[row] = (float)sum;
    }
}

#if LIMIT_SIMD
#include "vec.h"

#define PIECE 1024

LIMIT_PHASES(spmv, 1)

LIMIT_UNITS(spmv, phase)
{
    return limit_pieces(limit->size, PIECE);
}

/* Row by row: matrix and columns are read in order, and only x is gathered; the row's end by a mask. */
LIMIT_RUN(spmv, phase, begin, end)
{
    LIMIT_BUFFER(const uint32_t, starts);
    LIMIT_BUFFER(const int32_t, columns);
    LIMIT_BUFFER(const float, values);
    LIMIT_BUFFER(const float, x);
    LIMIT_BUFFER(float, y);

    FOR_PIECES(row, PIECE, 1)
    {
        vf sum = splat_f(0);
        for (uint32_t i = starts[row]; i < starts[row + 1]; i += LANES) {
            uint32_t rest = starts[row + 1] - i;
#if LIMIT_SIMD == 512
            __mmask16 mask = (__mmask16)_bzhi_u32(0xffff, rest);
            __m512i at = _mm512_maskz_loadu_epi32(mask, columns + i);
            vf mine = _mm512_mask_i32gather_ps(splat_f(0), mask, at, x, 4);
            sum = fma_f(mine, _mm512_maskz_loadu_ps(mask, values + i), sum);
#else
            __m256i mask = (__m256i)gt_i(splat_i((int32_t)rest), iota());
            __m256i at = _mm256_maskload_epi32(columns + i, mask);
            vf mine = _mm256_mask_i32gather_ps(splat_f(0), x, at, (__m256)mask, 4);
            sum = fma_f(mine, _mm256_maskload_ps(values + i, mask), sum);
#endif
        }
        y[row] = sum_f(sum);
    }
}
#endif

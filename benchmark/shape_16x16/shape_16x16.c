/* SPDX-License-Identifier: MIT */
#include "limit.h"

LIMIT_REFERENCE(shape_16x16)
{
    LIMIT_VALUE(uint32_t, width);
    LIMIT_BUFFER(const float, filter);
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);
    size_t n = limit->size;

    for (size_t y = 0; y < n; y++)
        for (size_t x = 0; x < n; x++) {
            double sum = 0;
            for (size_t k = 0; k < 25; k++)
                sum += (double)filter[k] * (double)in[(y + k / 5) * width + x + k % 5];
            out[y * n + x] = (float)sum;
        }
}

#if LIMIT_SIMD
#include "vec.h"

#define ROWS 4

LIMIT_PHASES(shape_16x16, 1)

LIMIT_UNITS(shape_16x16, phase)
{
    return limit_pieces(limit->size, ROWS);
}

/* Four rows at once share the loads of the eight rows that they need; no copy of tiles. */
LIMIT_RUN(shape_16x16, phase, begin, end)
{
    LIMIT_VALUE(uint32_t, width);
    LIMIT_BUFFER(const float, filter);
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);
    size_t n = limit->size;

    FOR_PIECES(y, ROWS, ROWS)
    for (size_t x = 0; x < n; x += LANES) {
        vf sum[ROWS] = {splat_f(0), splat_f(0), splat_f(0), splat_f(0)};
#pragma clang loop unroll(full)
        for (int j = 0; j < ROWS + 4; j++)
#pragma clang loop unroll(full)
            for (int i = 0; i < 5; i++) {
                vf mine = load_f(in + (y + (size_t)j) * width + x + (size_t)i);
#pragma clang loop unroll(full)
                for (int r = 0; r < ROWS; r++)
                    if (j - r >= 0 && j - r < 5)
                        sum[r] = fma_f(mine, splat_f(filter[(j - r) * 5 + i]), sum[r]);
            }
        for (size_t r = 0; r < ROWS; r++)
            store_f(out + (y + r) * n + x, sum[r]);
    }
}
#endif

/* SPDX-License-Identifier: MIT */
#include "limit.h"

LIMIT_REFERENCE(stencil_2d)
{
    LIMIT_VALUE(float, rate);
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);
    size_t n = limit->size;

    memcpy(out, in, n * n * sizeof *out);
    for (size_t y = 1; y < n - 1; y++)
        for (size_t x = 1; x < n - 1; x++) {
            const float *p = in + y * n + x;
            out[y * n + x] = p[0] + rate * (p[-1] + p[1] + p[-(ptrdiff_t)n] + p[n] - 4.0f * p[0]);
        }
}

#if LIMIT_SIMD
#include "vec.h"

#define ROWS 8

LIMIT_PHASES(stencil_2d, 1)

LIMIT_UNITS(stencil_2d, phase)
{
    return limit_pieces(limit->size, ROWS);
}

LIMIT_RUN(stencil_2d, phase, begin, end)
{
    LIMIT_VALUE(float, rate);
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);
    size_t n = limit->size;

    FOR_PIECES(y, ROWS, 1)
    {
        const float *row = in + y * n, *above = row - n, *below = row + n;
        float *to = out + y * n;
        if (y == 0 || y == n - 1) {
            memcpy(to, row, n * sizeof *to);
            continue;
        }
        /* The ends are computed too, from the rows' neighbours in memory, and put right. */
        for (size_t x = 0; x < n; x += LANES) {
            vf middle = load_f(row + x);
            vf sum = load_f(row + x - 1) + load_f(row + x + 1) + load_f(above + x) + load_f(below + x);
            store_f(to + x, fma_f(splat_f(rate), fma_f(splat_f(-4), middle, sum), middle));
        }
        to[0] = row[0];
        to[n - 1] = row[n - 1];
    }
}
#endif

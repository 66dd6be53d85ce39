/* SPDX-License-Identifier: MIT */
#include "limit.h"

#include <math.h>

LIMIT_REFERENCE(shape_7x5)
{
    LIMIT_VALUE(uint32_t, width);
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);

    for (size_t y = 0; y < limit->global[1]; y++)
        for (size_t x = 0; x < limit->global[0]; x++) {
            const float *p = in + y * width + x, *q = p + width, *r = q + width;
            double across = (double)p[2] + 2 * (double)q[2] + (double)r[2] - (double)p[0] - 2 * (double)q[0] -
                            (double)r[0];
            double down = (double)r[0] + 2 * (double)r[1] + (double)r[2] - (double)p[0] - 2 * (double)p[1] -
                          (double)p[2];
            out[y * limit->global[0] + x] = (float)sqrt(across * across + down * down);
        }
}

#if LIMIT_SIMD
#include "vec.h"

#define ROWS 10

LIMIT_PHASES(shape_7x5, 1)

LIMIT_UNITS(shape_7x5, phase)
{
    return limit_pieces(limit->global[1], ROWS);
}

/* The last vector of a row ends with the row, over lanes that the one before it has already made. */
LIMIT_RUN(shape_7x5, phase, begin, end)
{
    LIMIT_VALUE(uint32_t, width);
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);
    size_t columns = limit->global[0];

    FOR_PIECES(y, ROWS, 1)
    for (size_t first = 0; first < columns; first += LANES) {
        size_t x = first + LANES <= columns ? first : columns - LANES;
        const float *p = in + y * width + x, *q = p + width, *r = q + width;
        vf a = load_f(p), c = load_f(p + 2), g = load_f(r), i = load_f(r + 2);
        vf across = fma_f(load_f(q + 2) - load_f(q), splat_f(2), c - a + (i - g));
        vf down = fma_f(load_f(r + 1) - load_f(p + 1), splat_f(2), g - a + (i - c));
        store_f(out + y * columns + x, sqrt_f(fma_f(across, across, down * down)));
    }
}
#endif

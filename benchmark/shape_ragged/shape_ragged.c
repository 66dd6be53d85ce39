/* SPDX-License-Identifier: MIT */
#include "limit.h"

#include <math.h>

LIMIT_REFERENCE(shape_ragged)
{
    LIMIT_VALUE(float, gain);
    LIMIT_VALUE(float, offset);
    LIMIT_VALUE(float, radius);
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);
    size_t width = limit->global[0];

    for (size_t y = 0; y < limit->global[1]; y++)
        for (size_t x = 0; x < width; x++) {
            double value = fmin(fmax((double)in[y * width + x] * (double)gain + (double)offset, 0), 1);
            out[y * width + x] = (float)(x * x + y * y) < radius * radius ? 0 : (float)sqrt(value);
        }
}

#if LIMIT_SIMD
#include "vec.h"

#define ROWS 8

LIMIT_PHASES(shape_ragged, 1)

LIMIT_UNITS(shape_ragged, phase)
{
    return (limit->global[1] + ROWS - 1) / ROWS;
}

/* The last vector of a row ends with the row, over lanes that the one before it has already made. */
LIMIT_RUN(shape_ragged, phase, begin, end)
{
    LIMIT_VALUE(float, gain);
    LIMIT_VALUE(float, offset);
    LIMIT_VALUE(float, radius);
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);
    size_t width = limit->global[0], stop = end * ROWS < limit->global[1] ? end * ROWS : limit->global[1];

    for (size_t y = begin * ROWS; y < stop; y++)
        for (size_t first = 0; first < width; first += LANES) {
            size_t x = first + LANES <= width ? first : width - LANES, i = y * width + x;
            vf dx = from_i(iota() + (int32_t)x), dy = splat_f((float)y);
            vf value =
                min_f(max_f(fma_f(load_f(in + i), splat_f(gain), splat_f(offset)), splat_f(0)), splat_f(1));
            vm corner = lt_f(fma_f(dx, dx, dy * dy), splat_f(radius * radius));
            store_f(out + i, select_f(corner, splat_f(0), sqrt_f(value)));
        }
}
#endif

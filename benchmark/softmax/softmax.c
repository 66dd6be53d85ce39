/* SPDX-License-Identifier: MIT */
#include "limit.h"

#include <math.h>

LIMIT_REFERENCE(softmax)
{
    LIMIT_VALUE(uint32_t, columns);
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);

    for (size_t row = 0; row < limit->size; row++) {
        const float *x = in + row * columns;
        float top = -INFINITY;
        double sum = 0;
        for (size_t i = 0; i < columns; i++)
            top = fmaxf(top, x[i]);
        for (size_t i = 0; i < columns; i++)
            sum += exp((double)x[i] - (double)top);
        for (size_t i = 0; i < columns; i++)
            out[row * columns + i] = (float)(exp((double)x[i] - (double)top) / sum);
    }
}

#if LIMIT_SIMD
#include "vec.h"

#define ROWS 8

LIMIT_PHASES(softmax, 1)

LIMIT_UNITS(softmax, phase)
{
    return limit_pieces(limit->size, ROWS);
}

LIMIT_RUN(softmax, phase, begin, end)
{
    LIMIT_VALUE(uint32_t, columns);
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);

    FOR_PIECES(row, ROWS, 1)
    {
        const float *x = in + row * columns;
        float *y = out + row * columns;
        vf tops[4], sums[4] = {splat_f(0), splat_f(0), splat_f(0), splat_f(0)};

        for (int k = 0; k < 4; k++)
            tops[k] = load_f(x + k * LANES);
        for (size_t i = 4 * LANES; i < columns; i += 4 * LANES)
            for (int k = 0; k < 4; k++)
                tops[k] = max_f(tops[k], load_f(x + i + k * LANES));
        vf top = splat_f(top_f(max_f(max_f(tops[0], tops[1]), max_f(tops[2], tops[3]))));
        for (size_t i = 0; i < columns; i += 4 * LANES)
            for (int k = 0; k < 4; k++) {
                vf e = exp_f(load_f(x + i + k * LANES) - top);
                store_f(y + i + k * LANES, e);
                sums[k] += e;
            }
        vf scale = splat_f(1 / sum_f(sums[0] + sums[1] + (sums[2] + sums[3])));
        for (size_t i = 0; i < columns; i += LANES)
            store_f(y + i, load_f(y + i) * scale);
    }
}
#endif

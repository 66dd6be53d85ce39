/* SPDX-License-Identifier: MIT */
#include "limit.h"

#include <math.h>

LIMIT_REFERENCE(layer_norm)
{
    LIMIT_VALUE(uint32_t, columns);
    LIMIT_VALUE(float, epsilon);
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(const float, scale);
    LIMIT_BUFFER(const float, shift);
    LIMIT_BUFFER(float, out);

    for (size_t row = 0; row < limit->size; row++) {
        const float *x = in + row * columns;
        double mean = 0, squares = 0;
        for (size_t i = 0; i < columns; i++)
            mean += (double)x[i];
        mean /= columns;
        for (size_t i = 0; i < columns; i++)
            squares += ((double)x[i] - mean) * ((double)x[i] - mean);
        double factor = 1 / sqrt(squares / columns + (double)epsilon);
        for (size_t i = 0; i < columns; i++)
            out[row * columns + i] =
                (float)(((double)x[i] - mean) * factor * (double)scale[i] + (double)shift[i]);
    }
}

#if LIMIT_SIMD
#include "vec.h"

#define ROWS 8

LIMIT_PHASES(layer_norm, 1)

LIMIT_UNITS(layer_norm, phase)
{
    return limit_pieces(limit->size, ROWS);
}

LIMIT_RUN(layer_norm, phase, begin, end)
{
    LIMIT_VALUE(uint32_t, columns);
    LIMIT_VALUE(float, epsilon);
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(const float, scale);
    LIMIT_BUFFER(const float, shift);
    LIMIT_BUFFER(float, out);

    FOR_PIECES(row, ROWS, 1)
    {
        const float *x = in + row * columns;
        vf sums[4] = {splat_f(0), splat_f(0), splat_f(0), splat_f(0)},
           squares[4] = {sums[0], sums[0], sums[0], sums[0]};

        for (size_t i = 0; i < columns; i += 4 * LANES)
            for (int k = 0; k < 4; k++)
                sums[k] += load_f(x + i + k * LANES);
        vf mean = splat_f(sum_f(sums[0] + sums[1] + (sums[2] + sums[3])) / (float)columns);
        for (size_t i = 0; i < columns; i += 4 * LANES)
            for (int k = 0; k < 4; k++) {
                vf d = load_f(x + i + k * LANES) - mean;
                squares[k] = fma_f(d, d, squares[k]);
            }
        float square = sum_f(squares[0] + squares[1] + (squares[2] + squares[3]));
        vf factor = 1.0f / sqrt_f(splat_f(square / (float)columns + epsilon));
        for (size_t i = 0; i < columns; i += LANES)
            store_f(out + row * columns + i,
                    fma_f((load_f(x + i) - mean) * factor, load_f(scale + i), load_f(shift + i)));
    }
}
#endif

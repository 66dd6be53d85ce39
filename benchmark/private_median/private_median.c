/* SPDX-License-Identifier: MIT */
#include "limit.h"

LIMIT_REFERENCE(private_median)
{
    LIMIT_VALUE(uint32_t, width);
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);
    size_t n = limit->size;

    for (size_t y = 0; y < n; y++)
        for (size_t x = 0; x < n; x++) {
            float v[9];
            for (size_t k = 0; k < 9; k++) {
                float mine = in[(y + k / 3) * width + x + k % 3];
                size_t at = k;
                for (; at > 0 && v[at - 1] > mine; at--)
                    v[at] = v[at - 1];
                v[at] = mine;
            }
            out[y * n + x] = v[4];
        }
}

#if LIMIT_SIMD
#include "vec.h"

#define ROWS 8

LIMIT_PHASES(private_median, 1)

LIMIT_UNITS(private_median, phase)
{
    return limit_pieces(limit->size, ROWS);
}

INLINE vf
median_of_three(vf a, vf b, vf c)
{
    return max_f(min_f(a, b), min_f(max_f(a, b), c));
}

/* Columns of three are sorted; the median of nine is that of the greatest lowest, the middle middle and the
 * least highest. */
LIMIT_RUN(private_median, phase, begin, end)
{
    LIMIT_VALUE(uint32_t, width);
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);

    FOR_PIECES(y, ROWS, 1)
    for (size_t x = 0; x < limit->size; x += LANES) {
        vf low[3], middle[3], high[3];
        for (size_t i = 0; i < 3; i++) {
            const float *p = in + y * width + x + i;
            vf a = load_f(p), b = load_f(p + width), c = load_f(p + 2 * width);
            vf least = min_f(a, b), most = max_f(a, b), rest = min_f(most, c);
            high[i] = max_f(most, c);
            low[i] = min_f(least, rest);
            middle[i] = max_f(least, rest);
        }
        store_f(out + y * limit->size + x, median_of_three(max_f(max_f(low[0], low[1]), low[2]),
                                                           median_of_three(middle[0], middle[1], middle[2]),
                                                           min_f(min_f(high[0], high[1]), high[2])));
    }
}
#endif

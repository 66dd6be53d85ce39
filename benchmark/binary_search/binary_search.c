/* SPDX-License-Identifier: MIT */
#include "limit.h"

LIMIT_FILL(binary_search)
{
    LIMIT_VALUE(uint32_t, n);
    LIMIT_BUFFER(uint32_t, sorted);
    uint32_t state = 1;

    for (uint32_t i = 0; i < n; i++) {
        state = state * 1664525 + 1013904223;
        sorted[i] = (i ? sorted[i - 1] : 0) + state % (2000000000 / n);
    }
}

LIMIT_REFERENCE(binary_search)
{
    LIMIT_VALUE(uint32_t, n);
    LIMIT_BUFFER(const uint32_t, sorted);
    LIMIT_BUFFER(const uint32_t, needles);
    LIMIT_BUFFER(uint32_t, out);

    for (size_t i = 0; i < limit->size; i++) {
        uint32_t low = 0, high = n;
        while (low < high) {
            uint32_t middle = (low + high) / 2;
            if (sorted[middle] < needles[i])
                low = middle + 1;
            else
                high = middle;
        }
        out[i] = low;
    }
}

#if LIMIT_SIMD
#include "vec.h"

#define PIECE 1024
#define FLIGHT 4

LIMIT_PHASES(binary_search, 1)

LIMIT_UNITS(binary_search, phase)
{
    return limit_pieces(limit->size, PIECE);
}

/* Without branches: the range is halved as often for every lane. Elements are below 2^31, so signed
 * comparisons do. */
LIMIT_RUN(binary_search, phase, begin, end)
{
    LIMIT_VALUE(uint32_t, n);
    LIMIT_BUFFER(const int32_t, sorted);
    LIMIT_BUFFER(const int32_t, needles);
    LIMIT_BUFFER(int32_t, out);

    FOR_PIECES(i, PIECE, FLIGHT * LANES)
    {
        vi needle[FLIGHT], low[FLIGHT];
        for (int k = 0; k < FLIGHT; k++) {
            needle[k] = load_i(needles + i + (size_t)k * LANES);
            low[k] = splat_i(0);
        }
        uint32_t length = n;
        while (length > 1) {
            uint32_t half = length / 2;
            for (int k = 0; k < FLIGHT; k++) {
                vm less = gt_i(needle[k], gather_i(sorted, low[k] + (int32_t)(half - 1)));
                low[k] = add_where(less, low[k], (int)half);
            }
            length -= half;
        }
        for (int k = 0; k < FLIGHT; k++) {
            low[k] = add_where(gt_i(needle[k], gather_i(sorted, low[k])), low[k], 1);
            store_i(out + i + (size_t)k * LANES, low[k]);
        }
    }
}
#endif

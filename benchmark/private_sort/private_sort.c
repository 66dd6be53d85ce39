/* SPDX-License-Identifier: MIT */
#include "limit.h"

LIMIT_REFERENCE(private_sort)
{
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);
    size_t n = limit->size;

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 8; k++) {
            float x = in[k * n + i];
            size_t at = k;
            for (; at > 0 && out[(at - 1) * n + i] > x; at--)
                out[at * n + i] = out[(at - 1) * n + i];
            out[at * n + i] = x;
        }
}

#if LIMIT_SIMD
#include "vec.h"

#define PIECE 2048

LIMIT_PHASES(private_sort, 4) /* as often as the description launches the kernel */

LIMIT_UNITS(private_sort, phase)
{
    return limit_pieces(limit->size, PIECE);
}

INLINE void
order_f(vf *a, vf *b)
{
    vf low = min_f(*a, *b);
    *b = max_f(*a, *b);
    *a = low;
}

/* The best network of eight: nineteen comparisons. */
LIMIT_RUN(private_sort, phase, begin, end)
{
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);
    static const uint8_t pairs[19][2] = {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6},
                                         {3, 7}, {0, 1}, {2, 3}, {4, 5}, {6, 7}, {2, 4}, {3, 5},
                                         {1, 4}, {3, 6}, {1, 2}, {3, 4}, {5, 6}};

    FOR_PIECES(i, PIECE, LANES)
    {
        vf v[8];
        for (size_t k = 0; k < 8; k++)
            v[k] = load_f(in + k * limit->size + i);
        for (int k = 0; k < 19; k++)
            order_f(v + pairs[k][0], v + pairs[k][1]);
        for (size_t k = 0; k < 8; k++)
            store_f(out + k * limit->size + i, v[k]);
    }
}
#endif

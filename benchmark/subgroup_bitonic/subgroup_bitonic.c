/* SPDX-License-Identifier: MIT */
#define NAME subgroup_bitonic
#define BLOCK 16
#include "sorted_blocks.h"

#if LIMIT_SIMD
#include "vec.h"

#define PIECE 8192

LIMIT_PHASES(subgroup_bitonic, 1)

LIMIT_UNITS(subgroup_bitonic, phase)
{
    return limit_pieces(limit->size, PIECE);
}

/* As many blocks at once as there are lanes: transposed, sorted by a network without shuffles, transposed
 * back. */
LIMIT_RUN(subgroup_bitonic, phase, begin, end)
{
    LIMIT_BUFFER(const int32_t, in);
    LIMIT_BUFFER(int32_t, out);

    FOR_PIECES(i, PIECE, LANES * BLOCK)
    {
        vi v[BLOCK];
        for (int half = 0; half < BLOCK; half += LANES) {
            for (int r = 0; r < LANES; r++)
                v[half + r] = load_i(in + i + r * BLOCK + half);
            transpose(v + half);
        }
        sort_16(v);
        for (int half = 0; half < BLOCK; half += LANES) {
            transpose(v + half);
            for (int r = 0; r < LANES; r++)
                store_i(out + i + r * BLOCK + half, v[half + r]);
        }
    }
}
#endif

/* SPDX-License-Identifier: MIT */
#include "limit.h"

LIMIT_REFERENCE(subgroup_compact)
{
    LIMIT_VALUE(int32_t, threshold);
    LIMIT_BUFFER(const int32_t, in);
    LIMIT_BUFFER(int32_t, out);
    LIMIT_BUFFER(uint32_t, count);

    for (size_t i = 0; i < limit->size; i++)
        if (in[i] > threshold)
            out[(*count)++] = in[i];
}

#if LIMIT_SIMD
#include "vec.h"

#define PIECE 4096

LIMIT_PHASES(subgroup_compact, 1)

LIMIT_UNITS(subgroup_compact, phase)
{
    return limit_pieces(limit->size, PIECE);
}

/* A piece is brought together in the first cache, then copied to room that one atomic reserves. */
LIMIT_RUN(subgroup_compact, phase, begin, end)
{
    LIMIT_VALUE(int32_t, threshold);
    LIMIT_BUFFER(const int32_t, in);
    LIMIT_BUFFER(int32_t, out);
    LIMIT_BUFFER(uint32_t, count);
    int32_t kept[PIECE + LANES];

    for (size_t piece = begin; piece < end; piece++) {
        uint32_t n = 0;
        for (size_t i = piece * PIECE; i < (piece + 1) * PIECE; i += LANES) {
            vi x = load_i(in + i);
            n += compress_i(kept + n, gt_i(x, splat_i(threshold)), x);
        }
        memcpy(out + __atomic_fetch_add(count, n, __ATOMIC_RELAXED), kept, n * sizeof *kept);
    }
}
#endif

/* SPDX-License-Identifier: MIT */
#include "limit.h"

LIMIT_REFERENCE(prefix_sum)
{
    LIMIT_BUFFER(const uint32_t, in);
    LIMIT_BUFFER(uint32_t, out);
    uint32_t sum = 0;

    for (size_t i = 0; i < limit->size; i++)
        out[i] = sum += in[i];
}

#if LIMIT_SIMD
#include "vec.h"

#define PIECE 16384

LIMIT_PHASES(prefix_sum, 3)
LIMIT_SCRATCH(prefix_sum, limit->size / PIECE * sizeof(uint32_t))

LIMIT_UNITS(prefix_sum, phase)
{
    return phase == 1 ? 1 : limit_pieces(limit->size, PIECE);
}

INLINE uint32_t
total(const uint32_t *in)
{
    vi sum[4] = {splat_i(0), splat_i(0), splat_i(0), splat_i(0)};

    for (size_t i = 0; i < PIECE; i += 4 * LANES)
        for (int k = 0; k < 4; k++)
            sum[k] += load_i((const int32_t *)in + i + k * LANES);
    return sum_i(sum[0] + sum[1] + sum[2] + sum[3]);
}

LIMIT_RUN(prefix_sum, phase, begin, end)
{
    LIMIT_BUFFER(const uint32_t, in);
    LIMIT_BUFFER(uint32_t, out);
    uint32_t *totals = limit->scratch, sum = 0;

    if (phase == 0)
        for (size_t piece = begin; piece < end; piece++)
            totals[piece] = total(in + piece * PIECE);
    else if (phase == 1)
        for (size_t piece = 0; piece < limit->size / PIECE; piece++) {
            uint32_t mine = totals[piece];
            totals[piece] = sum;
            sum += mine;
        }
    else
        for (size_t piece = begin; piece < end; piece++) {
            vi before = splat_i((int32_t)totals[piece]);
            for (size_t i = piece * PIECE; i < (piece + 1) * PIECE; i += LANES) {
                vi x = scan_i(load_i((const int32_t *)in + i));
                store_i((int32_t *)out + i, x + before);
                before += last_i(x);
            }
        }
}
#endif

/* SPDX-License-Identifier: MIT */
#include "limit.h"

LIMIT_REFERENCE(random_loops)
{
    LIMIT_BUFFER(const uint32_t, in);
    LIMIT_BUFFER(uint32_t, out);

    for (size_t i = 0; i < limit->size; i++) {
        uint32_t start = in[i], x = start, steps = 0;
        do {
            x = x & 1 ? (3 * x + 1) >> 1 : x >> 1;
            steps++;
        } while (x > start && steps < 500);
        out[i] = steps;
    }
}

#if LIMIT_SIMD
#include "vec.h"

#define PIECE 2048
#define FLIGHT 2

LIMIT_PHASES(random_loops, 1)

LIMIT_UNITS(random_loops, phase)
{
    return limit_pieces(limit->size, PIECE);
}

/* Unsigned comparison by the order of signed numbers: both sides are moved by 2^31. */
INLINE vm
above(vi a, vi b)
{
#if LIMIT_SIMD == 512
    return _mm512_cmpgt_epu32_mask((__m512i)a, (__m512i)b);
#else
    return gt_i(a ^ INT32_MIN, b ^ INT32_MIN);
#endif
}

LIMIT_RUN(random_loops, phase, begin, end)
{
    LIMIT_BUFFER(const int32_t, in);
    LIMIT_BUFFER(int32_t, out);

    FOR_PIECES(i, PIECE, FLIGHT * LANES)
    {
        vi start[FLIGHT], x[FLIGHT], steps[FLIGHT];
        vm alive[FLIGHT], rest = all_m();
        for (int k = 0; k < FLIGHT; k++) {
            start[k] = x[k] = load_i(in + i + (size_t)k * LANES);
            steps[k] = splat_i(0);
            alive[k] = all_m();
        }
        for (int round = 0; round < 500 && any(rest); round++) {
            rest = andnot_m(all_m(), all_m());
            for (int k = 0; k < FLIGHT; k++) {
                vi odd = -(x[k] & 1), half = (vi)((vu)x[k] >> 1),
                   up = (vi)((vu)(x[k] + x[k] + x[k] + 1) >> 1);
                x[k] = (odd & up) | (~odd & half);
                steps[k] = add_where(alive[k], steps[k], 1);
                alive[k] = and_m(alive[k], above(x[k], start[k]));
                rest = or_m(rest, alive[k]);
            }
        }
        for (int k = 0; k < FLIGHT; k++)
            store_i(out + i + (size_t)k * LANES, steps[k]);
    }
}
#endif

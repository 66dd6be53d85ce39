/* SPDX-License-Identifier: MIT */
#include "limit.h"

LIMIT_REFERENCE(uchar4_blend)
{
    LIMIT_BUFFER(const uint8_t, under);
    LIMIT_BUFFER(const uint8_t, over);
    LIMIT_BUFFER(uint8_t, out);

    for (size_t i = 0; i < 4 * limit->size; i++) {
        unsigned alpha = over[i | 3], mixed = over[i] * alpha + under[i] * (255 - alpha) + 128;
        out[i] = (uint8_t)((mixed + (mixed >> 8)) >> 8);
    }
}

#if LIMIT_SIMD
#include "vec.h"

#define PIECE 16384

LIMIT_PHASES(uchar4_blend, 1)

LIMIT_UNITS(uchar4_blend, phase)
{
    return limit_pieces(limit->size, PIECE);
}

/* Half of the pixels, one byte to 16 bits; both halves are packed together again in the same order. */
INLINE vraw
blend(vraw a, vraw b)
{
#if LIMIT_SIMD == 512
    vraw order =
        _mm512_broadcast_i32x4(_mm_setr_epi8(6, -1, 6, -1, 6, -1, 6, -1, 14, -1, 14, -1, 14, -1, 14, -1));
#else
    vraw order = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(6, -1, 6, -1, 6, -1, 6, -1, 14, -1, 14, -1, 14, -1, 14, -1));
#endif
    vraw alpha = VEC(shuffle_epi8)(a, order);
    vus rest = 255 - (vus)alpha, mixed = (vus)a * (vus)alpha + (vus)b * rest + 128;
    return (vraw)((mixed + (mixed >> 8)) >> 8);
}

LIMIT_RUN(uchar4_blend, phase, begin, end)
{
    LIMIT_BUFFER(const uint8_t, under);
    LIMIT_BUFFER(const uint8_t, over);
    LIMIT_BUFFER(uint8_t, out);
    vraw zero = (vraw)splat_i(0);

    FOR_PIECES(i, 4 * PIECE, VEC_BYTES)
    {
        vraw a = (vraw)load_uc(over + i), b = (vraw)load_uc(under + i);
        vraw low = blend(VEC(unpacklo_epi8)(a, zero), VEC(unpacklo_epi8)(b, zero));
        vraw high = blend(VEC(unpackhi_epi8)(a, zero), VEC(unpackhi_epi8)(b, zero));
        store_uc(out + i, (vuc)VEC(packus_epi16)(low, high));
    }
}
#endif

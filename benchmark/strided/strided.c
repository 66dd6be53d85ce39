/* SPDX-License-Identifier: MIT */
#include "limit.h"

LIMIT_REFERENCE(strided)
{
    LIMIT_BUFFER(const float, rgb);
    LIMIT_BUFFER(float, grey);

    for (size_t i = 0; i < limit->size; i++)
        grey[i] = 0.299f * rgb[3 * i] + 0.587f * rgb[3 * i + 1] + 0.114f * rgb[3 * i + 2];
}

#if LIMIT_SIMD
#include "vec.h"

#define PIECE 8192

LIMIT_PHASES(strided, 4) /* as often as the description launches the kernel */

LIMIT_UNITS(strided, phase)
{
    return limit_pieces(limit->size, PIECE);
}

/* Every third of 3 * LANES elements, from `at` on. */
#if LIMIT_SIMD == 512
INLINE vf
every_third(vf a, vf b, vf c, int at)
{
    vi low = iota() * 3 + at;
    vf ab = _mm512_permutex2var_ps(a, (__m512i)low, b);
    return _mm512_mask_permutexvar_ps(ab, (__mmask16)(at == 2 ? 0xfc00 : 0xf800), (__m512i)(low - 32), c);
}
#else
INLINE vf
every_third(vf a, vf b, vf c, int at)
{
    /* One vector has each lane's element once; a blend, then one permutation. */
    vf mixed;
    if (at == 0)
        mixed = _mm256_blend_ps(_mm256_blend_ps(a, b, 0x92), c, 0x24);
    else if (at == 1)
        mixed = _mm256_blend_ps(_mm256_blend_ps(a, b, 0x24), c, 0x49);
    else
        mixed = _mm256_blend_ps(_mm256_blend_ps(a, b, 0x49), c, 0x92);
    return _mm256_permutevar8x32_ps(mixed, (__m256i)((iota() * 3 + at) & 7));
}
#endif

LIMIT_RUN(strided, phase, begin, end)
{
    LIMIT_BUFFER(const float, rgb);
    LIMIT_BUFFER(float, grey);

    FOR_PIECES(i, PIECE, LANES)
    {
        vf a = load_f(rgb + 3 * i), b = load_f(rgb + 3 * i + LANES), c = load_f(rgb + 3 * i + 2 * LANES);
        vf sum = every_third(a, b, c, 0) * 0.299f;
        sum = fma_f(every_third(a, b, c, 1), splat_f(0.587f), sum);
        store_f(grey + i, fma_f(every_third(a, b, c, 2), splat_f(0.114f), sum));
    }
}
#endif

/* SPDX-License-Identifier: MIT */
#include "limit.h"

LIMIT_REFERENCE(scan_int)
{
    LIMIT_BUFFER(const int32_t, in);
    LIMIT_BUFFER(int32_t, out);
    uint32_t sum = 0;

    for (size_t i = 0; i < limit->size; i++) {
        sum = (i % limit->local[0]) % limit->subgroup ? sum + (uint32_t)in[i] : (uint32_t)in[i];
        out[i] = (int32_t)sum;
    }
}

#if LIMIT_SIMD
#include <immintrin.h>

#define PIECE 4096

LIMIT_PHASES(scan_int, limit->subgroup == 16 && limit->local[0] % 16 == 0)

LIMIT_UNITS(scan_int, phase)
{
    return limit_pieces(limit->size, PIECE);
}

#if LIMIT_SIMD == 512
/* Sixteen lanes: four steps, each adding what stands 1, 2, 4, 8 lanes below. */
static inline __m512i
scan_vector(__m512i x)
{
    __m512i zero = _mm512_setzero_si512();

    x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 15));
    x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 14));
    x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 12));
    return _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 8));
}
#else
/* Eight lanes: two steps within the halves, then the lower half's last element to the upper half. */
static inline __m256i
scan_vector(__m256i x)
{
    __m256i lower;

    x = _mm256_add_epi32(x, _mm256_slli_si256(x, 4));
    x = _mm256_add_epi32(x, _mm256_slli_si256(x, 8));
    lower = _mm256_permute2x128_si256(x, x, 0x08);
    return _mm256_add_epi32(x, _mm256_shuffle_epi32(lower, 0xff));
}
#endif

LIMIT_RUN(scan_int, phase, begin, end)
{
    LIMIT_BUFFER(const int32_t, in);
    LIMIT_BUFFER(int32_t, out);

    for (size_t i = begin * PIECE; i < end * PIECE; i += 16) {
#if LIMIT_SIMD == 512
        _mm512_store_si512(out + i, scan_vector(_mm512_load_si512(in + i)));
#else
        __m256i low = scan_vector(_mm256_load_si256((const __m256i *)(in + i)));
        __m256i high = scan_vector(_mm256_load_si256((const __m256i *)(in + i + 8)));
        __m256i last = _mm256_permutevar8x32_epi32(low, _mm256_set1_epi32(7));

        _mm256_store_si256((__m256i *)(out + i), low);
        _mm256_store_si256((__m256i *)(out + i + 8), _mm256_add_epi32(high, last));
#endif
    }
}
#endif

/* SPDX-License-Identifier: MIT */
#include "limit.h"

LIMIT_REFERENCE(image_filter)
{
    LIMIT_VALUE(uint32_t, width);
    LIMIT_BUFFER(const uint8_t, in);
    LIMIT_BUFFER(uint8_t, out);
    static const unsigned weights[3] = {1, 2, 1};

    for (size_t y = 1; y <= limit->size; y++)
        for (size_t x = 1; x <= limit->size; x++) {
            unsigned sum = 8;
            for (size_t j = 0; j < 3; j++)
                for (size_t i = 0; i < 3; i++)
                    sum += weights[j] * weights[i] * in[(y + j - 1) * width + x + i - 1];
            out[y * width + x] = (uint8_t)(sum / 16);
        }
}

#if LIMIT_SIMD
#include "vec.h"

#define ROWS 8

LIMIT_PHASES(image_filter, 4) /* as often as the description launches the kernel */

LIMIT_UNITS(image_filter, phase)
{
    return limit_pieces(limit->size, ROWS);
}

INLINE vus
widened(const uint8_t *p)
{
#if LIMIT_SIMD == 512
    return (vus)_mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)p));
#else
    return (vus)_mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)p));
#endif
}

/* Sums of 16 bits, which hold 16 * 255. Down a column first: each row's weighted neighbours are made once and
 * used by three rows. */
LIMIT_RUN(image_filter, phase, begin, end)
{
    LIMIT_VALUE(uint32_t, width);
    LIMIT_BUFFER(const uint8_t, in);
    LIMIT_BUFFER(uint8_t, out);

    for (size_t x = 0; x < limit->size; x += VEC_BYTES / 2) {
        vus rows[3];
        for (size_t y = begin * ROWS; y < end * ROWS + 2; y++) {
            const uint8_t *p = in + y * width + x;
            rows[0] = rows[1];
            rows[1] = rows[2];
            rows[2] = widened(p) + widened(p + 1) * 2 + widened(p + 2);
            if (y < begin * ROWS + 2)
                continue;
            vus sum = (rows[0] + rows[1] * 2 + rows[2] + 8) >> 4;
            uint8_t *to = out + (y - 1) * width + x + 1;
#if LIMIT_SIMD == 512
            _mm256_storeu_si256((__m256i *)to, _mm512_cvtepi16_epi8((vraw)sum));
#else
            vraw packed = _mm256_permute4x64_epi64(_mm256_packus_epi16((vraw)sum, (vraw)sum), 0x08);
            _mm_storeu_si128((__m128i *)to, _mm256_castsi256_si128(packed));
#endif
        }
    }
}
#endif

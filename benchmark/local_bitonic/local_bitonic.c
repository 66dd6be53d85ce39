/* SPDX-License-Identifier: MIT */
#define NAME local_bitonic
#define BLOCK 512
#include "sorted_blocks.h"

#if LIMIT_SIMD
#include "vec.h"

#define BLOCKS 16
#define VECTORS (BLOCK / LANES)

/* Lane i gets lane i ^ distance. */
INLINE vi
exchange(vi x, unsigned distance)
{
#if LIMIT_SIMD == 512
    switch (distance) {
    case 1:
        return (vi)_mm512_shuffle_epi32((__m512i)x, 0xb1);
    case 2:
        return (vi)_mm512_shuffle_epi32((__m512i)x, 0x4e);
    case 4:
        return (vi)_mm512_shuffle_i32x4((__m512i)x, (__m512i)x, 0xb1);
    default:
        return (vi)_mm512_shuffle_i32x4((__m512i)x, (__m512i)x, 0x4e);
    }
#else
    switch (distance) {
    case 1:
        return (vi)_mm256_shuffle_epi32((__m256i)x, 0xb1);
    case 2:
        return (vi)_mm256_shuffle_epi32((__m256i)x, 0x4e);
    default:
        return (vi)_mm256_permute2x128_si256((__m256i)x, (__m256i)x, 0x01);
    }
#endif
}

INLINE vi
reverse(vi x)
{
#if LIMIT_SIMD == 512
    return (vi)_mm512_permutexvar_epi32((__m512i)(15 - iota()), (__m512i)x);
#else
    return (vi)_mm256_permutevar8x32_epi32((__m256i)x, (__m256i)(7 - iota()));
#endif
}

/* The lower of the lanes that are `distance` apart, the higher where that bit of the lane's number is set. */
INLINE vi
half_clean(vi x, unsigned distance)
{
    vi other = exchange(x, distance), low = min_i(x, other), high = max_i(x, other);

#if LIMIT_SIMD == 512
    unsigned mask = distance == 8 ? 0xff00 : distance == 4 ? 0xf0f0 : distance == 2 ? 0xcccc : 0xaaaa;
    return (vi)_mm512_mask_mov_epi32((__m512i)low, (__mmask16)mask, (__m512i)high);
#else
    return (vi)(distance == 4   ? _mm256_blend_epi32((__m256i)low, (__m256i)high, 0xf0)
                : distance == 2 ? _mm256_blend_epi32((__m256i)low, (__m256i)high, 0xcc)
                                : _mm256_blend_epi32((__m256i)low, (__m256i)high, 0xaa));
#endif
}

/* The last steps of a bitonic merge, within the vector. */
INLINE vi
merge_lanes(vi x)
{
#if LIMIT_SIMD == 512
    x = half_clean(x, 8);
#endif
    return half_clean(half_clean(half_clean(x, 4), 2), 1);
}

/* Columns of sixteen vectors are sorted and transposed to runs of sixteen, which bitonic merges double: the
 * second run reversed, whole vectors compared, the rest within the vectors. */
INLINE void
sort_block(const int32_t *in, int32_t *out)
{
    vi v[VECTORS];

#pragma clang loop unroll(disable)
    for (int i = 0; i < VECTORS; i += 16) {
        for (int r = 0; r < 16; r++)
            v[i + r] = load_i(in + (i + r) * LANES);
        sort_16(v + i);
        for (int half = 0; half < 16; half += LANES)
            transpose(v + i + half);
        if (LANES == 8) { /* eight columns of sixteen: the halves of each stand eight vectors apart */
            vi t[16];
            for (int r = 0; r < 16; r++)
                t[r] = v[i + r % 2 * 8 + r / 2];
            memcpy(v + i, t, sizeof t);
        }
    }
#pragma clang loop unroll(disable)
    for (int run = 16 / LANES; run < VECTORS; run *= 2)
#pragma clang loop unroll(disable)
        for (int first = 0; first < VECTORS; first += 2 * run) {
            vi *a = v + first, *b = a + run, turned[VECTORS / 2];
            for (int k = 0; k < run; k++)
                turned[k] = reverse(b[run - 1 - k]);
            for (int k = 0; k < run; k++) {
                b[k] = max_i(a[k], turned[k]);
                a[k] = min_i(a[k], turned[k]);
            }
            for (int stride = run / 2; stride; stride /= 2)
                for (int k = 0; k < 2 * run; k += 2 * stride)
                    for (int j = k; j < k + stride; j++)
                        order(a + j, a + j + stride);
            for (int k = 0; k < 2 * run; k++)
                a[k] = merge_lanes(a[k]);
        }
    for (int i = 0; i < VECTORS; i++)
        store_i(out + i * LANES, v[i]);
}

LIMIT_PHASES(local_bitonic, 1)

LIMIT_UNITS(local_bitonic, phase)
{
    return limit_pieces(limit->size, BLOCK * BLOCKS);
}

LIMIT_RUN(local_bitonic, phase, begin, end)
{
    LIMIT_BUFFER(const int32_t, in);
    LIMIT_BUFFER(int32_t, out);

    for (size_t i = begin * BLOCKS * BLOCK; i < end * BLOCKS * BLOCK; i += BLOCK)
        sort_block(in + i, out + i);
}
#endif

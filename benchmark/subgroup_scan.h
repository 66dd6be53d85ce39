/* SPDX-License-Identifier: MIT */
/* The scans of sub-groups of 4 to 64 elements: defines reference and limit for TYPE, by NAME. Steps of 1, 2,
 * 4, ... elements within a vector, then what the vectors before it hold. Set before: TYPE, SUM (unsigned for
 * integers, for they wrap), NAME, EXCLUSIVE (0 or 1), and one of SCAN_INT (of SCAN_BITS), SCAN_FLOAT (of 32
 * or 64), SCAN_HALF. */
#include "named.h"

REFERENCE(NAME)
{
    LIMIT_BUFFER(const TYPE, in);
    LIMIT_BUFFER(TYPE, out);
    SUM sum = 0;

    for (size_t i = 0; i < limit->size; i++) {
        if (i % limit->subgroup == 0)
            sum = 0;
        if (EXCLUSIVE)
            out[i] = (TYPE)sum;
        sum += (SUM)in[i];
        if (!EXCLUSIVE)
            out[i] = (TYPE)sum;
    }
}

#if LIMIT_SIMD
#include "vec.h"

#define PIECE 16384

#ifdef SCAN_HALF
typedef float lane;
#define LANE_BYTES 4u
#else
typedef SUM lane;
#define LANE_BYTES (SCAN_BITS / 8u)
#endif
#define WIDE (VEC_BYTES / LANE_BYTES) /* lanes of a vector */
typedef lane vector __attribute__((vector_size(VEC_BYTES)));

INLINE vector
load_lanes(const TYPE *p)
{
#if defined SCAN_HALF && LIMIT_SIMD == 512
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
#elif defined SCAN_HALF
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p));
#else
    vector v;
    memcpy(&v, p, sizeof v);
    return v;
#endif
}

INLINE void
store_lanes(TYPE *p, vector x)
{
#if defined SCAN_HALF && LIMIT_SIMD == 512
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
#elif defined SCAN_HALF
    _mm_storeu_si128((__m128i *)p, _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
#else
    memcpy(p, &x, sizeof x);
#endif
}

#if LIMIT_SIMD == 512
struct step {
    vraw index;
    __mmask64 mask;
};

/* Lane i of the result is lane i - distance of the same sub-group of n, or zero. */
INLINE struct step
make_step(unsigned distance, unsigned n)
{
    struct step step = {.mask = 0};
    uint8_t numbers[VEC_BYTES] = {0};

    for (unsigned i = 0; i < WIDE; i++) {
        numbers[i * LANE_BYTES] = (uint8_t)((i - distance) % WIDE);
        if (i % n >= distance)
            step.mask |= 1ull << i;
    }
    memcpy(&step.index, numbers, sizeof step.index);
    return step;
}

INLINE vector
shift(vector x, struct step step)
{
    if (LANE_BYTES == 1)
        return (vector)_mm512_maskz_permutexvar_epi8(step.mask, step.index, (vraw)x);
    if (LANE_BYTES == 2)
        return (vector)_mm512_maskz_permutexvar_epi16((__mmask32)step.mask, step.index, (vraw)x);
    if (LANE_BYTES == 4)
        return (vector)_mm512_maskz_permutexvar_epi32((__mmask16)step.mask, step.index, (vraw)x);
    return (vector)_mm512_maskz_permutexvar_epi64((__mmask8)step.mask, step.index, (vraw)x);
}

/* The last lane, everywhere. */
INLINE vector
last_lane(vector x)
{
    if (LANE_BYTES == 1)
        return (vector)_mm512_permutexvar_epi8(_mm512_set1_epi8(63), (vraw)x);
    if (LANE_BYTES == 2)
        return (vector)_mm512_permutexvar_epi16(_mm512_set1_epi16(31), (vraw)x);
    if (LANE_BYTES == 4)
        return (vector)_mm512_permutexvar_epi32(_mm512_set1_epi32(15), (vraw)x);
    return (vector)_mm512_permutexvar_epi64(_mm512_set1_epi64(7), (vraw)x);
}
#define STEPS 6
#define LONGEST WIDE
#else
struct step {
    vraw index;
};

/* As above, but within the halves of the vector. */
INLINE struct step
make_step(unsigned distance, unsigned n)
{
    vuc index;

    for (unsigned i = 0; i < 32; i++) {
        unsigned number = i / LANE_BYTES % (16 / LANE_BYTES);
        index[i] = number % n >= distance ? (uint8_t)(i % 16 - distance * LANE_BYTES) : 0x80;
    }
    return (struct step){(vraw)index};
}

INLINE vector
shift(vector x, struct step step)
{
    return (vector)_mm256_shuffle_epi8((vraw)x, step.index);
}

/* The last lane of each half, everywhere in it. */
INLINE vraw
last_of_halves(vraw x)
{
    if (LANE_BYTES == 8)
        return _mm256_shuffle_epi32(x, 0xee);
    if (LANE_BYTES == 4)
        return _mm256_shuffle_epi32(x, 0xff);
    return _mm256_shuffle_epi8(x, LANE_BYTES == 2 ? _mm256_set1_epi16(0x0f0e) : _mm256_set1_epi8(15));
}

INLINE vector
last_lane(vector x)
{
    return (vector)last_of_halves(_mm256_permute4x64_epi64((vraw)x, 0xee));
}
#define STEPS 4
#define LONGEST (16 / LANE_BYTES)
#endif

INLINE void
scan(const TYPE *in, TYPE *out, size_t count, unsigned n)
{
    struct step steps[STEPS];
    unsigned used = 0, vectors = n > WIDE ? n / WIDE : 1;

    for (unsigned distance = 1; distance < n && distance < LONGEST; distance *= 2)
        steps[used++] = make_step(distance, n);
    for (size_t i = 0; i < count; i += vectors * WIDE) {
        vector carry = {0};
#pragma clang loop unroll(full)
        for (unsigned k = 0; k < vectors; k++) {
            vector mine = load_lanes(in + i + k * WIDE), x = mine, result;
#pragma clang loop unroll(full)
            for (unsigned s = 0; s < used; s++)
                x += shift(x, steps[s]);
#if LIMIT_SIMD == 256
            if (n > LONGEST)
                x += (vector)last_of_halves(_mm256_permute2x128_si256((vraw)x, (vraw)x, 0x08));
#endif
#if !EXCLUSIVE
            result = x;
#elif defined SCAN_INT
            result = x - mine;
#elif LIMIT_SIMD == 512
            result = shift(x, steps[0]);
#else
            if (n > LONGEST) {
                vraw below = _mm256_permute2x128_si256((vraw)x, (vraw)x, 0x08);
                result = (vector)_mm256_alignr_epi8((vraw)x, below, 16 - LANE_BYTES);
            } else
                result = shift(x, steps[0]);
#endif
            if (k)
                result += carry;
            store_lanes(out + i + k * WIDE, result);
            if (k + 1 < vectors)
                carry = k ? carry + last_lane(x) : last_lane(x);
        }
    }
}

/* As often as the description launches the kernel. */
PHASES(NAME, 4)

UNITS(NAME, phase)
{
    return limit_pieces(limit->size, PIECE);
}

RUN(NAME, phase, begin, end)
{
    LIMIT_BUFFER(const TYPE, in);
    LIMIT_BUFFER(TYPE, out);
    size_t count = (end - begin) * PIECE;

    in += begin * PIECE;
    out += begin * PIECE;
    BY_SUB_GROUP(scan, in, out, count);
}
#endif

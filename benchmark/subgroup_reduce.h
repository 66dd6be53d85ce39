/* SPDX-License-Identifier: MIT */
/* The sums of sub-groups of 4 to 64 elements: defines reference and limit for TYPE, by NAME. The limit brings
 * as many vectors together as a sub-group has lanes and adds neighbours, so that one vector of results comes
 * out. Set before: TYPE, SUM (the type of the sums), NAME, and one of REDUCE_INT, REDUCE_FLOAT,
 * REDUCE_DOUBLE, REDUCE_HALF, REDUCE_SHORT, REDUCE_CHAR. */
#include "named.h"

REFERENCE(NAME)
{
    LIMIT_BUFFER(const TYPE, in);
    LIMIT_BUFFER(TYPE, out);
    size_t n = limit->subgroup;

    for (size_t i = 0; i < limit->size / n; i++) {
        SUM sum = 0;
        for (size_t lane = 0; lane < n; lane++)
            sum += (SUM)in[i * n + lane];
        out[i] = (TYPE)sum;
    }
}

#if LIMIT_SIMD
#include "vec.h"

#define PIECE 16384

#if defined REDUCE_INT || defined REDUCE_SHORT || defined REDUCE_CHAR
typedef vi partial;
#elif defined REDUCE_DOUBLE
typedef vd partial;
#else
typedef vf partial;
#endif
#define WIDE (unsigned)(sizeof(partial) / sizeof((partial){0}[0])) /* lanes of a partial sum */

/* How many elements of the input one lane of a partial sum has, from the load on. */
#if defined REDUCE_CHAR
#define EACH 4
#elif defined REDUCE_SHORT
#define EACH 2
#else
#define EACH 1
#endif

INLINE partial
load_partial(const TYPE *p)
{
#if defined REDUCE_INT
    return load_i(p);
#elif defined REDUCE_FLOAT
    return load_f(p);
#elif defined REDUCE_DOUBLE
    return load_d(p);
#elif defined REDUCE_SHORT
    return (vi)VEC(madd_epi16)((vraw)load_s(p), VEC(set1_epi16)(1));
#elif defined REDUCE_HALF && LIMIT_SIMD == 512
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
#elif defined REDUCE_HALF
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p));
#elif LIMIT_SIMD == 512
    return (vi)_mm512_dpbusd_epi32(_mm512_setzero_si512(), _mm512_set1_epi8(1), (vraw)load_c(p));
#else
    return (vi)_mm256_madd_epi16(_mm256_maddubs_epi16(_mm256_set1_epi8(1), (vraw)load_c(p)),
                                 _mm256_set1_epi16(1));
#endif
}

INLINE void
store_results(TYPE *p, partial x)
{
#if defined REDUCE_INT
    store_i(p, x);
#elif defined REDUCE_FLOAT
    store_f(p, x);
#elif defined REDUCE_DOUBLE
    store_d(p, x);
#elif defined REDUCE_SHORT && LIMIT_SIMD == 512
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi32_epi16((vraw)x));
#elif defined REDUCE_SHORT
    vraw low = _mm256_shuffle_epi8((vraw)x, _mm256_set1_epi64x(0x0d0c090805040100));
    _mm_storeu_si128((__m128i *)p, _mm256_castsi256_si128(_mm256_permute4x64_epi64(low, 0x08)));
#elif defined REDUCE_HALF && LIMIT_SIMD == 512
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
#elif defined REDUCE_HALF
    _mm_storeu_si128((__m128i *)p, _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
#elif LIMIT_SIMD == 512
    _mm_storeu_si128((__m128i *)p, _mm512_cvtepi32_epi8((vraw)x));
#else
    vraw low = _mm256_shuffle_epi8((vraw)x, _mm256_set1_epi32(0x0c080400));
    *(int64_t *)p =
        _mm256_extract_epi64(_mm256_permutevar8x32_epi32(low, _mm256_setr_epi32(0, 4, 0, 0, 0, 0, 0, 0)), 0);
#endif
}

#if LIMIT_SIMD == 512
/* Sums of neighbours of both, in order. */
INLINE partial
add_neighbours(partial a, partial b)
{
#ifdef REDUCE_DOUBLE
    return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14) +
           __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
#else
    return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30) +
           __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
#endif
}

INLINE partial
add_lanes(partial *v, unsigned lanes)
{
    for (unsigned count = lanes; count > 1; count /= 2)
        for (unsigned k = 0; k < count / 2; k++)
            v[k] = add_neighbours(v[2 * k], v[2 * k + 1]);
    return v[0];
}
#elif defined REDUCE_DOUBLE
/* Of four lanes always: no sub-group is smaller. */
INLINE partial
add_lanes(partial *v, unsigned lanes)
{
    partial a = _mm256_hadd_pd(v[0], v[1]), b = _mm256_hadd_pd(v[2], v[3]);

    (void)lanes;
    return __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
}
#else
/* Sums of neighbours of both: those of each half of the vectors stay in that half. */
INLINE partial
add_neighbours(partial a, partial b)
{
    return __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14) +
           __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
}

INLINE partial
add_lanes(partial *v, unsigned lanes)
{
    partial a, b;

    if (lanes == 1)
        return v[0];
    if (lanes == 2) {
        a = add_neighbours(v[0], v[1]);
        return __builtin_shufflevector(a, a, 0, 1, 4, 5, 2, 3, 6, 7);
    }
    a = add_neighbours(add_neighbours(v[0], v[1]), add_neighbours(v[2], v[3]));
    if (lanes == 4)
        return __builtin_shufflevector(a, a, 0, 4, 1, 5, 2, 6, 3, 7);
    b = add_neighbours(add_neighbours(v[4], v[5]), add_neighbours(v[6], v[7]));
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11) +
           __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
}
#endif

INLINE void
reduce(const TYPE *in, TYPE *out, size_t count, unsigned n)
{
    unsigned lanes = n / EACH, vectors = lanes > WIDE ? lanes / WIDE : 1;
    unsigned rows = lanes > WIDE ? WIDE : lanes;

    for (size_t i = 0; i < count; i += WIDE * n, out += WIDE) {
        partial v[WIDE];
#pragma clang loop unroll(full)
        for (unsigned r = 0; r < rows; r++) {
            v[r] = load_partial(in + i + r * vectors * WIDE * EACH);
            for (unsigned k = 1; k < vectors; k++)
                v[r] += load_partial(in + i + (r * vectors + k) * WIDE * EACH);
        }
        store_results(out, add_lanes(v, rows));
    }
}

/* As often as the description launches the kernel. */
PHASES(NAME, 8)

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
    out += begin * PIECE / limit->subgroup;
    BY_SUB_GROUP(reduce, in, out, count);
}
#endif

/* SPDX-License-Identifier: MIT */
#include "limit.h"

LIMIT_REFERENCE(triad)
{
    LIMIT_VALUE(float, s);
    LIMIT_BUFFER(const float, b);
    LIMIT_BUFFER(const float, c);
    LIMIT_BUFFER(float, a);

    for (size_t i = 0; i < limit->size; i++)
        a[i] = b[i] + s * c[i];
}

#if LIMIT_SIMD
#include <immintrin.h>

#define PIECE 4096

LIMIT_PHASES(triad, 1)

LIMIT_UNITS(triad, phase)
{
    return (limit->size + PIECE - 1) / PIECE;
}

/* The result is larger than the caches and not read again: streamed past them. */
LIMIT_RUN(triad, phase, begin, end)
{
    LIMIT_VALUE(float, s);
    LIMIT_BUFFER(const float, b);
    LIMIT_BUFFER(const float, c);
    LIMIT_BUFFER(float, a);
    size_t i = begin * PIECE, stop = end * PIECE < limit->size ? end * PIECE : limit->size;

#if LIMIT_SIMD == 512
    for (; i + 16 <= stop; i += 16)
        _mm512_stream_ps(a + i,
                         _mm512_fmadd_ps(_mm512_set1_ps(s), _mm512_load_ps(c + i), _mm512_load_ps(b + i)));
#else
    for (; i + 8 <= stop; i += 8)
        _mm256_stream_ps(a + i,
                         _mm256_fmadd_ps(_mm256_set1_ps(s), _mm256_load_ps(c + i), _mm256_load_ps(b + i)));
#endif
    for (; i < stop; i++)
        a[i] = b[i] + s * c[i];
    _mm_sfence();
}
#endif

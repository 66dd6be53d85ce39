/* SPDX-License-Identifier: MIT */
#include "limit.h"

LIMIT_REFERENCE(float4_transform)
{
    LIMIT_BUFFER(const float, matrix);
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);

    for (size_t i = 0; i < limit->size; i++) {
        const float *p = in + 4 * i;
        float q[4];
        for (int k = 0; k < 4; k++)
            q[k] = matrix[k] * p[0] + matrix[4 + k] * p[1] + matrix[8 + k] * p[2] + matrix[12 + k];
        for (int k = 0; k < 4; k++)
            out[4 * i + (size_t)k] = q[k] / q[3];
    }
}

#if LIMIT_SIMD
#include "vec.h"

#define PIECE 4096

LIMIT_PHASES(float4_transform, 8) /* as often as the description launches the kernel */

LIMIT_UNITS(float4_transform, phase)
{
    return limit_pieces(limit->size, PIECE);
}

#if LIMIT_SIMD == 512
#define FOUR(p) _mm512_broadcast_f32x4(_mm_loadu_ps(p))
#else
#define FOUR(p) _mm256_broadcast_ps((const __m128 *)(p))
#endif
#define ELEMENT(v, k) (VEC(shuffle_ps)(v, v, (k)*0x55))

/* A point stays in its sixteen bytes: its elements are spread there, no transposition is needed. */
LIMIT_RUN(float4_transform, phase, begin, end)
{
    LIMIT_BUFFER(const float, matrix);
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);
    vf m0 = FOUR(matrix), m1 = FOUR(matrix + 4), m2 = FOUR(matrix + 8), m3 = FOUR(matrix + 12);

    FOR_PIECES(i, PIECE, LANES / 4)
    {
        vf p = load_f(in + 4 * i);
        vf q = fma_f(m0, ELEMENT(p, 0), fma_f(m1, ELEMENT(p, 1), fma_f(m2, ELEMENT(p, 2), m3)));
        store_f(out + 4 * i, q / ELEMENT(q, 3));
    }
}
#endif

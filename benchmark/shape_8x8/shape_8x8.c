/* SPDX-License-Identifier: MIT */
#include "limit.h"

#include <math.h>

#define N 8

LIMIT_FILL(shape_8x8)
{
    LIMIT_BUFFER(float, basis);

    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++)
            basis[k * N + i] = (float)(cos((2 * i + 1) * k * M_PI / (2 * N)) * sqrt((k ? 2.0 : 1.0) / N));
}

LIMIT_REFERENCE(shape_8x8)
{
    LIMIT_BUFFER(const float, basis);
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);
    size_t width = limit->size;

    for (size_t at = 0; at < width * width; at += N)
        if (at / width % N == 0)
            for (size_t y = 0; y < N; y++)
                for (size_t x = 0; x < N; x++) {
                    double sum = 0;
                    for (size_t j = 0; j < N; j++)
                        for (size_t i = 0; i < N; i++)
                            sum += (double)basis[y * N + j] * (double)basis[x * N + i] *
                                   (double)in[at + j * width + i];
                    out[at + y * width + x] = (float)sum;
                }
}

#if LIMIT_SIMD
#include "vec.h"

LIMIT_PHASES(shape_8x8, 1)

LIMIT_UNITS(shape_8x8, phase)
{
    return limit_pieces(limit->size, N);
}

/* Columns: the rows of one block (AVX2) or of two (AVX-512) times the basis. Rows: each element of a row,
 * spread, times a row of the basis transposed. */
LIMIT_RUN(shape_8x8, phase, begin, end)
{
    LIMIT_BUFFER(const float, basis);
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);
    size_t width = limit->size;
    vf turned[N];

    for (int k = 0; k < N; k++)
        for (int lane = 0; lane < LANES; lane++)
            turned[k][lane] = basis[lane % N * N + k];
    for (size_t y = begin * N; y < end * N; y += N)
        for (size_t x = 0; x < width; x += LANES) {
            const float *p = in + y * width + x;
            vf rows[N];
            for (int r = 0; r < N; r++)
                rows[r] = load_f(p + (size_t)r * width);
            for (int r = 0; r < N; r++) {
                vf half_way = rows[0] * basis[r * N], sum = splat_f(0);
                for (int k = 1; k < N; k++)
                    half_way = fma_f(rows[k], splat_f(basis[r * N + k]), half_way);
                for (int k = 0; k < N; k++) {
#if LIMIT_SIMD == 512
                    vf spread = _mm512_permutexvar_ps((__m512i)((iota() & 8) + k), half_way);
#else
                    vf spread = _mm256_permutevar8x32_ps(half_way, _mm256_set1_epi32(k));
#endif
                    sum = fma_f(spread, turned[k], sum);
                }
                store_f(out + (y + (size_t)r) * width + x, sum);
            }
        }
}
#endif

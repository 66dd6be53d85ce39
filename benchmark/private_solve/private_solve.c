/* SPDX-License-Identifier: MIT */
#include "limit.h"

LIMIT_REFERENCE(private_solve)
{
    LIMIT_BUFFER(const float, matrix);
    LIMIT_BUFFER(const float, right);
    LIMIT_BUFFER(float, out);
    size_t n = limit->size;

    for (size_t i = 0; i < n; i++) {
        double a[4][5];
        for (size_t r = 0; r < 4; r++) {
            for (size_t c = 0; c < 4; c++)
                a[r][c] = (double)matrix[(r * 4 + c) * n + i] + (r == c ? 4 : 0);
            a[r][4] = (double)right[r * n + i];
        }
        for (int k = 0; k < 4; k++) {
            for (int c = 4; c >= k; c--)
                a[k][c] /= a[k][k];
            for (int r = 0; r < 4; r++)
                for (int c = 4; r != k && c >= k; c--)
                    a[r][c] -= a[r][k] * a[k][c];
        }
        for (size_t r = 0; r < 4; r++)
            out[r * n + i] = (float)a[r][4];
    }
}

#if LIMIT_SIMD
#include "vec.h"

#define PIECE 1024

LIMIT_PHASES(private_solve, 8) /* as often as the description launches the kernel */

LIMIT_UNITS(private_solve, phase)
{
    return limit_pieces(limit->size, PIECE);
}

LIMIT_RUN(private_solve, phase, begin, end)
{
    LIMIT_BUFFER(const float, matrix);
    LIMIT_BUFFER(const float, right);
    LIMIT_BUFFER(float, out);
    size_t n = limit->size;

    FOR_PIECES(i, PIECE, LANES)
    {
        vf a[4][5];
        for (size_t r = 0; r < 4; r++) {
            for (size_t c = 0; c < 4; c++)
                a[r][c] = load_f(matrix + (r * 4 + c) * n + i);
            a[r][r] += 4.0f;
            a[r][4] = load_f(right + r * n + i);
        }
        for (int k = 0; k < 4; k++) {
            vf scale = 1.0f / a[k][k];
            for (int c = k + 1; c < 5; c++)
                a[k][c] *= scale;
            for (int r = 0; r < 4; r++)
                for (int c = k + 1; r != k && c < 5; c++)
                    a[r][c] = fma_f(-a[r][k], a[k][c], a[r][c]);
        }
        for (size_t r = 0; r < 4; r++)
            store_f(out + r * n + i, a[r][4]);
    }
}
#endif

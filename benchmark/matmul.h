/* SPDX-License-Identifier: MIT */
/* c = a * b of floats, all three size x size: defines reference and limit by NAME. The limit works on panels
 * of b that are copied together, so that their rows do not fall on each other in the cache, and keeps ROWS x
 * 2 vectors of c in registers. */
#include "limit.h"

#define REFERENCE(name) LIMIT_REFERENCE(name)
#define PHASES(name, count) LIMIT_PHASES(name, count)
#define UNITS(name, phase) LIMIT_UNITS(name, phase)
#define RUN(name, phase, begin, end) LIMIT_RUN(name, phase, begin, end)

REFERENCE(NAME)
{
    LIMIT_BUFFER(const float, a);
    LIMIT_BUFFER(const float, b);
    LIMIT_BUFFER(float, c);
    size_t n = limit->size;
    double *sums = malloc(n * sizeof *sums);

    for (size_t y = 0; sums && y < n; y++) {
        memset(sums, 0, n * sizeof *sums);
        for (size_t k = 0; k < n; k++)
            for (size_t x = 0; x < n; x++)
                sums[x] += (double)a[y * n + k] * (double)b[k * n + x];
        for (size_t x = 0; x < n; x++)
            c[y * n + x] = (float)sums[x];
    }
    free(sums);
}

#if LIMIT_SIMD
#include "vec.h"

#define DEPTH 256
#define COLUMNS (2 * LANES)
#if LIMIT_SIMD == 512
#define ROWS 8
#else
#define ROWS 4
#endif

PHASES(NAME, 1)

UNITS(NAME, phase)
{
    return limit_pieces(limit->size, COLUMNS);
}

RUN(NAME, phase, begin, end)
{
    LIMIT_BUFFER(const float, a);
    LIMIT_BUFFER(const float, b);
    LIMIT_BUFFER(float, c);
    size_t n = limit->size;
    _Alignas(64) float panel[DEPTH][COLUMNS];

    for (size_t x = begin * COLUMNS; x < end * COLUMNS; x += COLUMNS)
        for (size_t k0 = 0; k0 < n; k0 += DEPTH) {
            size_t depth = n - k0 < DEPTH ? n - k0 : DEPTH;

            for (size_t k = 0; k < depth; k++)
                memcpy(panel[k], b + (k0 + k) * n + x, sizeof panel[k]);
            for (size_t y = 0; y < n; y += ROWS) {
                vf sum[ROWS][2];
                for (int r = 0; r < ROWS; r++)
                    for (int v = 0; v < 2; v++)
                        sum[r][v] = k0 ? load_f(c + (y + r) * n + x + v * LANES) : splat_f(0);
                for (size_t k = 0; k < depth; k++) {
                    vf left = load_f(panel[k]), right = load_f(panel[k] + LANES);
                    for (int r = 0; r < ROWS; r++) {
                        vf mine = splat_f(a[(y + r) * n + k0 + k]);
                        sum[r][0] = fma_f(mine, left, sum[r][0]);
                        sum[r][1] = fma_f(mine, right, sum[r][1]);
                    }
                }
                for (int r = 0; r < ROWS; r++)
                    for (int v = 0; v < 2; v++)
                        store_f(c + (y + r) * n + x + v * LANES, sum[r][v]);
            }
        }
}
#endif

/* SPDX-License-Identifier: MIT */
/* The loops of those kernels that there are in several types. */

LIMIT_LOOP(NAME(bilateral))
{
    LIMIT_BUFFER(const REAL, in);
    LIMIT_BUFFER(REAL, out);
    LIMIT_VALUE(REAL, ss);
    LIMIT_VALUE(REAL, sr);
    int n = (int)limit->size;

#pragma omp parallel for
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            REAL sum = 0, weights = 0;
            for (int j = inside(y - 2, n); j <= inside(y + 2, n); j++)
                for (int i = inside(x - 2, n); i <= inside(x + 2, n); i++) {
                    REAL v = in[j * n + i], d = v - in[y * n + x];
                    REAL w = EXP(-(REAL)((i - x) * (i - x) + (j - y) * (j - y)) * ss - d * d * sr);
                    sum += w * v;
                    weights += w;
                }
            out[y * n + x] = sum / weights;
        }
}

LIMIT_LOOP(NAME(pyramid_up))
{
    LIMIT_BUFFER(const REAL, src);
    LIMIT_BUFFER(REAL, dst);
    int n = (int)limit->size;

#pragma omp parallel for
    for (int y = 0; y < 2 * n; y++)
        for (int x = 0; x < 2 * n; x++) {
            const REAL *a = src + inside((y - 1) >> 1, n) * n, *b = src + inside(((y - 1) >> 1) + 1, n) * n;
            int xa = inside((x - 1) >> 1, n), xb = inside(((x - 1) >> 1) + 1, n);
            REAL ax = x % 2 ? (REAL)0.25 : (REAL)0.75, ay = y % 2 ? (REAL)0.25 : (REAL)0.75;
            dst[y * 2 * n + x] =
                (1 - ay) * ((1 - ax) * a[xa] + ax * a[xb]) + ay * ((1 - ax) * b[xa] + ax * b[xb]);
        }
}

/* SPDX-License-Identifier: MIT */
/* The loops of those kernels that there are in several types. */

LIMIT_LOOP(NAME(hotspot_tile))
{
    LIMIT_BUFFER(const REAL, power);
    LIMIT_BUFFER(const REAL, from);
    LIMIT_BUFFER(REAL, to);
    LIMIT_VALUE(REAL, cap);
    LIMIT_VALUE(REAL, rx);
    LIMIT_VALUE(REAL, ry);
    LIMIT_VALUE(REAL, rz);
    int n = (int)limit->size;

#pragma omp parallel for
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            REAL c = from[y * n + x];
            REAL v = from[clamped(y + 1, n) * n + x] + from[clamped(y - 1, n) * n + x] - 2 * c;
            REAL h = from[y * n + clamped(x + 1, n)] + from[y * n + clamped(x - 1, n)] - 2 * c;
            to[y * n + x] = c + cap * (power[y * n + x] + v * ry + h * rx + (80 - c) * rz);
        }
}

LIMIT_LOOP(NAME(stencil_7_loop))
{
    LIMIT_BUFFER(const REAL, A0);
    LIMIT_BUFFER(REAL, Anext);
    LIMIT_VALUE(REAL, c0);
    LIMIT_VALUE(REAL, c1);
    LIMIT_VALUE(int, nx);
    LIMIT_VALUE(int, ny);
    LIMIT_VALUE(int, nz);
    int plane = nx * ny;

#pragma omp parallel for
    for (int k = 1; k < nz - 1; k++)
        for (int j = 1; j < ny - 1; j++)
            for (int i = 1; i < nx - 1; i++) {
                const REAL *a = A0 + k * plane + j * nx + i;
                Anext[k * plane + j * nx + i] =
                    (a[plane] + a[-plane] + a[nx] + a[-nx] + a[1] + a[-1]) * c1 - a[0] * c0;
            }
}

LIMIT_LOOP(NAME(wave_sponge))
{
    LIMIT_BUFFER(const REAL, p);
    LIMIT_BUFFER(const REAL, p_old);
    LIMIT_BUFFER(REAL, p_new);
    LIMIT_BUFFER(const REAL, c2);
    LIMIT_VALUE(int, width);
    int n = (int)limit->size;

#pragma omp parallel for
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            int at = j * n + i, d = i < n - 1 - i ? i : n - 1 - i;
            d = j < d ? j : n - 1 - j < d ? n - 1 - j : d;
            if (d == 0) {
                p_new[at] = 0;
                continue;
            }
            REAL value =
                2 * p[at] - p_old[at] + c2[at] * (p[at - 1] + p[at + 1] + p[at - n] + p[at + n] - 4 * p[at]);
            if (d < width) {
                REAL s = (REAL)(width - d) / (REAL)width;
                value *= EXP(-(REAL)0.1 * s * s);
            }
            p_new[at] = value;
        }
}

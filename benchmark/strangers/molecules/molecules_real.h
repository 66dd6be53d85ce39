/* SPDX-License-Identifier: MIT */
/* The loops of those kernels that there are in several types. */

LIMIT_LOOP(NAME(nbody_tiles))
{
    LIMIT_BUFFER(const REAL, pos);
    LIMIT_BUFFER(REAL, acc);
    LIMIT_VALUE(REAL, eps2);

#pragma omp parallel for
    for (size_t i = 0; i < limit->size; i++) {
        REAL a[3] = {0, 0, 0};
        for (size_t j = 0; j < limit->size; j++) {
            REAL dx = pos[4 * j] - pos[4 * i], dy = pos[4 * j + 1] - pos[4 * i + 1],
                 dz = pos[4 * j + 2] - pos[4 * i + 2];
            REAL inv = 1 / SQRT(dx * dx + dy * dy + dz * dz + eps2), s = pos[4 * j + 3] * inv * inv * inv;
            a[0] += s * dx;
            a[1] += s * dy;
            a[2] += s * dz;
        }
        memcpy(acc + 4 * i, a, sizeof a);
        acc[4 * i + 3] = 0;
    }
}

LIMIT_LOOP(NAME(coulomb_grid))
{
    LIMIT_BUFFER(const REAL, atoms);
    LIMIT_BUFFER(REAL, grid);
    LIMIT_VALUE(REAL, spacing);
    LIMIT_VALUE(REAL, z);
    int n = (int)limit->size;

#pragma omp parallel for
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            REAL energy = 0;
            for (int a = 0; a < 200; a++) {
                REAL dx = spacing * (REAL)x - atoms[4 * a], dy = spacing * (REAL)y - atoms[4 * a + 1],
                     dz = z - atoms[4 * a + 2];
                energy += atoms[4 * a + 3] / SQRT(dx * dx + dy * dy + dz * dz);
            }
            grid[y * n + x] += energy;
        }
}

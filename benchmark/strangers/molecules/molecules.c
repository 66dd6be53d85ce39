/* SPDX-License-Identifier: MIT */
#include "limit.h"
#include <math.h>

static uint32_t
scrambled(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7feb352d;
    x = (x ^ (x >> 15)) * 0x846ca68b;
    return x ^ (x >> 16);
}

#define LENNARD_JONES(name, real)                                                                            \
    LIMIT_FILL(name)                                                                                         \
    {                                                                                                        \
        LIMIT_BUFFER(int, list);                                                                             \
        for (uint32_t i = 0; i < limit->size * 64; i++) { /* never itself */                                 \
            uint32_t atom = i % (uint32_t)limit->size;                                                       \
            list[i] = (int)((atom + 1 + scrambled(i) % 500) % limit->size);                                  \
        }                                                                                                    \
    }                                                                                                        \
    LIMIT_LOOP(name)                                                                                         \
    {                                                                                                        \
        LIMIT_BUFFER(real, force);                                                                           \
        LIMIT_BUFFER(const real, position);                                                                  \
        LIMIT_BUFFER(const int, list);                                                                       \
        LIMIT_VALUE(real, cut2);                                                                             \
        LIMIT_VALUE(real, lj1);                                                                              \
        LIMIT_VALUE(real, lj2);                                                                              \
        size_t n = limit->size;                                                                              \
        _Pragma("omp parallel for") for (size_t i = 0; i < n; i++)                                           \
        {                                                                                                    \
            real f[4] = {0};                                                                                 \
            for (size_t j = 0; j < 64; j++) {                                                                \
                const real *other = position + 4 * list[j * n + i];                                          \
                real d[3], r2 = 0, r6;                                                                       \
                for (size_t k = 0; k < 3; k++) {                                                             \
                    d[k] = position[4 * i + k] - other[k];                                                   \
                    r2 += d[k] * d[k];                                                                       \
                }                                                                                            \
                if (r2 >= cut2)                                                                              \
                    continue;                                                                                \
                r2 = 1 / r2;                                                                                 \
                r6 = r2 * r2 * r2;                                                                           \
                for (size_t k = 0; k < 3; k++)                                                               \
                    f[k] += d[k] * (r2 * r6 * (lj1 * r6 - lj2));                                             \
            }                                                                                                \
            memcpy(force + 4 * i, f, sizeof f);                                                              \
        }                                                                                                    \
    }
LENNARD_JONES(lj_neighbours, float)
LENNARD_JONES(lj_neighbours_double, double)

#define CELLS(name, real, exp)                                                                               \
    LIMIT_LOOP(name)                                                                                         \
    {                                                                                                        \
        LIMIT_BUFFER(const int, neighbours);                                                                 \
        LIMIT_BUFFER(const real, rv);                                                                        \
        LIMIT_BUFFER(const real, charge);                                                                    \
        LIMIT_BUFFER(real, out);                                                                             \
        LIMIT_VALUE(real, a2);                                                                               \
        _Pragma("omp parallel for") for (size_t i = 0; i < limit->size * 32; i++)                            \
        {                                                                                                    \
            const real *a = rv + 4 * i;                                                                      \
            real sum[4] = {0};                                                                               \
            for (size_t k = 0; k < 7; k++)                                                                   \
                for (int j = 0; j < 32; j++) {                                                               \
                    int at = neighbours[i / 32 * 7 + k] * 32 + j;                                            \
                    const real *b = rv + 4 * at;                                                             \
                    real r2 = a[0] + b[0] - (a[1] * b[1] + a[2] * b[2] + a[3] * b[3]);                       \
                    real v = charge[at] * exp(-a2 * r2);                                                     \
                    sum[0] += v;                                                                             \
                    for (int d = 1; d < 4; d++)                                                              \
                        sum[d] += 2 * v * (a[d] - b[d]);                                                     \
                }                                                                                            \
            memcpy(out + 4 * i, sum, sizeof sum);                                                            \
        }                                                                                                    \
    }
CELLS(cells_exp, float, expf)
CELLS(cells_exp_double, double, exp)

#define MOVE(name, real)                                                                                     \
    LIMIT_LOOP(name)                                                                                         \
    {                                                                                                        \
        LIMIT_BUFFER(real, particles);                                                                       \
        LIMIT_BUFFER(const real, forces);                                                                    \
        LIMIT_VALUE(real, dt);                                                                               \
        LIMIT_VALUE(real, box);                                                                              \
        _Pragma("omp parallel for") for (size_t i = 0; i < limit->size; i++) for (size_t d = 0; d < 3; d++)  \
        {                                                                                                    \
            real *p = particles + 7 * i, v = p[3 + d] + forces[3 * i + d] / p[6] * dt, x = p[d] + v * dt;    \
            int out = x < 0 || x > box;                                                                      \
            p[d] = x < 0 ? -x : x > box ? 2 * box - x : x;                                                   \
            p[3 + d] = out ? -v : v;                                                                         \
        }                                                                                                    \
    }
MOVE(move_particles, float)
MOVE(move_particles_double, double)

LIMIT_FILL(docking_energy)
{
    LIMIT_BUFFER(float, protein);
    LIMIT_BUFFER(float, ligand);
    LIMIT_BUFFER(float, forcefield);

    for (uint32_t i = 0; i < 96 + 16; i++) {
        float *atom = i < 96 ? protein + 4 * i : ligand + 4 * (i - 96);
        int type = (int)(scrambled(i) % 8);
        for (uint32_t k = 0; k < 3; k++)
            atom[k] = (float)(scrambled(3 * i + k + 1000) % 1000) / 100;
        memcpy(atom + 3, &type, 4);
    }
    for (uint32_t i = 0; i < 8; i++) {
        int type = i % 3 ? 70 : 69;
        memcpy(forcefield + 4 * i, &type, 4);
        forcefield[4 * i + 1] = 1 + (float)i / 8;
        forcefield[4 * i + 2] = (float)(i % 4) - 1.5f;
        forcefield[4 * i + 3] = (float)(i % 5) / 5 - 0.4f;
    }
}

LIMIT_LOOP(docking_energy)
{
    LIMIT_BUFFER(const float, protein);
    LIMIT_BUFFER(const float, ligand);
    LIMIT_BUFFER(const float, transforms);
    LIMIT_BUFFER(const float, forcefield);
    LIMIT_BUFFER(float, energies);
    size_t n = limit->size;

#pragma omp parallel for
    for (size_t p = 0; p < n; p++) {
        float total = 0;
        for (int il = 0; il < 16; il++) {
            const float *la = ligand + 4 * il, *lp;
            float at[3];
            int type, bond;
            memcpy(&type, la + 3, 4);
            lp = forcefield + 4 * type;
            memcpy(&bond, lp, 4);
            for (size_t d = 0; d < 3; d++)
                at[d] = transforms[(4 * d + 3) * n + p] + la[0] * transforms[4 * d * n + p] +
                        la[1] * transforms[(4 * d + 1) * n + p] + la[2] * transforms[(4 * d + 2) * n + p];
            for (int ip = 0; ip < 96; ip++) {
                const float *pa = protein + 4 * ip, *pp;
                float r2 = 0, distance, beyond, charge, radius;
                int other, their;
                memcpy(&other, pa + 3, 4);
                pp = forcefield + 4 * other;
                memcpy(&their, pp, 4);
                for (int d = 0; d < 3; d++)
                    r2 += (at[d] - pa[d]) * (at[d] - pa[d]);
                radius = pp[1] + lp[1];
                distance = sqrtf(r2);
                beyond = distance - radius;
                charge = beyond < 4 ? lp[3] * pp[3] * (beyond < 0 ? 1 : 1 - beyond / 4) : 0;
                total += beyond < 0 ? (1 - distance / radius) * 76 : 0;
                total += bond == 70 && their == 70 ? charge : -fabsf(charge) / 2;
                total += beyond < 6 ? (pp[2] + lp[2]) * (beyond < 0 ? 1 : 1 - beyond / 6) : 0;
            }
        }
        energies[p] = total / 2;
    }
}

/* Particles sorted by cell, 4 on average. */
LIMIT_FILL(sph_density)
{
    LIMIT_BUFFER(float, pos);
    LIMIT_BUFFER(uint32_t, starts);
    uint32_t count = 0;

    for (uint32_t c = 0; c < 64 * 64; c++) {
        uint32_t last = (uint32_t)((uint64_t)limit->size * (c + 1) / (64 * 64));
        last -= c % 2 == 0 && last > count ? scrambled(c) % (last - count + 1) : 0;
        starts[c] = count;
        for (; count < last; count++) {
            pos[2 * count] = (float)(c % 64) + (float)(scrambled(2 * count) % 1000) / 1001;
            pos[2 * count + 1] = (float)(c / 64) + (float)(scrambled(2 * count + 1) % 1000) / 1001;
        }
    }
    starts[64 * 64] = count;
}

LIMIT_LOOP(sph_density)
{
    LIMIT_BUFFER(const float, pos);
    LIMIT_BUFFER(const uint32_t, starts);
    LIMIT_BUFFER(float, density);
    LIMIT_VALUE(float, h);

#pragma omp parallel for
    for (size_t i = 0; i < limit->size; i++) {
        int cx = (int)pos[2 * i], cy = (int)pos[2 * i + 1];
        float sum = 0;
        for (int c = 0; c < 9; c++) {
            int x = cx + c % 3 - 1, y = cy + c / 3 - 1;
            if (x < 0 || y < 0 || x > 63 || y > 63)
                continue;
            for (uint32_t j = starts[y * 64 + x]; j < starts[y * 64 + x + 1]; j++) {
                float dx = pos[2 * j] - pos[2 * i], dy = pos[2 * j + 1] - pos[2 * i + 1],
                      q = h * h - dx * dx - dy * dy;
                sum += q > 0 ? q * q * q : 0;
            }
        }
        density[i] = sum;
    }
}

#define WITH_REALS "molecules/molecules_real.h"
#include "strangers/each_real.h"

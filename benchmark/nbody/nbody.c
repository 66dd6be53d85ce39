/* SPDX-License-Identifier: MIT */
#include "limit.h"

#include <math.h>

LIMIT_REFERENCE(nbody)
{
    LIMIT_VALUE(float, dt);
    LIMIT_VALUE(float, softening);
    LIMIT_BUFFER(const float, bodies);
    LIMIT_BUFFER(const float, velocities);
    LIMIT_BUFFER(float, new_bodies);
    LIMIT_BUFFER(float, new_velocities);

    for (size_t i = 0; i < limit->size; i++) {
        double force[3] = {0};
        for (size_t j = 0; j < limit->size; j++) {
            double d[3], r = (double)softening;
            for (int k = 0; k < 3; k++) {
                d[k] = (double)bodies[4 * j + (size_t)k] - (double)bodies[4 * i + (size_t)k];
                r += d[k] * d[k];
            }
            r = (double)bodies[4 * j + 3] / (r * sqrt(r));
            for (int k = 0; k < 3; k++)
                force[k] += d[k] * r;
        }
        for (int k = 0; k < 3; k++) {
            double v = (double)velocities[4 * i + (size_t)k] + force[k] * (double)dt;
            new_velocities[4 * i + (size_t)k] = (float)v;
            new_bodies[4 * i + (size_t)k] = (float)((double)bodies[4 * i + (size_t)k] + v * (double)dt);
        }
        new_velocities[4 * i + 3] = velocities[4 * i + 3];
        new_bodies[4 * i + 3] = bodies[4 * i + 3];
    }
}

#if LIMIT_SIMD
#include "vec.h"

#define FLIGHT 2

LIMIT_PHASES(nbody, 1)

LIMIT_UNITS(nbody, phase)
{
    return limit_pieces(limit->size, FLIGHT * LANES);
}

/* The estimate of the processor and one step of Newton's method: within 2 ULP, as rsqrt may be. */
INLINE vf
rsqrt_f(vf x)
{
#if LIMIT_SIMD == 512
    vf r = _mm512_rsqrt14_ps(x);
#else
    vf r = _mm256_rsqrt_ps(x);
#endif
    return fma_f(fma_f(x * r, r, splat_f(-1)), r * -0.5f, r);
}

LIMIT_RUN(nbody, phase, begin, end)
{
    LIMIT_VALUE(float, dt);
    LIMIT_VALUE(float, softening);
    LIMIT_BUFFER(const float, bodies);
    LIMIT_BUFFER(const float, velocities);
    LIMIT_BUFFER(float, new_bodies);
    LIMIT_BUFFER(float, new_velocities);

    FOR_PIECES(i, FLIGHT * LANES, FLIGHT * LANES)
    {
        vf me[FLIGHT][3], force[FLIGHT][3];
        for (int k = 0; k < FLIGHT; k++)
            for (int c = 0; c < 3; c++) {
                me[k][c] = gather_f(bodies + 4 * (i + (size_t)k * LANES), iota() * 4 + c);
                force[k][c] = splat_f(0);
            }
        for (size_t j = 0; j < limit->size; j++)
            for (int k = 0; k < FLIGHT; k++) {
                vf dx = bodies[4 * j] - me[k][0], dy = bodies[4 * j + 1] - me[k][1],
                   dz = bodies[4 * j + 2] - me[k][2];
                vf r = rsqrt_f(fma_f(dx, dx, fma_f(dy, dy, fma_f(dz, dz, splat_f(softening)))));
                vf f = bodies[4 * j + 3] * r * (r * r);
                force[k][0] = fma_f(dx, f, force[k][0]);
                force[k][1] = fma_f(dy, f, force[k][1]);
                force[k][2] = fma_f(dz, f, force[k][2]);
            }
        for (size_t k = 0; k < FLIGHT; k++)
            for (size_t lane = 0; lane < LANES; lane++) {
                size_t at = 4 * (i + k * LANES + lane);
                for (size_t c = 0; c < 3; c++) {
                    float v = velocities[at + c] + force[k][c][lane] * dt;
                    new_velocities[at + c] = v;
                    new_bodies[at + c] = bodies[at + c] + v * dt;
                }
                new_velocities[at + 3] = velocities[at + 3];
                new_bodies[at + 3] = bodies[at + 3];
            }
    }
}
#endif

/* SPDX-License-Identifier: MIT */
#include "limit.h"

#include <math.h>

LIMIT_REFERENCE(ray_march)
{
    LIMIT_VALUE(float, step_x);
    LIMIT_VALUE(float, step_y);
    LIMIT_BUFFER(float, depth);
    size_t width = limit->global[0], height = limit->global[1];

    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            float dx = ((float)x - 0.5f * (float)width) * step_x,
                  dy = (0.5f * (float)height - (float)y) * step_y;
            float scale = 1 / sqrtf(dx * dx + dy * dy + 1), t = 0;
            for (int i = 0; i < 96; i++) {
                float px = dx * scale * t, py = 1.5f + dy * scale * t, pz = scale * t;
                float qx = fabsf(px - floorf(px / 4) * 4 - 2), qy = py - 0.5f;
                float qz = fabsf(pz - floorf(pz / 4) * 4 - 2);
                float ball = sqrtf(qx * qx + qy * qy + qz * qz) - 1, d = fminf(ball, py + 0.5f);
                if (d < 1e-3f * t || t > 60)
                    break;
                t += 0.9f * d;
            }
            depth[y * width + x] = fminf(t, 60);
        }
}

#if LIMIT_SIMD
#include "vec.h"

#define FLIGHT 2

LIMIT_PHASES(ray_march, 1)

LIMIT_UNITS(ray_march, phase)
{
    return limit->global[1];
}

INLINE vf
folded(vf x)
{
    return abs_f(fma_f(floor_f(x * 0.25f), splat_f(-4), x) - 2.0f);
}

LIMIT_RUN(ray_march, phase, begin, end)
{
    LIMIT_VALUE(float, step_x);
    LIMIT_VALUE(float, step_y);
    LIMIT_BUFFER(float, depth);
    size_t width = limit->global[0], height = limit->global[1];

    for (size_t row = begin; row < end; row++)
        for (size_t column = 0; column < width; column += FLIGHT * LANES) {
            vf x[FLIGHT], y[FLIGHT], z[FLIGHT], t[FLIGHT];
            vm alive[FLIGHT], rest = all_m();

            for (int k = 0; k < FLIGHT; k++) {
                vf dx =
                    (from_i(iota() + (int32_t)(column + (size_t)k * LANES)) - 0.5f * (float)width) * step_x;
                float dy = (0.5f * (float)height - (float)row) * step_y;
                z[k] = 1.0f / sqrt_f(dx * dx + (dy * dy + 1));
                x[k] = dx * z[k];
                y[k] = dy * z[k];
                t[k] = splat_f(0);
                alive[k] = all_m();
            }
            for (int i = 0; i < 96 && any(rest); i++) {
                rest = andnot_m(all_m(), all_m());
                for (int k = 0; k < FLIGHT; k++) {
                    vf py = fma_f(y[k], t[k], splat_f(1.5f)), qy = py - 0.5f;
                    vf qx = folded(x[k] * t[k]), qz = folded(z[k] * t[k]);
                    vf ball = sqrt_f(fma_f(qx, qx, fma_f(qy, qy, qz * qz))) - 1.0f,
                       d = min_f(ball, py + 0.5f);
                    alive[k] = and_m(alive[k], and_m(le_f(t[k] * 1e-3f, d), le_f(t[k], splat_f(60))));
                    t[k] = select_f(alive[k], fma_f(splat_f(0.9f), d, t[k]), t[k]);
                    rest = or_m(rest, alive[k]);
                }
            }
            for (int k = 0; k < FLIGHT; k++)
                store_f(depth + row * width + column + (size_t)k * LANES, min_f(t[k], splat_f(60)));
        }
}
#endif

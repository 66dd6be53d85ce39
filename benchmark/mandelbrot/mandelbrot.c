/* SPDX-License-Identifier: MIT */
#include "limit.h"

LIMIT_REFERENCE(mandelbrot)
{
    LIMIT_VALUE(float, left);
    LIMIT_VALUE(float, top);
    LIMIT_VALUE(float, step);
    LIMIT_BUFFER(uint32_t, out);
    LIMIT_VALUE(uint32_t, bound);
    size_t width = limit->global[0], height = limit->global[1];

    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            float cr = left + step * (float)x, ci = top + step * (float)y, zr = 0, zi = 0;
            uint32_t n = 0;
            while (n < bound && zr * zr + zi * zi <= 4.0f) {
                float t = zr * zr - zi * zi + cr;
                zi = 2.0f * zr * zi + ci;
                zr = t;
                n++;
            }
            out[y * width + x] = n;
        }
}

#if LIMIT_SIMD
#include "vec.h"

#define FLIGHT 4 /* vectors at once, for the latencies of one leave room */

LIMIT_PHASES(mandelbrot, 1)

LIMIT_UNITS(mandelbrot, phase)
{
    return limit->global[1];
}

LIMIT_RUN(mandelbrot, phase, begin, end)
{
    LIMIT_VALUE(float, left);
    LIMIT_VALUE(float, top);
    LIMIT_VALUE(float, step);
    LIMIT_VALUE(uint32_t, bound);
    LIMIT_BUFFER(int32_t, out);
    size_t width = limit->global[0];

    for (size_t y = begin; y < end; y++)
        for (size_t x = 0; x < width; x += FLIGHT * LANES) {
            vf ci = splat_f(top + step * (float)y), cr[FLIGHT], zr[FLIGHT], zi[FLIGHT];
            vi count[FLIGHT];
            vm alive[FLIGHT], rest = all_m();

            for (int k = 0; k < FLIGHT; k++) {
                cr[k] = splat_f(left) + splat_f(step) * from_i(iota() + (int32_t)(x + (size_t)k * LANES));
                zr[k] = zi[k] = splat_f(0);
                count[k] = splat_i(0);
                alive[k] = all_m();
            }
            for (uint32_t n = 0; n < bound && any(rest); n++) {
                rest = andnot_m(all_m(), all_m());
                for (int k = 0; k < FLIGHT; k++) {
                    vf rr = zr[k] * zr[k], ii = zi[k] * zi[k];
                    alive[k] = and_m(alive[k], le_f(rr + ii, splat_f(4)));
                    count[k] = add_where(alive[k], count[k], 1);
                    zi[k] = (zr[k] + zr[k]) * zi[k] + ci;
                    zr[k] = rr - ii + cr[k];
                    rest = or_m(rest, alive[k]);
                }
            }
            for (int k = 0; k < FLIGHT; k++)
                store_i(out + y * width + x + (size_t)k * LANES, count[k]);
        }
}
#endif

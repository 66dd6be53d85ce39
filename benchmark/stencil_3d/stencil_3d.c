/* SPDX-License-Identifier: MIT */
#include "limit.h"

LIMIT_REFERENCE(stencil_3d)
{
    LIMIT_VALUE(float, rate);
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);
    ptrdiff_t w = (ptrdiff_t)limit->global[0], h = (ptrdiff_t)limit->global[1],
              d = (ptrdiff_t)limit->global[2];

    memcpy(out, in, (size_t)(w * h * d) * sizeof *out);
    for (ptrdiff_t z = 1; z < d - 1; z++)
        for (ptrdiff_t y = 1; y < h - 1; y++)
            for (ptrdiff_t x = 1; x < w - 1; x++) {
                const float *p = in + (z * h + y) * w + x;
                out[p - in] =
                    p[0] + rate * (p[-1] + p[1] + p[-w] + p[w] + p[-w * h] + p[w * h] - 6.0f * p[0]);
            }
}

#if LIMIT_SIMD
#include "vec.h"

LIMIT_PHASES(stencil_3d, 1)

LIMIT_UNITS(stencil_3d, phase)
{
    return limit->global[2];
}

LIMIT_RUN(stencil_3d, phase, begin, end)
{
    LIMIT_VALUE(float, rate);
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);
    size_t w = limit->global[0], h = limit->global[1], layer = w * h;

    for (size_t z = begin; z < end; z++)
        for (size_t y = 0; y < h; y++) {
            const float *row = in + z * layer + y * w;
            float *to = out + z * layer + y * w;
            if (z == 0 || z == limit->global[2] - 1 || y == 0 || y == h - 1) {
                memcpy(to, row, w * sizeof *to);
                continue;
            }
            for (size_t x = 0; x < w; x += LANES) {
                const float *p = row + x;
                vf middle = load_f(p), sum = load_f(p - 1) + load_f(p + 1) + (load_f(p - w) + load_f(p + w)) +
                                             (load_f(p - layer) + load_f(p + layer));
                store_f(to + x, fma_f(splat_f(rate), fma_f(splat_f(-6), middle, sum), middle));
            }
            to[0] = row[0];
            to[w - 1] = row[w - 1];
        }
}
#endif

/* SPDX-License-Identifier: MIT */
#include "limit.h"

LIMIT_REFERENCE(subgroup_filter)
{
    LIMIT_VALUE(float, radius);
    LIMIT_BUFFER(const float, x);
    LIMIT_BUFFER(const float, y);
    LIMIT_BUFFER(const float, z);
    LIMIT_BUFFER(uint32_t, out);
    LIMIT_BUFFER(uint32_t, count);

    for (size_t i = 0; i < limit->size; i++)
        if (x[i] * x[i] + y[i] * y[i] + z[i] * z[i] < radius * radius)
            out[(*count)++] = (uint32_t)i;
}

#if LIMIT_SIMD
#include "vec.h"

#define PIECE 4096

LIMIT_PHASES(subgroup_filter, 1)

LIMIT_UNITS(subgroup_filter, phase)
{
    return limit_pieces(limit->size, PIECE);
}

LIMIT_RUN(subgroup_filter, phase, begin, end)
{
    LIMIT_VALUE(float, radius);
    LIMIT_BUFFER(const float, x);
    LIMIT_BUFFER(const float, y);
    LIMIT_BUFFER(const float, z);
    LIMIT_BUFFER(uint32_t, out);
    LIMIT_BUFFER(uint32_t, count);
    int32_t kept[PIECE + LANES];

    for (size_t piece = begin; piece < end; piece++) {
        uint32_t n = 0;
        for (size_t i = piece * PIECE; i < (piece + 1) * PIECE; i += LANES) {
            vf a = load_f(x + i), b = load_f(y + i), c = load_f(z + i);
            vm inside = lt_f(a * a + b * b + c * c, splat_f(radius * radius));
            if (any(inside))
                n += compress_i(kept + n, inside, iota() + (int32_t)i);
        }
        memcpy(out + __atomic_fetch_add(count, n, __ATOMIC_RELAXED), kept, n * sizeof *kept);
    }
}
#endif

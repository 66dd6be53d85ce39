/* SPDX-License-Identifier: MIT */
#include "limit.h"

LIMIT_REFERENCE(workgroup_scan)
{
    LIMIT_BUFFER(const int32_t, in);
    LIMIT_BUFFER(int32_t, out);
    uint32_t sum = 0;

    for (size_t i = 0; i < limit->size; i++) {
        sum = i % limit->local[0] ? sum + (uint32_t)in[i] : (uint32_t)in[i];
        out[i] = (int32_t)sum;
    }
}

#if LIMIT_SIMD
#include "vec.h"

#define GROUPS 64

LIMIT_PHASES(workgroup_scan, 1)

LIMIT_UNITS(workgroup_scan, phase)
{
    return limit_pieces(limit->size, limit->local[0] * GROUPS);
}

LIMIT_RUN(workgroup_scan, phase, begin, end)
{
    LIMIT_BUFFER(const int32_t, in);
    LIMIT_BUFFER(int32_t, out);
    size_t width = limit->local[0];

    for (size_t i = begin * GROUPS * width; i < end * GROUPS * width; i += width) {
        vi before = splat_i(0);
        for (size_t lane = 0; lane < width; lane += LANES) {
            vi x = scan_i(load_i(in + i + lane));
            store_i(out + i + lane, x + before);
            before += last_i(x);
        }
    }
}
#endif

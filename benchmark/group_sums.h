/* SPDX-License-Identifier: MIT */
/* The sums of work-groups whose work-items stride over an array by the global size: reference and limit by
 * NAME, which runs LAUNCHES times, as the description says. */
#include "named.h"

REFERENCE(NAME)
{
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, sums);
    size_t width = limit->local[0], stride = limit->global[0];

    for (size_t group = 0; group < stride / width; group++) {
        double sum = 0;
        for (size_t i = group * width; i < limit->size; i += stride)
            for (size_t lane = 0; lane < width; lane++)
                sum += (double)in[i + lane];
        sums[group] = (float)sum;
    }
}

#if LIMIT_SIMD
#include "vec.h"

#define GROUPS 16

PHASES(NAME, LAUNCHES)

UNITS(NAME, phase)
{
    return limit_pieces(limit->global[0], limit->local[0] * GROUPS);
}

RUN(NAME, phase, begin, end)
{
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, sums);
    size_t width = limit->local[0], stride = limit->global[0];

    for (size_t group = begin * GROUPS; group < end * GROUPS; group++) {
        vf sum[4] = {splat_f(0), splat_f(0), splat_f(0), splat_f(0)};
        for (size_t i = group * width; i < limit->size; i += stride)
            for (size_t lane = 0; lane < width; lane += 4 * LANES)
                for (int k = 0; k < 4; k++)
                    sum[k] += load_f(in + i + lane + k * LANES);
        sums[group] = sum_f(sum[0] + sum[1] + (sum[2] + sum[3]));
    }
}
#endif

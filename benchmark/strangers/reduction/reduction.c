/* SPDX-License-Identifier: MIT */
#include "limit.h"
#include <math.h>
#include <float.h>

#define GROUP_SUMS(name, type, group)                                                                        \
    LIMIT_LOOP(name)                                                                                         \
    {                                                                                                        \
        LIMIT_BUFFER(const type, g_idata);                                                                   \
        LIMIT_BUFFER(type, g_odata);                                                                         \
        _Pragma("omp parallel for") for (size_t g = 0; g < limit->size / group; g++)                         \
        {                                                                                                    \
            type sum = 0;                                                                                    \
            for (size_t i = 0; i < group; i++)                                                               \
                sum += g_idata[g * group + i];                                                               \
            g_odata[g] = sum;                                                                                \
        }                                                                                                    \
    }
GROUP_SUMS(reduce_modulo, int, 256)
GROUP_SUMS(reduce_strided, float, 128)
GROUP_SUMS(reduce_strided_double, double, 128)
GROUP_SUMS(reduce_strided_half, _Float16, 128)

LIMIT_LOOP(dot_grid_stride)
{
    LIMIT_BUFFER(const double, a);
    LIMIT_BUFFER(const double, b);
    LIMIT_BUFFER(double, sum);

#pragma omp parallel for
    for (size_t g = 0; g < 64; g++) {
        double mine = 0;
        for (size_t base = g * 4; base < limit->size; base += 256)
            for (size_t i = base; i < base + 4; i++)
                mine += a[i] * b[i];
        sum[g] = mine;
    }
}

LIMIT_LOOP(arg_min)
{
    LIMIT_BUFFER(const float, values);
    LIMIT_BUFFER(float, least);
    LIMIT_BUFFER(int, where);

#pragma omp parallel for
    for (size_t g = 0; g < 32; g++) {
        float mine = FLT_MAX;
        int at = -1;
        for (size_t base = g * 128; base < limit->size; base += 32 * 128)
            for (size_t i = base; i < base + 128 && i < limit->size; i++)
                if (values[i] < mine) {
                    mine = values[i];
                    at = (int)i;
                }
        least[g] = mine;
        where[g] = at;
    }
}

LIMIT_LOOP(atomic_max_bytes)
{
    LIMIT_BUFFER(const uint8_t, bytes);
    LIMIT_BUFFER(int, most);
    int high = *most;

#pragma omp parallel for simd reduction(max : high)
    for (size_t i = 0; i < limit->size; i++)
        high = bytes[i] > high ? bytes[i] : high;
    *most = high;
}

#define HALF_TOO
#define WITH_REALS "reduction/reduction_real.h"
#include "strangers/each_real.h"

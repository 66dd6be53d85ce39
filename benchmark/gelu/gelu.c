/* SPDX-License-Identifier: MIT */
#include "limit.h"

#include <math.h>

LIMIT_REFERENCE(gelu)
{
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);

    for (size_t i = 0; i < limit->size; i++) {
        double x = (double)in[i];
        out[i] = (float)(0.5 * x * (1 + tanh(0.79788456 * (x + 0.044715 * x * x * x))));
    }
}

#if LIMIT_SIMD
#include "vec.h"

#define PIECE 8192

LIMIT_PHASES(gelu, 1)

LIMIT_UNITS(gelu, phase)
{
    return limit_pieces(limit->size, PIECE);
}

/* (1 + tanh(u)) / 2 is 1 / (1 + e^-2u). */
LIMIT_RUN(gelu, phase, begin, end)
{
    LIMIT_BUFFER(const float, in);
    LIMIT_BUFFER(float, out);

    FOR_PIECES(i, PIECE, LANES)
    {
        vf x = load_f(in + i);
        vf u = x * fma_f(x * x, splat_f(-2 * 0.79788456f * 0.044715f), splat_f(-2 * 0.79788456f));
        store_f(out + i, x / (exp_f(u) + 1.0f));
    }
}
#endif

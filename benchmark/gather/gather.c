/* SPDX-License-Identifier: MIT */
#include "limit.h"

LIMIT_REFERENCE(gather)
{
    LIMIT_BUFFER(const uint32_t, index);
    LIMIT_BUFFER(const float, table);
    LIMIT_BUFFER(float, out);

    for (size_t i = 0; i < limit->size; i++)
        out[i] = table[index[i]];
}

#if LIMIT_SIMD
#include "vec.h"

#define PIECE 8192

LIMIT_PHASES(gather, 1)

LIMIT_UNITS(gather, phase)
{
    return limit_pieces(limit->size, PIECE);
}

LIMIT_RUN(gather, phase, begin, end)
{
    LIMIT_BUFFER(const int32_t, index);
    LIMIT_BUFFER(const float, table);
    LIMIT_BUFFER(float, out);

    FOR_PIECES(i, PIECE, LANES)
    store_f(out + i, gather_f(table, load_i(index + i)));
}
#endif

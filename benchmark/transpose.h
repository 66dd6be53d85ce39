/* SPDX-License-Identifier: MIT */
/* The transpose of a matrix of `rows` x `columns` elements of 32 bits, multiples of 16: reference and limit
 * by NAME, which runs LAUNCHES times, as the description says. */
#include "limit.h"

#define REFERENCE(name) LIMIT_REFERENCE(name)
#define PHASES(name, count) LIMIT_PHASES(name, count)
#define UNITS(name, phase) LIMIT_UNITS(name, phase)
#define RUN(name, phase, begin, end) LIMIT_RUN(name, phase, begin, end)

REFERENCE(NAME)
{
    LIMIT_BUFFER(const int32_t, in);
    LIMIT_BUFFER(int32_t, out);
    LIMIT_VALUE(uint32_t, columns);
    LIMIT_VALUE(uint32_t, rows);

    for (size_t y = 0; y < rows; y++)
        for (size_t x = 0; x < columns; x++)
            out[x * rows + y] = in[y * columns + x];
}

#if LIMIT_SIMD
#include "vec.h"

PHASES(NAME, LAUNCHES)

UNITS(NAME, phase)
{
    LIMIT_VALUE(uint32_t, columns);
    return limit_pieces(columns, 16);
}

RUN(NAME, phase, begin, end)
{
    LIMIT_BUFFER(const int32_t, in);
    LIMIT_BUFFER(int32_t, out);
    LIMIT_VALUE(uint32_t, columns);
    LIMIT_VALUE(uint32_t, rows);

    for (size_t x = begin * 16; x < end * 16; x += LANES)
        for (size_t y = 0; y < rows; y += LANES) {
            vi v[LANES];
            for (int r = 0; r < LANES; r++)
                v[r] = load_i(in + (y + r) * columns + x);
            transpose(v);
            for (int r = 0; r < LANES; r++)
                store_i(out + (x + r) * rows + y, v[r]);
        }
}
#endif

/* SPDX-License-Identifier: MIT */
#include "limit.h"

#define BINS 256

LIMIT_REFERENCE(histogram)
{
    LIMIT_BUFFER(const uint8_t, in);
    LIMIT_BUFFER(uint32_t, counts);

    for (size_t i = 0; i < limit->size; i++)
        counts[in[i]]++;
}

#if LIMIT_SIMD
#include "vec.h"

#define PIECE 65536
#define TABLES 8

LIMIT_PHASES(histogram, 1)

LIMIT_UNITS(histogram, phase)
{
    return limit_pieces(limit->size, PIECE);
}

/* Eight tables, so that equal neighbours do not wait for each other; added together at the end of the pieces.
 */
LIMIT_RUN(histogram, phase, begin, end)
{
    LIMIT_BUFFER(const uint8_t, in);
    LIMIT_BUFFER(uint32_t, counts);
    uint32_t tables[TABLES][BINS] = {0};

    for (size_t i = begin * PIECE; i < end * PIECE; i += 8) {
        uint64_t x;
        memcpy(&x, in + i, sizeof x);
        for (int k = 0; k < TABLES; k++)
            tables[k][x >> (8 * k) & 255]++;
    }
    for (int bin = 0; bin < BINS; bin++) {
        uint32_t sum = 0;
        for (int k = 0; k < TABLES; k++)
            sum += tables[k][bin];
        __atomic_fetch_add(counts + bin, sum, __ATOMIC_RELAXED);
    }
}
#endif

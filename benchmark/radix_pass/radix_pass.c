/* SPDX-License-Identifier: MIT */
#include "limit.h"

#define DIGITS 16

LIMIT_REFERENCE(radix_pass)
{
    LIMIT_VALUE(uint32_t, shift);
    LIMIT_BUFFER(const uint32_t, keys);
    LIMIT_BUFFER(uint32_t, out);

    for (uint32_t digit = 0; digit < DIGITS; digit++)
        for (size_t i = 0; i < limit->size; i++)
            if ((keys[i] >> shift & (DIGITS - 1)) == digit)
                *out++ = keys[i];
}

#if LIMIT_SIMD
#include "vec.h"

#define PIECE 16384
#define TABLES 4

LIMIT_PHASES(radix_pass, 3)
LIMIT_SCRATCH(radix_pass, limit->size / PIECE * DIGITS * sizeof(uint32_t))

LIMIT_UNITS(radix_pass, phase)
{
    return phase == 1 ? 1 : limit_pieces(limit->size, PIECE);
}

/* Counts and scatter key by key: sixteen places in the first cache take one key a cycle or two. */
LIMIT_RUN(radix_pass, phase, begin, end)
{
    LIMIT_VALUE(uint32_t, shift);
    LIMIT_BUFFER(const uint32_t, keys);
    LIMIT_BUFFER(uint32_t, out);
    uint32_t(*counts)[DIGITS] = limit->scratch, sum = 0;

    if (phase == 1) {
        for (int digit = 0; digit < DIGITS; digit++)
            for (size_t piece = 0; piece < limit->size / PIECE; piece++) {
                uint32_t mine = counts[piece][digit];
                counts[piece][digit] = sum;
                sum += mine;
            }
        return;
    }
    for (size_t piece = begin; piece < end; piece++) {
        const uint32_t *mine = keys + piece * PIECE;
        if (phase == 0) {
            uint32_t tables[TABLES][DIGITS] = {0};
            for (size_t i = 0; i < PIECE; i += TABLES)
                for (int k = 0; k < TABLES; k++)
                    tables[k][mine[i + k] >> shift & (DIGITS - 1)]++;
            for (int digit = 0; digit < DIGITS; digit++)
                counts[piece][digit] =
                    tables[0][digit] + tables[1][digit] + tables[2][digit] + tables[3][digit];
        } else {
            uint32_t place[DIGITS];
            memcpy(place, counts[piece], sizeof place);
            for (size_t i = 0; i < PIECE; i++)
                out[place[mine[i] >> shift & (DIGITS - 1)]++] = mine[i];
        }
    }
}
#endif

/* SPDX-License-Identifier: MIT */
/* What offsets.c and arithmetic.c share. */
#ifndef LW_VECTORIZER_OFFSETS_INTERNAL_H
#define LW_VECTORIZER_OFFSETS_INTERNAL_H

#include "integers.h"
#include "offsets.h"
#include "../../src/compiler.h"

struct lw_offsets {
    struct lw_arena *arena;
    unsigned lanes;
    const int64_t **slots; /* open addressing */
    size_t mask, count;
    const int64_t *zero;
};

static inline uint8_t
lw_weaker(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

/* lo..hi, or the whole range of the width where they do not fit it. */
void lw_fact_set_range(struct lw_fact *f, unsigned width, __int128 lo, __int128 hi);
void lw_fact_forget_range(struct lw_fact *f, unsigned width);
/* The bits of lane `i` below the unknown ones are residue + offset with no carry out of them. */
bool lw_fact_stays_below(const struct lw_offsets *o, const struct lw_fact *f);

#endif

/* SPDX-License-Identifier: MIT */
/* fmin and fmax of lanes by AVX-512's range instructions. */
#ifndef LW_VECTORIZER_MINMAX_RANGE_H
#define LW_VECTORIZER_MINMAX_RANGE_H

#include "../lanes/lanes.h"

enum { LW_QUIETED_KEPT = 64 };

/* For one function: what was made quiet last. */
struct lw_minmax_ranges {
    lw_lanes *lanes;
    V function, from[LW_QUIETED_KEPT], to[LW_QUIETED_KEPT];
    unsigned next;
};

/* Replaces a minimum or maximum of float or double vectors, which ignores one NaN, if they fill registers. */
void lw_minmax_range(struct lw_minmax_ranges *r, V i, bool max);

#endif

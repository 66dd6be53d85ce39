/* SPDX-License-Identifier: MIT */
/* What the dispatch shape tells about the work-item functions, lane by lane. */
#ifndef LW_VECTORIZER_ROOTS_H
#define LW_VECTORIZER_ROOTS_H

#include "offsets.h"
#include "../../src/compiler.h"

/* The fact of a call of `name` (with constant dimension `dim`, where it has one); level UNSEEN for functions
 * that are no work-item functions. `width`: of the result. */
struct lw_fact lw_root_fact(struct lw_offsets *o, const struct lw_shape *shape, const char *name,
                            unsigned dim, unsigned width);

#endif

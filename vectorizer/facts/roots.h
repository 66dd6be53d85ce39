/* SPDX-License-Identifier: MIT */
/* What the dispatch shape tells about the work-item functions, lane by lane. */
#ifndef LW_VECTORIZER_ROOTS_H
#define LW_VECTORIZER_ROOTS_H

#include "offsets.h"
#include "../../spirv/intrinsics.h"
#include "../../src/compiler.h"

/* The fact of a call of spirv/intrinsics.def (with constant dimension `dim`, where it has one); level UNSEEN
 * for functions that are no work-item functions. `same`: its column; `width`: of the result. */
struct lw_fact lw_root_fact(struct lw_offsets *o, const struct lw_shape *shape, enum lw_call_id id,
                            enum lw_call_same same, unsigned dim, unsigned width);

#endif

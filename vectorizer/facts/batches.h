/* SPDX-License-Identifier: MIT */
/* Atomics that a work-group does at once, see batches.c. */
#ifndef LW_VECTORIZER_BATCHES_H
#define LW_VECTORIZER_BATCHES_H

#include "../../spirv/arena.h"
#include "model.h"
#include "../../src/compiler.h"

/* By value: is it an atomic whose operands all sub-groups bring together, one operation for the work-group?
 * NULL: there is none. */
bool *lw_find_batches(struct lw_arena *arena, const struct lw_model *model, const struct lw_shape *shape);

#endif

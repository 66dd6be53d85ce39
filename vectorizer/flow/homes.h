/* SPDX-License-Identifier: MIT */
/* Where the slots of a block are made empty: late, so that they live no longer than they must. */
#ifndef LW_VECTORIZER_HOMES_H
#define LW_VECTORIZER_HOMES_H

#include "linearize.h"

struct lw_homes {
    uint32_t *home;  /* by block; LW_NONE for the entry */
    uint32_t *first; /* by block: the blocks whose home it is, a list: first, next[first], ... LW_NONE */
    uint32_t *next;
    uint32_t *idom, *depth, *jump; /* of the linear plan */
};

struct lw_homes *lw_find_homes(struct lw_arena *arena, const struct lw_model *model,
                               const struct lw_linear_plan *plan);
/* Is the body of `a` run on every linear way to `b`? */
bool lw_runs_before(const struct lw_model *model, const struct lw_linear_plan *plan,
                    const struct lw_homes *homes, uint32_t a, uint32_t b);
/* Does every way back to `block` pass its home? If not, the block empties its slots itself. */
bool lw_home_is_near(const struct lw_model *model, const struct lw_homes *homes, uint32_t block);

#endif

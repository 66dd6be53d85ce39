/* SPDX-License-Identifier: MIT */
/* The natural loops of a function that has no canonical form yet (model.h knows those of one that has). */
#ifndef LW_VECTORIZER_NATURAL_LOOPS_H
#define LW_VECTORIZER_NATURAL_LOOPS_H

#include "flow_graph.h"
#include "value_map.h"

/* Of blocks that are reached, by their numbers in reverse post-order. A cycle that is entered at two places
 * is no loop. */
struct lw_natural_loops {
    struct lw_graph graph;
    LLVMBasicBlockRef *blocks;
    struct lw_value_map *numbers;
    uint32_t *header; /* by block: of the innermost loop around it; LW_NONE: there is none */
    uint32_t *outer;  /* by header: of the next loop around that one */
    uint32_t *parent; /* by block: its immediate dominator; LW_NONE: it has none */
    uint32_t *first, *end; /* by block: numbers in the dominator tree */
};

/* All of it lies in the arena. Changes nothing. */
void lw_find_natural_loops(struct lw_arena *arena, LLVMValueRef function, struct lw_natural_loops *out);

/* LW_NONE: it is not reached. */
uint32_t lw_number_of_block(const struct lw_natural_loops *loops, LLVMBasicBlockRef block);

/* Is `a` on every way from the function's entry to `b`? */
bool lw_block_dominates(const struct lw_natural_loops *loops, uint32_t a, uint32_t b);

/* Does the loop of that header contain the block? Not if that is LW_NONE. */
bool lw_natural_loop_has(const struct lw_natural_loops *loops, uint32_t header, uint32_t block);

#endif

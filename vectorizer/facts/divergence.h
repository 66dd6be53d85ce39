/* SPDX-License-Identifier: MIT */
/* Sync dependence: what a branch on a varying condition does to the joins, loops and blocks behind it.
 *
 * Two scopes ask the same question: lanes of a sub-group, work-items of a work-group. The caller visits the
 * blocks in order, tells whether each terminator diverges, and repeats until lw_scope_visit and
 * lw_scope_branch say that nothing changed. Each sweep is linear.
 */
#ifndef LW_VECTORIZER_DIVERGENCE_H
#define LW_VECTORIZER_DIVERGENCE_H

#include "model.h"

/* One iteration of each loop as an acyclic graph; shared by the scopes. */
struct lw_iteration_graph {
    const struct lw_model *model;
    uint32_t *above; /* by block: what dominates it, on its own loop level (a loop counts as its preheader) */
    uint32_t *ipdom; /* post-dominators by node: blocks, then ends of loops, then the exit */
    uint32_t *in, *out;
    uint32_t exit;
};

struct lw_scope {
    const struct lw_iteration_graph *graph;
    bool *branch;      /* by block: diverges */
    bool *loop;        /* by loop: lanes may leave in different iterations */
    bool *join;        /* by block: lanes that meet here may have come over different edges */
    uint32_t *partial; /* by block: steps down the `above` tree, from the entry, that only some lanes take */
    bool *step;        /* by block: the step from above[b] to b is one of them */
    uint32_t *closure; /* of such a step: where all branches that caused it have met again */
};

struct lw_iteration_graph *lw_iteration_graph_create(struct lw_arena *arena, const struct lw_model *model);
struct lw_scope *lw_scope_create(struct lw_arena *arena, const struct lw_iteration_graph *graph);
/* Derives join, partial and step of `block` from the blocks before it. True where something changed. */
bool lw_scope_visit(struct lw_scope *scope, uint32_t block);
/* After the block's instructions: its terminator diverges. Updates the loops that it leaves. True on a
 * change. */
bool lw_scope_branch(struct lw_scope *scope, uint32_t block, bool diverges);
/* Does the block's execution depend on a divergent branch? */
bool lw_scope_masked(const struct lw_scope *scope, uint32_t block);
/* Does a value of `block` differ in time between lanes that leave over the edge from -> to? */
bool lw_scope_temporal(const struct lw_scope *scope, uint32_t block, uint32_t from, uint32_t to);

#endif

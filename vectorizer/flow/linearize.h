/* SPDX-License-Identifier: MIT */
/* Which branches of the scalar function stay branches, and where every block goes next. */
#ifndef LW_VECTORIZER_LINEARIZE_H
#define LW_VECTORIZER_LINEARIZE_H

#include "../facts/uniformity.h"

enum lw_exit_kind {
    LW_EXIT_RETURN,
    LW_EXIT_JUMP,   /* to[0] */
    LW_EXIT_BRANCH, /* a uniform condition: edge k of the block goes to to[k]; edge actions on the way */
    LW_EXIT_LOOP    /* latch of a divergent loop: any lane on the back edge ? to[0], the header : to[1] */
};

struct lw_block_plan {
    uint8_t exit; /* enum lw_exit_kind */
    uint32_t to[2];
    bool guarded;        /* skip the block and all that it dominates where no lane is active */
    uint32_t guard_else; /* and go there */
    bool in_divergent_loop;
    bool group_branch; /* LW_EXIT_BRANCH that leads to barriers, where sub-groups without lanes cannot tell:
                          those that have some decide */
    bool idle_branch;  /* LW_EXIT_BRANCH of a loop that a sub-group without lanes may come to, and might not
                          leave */
    uint8_t idle;      /* the edge where no lane is active: of the work-group, of the sub-group */
    bool group_loop;   /* LW_EXIT_LOOP around a barrier: goes round while any lane of the work-group does */
};

struct lw_linear_plan {
    struct lw_block_plan *blocks; /* by block number */
};

/* Is this edge an exit of a divergent loop? Its lanes wait, masked, until the loop ends. */
bool lw_edge_leaves_divergent_loop(const struct lw_model *m, const struct lw_uniformity *u, uint32_t from,
                                   uint32_t to);

struct lw_linear_plan *lw_linearize(struct lw_arena *arena, const struct lw_model *model,
                                    const struct lw_uniformity *uniformity);

#endif

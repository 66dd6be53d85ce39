/* SPDX-License-Identifier: MIT */
/* Directed graphs over dense node numbers: depth-first order and dominators, near-linear and without
 * recursion. */
#ifndef LW_SPIRV_GRAPH_H
#define LW_SPIRV_GRAPH_H

#include "arena.h"

#define LW_NONE UINT32_MAX

/* Node u's successors are succs[succ_begin[u] .. succ_begin[u + 1]), duplicates kept; its predecessors
 * likewise, each once. */
struct lw_graph {
    uint32_t count;
    uint32_t *succ_begin, *succs; /* succ_begin, pred_begin: count + 1 entries */
    uint32_t *pred_begin, *preds;
};

/* Fills pred_begin and preds from the successors. */
void lw_graph_find_preds(struct lw_arena *arena, struct lw_graph *graph);
/* Writes the nodes reachable from `root` in reverse post-order to `order` (room for all nodes), returns how
 * many. */
uint32_t lw_graph_reverse_postorder(struct lw_arena *arena, const struct lw_graph *graph, uint32_t root,
                                    uint32_t *order);
/* Immediate dominators (Lengauer and Tarjan, path compression). LW_NONE for the root and for unreachable
 * nodes. */
void lw_graph_dominators(struct lw_arena *arena, const struct lw_graph *graph, uint32_t root, uint32_t *idom);
/* Numbers a forest given by parents (LW_NONE: a root) so that a is an ancestor of b, or b itself, exactly
 * where in[a] <= in[b] && in[b] < out[a]. */
void lw_number_forest(struct lw_arena *arena, const uint32_t *parent, uint32_t count, uint32_t *in,
                      uint32_t *out);

#endif

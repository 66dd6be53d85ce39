/* SPDX-License-Identifier: MIT */
/* A network of minima and maxima in a block, as minmax.c finds it and minmax_twice.c writes it. */
#ifndef LW_VECTORIZER_MINMAX_INTERNAL_H
#define LW_VECTORIZER_MINMAX_INTERNAL_H

#include "../facts/value_map.h"
#include "../lanes/lanes.h"

enum { LW_NETWORK_LEAVES = 64 };

enum lw_network_place { LW_STAYS, LW_NODE, LW_BEHIND };

/* An instruction of the block. */
struct lw_network_member {
    V value, fast; /* fast: a node's copy for inputs without NaN */
    enum lw_network_place place;
    uint64_t leaves;  /* of a node: what it depends on */
    V operands[2];    /* where it was looked at: what is left of it */
    V instead;        /* nothing of it is left but this, if anything */
    uint8_t in_group; /* its number there */
    bool max, gone;
};

/* Nodes: operations of one block, from one to the last that depend on nothing but each other and what can
 * stand before all of them. */
struct lw_min_max_network {
    struct lw_network_member *all; /* the block's instructions, in their order */
    struct lw_value_map *numbers;
    unsigned left_out;                 /* nodes that are not needed */
    uint32_t count, start, end, nodes; /* end: the last node */
    V leaves[LW_NETWORK_LEAVES];
    uint32_t leaf_count;
    bool memory_behind;
};

/* The node at `k`; NULL: none. */
struct lw_network_member *lw_node_at(const struct lw_min_max_network *n, uint32_t k);
/* The node that is `value`; NULL: none. */
struct lw_network_member *lw_node_of(const struct lw_min_max_network *n, V value);
/* Has the node a user that is none? */
bool lw_is_used_outside(const struct lw_min_max_network *n, V node);

/* The network for inputs without NaN, and as it was; which of them, a test of all inputs chooses. Returns the
 * block that holds what came behind the network. */
LLVMBasicBlockRef lw_write_network_twice(struct lw_min_max_network *n, lw_lanes *l, LLVMBasicBlockRef block);

#endif

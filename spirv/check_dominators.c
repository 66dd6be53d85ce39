/* SPDX-License-Identifier: MIT */
/* Dominators of one function by Lengauer and Tarjan's simple method, iterative.
 *
 * Enters: a flow with successors and predecessors.  Leaves: order[], enter[], leave[].
 * Relies on: block 0 being the entry.  Never: takes more than n log n steps.
 */
#include <stdlib.h>
#include <string.h>

#include "check_parts.h"

#define NONE UINT32_MAX

/* Everything by depth-first number but `block` and flow->order. */
struct tree {
    uint32_t *block;
    uint32_t *parent;
    uint32_t *semi;
    uint32_t *idom;
    uint32_t *ancestor;
    uint32_t *label;
    uint32_t *bucket; /* first node with this semidominator, */
    uint32_t *chain;  /* and the next one */
    uint32_t *stack;
    uint32_t reached;
};

static void
number_blocks(struct lw_flow *flow, struct tree *t, uint32_t *next)
{
    uint32_t depth = 0;
    memset(flow->order, 0xff, sizeof *flow->order * flow->count);
    memcpy(next, flow->succ_first, sizeof *next * flow->count);
    flow->order[0] = 0;
    t->block[0] = 0;
    t->parent[0] = NONE;
    t->reached = 1;
    t->stack[depth++] = 0;
    while (depth) {
        uint32_t b = t->stack[depth - 1];
        if (next[b] == flow->succ_first[b + 1]) {
            depth--;
            continue;
        }
        uint32_t s = flow->succ[next[b]++];
        if (flow->order[s] != NONE)
            continue;
        flow->order[s] = t->reached;
        t->block[t->reached] = s;
        t->parent[t->reached++] = flow->order[b];
        t->stack[depth++] = s;
    }
}

/* The node of least semidominator on the path from `v` up to its root, compressing the path. */
static uint32_t
evaluate(struct tree *t, uint32_t v)
{
    if (t->ancestor[v] == NONE)
        return t->label[v];
    uint32_t depth = 0, u = v;
    for (; t->ancestor[t->ancestor[u]] != NONE; u = t->ancestor[u])
        t->stack[depth++] = u;
    while (depth) {
        u = t->stack[--depth];
        uint32_t a = t->ancestor[u];
        if (t->semi[t->label[a]] < t->semi[t->label[u]])
            t->label[u] = t->label[a];
        t->ancestor[u] = t->ancestor[a];
    }
    return t->label[v];
}

static void
find_dominators(const struct lw_flow *flow, struct tree *t)
{
    for (uint32_t v = 0; v < t->reached; v++) {
        t->semi[v] = t->label[v] = v;
        t->ancestor[v] = t->bucket[v] = t->chain[v] = NONE;
        t->idom[v] = 0;
    }
    for (uint32_t v = t->reached; v-- > 1;) {
        uint32_t b = t->block[v];
        for (uint32_t p = flow->pred_first[b]; p < flow->pred_first[b + 1]; p++) {
            uint32_t from = flow->order[flow->pred[p]];
            if (from == NONE)
                continue;
            uint32_t u = evaluate(t, from);
            if (t->semi[u] < t->semi[v])
                t->semi[v] = t->semi[u];
        }
        t->chain[v] = t->bucket[t->semi[v]];
        t->bucket[t->semi[v]] = v;
        uint32_t parent = t->parent[v];
        t->ancestor[v] = parent;
        while (t->bucket[parent] != NONE) {
            uint32_t w = t->bucket[parent];
            t->bucket[parent] = t->chain[w];
            uint32_t u = evaluate(t, w);
            t->idom[w] = t->semi[u] < t->semi[w] ? u : parent;
        }
    }
    for (uint32_t v = 1; v < t->reached; v++)
        if (t->idom[v] != t->semi[v])
            t->idom[v] = t->idom[t->idom[v]];
}

/* Numbers the dominator tree so that a subtree is an interval. `size` and `cursor` are scratch. */
static void
number_tree(struct lw_flow *flow, const struct tree *t, uint32_t *size, uint32_t *cursor)
{
    for (uint32_t v = 0; v < t->reached; v++)
        size[v] = 1;
    for (uint32_t v = t->reached; v-- > 1;)
        size[t->idom[v]] += size[v];
    for (uint32_t v = 0; v < t->reached; v++) {
        uint32_t enter = 0;
        if (v) {
            enter = cursor[t->idom[v]];
            cursor[t->idom[v]] += size[v];
        }
        cursor[v] = enter + 1;
        flow->enter[t->block[v]] = enter;
        flow->leave[t->block[v]] = enter + size[v] - 1;
    }
}

bool
lw_flow_dominators(struct lw_flow *flow)
{
    size_t n = flow->count;
    uint32_t *room = calloc(n * 11, sizeof *room);
    if (!room)
        return false;
    struct tree t = {.block = room, .parent = room + n, .semi = room + 2 * n, .idom = room + 3 * n,
                     .ancestor = room + 4 * n, .label = room + 5 * n, .bucket = room + 6 * n,
                     .chain = room + 7 * n, .stack = room + 8 * n};
    number_blocks(flow, &t, room + 9 * n);
    find_dominators(flow, &t);
    number_tree(flow, &t, room + 9 * n, room + 10 * n);
    free(room);
    return true;
}

/* SPDX-License-Identifier: MIT */
/* Graph algorithms of the model, see graph.h.
 *
 * Enters: successors by node. Leaves: predecessors, orders, dominators, intervals of forests. Relies on:
 * dense numbers, and an arena for what it needs meanwhile. Never: recurses, or changes the successors.
 */
#include "graph.h"

void
lw_graph_find_preds(struct lw_arena *arena, struct lw_graph *graph)
{
    uint32_t n = graph->count;
    uint32_t *last = lw_arena_fill(arena, n, LW_NONE); /* the last source seen: drops duplicate edges */
    graph->pred_begin = LW_ARENA_NEW(arena, uint32_t, (size_t)n + 1);
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t e = graph->succ_begin[u]; e < graph->succ_begin[u + 1]; e++)
            if (last[graph->succs[e]] != u) {
                last[graph->succs[e]] = u;
                graph->pred_begin[graph->succs[e] + 1]++;
            }
    for (uint32_t u = 0; u < n; u++) {
        graph->pred_begin[u + 1] += graph->pred_begin[u];
        last[u] = LW_NONE;
    }
    graph->preds = LW_ARENA_NEW(arena, uint32_t, graph->pred_begin[n]);
    uint32_t *fill = LW_ARENA_NEW(arena, uint32_t, n);
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t e = graph->succ_begin[u]; e < graph->succ_begin[u + 1]; e++) {
            uint32_t v = graph->succs[e];
            if (last[v] != u) {
                last[v] = u;
                graph->preds[graph->pred_begin[v] + fill[v]++] = u;
            }
        }
}

uint32_t
lw_graph_reverse_postorder(struct lw_arena *arena, const struct lw_graph *graph, uint32_t root,
                           uint32_t *order)
{
    uint32_t n = graph->count, depth = 0, done = 0;
    uint32_t *stack = LW_ARENA_NEW(arena, uint32_t, n);
    uint32_t *edge = LW_ARENA_NEW(arena, uint32_t, n);
    char *seen = LW_ARENA_NEW(arena, char, n);
    stack[depth++] = root;
    seen[root] = 1;
    edge[root] = graph->succ_begin[root];
    while (depth) {
        uint32_t u = stack[depth - 1];
        if (edge[u] == graph->succ_begin[u + 1]) {
            order[done++] = u;
            depth--;
            continue;
        }
        uint32_t v = graph->succs[edge[u]++];
        if (!seen[v]) {
            seen[v] = 1;
            edge[v] = graph->succ_begin[v];
            stack[depth++] = v;
        }
    }
    for (uint32_t i = 0; i < done / 2; i++) {
        uint32_t u = order[i];
        order[i] = order[done - 1 - i];
        order[done - 1 - i] = u;
    }
    return done;
}

/* The state of Lengauer and Tarjan's algorithm; every index is a depth-first number. */
struct dominators {
    uint32_t count;
    uint32_t *number; /* by node */
    uint32_t *node;
    uint32_t *parent;
    uint32_t *semi;
    uint32_t *label;
    uint32_t *ancestor;
    uint32_t *bucket, *next; /* lists of the numbers whose semidominator is the index */
    uint32_t *dom;
    uint32_t *path;
};

static void
number_depth_first(const struct lw_graph *graph, uint32_t root, struct dominators *d, uint32_t *edge)
{
    d->number[root] = 0;
    d->node[0] = root;
    d->parent[0] = LW_NONE;
    d->count = 1;
    edge[root] = graph->succ_begin[root];
    uint32_t at = 0; /* the parents are the stack */
    while (at != LW_NONE) {
        uint32_t u = d->node[at];
        if (edge[u] == graph->succ_begin[u + 1]) {
            at = d->parent[at];
            continue;
        }
        uint32_t v = graph->succs[edge[u]++];
        if (d->number[v] != LW_NONE)
            continue;
        d->number[v] = d->count;
        d->node[d->count] = v;
        d->parent[d->count] = at;
        edge[v] = graph->succ_begin[v];
        at = d->count++;
    }
}

/* The number with the least semidominator on the forest path to `v`, compressing the path. */
static uint32_t
evaluate(struct dominators *d, uint32_t v)
{
    uint32_t length = 0;
    if (d->ancestor[v] == LW_NONE)
        return d->label[v];
    for (uint32_t x = v; d->ancestor[d->ancestor[x]] != LW_NONE; x = d->ancestor[x])
        d->path[length++] = x;
    while (length) {
        uint32_t x = d->path[--length], above = d->ancestor[x];
        if (d->semi[d->label[above]] < d->semi[d->label[x]])
            d->label[x] = d->label[above];
        d->ancestor[x] = d->ancestor[above];
    }
    return d->label[v];
}

static void
find_semidominators(const struct lw_graph *graph, struct dominators *d)
{
    for (uint32_t w = d->count - 1; w > 0; w--) {
        uint32_t node = d->node[w], parent = d->parent[w];
        for (uint32_t e = graph->pred_begin[node]; e < graph->pred_begin[node + 1]; e++) {
            uint32_t p = d->number[graph->preds[e]];
            if (p == LW_NONE)
                continue;
            uint32_t u = evaluate(d, p);
            if (d->semi[u] < d->semi[w])
                d->semi[w] = d->semi[u];
        }
        d->next[w] = d->bucket[d->semi[w]];
        d->bucket[d->semi[w]] = w;
        d->ancestor[w] = parent;
        for (uint32_t v = d->bucket[parent]; v != LW_NONE; v = d->next[v]) {
            uint32_t u = evaluate(d, v);
            d->dom[v] = d->semi[u] < d->semi[v] ? u : parent;
        }
        d->bucket[parent] = LW_NONE;
    }
}

void
lw_graph_dominators(struct lw_arena *arena, const struct lw_graph *graph, uint32_t root, uint32_t *idom)
{
    uint32_t n = graph->count;
    struct dominators d = {.number = lw_arena_fill(arena, n, LW_NONE),
                           .node = LW_ARENA_NEW(arena, uint32_t, n),
                           .parent = LW_ARENA_NEW(arena, uint32_t, n),
                           .semi = LW_ARENA_NEW(arena, uint32_t, n),
                           .label = LW_ARENA_NEW(arena, uint32_t, n),
                           .ancestor = lw_arena_fill(arena, n, LW_NONE),
                           .bucket = lw_arena_fill(arena, n, LW_NONE),
                           .next = lw_arena_fill(arena, n, LW_NONE),
                           .dom = LW_ARENA_NEW(arena, uint32_t, n),
                           .path = LW_ARENA_NEW(arena, uint32_t, n)};
    number_depth_first(graph, root, &d, LW_ARENA_NEW(arena, uint32_t, n));
    for (uint32_t i = 0; i < d.count; i++)
        d.semi[i] = d.label[i] = i;
    find_semidominators(graph, &d);
    for (uint32_t u = 0; u < n; u++)
        idom[u] = LW_NONE;
    for (uint32_t i = 1; i < d.count; i++) {
        if (d.dom[i] != d.semi[i])
            d.dom[i] = d.dom[d.dom[i]];
        idom[d.node[i]] = d.node[d.dom[i]];
    }
}

void
lw_number_forest(struct lw_arena *arena, const uint32_t *parent, uint32_t count, uint32_t *in, uint32_t *out)
{
    uint32_t *first = lw_arena_fill(arena, (size_t)count + 1, LW_NONE); /* the last entry: above the roots */
    uint32_t *next = lw_arena_fill(arena, count, LW_NONE);
    for (uint32_t u = count; u-- > 0;) {
        uint32_t p = parent[u] == LW_NONE ? count : parent[u];
        next[u] = first[p];
        first[p] = u;
    }
    uint32_t clock = 0, at = first[count];
    while (at != LW_NONE) {
        in[at] = clock++;
        if (first[at] != LW_NONE) {
            at = first[at];
            continue;
        }
        out[at] = clock;
        while (next[at] == LW_NONE && parent[at] != LW_NONE) {
            at = parent[at];
            out[at] = clock;
        }
        at = next[at];
    }
}

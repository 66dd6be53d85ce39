/* SPDX-License-Identifier: MIT */
/* Sync dependence in linear sweeps, see divergence.h.
 *
 * Relies on: the model's block order, single latches, preheaders.
 *
 * A step from a block's dominator d down to the block x is partial where of the lanes that execute d only
 * some execute x in the same iteration. Two lanes meet at x over different edges only if they parted at a
 * divergent branch below d, and then on both ways some step is partial or the edge itself leaves a divergent
 * branch. So x is a join where at least two of its edges are such; there is no propagation per branch. A loop
 * counts as one node that stands at its preheader: it diverges as a branch does where its lanes leave in
 * different iterations.
 *
 * Enters: the model, and for each block, in order, whether its terminator diverges. Leaves: joins, loops and
 * partial steps, and whether any of them changed. Never: looks at other instructions.
 */
#include "divergence.h"

#define WALK 64 /* steps up a tree before the conservative answer is taken: keeps sweeps linear */

static void
fill_iteration_edges(const struct lw_model *m, struct lw_arena *arena, struct lw_graph *g)
{
    uint32_t edges = 0, n = m->block_count;
    for (uint32_t b = 0; b < n; b++)
        edges += m->blocks[b].succ_count + 1;
    for (uint32_t l = 0; l < m->loop_count; l++)
        edges += m->loops[l].exit_count + 1;
    g->succ_begin = LW_ARENA_NEW(arena, uint32_t, (size_t)g->count + 1);
    g->succs = LW_ARENA_NEW(arena, uint32_t, edges);
    edges = 0;
    for (uint32_t b = 0; b < n; b++) {
        const struct lw_vblock *block = &m->blocks[b];
        g->succ_begin[b] = edges;
        for (uint32_t k = 0; k < block->succ_count; k++) {
            uint32_t to = block->succs[k];
            if (to <= b)
                g->succs[edges++] = n + m->blocks[to].loop;
            else if (block->loop != LW_NONE && !lw_loop_contains(m, block->loop, to))
                g->succs[edges++] = n + block->loop;
            else
                g->succs[edges++] = to;
        }
        if (block->succ_count == 0)
            g->succs[edges++] = g->count - 1;
    }
    for (uint32_t l = 0; l < m->loop_count; l++) {
        const struct lw_loop *loop = &m->loops[l];
        g->succ_begin[n + l] = edges;
        for (uint32_t e = 0; e < loop->exit_count; e++) {
            uint32_t to = loop->exit_edges[2 * e + 1];
            bool far = loop->parent != LW_NONE && !lw_loop_contains(m, loop->parent, to);
            g->succs[edges++] = far ? n + loop->parent : to;
        }
        if (loop->exit_count == 0)
            g->succs[edges++] = loop->parent != LW_NONE ? n + loop->parent : g->count - 1;
    }
    g->succ_begin[g->count - 1] = edges;
    g->succ_begin[g->count] = edges;
}

/* The outermost loop that holds `from` but not `to`; LW_NONE where there is none. */
static uint32_t
left_loop(const struct lw_model *m, uint32_t from, uint32_t to)
{
    uint32_t left = LW_NONE;
    for (uint32_t l = m->blocks[from].loop; l != LW_NONE && !lw_loop_contains(m, l, to);
         l = m->loops[l].parent)
        left = l;
    return left;
}

struct lw_iteration_graph *
lw_iteration_graph_create(struct lw_arena *arena, const struct lw_model *m)
{
    struct lw_iteration_graph *graph = LW_ARENA_NEW(arena, struct lw_iteration_graph, 1);
    struct lw_graph forward = {.count = m->block_count + m->loop_count + 1}, back = forward;
    fill_iteration_edges(m, arena, &forward);
    lw_graph_find_preds(arena, &forward);
    back.succ_begin = forward.pred_begin;
    back.succs = forward.preds;
    lw_graph_find_preds(arena, &back);
    graph->model = m;
    graph->exit = forward.count - 1;
    graph->ipdom = LW_ARENA_NEW(arena, uint32_t, forward.count);
    graph->in = LW_ARENA_NEW(arena, uint32_t, forward.count);
    graph->out = LW_ARENA_NEW(arena, uint32_t, forward.count);
    lw_graph_dominators(arena, &back, graph->exit, graph->ipdom);
    lw_number_forest(arena, graph->ipdom, forward.count, graph->in, graph->out);
    graph->above = lw_arena_fill(arena, m->block_count, LW_NONE);
    for (uint32_t b = 1; b < m->block_count; b++) {
        uint32_t left = left_loop(m, m->blocks[b].idom, b);
        graph->above[b] = left == LW_NONE ? m->blocks[b].idom : m->loops[left].preheader;
    }
    return graph;
}

struct lw_scope *
lw_scope_create(struct lw_arena *arena, const struct lw_iteration_graph *graph)
{
    struct lw_scope *scope = LW_ARENA_NEW(arena, struct lw_scope, 1);
    uint32_t n = graph->model->block_count;
    scope->graph = graph;
    scope->branch = LW_ARENA_NEW(arena, bool, n);
    scope->loop = LW_ARENA_NEW(arena, bool, graph->model->loop_count);
    scope->join = LW_ARENA_NEW(arena, bool, n);
    scope->partial = LW_ARENA_NEW(arena, uint32_t, n);
    scope->step = LW_ARENA_NEW(arena, bool, n);
    scope->closure = LW_ARENA_NEW(arena, uint32_t, n);
    return scope;
}

static bool
postdominates(const struct lw_iteration_graph *g, uint32_t a, uint32_t b)
{
    return g->in[a] <= g->in[b] && g->in[b] < g->out[a];
}

/* A node that post-dominates both, the nearest where that is not far. */
static uint32_t
common_postdominator(const struct lw_iteration_graph *g, uint32_t a, uint32_t b)
{
    for (int i = 0; i < WALK && a != g->exit; i++) {
        if (postdominates(g, a, b))
            return a;
        a = g->ipdom[a];
    }
    return g->exit;
}

/* Adds the cause `at` of a partial execution to those that have not met again at `block`. */
static void
add_cause(const struct lw_iteration_graph *g, uint32_t block, uint32_t at, uint32_t *closure)
{
    if (!postdominates(g, block, at))
        *closure = *closure == LW_NONE ? at : common_postdominator(g, *closure, at);
}

/* The causes for which not all lanes of `above` reach `block` over an edge that starts at `from`. */
static void
add_edge_causes(const struct lw_scope *s, uint32_t block, uint32_t from, bool diverges, uint32_t *closure)
{
    const struct lw_iteration_graph *g = s->graph;
    uint32_t top = g->above[block];
    if (diverges)
        add_cause(g, block, from, closure);
    if (s->partial[from] == s->partial[top])
        return;
    int steps = 0;
    for (uint32_t at = from; at != top; at = g->above[at]) {
        if (++steps > WALK) {
            *closure = g->exit;
            return;
        }
        if (s->step[at])
            add_cause(g, block, s->closure[at], closure);
    }
}

bool
lw_scope_visit(struct lw_scope *s, uint32_t block)
{
    const struct lw_iteration_graph *g = s->graph;
    const struct lw_model *m = g->model;
    const struct lw_vblock *b = &m->blocks[block];
    if (block == 0)
        return false;
    uint32_t top = g->above[block], apart = 0, closure = LW_NONE, partial = s->partial[top];
    bool header = b->loop != LW_NONE && m->loops[b->loop].header == block;
    bool all = header || postdominates(g, block, top);
    for (uint32_t k = 0; k < b->pred_count && !header; k++) {
        uint32_t left = left_loop(m, b->preds[k], block);
        uint32_t from = left == LW_NONE ? b->preds[k] : m->loops[left].preheader;
        bool diverges = left == LW_NONE ? s->branch[from] : s->loop[left];
        apart += diverges || s->partial[from] != s->partial[top];
        if (!all)
            add_edge_causes(s, block, from, diverges, &closure);
    }
    bool step = closure != LW_NONE, join = apart > 1;
    partial += step;
    bool changed = join != s->join[block] || partial != s->partial[block] || step != s->step[block] ||
                   (step && closure != s->closure[block]);
    s->join[block] = join;
    s->partial[block] = partial;
    s->step[block] = step;
    s->closure[block] = closure;
    return changed;
}

/* Lanes that leave a loop which diverges wait for the others, and so control stays in the loops inside of it
 * that they leave on the way: those have to ask whether any lane is left, as loops do that diverge. */
static bool
spread_inwards(struct lw_scope *s, uint32_t block)
{
    const struct lw_model *m = s->graph->model;
    const struct lw_vblock *b = &m->blocks[block];
    bool changed = false;
    for (uint32_t k = 0; k < b->succ_count; k++) {
        uint32_t outermost = LW_NONE;
        for (uint32_t l = b->loop; l != LW_NONE && !lw_loop_contains(m, l, b->succs[k]);
             l = m->loops[l].parent)
            outermost = s->loop[l] ? l : outermost;
        for (uint32_t l = b->loop; outermost != LW_NONE && l != outermost; l = m->loops[l].parent) {
            changed |= !s->loop[l];
            s->loop[l] = true;
        }
    }
    return changed;
}

bool
lw_scope_branch(struct lw_scope *s, uint32_t block, bool diverges)
{
    const struct lw_model *m = s->graph->model;
    const struct lw_vblock *b = &m->blocks[block];
    bool distinct = false, inner = false;
    for (uint32_t k = 1; k < b->succ_count; k++)
        distinct |= b->succs[k] != b->succs[0];
    diverges &= distinct;
    bool changed = diverges != s->branch[block];
    s->branch[block] = diverges;
    for (uint32_t l = b->loop; l != LW_NONE; l = m->loops[l].parent) {
        bool leaves = false;
        for (uint32_t k = 0; k < b->succ_count; k++)
            leaves |= !lw_loop_contains(m, l, b->succs[k]);
        if (!leaves)
            break;
        if ((diverges || inner || s->partial[block] != s->partial[m->loops[l].header]) && !s->loop[l]) {
            s->loop[l] = true;
            changed = true;
        }
        inner |= s->loop[l];
    }
    return spread_inwards(s, block) || changed;
}

bool
lw_scope_masked(const struct lw_scope *s, uint32_t block)
{
    const struct lw_model *m = s->graph->model;
    if (s->partial[block])
        return true;
    for (uint32_t l = m->blocks[block].loop; l != LW_NONE; l = m->loops[l].parent)
        if (s->loop[l])
            return true;
    return false;
}

bool
lw_scope_temporal(const struct lw_scope *s, uint32_t block, uint32_t from, uint32_t to)
{
    const struct lw_model *m = s->graph->model;
    for (uint32_t l = m->blocks[from].loop; l != LW_NONE && !lw_loop_contains(m, l, to);
         l = m->loops[l].parent)
        if (s->loop[l] && lw_loop_contains(m, l, block))
            return true;
    return false;
}

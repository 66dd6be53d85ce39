/* SPDX-License-Identifier: MIT */
/* Reads an LLVM function into the model: block order, dominators, loops, value numbers.
 *
 * Enters: any function. Leaves: the function unchanged.
 * Relies on: nothing; what the model cannot hold is refused.
 *
 * The order is a walk of the dominator tree in which a block that follows a loop, but whose dominator lies
 * inside, hangs below the loop's header instead, after the header's children inside the loop. In a reducible
 * function every edge into a subtree of that tree goes to its root (or back to a header), so siblings sorted
 * by any reverse post-order give a reverse post-order again, in which loops and, within each loop, dominator
 * subtrees are contiguous. Of the ways of a branch, one that dominates far more blocks than the other comes
 * behind it: what the short one brings to a place where both meet need not be kept while the long one runs,
 * and a thousand early returns keep nothing.
 */
#include "model.h"

#include "flow_graph.h"
#include "value_map.h"

/* While the blocks are still numbered by a plain depth-first reverse post-order. */
struct plan {
    struct lw_arena *arena;
    struct lw_graph graph;
    LLVMBasicBlockRef *refs;
    uint32_t *idom, *dom_in, *dom_out;
    uint32_t *loop; /* innermost, by block; loops are numbered inner first */
    uint32_t *loop_header, *loop_latch, *loop_parent, *loop_in, *loop_out;
    uint32_t loop_count;
    const char *why;
};

/* ---- Control flow ---- */

static bool
plan_dominates(const struct plan *p, uint32_t a, uint32_t b)
{
    return p->dom_in[a] <= p->dom_in[b] && p->dom_in[b] < p->dom_out[a];
}

static bool
plan_loop_contains(const struct plan *p, uint32_t loop, uint32_t block)
{
    uint32_t inner = p->loop[block];
    return inner != LW_NONE && p->loop_in[loop] <= p->loop_in[inner] && p->loop_in[inner] < p->loop_out[loop];
}

static bool
find_dominators(struct plan *p)
{
    uint32_t n = p->graph.count, returns = 0;
    p->idom = LW_ARENA_NEW(p->arena, uint32_t, n);
    p->dom_in = LW_ARENA_NEW(p->arena, uint32_t, n);
    p->dom_out = LW_ARENA_NEW(p->arena, uint32_t, n);
    lw_graph_dominators(p->arena, &p->graph, 0, p->idom);
    lw_number_forest(p->arena, p->idom, n, p->dom_in, p->dom_out);
    for (uint32_t u = 0; u < n; u++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(p->refs[u]);
        if (!end) {
            p->why = "a block has no terminator";
            return false;
        }
        returns += LLVMGetInstructionOpcode(end) == LLVMRet;
    }
    if (returns > 1)
        p->why = "several returns";
    return returns <= 1;
}

/* The root of `loop`'s tree among the loops found so far, halving the path. */
static uint32_t
outermost(uint32_t *above, uint32_t loop)
{
    while (above[loop] != loop)
        loop = above[loop] = above[above[loop]];
    return loop;
}

/* Collects the blocks of `loop`, walking from its latch against the edges; loops inside are crossed in one
 * step. */
static void
collect_loop(struct plan *p, uint32_t loop, uint32_t *above, uint32_t *stack)
{
    uint32_t header = p->loop_header[loop], depth = 0;
    p->loop[header] = loop;
    if (p->loop_latch[loop] != header)
        stack[depth++] = p->loop_latch[loop];
    while (depth) {
        uint32_t b = stack[--depth];
        if (p->loop[b] == LW_NONE) {
            p->loop[b] = loop;
        } else {
            uint32_t inner = outermost(above, p->loop[b]);
            if (inner == loop)
                continue;
            p->loop_parent[inner] = loop;
            above[inner] = loop;
            b = p->loop_header[inner];
        }
        for (uint32_t e = p->graph.pred_begin[b]; e < p->graph.pred_begin[b + 1]; e++) {
            uint32_t pred = p->graph.preds[e], of = p->loop[pred];
            if (of == LW_NONE || outermost(above, of) != loop)
                stack[depth++] = pred;
        }
    }
}

static bool
find_loops(struct plan *p)
{
    uint32_t n = p->graph.count;
    uint32_t *latch = lw_arena_fill(p->arena, n, LW_NONE); /* by header */
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t e = p->graph.succ_begin[u]; e < p->graph.succ_begin[u + 1]; e++) {
            uint32_t v = p->graph.succs[e];
            if (v > u)
                continue;
            if (!plan_dominates(p, v, u)) {
                p->why = "irreducible control flow";
                return false;
            }
            if (latch[v] != LW_NONE && latch[v] != u) {
                p->why = "a loop with several latches";
                return false;
            }
            p->loop_count += latch[v] == LW_NONE;
            latch[v] = u;
        }
    p->loop = lw_arena_fill(p->arena, n, LW_NONE);
    p->loop_header = LW_ARENA_NEW(p->arena, uint32_t, p->loop_count);
    p->loop_latch = LW_ARENA_NEW(p->arena, uint32_t, p->loop_count);
    p->loop_parent = lw_arena_fill(p->arena, p->loop_count, LW_NONE);
    p->loop_in = LW_ARENA_NEW(p->arena, uint32_t, p->loop_count);
    p->loop_out = LW_ARENA_NEW(p->arena, uint32_t, p->loop_count);
    uint32_t *above = LW_ARENA_NEW(p->arena, uint32_t, p->loop_count);
    uint32_t *stack = LW_ARENA_NEW(p->arena, uint32_t, (size_t)p->graph.pred_begin[n] + 1);
    uint32_t loop = 0;
    for (uint32_t header = n; header-- > 0;) {
        if (latch[header] == LW_NONE)
            continue;
        p->loop_header[loop] = header;
        p->loop_latch[loop] = latch[header];
        above[loop] = loop;
        collect_loop(p, loop++, above, stack);
    }
    lw_number_forest(p->arena, p->loop_parent, p->loop_count, p->loop_in, p->loop_out);
    return true;
}

/* ---- Order ---- */

/* Where `block` hangs in the tree that is walked for the order. */
static uint32_t
order_parent(const struct plan *p, uint32_t block)
{
    uint32_t parent = p->idom[block];
    if (parent == LW_NONE)
        return LW_NONE;
    for (uint32_t loop = p->loop[parent]; loop != LW_NONE && !plan_loop_contains(p, loop, block);
         loop = p->loop_parent[loop])
        parent = p->loop_header[loop];
    return parent;
}

/* The other way of a branch without an `else`, split off its edge. */
static bool
is_bare_edge(const struct plan *p, uint32_t block)
{
    const struct lw_graph *g = &p->graph;
    uint32_t to = g->succ_begin[block + 1] - g->succ_begin[block] == 1 ? g->succs[g->succ_begin[block]] : 0;
    return to > block && g->pred_begin[block + 1] - g->pred_begin[block] == 1 &&
           p->loop[to] == p->loop[block] && p->loop[p->idom[block]] == p->loop[block] &&
           (p->loop[to] == LW_NONE || p->loop_header[p->loop[to]] != to) &&
           LLVMGetFirstInstruction(p->refs[block]) == LLVMGetBasicBlockTerminator(p->refs[block]);
}

#define FAR_MORE 64 /* blocks */

/* A reverse post-order again; of two ways of which one is far longer the short one comes first. */
static uint32_t *
order_by_length(const struct plan *p)
{
    uint32_t n = p->graph.count;
    struct lw_graph g = p->graph;
    uint32_t *ranked = LW_ARENA_NEW(p->arena, uint32_t, n);
    g.succs = LW_ARENA_NEW(p->arena, uint32_t, g.succ_begin[n]);
    for (uint32_t u = 0; u < n; u++) {
        uint32_t at = g.succ_begin[u], count = g.succ_begin[u + 1] - at;
        const uint32_t *to = &p->graph.succs[at];
        bool swap = count == 2 && p->dom_out[to[1]] - p->dom_in[to[1]] >
                                      p->dom_out[to[0]] - p->dom_in[to[0]] + FAR_MORE;
        for (uint32_t k = 0; k < count; k++) /* the first one visited comes last */
            g.succs[at + k] = to[swap ? 1 - k : k];
    }
    lw_graph_reverse_postorder(p->arena, &g, 0, ranked);
    return ranked;
}

/* Writes the final order, and where each block's subtree in the same loop ends. */
static void
order_blocks(struct plan *p, uint32_t *order, uint32_t *end)
{
    uint32_t n = p->graph.count;
    uint32_t *parent = LW_ARENA_NEW(p->arena, uint32_t, n), *next = lw_arena_fill(p->arena, n, LW_NONE);
    uint32_t *first = lw_arena_fill(p->arena, n, LW_NONE), *in = LW_ARENA_NEW(p->arena, uint32_t, n);
    const uint32_t *ranked = order_by_length(p);
    for (uint32_t u = 0; u < n; u++)
        parent[u] = order_parent(p, u);
    /* Pushed to the front: outside the header's loop first, last to first. Bare edges last: what they bring
     * to a phi is there when an arm adds its lanes' values, or all of them. */
    for (int turn = 0; turn < 3; turn++)
        for (uint32_t i = n; i-- > 1;) {
            uint32_t u = ranked[i], up = parent[u], loop = p->loop[up];
            bool inside = loop == LW_NONE || plan_loop_contains(p, loop, u);
            if (turn != (!inside ? 0 : is_bare_edge(p, u) ? 2 : 1))
                continue;
            next[u] = first[up];
            first[up] = u;
        }
    uint32_t at = 0, done = 0;
    while (at != LW_NONE) {
        in[at] = done;
        order[done++] = at;
        if (first[at] != LW_NONE) {
            at = first[at];
            continue;
        }
        while (at != LW_NONE) {
            uint32_t loop = p->loop[at];
            if (loop == LW_NONE || p->loop_header[loop] != at)
                end[in[at]] = done;
            if (next[at] != LW_NONE)
                break;
            at = parent[at];
        }
        at = at == LW_NONE ? LW_NONE : next[at];
    }
}

/* ---- The model ---- */

static void
fill_blocks(struct plan *p, struct lw_model *m, const uint32_t *order, const uint32_t *number,
            const uint32_t *end)
{
    const struct lw_graph *g = &p->graph;
    uint32_t *succs = LW_ARENA_NEW(p->arena, uint32_t, g->succ_begin[g->count]);
    uint32_t *preds = LW_ARENA_NEW(p->arena, uint32_t, g->pred_begin[g->count]);
    for (uint32_t i = 0; i < g->count; i++) {
        struct lw_vblock *b = &m->blocks[i];
        uint32_t u = order[i];
        b->ref = p->refs[u];
        b->succs = succs;
        for (uint32_t e = g->succ_begin[u]; e < g->succ_begin[u + 1]; e++)
            *succs++ = number[g->succs[e]];
        b->succ_count = (uint32_t)(succs - b->succs);
        b->preds = preds;
        for (uint32_t e = g->pred_begin[u]; e < g->pred_begin[u + 1]; e++)
            *preds++ = number[g->preds[e]];
        b->pred_count = (uint32_t)(preds - b->preds);
        b->idom = p->idom[u] == LW_NONE ? LW_NONE : number[p->idom[u]];
        b->dom_in = p->dom_in[u];
        b->dom_out = p->dom_out[u];
        b->dom_end = end[i];
        b->loop = LW_NONE;
    }
}

/* Loops in the order of their headers, so outer before inner. */
static bool
fill_loops(struct plan *p, struct lw_model *m, const uint32_t *order, const uint32_t *number)
{
    uint32_t *renumber = LW_ARENA_NEW(p->arena, uint32_t, p->loop_count), count = 0;
    for (uint32_t i = 0; i < m->block_count; i++) {
        uint32_t old = p->loop[order[i]];
        if (old == LW_NONE)
            continue;
        if (p->loop_header[old] == order[i])
            renumber[old] = count++;
        uint32_t l = m->blocks[i].loop = renumber[old];
        m->loops[l].end = i + 1;
        if (p->loop_header[old] != order[i])
            continue;
        struct lw_loop *loop = &m->loops[l];
        loop->header = i;
        loop->latch = number[p->loop_latch[old]];
        loop->parent = p->loop_parent[old] == LW_NONE ? LW_NONE : renumber[p->loop_parent[old]];
        loop->depth = loop->parent == LW_NONE ? 1 : m->loops[loop->parent].depth + 1;
        loop->preheader = LW_NONE;
        for (uint32_t k = 0; k < m->blocks[i].pred_count; k++) {
            uint32_t pred = m->blocks[i].preds[k];
            if (pred == loop->latch)
                continue;
            if (loop->preheader != LW_NONE || m->blocks[pred].succ_count != 1) {
                p->why = "a loop without a preheader";
                return false;
            }
            loop->preheader = pred;
        }
    }
    for (uint32_t l = count; l-- > 0;) {
        struct lw_loop *loop = &m->loops[l];
        if (loop->parent != LW_NONE && m->loops[loop->parent].end < loop->end)
            m->loops[loop->parent].end = loop->end;
        m->blocks[loop->header].dom_end = loop->end;
    }
    return true;
}

/* Calls `visit` for each loop that the edge leaves. */
static void
add_exits(struct lw_model *m, uint32_t from, uint32_t to, bool store)
{
    for (uint32_t l = m->blocks[from].loop; l != LW_NONE && !lw_loop_contains(m, l, to);
         l = m->loops[l].parent) {
        struct lw_loop *loop = &m->loops[l];
        if (store) {
            loop->exit_edges[2 * (size_t)loop->exit_count] = from;
            loop->exit_edges[2 * (size_t)loop->exit_count + 1] = to;
        }
        loop->exit_count++;
    }
}

static void
find_exits(struct lw_arena *arena, struct lw_model *m)
{
    uint32_t *seen =
        LW_ARENA_NEW(arena, uint32_t, m->block_count); /* marks of the last source: drops duplicates */
    for (int store = 0; store < 2; store++) {
        for (uint32_t b = 0; b < m->block_count; b++)
            for (uint32_t k = 0; k < m->blocks[b].succ_count; k++) {
                uint32_t to = m->blocks[b].succs[k], mark = 2 * b + 1 + (uint32_t)store;
                if (seen[to] != mark)
                    add_exits(m, b, to, store);
                seen[to] = mark;
            }
        for (uint32_t l = 0; l < m->loop_count && !store; l++) {
            m->loops[l].exit_edges = LW_ARENA_NEW(arena, uint32_t, 2 * (size_t)m->loops[l].exit_count);
            m->loops[l].exit_count = 0;
        }
    }
}

void
lw_mark_ways_to(const struct lw_model *m, uint32_t to, char *reached, uint32_t *stack)
{
    uint32_t depth = 0;
    if (reached[to])
        return;
    reached[to] = 1;
    stack[depth++] = to;
    while (depth) {
        const struct lw_vblock *b = &m->blocks[stack[--depth]];
        for (uint32_t k = 0; k < b->pred_count; k++)
            if (!reached[b->preds[k]]) {
                reached[b->preds[k]] = 1;
                stack[depth++] = b->preds[k];
            }
    }
}

/* Post-dominators with node `block_count` as the virtual exit. Latches of loops that never end lead there
 * too. */
static void
find_postdominators(struct lw_arena *arena, struct lw_model *m)
{
    uint32_t n = m->block_count, edges = 0, node = n;
    char *reached = LW_ARENA_NEW(arena, char, n), *ends = LW_ARENA_NEW(arena, char, n);
    uint32_t *stack = LW_ARENA_NEW(arena, uint32_t, n);
    for (uint32_t b = 0; b < n; b++) {
        if (m->blocks[b].succ_count == 0) {
            ends[b] = 1;
            lw_mark_ways_to(m, b, reached, stack);
        }
        edges += m->blocks[b].pred_count;
    }
    for (uint32_t l = 0; l < m->loop_count; l++)
        if (!reached[m->loops[l].latch]) {
            ends[m->loops[l].latch] = 1;
            lw_mark_ways_to(m, m->loops[l].latch, reached, stack);
        }
    struct lw_graph back = {.count = n + 1,
                            .succ_begin = LW_ARENA_NEW(arena, uint32_t, (size_t)n + 2),
                            .succs = LW_ARENA_NEW(arena, uint32_t, (size_t)edges + n)};
    uint32_t *ipdom = LW_ARENA_NEW(arena, uint32_t, (size_t)n + 1);
    uint32_t *in = LW_ARENA_NEW(arena, uint32_t, (size_t)n + 1),
             *out = LW_ARENA_NEW(arena, uint32_t, (size_t)n + 1);
    edges = 0;
    for (uint32_t b = 0; b < n; b++) {
        back.succ_begin[b] = edges;
        for (uint32_t k = 0; k < m->blocks[b].pred_count; k++)
            back.succs[edges++] = m->blocks[b].preds[k];
    }
    back.succ_begin[node] = edges;
    for (uint32_t b = 0; b < n; b++)
        if (ends[b])
            back.succs[edges++] = b;
    back.succ_begin[node + 1] = edges;
    lw_graph_find_preds(arena, &back);
    lw_graph_dominators(arena, &back, node, ipdom);
    lw_number_forest(arena, ipdom, n + 1, in, out);
    for (uint32_t b = 0; b < n; b++) {
        m->blocks[b].ipdom = ipdom[b] == node ? LW_NONE : ipdom[b];
        m->blocks[b].pdom_in = in[b];
        m->blocks[b].pdom_out = out[b];
    }
}

static void
number_values(struct lw_arena *arena, struct lw_model *m)
{
    m->param_count = LLVMCountParams(m->function);
    m->value_count = m->param_count;
    for (uint32_t b = 0; b < m->block_count; b++) {
        m->blocks[b].first_value = m->value_count;
        for (LLVMValueRef i = LLVMGetFirstInstruction(m->blocks[b].ref); i; i = LLVMGetNextInstruction(i))
            m->value_count++;
        m->blocks[b].value_end = m->value_count;
    }
    m->values = LW_ARENA_NEW(arena, LLVMValueRef, m->value_count);
    struct lw_value_map *map = lw_value_map_create(arena, m->value_count);
    struct lw_value_map *blocks = lw_value_map_create(arena, m->block_count);
    m->value_map = map;
    m->block_map = blocks;
    uint32_t at = 0;
    for (; at < m->param_count; at++)
        m->values[at] = LLVMGetParam(m->function, at);
    for (uint32_t b = 0; b < m->block_count; b++) {
        lw_value_map_add(blocks, m->blocks[b].ref, b);
        for (LLVMValueRef i = LLVMGetFirstInstruction(m->blocks[b].ref); i; i = LLVMGetNextInstruction(i))
            m->values[at++] = i;
    }
    for (uint32_t v = 0; v < m->value_count; v++)
        lw_value_map_add(map, m->values[v], v);
}

static bool
build(struct lw_model *m, struct plan *p)
{
    p->refs = lw_read_flow(p->arena, m->function, &p->graph);
    if (!find_dominators(p) || !find_loops(p))
        return false;
    uint32_t n = m->block_count = p->graph.count;
    uint32_t *order = LW_ARENA_NEW(p->arena, uint32_t, n), *number = LW_ARENA_NEW(p->arena, uint32_t, n);
    uint32_t *end = LW_ARENA_NEW(p->arena, uint32_t, n);
    order_blocks(p, order, end);
    for (uint32_t i = 0; i < n; i++)
        number[order[i]] = i;
    m->blocks = LW_ARENA_NEW(p->arena, struct lw_vblock, n);
    m->loop_count = p->loop_count;
    m->loops = LW_ARENA_NEW(p->arena, struct lw_loop, p->loop_count);
    fill_blocks(p, m, order, number, end);
    if (!fill_loops(p, m, order, number))
        return false;
    find_exits(p->arena, m);
    find_postdominators(p->arena, m);
    number_values(p->arena, m);
    return true;
}

struct attempt {
    LLVMValueRef function;
    struct lw_model *model;
    const char *why; /* it failed */
};

static void
try_to_build(struct lw_arena *arena, void *data)
{
    struct attempt *attempt = data;
    struct lw_model *model = LW_ARENA_NEW(arena, struct lw_model, 1);
    struct plan *plan = LW_ARENA_NEW(arena, struct plan, 1);

    model->arena = plan->arena = arena;
    model->function = attempt->function;
    attempt->model = model;
    if (!LLVMGetFirstBasicBlock(model->function))
        attempt->why = "a function without a body";
    else
        attempt->why = build(model, plan) ? NULL : plan->why;
}

struct lw_model *
lw_model_build(LLVMValueRef function, const char **why)
{
    struct lw_arena *arena = lw_arena_create();
    struct attempt attempt = {.function = function, .why = "out of memory"};
    bool whole = arena && lw_arena_try(arena, try_to_build, &attempt) && !attempt.why;

    *why = attempt.why;
    if (!whole)
        lw_arena_free(arena);
    return whole ? attempt.model : NULL;
}

void
lw_model_free(struct lw_model *model)
{
    if (model)
        lw_arena_free(model->arena);
}

uint32_t
lw_value_id(const struct lw_model *model, LLVMValueRef value)
{
    return lw_value_map_get(model->value_map, value);
}

uint32_t
lw_block_id(const struct lw_model *model, LLVMBasicBlockRef block)
{
    return lw_value_map_get(model->block_map, block);
}

uint32_t
lw_block_id_of(const struct lw_model *model, LLVMValueRef instruction)
{
    return lw_block_id(model, LLVMGetInstructionParent(instruction));
}

bool
lw_dominates(const struct lw_model *model, uint32_t a, uint32_t b)
{
    return model->blocks[a].dom_in <= model->blocks[b].dom_in &&
           model->blocks[b].dom_in < model->blocks[a].dom_out;
}

bool
lw_postdominates(const struct lw_model *model, uint32_t a, uint32_t b)
{
    return model->blocks[a].pdom_in <= model->blocks[b].pdom_in &&
           model->blocks[b].pdom_in < model->blocks[a].pdom_out;
}

bool
lw_loop_contains(const struct lw_model *model, uint32_t loop, uint32_t block)
{
    return model->loops[loop].header <= block && block < model->loops[loop].end;
}

bool
lw_loop_computes(const struct lw_model *model, uint32_t loop, LLVMValueRef value)
{
    return LLVMIsAInstruction(value) && lw_loop_contains(model, loop, lw_block_id_of(model, value));
}

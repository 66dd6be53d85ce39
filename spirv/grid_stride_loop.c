/* SPDX-License-Identifier: MIT */
/* Which blocks are the loop of a kernel that may be one grid-stride loop.
 *
 * Enters: a function.  Leaves: header, latch and the blocks between; or that the function is not one loop
 * that is entered by its header and left by its latch, with no loop beside it.
 */
#include "grid_stride.h"

#include "graph.h"
#include "operands.h"

/* The block that has the instruction, by index; block_count: none. */
static uint32_t
block_at(const struct lw_stride_search *s, uint32_t index)
{
    const struct lw_block *blocks = &s->m->blocks[s->function->first_block];
    uint32_t low = 0, high = s->function->block_count;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (blocks[mid].end < index)
            low = mid + 1;
        else
            high = mid;
    }
    return low < s->function->block_count && blocks[low].first <= index ? low : s->function->block_count;
}

static uint32_t
block_of(const struct lw_stride_search *s, uint32_t label)
{
    const struct lw_inst *inst = lw_def(s->m, label);
    return inst && inst->op == SpvOpLabel ? block_at(s, (uint32_t)(inst - s->m->insts) + 1)
                                          : s->function->block_count;
}

bool
lw_stride_is_in_loop(const struct lw_stride_search *s, const struct lw_inst *inst)
{
    return s->in_loop[block_at(s, (uint32_t)(inst - s->m->insts))];
}

bool
lw_stride_is_phi(const struct lw_stride_search *s, uint32_t id)
{
    const struct lw_inst *inst = lw_def(s->m, id);
    const struct lw_inst *label = lw_def(s->m, s->header);
    if (!inst || inst->op != SpvOpPhi)
        return false;
    while (inst > label && inst->op != SpvOpLabel)
        inst--;
    return inst == label;
}

static const struct lw_inst *
end_of(const struct lw_stride_search *s, uint32_t block)
{
    return &s->m->insts[s->m->blocks[s->function->first_block + block].end];
}

/* False: something leads to no block of the function. */
static bool
make_graph(struct lw_arena *arena, const struct lw_stride_search *s, struct lw_graph *g)
{
    uint32_t edges = 0;
    g->count = s->function->block_count;
    g->succ_begin = LW_ARENA_NEW(arena, uint32_t, g->count + 1u);
    for (uint32_t b = 0; b < g->count; b++) {
        g->succ_begin[b] = edges;
        while (lw_successor(s->m, end_of(s, b), edges - g->succ_begin[b]))
            edges++;
    }
    g->succ_begin[g->count] = edges;
    g->succs = LW_ARENA_NEW(arena, uint32_t, edges);
    for (uint32_t b = 0; b < g->count; b++)
        for (uint32_t k = g->succ_begin[b]; k < g->succ_begin[b + 1]; k++) {
            g->succs[k] = block_of(s, lw_successor(s->m, end_of(s, b), k - g->succ_begin[b]));
            if (g->succs[k] == g->count)
                return false;
        }
    lw_graph_find_preds(arena, g);
    return true;
}

/* Whatever comes to the latch by blocks other than the header. */
static void
mark_loop(struct lw_arena *arena, const struct lw_graph *g, uint32_t header, uint32_t latch, bool *in_loop)
{
    uint32_t *left = LW_ARENA_NEW(arena, uint32_t, g->count + 1u), count = 0;
    in_loop[header] = true;
    if (!in_loop[latch])
        left[count++] = latch;
    in_loop[latch] = true;
    while (count) {
        uint32_t b = left[--count];
        for (uint32_t k = g->pred_begin[b]; k < g->pred_begin[b + 1]; k++)
            if (!in_loop[g->preds[k]]) {
                in_loop[g->preds[k]] = true;
                left[count++] = g->preds[k];
            }
    }
}

/* Entered by its header, left by the latch, which alone goes back; and all that goes back is in it. */
static bool
is_one_loop(const struct lw_stride_search *s, const struct lw_graph *g, const uint32_t *place,
            uint32_t header, uint32_t latch)
{
    if (s->in_loop[0] || end_of(s, latch)->op != SpvOpBranchConditional)
        return false;
    for (uint32_t b = 0; b < g->count; b++)
        for (uint32_t k = g->succ_begin[b]; k < g->succ_begin[b + 1]; k++) {
            uint32_t to = g->succs[k];
            bool back = to == header && s->in_loop[b], leaves = s->in_loop[b] && !s->in_loop[to];
            if (((back || leaves) && b != latch) || (place[to] <= place[b] && !s->in_loop[b]))
                return false;
        }
    return true;
}

struct job {
    struct lw_stride_search *s;
    bool found;
};

/* The outermost of what something goes back to, and the last that does. */
static void
find_loop(struct lw_arena *arena, void *data)
{
    struct job *j = data;
    struct lw_graph graph, *g = &graph;
    uint32_t header = LW_NONE, latch = LW_NONE;
    if (!make_graph(arena, j->s, g))
        return;
    uint32_t *order = LW_ARENA_NEW(arena, uint32_t, g->count),
             *place = lw_arena_fill(arena, g->count, LW_NONE);
    uint32_t reached = lw_graph_reverse_postorder(arena, g, 0, order);
    if (reached < g->count)
        return;
    for (uint32_t i = 0; i < reached; i++)
        place[order[i]] = i;
    for (uint32_t i = 0; i < reached; i++)
        for (uint32_t b = order[i], k = g->succ_begin[b]; k < g->succ_begin[b + 1]; k++) {
            uint32_t to = g->succs[k];
            if (place[to] > i || (header != LW_NONE && place[to] > place[header]))
                continue;
            header = to;
            latch = b;
        }
    if (header == LW_NONE)
        return;
    const struct lw_block *blocks = &j->s->m->blocks[j->s->function->first_block];
    mark_loop(arena, g, header, latch, j->s->in_loop);
    j->s->header = blocks[header].label;
    j->s->latch = blocks[latch].label;
    j->found = is_one_loop(j->s, g, place, header, latch);
}

bool
lw_stride_find_loop(struct lw_stride_search *s)
{
    struct job j = {.s = s};
    return lw_with_arena(find_loop, &j) && j.found;
}

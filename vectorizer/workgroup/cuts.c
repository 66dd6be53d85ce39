/* SPDX-License-Identifier: MIT */
/* Cuts the sub-group function at its barriers into single-entry regions.
 *
 * Enters: any reachable control flow, barriers anywhere.
 * Leaves: lw_cuts; the function is not touched.
 * Relies on: nothing but dominance; reducibility is not needed.
 * Never: duplicates code; a join reached from two barriers becomes a cut of its own instead.
 */
#include "cuts.h"

#include "../facts/calls.h"

/* ---- pieces ---- */

static bool
is_barrier(LLVMValueRef instruction)
{
    return lw_is_call_of(instruction, "lw.wg.barrier");
}

struct split {
    struct lw_arena *arena;
    bool merge_all;
    uint32_t count; /* pieces, in block order, unreachable ones too */
    struct lw_piece *pieces;
    bool *cut;
    struct lw_value_map *blocks; /* block -> first piece */
    struct lw_graph graph;
    const struct split *whole; /* the same with a piece to a block */
    uint32_t *place;           /* whole: in reverse post-order, LW_NONE where unreachable */
    bool *loops;               /* whole: the target of an edge backwards */
};

/* A loop that the edge enters must not become a cut where it has no barrier of its own: each sub-group
 * decides for itself how often it goes round. */
static bool
enters_loop(const struct split *s, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    const struct split *w = s->whole;
    uint32_t f = lw_value_map_get(w->blocks, from), t = lw_value_map_get(w->blocks, to);

    return w->loops[t] && (w->place[f] == LW_NONE || w->place[f] < w->place[t]);
}

/* Does the block either go round its loop or leave it? */
static bool
is_latch(const struct split *s, LLVMValueRef branch)
{
    const struct split *w = s->whole;
    uint32_t from = lw_value_map_get(w->blocks, LLVMGetInstructionParent(branch));

    for (unsigned k = 0; k < 2; k++) {
        uint32_t to = lw_value_map_get(w->blocks, LLVMGetSuccessor(branch, k));
        if (w->place[from] != LW_NONE && w->loops[to] && w->place[to] <= w->place[from])
            return !enters_loop(s, LLVMGetInstructionParent(branch), LLVMGetSuccessor(branch, !k));
    }
    return false;
}

/* Nothing happens between this barrier and the edge that leaves its block: then the edge itself is the cut,
 * and its target the piece; so are the two edges at the end of a loop. Saves a region that would only hand
 * values on, at the end of most loops with a barrier. */
static bool
ends_in_edge(const struct split *s, LLVMValueRef barrier)
{
    LLVMValueRef i = LLVMGetNextInstruction(barrier);

    for (; i && !LLVMIsATerminatorInst(i); i = LLVMGetNextInstruction(i)) {
        switch (LLVMGetInstructionOpcode(i)) {
        case LLVMCall:
        case LLVMLoad:
        case LLVMStore:
        case LLVMFence:
        case LLVMAtomicCmpXchg:
        case LLVMAtomicRMW:
        case LLVMAlloca:
        case LLVMVAArg:
            return false;
        default:
            break;
        }
    }
    if (!i || LLVMGetInstructionOpcode(i) != LLVMBr)
        return false;
    return LLVMGetNumSuccessors(i) == 1 ? !enters_loop(s, LLVMGetInstructionParent(i), LLVMGetSuccessor(i, 0))
                                        : is_latch(s, i);
}

static bool
splits_block(const struct split *s, LLVMValueRef i)
{
    return is_barrier(i) && !ends_in_edge(s, i);
}

static uint32_t
count_pieces(const struct split *s, LLVMValueRef function)
{
    uint32_t n = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        n++;
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && !s->merge_all; i = LLVMGetNextInstruction(i))
            n += splits_block(s, i);
    }
    return n;
}

static void
split_blocks(struct split *s, LLVMValueRef function)
{
    s->pieces = LW_ARENA_NEW(s->arena, struct lw_piece, s->count);
    s->cut = LW_ARENA_NEW(s->arena, bool, s->count);
    s->blocks = lw_value_map_create(s->arena, s->count);
    uint32_t n = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        lw_value_map_add(s->blocks, b, n);
        s->pieces[n] = (struct lw_piece){.block = b, .first = LLVMGetFirstInstruction(b)};
        for (LLVMValueRef i = s->pieces[n].first; i && !s->merge_all; i = LLVMGetNextInstruction(i)) {
            if (!splits_block(s, i))
                continue;
            s->pieces[n].end = i;
            s->pieces[++n] = (struct lw_piece){.block = b, .first = LLVMGetNextInstruction(i)};
            s->cut[n] = true;
        }
        n++;
    }
    s->cut[0] = true;
}

/* The targets of edges that a barrier stands before. */
static void
cut_at_edges(struct split *s)
{
    for (uint32_t p = 0; p < s->count && !s->merge_all; p++) {
        LLVMValueRef i = s->pieces[p].end ? NULL : s->pieces[p].first;
        for (; i; i = LLVMGetNextInstruction(i))
            for (uint32_t e = s->graph.succ_begin[p]; is_barrier(i) && e < s->graph.succ_begin[p + 1]; e++)
                s->cut[s->graph.succs[e]] = true;
    }
}

static void
link_pieces(struct split *s)
{
    struct lw_graph *g = &s->graph;
    g->count = s->count;
    g->succ_begin = LW_ARENA_NEW(s->arena, uint32_t, s->count + 1);
    for (int round = 0; round < 2; round++) {
        uint32_t at = 0;
        for (uint32_t p = 0; p < s->count; p++) {
            LLVMValueRef end = s->pieces[p].end;
            LLVMValueRef last = end ? end : LLVMGetBasicBlockTerminator(s->pieces[p].block);
            uint32_t n = end ? 1 : LLVMGetNumSuccessors(last);
            g->succ_begin[p] = at;
            for (uint32_t k = 0; k < n && round; k++)
                g->succs[at + k] = end ? p + 1 : lw_value_map_get(s->blocks, LLVMGetSuccessor(last, k));
            at += n;
        }
        g->succ_begin[s->count] = at;
        if (!round)
            g->succs = LW_ARENA_NEW(s->arena, uint32_t, at ? at : 1);
    }
    lw_graph_find_preds(s->arena, g);
}

/* The function as blocks, with the headers of its loops. */
static const struct split *
find_loops(struct lw_arena *arena, LLVMValueRef function)
{
    struct split *w = LW_ARENA_NEW(arena, struct split, 1);

    *w = (struct split){.arena = arena, .merge_all = true};
    w->count = count_pieces(w, function);
    split_blocks(w, function);
    link_pieces(w);
    uint32_t *order = LW_ARENA_NEW(arena, uint32_t, w->count);
    uint32_t reachable = lw_graph_reverse_postorder(arena, &w->graph, 0, order);
    w->place = lw_arena_fill(arena, w->count, LW_NONE);
    w->loops = LW_ARENA_NEW(arena, bool, w->count);
    for (uint32_t k = 0; k < reachable; k++)
        w->place[order[k]] = k;
    for (uint32_t k = 0; k < reachable; k++) {
        uint32_t b = order[k];
        for (uint32_t e = w->graph.succ_begin[b]; e < w->graph.succ_begin[b + 1]; e++)
            if (w->place[w->graph.succs[e]] <= k)
                w->loops[w->graph.succs[e]] = true;
    }
    return w;
}

/* Each piece's nearest dominating cut; a join whose predecessors disagree with its dominator becomes a cut.
 * Repeats until nothing changes: once per nesting level of loops at most, in practice twice.
 *
 * A new cut changes owners behind it only: those of predecessors that stand earlier are exact, those
 * that come along back edges are of before it, and are compared in the next round. Otherwise a loop
 * that only follows a new cut would become one itself, and its condition, which each sub-group decides
 * for itself, a branch of the work-group. */
static void
close_cuts(struct split *s, const uint32_t *order, uint32_t reachable, const uint32_t *idom, uint32_t *owner)
{
    uint32_t *position = LW_ARENA_NEW(s->arena, uint32_t, s->count);

    for (uint32_t k = 0; k < reachable; k++)
        position[order[k]] = k;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 0; k < reachable; k++) {
            uint32_t p = order[k];
            owner[p] = s->cut[p] ? p : owner[idom[p]];
        }
        for (uint32_t k = 0; k < reachable; k++) {
            uint32_t p = order[k];
            if (!s->cut[p])
                owner[p] = owner[idom[p]];
            for (uint32_t e = s->graph.pred_begin[p]; e < s->graph.pred_begin[p + 1] && !s->cut[p]; e++) {
                uint32_t pred = s->graph.preds[e];
                if (owner[pred] == LW_NONE || owner[pred] == owner[p] || (changed && position[pred] >= k))
                    continue;
                s->cut[p] = changed = true;
                owner[p] = p;
            }
        }
    }
}

/* ---- regions ---- */

static void
number_regions(struct lw_arena *arena, struct lw_cuts *c, const struct split *s, const uint32_t *order,
               const uint32_t *owner, uint32_t *number)
{
    uint32_t *region_of = lw_arena_fill(arena, s->count, LW_NONE);

    for (uint32_t k = 0; k < c->piece_count; k++) {
        uint32_t p = order[k];
        number[p] = k;
        if (s->cut[p])
            region_of[p] = c->region_count++;
    }
    c->regions = LW_ARENA_NEW(arena, struct lw_region, c->region_count);
    for (uint32_t k = 0; k < c->piece_count; k++) {
        uint32_t p = order[k], r = region_of[owner[p]];
        c->pieces[k] = s->pieces[p];
        c->pieces[k].region = r;
        c->regions[r].piece_end++; /* counts first */
        if (s->cut[p])
            c->regions[r].cut = k;
    }
    uint32_t at = 0;
    for (uint32_t r = 0; r < c->region_count; r++) {
        uint32_t n = c->regions[r].piece_end;
        c->regions[r].piece_begin = c->regions[r].piece_end = at;
        at += n;
    }
    for (uint32_t k = 0; k < c->piece_count; k++)
        c->region_pieces[c->regions[c->pieces[k].region].piece_end++] = k;
}

static void
link_numbered(struct lw_cuts *c, const struct split *s, const uint32_t *order, const uint32_t *number)
{
    uint32_t at = 0;
    for (uint32_t k = 0; k < c->piece_count; k++) {
        uint32_t p = order[k];
        c->pieces[k].succ_begin = at;
        for (uint32_t e = s->graph.succ_begin[p]; e < s->graph.succ_begin[p + 1]; e++)
            c->succs[at++] = number[s->graph.succs[e]];
        c->pieces[k].succ_end = at;
    }
}

/* An edge back to what does not dominate it. */
static void
find_irreducible(struct lw_cuts *c, const uint32_t *order, const uint32_t *number, const uint32_t *idom)
{
    for (uint32_t k = 0; k < c->piece_count; k++)
        for (uint32_t e = c->pieces[k].succ_begin; e < c->pieces[k].succ_end; e++) {
            uint32_t to = c->succs[e], at = order[k];
            while (to <= k && number[at] > to)
                at = idom[at];
            if (to <= k && number[at] != to)
                c->regions[c->pieces[to].region].irreducible = true;
        }
}

/* Targets of each region, and which regions lie in a cycle: any cycle of regions has edges down to its lowest
 * number that together span it, so every region spanned by a downward edge is marked. */
static void
find_targets(struct lw_arena *arena, struct lw_cuts *c)
{
    uint32_t *seen = lw_arena_fill(arena, c->region_count + 1, LW_NONE);
    int32_t *spans = LW_ARENA_NEW(arena, int32_t, c->region_count + 1);
    uint32_t at = 0;

    for (uint32_t r = 0; r < c->region_count; r++) {
        struct lw_region *region = &c->regions[r];
        region->target_begin = at;
        for (uint32_t k = region->piece_begin; k < region->piece_end; k++) {
            const struct lw_piece *piece = &c->pieces[c->region_pieces[k]];
            if (piece->succ_begin == piece->succ_end && seen[c->region_count] != r &&
                LLVMGetInstructionOpcode(LLVMGetBasicBlockTerminator(piece->block)) == LLVMRet) {
                seen[c->region_count] = r;
                c->targets[at++] = c->region_count;
            }
            for (uint32_t e = piece->succ_begin; e < piece->succ_end; e++) {
                uint32_t to = c->pieces[c->succs[e]].region;
                if (c->regions[to].cut != c->succs[e] || seen[to] == r)
                    continue;
                seen[to] = r;
                c->targets[at++] = to;
                if (to <= r) {
                    spans[to]++;
                    spans[r + 1]--;
                }
            }
        }
        region->target_end = at;
    }
    int32_t depth = 0;
    for (uint32_t r = 0; r < c->region_count; r++)
        c->regions[r].cyclic = (depth += spans[r]) > 0;
}

struct lw_cuts *
lw_find_cuts(struct lw_arena *arena, LLVMValueRef function, bool merge_all)
{
    struct split s = {.arena = arena, .merge_all = merge_all};
    struct lw_cuts *c = LW_ARENA_NEW(arena, struct lw_cuts, 1);

    if (!merge_all)
        s.whole = find_loops(arena, function);
    s.count = count_pieces(&s, function);
    split_blocks(&s, function);
    link_pieces(&s);
    cut_at_edges(&s);
    uint32_t *order = LW_ARENA_NEW(arena, uint32_t, s.count);
    uint32_t *idom = LW_ARENA_NEW(arena, uint32_t, s.count);
    uint32_t *owner = lw_arena_fill(arena, s.count, LW_NONE);
    uint32_t *number = lw_arena_fill(arena, s.count, LW_NONE);
    c->piece_count = lw_graph_reverse_postorder(arena, &s.graph, 0, order);
    lw_graph_dominators(arena, &s.graph, 0, idom);
    close_cuts(&s, order, c->piece_count, idom, owner);

    uint32_t edges = s.graph.succ_begin[s.count];
    c->pieces = LW_ARENA_NEW(arena, struct lw_piece, c->piece_count);
    c->region_pieces = LW_ARENA_NEW(arena, uint32_t, c->piece_count);
    c->succs = LW_ARENA_NEW(arena, uint32_t, edges + 1);
    c->targets = LW_ARENA_NEW(arena, uint32_t, edges + c->piece_count + 1);
    number_regions(arena, c, &s, order, owner, number);
    link_numbered(c, &s, order, number);
    find_irreducible(c, order, number, idom);
    find_targets(arena, c);
    return c;
}

/* SPDX-License-Identifier: MIT */
/* Partial linearization: divergent branches become straight line, uniform ones stay.
 *
 * Enters: canonical form with its model and uniformity.
 * Leaves: for every block where control goes next. Blocks run in block order; a block whose lanes must wait
 * for another arm is *pending* until its number comes.
 *
 *     A: br varying, B, C             A: jump B   (C pending)
 *     B: br D                  ->     B: jump C   (D pending)
 *     C: br D                         C: jump D
 *
 * The rule (after Moll and Hack, "Partial control-flow linearization", PLDI 2018): with T the blocks pending
 * at block b, an edge b -> s goes to the lowest number of T and s, the others stay pending there. A divergent
 * branch has one edge to the lowest of T and both successors. The order being loop-compact and
 * dominance-compact, nothing pending inside a loop outlives its latch, and a divergent loop's exits wait
 * until the latch falls through.
 *
 * Guards: an arm dear enough is skipped when its mask is empty. All that the arm dominates is skipped with
 * it, so no value is missing. Code with a barrier or a work-group collective is never skipped: sub-groups
 * whose lanes are all retired must still walk to every barrier. So no loop without one in what it dominates
 * runs on values that no lane computed. Others end by their tests (endings.c), or else are left by the
 * shortest way: by a sub-group that has no lanes in them, or by all where the work-group has none and there
 * is a barrier.
 */
#include <stdlib.h>
#include <string.h>

#include "../facts/agreement.h"
#include "../facts/calls.h"
#include "../facts/endings.h"
#include "../facts/kept.h"
#include "canonical.h"
#include "linearize.h"

/* Cost above which an arm gets a guard: about what a test and a jump are worth. */
#define GUARD_COST 14

struct pending {
    uint32_t *items; /* ascending */
    uint32_t count, room;
};

struct linearizer {
    struct lw_arena *arena;
    const struct lw_model *m;
    const struct lw_uniformity *u;
    struct lw_linear_plan *plan;
    struct pending *pending; /* by block */
    uint32_t *cost;          /* prefix sums by block */
    uint32_t *barriers;
    uint32_t *loops;
    uint32_t *way;  /* blocks to the end by edges forward */
    bool *ends;     /* by loop: whoever is in it */
    bool *recalled; /* by value: comes from memory or from lanes, so a sub-group without lanes does not have
                       it */
};

static void
pend(struct linearizer *z, uint32_t at, uint32_t target)
{
    struct pending *p = &z->pending[at];
    uint32_t i = p->count;
    if (target <= at)
        return;
    while (i > 0 && p->items[i - 1] > target)
        i--;
    if (i > 0 && p->items[i - 1] == target)
        return;
    if (p->count == p->room) {
        uint32_t room = p->room ? p->room * 2 : 4;
        uint32_t *items = LW_ARENA_NEW(z->arena, uint32_t, room);
        if (p->count)
            memcpy(items, p->items, p->count * sizeof *items);
        p->items = items;
        p->room = room;
    }
    memmove(&p->items[i + 1], &p->items[i], (p->count - i) * sizeof *p->items);
    p->items[i] = target;
    p->count++;
}

/* Where control goes from `b` when `first` (LW_NONE: nothing) and all that is pending at `b` wait: the
 * lowest; the rest is pending there. */
static uint32_t
route(struct linearizer *z, uint32_t b, uint32_t first, uint32_t second)
{
    struct pending *p = &z->pending[b];
    uint32_t next = first < second ? first : second;
    if (p->count && p->items[0] < next)
        next = p->items[0];
    if (next == LW_NONE)
        return LW_NONE;
    for (uint32_t i = 0; i < p->count; i++)
        pend(z, next, p->items[i]);
    if (first != LW_NONE)
        pend(z, next, first);
    if (second != LW_NONE)
        pend(z, next, second);
    return next;
}

static bool
is_back_edge(const struct lw_model *m, uint32_t from, uint32_t to)
{
    return to <= from && m->blocks[to].loop != LW_NONE && m->loops[m->blocks[to].loop].header == to;
}

bool
lw_edge_leaves_divergent_loop(const struct lw_model *m, const struct lw_uniformity *u, uint32_t from,
                              uint32_t to)
{
    for (uint32_t l = m->blocks[from].loop; l != LW_NONE && !lw_loop_contains(m, l, to);
         l = m->loops[l].parent)
        if (u->divergent_loop[l])
            return true;
    return false;
}

/* A weight for one instruction: what it costs to run it for nothing. */
static uint32_t
instruction_cost(const struct linearizer *z, uint32_t id)
{
    LLVMValueRef v = z->m->values[id];
    bool varying = z->u->values[id].form == LW_VARYING;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMPHI:
    case LLVMBr:
    case LLVMGetElementPtr:
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMFreeze:
        return 0;
    case LLVMLoad: {
        struct lw_vinfo p = lw_form_of(z->u, z->m, LLVMGetOperand(v, 0));
        return p.form == LW_VARYING ? 12 : 4;
    }
    case LLVMStore: {
        struct lw_vinfo p = lw_form_of(z->u, z->m, LLVMGetOperand(v, 1));
        return p.form == LW_VARYING ? 12 : 4;
    }
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
        return varying ? 16 : 6;
    case LLVMFDiv:
        return 4;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return 20;
    case LLVMCall:
        return lw_is_kept(LLVMGetCalledValue(v)) ? GUARD_COST : varying ? 6 : 2;
    default:
        return varying ? 1 : 0;
    }
}

static void
measure(struct linearizer *z)
{
    const struct lw_model *m = z->m;
    uint32_t n = m->block_count + 1;
    z->cost = LW_ARENA_NEW(z->arena, uint32_t, n);
    z->barriers = LW_ARENA_NEW(z->arena, uint32_t, n);
    z->loops = LW_ARENA_NEW(z->arena, uint32_t, n);
    for (uint32_t b = 0; b < m->block_count; b++) {
        const struct lw_vblock *k = &m->blocks[b];
        uint32_t cost = 0, barriers = 0;
        for (uint32_t id = k->first_value; id < k->value_end; id++) {
            cost += instruction_cost(z, id);
            barriers +=
                lw_call_meets(m->values[id]) == LW_MEETS_WORK_GROUP || (z->u->batched && z->u->batched[id]);
        }
        bool header = k->loop != LW_NONE && m->loops[k->loop].header == b;
        z->cost[b + 1] = z->cost[b] + cost;
        z->barriers[b + 1] = z->barriers[b] + barriers;
        z->loops[b + 1] = z->loops[b] + header;
    }
}

static bool
is_recalled(const struct linearizer *z, LLVMValueRef v)
{
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMLoad:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return true;
    case LLVMCall:
        if (lw_call_meets(v) == LW_MEETS_WORK_GROUP)
            return false;
        if (lw_call_meets(v) == LW_MEETS_SUB_GROUP || lw_is_kept(LLVMGetCalledValue(v)))
            return true;
        if (lw_is_call_like(v, LW_NEVER_ZERO))
            return true; /* the way out of a loop without end, which work-groups take that are not in it */
        break;
    default:
        break;
    }
    for (int k = 0; k < LLVMGetNumOperands(v); k++) {
        uint32_t id = lw_value_id(z->m, LLVMGetOperand(v, (unsigned)k));
        if (id != LW_NONE && z->recalled[id])
            return true;
    }
    return false;
}

/* Once around a loop for every phi that hands it on; only kernels with barriers pay. */
static void
find_recalled(struct linearizer *z)
{
    const struct lw_model *m = z->m;
    z->way = LW_ARENA_NEW(z->arena, uint32_t, m->block_count);
    z->recalled = LW_ARENA_NEW(z->arena, bool, m->value_count);
    for (uint32_t b = m->block_count; b-- > 0;) {
        z->way[b] = m->blocks[b].succ_count ? LW_NONE - 1 : 0;
        for (uint32_t k = 0; k < m->blocks[b].succ_count; k++) {
            uint32_t s = m->blocks[b].succs[k];
            if (s > b && z->way[s] < z->way[b])
                z->way[b] = z->way[s] + 1;
        }
    }
    bool changed = z->barriers[m->block_count] != 0;
    while (changed) {
        changed = false;
        for (uint32_t v = m->param_count; v < m->value_count; v++)
            if (!z->recalled[v] && is_recalled(z, m->values[v]))
                z->recalled[v] = changed = true;
    }
}

/* May a sub-group be in the loops around `b` without lanes, and go round one of them for ever? `meet`: one
 * with barriers, where the others of the work-group are. */
static bool
may_stay(const struct linearizer *z, uint32_t b, bool meet)
{
    const struct lw_model *m = z->m;
    for (uint32_t l = m->blocks[b].loop; l != LW_NONE; l = m->loops[l].parent) {
        const struct lw_loop *loop = &m->loops[l];
        bool meets = z->barriers[loop->end] != z->barriers[loop->header];
        if (z->u->divergent_loop[l] || z->plan->blocks[loop->preheader].guarded)
            return false;
        if (meets == meet && !z->ends[l])
            return true;
    }
    return false;
}

/* Where sub-groups without lanes go at a branch that those with lanes take alike. */
static void
plan_idle(const struct linearizer *z, uint32_t b)
{
    const struct lw_vblock *k = &z->m->blocks[b];
    struct lw_block_plan *plan = &z->plan->blocks[b];
    uint32_t c = lw_value_id(z->m, LLVMGetCondition(LLVMGetBasicBlockTerminator(k->ref)));
    if (!z->u->masked[b] || c == LW_NONE)
        return;
    uint32_t way[2];
    for (int e = 0; e < 2; e++)
        way[e] = k->succs[e] > b ? z->way[k->succs[e]] : LW_NONE;
    bool meets = lw_leads_to_barriers(z->m, z->barriers, b);
    plan->group_branch = meets && (z->recalled[c] || may_stay(z, b, true));
    plan->idle_branch = !meets && may_stay(z, b, false);
    plan->idle = way[1] < way[0];
}

/* Sets the guard of `s` where it pays. */
static void
guard(struct linearizer *z, uint32_t s)
{
    const struct lw_model *m = z->m;
    const struct lw_vblock *k = &m->blocks[s];
    uint32_t end = k->dom_end;
    if (end <= s)
        return;
    if (z->barriers[end] != z->barriers[s])
        return;
    if (z->loops[end] == z->loops[s] && z->cost[end] - z->cost[s] < GUARD_COST)
        return;
    /* Where lanes may wait once the arm is skipped: what is pending here, and what the arm leads to. */
    struct pending *p = &z->pending[s];
    uint32_t next = p->count ? p->items[0] : LW_NONE;
    for (uint32_t b = s; b < end; b++)
        for (uint32_t i = 0; i < m->blocks[b].succ_count; i++) {
            uint32_t t = m->blocks[b].succs[i];
            if (t >= end && t < next)
                next = t;
            if (t < s) {
                /* A back edge of a loop around the arm: only where the arm is all that is left of the loop.
                 */
                uint32_t loop = m->blocks[t].loop;
                if (!z->u->divergent_loop[loop] || m->loops[loop].latch != b)
                    return;
            }
        }
    if (next == LW_NONE)
        return;
    for (uint32_t i = 0; i < p->count; i++)
        pend(z, next, p->items[i]);
    for (uint32_t b = s; b < end; b++)
        for (uint32_t i = 0; i < m->blocks[b].succ_count; i++)
            if (m->blocks[b].succs[i] >= end)
                pend(z, next, m->blocks[b].succs[i]);
    z->plan->blocks[s].guarded = true;
    z->plan->blocks[s].guard_else = next;
}

/* Blocks that may carry a guard: the arms of a linearised branch, and the way into a loop. Elsewhere the mask
 * is that of the block before. */
static bool
may_guard(const struct linearizer *z, uint32_t b)
{
    const struct lw_vblock *k = &z->m->blocks[b];
    if (!z->u->masked[b] || k->pred_count == 0)
        return false;
    if (k->succ_count == 1) {
        uint32_t loop = z->m->blocks[k->succs[0]].loop;
        if (loop != LW_NONE && z->m->loops[loop].header == k->succs[0] && z->m->loops[loop].preheader == b)
            return true;
    }
    uint32_t p = k->preds[0];
    return k->pred_count == 1 && z->m->blocks[p].succ_count == 2 && z->plan->blocks[p].exit != LW_EXIT_BRANCH;
}

static void
plan_conditional(struct linearizer *z, uint32_t b)
{
    const struct lw_model *m = z->m;
    const struct lw_vblock *k = &m->blocks[b];
    struct lw_block_plan *plan = &z->plan->blocks[b];
    uint32_t s[2] = {k->succs[0], k->succs[1]};
    bool back[2] = {is_back_edge(m, b, s[0]), is_back_edge(m, b, s[1])};
    bool leaves =
        lw_edge_leaves_divergent_loop(m, z->u, b, s[0]) || lw_edge_leaves_divergent_loop(m, z->u, b, s[1]);

    if (!z->u->divergent_branch[b] && !leaves) {
        plan->exit = LW_EXIT_BRANCH;
        for (int i = 0; i < 2; i++)
            plan->to[i] = back[i] ? s[i] : route(z, b, s[i], LW_NONE);
        plan_idle(z, b);
        return;
    }
    if (back[0] || back[1]) {
        plan->exit = LW_EXIT_LOOP;
        plan->to[0] = back[0] ? s[0] : s[1];
        plan->to[1] = route(z, b, back[0] ? (back[1] ? LW_NONE : s[1]) : s[0], LW_NONE);
        return;
    }
    plan->exit = LW_EXIT_JUMP;
    plan->to[0] = route(z, b, s[0], s[1]);
}

/* A sub-group whose lanes have all left a loop with a barrier keeps walking through it with the others. */
static bool
is_group_loop(const struct linearizer *z, uint32_t latch)
{
    const struct lw_block_plan *plan = &z->plan->blocks[latch];
    return plan->exit == LW_EXIT_LOOP && z->barriers[latch + 1] != z->barriers[plan->to[0]];
}

static void
plan_block(struct linearizer *z, uint32_t b)
{
    const struct lw_model *m = z->m;
    const struct lw_vblock *k = &m->blocks[b];
    struct lw_block_plan *plan = &z->plan->blocks[b];
    for (uint32_t l = k->loop; l != LW_NONE; l = m->loops[l].parent)
        plan->in_divergent_loop |= z->u->divergent_loop[l];
    if (may_guard(z, b))
        guard(z, b);
    if (k->succ_count == 0) {
        plan->exit = LW_EXIT_RETURN;
    } else if (k->succ_count == 1) {
        uint32_t s = k->succs[0];
        if (is_back_edge(m, b, s)) {
            bool divergent = z->u->divergent_loop[m->blocks[s].loop];
            plan->exit = divergent ? LW_EXIT_LOOP : LW_EXIT_JUMP;
            plan->to[0] = s;
            plan->to[1] = divergent ? route(z, b, LW_NONE, LW_NONE) : LW_NONE;
        } else {
            plan->exit = LW_EXIT_JUMP;
            plan->to[0] = route(z, b, s, LW_NONE);
        }
    } else {
        plan_conditional(z, b);
    }
    plan->group_loop = is_group_loop(z, b);
}

struct lw_linear_plan *
lw_linearize(struct lw_arena *arena, const struct lw_model *model, const struct lw_uniformity *uniformity)
{
    struct linearizer z = {.arena = arena,
                           .m = model,
                           .u = uniformity,
                           .plan = LW_ARENA_NEW(arena, struct lw_linear_plan, 1),
                           .pending = LW_ARENA_NEW(arena, struct pending, model->block_count)};
    z.plan->blocks = LW_ARENA_NEW(arena, struct lw_block_plan, model->block_count);
    measure(&z);
    find_recalled(&z);
    z.ends = LW_ARENA_NEW(arena, bool, model->loop_count);
    for (uint32_t l = 0; l < model->loop_count; l++)
        z.ends[l] = lw_loop_ends(model, l);
    for (uint32_t b = 0; b < model->block_count; b++)
        plan_block(&z, b);
    return z.plan;
}

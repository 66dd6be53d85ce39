/* SPDX-License-Identifier: MIT */
/* The edges of the sub-group function: who waits where, what the phis become, and the terminators that jump.
 *
 * Enters: a terminator of the block being written, w->mask and the values at hand.
 * Leaves: stores to the slots of the blocks behind it, and the jump; a block whose home is reached, empty.
 * Relies on: linearize.h for where it jumps; widen/exits.c for the lanes behind loops; widen/full.c for code
 * without masks.
 * Never: makes a phi: sroa does, of the slots.
 *
 * Masks. A masked block has a slot of lanes that wait for it. An edge adds the lanes that take it; the block
 * takes them all. Slots are emptied at the block's home (homes.h), shortly before anybody can wait there. So
 * a block skipped by a guard, or run with nobody in it, needs no special case, and a divergent loop's exits
 * simply collect lanes until the latch falls through:
 *
 *     b: if (c) goto t; else goto f;            b: wait[t] |= mask & c;  wait[f] |= mask & ~c;  goto t
 *     t: ...                             ->     t: mask = wait[t]; ...
 *
 * Phis. An edge writes the phi's slot for its lanes: the value at the moment the lane takes the edge, which
 * is what a lane that leaves a divergent loop early must keep. The first edge into a join writes whole
 * vectors, so that no stale value is carried around loops; later ones blend. Uniform phis are scalars,
 * written by later edges only where a lane takes them: control passes by blocks that no lane has gone to.
 *
 * One exit of a divergent loop collects no lanes: behind the loop they are those that entered and left by no
 * other exit. Where one edge leads there, its phis are blended for all lanes that are still in the loop: what
 * a lane leaves with is written last.
 */
#include <stdlib.h>

#include "../subgroup/group_collectives.h"
#include "../lanes/internal.h"
#include "widener.h"

/* ---- edges ---- */

/* The values that an edge brings to the phis of its target, read before anything is written. */
struct edge {
    uint32_t from, to;
    V mask;    /* lanes that take it; NULL: all */
    V *values; /* leaf after leaf of phi after phi */
    uint32_t count;
};

/* From where the last search ended: the phis of a block list their blocks in much the same order as each
 * other, and as the edges are written. */
static LLVMValueRef
incoming_value(lw_widener *w, LLVMValueRef phi, uint32_t from)
{
    unsigned n = LLVMCountIncoming(phi), at = w->incoming < n ? w->incoming : 0;
    for (unsigned k = 0; k < n; k++, at = at + 1 < n ? at + 1 : 0) {
        if (LLVMGetIncomingBlock(phi, at) != w->m->blocks[from].ref)
            continue;
        w->incoming = at;
        return LLVMGetIncomingValue(phi, at);
    }
    return LLVMGetUndef(LLVMTypeOf(phi));
}

static uint32_t
phi_leaves(lw_widener *w, LLVMValueRef phi)
{
    return w->slot_count[lw_value_id(w->m, phi)];
}

/* The phi behind a loop of shared accesses whose slot, blended for all lanes that were in the loop, holds
 * what its lanes take round as `value` to `carried`: one vector is carried in place of two. NULL: there is
 * none, or its components are in another order (forms/in_order.c). */
static LLVMValueRef
kept_behind(lw_widener *w, uint32_t from, uint32_t to, LLVMValueRef carried, LLVMValueRef value)
{
    uint32_t loop = w->m->blocks[to].loop;
    if (from < to || !lw_in_rounds(w, loop) || w->last_exit[loop] == LW_NONE)
        return NULL;
    const struct lw_vblock *exit = &w->m->blocks[w->last_exit[loop]];
    if (exit->pred_count != 1 || exit->preds[0] == from || !lw_dominates(w->m, exit->preds[0], from))
        return NULL;
    for (uint32_t n = exit->first_value; n < exit->value_end; n++) {
        LLVMValueRef phi = w->m->values[n];
        if (!LLVMIsAPHINode(phi))
            break;
        if (lw_is_varying(w, phi) && LLVMIsAInstruction(value) && LLVMGetIncomingValue(phi, 0) == value &&
            lw_is_in_order(w, phi) == lw_is_in_order(w, carried))
            return phi;
    }
    return NULL;
}

/* On the way into the loop: what is carried is there from the beginning. */
static void
begin_kept(lw_widener *w, uint32_t from, uint32_t to, LLVMValueRef phi)
{
    uint32_t loop = w->m->blocks[to].loop;
    if (from >= to || loop == LW_NONE || w->m->loops[loop].header != to || !lw_is_varying(w, phi))
        return;
    uint32_t latch = w->m->loops[loop].latch;
    LLVMValueRef kept = kept_behind(w, latch, to, phi, incoming_value(w, phi, latch));
    for (uint32_t leaf = 0, n = kept ? phi_leaves(w, phi) : 0; leaf < n; leaf++) {
        V slot = lw_slot(w, phi, leaf),
          value = LLVMBuildLoad2(w->l.builder, LLVMGetAllocatedType(slot), slot, "");
        LLVMBuildStore(w->l.builder, value, lw_slot(w, kept, leaf));
    }
}

static bool
read_edge(lw_widener *w, struct edge *e)
{
    const struct lw_vblock *k = &w->m->blocks[e->to];
    uint32_t room = 0, at = 0;
    for (uint32_t id = k->first_value; id < k->value_end && LLVMIsAPHINode(w->m->values[id]); id++)
        room += phi_leaves(w, w->m->values[id]);
    e->values = room ? malloc(room * sizeof *e->values) : NULL;
    e->count = room;
    if (room && !e->values)
        return false;
    for (uint32_t id = k->first_value; at < room; id++) {
        LLVMValueRef phi = w->m->values[id];
        LLVMValueRef value = incoming_value(w, phi, e->from);
        if (!lw_is_varying(w, phi)) {
            e->values[at++] = lw_use_scalar(w, value);
            continue;
        }
        LLVMValueRef kept = kept_behind(w, e->from, e->to, phi, value);
        for (uint32_t leaf = 0, n = phi_leaves(w, phi); leaf < n; leaf++) {
            V slot = kept ? lw_slot(w, kept, leaf) : NULL;
            e->values[at++] = slot ? LLVMBuildLoad2(w->l.builder, LLVMGetAllocatedType(slot), slot, "")
                                   : lw_use_for(w, phi, value, leaf);
        }
    }
    return true;
}

/* Is this the first of the edges into `to` that can bring lanes in one pass? */
static bool
is_first_edge(lw_widener *w, uint32_t from, uint32_t to)
{
    if (lw_edge_leaves_divergent_loop(w->m, w->u, from, to))
        return false;
    if (from >= to)
        return true; /* a back edge: its lanes are all there are */
    for (uint32_t k = 0; k < w->m->blocks[to].pred_count; k++)
        if (w->m->blocks[to].preds[k] < from)
            return false;
    return true;
}

/* It is of no lane. */
static void
clear_phi(lw_widener *w, LLVMValueRef phi)
{
    for (uint32_t leaf = 0; leaf < phi_leaves(w, phi); leaf++) {
        V slot = lw_slot(w, phi, leaf);
        LLVMBuildStore(w->l.builder, LLVMConstNull(LLVMGetAllocatedType(slot)), slot);
    }
}

/* On the way into a divergent loop: forget what its exits collected the last time around. */
static void
forget_exit_phis(lw_widener *w, uint32_t from, uint32_t to)
{
    uint32_t loop = w->m->blocks[to].loop;
    if (from >= to || loop == LW_NONE || w->m->loops[loop].header != to || !w->u->divergent_loop[loop] ||
        w->m->loops[loop].parent == LW_NONE)
        return;
    const struct lw_loop *l = &w->m->loops[loop];
    for (uint32_t x = 0; x < l->exit_count; x++) {
        const struct lw_vblock *exit = &w->m->blocks[l->exit_edges[2 * x + 1]];
        if (x && l->exit_edges[2 * x - 1] == l->exit_edges[2 * x + 1])
            continue;
        for (uint32_t n = exit->first_value; n < exit->value_end; n++) {
            LLVMValueRef phi = w->m->values[n];
            if (!LLVMIsAPHINode(phi))
                break;
            /* An exit of outer loops too may hold lanes that left earlier. */
            if (lw_is_varying(w, phi) && exit->loop == l->parent)
                clear_phi(w, phi);
        }
    }
}

static void
take_edge(lw_widener *w, struct edge *e)
{
    LLVMBuilderRef b = w->l.builder;
    bool first = is_first_edge(w, e->from, e->to), last = lw_is_last_exit(w, e->from, e->to);
    V slot = last ? NULL : w->mask_slots[e->to], blended = e->mask;
    if (last && w->m->blocks[e->to].pred_count == 1)
        blended = w->mask;
    lw_enter_loop(w, e->from, e->to, e->mask);
    lw_enter_rows(w, e->from, e->to);
    if (w->full_arm != LW_NONE && !e->mask && e->from < e->to)
        w->full_edges[e->to]++;
    if (slot) {
        V lanes = e->mask ? e->mask : lane_all_true(&w->l);
        if (!first)
            lanes = LLVMBuildOr(b, LLVMBuildLoad2(b, LLVMTypeOf(lanes), slot, ""), lanes, "");
        LLVMBuildStore(b, lanes, slot);
    }
    forget_exit_phis(w, e->from, e->to);
    const struct lw_vblock *k = &w->m->blocks[e->to];
    for (uint32_t id = k->first_value, at = 0; at < e->count; id++) {
        LLVMValueRef phi = w->m->values[id];
        for (uint32_t leaf = 0, n = phi_leaves(w, phi); leaf < n; leaf++, at++) {
            V value = e->values[at], place = lw_slot(w, phi, leaf);
            V before = first ? NULL : LLVMBuildLoad2(b, LLVMTypeOf(value), place, "");
            V lanes = lw_is_in_order(w, phi) ? lw_mask_in_order(w, blended, n, leaf) : blended;
            if (before && lw_is_varying(w, phi) && blended)
                value = lane_select(&w->l, lanes, value, before);
            else if (before && !lw_is_varying(w, phi) && e->mask && w->may_be_empty)
                value = LLVMBuildSelect(b, lane_any(&w->l, e->mask), value, before, "");
            LLVMBuildStore(b, value, place);
        }
        begin_kept(w, e->from, e->to, phi);
    }
    free(e->values);
    e->values = NULL;
}

/* Nobody waits at `b`, and its phis are of no lane. */
void
lw_empty_slots(lw_widener *w, uint32_t b)
{
    const struct lw_vblock *k = &w->m->blocks[b];
    bool written = k->pred_count == 1 && is_first_edge(w, k->preds[0], b) &&
                   lw_runs_before(w->m, w->plan, w->homes, k->preds[0], b);
    if (written)
        return; /* an arm: by its only edge */
    if (w->mask_slots[b])
        LLVMBuildStore(w->l.builder, LLVMConstNull(LLVMGetAllocatedType(w->mask_slots[b])), w->mask_slots[b]);
    for (uint32_t n = k->first_value; n < k->value_end && LLVMIsAPHINode(w->m->values[n]); n++)
        clear_phi(w, w->m->values[n]);
}

/* ---- terminators ---- */

static void
jump(lw_widener *w, uint32_t to)
{
    lw_leave_loops(w, w->block, to);
    LLVMBuildBr(w->l.builder, w->entries[to]);
}

/* To `in` where the condition holds, else to `to`, which may be outside of loops. */
void
lw_branch_or_leave(lw_widener *w, V condition, LLVMBasicBlockRef in, uint32_t to)
{
    LLVMBuilderRef b = w->l.builder;
    if (!lw_leaves_loop(w, w->block, to)) {
        LLVMBuildCondBr(b, condition, in, w->entries[to]);
        return;
    }
    LLVMBasicBlockRef left = LLVMAppendBasicBlockInContext(w->l.context, w->l.function, "left");
    LLVMBuildCondBr(b, condition, in, left);
    LLVMPositionBuilderAtEnd(b, left);
    jump(w, to);
}

static void
note_branch(lw_widener *w, LLVMValueRef terminator, const struct lw_block_plan *plan)
{
    bool divergent = w->u->divergent_branch[w->block];
    if (plan->exit == LW_EXIT_BRANCH)
        lw_report_note(w->report, terminator, "branch", "uniform branch");
    else if (plan->exit == LW_EXIT_LOOP)
        lw_report_note(w->report, terminator, "loop", "divergent loop: runs until no lane is active");
    else if (divergent)
        lw_report_note(w->report, terminator, "branch", "divergent branch: masked");
}

/* What a guard behind the branch at hand asks first: do all lanes go there? */
static void
tell_whole(lw_widener *w, LLVMValueRef terminator, uint32_t to, bool wanted)
{
    LLVMBuilderRef b = w->l.builder;
    if (!w->plan->blocks[to].guarded || w->m->blocks[to].pred_count != 1 ||
        (w->mask && w->mask != w->entry_mask) || !lw_runs_before(w->m, w->plan, w->homes, w->block, to))
        return;
    V whole = lw_all_lanes(w, LLVMGetCondition(terminator), wanted);
    if (!whole)
        return;
    whole = LLVMBuildAnd(b, whole, lane_all(&w->l, w->mask), "");
    if (!w->whole_slots[to])
        w->whole_slots[to] = LLVMBuildAlloca(w->alloca_builder, LLVMTypeOf(whole), "whole");
    LLVMBuildStore(b, whole, w->whole_slots[to]);
}

/* Both edges of a conditional branch whose lanes part. */
static void
part_lanes(lw_widener *w, LLVMValueRef terminator, struct edge edges[2])
{
    LLVMBuilderRef b = w->l.builder;
    LLVMValueRef condition = LLVMGetCondition(terminator);
    V c = LLVMBuildFreeze(b, lw_use_vector(w, condition, 0), "");
    edges[0].mask = lane_and(&w->l, w->mask, c);
    edges[1].mask = lane_and(&w->l, w->mask, LLVMBuildNot(b, c, ""));
}

/* The condition as lanes have it; without any, the way to the plan's idle edge. */
static V
ask_lanes(lw_widener *w, V condition, const struct lw_block_plan *plan)
{
    LLVMBuilderRef b = w->l.builder;
    V some = lane_any(&w->l, w->mask);
    return plan->idle == 0 ? LLVMBuildOr(b, condition, LLVMBuildNot(b, some, ""), "")
                           : LLVMBuildAnd(b, condition, some, "");
}

/* The condition as the sub-groups have it that have lanes here. */
static V
ask_group(lw_widener *w, V condition, const struct lw_block_plan *plan)
{
    LLVMBuilderRef b = w->l.builder;
    V vote = LLVMBuildSelect(b, condition, lane_int(&w->l, 32, 1), lane_int(&w->l, 32, 2), "");
    vote = lw_workgroup_reduce(&w->l, LW_GROUP_OR, lane_splat(&w->l, vote), w->mask, w->scratch++);
    V nobody = LLVMBuildICmp(b, LLVMIntEQ, vote, lane_int(&w->l, 32, 0), "");
    V yes = LLVMBuildICmp(b, LLVMIntEQ, vote, lane_int(&w->l, 32, 1), "");
    return LLVMBuildSelect(b, nobody, lane_int(&w->l, 1, plan->idle == 0), yes, "");
}

static void
branch_uniformly(lw_widener *w, LLVMValueRef terminator, struct edge edges[2],
                 const struct lw_block_plan *plan)
{
    LLVMBuilderRef b = w->l.builder;
    LLVMBasicBlockRef on_edge[2];
    V c = lw_use_scalar(w, LLVMGetCondition(terminator));
    if (w->u->masked[w->block])
        c = LLVMBuildFreeze(b, c, ""); /* may come from lanes that were not there */
    if (plan->group_branch)
        c = ask_group(w, c, plan);
    else if (plan->idle_branch && w->may_be_empty)
        c = ask_lanes(w, c, plan);
    for (int k = 0; k < 2; k++)
        on_edge[k] = LLVMAppendBasicBlockInContext(w->l.context, w->l.function, "edge");
    LLVMBuildCondBr(b, c, on_edge[0], on_edge[1]);
    for (int k = 0; k < 2; k++) {
        LLVMPositionBuilderAtEnd(b, on_edge[k]);
        take_edge(w, &edges[k]);
        jump(w, plan->to[k]);
    }
}

/* A block of a way on, and nothing else. */
static bool
only_leads_on(const struct lw_vblock *k)
{
    return k->succ_count == 1 && k->pred_count == 1 && k->value_end - k->first_value <= 1;
}

/* The block behind which the lanes of a divergent loop go round, where the block at hand decides by a uniform
 * condition whether all that are left go there or leave: the latch, the block itself or the one behind it.
 * Else LW_NONE. */
static uint32_t
common_latch(lw_widener *w, const struct lw_vblock *k, const struct lw_block_plan *plan)
{
    if (k->succ_count != 2 || k->succs[0] == k->succs[1] || w->u->divergent_branch[w->block])
        return LW_NONE;
    uint32_t latch = plan->exit == LW_EXIT_LOOP ? w->block : plan->to[0];
    const struct lw_vblock *at = &w->m->blocks[latch];
    const struct lw_block_plan *behind = &w->plan->blocks[latch];
    if (behind->exit != LW_EXIT_LOOP || behind->group_loop || behind->to[1] == LW_NONE)
        return LW_NONE;
    if (latch == w->block)
        return latch;
    bool succeeds = k->succs[0] == latch || k->succs[1] == latch;
    bool empty = only_leads_on(at) && !behind->guarded;
    uint32_t other = k->succs[k->succs[0] == latch];
    return succeeds && empty && !lw_loop_contains(w->m, at->loop, other) ? latch : LW_NONE;
}

/* In the code for all lanes: where to begin another round with those of `going`, by way of the code with
 * masks where some are gone. */
static LLVMBasicBlockRef
round_entry(lw_widener *w, uint32_t header, V going)
{
    LLVMBuilderRef b = w->l.builder;
    if (w->full_arm == LW_NONE || !going || !lw_runs_full(w, header))
        return lw_entry_of(w, header);
    LLVMBasicBlockRef at = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef test = LLVMAppendBasicBlockInContext(w->l.context, w->l.function, "round");
    LLVMPositionBuilderAtEnd(b, test);
    lw_lane_branch_likely(&w->l, lane_all(&w->l, going), w->entries[header], w->some[header]);
    LLVMPositionBuilderAtEnd(b, at);
    return test;
}

/* The lanes that are left go round together, or leave together: a jump, where masks would have to be made of
 * the condition. */
static void
loop_uniformly(lw_widener *w, LLVMValueRef terminator, struct edge edges[2], uint32_t latch)
{
    LLVMBuilderRef b = w->l.builder;
    const struct lw_block_plan *plan = &w->plan->blocks[latch];
    V c = LLVMBuildFreeze(b, lw_use_scalar(w, LLVMGetCondition(terminator)), "");
    LLVMBasicBlockRef on_edge[2];
    uint32_t round = latch == w->block ? plan->to[0] : latch;
    for (int k = 0; k < 2; k++)
        on_edge[k] = LLVMAppendBasicBlockInContext(w->l.context, w->l.function, "edge");
    /* Likely: lest the jump become a select of masks again. */
    if (edges[1].to == round)
        c = LLVMBuildNot(b, c, "");
    lw_lane_branch_likely(&w->l, c, on_edge[edges[1].to == round], on_edge[edges[0].to == round]);
    for (int k = 0; k < 2; k++) {
        V mask = edges[k].mask;
        bool goes = edges[k].to == round;
        LLVMPositionBuilderAtEnd(b, on_edge[k]);
        take_edge(w, &edges[k]);
        if (goes && latch == w->block && mask)
            lw_branch_or_leave(w, lane_any(&w->l, mask), round_entry(w, round, mask), plan->to[1]);
        else
            jump(w, goes ? round : plan->to[1]);
    }
}

/* ---- loops while no lane has left ---- */

/* The edge of the block at hand by which lanes stay in a divergent loop, where the other one leaves it; else
 * -1. */
static int
staying_edge(lw_widener *w, const struct lw_vblock *k, const struct lw_block_plan *plan)
{
    if (w->full_arm == LW_NONE || w->mask || plan->group_loop || k->succ_count != 2 ||
        !w->u->divergent_branch[w->block] || k->succs[0] == k->succs[1])
        return -1;
    for (int s = 0; s < 2; s++)
        if (k->succs[s] == plan->to[0] && !lw_edge_leaves_divergent_loop(w->m, w->u, w->block, k->succs[s]) &&
            lw_edge_leaves_divergent_loop(w->m, w->u, w->block, k->succs[!s]) &&
            (plan->exit == LW_EXIT_LOOP ? plan->to[1] != LW_NONE && lw_runs_full(w, plan->to[0])
                                        : plan->exit == LW_EXIT_JUMP))
            return s;
    return -1;
}

/* Where control goes from the block at hand, or from an empty latch behind it, once no lane goes round. */
static uint32_t
behind_loop(lw_widener *w)
{
    const struct lw_block_plan *plan = &w->plan->blocks[w->block];
    if (plan->exit == LW_EXIT_LOOP)
        return plan->to[1];
    const struct lw_vblock *latch = &w->m->blocks[plan->to[0]];
    const struct lw_block_plan *next = &w->plan->blocks[plan->to[0]];
    bool empty = only_leads_on(latch) && !next->guarded;
    return empty && next->exit == LW_EXIT_LOOP && !next->group_loop ? next->to[1] : LW_NONE;
}

/* Behind the test of the last round: lanes that all leave take no masks along. */
static void
leave_together(lw_widener *w, LLVMValueRef terminator, uint32_t to, int stay)
{
    LLVMBuilderRef b = w->l.builder;
    struct edge out = {.from = w->block, .to = to, .mask = lane_all_true(&w->l)};
    uint32_t behind = behind_loop(w);
    V none = behind == LW_NONE ? NULL : lw_none_agrees(w, LLVMGetCondition(terminator), stay == 0);
    if (!none)
        return;
    if (!read_edge(w, &out)) {
        lw_widen_fail(w, terminator, "out of memory at");
        return;
    }
    LLVMBasicBlockRef leave = LLVMAppendBasicBlockInContext(w->l.context, w->l.function, "leave");
    LLVMBasicBlockRef parted = LLVMAppendBasicBlockInContext(w->l.context, w->l.function, "parted");
    lw_lane_branch_likely(&w->l, none, leave, parted);
    LLVMPositionBuilderAtEnd(b, leave);
    take_edge(w, &out);
    jump(w, behind);
    LLVMPositionBuilderAtEnd(b, parted);
}

/* In the code for all lanes: as long as none leaves the loop nothing is masked; when the first does, the code
 * with masks goes on. */
static void
stay_together(lw_widener *w, LLVMValueRef terminator, struct edge edges[2], int stay)
{
    LLVMBuilderRef b = w->l.builder;
    const struct lw_block_plan *plan = &w->plan->blocks[w->block];
    struct edge all = {.from = w->block, .to = edges[stay].to};
    LLVMBasicBlockRef together = LLVMAppendBasicBlockInContext(w->l.context, w->l.function, "together");
    LLVMBasicBlockRef part = LLVMAppendBasicBlockInContext(w->l.context, w->l.function, "part");
    if (!read_edge(w, &all)) {
        lw_widen_fail(w, terminator, "out of memory at");
        return;
    }
    V c = lw_all_agree(w, LLVMGetCondition(terminator), stay == 0);
    lw_lane_branch_likely(&w->l, c, together, part);
    LLVMPositionBuilderAtEnd(b, together);
    take_edge(w, &all);
    jump(w, all.to);
    LLVMPositionBuilderAtEnd(b, part);
    leave_together(w, terminator, edges[!stay].to, stay);
    part_lanes(w, terminator, edges);
    V going = edges[stay].mask;
    take_edge(w, &edges[0]);
    take_edge(w, &edges[1]);
    if (plan->exit == LW_EXIT_LOOP)
        lw_branch_or_leave(w, lane_any(&w->l, going), w->some[plan->to[0]], plan->to[1]);
    else
        LLVMBuildBr(b, w->some[plan->to[0]]);
}

/* In a block of its own: to one that returns instcombine takes all that is used there alone, and with it what
 * that is computed of; so many loads' values would wait for the last block, and spill. */
static void
return_apart(lw_widener *w)
{
    LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(w->l.context, w->l.function, "return");
    LLVMBuildBr(w->l.builder, end);
    LLVMPositionBuilderAtEnd(w->l.builder, end);
    LLVMBuildRetVoid(w->l.builder);
}

void
lw_widen_terminator(lw_widener *w, LLVMValueRef terminator)
{
    const struct lw_vblock *k = &w->m->blocks[w->block];
    const struct lw_block_plan *plan = &w->plan->blocks[w->block];
    LLVMBuilderRef b = w->l.builder;
    struct edge edges[2] = {{0}};
    for (uint32_t s = 0; s < k->succ_count; s++) {
        edges[s] = (struct edge){.from = w->block, .to = k->succs[s], .mask = w->mask};
        if (!read_edge(w, &edges[s])) {
            lw_widen_fail(w, terminator, "out of memory at");
            free(edges[0].values);
            LLVMBuildUnreachable(b);
            return;
        }
    }
    if (plan->exit == LW_EXIT_RETURN) {
        if (w->m->instance && LLVMIsAReturnInst(terminator))
            lw_widen_kept_return(w, terminator);
        else
            return_apart(w);
        return;
    }
    note_branch(w, terminator, plan);
    if (plan->exit == LW_EXIT_BRANCH) {
        branch_uniformly(w, terminator, edges, plan);
        return;
    }
    uint32_t latch = common_latch(w, k, plan);
    if (latch != LW_NONE) {
        loop_uniformly(w, terminator, edges, latch);
        return;
    }
    int stay = staying_edge(w, k, plan);
    if (stay >= 0) {
        stay_together(w, terminator, edges, stay);
        return;
    }
    if (k->succ_count == 2) {
        part_lanes(w, terminator, edges);
        for (int s = 0; s < 2; s++)
            tell_whole(w, terminator, k->succs[s], s == 0);
    }
    V going_round = NULL;
    for (uint32_t s = 0; s < k->succ_count; s++) {
        if (plan->exit == LW_EXIT_LOOP && k->succs[s] == plan->to[0])
            going_round = edges[s].mask;
        take_edge(w, &edges[s]);
    }
    if (plan->exit == LW_EXIT_LOOP && plan->to[1] != LW_NONE && !lw_goes_on_empty(w)) {
        V any = !going_round       ? lane_int(&w->l, 1, 1)
                : plan->group_loop ? lw_workgroup_any(&w->l, going_round, going_round, w->scratch++)
                                   : lane_any(&w->l, going_round);
        lw_branch_or_leave(w, any, round_entry(w, plan->to[0], going_round), plan->to[1]);
    } else {
        lw_leave_loops(w, w->block, plan->to[0]);
        LLVMBuildBr(b, round_entry(w, plan->to[0], going_round));
    }
}

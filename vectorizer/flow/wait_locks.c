/* SPDX-License-Identifier: MIT */
/* Which of the loops that wait are locks of work-items: those of one sub-group may wait for each other there.
 *
 * What is waited for looks like a lock that is released behind the loop, a reservation that is committed
 * there, or a ticket; but not where a single work-item of the sub-group waits.
 *
 * Enters: canonical form. Leaves: answers.
 */
#include "wait_locks.h"

#include "../facts/calls.h"
#include "../facts/gep.h"
#include "../facts/memory_effects.h"

#define DEPTH 8

static bool
is_own_id(const struct lw_wait_loop *w, LLVMValueRef v)
{
    for (;;) {
        LLVMOpcode op = LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : 0;
        LLVMValueRef by = LLVMIsABinaryOperator(v) ? LLVMGetOperand(v, 1) : NULL;
        uint64_t c = by && LLVMIsAConstantInt(by) ? LLVMConstIntGetZExtValue(by) : 0;
        bool low = (op == LLVMAnd && c + 1 >= w->shape->sub_group_size) ||
                   (op == LLVMURem && c >= w->shape->sub_group_size);
        if (op != LLVMZExt && op != LLVMSExt && op != LLVMTrunc && !(op == LLVMAdd && c) && !low)
            break;
        v = LLVMGetOperand(v, 0);
    }
    return lw_call_same(v) == LW_SAME_ITEM || lw_call_same(v) == LW_SAME_LANE;
}

/* Ids that are asked for together: (x | y) == 0. */
static bool
has_own_id(const struct lw_wait_loop *w, LLVMValueRef v)
{
    if (LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMOr)
        return is_own_id(w, LLVMGetOperand(v, 0)) || is_own_id(w, LLVMGetOperand(v, 1));
    return is_own_id(w, v);
}

static bool
asks_for_one(const struct lw_wait_loop *w, LLVMValueRef condition, bool answer, int depth)
{
    LLVMOpcode op = LLVMIsAInstruction(condition) ? LLVMGetInstructionOpcode(condition) : 0;

    if (depth == DEPTH)
        return false;
    if (op == (answer ? LLVMAnd : LLVMOr))
        return asks_for_one(w, LLVMGetOperand(condition, 0), answer, depth + 1) ||
               asks_for_one(w, LLVMGetOperand(condition, 1), answer, depth + 1);
    if (op == LLVMSelect)
        return asks_for_one(w, LLVMGetOperand(condition, 0), answer, depth + 1) ||
               asks_for_one(w, LLVMGetOperand(condition, answer ? 1 : 2), answer, depth + 1);
    if (op != LLVMICmp || LLVMGetICmpPredicate(condition) != (answer ? LLVMIntEQ : LLVMIntNE))
        return false;
    return has_own_id(w, LLVMGetOperand(condition, 0)) || has_own_id(w, LLVMGetOperand(condition, 1));
}

bool
lw_is_for_one(const struct lw_wait_loop *w)
{
    const struct lw_model *m = w->m;
    uint32_t header = m->loops[w->loop].header;

    for (uint32_t b = m->blocks[header].idom; b != LW_NONE; b = m->blocks[b].idom) {
        const struct lw_vblock *k = &m->blocks[b];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(k->ref);
        for (uint32_t s = 0; k->succ_count == 2 && LLVMIsABranchInst(end) && s < 2; s++) {
            uint32_t to = k->succs[s];
            if (m->blocks[to].pred_count == 1 && k->succs[0] != k->succs[1] && lw_dominates(m, to, header) &&
                asks_for_one(w, LLVMGetCondition(end), s == 0, 0))
                return true;
        }
    }
    return false;
}

/* ---- what it waits for ---- */

/* Written to in the loop by something else? Then the one that has the lock gives it back there; not where
 * that is what one that has not got it had added. */
static bool
is_released(const struct lw_wait_loop *w, LLVMValueRef taking)
{
    const struct lw_loop *loop = &w->m->loops[w->loop];
    uint32_t end = w->m->blocks[loop->end - 1].value_end;

    for (uint32_t n = w->m->blocks[loop->header].first_value; n < end; n++) {
        LLVMValueRef v = w->m->values[n], to = lw_written_address(v);
        if (v != taking && to && lw_before_casts(to) == lw_before_casts(LLVMGetOperand(taking, 0)) &&
            !lw_takes_back(v, taking))
            return true;
    }
    return false;
}

static bool
is_compared_with_own(const struct lw_wait_loop *w, LLVMValueRef load)
{
    for (LLVMUseRef u = LLVMGetFirstUse(load); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsAICmpInst(user))
            continue;
        LLVMValueRef other = LLVMGetOperand(user, LLVMGetOperand(user, 0) == load);
        if (LLVMIsAInstruction(other) && !lw_loop_computes(w->m, w->loop, other))
            return true;
    }
    return false;
}

static bool
is_commit(const struct lw_wait_loop *w, LLVMValueRef v)
{
    (void)w;
    return lw_is_pipe_commit(v);
}

/* Always the same place: taken by writing a constant there, or watched until it is this one's turn. */
static bool
is_lock(const struct lw_wait_loop *w, LLVMValueRef v)
{
    if (lw_is_pipe_reservation(v))
        return !lw_any_in_loop(w, is_commit);
    bool awaited = lw_is_wait_source(w, v) || (lw_counts_on(w, v) && lw_any_in_loop(w, lw_awaits_a_number));
    if (!awaited || LLVMIsACallInst(v) || lw_loop_computes(w->m, w->loop, LLVMGetOperand(v, 0)))
        return false;
    if (LLVMIsALoadInst(v))
        return is_compared_with_own(w, v) && !is_released(w, v);
    if (LLVMIsAAtomicCmpXchgInst(v))
        return !lw_is_fresh_exchange(w, v) && !is_released(w, v);
    return !is_released(w, v);
}

bool
lw_is_lock(const struct lw_wait_loop *w)
{
    return lw_any_in_loop(w, is_lock) && !lw_is_for_one(w);
}

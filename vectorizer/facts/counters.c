/* SPDX-License-Identifier: MIT */
/* What goes round a loop, see counters.h.
 *
 * Enters: any function in SSA form, with or without a model of it. Leaves: it as it is. Never: says that a
 * block is a latch: who asks with one has it from the model, or a loop of one block; a counter without one is
 * a phi that something is added to on one of its two ways.
 */
#include "counters.h"

#include "integers.h"

static void
read_edges(LLVMValueRef phi, unsigned back, struct lw_round *r)
{
    LLVMValueRef next = LLVMGetIncomingValue(phi, back);
    bool steps = LLVMIsAInstruction(next) && LLVMGetNumOperands(next) == 2 &&
                 (LLVMGetInstructionOpcode(next) == LLVMAdd || LLVMIsAGetElementPtrInst(next)) &&
                 LLVMGetOperand(next, 0) == phi;
    LLVMValueRef step = steps ? LLVMGetOperand(next, 1) : NULL;
    uint64_t number;

    *r = (struct lw_round){LLVMGetIncomingValue(phi, !back), next, LLVMGetIncomingBlock(phi, !back),
                           LLVMGetIncomingBlock(phi, back),
                           step && lw_is_int_constant(step, &number) ? step : NULL};
}

bool
lw_read_round(LLVMValueRef phi, LLVMBasicBlockRef latch, struct lw_round *r)
{
    if (!LLVMIsAPHINode(phi) || LLVMCountIncoming(phi) != 2)
        return false;
    read_edges(phi, LLVMGetIncomingBlock(phi, 1) == latch, r);
    return r->latch == latch && r->from != latch;
}

bool
lw_read_counter(LLVMValueRef phi, struct lw_round *r)
{
    if (!LLVMIsAPHINode(phi) || LLVMCountIncoming(phi) != 2)
        return false;
    read_edges(phi, 0, r);
    if (!r->step)
        read_edges(phi, 1, r);
    return r->step;
}

LLVMValueRef
lw_added_to(LLVMValueRef phi, LLVMValueRef next)
{
    if (!LLVMIsAInstruction(next) || LLVMGetInstructionOpcode(next) != LLVMAdd)
        return NULL;
    LLVMValueRef a = LLVMGetOperand(next, 0), b = LLVMGetOperand(next, 1);
    return a == b ? NULL : a == phi ? b : b == phi ? a : NULL;
}

bool
lw_read_round_test(LLVMValueRef phi, const struct lw_round *r, struct lw_round_test *t)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(r->latch), test = lw_compared(end);
    if (!test || LLVMGetSuccessor(end, 0) == LLVMGetSuccessor(end, 1))
        return false;
    bool round = LLVMGetSuccessor(end, 0) == LLVMGetInstructionParent(phi);
    LLVMIntPredicate p = LLVMGetICmpPredicate(test);
    *t = (struct lw_round_test){round ? p : lw_inverse(p), LLVMGetOperand(test, 1),
                                LLVMGetOperand(test, 0) == r->next};
    return t->of_next || LLVMGetOperand(test, 0) == phi;
}

/* SPDX-License-Identifier: MIT */
/* Rounds of divergent loops: what is the same for all lanes is decided in scalars, and lanes count for
 * themselves.
 *
 *   alive &= x > start & splat(count < 500)     alive &= x > start
 *   while (any(alive))                          while (count < 500 && any(alive))
 *   steps = alive ? splat(count) : steps        steps += alive ? 1 : 0, in loops of one block
 *
 * Enters: a module after its last LLVM pass. Leaves: the same values, and control leaves loops after the same
 * rounds. Relies on: no pass after it. Never: takes a condition out of a mask that is read elsewhere than at
 * the loop's head and in the question whether any lane is left: only where control goes round are both masks
 * the same. Why: a condition comes into a mask, and a number into a register, over the one port that compares
 * too.
 */
#include "../facts/counters.h"
#include "../facts/instructions.h"
#include "../facts/integers.h"
#include "../lanes/internal.h"
#include "../../src/compiler.h"

#define DEPTH 4 /* of the mask's computation */

/* ---- conditions ---- */

/* The condition that all lanes of `mask` are; NULL: not one for all, or constant. */
static V
common_condition(V mask)
{
    if (LLVMIsAFreezeInst(mask))
        mask = LLVMGetOperand(mask, 0);
    V scalar = LLVMIsAConstant(mask) || !lw_lane_is_vector(mask) ? NULL : lw_lane_splat_source(mask);
    return scalar && !LLVMIsAConstant(scalar) ? scalar : NULL;
}

/* a & b: by `and`, or by a select that gives none where a does not hold. */
static bool
is_conjunction(V v)
{
    if (LLVMIsASelectInst(v))
        return LLVMIsConstant(LLVMGetOperand(v, 2)) && LLVMIsNull(LLVMGetOperand(v, 2));
    return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMAnd;
}

/* The place of `mask`'s computation where a common condition is added: an operation whose other operand is
 * `*rest`. NULL: there is none. */
static V
find_condition(V mask, int depth, V *condition, V *rest)
{
    if (depth == DEPTH || !LLVMIsAInstruction(mask))
        return NULL;
    if (LLVMIsAFreezeInst(mask)) {
        V inner = LLVMGetOperand(mask, 0);
        return lw_has_one_use(inner) ? find_condition(inner, depth + 1, condition, rest) : NULL;
    }
    if (!is_conjunction(mask))
        return NULL;
    V a = LLVMGetOperand(mask, 0), b = LLVMGetOperand(mask, 1);
    bool scalar = !lw_lane_is_vector(a);
    *condition = scalar ? a : common_condition(a);
    *rest = b;
    if (*condition)
        return mask;
    *condition = common_condition(b);
    *rest = a;
    if (*condition)
        return mask;
    V found = lw_has_one_use(b) ? find_condition(b, depth + 1, condition, rest) : NULL;
    return found || !lw_has_one_use(a) ? found : find_condition(a, depth + 1, condition, rest);
}

/* The question at the end of `block` whether any lane of a mask is left, and that mask. */
static V
last_question(LLVMBasicBlockRef block, V *mask)
{
    V branch = LLVMGetBasicBlockTerminator(block);
    V test = branch ? lw_compared(branch) : NULL;

    if (!test || LLVMGetInstructionParent(test) != block || !lw_has_one_use(test))
        return NULL;
    V bits = LLVMGetOperand(test, 0), none = LLVMGetOperand(test, 1);
    LLVMIntPredicate p = LLVMGetICmpPredicate(test);
    if ((p != LLVMIntEQ && p != LLVMIntNE) || !LLVMIsConstant(none) || !LLVMIsABitCastInst(bits) ||
        !LLVMIsNull(none) || !lw_has_one_use(bits))
        return NULL;
    *mask = LLVMGetOperand(bits, 0);
    return lw_lane_is_vector(*mask) && LLVMIsAInstruction(*mask) ? test : NULL;
}

/* Is `mask` read by the question and, on the way round from `block`, by the head of the loop alone? */
static bool
goes_round_only(V mask, V test, LLVMBasicBlockRef block)
{
    V branch = LLVMGetBasicBlockTerminator(block);
    LLVMBasicBlockRef head = LLVMGetSuccessor(branch, LLVMGetICmpPredicate(test) == LLVMIntEQ);

    if (LLVMGetSuccessor(branch, 0) == LLVMGetSuccessor(branch, 1))
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(mask); use; use = LLVMGetNextUse(use)) {
        V user = LLVMGetUser(use);
        if (user == LLVMGetOperand(test, 0))
            continue;
        if (!LLVMIsAPHINode(user) || LLVMGetInstructionParent(user) != head)
            return false;
        for (unsigned e = 0; e < LLVMCountIncoming(user); e++)
            if (LLVMGetIncomingValue(user, e) == mask && LLVMGetIncomingBlock(user, e) != block)
                return false;
    }
    return true;
}

/* Conditions of the last block's mask become conditions of its branch. */
static bool
decide_in_scalars(lw_lanes *l, LLVMBasicBlockRef block)
{
    LLVMBuilderRef b = l->builder;
    V mask, condition, rest, test = last_question(block, &mask);
    if (!test || !goes_round_only(mask, test, block))
        return false;
    V place = find_condition(mask, 0, &condition, &rest);
    if (!place || LLVMTypeOf(rest) != LLVMTypeOf(place))
        return false;
    bool leaves = LLVMGetICmpPredicate(test) == LLVMIntEQ;
    lw_replace(place, rest);
    V branch = LLVMGetBasicBlockTerminator(block), yes = lane_int(l, 1, 1), no = lane_int(l, 1, 0);
    LLVMPositionBuilderBefore(b, branch);
    condition = LLVMBuildFreeze(b, condition, "");
    /* One branch: in two, LLVM asks for the mask as a number. */
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(l->context, "unpredictable", 13),
                    LLVMMetadataAsValue(l->context, LLVMMDNodeInContext2(l->context, NULL, 0)));
    LLVMSetCondition(branch, leaves ? LLVMBuildSelect(b, LLVMBuildNot(b, condition, ""), yes, test, "")
                                    : LLVMBuildSelect(b, condition, test, no, ""));
    return true;
}

/* ---- counters ---- */

/* Does `mask` hold no lane that `of` does not? */
static bool
is_part_of(V mask, V of, int depth)
{
    if (mask == of)
        return true;
    if (depth == DEPTH || !LLVMIsAInstruction(mask))
        return false;
    if (LLVMIsAFreezeInst(mask))
        return is_part_of(LLVMGetOperand(mask, 0), of, depth + 1);
    return is_conjunction(mask) && (is_part_of(LLVMGetOperand(mask, 0), of, depth + 1) ||
                                    is_part_of(LLVMGetOperand(mask, 1), of, depth + 1));
}

/* A phi at the head of a loop of one block. */
static bool
read_phi(V phi, LLVMBasicBlockRef block, struct lw_round *r)
{
    return lw_read_round(phi, block, r) && LLVMGetInstructionParent(phi) == block;
}

/* The number that `scalar` is in the first round of `block`, and what is added in each. */
static bool
read_counter(V scalar, LLVMBasicBlockRef block, uint64_t *first, V *step)
{
    struct lw_round r;
    bool counted = LLVMIsAInstruction(scalar) && LLVMGetInstructionOpcode(scalar) == LLVMAdd;

    if (!read_phi(counted ? LLVMGetOperand(scalar, 0) : scalar, block, &r) || !r.step ||
        !lw_is_int_constant(r.first, first) || (counted && r.next != scalar))
        return false;
    *step = r.step;
    *first += counted ? LLVMConstIntGetZExtValue(r.step) : 0;
    return true;
}

/* A number kept from the last round in which a lane took part: `choice` of a counter where the lane is
 * active, else of what it was before. Lanes add the step while they take part. */
static void
count_in_lanes(lw_lanes *l, V choice, LLVMBasicBlockRef block)
{
    LLVMBuilderRef b = l->builder;
    struct lw_round kept, active;
    uint64_t first;
    V step;

    if (!LLVMIsASelectInst(choice) || !lw_lane_is_vector(LLVMGetOperand(choice, 0)))
        return;
    V mask = LLVMGetOperand(choice, 0), phi = LLVMGetOperand(choice, 2);
    V counter = LLVMIsAShuffleVectorInst(LLVMGetOperand(choice, 1))
                    ? lw_lane_splat_source(LLVMGetOperand(choice, 1))
                    : NULL;
    if (!counter || !read_phi(mask, block, &active) || !is_part_of(active.next, mask, 0) ||
        !read_phi(phi, block, &kept) || kept.next != choice || !read_counter(counter, block, &first, &step))
        return;
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(step)), n = lw_lane_count(choice);
    uint64_t before = (first - LLVMConstIntGetZExtValue(step)) & (UINT64_MAX >> (64 - bits));
    V start = lw_lane_splat_n(l, LLVMConstInt(LLVMTypeOf(step), before, false), n);
    bool all_begin = LLVMIsConstant(active.first) && active.first == LLVMConstAllOnes(LLVMTypeOf(mask));
    if (start != kept.first && !all_begin && !LLVMIsUndef(kept.first))
        return;
    LLVMPositionBuilderBefore(b, phi);
    V count = LLVMBuildPhi(b, LLVMTypeOf(phi), "");
    LLVMPositionBuilderBefore(b, choice);
    V steps = lw_lane_splat_n(l, step, n), none = LLVMConstNull(LLVMTypeOf(phi)), sum;
    if (lw_isa_row(l->isa)->mask_registers)
        sum = LLVMBuildSelect(b, mask, LLVMBuildAdd(b, count, steps, ""), count, "");
    else if (LLVMConstIntGetZExtValue(step) == 1)
        sum = LLVMBuildSub(b, count, LLVMBuildSExt(b, mask, LLVMTypeOf(phi), ""), "");
    else
        sum = LLVMBuildAdd(b, count, LLVMBuildSelect(b, mask, steps, none, ""), "");
    LLVMAddIncoming(count, (V[]){start, sum}, (LLVMBasicBlockRef[]){kept.from, block}, 2);
    LLVMReplaceAllUsesWith(choice, sum);
    LLVMReplaceAllUsesWith(phi, count);
    LLVMInstructionEraseFromParent(choice);
    LLVMInstructionEraseFromParent(phi);
}

static void
settle_block(lw_lanes *l, LLVMBasicBlockRef block)
{
    V next;

    for (V i = LLVMGetFirstInstruction(block); i; i = next) {
        next = LLVMGetNextInstruction(i);
        count_in_lanes(l, i, block);
    }
    for (int k = 0; k < DEPTH && decide_in_scalars(l, block); k++)
        ;
}

void
lw_settle_rounds(LLVMModuleRef module, lw_isa isa)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    lw_lanes l = {.context = context, .module = module, .isa = isa};

    l.builder = LLVMCreateBuilderInContext(context);
    for (V f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            settle_block(&l, b);
    LLVMDisposeBuilder(l.builder);
}

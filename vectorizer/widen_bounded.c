/* SPDX-License-Identifier: MIT */
/* Loads at indices that are held within bounds: in[clamp(x + 1, 0, width - 1)], in[x > 0 ? i - 1 : i],
 * in[(x + 1) % width]. In all sub-groups but those at the edges the elements lie side by side.
 *
 * Enters: a load about to be gathered. Leaves: one contiguous load where the lanes' indices go up by one,
 * else the gather. Relies on: nothing; the indices are compared. Never: loads for lanes that are not active.
 */
#include "calls.h"
#include "lanes_internal.h"
#include "widener.h"

#define DEEPEST 8

static bool
steps_by_one(lw_widener *w, LLVMValueRef i)
{
    struct lw_vinfo info = lw_info(w, i);
    return info.form == LW_STRIDED && info.linear && info.stride == 1;
}

/* Does the index come from one that goes up with the lanes, by what leaves it as it is in the middle? */
static bool
is_bounded(lw_widener *w, LLVMValueRef i, bool bounded, unsigned depth)
{
    if (steps_by_one(w, i))
        return bounded;
    if (depth == DEEPEST || lw_info(w, i).form == LW_UNIFORM || !LLVMIsAInstruction(i))
        return false;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMFreeze:
        return is_bounded(w, LLVMGetOperand(i, 0), bounded, depth + 1);
    case LLVMAdd:
    case LLVMOr:
        return is_bounded(w, LLVMGetOperand(i, 0), bounded, depth + 1) ||
               is_bounded(w, LLVMGetOperand(i, 1), bounded, depth + 1);
    case LLVMSub:
        return is_bounded(w, LLVMGetOperand(i, 0), bounded, depth + 1);
    case LLVMSRem:
    case LLVMURem:
        return is_bounded(w, LLVMGetOperand(i, 0), true, depth + 1);
    case LLVMSelect:
        return is_bounded(w, LLVMGetOperand(i, 1), true, depth + 1) ||
               is_bounded(w, LLVMGetOperand(i, 2), true, depth + 1);
    case LLVMCall:
        if (!lw_is_call_like(i, "llvm.smin.") && !lw_is_call_like(i, "llvm.smax.") &&
            !lw_is_call_like(i, "llvm.umin.") && !lw_is_call_like(i, "llvm.umax."))
            return false;
        return is_bounded(w, LLVMGetOperand(i, 0), true, depth + 1) ||
               is_bounded(w, LLVMGetOperand(i, 1), true, depth + 1);
    default:
        return false;
    }
}

/* The one index of the address that differs between lanes, the last; NULL: there are others. */
static LLVMValueRef
varying_index(lw_widener *w, LLVMValueRef pointer)
{
    if (!LLVMIsAGetElementPtrInst(pointer))
        return NULL;
    unsigned n = (unsigned)LLVMGetNumOperands(pointer);
    for (unsigned k = 0; k + 1 < n; k++)
        if (lw_info(w, LLVMGetOperand(pointer, k)).form != LW_UNIFORM)
            return NULL;
    return LLVMGetOperand(pointer, n - 1);
}

/* i1: the index of each lane is that of the one before it and one; `first` is lane 0's. An extended one is
 * compared as it was before, where no lane lies across its type's end. Frozen: in lanes that are not active
 * an index may be poison. */
static V
in_order(lw_widener *w, LLVMValueRef index, V *first_index)
{
    lw_lanes *l = &w->l;
    bool sign = LLVMIsASExtInst(index) != NULL, extended = sign || LLVMIsAZExtInst(index);
    LLVMValueRef narrow = extended ? LLVMGetOperand(index, 0) : index;
    V lanes = LLVMBuildFreeze(l->builder, lw_use_vector(w, narrow, 0), "");
    V first = LLVMBuildExtractElement(l->builder, lanes, lane_int(l, 32, 0), "");
    *first_index = extended ? LLVMBuildIntCast2(l->builder, first, LLVMTypeOf(index), sign, "") : first;
    LLVMTypeRef type = LLVMTypeOf(first);
    V line = LLVMBuildAdd(l->builder, lane_splat(l, first), lane_iota(l, type), "");
    V all = lane_all(l, LLVMBuildICmp(l->builder, LLVMIntEQ, lanes, line, ""));
    if (!extended)
        return all;
    unsigned bits = LLVMGetIntTypeWidth(type);
    int64_t end = (int64_t)(~0ull >> (64 - bits + sign)) - (int64_t)(l->n - 1);
    V below = LLVMBuildICmp(l->builder, sign ? LLVMIntSLE : LLVMIntULE, first, lane_int(l, bits, end), "");
    return LLVMBuildAnd(l->builder, all, below, "");
}

bool
lw_load_bounded(lw_widener *w, LLVMValueRef load)
{
    lw_lanes *l = &w->l;
    LLVMValueRef pointer = LLVMGetOperand(load, 0), index = varying_index(w, pointer);
    LLVMTypeRef type = LLVMTypeOf(load);
    unsigned align = LLVMGetAlignment(load);
    if (!index || LLVMGetVolatile(load) || lw_leaf_count(w, type) != 1 ||
        LLVMABISizeOfType(w->layout, LLVMGetGEPSourceElementType(pointer)) != lw_leaf_at(w, type, 0).size ||
        LLVMGetNumOperands(pointer) != 2 || !is_bounded(w, index, false, 0))
        return false;
    V first, ordered = in_order(w, index, &first), base = lw_use_scalar(w, LLVMGetOperand(pointer, 0));
    V addresses = lw_use_vector(w, pointer, 0);
    LLVMBasicBlockRef row = lw_lane_block(l, "row"), apart = lw_lane_block(l, "apart");
    LLVMBasicBlockRef done = lw_lane_block(l, "loaded");
    lw_lane_branch_likely(l, ordered, row, apart);
    LLVMPositionBuilderAtEnd(l->builder, row);
    V address = LLVMBuildGEP2(l->builder, LLVMGetGEPSourceElementType(pointer), base, &first, 1, "");
    V together = lane_load_contiguous(l, type, address, w->mask, align);
    row = LLVMGetInsertBlock(l->builder);
    LLVMBuildBr(l->builder, done);
    LLVMPositionBuilderAtEnd(l->builder, apart);
    V gathered = lane_gather(l, type, addresses, w->mask, align);
    apart = LLVMGetInsertBlock(l->builder);
    LLVMBuildBr(l->builder, done);
    LLVMPositionBuilderAtEnd(l->builder, done);
    lw_define_vector(w, load, 0, lw_lane_phi2(l, together, row, gathered, apart));
    return true;
}

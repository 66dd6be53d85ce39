/* SPDX-License-Identifier: MIT */
/* Loads at indices that are held within bounds: in[clamp(x + 1, 0, width - 1)], in[x > 0 ? i - 1 : i],
 * in[(x + 1) % width]. In all sub-groups but those at the edges the elements, scalars or vectors, lie side by
 * side.
 *
 * Enters: a load about to be gathered. Leaves: one contiguous load where the lanes' indices go up by one (of
 * vectors: wide loads and shuffles), else the gather. Relies on: nothing; the indices are compared. Never:
 * loads for lanes that are not active.
 */
#include "../facts/calls.h"
#include "../lanes/internal.h"
#include "../widen/widener.h"

#define DEEPEST 8
#define MOST_LEAVES 16

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

/* What one step of the index covers: a scalar, or a vector of equal components without gaps. */
static bool
fills_step(lw_widener *w, LLVMTypeRef type, uint32_t leaves, uint64_t step)
{
    struct lw_leaf first = lw_leaf_at(w, type, 0);
    for (uint32_t k = 1; k < leaves; k++) {
        struct lw_leaf leaf = lw_leaf_at(w, type, k);
        if (leaf.type != first.type || leaf.offset != k * first.size)
            return false;
    }
    return step == leaves * first.size;
}

static void
load_together(lw_widener *w, LLVMValueRef load, uint32_t leaves, V address, V *out)
{
    LLVMTypeRef element = lw_leaf_at(w, LLVMTypeOf(load), 0).type;
    unsigned align = LLVMGetAlignment(load);
    if (leaves == 1)
        out[0] = lane_load_contiguous(&w->l, element, address, w->mask, align);
    else
        lane_load_interleaved(&w->l, element, leaves, address, w->mask, align, out);
}

static void
load_apart(lw_widener *w, LLVMValueRef load, uint32_t leaves, V addresses, V *out)
{
    if (lw_gather_vectors(w, load, out))
        return;
    for (uint32_t k = 0; k < leaves; k++) {
        struct lw_leaf leaf = lw_leaf_at(w, LLVMTypeOf(load), k);
        V offset = lane_int(&w->l, 64, (int64_t)leaf.offset);
        V at = k ? LLVMBuildGEP2(w->l.builder, LLVMInt8TypeInContext(w->l.context), addresses, &offset, 1, "")
                 : addresses;
        out[k] = lane_gather(&w->l, leaf.type, at, w->mask, lw_align_at(LLVMGetAlignment(load), leaf.offset));
    }
}

bool
lw_load_bounded(lw_widener *w, struct lw_access *a)
{
    LLVMValueRef load = a->access;
    lw_lanes *l = &w->l;
    LLVMValueRef pointer = a->pointer, index = varying_index(w, pointer);
    LLVMTypeRef type = LLVMTypeOf(load);
    uint32_t leaves = lw_leaf_count(w, type);
    if (!index || LLVMGetVolatile(load) || leaves > MOST_LEAVES ||
        !fills_step(w, type, leaves, LLVMABISizeOfType(w->layout, LLVMGetGEPSourceElementType(pointer))) ||
        LLVMGetNumOperands(pointer) != 2 || !is_bounded(w, index, false, 0))
        return false;
    V first, ordered = in_order(w, index, &first), base = lw_use_scalar(w, LLVMGetOperand(pointer, 0));
    V addresses = lw_use_vector(w, pointer, 0), together[MOST_LEAVES], gathered[MOST_LEAVES];
    LLVMBasicBlockRef row = lw_lane_block(l, "row"), apart = lw_lane_block(l, "apart");
    LLVMBasicBlockRef done = lw_lane_block(l, "loaded");
    lw_lane_branch_likely(l, ordered, row, apart);
    LLVMPositionBuilderAtEnd(l->builder, row);
    V address = LLVMBuildGEP2(l->builder, LLVMGetGEPSourceElementType(pointer), base, &first, 1, "");
    load_together(w, load, leaves, address, together);
    row = LLVMGetInsertBlock(l->builder);
    LLVMBuildBr(l->builder, done);
    LLVMPositionBuilderAtEnd(l->builder, apart);
    load_apart(w, load, leaves, addresses, gathered);
    apart = LLVMGetInsertBlock(l->builder);
    LLVMBuildBr(l->builder, done);
    LLVMPositionBuilderAtEnd(l->builder, done);
    for (uint32_t k = 0; k < leaves; k++) /* all phis before what defining may write */
        together[k] = lw_lane_phi2(l, together[k], row, gathered[k], apart);
    for (uint32_t k = 0; k < leaves; k++)
        lw_define_leaf(w, load, k, together[k]);
    return true;
}

/* SPDX-License-Identifier: MIT */
/* Masks that a uniform condition turns over: (a > b) ^ c, with one c for all lanes, as the direction of a
 * sorting network's step.
 *
 * Enters: a module after its last LLVM pass, for levels without mask registers: there LLVM packs the lanes'
 * mask to meet the broadcast of c's bit, and unpacks what comes out. Leaves: the same values. What such a
 * mask chooses of the numbers that were compared is their minimum and maximum, exchanged where c holds; else
 * the mask is computed in lanes as wide as what was compared. Relies on: no pass after it that folds them
 * back. Never: touches masks of four lanes, which LLVM keeps as they should be.
 */
#include "../lanes/internal.h"

#include "../../src/compiler.h"
#include "../facts/instructions.h"

/* One scalar in all lanes, which is no constant; else NULL. */
static V
broadcast_scalar(V mask)
{
    V scalar = LLVMIsAConstant(mask) ? NULL : lw_lane_splat_source(mask);

    return scalar && LLVMIsAConstant(scalar) ? NULL : scalar;
}

static bool
is_wide_compare(V v)
{
    if (!LLVMIsAICmpInst(v) && !LLVMIsAFCmpInst(v))
        return false;
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(v, 0));
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return false;
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetElementType(type));
    unsigned bits = kind == LLVMPointerTypeKind ? 64 : lw_lane_bits(LLVMGetElementType(type));
    return LLVMGetVectorSize(type) > 4 && (bits == 32 || bits == 64);
}

/* mask = compare ^ scalar: which operand is what; false: something else. */
static bool
read_flip(V i, V *compare, V *scalar)
{
    if (LLVMGetInstructionOpcode(i) != LLVMXor || !lw_lane_is_vector(i) ||
        lw_lane_bits(lw_lane_element(i)) != 1)
        return false;
    for (unsigned k = 0; k < 2; k++) {
        *compare = LLVMGetOperand(i, k);
        *scalar = broadcast_scalar(LLVMGetOperand(i, !k));
        if (*scalar && LLVMIsAInstruction(*compare) && is_wide_compare(*compare))
            return true;
    }
    return false;
}

/* -1 in all lanes where the condition holds. */
static V
spread(lw_lanes *l, V condition, LLVMTypeRef type)
{
    V number =
        LLVMBuildSExt(l->builder, LLVMBuildFreeze(l->builder, condition, ""), LLVMGetElementType(type), "");
    l->n = LLVMGetVectorSize(type);
    return lane_splat(l, number);
}

/* The smaller and the larger of the integers compared; [0] is what the first operand is where it compares
 * true. */
static bool
order(lw_lanes *l, V compare, V ordered[2])
{
    static const char *const names[][2] = {{"llvm.smin", "llvm.smax"}, {"llvm.umin", "llvm.umax"}};
    if (!LLVMIsAICmpInst(compare))
        return false;
    V a = LLVMGetOperand(compare, 0), b = LLVMGetOperand(compare, 1);
    LLVMIntPredicate p = LLVMGetICmpPredicate(compare);
    bool greater = p == LLVMIntSGT || p == LLVMIntSGE || p == LLVMIntUGT || p == LLVMIntUGE;
    bool less = p == LLVMIntSLT || p == LLVMIntSLE || p == LLVMIntULT || p == LLVMIntULE;
    bool is_unsigned = p == LLVMIntUGT || p == LLVMIntUGE || p == LLVMIntULT || p == LLVMIntULE;
    if ((!greater && !less) || lw_lane_bits(lw_lane_element(a)) != 32)
        return false;
    ordered[0] = lw_lane_call2(l, names[is_unsigned][greater], a, b);
    ordered[1] = lw_lane_call2(l, names[is_unsigned][!greater], a, b);
    return true;
}

/* Does it choose among the two that were compared? */
static bool
chooses(V select, V mask, V compare)
{
    V a = LLVMGetOperand(compare, 0), b = LLVMGetOperand(compare, 1);

    if (!LLVMIsASelectInst(select) || LLVMGetOperand(select, 0) != mask)
        return false;
    V on = LLVMGetOperand(select, 1), off = LLVMGetOperand(select, 2);
    return (on == a && off == b) || (on == b && off == a);
}

/* The selects become the minimum and the maximum, changed over where the scalar holds. */
static void
settle_choices(lw_lanes *l, V mask, V compare, V scalar)
{
    V ordered[2] = {NULL, NULL}, changed[2] = {NULL, NULL};
    LLVMUseRef next;

    for (LLVMUseRef use = LLVMGetFirstUse(mask); use; use = next) {
        V select = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (!chooses(select, mask, compare))
            continue;
        if (!ordered[0]) {
            LLVMPositionBuilderBefore(l->builder, mask);
            if (!order(l, compare, ordered))
                return;
            V all = spread(l, scalar, LLVMTypeOf(ordered[0]));
            V apart = LLVMBuildAnd(l->builder, LLVMBuildXor(l->builder, ordered[0], ordered[1], ""), all, "");
            changed[0] = LLVMBuildXor(l->builder, ordered[0], apart, "");
            changed[1] = LLVMBuildXor(l->builder, ordered[1], apart, "");
        }
        lw_replace(select, changed[LLVMGetOperand(select, 1) != LLVMGetOperand(compare, 0)]);
    }
}

static void
settle_mask(lw_lanes *l, V mask, V compare, V scalar)
{
    LLVMTypeRef compared = LLVMTypeOf(LLVMGetOperand(compare, 0));
    unsigned n = LLVMGetVectorSize(compared);
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetElementType(compared));
    unsigned bits = kind == LLVMPointerTypeKind ? 64 : lw_lane_bits(LLVMGetElementType(compared));
    LLVMTypeRef type = LLVMVectorType(lw_lane_int_type(l, bits), n);

    LLVMPositionBuilderBefore(l->builder, mask);
    V wide = LLVMBuildSExt(l->builder, compare, type, "");
    wide = LLVMBuildXor(l->builder, wide, spread(l, scalar, type), "");
    V signs = LLVMBuildICmp(l->builder, LLVMIntSLT, wide, LLVMConstNull(type), "");
    LLVMReplaceAllUsesWith(mask, signs);
}

void
lw_settle_flips(LLVMModuleRef module, lw_isa isa)
{
    V function = LLVMGetNamedFunction(module, "lw_run");
    lw_lanes l = {.context = LLVMGetModuleContext(module), .module = module, .isa = isa};

    if (!function)
        return;
    l.function = function;
    l.builder = LLVMCreateBuilderInContext(l.context);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        V next;
        for (V i = LLVMGetFirstInstruction(b); i; i = next) {
            V compare, scalar;
            next = LLVMGetNextInstruction(i);
            if (!read_flip(i, &compare, &scalar))
                continue;
            settle_choices(&l, i, compare, scalar);
            next = LLVMGetNextInstruction(i); /* it may have been one of those selects */
            if (LLVMGetFirstUse(i))
                settle_mask(&l, i, compare, scalar);
            V parts[] = {i, LLVMGetOperand(i, 0) == compare ? LLVMGetOperand(i, 1) : LLVMGetOperand(i, 0)};
            for (unsigned k = 0; k < 2; k++)
                if (!LLVMGetFirstUse(parts[k]))
                    LLVMInstructionEraseFromParent(parts[k]);
        }
    }
    LLVMDisposeBuilder(l.builder);
}

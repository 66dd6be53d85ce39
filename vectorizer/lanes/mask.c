/* SPDX-License-Identifier: MIT */
/* Masks over lanes and single lanes: bits, any, all, first, last, select, extract.
 *
 * Enters: masks of up to 64 lanes, NULL for all. Leaves: words, conditions, lane numbers, or masks again.
 */
#include "internal.h"
#include "../facts/instructions.h"

V
lane_mask_bits(lw_lanes *l, V mask)
{
    LLVMTypeRef bits = lw_lane_int_type(l, l->n);

    if (lane_mask_is_all(mask))
        return LLVMConstAllOnes(bits);
    return LLVMBuildBitCast(l->builder, mask, bits, "");
}

V
lane_mask_bits64(lw_lanes *l, V mask)
{
    return LLVMBuildZExt(l->builder, lane_mask_bits(l, mask), lw_lane_int_type(l, 64), "");
}

V
lane_mask_from_bits(lw_lanes *l, V bits)
{
    LLVMTypeRef type = lw_lane_int_type(l, l->n);

    if (LLVMGetIntTypeWidth(LLVMTypeOf(bits)) > l->n)
        bits = LLVMBuildTrunc(l->builder, bits, type, "");
    else
        bits = LLVMBuildZExt(l->builder, bits, type, "");
    return LLVMBuildBitCast(l->builder, bits, lane_type(l, lw_lane_int_type(l, 1)), "");
}

V
lane_any(lw_lanes *l, V mask)
{
    if (lane_mask_is_all(mask))
        return lane_int(l, 1, 1);
    V bits = lane_mask_bits(l, mask);
    return LLVMBuildICmp(l->builder, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
}

V
lane_all(lw_lanes *l, V mask)
{
    if (lane_mask_is_all(mask))
        return lane_int(l, 1, 1);
    V bits = lane_mask_bits(l, mask);
    return LLVMBuildICmp(l->builder, LLVMIntEQ, bits, LLVMConstAllOnes(LLVMTypeOf(bits)), "");
}

V
lane_and(lw_lanes *l, V a, V b)
{
    if (lane_mask_is_all(a))
        return b;
    if (lane_mask_is_all(b) || a == b)
        return a;
    return LLVMBuildSelect(l->builder, a, b, LLVMConstNull(LLVMTypeOf(a)), "");
}

/* Count of zeros below the lowest (cttz) or above the highest (ctlz) set bit; `bits` is not zero. */
static V
zeros(lw_lanes *l, const char *intrinsic, V bits)
{
    LLVMTypeRef type = LLVMTypeOf(bits);
    V args[] = {bits, lane_int(l, 1, 1)};

    return lw_lane_call(l, intrinsic, &type, 1, args, 2);
}

V
lane_first(lw_lanes *l, V mask)
{
    if (lane_mask_is_all(mask))
        return lane_int(l, 32, 0);
    if (l->n < 64) {
        /* One more bit, above the lanes, answers for the empty mask; it wraps to lane 0. */
        LLVMTypeRef type = lw_lane_int_type(l, l->n < 32 ? 32 : 64);
        V bits = LLVMBuildZExt(l->builder, lane_mask_bits(l, mask), type, "");
        bits = LLVMBuildOr(l->builder, bits, LLVMConstInt(type, 1ull << l->n, false), "");
        V first = LLVMBuildZExtOrBitCast(l->builder, zeros(l, "llvm.cttz", bits), type, "");
        if (l->n >= 32)
            first = LLVMBuildTrunc(l->builder, first, lw_lane_int_type(l, 32), "");
        return LLVMBuildAnd(l->builder, first, lane_int(l, 32, l->n - 1), "");
    }
    V bits = lane_mask_bits(l, mask);
    LLVMTypeRef type = LLVMTypeOf(bits);
    V args[] = {bits, lane_int(l, 1, 0)};
    V first = lw_lane_call(l, "llvm.cttz", &type, 1, args, 2);
    first = LLVMBuildAnd(l->builder, first, lane_int(l, 64, 63), "");
    return LLVMBuildTrunc(l->builder, first, lw_lane_int_type(l, 32), "");
}

V
lane_last(lw_lanes *l, V mask)
{
    if (lane_mask_is_all(mask))
        return lane_int(l, 32, l->n - 1);
    /* Bit 0 set in any case: the empty mask answers lane 0. */
    LLVMTypeRef type = lw_lane_int_type(l, l->n <= 32 ? 32 : 64);
    V bits = LLVMBuildZExt(l->builder, lane_mask_bits(l, mask), type, "");
    bits = LLVMBuildOr(l->builder, bits, LLVMConstInt(type, 1, false), "");
    V above = zeros(l, "llvm.ctlz", bits);
    V last = LLVMBuildXor(l->builder, above, LLVMConstInt(type, l->n <= 32 ? 31 : 63, false), "");
    return l->n <= 32 ? last : LLVMBuildTrunc(l->builder, last, lw_lane_int_type(l, 32), "");
}

V
lane_mask_below(lw_lanes *l, V count)
{
    LLVMTypeRef i32 = lw_lane_int_type(l, 32);

    if (LLVMGetIntTypeWidth(LLVMTypeOf(count)) > 32) {
        LLVMTypeRef type = LLVMTypeOf(count);
        count = lw_lane_call2(l, "llvm.smax", count, LLVMConstInt(type, 0, false));
        count = lw_lane_call2(l, "llvm.smin", count, LLVMConstInt(type, l->n, false));
        count = LLVMBuildTrunc(l->builder, count, i32, "");
    }
    return LLVMBuildICmp(l->builder, LLVMIntSGT, lane_splat(l, count), lane_iota(l, i32), "");
}

V
lane_select(lw_lanes *l, V mask, V on, V off)
{
    return lane_mask_is_all(mask) || on == off ? on : LLVMBuildSelect(l->builder, mask, on, off, "");
}

V
lane_extract(lw_lanes *l, V vector, V lane)
{
    V splat = lw_lane_splat_source(vector);
    LLVMTypeRef type = LLVMTypeOf(lane);

    if (splat)
        return splat;
    if (LLVMIsAConstantInt(lane)) {
        lane = lane_int(l, 32, (int64_t)(LLVMConstIntGetZExtValue(lane) & (l->n - 1)));
        return LLVMBuildExtractElement(l->builder, vector, lane, "");
    }
    if (lw_lane_bits(lw_lane_element(vector)) == 1) {
        LLVMTypeRef bits = lw_lane_int_type(l, l->n);
        lane = LLVMBuildIntCast2(l->builder, lane, bits, false, "");
        lane = LLVMBuildAnd(l->builder, lane, LLVMConstInt(bits, l->n - 1, false), "");
        V shifted = LLVMBuildLShr(l->builder, lane_mask_bits(l, vector), lane, "");
        return LLVMBuildTrunc(l->builder, shifted, lw_lane_int_type(l, 1), "");
    }
    if (LLVMGetIntTypeWidth(type) > 6 || (1u << LLVMGetIntTypeWidth(type)) > l->n)
        lane = LLVMBuildAnd(l->builder, lane, LLVMConstInt(type, l->n - 1, false), "");
    return LLVMBuildExtractElement(l->builder, vector, lane, "");
}

V
lw_lane_question(V bits)
{
    LLVMUseRef use = LLVMGetFirstUse(bits);
    if (!LLVMIsABitCastInst(bits) || !use || LLVMGetNextUse(use))
        return NULL;
    V test = LLVMGetUser(use), constant = LLVMIsAICmpInst(test) ? LLVMGetOperand(test, 1) : NULL;
    if (!constant || !LLVMIsConstant(constant))
        return NULL;
    LLVMIntPredicate p = LLVMGetICmpPredicate(test);
    bool asks = LLVMIsNull(constant) || constant == LLVMConstAllOnes(LLVMTypeOf(bits));
    return asks && (p == LLVMIntEQ || p == LLVMIntNE) ? test : NULL;
}

void
lw_lane_ask_instead(lw_lanes *l, V bits, V test, V mask)
{
    LLVMTypeRef type = lw_lane_int_type(l, lw_lane_count(mask));
    V wanted = LLVMIsNull(LLVMGetOperand(test, 1)) ? LLVMConstNull(type) : LLVMConstAllOnes(type);
    V asked = LLVMBuildBitCast(l->builder, mask, type, "");

    lw_replace(test, LLVMBuildICmp(l->builder, LLVMGetICmpPredicate(test), asked, wanted, ""));
    LLVMInstructionEraseFromParent(bits);
}

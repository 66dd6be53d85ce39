/* SPDX-License-Identifier: MIT */
/* Integer division of lanes: x86 has none for vectors, so quotients are taken in floating point, exactly.
 *
 * A quotient of integers below 2^k, rounded to a format of more than k bits and then truncated, is the
 * integer quotient (a/b misses the next integer by at least 1/b, more than half a unit in the last place). 8
 * and 16 bits go through float, 32 bits through double, 64 bits through double where all operands are below
 * 2^52 and lane by lane elsewhere. Nothing traps: division by zero gives a bit pattern.
 *
 * Enters: vectors of integers of any width. Leaves: quotients or remainders; of inactive lanes and divisors
 * of zero anything. Relies on: rounding to nearest, and no exception being unmasked.
 */
#include "internal.h"

static bool
is_signed(LLVMOpcode op)
{
    return op == LLVMSDiv || op == LLVMSRem;
}

static bool
is_remainder(LLVMOpcode op)
{
    return op == LLVMURem || op == LLVMSRem;
}

/* A constant divisor without 0 and -1 is LLVM's: it multiplies. */
static bool
safe_constant(V b)
{
    unsigned bits = lw_lane_bits(lw_lane_element(b));

    if (!LLVMIsConstant(b))
        return false;
    for (unsigned i = 0; i < lw_lane_count(b); i++) {
        V element = LLVMGetAggregateElement(b, i);
        if (!element || !LLVMIsAConstantInt(element) || bits > 64)
            return false;
        uint64_t value = LLVMConstIntGetZExtValue(element), ones = bits < 64 ? (1ull << bits) - 1 : ~0ull;
        if (value == 0 || value == ones)
            return false;
    }
    return true;
}

static V
splat_real(lw_lanes *l, LLVMTypeRef real, double value)
{
    return lane_splat(l, LLVMConstReal(real, value));
}

/* truncates: the conversion that follows does, a quotient needs no step of its own for it. */
static V
quotient_or_rest(lw_lanes *l, LLVMOpcode op, V x, V y, bool truncates)
{
    V q = LLVMBuildFDiv(l->builder, x, y, "");

    if (is_remainder(op) || !truncates)
        q = lw_lane_call1(l, "llvm.trunc", q);
    return is_remainder(op) ? LLVMBuildFSub(l->builder, x, LLVMBuildFMul(l->builder, q, y, ""), "") : q;
}

/* Below 2^52 an integer x is the low bits of the double 2^52 + x: both directions without a conversion. */
#define MAGIC 4503599627370496.0
#define MAGIC_BITS 0x4330000000000000ll

static V
to_double_52(lw_lanes *l, V x)
{
    LLVMTypeRef real = LLVMDoubleTypeInContext(l->context);
    V biased = LLVMBuildOr(l->builder, x, lane_splat(l, lane_int(l, 64, MAGIC_BITS)), "");

    biased = LLVMBuildBitCast(l->builder, biased, lane_type(l, real), "");
    return LLVMBuildFSub(l->builder, biased, splat_real(l, real, MAGIC), "");
}

static V
from_double_52(lw_lanes *l, V x)
{
    LLVMTypeRef real = LLVMDoubleTypeInContext(l->context);
    V biased = LLVMBuildFAdd(l->builder, x, splat_real(l, real, MAGIC), "");

    return LLVMBuildBitCast(l->builder, biased, lane_type(l, lw_lane_int_type(l, 64)), "");
}

static V
divide_small(lw_lanes *l, LLVMOpcode op, V a, V b, LLVMTypeRef real)
{
    LLVMTypeRef type = LLVMTypeOf(a), reals = lane_type(l, real),
                words = lane_type(l, lw_lane_int_type(l, 32));
    LLVMOpcode convert = is_signed(op) ? LLVMSIToFP : LLVMUIToFP;
    V x = LLVMBuildCast(l->builder, convert, a, reals, ""),
      y = LLVMBuildCast(l->builder, convert, b, reals, "");
    bool to_words = is_signed(op) || lw_lane_bits(LLVMGetElementType(type)) < 32;
    V result = quotient_or_rest(l, op, x, y, to_words || lw_isa_row(l->isa)->unsigned_conversions);

    /* Frozen: out of range after a division by zero, or by -1. */
    if (to_words) {
        V whole = LLVMBuildFreeze(l->builder, LLVMBuildFPToSI(l->builder, result, words, ""), "");
        return LLVMBuildTrunc(l->builder, whole, type, "");
    }
    if (lw_isa_row(l->isa)->unsigned_conversions)
        return LLVMBuildFreeze(l->builder, LLVMBuildFPToUI(l->builder, result, type, ""), "");
    return LLVMBuildTrunc(l->builder, from_double_52(l, result), type, "");
}

struct serial {
    LLVMOpcode op;
    LLVMTypeRef element;
    V a, b;
};

static V
divide_lane(lw_lanes *l, V lane, void *data)
{
    struct serial *s = data;
    V a = lane_reload(l, s->element, s->a, lane), b = lane_reload(l, s->element, s->b, lane);

    return LLVMBuildBinOp(l->builder, s->op, LLVMBuildFreeze(l->builder, a, ""),
                          LLVMBuildFreeze(l->builder, b, ""), "");
}

static V
divide_serially(lw_lanes *l, LLVMOpcode op, V a, V b, V mask)
{
    LLVMTypeRef type = LLVMTypeOf(b), element = LLVMGetElementType(type);
    unsigned bits = lw_lane_bits(element);
    V one = lane_splat(l, LLVMConstInt(element, 1, false));
    V bad = LLVMBuildICmp(l->builder, LLVMIntEQ, b, LLVMConstNull(type), "");

    if (is_signed(op)) {
        V lowest = lane_splat(l, lane_int(l, bits, (int64_t)(1ull << (bits - 1))));
        V least = LLVMBuildICmp(l->builder, LLVMIntEQ, a, lowest, "");
        V minus = LLVMBuildICmp(l->builder, LLVMIntEQ, b, LLVMConstAllOnes(type), "");
        bad = LLVMBuildOr(l->builder, bad, LLVMBuildAnd(l->builder, least, minus, ""), "");
    }
    b = LLVMBuildSelect(l->builder, bad, one, b, "");
    struct serial serial = {op, element, lane_spill(l, a), lane_spill(l, b)};
    return lane_serialise(l, "64-bit division of values of 2^52 and above", mask, element, divide_lane,
                          &serial);
}

static V
divide_64(lw_lanes *l, LLVMOpcode op, V a, V b, V mask)
{
    LLVMBasicBlockRef fast = lw_lane_block(l, "divide.small"), slow = lw_lane_block(l, "divide.lanes");
    LLVMBasicBlockRef done = lw_lane_block(l, "divide.done");

    a = LLVMBuildFreeze(l->builder, a, "");
    b = LLVMBuildFreeze(l->builder, b, "");
    V high = LLVMBuildOr(l->builder, a, b, "");
    V large =
        LLVMBuildICmp(l->builder, LLVMIntUGT, high, lane_splat(l, lane_int(l, 64, (1ll << 52) - 1)), "");
    large = mask ? lane_and(l, mask, large) : large;
    lw_lane_branch_likely(l, LLVMBuildNot(l->builder, lane_any(l, large), ""), fast, slow);
    LLVMPositionBuilderAtEnd(l->builder, fast);
    V quick = quotient_or_rest(l, op, to_double_52(l, a), to_double_52(l, b), false);
    V bits = lane_splat(l, lane_int(l, 64, MAGIC_BITS));
    quick = LLVMBuildXor(l->builder, from_double_52(l, quick), bits, "");
    LLVMBuildBr(l->builder, done);
    LLVMPositionBuilderAtEnd(l->builder, slow);
    V exact = divide_serially(l, op, a, b, mask);
    slow = LLVMGetInsertBlock(l->builder);
    LLVMBuildBr(l->builder, done);
    LLVMPositionBuilderAtEnd(l->builder, done);
    return lw_lane_phi2(l, quick, fast, exact, slow);
}

V
lane_divide(lw_lanes *l, LLVMOpcode op, V a, V b, V mask)
{
    unsigned bits = lw_lane_bits(lw_lane_element(a));

    if (safe_constant(b))
        return LLVMBuildBinOp(l->builder, op, a, b, "");
    if (bits == 8 || bits == 16)
        return divide_small(l, op, a, b, LLVMFloatTypeInContext(l->context));
    if (bits == 32)
        return divide_small(l, op, a, b, LLVMDoubleTypeInContext(l->context));
    if (bits == 64)
        return divide_64(l, op, a, b, mask);
    a = LLVMBuildFreeze(l->builder, a, "");
    b = LLVMBuildFreeze(l->builder, b, "");
    return divide_serially(l, op, a, b, mask);
}

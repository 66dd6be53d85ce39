/* SPDX-License-Identifier: MIT */
/* Integer division of lanes: x86 has none for vectors, so quotients are taken in floating point, exactly.
 *
 * A quotient of integers below 2^k, rounded to a format of more than k bits and then truncated, is the
 * integer quotient (a/b misses the next integer by at least 1/b, more than half a unit in the last place). 8
 * and 16 bits go through float, 32 bits through double, 64 bits through double where all operands are below
 * 2^50 in magnitude and lane by lane elsewhere. Nothing traps: division by zero gives a bit pattern.
 *
 * By a divisor that all lanes share they multiply with its inverse, of which one division is made. It is too
 * large by BIAS of itself, some rounding errors more or less: so a whole quotient never comes out below
 * itself, and no other one reaches the next whole number, which it misses by 1/b, as long as |a| times twice
 * BIAS is less than 1.
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

#define BIAS_FLOAT 0x1p-22  /* of 16 bits; roundings are 2^-24 */
#define BIAS_DOUBLE 0x1p-51 /* of 50 bits; roundings are 2^-53 */

/* What is divided by: a vector, or one scalar for all lanes. */
struct divisor {
    V each, all; /* `all` is NULL where they differ */
};

/* Not truncated. x and y are the operands as floating-point numbers, y that of the scalar if there is one. */
static V
quotient(lw_lanes *l, V x, V y, bool shared)
{
    LLVMTypeRef real = LLVMGetElementType(LLVMTypeOf(x));
    bool is_double = LLVMGetTypeKind(real) == LLVMDoubleTypeKind;
    if (!shared)
        return LLVMBuildFDiv(l->builder, x, y, "");
    V biased = LLVMConstReal(real, 1 + (is_double ? BIAS_DOUBLE : BIAS_FLOAT));
    return LLVMBuildFMul(l->builder, x, lane_splat(l, LLVMBuildFDiv(l->builder, biased, y, "")), "");
}

static V
rest(lw_lanes *l, V x, V quotient, V y)
{
    return LLVMBuildFSub(l->builder, x, LLVMBuildFMul(l->builder, quotient, y, ""), "");
}

static V
truncated(lw_lanes *l, V x)
{
    return lw_lane_call1(l, "llvm.trunc", x);
}

/* Below 2^51 in magnitude an integer x is the low bits of the double 1.5 * 2^52 + x: both directions without
 * a conversion. */
#define MAGIC (1.5 * 4503599627370496.0)
#define MAGIC_BITS 0x4338000000000000ll
#define MOST_BITS 50 /* of operands that go this way */

static V
to_double_51(lw_lanes *l, V x)
{
    LLVMTypeRef real = LLVMDoubleTypeInContext(l->context);
    V biased = LLVMBuildAdd(l->builder, x, lane_splat(l, lane_int(l, 64, MAGIC_BITS)), "");

    biased = LLVMBuildBitCast(l->builder, biased, lane_type(l, real), "");
    return LLVMBuildFSub(l->builder, biased, splat_real(l, real, MAGIC), "");
}

/* Of a whole number; with MAGIC_BITS added to it. */
static V
biased_from_double_51(lw_lanes *l, V x)
{
    LLVMTypeRef real = LLVMDoubleTypeInContext(l->context);
    V biased = LLVMBuildFAdd(l->builder, x, splat_real(l, real, MAGIC), "");

    return LLVMBuildBitCast(l->builder, biased, lane_type(l, lw_lane_int_type(l, 64)), "");
}

/* A quotient or, of 8 bits, a remainder: both fit into a word. Frozen: out of range after a division by zero,
 * or by -1. */
static V
to_integers(lw_lanes *l, V x, LLVMTypeRef type, bool of_signed)
{
    LLVMTypeRef words = lane_type(l, lw_lane_int_type(l, 32));

    if (of_signed || lw_lane_bits(LLVMGetElementType(type)) < 32) {
        V whole = LLVMBuildFreeze(l->builder, LLVMBuildFPToSI(l->builder, x, words, ""), "");
        return LLVMBuildTrunc(l->builder, whole, type, "");
    }
    if (lw_isa_row(l->isa)->unsigned_conversions)
        return LLVMBuildFreeze(l->builder, LLVMBuildFPToUI(l->builder, x, type, ""), "");
    return LLVMBuildTrunc(l->builder, biased_from_double_51(l, truncated(l, x)), type, "");
}

static V
divide_small(lw_lanes *l, LLVMOpcode op, V a, struct divisor b, LLVMTypeRef real)
{
    LLVMTypeRef type = LLVMTypeOf(a), reals = lane_type(l, real);
    LLVMOpcode convert = is_signed(op) ? LLVMSIToFP : LLVMUIToFP;
    V x = LLVMBuildCast(l->builder, convert, a, reals, "");
    V y = LLVMBuildCast(l->builder, convert, b.all ? b.all : b.each, b.all ? real : reals, "");
    V q = quotient(l, x, y, b.all);

    if (!is_remainder(op))
        return to_integers(l, q, type, is_signed(op));
    if (lw_lane_bits(LLVMGetElementType(type)) == 8) /* x86 has no products of bytes */
        return to_integers(l, rest(l, x, truncated(l, q), b.all ? lane_splat(l, y) : y), type, true);
    q = to_integers(l, q, type, is_signed(op));
    return LLVMBuildSub(l->builder, a, LLVMBuildMul(l->builder, q, b.each, ""), "");
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
    return lane_serialise(l, "64-bit division of values of 2^50 and above", mask, element, divide_lane,
                          &serial);
}

/* Lanes with an operand beyond MOST_BITS. */
static V
too_large(lw_lanes *l, LLVMOpcode op, V a, V b)
{
    V half = lane_splat(l, lane_int(l, 64, 1ll << MOST_BITS)), most;
    if (is_signed(op)) {
        a = LLVMBuildAdd(l->builder, a, half, "");
        b = LLVMBuildAdd(l->builder, b, half, "");
    }
    most = lane_splat(l, lane_int(l, 64, (1ll << (MOST_BITS + is_signed(op))) - 1));
    return LLVMBuildICmp(l->builder, LLVMIntUGT, LLVMBuildOr(l->builder, a, b, ""), most, "");
}

static V
divide_64(lw_lanes *l, LLVMOpcode op, V a, struct divisor b, V mask)
{
    struct lw_two_ways ways;
    V large = too_large(l, op, a, b.each);
    large = mask ? lane_and(l, mask, large) : large;
    lw_lane_fork(l, &ways, LLVMBuildNot(l->builder, lane_any(l, large), ""), true, "divide.small",
                 "divide.lanes");
    V x = to_double_51(l, a), y = to_double_51(l, b.each), bits = lane_splat(l, lane_int(l, 64, MAGIC_BITS));
    V scalar = b.all ? LLVMBuildSIToFP(l->builder, b.all, LLVMDoubleTypeInContext(l->context), "") : NULL;
    V quick = truncated(l, quotient(l, x, scalar ? scalar : y, scalar));
    quick = biased_from_double_51(l, is_remainder(op) ? rest(l, x, quick, y) : quick);
    quick = LLVMBuildSub(l->builder, quick, bits, "");
    lw_lane_other_way(l, &ways);
    V exact = divide_serially(l, op, a, b.each, mask);
    lw_lane_meet(l, &ways);
    return lw_lane_met(l, &ways, quick, exact);
}

static V
divide(lw_lanes *l, LLVMOpcode op, V a, struct divisor b, V mask)
{
    unsigned bits = lw_lane_bits(lw_lane_element(a));

    a = LLVMBuildFreeze(l->builder, a, ""); /* used more than once */
    if (bits == 8 || bits == 16)
        return divide_small(l, op, a, b, LLVMFloatTypeInContext(l->context));
    if (bits == 32)
        return divide_small(l, op, a, b, LLVMDoubleTypeInContext(l->context));
    if (bits == 64)
        return divide_64(l, op, a, b, mask);
    return divide_serially(l, op, a, b.each, mask);
}

V
lane_divide(lw_lanes *l, LLVMOpcode op, V a, V b, V mask)
{
    if (safe_constant(b))
        return LLVMBuildBinOp(l->builder, op, a, b, "");
    return divide(l, op, a, (struct divisor){.each = LLVMBuildFreeze(l->builder, b, "")}, mask);
}

V
lane_divide_by(lw_lanes *l, LLVMOpcode op, V a, V b, V mask)
{
    if (LLVMIsConstant(b))
        return lane_divide(l, op, a, lane_splat(l, b), mask);
    b = LLVMBuildFreeze(l->builder, b, "");
    return divide(l, op, a, (struct divisor){lane_splat(l, b), b}, mask);
}

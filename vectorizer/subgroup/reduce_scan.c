/* SPDX-License-Identifier: MIT */
/* Reductions, scans and clustered reductions of a sub-group.
 *
 * Enters: a vector and a mask; lanes outside it are filled with the identity.
 * Leaves: the result; no branch, no memory, no call.
 * Relies on: floating-point results depending on n alone, never on the ISA: a reduction folds halves (lane i
 * with lane i + n/2, then n/4 ...; reduce.c), a scan is combined by halves too (each upper half of a
 * block takes the last lane of the lower half), inside native registers first, then across them. half is
 * summed up in float and rounded once.
 */
#include <string.h>
#include "../lanes/internal.h"
#include "reduce.h"

static bool
is_bool(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 1;
}

static bool
is_half(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMHalfTypeKind;
}

V
lw_group_identity(enum lw_group_op op, LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    uint64_t sign = kind == LLVMIntegerTypeKind ? 1ull << (LLVMGetIntTypeWidth(type) - 1) : 0;

    switch (op) {
    case LW_GROUP_FADD: return LLVMConstReal(type, -0.0);
    case LW_GROUP_FMUL: return LLVMConstReal(type, 1.0);
    case LW_GROUP_FMIN: return LLVMConstReal(type, __builtin_inf());
    case LW_GROUP_FMAX: return LLVMConstReal(type, -__builtin_inf());
    case LW_GROUP_IMUL: return LLVMConstInt(type, 1, false);
    case LW_GROUP_SMIN: return LLVMConstInt(type, sign - 1, false);
    case LW_GROUP_SMAX: return LLVMConstInt(type, sign, false);
    case LW_GROUP_UMIN:
    case LW_GROUP_AND:
    case LW_GROUP_LAND: return LLVMConstAllOnes(type);
    default: return LLVMConstNull(type);
    }
}

static V
combine(lw_lanes *l, enum lw_group_op op, V a, V b)
{
    switch (op) {
    case LW_GROUP_IADD: return LLVMBuildAdd(l->builder, a, b, "");
    case LW_GROUP_FADD: return LLVMBuildFAdd(l->builder, a, b, "");
    case LW_GROUP_IMUL: return LLVMBuildMul(l->builder, a, b, "");
    case LW_GROUP_FMUL: return LLVMBuildFMul(l->builder, a, b, "");
    case LW_GROUP_SMIN: return lw_lane_call2(l, "llvm.smin", a, b);
    case LW_GROUP_UMIN: return lw_lane_call2(l, "llvm.umin", a, b);
    case LW_GROUP_FMIN: return lw_lane_call2(l, "llvm.minnum", a, b);
    case LW_GROUP_SMAX: return lw_lane_call2(l, "llvm.smax", a, b);
    case LW_GROUP_UMAX: return lw_lane_call2(l, "llvm.umax", a, b);
    case LW_GROUP_FMAX: return lw_lane_call2(l, "llvm.maxnum", a, b);
    case LW_GROUP_AND:
    case LW_GROUP_LAND: return LLVMBuildAnd(l->builder, a, b, "");
    case LW_GROUP_OR:
    case LW_GROUP_LOR: return LLVMBuildOr(l->builder, a, b, "");
    default: return LLVMBuildXor(l->builder, a, b, "");
    }
}

V
lw_group_combine(lw_lanes *l, enum lw_group_op op, V a, V b)
{
    if (!is_half(lw_lane_element(a)))
        return combine(l, op, a, b);
    return lane_float_to_half(l, combine(l, op, lane_half_to_float(l, a), lane_half_to_float(l, b)));
}

static V
fill(lw_lanes *l, V x, V mask, V identity)
{
    return lane_mask_is_all(mask) ? x : lane_select(l, mask, x, lane_splat(l, identity));
}

/* Reductions */

static const char *
reduction(enum lw_group_op op)
{
    switch (op) {
    case LW_GROUP_IADD: return "llvm.vector.reduce.add";
    case LW_GROUP_IMUL: return "llvm.vector.reduce.mul";
    case LW_GROUP_SMIN: return "llvm.vector.reduce.smin";
    case LW_GROUP_UMIN: return "llvm.vector.reduce.umin";
    case LW_GROUP_SMAX: return "llvm.vector.reduce.smax";
    case LW_GROUP_UMAX: return "llvm.vector.reduce.umax";
    case LW_GROUP_AND: return "llvm.vector.reduce.and";
    case LW_GROUP_OR: return "llvm.vector.reduce.or";
    case LW_GROUP_XOR: return "llvm.vector.reduce.xor";
    default: return NULL;
    }
}

static V
reduce_bool(lw_lanes *l, enum lw_group_op op, V x, V mask)
{
    if (op == LW_GROUP_LAND || op == LW_GROUP_AND)
        return lane_all(l, mask ? LLVMBuildSelect(l->builder, mask, x, lane_all_true(l), "") : x);
    x = lane_and(l, mask, x);
    if (op == LW_GROUP_LOR || op == LW_GROUP_OR)
        return lane_any(l, x);
    V count = lw_lane_call1(l, "llvm.ctpop", lane_mask_bits(l, x));
    return LLVMBuildTrunc(l->builder, count, lw_lane_int_type(l, 1), "");
}

V
lw_subgroup_reduce(lw_lanes *l, enum lw_group_op op, V x, V mask)
{
    LLVMTypeRef element = lw_lane_element(x), type;
    const char *intrinsic = reduction(op);

    if (is_bool(element))
        return reduce_bool(l, op, x, mask);
    if (is_half(element))
        return lane_float_to_half(l, lw_subgroup_reduce(l, op, lane_half_to_float(l, x), mask));
    x = fill(l, x, mask, lw_group_identity(op, element));
    if (lw_lane_count(x) == 1)
        return LLVMBuildExtractElement(l->builder, x, lane_int(l, 32, 0), "");
    if (intrinsic) {
        type = LLVMTypeOf(x);
        return lw_lane_call(l, intrinsic, &type, 1, &x, 1);
    }
    return lw_reduce_later(l, op, x);
}

/* Scans */

/* x op x = x: lanes that a step leaves alone can be combined with themselves. */
static bool
idempotent(enum lw_group_op op)
{
    switch (op) {
    case LW_GROUP_SMIN:
    case LW_GROUP_UMIN:
    case LW_GROUP_FMIN:
    case LW_GROUP_SMAX:
    case LW_GROUP_UMAX:
    case LW_GROUP_FMAX:
    case LW_GROUP_AND:
    case LW_GROUP_OR: return true;
    default: return false;
    }
}

/* In blocks of 2 * d lanes the upper half takes the last lane of the lower. */
static V
scan_step(lw_lanes *l, enum lw_group_op op, V x, unsigned d, V identity)
{
    unsigned count = lw_lane_count(x);
    int lanes[64];

    for (unsigned i = 0; i < count; i++) {
        if (i & d)
            lanes[i] = (int)((i & ~(2 * d - 1)) + d - 1);
        else
            lanes[i] = (int)(idempotent(op) ? i : i + count);
    }
    return combine(l, op, lw_lane_shuffle_const(l, x, idempotent(op) ? NULL : identity, lanes, count), x);
}

static V
scan(lw_lanes *l, enum lw_group_op op, V x)
{
    LLVMTypeRef element = lw_lane_element(x);
    unsigned bits = lw_lane_bits(element);
    unsigned most = lw_isa_row(l->isa)->register_bits / bits, width = most < l->n ? most : l->n;
    unsigned count = l->n / width;
    V parts[64], identity = lw_lane_splat_n(l, lw_group_identity(op, element), width);
    int last[64];

    for (unsigned i = 0; i < width; i++)
        last[i] = (int)width - 1;
    for (unsigned p = 0; p < count; p++) {
        parts[p] = lw_lane_part(l, x, p * width, width);
        for (unsigned d = 1; d < width; d *= 2)
            parts[p] = scan_step(l, op, parts[p], d, identity);
    }
    for (unsigned w = 1; w < count; w *= 2) {
        for (unsigned base = 0; base < count; base += 2 * w) {
            V carry = lw_lane_shuffle_const(l, parts[base + w - 1], NULL, last, width);
            for (unsigned p = base + w; p < base + 2 * w; p++)
                parts[p] = combine(l, op, carry, parts[p]);
        }
    }
    return lw_lane_concat(l, parts, count);
}

/* i1 and half are scanned as i8 and float. */
static V
working_form(lw_lanes *l, V x)
{
    LLVMTypeRef element = lw_lane_element(x);

    if (is_bool(element))
        return LLVMBuildSExt(l->builder, x, lane_type(l, lw_lane_int_type(l, 8)), "");
    return is_half(element) ? lane_half_to_float(l, x) : x;
}

static V
original_form(lw_lanes *l, V x, LLVMTypeRef element)
{
    if (is_bool(element))
        return LLVMBuildICmp(l->builder, LLVMIntNE, x, LLVMConstNull(LLVMTypeOf(x)), "");
    return is_half(element) ? lane_float_to_half(l, x) : x;
}

/* The condition c, where x is c ? 1 : 0; else NULL. */
static V
zero_or_one(V x)
{
    if (LLVMIsAZExtInst(x))
        return is_bool(lw_lane_element(LLVMGetOperand(x, 0))) ? LLVMGetOperand(x, 0) : NULL;
    if (!LLVMIsASelectInst(x) || !lw_lane_is_vector(LLVMGetOperand(x, 0)))
        return NULL;
    V one = lw_lane_splat_source(LLVMGetOperand(x, 1)), zero = LLVMGetOperand(x, 2);
    bool ones = one && LLVMIsAConstantInt(one) && LLVMConstIntGetZExtValue(one) == 1;
    return ones && LLVMIsConstant(zero) && LLVMIsNull(zero) ? LLVMGetOperand(x, 0) : NULL;
}

/* Counts of lanes fit bytes, of which all are in one register. NULL: not that. */
static V
as_bytes(lw_lanes *l, enum lw_group_op op, V x, V mask)
{
    V condition = op == LW_GROUP_IADD && lw_lane_bits(lw_lane_element(x)) > 8 ? zero_or_one(x) : NULL;

    if (!condition)
        return NULL;
    condition = lane_and(l, mask, LLVMBuildFreeze(l->builder, condition, ""));
    return LLVMBuildZExt(l->builder, condition, lane_type(l, lw_lane_int_type(l, 8)), "");
}

V
lw_subgroup_scan_inclusive(lw_lanes *l, enum lw_group_op op, V x, V mask)
{
    LLVMTypeRef element = lw_lane_element(x);
    V bytes = as_bytes(l, op, x, mask);

    if (bytes)
        return LLVMBuildZExt(l->builder, lw_subgroup_scan_inclusive(l, op, bytes, NULL), LLVMTypeOf(x), "");
    x = working_form(l, x);
    x = fill(l, x, mask, lw_group_identity(op, lw_lane_element(x)));
    return original_form(l, scan(l, op, x), element);
}

V
lw_subgroup_scan_exclusive(lw_lanes *l, enum lw_group_op op, V x, V mask)
{
    LLVMTypeRef element = lw_lane_element(x);
    V bytes = as_bytes(l, op, x, mask);
    int lanes[64];

    if (bytes)
        return LLVMBuildZExt(l->builder, lw_subgroup_scan_exclusive(l, op, bytes, NULL), LLVMTypeOf(x), "");
    x = working_form(l, x);
    V identity = lw_group_identity(op, lw_lane_element(x));
    /* The first lane's result is the identity as the specification writes it: 0, not the -0 of a reduction.
     */
    if (op == LW_GROUP_FADD)
        identity = LLVMConstReal(lw_lane_element(x), 0.0);
    V own = fill(l, x, mask, identity);
    x = scan(l, op, own);
    /* Without the lane's own is one instruction, where a shift over several registers is many. */
    if (op == LW_GROUP_IADD)
        return original_form(l, LLVMBuildSub(l->builder, x, own, ""), element);
    for (unsigned i = 0; i < l->n; i++)
        lanes[i] = i ? (int)i - 1 : (int)l->n;
    x = lw_lane_shuffle_const(l, x, lane_splat(l, identity), lanes, l->n);
    return original_form(l, x, element);
}

V
lw_subgroup_clustered(lw_lanes *l, enum lw_group_op op, V x, V mask, unsigned cluster)
{
    LLVMTypeRef element = lw_lane_element(x);
    int lanes[64];

    if (!cluster || cluster > l->n || (cluster & (cluster - 1)))
        cluster = l->n;
    x = working_form(l, x);
    x = fill(l, x, mask, lw_group_identity(op, lw_lane_element(x)));
    for (unsigned d = cluster / 2; d; d /= 2) {
        for (unsigned i = 0; i < l->n; i++)
            lanes[i] = (int)(i ^ d);
        x = combine(l, op, x, lw_lane_shuffle_const(l, x, NULL, lanes, l->n));
    }
    return original_form(l, x, element);
}

/* Descriptions */

static const char *
describe_steps(lw_lanes *l)
{
    switch (l->n) {
    case 4: return "2 shuffles + 2 operations";
    case 8: return "3 shuffles + 3 operations";
    case 16: return "4 shuffles + 4 operations";
    case 32: return "5 steps of shuffles + operations";
    default: return "6 steps of shuffles + operations";
    }
}

static const char *
describe_permute(lw_lanes *l, unsigned bits)
{
    if (l->n * bits <= 128 || bits == 8)
        return "pshufb per register; one shuffle where the lanes are constant";
    if (l->isa >= LW_ISA_AVX512)
        return "vperm or vpermi2 per register; one shuffle where the lanes are constant";
    if (l->isa == LW_ISA_AVX2 && bits >= 32)
        return "vpermd per register + blends; one shuffle where the lanes are constant";
    return "pshufb per register, the stack for many; one shuffle where the lanes are constant";
}

const char *
lw_subgroup_describe(lw_lanes *l, enum lw_call_id operation, LLVMTypeRef element)
{
    unsigned bits = lw_lane_bits(element);

    switch (operation) {
    case LW_CALL_SG_REDUCE: return bits == 1 ? "a test of the mask's bits" : describe_steps(l);
    case LW_CALL_SG_SCAN_INCLUSIVE:
    case LW_CALL_SG_CLUSTERED: return describe_steps(l);
    case LW_CALL_SG_SCAN_EXCLUSIVE:
        return l->n == 4    ? "3 shuffles + 2 operations"
               : l->n == 8  ? "4 shuffles + 3 operations"
               : l->n == 16 ? "5 shuffles + 4 operations"
                            : "log2 steps of shuffles + operations, one shift";
    case LW_CALL_SG_BROADCAST:
    case LW_CALL_SG_BROADCAST_FIRST: return "one lane to a scalar register";
    case LW_CALL_SG_ALL_EQUAL: return "a compare with the first active lane and a test of the mask's bits";
    case LW_CALL_SG_ALL:
    case LW_CALL_SG_ANY:
    case LW_CALL_SG_BALLOT:
    case LW_CALL_SG_ELECT: return "the mask's bits";
    default: return describe_permute(l, bits);
    }
}

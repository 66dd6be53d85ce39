/* SPDX-License-Identifier: MIT */
/* fmin and fmax by AVX-512's range instructions.
 *
 * Enters: a module after its last LLVM pass. Leaves: vrangeps or vrangepd instead, which ignore a quiet NaN
 * but make a NaN of a signalling one. So operands that may be one, above all what was loaded, are made quiet,
 * once each: arithmetic's results are. Relies on: no pass after it that takes x * 1 and its like for x.
 * Never: touches scalars.
 */
#include <stdio.h>

#include "../facts/calls.h"
#include "../facts/instructions.h"
#include "../lanes/internal.h"
#include "minmax_range.h"
#include "../../src/compiler.h"

enum { MOST_PHIS = 8, MOST_STEPS = 100 };

/* One register's worth. */
static V
range_of(lw_lanes *l, V a, V b, bool max)
{
    LLVMTypeRef type = LLVMTypeOf(a), element = LLVMGetElementType(type);
    bool doubles = LLVMGetTypeKind(element) == LLVMDoubleTypeKind;
    unsigned n = LLVMGetVectorSize(type), bits = n * (doubles ? 64 : 32);
    char name[48];

    snprintf(name, sizeof name, "llvm.x86.avx512.mask.range.%s.%u", doubles ? "pd" : "ps", bits);
    V args[] = {a,
                b,
                lane_int(l, 32, max ? 5 : 4), /* the sign is the result's own */
                LLVMConstNull(type),
                LLVMConstAllOnes(lw_lane_int_type(l, n < 8 ? 8 : n)),
                lane_int(l, 32, 4)}; /* rounding as it is */
    return lw_lane_call(l, name, NULL, 0, args, bits == 512 ? 6 : 5);
}

/* Of floats or doubles. */
static bool
fills_registers(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return false;
    unsigned n = LLVMGetVectorSize(type);
    unsigned size = LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMDoubleTypeKind ? 64 : 32;
    return n * size >= 128 && n <= LW_MAX_LANES && !(n & (n - 1));
}

static V
ranges_of(lw_lanes *l, V a, V b, bool max)
{
    V parts[LW_MAX_LANES];
    LLVMTypeRef type = LLVMTypeOf(a);
    unsigned n = LLVMGetVectorSize(type);
    unsigned size = LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMDoubleTypeKind ? 64 : 32;
    unsigned width = n * size > 512 ? 512 / size : n;

    for (unsigned k = 0; k < n / width; k++)
        parts[k] =
            range_of(l, lw_lane_part(l, a, k * width, width), lw_lane_part(l, b, k * width, width), max);
    return lw_lane_concat(l, parts, n / width);
}

/* ---- signalling NaN ---- */

/* How far a question went: a phi that it met already is as quiet as the rest of what leads to it. */
struct question {
    V phis[MOST_PHIS];
    unsigned phi_count, steps;
};

static bool is_quiet(struct question *q, V v);

static bool
constant_is_quiet(V v)
{
    LLVMBool loses;

    if (LLVMIsNull(v) || LLVMIsUndef(v)) /* poison too */
        return true;
    if (LLVMIsAConstantFP(v)) {
        double d = LLVMConstRealGetDouble(v, &loses);
        return d == d;
    }
    if (!LLVMIsAConstantDataVector(v))
        return false;
    for (unsigned k = 0; k < LLVMGetVectorSize(LLVMTypeOf(v)); k++)
        if (!constant_is_quiet(LLVMGetAggregateElement(v, k)))
            return false;
    return true;
}

static bool
call_is_quiet(struct question *q, V i)
{
    static const char *const arithmetic[] = {
        "llvm.fma.",   "llvm.fmuladd.", "llvm.sqrt.",      "llvm.floor.", "llvm.ceil.",
        "llvm.trunc.", "llvm.rint.",    "llvm.nearbyint.", "llvm.round.", "llvm.x86.avx512.mask.range."};
    static const char *const extrema[] = {"llvm.minimumnum.", "llvm.maximumnum.", "llvm.minnum.",
                                          "llvm.maxnum."};
    static const char *const signs[] = {"llvm.fabs.", "llvm.copysign."};

    for (unsigned k = 0; k < sizeof arithmetic / sizeof *arithmetic; k++)
        if (lw_is_call_like(i, arithmetic[k]))
            return true;
    for (unsigned k = 0; k < sizeof extrema / sizeof *extrema; k++)
        if (lw_is_call_like(i, extrema[k])) /* soon range instructions themselves */
            return fills_registers(LLVMTypeOf(i));
    for (unsigned k = 0; k < sizeof signs / sizeof *signs; k++)
        if (lw_is_call_like(i, signs[k]))
            return is_quiet(q, LLVMGetOperand(i, 0));
    return false;
}

static bool
phi_is_quiet(struct question *q, V phi)
{
    for (unsigned k = 0; k < q->phi_count; k++)
        if (q->phis[k] == phi)
            return true;
    if (q->phi_count == MOST_PHIS)
        return false;
    q->phis[q->phi_count++] = phi;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        if (!is_quiet(q, LLVMGetIncomingValue(phi, k)))
            return false;
    return true;
}

/* Never a signalling NaN? */
static bool
is_quiet(struct question *q, V v)
{
    if (LLVMIsConstant(v))
        return constant_is_quiet(v);
    if (!LLVMIsAInstruction(v) || q->steps++ == MOST_STEPS)
        return false;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFPExt:
    case LLVMFPTrunc:
    case LLVMSIToFP:
    case LLVMUIToFP:
        return true;
    case LLVMFNeg:
    case LLVMFreeze:
    case LLVMExtractElement:
        return is_quiet(q, LLVMGetOperand(v, 0));
    case LLVMInsertElement:
    case LLVMShuffleVector:
        return is_quiet(q, LLVMGetOperand(v, 0)) && is_quiet(q, LLVMGetOperand(v, 1));
    case LLVMSelect:
        return is_quiet(q, LLVMGetOperand(v, 1)) && is_quiet(q, LLVMGetOperand(v, 2));
    case LLVMPHI:
        return phi_is_quiet(q, v);
    case LLVMCall:
        return call_is_quiet(q, v);
    default:
        return false;
    }
}

/* Behind `v`, where every use of it may use what is written there. */
static void
position_behind(lw_lanes *l, V function, V v)
{
    LLVMBasicBlockRef block =
        LLVMIsAInstruction(v) ? LLVMGetInstructionParent(v) : LLVMGetEntryBasicBlock(function);
    V next = LLVMIsAInstruction(v) ? LLVMGetNextInstruction(v) : LLVMGetFirstInstruction(block);

    LLVMPositionBuilderBefore(l->builder, lw_behind_phis(next));
}

/* `v`, a signalling NaN in it made quiet: its minimum with itself. */
static V
quieted(struct lw_minmax_ranges *r, V v)
{
    struct question q = {.steps = 0};

    if (is_quiet(&q, v))
        return v;
    for (unsigned k = 0; k < LW_QUIETED_KEPT; k++)
        if (r->from[k] == v)
            return r->to[k];
    position_behind(r->lanes, r->function, v);
    unsigned k = r->next++ % LW_QUIETED_KEPT;
    r->from[k] = v;
    return r->to[k] = ranges_of(r->lanes, v, v, false);
}

void
lw_minmax_range(struct lw_minmax_ranges *r, V i, bool max)
{
    if (!fills_registers(LLVMTypeOf(i)))
        return;
    V a = quieted(r, LLVMGetOperand(i, 0)), b = quieted(r, LLVMGetOperand(i, 1));
    LLVMPositionBuilderBefore(r->lanes->builder, i);
    lw_replace(i, ranges_of(r->lanes, a, b, max));
}

/* SPDX-License-Identifier: MIT */
/* Vectors of 64-bit integers that become doubles, and numbers that become 64-bit integers, where instruction
 * sets have it for scalars only: by the bits of doubles, 32 of an integer at a time.
 *
 *     fptosi x       high = floor (trunc x / 2^32), low = trunc x - high * 2^32, in [0, 2^32);
 *                    the lower bits of high + 1.5 * 2^52 are high's, those of low + 2^52 are low's
 *     sitofp n       (2^84 + 2^63 + high * 2^32) - (2^84 + 2^63 + 2^52) + (2^52 + low)
 *
 * Enters: a module after its last LLVM pass. Leaves: the same numbers: every step but the last sum of sitofp,
 * which rounds as the conversion does, is exact, with fma or without. Numbers that no integer of the type is
 * near give any, as they may. Relies on: MXCSR's default rounding. Never: makes floats of integers, which
 * would be rounded twice.
 */
#include "../facts/calls.h"
#include "../facts/instructions.h"
#include "../flow/module_pass.h"
#include "../lanes/internal.h"

static V
number(lw_lanes *l, V like, double value)
{
    return lw_lane_splat_n(l, LLVMConstReal(lw_lane_element(like), value), lw_lane_count(like));
}

static V
to_integers(lw_lanes *l, V x, LLVMTypeRef type, bool is_signed)
{
    LLVMBuilderRef b = l->builder;
    LLVMTypeRef doubles = LLVMVectorType(LLVMDoubleTypeInContext(l->context), lw_lane_count(x));

    if (LLVMTypeOf(x) != doubles)
        x = LLVMBuildFPExt(b, x, doubles, "");
    x = lw_lane_call1(l, "llvm.trunc", x);
    V high = lw_lane_call1(l, "llvm.floor", LLVMBuildFMul(b, x, number(l, x, 0x1p-32), ""));
    V args[] = {high, number(l, x, -0x1p32), x};
    V low = lw_lane_call(l, "llvm.fmuladd", &doubles, 1, args, 3);
    high = LLVMBuildFAdd(b, high, number(l, x, is_signed ? 0x1.8p52 : 0x1p52), "");
    low = LLVMBuildFAdd(b, low, number(l, x, 0x1p52), "");
    high = LLVMBuildBitCast(b, high, type, "");
    low = LLVMBuildBitCast(b, low, type, "");
    high = LLVMBuildShl(b, high, lw_lane_number(l, high, 32), "");
    return LLVMBuildOr(b, high, LLVMBuildAnd(b, low, lw_lane_number(l, low, UINT32_MAX), ""), "");
}

static V
to_doubles(lw_lanes *l, V n, LLVMTypeRef type)
{
    LLVMBuilderRef b = l->builder;
    V low = LLVMBuildAnd(b, n, lw_lane_number(l, n, UINT32_MAX), "");
    V high = LLVMBuildLShr(b, n, lw_lane_number(l, n, 32), "");

    low = LLVMBuildOr(b, low, lw_lane_number(l, n, 0x4330000000000000), "");
    high = LLVMBuildXor(b, high, lw_lane_number(l, n, 0x4530000080000000), "");
    low = LLVMBuildBitCast(b, low, type, "");
    high = LLVMBuildBitCast(b, high, type, "");
    return LLVMBuildFAdd(b, LLVMBuildFSub(b, high, number(l, high, 0x1p84 + 0x1p63 + 0x1p52), ""), low, "");
}

static void
visit(lw_lanes *l, V i)
{
    bool to_int = LLVMIsAFPToSIInst(i) || LLVMIsAFPToUIInst(i);

    if ((!to_int && !LLVMIsASIToFPInst(i)) || !lw_lane_is_vector(i))
        return;
    V x = LLVMGetOperand(i, 0), made;
    unsigned from = lw_lane_bits(lw_lane_element(x)), to = lw_lane_bits(lw_lane_element(i));
    if (to != 64 || (from != 64 && (!to_int || from != 32)))
        return;
    LLVMPositionBuilderBefore(l->builder, i);
    made = to_int ? to_integers(l, x, LLVMTypeOf(i), LLVMIsAFPToSIInst(i)) : to_doubles(l, x, LLVMTypeOf(i));
    lw_replace(i, made);
}

void
lw_settle_conversions(LLVMModuleRef module)
{
    lw_visit_instructions(module, LW_ISA_AUTO, visit);
}

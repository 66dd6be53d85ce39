/* SPDX-License-Identifier: MIT */
/* Quotients of floats for which a program allows reciprocals: AVX-512's estimate of 1 / b and one step of
 * Newton's, in two thirds of a division's time.
 *
 *     q = a * estimate(b);  better = q + (a - b * q) * estimate(b);  a / b = better is a number ? better : q
 *
 * LLVM would write the same without the choice, on other instruction sets too, and is told not to
 * (jit/target.c): 1 / (1 + exp(100)) came out as NaN, and so did 1 / 0. Who allows reciprocals may expect
 * neither, but programs do. AVX2 and SSE take as long for all of that as for the division.
 *
 * Legal: where reciprocals are allowed; below 2^126, where they have no subnormal inverse, within 2.5 ULP.
 * Enters: a module after its last LLVM pass. Leaves: other divisions, and those by roots, whose inverses LLVM
 * estimates together.
 */
#include "../facts/calls.h"
#include "../facts/instructions.h"
#include "../flow/module_pass.h"
#include "../lanes/internal.h"

#define MOST_REGISTERS 16

static V
estimate(lw_lanes *l, V b)
{
    unsigned count = lw_lane_count(b);
    const char *name = count == 4   ? "llvm.x86.avx512.rcp14.ps.128"
                       : count == 8 ? "llvm.x86.avx512.rcp14.ps.256"
                                    : "llvm.x86.avx512.rcp14.ps.512";
    V all = LLVMConstAllOnes(lw_lane_int_type(l, count == 16 ? 16 : 8));
    V args[] = {b, LLVMGetPoison(LLVMTypeOf(b)), all};

    return lw_lane_call(l, name, NULL, 0, args, 3);
}

/* Code generation joins products and sums. */
static V
contracted(V value)
{
    if (LLVMIsAInstruction(value))
        LLVMSetFastMathFlags(value, LLVMFastMathAllowContract);
    return value;
}

static V
divide(lw_lanes *l, V a, V b)
{
    LLVMBuilderRef at = l->builder;
    V inverse = estimate(l, b), q = LLVMBuildFMul(at, a, inverse, "");
    V rest = contracted(LLVMBuildFSub(at, a, contracted(LLVMBuildFMul(at, b, q, "")), ""));
    V better = contracted(LLVMBuildFAdd(at, q, contracted(LLVMBuildFMul(at, rest, inverse, "")), ""));
    V good = LLVMBuildFCmp(at, LLVMRealORD, better, better, "");

    return LLVMBuildSelect(at, good, better, q, "");
}

static bool
may_be_inverted(V i)
{
    return LLVMIsABinaryOperator(i) && LLVMGetInstructionOpcode(i) == LLVMFDiv && lw_lane_is_vector(i) &&
           LLVMGetTypeKind(lw_lane_element(i)) == LLVMFloatTypeKind &&
           (LLVMGetFastMathFlags(i) & LLVMFastMathAllowReciprocal) &&
           !lw_is_call_like(LLVMGetOperand(i, 1), "llvm.sqrt.");
}

static void
visit(lw_lanes *l, V i)
{
    V parts[MOST_REGISTERS];

    if (!may_be_inverted(i))
        return;
    unsigned fit = lw_isa_row(l->isa)->register_bits / 32; /* floats in a register */
    unsigned count = lw_lane_count(i), each = count < fit ? count : fit;
    if (count < 4 || (count & (count - 1)) || count > fit * MOST_REGISTERS)
        return;
    LLVMPositionBuilderBefore(l->builder, i);
    for (unsigned k = 0; k < count / each; k++)
        parts[k] = divide(l, lw_lane_part(l, LLVMGetOperand(i, 0), k * each, each),
                          lw_lane_part(l, LLVMGetOperand(i, 1), k * each, each));
    lw_replace(i, lw_lane_concat(l, parts, count / each));
}

void
lw_settle_divisions(LLVMModuleRef module, lw_isa isa)
{
    lw_visit_instructions(module, isa, visit);
}

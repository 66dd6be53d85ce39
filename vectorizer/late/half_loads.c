/* SPDX-License-Identifier: MIT */
/* Single halves that are loaded to be computed with come by a register of integers.
 *
 *     vpinsrw $0, (p), %xmm0, %xmm1     ->     movzwl (p), %eax; vmovd %eax, %xmm1
 *
 * Enters: a module after its last LLVM pass, for instruction sets that convert halves but compute none.
 * Leaves: the same values. Why: LLVM 22 loads such a half into whichever register, whose other elements the
 * instruction waits for: sums of halves that have nothing to do with each other took one after the other, ten
 * times as long. Relies on: no pass after it that takes the word for the half again. Never: touches halves
 * that are only moved or spread over lanes.
 */
#include "../flow/module_pass.h"
#include "../lanes/internal.h"

static bool
is_computed_with(V half)
{
    for (LLVMUseRef use = LLVMGetFirstUse(half); use; use = LLVMGetNextUse(use)) {
        V user = LLVMGetUser(use);
        if (LLVMIsABinaryOperator(user) || LLVMIsAFPExtInst(user) || LLVMIsAFCmpInst(user))
            return true;
    }
    return false;
}

static bool
is_loaded(V half)
{
    return LLVMIsALoadInst(half) || (LLVMIsABitCastInst(half) && LLVMIsALoadInst(LLVMGetOperand(half, 0)));
}

static void
visit(lw_lanes *l, V half)
{
    LLVMTypeRef word = lw_lane_int_type(l, 32), type = LLVMTypeOf(half);

    if (LLVMGetTypeKind(type) != LLVMHalfTypeKind || !is_loaded(half) || !is_computed_with(half))
        return;
    LLVMPositionBuilderBefore(l->builder, LLVMGetNextInstruction(half));
    V bits = LLVMBuildBitCast(l->builder, half, lw_lane_int_type(l, 16), "");
    V alone = LLVMBuildInsertElement(l->builder, LLVMConstNull(LLVMVectorType(word, 4)),
                                     LLVMBuildZExt(l->builder, bits, word, ""), lane_int(l, 32, 0), "");
    V halves = LLVMBuildBitCast(l->builder, alone, LLVMVectorType(type, 8), "");
    V made = LLVMBuildExtractElement(l->builder, halves, lane_int(l, 32, 0), "");
    LLVMReplaceAllUsesWith(half, made);
    LLVMSetOperand(bits, 0, half);
}

void
lw_load_halves_alone(LLVMModuleRef module, lw_isa isa)
{
    if (lw_isa_row(isa)->halves && !lw_isa_row(isa)->computes_halves)
        lw_visit_instructions(module, isa, visit);
}

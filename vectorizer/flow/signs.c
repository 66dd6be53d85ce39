/* SPDX-License-Identifier: MIT */
/* Products under fabs with positive constants, see signs.h.
 *
 * Enters: any function behind instcombine (constants stand right, negations are folded into them).
 * Leaves: the same values. Relies on: a later CSE, which merges what has become equal.
 * Never: touches the product itself, which may have other uses.
 */
#include "signs.h"

#include "../facts/calls.h"
#include "module_pass.h"

static void
forget_sign(lw_lanes *l, V fabs)
{
    if (!lw_is_call_like(fabs, "llvm.fabs."))
        return;
    LLVMBuilderRef b = l->builder;
    LLVMValueRef product = LLVMGetOperand(fabs, 0);
    LLVMBool inexact;
    if (!LLVMIsAInstruction(product) || LLVMGetInstructionOpcode(product) != LLVMFMul)
        return;
    LLVMValueRef factor = LLVMGetOperand(product, 1);
    double value = LLVMIsAConstantFP(factor) ? LLVMConstRealGetDouble(factor, &inexact) : 0;
    if (!(value < 0))
        return;
    LLVMPositionBuilderBefore(b, product);
    LLVMValueRef positive = LLVMConstReal(LLVMTypeOf(factor), -value);
    LLVMValueRef made = LLVMBuildFMul(b, LLVMGetOperand(product, 0), positive, "");
    if (LLVMIsAInstruction(made))
        LLVMSetFastMathFlags(made, LLVMGetFastMathFlags(product));
    LLVMSetOperand(fabs, 0, made);
}

void
lw_forget_signs(LLVMModuleRef module)
{
    lw_visit_instructions(module, LW_ISA_AUTO, forget_sign);
}

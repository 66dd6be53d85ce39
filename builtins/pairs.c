/* SPDX-License-Identifier: MIT */
/* sin and cos of the same operand in the same block: one sincos, which reduces the operand once and whose two
 * results are, bit for bit, theirs (the same bodies, builtins/library/trigonometric.c). In another block the
 * other may never be reached: there they stay apart. */
#include "builtins/resolve.h"

#include <stdio.h>

/* The call of f with the operand x in that block; NULL: none. */
static LLVMValueRef
call_of(LLVMValueRef f, LLVMValueRef x, LLVMBasicBlockRef block)
{
    for (LLVMUseRef use = LLVMGetFirstUse(x); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef call = LLVMGetUser(use);
        if (LLVMIsACallInst(call) && LLVMGetCalledValue(call) == f && LLVMGetInstructionParent(call) == block)
            return call;
    }
    return NULL;
}

static bool
comes_before(LLVMValueRef a, LLVMValueRef b)
{
    while (a && a != b)
        a = LLVMGetNextInstruction(a);
    return a == b;
}

static void
join(struct lw_resolve *r, LLVMValueRef sine, LLVMValueRef cosine, const char *type)
{
    char name[32];
    snprintf(name, sizeof name, "lw.cl.sincos.%s", type);
    LLVMBuilderRef b = r->builder;
    LLVMValueRef x = LLVMGetOperand(sine, 0);
    LLVMTypeRef real = LLVMTypeOf(x), operands[2] = {real, LLVMPointerTypeInContext(r->context, 0)};
    LLVMTypeRef both = LLVMFunctionType(real, operands, 2, false);
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(LLVMGetInstructionParent(sine)));
    LLVMValueRef earlier = comes_before(sine, cosine) ? sine : cosine;
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(entry));
    LLVMValueRef place = LLVMBuildAlloca(b, real, "");
    LLVMPositionBuilderBefore(b, earlier);
    LLVMValueRef call =
        LLVMBuildCall2(b, both, lw_builtin_declare(r, name, both), (LLVMValueRef[]){x, place}, 2, "");
    LLVMReplaceAllUsesWith(cosine, LLVMBuildLoad2(b, real, place, ""));
    LLVMReplaceAllUsesWith(sine, call);
    LLVMInstructionEraseFromParent(sine);
    LLVMInstructionEraseFromParent(cosine);
}

void
lw_builtin_join_sincos(struct lw_resolve *r)
{
    static const char *const types[3] = {"f16", "f32", "f64"};
    for (int i = 0; i < 3; i++) {
        char names[2][32];
        snprintf(names[0], sizeof names[0], "lw.cl.sin.%s", types[i]);
        snprintf(names[1], sizeof names[1], "lw.cl.cos.%s", types[i]);
        LLVMValueRef sine = LLVMGetNamedFunction(r->module, names[0]),
                     cosine = LLVMGetNamedFunction(r->module, names[1]);
        if (!sine || !cosine || !LLVMIsDeclaration(sine) || !LLVMIsDeclaration(cosine))
            continue;
        LLVMUseRef next;
        for (LLVMUseRef use = LLVMGetFirstUse(sine); use; use = next) {
            LLVMValueRef call = LLVMGetUser(use), other = NULL;
            next = LLVMGetNextUse(use);
            if (LLVMIsACallInst(call) && LLVMGetCalledValue(call) == sine &&
                !LLVMIsConstant(LLVMGetOperand(call, 0)))
                other = call_of(cosine, LLVMGetOperand(call, 0), LLVMGetInstructionParent(call));
            if (other)
                join(r, call, other, types[i]);
        }
    }
}

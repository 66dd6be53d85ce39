/* SPDX-License-Identifier: MIT */
/* Divisions that are the same in all rounds of a loop go in front of it, where they may trap only as they do
 * inside.
 *
 * Enters: any module, before LLVM's loop-vectorize. Leaves: the same values. Why: LLVM 22's loop-vectorize
 * computes such a division of an address, under a condition, once for all lanes, but only where the first one
 * goes there: of `if (c[i]) o[i] = t[n / d];` the others read anywhere. Legal: as the declared function that
 * a division is while licm moves it, it reads and writes nothing. What was moved divides by a frozen number
 * that is 1 where the division would trap. Never: touches divisions by constants, or of vectors.
 */
#include "jit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../spirv/attributes.h"
#include "../vectorizer/facts/calls.h"
#include "../vectorizer/facts/instructions.h"
#include "../vectorizer/facts/integers.h"
#include "../vectorizer/flow/module_pass.h"

#define STAND_IN "lw.divided."

/* A division is a call of x, d and its number here, which tells where it stood. */
struct hidden {
    LLVMBuilderRef b;
    LLVMBasicBlockRef *blocks;
    uint32_t count, room;
};

static LLVMValueRef
stand_in(LLVMModuleRef module, LLVMOpcode op, LLVMTypeRef type)
{
    LLVMTypeRef parameters[] = {type, type, LLVMInt32TypeInContext(LLVMGetTypeContext(type))};
    char name[60];

    snprintf(name, sizeof name, STAND_IN "%d.%u", (int)op, LLVMGetIntTypeWidth(type));
    LLVMValueRef found = LLVMGetNamedFunction(module, name);
    if (found)
        return found;
    found = LLVMAddFunction(module, name, LLVMFunctionType(type, parameters, 3, false));
    lw_add_attributes(found, "nounwind willreturn nosync nofree speculatable memory");
    return found;
}

static bool
hide(struct hidden *h, LLVMModuleRef module, LLVMValueRef i)
{
    if (!LLVMIsABinaryOperator(i) || !lw_is_int_division(LLVMGetInstructionOpcode(i)) || !lw_int_width(i) ||
        lw_int_width(i) > 64 || LLVMIsAConstantInt(LLVMGetOperand(i, 1)))
        return true;
    if (h->count == h->room) {
        uint32_t room = h->room ? 2 * h->room : 16;
        LLVMBasicBlockRef *blocks = realloc(h->blocks, room * sizeof *blocks);
        if (!blocks)
            return false;
        h->blocks = blocks;
        h->room = room;
    }
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetModuleContext(module));
    LLVMValueRef function = stand_in(module, LLVMGetInstructionOpcode(i), LLVMTypeOf(i));
    LLVMValueRef of[] = {LLVMGetOperand(i, 0), LLVMGetOperand(i, 1), LLVMConstInt(i32, h->count, false)};
    LLVMPositionBuilderBefore(h->b, i);
    LLVMReplaceAllUsesWith(i, LLVMBuildCall2(h->b, LLVMGlobalGetValueType(function), function, of, 3, ""));
    h->blocks[h->count++] = LLVMGetInstructionParent(i);
    LLVMInstructionEraseFromParent(i);
    return true;
}

/* What `x` may be divided by wherever it is: `d`, or 1 where that would trap. */
static LLVMValueRef
sane_divisor(LLVMBuilderRef b, LLVMOpcode op, LLVMValueRef x, LLVMValueRef d)
{
    LLVMTypeRef type = LLVMTypeOf(d);
    LLVMValueRef one = LLVMConstInt(type, 1, false), traps = LLVMBuildIsNull(b, d, "");

    if (op == LLVMSDiv || op == LLVMSRem) {
        LLVMValueRef least = LLVMConstInt(type, UINT64_C(1) << (LLVMGetIntTypeWidth(type) - 1), false);
        LLVMValueRef wraps = LLVMBuildAnd(b, LLVMBuildICmp(b, LLVMIntEQ, x, least, ""),
                                          LLVMBuildICmp(b, LLVMIntEQ, d, LLVMConstAllOnes(type), ""), "");
        traps = LLVMBuildOr(b, traps, wraps, "");
    }
    return LLVMBuildSelect(b, traps, one, d, "");
}

static void
show(struct hidden *h, LLVMValueRef i)
{
    unsigned op;
    uint64_t number;

    if (!lw_is_call_like(i, STAND_IN) || sscanf(lw_called(i), STAND_IN "%u", &op) != 1 ||
        !lw_is_int_constant(LLVMGetOperand(i, 2), &number))
        return;
    LLVMValueRef x = LLVMGetOperand(i, 0), d = LLVMGetOperand(i, 1);
    LLVMPositionBuilderBefore(h->b, i);
    if (h->blocks[number] != LLVMGetInstructionParent(i)) {
        x = LLVMBuildFreeze(h->b, x, "");
        d = sane_divisor(h->b, (LLVMOpcode)op, x, LLVMBuildFreeze(h->b, d, ""));
    }
    lw_replace(i, LLVMBuildBinOp(h->b, (LLVMOpcode)op, x, d, ""));
}

static bool
each(struct hidden *h, LLVMModuleRef module, bool hides)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (!hides)
                    show(h, i);
                else if (!hide(h, module, i))
                    return false;
            }
    return true;
}

bool
lw_move_same_quotients(LLVMModuleRef module, LLVMTargetMachineRef machine, lw_error *error)
{
    struct hidden h = {.b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module))};
    bool all = each(&h, module, true), good = true;

    if (!all)
        good = lw_jit_fail(error, LW_OUT_OF_MEMORY, "no memory");
    else if (h.count)
        good = lw_optimize(module, machine, LW_CLEAN_SAME, error);
    each(&h, module, false);
    lw_delete_functions(module, STAND_IN);
    LLVMDisposeBuilder(h.b);
    free(h.blocks);
    return good;
}

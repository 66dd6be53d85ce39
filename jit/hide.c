/* SPDX-License-Identifier: MIT */
/* Hides from instcombine what it would get wrong, and in large kernels what it would look at again and again;
 * shows it afterwards.
 *
 * Wrong: LLVM 22's instcombine makes select(mask, masked.load(p, mask), y) one masked load, and puts it where
 * the selection is: behind what was stored in between. `if (c) { t = a[i]; a[i] = 5; }` gave t = 5. So each
 * masked load that has a user goes through a call of a declared function while LLVM's passes run, in every
 * kernel. And of the difference of two vectors of addresses it makes one of their offsets from the pointer
 * that both came from: where a scalar in between has other users (q + 8 of a pointer that walks), these get a
 * vector of it, which is broken IR. So vectors of addresses that are reckoned with go through such a call,
 * too.
 *
 * Enters: any module. Leaves: the same code with each freeze a call of a declared function that reads and
 * writes nothing, and such a call between each condition and its branch; or the other way round. Relies on:
 * nothing folding such calls. Why: for each freeze LLVM 22's instcombine and early-cse go up the tree of
 * dominators and over all uses of what is frozen, instcombine for each known bit over all branches that the
 * value decides: kernels of thousands of divergent ifs take time with the square of their number. Never:
 * changes what a value is.
 */
#include "jit.h"

#include <stdio.h>
#include <string.h>

#include "../spirv/attributes.h"
#include "../vectorizer/facts/calls.h"
#include "../vectorizer/facts/instructions.h"
#include "../vectorizer/flow/module_pass.h"

/* Of what a call stands for; the type's name follows. */
#define STAND_IN "lw.hidden."
#define FREEZE STAND_IN "freeze."
#define CONDITION STAND_IN "condition."
#define LOADED STAND_IN "loaded."
#define ADDRESS STAND_IN "address."

static LLVMValueRef
stand_in(LLVMModuleRef module, const char *kind, LLVMTypeRef type)
{
    char *name = LLVMPrintTypeToString(type), full[300];

    snprintf(full, sizeof full, "%s%s", kind, name);
    LLVMDisposeMessage(name);
    LLVMValueRef found = LLVMGetNamedFunction(module, full);
    if (found)
        return found;
    found = LLVMAddFunction(module, full, LLVMFunctionType(type, &type, 1, false));
    lw_add_attributes(found, "nounwind willreturn nosync nofree speculatable memory");
    return found;
}

static LLVMValueRef
build_call(LLVMBuilderRef b, const char *kind, LLVMValueRef operand)
{
    LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(b)));
    LLVMValueRef function = stand_in(module, kind, LLVMTypeOf(operand));

    return LLVMBuildCall2(b, LLVMGlobalGetValueType(function), function, &operand, 1, "");
}

static bool
is_integer(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);

    return kind == LLVMIntegerTypeKind ||
           (kind == LLVMVectorTypeKind && LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMIntegerTypeKind);
}

static void
hide_freeze(lw_lanes *l, LLVMValueRef i)
{
    if (!LLVMIsAFreezeInst(i) || !is_integer(LLVMTypeOf(i)))
        return;
    LLVMPositionBuilderBefore(l->builder, i);
    lw_replace(i, build_call(l->builder, FREEZE, LLVMGetOperand(i, 0)));
}

static void
hide(lw_lanes *l, LLVMValueRef i)
{
    if (LLVMIsABranchInst(i) && LLVMIsConditional(i) && !LLVMIsConstant(LLVMGetCondition(i))) {
        LLVMPositionBuilderBefore(l->builder, i);
        LLVMSetCondition(i, build_call(l->builder, CONDITION, LLVMGetCondition(i)));
    } else {
        hide_freeze(l, i);
    }
}

/* Its users get the result of such a call. */
static void
hide_result(LLVMBuilderRef b, const char *kind, LLVMValueRef i)
{
    LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(i));
    LLVMValueRef hidden = build_call(b, kind, i);
    LLVMReplaceAllUsesWith(i, hidden);
    LLVMSetOperand(hidden, 0, i);
}

static void
hide_wrong(lw_lanes *l, LLVMValueRef i)
{
    if (!LLVMGetFirstUse(i))
        return;
    if (lw_is_call_like(i, "llvm.masked.load."))
        hide_result(l->builder, LOADED, i);
    else if (LLVMIsAPtrToIntInst(i) && LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVectorTypeKind)
        hide_result(l->builder, ADDRESS, i);
}

static void
show(lw_lanes *l, LLVMValueRef i)
{
    if (!lw_is_call_like(i, STAND_IN))
        return;
    LLVMPositionBuilderBefore(l->builder, i);
    LLVMValueRef operand = LLVMGetOperand(i, 0);
    LLVMReplaceAllUsesWith(i,
                           lw_is_call_like(i, FREEZE) ? LLVMBuildFreeze(l->builder, operand, "") : operand);
    LLVMInstructionEraseFromParent(i);
}

void
lw_hide_from_instcombine(LLVMModuleRef module)
{
    lw_visit_instructions(module, LW_ISA_AUTO, hide);
}

void
lw_hide_freezes(LLVMModuleRef module)
{
    lw_visit_instructions(module, LW_ISA_AUTO, hide_freeze);
}

void
lw_hide_what_goes_wrong(LLVMModuleRef module)
{
    lw_visit_instructions(module, LW_ISA_AUTO, hide_wrong);
}

void
lw_show_again(LLVMModuleRef module)
{
    lw_visit_instructions(module, LW_ISA_AUTO, show);
    lw_delete_functions(module, STAND_IN);
}

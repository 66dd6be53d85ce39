/* SPDX-License-Identifier: MIT */
/* Hides freezes from instcombine, in large kernels, and shows them again.
 *
 * Enters: any module. Leaves: the same code with each freeze a call of a declared function that reads and
 * writes nothing, or the other way round. Relies on: nothing folding such calls. Why: for each freeze LLVM
 * 22's instcombine goes up the tree of dominators and over all uses of what is frozen, again each time it
 * comes by: a kernel of 2,500 divergent ifs, whose masks are frozen, takes eight times as long. Never:
 * changes what a value is.
 */
#include "jit.h"

#include <stdio.h>
#include <string.h>

#include "../vectorizer/calls.h"

#define NAME "lw.freeze."

static LLVMValueRef
stand_in(LLVMModuleRef module, LLVMTypeRef type)
{
    static const char *const attributes[] = {"nounwind", "willreturn", "nosync", "nofree", "speculatable"};
    LLVMContextRef context = LLVMGetModuleContext(module);
    char *name = LLVMPrintTypeToString(type), full[300];

    snprintf(full, sizeof full, NAME "%s", name);
    LLVMDisposeMessage(name);
    LLVMValueRef found = LLVMGetNamedFunction(module, full);
    if (found)
        return found;
    found = LLVMAddFunction(module, full, LLVMFunctionType(type, &type, 1, false));
    for (size_t k = 0; k < sizeof attributes / sizeof *attributes; k++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(attributes[k], strlen(attributes[k]));
        LLVMAddAttributeAtIndex(found, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(context, kind, 0));
    }
    unsigned memory = LLVMGetEnumAttributeKindForName("memory", 6);
    LLVMAddAttributeAtIndex(found, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(context, memory, 0));
    return found;
}

static bool
is_simple(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);

    return kind == LLVMIntegerTypeKind ||
           (kind == LLVMVectorTypeKind && LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMIntegerTypeKind);
}

static LLVMValueRef
replacement(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef i, bool hide)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    LLVMValueRef operand;

    if (hide ? !LLVMIsAFreezeInst(i) || !is_simple(type) : !lw_is_call_like(i, NAME))
        return NULL;
    operand = LLVMGetOperand(i, 0);
    LLVMPositionBuilderBefore(b, i);
    if (!hide)
        return LLVMBuildFreeze(b, operand, "");
    LLVMValueRef function = stand_in(module, type);
    return LLVMBuildCall2(b, LLVMGlobalGetValueType(function), function, &operand, 1, "");
}

static void
exchange(LLVMModuleRef module, bool hide)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
             block = LLVMGetNextBasicBlock(block)) {
            for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
                LLVMValueRef made = replacement(module, b, i, hide);
                next = LLVMGetNextInstruction(i);
                if (!made)
                    continue;
                LLVMReplaceAllUsesWith(i, made);
                LLVMInstructionEraseFromParent(i);
            }
        }
    }
    LLVMDisposeBuilder(b);
}

void
lw_hide_freezes(LLVMModuleRef module)
{
    exchange(module, true);
}

void
lw_show_freezes(LLVMModuleRef module)
{
    exchange(module, false);
}

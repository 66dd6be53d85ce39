/* SPDX-License-Identifier: MIT */
/* Steps over pointers in memory, an `int **p` that walks. Of an address of a pointer that nothing loads or
 * stores there the back end does not know what it leads to, takes it for bytes, and steps as far as over
 * bytes. What is a step over bytes it writes as that. And where such a walk begins at an array in local
 * memory, it takes the array for the one pointer, or byte, that it thinks the walk to meet: there is an
 * address in between. */
#include "legal.h"

#define POINTER_BYTES 8u
#define LOCAL 3u

static bool
is_step(V i)
{
    return LLVMIsAGetElementPtrInst(i) && LLVMGetNumOperands(i) == 2 &&
           LLVMGetTypeKind(LLVMGetGEPSourceElementType(i)) == LLVMPointerTypeKind &&
           LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMPointerTypeKind;
}

static bool
is_accessed(V address)
{
    for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
        V user = LLVMGetUser(use);
        if (LLVMIsALoadInst(user) || (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == address))
            return true;
    }
    return false;
}

static V
step_over_bytes(struct lw_legal *l, V i)
{
    if (!is_step(i) || is_accessed(i))
        return NULL;
    T i64 = LLVMInt64TypeInContext(l->context);
    lw_write_at(l, i);
    V index = LLVMBuildIntCast2(l->b, LLVMGetOperand(i, 1), i64, true, "");
    V bytes = LLVMBuildMul(l->b, index, LLVMConstInt(i64, POINTER_BYTES, false), "");
    V step = LLVMBuildGEP2(l->b, LLVMInt8TypeInContext(l->context), LLVMGetOperand(i, 0), &bytes, 1, "");
    if (LLVMIsAGetElementPtrInst(step))
        LLVMSetIsInBounds(step, LLVMIsInBounds(i));
    return step;
}

static bool
is_local_pointers(V value)
{
    if (!LLVMIsAGlobalVariable(value) || LLVMGetPointerAddressSpace(LLVMTypeOf(value)) != LOCAL)
        return false;
    T type = LLVMGlobalGetValueType(value);
    while (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
        type = LLVMGetElementType(type);
    return LLVMGetTypeKind(type) == LLVMPointerTypeKind;
}

/* A block that comes in twice brings one value. */
static void
begin_at_address(struct lw_legal *l, V phi)
{
    T bytes = LLVMInt8TypeInContext(l->context);
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        V value = LLVMGetIncomingValue(phi, k), address = NULL;
        if (!is_local_pointers(value))
            continue;
        for (unsigned j = 0; j < k && !address; j++)
            if (LLVMGetIncomingBlock(phi, j) == LLVMGetIncomingBlock(phi, k))
                address = LLVMGetIncomingValue(phi, j);
        LLVMPositionBuilderBefore(l->b, LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(phi, k)));
        LLVMSetOperand(phi, k, address ? address : lw_address(l, value, bytes));
    }
}

bool
lw_legal_steps(struct lw_legal *l)
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(l->function); block;
         block = LLVMGetNextBasicBlock(block))
        for (V i = LLVMGetFirstInstruction(block); i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
            if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMPointerTypeKind)
                begin_at_address(l, i);
    return lw_replace_each(l, step_over_bytes);
}

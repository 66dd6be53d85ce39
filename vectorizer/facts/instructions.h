/* SPDX-License-Identifier: MIT */
/* What passes ask of LLVM's instructions in one step, and the C API answers in several. */
#ifndef LW_VECTORIZER_INSTRUCTIONS_H
#define LW_VECTORIZER_INSTRUCTIONS_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>

/* All instructions of a function, block by block, NULL behind the last one. Blocks and what stands in them
 * must stay as they are on the way. */
static inline LLVMValueRef
lw_first_instruction(LLVMValueRef function)
{
    LLVMBasicBlockRef entry = LLVMGetFirstBasicBlock(function);
    return entry ? LLVMGetFirstInstruction(entry) : NULL;
}

static inline LLVMValueRef
lw_next_instruction(LLVMValueRef i)
{
    LLVMValueRef next = LLVMGetNextInstruction(i);
    LLVMBasicBlockRef block = next ? NULL : LLVMGetNextBasicBlock(LLVMGetInstructionParent(i));
    for (; block && !next; block = LLVMGetNextBasicBlock(block))
        next = LLVMGetFirstInstruction(block);
    return next;
}

/* The first one from `i` on, in its block, that is no phi. */
static inline LLVMValueRef
lw_behind_phis(LLVMValueRef i)
{
    while (LLVMIsAPHINode(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

static inline bool
lw_has_one_use(LLVMValueRef v)
{
    LLVMUseRef use = LLVMGetFirstUse(v);
    return use && !LLVMGetNextUse(use);
}

/* In every place, and `old` is gone. */
static inline void
lw_replace(LLVMValueRef old, LLVMValueRef by)
{
    LLVMReplaceAllUsesWith(old, by);
    LLVMInstructionEraseFromParent(old);
}

/* What a phi is on the way from `from`, NULL where there is no such way. */
static inline LLVMValueRef
lw_incoming_from(LLVMValueRef phi, LLVMBasicBlockRef from)
{
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        if (LLVMGetIncomingBlock(phi, k) == from)
            return LLVMGetIncomingValue(phi, k);
    return NULL;
}

#endif

/* SPDX-License-Identifier: MIT */
/* A shuffle's second operand that is poison: the back end writes one of another type for it. Nothing that
 * counts is selected from it, so that the first operand serves as well. Alignments of loads and stores beyond
 * 64, which it writes as a signed byte, say nothing more than 64 does. */
#include "legal.h"

#define MOST_ALIGNED 64u

static void
mend_shuffle(struct lw_legal *l, V shuffle)
{
    V first = LLVMGetOperand(shuffle, 0), second = LLVMGetOperand(shuffle, 1);
    unsigned components = LLVMGetVectorSize(LLVMTypeOf(first)), count = LLVMGetNumMaskElements(shuffle);
    T index = LLVMInt32TypeInContext(l->context);
    V mask[LW_MOST_COMPONENTS];
    if (!LLVMIsUndef(first) && !LLVMIsUndef(second)) /* poison is undefined, too */
        return;
    if (LLVMIsUndef(first) && LLVMIsUndef(second)) {
        LLVMReplaceAllUsesWith(shuffle, LLVMGetPoison(LLVMTypeOf(shuffle)));
        LLVMInstructionEraseFromParent(shuffle);
        return;
    }
    bool swap = LLVMIsUndef(first);
    for (unsigned k = 0; k < count; k++) {
        int from = LLVMGetMaskValue(shuffle, k);
        bool of_first = from >= 0 && (unsigned)from < components;
        bool known = from >= 0 && of_first != swap;
        unsigned place = (unsigned)from - (swap ? components : 0);
        mask[k] = known ? LLVMConstInt(index, place, false) : LLVMGetPoison(index);
    }
    V kept = swap ? second : first;
    lw_write_at(l, shuffle);
    V made = LLVMBuildShuffleVector(l->b, kept, kept, LLVMConstVector(mask, count), "");
    LLVMReplaceAllUsesWith(shuffle, made);
    LLVMInstructionEraseFromParent(shuffle);
}

bool
lw_legal_operands(struct lw_legal *l)
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(l->function); block;
         block = LLVMGetNextBasicBlock(block))
        for (V i = LLVMGetFirstInstruction(block), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            bool accesses = LLVMIsALoadInst(i) || LLVMIsAStoreInst(i);
            if (LLVMIsAShuffleVectorInst(i))
                mend_shuffle(l, i);
            else if (accesses && LLVMGetAlignment(i) > MOST_ALIGNED)
                LLVMSetAlignment(i, MOST_ALIGNED);
        }
    return true;
}

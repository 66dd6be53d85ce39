/* SPDX-License-Identifier: MIT */
/* Extensions of what was cut off, (ushort)(uchar)an_int, of which the back end makes operands of two widths:
 * it takes the cut for a mask and forgets to change the type. Written as masks and shifts in one width. */
#include "legal.h"

/* The low `kept` bits of x in the narrower of its type and `to`, extended to `to`. */
static V
extended(struct lw_legal *l, V x, unsigned kept, T to, bool of_sign)
{
    unsigned from_bits = lw_bits_of(lw_scalar_of(LLVMTypeOf(x))), to_bits = lw_bits_of(lw_scalar_of(to));
    if (to_bits < from_bits)
        x = LLVMBuildTrunc(l->b, x, to, "");
    T type = LLVMTypeOf(x);
    unsigned bits = to_bits < from_bits ? to_bits : from_bits;
    if (of_sign) {
        V shift = lw_number(l, type, bits - kept);
        x = LLVMBuildAShr(l->b, LLVMBuildShl(l->b, x, shift, ""), shift, "");
        return bits == to_bits ? x : LLVMBuildSExt(l->b, x, to, "");
    }
    x = LLVMBuildAnd(l->b, x, lw_number(l, type, ~(uint64_t)0 >> (64 - kept)), "");
    return bits == to_bits ? x : LLVMBuildZExt(l->b, x, to, "");
}

bool
lw_legal_extensions(struct lw_legal *l)
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(l->function); block;
         block = LLVMGetNextBasicBlock(block))
        for (V i = LLVMGetFirstInstruction(block), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            V cut = LLVMIsAZExtInst(i) || LLVMIsASExtInst(i) ? LLVMGetOperand(i, 0) : NULL;
            if (!cut || !LLVMIsATruncInst(cut))
                continue;
            lw_write_at(l, i);
            V made = extended(l, LLVMGetOperand(cut, 0), lw_bits_of(lw_scalar_of(LLVMTypeOf(cut))),
                              LLVMTypeOf(i), LLVMIsASExtInst(i));
            LLVMReplaceAllUsesWith(i, made);
            LLVMInstructionEraseFromParent(i);
            if (!LLVMGetFirstUse(cut))
                LLVMInstructionEraseFromParent(cut);
        }
    return true;
}

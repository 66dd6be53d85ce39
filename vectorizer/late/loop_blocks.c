/* SPDX-License-Identifier: MIT */
/* The blocks of a loop, see loop_blocks.h.
 *
 * Enters: any function. Leaves: it as it is. Relies on: the header dominating the latch, so that a walk
 * against the edges ends there.
 */
#include "loop_blocks.h"

static bool
has_block(const struct lw_loop_blocks *l, LLVMBasicBlockRef block)
{
    for (unsigned k = 0; k < l->count; k++)
        if (l->blocks[k] == block)
            return true;
    return false;
}

static bool
add_block(struct lw_loop_blocks *l, LLVMBasicBlockRef block)
{
    if (has_block(l, block))
        return true;
    if (l->count == LW_MOST_LOOP_BLOCKS)
        return false;
    l->blocks[l->count++] = block;
    return true;
}

bool
lw_find_loop_blocks(struct lw_loop_blocks *l)
{
    l->count = 0;
    add_block(l, l->header);
    add_block(l, l->latch);
    for (unsigned k = 1; k < l->count; k++) {
        LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(l->blocks[k]));
        for (; use; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            if (!LLVMIsATerminatorInst(user) || !add_block(l, LLVMGetInstructionParent(user)))
                return false;
        }
    }
    return !has_block(l, l->before);
}

bool
lw_is_in_loop(const struct lw_loop_blocks *l, LLVMValueRef value)
{
    return LLVMIsAInstruction(value) && has_block(l, LLVMGetInstructionParent(value));
}

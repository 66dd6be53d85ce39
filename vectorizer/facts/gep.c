/* SPDX-License-Identifier: MIT */
/* The indices of a GEP one after the other, through structures, arrays and vectors.
 *
 * Enters: a GEP of one pointer. Leaves: bytes. Relies on: members of structures being chosen by numbers, as
 * LLVM demands. Never: changes an instruction.
 */
#include "gep.h"

#include <llvm-c/Core.h>
#include <stddef.h>

struct lw_gep_walk
lw_gep_walk(LLVMTargetDataRef layout, LLVMValueRef gep)
{
    return (struct lw_gep_walk){
        .layout = layout, .gep = gep, .type = LLVMGetGEPSourceElementType(gep), .next = 1};
}

bool
lw_gep_step(struct lw_gep_walk *walk)
{
    if (walk->next == (unsigned)LLVMGetNumOperands(walk->gep))
        return false;
    bool inside = walk->next > 1;
    LLVMValueRef index = LLVMGetOperand(walk->gep, walk->next++);
    bool is_number = LLVMIsAConstantInt(index) != NULL;
    walk->index = is_number ? NULL : index;
    if (inside && LLVMGetTypeKind(walk->type) == LLVMStructTypeKind) {
        unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);
        walk->bytes = LLVMOffsetOfElement(walk->layout, walk->type, member);
        walk->type = LLVMStructGetTypeAtIndex(walk->type, member);
        return true;
    }
    if (inside)
        walk->type = LLVMGetElementType(walk->type);
    walk->bytes = LLVMABISizeOfType(walk->layout, walk->type);
    if (is_number)
        walk->bytes *= (uint64_t)LLVMConstIntGetSExtValue(index);
    return true;
}

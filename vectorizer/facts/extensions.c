/* SPDX-License-Identifier: MIT */
/* Extensions of indices, see extensions.h.
 *
 * Enters: any function. Leaves: it as it is. Why it is asked: flow/addresses.h.
 */
#include "extensions.h"

#include "calls.h"
#include "gep.h"
#include "memory_effects.h"

#define USERS 64 /* of one extension */

bool
lw_is_extension(LLVMValueRef v)
{
    return LLVMIsAInstruction(v) &&
           (LLVMGetInstructionOpcode(v) == LLVMSExt || LLVMGetInstructionOpcode(v) == LLVMZExt) &&
           LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(LLVMTypeOf(v)) == 64 &&
           LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(v, 0))) == 32;
}

/* Does the pointer lead into one argument, local memory or the program's variables? */
static bool
is_in_one_buffer(LLVMValueRef pointer)
{
    LLVMValueRef object = lw_object_of(pointer);
    return LLVMIsAArgument(object) || LLVMIsAGlobalVariable(object) ||
           lw_is_call_of(object, "lw.local_base") || lw_is_call_of(object, "lw.program_base");
}

/* What is a multiple of 2^32 apart stays so. */
static bool
is_linear(LLVMValueRef step, LLVMValueRef from)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(step);
    if (op == LLVMAdd || op == LLVMSub)
        return true;
    return (op == LLVMMul || op == LLVMShl) && LLVMGetOperand(step, 0) == from &&
           LLVMIsAConstantInt(LLVMGetOperand(step, 1));
}

bool
lw_serves_accesses_only(LLVMValueRef extension)
{
    LLVMValueRef stack[USERS];
    LLVMBasicBlockRef home = LLVMGetInstructionParent(extension);
    unsigned depth = 0, seen = 0;
    if (!lw_is_extension(extension) || !LLVMGetFirstUse(extension))
        return false;
    stack[depth++] = extension;
    while (depth) {
        LLVMValueRef from = stack[--depth];
        for (LLVMUseRef use = LLVMGetFirstUse(from); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            if (++seen > USERS || LLVMGetInstructionParent(user) != home)
                return false;
            LLVMValueRef address = lw_accessed_address(user);
            if (address) {
                if (address != from || lw_moved_by(user) == from)
                    return false;
                continue;
            }
            bool gep = LLVMGetInstructionOpcode(user) == LLVMGetElementPtr;
            if (gep ? !is_in_one_buffer(user) : !is_linear(user, from))
                return false;
            if (depth == USERS)
                return false;
            stack[depth++] = user;
        }
    }
    return true;
}

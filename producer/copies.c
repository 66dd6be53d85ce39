/* SPDX-License-Identifier: MIT */
/* Elements of asynchronous copies. The back end takes them to be what the source is: all of a local array
 * where the copy begins there, bytes where the passes count in bytes to where it begins. The function's name
 * tells what they are: each pointer comes to the call by way of an address of that type. */
#include "legal.h"

#include <string.h>

#include "spirv/support.h"

/* What the first parameter points to; NULL: no numbers. */
static T
element_named(struct lw_legal *l, const char *parameters)
{
    struct lw_mangled_type type;
    lw_unmangle_type(parameters, &type);
    if (!type.points || !type.kind || (type.lanes != 1 && !lw_is_legal_length(type.lanes)))
        return NULL;
    T scalar = type.kind != 'f'   ? LLVMIntTypeInContext(l->context, type.width)
               : type.width == 64 ? LLVMDoubleTypeInContext(l->context)
               : type.width == 32 ? LLVMFloatTypeInContext(l->context)
                                  : LLVMHalfTypeInContext(l->context);
    return type.lanes == 1 ? scalar : LLVMVectorType(scalar, type.lanes);
}

bool
lw_legal_copies(struct lw_legal *l)
{
    static const char *const names[] = {"_Z21async_work_group_copy", "_Z29async_work_group_strided_copy"};
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(l->function); block;
         block = LLVMGetNextBasicBlock(block))
        for (V i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
            unsigned which = LLVMIsACallInst(i) ? lw_which_call(i, names, 2) : 2;
            T element = which < 2 ? element_named(l, lw_called(i) + strlen(names[which])) : NULL;
            for (unsigned k = 0; element && k < 2; k++) {
                lw_write_at(l, i);
                LLVMSetOperand(i, k, lw_address(l, LLVMGetOperand(i, k), element));
            }
        }
    return true;
}

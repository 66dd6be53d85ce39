/* SPDX-License-Identifier: MIT */
/* Elements of asynchronous copies. The back end takes them to be what the source is: all of a local array
 * where the copy begins there, bytes where the passes count in bytes to where it begins. The function's name
 * tells what they are: each pointer comes to the call by way of an address of that type. */
#include "legal.h"

#include <stdlib.h>
#include <string.h>

/* A number's type by its letters in a mangled name; NULL: of no number. */
static T
scalar_named(struct lw_legal *l, const char *at)
{
    switch (*at) {
    case 'c':
    case 'a':
    case 'h':
        return LLVMInt8TypeInContext(l->context);
    case 's':
    case 't':
        return LLVMInt16TypeInContext(l->context);
    case 'i':
    case 'j':
        return LLVMInt32TypeInContext(l->context);
    case 'l':
    case 'm':
        return LLVMInt64TypeInContext(l->context);
    case 'f':
        return LLVMFloatTypeInContext(l->context);
    case 'd':
        return LLVMDoubleTypeInContext(l->context);
    case 'D':
        return at[1] == 'h' ? LLVMHalfTypeInContext(l->context) : NULL;
    default:
        return NULL;
    }
}

/* What the first argument points to: "U3AS1Dv4_f". */
static T
element_named(struct lw_legal *l, const char *at)
{
    unsigned count = 1;
    if (strncmp(at, "U3AS", 4) == 0)
        at += 5;
    if (strncmp(at, "Dv", 2) == 0) {
        char *end;
        count = (unsigned)strtoul(at + 2, &end, 10);
        at = end + 1;
    }
    T scalar = scalar_named(l, at);
    return !scalar || (count > 1 && !lw_is_legal_length(count)) ? NULL
           : count > 1                                          ? LLVMVectorType(scalar, count)
                                                                : scalar;
}

bool
lw_legal_copies(struct lw_legal *l)
{
    static const char *const names[] = {"_Z21async_work_group_copyP", "_Z29async_work_group_strided_copyP"};
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

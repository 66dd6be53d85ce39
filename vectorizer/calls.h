/* SPDX-License-Identifier: MIT */
#ifndef LW_VECTORIZER_CALLS_H
#define LW_VECTORIZER_CALLS_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <string.h>

/* Is the value a call of the function of that name, as "lw.local_base"? */
static inline bool
lw_is_call_of(LLVMValueRef value, const char *name)
{
    LLVMValueRef callee = LLVMIsACallInst(value) ? LLVMGetCalledValue(value) : NULL;
    size_t length;

    return callee && LLVMIsAFunction(callee) && strcmp(LLVMGetValueName2(callee, &length), name) == 0;
}

#endif

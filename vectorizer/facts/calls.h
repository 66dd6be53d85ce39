/* SPDX-License-Identifier: MIT */
/* Calls by the names of what they call: lw.* stand for what the vectorizer makes, llvm.* are LLVM's. */
#ifndef LW_VECTORIZER_CALLS_H
#define LW_VECTORIZER_CALLS_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <string.h>

/* The name of the function that is called; "": no call, or through a pointer. */
static inline const char *
lw_called(LLVMValueRef value)
{
    LLVMValueRef callee = LLVMIsACallInst(value) ? LLVMGetCalledValue(value) : NULL;
    size_t length;

    return callee && LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
}

/* Is the value a call of the function of that name, as "lw.local_base"? */
static inline bool
lw_is_call_of(LLVMValueRef value, const char *name)
{
    return strcmp(lw_called(value), name) == 0;
}

/* Of one whose name begins so, as "llvm.masked.load."? */
static inline bool
lw_is_call_like(LLVMValueRef value, const char *prefix)
{
    return strncmp(lw_called(value), prefix, strlen(prefix)) == 0;
}

#endif

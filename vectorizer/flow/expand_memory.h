/* SPDX-License-Identifier: MIT */
/* Replaces llvm.memcpy, llvm.memmove and llvm.memset by loads, stores and loops. */
#ifndef LW_VECTORIZER_EXPAND_MEMORY_H
#define LW_VECTORIZER_EXPAND_MEMORY_H

#include <stdbool.h>
#include <llvm-c/Core.h>

struct lw_expansion {
    LLVMModuleRef module;
    bool changed;
    bool loops; /* long or variable lengths became calls of alwaysinline functions */
};

/* Expands `call` where it is one of the three, and erases it: true. */
bool lw_expand_memory_call(struct lw_expansion *x, LLVMValueRef call);
/* Writes a store of a constant over several elements of a private array as one of each. */
void lw_expand_constant_store(struct lw_expansion *x, LLVMValueRef store);

#endif

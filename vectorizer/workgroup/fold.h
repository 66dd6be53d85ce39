/* SPDX-License-Identifier: MIT */
/* Instructions whose operands are constants, once a sub-group's number is one. */
#ifndef LW_VECTORIZER_FOLD_H
#define LW_VECTORIZER_FOLD_H

#include <stdbool.h>
#include <llvm-c/Core.h>

#define LW_FOLD_OPERANDS 4

/* Could lw_fold make a constant of it? */
bool lw_may_fold(LLVMValueRef instruction);
/* What `instruction` is over `operands` (NULL: not known): a constant, or one of them; NULL: neither. A store
 * without lanes is `gone`. Writes no instruction. */
LLVMValueRef lw_fold(LLVMBuilderRef builder, LLVMValueRef instruction, LLVMValueRef *operands, bool *gone);

#endif

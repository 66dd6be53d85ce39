/* SPDX-License-Identifier: MIT */
#ifndef LW_VECTORIZER_SPACES_H
#define LW_VECTORIZER_SPACES_H

#include <stdbool.h>
#include <llvm-c/Core.h>

/* Tells LLVM that global memory, local memory and the slots of values between regions never overlap
 * (spaces.c); where `apart`, that what two arguments of the kernel or the sub-group function point into does
 * not, either (compiler.h: buffers_apart). Accesses that are marked already stay as they are. */
void lw_mark_spaces(LLVMModuleRef module, bool apart);
/* Of a load or store of such a slot. */
void lw_mark_slot(LLVMValueRef access);
/* What is loaded from slots goes near its use; of vectors of which single lanes are wanted, each of these. */
void lw_settle_slots(LLVMModuleRef module);

#endif

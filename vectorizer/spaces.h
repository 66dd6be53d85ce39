/* SPDX-License-Identifier: MIT */
#ifndef LW_VECTORIZER_SPACES_H
#define LW_VECTORIZER_SPACES_H

#include <llvm-c/Core.h>

/* Tells LLVM that global memory, local memory and the slots of values between regions never overlap
 * (spaces.c).
 */
void lw_mark_spaces(LLVMModuleRef module);
/* Of a load or store of such a slot. */
void lw_mark_slot(LLVMValueRef access);
/* What is loaded from slots goes near its use; of vectors of which single lanes are wanted, each of these. */
void lw_settle_slots(LLVMModuleRef module);

#endif

/* SPDX-License-Identifier: MIT */
/* Sums that a front end wrote as ors. */
#ifndef LW_VECTORIZER_SUMS_H
#define LW_VECTORIZER_SUMS_H

#include <llvm-c/Core.h>

/* Marks ors whose operands have no bit in common as disjoint: LLVM and what asks for sums here take them for
 * what they are, b * 64 + k. SPIR-V has no such mark, so that front ends' ors have lost theirs. */
void lw_find_sums(LLVMModuleRef module);
/* So many of its lowest bits are known to be zero. */
unsigned lw_low_zeros(LLVMValueRef v);

#endif

/* SPDX-License-Identifier: MIT */
/* Small vectors that are only loaded, chosen and stored, as one number each. */
#ifndef LW_VECTORIZER_MOVED_VECTORS_H
#define LW_VECTORIZER_MOVED_VECTORS_H

#include <llvm-c/Core.h>

/* d[i] = in ? s[j] : (uchar4)(0) moves words of 32 bits behind this: lanes take no vector apart for it. */
void lw_move_vectors_whole(LLVMModuleRef module);

#endif

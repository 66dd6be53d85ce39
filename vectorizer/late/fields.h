/* SPDX-License-Identifier: MIT */
/* Halves of the words that lanes load and store, changed where they are. */
#ifndef LW_VECTORIZER_LANES_FIELDS_H
#define LW_VECTORIZER_LANES_FIELDS_H

#include <llvm-c/Core.h>

void lw_join_fields(LLVMModuleRef module);

#endif

/* SPDX-License-Identifier: MIT */
/* Scatters of lanes that are known. */
#ifndef LW_VECTORIZER_KNOWN_STORES_H
#define LW_VECTORIZER_KNOWN_STORES_H

#include <llvm-c/Core.h>

/* Behind the last LLVM pass: scatters under masks that are constants become stores (known_stores.c). */
void lw_store_known_lanes(LLVMModuleRef module);

#endif

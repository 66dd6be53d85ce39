/* SPDX-License-Identifier: MIT */
#ifndef LW_VECTORIZER_EXCHANGES_H
#define LW_VECTORIZER_EXCHANGES_H

#include <stdbool.h>
#include <llvm-c/Core.h>

/* Loops around a compare-and-exchange that only add become atomic additions, see exchanges.c. true: some
 * did. */
bool lw_join_exchanges(LLVMModuleRef module);

#endif

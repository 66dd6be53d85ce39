/* SPDX-License-Identifier: MIT */
#ifndef LW_VECTORIZER_LATE_STORES_H
#define LW_VECTORIZER_LATE_STORES_H

#include <stdbool.h>
#include <llvm-c/Core.h>

/* Lets stores to a place that is stored to again wait until ways meet, see late_stores.c. true: the kernel
 * has variables that are to become values. Out of memory leaves it valid, and as it is. */
bool lw_store_late(LLVMModuleRef module);

#endif

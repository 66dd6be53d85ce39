/* SPDX-License-Identifier: MIT */
/* Divisions of counters. */
#ifndef LW_VECTORIZER_KEPT_QUOTIENTS_H
#define LW_VECTORIZER_KEPT_QUOTIENTS_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/* Behind the last LLVM pass: `x / d` and `x % d` of scalars divide only where x has left the row of d that it
 * was in the round before (kept_quotients.c). false: out of memory. */
bool lw_keep_quotients(LLVMModuleRef module);

#endif

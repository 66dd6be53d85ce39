/* SPDX-License-Identifier: MIT */
#ifndef LW_VECTORIZER_PROMOTE_H
#define LW_VECTORIZER_PROMOTE_H

#include <stdbool.h>
#include <llvm-c/Core.h>

/* Turns the variables of all functions into values, see promote.c. false: out of memory; the module is valid.
 */
bool lw_promote_slots(LLVMModuleRef module);

#endif

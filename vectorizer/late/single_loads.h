/* SPDX-License-Identifier: MIT */
/* Gathers, for processors that are slow at them. */
#ifndef LW_VECTORIZER_SINGLE_LOADS_H
#define LW_VECTORIZER_SINGLE_LOADS_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/* Behind the last LLVM pass, for shapes with slow_gathers (compiler.h): gathers of all lanes become loads of
 * each (single_loads.c). false: out of memory. */
bool lw_load_singly(LLVMModuleRef module);

#endif

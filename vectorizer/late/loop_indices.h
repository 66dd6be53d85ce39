/* SPDX-License-Identifier: MIT */
/* Addresses of 32-bit indices in loops that count to a constant. */
#ifndef LW_VECTORIZER_LOOP_INDICES_H
#define LW_VECTORIZER_LOOP_INDICES_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/* Behind the last LLVM pass, for a shape whose buffers span less than 4 GiB: what a loop does not change of
 * an address of an element of a buffer is computed before it (loop_indices.c). false: out of memory. */
bool lw_hoist_indices(LLVMModuleRef module);

#endif

/* SPDX-License-Identifier: MIT */
/* Loops that go again over rows of memory that each work-item has of its own. */
#ifndef LW_JIT_REVISITED_H
#define LW_JIT_REVISITED_H

#include <stdbool.h>
#include <stdint.h>
#include <llvm-c/Core.h>

/* Do these blocks of a loop load, elsewhere than they store in the same round, what an earlier one of its
 * rounds may have stored? Each lane in memory of its own. */
bool lw_revisits_rows(const LLVMBasicBlockRef *blocks, uint32_t count);

#endif

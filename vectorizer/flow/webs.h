/* SPDX-License-Identifier: MIT */
/* Webs of jumps become loops that look up where to go on. */
#ifndef LW_VECTORIZER_WEBS_H
#define LW_VECTORIZER_WEBS_H

#include <stdbool.h>
#include <llvm-c/Core.h>

/* Enters: one return, no value that crosses blocks (reg2mem). Leaves the same, with a switch for each web
 * that became a loop. False: out of memory. */
bool lw_flatten_webs(LLVMValueRef function);

#endif

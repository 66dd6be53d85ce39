/* SPDX-License-Identifier: MIT */
/* Opens a compiler library: in the runtime, and in the compiler process. */
#ifndef LW_SRC_COMPILER_LIBRARY_H
#define LW_SRC_COMPILER_LIBRARY_H

#include "../compiler.h"

/* NULL, with the reason in `error` (may be NULL): it is none, or of another build. Never closed: LLVM's
 * static state does not survive a second load, and code of ours may still be running. */
const struct lw_compiler *lw_open_compiler(const char *path, lw_error *error);

#endif

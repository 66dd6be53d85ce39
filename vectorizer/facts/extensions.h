/* SPDX-License-Identifier: MIT */
/* Extensions of 32-bit indices to 64 bits, and what they serve. */
#ifndef LW_VECTORIZER_EXTENSIONS_H
#define LW_VECTORIZER_EXTENSIONS_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/* Of a scalar, i32 -> i64? */
bool lw_is_extension(LLVMValueRef v);
/* Is every use of such an extension, through address arithmetic, an access in the extension's own
 * block to a kernel argument or to local memory? */
bool lw_serves_accesses_only(LLVMValueRef extension);

#endif

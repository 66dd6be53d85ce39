/* SPDX-License-Identifier: MIT */
/* Arithmetic of 16 bits between bytes: the even lanes and the odd ones apart. */
#ifndef LW_VECTORIZER_LANES_BYTES_H
#define LW_VECTORIZER_LANES_BYTES_H

#include <llvm-c/Core.h>
#include <lanewise/lanewise.h>

/* false: out of memory. */
bool lw_halve_bytes(LLVMModuleRef module, lw_isa isa);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef LW_VECTORIZER_PACK_H
#define LW_VECTORIZER_PACK_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <lanewise/lanewise.h>

/* Equal instructions of neighbouring sub-groups become one over all their lanes (pack.c). false: out of
 * memory. */
bool lw_pack_sub_groups(LLVMModuleRef module, lw_isa isa);

#endif

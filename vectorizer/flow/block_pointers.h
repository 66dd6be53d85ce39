/* SPDX-License-Identifier: MIT */
/* Pointers of blocks that all work-items of a sub-group have in common. */
#ifndef LW_VECTORIZER_BLOCK_POINTERS_H
#define LW_VECTORIZER_BLOCK_POINTERS_H

#include <llvm-c/Core.h>

/* `int to ptr(sg.broadcast_first(ptr to int p))`, which spirv/emit_groups.c makes of a block's pointer,
 * becomes p where p cannot differ between a sub-group's work-items. */
void lw_take_block_pointers(LLVMModuleRef module);

#endif

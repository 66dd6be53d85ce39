/* SPDX-License-Identifier: MIT */
/* What passes over a module have around them: a builder, and an arena or a walk over all instructions. */
#ifndef LW_VECTORIZER_MODULE_PASS_H
#define LW_VECTORIZER_MODULE_PASS_H

#include "../../spirv/arena.h"
#include "../lanes/lanes.h"

/* `pass` once, with the module's builder and an arena, which are gone behind it. false: out of memory; the
 * pass was left where it asked for some. */
bool lw_run_pass(LLVMModuleRef module, lw_isa isa,
                 void (*pass)(lw_lanes *l, struct lw_arena *arena, void *data), void *data);

/* `visit` of each instruction of the module, block by block. It may erase that instruction, write others
 * before it, and erase what stands before it. */
void lw_visit_instructions(LLVMModuleRef module, lw_isa isa, void (*visit)(lw_lanes *l, V instruction));

/* Functions whose names begin so, which nothing calls. */
void lw_delete_functions(LLVMModuleRef module, const char *prefix);

/* Instructions that at most each other read; NULLs are passed over. */
void lw_erase_together(V *instructions, uint32_t count);

/* Moves what stands before `first` in its block, with the phis, to a block of its own before it, and all ways
 * to the block there. The way between the two is the caller's to write. */
LLVMBasicBlockRef lw_part_block(LLVMBuilderRef builder, V first);

#endif

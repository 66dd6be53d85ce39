/* SPDX-License-Identifier: MIT */
/* Functions, their blocks and calls: between emit.c and emit_function.c, emit_blocks.c. */
#ifndef LW_SPIRV_EMIT_FUNCTION_H
#define LW_SPIRV_EMIT_FUNCTION_H

#include "emitter.h"

void lw_declare_function(lw_emitter *e, uint32_t index);
void lw_define_function(lw_emitter *e, uint32_t index);
/* OpFunctionCall; false for other opcodes. */
bool lw_emit_call(lw_emitter *e);
/* The body of a function that only sets bytes in a loop, with the parameters valued; false: another one. */
bool lw_emit_fill(lw_emitter *e, const struct lw_spirv_function *f);
/* The body: every reachable block, with e->function set and the parameters valued. Returns the first block.
 */
LLVMBasicBlockRef lw_emit_blocks(lw_emitter *e, const struct lw_spirv_function *f);

#endif

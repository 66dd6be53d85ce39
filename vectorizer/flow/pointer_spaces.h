/* SPDX-License-Identifier: MIT */
#ifndef LW_VECTORIZER_POINTER_SPACES_H
#define LW_VECTORIZER_POINTER_SPACES_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/* The operand of lw.memory_begin and lw.memory_end. */
enum lw_memory { LW_MEMORY_LOCAL, LW_MEMORY_FRAME, LW_MEMORY_STACK };

/* Replaces the calls of lw.space_of (pointer_spaces.c). false: out of memory. */
bool lw_lower_pointer_spaces(LLVMModuleRef module, bool *changed);

#endif

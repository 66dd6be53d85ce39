/* SPDX-License-Identifier: MIT */
#ifndef LW_VECTORIZER_MEMORY_EFFECTS_H
#define LW_VECTORIZER_MEMORY_EFFECTS_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include "../../src/compiler.h"

/* In this order: who must not write must not do what is greater. */
enum lw_memory_effect { LW_NO_MEMORY, LW_READS_MEMORY, LW_WRITES_MEMORY };

/* What an instruction may do to memory, of a call what the function's attributes promise (memory_effects.c).
 * Volatile and atomic loads count as writing: nothing passes them. */
enum lw_memory_effect lw_memory_effect(LLVMValueRef instruction);

/* A value of its operands, and nothing else: no memory, no way taken. */
bool lw_only_computes(LLVMValueRef instruction);

/* Is it an access of memory whose place among others' counts: an atomic, a fence, or a volatile access? */
bool lw_is_ordered_access(LLVMValueRef instruction);

/* Of a load or a store, its address, and what it reads or writes. NULL: it is something else. */
LLVMValueRef lw_address_of(LLVMValueRef access);
LLVMValueRef lw_moved_by(LLVMValueRef access);
/* Where a store or an atomic operation writes; NULL: it is something else. */
LLVMValueRef lw_written_address(LLVMValueRef access);
/* Of a load, a store or an atomic operation. NULL: it is something else. */
LLVMValueRef lw_accessed_address(LLVMValueRef access);
/* The address of one that is no ordered access. */
LLVMValueRef lw_plain_address(LLVMValueRef access);

/* Do the two pointers reach no common byte: of different memory, or buffers of a dispatch that has them
 * apart? */
bool lw_never_meet(const struct lw_shape *shape, LLVMValueRef a, LLVMValueRef b);

#endif

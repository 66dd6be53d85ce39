/* SPDX-License-Identifier: MIT */
/* Index arithmetic in 32 bits, made visible and brought to the accesses it serves.
 *
 *   %w = shl i64 %x, 32                             %n = trunc i64 %x to i32
 *   %a = ashr exact i64 %w, 30             ->       %e = sext i32 %n to i64
 *                                                   %a = shl i64 %e, 2
 *
 * Whether such an extension wraps between two lanes is not known, but two lanes that both access a buffer of
 * less than 4 GiB cannot lie on the two sides of a wrap. That holds for the lanes of the access, so the
 * extension is repeated in the block of each access, where its lanes are the same.
 */
#ifndef LW_VECTORIZER_ADDRESSES_H
#define LW_VECTORIZER_ADDRESSES_H

#include <stdbool.h>
#include <llvm-c/Core.h>

/* Rewrites shifts and masks that extend the low half of an i64 as trunc and sext or zext, and GEP indices
 * that are extended implicitly; phis of an index and of the constant that a branch found it equal to as the
 * index. */
void lw_expose_extensions(LLVMValueRef function);
/* Copies the address arithmetic that contains an extension to each block with an access of its own. */
void lw_sink_addresses(LLVMValueRef function);

/* For shapes whose buffers span less than 4 GiB: pointers that go round in loops become indices of 32 bits
 * (walks.c). */
void lw_index_walks(LLVMModuleRef module, LLVMValueRef function);
/* For shapes whose rows are shorter than their sub-groups: what pointers and indices that go round start from
 * stands apart from how far they went, which all lanes have in common. */
void lw_split_walks(LLVMModuleRef module, LLVMValueRef function);

#endif

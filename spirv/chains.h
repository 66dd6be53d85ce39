/* SPDX-License-Identifier: MIT */
/* Pointers that are made of pointers: which operations do, and where chains of constant indices lead. */
#ifndef LW_SPIRV_CHAINS_H
#define LW_SPIRV_CHAINS_H

#include "module.h"

static inline bool
lw_is_access_chain(uint32_t op)
{
    return op == SpvOpAccessChain || op == SpvOpInBoundsAccessChain || op == SpvOpPtrAccessChain ||
           op == SpvOpInBoundsPtrAccessChain;
}

/* Is the first index of the chain one of whole values behind the pointer? */
static inline bool
lw_chain_has_element(uint32_t op)
{
    return op == SpvOpPtrAccessChain || op == SpvOpInBoundsPtrAccessChain;
}

/* A chain, a cast or a copy: its pointer leads where the one in word 3 does, or into it. */
static inline bool
lw_derives_pointer(uint32_t op)
{
    return lw_is_access_chain(op) || op == SpvOpBitcast || op == SpvOpCopyObject ||
           op == SpvOpPtrCastToGeneric || op == SpvOpGenericCastToPtr;
}

/* What pointers of the type lead to; 0: it is none. */
uint32_t lw_pointee_of(const lw_module *m, uint32_t pointer_type);
/* What an asynchronous copy moves: numbers or vectors. clang-22 has it copy arrays of them, so many as there
 * are elements, where it begins at an array. */
uint32_t lw_copied_element(const lw_module *m, uint32_t pointer_type);
/* The part of a composite type that the index, an id, leads to; 0: it does not fit. */
uint32_t lw_indexed_type(const lw_module *m, uint32_t type, uint32_t index);
/* Adds the bytes by which a chain, or an OpSpecConstantOp that is one, moves its pointer. false: they are not
 * constant. Where the last index is of an array, the type of the result tells the stride: clang-22 writes
 * byte offsets into constants as an index of a uchar in an array of something else. */
bool lw_chain_offset(const lw_module *m, const struct lw_inst *chain, uint64_t *offset);

#endif

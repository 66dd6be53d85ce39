/* SPDX-License-Identifier: MIT */
/* What each index of a GEP adds to its base: so many bytes, or so many times its value. */
#ifndef LW_VECTORIZER_GEP_H
#define LW_VECTORIZER_GEP_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stdint.h>

struct lw_gep_walk {
    LLVMTargetDataRef layout;
    LLVMValueRef gep, index; /* the latter: NULL where it is a number, as of members */
    LLVMTypeRef type;
    uint64_t bytes; /* that the number adds, modulo 2^64, or the index for each 1 */
    unsigned next;
};

/* Of one pointer, not a vector of them; in front of the first index. */
struct lw_gep_walk lw_gep_walk(LLVMTargetDataRef layout, LLVMValueRef gep);
/* To the next index; false: there is none. */
bool lw_gep_step(struct lw_gep_walk *walk);

/* Its address space, LW_AS_* (spirv/intrinsics.h). */
static inline unsigned
lw_space_of(LLVMValueRef pointer)
{
    return LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
}

/* The address in the space that it had before it was said to be generic. */
static inline LLVMValueRef
lw_before_casts(LLVMValueRef pointer)
{
    while (LLVMIsAAddrSpaceCastInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return pointer;
}

/* What the address is so many bytes from. */
static inline LLVMValueRef
lw_gep_root(LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return pointer;
}

/* What it points into, whatever space it is said to be in. */
static inline LLVMValueRef
lw_object_of(LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsAAddrSpaceCastInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return pointer;
}

#endif

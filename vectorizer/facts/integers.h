/* SPDX-License-Identifier: MIT */
/* Integers as passes look at them: which operations are arithmetic, and what they give where their operands
 * are known. Values of up to 64 bits are kept in the lowest bits of a word, the rest of it zero.
 */
#ifndef LW_VECTORIZER_INTEGERS_H
#define LW_VECTORIZER_INTEGERS_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sums, products, bits and shifts: no operand makes them trap. */
static inline bool
lw_is_int_operation(LLVMOpcode op)
{
    switch (op) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        return true;
    default:
        return false;
    }
}

static inline bool
lw_is_int_division(LLVMOpcode op)
{
    return op == LLVMUDiv || op == LLVMURem || op == LLVMSDiv || op == LLVMSRem;
}

static inline bool
lw_is_int_cast(LLVMOpcode op)
{
    return op == LLVMTrunc || op == LLVMZExt || op == LLVMSExt;
}

static inline uint64_t
lw_zero_extend(uint64_t value, unsigned width)
{
    return width >= 64 ? value : value & ((UINT64_C(1) << width) - 1);
}

static inline int64_t
lw_sign_extend(uint64_t value, unsigned width)
{
    return width >= 64 ? (int64_t)value : (int64_t)(value << (64 - width)) >> (64 - width);
}

/* Bits of an integer; 0: of another type. */
static inline unsigned
lw_int_width(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
}

/* A constant of up to 64 bits. */
static inline bool
lw_is_int_constant(LLVMValueRef v, uint64_t *value)
{
    if (!LLVMIsAConstantInt(v) || lw_int_width(v) > 64)
        return false;
    *value = LLVMConstIntGetZExtValue(v);
    return true;
}

/* What holds where `p` does not. */
LLVMIntPredicate lw_inverse(LLVMIntPredicate p);

static inline bool
lw_is_signed_order(LLVMIntPredicate p)
{
    return p == LLVMIntSLT || p == LLVMIntSLE || p == LLVMIntSGT || p == LLVMIntSGE;
}

/* The comparison of integers that a branch has as its condition; NULL: it is another terminator. */
static inline LLVMValueRef
lw_compared(LLVMValueRef branch)
{
    if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch))
        return NULL;
    return LLVMIsAICmpInst(LLVMGetCondition(branch));
}

/* `op` of a, which has `from` bits, and b, where it has two operands. false: not an operation that is done
 * here, or one that has no result (a shift by too much, a division by zero). Signed division is not. */
bool lw_int_operate(LLVMOpcode op, unsigned from, unsigned width, uint64_t a, uint64_t b, uint64_t *out);

/* Integers or addresses computed in the same way from the same values, the latter of whatever space they are
 * said to be: addresses.c makes copies for every access. */
bool lw_is_computed_alike(LLVMValueRef a, LLVMValueRef b);

#endif

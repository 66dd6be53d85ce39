/* SPDX-License-Identifier: MIT */
/* Instructions that work on each element alone, and which of them do the same, for passes that put several
 * together. */
#ifndef LW_VECTORIZER_ELEMENTWISE_H
#define LW_VECTORIZER_ELEMENTWISE_H

#include <llvm-c/Core.h>
#include <stdbool.h>

#include "../lanes/isa.h"
#include "integers.h"

/* A component of the vectors that can be in the order of memory: conditions too, which are computed so, and
 * halves where the ISA computes with them. */
static inline bool
lw_is_plain_element(LLVMTypeRef type, lw_isa isa)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);

    if (kind == LLVMIntegerTypeKind) {
        unsigned bits = LLVMGetIntTypeWidth(type);
        return bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
    }
    return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind ||
           (kind == LLVMHalfTypeKind && lw_isa_row(isa)->computes_halves);
}

/* Not of integer division, which of vectors is taken apart again. Calls, bitcasts and selects depend on their
 * operands: false. */
static inline bool
lw_is_elementwise(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMFNeg:
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMFPTrunc:
    case LLVMFPExt:
    case LLVMSIToFP:
    case LLVMUIToFP:
    case LLVMFPToSI:
    case LLVMFPToUI:
    case LLVMICmp:
    case LLVMFCmp:
    case LLVMFreeze:
        return true;
    default:
        return LLVMIsABinaryOperator(i) && !lw_is_int_division(LLVMGetInstructionOpcode(i));
    }
}

/* Two instructions of one type: the same, but for their operands and masks. */
static inline bool
lw_is_same_operation(LLVMValueRef a, LLVMValueRef b)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(a);

    if (LLVMGetInstructionOpcode(b) != op || LLVMGetNumOperands(a) != LLVMGetNumOperands(b))
        return false;
    if (LLVMCanValueUseFastMathFlags(a) && LLVMGetFastMathFlags(a) != LLVMGetFastMathFlags(b))
        return false;
    switch (op) {
    case LLVMCall:
        return LLVMGetCalledValue(a) == LLVMGetCalledValue(b);
    case LLVMICmp:
        return LLVMGetICmpPredicate(a) == LLVMGetICmpPredicate(b);
    case LLVMFCmp:
        return LLVMGetFCmpPredicate(a) == LLVMGetFCmpPredicate(b);
    default:
        return true;
    }
}

/* The operation of `like`, one of these, a bitcast, a select or an intrinsic of one overloaded type, of other
 * operands, as a value of `type`. With its fast-math flags, and no other promise. */
LLVMValueRef lw_build_like(LLVMBuilderRef b, LLVMValueRef like, LLVMTypeRef type, LLVMValueRef *x);

#endif

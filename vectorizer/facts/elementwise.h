/* SPDX-License-Identifier: MIT */
/* Instructions that work on each element alone, and which of them do the same, for passes that put several
 * together. */
#ifndef LW_VECTORIZER_ELEMENTWISE_H
#define LW_VECTORIZER_ELEMENTWISE_H

#include <llvm-c/Core.h>
#include <stdbool.h>

#include "integers.h"

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

/* How an intrinsic that works on each component alone is overloaded. */
enum lw_overload {
    LW_BY_RESULT,            /* llvm.sqrt.v16f32 */
    LW_BY_RESULT_AND_FIRST,  /* llvm.fptosi.sat.v16i32.v16f32 */
    LW_BY_RESULT_AND_SECOND, /* llvm.ldexp.v16f32.v16i32 */
    LW_BY_FIRST              /* llvm.is.fpclass: result i1; llvm.umul.with.overflow: a struct */
};

struct lw_intrinsic {
    const char *name; /* without the type suffix */
    enum lw_overload overload;
    int scalar_argument; /* an immediate that stays scalar, or -1 */
};

/* NULL: it is none of these. */
const struct lw_intrinsic *lw_find_intrinsic(const char *name);
/* Is it one of one type? Then its scalar argument too. */
bool lw_is_call_by_component(LLVMValueRef call, int *scalar_argument);
/* Does it make each component of its result of the operands' components alone? Not remainders of floats:
 * these have a sequence of their own, as integer division has. */
bool lw_is_by_component(LLVMValueRef i);

/* The operation of `like`, one of these, a bitcast, a select or an intrinsic of one overloaded type, of other
 * operands, as a value of `type`. With its fast-math flags, and no other promise. */
LLVMValueRef lw_build_like(LLVMBuilderRef b, LLVMValueRef like, LLVMTypeRef type, LLVMValueRef *x);

#endif

/* SPDX-License-Identifier: MIT */
/* Operations on each element alone, of other operands, see elementwise.h.
 *
 * Enters: an operation, and operands of as many elements as its result is to have. Leaves: the operation of
 * these, where the builder stands; constants, where LLVM folds it. Never: promises what only the old operands
 * keep.
 */
#include "elementwise.h"

#include "flags.h"

LLVMValueRef
lw_build_like(LLVMBuilderRef b, LLVMValueRef like, LLVMTypeRef type, LLVMValueRef *x)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(like);
    LLVMValueRef made, f;

    switch (op) {
    case LLVMICmp:
        return LLVMBuildICmp(b, LLVMGetICmpPredicate(like), x[0], x[1], "");
    case LLVMFCmp:
        made = LLVMBuildFCmp(b, LLVMGetFCmpPredicate(like), x[0], x[1], "");
        break;
    case LLVMSelect:
        made = LLVMBuildSelect(b, x[0], x[1], x[2], "");
        break;
    case LLVMFNeg:
        made = LLVMBuildFNeg(b, x[0], "");
        break;
    case LLVMFreeze:
        return LLVMBuildFreeze(b, x[0], "");
    case LLVMCall:
        f = LLVMGetCalledValue(like);
        f = LLVMGetIntrinsicDeclaration(LLVMGetGlobalParent(f), LLVMGetIntrinsicID(f), &type, 1);
        made = LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, x, LLVMGetNumArgOperands(like), "");
        break;
    default:
        made = LLVMIsABinaryOperator(like) ? LLVMBuildBinOp(b, op, x[0], x[1], "")
                                           : LLVMBuildCast(b, op, x[0], type, "");
    }
    lw_copy_fast_math(like, made);
    return made;
}

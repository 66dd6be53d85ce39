/* SPDX-License-Identifier: MIT */
/* Folds what is constant for one sub-group, see fold.h: where sub-groups are written out one by one, most of
 * what a tree in local memory does is for none of its lanes.
 *
 * Enters: an instruction and constants for its operands. Leaves: a constant. Relies on: LLVM's builder, which
 * folds these operations over integers always. Never: folds floating point, memory, addresses.
 */
#include "fold.h"
#include "../facts/calls.h"
#include "../facts/integers.h"
#include "../lanes/internal.h"

static bool
is_integer(LLVMValueRef x)
{
    return LLVMGetTypeKind(lw_lane_element(x)) == LLVMIntegerTypeKind;
}

bool
lw_may_fold(LLVMValueRef i)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);

    if (lw_is_int_operation(op) || lw_is_int_division(op))
        return true;
    switch (op) {
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMBitCast:
    case LLVMICmp:
    case LLVMFreeze:
    case LLVMExtractElement:
        return is_integer(i) && is_integer(LLVMGetOperand(i, 0));
    case LLVMSelect:
        return true;
    case LLVMInsertElement:
    case LLVMShuffleVector:
        return is_integer(i);
    case LLVMCall:
        return lw_is_call_like(i, "llvm.masked.");
    default:
        return false;
    }
}

/* Every part a number: neither undefined nor poison. */
static bool
is_defined(LLVMValueRef c)
{
    if (LLVMIsAConstantInt(c) || LLVMIsNull(c))
        return true;
    if (!lw_lane_is_vector(c))
        return false;
    for (unsigned k = 0, n = LLVMGetVectorSize(LLVMTypeOf(c)); k < n; k++) {
        LLVMValueRef e = LLVMGetAggregateElement(c, k);
        if (!e || !LLVMIsAConstantInt(e))
            return false;
    }
    return true;
}

static LLVMValueRef
fold_shuffle(LLVMBuilderRef b, LLVMValueRef i, LLVMValueRef *x)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(i)));
    LLVMValueRef mask[64];
    unsigned n = LLVMGetNumMaskElements(i);

    if (n > 64)
        return NULL;
    for (unsigned k = 0; k < n; k++) {
        int from = LLVMGetMaskValue(i, k);
        mask[k] =
            from == LLVMGetUndefMaskElem() ? LLVMGetPoison(i32) : LLVMConstInt(i32, (unsigned)from, false);
    }
    return LLVMBuildShuffleVector(b, x[0], x[1], LLVMConstVector(mask, n), "");
}

/* <N x i1> to iN, which LLVM's builder leaves alone. */
static LLVMValueRef
fold_mask_bits(LLVMValueRef i, LLVMValueRef mask)
{
    LLVMTypeRef from = LLVMTypeOf(mask), to = LLVMTypeOf(i);
    unsigned long long bits = 0;

    if (LLVMGetTypeKind(from) != LLVMVectorTypeKind || LLVMGetTypeKind(to) != LLVMIntegerTypeKind ||
        LLVMGetVectorSize(from) != LLVMGetIntTypeWidth(to) || LLVMGetVectorSize(from) > 64 ||
        !is_defined(mask))
        return NULL;
    for (unsigned k = 0; k < LLVMGetVectorSize(from); k++)
        bits |= LLVMConstIntGetZExtValue(LLVMGetAggregateElement(mask, k)) << k;
    return LLVMConstInt(to, bits, false);
}

static bool
is_null(LLVMValueRef x)
{
    return x && LLVMIsConstant(x) && LLVMIsNull(x);
}

/* Of llvm.masked.*: load and gather (address, mask, rest), store and scatter (value, address, mask). */
static LLVMValueRef
fold_masked(LLVMValueRef i, LLVMValueRef *x, bool *gone)
{
    if (lw_is_call_like(i, "llvm.masked.load.") || lw_is_call_like(i, "llvm.masked.gather."))
        return is_null(x[1]) ? x[2] : NULL;
    if (lw_is_call_like(i, "llvm.masked.store.") || lw_is_call_like(i, "llvm.masked.scatter."))
        *gone = is_null(x[2]);
    return NULL;
}

/* Neither by zero nor the one that overflows. */
static bool
may_divide(LLVMValueRef divisor)
{
    return LLVMIsAConstantInt(divisor) && !LLVMIsNull(divisor) &&
           divisor != LLVMConstAllOnes(LLVMTypeOf(divisor));
}

LLVMValueRef
lw_fold(LLVMBuilderRef b, LLVMValueRef i, LLVMValueRef *x, bool *gone)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    LLVMValueRef made;
    int n = LLVMGetNumOperands(i);

    *gone = false;
    if (op == LLVMCall)
        return fold_masked(i, x, gone);
    if (op == LLVMAnd && (is_null(x[0]) || is_null(x[1])))
        return LLVMConstNull(LLVMTypeOf(i));
    if (op == LLVMSelect)
        return !x[0] ? NULL : x[0] == LLVMConstAllOnes(LLVMTypeOf(x[0])) ? x[1] : is_null(x[0]) ? x[2] : NULL;
    for (int k = 0; k < n; k++)
        if (!x[k] || !LLVMIsConstant(x[k]))
            return NULL;
    switch (op) {
    case LLVMInsertElement:
        made = LLVMBuildInsertElement(b, x[0], x[1], x[2], "");
        break;
    case LLVMShuffleVector:
        made = fold_shuffle(b, i, x);
        break;
    case LLVMFreeze:
        return is_defined(x[0]) ? x[0] : NULL;
    case LLVMICmp:
        made = LLVMBuildICmp(b, LLVMGetICmpPredicate(i), x[0], x[1], "");
        break;
    case LLVMExtractElement:
        made = LLVMBuildExtractElement(b, x[0], x[1], "");
        break;
    case LLVMBitCast:
        return fold_mask_bits(i, x[0]);
    case LLVMUDiv:
    case LLVMURem:
    case LLVMSDiv:
    case LLVMSRem:
        made = may_divide(x[1]) ? LLVMBuildBinOp(b, op, x[0], x[1], "") : NULL;
        break;
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
        made = LLVMBuildCast(b, op, x[0], LLVMTypeOf(i), "");
        break;
    default:
        made = LLVMBuildBinOp(b, op, x[0], x[1], "");
        break;
    }
    if (made && LLVMIsConstant(made))
        return made;
    if (made && LLVMIsAInstruction(made) && LLVMGetInstructionParent(made))
        LLVMInstructionEraseFromParent(made);
    else if (made && LLVMIsAInstruction(made))
        LLVMDeleteInstruction(made); /* the builder stands nowhere */
    return NULL;
}

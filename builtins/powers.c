/* SPDX-License-Identifier: MIT */
/* pow and pown of small whole exponents that are constant: a few multiplications. Of half in float, as all of
 * half is.
 *
 * Legal: up to MOST the product is within 8 ULP, half of what the operations may err (of the reciprocal, for
 * a negative exponent; it is rounded to a subnormal number only where the result is nothing anyway). No
 * product on the way is beyond the result, so that none is infinite or loses digits where the result does
 * not. NaN, infinities and zeros come out as the operations have them: x^0 is 1 of any x, an odd power keeps
 * the sign. */
#include "builtins/resolve.h"

#include <math.h>
#include <string.h>

#define MOST 8

/* The exponent of a call where it is constant and small. */
static bool
small_exponent(LLVMValueRef call, int *n)
{
    LLVMValueRef y = LLVMGetOperand(call, 1);
    LLVMBool inexact = 0;
    double value;
    if (LLVMIsAConstantInt(y))
        value = (double)LLVMConstIntGetSExtValue(y);
    else if (LLVMIsAConstantFP(y))
        value = LLVMConstRealGetDouble(y, &inexact);
    else
        return false;
    if (inexact || !(fabs(value) <= MOST) || value != trunc(value))
        return false;
    *n = (int)value;
    return true;
}

static LLVMValueRef
build_power(LLVMBuilderRef b, LLVMValueRef x, int n)
{
    LLVMValueRef one = LLVMConstReal(LLVMTypeOf(x), 1), result = NULL;
    if (n < 0)
        x = LLVMBuildFDiv(b, one, x, "");
    for (n = n < 0 ? -n : n; n; n >>= 1) {
        if (n & 1)
            result = result ? LLVMBuildFMul(b, result, x, "") : x;
        if (n > 1)
            x = LLVMBuildFMul(b, x, x, "");
    }
    return result ? result : one;
}

void
lw_builtin_small_powers(struct lw_resolve *r, LLVMValueRef f)
{
    LLVMUseRef next;
    for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = next) {
        LLVMValueRef call = LLVMGetUser(use);
        int n;
        next = LLVMGetNextUse(use);
        if (!LLVMIsACallInst(call) || LLVMGetCalledValue(call) != f || !small_exponent(call, &n))
            continue;
        LLVMPositionBuilderBefore(r->builder, call);
        LLVMReplaceAllUsesWith(call, build_power(r->builder, LLVMGetOperand(call, 0), n));
        LLVMInstructionEraseFromParent(call);
    }
}

/* SPDX-License-Identifier: MIT */
/* Expressions in half that OpenCL C allows to be contracted, `a * b + c`: the back end makes `fma` of these,
 * which is asked to be exact. Where half is computed in float that takes longer than a product and a sum,
 * which a consumer may still contract. */
#include "legal.h"

#include <string.h>

static V
meant(struct lw_legal *l, V call)
{
    if (LLVMGetTypeKind(lw_scalar_of(LLVMTypeOf(call))) != LLVMHalfTypeKind ||
        strncmp(lw_called(call), "llvm.fmuladd.", 13) != 0)
        return NULL;
    lw_write_at(l, call);
    V product = LLVMBuildFMul(l->b, LLVMGetOperand(call, 0), LLVMGetOperand(call, 1), "");
    V sum = LLVMBuildFAdd(l->b, product, LLVMGetOperand(call, 2), "");
    lw_keep_fast_math(call, product);
    lw_keep_fast_math(call, sum);
    return sum;
}

bool
lw_legal_fused(struct lw_legal *l)
{
    return lw_replace_each(l, meant);
}

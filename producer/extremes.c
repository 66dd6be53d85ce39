/* SPDX-License-Identifier: MIT */
/* llvm.maximum and llvm.minimum (__builtin_elementwise_maximum), of which a NaN is a NaN and -0 is less than
 * 0: the back end writes fmax and fmin, for which neither is so. llvm.maximumnum and llvm.minimumnum, which
 * pass NaNs over, it has nothing for. */
#include "legal.h"

static V
compared(struct lw_legal *l, LLVMRealPredicate how, V a, V b)
{
    return LLVMBuildFCmp(l->b, how, a, b, "");
}

/* Of equal ones: 0 and -0 differ in a bit that the greater has not. */
static V
equal_ones(struct lw_legal *l, V a, V b, bool most)
{
    T type = LLVMTypeOf(a), bits = LLVMIntTypeInContext(l->context, lw_bits_of(lw_scalar_of(type)));
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        bits = LLVMVectorType(bits, LLVMGetVectorSize(type));
    a = LLVMBuildBitCast(l->b, a, bits, "");
    b = LLVMBuildBitCast(l->b, b, bits, "");
    return LLVMBuildBitCast(l->b, most ? LLVMBuildAnd(l->b, a, b, "") : LLVMBuildOr(l->b, a, b, ""), type,
                            "");
}

static V
meant(struct lw_legal *l, V call)
{
    static const char *const names[] = {"llvm.maximum.", "llvm.minimum.", "llvm.maximumnum.",
                                        "llvm.minimumnum."};
    unsigned k = lw_which_call(call, names, 4);
    if (k == 4 || !lw_bits_of(lw_scalar_of(LLVMTypeOf(call))))
        return NULL;
    bool most = k % 2 == 0;
    V a = LLVMGetOperand(call, 0), b = LLVMGetOperand(call, 1);
    lw_write_at(l, call);
    V ordered = LLVMBuildSelect(l->b, compared(l, most ? LLVMRealOGT : LLVMRealOLT, a, b), a, b, "");
    V value = LLVMBuildSelect(l->b, compared(l, LLVMRealOEQ, a, b), equal_ones(l, a, b, most), ordered, "");
    if (k < 2)
        return LLVMBuildSelect(l->b, compared(l, LLVMRealUNO, a, b), LLVMBuildFAdd(l->b, a, b, ""), value,
                               "");
    /* Where a is none, the order has taken b. */
    return LLVMBuildSelect(l->b, compared(l, LLVMRealUNO, b, b), a, value, "");
}

bool
lw_legal_extremes(struct lw_legal *l)
{
    return lw_replace_each(l, meant);
}

/* SPDX-License-Identifier: MIT */
/* llvm.fshl and llvm.fshr, which LLVM makes of `(uchar)(a << k | b >> (8 - k))` and of rotations: the back
 * end shifts by all bits there are where none are asked for, which SPIR-V leaves undefined; what came of it
 * was `a | b`. Found by comparing such expressions with x86-64's. */
#include "legal.h"

/* a:b shifted by 0 to `bits - 1`, of which the upper half is wanted (left), or the lower one. */
static V
shifted(struct lw_legal *l, V a, V b, V by, bool left)
{
    T type = LLVMTypeOf(a);
    unsigned bits = lw_bits_of(lw_scalar_of(type));
    bool power = (bits & (bits - 1)) == 0;
    V last = lw_number(l, type, bits - 1), rest;
    by = power ? LLVMBuildAnd(l->b, by, last, "") : LLVMBuildURem(l->b, by, lw_number(l, type, bits), "");
    V kept = left ? LLVMBuildShl(l->b, a, by, "") : LLVMBuildLShr(l->b, b, by, "");
    if (a == b && power)
        rest = LLVMBuildAnd(l->b, LLVMBuildNeg(l->b, by, ""), last, "");
    else {
        V one = lw_number(l, type, 1);
        rest = power ? LLVMBuildXor(l->b, by, last, "") : LLVMBuildSub(l->b, last, by, "");
        a = LLVMBuildShl(l->b, a, one, "");
        b = LLVMBuildLShr(l->b, b, one, "");
    }
    V other = left ? LLVMBuildLShr(l->b, b, rest, "") : LLVMBuildShl(l->b, a, rest, "");
    return LLVMBuildOr(l->b, kept, other, "");
}

static V
meant(struct lw_legal *l, V call)
{
    static const char *const names[] = {"llvm.fshl.", "llvm.fshr."};
    unsigned k = lw_which_call(call, names, 2);
    if (k == 2 || lw_count_of(LLVMTypeOf(call)) > LW_MOST_COMPONENTS)
        return NULL;
    lw_write_at(l, call);
    return shifted(l, LLVMGetOperand(call, 0), LLVMGetOperand(call, 1), LLVMGetOperand(call, 2), k == 0);
}

bool
lw_legal_funnels(struct lw_legal *l)
{
    return lw_replace_each(l, meant);
}

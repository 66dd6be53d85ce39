/* SPDX-License-Identifier: MIT */
/* Booleans where the back end mistakes them: `sitofp i1`, which (float)(a ? -1 : 0) and -(float)(a > b)
 * become, gives 1 where it must give -1; by way of an i32 it is right. Bits of vectors of booleans are put
 * together one by one: SPIR-V's booleans have none. */
#include "legal.h"

static bool
is_of_truths(T type)
{
    T scalar = lw_scalar_of(type);
    return LLVMGetTypeKind(scalar) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(scalar) == 1;
}

static V
by_way_of_i32(struct lw_legal *l, V i)
{
    V x = LLVMGetOperand(i, 0);
    T type = LLVMInt32TypeInContext(l->context), from = LLVMTypeOf(x);
    if (LLVMGetTypeKind(from) == LLVMVectorTypeKind)
        type = LLVMVectorType(type, LLVMGetVectorSize(from));
    return LLVMBuildSIToFP(l->b, LLVMBuildSExt(l->b, x, type, ""), LLVMTypeOf(i), "");
}

static V
regrouped(struct lw_legal *l, V i)
{
    V from[LW_MOST_COMPONENTS], to[LW_MOST_COMPONENTS], x = LLVMGetOperand(i, 0);
    unsigned count = lw_count_of(LLVMTypeOf(x)), to_count = lw_count_of(LLVMTypeOf(i));
    if (count > LW_MOST_COMPONENTS || to_count > LW_MOST_COMPONENTS) {
        l->why = "a vector of more booleans than are known";
        return NULL;
    }
    for (unsigned k = 0; k < count; k++)
        from[k] = lw_part(l, x, k);
    lw_regroup(l, from, count, lw_scalar_of(LLVMTypeOf(i)), to_count, to);
    return lw_whole(l, LLVMTypeOf(i), to);
}

static V
meant(struct lw_legal *l, V i)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    V x = op == LLVMSIToFP || op == LLVMBitCast ? LLVMGetOperand(i, 0) : NULL;
    if (!x || (!is_of_truths(LLVMTypeOf(x)) && !is_of_truths(LLVMTypeOf(i))))
        return NULL;
    lw_write_at(l, i);
    return op == LLVMSIToFP ? by_way_of_i32(l, i) : regrouped(l, i);
}

bool
lw_legal_truths(struct lw_legal *l)
{
    return lw_replace_each(l, meant);
}

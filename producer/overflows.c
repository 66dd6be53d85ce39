/* SPDX-License-Identifier: MIT */
/* llvm.s{add,sub,mul}.with.overflow: __builtin_*_overflow of signed integers, and what LLVM makes of a
 * product that is divided again to see whether it was too large. The back end takes a product for too large
 * where its upper half is not 0, which that of a negative one is not, and that of 1 << 31 is; sums and
 * differences it has nothing for. (Unsigned ones are right.) Found by comparing such expressions with
 * x86-64's. */
#include "legal.h"

enum operation { SUM, DIFFERENCE, PRODUCT, OTHER };

static enum operation
operation_of(V call)
{
    static const char *const names[] = {"llvm.sadd.with.overflow.", "llvm.ssub.with.overflow.",
                                        "llvm.smul.with.overflow."};
    return lw_which_call(call, names, OTHER);
}

/* The integer of so many bits, or a vector of as many as `type` has. */
static T
as_wide(struct lw_legal *l, T type, unsigned bits)
{
    T integer = LLVMIntTypeInContext(l->context, bits);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMVectorType(integer, LLVMGetVectorSize(type))
                                                       : integer;
}

static V
sign_of(struct lw_legal *l, V value)
{
    return LLVMBuildICmp(l->b, LLVMIntSLT, value, LLVMConstNull(LLVMTypeOf(value)), "");
}

/* Whether `value` is another one with the upper bits that `narrow` has not. */
static V
is_cut(struct lw_legal *l, V value, T narrow, V *low)
{
    *low = LLVMBuildTrunc(l->b, value, narrow, "");
    return LLVMBuildICmp(l->b, LLVMIntNE, LLVMBuildSExt(l->b, *low, LLVMTypeOf(value), ""), value, "");
}

/* OpenCL C's mul_hi(long, long), component by component. */
static V
upper_half(struct lw_legal *l, V a, V b)
{
    static const char name[] = "_Z6mul_hill";
    T type = LLVMTypeOf(a), scalar = lw_scalar_of(type), types[] = {scalar, scalar};
    T signature = LLVMFunctionType(scalar, types, 2, false);
    V function = LLVMGetNamedFunction(l->module, name), parts[LW_MOST_COMPONENTS];
    if (!function) {
        function = LLVMAddFunction(l->module, name, signature);
        LLVMSetFunctionCallConv(function, LLVMSPIRFUNCCallConv);
    }
    for (unsigned k = 0; k < lw_count_of(type); k++) {
        V arguments[] = {lw_part(l, a, k), lw_part(l, b, k)};
        parts[k] = LLVMBuildCall2(l->b, signature, function, arguments, 2, "");
        LLVMSetInstructionCallConv(parts[k], LLVMGetFunctionCallConv(function));
    }
    return lw_whole(l, type, parts);
}

static V
product(struct lw_legal *l, V a, V b, V *low)
{
    T type = LLVMTypeOf(a);
    unsigned bits = lw_bits_of(lw_scalar_of(type)), wide = bits > 32 ? 64 : 2 * bits;
    T wider = as_wide(l, type, wide);
    if (bits < 64) {
        a = LLVMBuildSExt(l->b, a, wider, "");
        b = LLVMBuildSExt(l->b, b, wider, "");
    }
    V whole = LLVMBuildMul(l->b, a, b, ""), cut = NULL;
    *low = whole;
    if (bits < 64)
        cut = is_cut(l, whole, type, low);
    if (bits <= 32)
        return cut;
    V upper = upper_half(l, a, b), signs = LLVMBuildAShr(l->b, whole, lw_number(l, wider, 63), "");
    V beyond = LLVMBuildICmp(l->b, LLVMIntNE, upper, signs, "");
    return cut ? LLVMBuildOr(l->b, cut, beyond, "") : beyond;
}

/* Its value, and whether it was too large. */
static V
computed(struct lw_legal *l, enum operation operation, V a, V b, V *value)
{
    if (operation == PRODUCT)
        return product(l, a, b, value);
    *value = operation == SUM ? LLVMBuildAdd(l->b, a, b, "") : LLVMBuildSub(l->b, a, b, "");
    /* Of another sign than a, where b cannot be why. */
    V changed = LLVMBuildXor(l->b, a, *value, "");
    V other = LLVMBuildXor(l->b, operation == SUM ? b : a, operation == SUM ? *value : b, "");
    return sign_of(l, LLVMBuildAnd(l->b, changed, other, ""));
}

/* Both values where they are taken out of the pair; the pair where it is asked for as such. */
static void
replace(struct lw_legal *l, V call, enum operation operation)
{
    V values[2];
    lw_write_at(l, call);
    values[1] = computed(l, operation, LLVMGetOperand(call, 0), LLVMGetOperand(call, 1), &values[0]);
    for (LLVMUseRef use = LLVMGetFirstUse(call), next; use; use = next) {
        V user = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (LLVMIsAExtractValueInst(user)) {
            LLVMReplaceAllUsesWith(user, values[LLVMGetIndices(user)[0]]);
            LLVMInstructionEraseFromParent(user);
        }
    }
    if (!LLVMGetFirstUse(call))
        return;
    V pair = LLVMBuildInsertValue(l->b, LLVMGetPoison(LLVMTypeOf(call)), values[0], 0, "");
    LLVMReplaceAllUsesWith(call, LLVMBuildInsertValue(l->b, pair, values[1], 1, ""));
}

bool
lw_legal_overflows(struct lw_legal *l)
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(l->function); block;
         block = LLVMGetNextBasicBlock(block))
        for (V i = LLVMGetFirstInstruction(block), next; i; i = next) {
            enum operation operation = operation_of(i);
            T type = operation == OTHER ? NULL : LLVMTypeOf(LLVMGetOperand(i, 0));
            bool ours =
                type && lw_bits_of(lw_scalar_of(type)) <= 64 && lw_count_of(type) <= LW_MOST_COMPONENTS;
            if (ours)
                replace(l, i, operation);
            next = LLVMGetNextInstruction(i);
            if (ours)
                LLVMInstructionEraseFromParent(i);
        }
    return true;
}

/* SPDX-License-Identifier: MIT */
/* Operations on each element alone, of other operands, see elementwise.h.
 *
 * Enters: an operation, and operands of as many elements as its result is to have. Leaves: the operation of
 * these, where the builder stands; constants, where LLVM folds it. Never: promises what only the old operands
 * keep.
 */
#include "elementwise.h"

#include "calls.h"
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

static const struct lw_intrinsic intrinsics[] = {
    {"llvm.abs.", LW_BY_RESULT, 1},
    {"llvm.bitreverse.", LW_BY_RESULT, -1},
    {"llvm.bswap.", LW_BY_RESULT, -1},
    {"llvm.canonicalize.", LW_BY_RESULT, -1},
    {"llvm.ceil.", LW_BY_RESULT, -1},
    {"llvm.copysign.", LW_BY_RESULT, -1},
    {"llvm.ctlz.", LW_BY_RESULT, 1},
    {"llvm.ctpop.", LW_BY_RESULT, -1},
    {"llvm.cttz.", LW_BY_RESULT, 1},
    {"llvm.fabs.", LW_BY_RESULT, -1},
    {"llvm.floor.", LW_BY_RESULT, -1},
    {"llvm.fma.", LW_BY_RESULT, -1},
    {"llvm.fmuladd.", LW_BY_RESULT, -1},
    {"llvm.fptosi.sat.", LW_BY_RESULT_AND_FIRST, -1},
    {"llvm.fptoui.sat.", LW_BY_RESULT_AND_FIRST, -1},
    {"llvm.fshl.", LW_BY_RESULT, -1},
    {"llvm.fshr.", LW_BY_RESULT, -1},
    {"llvm.is.fpclass.", LW_BY_FIRST, 1},
    {"llvm.ldexp.", LW_BY_RESULT_AND_SECOND, -1},
    {"llvm.maximum.", LW_BY_RESULT, -1},
    {"llvm.maximumnum.", LW_BY_RESULT, -1},
    {"llvm.maxnum.", LW_BY_RESULT, -1},
    {"llvm.minimum.", LW_BY_RESULT, -1},
    {"llvm.minimumnum.", LW_BY_RESULT, -1},
    {"llvm.minnum.", LW_BY_RESULT, -1},
    {"llvm.nearbyint.", LW_BY_RESULT, -1},
    {"llvm.rint.", LW_BY_RESULT, -1},
    {"llvm.round.", LW_BY_RESULT, -1},
    {"llvm.roundeven.", LW_BY_RESULT, -1},
    {"llvm.sadd.sat.", LW_BY_RESULT, -1},
    {"llvm.sadd.with.overflow.", LW_BY_FIRST, -1},
    {"llvm.scmp.", LW_BY_RESULT_AND_FIRST, -1},
    {"llvm.smax.", LW_BY_RESULT, -1},
    {"llvm.smin.", LW_BY_RESULT, -1},
    {"llvm.smul.with.overflow.", LW_BY_FIRST, -1},
    {"llvm.sqrt.", LW_BY_RESULT, -1},
    {"llvm.sshl.sat.", LW_BY_RESULT, -1},
    {"llvm.ssub.sat.", LW_BY_RESULT, -1},
    {"llvm.ssub.with.overflow.", LW_BY_FIRST, -1},
    {"llvm.trunc.", LW_BY_RESULT, -1},
    {"llvm.uadd.sat.", LW_BY_RESULT, -1},
    {"llvm.uadd.with.overflow.", LW_BY_FIRST, -1},
    {"llvm.ucmp.", LW_BY_RESULT_AND_FIRST, -1},
    {"llvm.umax.", LW_BY_RESULT, -1},
    {"llvm.umin.", LW_BY_RESULT, -1},
    {"llvm.umul.with.overflow.", LW_BY_FIRST, -1},
    {"llvm.ushl.sat.", LW_BY_RESULT, -1},
    {"llvm.usub.sat.", LW_BY_RESULT, -1},
    {"llvm.usub.with.overflow.", LW_BY_FIRST, -1},
};

const struct lw_intrinsic *
lw_find_intrinsic(const char *name)
{
    for (size_t k = 0; k < sizeof intrinsics / sizeof *intrinsics; k++)
        if (!strncmp(name, intrinsics[k].name, strlen(intrinsics[k].name)))
            return &intrinsics[k];
    return NULL;
}

bool
lw_is_call_by_component(LLVMValueRef call, int *scalar_argument)
{
    const struct lw_intrinsic *row = lw_find_intrinsic(lw_called(call));

    if (!row || row->overload != LW_BY_RESULT)
        return false;
    *scalar_argument = row->scalar_argument;
    return true;
}

static unsigned
components_of(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 0;
}

bool
lw_is_by_component(LLVMValueRef i)
{
    int scalar;

    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMFRem:
        return false;
    case LLVMSelect:
        return true;
    case LLVMBitCast:
        return components_of(LLVMTypeOf(LLVMGetOperand(i, 0))) == components_of(LLVMTypeOf(i));
    case LLVMCall:
        return lw_is_call_by_component(i, &scalar);
    default:
        return lw_is_elementwise(i);
    }
}

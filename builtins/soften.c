/* SPDX-License-Identifier: MIT */
/* Lowers what x86 has no instructions for in half, before LLVM makes library calls of it.
 *
 * Enters: any scalar IR. Leaves: no conversion from double to half, unless the ISA computes halves; at
 * SSE4.2, which lacks F16C, half values are only moved, and computed in float, rounded after each operation.
 * Relies on: float having more than twice the digits of half, so that +, -, *, / and the like round as if
 * once. Never: changes a type in memory. */
#include "builtins/resolve.h"

#include <string.h>

static bool
is_half(LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind)
        t = LLVMGetElementType(t);
    return LLVMGetTypeKind(t) == LLVMHalfTypeKind;
}

static bool
is_double(LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind)
        t = LLVMGetElementType(t);
    return LLVMGetTypeKind(t) == LLVMDoubleTypeKind;
}

static LLVMValueRef
call_soft(struct lw_resolve *r, const char *name, LLVMTypeRef result, LLVMValueRef operand)
{
    LLVMTypeRef from = LLVMTypeOf(operand), type = LLVMFunctionType(result, &from, 1, false);
    return LLVMBuildCall2(r->builder, type, lw_builtin_declare(r, name, type), &operand, 1, "");
}

/* half to float */
static LLVMValueRef
extend(struct lw_resolve *r, LLVMValueRef v)
{
    LLVMValueRef bits = LLVMBuildBitCast(r->builder, v, LLVMInt16TypeInContext(r->context), "");
    return call_soft(r, "lw.soft.extend", LLVMFloatTypeInContext(r->context), bits);
}

/* float or double to half */
static LLVMValueRef
truncate(struct lw_resolve *r, LLVMValueRef v)
{
    LLVMTypeRef half = LLVMHalfTypeInContext(r->context);
    if (is_double(v) && r->isa < LW_ISA_AVX512_FP16)
        v = call_soft(r, "lw.soft.odd", LLVMFloatTypeInContext(r->context), v);
    if (r->isa >= LW_ISA_AVX2)
        return LLVMBuildFPTrunc(r->builder, v, half, "");
    LLVMValueRef bits = call_soft(r, "lw.soft.truncate", LLVMInt16TypeInContext(r->context), v);
    return LLVMBuildBitCast(r->builder, bits, half, "");
}

/* The scalar instruction `opcode` on `operands`, half where is_half says so, by way of float. */
static LLVMValueRef
soften_scalar(struct lw_resolve *r, LLVMValueRef i, LLVMValueRef *operands, unsigned count)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    LLVMTypeRef result = LLVMTypeOf(i), word = LLVMInt16TypeInContext(r->context);
    if (LLVMGetTypeKind(result) == LLVMVectorTypeKind)
        result = LLVMGetElementType(result);
    if (opcode == LLVMFNeg) {
        LLVMValueRef bits = LLVMBuildBitCast(r->builder, operands[0], word, "");
        bits = LLVMBuildXor(r->builder, bits, LLVMConstInt(word, 0x8000, 0), "");
        return LLVMBuildBitCast(r->builder, bits, result, "");
    }
    if (opcode == LLVMFPTrunc)
        return truncate(r, operands[0]);
    LLVMTypeRef single = LLVMFloatTypeInContext(r->context);
    for (unsigned k = 0; k < count; k++)
        if (is_half(operands[k]))
            operands[k] = extend(r, operands[k]);
    switch (opcode) {
    case LLVMFPExt:
        return LLVMGetTypeKind(result) == LLVMFloatTypeKind
                   ? operands[0]
                   : LLVMBuildFPExt(r->builder, operands[0], result, "");
    case LLVMFCmp:
        return LLVMBuildFCmp(r->builder, LLVMGetFCmpPredicate(i), operands[0], operands[1], "");
    case LLVMFPToSI:
    case LLVMFPToUI:
        return LLVMBuildCast(r->builder, opcode, operands[0], result, "");
    case LLVMSIToFP:
    case LLVMUIToFP:
        return truncate(r, LLVMBuildCast(r->builder, opcode, operands[0], single, ""));
    default:
        return truncate(r, LLVMBuildBinOp(r->builder, opcode, operands[0], operands[1], ""));
    }
}

/* Vectors element by element: the vectorizer gives each component a vector of its own anyway. */
static void
soften_instruction(struct lw_resolve *r, LLVMValueRef i)
{
    unsigned count = (unsigned)LLVMGetNumOperands(i);
    LLVMValueRef operands[2], parts[2], result;
    for (unsigned k = 0; k < count; k++)
        operands[k] = LLVMGetOperand(i, k);
    LLVMPositionBuilderBefore(r->builder, i);
    if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVectorTypeKind) {
        result = soften_scalar(r, i, operands, count);
    } else {
        unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(i));
        result = LLVMGetPoison(LLVMTypeOf(i));
        for (unsigned lane = 0; lane < lanes; lane++) {
            LLVMValueRef index = LLVMConstInt(LLVMInt32TypeInContext(r->context), lane, 0);
            for (unsigned k = 0; k < count; k++)
                parts[k] = LLVMBuildExtractElement(r->builder, operands[k], index, "");
            LLVMValueRef part = soften_scalar(r, i, parts, count);
            result = LLVMBuildInsertElement(r->builder, result, part, index, "");
        }
    }
    LLVMReplaceAllUsesWith(i, result);
    LLVMInstructionEraseFromParent(i);
}

static bool
needs_softening(struct lw_resolve *r, LLVMValueRef i)
{
    bool f16c = r->isa >= LW_ISA_AVX2;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMFPTrunc:
        return is_half(i) && (!f16c || (is_double(LLVMGetOperand(i, 0)) && r->isa < LW_ISA_AVX512_FP16));
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFNeg:
    case LLVMSIToFP:
    case LLVMUIToFP:
        return !f16c && is_half(i);
    case LLVMFPExt:
    case LLVMFCmp:
    case LLVMFPToSI:
    case LLVMFPToUI:
        return !f16c && is_half(LLVMGetOperand(i, 0));
    default:
        return false;
    }
}

bool
lw_builtin_soften_half(struct lw_resolve *r)
{
    static const char *const slices[3] = {"lw.soft.extend", "lw.soft.truncate", "lw.soft.odd"};
    for (LLVMValueRef f = LLVMGetFirstFunction(r->module); f; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
            LLVMValueRef next;
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (needs_softening(r, i))
                    soften_instruction(r, i);
            }
        }
    }
    for (int k = 0; k < 3; k++)
        if (LLVMGetNamedFunction(r->module, slices[k]) && !lw_builtin_want(r, slices[k]))
            return false;
    return true;
}

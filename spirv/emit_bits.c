/* SPDX-License-Identifier: MIT */
/* Shifts, bitwise operations, bit fields and counts. */
#include "emitter.h"

/* An amount below the width: masked unless it is a constant in range. */
static V
shift_amount(lw_emitter *e, V amount, T type)
{
    unsigned bits = lw_bits(type);
    amount = LLVMBuildIntCast2(e->b, amount, type, false, "");
    if (LLVMIsAConstantInt(amount) && LLVMConstIntGetZExtValue(amount) < bits)
        return amount;
    return LLVMBuildAnd(e->b, amount, lw_int(type, bits - 1), "");
}

static V
shift(lw_emitter *e, V a, V b)
{
    V amount = shift_amount(e, b, LLVMTypeOf(a)), value;
    switch (e->inst->op) {
    case SpvOpShiftRightLogical: return LLVMBuildLShr(e->b, a, amount, "");
    case SpvOpShiftRightArithmetic: return LLVMBuildAShr(e->b, a, amount, "");
    default: break;
    }
    value = LLVMBuildShl(e->b, a, amount, "");
    if (LLVMIsABinaryOperator(value)) {
        LLVMSetNSW(value, lw_decorated(e, e->inst->result, SpvDecorationNoSignedWrap));
        LLVMSetNUW(value, lw_decorated(e, e->inst->result, SpvDecorationNoUnsignedWrap));
    }
    return value;
}

static V
binary(lw_emitter *e, V a, V b)
{
    switch (e->inst->op) {
    case SpvOpBitwiseAnd:
    case SpvOpLogicalAnd: return LLVMBuildAnd(e->b, a, b, "");
    case SpvOpBitwiseOr:
    case SpvOpLogicalOr: return LLVMBuildOr(e->b, a, b, "");
    case SpvOpBitwiseXor:
    case SpvOpLogicalNotEqual: return LLVMBuildXor(e->b, a, b, "");
    default: return LLVMBuildNot(e->b, LLVMBuildXor(e->b, a, b, ""), ""); /* LogicalEqual */
    }
}

static void
emit_binary(lw_emitter *e, bool is_shift)
{
    V a = lw_operand_value(e, 3), b = lw_operand_value(e, 4);
    if (e->failed)
        return;
    if (e->inst->op == SpvOpBitwiseAnd) /* may be wider, see check_signature.c */
        a = LLVMBuildIntCast2(e->b, a, LLVMTypeOf(b), false, "");
    T ta = LLVMTypeOf(a), tb = LLVMTypeOf(b);
    bool ints = LLVMGetTypeKind(lw_scalar(ta)) == LLVMIntegerTypeKind &&
                LLVMGetTypeKind(lw_scalar(tb)) == LLVMIntegerTypeKind;
    if (!ints || (is_shift ? lw_parts(ta) != lw_parts(tb) : ta != tb))
        lw_emit_fail(e, "operands of the wrong types");
    else
        lw_emit_result(e, is_shift ? shift(e, a, b) : binary(e, a, b));
}

/* `count` low ones in each component; any count up to the width. */
static V
low_ones(lw_emitter *e, V count, T type)
{
    unsigned bits = lw_bits(type);
    V below = LLVMBuildICmp(e->b, LLVMIntULT, count, lw_int(type, bits), "");
    V amount = LLVMBuildSelect(e->b, below, count, lw_int(type, 0), "");
    V ones = LLVMBuildSub(e->b, LLVMBuildShl(e->b, lw_int(type, 1), amount, ""), lw_int(type, 1), "");
    return LLVMBuildSelect(e->b, below, ones, lw_int(type, ~0ull), "");
}

static V
operand_like(lw_emitter *e, unsigned n, T type)
{
    V value = lw_operand_value(e, n);
    if (e->failed)
        return NULL;
    return lw_splat(e, LLVMBuildIntCast2(e->b, value, lw_scalar(type), false, ""), type);
}

static void
emit_field_insert(lw_emitter *e)
{
    V base = lw_operand_value(e, 3), insert = lw_operand_value(e, 4);
    if (e->failed)
        return;
    T type = LLVMTypeOf(base);
    V offset = operand_like(e, 5, type), count = operand_like(e, 6, type);
    if (e->failed)
        return;
    offset = shift_amount(e, offset, type);
    V mask = LLVMBuildShl(e->b, low_ones(e, count, type), offset, "");
    V kept = LLVMBuildAnd(e->b, base, LLVMBuildNot(e->b, mask, ""), "");
    V moved = LLVMBuildAnd(e->b, LLVMBuildShl(e->b, insert, offset, ""), mask, "");
    lw_emit_result(e, LLVMBuildOr(e->b, kept, moved, ""));
}

static void
emit_field_extract(lw_emitter *e, bool is_signed)
{
    V base = lw_operand_value(e, 3);
    if (e->failed)
        return;
    T type = LLVMTypeOf(base);
    V offset = operand_like(e, 4, type), count = operand_like(e, 5, type), zero = lw_int(type, 0);
    if (e->failed)
        return;
    V field = LLVMBuildAnd(e->b, LLVMBuildLShr(e->b, base, shift_amount(e, offset, type), ""),
                           low_ones(e, count, type), "");
    if (is_signed) { /* move the field's sign to the top and back */
        V unused = LLVMBuildSub(e->b, lw_int(type, lw_bits(type)), count, "");
        V empty = LLVMBuildICmp(e->b, LLVMIntEQ, count, zero, "");
        unused = shift_amount(e, LLVMBuildSelect(e->b, empty, zero, unused, ""), type);
        field = LLVMBuildAShr(e->b, LLVMBuildShl(e->b, field, unused, ""), unused, "");
    }
    lw_emit_result(e, field);
}

static void
emit_unary(lw_emitter *e)
{
    V a = lw_operand_value(e, 3);
    T type = lw_emit_type(e, e->inst->type);
    if (e->failed)
        return;
    if (LLVMGetTypeKind(lw_scalar(LLVMTypeOf(a))) != LLVMIntegerTypeKind) {
        lw_emit_fail(e, "an operand of the wrong type");
        return;
    }
    switch (e->inst->op) {
    case SpvOpBitReverse: lw_emit_result(e, lw_intrinsic1(e, "llvm.bitreverse", a)); break;
    case SpvOpBitCount:
        lw_emit_result(e, LLVMBuildIntCast2(e->b, lw_intrinsic1(e, "llvm.ctpop", a), type, false, ""));
        break;
    default: lw_emit_result(e, LLVMBuildNot(e->b, a, "")); break;
    }
}

bool
lw_emit_bits(lw_emitter *e)
{
    switch (e->inst->op) {
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic: emit_binary(e, true); return true;
    case SpvOpBitwiseAnd:
    case SpvOpBitwiseOr:
    case SpvOpBitwiseXor:
    case SpvOpLogicalAnd:
    case SpvOpLogicalOr:
    case SpvOpLogicalEqual:
    case SpvOpLogicalNotEqual: emit_binary(e, false); return true;
    case SpvOpNot:
    case SpvOpLogicalNot:
    case SpvOpBitReverse:
    case SpvOpBitCount: emit_unary(e); return true;
    case SpvOpBitFieldInsert: emit_field_insert(e); return true;
    case SpvOpBitFieldSExtract: emit_field_extract(e, true); return true;
    case SpvOpBitFieldUExtract: emit_field_extract(e, false); return true;
    default: return false;
    }
}

/* SPDX-License-Identifier: MIT */
/* Integer and floating-point arithmetic, products, extended results, integer dot products. */
#include "emitter.h"

/* FPFastMathMode, what the build allows everywhere and, where the kernel allows it, contraction. That there
 * are no infinities is never said: LLVM would decide comparisons with one by it, and programs mark by them.
 */
V
lw_fast(lw_emitter *e, V value)
{
    if (e->failed || !value || !LLVMIsAInstruction(value) || !LLVMCanValueUseFastMathFlags(value))
        return value;
    LLVMFastMathFlags flags = LLVMFastMathNone;
    uint32_t mode = lw_decoration_value(e, e->inst->result, SpvDecorationFPFastMathMode, 0);
    if (mode & SpvFPFastMathModeFastMask)
        flags = LLVMFastMathAll & ~LLVMFastMathNoInfs;
    if (mode & SpvFPFastMathModeNotNaNMask)
        flags |= LLVMFastMathNoNaNs;
    if (mode & SpvFPFastMathModeNSZMask)
        flags |= LLVMFastMathNoSignedZeros;
    if (mode & SpvFPFastMathModeAllowRecipMask)
        flags |= LLVMFastMathAllowReciprocal;
    if (mode & SpvFPFastMathModeAllowContractFastINTELMask)
        flags |= LLVMFastMathAllowContract;
    if (mode & SpvFPFastMathModeAllowReassocINTELMask)
        flags |= LLVMFastMathAllowReassoc;
    if (!e->kernel->contraction_off && !lw_decorated(e, e->inst->result, SpvDecorationNoContraction))
        flags |= LLVMFastMathAllowContract;
    flags |= e->facts->fast_math;
    if (flags)
        LLVMSetFastMathFlags(value, flags);
    return value;
}

static V
no_wrap(lw_emitter *e, V value)
{
    if (e->failed || !value || !LLVMIsABinaryOperator(value))
        return value;
    if (lw_decorated(e, e->inst->result, SpvDecorationNoSignedWrap))
        LLVMSetNSW(value, true);
    if (lw_decorated(e, e->inst->result, SpvDecorationNoUnsignedWrap))
        LLVMSetNUW(value, true);
    return value;
}

/* Remainder with the sign of the dividend, of each component: a libm call in LLVM, hence a row of builtins/.
 */
static V
float_remainder(lw_emitter *e, V a, V b)
{
    V parts[LW_MAX_COMPONENTS];
    T type = LLVMTypeOf(a), scalar = lw_scalar(type);
    char name[32] = "lw.cl.fmod.", suffix[16];
    for (unsigned i = 0, at = 11; at < sizeof name - 1 && lw_suffix(scalar, suffix)[i]; i++, at++)
        name[at] = suffix[i];
    for (unsigned i = 0; i < lw_parts(type); i++) {
        V args[2] = {lw_component(e, a, i), lw_component(e, b, i)};
        parts[i] = lw_fast(e, lw_call(e, name, scalar, args, 2));
    }
    return lw_assemble(e, type, parts);
}

/* Remainder with the sign of the divisor, from the one with the dividend's. */
static V
float_modulo(lw_emitter *e, V a, V b)
{
    V r = float_remainder(e, a, b);
    if (!r)
        return NULL;
    T type = LLVMTypeOf(a);
    T bits = lw_like(LLVMIntTypeInContext(e->context, lw_bits(type)), type);
    V differ =
        LLVMBuildXor(e->b, LLVMBuildBitCast(e->b, r, bits, ""), LLVMBuildBitCast(e->b, b, bits, ""), "");
    V other_sign = LLVMBuildICmp(e->b, LLVMIntSLT, differ, lw_int(bits, 0), "");
    V not_zero = LLVMBuildFCmp(e->b, LLVMRealUNE, r, lw_real(type, 0), "");
    V moved = LLVMBuildFAdd(e->b, r, b, "");
    V zero = lw_intrinsic2(e, "llvm.copysign", r, b);
    V result = LLVMBuildSelect(e->b, LLVMBuildAnd(e->b, other_sign, not_zero, ""), moved, r, "");
    return LLVMBuildSelect(e->b, not_zero, result, zero, "");
}

/* What is divided by. The quotient by zero is any value, but not undefined behaviour: who divides first and
 * asks then is answered, and clang-22 moves divisions in front of that question. LLVM would take the divisor
 * to be another number from there on. */
static V
divisor_of(lw_emitter *e, V b)
{
    if (LLVMIsAConstantInt(b) && !LLVMIsNull(b))
        return b;
    return lw_intrinsic2(e, "llvm.umax", b, lw_int(LLVMTypeOf(b), 1));
}

static V
int_modulo(lw_emitter *e, V a, V b)
{
    V r = LLVMBuildSRem(e->b, a, divisor_of(e, b), "");
    V zero = lw_int(LLVMTypeOf(a), 0);
    V other_sign = LLVMBuildICmp(e->b, LLVMIntSLT, LLVMBuildXor(e->b, r, b, ""), zero, "");
    V not_zero = LLVMBuildICmp(e->b, LLVMIntNE, r, zero, "");
    V moved = LLVMBuildAdd(e->b, r, b, "");
    return LLVMBuildSelect(e->b, LLVMBuildAnd(e->b, other_sign, not_zero, ""), moved, r, "");
}

static V
pair(lw_emitter *e, V first, V second)
{
    T type = lw_emit_type(e, e->inst->type);
    if (!type || LLVMGetTypeKind(type) != LLVMStructTypeKind || lw_parts(type) != 2) {
        lw_emit_fail(e, "a result that is no pair");
        return NULL;
    }
    V result = LLVMBuildInsertValue(e->b, LLVMGetPoison(type), first, 0, "");
    return LLVMBuildInsertValue(e->b, result, second, 1, "");
}

static V
multiply_extended(lw_emitter *e, V a, V b, bool is_signed)
{
    T type = LLVMTypeOf(a);
    unsigned bits = lw_bits(type);
    T wide = lw_like(LLVMIntTypeInContext(e->context, 2 * bits), type);
    V x = is_signed ? LLVMBuildSExt(e->b, a, wide, "") : LLVMBuildZExt(e->b, a, wide, "");
    V y = is_signed ? LLVMBuildSExt(e->b, b, wide, "") : LLVMBuildZExt(e->b, b, wide, "");
    V product = LLVMBuildMul(e->b, x, y, "");
    V high = LLVMBuildLShr(e->b, product, lw_int(wide, bits), "");
    return pair(e, LLVMBuildTrunc(e->b, product, type, ""), LLVMBuildTrunc(e->b, high, type, ""));
}

static V
add_with_carry(lw_emitter *e, V a, V b, bool subtract)
{
    T type = LLVMTypeOf(a);
    V result = subtract ? LLVMBuildSub(e->b, a, b, "") : LLVMBuildAdd(e->b, a, b, "");
    V carry =
        subtract ? LLVMBuildICmp(e->b, LLVMIntULT, a, b, "") : LLVMBuildICmp(e->b, LLVMIntULT, result, a, "");
    return pair(e, result, LLVMBuildZExt(e->b, carry, type, ""));
}

/* OpDot, in order. Its permitted error leaves room for fused steps, whatever the kernel says of its own
 * multiplications and additions. */
static V
float_dot(lw_emitter *e, V a, V b)
{
    V sum = NULL;
    bool fused = lw_scalar(LLVMTypeOf(a)) != e->f16 &&
                 !lw_decorated(e, e->inst->result, SpvDecorationNoContraction);
    for (unsigned i = 0; i < lw_parts(LLVMTypeOf(a)) && !e->failed; i++) {
        V step[3] = {lw_component(e, a, i), lw_component(e, b, i), sum};
        if (sum && fused) {
            sum = lw_intrinsic(e, "llvm.fmuladd", step, 3);
            continue;
        }
        V product = lw_fast(e, LLVMBuildFMul(e->b, step[0], step[1], ""));
        sum = sum ? lw_fast(e, LLVMBuildFAdd(e->b, sum, product, "")) : product;
    }
    return sum;
}

static V
binary(lw_emitter *e, V a, V b)
{
    switch (e->inst->op) {
    case SpvOpIAdd: return no_wrap(e, LLVMBuildAdd(e->b, a, b, ""));
    case SpvOpISub: return no_wrap(e, LLVMBuildSub(e->b, a, b, ""));
    case SpvOpIMul: return no_wrap(e, LLVMBuildMul(e->b, a, b, ""));
    case SpvOpUDiv: return LLVMBuildUDiv(e->b, a, divisor_of(e, b), "");
    case SpvOpSDiv: return LLVMBuildSDiv(e->b, a, divisor_of(e, b), "");
    case SpvOpUMod: return LLVMBuildURem(e->b, a, divisor_of(e, b), "");
    case SpvOpSRem: return LLVMBuildSRem(e->b, a, divisor_of(e, b), "");
    case SpvOpSMod: return int_modulo(e, a, b);
    case SpvOpFAdd: return lw_fast(e, LLVMBuildFAdd(e->b, a, b, ""));
    case SpvOpFSub: return lw_fast(e, LLVMBuildFSub(e->b, a, b, ""));
    case SpvOpFMul: return lw_fast(e, LLVMBuildFMul(e->b, a, b, ""));
    case SpvOpFDiv: return lw_fast(e, LLVMBuildFDiv(e->b, a, b, ""));
    case SpvOpFRem: return float_remainder(e, a, b);
    case SpvOpFMod: return float_modulo(e, a, b);
    case SpvOpVectorTimesScalar: return lw_fast(e, LLVMBuildFMul(e->b, a, lw_splat(e, b, LLVMTypeOf(a)), ""));
    case SpvOpDot: return float_dot(e, a, b);
    case SpvOpIAddCarry: return add_with_carry(e, a, b, false);
    case SpvOpISubBorrow: return add_with_carry(e, a, b, true);
    case SpvOpUMulExtended: return multiply_extended(e, a, b, false);
    case SpvOpSMulExtended: return multiply_extended(e, a, b, true);
    default: return NULL;
    }
}

/* The two operands have one type, but for the scalar of OpVectorTimesScalar. */
static void
emit_binary(lw_emitter *e, bool is_float)
{
    V a = lw_operand_value(e, 3), b = lw_operand_value(e, 4);
    if (e->failed)
        return;
    T type = LLVMTypeOf(a);
    bool scaled = e->inst->op == SpvOpVectorTimesScalar;
    if ((!scaled && LLVMTypeOf(b) != type) || (scaled && LLVMTypeOf(b) != lw_scalar(type)) ||
        lw_is_float(type) != is_float ||
        (!is_float && LLVMGetTypeKind(lw_scalar(type)) != LLVMIntegerTypeKind)) {
        lw_emit_fail(e, "operands of the wrong types");
        return;
    }
    lw_emit_result(e, binary(e, a, b));
}

static void
emit_negate(lw_emitter *e, bool is_float)
{
    V a = lw_operand_value(e, 3);
    if (e->failed)
        return;
    if (lw_is_float(LLVMTypeOf(a)) != is_float)
        lw_emit_fail(e, "an operand of the wrong type");
    else
        lw_emit_result(e, is_float ? lw_fast(e, LLVMBuildFNeg(e->b, a, ""))
                                   : no_wrap(e, LLVMBuildNeg(e->b, a, "")));
}

bool
lw_emit_arithmetic(lw_emitter *e)
{
    switch (e->inst->op) {
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpIMul:
    case SpvOpUDiv:
    case SpvOpSDiv:
    case SpvOpUMod:
    case SpvOpSRem:
    case SpvOpSMod:
    case SpvOpIAddCarry:
    case SpvOpISubBorrow:
    case SpvOpUMulExtended:
    case SpvOpSMulExtended: emit_binary(e, false); return true;
    case SpvOpFAdd:
    case SpvOpFSub:
    case SpvOpFMul:
    case SpvOpFDiv:
    case SpvOpFRem:
    case SpvOpFMod:
    case SpvOpDot:
    case SpvOpVectorTimesScalar: emit_binary(e, true); return true;
    case SpvOpSNegate: emit_negate(e, false); return true;
    case SpvOpFNegate: emit_negate(e, true); return true;
    default: return false;
    }
}

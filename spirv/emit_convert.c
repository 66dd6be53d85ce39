/* SPDX-License-Identifier: MIT */
/* Conversions, elementwise, with SaturatedConversion and FPRoundingMode.
 *
 * Directed rounding without touching MXCSR: convert to nearest, convert back, compare with the exact value,
 * and step one unit in the last place towards the wanted side where nearest went to the other. Narrowing in
 * two steps (double, float, half) is exact for a direction used twice; for nearest the first step rounds to
 * odd. Half meets integers through float: every integer below half's largest is exact there.
 */
#include "emitter.h"

#include <math.h>

static T
int_like(lw_emitter *e, T type)
{
    return lw_like(LLVMIntTypeInContext(e->context, lw_bits(type)), type);
}

/* `f` moved by one unit in the last place where `when`: away from zero or towards it. Not for zero. */
static V
step_magnitude(lw_emitter *e, V f, V when, V away)
{
    T type = LLVMTypeOf(f), bits = int_like(e, type);
    V by = LLVMBuildSelect(e->b, away, lw_int(bits, 1), lw_int(bits, ~0ull), "");
    V moved = LLVMBuildAdd(e->b, LLVMBuildBitCast(e->b, f, bits, ""), by, "");
    return LLVMBuildSelect(e->b, when, LLVMBuildBitCast(e->b, moved, type, ""), f, "");
}

/* `too_high`, `too_low`: nearest went above, below the exact value. `negative`: the exact value's sign. */
static V
direct(lw_emitter *e, V f, V too_high, V too_low, V negative, enum lw_rounding rounding)
{
    V positive = LLVMBuildNot(e->b, negative, ""), when;
    switch (rounding) {
    case LW_RTP:
        return step_magnitude(e, f, too_low, positive);
    case LW_RTN:
        return step_magnitude(e, f, too_high, negative);
    case LW_RTZ:
        when = LLVMBuildSelect(e->b, negative, too_low, too_high, "");
        return step_magnitude(e, f, when, LLVMConstNull(LLVMTypeOf(when)));
    default:
        return f;
    }
}

static V
is_negative(lw_emitter *e, V x)
{
    T bits = int_like(e, LLVMTypeOf(x));
    return LLVMBuildICmp(e->b, LLVMIntSLT, LLVMBuildBitCast(e->b, x, bits, ""), lw_int(bits, 0), "");
}

/* One step down: double to float, float to half. */
static V
narrow(lw_emitter *e, V x, T to, enum lw_rounding rounding)
{
    V f = LLVMBuildFPTrunc(e->b, x, to, "");
    if (rounding == LW_RTE || rounding == LW_ROUND_DEFAULT)
        return f;
    V back = LLVMBuildFPExt(e->b, f, LLVMTypeOf(x), ""), negative = is_negative(e, x);
    V too_high = LLVMBuildFCmp(e->b, LLVMRealOGT, back, x, "");
    V too_low = LLVMBuildFCmp(e->b, LLVMRealOLT, back, x, "");
    return direct(e, f, too_high, too_low, negative, rounding);
}

/* Double to float with the last bit set where bits were lost: rounding that once more is exact. */
static V
narrow_to_odd(lw_emitter *e, V x, T to)
{
    V f = narrow(e, x, to, LW_RTZ);
    V lost = LLVMBuildFCmp(e->b, LLVMRealONE, LLVMBuildFPExt(e->b, f, LLVMTypeOf(x), ""), x, "");
    T bits = int_like(e, to);
    V odd = LLVMBuildOr(e->b, LLVMBuildBitCast(e->b, f, bits, ""), LLVMBuildZExt(e->b, lost, bits, ""), "");
    return LLVMBuildBitCast(e->b, odd, to, "");
}

/* A double that is no zero, 2^-30 or more of its sign: halves round alike below that, and as a float that
 * is subnormal it could count as zero. */
static V
keep_from_zero(lw_emitter *e, V x)
{
    V least = lw_real(LLVMTypeOf(x), 0x1p-30), zero = lw_real(LLVMTypeOf(x), 0);
    V tiny = LLVMBuildFCmp(e->b, LLVMRealOLT, lw_intrinsic1(e, "llvm.fabs", x), least, "");
    V some = LLVMBuildFCmp(e->b, LLVMRealONE, x, zero, "");
    V kept = lw_intrinsic2(e, "llvm.copysign", least, x);
    return LLVMBuildSelect(e->b, LLVMBuildAnd(e->b, tiny, some, ""), kept, x, "");
}

V
lw_float_to_float(lw_emitter *e, V x, T to, enum lw_rounding rounding)
{
    if (e->failed || !x)
        return NULL;
    T from = LLVMTypeOf(x);
    unsigned have = lw_bits(from), want = lw_bits(to);
    if (have == want)
        return x;
    if (have < want)
        return LLVMBuildFPExt(e->b, x, to, "");
    if (have == 32 || want == 32)
        return narrow(e, x, to, rounding);
    T middle = lw_like(e->f32, from);
    bool nearest = rounding == LW_RTE || rounding == LW_ROUND_DEFAULT;
    if (!nearest)
        x = keep_from_zero(e, x);
    V f = nearest ? narrow_to_odd(e, x, middle) : narrow(e, x, middle, rounding);
    return narrow(e, f, to, rounding);
}

/* Of float or double, NaN to zero. LLVM's intrinsics for it become one lane after the other on x86: bounds
 * that the float type has are applied before the conversion, and what lies above the largest float below the
 * integers' end is put right afterwards. */
static V
saturated(lw_emitter *e, V x, T to, bool is_signed)
{
    T type = LLVMTypeOf(x);
    unsigned digits = lw_bits(type) == 64 ? 53 : 24, width = lw_bits(to), magnitude = width - is_signed;
    bool exact = magnitude <= digits;
    double end = ldexp(1, (int)magnitude), top = end - (exact ? 1 : ldexp(1, (int)(magnitude - digits)));
    V low = lw_real(type, is_signed ? -end : 0), high = lw_real(type, top);

    if (is_signed)
        x = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealORD, x, x, ""), x, lw_real(type, 0), "");
    V bounded = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOGT, x, low, ""), x, low, "");
    bounded = LLVMBuildSelect(e->b, LLVMBuildFCmp(e->b, LLVMRealOLT, bounded, high, ""), bounded, high, "");
    if (width < 32)
        return LLVMBuildTrunc(e->b, LLVMBuildFPToSI(e->b, bounded, lw_like(e->i32, type), ""), to, "");
    V value = is_signed ? LLVMBuildFPToSI(e->b, bounded, to, "") : LLVMBuildFPToUI(e->b, bounded, to, "");
    if (exact)
        return value;
    V above = LLVMBuildFCmp(e->b, LLVMRealOGE, x, lw_real(type, end), "");
    return LLVMBuildSelect(e->b, above, lw_int(to, ~0ull >> (64 - magnitude)), value, "");
}

V
lw_float_to_int(lw_emitter *e, V x, T to, bool is_signed, enum lw_rounding rounding, bool saturate)
{
    if (e->failed || !x)
        return NULL;
    if (lw_bits(LLVMTypeOf(x)) == 16)
        x = LLVMBuildFPExt(e->b, x, lw_like(e->f32, LLVMTypeOf(x)), "");
    switch (rounding) {
    case LW_RTE:
        x = lw_intrinsic1(e, "llvm.roundeven", x);
        break;
    case LW_RTP:
        x = lw_intrinsic1(e, "llvm.ceil", x);
        break;
    case LW_RTN:
        x = lw_intrinsic1(e, "llvm.floor", x);
        break;
    default:
        break;
    }
    if (saturate)
        return saturated(e, x, to, is_signed);
    V value = is_signed ? LLVMBuildFPToSI(e->b, x, to, "") : LLVMBuildFPToUI(e->b, x, to, "");
    return LLVMBuildFreeze(e->b, value, "");
}

/* Directed rounding of integers to float or double: the way back saturates, and what it cannot tell is the
 * one value above every integer. */
static V
directed_int(lw_emitter *e, V x, V f, bool is_signed, enum lw_rounding rounding)
{
    T type = LLVMTypeOf(x), to = LLVMTypeOf(f);
    double over = is_signed ? 0x1p-1 : 1;
    for (unsigned i = 0; i < lw_bits(type); i++)
        over *= 2;
    V back = lw_float_to_int(e, f, type, is_signed, LW_RTZ, true), zero = lw_int(type, 0);
    if (!back)
        return NULL;
    V above = LLVMBuildFCmp(e->b, LLVMRealOGE, f, lw_real(to, over), "");
    V higher = LLVMBuildICmp(e->b, is_signed ? LLVMIntSGT : LLVMIntUGT, back, x, "");
    V lower = LLVMBuildICmp(e->b, is_signed ? LLVMIntSLT : LLVMIntULT, back, x, "");
    V negative = is_signed ? LLVMBuildICmp(e->b, LLVMIntSLT, x, zero, "") : LLVMConstNull(LLVMTypeOf(lower));
    return direct(e, f, LLVMBuildOr(e->b, above, higher, ""), lower, negative, rounding);
}

V
lw_int_to_float(lw_emitter *e, V x, T to, bool is_signed, enum lw_rounding rounding)
{
    if (e->failed || !x)
        return NULL;
    T type = LLVMTypeOf(x), step = lw_bits(to) == 16 ? lw_like(e->f32, to) : to;
    V f = is_signed ? LLVMBuildSIToFP(e->b, x, step, "") : LLVMBuildUIToFP(e->b, x, step, "");
    bool exact = lw_bits(type) < 32 || (lw_bits(type) == 32 && lw_bits(step) == 64);
    if (!exact && rounding != LW_RTE && rounding != LW_ROUND_DEFAULT)
        f = directed_int(e, x, f, is_signed, rounding);
    return step == to ? f : lw_float_to_float(e, f, to, rounding);
}

/* Smallest and largest value of the target, as bits of the source type. */
static V
clamp_int(lw_emitter *e, V x, T to, bool from_signed, bool to_signed)
{
    T type = LLVMTypeOf(x);
    unsigned have = lw_bits(type), want = lw_bits(to);
    uint64_t high = (want < 64 ? 1ull << want : 0) - 1;
    if (to_signed)
        high >>= 1;
    if (from_signed) {
        uint64_t low = to_signed ? ~high : 0;
        if (!to_signed || want < have)
            x = lw_intrinsic2(e, "llvm.smax", x, lw_int(type, low));
        if (want < have)
            x = lw_intrinsic2(e, "llvm.smin", x, lw_int(type, high));
        return x;
    }
    if (want < have || (want == have && to_signed))
        x = lw_intrinsic2(e, "llvm.umin", x, lw_int(type, high));
    return x;
}

V
lw_int_to_int(lw_emitter *e, V x, T to, bool from_signed, bool to_signed, bool saturate)
{
    if (e->failed || !x)
        return NULL;
    if (saturate)
        x = clamp_int(e, x, to, from_signed, to_signed);
    return x ? LLVMBuildIntCast2(e->b, x, to, from_signed, "") : NULL;
}

/* ---- the instructions ---- */

static bool
check_kinds(lw_emitter *e, V x, T to, bool from_float, bool to_float)
{
    T from = LLVMTypeOf(x);
    bool ok = lw_is_float(from) == from_float && lw_is_float(to) == to_float &&
              lw_parts(from) == lw_parts(to) &&
              (from_float || LLVMGetTypeKind(lw_scalar(from)) == LLVMIntegerTypeKind) &&
              (to_float || LLVMGetTypeKind(lw_scalar(to)) == LLVMIntegerTypeKind);
    if (!ok)
        lw_emit_fail(e, "operands of the wrong types");
    return ok;
}

static void
emit_number(lw_emitter *e)
{
    V x = lw_operand_value(e, 3);
    T to = lw_emit_type(e, e->inst->type);
    uint32_t id = e->inst->result, op = e->inst->op;
    enum lw_rounding rounding = lw_decoration_value(e, id, SpvDecorationFPRoundingMode, LW_ROUND_DEFAULT);
    bool saturate = lw_decorated(e, id, SpvDecorationSaturatedConversion);
    bool from_float = op == SpvOpConvertFToS || op == SpvOpConvertFToU || op == SpvOpFConvert;
    bool to_float = op == SpvOpConvertSToF || op == SpvOpConvertUToF || op == SpvOpFConvert;
    if (e->failed || !check_kinds(e, x, to, from_float, to_float))
        return;
    switch (op) {
    case SpvOpConvertFToS:
        lw_emit_result(e, lw_float_to_int(e, x, to, true, rounding, saturate));
        break;
    case SpvOpConvertFToU:
        lw_emit_result(e, lw_float_to_int(e, x, to, false, rounding, saturate));
        break;
    case SpvOpConvertSToF:
        lw_emit_result(e, lw_int_to_float(e, x, to, true, rounding));
        break;
    case SpvOpConvertUToF:
        lw_emit_result(e, lw_int_to_float(e, x, to, false, rounding));
        break;
    case SpvOpUConvert:
        lw_emit_result(e, lw_int_to_int(e, x, to, false, false, saturate));
        break;
    case SpvOpSConvert:
        lw_emit_result(e, lw_int_to_int(e, x, to, true, true, saturate));
        break;
    case SpvOpSatConvertSToU:
        lw_emit_result(e, lw_int_to_int(e, x, to, true, false, true));
        break;
    case SpvOpSatConvertUToS:
        lw_emit_result(e, lw_int_to_int(e, x, to, false, true, true));
        break;
    default:
        lw_emit_result(e, lw_float_to_float(e, x, to, rounding));
        break;
    }
}

static bool
is_pointer(T type)
{
    return LLVMGetTypeKind(type) == LLVMPointerTypeKind;
}

static void
emit_bitcast(lw_emitter *e)
{
    uint32_t source = lw_operand(e, 3);
    if (lw_derive_input(e, source, NULL))
        return;
    V x = lw_operand_value(e, 3);
    T to = lw_emit_type(e, e->inst->type);
    if (e->failed)
        return;
    T from = LLVMTypeOf(x);
    if (is_pointer(from) && is_pointer(to)) {
        lw_emit_result(e, lw_to_storage(e, x, to));
        return;
    }
    /* Pointers are integers of 64 bits on the way to and from numbers and vectors of them. */
    x = is_pointer(from) ? LLVMBuildPtrToInt(e->b, x, e->i64, "") : x;
    from = LLVMTypeOf(x);
    T number = is_pointer(to) ? e->i64 : to;
    if (lw_scalar(from) == e->i1 || lw_scalar(to) == e->i1 ||
        lw_bits(lw_scalar(from)) * lw_parts(from) != lw_bits(lw_scalar(number)) * lw_parts(number)) {
        lw_emit_fail(e, "a bitcast between types of different sizes");
        return;
    }
    x = LLVMBuildBitCast(e->b, x, number, "");
    lw_emit_result(e, is_pointer(to) ? LLVMBuildIntToPtr(e->b, x, to, "") : x);
}

static void
emit_pointer(lw_emitter *e, bool to_pointer)
{
    V x = lw_operand_value(e, 3);
    T to = lw_emit_type(e, e->inst->type);
    if (e->failed)
        return;
    if (is_pointer(LLVMTypeOf(x)) == to_pointer || is_pointer(to) != to_pointer ||
        LLVMGetTypeKind(to_pointer ? LLVMTypeOf(x) : to) != LLVMIntegerTypeKind)
        lw_emit_fail(e, "operands of the wrong types");
    else
        lw_emit_result(e,
                       to_pointer ? LLVMBuildIntToPtr(e->b, x, to, "") : LLVMBuildPtrToInt(e->b, x, to, ""));
}

/* SIZE_MAX is what OpenCL C calls null; here it is 0. */
static void
emit_handle(lw_emitter *e)
{
    V x = lw_operand_value(e, 3);
    T to = lw_emit_type(e, e->inst->type);
    if (e->failed)
        return;
    if (e->inst->op == SpvOpConvertUToPtr) {
        x = LLVMBuildIntCast2(e->b, x, e->i64, false, "");
        V null = LLVMBuildICmp(e->b, LLVMIntEQ, x, lw_int(e->i64, UINT64_MAX), "");
        x = LLVMBuildSelect(e->b, null, lw_int(e->i64, 0), x, "");
    }
    lw_emit_result(e, LLVMBuildIntCast2(e->b, x, to, false, ""));
}

bool
lw_emit_convert(lw_emitter *e)
{
    if (lw_casts_handle(e->spv, e->inst)) {
        emit_handle(e);
        return true;
    }
    switch (e->inst->op) {
    case SpvOpConvertFToS:
    case SpvOpConvertFToU:
    case SpvOpConvertSToF:
    case SpvOpConvertUToF:
    case SpvOpUConvert:
    case SpvOpSConvert:
    case SpvOpFConvert:
    case SpvOpSatConvertSToU:
    case SpvOpSatConvertUToS:
        emit_number(e);
        return true;
    case SpvOpBitcast:
        emit_bitcast(e);
        return true;
    case SpvOpConvertPtrToU:
        emit_pointer(e, false);
        return true;
    case SpvOpConvertUToPtr:
        emit_pointer(e, true);
        return true;
    case SpvOpQuantizeToF16: {
        V x = lw_operand_value(e, 3);
        if (!e->failed && check_kinds(e, x, LLVMTypeOf(x), true, true))
            lw_emit_result(
                e, lw_float_to_float(e, lw_float_to_float(e, x, lw_like(e->f16, LLVMTypeOf(x)), LW_RTE),
                                     LLVMTypeOf(x), LW_RTE));
        return true;
    }
    default:
        return false;
    }
}

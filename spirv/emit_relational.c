/* SPDX-License-Identifier: MIT */
/* Comparisons, classification, any/all, select. clang-22 gives OpAny and OpAll integer vectors, whose most
 * significant bits count then (OpenCL C 6.15.8), and OpSelect conditions likewise. */
#include <float.h>
#include <math.h>
#include "emitter.h"

static V
to_bool(lw_emitter *e, V value)
{
    if (e->failed || !value || lw_scalar(LLVMTypeOf(value)) == e->i1)
        return value;
    if (LLVMGetTypeKind(lw_scalar(LLVMTypeOf(value))) != LLVMIntegerTypeKind) {
        lw_emit_fail(e, "a condition that is no boolean");
        return NULL;
    }
    return LLVMBuildICmp(e->b, LLVMIntSLT, value, lw_int(LLVMTypeOf(value), 0), "");
}

/* Comparison result in the instruction's type: boolean, or integers where a front end asks for them. */
static void
result_bool(lw_emitter *e, V value)
{
    T type = lw_emit_type(e, e->inst->type);
    if (e->failed || !value)
        return;
    bool same = lw_scalar(type) == e->i1;
    lw_emit_result(e, same ? value
                      : lw_parts(type) > 1 ? LLVMBuildSExt(e->b, value, type, "")
                                           : LLVMBuildZExt(e->b, value, type, ""));
}

static bool
int_predicate(uint32_t op, LLVMIntPredicate *predicate)
{
    switch (op) {
    case SpvOpIEqual: *predicate = LLVMIntEQ; return true;
    case SpvOpINotEqual: *predicate = LLVMIntNE; return true;
    case SpvOpUGreaterThan: *predicate = LLVMIntUGT; return true;
    case SpvOpSGreaterThan: *predicate = LLVMIntSGT; return true;
    case SpvOpUGreaterThanEqual: *predicate = LLVMIntUGE; return true;
    case SpvOpSGreaterThanEqual: *predicate = LLVMIntSGE; return true;
    case SpvOpULessThan: *predicate = LLVMIntULT; return true;
    case SpvOpSLessThan: *predicate = LLVMIntSLT; return true;
    case SpvOpULessThanEqual: *predicate = LLVMIntULE; return true;
    case SpvOpSLessThanEqual: *predicate = LLVMIntSLE; return true;
    default: return false;
    }
}

static bool
real_predicate(uint32_t op, LLVMRealPredicate *predicate)
{
    switch (op) {
    case SpvOpFOrdEqual: *predicate = LLVMRealOEQ; return true;
    case SpvOpFUnordEqual: *predicate = LLVMRealUEQ; return true;
    case SpvOpLessOrGreater:
    case SpvOpFOrdNotEqual: *predicate = LLVMRealONE; return true;
    case SpvOpFUnordNotEqual: *predicate = LLVMRealUNE; return true;
    case SpvOpFOrdLessThan: *predicate = LLVMRealOLT; return true;
    case SpvOpFUnordLessThan: *predicate = LLVMRealULT; return true;
    case SpvOpFOrdGreaterThan: *predicate = LLVMRealOGT; return true;
    case SpvOpFUnordGreaterThan: *predicate = LLVMRealUGT; return true;
    case SpvOpFOrdLessThanEqual: *predicate = LLVMRealOLE; return true;
    case SpvOpFUnordLessThanEqual: *predicate = LLVMRealULE; return true;
    case SpvOpFOrdGreaterThanEqual: *predicate = LLVMRealOGE; return true;
    case SpvOpFUnordGreaterThanEqual: *predicate = LLVMRealUGE; return true;
    case SpvOpOrdered: *predicate = LLVMRealORD; return true;
    case SpvOpUnordered: *predicate = LLVMRealUNO; return true;
    default: return false;
    }
}

static bool
emit_comparison(lw_emitter *e)
{
    LLVMIntPredicate ints;
    LLVMRealPredicate reals;
    bool is_int = int_predicate(e->inst->op, &ints);
    if (!is_int && !real_predicate(e->inst->op, &reals))
        return false;
    V a = lw_operand_value(e, 3), b = lw_operand_value(e, 4);
    if (e->failed)
        return true;
    if (e->inst->op == SpvOpIEqual && LLVMTypeOf(a) == LLVMTypeOf(b) && lw_is_float(LLVMTypeOf(a))) {
        T bits = lw_like(LLVMIntTypeInContext(e->context, lw_bits(LLVMTypeOf(a))), LLVMTypeOf(a));
        a = LLVMBuildBitCast(e->b, a, bits, "");
        b = LLVMBuildBitCast(e->b, b, bits, "");
    }
    if (LLVMTypeOf(a) != LLVMTypeOf(b) || lw_is_float(LLVMTypeOf(a)) == is_int)
        lw_emit_fail(e, "operands of the wrong types");
    else
        result_bool(e, is_int ? LLVMBuildICmp(e->b, ints, a, b, "") : LLVMBuildFCmp(e->b, reals, a, b, ""));
    return true;
}

static double
smallest_normal(T type)
{
    switch (lw_bits(type)) {
    case 16: return 0x1p-14;
    case 32: return FLT_MIN;
    default: return DBL_MIN;
    }
}

static void
emit_classify(lw_emitter *e)
{
    V a = lw_operand_value(e, 3), result;
    if (e->failed)
        return;
    T type = LLVMTypeOf(a);
    if (!lw_is_float(type)) {
        lw_emit_fail(e, "an operand of the wrong type");
        return;
    }
    V magnitude = lw_intrinsic1(e, "llvm.fabs", a), infinity = lw_real(type, (double)INFINITY);
    T bits = lw_like(LLVMIntTypeInContext(e->context, lw_bits(type)), type);
    switch (e->inst->op) {
    case SpvOpIsNan: result = LLVMBuildFCmp(e->b, LLVMRealUNO, a, a, ""); break;
    case SpvOpIsInf: result = LLVMBuildFCmp(e->b, LLVMRealOEQ, magnitude, infinity, ""); break;
    case SpvOpIsFinite: result = LLVMBuildFCmp(e->b, LLVMRealOLT, magnitude, infinity, ""); break;
    case SpvOpIsNormal:
        result = LLVMBuildAnd(
            e->b, LLVMBuildFCmp(e->b, LLVMRealOLT, magnitude, infinity, ""),
            LLVMBuildFCmp(e->b, LLVMRealOGE, magnitude, lw_real(type, smallest_normal(type)), ""), "");
        break;
    default: /* SignBitSet */
        result = LLVMBuildICmp(e->b, LLVMIntSLT, LLVMBuildBitCast(e->b, a, bits, ""), lw_int(bits, 0), "");
        break;
    }
    result_bool(e, result);
}

static void
emit_any_all(lw_emitter *e, bool all)
{
    V a = to_bool(e, lw_operand_value(e, 3)), result = NULL;
    if (e->failed)
        return;
    for (unsigned i = 0; i < lw_parts(LLVMTypeOf(a)); i++) {
        V part = lw_component(e, a, i);
        result = !result ? part
                 : all   ? LLVMBuildAnd(e->b, result, part, "")
                         : LLVMBuildOr(e->b, result, part, "");
    }
    result_bool(e, result);
}

static void
emit_select(lw_emitter *e)
{
    V condition = to_bool(e, lw_operand_value(e, 3)), on = lw_operand_value(e, 4),
      off = lw_operand_value(e, 5);
    if (e->failed)
        return;
    T type = LLVMTypeOf(on);
    unsigned lanes = lw_parts(LLVMTypeOf(condition));
    if (type != LLVMTypeOf(off) ||
        (lanes > 1 && (LLVMGetTypeKind(type) != LLVMVectorTypeKind || lw_parts(type) != lanes)))
        lw_emit_fail(e, "operands of the wrong types");
    else
        lw_emit_result(e, lw_fast(e, LLVMBuildSelect(e->b, condition, on, off, "")));
}

bool
lw_emit_relational(lw_emitter *e)
{
    switch (e->inst->op) {
    case SpvOpIsNan:
    case SpvOpIsInf:
    case SpvOpIsFinite:
    case SpvOpIsNormal:
    case SpvOpSignBitSet: emit_classify(e); return true;
    case SpvOpAny: emit_any_all(e, false); return true;
    case SpvOpAll: emit_any_all(e, true); return true;
    case SpvOpSelect: emit_select(e); return true;
    default: return emit_comparison(e);
    }
}

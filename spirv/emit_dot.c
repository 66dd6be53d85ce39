/* SPDX-License-Identifier: MIT */
/* Integer dot products: the components extended to the result's width, products and sums modulo that width;
 * the saturating ones add their accumulator last. */
#include <stdio.h>
#include "emitter.h"

struct dot {
    bool signed_a, signed_b, saturates;
};

static bool
is_dot(uint32_t op, struct dot *d)
{
    *d = (struct dot){.saturates = op >= SpvOpSDotAccSatKHR};
    switch (op) {
    case SpvOpSDotKHR:
    case SpvOpSDotAccSatKHR: d->signed_a = d->signed_b = true; return true;
    case SpvOpUDotKHR:
    case SpvOpUDotAccSatKHR: return true;
    case SpvOpSUDotKHR:
    case SpvOpSUDotAccSatKHR: d->signed_a = true; return true;
    default: return false;
    }
}

/* Four bytes in a 32-bit integer, which the lanes keep together. The sum always fits 32 bits. */
static V
packed(lw_emitter *e, const struct dot *d, V a, V b, T type)
{
    V args[2] = {LLVMBuildBitCast(e->b, a, e->i32, ""), LLVMBuildBitCast(e->b, b, e->i32, "")};
    char name[24];
    snprintf(name, sizeof name, "lw.dot4x8.%c%c", d->signed_a ? 's' : 'u', d->signed_b ? 's' : 'u');
    V sum = lw_call(e, name, e->i32, args, 2);
    return e->failed ? NULL : LLVMBuildIntCast2(e->b, sum, type, d->signed_a || d->signed_b, "");
}

static V
by_component(lw_emitter *e, const struct dot *d, V a, V b, T type)
{
    V sum = NULL;
    for (unsigned k = 0; k < lw_parts(LLVMTypeOf(a)); k++) {
        V x = LLVMBuildIntCast2(e->b, lw_component(e, a, k), type, d->signed_a, "");
        V y = LLVMBuildIntCast2(e->b, lw_component(e, b, k), type, d->signed_b, "");
        x = LLVMBuildMul(e->b, x, y, "");
        sum = sum ? LLVMBuildAdd(e->b, sum, x, "") : x;
    }
    return sum;
}

V
lw_dot(lw_emitter *e, uint32_t op, V a, V b, V accumulator, T type)
{
    struct dot d;
    if (e->failed || !a || !b || !is_dot(op, &d))
        return NULL;
    T vector = LLVMTypeOf(a);
    bool integers = LLVMGetTypeKind(lw_scalar(vector)) == LLVMIntegerTypeKind &&
                    LLVMGetTypeKind(type) == LLVMIntegerTypeKind;
    bool is_packed = vector == e->i32, bytes = lw_parts(vector) == 4 && lw_scalar(vector) == e->i8;
    if (!integers || vector != LLVMTypeOf(b) || (lw_parts(vector) == 1 && !is_packed) ||
        (d.saturates && (!accumulator || LLVMTypeOf(accumulator) != type))) {
        lw_emit_fail(e, "operands of the wrong types");
        return NULL;
    }
    V sum = is_packed || bytes ? packed(e, &d, a, b, type) : by_component(e, &d, a, b, type);
    if (!sum || !d.saturates)
        return sum;
    return lw_intrinsic2(e, d.signed_a || d.signed_b ? "llvm.sadd.sat" : "llvm.uadd.sat", sum, accumulator);
}

bool
lw_emit_dot(lw_emitter *e)
{
    struct dot d;
    if (!is_dot(e->inst->op, &d))
        return false;
    V a = lw_operand_value(e, 3), b = lw_operand_value(e, 4);
    V accumulator = d.saturates ? lw_operand_value(e, 5) : NULL;
    T type = lw_emit_type(e, e->inst->type);
    lw_emit_result(e, lw_dot(e, e->inst->op, a, b, accumulator, type));
    return true;
}

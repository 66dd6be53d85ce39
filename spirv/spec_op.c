/* SPDX-License-Identifier: MIT */
/* OpSpecConstantOp over scalars and vectors.
 *
 * Enters: an OpSpecConstantOp whose operands were evaluated before it.  Leaves: its lanes.
 * Relies on: nothing.  Never: fails a module: what it cannot evaluate has no value, and whoever needs it
 * refuses it.
 */
#include <math.h>
#include <string.h>

#include "evaluate.h"

/* Value of a floating lane of `width` bits. */
static double
lane_to_double(uint64_t bits, uint32_t width)
{
    if (width == 64) {
        double d;
        memcpy(&d, &bits, 8);
        return d;
    }
    if (width == 32) {
        uint32_t low = (uint32_t)bits;
        float f;
        memcpy(&f, &low, 4);
        return (double)f;
    }
    uint32_t exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double magnitude = exponent == 31 ? (mantissa ? (double)NAN : (double)INFINITY)
                       : exponent     ? ldexp(1024.0 + mantissa, (int)exponent - 25)
                                      : ldexp(mantissa, -24);
    return bits & 0x8000 ? -magnitude : magnitude;
}

static uint64_t
double_to_half(double value)
{
    uint64_t sign = signbit(value) ? 0x8000 : 0;
    double magnitude = fabs(value);
    if (isnan(value))
        return sign | 0x7e00;
    if (magnitude >= 65520.0)
        return sign | 0x7c00;
    if (magnitude < 0x1p-14)
        return sign | (uint64_t)nearbyint(ldexp(magnitude, 24));
    int exponent;
    double fraction = frexp(magnitude, &exponent); /* [0.5, 1) */
    uint64_t mantissa = (uint64_t)nearbyint(ldexp(fraction, 11));
    return sign | (((uint64_t)(exponent + 14) << 10) + (mantissa - 1024));
}

/* The rounding back, to nearest even. */
static uint64_t
double_to_lane(double value, uint32_t width)
{
    uint64_t bits = 0;
    if (width == 64) {
        memcpy(&bits, &value, 8);
    } else if (width == 32) {
        float f = (float)value;
        memcpy(&bits, &f, 4);
    } else {
        bits = double_to_half(value);
    }
    return bits;
}

static int64_t
sign_extend(uint64_t bits, uint32_t width)
{
    return width >= 64 ? (int64_t)bits : (int64_t)(bits << (64 - width)) >> (64 - width);
}

static uint64_t
truncated(uint64_t bits, uint32_t width)
{
    return width >= 64 ? bits : bits & (((uint64_t)1 << width) - 1);
}

/* One lane: operands `a` and `b` of `width` bits. */
struct lane_op {
    uint32_t op;
    uint32_t width;
    uint64_t a, b;
};

/* Divisions by zero and out-of-range shifts are undefined in SPIR-V; here they give 0. */
static bool
divide(const struct lane_op *o, uint64_t *out)
{
    int64_t a = sign_extend(o->a, o->width), b = sign_extend(o->b, o->width);
    *out = 0;
    bool overflow = b == -1; /* then the quotient is -a and the remainder 0, without trapping */
    switch (o->op) {
    case SpvOpUDiv: *out = o->b ? o->a / o->b : 0; return true;
    case SpvOpUMod: *out = o->b ? o->a % o->b : 0; return true;
    case SpvOpSDiv: *out = overflow ? 0 - (uint64_t)a : b ? (uint64_t)(a / b) : 0; return true;
    case SpvOpSRem: *out = overflow || !b ? 0 : (uint64_t)(a % b); return true;
    case SpvOpSMod: {
        int64_t r = overflow || !b ? 0 : a % b;
        *out = (uint64_t)(r && (r < 0) != (b < 0) ? r + b : r);
        return true;
    }
    default: return false;
    }
}

static bool
shift_or_logic(const struct lane_op *o, uint64_t *out)
{
    bool far = o->b >= o->width;
    switch (o->op) {
    case SpvOpShiftLeftLogical: *out = far ? 0 : o->a << o->b; return true;
    case SpvOpShiftRightLogical: *out = far ? 0 : o->a >> o->b; return true;
    case SpvOpShiftRightArithmetic:
        *out = (uint64_t)(sign_extend(o->a, o->width) >> (far ? o->width - 1 : o->b));
        return true;
    case SpvOpBitwiseAnd:
    case SpvOpLogicalAnd: *out = o->a & o->b; return true;
    case SpvOpBitwiseOr:
    case SpvOpLogicalOr: *out = o->a | o->b; return true;
    case SpvOpBitwiseXor:
    case SpvOpLogicalNotEqual: *out = o->a ^ o->b; return true;
    case SpvOpLogicalEqual: *out = o->a == o->b; return true;
    case SpvOpLogicalNot: *out = !o->a; return true;
    case SpvOpNot: *out = ~o->a; return true;
    case SpvOpSNegate: *out = 0 - o->a; return true;
    case SpvOpIAdd: *out = o->a + o->b; return true;
    case SpvOpISub: *out = o->a - o->b; return true;
    case SpvOpIMul: *out = o->a * o->b; return true;
    default: return false;
    }
}

static bool
compare(const struct lane_op *o, uint64_t *out)
{
    int64_t a = sign_extend(o->a, o->width), b = sign_extend(o->b, o->width);
    switch (o->op) {
    case SpvOpIEqual: *out = o->a == o->b; return true;
    case SpvOpINotEqual: *out = o->a != o->b; return true;
    case SpvOpULessThan: *out = o->a < o->b; return true;
    case SpvOpULessThanEqual: *out = o->a <= o->b; return true;
    case SpvOpUGreaterThan: *out = o->a > o->b; return true;
    case SpvOpUGreaterThanEqual: *out = o->a >= o->b; return true;
    case SpvOpSLessThan: *out = a < b; return true;
    case SpvOpSLessThanEqual: *out = a <= b; return true;
    case SpvOpSGreaterThan: *out = a > b; return true;
    case SpvOpSGreaterThanEqual: *out = a >= b; return true;
    default: return false;
    }
}

/* float -> integer of `to` bits; out of range is undefined and gives the nearest bound. */
static uint64_t
to_integer(double value, uint32_t to, bool is_signed)
{
    if (isnan(value))
        return 0;
    double low = is_signed ? -ldexp(1.0, (int)to - 1) : 0.0;
    double limit = ldexp(1.0, is_signed ? (int)to - 1 : (int)to);
    if (value <= low)
        return is_signed ? (uint64_t)1 << (to - 1) : 0;
    if (value >= limit)
        return is_signed ? ((uint64_t)1 << (to - 1)) - 1 : truncated(UINT64_MAX, to);
    return is_signed ? (uint64_t)(int64_t)value : (uint64_t)value;
}

/* int -> float in one rounding. */
static uint64_t
from_integer(uint64_t bits, uint32_t from, uint32_t to, bool is_signed)
{
    int64_t s = sign_extend(bits, from);
    if (to == 32) {
        float f = is_signed ? (float)s : (float)bits;
        uint32_t out;
        memcpy(&out, &f, 4);
        return out;
    }
    return double_to_lane(is_signed ? (double)s : (double)bits, to);
}

static bool
convert(const struct lane_op *o, const struct lw_value *to, uint64_t *out)
{
    switch (o->op) {
    case SpvOpSConvert: *out = (uint64_t)sign_extend(o->a, o->width); return true;
    case SpvOpUConvert: *out = o->a; return true;
    case SpvOpFConvert: *out = double_to_lane(lane_to_double(o->a, o->width), to->width); return true;
    case SpvOpConvertFToS: *out = to_integer(lane_to_double(o->a, o->width), to->width, true); return true;
    case SpvOpConvertFToU:
        *out = to_integer(lane_to_double(o->a, o->width), to->width, false);
        return true;
    case SpvOpConvertSToF: *out = from_integer(o->a, o->width, to->width, true); return true;
    case SpvOpConvertUToF: *out = from_integer(o->a, o->width, to->width, false); return true;
    default: return false;
    }
}

/* As at run time: exact but for the rounding of the sum, where a - b * floor(a / b) is off by those of the
 * quotient and of the product. */
static double
floating_modulo(double a, double b)
{
    double r = fmod(a, b);
    if (r == 0)
        return copysign(0, b);
    return signbit(r) != signbit(b) ? r + b : r;
}

static bool
floating(const struct lane_op *o, uint64_t *out)
{
    double a = lane_to_double(o->a, o->width), b = lane_to_double(o->b, o->width), r;
    switch (o->op) {
    case SpvOpFNegate: *out = o->a ^ ((uint64_t)1 << (o->width - 1)); return true;
    case SpvOpFAdd: r = a + b; break;
    case SpvOpFSub: r = a - b; break;
    case SpvOpFMul: r = a * b; break;
    case SpvOpFDiv: r = a / b; break;
    case SpvOpFRem: r = fmod(a, b); break;
    case SpvOpFMod: r = floating_modulo(a, b); break;
    default: return false;
    }
    *out = double_to_lane(r, o->width);
    return true;
}

static bool
elementwise(const lw_module *m, const struct lw_inst *inst, uint32_t op, struct lw_value *out)
{
    struct lw_value a, b = {0};
    if (!lw_value_get(m, lw_word(m, inst, 4), &a) || a.lanes != out->lanes ||
        (inst->count > 5 && (!lw_value_get(m, lw_word(m, inst, 5), &b) || b.lanes != out->lanes)))
        return false;
    bool shift =
        op == SpvOpShiftLeftLogical || op == SpvOpShiftRightLogical || op == SpvOpShiftRightArithmetic;
    if (inst->count > 5 && !shift && a.width != b.width)
        return false;
    for (uint32_t i = 0; i < out->lanes; i++) {
        struct lane_op o = {op, a.width, a.lane[i], b.lane[i]};
        if (!convert(&o, out, &out->lane[i]) &&
            !(a.is_float ? floating(&o, &out->lane[i])
                         : shift_or_logic(&o, &out->lane[i]) || divide(&o, &out->lane[i]) ||
                               compare(&o, &out->lane[i])))
            return false;
    }
    return true;
}

/* The same bytes, in lanes of another width too. */
static bool
bitcast(const lw_module *m, const struct lw_inst *inst, struct lw_value *out)
{
    struct lw_value a;
    if (!lw_value_get(m, lw_word(m, inst, 4), &a) || a.width % 8 || out->width % 8 ||
        a.lanes * a.width != out->lanes * out->width)
        return false;
    for (uint32_t bit = 0; bit < a.lanes * a.width; bit += 8)
        out->lane[bit / out->width] |= (a.lane[bit / a.width] >> bit % a.width & 255) << bit % out->width;
    return true;
}

static bool
select_op(const lw_module *m, const struct lw_inst *inst, struct lw_value *out)
{
    struct lw_value condition, a, b;
    if (!lw_value_get(m, lw_word(m, inst, 4), &condition) || !lw_value_get(m, lw_word(m, inst, 5), &a) ||
        !lw_value_get(m, lw_word(m, inst, 6), &b) || a.lanes != out->lanes || b.lanes != out->lanes ||
        a.width != out->width || b.width != out->width ||
        (condition.lanes != 1 && condition.lanes != out->lanes))
        return false;
    for (uint32_t i = 0; i < out->lanes; i++)
        out->lane[i] = condition.lane[condition.lanes == 1 ? 0 : i] ? a.lane[i] : b.lane[i];
    return true;
}

static bool
shuffle(const lw_module *m, const struct lw_inst *inst, struct lw_value *out)
{
    struct lw_value a, b;
    if (!lw_value_get(m, lw_word(m, inst, 4), &a) || !lw_value_get(m, lw_word(m, inst, 5), &b) ||
        a.width != out->width || b.width != out->width || inst->count != 6 + out->lanes)
        return false;
    for (uint32_t i = 0; i < out->lanes; i++) {
        uint32_t from = lw_word(m, inst, 6 + i);
        if (from != UINT32_MAX && from >= a.lanes + b.lanes)
            return false;
        out->lane[i] = from == UINT32_MAX ? 0 : from < a.lanes ? a.lane[from] : b.lane[from - a.lanes];
    }
    return true;
}

enum { DEEPEST = 64 }; /* indices on the way to a part */

/* How far the indices of a CompositeInsert go along those of `path`, whose last is the next. */
static uint32_t
shared(const lw_module *m, const struct lw_inst *insert, const uint32_t *path, uint32_t left)
{
    uint32_t n = 0;
    while (n < left && 6 + n < insert->count && lw_word(m, insert, 6 + n) == path[left - 1 - n])
        n++;
    return n;
}

/* Follows the literal indices down to a scalar or vector, through what is declared ever earlier. */
static bool
extract(const lw_module *m, const struct lw_inst *inst, struct lw_value *out)
{
    uint32_t path[DEEPEST], left = 0, id = inst->result;
    for (const struct lw_inst *part = inst;; part = lw_def(m, id)) {
        struct lw_value v;
        uint32_t op = part->op == SpvOpSpecConstantOp ? lw_word(m, part, 3) : part->op, from = 0;
        if (op == SpvOpConstantNull)
            return true; /* zeros, as `out` has */
        if (part != inst && lw_value_get(m, id, &v)) {
            if (left > 1 || (left && path[0] >= v.lanes) || v.width != out->width ||
                out->lanes != (left ? 1 : v.lanes))
                return false;
            memcpy(out->lane, v.lane + (left ? path[0] : 0), out->lanes * sizeof *v.lane);
            return true;
        }
        if (op == SpvOpCompositeExtract && part->count - 5u <= DEEPEST - left) {
            for (uint32_t w = part->count; w-- > 5;)
                path[left++] = lw_word(m, part, w);
            from = lw_word(m, part, 4);
        } else if (op == SpvOpCompositeInsert && part->count > 6) {
            uint32_t along = shared(m, part, path, left), wanted = part->count - 6u;
            if (along == left && along < wanted)
                return false; /* a part of it is another */
            left -= along == wanted ? along : 0;
            from = lw_word(m, part, along == wanted ? 4 : 5);
        } else if ((op == SpvOpConstantComposite || op == SpvOpSpecConstantComposite) && left &&
                   path[left - 1] < part->count - 3u) {
            from = lw_word(m, part, 3 + path[--left]);
        }
        if (!from || !lw_def(m, from) || m->def[from] >= m->def[id])
            return false;
        id = from;
    }
}

/* Into vectors only. */
static bool
insert(const lw_module *m, const struct lw_inst *inst, struct lw_value *out)
{
    struct lw_value object, vector;
    uint32_t index = lw_word(m, inst, 6);
    if (inst->count != 7 || !lw_value_get(m, lw_word(m, inst, 4), &object) || object.lanes != 1 ||
        !lw_value_get(m, lw_word(m, inst, 5), &vector) || vector.lanes != out->lanes || index >= out->lanes ||
        vector.width != out->width || object.width != out->width)
        return false;
    memcpy(out->lane, vector.lane, sizeof vector.lane);
    out->lane[index] = object.lane[0];
    return true;
}

bool
lw_evaluate_spec_op(const lw_module *m, const struct lw_inst *inst, struct lw_value *out)
{
    uint32_t op = lw_word(m, inst, 3);
    switch (op) {
    case SpvOpBitcast: return bitcast(m, inst, out);
    case SpvOpSelect: return select_op(m, inst, out);
    case SpvOpVectorShuffle: return shuffle(m, inst, out);
    case SpvOpCompositeExtract: return extract(m, inst, out);
    case SpvOpCompositeInsert: return insert(m, inst, out);
    default: return elementwise(m, inst, op, out);
    }
}

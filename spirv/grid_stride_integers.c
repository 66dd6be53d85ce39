/* SPDX-License-Identifier: MIT */
/* What arithmetic makes of the ids and sizes of a kernel that may be one grid-stride loop.
 *
 * Enters: an instruction whose operands are known, but for phis.  Leaves: what its result is; LW_STRIDE_OTHER
 * where it makes of ids or sizes what the loop must not have.  Numbers have 31 bits where they are used at
 * more than one width, which the dispatch is to see to (found.scale).
 */
#include "grid_stride.h"

#include "evaluate.h"
#include "uses.h"

typedef struct lw_stride_value value;

/* Of something that nothing more is known of. */
static value
result_of(value v)
{
    return (value){.kind = lw_stride_is_harmless(v) ? LW_STRIDE_PLAIN : LW_STRIDE_OTHER};
}

static value
result_of_both(value a, value b)
{
    return lw_stride_is_harmless(a) ? result_of(b) : result_of(a);
}

/* Something times an id or a size, be that no more than by a conversion. */
static bool
is_multiple(value v)
{
    return v.kind >= LW_STRIDE_INDEX && v.kind <= LW_STRIDE_NEXT;
}

static bool
is_one(value v, enum lw_stride_kind kind)
{
    return v.kind == kind && v.times == 1 && v.plus == 0 && !v.displaced;
}

static uint32_t
width_of(const lw_module *m, uint32_t id)
{
    struct lw_value v = lw_value_of_type(m, lw_type_of(m, id));
    return v.lanes == 1 && !v.is_float ? v.width : 0;
}

static bool
read_constant(const struct lw_stride_search *s, uint32_t id, uint64_t *out)
{
    int64_t number;
    uint64_t bits;
    if (!lw_constant_bits(s->m, id, &bits) || !lw_stride_evaluate(s->m, s->desc, id, NULL, &number))
        return false;
    *out = (uint64_t)number;
    return true;
}

static uint64_t
distance(uint64_t number)
{
    return (int64_t)number < 0 ? -number : number;
}

static uint64_t
round_up(uint64_t number, unsigned by)
{
    return (number >> by) + ((number & ((UINT64_C(1) << by) - 1)) != 0);
}

/* It is asked for at more bits than `bits`, or for the upper ones: that is as it seems if it has no more. The
 * bound, with which it grows, has 32. */
static void
note_bits(struct lw_stride_search *s, value v, unsigned bits)
{
    uint64_t most = round_up(distance(v.times), bits - 32) + round_up(distance(v.plus), bits - 32);
    if (most > s->found.scale)
        s->found.scale = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

void
lw_stride_widen(struct lw_stride_search *s, value v)
{
    note_bits(s, v, 32);
}

static bool
may_be_negative(value v)
{
    return (int64_t)v.times < 0 || (int64_t)v.plus < 0;
}

/* What is left of it in so many bits. */
static value
truncate(value v, unsigned bits)
{
    v.times = (uint64_t)((int64_t)(v.times << (64 - bits)) >> (64 - bits));
    v.plus = (uint64_t)((int64_t)(v.plus << (64 - bits)) >> (64 - bits));
    return v;
}

static value
widen(struct lw_stride_search *s, value v, bool as_signed)
{
    if (v.displaced || (!as_signed && may_be_negative(v)))
        return result_of(v);
    lw_stride_widen(s, v);
    return v;
}

static value
convert(struct lw_stride_search *s, const struct lw_inst *inst)
{
    value v = s->at[lw_word(s->m, inst, 3)];
    uint32_t from = width_of(s->m, lw_word(s->m, inst, 3)), to = width_of(s->m, inst->result);
    if (!is_multiple(v) || from < 32 || to < 32)
        return result_of(v);
    return to > from ? widen(s, v, inst->op == SpvOpSConvert) : truncate(v, to);
}

/* Of a multiple of what is shifted out: clang's back end extends an int by shifting it up and down again, and
 * multiplies it meanwhile. */
static value
shift_right(struct lw_stride_search *s, const struct lw_inst *inst)
{
    value v = s->at[lw_word(s->m, inst, 3)];
    uint32_t width = width_of(s->m, inst->result), by = lw_constant_operand(s->m, inst, 4, 64);
    uint64_t out = by < width ? (UINT64_C(1) << by) - 1 : 0;
    if (!is_multiple(v) || width < 32 || by >= width || v.displaced || ((v.times | v.plus) & out) ||
        (inst->op == SpvOpShiftRightLogical && may_be_negative(v)))
        return result_of_both(v, s->at[lw_word(s->m, inst, 4)]);
    note_bits(s, v, width);
    v.times = (uint64_t)((int64_t)v.times >> by);
    v.plus = (uint64_t)((int64_t)v.plus >> by);
    return v;
}

/* The lower 32 bits of 64: an unsigned int, extended. */
static value
lower_half(struct lw_stride_search *s, const struct lw_inst *inst)
{
    value v = s->at[lw_word(s->m, inst, 3)];
    uint64_t mask;
    bool lower = width_of(s->m, inst->result) == 64 &&
                 lw_constant_bits(s->m, lw_word(s->m, inst, 4), &mask) && mask == UINT32_MAX;
    if (!is_multiple(v) || !lower)
        return result_of_both(v, s->at[lw_word(s->m, inst, 4)]);
    return widen(s, truncate(v, 32), false);
}

static value
multiply_by(const struct lw_stride_search *s, value v, uint64_t factor)
{
    uint64_t demanded = s->desc->info.required_local_size[0];
    if (is_one(v, LW_STRIDE_GROUP) && demanded && factor == demanded)
        return (value){.kind = LW_STRIDE_ORIGIN, .times = 1};
    if (is_one(v, LW_STRIDE_GROUPS) && demanded && factor == demanded)
        return (value){.kind = LW_STRIDE_SIZE, .times = 1};
    if (!is_multiple(v))
        return result_of(v);
    v.times *= factor;
    v.plus *= factor;
    return v;
}

static bool
are(value a, enum lw_stride_kind one, value b, enum lw_stride_kind other)
{
    return (is_one(a, one) && is_one(b, other)) || (is_one(a, other) && is_one(b, one));
}

static value
multiply(const struct lw_stride_search *s, const struct lw_inst *inst)
{
    uint32_t left = lw_word(s->m, inst, 3), right = lw_word(s->m, inst, 4);
    value a = s->at[left], b = s->at[right];
    uint64_t factor;
    if (read_constant(s, right, &factor))
        return multiply_by(s, a, factor);
    if (read_constant(s, left, &factor))
        return multiply_by(s, b, factor);
    if (are(a, LW_STRIDE_GROUP, b, LW_STRIDE_LOCAL_SIZE))
        return (value){.kind = LW_STRIDE_ORIGIN, .times = 1};
    if (are(a, LW_STRIDE_GROUPS, b, LW_STRIDE_LOCAL_SIZE))
        return (value){.kind = LW_STRIDE_SIZE, .times = 1};
    return result_of_both(a, b);
}

/* A multiple of i that goes on by as much of the global size. Of one that is displaced: the phi itself, by
 * nobody knows what. */
static value
next_of(const struct lw_stride_search *s, uint32_t id, value step)
{
    value v = s->at[id];
    if (step.times != v.times || step.plus || step.displaced || (v.displaced && !lw_stride_is_phi(s, id)))
        return (value){.kind = LW_STRIDE_OTHER};
    v.kind = LW_STRIDE_NEXT;
    v.of = v.displaced ? id : 0;
    return v;
}

static value
add(const struct lw_stride_search *s, const struct lw_inst *inst)
{
    uint32_t left = lw_word(s->m, inst, 3), right = lw_word(s->m, inst, 4);
    value a = s->at[left], b = s->at[right];
    bool minus = inst->op == SpvOpISub;
    uint64_t constant;
    if (!minus && are(a, LW_STRIDE_ORIGIN, b, LW_STRIDE_LOCAL_ID))
        return (value){.kind = LW_STRIDE_ID, .times = 1};
    if (!minus && a.kind == LW_STRIDE_INDEX && b.kind == LW_STRIDE_SIZE)
        return next_of(s, left, b);
    if (!minus && b.kind == LW_STRIDE_INDEX && a.kind == LW_STRIDE_SIZE)
        return next_of(s, right, a);
    if (a.kind == LW_STRIDE_PLAIN && !minus) {
        value other = a;
        uint32_t id = left;
        a = b, left = right;
        b = other, right = id;
    }
    if (a.kind != LW_STRIDE_INDEX && a.kind != LW_STRIDE_ID)
        return result_of_both(a, b);
    if (b.kind == LW_STRIDE_INDEX && a.kind == LW_STRIDE_INDEX) {
        a.times += minus ? -b.times : b.times;
        a.plus += minus ? -b.plus : b.plus;
        a.displaced |= b.displaced;
        return a;
    }
    if (read_constant(s, right, &constant)) {
        a.plus += minus ? -constant : constant;
        return a;
    }
    if (a.kind != LW_STRIDE_ID || b.kind != LW_STRIDE_PLAIN)
        return result_of_both(a, b);
    a.displaced = true; /* before the loop, where all else is the same for all */
    return a;
}

/* Bits that the other one has not: a sum, as LLVM writes it. */
static value
unite(const struct lw_stride_search *s, const struct lw_inst *inst)
{
    value a = s->at[lw_word(s->m, inst, 3)], b = s->at[lw_word(s->m, inst, 4)];
    uint64_t bits;
    if (s->desc->info.required_local_size[0] && are(a, LW_STRIDE_ORIGIN, b, LW_STRIDE_LOCAL_ID))
        return (value){.kind = LW_STRIDE_ID, .times = 1};
    if ((a.kind == LW_STRIDE_INDEX || a.kind == LW_STRIDE_ID) && !a.displaced && a.plus == 0 &&
        read_constant(s, lw_word(s->m, inst, 4), &bits) && bits < (a.times & -a.times)) {
        a.plus = bits;
        return a;
    }
    return result_of_both(a, b);
}

/* Of the next i and the bound; or of an id and the bound, which tells nothing. */
static value
compare(struct lw_stride_search *s, const struct lw_inst *inst)
{
    uint32_t left = lw_word(s->m, inst, 3), right = lw_word(s->m, inst, 4), op = inst->op;
    value a = s->at[left], b = s->at[right];
    bool swapped = a.kind == LW_STRIDE_PLAIN;
    value v = swapped ? b : a;
    uint32_t bound = swapped ? left : right;
    bool less = op == SpvOpSLessThan || op == SpvOpULessThan,
         more = op == SpvOpSGreaterThan || op == SpvOpUGreaterThan;
    bool not_more = op == SpvOpSLessThanEqual || op == SpvOpULessThanEqual;
    bool not_less = op == SpvOpSGreaterThanEqual || op == SpvOpUGreaterThanEqual;
    if (s->at[bound].kind != LW_STRIDE_PLAIN || lw_stride_is_harmless(v))
        return result_of_both(a, b);
    if (is_one(v, LW_STRIDE_ID)) {
        bound = lw_stride_unconverted(s->m, bound);
        if (s->guard && s->guard != bound)
            return (value){.kind = LW_STRIDE_OTHER};
        s->guard = bound;
        return (value){.kind = LW_STRIDE_PLAIN};
    }
    bool below = swapped ? more : less, reached = swapped ? not_more : not_less;
    if (!is_one(v, LW_STRIDE_NEXT) || s->found.bound || (!below && !reached))
        return (value){.kind = LW_STRIDE_OTHER};
    s->found.bound = bound;
    return (value){.kind = LW_STRIDE_AGAIN, .times = below};
}

bool
lw_stride_compute(struct lw_stride_search *s, const struct lw_inst *inst, value *out)
{
    uint32_t width = width_of(s->m, inst->result), by;
    switch (inst->op) {
    case SpvOpUConvert:
    case SpvOpSConvert:
        *out = convert(s, inst);
        return true;
    case SpvOpShiftLeftLogical:
        by = lw_constant_operand(s->m, inst, 4, 64);
        if (by >= width)
            return false;
        *out = multiply_by(s, s->at[lw_word(s->m, inst, 3)], UINT64_C(1) << by);
        break;
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
        *out = shift_right(s, inst);
        return is_multiple(s->at[lw_word(s->m, inst, 3)]);
    case SpvOpBitwiseAnd:
        *out = lower_half(s, inst);
        return true;
    case SpvOpIMul:
        *out = multiply(s, inst);
        break;
    case SpvOpIAdd:
    case SpvOpISub:
        *out = add(s, inst);
        break;
    case SpvOpBitwiseOr:
        *out = unite(s, inst);
        return true;
    default:
        if (inst->op < SpvOpIEqual || inst->op > SpvOpSLessThanEqual)
            return false;
        *out = compare(s, inst);
        return true;
    }
    if (width == 32 && is_multiple(*out))
        *out = truncate(*out, width);
    return true;
}

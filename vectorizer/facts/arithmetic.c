/* SPDX-License-Identifier: MIT */
/* The rules by which integer operations carry strided values on, see offsets.h.
 *
 * Never: a rule that depends on the base's unknown bits. What is not exact in the value's own width is
 * varying.
 *
 * Enters: an operation, the facts of its operands and their width. Leaves: the fact of its result. Relies
 * on: facts of one lw_offsets, whose equal tables have equal addresses.
 */
#include "offsets_internal.h"

/* ---- Ranges ---- */

static void
bitwise_range(struct lw_fact *r, LLVMOpcode op, const struct lw_fact *a, const struct lw_fact *b,
              unsigned width)
{
    if (op == LLVMAnd && (a->lo >= 0 || b->lo >= 0)) {
        int64_t hi = a->lo >= 0 && (b->lo < 0 || a->hi < b->hi) ? a->hi : b->hi;
        lw_fact_set_range(r, width, 0, hi);
    } else if (op != LLVMAnd && a->lo >= 0 && b->lo >= 0) {
        uint64_t top = (uint64_t)a->hi | (uint64_t)b->hi;
        lw_fact_set_range(r, width, 0, top ? (int64_t)(UINT64_MAX >> __builtin_clzll(top)) : 0);
    }
}

static void
multiply_range(struct lw_fact *r, const struct lw_fact *a, __int128 lo, __int128 hi, unsigned width)
{
    if (lo < -((__int128)1 << 62) || hi > (__int128)1 << 62)
        return;
    __int128 products[4] = {a->lo * lo, a->lo * hi, a->hi * lo, a->hi * hi}, least = products[0],
             most = least;
    for (int i = 1; i < 4; i++) {
        least = products[i] < least ? products[i] : least;
        most = products[i] > most ? products[i] : most;
    }
    lw_fact_set_range(r, width, least, most);
}

static void
binary_range(struct lw_fact *r, LLVMOpcode op, const struct lw_fact *a, const struct lw_fact *b,
             unsigned width)
{
    bool fixed = b->lo == b->hi;
    lw_fact_forget_range(r, width);
    switch (op) {
    case LLVMAdd:
        lw_fact_set_range(r, width, (__int128)a->lo + b->lo, (__int128)a->hi + b->hi);
        break;
    case LLVMSub:
        lw_fact_set_range(r, width, (__int128)a->lo - b->hi, (__int128)a->hi - b->lo);
        break;
    case LLVMMul:
        multiply_range(r, a, b->lo, b->hi, width);
        break;
    case LLVMShl:
        if (fixed && b->lo >= 0 && b->lo < width && b->lo < 62)
            multiply_range(r, a, (__int128)1 << b->lo, (__int128)1 << b->lo, width);
        break;
    case LLVMLShr:
        if (fixed && b->lo >= 0 && b->lo < width && (a->lo >= 0 || b->lo > 0)) {
            uint64_t most = a->lo >= 0 ? (uint64_t)a->hi : lw_zero_extend(UINT64_MAX, width);
            lw_fact_set_range(r, width, a->lo >= 0 ? a->lo >> b->lo : 0, (int64_t)(most >> b->lo));
        }
        break;
    case LLVMAShr:
        if (fixed && b->lo >= 0 && b->lo < width)
            lw_fact_set_range(r, width, a->lo >> b->lo, a->hi >> b->lo);
        break;
    case LLVMUDiv:
        if (fixed && b->lo > 0 && a->lo >= 0)
            lw_fact_set_range(r, width, a->lo / b->lo, a->hi / b->lo);
        break;
    case LLVMSDiv:
        if (fixed && b->lo > 0)
            lw_fact_set_range(r, width, a->lo / b->lo, a->hi / b->lo);
        break;
    case LLVMURem:
        if (fixed && b->lo > 0)
            lw_fact_set_range(r, width, 0, a->lo >= 0 && a->hi < b->lo ? a->hi : b->lo - 1);
        break;
    case LLVMSRem:
        if (fixed && b->lo > 0)
            lw_fact_set_range(r, width, a->lo < 0 ? 1 - b->lo : 0, a->hi > 0 ? b->lo - 1 : 0);
        break;
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        bitwise_range(r, op, a, b, width);
        break;
    default:
        break;
    }
}

/* ---- Operations ---- */

/* Of integers of `width` bits. */
struct operation {
    struct lw_offsets *o;
    LLVMOpcode op;
    unsigned width;
    bool nsw, nuw;
};

/* One lane's value of a fact whose base is wholly known. */
static uint64_t
lane_value(const struct lw_fact *f, unsigned lane, unsigned width)
{
    return lw_zero_extend(f->residue + (uint64_t)f->offsets[lane], width);
}

/* false where the operation has no defined result. */
static bool
evaluate(LLVMOpcode op, uint64_t a, uint64_t b, unsigned width, uint64_t *result)
{
    int64_t sa = lw_sign_extend(a, width), sb = lw_sign_extend(b, width);
    bool shift = op == LLVMShl || op == LLVMLShr || op == LLVMAShr;
    bool divide = lw_is_int_division(op);
    if ((shift && b >= width) || (divide && b == 0) || ((op == LLVMSDiv || op == LLVMSRem) && sb == -1))
        return false;
    switch (op) {
#define OP(name, value)                                                                                      \
    case LLVM##name:                                                                                         \
        *result = (uint64_t)(value);                                                                         \
        return true;
        OP(Add, a + b)
        OP(Sub, a - b)
        OP(Mul, a * b)
        OP(Shl, a << b)
        OP(LShr, a >> b)
        OP(AShr, sa >> b)
        OP(UDiv, a / b)
        OP(SDiv, sa / sb)
        OP(URem, a % b)
        OP(SRem, sa % sb)
        OP(And, a & b)
        OP(Or, a | b)
        OP(Xor, a ^ b)
#undef OP
    default:
        return false;
    }
}

/* Both bases are known in every bit: each lane is computed. */
static bool
evaluate_lanes(struct lw_offsets *o, LLVMOpcode op, const struct lw_fact *a, const struct lw_fact *b,
               unsigned width, struct lw_fact *r)
{
    int64_t table[LW_MAX_LANES];
    uint64_t base = 0, value;
    __int128 lo = 0, hi = 0;
    for (unsigned i = 0; i < o->lanes; i++) {
        if (!evaluate(op, lane_value(a, i, width), lane_value(b, i, width), width, &value))
            return false;
        base = i == 0 ? value : base;
        int64_t number = lw_sign_extend(value, width);
        lo = i == 0 || number < lo ? number : lo;
        hi = i == 0 || number > hi ? number : hi;
        table[i] = lw_sign_extend(value - base, width);
    }
    r->offsets = lw_offsets_intern(o, table);
    r->known = 64;
    r->residue = lw_zero_extend(base, width);
    lw_fact_set_range(r, width, lo, hi);
    return true;
}

/* a + b, or a - b. */
static void
add_facts(const struct operation *x, const struct lw_fact *a, const struct lw_fact *b, struct lw_fact *r)
{
    int64_t table[LW_MAX_LANES];
    int sign = x->op == LLVMSub ? -1 : 1;
    bool same = true; /* the offsets fit the width */
    for (unsigned i = 0; i < x->o->lanes; i++) {
        __int128 sum = (__int128)a->offsets[i] + (__int128)sign * b->offsets[i];
        table[i] = lw_sign_extend((uint64_t)sum, x->width);
        same &= table[i] == sum;
    }
    r->offsets = lw_offsets_intern(x->o, table);
    r->known = lw_weaker(a->known, b->known);
    r->residue = sign > 0 ? a->residue + b->residue : a->residue - b->residue;
    uint8_t is = lw_weaker(a->exact_signed, b->exact_signed),
            iu = lw_weaker(a->exact_unsigned, b->exact_unsigned);
    r->exact_signed = same && x->nsw ? lw_weaker(LW_ASSUMED, is) : LW_NOT_PROVED;
    /* `id - x` below zero is what guards are written for: nuw on it may lie for the first active lane. */
    r->exact_unsigned = same && x->nuw && sign > 0 ? lw_weaker(LW_ASSUMED, iu) : LW_NOT_PROVED;
}

/* a * factor, factor a constant. */
static void
scale_fact(const struct operation *x, const struct lw_fact *a, uint64_t factor, struct lw_fact *r)
{
    int64_t table[LW_MAX_LANES] = {0}, number = lw_sign_extend(factor, x->width);
    bool same = true;
    for (unsigned i = 0; i < x->o->lanes; i++) {
        __int128 product = (__int128)a->offsets[i] * number;
        table[i] = lw_sign_extend((uint64_t)product, x->width);
        same &= table[i] == product;
    }
    unsigned zeros = factor ? (unsigned)__builtin_ctzll(factor) : 64;
    r->offsets = lw_offsets_intern(x->o, table);
    r->known = (uint8_t)(a->known + zeros > 64 ? 64 : a->known + zeros);
    r->residue = a->residue * factor;
    r->exact_signed = same && x->nsw ? lw_weaker(LW_ASSUMED, a->exact_signed) : LW_NOT_PROVED;
    r->exact_unsigned =
        same && x->nuw && number >= 0 ? lw_weaker(LW_ASSUMED, a->exact_unsigned) : LW_NOT_PROVED;
}

/* How many low bits are zero in every lane. */
static unsigned
zero_bits(const struct lw_offsets *o, const struct lw_fact *f)
{
    uint64_t bits = f->known < 64 ? f->residue | UINT64_C(1) << f->known : f->residue;
    for (unsigned i = 0; i < o->lanes; i++)
        bits |= (uint64_t)f->offsets[i];
    return bits ? (unsigned)__builtin_ctzll(bits) : 64;
}

/* a & c, a | c, a ^ c for a constant where the offsets do not carry into the unknown bits, or lie above or
 * below. */
static bool
mask_fact(struct lw_offsets *o, LLVMOpcode op, const struct lw_fact *a, uint64_t constant, unsigned width,
          struct lw_fact *r)
{
    uint64_t low = a->known < 64 ? (UINT64_C(1) << a->known) - 1 : UINT64_MAX, base = 0, value = 0;
    bool inside =
        lw_fact_stays_below(o, a) || (op == LLVMAnd && (lw_zero_extend(constant, width) & ~low) == 0);
    if (!inside) {
        unsigned zeros = zero_bits(o, a);
        uint64_t ones = ~lw_zero_extend(constant, width);
        if (op != LLVMAnd || zeros >= 64 || (lw_zero_extend(ones, width) >> zeros) != 0)
            return false;
        r->offsets = a->offsets; /* clears bits that are clear */
        r->known = a->known;
        r->residue = a->residue;
        r->exact_signed = a->exact_signed == LW_PROVED ? LW_PROVED : LW_NOT_PROVED;
        r->exact_unsigned = a->exact_unsigned == LW_PROVED ? LW_PROVED : LW_NOT_PROVED;
        return true;
    }
    int64_t table[LW_MAX_LANES] = {0};
    for (unsigned i = 0; i < o->lanes; i++) {
        evaluate(op, (a->residue + (uint64_t)a->offsets[i]) & low, constant & low, 64, &value);
        base = i == 0 ? value : base;
        table[i] = lw_sign_extend(value - base, width);
    }
    r->offsets = lw_offsets_intern(o, table);
    r->residue = base;
    r->known = op == LLVMAnd && (lw_zero_extend(constant, width) & ~low) == 0 ? 64 : a->known;
    return true;
}

/* a >> by: exact where the bits shifted out do not carry, or are zero in every lane. Shifted out as far as
 * the unknown bits, the lanes are alike. */
static bool
shift_fact(struct lw_offsets *o, LLVMOpcode op, const struct lw_fact *a, unsigned by, unsigned width,
           struct lw_fact *r)
{
    int64_t table[LW_MAX_LANES];
    bool below = lw_fact_stays_below(o, a), alike = below && a->known < by;
    uint8_t proof = op == LLVMAShr ? a->exact_signed : a->exact_unsigned;
    if (!below && (zero_bits(o, a) < by || proof != LW_PROVED))
        return false;
    for (unsigned i = 0; i < o->lanes; i++)
        table[i] = alike ? 0
                   : below
                       ? (int64_t)((a->residue + (uint64_t)a->offsets[i]) >> by) - (int64_t)(a->residue >> by)
                       : a->offsets[i] >> by;
    for (unsigned i = 0; i < o->lanes; i++)
        table[i] = lw_sign_extend((uint64_t)table[i], width);
    r->offsets = lw_offsets_intern(o, table);
    r->known = a->known < 64 && a->known >= by ? (uint8_t)(a->known - by) : 0;
    r->residue = a->residue >> by;
    return true;
}

/* The operations with a constant right operand. */
static bool
operate_on_constant(struct operation x, const struct lw_fact *a, uint64_t c, struct lw_fact *r)
{
    bool power = c && (c & (c - 1)) == 0;
    unsigned log = c ? (unsigned)__builtin_ctzll(c) : 0;
    switch (x.op) {
    case LLVMMul:
        scale_fact(&x, a, c, r);
        return true;
    case LLVMShl:
        if (c >= x.width)
            return false;
        x.nsw &= c + 1 < x.width;
        x.nuw &= c + 1 < x.width;
        scale_fact(&x, a, UINT64_C(1) << c, r);
        return true;
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        return mask_fact(x.o, x.op, a, c, x.width, r);
    case LLVMURem:
        return power && mask_fact(x.o, LLVMAnd, a, c - 1, x.width, r);
    case LLVMUDiv:
        return power && shift_fact(x.o, LLVMLShr, a, log, x.width, r);
    case LLVMLShr:
    case LLVMAShr:
        return c < x.width && shift_fact(x.o, x.op, a, (unsigned)c, x.width, r);
    default:
        return false;
    }
}

static bool
fits_below(const struct lw_offsets *o, const struct lw_fact *high, const struct lw_fact *low)
{
    unsigned zeros = zero_bits(o, high);
    return low->lo >= 0 && (zeros >= 63 || low->hi < (int64_t)1 << zeros);
}

static bool
operate(const struct operation *x, const struct lw_fact *a, const struct lw_fact *b, struct lw_fact *r)
{
    LLVMOpcode op = x->op;
    bool commutes = op == LLVMAdd || op == LLVMMul || op == LLVMAnd || op == LLVMOr || op == LLVMXor;
    bool fixed = b->level == LW_LEVEL_UNIFORM && b->known >= x->width;
    if (a->known >= x->width && b->known >= x->width && evaluate_lanes(x->o, op, a, b, x->width, r))
        return true;
    if (op == LLVMAdd || op == LLVMSub) {
        add_facts(x, a, b, r);
        return true;
    }
    if ((op == LLVMOr || op == LLVMXor) && (fits_below(x->o, a, b) || fits_below(x->o, b, a))) {
        add_facts(&(struct operation){x->o, LLVMAdd, x->width, false, false}, a, b, r); /* no bit in common */
        return true;
    }
    if (commutes && !fixed && a->level == LW_LEVEL_UNIFORM && a->known >= x->width)
        return operate_on_constant(*x, b, a->residue, r);
    return fixed && operate_on_constant(*x, a, b->residue, r);
}

struct lw_fact
lw_fact_binary(struct lw_offsets *o, LLVMOpcode op, struct lw_fact a, struct lw_fact b, unsigned width,
               bool nsw, bool nuw)
{
    struct lw_fact r = lw_fact_varying(width);
    bool known = width && a.level != LW_LEVEL_VARYING && b.level != LW_LEVEL_VARYING;
    bool uniform = a.level == LW_LEVEL_UNIFORM && b.level == LW_LEVEL_UNIFORM;
    if (uniform)
        r = lw_fact_uniform(o, width, a.group_uniform && b.group_uniform);
    if (width)
        binary_range(&r, op, &a, &b, width);
    if (!known)
        return r;
    struct lw_fact s = r;
    s.exact_signed = s.exact_unsigned = LW_NOT_PROVED;
    if (!operate(&(struct operation){o, op, width, nsw, nuw}, &a, &b, &s))
        return r;
    s.level = LW_LEVEL_UNIFORM; /* finish decides by the offsets */
    s.group_uniform = a.group_uniform && b.group_uniform;
    s.in_buffer = a.in_buffer || b.in_buffer;
    lw_fact_finish(o, &s, width);
    return s;
}

/* ---- Conversions ---- */

static void
cast_range(struct lw_fact *r, LLVMOpcode op, const struct lw_fact *a, unsigned from, unsigned to)
{
    if (op == LLVMZExt && a->lo < 0)
        lw_fact_set_range(r, to, 0, ((__int128)1 << from) - 1);
    else
        lw_fact_set_range(r, to, a->lo, a->hi);
}

/* Lanes as far from the base as the offsets say, though the range was that of the narrow value. */
static void
widen_range(const struct lw_offsets *o, struct lw_fact *r, unsigned width)
{
    int64_t least = 0, most = 0;
    for (unsigned i = 0; i < o->lanes; i++) {
        least = r->offsets[i] < least ? r->offsets[i] : least;
        most = r->offsets[i] > most ? r->offsets[i] : most;
    }
    lw_fact_set_range(r, width, (__int128)r->lo + least - most, (__int128)r->hi + most - least);
}

bool
lw_fact_reaches(const struct lw_offsets *o, const struct lw_fact *f)
{
    for (unsigned i = 0; i < o->lanes && f->in_buffer && f->offsets; i++)
        if (f->offsets[i] > 1 << 26 || f->offsets[i] < -(1 << 26))
            return false;
    return true;
}

struct lw_fact
lw_fact_cast(struct lw_offsets *o, LLVMOpcode op, struct lw_fact a, unsigned from, unsigned to, bool together)
{
    struct lw_fact r = lw_fact_varying(to);
    if (a.level == LW_LEVEL_UNIFORM)
        r = lw_fact_uniform(o, to, a.group_uniform);
    if (!from || !to)
        return r;
    cast_range(&r, op, &a, from, to);
    if (a.level == LW_LEVEL_VARYING)
        return r;
    struct lw_fact s = r;
    int64_t table[LW_MAX_LANES];
    s.level = LW_LEVEL_UNIFORM;
    s.group_uniform = a.group_uniform;
    s.known = a.known;
    s.residue = a.residue;
    if (op == LLVMTrunc) {
        for (unsigned i = 0; i < o->lanes; i++)
            table[i] = lw_sign_extend((uint64_t)a.offsets[i], to);
        s.offsets = lw_offsets_intern(o, table);
        s.exact_signed = s.exact_unsigned = LW_NOT_PROVED;
    } else if (a.known >= from) {
        for (unsigned i = 0; i < o->lanes; i++) {
            uint64_t lane = lane_value(&a, i, from), first = lane_value(&a, 0, from);
            table[i] = op == LLVMZExt ? (int64_t)(lane - first)
                                      : lw_sign_extend(lane, from) - lw_sign_extend(first, from);
        }
        s.residue = op == LLVMZExt ? a.residue : (uint64_t)lw_sign_extend(a.residue, from);
        s.offsets = lw_offsets_intern(o, table);
        s.exact_signed = s.exact_unsigned = LW_NOT_PROVED;
    } else {
        uint8_t proof = op == LLVMSExt ? a.exact_signed : a.exact_unsigned;
        s.in_buffer = proof == LW_NOT_PROVED && together;
        if (s.in_buffer)
            proof = LW_ASSUMED;
        if (proof == LW_NOT_PROVED)
            return r;
        s.offsets = a.offsets;
        s.assumes = proof == LW_ASSUMED;
        /* In the wide type nothing wraps: the lanes are where the offsets put them. */
        s.exact_signed = LW_PROVED;
        s.exact_unsigned = op == LLVMZExt ? LW_PROVED : LW_NOT_PROVED;
        if (s.assumes)
            widen_range(o, &s, to);
    }
    lw_fact_finish(o, &s, to);
    return s;
}

/* SPDX-License-Identifier: MIT */
/* Interned offset tables and the rules by which integer operations carry strided values on, see offsets.h.
 *
 * Never: a rule that depends on the base's unknown bits. What is not exact in the value's own width is
 * varying.
 */
#include "offsets.h"

#include <string.h>

#include "../src/compiler.h"

struct lw_offsets {
    struct lw_arena *arena;
    unsigned lanes;
    const int64_t **slots; /* open addressing */
    size_t mask, count;
    const int64_t *zero;
};

/* ---- Tables
 * ------------------------------------------------------------------------------------------------- */

static size_t
find_slot(const struct lw_offsets *o, const int64_t *table)
{
    uint64_t hash = 0;
    for (unsigned i = 0; i < o->lanes; i++)
        hash = (hash ^ (uint64_t)table[i]) * UINT64_C(0x9e3779b97f4a7c15), hash ^= hash >> 29;
    size_t slot = hash & o->mask;
    while (o->slots[slot] && memcmp(o->slots[slot], table, o->lanes * sizeof *table) != 0)
        slot = (slot + 1) & o->mask;
    return slot;
}

const int64_t *
lw_offsets_intern(struct lw_offsets *o, const int64_t *table)
{
    size_t slot = find_slot(o, table);
    if (o->slots[slot])
        return o->slots[slot];
    if (2 * (o->count + 1) > o->mask) {
        const int64_t **old = o->slots;
        size_t size = o->mask + 1;
        o->mask = 2 * size - 1;
        o->slots = LW_ARENA_NEW(o->arena, const int64_t *, 2 * size);
        for (size_t i = 0; i < size; i++)
            if (old[i])
                o->slots[find_slot(o, old[i])] = old[i];
        slot = find_slot(o, table);
    }
    int64_t *copy = LW_ARENA_NEW(o->arena, int64_t, o->lanes);
    memcpy(copy, table, o->lanes * sizeof *table);
    o->count++;
    return o->slots[slot] = copy;
}

struct lw_offsets *
lw_offsets_create(struct lw_arena *arena, unsigned lanes)
{
    struct lw_offsets *o = LW_ARENA_NEW(arena, struct lw_offsets, 1);
    o->arena = arena;
    o->lanes = lanes > LW_MAX_LANES ? LW_MAX_LANES : lanes;
    o->mask = 63;
    o->slots = LW_ARENA_NEW(arena, const int64_t *, o->mask + 1);
    o->zero = lw_offsets_linear(o, 0);
    return o;
}

const int64_t *
lw_offsets_linear(struct lw_offsets *o, int64_t stride)
{
    int64_t table[LW_MAX_LANES];
    for (unsigned i = 0; i < o->lanes; i++)
        table[i] = (int64_t)((uint64_t)stride * i);
    return lw_offsets_intern(o, table);
}

bool
lw_offsets_are_linear(const struct lw_offsets *o, const int64_t *table)
{
    for (unsigned i = 1; i < o->lanes; i++)
        if ((__int128)table[1] * i != table[i])
            return false;
    return true;
}

/* ---- Facts
 * -------------------------------------------------------------------------------------------------- */

static int64_t
sign_extend(uint64_t value, unsigned width)
{
    return width >= 64 ? (int64_t)value : (int64_t)(value << (64 - width)) >> (64 - width);
}

static uint64_t
zero_extend(uint64_t value, unsigned width)
{
    return width >= 64 ? value : value & ((UINT64_C(1) << width) - 1);
}

static void
set_range(struct lw_fact *f, unsigned width, __int128 lo, __int128 hi)
{
    int64_t least = sign_extend(UINT64_C(1) << (width - 1), width);
    f->lo = least;
    f->hi = ~least;
    if (lo >= f->lo && hi <= f->hi) {
        f->lo = (int64_t)lo;
        f->hi = (int64_t)hi;
    }
}

static void
forget_range(struct lw_fact *f, unsigned width)
{
    set_range(f, width, (__int128)INT64_MIN - 1, 0); /* does not fit */
}

unsigned
lw_fact_width(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(type) <= 64 ? LLVMGetIntTypeWidth(type) : 0;
    case LLVMPointerTypeKind:
        return 64;
    default:
        return 0;
    }
}

struct lw_fact
lw_fact_varying(unsigned width)
{
    struct lw_fact f = {.level = LW_LEVEL_VARYING, .lo = 1};
    if (width)
        forget_range(&f, width);
    return f;
}

struct lw_fact
lw_fact_uniform(struct lw_offsets *o, unsigned width, bool group_uniform)
{
    struct lw_fact f = lw_fact_varying(width);
    f.level = LW_LEVEL_UNIFORM;
    f.group_uniform = group_uniform;
    f.offsets = o->zero;
    f.exact_signed = f.exact_unsigned = LW_PROVED;
    return f;
}

struct lw_fact
lw_fact_constant(struct lw_offsets *o, unsigned width, uint64_t value)
{
    struct lw_fact f = lw_fact_uniform(o, width, true);
    f.known = 64;
    f.residue = zero_extend(value, width);
    f.lo = f.hi = sign_extend(value, width);
    return f;
}

/* The bits of lane `i` below the unknown ones are residue + offset with no carry out of them. */
static bool
stays_below(const struct lw_offsets *o, const struct lw_fact *f)
{
    if (f->known == 0 || f->known >= 63)
        return false;
    for (unsigned i = 0; i < o->lanes; i++) {
        __int128 low = (__int128)f->residue + f->offsets[i];
        if (low < 0 || low >= (__int128)1 << f->known)
            return false;
    }
    return true;
}

void
lw_fact_finish(const struct lw_offsets *o, struct lw_fact *f, unsigned width)
{
    if (f->level == LW_LEVEL_VARYING || f->level == LW_LEVEL_UNSEEN)
        return;
    f->level = f->offsets == o->zero ? LW_LEVEL_UNIFORM : LW_LEVEL_STRIDED;
    if (width == 1 && f->level == LW_LEVEL_STRIDED) { /* a condition is uniform or a mask */
        *f = lw_fact_varying(width);
        return;
    }
    if (f->known >= width)
        f->known = 64;
    f->residue = zero_extend(f->residue, f->known < width ? f->known : width);
    if (f->known == 0)
        f->residue = 0;
    if (f->level == LW_LEVEL_UNIFORM) {
        f->exact_signed = f->exact_unsigned = LW_PROVED;
        f->group_uniform |= f->known == 64; /* a constant */
        return;
    }
    f->group_uniform = false;
    if (f->known < width && stays_below(o, f)) {
        f->exact_signed = f->exact_unsigned = LW_PROVED;
        return;
    }
    if ((__int128)f->hi - f->lo < (__int128)1 << (width - 1)) {
        f->exact_signed = LW_PROVED;
        if (f->lo >= 0)
            f->exact_unsigned = LW_PROVED;
    }
}

static uint8_t
weaker(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

struct lw_fact
lw_fact_join(struct lw_fact a, struct lw_fact b, unsigned width)
{
    if (a.level == LW_LEVEL_UNSEEN)
        return b;
    if (b.level == LW_LEVEL_UNSEEN)
        return a;
    struct lw_fact f = a;
    f.lo = a.lo < b.lo ? a.lo : b.lo;
    f.hi = a.hi > b.hi ? a.hi : b.hi;
    if (a.level == LW_LEVEL_VARYING || b.level == LW_LEVEL_VARYING || a.offsets != b.offsets) {
        struct lw_fact varying = lw_fact_varying(width);
        varying.lo = f.lo;
        varying.hi = f.hi;
        return varying;
    }
    f.group_uniform &= b.group_uniform;
    f.assumes |= b.assumes;
    f.exact_signed = weaker(a.exact_signed, b.exact_signed);
    f.exact_unsigned = weaker(a.exact_unsigned, b.exact_unsigned);
    uint64_t differ = a.residue ^ b.residue;
    unsigned same = differ ? (unsigned)__builtin_ctzll(differ) : 64;
    unsigned known = weaker(a.known, b.known);
    f.known = (uint8_t)(known < same ? known : same);
    if (f.known < 64)
        f.residue = zero_extend(f.residue, f.known);
    if (f.known == 0)
        f.residue = 0;
    return f;
}

/* ---- Ranges
 * ------------------------------------------------------------------------------------------------- */

static void
bitwise_range(struct lw_fact *r, LLVMOpcode op, const struct lw_fact *a, const struct lw_fact *b,
              unsigned width)
{
    if (op == LLVMAnd && (a->lo >= 0 || b->lo >= 0)) {
        int64_t hi = a->lo >= 0 && (b->lo < 0 || a->hi < b->hi) ? a->hi : b->hi;
        set_range(r, width, 0, hi);
    } else if (op != LLVMAnd && a->lo >= 0 && b->lo >= 0) {
        uint64_t top = (uint64_t)a->hi | (uint64_t)b->hi;
        set_range(r, width, 0, top ? (int64_t)(UINT64_MAX >> __builtin_clzll(top)) : 0);
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
    set_range(r, width, least, most);
}

static void
binary_range(struct lw_fact *r, LLVMOpcode op, const struct lw_fact *a, const struct lw_fact *b,
             unsigned width)
{
    bool fixed = b->lo == b->hi;
    forget_range(r, width);
    switch (op) {
    case LLVMAdd:
        set_range(r, width, (__int128)a->lo + b->lo, (__int128)a->hi + b->hi);
        break;
    case LLVMSub:
        set_range(r, width, (__int128)a->lo - b->hi, (__int128)a->hi - b->lo);
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
            uint64_t most = a->lo >= 0 ? (uint64_t)a->hi : zero_extend(UINT64_MAX, width);
            set_range(r, width, a->lo >= 0 ? a->lo >> b->lo : 0, (int64_t)(most >> b->lo));
        }
        break;
    case LLVMAShr:
        if (fixed && b->lo >= 0 && b->lo < width)
            set_range(r, width, a->lo >> b->lo, a->hi >> b->lo);
        break;
    case LLVMUDiv:
        if (fixed && b->lo > 0 && a->lo >= 0)
            set_range(r, width, a->lo / b->lo, a->hi / b->lo);
        break;
    case LLVMSDiv:
        if (fixed && b->lo > 0)
            set_range(r, width, a->lo / b->lo, a->hi / b->lo);
        break;
    case LLVMURem:
        if (fixed && b->lo > 0)
            set_range(r, width, 0, a->lo >= 0 && a->hi < b->lo ? a->hi : b->lo - 1);
        break;
    case LLVMSRem:
        if (fixed && b->lo > 0)
            set_range(r, width, a->lo < 0 ? 1 - b->lo : 0, a->hi > 0 ? b->lo - 1 : 0);
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

/* ---- Operations
 * --------------------------------------------------------------------------------------------- */

/* One lane's value of a fact whose base is wholly known. */
static uint64_t
lane_value(const struct lw_fact *f, unsigned lane, unsigned width)
{
    return zero_extend(f->residue + (uint64_t)f->offsets[lane], width);
}

/* false where the operation has no defined result. */
static bool
evaluate(LLVMOpcode op, uint64_t a, uint64_t b, unsigned width, uint64_t *result)
{
    int64_t sa = sign_extend(a, width), sb = sign_extend(b, width);
    bool shift = op == LLVMShl || op == LLVMLShr || op == LLVMAShr;
    bool divide = op == LLVMUDiv || op == LLVMSDiv || op == LLVMURem || op == LLVMSRem;
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
        int64_t number = sign_extend(value, width);
        lo = i == 0 || number < lo ? number : lo;
        hi = i == 0 || number > hi ? number : hi;
        table[i] = sign_extend(value - base, width);
    }
    r->offsets = lw_offsets_intern(o, table);
    r->known = 64;
    r->residue = zero_extend(base, width);
    set_range(r, width, lo, hi);
    return true;
}

/* a + sign * b. */
static void
add_facts(struct lw_offsets *o, const struct lw_fact *a, const struct lw_fact *b, int sign, unsigned width,
          bool nsw, bool nuw, struct lw_fact *r)
{
    int64_t table[LW_MAX_LANES];
    bool same = true; /* the offsets fit the width */
    for (unsigned i = 0; i < o->lanes; i++) {
        __int128 sum = (__int128)a->offsets[i] + (__int128)sign * b->offsets[i];
        table[i] = sign_extend((uint64_t)sum, width);
        same &= table[i] == sum;
    }
    r->offsets = lw_offsets_intern(o, table);
    r->known = weaker(a->known, b->known);
    r->residue = sign > 0 ? a->residue + b->residue : a->residue - b->residue;
    uint8_t is = weaker(a->exact_signed, b->exact_signed), iu = weaker(a->exact_unsigned, b->exact_unsigned);
    r->exact_signed = same && nsw ? weaker(LW_ASSUMED, is) : LW_NOT_PROVED;
    r->exact_unsigned = same && nuw ? weaker(LW_ASSUMED, iu) : LW_NOT_PROVED;
}

/* a * factor, factor a constant. */
static void
scale_fact(struct lw_offsets *o, const struct lw_fact *a, uint64_t factor, unsigned width, bool nsw, bool nuw,
           struct lw_fact *r)
{
    int64_t table[LW_MAX_LANES], number = sign_extend(factor, width);
    bool same = true;
    for (unsigned i = 0; i < o->lanes; i++) {
        __int128 product = (__int128)a->offsets[i] * number;
        table[i] = sign_extend((uint64_t)product, width);
        same &= table[i] == product;
    }
    unsigned zeros = factor ? (unsigned)__builtin_ctzll(factor) : 64;
    r->offsets = lw_offsets_intern(o, table);
    r->known = (uint8_t)(a->known + zeros > 64 ? 64 : a->known + zeros);
    r->residue = a->residue * factor;
    r->exact_signed = same && nsw ? weaker(LW_ASSUMED, a->exact_signed) : LW_NOT_PROVED;
    r->exact_unsigned = same && nuw && number >= 0 ? weaker(LW_ASSUMED, a->exact_unsigned) : LW_NOT_PROVED;
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
    uint64_t low = a->known < 64 ? (UINT64_C(1) << a->known) - 1 : UINT64_MAX, base = 0, value;
    bool inside = stays_below(o, a) || (op == LLVMAnd && (zero_extend(constant, width) & ~low) == 0);
    if (!inside) {
        unsigned zeros = zero_bits(o, a);
        uint64_t ones = ~zero_extend(constant, width);
        if (op != LLVMAnd || zeros >= 64 || (zero_extend(ones, width) >> zeros) != 0)
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
        table[i] = sign_extend(value - base, width);
    }
    r->offsets = lw_offsets_intern(o, table);
    r->residue = base;
    r->known = op == LLVMAnd && (zero_extend(constant, width) & ~low) == 0 ? 64 : a->known;
    return true;
}

/* a >> by: exact where the bits shifted out do not carry, or are zero in every lane. */
static bool
shift_fact(struct lw_offsets *o, LLVMOpcode op, const struct lw_fact *a, unsigned by, unsigned width,
           struct lw_fact *r)
{
    int64_t table[LW_MAX_LANES];
    bool below = a->known >= by && stays_below(o, a);
    uint8_t proof = op == LLVMAShr ? a->exact_signed : a->exact_unsigned;
    if (!below && (zero_bits(o, a) < by || proof != LW_PROVED))
        return false;
    for (unsigned i = 0; i < o->lanes; i++)
        table[i] = below
                       ? (int64_t)((a->residue + (uint64_t)a->offsets[i]) >> by) - (int64_t)(a->residue >> by)
                       : a->offsets[i] >> by;
    for (unsigned i = 0; i < o->lanes; i++)
        table[i] = sign_extend((uint64_t)table[i], width);
    r->offsets = lw_offsets_intern(o, table);
    r->known = a->known < 64 && a->known >= by ? (uint8_t)(a->known - by) : 0;
    r->residue = a->residue >> by;
    return true;
}

/* The operations with a constant right operand. */
static bool
binary_constant(struct lw_offsets *o, LLVMOpcode op, const struct lw_fact *a, uint64_t c, unsigned width,
                bool nsw, bool nuw, struct lw_fact *r)
{
    bool power = c && (c & (c - 1)) == 0;
    unsigned log = c ? (unsigned)__builtin_ctzll(c) : 0;
    switch (op) {
    case LLVMMul:
        scale_fact(o, a, c, width, nsw, nuw, r);
        return true;
    case LLVMShl:
        if (c >= width)
            return false;
        scale_fact(o, a, UINT64_C(1) << c, width, nsw && c + 1 < width, nuw && c + 1 < width, r);
        return true;
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        return mask_fact(o, op, a, c, width, r);
    case LLVMURem:
        return power && mask_fact(o, LLVMAnd, a, c - 1, width, r);
    case LLVMUDiv:
        return power && shift_fact(o, LLVMLShr, a, log, width, r);
    case LLVMLShr:
    case LLVMAShr:
        return c < width && shift_fact(o, op, a, (unsigned)c, width, r);
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
binary_strided(struct lw_offsets *o, LLVMOpcode op, const struct lw_fact *a, const struct lw_fact *b,
               unsigned width, bool nsw, bool nuw, struct lw_fact *r)
{
    bool commutes = op == LLVMAdd || op == LLVMMul || op == LLVMAnd || op == LLVMOr || op == LLVMXor;
    bool fixed = b->level == LW_LEVEL_UNIFORM && b->known >= width;
    if (a->known >= width && b->known >= width && evaluate_lanes(o, op, a, b, width, r))
        return true;
    if (op == LLVMAdd || op == LLVMSub) {
        add_facts(o, a, b, op == LLVMAdd ? 1 : -1, width, nsw, nuw, r);
        return true;
    }
    if ((op == LLVMOr || op == LLVMXor) && (fits_below(o, a, b) || fits_below(o, b, a))) {
        add_facts(o, a, b, 1, width, false, false, r); /* no bit in common */
        return true;
    }
    if (commutes && !fixed && a->level == LW_LEVEL_UNIFORM && a->known >= width)
        return binary_constant(o, op, b, a->residue, width, nsw, nuw, r);
    return fixed && binary_constant(o, op, a, b->residue, width, nsw, nuw, r);
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
    if (!binary_strided(o, op, &a, &b, width, nsw, nuw, &s))
        return r;
    s.level = LW_LEVEL_UNIFORM; /* finish decides by the offsets */
    s.group_uniform = a.group_uniform && b.group_uniform;
    lw_fact_finish(o, &s, width);
    return s;
}

/* ---- Conversions
 * -------------------------------------------------------------------------------------------- */

static void
cast_range(struct lw_fact *r, LLVMOpcode op, const struct lw_fact *a, unsigned from, unsigned to)
{
    if (op == LLVMZExt && a->lo < 0)
        set_range(r, to, 0, ((__int128)1 << from) - 1);
    else
        set_range(r, to, a->lo, a->hi);
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
    set_range(r, width, (__int128)r->lo + least - most, (__int128)r->hi + most - least);
}

struct lw_fact
lw_fact_cast(struct lw_offsets *o, LLVMOpcode op, struct lw_fact a, unsigned from, unsigned to, bool nneg)
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
            table[i] = sign_extend((uint64_t)a.offsets[i], to);
        s.offsets = lw_offsets_intern(o, table);
        s.exact_signed = s.exact_unsigned = LW_NOT_PROVED;
    } else if (a.known >= from) {
        for (unsigned i = 0; i < o->lanes; i++) {
            uint64_t lane = lane_value(&a, i, from), first = lane_value(&a, 0, from);
            table[i] =
                op == LLVMZExt ? (int64_t)(lane - first) : sign_extend(lane, from) - sign_extend(first, from);
        }
        s.residue = op == LLVMZExt ? a.residue : (uint64_t)sign_extend(a.residue, from);
        s.offsets = lw_offsets_intern(o, table);
        s.exact_signed = s.exact_unsigned = LW_NOT_PROVED;
    } else {
        uint8_t proof = op == LLVMSExt ? a.exact_signed : a.exact_unsigned;
        if (op == LLVMZExt && nneg && proof != LW_PROVED && a.exact_signed > proof)
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

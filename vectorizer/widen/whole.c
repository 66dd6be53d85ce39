/* SPDX-License-Identifier: MIT */
/* Conditions of lane ids against bounds. Do all lanes fulfil them? Asked of the first and the last lane, in
 * scalars, so that a guard that all lanes pass needs no mask. Which do? Where lanes of ids fill many
 * registers, how far the bound is from lane 0 is compared with what the lanes are apart, in bytes; ids of 64
 * bits that are known to need no more than 32 are compared so.
 *
 * Enters: a condition of the block being widened. Leaves: one scalar that is true exactly where it holds in
 * every lane; or a truth of each lane. Relies on: offsets per lane being constant. Legal where no lane lies
 * across a wrap from another: the range of a strided value tells it, else lane 0 is asked how far it is from
 * the end. Never: makes a vector of ids.
 */
#include "../facts/integers.h"
#include "../lanes/internal.h"
#include "widener.h"

#define DEPTH 8      /* of conditions within conditions */
#define MANY 4       /* registers of ids; comparisons of fewer take less than the scalars do */
#define FARTHEST 126 /* from lane 0 on; one more is a byte, too, and behind all lanes */

/* No lane lies across a wrap from another, read as signed (or unsigned) numbers. */
static bool
keeps_order(lw_widener *w, LLVMValueRef value, bool is_signed, int64_t least, int64_t most)
{
    struct lw_vinfo info = lw_info(w, value);
    unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(value));
    if (info.form == LW_UNIFORM)
        return true;
    return info.form == LW_STRIDED && info.lo <= info.hi && (is_signed || info.lo >= 0) && width <= 64 &&
           (__int128)info.hi - info.lo + most - least < (__int128)1 << width;
}

static void
find_reach(lw_widener *w, LLVMValueRef value, int64_t *least, int64_t *most)
{
    struct lw_vinfo info = lw_info(w, value);
    *least = *most = 0;
    for (unsigned lane = 0; info.form == LW_STRIDED && lane < w->l.n; lane++) {
        *least = info.offsets[lane] < *least ? info.offsets[lane] : *least;
        *most = info.offsets[lane] > *most ? info.offsets[lane] : *most;
    }
}

static V
moved(lw_widener *w, LLVMValueRef value, int64_t offset)
{
    V base = lw_use_scalar(w, value), by = LLVMConstInt(LLVMTypeOf(base), (uint64_t)offset, true);
    return offset ? LLVMBuildAdd(w->l.builder, base, by, "") : base;
}

/* What keeps_order says, asked when it is run: is lane 0 so far from the end of the numbers that no lane is
 * behind it? NULL: of no such value. */
static V
is_in_order(lw_widener *w, LLVMValueRef value, bool is_signed, int64_t least, int64_t most)
{
    unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(value));
    if (lw_info(w, value).form != LW_STRIDED || width < 8 || width > 64 || (least < 0 && most > 0))
        return NULL;
    bool down = least < 0;
    uint64_t all = UINT64_MAX >> (64 - width), reach = down ? 0 - (uint64_t)least : (uint64_t)most;
    uint64_t last = is_signed ? all >> 1 : all, first = is_signed ? last + 1 : 0;
    if (reach > all >> 1)
        return NULL;
    V base = lw_use_scalar(w, value);
    V end = LLVMConstInt(LLVMTypeOf(base), down ? first + reach : last - reach, false);
    LLVMIntPredicate p = down ? (is_signed ? LLVMIntSGE : LLVMIntUGE) : is_signed ? LLVMIntSLE : LLVMIntULE;
    return LLVMBuildICmp(w->l.builder, p, base, end, "");
}

/* x != y with neighbouring numbers on one side: the other lies outside of the run. */
static V
all_differ(lw_widener *w, LLVMValueRef x, LLVMValueRef y)
{
    struct lw_vinfo a = lw_info(w, x), b = lw_info(w, y);
    LLVMBuilderRef builder = w->l.builder;
    if (b.form == LW_STRIDED && a.form == LW_UNIFORM)
        return all_differ(w, y, x);
    if (a.form != LW_STRIDED || b.form != LW_UNIFORM || !a.linear || a.stride != 1)
        return NULL;
    V base = lw_use_scalar(w, x), apart = LLVMBuildSub(builder, lw_use_scalar(w, y), base, "");
    return LLVMBuildICmp(builder, LLVMIntUGE, apart, LLVMConstInt(LLVMTypeOf(base), w->l.n, false), "");
}

static V
all_compare(lw_widener *w, LLVMValueRef compare, bool wanted)
{
    LLVMValueRef x = LLVMGetOperand(compare, 0), y = LLVMGetOperand(compare, 1);
    LLVMIntPredicate p = LLVMGetICmpPredicate(compare);
    int64_t least_x, most_x, least_y, most_y;
    if (!wanted)
        p = lw_inverse(p);
    if (LLVMGetTypeKind(LLVMTypeOf(x)) != LLVMIntegerTypeKind || lw_is_varying(w, x) || lw_is_varying(w, y))
        return NULL;
    if (p == LLVMIntNE)
        return all_differ(w, x, y);
    bool less = p == LLVMIntULT || p == LLVMIntULE || p == LLVMIntSLT || p == LLVMIntSLE;
    bool is_signed = lw_is_signed_order(p);
    if (p == LLVMIntEQ || (lw_info(w, x).form == LW_STRIDED && lw_info(w, y).form == LW_STRIDED))
        return NULL;
    find_reach(w, x, &least_x, &most_x);
    find_reach(w, y, &least_y, &most_y);
    V order = NULL;
    if (!keeps_order(w, x, is_signed, least_x, most_x) || !keeps_order(w, y, is_signed, least_y, most_y)) {
        order = lw_info(w, x).form == LW_STRIDED ? is_in_order(w, x, is_signed, least_x, most_x)
                                                 : is_in_order(w, y, is_signed, least_y, most_y);
        if (!order)
            return NULL;
    }
    V a = moved(w, x, less ? most_x : least_x), b = moved(w, y, less ? least_y : most_y);
    V holds = LLVMBuildICmp(w->l.builder, p, a, b, "");
    return order ? LLVMBuildAnd(w->l.builder, order, holds, "") : holds;
}

/* The same of how far they are from lane 0: small numbers, -1 for what is below it. */
static LLVMIntPredicate
of_distances(LLVMIntPredicate p)
{
    switch (p) {
    case LLVMIntUGT:
        return LLVMIntSGT;
    case LLVMIntUGE:
        return LLVMIntSGE;
    case LLVMIntULT:
        return LLVMIntSLT;
    case LLVMIntULE:
        return LLVMIntSLE;
    default:
        return p;
    }
}

/* How far `y` is behind lane 0's `x`: up to `most`, which is behind all lanes; -1 where it is below it and
 * that makes a difference. */
static V
distance(lw_widener *w, LLVMIntPredicate p, V x, V y, int64_t most)
{
    LLVMBuilderRef b = w->l.builder;
    LLVMTypeRef type = LLVMTypeOf(x);
    V apart = LLVMBuildSub(b, y, x, ""), end = LLVMConstInt(type, (uint64_t)most, false);
    apart = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntULT, apart, end, ""), apart, end, "");
    if (p != LLVMIntEQ && p != LLVMIntNE) {
        V below = LLVMBuildICmp(b, lw_is_signed_order(p) ? LLVMIntSLT : LLVMIntULT, y, x, "");
        apart = LLVMBuildSelect(b, below, LLVMConstAllOnes(type), apart, "");
    }
    return LLVMBuildTrunc(b, apart, LLVMInt8TypeInContext(w->l.context), "");
}

/* Are all of them numbers of 32 bits with a sign? */
static bool
fits_half(lw_widener *w, LLVMValueRef v)
{
    struct lw_vinfo info = lw_info(w, v);
    return info.lo <= info.hi && info.lo >= INT32_MIN && info.hi <= INT32_MAX;
}

/* Every lane's place, less lane 0's, in `bits`. */
static V
distances(lw_widener *w, LLVMValueRef x, unsigned bits)
{
    struct lw_vinfo info = lw_info(w, x);
    V apart[LW_MAX_LANES];
    for (unsigned lane = 0; lane < w->l.n; lane++)
        apart[lane] = lane_int(&w->l, bits, info.offsets[lane]);
    return LLVMConstVector(apart, w->l.n);
}

/* Their order without signs is that of the low halves, too, and where there are none, the order with signs,
 * which is cheaper. */
static V
compare_halves(lw_widener *w, LLVMIntPredicate p, LLVMValueRef x, LLVMValueRef y)
{
    LLVMBuilderRef b = w->l.builder;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(w->l.context);
    V from = lane_splat(&w->l, LLVMBuildTrunc(b, lw_use_scalar(w, x), i32, ""));
    V to = lane_splat(&w->l, LLVMBuildTrunc(b, lw_use_scalar(w, y), i32, ""));
    bool natural = lw_info(w, x).lo >= 0 && lw_info(w, y).lo >= 0;
    return LLVMBuildICmp(b, natural ? of_distances(p) : p, LLVMBuildAdd(b, from, distances(w, x, 32), ""), to,
                         "");
}

V
lw_compare_places(lw_widener *w, LLVMValueRef compare)
{
    LLVMValueRef x = LLVMGetOperand(compare, 0), y = LLVMGetOperand(compare, 1);
    LLVMIntPredicate p = LLVMGetICmpPredicate(compare);
    struct lw_vinfo info = lw_info(w, x);
    int64_t least, most;
    if (info.form != LW_STRIDED || info.assumes_no_wrap || lw_info(w, y).form != LW_UNIFORM ||
        LLVMGetTypeKind(LLVMTypeOf(x)) != LLVMIntegerTypeKind)
        return NULL;
    unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(x));
    bool equality = p == LLVMIntEQ || p == LLVMIntNE;
    find_reach(w, x, &least, &most);
    bool many = width <= 64 && width * w->l.n >= MANY * lw_isa_row(w->l.isa)->register_bits;
    if (many && least >= 0 && most <= FARTHEST &&
        (equality || keeps_order(w, x, lw_is_signed_order(p), least, most))) {
        V from = distance(w, p, lw_use_scalar(w, x), lw_use_scalar(w, y), most + 1);
        return LLVMBuildICmp(w->l.builder, of_distances(p), distances(w, x, 8), lane_splat(&w->l, from), "");
    }
    return width == 64 && fits_half(w, x) && fits_half(w, y) ? compare_halves(w, p, x, y) : NULL;
}

static bool
is_bool(LLVMValueRef v, bool value)
{
    return LLVMIsAConstantInt(v) && LLVMConstIntGetZExtValue(v) == value;
}

/* Both operands of a conjunction, plain or poison-safe; `wanted` false: of a disjunction. */
static bool
split(LLVMValueRef v, bool wanted, LLVMValueRef parts[2])
{
    if (!LLVMIsAInstruction(v))
        return false;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    parts[0] = LLVMGetOperand(v, 0);
    if (op == (wanted ? LLVMAnd : LLVMOr)) {
        parts[1] = LLVMGetOperand(v, 1);
        return true;
    }
    if (op != LLVMSelect || !is_bool(LLVMGetOperand(v, wanted ? 2 : 1), !wanted))
        return false;
    parts[1] = LLVMGetOperand(v, wanted ? 1 : 2);
    return true;
}

static V
all_are(lw_widener *w, LLVMValueRef condition, bool wanted, unsigned depth)
{
    LLVMBuilderRef b = w->l.builder;
    LLVMValueRef parts[2];
    if (lw_info(w, condition).form == LW_UNIFORM) {
        V c = LLVMBuildFreeze(b, lw_use_scalar(w, condition), "");
        return wanted ? c : LLVMBuildNot(b, c, "");
    }
    if (depth == DEPTH || !LLVMIsAInstruction(condition) ||
        LLVMGetTypeKind(LLVMTypeOf(condition)) != LLVMIntegerTypeKind)
        return NULL;
    if (LLVMIsAICmpInst(condition)) {
        V made = all_compare(w, condition, wanted);
        return made ? LLVMBuildFreeze(b, made, "") : NULL;
    }
    if (LLVMGetInstructionOpcode(condition) == LLVMXor && is_bool(LLVMGetOperand(condition, 1), true))
        return all_are(w, LLVMGetOperand(condition, 0), !wanted, depth + 1);
    if (!split(condition, wanted, parts))
        return NULL;
    V first = all_are(w, parts[0], wanted, depth + 1);
    V second = first ? all_are(w, parts[1], wanted, depth + 1) : NULL;
    return second ? LLVMBuildAnd(b, first, second, "") : NULL;
}

V
lw_all_lanes(lw_widener *w, LLVMValueRef condition, bool wanted)
{
    return all_are(w, condition, wanted, 0);
}

/* SPDX-License-Identifier: MIT */
/* Accesses at indices that are held within bounds: in[clamp(x + 1, 0, width - 1)], in[x > 0 ? i - 1 : i],
 * in[(x + 1) % width], in[(x + 1) & mask]; or that walk from there, by the same in all lanes. In all
 * sub-groups but those at the edges the elements, scalars or vectors, lie side by side. And
 * in[x * view.stride], where the stride is in memory: it is 1 where views are whole, as arguments are that
 * the shape knows. And stores, and loads of vectors, at indices near each other (near.c): keys[i ^ j] and
 * a[2 * i - i % stride] of sorts are in order as soon as j and the stride are no fewer than the lanes.
 *
 * Enters: a load about to be gathered, a store about to be scattered. Leaves: one contiguous access where the
 * lanes' indices go up by one (of vectors: wide ones and shuffles), else the gather. Relies on: nothing; the
 * indices are compared. Never: loads or stores for lanes that are not active.
 */
#include "../facts/calls.h"
#include "../facts/counters.h"
#include "../facts/integers.h"
#include "../lanes/internal.h"
#include "lane_terms.h"

#define DEEPEST 8
#define MOST_WAYS 4 /* that a phi joins */
#define MOST_LEAVES 16

static bool
steps_by_one(lw_widener *w, LLVMValueRef i)
{
    struct lw_vinfo info = lw_info(w, i);
    return info.form == LW_STRIDED && info.linear && info.stride == 1;
}

static bool is_bounded(lw_widener *w, LLVMValueRef i, bool bounded, unsigned depth);

/* One of two numbers, as LLVM writes x < w - 1 ? i + 1 : i. */
static bool
is_one_of_two(lw_widener *w, LLVMValueRef i)
{
    if (LLVMIsAZExtInst(i) || LLVMIsASExtInst(i))
        return LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(i, 0))) == 1;
    return LLVMIsASelectInst(i) && lw_info(w, LLVMGetOperand(i, 1)).form == LW_UNIFORM &&
           lw_info(w, LLVMGetOperand(i, 2)).form == LW_UNIFORM;
}

static bool
is_bounded_sum(lw_widener *w, LLVMValueRef i, bool bounded, unsigned depth)
{
    LLVMValueRef a = LLVMGetOperand(i, 0), b = LLVMGetOperand(i, 1);
    if (is_bounded(w, a, bounded || is_one_of_two(w, b), depth))
        return true;
    return LLVMGetInstructionOpcode(i) != LLVMSub && is_bounded(w, b, bounded || is_one_of_two(w, a), depth);
}

static bool
is_step(lw_widener *w, LLVMValueRef next, LLVMValueRef phi)
{
    LLVMValueRef step = lw_added_to(phi, next);
    return step && lw_info(w, step).form == LW_UNIFORM;
}

/* The loop that it is the header of, or LW_NONE. */
static uint32_t
loop_at(lw_widener *w, LLVMValueRef phi)
{
    uint32_t block = lw_block_id_of(w->m, phi), loop = w->m->blocks[block].loop;
    return loop != LW_NONE && w->m->loops[loop].header == block ? loop : LW_NONE;
}

/* Values of a bounded index meet, or it walks on by the same in all lanes. */
static bool
is_bounded_way(lw_widener *w, LLVMValueRef phi, unsigned depth)
{
    uint32_t loop = loop_at(w, phi);
    bool found = false;
    unsigned ways = LLVMCountIncoming(phi);
    for (unsigned k = 0; ways <= MOST_WAYS && k < ways; k++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, k);
        if (loop == LW_NONE || lw_block_id(w->m, LLVMGetIncomingBlock(phi, k)) != w->m->loops[loop].latch)
            found |= is_bounded(w, v, true, depth);
        else if (!is_step(w, v, phi))
            return false;
    }
    return found;
}

/* May a mask leave the lanes' order as it is? */
static bool
keeps_low_bits(lw_widener *w, LLVMValueRef mask)
{
    uint64_t bits = w->l.n - 1, n;
    return lw_is_int_constant(mask, &n) ? (n & bits) == bits : lw_info(w, mask).form == LW_UNIFORM;
}

/* A stride that comes from memory, a struct among the arguments or a table. */
static bool
may_be_one(lw_widener *w, LLVMValueRef v)
{
    while (LLVMIsASExtInst(v) || LLVMIsAZExtInst(v) || LLVMIsATruncInst(v) || LLVMIsAFreezeInst(v))
        v = LLVMGetOperand(v, 0);
    return LLVMIsALoadInst(v) && lw_info(w, v).form == LW_UNIFORM;
}

static bool
is_in_steps(lw_widener *w, LLVMValueRef product, unsigned depth)
{
    LLVMValueRef a = LLVMGetOperand(product, 0), b = LLVMGetOperand(product, 1);
    return (may_be_one(w, b) && is_bounded(w, a, true, depth)) ||
           (may_be_one(w, a) && is_bounded(w, b, true, depth));
}

/* Does the index come from one that goes up with the lanes, by what leaves it as it is in the middle? */
static bool
is_bounded(lw_widener *w, LLVMValueRef i, bool bounded, unsigned depth)
{
    if (steps_by_one(w, i))
        return bounded;
    if (depth == DEEPEST || lw_info(w, i).form == LW_UNIFORM || !LLVMIsAInstruction(i))
        return false;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMFreeze:
        return is_bounded(w, LLVMGetOperand(i, 0), bounded, depth + 1);
    case LLVMAdd:
    case LLVMOr:
    case LLVMSub:
        return is_bounded_sum(w, i, bounded, depth + 1);
    case LLVMMul:
        return is_in_steps(w, i, depth + 1);
    case LLVMAnd:
        return (steps_by_one(w, LLVMGetOperand(i, 0)) && keeps_low_bits(w, LLVMGetOperand(i, 1))) ||
               (steps_by_one(w, LLVMGetOperand(i, 1)) && keeps_low_bits(w, LLVMGetOperand(i, 0)));
    case LLVMSRem:
    case LLVMURem:
        return is_bounded(w, LLVMGetOperand(i, 0), true, depth + 1);
    case LLVMPHI:
        return is_bounded_way(w, i, depth + 1);
    case LLVMSelect:
        return is_bounded(w, LLVMGetOperand(i, 1), true, depth + 1) ||
               is_bounded(w, LLVMGetOperand(i, 2), true, depth + 1);
    case LLVMCall:
        if (lw_is_call_like(i, "llvm.usub.sat.") || lw_is_call_like(i, "llvm.ssub.sat."))
            return is_bounded(w, LLVMGetOperand(i, 0), true, depth + 1);
        if (!lw_is_call_like(i, "llvm.smin.") && !lw_is_call_like(i, "llvm.smax.") &&
            !lw_is_call_like(i, "llvm.umin.") && !lw_is_call_like(i, "llvm.umax."))
            return false;
        return is_bounded(w, LLVMGetOperand(i, 0), true, depth + 1) ||
               is_bounded(w, LLVMGetOperand(i, 1), true, depth + 1);
    default:
        return false;
    }
}

/* What one step of the index covers: a scalar, or a vector of equal components without gaps. */
static bool
fills_step(lw_widener *w, LLVMTypeRef type, uint32_t leaves, int64_t step)
{
    struct lw_leaf first = lw_leaf_at(w, type, 0);
    for (uint32_t k = 1; k < leaves; k++) {
        struct lw_leaf leaf = lw_leaf_at(w, type, k);
        if (leaf.type != first.type || leaf.offset != k * first.size)
            return false;
    }
    return step == (int64_t)(leaves * first.size);
}

/* The place of an access, and which of its terms is the one index that differs between lanes. */
struct bounded {
    struct lw_place place;
    unsigned term;
};

static bool
fits(lw_widener *w, const struct lw_access *a, struct bounded *at)
{
    at->term = lw_varying_term(w, &at->place);
    if (at->term == LW_PLACE_TERMS || !fills_step(w, a->type, a->leaves, at->place.scale[at->term]))
        return false;
    LLVMValueRef index = at->place.term[at->term];
    return is_bounded(w, index, false, 0) || ((a->value || a->leaves > 1) && lw_is_near(w, index));
}

static bool
find_bounded(lw_widener *w, const struct lw_access *a, struct bounded *at)
{
    return !LLVMGetVolatile(a->access) && a->leaves <= MOST_LEAVES && !lw_lane_minor_behind(w, a->pointer) &&
           lw_find_exact_place(w, a->pointer, &at->place) && fits(w, a, at);
}

/* i1: the index of each lane is that of the one before it and one; `first` is lane 0's. An extended one is
 * compared as it was before, where no lane lies across its type's end. Frozen: in lanes that are not active
 * an index may be poison. */
static V
in_order(lw_widener *w, const struct bounded *at, V *first)
{
    lw_lanes *l = &w->l;
    V lanes, below = lw_run_from_first(w, &at->place, at->term, l->n, first, &lanes);
    V line = LLVMBuildAdd(l->builder, lane_splat(l, *first), lane_iota(l, LLVMTypeOf(*first)), "");
    V all = lane_all(l, LLVMBuildICmp(l->builder, LLVMIntEQ, lanes, line, ""));
    return LLVMBuildAnd(l->builder, all, below, "");
}

static void
load_together(lw_widener *w, const struct lw_access *a, V address, V *out)
{
    LLVMTypeRef element = lw_leaf_at(w, a->type, 0).type;
    if (a->leaves == 1)
        out[0] = lane_load_contiguous(&w->l, element, address, w->mask, a->align);
    else
        lane_load_interleaved(&w->l, element, a->leaves, address, w->mask, a->align, out);
}

/* Do lanes choose by what is not their place, so that they seldom choose alike? A comparison of strided
 * numbers holds from some lane on. */
static bool
is_chosen_by_data(lw_widener *w, LLVMValueRef i)
{
    if (LLVMIsAPHINode(i))
        return loop_at(w, i) == LW_NONE;
    LLVMValueRef chooses = LLVMIsASelectInst(i) ? LLVMGetOperand(i, 0) : NULL;
    return chooses && lw_info(w, chooses).form != LW_UNIFORM &&
           !(LLVMIsAICmpInst(chooses) && lw_info(w, LLVMGetOperand(chooses, 0)).form != LW_VARYING &&
             lw_info(w, LLVMGetOperand(chooses, 1)).form != LW_VARYING);
}

/* Is it taken apart by a number that is not known, and may be smaller than the sub-group? */
static bool
is_in_short_rows(lw_widener *w, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAnd:
    case LLVMURem:
    case LLVMSRem:
    case LLVMUDiv:
    case LLVMSDiv:
        return lw_info(w, LLVMGetOperand(i, 1)).form == LW_UNIFORM && !LLVMIsAConstant(LLVMGetOperand(i, 1));
    default:
        return false;
    }
}

/* Do lanes often lie in several rows by this index, or not go the same way? */
static bool
is_scattered(lw_widener *w, LLVMValueRef i, unsigned depth)
{
    if (!LLVMIsAInstruction(i) || depth == DEEPEST || lw_info(w, i).form == LW_UNIFORM)
        return false;
    if (is_in_short_rows(w, i) || is_chosen_by_data(w, i))
        return true;
    for (unsigned k = 0; !LLVMIsAPHINode(i) && k < (unsigned)LLVMGetNumOperands(i); k++)
        if (is_scattered(w, LLVMGetOperand(i, k), depth + 1))
            return true;
    return false;
}

/* Are there so many ends of rows, or of lanes that go the same way, that code for these is worth its length?
 */
static bool
is_often_apart(lw_widener *w, LLVMValueRef index)
{
    uint32_t row = w->shape->local_size[0];
    return (row && row <= 2 * w->l.n) || is_scattered(w, index, 0);
}

static void
load_apart(lw_widener *w, const struct lw_access *a, const struct bounded *at, V addresses, V *out)
{
    if (lw_gather_vectors(w, a->access, out) ||
        (is_often_apart(w, at->place.term[at->term]) && lw_gather_near(w, a, addresses, out)))
        return;
    for (uint32_t k = 0; k < a->leaves; k++) {
        struct lw_leaf leaf = lw_leaf_at(w, a->type, k);
        V offset = lane_int(&w->l, 64, (int64_t)leaf.offset);
        V at = k ? LLVMBuildGEP2(w->l.builder, LLVMInt8TypeInContext(w->l.context), addresses, &offset, 1, "")
                 : addresses;
        out[k] = lane_gather(&w->l, leaf.type, at, w->mask, lw_align_at(a->align, leaf.offset));
    }
}

bool
lw_load_bounded(lw_widener *w, struct lw_access *a)
{
    lw_lanes *l = &w->l;
    struct bounded at;
    if (!find_bounded(w, a, &at))
        return false;
    V first, ordered = in_order(w, &at, &first), address = lw_address_at(w, &at.place, at.term, first);
    V addresses = lw_use_vector(w, a->pointer, 0), together[MOST_LEAVES], gathered[MOST_LEAVES];
    struct lw_two_ways ways;
    lw_lane_fork(l, &ways, ordered, true, "row", "apart");
    load_together(w, a, address, together);
    lw_lane_other_way(l, &ways);
    load_apart(w, a, &at, addresses, gathered);
    lw_lane_meet(l, &ways);
    for (uint32_t k = 0; k < a->leaves; k++) /* all phis before what defining may write */
        together[k] = lw_lane_met(l, &ways, together[k], gathered[k]);
    for (uint32_t k = 0; k < a->leaves; k++)
        lw_define_leaf(w, a->access, k, together[k]);
    return true;
}

static void
store_apart(lw_widener *w, struct lw_access *a, const V *values, V addresses)
{
    if (lw_store_vectors(w, a))
        return;
    for (uint32_t k = 0; k < a->leaves; k++) {
        int64_t offset = (int64_t)lw_leaf_at(w, a->type, k).offset;
        V at = lw_lane_gep(&w->l, lw_lane_int_type(&w->l, 8), addresses, lane_int(&w->l, 64, offset));
        lane_scatter(&w->l, values[k], at, w->mask, lw_align_at(a->align, (uint64_t)offset));
    }
}

bool
lw_store_bounded(lw_widener *w, struct lw_access *a)
{
    lw_lanes *l = &w->l;
    struct bounded at;
    V values[MOST_LEAVES];
    if (!find_bounded(w, a, &at))
        return false;
    V first, ordered = in_order(w, &at, &first), address = lw_address_at(w, &at.place, at.term, first);
    V addresses = lw_use_vector(w, a->pointer, 0);
    for (uint32_t k = 0; k < a->leaves; k++)
        values[k] = lw_use_vector(w, a->value, k);
    struct lw_two_ways ways;
    lw_lane_fork(l, &ways, ordered, true, "row", "apart");
    if (a->leaves == 1)
        lane_store_contiguous(l, values[0], address, w->mask, a->align);
    else
        lane_store_interleaved(l, lw_leaf_at(w, a->type, 0).type, a->leaves, values, address, w->mask,
                               a->align);
    lw_lane_other_way(l, &ways);
    store_apart(w, a, values, addresses);
    lw_lane_meet(l, &ways);
    return true;
}

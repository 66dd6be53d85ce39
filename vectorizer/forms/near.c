/* SPDX-License-Identifier: MIT */
/* Loads at indices that are likely near each other, computed from the lanes' ids by what keeps neighbours
 * near: src[(int)floor(x * 0.5f - 0.25f)], a[(i - j) * 2 + j] of j = i & (m - 1), table[x / n]. Where all
 * lanes' elements lie within a few registers from lane 0's on, these are loaded, and each lane's element is
 * taken out of them.
 *
 * Enters: a load about to be gathered. Leaves: a comparison; wide loads and a permutation, or the gather.
 * Legal: lane 0 is active, and the registers end in the page of its element, so that nothing is read that may
 * not be; the lanes' places are compared as they run. What else lies between may change meanwhile. Pays:
 * where the permutation is cheaper than the gather; what a loaded index, or one times a number that nobody
 * knows, leads to is not near.
 */
#include "../facts/calls.h"
#include "../facts/integers.h"
#include "../lanes/internal.h"
#include "lane_terms.h"

enum {
    DEEPEST = 16,  /* a sampler's coordinate is 13 deep */
    MOST_STEP = 2, /* elements from lane to lane, on average */
    MOST_BYTES = 256,
    COMPARISON = 3 /* what it costs beside a permutation */
};

struct near {
    struct lw_place place;
    unsigned term, bits, elements;
};

static bool is_near(lw_widener *w, LLVMValueRef v, unsigned depth);

static bool
steps_little(lw_widener *w, const struct lw_vinfo *strided)
{
    int64_t most = MOST_STEP * (int64_t)w->l.n;
    for (unsigned k = 1; k < w->l.n; k++)
        if (strided->offsets[k] > most || strided->offsets[k] < -most)
            return false;
    return true;
}

static bool
are_near(lw_widener *w, LLVMValueRef i, unsigned count, unsigned depth)
{
    for (unsigned k = 0; k < count; k++)
        if (!is_near(w, LLVMGetOperand(i, k), depth))
            return false;
    return true;
}

static bool
is_uniform(lw_widener *w, LLVMValueRef v)
{
    return lw_info(w, v).form == LW_UNIFORM;
}

/* A constant that leaves them near, or of floats what most likely does. */
static bool
is_small_factor(lw_widener *w, LLVMValueRef v)
{
    uint64_t n;
    return lw_is_int_constant(v, &n) ? n <= MOST_STEP
                                     : !LLVMIsAConstantInt(v) && !lw_int_width(v) && is_uniform(w, v);
}

static bool
is_near_product(lw_widener *w, LLVMValueRef i, unsigned depth)
{
    LLVMValueRef a = LLVMGetOperand(i, 0), b = LLVMGetOperand(i, 1);
    return (is_small_factor(w, b) && is_near(w, a, depth)) || (is_small_factor(w, a) && is_near(w, b, depth));
}

/* One that goes with the lanes: by what is loaded, a search goes from one constant place to another. */
static bool
goes_along(lw_widener *w, LLVMValueRef v, unsigned depth)
{
    return !is_uniform(w, v) && is_near(w, v, depth);
}

static bool
is_near_choice(lw_widener *w, LLVMValueRef select, unsigned depth)
{
    LLVMValueRef a = LLVMGetOperand(select, 1), b = LLVMGetOperand(select, 2);
    return (goes_along(w, a, depth) && goes_along(w, b, depth)) || are_near(w, select, 3, depth);
}

static bool
is_near_way(lw_widener *w, LLVMValueRef phi, unsigned depth)
{
    uint32_t block = lw_block_id_of(w->m, phi), loop = w->m->blocks[block].loop;
    if (loop != LW_NONE && w->m->loops[loop].header == block)
        return false;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        if (!goes_along(w, LLVMGetIncomingValue(phi, k), depth))
            return false;
    return true;
}

static bool
is_near_call(lw_widener *w, LLVMValueRef i, unsigned depth)
{
    static const char *const keep[] = {"llvm.floor.", "llvm.ceil.",     "llvm.trunc.",   "llvm.rint.",
                                       "llvm.round.", "llvm.fabs.",     "llvm.smin.",    "llvm.smax.",
                                       "llvm.umin.",  "llvm.umax.",     "llvm.minnum",   "llvm.maxnum",
                                       "llvm.abs.",   "llvm.usub.sat.", "llvm.uadd.sat."};
    if (lw_is_call_like(i, "llvm.fma."))
        return is_near_product(w, i, depth) && is_near(w, LLVMGetOperand(i, 2), depth);
    for (unsigned k = 0; k < sizeof keep / sizeof *keep; k++)
        if (lw_is_call_like(i, keep[k]))
            return are_near(w, i, LLVMGetNumArgOperands(i), depth);
    return false;
}

static bool
is_near(lw_widener *w, LLVMValueRef v, unsigned depth)
{
    struct lw_vinfo info = lw_info(w, v);
    if (info.form == LW_UNIFORM)
        return true;
    if (info.form == LW_STRIDED)
        return steps_little(w, &info);
    if (depth == DEEPEST || !LLVMIsAInstruction(v))
        return false;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMFreeze:
    case LLVMSIToFP:
    case LLVMUIToFP:
    case LLVMFPToSI:
    case LLVMFPToUI:
    case LLVMFPExt:
    case LLVMFPTrunc:
    case LLVMFNeg:
        return is_near(w, LLVMGetOperand(v, 0), depth + 1);
    case LLVMAdd:
    case LLVMSub:
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMICmp:
    case LLVMFCmp:
        return are_near(w, v, 2, depth + 1);
    case LLVMLShr:
    case LLVMAShr:
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
    case LLVMFDiv:
        return is_uniform(w, LLVMGetOperand(v, 1)) && is_near(w, LLVMGetOperand(v, 0), depth + 1);
    case LLVMShl: {
        uint64_t by;
        return lw_is_int_constant(LLVMGetOperand(v, 1), &by) && by <= 1 &&
               is_near(w, LLVMGetOperand(v, 0), depth + 1);
    }
    case LLVMMul:
    case LLVMFMul:
        return is_near_product(w, v, depth + 1);
    case LLVMSelect:
        return is_near_choice(w, v, depth + 1);
    case LLVMPHI:
        return is_near_way(w, v, depth + 1);
    case LLVMCall:
        return is_near_call(w, v, depth + 1);
    default:
        return false;
    }
}

bool
lw_is_near(lw_widener *w, LLVMValueRef index)
{
    return is_near(w, index, 0);
}

/* What the permutation costs, with what is compared before it; there may be none. */
static unsigned
cost_of(lw_widener *w, const struct near *n)
{
    unsigned cost = lw_lane_permute_cost(&w->l, n->bits, n->elements);
    return cost < LW_NOT_NEAR ? cost + COMPARISON : LW_NOT_NEAR;
}

/* Registers for twice as many elements as there are lanes, or fewer where a permutation of these pays. */
static bool
choose_elements(lw_widener *w, struct near *n)
{
    unsigned most = lw_gather_cost(w, n->bits, 1);
    for (n->elements = 2 * w->l.n; n->elements >= w->l.n && n->elements > 1; n->elements /= 2) {
        if (n->elements * n->bits <= 8 * MOST_BYTES && cost_of(w, n) < most)
            return true;
    }
    return false;
}

static bool
find_near(lw_widener *w, const struct lw_access *a, struct near *n)
{
    if (a->value || a->leaves != 1 || LLVMGetVolatile(a->access) || lw_lane_minor_behind(w, a->pointer) ||
        !lw_find_exact_place(w, a->pointer, &n->place))
        return false;
    struct lw_leaf leaf = lw_leaf_at(w, a->type, 0);
    n->term = lw_varying_term(w, &n->place);
    n->bits = lw_lane_bits(lw_lane_memory_type(&w->l, leaf.type));
    return n->term != LW_PLACE_TERMS && LLVMGetTypeKind(leaf.type) != LLVMPointerTypeKind &&
           n->bits == 8 * leaf.size && n->place.scale[n->term] == (int64_t)leaf.size &&
           is_near(w, n->place.term[n->term], 0) && choose_elements(w, n);
}

unsigned
lw_near_cost(lw_widener *w, const struct lw_access *a)
{
    struct near n;
    return lw_has_form(w, LW_FORM_NEAR) && find_near(w, a, &n) ? cost_of(w, &n) : LW_NOT_NEAR;
}

/* i1: all lanes' elements lie in the registers, which may be loaded. */
static V
may_load(lw_widener *w, const struct near *n, V first, V lanes, V address)
{
    lw_lanes *l = &w->l;
    LLVMBuilderRef b = l->builder;
    LLVMTypeRef type = LLVMTypeOf(first), i64 = lw_lane_int_type(l, 64);
    V apart = LLVMBuildSub(b, lanes, lane_splat(l, first), "");
    V length = lane_splat(l, LLVMConstInt(type, n->elements, false));
    V inside = lane_all(l, LLVMBuildICmp(b, LLVMIntULT, apart, length, ""));
    V in_page = LLVMBuildAnd(b, LLVMBuildPtrToInt(b, address, i64, ""), lane_int(l, 64, LW_PAGE - 1), "");
    in_page = LLVMBuildICmp(b, LLVMIntULE, in_page, lane_int(l, 64, LW_PAGE - n->elements * n->bits / 8), "");
    inside = LLVMBuildAnd(b, inside, in_page, "");
    return w->may_be_empty ? LLVMBuildAnd(b, inside, lane_any(l, w->mask), "") : inside;
}

static V
look_up(lw_widener *w, const struct lw_access *a, const struct near *n, V first, V lanes, V address)
{
    lw_lanes *l = &w->l;
    LLVMTypeRef type = LLVMVectorType(lw_lane_int_type(l, n->bits), n->elements);
    V table = LLVMBuildLoad2(l->builder, type, address, "");
    LLVMSetAlignment(table, a->align * 8 < n->bits ? a->align : n->bits / 8);
    V index = LLVMBuildSub(l->builder, lanes, lane_splat(l, first), "");
    index = LLVMBuildIntCast2(l->builder, index, lane_type(l, lw_lane_int_type(l, 32)), false, "");
    V made = lw_lane_permute(l, LLVMBuildFreeze(l->builder, table, ""), index);
    return lw_lane_from_bits(l, made, lw_leaf_at(w, a->type, 0).type);
}

bool
lw_gather_near(lw_widener *w, const struct lw_access *a, V addresses, V *out)
{
    lw_lanes *l = &w->l;
    struct near n;
    if (!lw_has_form(w, LW_FORM_NEAR) || !find_near(w, a, &n))
        return false;
    V first, lanes, runs = lw_run_from_first(w, &n.place, n.term, n.elements, &first, &lanes);
    V address = lw_address_at(w, &n.place, n.term, first);
    V may = LLVMBuildAnd(l->builder, runs, may_load(w, &n, first, lanes, address), "");
    struct lw_two_ways ways;
    lw_lane_fork(l, &ways, may, true, "near", "apart");
    V together = look_up(w, a, &n, first, lanes, address);
    lw_lane_other_way(l, &ways);
    V gathered = lane_gather(l, lw_leaf_at(w, a->type, 0).type, addresses, w->mask, a->align);
    lw_lane_meet(l, &ways);
    *out = lw_lane_met(l, &ways, together, gathered);
    return true;
}

bool
lw_load_near(lw_widener *w, struct lw_access *a)
{
    V made;
    if (!lw_gather_near(w, a, lw_use_vector(w, a->pointer, 0), &made))
        return false;
    lw_define_leaf(w, a->access, 0, made);
    return true;
}

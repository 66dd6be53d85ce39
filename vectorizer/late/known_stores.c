/* SPDX-License-Identifier: MIT */
/* Scatters whose active lanes are known, as of `if ((i & 3) == 0) o[i >> 2] = s`: plain stores.
 *
 *     scatter x to base + { 0, ., ., ., 4, ., ., ., ... }    ->    store { x.0, x.4, ... } to base
 *
 * Lanes whose places follow each other are stored together, others one by one.
 * Enters: a module behind its last LLVM pass. Leaves: the same memory. Legal: the mask is a constant. Lanes
 * are stored in their order, unless it is known that no two of them overlap; of those at the same place the
 * last one counts, as in a scatter. Pays: a scatter takes as long for one lane as for all. Where it would be
 * more than one store for two lanes of the register, it stays.
 */
#include "known_stores.h"

#include <llvm-c/Target.h>

#include "../facts/calls.h"
#include "../facts/flags.h"
#include "../flow/module_pass.h"
#include "../../src/compiler.h" /* LW_MAX_LANES */
#include "../lanes/internal.h"

enum { MOST_STEPS = 8 /* of an address */ };

struct places {
    lw_lanes *l;
    LLVMTargetDataRef layout;
    V base;
    int64_t at[LW_MAX_LANES]; /* bytes from the base, where known */
    bool known[LW_MAX_LANES];
};

/* Lanes of the scatter in the order of their places, of which each is there once. */
struct order {
    unsigned lanes[LW_MAX_LANES], count;
};

/* ---- where the lanes are ---- */

static bool
add_index(struct places *p, V gep, unsigned lanes)
{
    LLVMTypeRef element = LLVMGetGEPSourceElementType(gep);
    uint64_t bytes = LLVMABISizeOfType(p->layout, element);
    V index = LLVMGetOperand(gep, 1);
    V same = lw_lane_is_vector(index) ? lw_lane_splat_source(index) : index;

    if (same) {
        p->base = LLVMBuildGEP2(p->l->builder, element, p->base, &same, 1, "");
        return true;
    }
    if (!LLVMIsConstant(index) || LLVMGetIntTypeWidth(lw_lane_element(index)) > 64)
        return false;
    for (unsigned k = 0; k < lanes; k++) {
        V lane = LLVMGetAggregateElement(index, k);
        p->known[k] &= LLVMIsAConstantInt(lane) != NULL;
        if (p->known[k])
            p->at[k] = (int64_t)((uint64_t)p->at[k] + bytes * (uint64_t)LLVMConstIntGetSExtValue(lane));
    }
    return true;
}

/* One base, and what is added to it in each lane. false: not known. */
static bool
find_places(struct places *p, V pointers, unsigned lanes)
{
    V steps[MOST_STEPS];
    unsigned count = 0;

    while (lw_lane_is_vector(pointers) && !lw_lane_splat_source(pointers)) {
        if (!LLVMIsAGetElementPtrInst(pointers) || LLVMGetNumOperands(pointers) != 2 || count == MOST_STEPS)
            return false;
        steps[count++] = pointers;
        pointers = LLVMGetOperand(pointers, 0);
    }
    p->base = lw_lane_is_vector(pointers) ? lw_lane_splat_source(pointers) : pointers;
    for (unsigned k = 0; k < lanes; k++) {
        p->at[k] = 0;
        p->known[k] = true;
    }
    while (count)
        if (!add_index(p, steps[--count], lanes))
            return false;
    return true;
}

/* ---- what is stored together ---- */

/* false: two overlap in part, or one is not known. */
static bool
put_in_order(const struct places *p, uint64_t active, int64_t size, struct order *order)
{
    order->count = 0;
    for (unsigned k = 0; k < LW_MAX_LANES; k++) {
        if (!(active >> k & 1))
            continue;
        if (!p->known[k])
            return false;
        unsigned at = order->count;
        while (at && p->at[order->lanes[at - 1]] > p->at[k])
            at--;
        if (at && p->at[order->lanes[at - 1]] == p->at[k]) {
            order->lanes[at - 1] = k;
            continue;
        }
        for (unsigned m = order->count++; m > at; m--)
            order->lanes[m] = order->lanes[m - 1];
        order->lanes[at] = k;
    }
    for (unsigned k = 1; k < order->count; k++)
        if ((uint64_t)p->at[order->lanes[k]] - (uint64_t)p->at[order->lanes[k - 1]] < (uint64_t)size)
            return false; /* of sorted ones: no wrap */
    return true;
}

/* Lanes from `first` on that lie side by side: a power of two. */
static unsigned
run_from(const struct places *p, const struct order *order, unsigned first, int64_t size)
{
    unsigned count = 1, whole = 1;
    uint64_t at = (uint64_t)p->at[order->lanes[first]];

    while (first + count < order->count &&
           (uint64_t)p->at[order->lanes[first + count]] == at + count * (uint64_t)size)
        count++;
    while (whole * 2 <= count)
        whole *= 2;
    return whole;
}

static void
store_part(lw_lanes *l, V scatter, V part, V pointer)
{
    V store = LLVMBuildStore(l->builder, part, pointer);

    LLVMSetAlignment(store, lw_pointer_align(scatter, 1));
    lw_copy_metadata(scatter, store);
}

static V
lane_of(lw_lanes *l, V vector, unsigned lane)
{
    return LLVMBuildExtractElement(l->builder, vector, lane_int(l, 32, lane), "");
}

static void
store_run(const struct places *p, V scatter, const unsigned *lanes, unsigned count)
{
    lw_lanes *l = p->l;
    V vector = LLVMGetOperand(scatter, 0), at = lane_int(l, 64, (uint64_t)p->at[lanes[0]]);
    V pointer = LLVMBuildGEP2(l->builder, lw_lane_int_type(l, 8), p->base, &at, 1, "");
    int from[LW_MAX_LANES];

    for (unsigned k = 0; k < count; k++)
        from[k] = (int)lanes[k];
    store_part(l, scatter,
               count == 1 ? lane_of(l, vector, lanes[0])
                          : lw_lane_shuffle_const(l, vector, NULL, from, count),
               pointer);
}

/* false: they are too many. */
static bool
store_runs(const struct places *p, V scatter, const struct order *order, int64_t size)
{
    unsigned stores = 0, run;

    for (unsigned k = 0; k < order->count; k += run_from(p, order, k, size))
        stores++;
    if (stores * 2 > lw_lane_count(LLVMGetOperand(scatter, 0)))
        return false;
    for (unsigned k = 0; k < order->count; k += run) {
        run = run_from(p, order, k, size);
        store_run(p, scatter, order->lanes + k, run);
    }
    return true;
}

/* Wherever they are: in the order of lanes. false: they are too many. */
static bool
store_each(lw_lanes *l, V scatter, uint64_t active)
{
    V vector = LLVMGetOperand(scatter, 0), pointers = LLVMGetOperand(scatter, 1);
    unsigned lanes = lw_lane_count(vector);

    if ((unsigned)__builtin_popcountll(active) * 2 > lanes)
        return false;
    for (unsigned k = 0; k < lanes; k++)
        if (active >> k & 1)
            store_part(l, scatter, lane_of(l, vector, k), lane_of(l, pointers, k));
    return true;
}

/* ---- scatters ---- */

static void
visit(lw_lanes *l, V scatter)
{
    struct places p = {.l = l, .layout = LLVMGetModuleDataLayout(l->module)};
    struct order order;
    uint64_t active;

    if (!lw_is_call_like(scatter, "llvm.masked.scatter.") ||
        !lane_mask_is_known(LLVMGetOperand(scatter, 2), &active))
        return;
    V vector = LLVMGetOperand(scatter, 0);
    int64_t size = (int64_t)LLVMABISizeOfType(p.layout, lw_lane_element(vector));
    LLVMPositionBuilderBefore(l->builder, scatter);
    bool in_order = find_places(&p, LLVMGetOperand(scatter, 1), lw_lane_count(vector)) &&
                    put_in_order(&p, active, size, &order);
    if (in_order ? store_runs(&p, scatter, &order, size) : store_each(l, scatter, active))
        LLVMInstructionEraseFromParent(scatter);
}

void
lw_store_known_lanes(LLVMModuleRef module)
{
    lw_visit_instructions(module, LW_ISA_AUTO, visit);
}

/* SPDX-License-Identifier: MIT */
/* Widening of addresses and atomics; loads and stores have forms (forms/forms.def).
 *
 * Enters: a GEP or an atomic, its operands widened. Leaves: the address, scalar or for each lane; the atomic
 * of all active lanes, and a note of its kind. Relies on: the mask of the block being w->mask.
 */
#include "../facts/calls.h"
#include "../facts/memory_effects.h"
#include "../subgroup/atomic.h"
#include "../subgroup/group_collectives.h"
#include "widener.h"

static bool
is_buffer_start(LLVMValueRef pointer)
{
    return LLVMIsAArgument(pointer) || LLVMIsAGlobalVariable(pointer) ||
           lw_is_call_of(pointer, "lw.local_base");
}

static bool
serves_accesses_only(LLVMValueRef gep)
{
    for (LLVMUseRef use = LLVMGetFirstUse(gep); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (lw_address_of(user) != gep || lw_moved_by(user) == gep)
            return false;
    }
    return true;
}

/* The index of an element of two bytes or more, counted from the start of a buffer of less than 4 GiB: the
 * lanes that access the element have one below 2^31, so the lower half tells it all. Gathers take twice as
 * many such indices to an instruction. */
static bool
is_narrow_index(lw_widener *w, LLVMValueRef gep)
{
    unsigned n = (unsigned)LLVMGetNumOperands(gep) - 1;
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    LLVMValueRef first = LLVMGetOperand(gep, 1);
    if (!w->shape->buffers_4g || n > 2 || !is_buffer_start(LLVMGetOperand(gep, 0)) ||
        !serves_accesses_only(gep))
        return false;
    if (n == 2) {
        if (LLVMGetTypeKind(type) != LLVMArrayTypeKind || !LLVMIsAConstantInt(first) || !LLVMIsNull(first))
            return false;
        type = LLVMGetElementType(type);
    }
    return LLVMABISizeOfType(w->layout, type) >= 2;
}

static V
narrow_index(lw_widener *w, V index)
{
    LLVMTypeRef i64 = lane_type(&w->l, LLVMInt64TypeInContext(w->l.context));
    if (LLVMTypeOf(index) != i64)
        return index;
    index = LLVMBuildTrunc(w->l.builder, index, lane_type(&w->l, LLVMInt32TypeInContext(w->l.context)), "");
    return LLVMBuildSExt(w->l.builder, index, i64, "");
}

void
lw_widen_gep(lw_widener *w, LLVMValueRef i)
{
    if (lw_lane_minor_behind(w, i)) {
        lw_widen_private_gep(w, i);
        return;
    }
    if (!lw_is_varying(w, i)) {
        V made = lw_clone_scalar(w, i);
        /* The base of a strided address may lie outside the object: its lane may be inactive. */
        if (LLVMIsAGetElementPtrInst(made))
            LLVMGEPSetNoWrapFlags(made, 0);
        lw_define_scalar(w, i, made);
        return;
    }
    V indices[32];
    unsigned n = (unsigned)LLVMGetNumOperands(i) - 1;
    if (n > 32) {
        lw_widen_fail(w, i, "an address with more than 32 indices");
        return;
    }
    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef index = LLVMGetOperand(i, k + 1);
        bool uniform = lw_info(w, index).form == LW_UNIFORM;
        indices[k] = uniform ? lw_use_scalar(w, index) : lw_use_vector(w, index, 0);
    }
    LLVMValueRef pointer = LLVMGetOperand(i, 0);
    bool uniform = lw_info(w, pointer).form == LW_UNIFORM;
    V base = uniform ? lw_use_scalar(w, pointer) : lw_use_vector(w, pointer, 0);
    if (uniform && is_narrow_index(w, i))
        indices[n - 1] = narrow_index(w, indices[n - 1]);
    V made = LLVMBuildGEP2(w->l.builder, LLVMGetGEPSourceElementType(i), base, indices, n, "");
    lw_define_leaf(w, i, 0, made);
}

V
lw_addresses_of(lw_widener *w, LLVMValueRef pointer)
{
    return lw_info(w, pointer).form == LW_UNIFORM ? lw_use_scalar(w, pointer) : lw_use_vector(w, pointer, 0);
}

/* ---- atomics ---- */

void
lw_widen_atomic_rmw(lw_widener *w, LLVMValueRef i)
{
    LLVMValueRef pointer = LLVMGetOperand(i, 0);
    bool used = LLVMGetFirstUse(i) || LLVMGetVolatile(i); /* the latter: each in memory (flow/exchanges.c) */
    if (w->u->batched && w->u->batched[lw_value_id(w->m, i)]) {
        V old = lw_workgroup_atomic(&w->l, LLVMGetAtomicRMWBinOp(i), lw_use_scalar(w, pointer),
                                    lw_use_vector(w, LLVMGetOperand(i, 1), 0), w->mask, LLVMGetOrdering(i),
                                    used, w->scratch++);
        if (used)
            lw_define_leaf(w, i, 0, old);
        lw_report_note(w->report, i, "memory", "atomic of the work-group: one for all sub-groups");
        return;
    }
    V made = lane_atomic_rmw(&w->l, LLVMGetAtomicRMWBinOp(i), lw_addresses_of(w, pointer),
                             lw_use_vector(w, LLVMGetOperand(i, 1), 0), w->mask, LLVMGetOrdering(i), used);
    if (used)
        lw_define_leaf(w, i, 0, made);
    lw_report_note(w->report, i, "memory", "atomic on a %s address",
                   lw_info(w, pointer).form == LW_UNIFORM ? "uniform" : "varying");
}

void
lw_widen_cmpxchg(lw_widener *w, LLVMValueRef i)
{
    V old, swapped;
    V at = lw_addresses_of(w, LLVMGetOperand(i, 0)), expected = lw_use_vector(w, LLVMGetOperand(i, 1), 0);
    lane_atomic_cmpxchg(&w->l, at, expected, lw_use_vector(w, LLVMGetOperand(i, 2), 0), w->mask,
                        LLVMGetCmpXchgSuccessOrdering(i), LLVMGetCmpXchgFailureOrdering(i), &old, &swapped);
    lw_define_leaf(w, i, 0, old);
    lw_define_leaf(w, i, 1, swapped);
    lw_report_note(w->report, i, "memory", "atomic compare-exchange, lane after lane");
}

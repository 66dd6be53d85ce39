/* SPDX-License-Identifier: MIT */
/* `counts[key][me]++`: a load, an operation with a constant, a store back at the same address, which varies.
 * Done in memory by each lane, rather than gathered, changed and scattered: scatters take a processor longer
 * than as many scalar stores do, and before AVX-512 there are none.
 *
 * Enters: a gathered load. Leaves: where it is one, both accesses written; the operation has no use any more.
 * Relies on: forms/extent.c for equal addresses; lanes with one address between them being a race.
 * Never: moves the store past another access or a call.
 */
#include "../lanes/internal.h"
#include "../facts/memory_effects.h"
#include "../subgroup/atomic.h"
#include "../widen/widener.h"

#define MOST_LANES 16

static bool
find_operation(LLVMValueRef i, LLVMAtomicRMWBinOp *op)
{
    static const struct {
        LLVMOpcode opcode;
        LLVMAtomicRMWBinOp op;
    } rows[] = {{LLVMAdd, LLVMAtomicRMWBinOpAdd},
                {LLVMSub, LLVMAtomicRMWBinOpSub},
                {LLVMAnd, LLVMAtomicRMWBinOpAnd},
                {LLVMOr, LLVMAtomicRMWBinOpOr},
                {LLVMXor, LLVMAtomicRMWBinOpXor}};

    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++)
        if (LLVMGetInstructionOpcode(i) == rows[k].opcode) {
            *op = rows[k].op;
            return true;
        }
    return false;
}

/* The store that comes next of all that touches memory, and brings nothing but load op constant. */
static LLVMValueRef
find_store(LLVMValueRef load, LLVMAtomicRMWBinOp *op, LLVMValueRef *changed)
{
    LLVMValueRef i = LLVMGetNextInstruction(load);

    while (i && lw_memory_effect(i) == LW_NO_MEMORY)
        i = LLVMGetNextInstruction(i);
    if (!i || !LLVMIsAStoreInst(i) || lw_is_ordered_access(i))
        return NULL;
    *changed = LLVMGetOperand(i, 0);
    LLVMUseRef use = LLVMIsAInstruction(*changed) ? LLVMGetFirstUse(*changed) : NULL;
    if (!use || LLVMGetNextUse(use) || !find_operation(*changed, op) || LLVMGetOperand(*changed, 0) != load ||
        !LLVMIsAConstantInt(LLVMGetOperand(*changed, 1)))
        return NULL;
    return i;
}

static bool
has_other_use(LLVMValueRef load, LLVMValueRef changed)
{
    for (LLVMUseRef use = LLVMGetFirstUse(load); use; use = LLVMGetNextUse(use))
        if (LLVMGetUser(use) != changed)
            return true;
    return false;
}

bool
lw_is_updated(lw_widener *w, struct lw_access *a)
{
    LLVMValueRef *store = w->forms[LW_FORM_UPDATES];

    if (!store || *store != a->access)
        return false;
    *store = NULL;
    return true;
}

bool
lw_widen_update(lw_widener *w, struct lw_access *a)
{
    LLVMTypeRef type = a->type;
    LLVMValueRef changed, load = a->access, pointer = a->pointer;
    LLVMValueRef *written = lw_form_state(w, LW_FORM_UPDATES, sizeof *written);
    LLVMAtomicRMWBinOp op;
    struct lw_place from, to;
    unsigned bits = LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;

    if ((bits != 32 && bits != 64) || w->l.n > MOST_LANES || !lane_mask_is_all(w->mask) ||
        lw_is_ordered_access(load) || LLVMGetAlignment(load) * 8 < bits)
        return false;
    LLVMValueRef store = find_store(load, &op, &changed);
    if (!store || LLVMGetAlignment(store) * 8 < bits || !lw_find_place(w, pointer, &from) ||
        !lw_find_place(w, LLVMGetOperand(store, 1), &to) || from.constant != to.constant ||
        !lw_places_match(&from, &to))
        return false;
    bool used = has_other_use(load, changed);
    if (used && w->l.isa >= LW_ISA_AVX512) /* the old values would be gathered all the same */
        return false;
    V value = lane_splat(&w->l, lw_use_scalar(w, LLVMGetOperand(changed, 1)));
    lw_define_leaf(w, load, 0, lane_update(&w->l, op, lw_use_vector(w, pointer, 0), value, used));
    *written = store;
    return true;
}

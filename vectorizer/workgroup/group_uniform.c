/* SPDX-License-Identifier: MIT */
/* What is equal over the work-group: values that every sub-group computes alike, wherever it does.
 *
 * Enters: numbered values (slots.c). Leaves: `uniform` of each, f->straight of each region: no two sub-groups
 * take different ways through it.
 * Relies on: early_loads.c for loads. Never: changes the function.
 */
#include "../subgroup/reduce.h"
#include "../facts/memory_effects.h"
#include "../facts/gep.h"
#include "../subgroup/group_collectives.h"
#include "regions.h"

#include <string.h>

/* Of calls that are no intrinsics only reductions are known here: others may ask for the sub-group. */
static bool
is_pure(LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);

    if (lw_is_reduction(call, NULL))
        return true;
    return LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee) && lw_memory_effect(call) == LW_NO_MEMORY;
}

/* Of a collective of the work-group. */
static bool
is_result(LLVMValueRef load)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(load));
    return LLVMGetMetadata(load, LLVMGetMDKindIDInContext(context, LW_SAME, sizeof LW_SAME - 1)) != NULL;
}

/* A function of its operands, wherever it is executed. */
static bool
is_function_of_operands(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMRet:
    case LLVMBr:
    case LLVMSwitch:
    case LLVMIndirectBr:
    case LLVMInvoke:
    case LLVMUnreachable:
    case LLVMCallBr:
    case LLVMAlloca:
    case LLVMStore:
    case LLVMFence:
    case LLVMAtomicCmpXchg:
    case LLVMAtomicRMW:
    case LLVMVAArg:
    case LLVMLandingPad:
    case LLVMResume:
    case LLVMPHI:
    case LLVMFreeze:
        return false;
    case LLVMLoad: /* constant memory does not change */
        if (is_result(i))
            return true;
        return lw_space_of(LLVMGetOperand(i, 0)) == LW_AS_CONSTANT && !LLVMGetVolatile(i);
    case LLVMCall:
        return is_pure(i);
    default:
        return true;
    }
}

/* Parted sub-groups come to a cut by different edges. */
static bool
has_several_values(LLVMValueRef phi)
{
    for (unsigned k = 1; k < LLVMCountIncoming(phi); k++)
        if (LLVMGetIncomingValue(phi, k) != LLVMGetIncomingValue(phi, 0))
            return true;
    return false;
}

static bool
could_be_uniform(const struct lw_former *f, const struct lw_carried *v)
{
    if (v->query != LW_Q_NONE)
        return v->query <= LW_Q_LAST_OF_GROUP;
    if (f->parted && v->cut_phi && has_several_values(v->ref))
        return false;
    return LLVMIsAPHINode(v->ref) || is_function_of_operands(v->ref);
}

/* May this phi choose differently in two sub-groups although its operands are equal? */
static bool
phi_may_split(struct lw_former *f, const struct lw_carried *v, LLVMValueRef *from_region, uint32_t *stamp,
              uint32_t mark)
{
    if (!v->cut_phi)
        return !f->straight[v->region];
    for (unsigned k = 0; k < LLVMCountIncoming(v->ref); k++) {
        uint32_t r = lw_edge_region(f, LLVMGetIncomingBlock(v->ref, k));
        LLVMValueRef x = LLVMGetIncomingValue(v->ref, k);
        if (r == LW_NONE || f->straight[r])
            continue;
        if (stamp[r] == mark && from_region[r] != x)
            return true;
        stamp[r] = mark;
        from_region[r] = x;
    }
    return false;
}

struct uniform_work {
    uint32_t *list;
    uint32_t count;
    LLVMValueRef *from_region;
    uint32_t *stamp;
    uint32_t mark;
};

static void
demote(struct uniform_work *w, struct lw_former *f, struct lw_carried *v)
{
    if (v->uniform) {
        v->uniform = false;
        w->list[w->count++] = (uint32_t)(v - f->values);
    }
}

static void
check_phis_of(struct uniform_work *w, struct lw_former *f, uint32_t piece)
{
    for (uint32_t n = f->piece_values[piece]; n < f->piece_values[piece + 1]; n++) {
        struct lw_carried *v = &f->values[n];
        if (!LLVMIsAPHINode(v->ref))
            break;
        if (v->uniform && phi_may_split(f, v, w->from_region, w->stamp, ++w->mark))
            demote(w, f, v);
    }
}

/* A branch of this region may go different ways: look again at the phis that its branches decide. */
static void
bend_region(struct uniform_work *w, struct lw_former *f, uint32_t r)
{
    const struct lw_region *region = &f->cuts->regions[r];

    if (!f->straight[r])
        return;
    f->straight[r] = false;
    for (uint32_t k = region->piece_begin; k < region->piece_end; k++)
        check_phis_of(w, f, f->cuts->region_pieces[k]);
    for (uint32_t k = region->target_begin; k < region->target_end; k++)
        if (f->cuts->targets[k] < f->cuts->region_count)
            check_phis_of(w, f, f->cuts->regions[f->cuts->targets[k]].cut);
}

static bool
chooses(LLVMValueRef terminator)
{
    return LLVMIsATerminatorInst(terminator) && LLVMGetNumSuccessors(terminator) > 1;
}

/* Optimistic: everything that could be uniform is, until an operand or a branch says otherwise. */
void
lw_find_group_uniform(struct lw_former *f)
{
    struct uniform_work w = {.list = LW_ARENA_NEW(f->arena, uint32_t, f->value_count)};
    uint32_t regions = f->cuts->region_count;

    w.from_region = LW_ARENA_NEW(f->arena, LLVMValueRef, regions);
    w.stamp = LW_ARENA_NEW(f->arena, uint32_t, regions);
    f->straight = LW_ARENA_NEW(f->arena, bool, regions);
    memset(f->straight, true, regions);
    for (uint32_t n = 0; n < f->value_count; n++)
        f->values[n].uniform = could_be_uniform(f, &f->values[n]);
    if (!f->parted) /* what others store before they come along the same way */
        lw_find_early_loads(f);
    for (uint32_t n = 0; n < f->value_count; n++)
        if (!f->values[n].uniform)
            w.list[w.count++] = n;
    while (w.count) {
        struct lw_carried *v = &f->values[w.list[--w.count]];
        for (LLVMUseRef u = LLVMGetFirstUse(v->ref); u; u = LLVMGetNextUse(u)) {
            struct lw_carried *user = lw_find_carried(f, LLVMGetUser(u));
            if (!user)
                continue;
            demote(&w, f, user);
            if (chooses(user->ref))
                bend_region(&w, f, user->region);
        }
    }
}

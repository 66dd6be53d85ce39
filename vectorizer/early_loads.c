/* SPDX-License-Identifier: MIT */
/* Loads that read the same for every sub-group where they read one address: those before which, in their
 * region, no sub-group writes or waits for anyone.
 *
 * Enters: numbered values (slots.c). Leaves: `uniform` set for such loads, as far as their addresses go.
 * Relies on: all sub-groups executing a region before any the next. What one of them writes in the region
 * itself, another can only have been told of by an atomic or a fence, and these end the marking; without one
 * it is a race. Never: looks at addresses.
 */
#include "regions.h"

#include <string.h>

/* A call that reads and no more: the masked loads. */
static bool
only_loads(LLVMValueRef call)
{
    static const char *const names[] = {"llvm.masked.load.", "llvm.masked.gather.",
                                        "llvm.masked.expandload."};
    LLVMValueRef callee = LLVMGetCalledValue(call);
    size_t length;

    if (!LLVMIsAFunction(callee) || !LLVMGetIntrinsicID(callee))
        return false;
    const char *name = LLVMGetValueName2(callee, &length);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (strncmp(name, names[k], strlen(names[k])) == 0)
            return true;
    return false;
}

static bool
may_write(const struct lw_carried *v)
{
    switch (LLVMGetInstructionOpcode(v->ref)) {
    case LLVMLoad:
        return LLVMGetVolatile(v->ref) || LLVMGetOrdering(v->ref) != LLVMAtomicOrderingNotAtomic;
    case LLVMCall:
        return v->query == LW_Q_NONE && !lw_touches_no_memory(v->ref) && !only_loads(v->ref);
    case LLVMStore:
    case LLVMFence:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return true;
    default:
        return false;
    }
}

/* Is anything written by the end of the piece? `mark`: and take note of the loads before. */
static bool
pass_piece(struct lw_former *f, uint32_t piece, bool written, bool mark)
{
    for (uint32_t n = f->piece_values[piece]; n < f->piece_values[piece + 1] && !written; n++) {
        struct lw_carried *v = &f->values[n];
        written |= may_write(v);
        if (mark && !written && LLVMIsALoadInst(v->ref))
            v->uniform = true;
    }
    return written;
}

/* Once through the pieces, in reverse post-order, and again where an edge leads back from one that writes. */
static void
find_written(struct lw_former *f, uint32_t r, bool *written)
{
    const struct lw_region *region = &f->cuts->regions[r];
    bool again = true;

    while (again) {
        again = false;
        for (uint32_t k = region->piece_begin; k < region->piece_end; k++) {
            uint32_t number = f->cuts->region_pieces[k];
            const struct lw_piece *p = &f->cuts->pieces[number];
            if (!pass_piece(f, number, written[number], false))
                continue;
            for (uint32_t e = p->succ_begin; e < p->succ_end; e++) {
                uint32_t to = f->cuts->succs[e];
                if (f->cuts->pieces[to].region != r || region->cut == to || written[to])
                    continue;
                written[to] = true;
                again |= to <= number;
            }
        }
    }
}

void
lw_find_early_loads(struct lw_former *f)
{
    bool *written = LW_ARENA_NEW(f->arena, bool, f->cuts->piece_count); /* before the piece, in its region */

    for (uint32_t r = 0; r < f->cuts->region_count; r++)
        find_written(f, r, written);
    for (uint32_t piece = 0; piece < f->cuts->piece_count; piece++)
        pass_piece(f, piece, written[piece], true);
}

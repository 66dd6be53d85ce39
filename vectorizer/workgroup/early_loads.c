/* SPDX-License-Identifier: MIT */
/* Loads that read the same for every sub-group where they read one address: those before which, in their
 * region, no sub-group writes or waits for anyone.
 *
 * Enters: numbered values (slots.c). Leaves: `uniform` set for such loads, as far as their addresses go.
 * Relies on: all sub-groups executing a region before any the next. What one of them writes in the region
 * itself, another can only have been told of by an atomic or a fence, and these end the marking; without one
 * it is a race. Local memory, in which others may count meanwhile, must not be written in the whole region.
 * Never: looks at addresses.
 */
#include "../facts/memory_effects.h"
#include "../facts/gep.h"
#include "regions.h"

#include "../../spirv/intrinsics.h"

static bool
may_write(const struct lw_carried *v)
{
    return v->query == LW_Q_NONE && lw_memory_effect(v->ref) == LW_WRITES_MEMORY;
}

static bool
is_global(LLVMValueRef pointer)
{
    return lw_space_of(pointer) == LW_AS_GLOBAL;
}

/* Anything that might be local memory. */
static bool
writes_local(const struct lw_carried *v)
{
    return may_write(v) && !(LLVMIsAStoreInst(v->ref) && is_global(LLVMGetOperand(v->ref, 1)));
}

/* Is anything written by the end of the piece? `mark`: and take note of the loads before, of global memory or
 * of all. */
enum mark { MARK_NONE, MARK_GLOBAL, MARK_ALL };

static bool
pass_piece(struct lw_former *f, uint32_t piece, bool written, enum mark mark)
{
    for (uint32_t n = f->piece_values[piece]; n < f->piece_values[piece + 1] && !written; n++) {
        struct lw_carried *v = &f->values[n];
        written |= may_write(v);
        if (mark != MARK_NONE && !written && LLVMIsALoadInst(v->ref) &&
            (mark == MARK_ALL || is_global(LLVMGetOperand(v->ref, 0))))
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
            if (!pass_piece(f, number, written[number], MARK_NONE))
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

    for (uint32_t r = 0; r < f->cuts->region_count; r++) {
        const struct lw_region *region = &f->cuts->regions[r];
        enum mark mark = lw_some_in_region(f, r, writes_local) ? MARK_GLOBAL : MARK_ALL;
        find_written(f, r, written);
        for (uint32_t k = region->piece_begin; k < region->piece_end; k++)
            pass_piece(f, f->cuts->region_pieces[k], written[f->cuts->region_pieces[k]], mark);
    }
}

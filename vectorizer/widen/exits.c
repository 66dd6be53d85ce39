/* SPDX-License-Identifier: MIT */
/* Ways out of divergent loops: which lanes are at the exits when the loop ends.
 *
 * Enters: a loop as it is entered, its edges as they are written, the places where control leaves it.
 * Leaves: in the slot of the loop's *last exit*, the lanes that entered and left by no other exit, where
 * control leaves the loop: while it runs, nobody collects them. Relies on: all lanes of a divergent loop
 * leaving before control does; an exit's edges coming from inside of the loop. Never: for loops around
 * barriers, which control leaves later.
 */
#include <stdlib.h>

#include "widener.h"

#define MOST_EXITS 8 /* each place where control leaves looks at all of them */

bool
lw_is_last_exit(lw_widener *w, uint32_t from, uint32_t to)
{
    uint32_t loop = w->m->blocks[from].loop;
    return loop != LW_NONE && w->last_exit[loop] == to;
}

/* Who came by an exit is told by its mask: where all lanes end up, behind outer loops, it has none. */
static bool
masks_tell_exits_apart(const lw_widener *w, const struct lw_loop *l)
{
    uint32_t unmasked = 0;
    for (uint32_t x = 0; x < l->exit_count; x++)
        unmasked += !w->u->masked[l->exit_edges[2 * x + 1]];
    return unmasked == 0 || l->exit_count == 1;
}

/* The exit that needs no slot while the loop runs: of those whose edges come from this loop itself, the first
 * where lanes part. */
static uint32_t
find_last_exit(lw_widener *w, uint32_t loop)
{
    const struct lw_loop *l = &w->m->loops[loop];
    if (!w->u->divergent_loop[loop] || w->plan->blocks[l->latch].group_loop || l->exit_count > MOST_EXITS ||
        !masks_tell_exits_apart(w, l))
        return LW_NONE;
    for (uint32_t x = 0; x < l->exit_count; x++) {
        uint32_t from = l->exit_edges[2 * x], to = l->exit_edges[2 * x + 1];
        const struct lw_vblock *exit = &w->m->blocks[to];
        bool direct = exit->loop == l->parent && w->u->divergent_branch[from];
        for (uint32_t k = 0; k < exit->pred_count && direct; k++)
            direct = w->m->blocks[exit->preds[k]].loop == loop;
        if (direct)
            return to;
    }
    return LW_NONE;
}

void
lw_find_last_exits(lw_widener *w)
{
    w->last_exit = LW_ARENA_NEW(w->arena, uint32_t, w->m->loop_count);
    w->entered = LW_ARENA_NEW(w->arena, V, w->m->loop_count);
    for (uint32_t l = 0; l < w->m->loop_count; l++)
        w->last_exit[l] = find_last_exit(w, l);
}

/* The lanes on `mask` enter a loop. */
void
lw_enter_loop(lw_widener *w, uint32_t from, uint32_t to, V mask)
{
    uint32_t loop = w->m->blocks[to].loop;
    if (from >= to || loop == LW_NONE || w->m->loops[loop].header != to || w->last_exit[loop] == LW_NONE ||
        !w->mask_slots[w->last_exit[loop]])
        return;
    V lanes = mask ? mask : lane_all_true(&w->l);
    if (!w->entered[loop])
        w->entered[loop] = LLVMBuildAlloca(w->alloca_builder, LLVMTypeOf(lanes), "entered");
    LLVMBuildStore(w->l.builder, lanes, w->entered[loop]);
}

/* Does control leave a loop here that has lanes to hand on? */
bool
lw_leaves_loop(lw_widener *w, uint32_t from, uint32_t to)
{
    for (uint32_t l = w->m->blocks[from].loop; l != LW_NONE && !lw_loop_contains(w->m, l, to);
         l = w->m->loops[l].parent)
        if (w->entered[l])
            return true;
    return false;
}

/* On the way out of loops: the lanes of their last exits. */
void
lw_leave_loops(lw_widener *w, uint32_t from, uint32_t to)
{
    LLVMBuilderRef b = w->l.builder;
    LLVMTypeRef type = lane_type(&w->l, LLVMInt1TypeInContext(w->l.context));
    for (uint32_t l = w->m->blocks[from].loop; l != LW_NONE && !lw_loop_contains(w->m, l, to);
         l = w->m->loops[l].parent) {
        const struct lw_loop *loop = &w->m->loops[l];
        if (!w->entered[l])
            continue;
        V lanes = LLVMBuildLoad2(b, type, w->entered[l], "");
        for (uint32_t x = 0; x < loop->exit_count; x++) {
            uint32_t exit = loop->exit_edges[2 * x + 1];
            if (exit == w->last_exit[l] || !w->mask_slots[exit])
                continue;
            V gone = LLVMBuildLoad2(b, type, w->mask_slots[exit], "");
            lanes = LLVMBuildAnd(b, lanes, LLVMBuildNot(b, gone, ""), "");
        }
        LLVMBuildStore(b, lanes, w->mask_slots[w->last_exit[l]]);
    }
}


/* SPDX-License-Identifier: MIT */
/* What work-items of a work-group may do while others of it are in a loop: all that no barrier parts from it,
 * forwards or backwards, or first back and then another way.
 *
 * Enters: canonical form and its model. Leaves: answers. Relies on: barriers being met by all work-items of
 * the work-group. Never: asks what other work-groups do.
 */
#include "meanwhile.h"

#include <string.h>

#include "../facts/calls.h"

struct lw_meanwhile {
    const struct lw_model *m;
    uint32_t loop; /* that is known; LW_NONE: none */
    bool *reached; /* the begin of each block, up to its first barrier, and its end, behind the last one */
    uint32_t *stack, depth;
};

struct lw_meanwhile *
lw_meanwhile_create(struct lw_arena *arena, const struct lw_model *m)
{
    struct lw_meanwhile *x = LW_ARENA_NEW(arena, struct lw_meanwhile, 1);

    x->m = m;
    x->loop = LW_NONE;
    x->reached = LW_ARENA_NEW(arena, bool, 2 * m->block_count + 1);
    x->stack = LW_ARENA_NEW(arena, uint32_t, 2 * m->block_count + 1);
    return x;
}

static void
reach(struct lw_meanwhile *x, uint32_t place)
{
    if (!x->reached[place])
        x->stack[x->depth++] = place;
    x->reached[place] = true;
}

static bool
has_barrier(const struct lw_meanwhile *x, uint32_t first, uint32_t end)
{
    for (uint32_t n = first; n < end; n++)
        if (lw_is_call_of(x->m->values[n], "lw.wg.barrier"))
            return true;
    return false;
}

static void
follow(struct lw_meanwhile *x, uint32_t block, bool end)
{
    const struct lw_vblock *k = &x->m->blocks[block];

    if (!has_barrier(x, k->first_value, k->value_end))
        reach(x, 2 * block + !end);
    for (uint32_t p = 0; !end && p < k->pred_count; p++)
        reach(x, 2 * k->preds[p] + 1);
    for (uint32_t s = 0; end && s < k->succ_count; s++)
        reach(x, 2 * k->succs[s]);
}

static void
find(struct lw_meanwhile *x, uint32_t loop)
{
    memset(x->reached, 0, 2 * x->m->block_count);
    for (uint32_t b = x->m->loops[loop].header; b < x->m->loops[loop].end; b++)
        for (unsigned end = 0; lw_loop_contains(x->m, loop, b) && end < 2; end++)
            reach(x, 2 * b + end);
    while (x->depth) {
        uint32_t place = x->stack[--x->depth];
        follow(x, place / 2, place & 1);
    }
    x->loop = loop;
}

bool
lw_is_meanwhile(struct lw_meanwhile *x, uint32_t loop, LLVMValueRef instruction)
{
    uint32_t b = lw_block_id_of(x->m, instruction), at;
    const struct lw_vblock *k = &x->m->blocks[b];

    if (x->loop != loop)
        find(x, loop);
    for (at = k->first_value; x->m->values[at] != instruction;)
        at++;
    return (x->reached[2 * b] && !has_barrier(x, k->first_value, at)) ||
           (x->reached[2 * b + 1] && !has_barrier(x, at, k->value_end));
}

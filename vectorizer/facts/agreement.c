/* SPDX-License-Identifier: MIT */
/* Conditions that the lanes of a sub-group answer alike, see agreement.h.
 *
 * Enters: facts of offsets.h. Leaves: everything. Relies on: a sub-group's first id being a multiple of a
 * power of two that the facts know. Never: says so where an addition could carry out of the low bits.
 */
#include "agreement.h"
#include "calls.h"

#include <stdlib.h>
#include <string.h>

static bool
compare_bits(LLVMIntPredicate p, uint64_t x, uint64_t y)
{
    switch (p) {
    case LLVMIntEQ:
        return x == y;
    case LLVMIntNE:
        return x != y;
    case LLVMIntUGT:
    case LLVMIntSGT:
        return x > y;
    case LLVMIntUGE:
    case LLVMIntSGE:
        return x >= y;
    case LLVMIntULT:
    case LLVMIntSLT:
        return x < y;
    default:
        return x <= y;
    }
}

/* `local_id(0) < 64`: the lanes differ in low bits only, the rest is uniform and decides, or else the low
 * bits do, in all lanes alike. */
bool
lw_lanes_agree(unsigned lanes, LLVMIntPredicate p, const struct lw_fact *x, const struct lw_fact *y,
               unsigned width)
{
    unsigned k = x->known < y->known ? x->known : y->known;
    if (k == 0 || k >= width || k >= 32)
        return false;
    uint64_t mask = (UINT64_C(1) << k) - 1;
    int64_t low_x = (int64_t)(x->residue & mask), low_y = (int64_t)(y->residue & mask);
    bool first = false;
    for (unsigned lane = 0; lane < lanes; lane++) {
        int64_t at_x = low_x + x->offsets[lane], at_y = low_y + y->offsets[lane];
        if (at_x < 0 || at_y < 0 || (uint64_t)at_x > mask || (uint64_t)at_y > mask)
            return false; /* a carry */
        bool answer = compare_bits(p, (uint64_t)at_x, (uint64_t)at_y);
        if (lane == 0)
            first = answer;
        if (answer != first)
            return false;
    }
    return true;
}

uint32_t *
lw_count_meetings(struct lw_arena *arena, const struct lw_model *m, const bool *batched)
{
    uint32_t *before = LW_ARENA_NEW(arena, uint32_t, m->block_count + 1);
    for (uint32_t b = 0; b < m->block_count; b++) {
        const struct lw_vblock *k = &m->blocks[b];
        before[b + 1] = before[b];
        for (uint32_t i = k->first_value; i < k->value_end; i++)
            before[b + 1] += batched ? batched[i] : lw_call_meets(m->values[i]) == LW_MEETS_WORK_GROUP;
    }
    return before;
}

/* Is there one on the way from `b` to `join`? Other blocks stand between the two in the order, too. */
static bool
passes_barrier(const struct lw_model *m, const uint32_t *barriers, uint32_t b, uint32_t join)
{
    bool *reached = calloc(join - b, sizeof *reached), found = !reached;
    for (uint32_t x = b; x < join && !found; x++) {
        reached[x - b] = x == b;
        for (uint32_t p = 0; p < m->blocks[x].pred_count && !reached[x - b]; p++) {
            uint32_t pred = m->blocks[x].preds[p];
            reached[x - b] = pred >= b && pred < x && reached[pred - b];
        }
        found = x > b && reached[x - b] && barriers[x + 1] != barriers[x];
    }
    free(reached);
    return found;
}

bool
lw_leads_to_barriers(const struct lw_model *m, const uint32_t *barriers, uint32_t b)
{
    const struct lw_vblock *k = &m->blocks[b];
    uint32_t join = k->ipdom == LW_NONE ? m->block_count : k->ipdom;
    if (k->succ_count < 2)
        return false;
    if (join > b && barriers[join] != barriers[b + 1] && passes_barrier(m, barriers, b, join))
        return true;
    for (uint32_t l = k->loop; l != LW_NONE; l = m->loops[l].parent) {
        const struct lw_loop *loop = &m->loops[l];
        bool leaves = !lw_loop_contains(m, l, k->succs[0]) || !lw_loop_contains(m, l, k->succs[1]);
        if (leaves && barriers[loop->end] != barriers[loop->header])
            return true;
    }
    return false;
}

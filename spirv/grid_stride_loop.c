/* SPDX-License-Identifier: MIT */
/* Which blocks are the loop of a kernel that may be one grid-stride loop.
 *
 * Enters: a function.  Leaves: header, latch and the blocks between; or that the function is not one loop
 * that is entered by its header and left by its latch, with no loop beside it.
 */
#include "grid_stride.h"

#include "operands.h"

/* The block that has the instruction, by index; block_count: none. */
static uint32_t
block_at(const struct lw_stride_search *s, uint32_t index)
{
    const struct lw_block *blocks = &s->m->blocks[s->function->first_block];
    uint32_t low = 0, high = s->function->block_count;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (blocks[mid].end < index)
            low = mid + 1;
        else
            high = mid;
    }
    return low < s->function->block_count && blocks[low].first <= index ? low : s->function->block_count;
}

static uint32_t
block_of(const struct lw_stride_search *s, uint32_t label)
{
    return block_at(s, s->m->def[label] + 1);
}

bool
lw_stride_is_in_loop(const struct lw_stride_search *s, const struct lw_inst *inst)
{
    return s->in_loop[block_at(s, (uint32_t)(inst - s->m->insts))];
}

bool
lw_stride_is_phi(const struct lw_stride_search *s, uint32_t id)
{
    const struct lw_inst *inst = lw_def(s->m, id);
    const struct lw_inst *label = lw_def(s->m, s->header);
    if (!inst || inst->op != SpvOpPhi)
        return false;
    while (inst > label && inst->op != SpvOpLabel)
        inst--;
    return inst == label;
}

static const struct lw_inst *
end_of(const struct lw_stride_search *s, uint32_t block)
{
    return &s->m->insts[s->m->blocks[s->function->first_block + block].end];
}

static uint32_t
label_of(const struct lw_stride_search *s, uint32_t block)
{
    return s->m->blocks[s->function->first_block + block].label;
}

/* The first block that something goes back to, and the last that does. */
static bool
find_header(struct lw_stride_search *s)
{
    uint32_t header = s->function->block_count;
    for (uint32_t b = 0; b < s->function->block_count; b++)
        for (uint32_t k = 0, label; (label = lw_successor(s->m, end_of(s, b), k)); k++) {
            uint32_t to = block_of(s, label);
            if (to > b || to > header)
                continue;
            header = to;
            s->header = label;
            s->latch = label_of(s, b);
        }
    return header < s->function->block_count && header > 0;
}

/* Whatever comes to the latch by blocks other than the header. */
static void
mark_loop(struct lw_stride_search *s)
{
    uint32_t header = block_of(s, s->header);
    s->in_loop[block_of(s, s->latch)] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = s->function->block_count; b-- > 0;)
            for (uint32_t k = 0, label; !s->in_loop[b] && (label = lw_successor(s->m, end_of(s, b), k));
                 k++) {
                uint32_t to = block_of(s, label);
                s->in_loop[b] = to != header && s->in_loop[to];
                changed |= s->in_loop[b];
            }
    }
}

/* Entered by its header, left by the latch, which alone goes back; and all that goes back is in it. */
static bool
is_one_loop(const struct lw_stride_search *s)
{
    uint32_t header = block_of(s, s->header), latch = block_of(s, s->latch);
    if (s->in_loop[0] || !s->in_loop[header] || end_of(s, latch)->op != SpvOpBranchConditional)
        return false;
    for (uint32_t b = 0; b < s->function->block_count; b++)
        for (uint32_t k = 0, label; (label = lw_successor(s->m, end_of(s, b), k)); k++) {
            uint32_t to = block_of(s, label);
            bool back = to == header && s->in_loop[b], leaves = s->in_loop[b] && !s->in_loop[to];
            if ((back || leaves) && b != latch)
                return false;
            if (to <= b && !s->in_loop[b])
                return false;
        }
    return true;
}

bool
lw_stride_find_loop(struct lw_stride_search *s)
{
    if (!find_header(s))
        return false;
    mark_loop(s);
    return is_one_loop(s);
}

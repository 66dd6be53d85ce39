/* SPDX-License-Identifier: MIT */
/* May sub-groups part at a cut where no barrier stands, and meet again at the next barrier?
 *
 * Cuts are barriers, and joins of what barriers lead to (cuts.c). At a barrier all sub-groups of a valid
 * kernel go the same way; to a join some may go and others not, `if (mine) goto join;`: then each sub-group
 * must be asked where it goes.
 *
 * Enters: numbered values, what is equal over the work-group. Leaves: the answer. Relies on: barriers meeting
 * all sub-groups. Never: changes anything.
 */
#include "../facts/calls.h"
#include "regions.h"

/* Are all sub-groups there, before one of them goes on from the piece? */
static bool
meets(const struct lw_piece *piece)
{
    if (piece->end)
        return true;
    for (LLVMValueRef i = piece->first; i; i = LLVMGetNextInstruction(i))
        if (lw_is_call_of(i, "lw.wg.barrier"))
            return true;
    return false;
}

uint32_t
lw_exit_key(const struct lw_former *f, uint32_t piece, uint32_t target)
{
    const struct lw_cuts *c = f->cuts;
    if (target == c->region_count)
        return 2 * target;
    return meets(&c->pieces[piece]) ? target + c->region_count : target;
}

static bool
may_differ(struct lw_former *f, const struct lw_piece *piece)
{
    LLVMValueRef last = piece->end ? NULL : LLVMGetBasicBlockTerminator(piece->block);
    if (!last || LLVMGetNumSuccessors(last) < 2)
        return false;
    LLVMValueRef condition = LLVMIsABranchInst(last) ? LLVMGetCondition(last) : LLVMGetOperand(last, 0);
    struct lw_carried *v = LLVMIsAInstruction(condition) ? lw_find_carried(f, condition) : NULL;
    return v ? !v->uniform : LLVMIsAInstruction(condition) != NULL;
}

static bool
leaves(const struct lw_cuts *c, uint32_t to)
{
    return c->regions[c->pieces[to].region].cut == to;
}

static bool
ends_kernel(const struct lw_piece *piece)
{
    return piece->succ_begin == piece->succ_end &&
           LLVMGetInstructionOpcode(LLVMGetBasicBlockTerminator(piece->block)) == LLVMRet;
}

/* Does an edge lead from the region to another cut, where no barrier stands? */
static bool
has_loose_exit(const struct lw_cuts *c, const struct lw_region *region)
{
    for (uint32_t k = region->piece_begin; k < region->piece_end; k++) {
        const struct lw_piece *piece = &c->pieces[c->region_pieces[k]];
        for (uint32_t e = piece->succ_begin; e < piece->succ_end; e++)
            if (leaves(c, c->succs[e]) && !meets(piece))
                return true;
    }
    return false;
}

/* The region's edges turned round, from its exits, which are one node behind its pieces. */
static struct lw_graph
turn_round(struct lw_former *f, const struct lw_region *region)
{
    const struct lw_cuts *c = f->cuts;
    uint32_t n = region->piece_end - region->piece_begin, edges = 0;
    struct lw_graph g = {.count = n + 1, .succ_begin = LW_ARENA_NEW(f->arena, uint32_t, n + 3)};
    uint32_t *place = LW_ARENA_NEW(f->arena, uint32_t, c->piece_count);

    for (uint32_t k = 0; k < n; k++) {
        const struct lw_piece *piece = &c->pieces[c->region_pieces[region->piece_begin + k]];
        place[c->region_pieces[region->piece_begin + k]] = k;
        edges += piece->succ_end - piece->succ_begin + 1;
    }
    g.succs = LW_ARENA_NEW(f->arena, uint32_t, edges);
    for (int round = 0; round < 2; round++) {
        for (uint32_t k = 0; k < n; k++) {
            const struct lw_piece *piece = &c->pieces[c->region_pieces[region->piece_begin + k]];
            for (uint32_t e = piece->succ_begin; e < piece->succ_end + ends_kernel(piece); e++) {
                uint32_t to = e == piece->succ_end || leaves(c, c->succs[e]) ? n : place[c->succs[e]];
                if (round)
                    g.succs[g.succ_begin[to + 1]++] = k;
                else
                    g.succ_begin[to + 2]++;
            }
        }
        for (uint32_t k = 2; k < n + 3 && !round; k++)
            g.succ_begin[k] += g.succ_begin[k - 1];
    }
    lw_graph_find_preds(f->arena, &g);
    return g;
}

/* Does a branch that sub-groups take differently decide how the region is left? Not where all ways from it
 * meet again before. */
static bool
parts(struct lw_former *f, const struct lw_region *region)
{
    const struct lw_cuts *c = f->cuts;
    uint32_t n = region->piece_end - region->piece_begin;

    if (region->target_end - region->target_begin < 2 || !has_loose_exit(c, region))
        return false;
    struct lw_graph back = turn_round(f, region);
    uint32_t *meeting = LW_ARENA_NEW(f->arena, uint32_t, n + 1);
    lw_graph_dominators(f->arena, &back, n, meeting);
    for (uint32_t k = 0; k < n; k++)
        if (meeting[k] == n && may_differ(f, &c->pieces[c->region_pieces[region->piece_begin + k]]))
            return true;
    return false;
}

bool
lw_sub_groups_part(struct lw_former *f)
{
    for (uint32_t r = 0; r < f->cuts->region_count; r++)
        if (!f->straight[r] && parts(f, &f->cuts->regions[r]))
            return true;
    return false;
}

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

/* Behind the region's pieces come its exits, two for each target: past a barrier, and not; then one node that
 * they all lead to. */
static uint32_t
exit_node(const struct lw_cuts *c, const struct lw_region *region, const struct lw_piece *piece,
          uint32_t target)
{
    uint32_t k = region->target_begin;
    while (k < region->target_end && c->targets[k] != target)
        k++;
    return region->piece_end - region->piece_begin + 2 * (k - region->target_begin) + meets(piece);
}

static uint32_t
edge_node(const struct lw_cuts *c, const struct lw_region *region, const struct lw_piece *piece, uint32_t e,
          const uint32_t *place)
{
    if (e == piece->succ_end)
        return exit_node(c, region, piece, c->region_count);
    uint32_t to = c->succs[e];
    return leaves(c, to) ? exit_node(c, region, piece, c->pieces[to].region) : place[to];
}

/* The region's edges turned round. place: by piece, room for where it stands in the region. */
static struct lw_graph
turn_round(struct lw_former *f, const struct lw_region *region, uint32_t *place)
{
    const struct lw_cuts *c = f->cuts;
    uint32_t n = region->piece_end - region->piece_begin, edges = 0;
    uint32_t last = n + 2 * (region->target_end - region->target_begin);
    struct lw_graph g = {.count = last + 1, .succ_begin = LW_ARENA_NEW(f->arena, uint32_t, last + 3)};

    for (uint32_t k = 0; k < n; k++) {
        const struct lw_piece *piece = &c->pieces[c->region_pieces[region->piece_begin + k]];
        place[c->region_pieces[region->piece_begin + k]] = k;
        edges += piece->succ_end - piece->succ_begin + 1;
    }
    g.succs = LW_ARENA_NEW(f->arena, uint32_t, edges + last - n);
    for (int round = 0; round < 2; round++) {
        for (uint32_t k = 0; k < n; k++) {
            const struct lw_piece *piece = &c->pieces[c->region_pieces[region->piece_begin + k]];
            for (uint32_t e = piece->succ_begin; e < piece->succ_end + ends_kernel(piece); e++) {
                uint32_t to = edge_node(c, region, piece, e, place);
                if (round)
                    g.succs[g.succ_begin[to + 1]++] = k;
                else
                    g.succ_begin[to + 2]++;
            }
        }
        for (uint32_t k = n; k < last && round; k++)
            g.succs[g.succ_begin[last + 1]++] = k;
        for (uint32_t k = 2; k < last + 3 && !round; k++)
            g.succ_begin[k] += g.succ_begin[k - 1];
    }
    lw_graph_find_preds(f->arena, &g);
    return g;
}

/* Does a branch that sub-groups take differently decide how the region is left? Not where all ways from it
 * meet again before, or lead to the same. */
static bool
parts(struct lw_former *f, const struct lw_region *region, uint32_t *place)
{
    const struct lw_cuts *c = f->cuts;
    uint32_t n = region->piece_end - region->piece_begin;

    if (region->target_end - region->target_begin < 2 || !has_loose_exit(c, region))
        return false;
    struct lw_graph back = turn_round(f, region, place);
    uint32_t *meeting = LW_ARENA_NEW(f->arena, uint32_t, back.count), root = back.count - 1;
    lw_graph_dominators(f->arena, &back, root, meeting);
    for (uint32_t k = 0; k < n; k++)
        if (meeting[k] == root && may_differ(f, &c->pieces[c->region_pieces[region->piece_begin + k]]))
            return true;
    return false;
}

bool
lw_sub_groups_part(struct lw_former *f)
{
    uint32_t *place = LW_ARENA_NEW(f->arena, uint32_t, f->cuts->piece_count);

    for (uint32_t r = 0; r < f->cuts->region_count; r++)
        if (!f->straight[r] && parts(f, &f->cuts->regions[r], place))
            return true;
    return false;
}

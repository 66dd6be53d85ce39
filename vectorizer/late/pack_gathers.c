/* SPDX-License-Identifier: MIT */
/* Four gathers side by side, as of neighbouring sub-groups that read the columns of a tile, become loads of
 * rows, turned in registers.
 *
 * Enters: a block that pack.c has read. Leaves: loads, inserts and shuffles where the first of the gathers
 * stood; the gathers without uses. Relies on: their lanes lying at constant distances, the same in all four,
 * and all being active, so that what the rows load is what the gathers load. Never: moves a load over a store
 * to memory that it could read.
 */
#include <string.h>

#include "../facts/calls.h"
#include "../facts/gep.h"
#include "pack_internal.h"

#define QUAD 4
#define NEAR 32 /* gathers from the first of four to the last */

struct gather {
    V call, offsets;  /* the offsets of the lanes from the base: constant */
    LLVMTypeRef unit; /* that they count */
    struct address base;
    uint32_t at;
};

static bool
is_gather(V i)
{
    return lw_is_call_like(i, "llvm.masked.gather.") && lw_lane_bits(lw_lane_element(i)) == 32 &&
           lane_mask_is_all(LLVMGetOperand(i, 1));
}

static bool
read_gather(struct packer *p, uint32_t at, struct gather *g)
{
    V call = p->instructions[at];

    if (!is_gather(call))
        return false;
    V pointers = LLVMGetOperand(call, 0);
    if (!LLVMIsAGetElementPtrInst(pointers) || LLVMGetNumOperands(pointers) != 2)
        return false;
    V base = LLVMGetOperand(pointers, 0), offsets = LLVMGetOperand(pointers, 1);
    unsigned n = lw_lane_count(call);
    if (lw_lane_is_vector(base) || !lw_lane_is_vector(offsets) || !LLVMIsConstant(offsets) || n < QUAD ||
        n > 64 || LLVMGetIntTypeWidth(lw_lane_element(offsets)) != 64)
        return false;
    for (unsigned lane = 0; lane < n; lane++)
        if (!LLVMIsAConstantInt(LLVMGetAggregateElement(offsets, lane)))
            return false;
    *g = (struct gather){call, offsets, LLVMGetGEPSourceElementType(pointers), {0}, at};
    return lw_pack_address(p->layout, base, &g->base);
}

/* May the loads of all four be where the first is? What stores to global memory leaves local memory alone. */
static bool
may_go_up(struct packer *p, V gather, uint32_t first, uint32_t last)
{
    unsigned space = LLVMGetPointerAddressSpace(lw_lane_element(LLVMGetOperand(gather, 0)));

    if (p->writes[first] == p->writes[last])
        return true;
    for (uint32_t at = first; at < last; at++) {
        V i = p->instructions[at];
        if (p->writes[at] == p->writes[at + 1])
            continue;
        bool plain = LLVMIsAStoreInst(i) && !lw_is_ordered_access(i);
        if (!plain || space != LW_AS_LOCAL || lw_space_of(LLVMGetOperand(i, 1)) != LW_AS_GLOBAL)
            return false;
    }
    return true;
}

/* Rows `lane` and those behind it at every fourth place, four elements each, one after the other in a vector.
 */
static V
load_rows(struct packer *p, const struct gather *g, V start, unsigned lane)
{
    LLVMBuilderRef b = p->l.builder;
    LLVMTypeRef row = LLVMVectorType(lw_lane_element(g->call), QUAD);
    V parts[64 / QUAD];
    unsigned n = lw_lane_count(g->call);

    for (unsigned k = 0; k < n / QUAD; k++) {
        V offset = LLVMGetAggregateElement(g->offsets, QUAD * k + lane);
        parts[k] = LLVMBuildLoad2(b, row, LLVMBuildGEP2(b, g->unit, start, &offset, 1, ""), "");
        LLVMSetAlignment(parts[k], 1);
    }
    return lw_lane_concat(&p->l, parts, n / QUAD);
}

/* `quad` in the order of their addresses. */
static bool
turn(struct packer *p, struct gather *quad[QUAD])
{
    struct gather *first = quad[0];
    unsigned number = 0;
    uint32_t last = 0;
    V rows[QUAD];

    for (unsigned k = 0; k < QUAD; k++) {
        number = quad[k]->at < first->at ? k : number;
        first = quad[number];
        last = quad[k]->at > last ? quad[k]->at : last;
    }
    if (!may_go_up(p, first->call, first->at, last))
        return false;
    LLVMPositionBuilderBefore(p->l.builder, first->call);
    V back = lane_int(&p->l, 64, -4 * (int64_t)number),
      start = LLVMGetOperand(LLVMGetOperand(first->call, 0), 0);
    if (number)
        start = LLVMBuildGEP2(p->l.builder, lw_lane_int_type(&p->l, 8), start, &back, 1, "");
    p->l.n = lw_lane_count(first->call);
    for (unsigned k = 0; k < QUAD; k++)
        rows[k] = load_rows(p, first, start, k);
    lw_lane_turn_quads(&p->l, rows);
    for (unsigned k = 0; k < QUAD; k++) {
        LLVMReplaceAllUsesWith(quad[k]->call, rows[k]);
        quad[k]->call = NULL;
    }
    return true;
}

/* The three behind the lowest of four. */
static bool
find_quad(struct gather *gathers, unsigned count, unsigned at, struct gather *quad[QUAD])
{
    unsigned low = at > NEAR ? at - NEAR : 0, high = at + NEAR < count ? at + NEAR : count, found = 1;

    quad[0] = &gathers[at];
    memset(quad + 1, 0, (QUAD - 1) * sizeof *quad);
    for (unsigned k = low; k < high && found < QUAD; k++) {
        struct gather *g = &gathers[k];
        if (k == at || !g->call || g->offsets != quad[0]->offsets || g->unit != quad[0]->unit ||
            LLVMTypeOf(g->call) != LLVMTypeOf(quad[0]->call))
            continue;
        for (unsigned i = 1; i < QUAD; i++)
            if (!quad[i] && lw_pack_follows(&quad[0]->base, &g->base, 4 * (int64_t)i)) {
                quad[i] = g;
                found++;
                break;
            }
    }
    return found == QUAD;
}

bool
lw_pack_gathers(struct packer *p, LLVMBasicBlockRef block)
{
    struct gather *gathers, *quad[QUAD];
    uint32_t instructions = 0, found = 0;
    unsigned count = 0;
    bool changed = false;

    for (V i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i), instructions++)
        found += is_gather(i);
    if (found < QUAD)
        return false;
    lw_pack_read_block(p, block, instructions);
    gathers = LW_ARENA_NEW(p->arena, struct gather, found);
    for (uint32_t at = 0; at < p->count; at++)
        count += read_gather(p, at, &gathers[count]);
    for (unsigned k = 0; k < count; k++)
        if (gathers[k].call && find_quad(gathers, count, k, quad))
            changed |= turn(p, quad);
    return changed;
}

/* SPDX-License-Identifier: MIT */
/* Splits critical edges, all those to one block at once; many ways out of a loop to one place keep no block
 * each.
 *
 * Enters: branches and one return. Leaves: a block on each critical edge, but where very many breaks of a
 * loop lead to one place they lead to one block, J:
 *
 *     u1: if (..) goto t           u1: if (..) goto J      J: goto t
 *     u2: if (..) goto t     ->    u2: if (..) goto J
 *
 * Why: LLVM's pass looks, for each edge that it splits, at all edges to the same block. And lanes wait behind
 * a loop until all have left it: waiting in a block each, with values of their own, n breaks would keep n
 * masks and n values in each of the loop's n blocks. Relies on: what is written at edges (widen/edges.c)
 * being so for each edge of a branch. Never: changes what is not on such an edge.
 */
#include "critical_edges.h"
#include "../facts/instructions.h"

#include <llvm-c/DebugInfo.h>
#include <stdlib.h>

#define MANY 32

struct edges {
    const struct lw_model *m;
    LLVMBuilderRef builder;
    LLVMBasicBlockRef *on_edge; /* by branch and way: the block on a critical edge */
    LLVMBasicBlockRef join;     /* the J of the block at hand, or NULL */
    bool *met;                  /* by block: one of its two edges to the same block */
};

static bool
leaves_loop(const struct lw_model *m, uint32_t from, uint32_t to)
{
    return m->blocks[from].loop != LW_NONE && !lw_loop_contains(m, m->blocks[from].loop, to);
}

static bool
has_two_ways(const struct lw_vblock *k)
{
    return k->succ_count == 2;
}

/* The loop that very many branches lead out of to `t`; LW_NONE: there is none. */
static uint32_t
loop_of_breaks(const struct lw_model *m, uint32_t t)
{
    const struct lw_vblock *k = &m->blocks[t];
    uint32_t loop = LW_NONE, count = 0;
    for (uint32_t i = 0; i < k->pred_count; i++) {
        uint32_t u = k->preds[i];
        if (!has_two_ways(&m->blocks[u]) || !leaves_loop(m, u, t))
            continue;
        loop = loop == LW_NONE ? m->blocks[u].loop : loop;
        count += m->blocks[u].loop == loop;
    }
    return count > MANY ? loop : LW_NONE;
}

static LLVMBasicBlockRef
put_before(struct edges *s, uint32_t t, LLVMValueRef branch, const char *name)
{
    LLVMBasicBlockRef place = s->m->blocks[t].ref;
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(place)));
    LLVMBasicBlockRef made = LLVMInsertBasicBlockInContext(context, place, name);
    LLVMPositionBuilderAtEnd(s->builder, made);
    LLVMSetCurrentDebugLocation2(s->builder, LLVMInstructionGetDebugLoc(branch));
    LLVMBuildBr(s->builder, place);
    return made;
}

/* The critical edges from `u` to `t`. */
static void
split(struct edges *s, uint32_t u, uint32_t t, uint32_t loop)
{
    const struct lw_vblock *k = &s->m->blocks[u];
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(k->ref);
    bool breaks = loop != LW_NONE && k->loop == loop && k->succs[0] != k->succs[1];
    for (uint32_t way = 0; way < 2; way++) {
        if (k->succs[way] != t)
            continue;
        if (breaks && !s->join)
            s->join = put_before(s, t, branch, "breaks");
        LLVMBasicBlockRef to = breaks ? s->join : put_before(s, t, branch, "crit_edge");
        s->on_edge[2 * (size_t)u + way] = to;
        LLVMSetSuccessor(branch, way, to);
    }
}

/* The block on the edge that brings the next value from `u`; NULL: it is not critical. */
static LLVMBasicBlockRef
next_on_edge(struct edges *s, uint32_t u, uint32_t t)
{
    const struct lw_vblock *k = &s->m->blocks[u];
    if (!has_two_ways(k))
        return NULL;
    if (k->succs[0] == k->succs[1])
        return s->on_edge[2 * (size_t)u + ((s->met[u] = !s->met[u]) ? 0 : 1)];
    return s->on_edge[2 * (size_t)u + (k->succs[1] == t)];
}

/* In place of the phi, one in the J of what comes by it, and one of the rest with it. */
static void
write_phi(struct edges *s, LLVMValueRef phi, uint32_t t)
{
    LLVMValueRef joined = NULL;
    LLVMSetCurrentDebugLocation2(s->builder, LLVMInstructionGetDebugLoc(phi));
    if (s->join) {
        LLVMPositionBuilderBefore(s->builder, LLVMGetFirstInstruction(s->join));
        joined = LLVMBuildPhi(s->builder, LLVMTypeOf(phi), "");
    }
    LLVMPositionBuilderBefore(s->builder, phi);
    LLVMValueRef rest = LLVMBuildPhi(s->builder, LLVMTypeOf(phi), "");
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);
        LLVMValueRef value = LLVMGetIncomingValue(phi, k);
        uint32_t u = lw_block_id(s->m, from);
        LLVMBasicBlockRef on_edge = u == LW_NONE ? NULL : next_on_edge(s, u, t);
        bool by_join = on_edge && on_edge == s->join;
        LLVMBasicBlockRef comes = by_join || !on_edge ? from : on_edge;
        LLVMAddIncoming(by_join ? joined : rest, &value, &comes, 1);
    }
    if (joined)
        LLVMAddIncoming(rest, &joined, &s->join, 1);
    lw_replace(phi, rest);
}

static bool
split_all(struct edges *s, uint32_t t)
{
    const struct lw_vblock *k = &s->m->blocks[t];
    uint32_t loop = loop_of_breaks(s->m, t);
    bool any = false;

    s->join = NULL;
    for (uint32_t i = 0; i < k->pred_count; i++) {
        const struct lw_vblock *u = &s->m->blocks[k->preds[i]];
        bool critical = has_two_ways(u) && (k->pred_count > 1 || u->succs[0] == u->succs[1]);
        if (critical)
            split(s, k->preds[i], t, loop);
        any |= critical;
    }
    for (uint32_t n = k->first_value; any && n < k->value_end; n++) {
        LLVMValueRef phi = s->m->values[n];
        if (!LLVMIsAPHINode(phi))
            break;
        write_phi(s, phi, t);
    }
    return any;
}

bool
lw_split_critical_edges(const struct lw_model *model, bool *changed)
{
    struct edges s = {.m = model,
                      .on_edge = calloc(2 * (size_t)model->block_count, sizeof *s.on_edge),
                      .met = calloc(model->block_count, sizeof *s.met)};
    bool done = s.on_edge && s.met;

    *changed = false;
    s.builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(model->function)));
    for (uint32_t t = 0; t < model->block_count && done; t++)
        *changed |= split_all(&s, t);
    LLVMDisposeBuilder(s.builder);
    free(s.on_edge);
    free(s.met);
    return done;
}

/* SPDX-License-Identifier: MIT */
/* Small arms of branches that lanes go differently, and that only compute, become choices between values.
 *
 *     B: if (x < 0) { X: y = -x; v = -u; }              B: inner = x > box;
 *        else if (x > box) { Y: y = box - x; v = -u; }     y = x < 0 ? -x : inner ? box - x : x;
 *     J: store y, v                              ->        v = x < 0 || inner ? -u : u;
 *                                                          store y, v
 *
 * Enters: canonical form. Leaves: canonical form; blocks between such a branch and where its ways meet are
 * gone, and the two are one. Legal: what is between has no effect and no failure, only values: what a way not
 * gone would compute may be poison, and is not chosen; conditions are combined by choices too. Why: lanes go
 * through small arms anyway (linearize.c), but accesses before and behind were in different blocks, and are
 * looked at together only in one. LLVM's simplifycfg makes choices of arms that meet two by two. Never:
 * touches branches that all lanes go the same way, or arms dear enough to be skipped.
 */
#include "choices.h"

#include "../facts/calls.h"
#include "../facts/instructions.h"
#include "../facts/integers.h"
#include "../facts/memory_effects.h"
#include "../facts/uniformity.h"
#include "module_pass.h"

#include <llvm-c/DebugInfo.h>

enum {
    MOST_BLOCKS = 12, /* between */
    MOST_WORK = 12    /* instructions in them: below linearize.c's GUARD_COST */
};

struct choices {
    LLVMBuilderRef builder;
    const struct lw_model *m;
    uint32_t block, meeting;
    uint32_t between[MOST_BLOCKS]; /* ascending, which is an order that all ways keep */
    uint32_t count;
    V reached[MOST_BLOCKS]; /* who comes there; NULL: all */
};

/* May it be computed where its value is not asked for? */
static bool
is_harmless(V i)
{
    if (!lw_only_computes(i) || LLVMIsAAllocaInst(i))
        return false;
    if (LLVMIsACallInst(i))
        return lw_is_call_like(i, "llvm.") && lw_call_computes(i);
    return !lw_is_int_division(LLVMGetInstructionOpcode(i));
}

static uint32_t
number_between(const struct choices *c, uint32_t block)
{
    for (uint32_t k = 0; k < c->count; k++)
        if (c->between[k] == block)
            return k;
    return LW_NONE;
}

static bool
is_small(const struct choices *c)
{
    uint32_t work = 0;

    for (uint32_t k = 0; k < c->count; k++) {
        LLVMBasicBlockRef block = c->m->blocks[c->between[k]].ref;
        for (V i = LLVMGetFirstInstruction(block); !LLVMIsATerminatorInst(i); i = LLVMGetNextInstruction(i)) {
            work += !LLVMIsAPHINode(i);
            if (work > MOST_WORK || !is_harmless(i))
                return false;
        }
    }
    return true;
}

/* Inserts what comes behind the blocks that are there; false: too many, or they go elsewhere. */
static bool
add_successors(struct choices *c, uint32_t block)
{
    const struct lw_vblock *b = &c->m->blocks[block];

    for (uint32_t e = 0; e < b->succ_count; e++) {
        uint32_t to = b->succs[e], at = c->count;
        if (to <= block || (e && to == b->succs[0])) /* a loop; nothing to choose by */
            return false;
        if (to == c->meeting || number_between(c, to) != LW_NONE)
            continue;
        if (c->count == MOST_BLOCKS || !lw_dominates(c->m, c->block, to))
            return false;
        for (; at > 0 && c->between[at - 1] > to; at--)
            c->between[at] = c->between[at - 1];
        c->between[at] = to;
        c->count++;
    }
    return true;
}

static bool
find_between(struct choices *c)
{
    const struct lw_vblock *blocks = c->m->blocks, *j = &blocks[c->meeting];

    c->count = 0;
    if (!add_successors(c, c->block))
        return false;
    for (uint32_t k = 0; k < c->count; k++)
        if (!add_successors(c, c->between[k]))
            return false;
    for (uint32_t e = 0; e < j->pred_count; e++)
        if (j->preds[e] != c->block && number_between(c, j->preds[e]) == LW_NONE)
            return false;
    return c->count && c->meeting > c->between[c->count - 1] && is_small(c);
}

/* ---- values ---- */

static V
both(struct choices *c, V a, V b)
{
    return a ? LLVMBuildSelect(c->builder, a, b, LLVMConstNull(LLVMTypeOf(b)), "") : b;
}

/* Who goes from `from` to `to`; NULL: all that are there, which are all. */
static V
goes(struct choices *c, uint32_t from, uint32_t to)
{
    uint32_t k = number_between(c, from);
    V there = k == LW_NONE ? NULL : c->reached[k], end = LLVMGetBasicBlockTerminator(c->m->blocks[from].ref);
    const struct lw_vblock *b = &c->m->blocks[from];

    if (b->succ_count < 2 || b->succs[0] == b->succs[1])
        return there;
    V condition = LLVMGetCondition(end);
    return both(c, there, b->succs[0] == to ? condition : LLVMBuildNot(c->builder, condition, ""));
}

static void
find_who_comes(struct choices *c, uint32_t k)
{
    const struct lw_vblock *b = &c->m->blocks[c->between[k]];
    V any = NULL;

    if (c->m->blocks[b->idom].ipdom == c->between[k]) {
        uint32_t above = number_between(c, b->idom);
        c->reached[k] = above == LW_NONE ? NULL : c->reached[above];
        return;
    }
    for (uint32_t e = 0; e < b->pred_count; e++) {
        V who = goes(c, b->preds[e], c->between[k]);
        any = !any ? who : LLVMBuildSelect(c->builder, any, LLVMConstInt(LLVMTypeOf(any), 1, false), who, "");
    }
    c->reached[k] = any;
}

/* By who comes from where; from the last one: all the others. */
static V
choose(struct choices *c, V phi, uint32_t block)
{
    unsigned count = LLVMCountIncoming(phi);
    V value = LLVMGetIncomingValue(phi, count - 1);

    for (unsigned k = count - 1; k-- > 0;) {
        V other = LLVMGetIncomingValue(phi, k);
        uint32_t from = lw_block_id(c->m, LLVMGetIncomingBlock(phi, k));
        if (other != value)
            value = LLVMBuildSelect(c->builder, goes(c, from, block), other, value, "");
    }
    return value;
}

/* Its phis; in the meeting those up to `end`, which came from the block at hand. The builder stands where all
 * that is before has been moved to. */
static void
choose_all(struct choices *c, uint32_t block, V end)
{
    V phi = LLVMGetFirstInstruction(c->m->blocks[block].ref);

    for (V next; phi != end && LLVMIsAPHINode(phi); phi = next) {
        next = LLVMGetNextInstruction(phi);
        lw_replace(phi, choose(c, phi, block));
    }
}

static void
move_all(struct choices *c, LLVMBasicBlockRef from)
{
    for (V i = LLVMGetFirstInstruction(from), next; !LLVMIsATerminatorInst(i); i = next) {
        next = LLVMGetNextInstruction(i);
        LLVMMetadataRef line = LLVMInstructionGetDebugLoc(i);
        LLVMInstructionRemoveFromParent(i);
        LLVMInsertIntoBuilder(c->builder, i);
        if (line)
            LLVMInstructionSetDebugLoc(i, line);
    }
}

static LLVMBasicBlockRef
ref(const struct choices *c, uint32_t block)
{
    return c->m->blocks[block].ref;
}

/* All of it at the head of the meeting, which takes the branch's place. */
static void
make_choices(struct choices *c)
{
    const struct lw_vblock *b = &c->m->blocks[c->block];
    LLVMBasicBlockRef meeting = ref(c, c->meeting);
    V rest = lw_behind_phis(LLVMGetFirstInstruction(meeting)), first = LLVMGetFirstInstruction(b->ref);

    LLVMPositionBuilderBefore(c->builder, rest);
    LLVMSetCurrentDebugLocation2(c->builder, LLVMInstructionGetDebugLoc(LLVMGetBasicBlockTerminator(b->ref)));
    move_all(c, b->ref);
    for (uint32_t k = 0; k < c->count; k++) {
        find_who_comes(c, k);
        choose_all(c, c->between[k], NULL);
        move_all(c, ref(c, c->between[k]));
    }
    choose_all(c, c->meeting, first);
    for (LLVMUseRef use; (use = LLVMGetFirstUse(LLVMBasicBlockAsValue(b->ref)));) {
        V end = LLVMGetUser(use); /* the blocks of the model that came there may be gone */
        for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++)
            if (LLVMGetSuccessor(end, k) == b->ref)
                LLVMSetSuccessor(end, k, meeting);
    }
    LLVMMoveBasicBlockBefore(meeting, b->ref);
    for (uint32_t k = c->count + 1; k-- > 0;)
        LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(k ? ref(c, c->between[k - 1]) : b->ref));
    for (uint32_t k = c->count + 1; k-- > 0;)
        LLVMDeleteBasicBlock(k ? ref(c, c->between[k - 1]) : b->ref);
}

static bool
has_access(LLVMBasicBlockRef block)
{
    for (V i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i))
            return true;
    return false;
}

static void
visit_blocks(struct choices *c, const struct lw_uniformity *u)
{
    uint32_t end = 0; /* of what has been between */

    for (c->block = 0; c->block < c->m->block_count; c->block++) {
        const struct lw_vblock *b = &c->m->blocks[c->block];
        c->meeting = b->ipdom;
        if (c->block >= end && b->succ_count == 2 && u->divergent_branch[c->block] && c->meeting != LW_NONE &&
            find_between(c) && has_access(b->ref) && has_access(ref(c, c->meeting))) {
            make_choices(c);
            end = c->meeting;
        }
    }
}

void
lw_make_choices(LLVMModuleRef module, const struct lw_shape *shape)
{
    V kernel = LLVMGetNamedFunction(module, "lw.kernel");
    const char *why;
    struct lw_model *m = kernel && shape->lanes > 1 ? lw_model_build(kernel, &why) : NULL;
    struct lw_uniformity *u = m ? lw_find_uniformity(m, shape) : NULL;

    if (u) {
        struct choices c = {.m = m, .builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module))};
        visit_blocks(&c, u);
        LLVMDisposeBuilder(c.builder);
    }
    lw_uniformity_free(u);
    lw_model_free(m);
}

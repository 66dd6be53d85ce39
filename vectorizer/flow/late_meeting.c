/* SPDX-License-Identifier: MIT */
/* A lane that leaves a loop in which it waited would stand behind it until the others have left, too. Where
 * those wait for what it writes only there (it gives a lock back, or says whose turn it is), nobody goes
 * on. So the way from the exit to the last such write becomes part of the loop:
 *
 *   H: take the lock; got it ? C : H          H: take the lock; got it ? C : N
 *   C: what it guards; give it back     ->    C: what it guards; give it back; to N
 *   J: the rest                               N: is it done ? J : H
 *
 * Enters: lw.kernel in canonical form. Leaves: that; loops that wait, that lanes leave in different rounds,
 * hold all blocks up to the last write behind them which others may see in order: an atomic or volatile
 * one, the commit of a reservation, and with a fence on the way any one. A call that is kept may be any of
 * these. The way ends before whatever needs all lanes (barriers, collective operations, a kept call that has
 * some), the end of the loop around. Lanes that come to the way past the loop begin with it, and go on from
 * there. Relies on: kept functions are convergent where they need all lanes. Never: moves what needs all
 * lanes into a loop that they leave one by one.
 */
#include "late_meeting.h"

#include <string.h>

#include "../../spirv/arena.h"
#include "../facts/calls.h"
#include "../facts/memory_effects.h"
#include "../facts/uniformity.h"
#include "../facts/gep.h"
#include "../facts/kept.h"
#include "canonical.h"
#include "module_pass.h"
#include "wait_sources.h"
#include "waits.h"

#include "../../spirv/intrinsics.h"

struct meeting {
    LLVMModuleRef module;
    const struct lw_shape *shape;
    const struct lw_model *m;
    struct lw_arena *arena;
    /* The way: from the loop's header on, without `end`, which is behind it. */
    uint32_t loop, end;
    bool *on_way; /* by block */
    uint32_t *stack;
    uint32_t depth;
    bool fenced, stopped;
    /* Where lanes may meet, behind the last write: in block `at`, behind `behind`; NULL: before all of it. */
    struct place {
        uint32_t at; /* LW_NONE: no write */
        LLVMValueRef behind;
    } ordered, any;
    /* What is chosen, of which the model need not be known any more. */
    bool found;
    LLVMBasicBlockRef header, latch, preheader, *way, meet;
    LLVMValueRef behind;
    uint32_t way_count;
    struct edge {
        LLVMBasicBlockRef from, to;
    } * enters; /* the way, past the loop */
    uint32_t enter_count;
};

/* ---- the way ---- */

static bool
is_kept_call(LLVMValueRef v)
{
    return LLVMIsACallInst(v) && lw_is_kept(LLVMGetCalledValue(v));
}

/* A function that is kept is convergent where it has operations of the sub-group (jit/keep_calls.c). */
static bool
needs_all_lanes(LLVMValueRef v)
{
    if (is_kept_call(v))
        return LLVMGetEnumAttributeAtIndex(LLVMGetCalledValue(v), LLVMAttributeFunctionIndex,
                                           LLVMGetEnumAttributeKindForName("convergent", 10));
    return LLVMIsACallInst(v) && lw_call_meets(v) != LW_MEETS_ALONE;
}

static bool
writes(LLVMValueRef v)
{
    LLVMValueRef to = lw_written_address(v);
    return to ? lw_space_of(to) != LW_AS_PRIVATE : lw_is_pipe_commit(v) || is_kept_call(v);
}

/* What the block adds to the way, up to what stops it. Lanes meet at `to`; NULL: right behind a write. */
static void
look_at_block(struct meeting *w, uint32_t b, const struct place *to)
{
    const struct lw_vblock *k = &w->m->blocks[b];

    for (uint32_t n = k->first_value; n < k->value_end; n++) {
        LLVMValueRef v = w->m->values[n];
        if (needs_all_lanes(v)) {
            w->stopped = true;
            return;
        }
        w->fenced |= LLVMIsAFenceInst(v) != NULL;
        if (!writes(v))
            continue;
        w->any = to ? *to : (struct place){b, v};
        if (lw_is_ordered_access(v) || LLVMIsACallInst(v))
            w->ordered = w->any;
    }
}

/* Goes on from `from`, which has been looked at but where it is the loop, as far as `end`. What the loop
 * itself writes is written while lanes wait, and no matter. false: the way cannot lead there. */
static bool
follow(struct meeting *w, uint32_t from)
{
    const struct place meet = {.at = w->end};
    uint32_t header = w->m->loops[w->loop].header, around = w->m->loops[w->loop].parent;

    w->stack[w->depth++] = from;
    while (w->depth) {
        uint32_t b = w->stack[--w->depth];
        const struct lw_vblock *k = &w->m->blocks[b];
        struct place any = w->any, ordered = w->ordered;
        if (w->on_way[b] || b == w->end)
            continue;
        if (around != LW_NONE && (!lw_loop_contains(w->m, around, b) || w->m->loops[around].header == b))
            return false;
        w->on_way[b] = true;
        if (b != from || b == header)
            look_at_block(w, b, &meet);
        if (lw_loop_contains(w->m, w->loop, b)) {
            w->any = any;
            w->ordered = ordered;
        }
        for (uint32_t s = 0; s < k->succ_count; s++)
            w->stack[w->depth++] = k->succs[s];
    }
    return !w->stopped;
}

/* The next block that all ways lead to, in the loop around. */
static uint32_t
next_end(const struct meeting *w, uint32_t b)
{
    const struct lw_model *m = w->m;
    uint32_t around = m->loops[w->loop].parent;

    do
        b = m->blocks[b].ipdom;
    while (b != LW_NONE &&
           (lw_loop_contains(m, w->loop, b) ||
            (m->blocks[b].loop != around && (around == LW_NONE || lw_loop_contains(m, around, b)))));
    return b == LW_NONE || m->blocks[b].loop != around || (around != LW_NONE && m->loops[around].header == b)
               ? LW_NONE
               : b;
}

static void
find_writes(struct meeting *w)
{
    uint32_t header = w->m->loops[w->loop].header, from = header;

    memset(w->on_way, 0, w->m->block_count);
    w->any.at = w->ordered.at = LW_NONE;
    w->fenced = w->stopped = false;
    for (w->end = next_end(w, header); w->end != LW_NONE; from = w->end, w->end = next_end(w, from)) {
        struct place any = w->any, ordered = w->ordered;
        w->depth = 0;
        if (!follow(w, from)) {
            w->any = any;
            w->ordered = ordered;
            return;
        }
        look_at_block(w, w->end, NULL);
        if (w->stopped)
            return;
    }
}

/* Where lanes come to the way that do not wait. */
static void
find_entries(struct meeting *w)
{
    const struct lw_model *m = w->m;
    uint32_t header = m->loops[w->loop].header, edges = 0;

    for (uint32_t b = 0; b < m->block_count; b++)
        edges += m->blocks[b].succ_count;
    w->enters = LW_ARENA_NEW(w->arena, struct edge, edges);
    for (uint32_t b = 0; b < m->block_count; b++) {
        const struct lw_vblock *k = &m->blocks[b];
        for (uint32_t s = 0; s < k->succ_count && !w->on_way[b]; s++)
            if (w->on_way[k->succs[s]] && k->succs[s] != header)
                w->enters[w->enter_count++] = (struct edge){k->ref, m->blocks[k->succs[s]].ref};
    }
}

/* The blocks up to `place`, for whom the model is gone by then. */
static void
choose(struct meeting *w, struct place place)
{
    const struct lw_model *m = w->m;
    const struct lw_loop *loop = &m->loops[w->loop];

    w->found = true;
    w->header = m->blocks[loop->header].ref;
    w->latch = m->blocks[loop->latch].ref;
    w->preheader = m->blocks[loop->preheader].ref;
    w->meet = m->blocks[place.at].ref;
    w->behind = place.behind;
    w->way = LW_ARENA_NEW(w->arena, LLVMBasicBlockRef, m->block_count);
    memset(w->on_way, 0, m->block_count);
    w->stack[0] = loop->header;
    for (w->depth = 1; w->depth;) {
        uint32_t b = w->stack[--w->depth];
        const struct lw_vblock *k = &m->blocks[b];
        if (w->on_way[b] || (b == place.at && !place.behind))
            continue;
        w->on_way[b] = true;
        w->way[w->way_count++] = k->ref;
        for (uint32_t s = 0; s < k->succ_count && b != place.at; s++)
            w->stack[w->depth++] = k->succs[s];
    }
    find_entries(w);
}

static bool
diverges(struct meeting *w)
{
    if (lw_has_kept(w->module))
        return true;
    struct lw_uniformity *u = lw_find_uniformity(w->m, w->shape);
    bool it_does = u && u->divergent_loop[w->loop];
    if (!u)
        lw_arena_leave(w->arena);
    lw_uniformity_free(u);
    return it_does;
}

/* The first loop, from outside in, behind which others' writes stand. */
static void
find(struct lw_arena *arena, void *data)
{
    struct meeting *w = data;
    uint32_t loops = w->m->loop_count, edges = 0;
    bool *waits = LW_ARENA_NEW(arena, bool, loops), *for_one = LW_ARENA_NEW(arena, bool, loops);

    w->arena = arena;
    lw_find_waiting(arena, w->m, w->shape, waits, for_one);
    for (uint32_t b = 0; b < w->m->block_count; b++)
        edges += w->m->blocks[b].succ_count;
    w->on_way = LW_ARENA_NEW(arena, bool, w->m->block_count);
    w->stack = LW_ARENA_NEW(arena, uint32_t, edges + 1);
    for (w->loop = 0; w->loop < loops && !w->found; w->loop++) {
        if (!waits[w->loop] || for_one[w->loop])
            continue;
        find_writes(w);
        struct place place = w->fenced ? w->any : w->ordered;
        if (place.at != LW_NONE && diverges(w))
            choose(w, place);
    }
}

/* ---- the loop's new end ---- */

static void
rename_block(LLVMBasicBlockRef *block, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    if (*block == from)
        *block = to;
}

/* What stands up to the write becomes a block of its own: lanes meet at what is left of the block. */
static void
split(struct meeting *w, LLVMBuilderRef b)
{
    LLVMBasicBlockRef meet = w->meet, before = lw_part_block(b, LLVMGetNextInstruction(w->behind));

    LLVMBuildBr(b, meet);
    rename_block(&w->header, meet, before);
    for (uint32_t k = 0; k < w->way_count; k++)
        rename_block(&w->way[k], meet, before);
    for (uint32_t k = 0; k < w->enter_count; k++)
        rename_block(&w->enters[k].to, meet, before);
}

enum where { LEAVES, WAITS, ENTERS /* and which edge, behind it */ };

/* From `from` to `to` no more, but to `by`, with a word about where to go from there. */
static void
lead(LLVMBuilderRef b, struct edge edge, LLVMBasicBlockRef by, LLVMValueRef slot, uint32_t where)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(edge.from);
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(slot));

    for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
        if (LLVMGetSuccessor(end, s) != edge.to)
            continue;
        LLVMBasicBlockRef between = LLVMInsertBasicBlockInContext(context, by, "");
        LLVMPositionBuilderAtEnd(b, between);
        LLVMBuildStore(b, LLVMConstInt(LLVMInt32TypeInContext(context), where, false), slot);
        LLVMBuildBr(b, by);
        LLVMSetSuccessor(end, s, between);
    }
}

/* The loop begins where lanes that do not wait come to the way, too: these go on from there. */
static LLVMBasicBlockRef
put_begin(const struct meeting *w, LLVMBuilderRef b, LLVMValueRef slot)
{
    LLVMContextRef context = LLVMGetModuleContext(w->module);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(context);
    LLVMBasicBlockRef begin = w->header;

    for (uint32_t k = 0; k < w->enter_count; k++) {
        LLVMBasicBlockRef test = LLVMInsertBasicBlockInContext(context, begin, "enter");
        LLVMPositionBuilderAtEnd(b, test);
        LLVMValueRef where = LLVMBuildLoad2(b, i32, slot, "");
        LLVMValueRef there = LLVMBuildICmp(b, LLVMIntEQ, where, LLVMConstInt(i32, ENTERS + k, false), "");
        LLVMBuildCondBr(b, there, w->enters[k].to, begin);
        begin = test;
    }
    for (uint32_t k = 0; k < w->enter_count; k++)
        lead(b, w->enters[k], begin, slot, ENTERS + k);
    if (w->enter_count)
        lead(b, (struct edge){w->preheader, w->header}, begin, slot, WAITS);
    return begin;
}

/* No phis here: their values are in memory. */
static void
put_end(const struct meeting *w, LLVMBuilderRef b, LLVMValueRef function)
{
    LLVMContextRef context = LLVMGetModuleContext(w->module);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(context);
    LLVMBasicBlockRef late = LLVMAppendBasicBlockInContext(context, function, "late");

    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
    LLVMValueRef slot = LLVMBuildAlloca(b, i32, "");
    LLVMMoveBasicBlockAfter(late, w->latch);
    for (uint32_t k = 0; k < w->way_count; k++)
        lead(b, (struct edge){w->way[k], w->meet}, late, slot, LEAVES);
    lead(b, (struct edge){w->latch, w->header}, late, slot, WAITS);
    LLVMBasicBlockRef begin = put_begin(w, b, slot);
    LLVMPositionBuilderAtEnd(b, late);
    LLVMValueRef where = LLVMBuildLoad2(b, i32, slot, "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, where, LLVMConstInt(i32, LEAVES, false), "again"), begin,
                    w->meet);
}

static bool
change(struct meeting *w, LLVMValueRef function, LLVMTargetMachineRef machine, lw_error *error)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(w->module));

    if (w->behind)
        split(w, b);
    bool good = lw_take_apart(function, machine, error);
    if (good)
        put_end(w, b, function);
    LLVMDisposeBuilder(b);
    return good && lw_put_together(function, machine, error);
}

struct attempt {
    struct meeting w;
    LLVMValueRef function;
    LLVMTargetMachineRef machine;
    lw_error *error;
    bool good;
};

static void
meet_once(struct lw_arena *arena, void *data)
{
    struct attempt *a = data;

    find(arena, &a->w);
    a->good = !a->w.found || change(&a->w, a->function, a->machine, a->error);
}

bool
lw_meet_late(LLVMModuleRef module, LLVMTargetMachineRef machine, const struct lw_shape *shape,
             lw_error *error)
{
    LLVMValueRef kernel = LLVMGetNamedFunction(module, "lw.kernel");
    uint32_t most = 1; /* each loop once */

    for (uint32_t n = 0; n < most; n++) {
        const char *why;
        struct lw_model *m = lw_model_build(kernel, &why);
        struct attempt a = {{.module = module, .shape = shape, .m = m}, kernel, machine, error, false};
        bool known = m && (!m->loop_count || lw_with_arena(meet_once, &a));
        if (known && !n)
            most = m->loop_count;
        bool done = !m || !m->loop_count || !a.w.found;
        lw_model_free(m);
        if (!known) {
            *error = (lw_error){.status = LW_OUT_OF_MEMORY, .text = "out of memory where lanes meet late"};
            return false;
        }
        if (done)
            return true;
        if (!a.good)
            return false;
    }
    return true;
}

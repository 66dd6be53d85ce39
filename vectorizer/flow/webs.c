/* SPDX-License-Identifier: MIT */
/* Webs of jumps become loops that look up where to go on.
 *
 * A web is a set of blocks that all reach each other and that is entered at several of them (`goto` into
 * loops, state machines): no loop to LLVM, nor to us. Enters and leaves: see webs.h.
 *
 *     A: .. goto B or C       next = A; goto D      D: switch (next) A, B
 *     B: .. goto A or C   ->  A: .. goto B or C     B: .. { next = A; goto D; } or C
 *     C: .. goto B                                  C: .. { next = B; goto D; }
 *
 * Blocks keep the order that they have. A jump forwards stays what it is, a jump backwards goes to D, as do
 * those that enter: what D leads to has no cycle any more, and D is where its only loop begins. Loops inside
 * that nobody jumps into stay loops.
 *
 * Why: LLVM's fix-irreducible takes one block of a web for a loop's header, finds a smaller web inside, and
 * so on: n labels that jump to each other are n loops in each other, n^2 masks, n^2 values that each takes
 * along; 60 labels compiled for 10 s, and the code of five was slower. Lanes that hold or wait for something
 * go on in each round.
 *
 * Legal always: each lane goes through the same blocks in the same order.
 */
#include "webs.h"

#include <stdlib.h>

#include "../facts/flow_graph.h"
#include "../facts/value_map.h"

/* An edge back to a block that does not dominate its source, and the nearest block that dominates both. */
struct jump {
    uint32_t to, above;
    uint32_t rank; /* of `above` in a walk of the dominator tree */
};

/* A variable that a target's block alone reads, and the next one. */
struct taken {
    LLVMValueRef variable;
    struct taken *next;
};

struct webs {
    struct lw_arena *arena;
    LLVMContextRef context;
    LLVMValueRef function;
    LLVMBuilderRef builder;
    struct lw_graph graph;
    LLVMBasicBlockRef *blocks;
    uint32_t *idom, *dom_in, *dom_out;
    uint32_t *web;   /* by block: the jump whose web it belongs to */
    bool *is_target; /* by block: D leads there */
    bool *is_header; /* by block: of a loop that stays */
    uint32_t *member, member_count; /* the web at hand, in order */
    uint32_t *stack;
    struct taken **taken, *carriers; /* by block; of all */
};

static bool
dominates(const struct webs *w, uint32_t a, uint32_t b)
{
    return w->dom_in[a] <= w->dom_in[b] && w->dom_in[b] < w->dom_out[a];
}

static uint32_t
nearest_dominator(const struct webs *w, uint32_t a, uint32_t b)
{
    while (a != b)
        if (a > b)
            a = w->idom[a];
        else
            b = w->idom[b];
    return a;
}

/* ---- Which ---- */

static int
outer_first(const void *a, const void *b)
{
    const struct jump *x = a, *y = b;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static struct jump *
find_jumps(struct webs *w, uint32_t *count)
{
    const struct lw_graph *g = &w->graph;
    struct jump *jumps = LW_ARENA_NEW(w->arena, struct jump, g->succ_begin[g->count]);
    *count = 0;
    for (uint32_t u = 0; u < g->count; u++)
        for (uint32_t e = g->succ_begin[u]; e < g->succ_begin[u + 1]; e++) {
            uint32_t to = g->succs[e];
            if (to > u || dominates(w, to, u))
                continue;
            uint32_t above = nearest_dominator(w, to, u);
            jumps[(*count)++] = (struct jump){.to = to, .above = above, .rank = w->dom_in[above]};
        }
    qsort(jumps, *count, sizeof *jumps, outer_first);
    return jumps;
}

/* Marks what edges lead to from `from`, below its `above` in the dominator tree, with `mark` where it has
 * `before`. */
static void
flood(struct webs *w, const uint32_t *begin, const uint32_t *edges, const struct jump *from, uint32_t *marks,
      uint32_t before, uint32_t mark)
{
    uint32_t depth = 0;
    marks[from->to] = mark;
    w->stack[depth++] = from->to;
    while (depth) {
        uint32_t u = w->stack[--depth];
        for (uint32_t e = begin[u]; e < begin[u + 1]; e++) {
            uint32_t v = edges[e];
            if (marks[v] != before || v == from->above || !dominates(w, from->above, v))
                continue;
            marks[v] = mark;
            w->stack[depth++] = v;
        }
    }
}

/* The blocks that `jump` reaches and that reach it, without leaving what its dominator rules: a single header
 * of theirs would be a nearer one. */
static void
collect_web(struct webs *w, const struct jump *jump, uint32_t id, uint32_t *marks)
{
    const struct lw_graph *g = &w->graph;
    uint32_t reached = 2 * id, both = 2 * id + 1;
    for (uint32_t b = 0; b < g->count; b++)
        marks[b] = LW_NONE;
    flood(w, g->succ_begin, g->succs, jump, marks, LW_NONE, reached);
    flood(w, g->pred_begin, g->preds, jump, marks, reached, both);
    w->member_count = 0;
    for (uint32_t b = 0; b < g->count; b++)
        if (marks[b] == both) {
            w->web[b] = id;
            w->member[w->member_count++] = b;
        }
}

/* ---- Where jumps lead ---- */

static bool
is_back_edge(const struct webs *w, uint32_t from, uint32_t to)
{
    return from >= to && w->web[from] == w->web[to];
}

/* An edge within a web that D has no part in: forwards, or back to the header of a loop that stays. */
static bool
stays(const struct webs *w, uint32_t from, uint32_t to)
{
    return w->web[from] == w->web[to] && (from < to || (w->is_header[to] && dominates(w, to, from)));
}

/* Does D lead into the midst of the loop of `header`? Every cycle of its blocks goes through it otherwise. */
static bool
is_entered(struct webs *w, uint32_t header, uint32_t *seen)
{
    const struct lw_graph *g = &w->graph;
    uint32_t depth = 0;
    bool entered = false;
    seen[header] = header;
    w->stack[depth++] = header;
    while (depth) {
        uint32_t u = w->stack[--depth];
        entered |= u != header && w->is_target[u];
        for (uint32_t e = g->pred_begin[u]; e < g->pred_begin[u + 1]; e++) {
            uint32_t p = g->preds[e];
            bool inside = u != header || is_back_edge(w, p, header);
            if (inside && seen[p] != header && dominates(w, header, p)) {
                seen[p] = header;
                w->stack[depth++] = p;
            }
        }
    }
    return entered;
}

/* Of the web at hand. */
static void
find_targets(struct webs *w, uint32_t *seen)
{
    const struct lw_graph *g = &w->graph;
    for (uint32_t i = 0; i < w->member_count; i++) {
        uint32_t b = w->member[i];
        for (uint32_t e = g->pred_begin[b]; e < g->pred_begin[b + 1]; e++) {
            uint32_t p = g->preds[e];
            w->is_header[b] |= is_back_edge(w, p, b) && dominates(w, b, p);
            w->is_target[b] |= !stays(w, p, b);
        }
    }
    for (uint32_t i = w->member_count; i-- > 0;) { /* inner loops first */
        uint32_t b = w->member[i];
        if (w->is_header[b] && is_entered(w, b, seen)) {
            w->is_header[b] = false;
            w->is_target[b] = true;
        }
    }
}

/* ---- What a jump takes along ---- */

/* The block that alone reads the variable, all of it; NULL: there are several, or none, or something else is
 * done with it. */
static LLVMBasicBlockRef
only_reader(LLVMValueRef variable)
{
    LLVMBasicBlockRef reader = NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool stored = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != variable;
        if (stored)
            continue;
        LLVMBasicBlockRef at = LLVMGetInstructionParent(user);
        if (!LLVMIsALoadInst(user) || LLVMGetVolatile(user) || (reader && reader != at) ||
            LLVMTypeOf(user) != LLVMGetAllocatedType(variable))
            return NULL;
        reader = at;
    }
    return reader;
}

/* The variables that only targets read, by target: what phis were. */
static void
find_taken(struct webs *w)
{
    struct lw_value_map *number = lw_value_map_create(w->arena, w->graph.count);
    for (uint32_t b = 0; b < w->graph.count; b++)
        lw_value_map_add(number, w->blocks[b], b);
    for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(w->function)); i;
         i = LLVMGetNextInstruction(i)) {
        LLVMBasicBlockRef reader = LLVMIsAAllocaInst(i) ? only_reader(i) : NULL;
        uint32_t b = reader ? lw_value_map_get(number, reader) : LW_NONE;
        if (b == LW_NONE)
            continue;
        struct taken *t = LW_ARENA_NEW(w->arena, struct taken, 1);
        *t = (struct taken){.variable = i, .next = w->taken[b]};
        w->taken[b] = t;
    }
}

/* A variable that takes the k-th value of its type along, to any target: a jump has one. */
static LLVMValueRef
carrier(struct webs *w, LLVMTypeRef type, uint32_t k)
{
    struct taken **end = &w->carriers;
    for (; *end; end = &(*end)->next)
        if (LLVMGetAllocatedType((*end)->variable) == type && k-- == 0)
            return (*end)->variable;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(w->builder);
    LLVMPositionBuilderBefore(w->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(w->function)));
    *end = LW_ARENA_NEW(w->arena, struct taken, 1);
    (*end)->variable = LLVMBuildAlloca(w->builder, type, "along");
    LLVMPositionBuilderAtEnd(w->builder, here);
    return (*end)->variable;
}

/* Copies what target `b` reads to what takes it along, or back. */
static void
take_along(struct webs *w, uint32_t b, bool back)
{
    for (const struct taken *t = w->taken[b]; t; t = t->next) {
        LLVMTypeRef type = LLVMGetAllocatedType(t->variable);
        uint32_t k = 0;
        for (const struct taken *before = w->taken[b]; before != t; before = before->next)
            k += LLVMGetAllocatedType(before->variable) == type;
        LLVMValueRef along = carrier(w, type, k);
        LLVMValueRef value = LLVMBuildLoad2(w->builder, type, back ? along : t->variable, "");
        LLVMBuildStore(w->builder, value, back ? t->variable : along);
    }
}

/* ---- The loop ---- */

/* A block that says `next = number` and goes to D. */
static LLVMBasicBlockRef
build_jump(struct webs *w, uint32_t to, LLVMBasicBlockRef before, LLVMValueRef next,
           LLVMValueRef number, LLVMBasicBlockRef d)
{
    LLVMBasicBlockRef jump = LLVMInsertBasicBlockInContext(w->context, before, "jump");
    LLVMPositionBuilderAtEnd(w->builder, jump);
    take_along(w, to, false);
    LLVMBuildStore(w->builder, number, next);
    LLVMBuildBr(w->builder, d);
    return jump;
}

/* The edges into target `b` that go by D, those from outside apart: no block outside is part of the loop. */
static void
redirect(struct webs *w, uint32_t b, LLVMValueRef next, LLVMValueRef number, LLVMBasicBlockRef d)
{
    const struct lw_graph *g = &w->graph;
    LLVMBasicBlockRef enter = NULL, again = NULL;
    for (uint32_t e = g->pred_begin[b]; e < g->pred_begin[b + 1]; e++) {
        uint32_t p = g->preds[e];
        bool inside = w->web[p] == w->web[b];
        LLVMBasicBlockRef *by = inside ? &again : &enter;
        if (stays(w, p, b))
            continue;
        if (!*by)
            *by = build_jump(w, b, inside ? w->blocks[b] : d, next, number, d);
        LLVMValueRef end = LLVMGetBasicBlockTerminator(w->blocks[p]);
        for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++)
            if (LLVMGetSuccessor(end, s) == w->blocks[b])
                LLVMSetSuccessor(end, s, *by);
    }
}

/* Where D goes for target `b`. */
static LLVMBasicBlockRef
build_arrival(struct webs *w, uint32_t b)
{
    LLVMBasicBlockRef arrival = LLVMInsertBasicBlockInContext(w->context, w->blocks[b], "arrival");
    LLVMPositionBuilderAtEnd(w->builder, arrival);
    take_along(w, b, true);
    LLVMBuildBr(w->builder, w->blocks[b]);
    return arrival;
}

static void
flatten(struct webs *w)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(w->context);
    LLVMPositionBuilderBefore(w->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(w->function)));
    LLVMValueRef next = LLVMBuildAlloca(w->builder, i32, "next");
    LLVMBasicBlockRef d = LLVMInsertBasicBlockInContext(w->context, w->blocks[w->member[0]], "web");
    LLVMBasicBlockRef never = LLVMAppendBasicBlockInContext(w->context, w->function, "nowhere");
    LLVMPositionBuilderAtEnd(w->builder, never);
    LLVMBuildUnreachable(w->builder);
    LLVMPositionBuilderAtEnd(w->builder, d);
    LLVMValueRef where = LLVMBuildLoad2(w->builder, i32, next, "");
    LLVMValueRef ways = LLVMBuildSwitch(w->builder, where, never, w->member_count);
    uint32_t number = 0;
    for (uint32_t i = 0; i < w->member_count; i++) {
        uint32_t b = w->member[i];
        if (!w->is_target[b])
            continue;
        LLVMValueRef constant = LLVMConstInt(i32, number++, false);
        redirect(w, b, next, constant, d);
        LLVMAddCase(ways, constant, build_arrival(w, b));
    }
}

static void
work(struct lw_arena *arena, void *data)
{
    struct webs *w = data;
    w->arena = arena;
    uint32_t count;
    w->blocks = lw_read_flow(arena, w->function, &w->graph);
    uint32_t n = w->graph.count;
    w->idom = LW_ARENA_NEW(arena, uint32_t, n);
    w->dom_in = LW_ARENA_NEW(arena, uint32_t, n);
    w->dom_out = LW_ARENA_NEW(arena, uint32_t, n);
    lw_graph_dominators(arena, &w->graph, 0, w->idom);
    lw_number_forest(arena, w->idom, n, w->dom_in, w->dom_out);
    const struct jump *jumps = find_jumps(w, &count);
    w->web = lw_arena_fill(arena, n, LW_NONE);
    w->is_target = LW_ARENA_NEW(arena, bool, n);
    w->is_header = LW_ARENA_NEW(arena, bool, n);
    w->member = LW_ARENA_NEW(arena, uint32_t, n);
    w->stack = LW_ARENA_NEW(arena, uint32_t, n);
    w->taken = LW_ARENA_NEW(arena, struct taken *, n);
    find_taken(w);
    uint32_t *marks = LW_ARENA_NEW(arena, uint32_t, n), *seen = lw_arena_fill(arena, n, LW_NONE);
    for (uint32_t k = 0; k < count; k++) {
        if (w->web[jumps[k].to] != LW_NONE)
            continue; /* part of one that is done */
        collect_web(w, &jumps[k], k, marks);
        find_targets(w, seen);
        flatten(w);
    }
}

bool
lw_flatten_webs(LLVMValueRef function)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    struct webs w = {
        .function = function, .context = context, .builder = LLVMCreateBuilderInContext(context)};
    bool good = lw_with_arena(work, &w);
    LLVMDisposeBuilder(w.builder);
    return good;
}

/* SPDX-License-Identifier: MIT */
/* Asks LLVM to unroll, wholly, the loops around barriers, collectives and accesses to private arrays, or to
 * memory of each work-item's own that they come back to (revisited.c), whose counts are constant, and that
 * fit: what they come to, counted beforehand (nest.c), in the kernel as a whole.
 *
 * Enters: the scalar kernel of a specialised shape, inlined. Leaves: the same code; collectives may be copied
 * now, and loops that hold some carry the wish. Relies on: convergent calls: no pass but a full unrolling
 * copies them, and every work-item comes to the same copy. Why: the strides of a tree reduction or of a
 * sorting network become constants, and with them addresses, masks and lane numbers.
 */
#include "jit.h"

#include "nest.h"
#include "revisited.h"
#include "trace.h"
#include "../spirv/arena.h"

#include <llvm-c/DebugInfo.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BLOCKS 1000

struct graph {
    LLVMBasicBlockRef *blocks; /* sorted by address */
    uint32_t *pred_first;      /* by block: into preds; count + 1 entries */
    uint32_t *preds;
    uint8_t *state; /* of the search: 0 not seen, 1 open, 2 done */
    uint32_t *mark; /* the last loop that the block was found in */
    uint32_t *list;
    bool *wanted; /* a collective, or an element of a private array */
    bool *convergent;
    bool *gone; /* written out */
    uint32_t count;
};

struct loop {
    uint32_t header, latch, size; /* in blocks */
    bool wanted, convergent;
};

struct loops {
    uint32_t *latches; /* pairs of latch and header */
    struct loop *loops;
    struct loop **order;       /* the largest first */
    struct lw_nest nest;       /* the same loops */
    uint32_t *innermost;       /* loop of each block */
    LLVMBasicBlockRef *blocks; /* room for those of a loop */
    bool *done;
    uint32_t mark; /* the last one given */
    uint32_t room; /* instructions that may yet be written */
};

static int
compare(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t) * (LLVMBasicBlockRef const *)a, y = (uintptr_t) * (LLVMBasicBlockRef const *)b;
    return x < y ? -1 : x > y;
}

static uint32_t
number_of(const struct graph *g, LLVMBasicBlockRef block)
{
    LLVMBasicBlockRef *at = bsearch(&block, g->blocks, g->count, sizeof *g->blocks, compare);
    return (uint32_t)(at - g->blocks);
}

/* An element of a private array, whose number is not constant. */
static bool
indexes_array(LLVMValueRef i)
{
    bool constant = true;

    if (!LLVMIsAGetElementPtrInst(i))
        return false;
    for (int k = 1; k < LLVMGetNumOperands(i); k++)
        constant &= LLVMIsAConstantInt(LLVMGetOperand(i, (unsigned)k)) != NULL;
    LLVMValueRef base = LLVMGetOperand(i, 0);
    for (int depth = 0; depth < 4 && !LLVMIsAAllocaInst(base) && LLVMIsAGetElementPtrInst(base); depth++)
        base = LLVMGetOperand(base, 0);
    return !constant && LLVMIsAAllocaInst(base);
}

static bool
is_convergent(LLVMBasicBlockRef block)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("convergent", 10);

    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
        if (callee && LLVMIsAFunction(callee) &&
            LLVMGetEnumAttributeAtIndex(callee, LLVMAttributeFunctionIndex, kind))
            return true;
    }
    return false;
}

static bool
wants_unrolling(LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (indexes_array(i))
            return true;
    return is_convergent(block);
}

static void
build_graph(struct lw_arena *arena, struct graph *g, LLVMValueRef function)
{
    uint32_t n = LLVMCountBasicBlocks(function), edges = 0;

    g->count = n;
    g->blocks = LW_ARENA_NEW(arena, LLVMBasicBlockRef, n);
    g->pred_first = LW_ARENA_NEW(arena, uint32_t, n + 1);
    g->state = LW_ARENA_NEW(arena, uint8_t, n);
    g->mark = LW_ARENA_NEW(arena, uint32_t, n);
    g->list = LW_ARENA_NEW(arena, uint32_t, n);
    g->wanted = LW_ARENA_NEW(arena, bool, n);
    g->convergent = LW_ARENA_NEW(arena, bool, n);
    g->gone = LW_ARENA_NEW(arena, bool, n);
    LLVMGetBasicBlocks(function, g->blocks);
    qsort(g->blocks, n, sizeof *g->blocks, compare);
    for (uint32_t b = 0; b < n; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(g->blocks[b]);
        g->wanted[b] = wants_unrolling(g->blocks[b]);
        g->convergent[b] = is_convergent(g->blocks[b]);
        for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++, edges++)
            g->pred_first[number_of(g, LLVMGetSuccessor(end, s)) + 1]++;
    }
    g->preds = LW_ARENA_NEW(arena, uint32_t, edges);
    for (uint32_t b = 0; b < n; b++)
        g->pred_first[b + 1] += g->pred_first[b];
    for (uint32_t b = 0; b < n; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(g->blocks[b]);
        for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
            uint32_t to = number_of(g, LLVMGetSuccessor(end, s));
            g->preds[g->pred_first[to] + g->list[to]++] = b;
        }
    }
}

/* Marks the blocks on the ways from header to latch. Does anything there want it? */
static bool
loop_wants_unrolling(struct graph *g, uint32_t header, uint32_t latch, uint32_t mark, bool *convergent)
{
    uint32_t depth = 0;

    g->mark[header] = mark;
    if (g->mark[latch] != mark) {
        g->mark[latch] = mark;
        g->list[depth++] = latch;
    }
    bool found = g->wanted[header];
    *convergent = g->convergent[header];
    while (depth) {
        uint32_t b = g->list[--depth];
        found |= g->wanted[b];
        *convergent |= g->convergent[b];
        for (uint32_t k = g->pred_first[b]; k < g->pred_first[b + 1]; k++) {
            uint32_t p = g->preds[k];
            if (g->mark[p] == mark || g->state[p] == 0)
                continue;
            g->mark[p] = mark;
            g->list[depth++] = p;
        }
    }
    return found;
}

/* !llvm.loop is a node that names itself first. */
void
lw_wish_unrolling(LLVMValueRef latch, unsigned count)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(latch));
    const char *wish = count ? "llvm.loop.unroll.count" : "llvm.loop.unroll.full";
    LLVMValueRef number = LLVMConstInt(LLVMInt32TypeInContext(context), count, false);
    LLVMMetadataRef words[] = {LLVMMDStringInContext2(context, wish, strlen(wish)),
                               LLVMValueAsMetadata(number)};
    LLVMMetadataRef parts[] = {LLVMTemporaryMDNode(context, NULL, 0),
                               LLVMMDNodeInContext2(context, words, count ? 2 : 1)};
    LLVMMetadataRef node = LLVMMDNodeInContext2(context, parts, 2);

    LLVMMetadataReplaceAllUsesWith(parts[0], node);
    LLVMSetMetadata(latch, LLVMGetMDKindIDInContext(context, "llvm.loop", 9),
                    LLVMMetadataAsValue(context, node));
}

/* Depth first, with the way from the entry on the list: an edge to a block on that way closes a loop. Its
 * latch is left in `latches`. */
static uint32_t
find_latches(struct graph *g, uint32_t entry, uint32_t *way, unsigned *next, uint32_t *latches)
{
    uint32_t depth = 0, count = 0;

    way[depth++] = entry;
    g->state[entry] = 1;
    while (depth) {
        uint32_t b = way[depth - 1];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(g->blocks[b]);
        if (next[b] == LLVMGetNumSuccessors(end)) {
            g->state[b] = 2;
            depth--;
            continue;
        }
        uint32_t to = number_of(g, LLVMGetSuccessor(end, next[b]++));
        if (g->state[to] == 0) {
            g->state[to] = 1;
            way[depth++] = to;
        } else if (g->state[to] == 1 && LLVMIsABranchInst(end)) {
            latches[2 * count] = b;
            latches[2 * count++ + 1] = to;
        }
    }
    return count;
}

struct marked {
    const struct graph *g;
    uint32_t mark;
};

static bool
is_marked(void *data, LLVMBasicBlockRef block)
{
    const struct marked *m = data;
    LLVMBasicBlockRef *at = bsearch(&block, m->g->blocks, m->g->count, sizeof *m->g->blocks, compare);
    return at && m->g->mark[at - m->g->blocks] == m->mark;
}

/* The loop whose blocks have the mark, where it is entered by one plain jump. */
static bool
write_out(struct graph *g, const struct lw_nest_loop *l, uint32_t mark, uint32_t *room)
{
    struct marked marked = {g, mark};
    struct lw_trace_loop loop = {is_marked, &marked};

    return l->preheader && LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(l->preheader)) == 1 &&
           lw_write_loop_out(l->preheader, l->header, &loop, room);
}

/* ---- what fits ---- */

static uint32_t
count_instructions(LLVMBasicBlockRef block)
{
    uint32_t count = 0;

    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        count += !LLVMIsAPHINode(i);
    return count;
}

/* Notes the branch at the end of `block` where it may leave the marked loop. Where the only way on in the
 * loop leads; LW_NEST_NONE: there is none, or more. */
static uint32_t
note_exit(const struct graph *g, uint32_t block, uint32_t mark, struct lw_nest_loop *l)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(g->blocks[block]);
    unsigned inside[2] = {0}, count = LLVMGetNumSuccessors(end), stay = 0;

    if (!LLVMIsABranchInst(end))
        return LW_NEST_NONE;
    for (unsigned k = 0; k < count; k++) {
        inside[k] = number_of(g, LLVMGetSuccessor(end, k));
        stay += g->mark[inside[k]] == mark;
    }
    unsigned way = g->mark[inside[0]] == mark ? 0 : 1;
    if (count == 2 && stay == 1 && l->exit_count < LW_NEST_EXITS) {
        l->exits[l->exit_count].branch = end;
        l->exits[l->exit_count++].leaves = 1 - way;
    }
    return stay == 1 ? inside[way] : LW_NEST_NONE;
}

/* Exits that every round comes to: from the header on, and from the latch back, as long as there is one way.
 */
static void
find_exits(const struct graph *g, uint32_t header, uint32_t latch, uint32_t mark, struct lw_nest_loop *l)
{
    uint32_t at = header;

    for (uint32_t steps = 0; steps < g->count; steps++) {
        uint32_t next = note_exit(g, at, mark, l);
        if (at == latch)
            return;
        if (next == LW_NEST_NONE || next == header)
            break;
        at = next;
    }
    uint32_t last = at; /* those from here on are not seen yet */
    for (at = latch; at != last && at != header; at = g->preds[g->pred_first[at]]) {
        note_exit(g, at, mark, l);
        if (g->pred_first[at + 1] - g->pred_first[at] != 1)
            return;
    }
}

/* The only block outside the marked loop that leads into it. */
static uint32_t
find_preheader(const struct graph *g, uint32_t header, uint32_t mark)
{
    uint32_t found = LW_NEST_NONE;

    for (uint32_t k = g->pred_first[header]; k < g->pred_first[header + 1]; k++) {
        if (g->mark[g->preds[k]] == mark)
            continue;
        if (found != LW_NEST_NONE)
            return LW_NEST_NONE;
        found = g->preds[k];
    }
    return found;
}

/* The branch on which it depends whether the loop is come to: the preheader's, or the one before it. */
static void
find_guard(const struct graph *g, uint32_t preheader, struct lw_nest_loop *l)
{
    LLVMBasicBlockRef to = l->header, at = g->blocks[preheader];

    if (LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(at)) == 1 &&
        g->pred_first[preheader + 1] - g->pred_first[preheader] == 1) {
        to = at;
        at = g->blocks[g->preds[g->pred_first[preheader]]];
    }
    LLVMValueRef end = LLVMGetBasicBlockTerminator(at);
    if (!LLVMIsABranchInst(end) || LLVMGetNumSuccessors(end) != 2 ||
        LLVMGetSuccessor(end, 0) == LLVMGetSuccessor(end, 1))
        return;
    l->guard = end;
    l->enters = LLVMGetSuccessor(end, 0) == to ? 0 : 1;
}

static int
by_size(const void *a, const void *b)
{
    const struct loop *x = *(struct loop *const *)a, *y = *(struct loop *const *)b;
    return x->size > y->size ? -1 : x->size < y->size;
}

/* Is there no way to the latch that leaves out the header? What jumps lead into is no loop: it has values
 * that pass no phi on the way out, and is not entered by the header. */
static bool
is_natural(struct graph *g, struct loops *l, uint32_t entry, uint32_t number)
{
    bool ignored;

    loop_wants_unrolling(g, l->loops[number].header, l->loops[number].latch, ++l->mark, &ignored);
    return g->mark[entry] != l->mark || l->loops[number].header == entry;
}

/* Everything about loop `number` but what it holds. */
static void
describe(struct graph *g, struct loops *l, uint32_t number)
{
    struct loop *loop = &l->loops[number];
    struct lw_nest_loop *n = &l->nest.loops[number];
    uint32_t mark = ++l->mark;

    loop->wanted = loop_wants_unrolling(g, loop->header, loop->latch, mark, &loop->convergent);
    for (uint32_t b = 0; b < g->count; b++)
        loop->size += g->mark[b] == mark;
    uint32_t preheader = find_preheader(g, loop->header, mark);
    *n = (struct lw_nest_loop){.header = g->blocks[loop->header],
                               .latch = g->blocks[loop->latch],
                               .within = LW_NEST_NONE,
                               .first = LW_NEST_NONE,
                               .next = LW_NEST_NONE,
                               .wished = loop->wanted};
    if (preheader != LW_NEST_NONE) {
        n->preheader = g->blocks[preheader];
        find_guard(g, preheader, n);
    }
    find_exits(g, loop->header, loop->latch, mark, n);
}

/* Outer loops first, so that the innermost one has its name on a block last. */
static void
build_nest(struct graph *g, struct loops *l)
{
    for (uint32_t b = 0; b < g->count; b++)
        l->innermost[b] = LW_NEST_NONE;
    for (uint32_t k = 0; k < l->nest.count; k++) {
        uint32_t number = (uint32_t)(l->order[k] - l->loops), mark = ++l->mark;
        struct loop *loop = l->order[k];
        bool ignored;

        l->nest.loops[number].within = l->innermost[loop->header];
        loop_wants_unrolling(g, loop->header, loop->latch, mark, &ignored);
        for (uint32_t b = 0; b < g->count; b++)
            if (g->mark[b] == mark)
                l->innermost[b] = number;
    }
    for (uint32_t b = 0; b < g->count; b++)
        if (l->innermost[b] != LW_NEST_NONE)
            l->nest.loops[l->innermost[b]].own += count_instructions(g->blocks[b]);
    for (uint32_t k = 0; k < l->nest.count; k++) {
        struct lw_nest_loop *n = &l->nest.loops[k];
        if (n->within != LW_NEST_NONE) {
            n->next = l->nest.loops[n->within].first;
            l->nest.loops[n->within].first = k;
        }
    }
}

/* Of all loops within `outer`, that one too. */
static uint32_t
next_within(const struct lw_nest *nest, uint32_t outer, uint32_t at)
{
    if (nest->loops[at].first != LW_NEST_NONE)
        return nest->loops[at].first;
    while (at != outer && nest->loops[at].next == LW_NEST_NONE)
        at = nest->loops[at].within;
    return at == outer ? LW_NEST_NONE : nest->loops[at].next;
}

/* The blocks of the loop, all of them inside. */
static bool
revisits_rows(struct graph *g, struct loops *l, uint32_t loop)
{
    uint32_t mark = ++l->mark, count = 0;
    bool ignored;

    loop_wants_unrolling(g, l->loops[loop].header, l->loops[loop].latch, mark, &ignored);
    for (uint32_t b = 0; b < g->count; b++)
        if (g->mark[b] == mark)
            l->blocks[count++] = g->blocks[b];
    return lw_revisits_rows(l->blocks, count);
}

/* Loops in loops that come again to what they stored, and those inside. */
static void
wish_revisiting(struct graph *g, struct loops *l)
{
    for (uint32_t k = 0; k < l->nest.count; k++) {
        uint32_t loop = (uint32_t)(l->order[k] - l->loops);
        if (l->nest.loops[loop].first == LW_NEST_NONE || l->loops[loop].convergent ||
            !revisits_rows(g, l, loop))
            continue;
        for (uint32_t n = loop; n != LW_NEST_NONE; n = next_within(&l->nest, loop, n))
            l->nest.loops[n].wished = true;
    }
}

/* What follows from constants alone is written here, as long as it fits. */
static void
write_loops_out(struct graph *g, struct loops *l)
{
    for (uint32_t k = 0; k < l->nest.count; k++) {
        struct loop *loop = l->order[k];
        struct lw_nest_loop *n = &l->nest.loops[loop - l->loops];
        bool convergent;

        if (g->gone[loop->header] || !loop->wanted || loop->convergent)
            continue;
        uint32_t mark = ++l->mark, before = l->room;
        loop_wants_unrolling(g, loop->header, loop->latch, mark, &convergent);
        if (!write_out(g, n, mark, &l->room))
            continue;
        for (uint32_t b = 0; b < g->count; b++)
            g->gone[b] |= g->mark[b] == mark;
        if (n->within != LW_NEST_NONE)
            l->nest.loops[n->within].own += before - l->room;
    }
}

/* Wishes that the loop and those within it be unrolled; false: it does not fit, or cannot be counted. */
static bool
wish_nest(struct graph *g, struct loops *l, uint32_t loop)
{
    bool known;

    for (uint32_t k = loop; k != LW_NEST_NONE; k = next_within(&l->nest, loop, k))
        l->nest.loops[k].uncounted = false;
    uint64_t written = lw_count_nest(&l->nest, loop, l->room, &known);
    if (!known || written > l->room)
        return false;
    l->room -= (uint32_t)written;
    for (uint32_t k = loop; k != LW_NEST_NONE; k = next_within(&l->nest, loop, k)) {
        const struct lw_nest_loop *n = &l->nest.loops[k];
        if (n->wished && !n->uncounted && !g->gone[l->loops[k].header])
            lw_wish_unrolling(LLVMGetBasicBlockTerminator(n->latch), 0);
        l->done[k] = true;
    }
    return true;
}

/* Loops that alone are too large stay loops, and with them, where they fit then, are those around them
 * written out. */
static void
choose(struct graph *g, struct loops *l)
{
    bool known;

    for (uint32_t k = l->nest.count; k-- > 0;) {
        uint32_t loop = (uint32_t)(l->order[k] - l->loops);
        l->nest.loops[loop].wished &= !g->gone[l->order[k]->header];
        if (l->nest.loops[loop].wished && lw_count_nest(&l->nest, loop, l->room, &known) > l->room)
            l->nest.loops[loop].wished = false;
    }
    for (uint32_t k = 0; k < l->nest.count; k++) {
        uint32_t loop = (uint32_t)(l->order[k] - l->loops);
        if (!l->done[loop] && l->nest.loops[loop].wished)
            wish_nest(g, l, loop);
    }
}

static void
unroll_loops(struct graph *g, struct loops *l, uint32_t entry)
{
    uint32_t count = 0;

    for (uint32_t k = 0; k < l->nest.count; k++) {
        l->loops[count].latch = l->latches[2 * k];
        l->loops[count].header = l->latches[2 * k + 1];
        if (!is_natural(g, l, entry, count))
            continue;
        describe(g, l, count);
        l->order[count] = &l->loops[count];
        count++;
    }
    l->nest.count = count;
    qsort(l->order, l->nest.count, sizeof(struct loop *), by_size);
    build_nest(g, l);
    wish_revisiting(g, l);
    write_loops_out(g, l);
    choose(g, l);
}

struct unrolling {
    LLVMValueRef kernel;
    uint32_t room;
};

static void
unroll(struct lw_arena *arena, void *data)
{
    struct unrolling *u = data;
    struct graph g = {0};
    struct loops l = {.room = u->room};

    build_graph(arena, &g, u->kernel);
    uint32_t entry = number_of(&g, LLVMGetEntryBasicBlock(u->kernel));
    l.latches = LW_ARENA_NEW(arena, uint32_t, 2 * (size_t)g.pred_first[g.count]); /* one for each edge */
    uint32_t count = l.nest.count = find_latches(&g, entry, LW_ARENA_NEW(arena, uint32_t, g.count),
                                                 LW_ARENA_NEW(arena, unsigned, g.count), l.latches);
    l.loops = LW_ARENA_NEW(arena, struct loop, count);
    l.order = LW_ARENA_NEW(arena, struct loop *, count);
    l.innermost = LW_ARENA_NEW(arena, uint32_t, g.count);
    l.blocks = LW_ARENA_NEW(arena, LLVMBasicBlockRef, g.count);
    l.done = LW_ARENA_NEW(arena, bool, count);
    l.nest.loops = LW_ARENA_NEW(arena, struct lw_nest_loop, count);
    unroll_loops(&g, &l, entry);
    u->room = l.room;
}

void
lw_unroll_collectives(LLVMModuleRef module, uint32_t *room)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("noduplicate", 11);
    struct unrolling u = {LLVMGetNamedFunction(module, "lw.kernel"), *room};

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (LLVMIsDeclaration(f) && LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, kind))
            LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, kind);
    if (u.kernel && LLVMCountBasicBlocks(u.kernel) <= MOST_BLOCKS && lw_with_arena(unroll, &u))
        *room = u.room;
}

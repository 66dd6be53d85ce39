/* SPDX-License-Identifier: MIT */
/* Asks LLVM to unroll, wholly, the loops around barriers, collectives and accesses to private arrays whose
 * counts are constant.
 *
 * Enters: the scalar kernel of a specialised shape, inlined. Leaves: the same code; collectives may be copied
 * now, and loops that hold some carry the wish. Relies on: convergent calls: no pass but a full unrolling
 * copies them, and every work-item comes to the same copy. Why: the strides of a tree reduction or of a
 * sorting network become constants, and with them addresses, masks and lane numbers.
 */
#include "jit.h"

#include "trace.h"

#include <llvm-c/DebugInfo.h>
#include <stdint.h>
#include <stdlib.h>

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
free_graph(struct graph *g)
{
    free(g->blocks);
    free(g->pred_first);
    free(g->preds);
    free(g->state);
    free(g->mark);
    free(g->list);
    free(g->wanted);
    free(g->convergent);
    free(g->gone);
}

static bool
build_graph(struct graph *g, LLVMValueRef function)
{
    uint32_t n = LLVMCountBasicBlocks(function), edges = 0;

    g->count = n;
    g->blocks = calloc(n, sizeof *g->blocks);
    g->pred_first = calloc(n + 1, sizeof *g->pred_first);
    g->state = calloc(n, sizeof *g->state);
    g->mark = calloc(n, sizeof *g->mark);
    g->list = calloc(n, sizeof *g->list);
    g->wanted = calloc(n, sizeof *g->wanted);
    g->convergent = calloc(n, sizeof *g->convergent);
    g->gone = calloc(n, sizeof *g->gone);
    if (!g->blocks || !g->pred_first || !g->state || !g->mark || !g->list || !g->wanted || !g->convergent ||
        !g->gone)
        return false;
    LLVMGetBasicBlocks(function, g->blocks);
    qsort(g->blocks, n, sizeof *g->blocks, compare);
    for (uint32_t b = 0; b < n; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(g->blocks[b]);
        g->wanted[b] = wants_unrolling(g->blocks[b]);
        g->convergent[b] = is_convergent(g->blocks[b]);
        for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++, edges++)
            g->pred_first[number_of(g, LLVMGetSuccessor(end, s)) + 1]++;
    }
    g->preds = calloc(edges + 1, sizeof *g->preds);
    if (!g->preds)
        return false;
    for (uint32_t b = 0; b < n; b++)
        g->pred_first[b + 1] += g->pred_first[b];
    for (uint32_t b = 0; b < n; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(g->blocks[b]);
        for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
            uint32_t to = number_of(g, LLVMGetSuccessor(end, s));
            g->preds[g->pred_first[to] + g->list[to]++] = b;
        }
    }
    return true;
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
static void
wish_unrolling(LLVMValueRef latch)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(latch));
    static const char wish[] = "llvm.loop.unroll.full";
    LLVMMetadataRef text = LLVMMDStringInContext2(context, wish, sizeof wish - 1);
    LLVMMetadataRef parts[] = {LLVMTemporaryMDNode(context, NULL, 0),
                               LLVMMDNodeInContext2(context, &text, 1)};
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
write_out(struct graph *g, uint32_t header, uint32_t mark)
{
    struct marked marked = {g, mark};
    struct lw_trace_loop loop = {is_marked, &marked};
    LLVMBasicBlockRef preheader = NULL;

    for (uint32_t k = g->pred_first[header]; k < g->pred_first[header + 1]; k++) {
        LLVMBasicBlockRef p = g->blocks[g->preds[k]];
        if (g->mark[g->preds[k]] == mark)
            continue;
        if (preheader || LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(p)) != 1)
            return false;
        preheader = p;
    }
    return preheader && lw_write_loop_out(preheader, g->blocks[header], &loop);
}

static void
unroll_loop(struct graph *g, uint32_t header, uint32_t latch, uint32_t mark)
{
    bool convergent;

    if (g->gone[header] || !loop_wants_unrolling(g, header, latch, mark, &convergent))
        return;
    if (convergent || !write_out(g, header, mark)) {
        wish_unrolling(LLVMGetBasicBlockTerminator(g->blocks[latch]));
        return;
    }
    for (uint32_t b = 0; b < g->count; b++)
        g->gone[b] |= g->mark[b] == mark;
}

static void
mark_loops(struct graph *g, uint32_t entry)
{
    uint32_t *way = calloc(g->count, sizeof *way);
    uint32_t *latches =
        calloc(2 * (size_t)g->pred_first[g->count] + 2, sizeof *latches); /* one for each edge */
    unsigned *next = calloc(g->count, sizeof *next);

    if (way && next && latches) {
        uint32_t count = find_latches(g, entry, way, next, latches);
        for (uint32_t k = count; k-- > 0;) /* outer loops first */
            unroll_loop(g, latches[2 * k + 1], latches[2 * k], k + 1);
    }
    free(way);
    free(next);
    free(latches);
}

void
lw_unroll_collectives(LLVMModuleRef module)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("noduplicate", 11);
    LLVMValueRef kernel = LLVMGetNamedFunction(module, "lw.kernel");
    struct graph g = {0};

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (LLVMIsDeclaration(f) && LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, kind))
            LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, kind);
    if (kernel && LLVMCountBasicBlocks(kernel) <= MOST_BLOCKS && build_graph(&g, kernel))
        mark_loops(&g, number_of(&g, LLVMGetEntryBasicBlock(kernel)));
    free_graph(&g);
}

/* SPDX-License-Identifier: MIT */
/* Long loops have no block in front of them that constants could be hoisted to.
 *
 * Enters: any module whose loops have preheaders, behind the last pass over it. Leaves: the same code; a loop
 * of more than MOST_BLOCKS is also entered by an empty piece of assembly that may go there, as LLVM believes.
 * Why: code generation hoists each constant that it loads out of all loops, whatever the registers hold, and
 * the register allocator brings it back: thousands of constants, live in thousands of blocks, take time with
 * the square of the loop. Of a loop that is entered from two places, one of which assembly goes to, it hoists
 * nothing. Relies on: LLVM never splitting the edges of assembly. Never: moves an instruction.
 */
#include <string.h>

#include "../../spirv/graph.h"
#include "../facts/value_map.h"
#include "../lanes/lanes.h"

#define MOST_BLOCKS 100

struct search {
    LLVMValueRef function;
    struct lw_arena *arena;
    LLVMBasicBlockRef *blocks;
    struct lw_graph graph;
    uint32_t *number; /* by block: its place in the reverse post-order */
};

static void
read_graph(struct search *s)
{
    LLVMValueRef function = s->function;
    uint32_t n = LLVMCountBasicBlocks(function), edges = 0, at = 0;
    struct lw_value_map *map = lw_value_map_create(s->arena, n);

    s->blocks = LW_ARENA_NEW(s->arena, LLVMBasicBlockRef, n);
    s->graph.count = n;
    s->graph.succ_begin = LW_ARENA_NEW(s->arena, uint32_t, (size_t)n + 1);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        lw_value_map_add(map, b, at);
        s->graph.succ_begin[at] = edges;
        s->blocks[at++] = b;
        edges += LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(b));
    }
    s->graph.succ_begin[n] = edges;
    s->graph.succs = LW_ARENA_NEW(s->arena, uint32_t, edges);
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t e = s->graph.succ_begin[u]; e < s->graph.succ_begin[u + 1]; e++)
            s->graph.succs[e] = lw_value_map_get(
                map, LLVMGetSuccessor(LLVMGetBasicBlockTerminator(s->blocks[u]), e - s->graph.succ_begin[u]));
    lw_graph_find_preds(s->arena, &s->graph);
    uint32_t *order = LW_ARENA_NEW(s->arena, uint32_t, n);
    s->number = lw_arena_fill(s->arena, n, LW_NONE);
    uint32_t reached = lw_graph_reverse_postorder(s->arena, &s->graph, 0, order);
    for (uint32_t i = 0; i < reached; i++)
        s->number[order[i]] = i;
}

/* The block that enters the loop of `header`; LW_NONE: it is short or none, or there are several. */
static uint32_t
find_entry(const struct search *s, uint32_t header)
{
    const struct lw_graph *g = &s->graph;
    uint32_t length = 0, entry = LW_NONE, entries = 0;

    for (uint32_t e = g->pred_begin[header]; e < g->pred_begin[header + 1]; e++) {
        uint32_t from = g->preds[e];
        if (s->number[from] == LW_NONE)
            return LW_NONE;
        if (s->number[from] < s->number[header]) {
            entry = from;
            entries++;
        } else if (s->number[from] - s->number[header] + 1 > length) {
            length = s->number[from] - s->number[header] + 1;
        }
    }
    if (length <= MOST_BLOCKS || entries != 1 || g->succ_begin[entry + 1] - g->succ_begin[entry] != 1)
        return LW_NONE;
    return LLVMIsABranchInst(LLVMGetBasicBlockTerminator(s->blocks[entry])) ? entry : LW_NONE;
}

/* What the phis of `block` have from `from` they have from `other` too. */
static void
add_entry(LLVMBasicBlockRef block, LLVMBasicBlockRef from, LLVMBasicBlockRef other)
{
    for (LLVMValueRef phi = LLVMGetFirstInstruction(block); LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi)) {
        unsigned k = 0;
        while (LLVMGetIncomingBlock(phi, k) != from)
            k++;
        LLVMValueRef value = LLVMGetIncomingValue(phi, k);
        LLVMAddIncoming(phi, &value, &other, 1);
    }
}

static void
enter_twice(LLVMBuilderRef b, LLVMBasicBlockRef entry, LLVMBasicBlockRef header)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(header)));
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false);
    LLVMValueRef nothing =
        LLVMGetInlineAsm(type, "", 0, "!i", 2, true, false, LLVMInlineAsmDialectATT, false);
    LLVMBasicBlockRef in = LLVMInsertBasicBlockInContext(context, header, "in");

    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(entry));
    LLVMPositionBuilderAtEnd(b, entry);
    LLVMBuildCallBr(b, type, nothing, in, &header, 1, NULL, 0, NULL, 0, "");
    LLVMPositionBuilderAtEnd(b, in);
    LLVMBuildBr(b, header);
    add_entry(header, entry, in);
}

static void
enter_long_loops(struct lw_arena *arena, void *data)
{
    struct search s = {.function = data, .arena = arena};

    read_graph(&s);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(s.function)));
    for (uint32_t header = 0; header < s.graph.count; header++) {
        uint32_t entry = s.number[header] == LW_NONE ? LW_NONE : find_entry(&s, header);
        if (entry != LW_NONE)
            enter_twice(b, s.blocks[entry], s.blocks[header]);
    }
    LLVMDisposeBuilder(b);
}

bool
lw_enter_long_loops(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (LLVMCountBasicBlocks(f) > MOST_BLOCKS && !lw_with_arena(enter_long_loops, f))
            return false;
    return true;
}

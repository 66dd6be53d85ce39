/* SPDX-License-Identifier: MIT */
#include "flow_graph.h"

#include "value_map.h"

LLVMBasicBlockRef *
lw_read_flow(struct lw_arena *arena, LLVMValueRef function, struct lw_graph *graph)
{
    uint32_t n = LLVMCountBasicBlocks(function), edges = 0, at = 0;
    LLVMBasicBlockRef *refs = LW_ARENA_NEW(arena, LLVMBasicBlockRef, n);
    struct lw_value_map *raw = lw_value_map_create(arena, n);
    struct lw_graph all = {.count = n, .succ_begin = LW_ARENA_NEW(arena, uint32_t, (size_t)n + 1)};
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        lw_value_map_add(raw, b, at);
        all.succ_begin[at] = edges;
        refs[at++] = b;
        edges += end ? LLVMGetNumSuccessors(end) : 0;
    }
    all.succ_begin[n] = edges;
    all.succs = LW_ARENA_NEW(arena, uint32_t, edges);
    for (uint32_t u = 0; u < n; u++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(refs[u]);
        for (uint32_t e = all.succ_begin[u]; e < all.succ_begin[u + 1]; e++)
            all.succs[e] = lw_value_map_get(raw, LLVMGetSuccessor(end, e - all.succ_begin[u]));
    }
    uint32_t *order = LW_ARENA_NEW(arena, uint32_t, n), *number = lw_arena_fill(arena, n, LW_NONE);
    uint32_t live = lw_graph_reverse_postorder(arena, &all, 0, order);
    for (uint32_t i = 0; i < live; i++)
        number[order[i]] = i;
    graph->count = live;
    graph->succ_begin = LW_ARENA_NEW(arena, uint32_t, (size_t)live + 1);
    graph->succs = LW_ARENA_NEW(arena, uint32_t, edges);
    LLVMBasicBlockRef *reached = LW_ARENA_NEW(arena, LLVMBasicBlockRef, live);
    edges = 0;
    for (uint32_t i = 0; i < live; i++) {
        reached[i] = refs[order[i]];
        graph->succ_begin[i] = edges;
        for (uint32_t e = all.succ_begin[order[i]]; e < all.succ_begin[order[i] + 1]; e++)
            graph->succs[edges++] = number[all.succs[e]];
    }
    graph->succ_begin[live] = edges;
    lw_graph_find_preds(arena, graph);
    return reached;
}

/* SPDX-License-Identifier: MIT */
/* Natural loops: see natural_loops.h. */
#include "natural_loops.h"

struct finder {
    struct lw_natural_loops *loops;
    uint32_t *seen; /* by block: the last loop that it was found in, from 1 on */
    uint32_t *todo, todo_count;
};

static void
take(struct finder *f, uint32_t block, uint32_t header)
{
    if (f->seen[block] == header + 1)
        return;
    f->seen[block] = header + 1;
    f->loops->header[block] = header;
    f->todo[f->todo_count++] = block;
}

/* From the ends of the loop back to its header. */
static void
fill_loop(struct finder *f, uint32_t header)
{
    const struct lw_graph *g = &f->loops->graph;
    while (f->todo_count) {
        uint32_t block = f->todo[--f->todo_count];
        for (uint32_t e = g->pred_begin[block]; block != header && e < g->pred_begin[block + 1]; e++)
            take(f, g->preds[e], header);
    }
}

void
lw_find_natural_loops(struct lw_arena *arena, LLVMValueRef function, struct lw_natural_loops *out)
{
    struct lw_graph *g = &out->graph;
    out->blocks = lw_read_flow(arena, function, g);
    out->numbers = lw_value_map_create(arena, g->count);
    out->header = lw_arena_fill(arena, g->count, LW_NONE);
    out->outer = lw_arena_fill(arena, g->count, LW_NONE);
    struct finder f = {.loops = out,
                       .seen = LW_ARENA_NEW(arena, uint32_t, g->count),
                       .todo = LW_ARENA_NEW(arena, uint32_t, g->count)};
    out->parent = LW_ARENA_NEW(arena, uint32_t, g->count);
    out->first = LW_ARENA_NEW(arena, uint32_t, g->count);
    out->end = LW_ARENA_NEW(arena, uint32_t, g->count);
    lw_graph_dominators(arena, g, 0, out->parent);
    lw_number_forest(arena, out->parent, g->count, out->first, out->end);
    /* In reverse post-order a loop's header is behind those of the loops around it. */
    for (uint32_t h = 0; h < g->count; h++) {
        lw_value_map_add(out->numbers, out->blocks[h], h);
        uint32_t around = out->header[h];
        for (uint32_t e = g->pred_begin[h]; e < g->pred_begin[h + 1]; e++) {
            uint32_t u = g->preds[e];
            if (!lw_block_dominates(out, h, u))
                continue;
            out->outer[h] = around;
            take(&f, h, h);
            take(&f, u, h);
        }
        fill_loop(&f, h);
    }
}

uint32_t
lw_number_of_block(const struct lw_natural_loops *loops, LLVMBasicBlockRef block)
{
    return lw_value_map_get(loops->numbers, block);
}

bool
lw_block_dominates(const struct lw_natural_loops *loops, uint32_t a, uint32_t b)
{
    return loops->first[a] <= loops->first[b] && loops->first[b] < loops->end[a];
}

bool
lw_natural_loop_has(const struct lw_natural_loops *loops, uint32_t header, uint32_t block)
{
    uint32_t h = block == LW_NONE ? LW_NONE : loops->header[block];
    while (h != header && h != LW_NONE)
        h = loops->outer[h];
    return h == header && h != LW_NONE;
}

/* SPDX-License-Identifier: MIT */
/* Variables become values, in time with the blocks that they are live in.
 *
 * Enters: any control flow. Leaves: allocas that are only read and written as a whole are gone; a phi stands
 * where values meet, if the variable is read behind it. Why: LLVM's sroa looks, for each variable with
 * several stores, at every block that those dominate, and code under masks has a variable for each value
 * that lives beyond its block. Relies on: nothing but dominance. Never: looks at a variable whose address
 * goes elsewhere; touches a function whose dominance frontiers are very many more than its blocks.
 */
#include "promote.h"

#include "../../spirv/graph.h"
#include "../facts/instructions.h"
#include "../facts/memory_effects.h"
#include "../facts/value_map.h"
#include "module_pass.h"

#define MOST_FRONTIER 16 /* entries for each block, on average */

/* The last store to a variable in a block, or the load there that comes before all stores. */
struct access {
    uint32_t block, next;
    V instruction;
};

struct promotion {
    struct lw_arena *arena;
    LLVMBuilderRef builder;
    LLVMBasicBlockRef *blocks; /* blocks[0] is the entry */
    struct lw_graph graph;
    uint32_t *idom;
    uint32_t *frontier_begin, *frontier;

    V *slots;
    uint32_t slot_count, access_count;
    uint32_t *stores, *loads; /* by slot: lists of accesses; LW_NONE ends one */
    struct access *accesses;

    /* By block, for the slot at hand where `at` is its number. */
    struct {
        uint32_t live, stored, met, skips;
    } * at;
    V *store, *phi;
    uint32_t
        *skip; /* where the value comes from that a block neither stores nor has a phi of; LW_NONE: none */
    uint32_t *stack;
};

/* ---- the function's blocks ---- */

static bool
is_reachable(const struct promotion *p, uint32_t block)
{
    return block == 0 || p->idom[block] != LW_NONE;
}

static void
link_blocks(struct promotion *p, V function)
{
    struct lw_graph *g = &p->graph;
    uint32_t edges = 0;

    g->count = LLVMCountBasicBlocks(function);
    p->blocks = LW_ARENA_NEW(p->arena, LLVMBasicBlockRef, g->count);
    LLVMGetBasicBlocks(function, p->blocks);
    struct lw_value_map *numbers = lw_value_map_create(p->arena, g->count);
    for (uint32_t b = 0; b < g->count; b++) {
        lw_value_map_add(numbers, p->blocks[b], b);
        edges += LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(p->blocks[b]));
    }
    g->succ_begin = LW_ARENA_NEW(p->arena, uint32_t, g->count + 1);
    g->succs = LW_ARENA_NEW(p->arena, uint32_t, edges);
    edges = 0;
    for (uint32_t b = 0; b < g->count; b++) {
        V end = LLVMGetBasicBlockTerminator(p->blocks[b]);
        g->succ_begin[b] = edges;
        for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++)
            g->succs[edges++] = lw_value_map_get(numbers, LLVMGetSuccessor(end, k));
    }
    g->succ_begin[g->count] = edges;
    lw_graph_find_preds(p->arena, g);
    p->idom = LW_ARENA_NEW(p->arena, uint32_t, g->count);
    lw_graph_dominators(p->arena, g, 0, p->idom);
}

/* The blocks whose frontier has `b`: from each predecessor upwards to its dominator. They are counted, or
 * where `frontier` is there noted in it. How many. */
static uint64_t
note_frontiers_with(struct promotion *p, uint32_t b, uint32_t *seen)
{
    const struct lw_graph *g = &p->graph;
    uint64_t count = 0;

    for (uint32_t e = g->pred_begin[b]; e < g->pred_begin[b + 1]; e++) {
        if (!is_reachable(p, g->preds[e]))
            continue;
        for (uint32_t u = g->preds[e]; u != p->idom[b] && seen[u] != b; u = p->idom[u]) {
            seen[u] = b;
            if (p->frontier)
                p->frontier[p->frontier_begin[u]++] = b;
            else
                p->frontier_begin[u + 1]++;
            count++;
        }
    }
    return count;
}

static bool
find_frontiers(struct promotion *p)
{
    uint32_t n = p->graph.count;
    uint64_t count = 0;

    p->frontier_begin = LW_ARENA_NEW(p->arena, uint32_t, n + 1);
    uint32_t *seen = lw_arena_fill(p->arena, n, LW_NONE);
    for (uint32_t b = 1; b < n; b++) {
        count += is_reachable(p, b) ? note_frontiers_with(p, b, seen) : 0;
        if (count > MOST_FRONTIER * (uint64_t)n + 1000)
            return false;
    }
    for (uint32_t b = 0; b < n; b++)
        p->frontier_begin[b + 1] += p->frontier_begin[b];
    p->frontier = LW_ARENA_NEW(p->arena, uint32_t, count);
    seen = lw_arena_fill(p->arena, n, LW_NONE);
    for (uint32_t b = 1; b < n; b++)
        if (is_reachable(p, b))
            note_frontiers_with(p, b, seen);
    /* Each beginning went to its end meanwhile, which is the next one's beginning. */
    for (uint32_t b = n; b-- > 0;)
        p->frontier_begin[b + 1] = p->frontier_begin[b];
    p->frontier_begin[0] = 0;
    return true;
}

/* ---- its variables ---- */

static bool
is_plain_access(V user, V slot, LLVMTypeRef type)
{
    LLVMValueRef moved = lw_plain_address(user) ? lw_moved_by(user) : NULL;
    return moved && moved != slot && LLVMTypeOf(moved) == type;
}

static bool
is_slot(V i, uint32_t *accesses)
{
    if (!LLVMIsAAllocaInst(i) || !LLVMIsAConstantInt(LLVMGetOperand(i, 0)) ||
        LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0)) != 1)
        return false;
    LLVMTypeRef type = LLVMGetAllocatedType(i);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind)
        return false;
    for (LLVMUseRef u = LLVMGetFirstUse(i); u; u = LLVMGetNextUse(u)) {
        if (!is_plain_access(LLVMGetUser(u), i, type))
            return false;
        ++*accesses;
    }
    return true;
}

static struct lw_value_map *
find_slots(struct promotion *p)
{
    uint32_t accesses = 0;

    for (V i = LLVMGetFirstInstruction(p->blocks[0]); i; i = LLVMGetNextInstruction(i))
        p->slot_count += is_slot(i, &accesses);
    p->slots = LW_ARENA_NEW(p->arena, V, p->slot_count);
    struct lw_value_map *numbers = lw_value_map_create(p->arena, p->slot_count);
    p->slot_count = accesses = 0;
    for (V i = LLVMGetFirstInstruction(p->blocks[0]); i; i = LLVMGetNextInstruction(i))
        if (is_slot(i, &accesses)) {
            lw_value_map_add(numbers, i, p->slot_count);
            p->slots[p->slot_count++] = i;
        }
    p->accesses = LW_ARENA_NEW(p->arena, struct access, accesses);
    p->loads = lw_arena_fill(p->arena, p->slot_count, LW_NONE);
    p->stores = lw_arena_fill(p->arena, p->slot_count, LW_NONE);
    return numbers;
}

static void
note_access(struct promotion *p, uint32_t *list, uint32_t block, V instruction)
{
    if (*list == LW_NONE || p->accesses[*list].block != block) {
        p->accesses[p->access_count] = (struct access){.block = block, .next = *list};
        *list = p->access_count++;
    }
    p->accesses[*list].instruction = instruction;
}

/* Loads whose value is at hand in their block are replaced; what is left is a load in front, a store behind.
 */
static void
read_block(struct promotion *p, uint32_t b, const struct lw_value_map *numbers)
{
    for (V i = LLVMGetFirstInstruction(p->blocks[b]), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        bool load = LLVMIsALoadInst(i);
        LLVMValueRef slot = lw_address_of(i);
        uint32_t s = slot ? lw_value_map_get(numbers, slot) : LW_NONE;
        if (s == LW_NONE)
            continue;
        if (load && !is_reachable(p, b))
            lw_replace(i, LLVMGetPoison(LLVMTypeOf(i)));
        else if (load && p->stores[s] != LW_NONE && p->accesses[p->stores[s]].block == b)
            lw_replace(i, LLVMGetOperand(p->accesses[p->stores[s]].instruction, 0));
        else if (load && p->loads[s] != LW_NONE && p->accesses[p->loads[s]].block == b)
            lw_replace(i, p->accesses[p->loads[s]].instruction);
        else if (is_reachable(p, b))
            note_access(p, load ? &p->loads[s] : &p->stores[s], b, i);
    }
}

/* ---- one variable's values ---- */

/* Marks the blocks that it is live at the beginning of. */
static void
find_live(struct promotion *p, uint32_t s)
{
    const struct lw_graph *g = &p->graph;
    uint32_t depth = 0;

    for (uint32_t k = p->loads[s]; k != LW_NONE; k = p->accesses[k].next) {
        uint32_t b = p->accesses[k].block;
        p->at[b].live = s;
        p->stack[depth++] = b;
    }
    while (depth) {
        uint32_t b = p->stack[--depth];
        for (uint32_t e = g->pred_begin[b]; e < g->pred_begin[b + 1]; e++) {
            uint32_t u = g->preds[e];
            if (p->at[u].live == s || p->at[u].stored == s || !is_reachable(p, u))
                continue;
            p->at[u].live = s;
            p->stack[depth++] = u;
        }
    }
}

/* Puts phis at the iterated dominance frontier of the stores, as far as it is live there; how many are behind
 * the stack's end, which is returned. */
static uint32_t
place_phis(struct promotion *p, uint32_t s, uint32_t *placed)
{
    uint32_t depth = 0, count = 0;

    for (uint32_t k = p->stores[s]; k != LW_NONE; k = p->accesses[k].next)
        p->stack[depth++] = p->accesses[k].block;
    while (depth) {
        uint32_t u = p->stack[--depth];
        for (uint32_t e = p->frontier_begin[u]; e < p->frontier_begin[u + 1]; e++) {
            uint32_t b = p->frontier[e];
            if (p->at[b].live != s || p->at[b].met == s)
                continue;
            LLVMPositionBuilderBefore(p->builder, LLVMGetFirstInstruction(p->blocks[b]));
            p->phi[b] = LLVMBuildPhi(p->builder, LLVMGetAllocatedType(p->slots[s]), "");
            p->at[b].met = s;
            placed[count++] = b;
            if (p->at[b].stored != s)
                p->stack[depth++] = b;
        }
    }
    return count;
}

/* The value at the end of a block; LW_NONE: of the function's beginning, where it has none. */
static V
value_behind(struct promotion *p, uint32_t s, uint32_t block)
{
    uint32_t from = block;

    while (from != LW_NONE && p->at[from].stored != s && p->at[from].met != s)
        from = p->at[from].skips == s ? p->skip[from] : p->idom[from];
    for (uint32_t b = block, next; b != from; b = next) {
        next = p->at[b].skips == s ? p->skip[b] : p->idom[b];
        p->skip[b] = from;
        p->at[b].skips = s;
    }
    if (from == LW_NONE)
        return LLVMGetUndef(LLVMGetAllocatedType(p->slots[s]));
    return p->at[from].stored == s ? LLVMGetOperand(p->store[from], 0) : p->phi[from];
}

static void
fill_phi(struct promotion *p, uint32_t s, uint32_t b)
{
    const struct lw_graph *g = &p->graph;

    for (uint32_t e = g->pred_begin[b]; e < g->pred_begin[b + 1]; e++) {
        uint32_t u = g->preds[e];
        V value = is_reachable(p, u) ? value_behind(p, s, u) : LLVMGetPoison(LLVMTypeOf(p->phi[b]));
        for (uint32_t k = g->succ_begin[u]; k < g->succ_begin[u + 1]; k++)
            if (g->succs[k] == b)
                LLVMAddIncoming(p->phi[b], &value, &p->blocks[u], 1);
    }
}

static void
promote(struct promotion *p, uint32_t s, uint32_t *placed)
{
    for (uint32_t k = p->stores[s]; k != LW_NONE; k = p->accesses[k].next) {
        p->at[p->accesses[k].block].stored = s;
        p->store[p->accesses[k].block] = p->accesses[k].instruction;
    }
    find_live(p, s);
    uint32_t count = p->loads[s] == LW_NONE ? 0 : place_phis(p, s, placed);
    for (uint32_t k = 0; k < count; k++)
        fill_phi(p, s, placed[k]);
    for (uint32_t k = p->loads[s]; k != LW_NONE; k = p->accesses[k].next) {
        uint32_t b = p->accesses[k].block;
        lw_replace(p->accesses[k].instruction,
                   p->at[b].met == s ? p->phi[b] : value_behind(p, s, p->idom[b]));
    }
}

static void
promote_all(struct promotion *p)
{
    uint32_t n = p->graph.count;
    uint32_t *placed = LW_ARENA_NEW(p->arena, uint32_t, n);

    p->at = lw_arena_alloc(p->arena, n, sizeof *p->at);
    for (uint32_t b = 0; b < n; b++)
        p->at[b].live = p->at[b].stored = p->at[b].met = p->at[b].skips = LW_NONE;
    p->store = LW_ARENA_NEW(p->arena, V, n);
    p->phi = LW_ARENA_NEW(p->arena, V, n);
    p->skip = LW_ARENA_NEW(p->arena, uint32_t, n);
    p->stack = LW_ARENA_NEW(p->arena, uint32_t, n);
    const struct lw_value_map *numbers = find_slots(p);
    for (uint32_t b = 0; b < n; b++)
        read_block(p, b, numbers);
    for (uint32_t s = 0; s < p->slot_count; s++)
        promote(p, s, placed);
    for (uint32_t s = 0; s < p->slot_count; s++) {
        for (LLVMUseRef u; (u = LLVMGetFirstUse(p->slots[s]));)
            LLVMInstructionEraseFromParent(LLVMGetUser(u)); /* a store */
        LLVMInstructionEraseFromParent(p->slots[s]);
    }
}

static void
promote_functions(lw_lanes *l, struct lw_arena *arena, void *data)
{
    (void)data;
    for (V f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f)) {
        struct promotion p = {.arena = arena, .builder = l->builder};
        if (LLVMIsDeclaration(f))
            continue;
        link_blocks(&p, f);
        if (find_frontiers(&p))
            promote_all(&p);
    }
}

bool
lw_promote_slots(LLVMModuleRef module)
{
    return lw_run_pass(module, LW_ISA_AUTO, promote_functions, NULL);
}

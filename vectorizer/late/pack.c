/* SPDX-License-Identifier: MIT */
/* Sub-groups that go through a region together (regions.c) do the same to vectors that lie side by side: what
 * fits into one register is done at once, and reductions share their steps.
 *
 * Enters: lw_run behind LLVM's passes, which have made neighbouring addresses differ by constants.
 * Leaves: wider vectors in the place of some groups of rows; no lw.reduce.* call.
 * Relies on: subgroup/reduce.c for reductions. Never: looks beyond a block, or moves an access over another
 * that could touch the same memory.
 *
 * A group begins with stores to consecutive addresses, one behind the other. Their values are the rows of a
 * node; where all rows are made by the same operation, the operands' rows are nodes in turn, down to loads of
 * consecutive addresses, reductions, constants. What has no such form is put together from its rows. Nothing
 * is written before it is known to save instructions.
 */
#include "../flow/module_pass.h"
#include "pack_internal.h"

/* ---- groups of stores ---- */

static bool
is_plain_store(V i)
{
    return LLVMIsAStoreInst(i) && !lw_is_ordered_access(i);
}

/* How many stores from the one at `at` on write consecutive places, with no other access between them. */
static unsigned
run_of_stores(struct packer *p, uint32_t at, V *stores, uint32_t *next)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(p->instructions[at], 0));
    int64_t size = (int64_t)LLVMABISizeOfType(p->layout, type);
    struct address a, b;
    unsigned count = 0;

    *next = at + 1;
    if (!is_plain_store(p->instructions[at]) || (uint64_t)size * 8 != LLVMSizeOfTypeInBits(p->layout, type) ||
        !lw_pack_address(p->layout, LLVMGetOperand(p->instructions[at], 1), &a))
        return 0;
    stores[count++] = p->instructions[at++];
    for (; at < p->count && count < ROWS; at++) {
        V i = p->instructions[at];
        if (p->accesses[at] == p->accesses[at + 1])
            continue;
        if (!is_plain_store(i) || LLVMTypeOf(LLVMGetOperand(i, 0)) != type ||
            !lw_pack_address(p->layout, LLVMGetOperand(i, 1), &b) || !lw_pack_follows(&a, &b, count * size))
            break;
        stores[count++] = i;
        *next = at + 1;
    }
    return count;
}

/* Halves of two registers: shuffles that put them together take longer than a store. */
static bool
are_halves(struct packer *p, V *stores, unsigned count)
{
    bool upper;
    V a = lw_pack_half(LLVMGetOperand(stores[0], 0), &upper);
    V b = lw_pack_half(LLVMGetOperand(stores[count - 1], 0), &upper);

    return p->register_bits == 256 && a && b && a != b;
}

/* One store for `count` of them. */
static bool
pack_stores(struct packer *p, V *stores, unsigned count)
{
    unsigned before = p->node_count;
    V rows[ROWS];

    if (are_halves(p, stores, count))
        return false;
    for (unsigned k = 0; k < count; k++)
        rows[k] = LLVMGetOperand(stores[k], 0);
    int root = lw_pack_plan(p, rows, count, DEPTH);
    if (root < 0 || !lw_pack_saves(p, before, stores, count)) {
        p->node_count = before;
        return false;
    }
    V value = lw_pack_write(p, &p->nodes[root]);
    LLVMPositionBuilderBefore(p->l.builder, stores[count - 1]);
    V store = LLVMBuildStore(p->l.builder, value, LLVMGetOperand(stores[0], 1));
    LLVMSetAlignment(store, LLVMGetAlignment(stores[0]));
    for (unsigned k = 0; k < count;
         k++) /* gone with the block's other dead ones: places stay valid till then */
        LLVMSetOperand(stores[k], 0, LLVMGetPoison(LLVMTypeOf(rows[k])));
    return true;
}

/* A register of lanes at a time; of scalars ROWS at most. */
static unsigned
most_rows(struct packer *p, V store)
{
    unsigned bits = (unsigned)LLVMSizeOfTypeInBits(p->layout, LLVMTypeOf(LLVMGetOperand(store, 0)));
    unsigned rows = bits ? p->register_bits / bits : 0;

    return rows > ROWS ? ROWS : rows;
}

static bool
is_packed(V store)
{
    V value = LLVMGetOperand(store, 0);
    return LLVMIsPoison(value);
}

static void
pack_run(struct packer *p, V *stores, unsigned count)
{
    unsigned most = count ? most_rows(p, stores[0]) : 0;

    for (unsigned first = 0; first + 1 < count;) {
        unsigned rows = most;
        while (rows > count - first)
            rows /= 2;
        while (rows > 1 && !pack_stores(p, stores + first, rows))
            rows /= 2;
        first += rows > 1 ? rows : most > 1 ? most : count;
    }
}

static bool
is_dead(V i)
{
    if (LLVMGetFirstUse(i) || LLVMIsATerminatorInst(i) || LLVMIsAAllocaInst(i))
        return false;
    if (LLVMIsAStoreInst(i))
        return is_packed(i);
    return lw_memory_effect(i) != LW_WRITES_MEMORY;
}

/* What nobody uses any more, from the end on. */
static void
remove_dead(struct packer *p)
{
    for (uint32_t k = p->count; k-- > 0;)
        if (is_dead(p->instructions[k]))
            LLVMInstructionEraseFromParent(p->instructions[k]);
}

static void
pack_block(struct packer *p, LLVMBasicBlockRef block)
{
    uint32_t count = 0, stores = 0, next;
    V run[ROWS];

    if (lw_pack_gathers(p, block))
        remove_dead(p);
    for (V i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i), count++)
        stores += LLVMIsAStoreInst(i) && !is_packed(i);
    if (stores < 2)
        return;
    lw_pack_read_block(p, block, count);
    for (uint32_t at = 0; at < p->count; at = next) {
        next = at + 1;
        if (LLVMIsAStoreInst(p->instructions[at]))
            pack_run(p, run, run_of_stores(p, at, run, &next));
    }
    if (p->plan)
        remove_dead(p);
}

static void
pack_function(lw_lanes *l, struct lw_arena *arena, void *function)
{
    struct packer *p = LW_ARENA_NEW(arena, struct packer, 1);

    p->l = *l;
    p->arena = arena;
    p->layout = LLVMGetModuleDataLayout(l->module);
    p->register_bits = lw_isa_row(l->isa)->register_bits;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        pack_block(p, b);
}

bool
lw_pack_sub_groups(LLVMModuleRef module, lw_isa isa)
{
    V function = LLVMGetNamedFunction(module, "lw_run");

    return !function || lw_run_pass(module, isa, pack_function, function);
}

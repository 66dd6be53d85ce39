/* SPDX-License-Identifier: MIT */
/* A function's blocks, in reverse post-order from its first (which puts every definition before its uses,
 * whatever the module's order), unreachable ones left out. Phis are made empty beforehand and filled at the
 * end, once per edge: LLVM wants as many entries as a switch has cases. Explicit stacks, near-linear in
 * blocks and edges. */
#include <stdlib.h>
#include "emit_function.h"
#include "operands.h"

struct frame {
    uint32_t block; /* index into the module's blocks */
    uint32_t next;  /* successor to visit */
};

struct order {
    uint32_t *blocks; /* post-order; read backwards */
    uint32_t count;
    uint64_t *edges;  /* from label << 32 | to label, sorted in the end */
    size_t edge_count, edge_room;
    uint32_t *named; /* by block_of: the last phi that named it, by its result */
    uint32_t first_block;
};

static const struct lw_inst *
terminator(const lw_emitter *e, uint32_t block)
{
    return &e->spv->insts[e->spv->blocks[block].end];
}

/* The block's index + 1, 0 where the label is none of this function's. */
static uint32_t
block_of(const lw_emitter *e, uint32_t label)
{
    return label < e->spv->bound ? e->block_of[label] : 0;
}

static void
walk(lw_emitter *e, const struct lw_spirv_function *f, struct order *order, struct frame *stack)
{
    uint32_t depth = 0;
    stack[depth++] = (struct frame){f->first_block, 0};
    e->blocks[e->spv->blocks[f->first_block].label] =
        LLVMAppendBasicBlockInContext(e->context, e->function, "");
    while (depth > 0 && !e->failed) {
        struct frame *top = &stack[depth - 1];
        uint32_t label = lw_successor(e->spv, terminator(e, top->block), top->next++);
        if (!label) {
            order->blocks[order->count++] = top->block;
            depth--;
            continue;
        }
        uint32_t block = block_of(e, label);
        if (!block)
            lw_emit_fail(e, "a branch to %%%u, which is no block of the function,", label);
        else if (!e->blocks[label]) {
            e->blocks[label] = LLVMAppendBasicBlockInContext(e->context, e->function, "");
            stack[depth++] = (struct frame){block - 1, 0};
        }
    }
}

static void
add_edge(lw_emitter *e, struct order *order, uint32_t from, uint32_t to)
{
    if (order->edge_count == order->edge_room) {
        size_t room = order->edge_room ? 2 * order->edge_room : 64;
        uint64_t *edges = realloc(order->edges, room * sizeof *edges);
        if (!edges) {
            lw_emit_fail(e, "so large a function: out of memory, which");
            return;
        }
        order->edges = edges;
        order->edge_room = room;
    }
    order->edges[order->edge_count++] = (uint64_t)from << 32 | to;
}

/* ---- terminators ---- */

static void
emit_switch(lw_emitter *e, struct order *order, uint32_t from)
{
    V selector = lw_operand_value(e, 1);
    uint32_t words = lw_switch_literal_words(e->spv, e->inst), cases = (e->inst->count - 3u) / (words + 1);
    if (e->failed || LLVMGetTypeKind(LLVMTypeOf(selector)) != LLVMIntegerTypeKind) {
        lw_emit_fail(e, "a switch on this type");
        return;
    }
    V result = LLVMBuildSwitch(e->b, selector, e->blocks[lw_operand(e, 2)], cases);
    add_edge(e, order, from, lw_operand(e, 2));
    for (uint32_t i = 0; i < cases && !e->failed; i++) {
        uint32_t at = 3 + i * (words + 1), to = lw_operand(e, at + words);
        uint64_t value = lw_operand(e, at) | (words > 1 ? (uint64_t)lw_operand(e, at + 1) << 32 : 0);
        LLVMAddCase(result, lw_int(LLVMTypeOf(selector), value), e->blocks[to]);
        add_edge(e, order, from, to);
    }
}

static void
emit_conditional(lw_emitter *e, struct order *order, uint32_t from)
{
    V condition = lw_operand_value(e, 1);
    uint32_t on = lw_operand(e, 2), off = lw_operand(e, 3);
    if (e->failed || LLVMTypeOf(condition) != e->i1) {
        lw_emit_fail(e, "a branch on what is no boolean");
        return;
    }
    add_edge(e, order, from, on);
    if (on == off) {
        LLVMBuildBr(e->b, e->blocks[on]);
        return;
    }
    add_edge(e, order, from, off);
    if (e->facts->stretched && e->inst == &e->spv->insts[e->kernel->grid_stride.latch])
        condition = lw_int(e->i1, !e->kernel->grid_stride.back_if_true);
    LLVMBuildCondBr(e->b, condition, e->blocks[on], e->blocks[off]);
}

static void
emit_return(lw_emitter *e)
{
    T type = LLVMGetReturnType(LLVMGlobalGetValueType(e->function));
    V value = e->inst->op == SpvOpReturnValue ? lw_operand_value(e, 1) : NULL;
    if (e->failed)
        return;
    if ((value ? LLVMTypeOf(value) : LLVMVoidTypeInContext(e->context)) != type)
        lw_emit_fail(e, "a return of another type than declared");
    else if (value)
        LLVMBuildRet(e->b, value);
    else
        LLVMBuildRetVoid(e->b);
}

static void
emit_terminator(lw_emitter *e, struct order *order, uint32_t block)
{
    uint32_t from = e->spv->blocks[block].label;
    e->inst = terminator(e, block);
    lw_debug_at(e, e->inst);
    switch (e->inst->op) {
    case SpvOpBranch:
        add_edge(e, order, from, lw_operand(e, 1));
        LLVMBuildBr(e->b, e->blocks[lw_operand(e, 1)]);
        break;
    case SpvOpBranchConditional: emit_conditional(e, order, from); break;
    case SpvOpSwitch: emit_switch(e, order, from); break;
    case SpvOpReturn:
    case SpvOpReturnValue: emit_return(e); break;
    case SpvOpUnreachable: LLVMBuildUnreachable(e->b); break;
    default: lw_emit_fail(e, "this instruction at the end of a block"); break;
    }
}

/* ---- phis ---- */

static void
make_phis(lw_emitter *e, uint32_t block)
{
    const struct lw_block *b = &e->spv->blocks[block];
    LLVMPositionBuilderAtEnd(e->b, e->blocks[b->label]);
    for (uint32_t i = b->first; i < b->end && !e->failed; i++) {
        const struct lw_inst *inst = &e->spv->insts[i];
        if (inst->op != SpvOpPhi)
            continue;
        e->inst = inst;
        T type = lw_emit_type(e, inst->type);
        lw_debug_at(e, inst);
        if (type)
            e->values[inst->result] = LLVMBuildPhi(e->b, type, "");
    }
}

static int
compare_edges(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* How often `edge` occurs. */
static size_t
edge_count(const struct order *order, uint64_t edge)
{
    size_t low = 0, high = order->edge_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (order->edges[middle] < edge)
            low = middle + 1;
        else
            high = middle;
    }
    for (high = low; high < order->edge_count && order->edges[high] == edge;)
        high++;
    return high - low;
}

static void
fill_phi(lw_emitter *e, const struct order *order, uint32_t label)
{
    V phi = e->values[e->inst->result];
    for (unsigned n = 3; n + 1 < e->inst->count && !e->failed; n += 2) {
        uint32_t from = lw_operand(e, n + 1);
        size_t times = edge_count(order, (uint64_t)from << 32 | label);
        if (times == 0)
            continue; /* from an unreachable block */
        uint32_t *named = &order->named[block_of(e, from) - order->first_block];
        if (*named == e->inst->result)
            continue; /* once more */
        *named = e->inst->result;
        V value = lw_operand_value(e, n);
        if (!e->failed && LLVMTypeOf(value) != LLVMTypeOf(phi))
            lw_emit_fail(e, "a value of the wrong type");
        for (; times > 0 && !e->failed; times--)
            LLVMAddIncoming(phi, &value, &e->blocks[from], 1);
    }
}

static void
fill_phis(lw_emitter *e, struct order *order)
{
    if (order->edge_count)
        qsort(order->edges, order->edge_count, sizeof *order->edges, compare_edges);
    for (uint32_t i = order->count; i-- > 0;) {
        const struct lw_block *b = &e->spv->blocks[order->blocks[i]];
        for (uint32_t k = b->first; k < b->end && !e->failed; k++)
            if (e->spv->insts[k].op == SpvOpPhi) {
                e->inst = &e->spv->insts[k];
                fill_phi(e, order, b->label);
            }
    }
}

static bool
is_structure(uint32_t op)
{
    return op == SpvOpPhi || op == SpvOpLoopMerge || op == SpvOpSelectionMerge || op == SpvOpLoopControlINTEL;
}

static void
emit_bodies(lw_emitter *e, struct order *order)
{
    for (uint32_t i = order->count; i-- > 0 && !e->failed;)
        make_phis(e, order->blocks[i]);
    for (uint32_t i = order->count; i-- > 0 && !e->failed;) {
        const struct lw_block *b = &e->spv->blocks[order->blocks[i]];
        LLVMPositionBuilderAtEnd(e->b, e->blocks[b->label]);
        for (uint32_t k = b->first; k < b->end && !e->failed; k++)
            if (!is_structure(e->spv->insts[k].op)) {
                lw_show_places(e, &e->spv->insts[k]);
                lw_emit_instruction(e, &e->spv->insts[k]);
                lw_note_places(e);
            }
        lw_show_places(e, NULL);
        if (!e->failed)
            emit_terminator(e, order, order->blocks[i]);
    }
    fill_phis(e, order);
}

LLVMBasicBlockRef
lw_emit_blocks(lw_emitter *e, const struct lw_spirv_function *f)
{
    struct order order = {.blocks = calloc((size_t)f->block_count + 1, sizeof *order.blocks),
                          .named = calloc((size_t)f->block_count + 1, sizeof *order.named),
                          .first_block = f->first_block};
    struct frame *stack = calloc((size_t)f->block_count + 1, sizeof *stack);
    LLVMBasicBlockRef first = NULL;
    for (uint32_t i = 0; i < f->block_count; i++)
        e->block_of[e->spv->blocks[f->first_block + i].label] = f->first_block + i + 1;
    if (!order.blocks || !order.named || !stack) {
        lw_emit_fail(e, "so large a function: out of memory, which");
    } else {
        walk(e, f, &order, stack);
        first = e->blocks[e->spv->blocks[f->first_block].label];
        emit_bodies(e, &order);
    }
    for (uint32_t i = 0; i < f->block_count; i++)
        e->block_of[e->spv->blocks[f->first_block + i].label] = 0;
    free(order.blocks);
    free(order.edges);
    free(order.named);
    free(stack);
    return first;
}

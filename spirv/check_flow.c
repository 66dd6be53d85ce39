/* SPDX-License-Identifier: MIT */
/* Control flow of a function, and that every operand is defined where it is used.
 *
 * Enters: a bracketed function.  Leaves: lw_flow; the promise that definitions dominate uses (where
 * the blocks stand does not matter: llvm-spirv does not sort them), that phis name each predecessor, with one
 * value, and that branches stay inside. Relies on: read.c.  Never: demands structured or reducible control
 * flow.
 */
#include <stdlib.h>

#include "check_parts.h"
#include "enqueue.h"

static const struct lw_inst *
terminator(const struct lw_check *c, const struct lw_flow *flow, uint32_t b)
{
    return &c->m->insts[c->m->blocks[flow->function->first_block + b].end];
}

uint32_t
lw_flow_block_at(const struct lw_check *c, uint32_t inst)
{
    const struct lw_block *blocks = c->m->blocks + c->flow->function->first_block;
    uint32_t low = 0, high = c->flow->graph.count;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (blocks[mid].end < inst)
            low = mid + 1;
        else
            high = mid;
    }
    return low < c->flow->graph.count && inst + 1 >= blocks[low].first ? low : LW_NO_INST;
}

/* Local number of the block with this label, LW_NO_INST where it is none of the function's. */
static uint32_t
flow_block(const struct lw_check *c, uint32_t label)
{
    if (lw_op_of(c->m, label) != SpvOpLabel)
        return LW_NO_INST;
    uint32_t b = lw_flow_block_at(c, c->m->def[label]);
    return b != LW_NO_INST && c->m->blocks[c->flow->function->first_block + b].label == label ? b
                                                                                              : LW_NO_INST;
}

/* false: they are none of the function's. */
static bool
find_successors(struct lw_check *c, struct lw_arena *arena, struct lw_flow *flow)
{
    struct lw_graph *g = &flow->graph;
    size_t edges = 0;
    for (uint32_t b = 0; b < g->count; b++)
        for (uint32_t n = 0; lw_successor(c->m, terminator(c, flow, b), n); n++)
            edges++;
    g->succ_begin = LW_ARENA_NEW(arena, uint32_t, (size_t)g->count + 1);
    g->succs = LW_ARENA_NEW(arena, uint32_t, edges);
    uint32_t next = 0;
    for (uint32_t b = 0; b < g->count; b++) {
        const struct lw_inst *inst = terminator(c, flow, b);
        uint32_t label;
        g->succ_begin[b] = next;
        for (uint32_t n = 0; (label = lw_successor(c->m, inst, n)); n++) {
            uint32_t to = flow_block(c, label);
            if (to == LW_NO_INST)
                return lw_invalid(c, inst, "it branches to what is no block of its function");
            if (to == 0)
                return lw_invalid(c, inst, "it branches to the entry block");
            g->succs[next++] = to;
        }
    }
    g->succ_begin[g->count] = next;
    return true;
}

struct making {
    struct lw_check *c;
    struct lw_flow *flow;
    bool fine;
};

static void
make(struct lw_arena *arena, void *data)
{
    struct making *m = data;
    struct lw_flow *flow = m->flow;
    struct lw_graph *g = &flow->graph;
    m->fine = find_successors(m->c, arena, flow);
    if (!m->fine)
        return;
    flow->dominator = LW_ARENA_NEW(arena, uint32_t, g->count);
    flow->enter = LW_ARENA_NEW(arena, uint32_t, g->count);
    flow->leave = LW_ARENA_NEW(arena, uint32_t, g->count);
    lw_graph_find_preds(arena, g);
    lw_graph_dominators(arena, g, 0, flow->dominator);
    lw_number_forest(arena, flow->dominator, g->count, flow->enter, flow->leave);
}

bool
lw_flow_make(struct lw_check *c, const struct lw_spirv_function *f, struct lw_flow *out)
{
    struct making m = {c, out, false};
    *out = (struct lw_flow){.function = f, .arena = lw_arena_create(), .graph.count = f->block_count};
    c->flow = out;
    if (!out->arena || !lw_arena_try(out->arena, make, &m))
        m.fine = lw_spirv_fail(c->error, LW_ERR_MEMORY, 0);
    c->flow = NULL;
    if (!m.fine)
        lw_flow_free(out);
    return m.fine;
}

void
lw_flow_free(struct lw_flow *flow)
{
    lw_arena_free(flow->arena);
}

static bool
dominates(const struct lw_flow *flow, uint32_t a, uint32_t b)
{
    if (b && flow->dominator[b] == LW_NONE)
        return true; /* never runs */
    return flow->enter[a] <= flow->enter[b] && flow->enter[b] < flow->leave[a];
}

static bool
may_name_labels(uint32_t op)
{
    return op == SpvOpBranch || op == SpvOpBranchConditional || op == SpvOpSwitch || op == SpvOpPhi ||
           op == SpvOpLoopMerge || op == SpvOpSelectionMerge;
}

/* Optimised loops are left with integers of 31 or 33 bits here and there: only computing with them works. */
static bool
may_have_odd_width(uint32_t op)
{
    switch (op) {
    case SpvOpIEqual:
    case SpvOpINotEqual:
    case SpvOpUGreaterThan:
    case SpvOpSGreaterThan:
    case SpvOpUGreaterThanEqual:
    case SpvOpSGreaterThanEqual:
    case SpvOpULessThan:
    case SpvOpSLessThan:
    case SpvOpULessThanEqual:
    case SpvOpSLessThanEqual:
    case SpvOpSelect:
    case SpvOpSwitch:
    case SpvOpPhi:
    case SpvOpUndef:
    case SpvOpCopyObject:
        return true;
    default:
        return lw_integer_operands(op) != 0;
    }
}

static bool
check_width(struct lw_check *c, const struct lw_inst *inst, uint32_t type)
{
    struct lw_shape s = lw_shape_of_type(c->m, type);
    if (s.class == LW_CLASS_POINTER)
        s = lw_shape_of_type(c->m, s.pointee);
    bool usual = s.width == 8 || s.width == 16 || s.width == 32 || s.width == 64;
    return s.class != LW_CLASS_INT || usual || (may_have_odd_width(inst->op) && s.lanes == 1) ||
           lw_refused(c, inst, "integers of other than 8, 16, 32 or 64 bits can only be computed with");
}

/* One id of an instruction other than OpPhi; `word` is its word. */
static bool
check_use(struct lw_check *c, const struct lw_inst *inst, uint32_t block, uint32_t id, uint32_t word)
{
    const lw_module *m = c->m;
    const struct lw_inst *def = lw_def(m, id);
    if (!def)
        return lw_spirv_fail(c->error, LW_ERR_UNDEFINED, inst->at, lw_op_name(inst->op), inst->at, c->kernel,
                             id);
    uint32_t index = m->def[id];
    if (def->type && !check_width(c, inst, def->type))
        return false;
    if (index < m->global_count)
        return lw_check_builtin_pointer(c, inst, id);
    if (def->op == SpvOpFunction)
        return (inst->op == SpvOpFunctionCall && word == 3) || word == lw_block_word(inst->op) ||
               lw_refused(c, inst, "function pointers are not supported");
    if (def->op == SpvOpLabel)
        return (may_name_labels(inst->op) && flow_block(c, id) != LW_NO_INST) ||
               lw_invalid(c, inst, "it names a label that it cannot name");
    const struct lw_spirv_function *f = c->flow->function;
    if (index < f->inst || index > f->end)
        return lw_invalid(c, inst, "it uses a value of another function");
    uint32_t from = lw_flow_block_at(c, index);
    if (from == block && index >= c->at)
        return lw_invalid(c, inst, "it uses a value before its definition");
    if (from != LW_NO_INST && !dominates(c->flow, from, block))
        return lw_invalid(c, inst, "it uses a value whose definition does not dominate it");
    return lw_check_builtin_pointer(c, inst, id);
}

struct parent {
    uint32_t wanted, named; /* the last phi that has it as a predecessor, and that named it */
    uint32_t value;         /* in that */
};

/* Values and parents. A parent may be named again with the same value: llvm-spirv writes a pair for each case
 * of a switch, where the specification wants one. */
static bool
check_phi(struct lw_check *c, const struct lw_inst *inst, uint32_t block, struct parent *parents)
{
    const lw_module *m = c->m;
    const struct lw_flow *flow = c->flow;
    const struct lw_graph *g = &flow->graph;
    uint32_t pairs = (inst->count - 3u) / 2, missing = g->pred_begin[block + 1] - g->pred_begin[block];
    if (inst->count % 2 == 0)
        return lw_invalid(c, inst, "a value has no predecessor");
    for (uint32_t p = g->pred_begin[block]; p < g->pred_begin[block + 1]; p++)
        parents[g->preds[p]].wanted = c->at;
    for (uint32_t i = 0; i < pairs; i++) {
        uint32_t id = lw_word(m, inst, 3 + 2 * i), parent = flow_block(c, lw_word(m, inst, 4 + 2 * i));
        if (parent == LW_NO_INST || parents[parent].wanted != c->at)
            return lw_invalid(c, inst, "it names a block that is no predecessor");
        if (parents[parent].named == c->at) {
            if (parents[parent].value != id)
                return lw_invalid(c, inst, "it has two values for one predecessor");
            continue;
        }
        parents[parent].named = c->at;
        parents[parent].value = id;
        missing--;
        const struct lw_inst *def = lw_def(m, id);
        if (!def)
            return lw_spirv_fail(c->error, LW_ERR_UNDEFINED, inst->at, lw_op_name(inst->op), inst->at,
                                 c->kernel, id);
        if (!lw_same_shape(lw_shape_of(m, id), lw_shape_of_type(m, inst->type)))
            return lw_invalid(c, inst, "a value has another type than the result");
        if (!lw_check_builtin_pointer(c, inst, id))
            return false;
        uint32_t index = m->def[id];
        if (index < m->global_count)
            continue;
        if (index < flow->function->inst || index > flow->function->end)
            return lw_invalid(c, inst, "it uses a value of another function");
        uint32_t from = lw_flow_block_at(c, index);
        if (from != LW_NO_INST && !dominates(flow, from, parent))
            return lw_invalid(c, inst, "a value's definition does not dominate its predecessor");
    }
    return !missing || lw_invalid(c, inst, "it does not name each predecessor");
}

static bool
is_debug(const lw_module *m, const struct lw_inst *inst)
{
    if (inst->op == SpvOpLine || inst->op == SpvOpNoLine || inst->op == SpvOpNop)
        return true;
    return inst->op == SpvOpExtInst && lw_is_non_semantic(m, inst);
}

static bool
check_operand_uses(struct lw_check *c, const struct lw_inst *inst, uint32_t block)
{
    struct lw_operand_walk walk;
    struct lw_operand operand;
    if (inst->type && (!lw_def(c->m, inst->type) || c->m->def[inst->type] >= c->m->global_count))
        return lw_spirv_fail(c->error, LW_ERR_UNDEFINED, inst->at, lw_op_name(inst->op), inst->at, c->kernel,
                             inst->type);
    if (inst->type && !check_width(c, inst, inst->type))
        return false;
    lw_operands_start(&walk, c->m, inst);
    while (lw_operands_next(&walk, &operand))
        if (operand.kind == LW_OPERAND_ID &&
            !check_use(c, inst, block, c->m->words[operand.at], operand.at - inst->at))
            return false;
    return true;
}

bool
lw_check_uses(struct lw_check *c)
{
    const struct lw_flow *flow = c->flow;
    struct parent *parents = calloc(flow->graph.count + 1u, sizeof *parents);
    if (!parents)
        return lw_spirv_fail(c->error, LW_ERR_MEMORY, 0);
    bool fine = true;
    for (uint32_t b = 0; b < flow->graph.count && fine; b++) {
        const struct lw_block *block = &c->m->blocks[flow->function->first_block + b];
        bool first = true;
        for (c->at = block->first; c->at <= block->end && fine; c->at++) {
            const struct lw_inst *inst = &c->m->insts[c->at];
            if (is_debug(c->m, inst))
                continue;
            if (inst->op == SpvOpPhi) {
                fine = first ? check_phi(c, inst, b, parents)
                             : lw_invalid(c, inst, "it is not at its block's start");
                continue;
            }
            /* llvm-spirv puts them there for each branch back of a loop. They are hints. */
            if (inst->op != SpvOpLoopMerge && inst->op != SpvOpLoopControlINTEL)
                first = false;
            fine = check_operand_uses(c, inst, b);
        }
    }
    free(parents);
    return fine;
}

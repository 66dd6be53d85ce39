/* SPDX-License-Identifier: MIT */
/* The fixpoint over values, branches and private memory, see uniformity.h.
 *
 * Enters: canonical form and its model. Leaves: the function unchanged.
 * Relies on: LCSSA (a value that leaves a divergent loop passes a phi), the block order, offsets.h for the
 * arithmetic, divergence.h for control.
 *
 * Optimistic: everything starts unseen, and facts only get weaker. Sweeps in block order settle all that
 * flows forward; loops ask for another sweep. Each block is visited with its join and mask state derived from
 * the blocks before it. What one instruction makes of its operands stands in uniformity_facts.c.
 */
#include "uniformity.h"

#include <llvm-c/Target.h>

#include "agreement.h"
#include "batches.h"
#include "kept.h"
#include "uniformity_internal.h"

/* ---- Private memory ---- */

static void
make_varying(struct analysis *a, uint32_t alloca)
{
    if (a->shape->lanes > 1 && alloca != LW_NONE && alloca != MIXED && !a->u->varying_alloca[alloca]) {
        a->u->varying_alloca[alloca] = true;
        a->changed = true;
    }
}

/* Merges the objects that two incoming pointers lead into. */
static uint32_t
merge_bases(struct analysis *a, uint32_t x, uint32_t y)
{
    if (x == y)
        return x;
    make_varying(a, x);
    make_varying(a, y);
    return MIXED;
}

static bool
is_derivation(LLVMOpcode op)
{
    return op == LLVMGetElementPtr || op == LLVMBitCast || op == LLVMAddrSpaceCast || op == LLVMFreeze ||
           op == LLVMPHI || op == LLVMSelect;
}

/* The object that the pointer made by `i` leads into. */
static uint32_t
find_base(struct analysis *a, LLVMValueRef i, LLVMOpcode op)
{
    if (op == LLVMAlloca)
        return lw_value_id(a->m, i);
    if (!is_derivation(op) || LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMPointerTypeKind)
        return LW_NONE;
    if (op == LLVMSelect)
        return merge_bases(a, lw_alloca_of(a, LLVMGetOperand(i, 1)), lw_alloca_of(a, LLVMGetOperand(i, 2)));
    if (op != LLVMPHI)
        return lw_alloca_of(a, LLVMGetOperand(i, 0));
    uint32_t base = LW_NONE;
    bool first = true;
    for (unsigned k = 0; k < LLVMCountIncoming(i); k++) {
        LLVMValueRef value = LLVMGetIncomingValue(i, k);
        uint32_t id = lw_value_id(a->m, value);
        if (LLVMIsUndef(value) || (id != LW_NONE && a->facts[id].level == LW_LEVEL_UNSEEN))
            continue;
        base = first ? lw_alloca_of(a, value) : merge_bases(a, base, lw_alloca_of(a, value));
        first = false;
    }
    return base;
}

/* What a pointer operand's use at `i` says about the alloca behind it. */
static void
see_uses(struct analysis *a, LLVMValueRef i, LLVMOpcode op, uint32_t block)
{
    int operands = LLVMGetNumOperands(i);
    for (int k = 0; k < operands; k++) {
        LLVMValueRef operand = LLVMGetOperand(i, (unsigned)k);
        uint32_t base = LLVMValueIsBasicBlock(operand) ? LW_NONE : lw_alloca_of(a, operand);
        if (base == LW_NONE || base == MIXED || a->u->varying_alloca[base])
            continue;
        if (is_derivation(op) && LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMPointerTypeKind)
            continue;
        bool plain = (op == LLVMLoad || op == LLVMStore) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
        if (op == LLVMLoad && plain)
            continue;
        if (op != LLVMStore || k != 1 || !plain) {
            make_varying(a, base);
            continue;
        }
        struct lw_fact value = lw_operand_fact(a, LLVMGetOperand(i, 0)),
                       address = lw_operand_fact(a, operand);
        if (value.level > LW_LEVEL_UNIFORM || address.level > LW_LEVEL_UNIFORM ||
            lw_alloca_of(a, LLVMGetOperand(i, 0)) != LW_NONE || lw_scope_masked(a->sub_group, block))
            make_varying(a, base);
    }
}
/* Terminators: operand 0 of a conditional branch or switch is its condition. */
static LLVMValueRef
condition_of(LLVMValueRef terminator)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(terminator);
    if (op == LLVMBr)
        return LLVMIsConditional(terminator) ? LLVMGetCondition(terminator) : NULL;
    return op == LLVMSwitch ? LLVMGetOperand(terminator, 0) : NULL;
}

/* ---- The fixpoint ---- */

static bool
same_fact(const struct lw_fact *x, const struct lw_fact *y)
{
    return x->level == y->level && x->group_uniform == y->group_uniform && x->assumes == y->assumes &&
           x->in_buffer == y->in_buffer && x->exact_signed == y->exact_signed &&
           x->exact_unsigned == y->exact_unsigned && x->known == y->known && x->residue == y->residue &&
           x->offsets == y->offsets && x->lo == y->lo && x->hi == y->hi;
}

/* Facts only get weaker: unseen, uniform, strided, varying; otherwise the join. */
static void
update(struct analysis *a, uint32_t id, struct lw_fact now, unsigned width)
{
    struct lw_fact *old = &a->facts[id], next;
    if (now.level == LW_LEVEL_UNSEEN)
        return;
    if (old->level == LW_LEVEL_UNIFORM && now.level == LW_LEVEL_STRIDED) {
        next = now;
        next.lo = old->lo < now.lo ? old->lo : now.lo;
        next.hi = old->hi > now.hi ? old->hi : now.hi;
    } else {
        next = lw_fact_join(*old, now, width);
    }
    if (!same_fact(old, &next)) {
        *old = next;
        a->changed = true;
    }
}

static void
visit(struct analysis *a, uint32_t id, uint32_t block)
{
    LLVMValueRef i = a->m->values[id];
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    struct lw_fact f = lw_instruction_fact(a, i, op, block);
    uint32_t base = find_base(a, i, op), old = a->u->alloca_base[id];
    if (f.level != LW_LEVEL_UNSEEN && base != old) {
        base = old == LW_NONE || old == base ? base : merge_bases(a, old, base);
        a->changed |= base != old;
        a->u->alloca_base[id] = base;
    }
    base = a->u->alloca_base[id];
    bool rows =
        base != LW_NONE && base != MIXED && a->u->varying_alloca[base]; /* lane-minor: rows are not strided */
    bool apart = base == MIXED || (rows && f.level == LW_LEVEL_STRIDED);
    if (apart && a->shape->lanes > 1 && f.level != LW_LEVEL_UNSEEN)
        f = lw_fact_varying(64);
    update(a, id, f, lw_fact_width(LLVMTypeOf(i)));
    if (a->facts[id].level == LW_LEVEL_VARYING || a->distrusted[id])
        lw_distrust_operands(a, i, op);
    see_uses(a, i, op, block);
    for (int k = 0, n = LLVMGetNumOperands(i); k < n && !a->apart[id]; k++) {
        uint32_t operand = lw_value_id(a->m, LLVMGetOperand(i, (unsigned)k));
        if (operand != LW_NONE && a->apart[operand])
            lw_set_apart(a, id);
    }
}

static void
sweep(struct analysis *a)
{
    for (uint32_t b = 0; b < a->m->block_count; b++) {
        const struct lw_vblock *block = &a->m->blocks[b];
        a->changed |= lw_scope_visit(a->sub_group, b);
        a->changed |= lw_scope_visit(a->group, b);
        for (uint32_t n = block->first_value; n < block->value_end; n++)
            visit(a, n, b);
        LLVMValueRef condition = condition_of(LLVMGetBasicBlockTerminator(block->ref));
        struct lw_fact f = {.level = LW_LEVEL_UNIFORM, .group_uniform = true};
        if (condition)
            f = lw_operand_fact(a, condition);
        bool seen = f.level != LW_LEVEL_UNSEEN;
        /* Sub-groups that part on the way to a barrier walk there with masks. */
        uint32_t c = condition ? lw_value_id(a->m, condition) : LW_NONE;
        bool part = c != LW_NONE && a->apart[c] && lw_leads_to_barriers(a->m, a->barriers, b);
        part |= a->batches && seen && !f.group_uniform && lw_leads_to_barriers(a->m, a->batches, b);
        a->changed |= lw_scope_branch(a->sub_group, b, f.level > LW_LEVEL_UNIFORM || part);
        a->changed |= lw_scope_branch(a->group, b, seen && !f.group_uniform);
    }
}

static void
set_parameters(struct analysis *a)
{
    for (uint32_t p = 0; p < a->m->param_count; p++) {
        unsigned width = lw_fact_width(LLVMTypeOf(a->m->values[p]));
        bool varies = a->m->instance && !a->m->instance->uniform[p];
        a->facts[p] = varies ? lw_fact_varying(width) : lw_fact_uniform(a->o, width, !a->m->instance);
        a->block_of[p] = LW_NONE;
    }
    for (uint32_t b = 0; b < a->m->block_count; b++)
        for (uint32_t id = a->m->blocks[b].first_value; id < a->m->blocks[b].value_end; id++) {
            a->block_of[id] = b;
            if (LLVMGetInstructionOpcode(a->m->values[id]) == LLVMAlloca &&
                (b != 0 || !LLVMIsAConstantInt(LLVMGetOperand(a->m->values[id], 0))))
                a->u->varying_alloca[id] = true;
        }
}

static void
publish(struct analysis *a)
{
    struct lw_uniformity *u = a->u;
    for (uint32_t id = 0; id < a->m->value_count; id++) {
        const struct lw_fact *f = &a->facts[id];
        struct lw_vinfo *v = &u->values[id];
        bool integer = LLVMGetTypeKind(LLVMTypeOf(a->m->values[id])) == LLVMIntegerTypeKind;
        v->form = f->level == LW_LEVEL_UNIFORM   ? LW_UNIFORM
                  : f->level == LW_LEVEL_STRIDED ? LW_STRIDED
                                                 : LW_VARYING;
        v->group_uniform = v->form == LW_UNIFORM && f->group_uniform;
        v->assumes_no_wrap = v->form == LW_STRIDED && f->assumes;
        v->lo = integer ? f->lo : 1;
        v->hi = integer ? f->hi : 0;
        if (v->form != LW_STRIDED)
            continue;
        v->offsets = f->offsets;
        v->exact = f->exact_unsigned == LW_PROVED;
        v->linear = lw_offsets_are_linear(a->o, f->offsets);
        v->stride = v->linear && a->shape->lanes > 1 ? f->offsets[1] : 0;
    }
    u->divergent_branch = a->sub_group->branch;
    u->divergent_loop = a->sub_group->loop;
    for (uint32_t b = 0; b < a->m->block_count; b++)
        u->masked[b] = lw_scope_masked(a->sub_group, b);
}

struct question {
    const struct lw_model *model;
    const struct lw_shape *shape;
    const struct lw_piece *piece;
    struct lw_uniformity *answer;
};

static void
answer(struct lw_arena *arena, void *data)
{
    struct question *question = data;
    const struct lw_model *model = question->model;
    const struct lw_shape *shape = question->shape;
    struct analysis *a = LW_ARENA_NEW(arena, struct analysis, 1);
    struct lw_uniformity *u = LW_ARENA_NEW(arena, struct lw_uniformity, 1);
    struct lw_iteration_graph *graph = lw_iteration_graph_create(arena, model);
    *a = (struct analysis){.m = model, .shape = shape, .piece = question->piece, .arena = arena, .u = u};
    a->o = lw_offsets_create(arena, shape->lanes);
    a->facts = LW_ARENA_NEW(arena, struct lw_fact, model->value_count);
    a->block_of = LW_ARENA_NEW(arena, uint32_t, model->value_count);
    a->distrusted = LW_ARENA_NEW(arena, bool, model->value_count);
    a->apart = LW_ARENA_NEW(arena, bool, model->value_count);
    u->batched = model->kept ? NULL : lw_find_batches(arena, model, shape);
    a->barriers = lw_count_meetings(arena, model, NULL);
    a->batches = u->batched ? lw_count_meetings(arena, model, u->batched) : NULL;
    a->sub_group = lw_scope_create(arena, graph);
    a->group = lw_scope_create(arena, graph);
    a->layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(model->function));
    u->arena = arena;
    u->privates = lw_find_private_layouts(arena, model);
    u->values = LW_ARENA_NEW(arena, struct lw_vinfo, model->value_count);
    u->masked = LW_ARENA_NEW(arena, bool, model->block_count);
    u->varying_alloca = LW_ARENA_NEW(arena, bool, model->value_count);
    u->alloca_base = lw_arena_fill(arena, model->value_count, LW_NONE);
    set_parameters(a);
    do {
        a->changed = false;
        sweep(a);
    } while (a->changed);
    publish(a);
    question->answer = u;
}

static struct lw_uniformity *
find(const struct lw_model *model, const struct lw_shape *shape, const struct lw_piece *piece)
{
    struct question question = {.model = model, .shape = shape, .piece = piece};
    struct lw_arena *arena = lw_arena_create();
    if (arena && lw_arena_try(arena, answer, &question))
        return question.answer;
    lw_arena_free(arena);
    return NULL;
}

struct lw_uniformity *
lw_find_uniformity(const struct lw_model *model, const struct lw_shape *shape)
{
    return find(model, shape, NULL);
}

struct lw_uniformity *
lw_find_piece_uniformity(const struct lw_model *model, const struct lw_shape *shape,
                         const struct lw_piece *piece)
{
    struct lw_shape part = *shape;
    part.lanes = piece->lanes;
    return find(model, &part, piece);
}

void
lw_uniformity_free(struct lw_uniformity *u)
{
    if (u)
        lw_arena_free(u->arena);
}

struct lw_vinfo
lw_form_of(const struct lw_uniformity *u, const struct lw_model *model, LLVMValueRef value)
{
    uint32_t id = lw_value_id(model, value);
    if (id != LW_NONE)
        return u->values[id];
    struct lw_vinfo v = {.form = LW_UNIFORM, .group_uniform = true, .lo = 1, .hi = 0};
    if (LLVMIsAConstantInt(value) && LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64)
        v.lo = v.hi = LLVMConstIntGetSExtValue(value);
    return v;
}

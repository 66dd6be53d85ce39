/* SPDX-License-Identifier: MIT */
/* Finds the atomics on one address of the work-group that its sub-groups may do together.
 *
 * The sub-groups run up to the atomic one after the other, each with a running sum of what the ones before
 * brought; the last one changes memory once, for all, and each goes on with what it would have found had they
 * all done theirs in a row. That is an interleaving of the sub-groups like any other: they have no claim on
 * each other's progress. Atomics cost a hundred times an addition where several threads want the same line.
 *
 * Enters: canonical form and its model.
 * Leaves: marks; uniformity.c then makes masks of the branches that lead there, as for barriers.
 * Relies on: nothing but the function itself. Never: marks one in a loop, one whose way is long or has loops
 * that sub-groups may skip today, one that a single work-item does, or any where a loop looks at memory
 * that others change: it might wait for a sub-group that has not passed the atomic.
 */
#include "batches.h"
#include "gep.h"
#include "calls.h"
#include "integers.h"
#include "memory_effects.h"

#include <string.h>

#include "../../spirv/intrinsics.h"

#define MOST_TRIES 8    /* candidates looked at */
#define MOST_SKIPPED 96 /* instructions that a branch saves its sub-group today */
#define DEPTH 8

/* Made of parameters and constants by instructions that any sub-group may run, whatever its lanes. */
static bool
is_of_group(LLVMValueRef v, int depth)
{
    if (!LLVMIsAInstruction(v))
        return true;
    if (depth == DEPTH)
        return false;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    switch (op) {
    case LLVMCall:
        return lw_call_same(v) == LW_SAME_GROUP && lw_call_computes(v);
    case LLVMGetElementPtr:
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMICmp:
    case LLVMSelect:
    case LLVMFreeze:
        break;
    default:
        if (!lw_is_int_operation(op) && !lw_is_int_cast(op))
            return false;
    }
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (!is_of_group(LLVMGetOperand(v, (unsigned)k), depth + 1))
            return false;
    return true;
}

/* Operations whose order nobody sees: of floating-point ones addition, where no old values are asked for. */
static bool
is_operation(LLVMValueRef v)
{
    LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(v);
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(v));

    if (op == LLVMAtomicRMWBinOpFAdd || op == LLVMAtomicRMWBinOpFSub)
        return (kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind) && !LLVMGetFirstUse(v);
    return kind == LLVMIntegerTypeKind && op != LLVMAtomicRMWBinOpXchg && op <= LLVMAtomicRMWBinOpUMin &&
           op != LLVMAtomicRMWBinOpNand;
}

struct finder {
    const struct lw_model *m;
    uint32_t *loops; /* loop headers in the blocks before */
    bool waits;      /* some loop looks at what others change */
};

static void
measure(struct finder *f, struct lw_arena *arena)
{
    const struct lw_model *m = f->m;

    f->loops = LW_ARENA_NEW(arena, uint32_t, m->block_count + 1);
    for (uint32_t b = 0; b < m->block_count; b++) {
        const struct lw_vblock *k = &m->blocks[b];
        f->loops[b + 1] = f->loops[b] + (k->loop != LW_NONE && m->loops[k->loop].header == b);
        for (uint32_t n = k->first_value; n < k->value_end && k->loop != LW_NONE; n++)
            f->waits |= lw_is_ordered_access(m->values[n]) || lw_is_call_of(m->values[n], LW_YIELD);
    }
}

/* An id that differs between sub-groups: one sub-group has the one that is asked for. */
static bool
is_own_id(LLVMValueRef v)
{
    while (LLVMIsAZExtInst(v) || LLVMIsASExtInst(v) || LLVMIsATruncInst(v))
        v = LLVMGetOperand(v, 0);
    return lw_call_same(v) == LW_SAME_ITEM || lw_is_call_of(v, "lw.sub_group_id");
}

static bool
asks_for_one(LLVMValueRef condition)
{
    if (!LLVMIsAICmpInst(condition))
        return false;
    LLVMIntPredicate p = LLVMGetICmpPredicate(condition);
    return (p == LLVMIntEQ || p == LLVMIntNE) &&
           (is_own_id(LLVMGetOperand(condition, 0)) || is_own_id(LLVMGetOperand(condition, 1)));
}

/* May the branch of `b`, which decides whether `block` is run, become masks? */
static bool
may_mask(const struct finder *f, uint32_t b)
{
    const struct lw_vblock *k = &f->m->blocks[b];
    LLVMValueRef end = LLVMGetBasicBlockTerminator(k->ref);
    uint32_t join = k->ipdom == LW_NONE ? f->m->block_count : k->ipdom;

    if (LLVMGetInstructionOpcode(end) != LLVMBr || k->loop != LW_NONE)
        return false;
    if (is_of_group(LLVMGetCondition(end), 0))
        return true;
    return !asks_for_one(LLVMGetCondition(end)) && f->loops[join] == f->loops[b + 1] &&
           f->m->blocks[join - 1].value_end - k->value_end <= MOST_SKIPPED;
}

static bool
is_candidate(LLVMValueRef v)
{
    if (!LLVMIsAAtomicRMWInst(v) || LLVMGetVolatile(v) || !is_operation(v))
        return false;
    LLVMValueRef pointer = LLVMGetOperand(v, 0);
    return lw_space_of(pointer) == LW_AS_GLOBAL && is_of_group(pointer, 0);
}

/* Do all sub-groups come to the block, or may they? */
static bool
is_reached(const struct finder *f, uint32_t block)
{
    for (uint32_t b = 0; b < block; b++) {
        const struct lw_vblock *k = &f->m->blocks[b];
        uint32_t join = k->ipdom == LW_NONE ? f->m->block_count : k->ipdom;
        if (k->succ_count > 1 && block < join && !may_mask(f, b))
            return false;
    }
    return true;
}

bool *
lw_find_batches(struct lw_arena *arena, const struct lw_model *m, const struct lw_shape *shape)
{
    struct finder f = {.m = m};
    uint64_t items = (uint64_t)shape->local_size[0] * shape->local_size[1] * shape->local_size[2];
    bool *batched = NULL;
    unsigned tries = 0;

    if (items <= shape->lanes)
        return NULL;
    measure(&f, arena);
    for (uint32_t b = 0; b < m->block_count && !f.waits; b++) {
        const struct lw_vblock *k = &m->blocks[b];
        for (uint32_t n = k->first_value; n < k->value_end && k->loop == LW_NONE; n++) {
            if (!is_candidate(m->values[n]))
                continue;
            if (tries++ == MOST_TRIES)
                return batched;
            if (!is_reached(&f, b))
                break;
            if (!batched)
                batched = LW_ARENA_NEW(arena, bool, m->value_count);
            batched[n] = true;
        }
    }
    return batched;
}

/* SPDX-License-Identifier: MIT */
/* Finds the piece of code that quotients.c writes twice: from a division that varies by its index alone to
 * the end of what the division's block dominates, in one round of a loop.
 *
 * Enters: lw.kernel in canonical form, its model and uniformity. Leaves: where the piece begins and ends
 * (split.p); or a block cut so that it may be found at the next look (split.cut), all values as they were.
 * Never: finds a piece with a barrier, an operation between lanes or a private array of the lanes in it, or
 * one that is not worth it.
 */
#include "quotients_internal.h"

#include "../facts/calls.h"
#include "../facts/memory_effects.h"
#include "../facts/gep.h"
#include "module_pass.h"
#include "../../spirv/intrinsics.h"

#define MOST_WRITTEN 600 /* instructions of a piece */
#define MOST_DECIDED 8

/* A division that varies by its index alone. */
static bool
opens(const struct split *s, LLVMValueRef v)
{
    if (!lw_is_division(v) || !lw_has_index(v) || lw_is_marked(s, v, LW_QUOTIENT_DONE))
        return false;
    struct lw_vinfo index = lw_form_of(s->u, s->m, LLVMGetOperand(v, 0));
    return lw_form_of(s->u, s->m, v).form == LW_VARYING && index.form == LW_STRIDED && index.linear &&
           index.stride > 0 && !index.assumes_no_wrap && index.stride * (int64_t)s->lanes < MOST_REACH &&
           lw_form_of(s->u, s->m, lw_divisor_of(v)).form == LW_UNIFORM;
}

static bool
may_be_twice(LLVMValueRef v)
{
    return !LLVMIsAAllocaInst(v) && (!LLVMIsACallInst(v) || lw_call_computes(v));
}

/* Twice as many accesses may be more than a private array in registers has (forms/few.c). */
static bool
is_private_array(const struct split *s, LLVMValueRef v)
{
    LLVMValueRef at = lw_address_of(v);
    return at && lw_space_of(at) == LW_AS_PRIVATE && lw_form_of(s->u, s->m, at).form != LW_UNIFORM;
}

bool
lw_access_varies(const struct split *s, LLVMValueRef v)
{
    LLVMValueRef at = lw_address_of(v);
    return at && lw_form_of(s->u, s->m, at).form == LW_VARYING;
}

static bool
is_worth_it(const struct split *s)
{
    uint32_t count = 0;
    bool pays = false;
    for (uint32_t b = s->p.head; b < s->m->block_count; b++) {
        const struct lw_vblock *block = &s->m->blocks[b];
        for (uint32_t id = block->first_value; id < block->value_end; id++) {
            if (!lw_is_twice(&s->p, b, id))
                continue;
            LLVMValueRef v = s->m->values[id];
            if (!may_be_twice(v) || is_private_array(s, v) || ++count > MOST_WRITTEN)
                return false;
            pays |= lw_access_varies(s, v);
        }
    }
    return pays;
}

/* Does all that the head dominates stay in the head's loop, and end in a round? */
static bool
stays_inside(const struct split *s)
{
    uint32_t loop = s->m->blocks[s->p.head].loop;
    if (loop == LW_NONE)
        return true;
    if (lw_dominates(s->m, s->p.head, s->m->loops[loop].latch))
        return false;
    for (uint32_t e = 0; e < s->m->loops[loop].exit_count; e++)
        if (lw_dominates(s->m, s->p.head, s->m->loops[loop].exit_edges[2 * e]))
            return false;
    return true;
}

/* The last block that the head dominates, of those that it leads to in any case and in its round. */
static uint32_t
last_block(const struct split *s)
{
    const struct lw_model *m = s->m;
    uint32_t last = s->p.head, loop = m->blocks[last].loop;
    for (uint32_t b = m->blocks[last].ipdom; b != LW_NONE && m->blocks[b].loop == loop &&
                                             m->loops[loop].header != b && lw_dominates(m, s->p.head, b);
         b = m->blocks[b].ipdom)
        last = b;
    return last;
}

/* Goes round or leaves, and nothing else. */
static bool
only_decides(const struct split *s, uint32_t b)
{
    const struct lw_vblock *block = &s->m->blocks[b];
    for (uint32_t n = block->first_value; n < block->value_end; n++) {
        LLVMValueRef v = s->m->values[n];
        if (lw_memory_effect(v) != LW_NO_MEMORY || LLVMIsACallInst(v) || lw_is_division(v))
            return false;
    }
    return true;
}

/* Is it there for `decision` alone, the last instructions of the block? */
static bool
serves(LLVMValueRef v, const LLVMValueRef *decision, unsigned count)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (!lw_is_int_operation(op) && !lw_is_int_cast(op) && op != LLVMICmp)
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
        unsigned k = 0;
        while (k < count && decision[k] != LLVMGetUser(use))
            k++;
        if (k == count)
            return false;
    }
    return true;
}

/* Takes what is not for the decision how the loop goes on to a block before it. */
static void
cut_decision(struct split *s, uint32_t b)
{
    LLVMValueRef decision[MOST_DECIDED];
    unsigned count = 1;
    decision[0] = LLVMGetBasicBlockTerminator(s->m->blocks[b].ref);
    for (LLVMValueRef i = LLVMGetPreviousInstruction(decision[0]), before; i && count < MOST_DECIDED;
         i = before) {
        before = LLVMGetPreviousInstruction(i);
        if (!serves(i, decision, count))
            continue;
        LLVMInstructionRemoveFromParent(i);
        LLVMPositionBuilderBefore(s->b, decision[count - 1]);
        LLVMInsertIntoBuilder(s->b, i);
        decision[count++] = i;
    }
    LLVMPositionBuilderAtEnd(s->b, lw_part_block(s->b, decision[count - 1]));
    LLVMBuildBr(s->b, s->m->blocks[b].ref);
    s->cut = true;
}

/* Where the piece ends; false: there is no place for it as things stand. Lanes that leave a loop from two
 * copies of its end would meet as if they had come different ways: there is one end, behind the piece. */
static bool
find_end(struct split *s)
{
    s->p.end = LW_NONE;
    if (stays_inside(s))
        return true;
    uint32_t last = last_block(s);
    if (last == s->p.head || !only_decides(s, last)) {
        cut_decision(s, last);
        return false;
    }
    s->p.end = last;
    return true;
}

static bool
is_inside(const struct split *s, LLVMValueRef v)
{
    return LLVMIsAInstruction(v) && lw_is_twice(&s->p, lw_block_id_of(s->m, v), lw_value_id(s->m, v));
}

/* Is it computed of what is there before the piece? */
static bool
may_go_before(const struct split *s, LLVMValueRef v, unsigned depth)
{
    LLVMOpcode op = LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : 0;
    if (!is_inside(s, v))
        return true;
    if (depth == MOST_DECIDED || lw_is_division(v) ||
        (!lw_is_int_operation(op) && !lw_is_int_cast(op) && !lw_is_call_like(v, "lw.num_groups")))
        return false;
    for (int k = 0; op != LLVMCall && k < LLVMGetNumOperands(v); k++)
        if (!may_go_before(s, LLVMGetOperand(v, (unsigned)k), depth + 1))
            return false;
    return true;
}

/* What was taken once has the model's number still, but stands in front. */
static bool
is_taken(const struct split *s, LLVMValueRef v)
{
    for (LLVMValueRef i = LLVMGetPreviousInstruction(s->m->values[s->p.first]); i;
         i = LLVMGetPreviousInstruction(i))
        if (i == v)
            return true;
    return false;
}

static void
take_before(struct split *s, LLVMValueRef v)
{
    if (!is_inside(s, v) || is_taken(s, v))
        return;
    for (int k = 0; !LLVMIsACallInst(v) && k < LLVMGetNumOperands(v); k++)
        take_before(s, LLVMGetOperand(v, (unsigned)k));
    LLVMInstructionRemoveFromParent(v);
    LLVMPositionBuilderBefore(s->b, s->m->values[s->p.first]);
    LLVMInsertIntoBuilder(s->b, v);
    s->cut = true;
}

static bool
is_read_behind(const struct split *s, LLVMValueRef v)
{
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use))
        if (!is_inside(s, LLVMGetUser(use)))
            return true;
    return false;
}

/* What is the next round's index anyhow is one value, and no phi of two copies. */
static bool
take_all_before(struct split *s)
{
    for (uint32_t b = s->p.head; b < s->m->block_count && !s->cut; b++) {
        const struct lw_vblock *block = &s->m->blocks[b];
        for (uint32_t n = block->first_value; n < block->value_end && !s->cut; n++) {
            LLVMValueRef v = s->m->values[n];
            if (lw_is_twice(&s->p, b, n) && is_read_behind(s, v) && may_go_before(s, v, 0))
                take_before(s, v);
        }
    }
    return s->cut;
}

bool
lw_find_piece(struct split *s)
{
    for (s->p.head = 0; s->p.head < s->m->block_count; s->p.head++) {
        const struct lw_vblock *block = &s->m->blocks[s->p.head];
        for (s->p.first = block->first_value; s->p.first < block->value_end; s->p.first++) {
            if (!opens(s, s->m->values[s->p.first]))
                continue;
            if (!find_end(s))
                return false;
            if (is_worth_it(s))
                return !take_all_before(s);
        }
    }
    return false;
}

/* SPDX-License-Identifier: MIT */
/* Loops that end, see endings.h.
 *
 * Enters: a model. Leaves: it as it is. A loop ends where a block that each round passes leaves it by a
 * comparison of what counts towards its bound: by a constant, or halved, or doubled from a constant above
 * zero. That the bound is the largest number of its type, or is not met for a wrap, is not looked at:
 * work-items would not leave such a loop either.
 */
#include "endings.h"

#include "counters.h"
#include "integers.h"

#define MOST_CONDITIONS 4 /* joined by `and` and `or`, one in the other */

/* What happens to a phi from round to round. */
enum course { UNKNOWN, UP_BY_ONE, UP, DOWN_BY_ONE, DOWN, HALVED, HALVED_DOWN, DOUBLED };

static enum course
course_of_step(LLVMValueRef step)
{
    int64_t by = LLVMConstIntGetSExtValue(step);

    return by == 0 ? UNKNOWN : by == 1 ? UP_BY_ONE : by > 0 ? UP : by == -1 ? DOWN_BY_ONE : DOWN;
}

static enum course
course_of(const struct lw_round *r, LLVMValueRef phi)
{
    uint64_t by = 0;

    if (r->step)
        return course_of_step(r->step);
    if (!LLVMIsAInstruction(r->next) || LLVMGetNumOperands(r->next) != 2 || LLVMGetOperand(r->next, 0) != phi)
        return UNKNOWN;
    bool constant = lw_is_int_constant(LLVMGetOperand(r->next, 1), &by);
    bool starts = LLVMIsAConstantInt(r->first) && LLVMConstIntGetSExtValue(r->first) > 0;
    switch (LLVMGetInstructionOpcode(r->next)) {
    case LLVMLShr:
        return constant && by > 0 ? HALVED : UNKNOWN;
    case LLVMAShr:
        return constant && by > 0 ? HALVED_DOWN : UNKNOWN;
    case LLVMUDiv:
    case LLVMSDiv:
        return constant && by > 1 ? HALVED : UNKNOWN;
    case LLVMAdd:
        return LLVMGetOperand(r->next, 1) == phi && starts ? DOUBLED : UNKNOWN;
    case LLVMShl:
        return constant && by > 0 && starts ? DOUBLED : UNKNOWN;
    case LLVMMul:
        return constant && by > 1 && starts ? DOUBLED : UNKNOWN;
    default:
        return UNKNOWN;
    }
}

/* Is `v` a constant of at least `least`? */
static bool
is_at_least(LLVMValueRef v, int64_t least)
{
    return LLVMIsAConstantInt(v) && lw_int_width(v) <= 64 && LLVMConstIntGetSExtValue(v) >= least;
}

/* A round goes on while what takes this course `p` the bound. */
static bool
comes_to_bound(enum course course, LLVMIntPredicate p, LLVMValueRef bound)
{
    bool below = p == LLVMIntSLT || p == LLVMIntSLE || p == LLVMIntULT || p == LLVMIntULE;
    bool above = p == LLVMIntSGT || p == LLVMIntSGE || p == LLVMIntUGT || p == LLVMIntUGE;
    int64_t zero_leaves = p == LLVMIntSGE || p == LLVMIntUGE; /* above bounds of so much */

    switch (course) {
    case UP_BY_ONE:
        return below || p == LLVMIntNE;
    case UP:
    case DOUBLED:
        return below;
    case DOWN_BY_ONE:
        return above || p == LLVMIntNE;
    case DOWN:
        return above;
    case HALVED: /* comes to zero */
        return p == LLVMIntNE ? LLVMIsNull(bound) : above && is_at_least(bound, zero_leaves);
    case HALVED_DOWN: /* or to -1 */
        return above && lw_is_signed_order(p) && is_at_least(bound, zero_leaves);
    default:
        return false;
    }
}

static bool
is_invariant(const struct lw_model *m, uint32_t loop, LLVMValueRef v)
{
    return !LLVMIsAInstruction(v) || !lw_loop_contains(m, loop, lw_block_id_of(m, v));
}

static enum course
course_in(const struct lw_model *m, uint32_t loop, LLVMValueRef counter)
{
    const struct lw_loop *l = &m->loops[loop];
    LLVMBasicBlockRef header = m->blocks[l->header].ref, latch = m->blocks[l->latch].ref;
    struct lw_round r;

    while (LLVMIsAZExtInst(counter) || LLVMIsASExtInst(counter))
        counter = LLVMGetOperand(counter, 0);
    if (!LLVMIsAInstruction(counter))
        return UNKNOWN;
    LLVMValueRef phi = LLVMIsAPHINode(counter)            ? counter
                       : LLVMGetNumOperands(counter) == 2 ? LLVMGetOperand(counter, 0)
                                                          : NULL;
    if (!phi || !LLVMIsAPHINode(phi) || LLVMGetInstructionParent(phi) != header ||
        !lw_read_round(phi, latch, &r) || (counter != phi && counter != r.next))
        return UNKNOWN;
    return course_of(&r, phi);
}

/* The conditions that must both be `wanted` for `condition` to be. */
static bool
is_both(LLVMValueRef condition, bool wanted, LLVMValueRef parts[2])
{
    LLVMOpcode op = LLVMGetInstructionOpcode(condition);
    uint64_t other = 0;

    parts[0] = LLVMGetOperand(condition, 0);
    if (op == LLVMSelect) {
        parts[1] = LLVMGetOperand(condition, wanted ? 1 : 2);
        return lw_is_int_constant(LLVMGetOperand(condition, wanted ? 2 : 1), &other) && other != wanted;
    }
    parts[1] = op == LLVMAnd || op == LLVMOr ? LLVMGetOperand(condition, 1) : NULL;
    return op == (wanted ? LLVMAnd : LLVMOr);
}

/* Does the loop, which goes on while `condition` is `wanted`, end by it? */
static bool
ends_by(const struct lw_model *m, uint32_t loop, LLVMValueRef condition, bool wanted, int depth)
{
    if (!LLVMIsAInstruction(condition) || depth == 0)
        return false;
    LLVMValueRef parts[2];
    if (is_both(condition, wanted, parts))
        return ends_by(m, loop, parts[0], wanted, depth - 1) || ends_by(m, loop, parts[1], wanted, depth - 1);
    if (!LLVMIsAICmpInst(condition))
        return false;
    LLVMIntPredicate p = LLVMGetICmpPredicate(condition);
    LLVMValueRef bound = LLVMGetOperand(condition, 1);
    return is_invariant(m, loop, bound) && comes_to_bound(course_in(m, loop, LLVMGetOperand(condition, 0)),
                                                          wanted ? p : lw_inverse(p), bound);
}

bool
lw_loop_ends(const struct lw_model *m, uint32_t loop)
{
    const struct lw_loop *l = &m->loops[loop];

    for (uint32_t k = 0; k < l->exit_count; k++) {
        uint32_t from = l->exit_edges[2 * k];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(m->blocks[from].ref);
        if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end) || !lw_dominates(m, from, l->latch))
            continue;
        bool wanted = m->blocks[from].succs[0] != l->exit_edges[2 * k + 1];
        if (ends_by(m, loop, LLVMGetCondition(end), wanted, MOST_CONDITIONS))
            return true;
    }
    return false;
}

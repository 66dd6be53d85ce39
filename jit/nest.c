/* SPDX-License-Identifier: MIT */
/* Counts what loops would come to, written out, without writing them: goes through their rounds with the
 * integers that decide how many there are.
 *
 * Enters: loops as nest.h has them. Leaves: numbers of instructions, none above those of LLVM's unrolling,
 * which sees no more of a loop's rounds than this. Relies on: lw_int_operate. Never: changes anything, takes
 * more than `most` rounds in all, or goes deeper than DEPTH. Why: an outer loop's copies hold inner loops
 * with rounds of their own (`for (j = i + 1; ...)`), so that no product of rounds bounds what LLVM writes,
 * only going through them does.
 */
#include "nest.h"

#include "../vectorizer/facts/integers.h"

#include <stddef.h>

enum {
    MOST_VALUES = 128, /* of the counters of all loops that are open */
    DEPTH = 8,         /* of loops */
    OPERANDS = 12,     /* of what a condition is computed of, in depth */
    MOST_EVALUATED = 200000,
    LLVM_UNROLLS = 600 /* instructions at most, of a loop that nobody wishes to be */
};

struct number {
    LLVMValueRef phi;
    uint64_t value;
    bool known;
};

struct count {
    struct lw_nest *nest;
    struct number numbers[MOST_VALUES];
    unsigned number_count, depth;
    unsigned evaluated;
};

static bool
compare(LLVMIntPredicate p, unsigned width, uint64_t a, uint64_t b)
{
    int64_t x = lw_sign_extend(a, width), y = lw_sign_extend(b, width);

    switch (p) {
    case LLVMIntEQ:
        return a == b;
    case LLVMIntNE:
        return a != b;
    case LLVMIntUGT:
        return a > b;
    case LLVMIntUGE:
        return a >= b;
    case LLVMIntULT:
        return a < b;
    case LLVMIntULE:
        return a <= b;
    case LLVMIntSGT:
        return x > y;
    case LLVMIntSGE:
        return x >= y;
    case LLVMIntSLT:
        return x < y;
    default:
        return x <= y;
    }
}

/* Of an integer operation, comparison or cast. */
static bool
operate(LLVMValueRef v, uint64_t a, uint64_t b, uint64_t *out)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    unsigned from = lw_int_width(LLVMGetOperand(v, 0)), width = lw_int_width(v);
    int64_t x = lw_sign_extend(a, from), y = lw_sign_extend(b, from);

    if (op == LLVMICmp) {
        *out = compare(LLVMGetICmpPredicate(v), from, a, b);
        return true;
    }
    if (op != LLVMSDiv && op != LLVMSRem)
        return lw_int_operate(op, from, width, a, b, out);
    if (y == 0 || y == -1)
        return false;
    *out = lw_zero_extend((uint64_t)(op == LLVMSDiv ? x / y : x % y), width);
    return true;
}

/* The counter of a loop that is open. */
static bool
look_up(const struct count *c, LLVMValueRef phi, uint64_t *out)
{
    for (unsigned k = c->number_count; k-- > 0;) {
        if (c->numbers[k].phi == phi) {
            *out = c->numbers[k].value;
            return c->numbers[k].known;
        }
    }
    return false;
}

static bool
evaluate(struct count *c, LLVMValueRef v, unsigned depth, uint64_t *out)
{
    uint64_t a, b = 0;

    if (lw_is_int_constant(v, out))
        return true;
    if (!LLVMIsAInstruction(v) || !lw_int_width(v) || lw_int_width(v) > 64 || depth == 0 ||
        ++c->evaluated > MOST_EVALUATED)
        return false;
    if (LLVMIsAPHINode(v))
        return look_up(c, v, out);
    LLVMValueRef x = LLVMGetNumOperands(v) ? LLVMGetOperand(v, 0) : NULL;
    if (!x || LLVMIsACallInst(v) || !evaluate(c, x, depth - 1, &a))
        return false;
    if (LLVMIsASelectInst(v))
        return evaluate(c, LLVMGetOperand(v, a ? 1 : 2), depth - 1, out);
    if (LLVMGetNumOperands(v) > 2 ||
        (LLVMGetNumOperands(v) == 2 && !evaluate(c, LLVMGetOperand(v, 1), depth - 1, &b)))
        return false;
    return operate(v, a, b, out);
}

/* The counters' values in the first round, from the edge `from`, or the next one. All are found before any is
 * set. */
static bool
set_counters(struct count *c, const struct lw_nest_loop *l, LLVMBasicBlockRef from, unsigned first)
{
    struct number next[MOST_VALUES];
    unsigned count = 0;

    for (LLVMValueRef i = LLVMGetFirstInstruction(l->header); i && LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i)) {
        if (!lw_int_width(i) || lw_int_width(i) > 64)
            continue;
        if (first + count == MOST_VALUES)
            return false;
        struct number *n = &next[count++];
        *n = (struct number){.phi = i};
        for (unsigned k = 0; k < LLVMCountIncoming(i); k++)
            if (LLVMGetIncomingBlock(i, k) == from)
                n->known = evaluate(c, LLVMGetIncomingValue(i, k), OPERANDS, &n->value);
    }
    for (unsigned k = 0; k < count; k++)
        c->numbers[first + k] = next[k];
    c->number_count = first + count;
    return true;
}

/* Is the loop left in this round? `*known`: one of its exits tells. */
static bool
leaves(struct count *c, const struct lw_nest_loop *l, bool *known)
{
    *known = false;
    for (unsigned k = 0; k < l->exit_count; k++) {
        uint64_t condition;
        LLVMValueRef branch = l->exits[k].branch;
        if (!evaluate(c, LLVMGetCondition(branch), OPERANDS, &condition))
            continue;
        *known = true;
        if ((condition ? 0 : 1) == l->exits[k].leaves)
            return true;
    }
    return false;
}

/* Is the loop surely passed by, in this round of the one around it? (A guard that no counter of an open loop
 * decides is not known.) */
static bool
is_passed_by(struct count *c, const struct lw_nest_loop *l)
{
    uint64_t condition;

    return l->guard && evaluate(c, LLVMGetCondition(l->guard), OPERANDS, &condition) &&
           (condition ? 0 : 1) != l->enters;
}

static uint64_t count_loop(struct count *c, uint32_t loop, uint64_t most, bool *known);

/* One round: the loop's own instructions, and the loops within. */
static uint64_t
count_body(struct count *c, const struct lw_nest_loop *l, uint64_t most)
{
    uint64_t written = l->own + 1;
    bool ignored;

    for (uint32_t k = l->first; k != LW_NEST_NONE && written <= most; k = c->nest->loops[k].next)
        if (!is_passed_by(c, &c->nest->loops[k]))
            written += count_loop(c, k, most - written, &ignored);
    return written;
}

/* As long as the rounds are known. */
static uint64_t
count_rounds(struct count *c, const struct lw_nest_loop *l, uint64_t most, bool *known)
{
    unsigned first = c->number_count;
    uint64_t written = 0;

    *known = set_counters(c, l, l->preheader, first);
    while (*known && written <= most) {
        bool left = leaves(c, l, known);
        written += count_body(c, l, most - written);
        if (left)
            break;
        *known &= set_counters(c, l, l->latch, first);
    }
    c->number_count = first;
    return written;
}

static uint64_t
count_loop(struct count *c, uint32_t loop, uint64_t most, bool *known)
{
    struct lw_nest_loop *l = &c->nest->loops[loop];
    uint64_t written = 0, limit = l->wished || most < LLVM_UNROLLS ? most : LLVM_UNROLLS;

    *known = false;
    if (c->depth == DEPTH)
        return most + 1;
    c->depth++;
    if (l->preheader && l->exit_count)
        written = count_rounds(c, l, limit, known);
    l->uncounted |= !*known;
    if (!*known || (!l->wished && written > LLVM_UNROLLS))
        written = count_body(c, l, most);
    c->depth--;
    return written;
}

uint64_t
lw_count_nest(struct lw_nest *nest, uint32_t loop, uint64_t most, bool *known)
{
    struct count c = {.nest = nest};

    return count_loop(&c, loop, most, known);
}

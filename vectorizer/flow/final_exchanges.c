/* SPDX-License-Identifier: MIT */
/* Compare-and-exchanges that nobody can wait by: `while (atomic_cmpxchg(&table[at], EMPTY, key) is neither)
 * at = next(at)`, as hash tables are filled and places are claimed.
 *
 * The place holds the constant that is expected, or something else. Where it does, the exchange puts its
 * value there. Where it does not, it never will again, if nothing in the kernel may write that constant but
 * exchanges that expect it, and these only leave it where they put it in its own place. So each place is,
 * once an exchange was tried on it, what it stays: no round of a loop is different because another work-item
 * has got on, unless it asks in another way (a load), which counts for itself. An exchange that may put the
 * constant in its own place has changed nothing, and a loop that goes on then may wait for who does (`while
 * (!atomic_cmpxchg(p, 0, 0))` is how some read): such a loop has to end where the exchange succeeds.
 *
 * What may write: every store, atomic and call; not those of private memory, of local memory where that of
 * the exchange is global or the other way round, or of another argument of the kernel where it is known that
 * no two of them have a byte in common (shape.buffers_apart). Other kernels that run meanwhile, and the host,
 * are not waited for: nothing promises that they get on.
 *
 * Enters: canonical form. Leaves: an answer.
 */
#include "final_exchanges.h"

#include "../facts/calls.h"
#include "../facts/memory_effects.h"
#include "../facts/gep.h"
#include "../facts/kept.h"

#define DEPTH 6

static bool
is_private(LLVMValueRef pointer)
{
    return lw_space_of(pointer) == LW_AS_PRIVATE;
}

/* May the instruction write the constant that the exchange expects where there was something else? */
static bool
may_restore(const struct lw_shape *shape, LLVMValueRef v, LLVMValueRef exchange)
{
    LLVMValueRef to = lw_written_address(v), at = LLVMGetOperand(exchange, 0);
    if (LLVMIsALoadInst(v) || LLVMIsAFenceInst(v) || lw_is_call_of(v, "lw.wg.barrier") ||
        lw_memory_effect(v) != LW_WRITES_MEMORY)
        return false;
    if (LLVMIsAAtomicCmpXchgInst(v) && LLVMGetOperand(v, 1) == LLVMGetOperand(exchange, 1))
        return false;
    return !to || (!is_private(to) && !is_private(at) && !lw_never_meet(shape, to, at));
}

/* ---- where the exchange succeeds ---- */

enum answer { NO, YES, UNKNOWN };

static enum answer
negated(enum answer a)
{
    return a == UNKNOWN ? UNKNOWN : !a;
}

static enum answer answer_of(LLVMValueRef condition, LLVMValueRef exchange, unsigned depth);

/* `and` for NO, `or` for YES: the answer of one that is enough. */
static enum answer
joined(LLVMValueRef condition, LLVMValueRef exchange, enum answer enough, unsigned depth)
{
    enum answer a = answer_of(LLVMGetOperand(condition, 0), exchange, depth);
    enum answer b = answer_of(LLVMGetOperand(condition, 1), exchange, depth);
    return a == enough || b == enough ? enough : a == b ? a : UNKNOWN;
}

/* Is what stood there, which is what was expected, compared with a constant? */
static enum answer
compared(LLVMValueRef condition, LLVMValueRef exchange)
{
    LLVMValueRef old = LLVMGetOperand(condition, 0), with = LLVMGetOperand(condition, 1);
    LLVMIntPredicate p = LLVMGetICmpPredicate(condition);
    if (!LLVMIsAExtractValueInst(old) || LLVMGetOperand(old, 0) != exchange || *LLVMGetIndices(old) != 0 ||
        !LLVMIsAConstantInt(with) || (p != LLVMIntEQ && p != LLVMIntNE))
        return UNKNOWN;
    enum answer same = with == LLVMGetOperand(exchange, 1) ? YES : NO;
    return p == LLVMIntEQ ? same : negated(same);
}

/* Recursion: DEPTH deep, two operands at each level. */
static enum answer
answer_of(LLVMValueRef condition, LLVMValueRef exchange, unsigned depth)
{
    if (LLVMIsAConstantInt(condition))
        return LLVMIsNull(condition) ? NO : YES;
    if (!LLVMIsAInstruction(condition) || depth == DEPTH)
        return UNKNOWN;
    switch (LLVMGetInstructionOpcode(condition)) {
    case LLVMExtractValue:
        return LLVMGetOperand(condition, 0) == exchange && *LLVMGetIndices(condition) == 1 ? YES : UNKNOWN;
    case LLVMICmp:
        return compared(condition, exchange);
    case LLVMAnd:
        return joined(condition, exchange, NO, depth + 1);
    case LLVMOr:
        return joined(condition, exchange, YES, depth + 1);
    case LLVMXor: {
        enum answer by = answer_of(LLVMGetOperand(condition, 1), exchange, depth + 1);
        enum answer a = answer_of(LLVMGetOperand(condition, 0), exchange, depth + 1);
        return by == UNKNOWN ? UNKNOWN : by == YES ? negated(a) : a;
    }
    case LLVMSelect: {
        enum answer a = answer_of(LLVMGetOperand(condition, 0), exchange, depth + 1);
        return a == UNKNOWN ? UNKNOWN
                            : answer_of(LLVMGetOperand(condition, a == YES ? 1 : 2), exchange, depth + 1);
    }
    default:
        return UNKNOWN;
    }
}

/* By the branch of its own block. */
static bool
ends_loop(const struct lw_model *m, uint32_t loop, LLVMValueRef exchange)
{
    const struct lw_vblock *k = &m->blocks[lw_block_id_of(m, exchange)];
    LLVMValueRef end = LLVMGetBasicBlockTerminator(k->ref);
    if (!LLVMIsABranchInst(end) || k->succ_count != 2)
        return false;
    enum answer a = answer_of(LLVMGetCondition(end), exchange, 0);
    return a != UNKNOWN && !lw_loop_contains(m, loop, k->succs[a == YES ? 0 : 1]);
}

static bool
changes(LLVMValueRef exchange)
{
    LLVMValueRef to = LLVMGetOperand(exchange, 2);
    return LLVMIsAConstantInt(to) && to != LLVMGetOperand(exchange, 1);
}

bool
lw_is_final_exchange(const struct lw_model *m, const struct lw_shape *shape, uint32_t loop,
                     LLVMValueRef exchange)
{
    if (!LLVMIsAConstantInt(LLVMGetOperand(exchange, 1)) || lw_has_kept(LLVMGetGlobalParent(m->function)) ||
        (!changes(exchange) && !ends_loop(m, loop, exchange)))
        return false;
    for (uint32_t n = m->param_count; n < m->value_count; n++)
        if (may_restore(shape, m->values[n], exchange))
            return false;
    return true;
}

/* SPDX-License-Identifier: MIT */
/* May a kernel's loops wait for what other work-items write? The compiler decides it for each loop
 * (vectorizer/flow/wait_sources.c); here it is asked of the kernel, whose code may then have to give way.
 *
 * Enters: a read module's instructions, one after the other. Leaves: may_take_lock, looks, and
 * what the latter was found by.
 * Never: finds less than the compiler.
 */
#include "chains.h"
#include "evaluate.h"
#include "operands.h"
#include "reflect_parts.h"
#include "support.h"

/* The operation of OpenCL that the instruction, or the imported function that it calls, does; in `*value`
 * where its value is. */
static uint32_t
atomic_operation(const lw_module *m, const struct lw_inst *inst, uint32_t *value)
{
    *value = 6;
    if (inst->op != SpvOpFunctionCall)
        return inst->op;
    const struct lw_imported_builtin *b = lw_called_import(m, inst);
    *value = 5;
    if (b && b->kind == LW_IMPORT_FENCE)
        return SpvOpMemoryBarrier;
    return lw_import_is_atomic(b) ? b->op : 0;
}

/* Writes a constant and tells what was there, as those do that take a lock. */
static bool
may_take_lock(const lw_module *m, const struct lw_inst *inst)
{
    uint32_t value, op = atomic_operation(m, inst, &value);
    uint64_t bits;

    switch (op) {
    case SpvOpAtomicFlagTestAndSet:
        return true;
    case SpvOpAtomicExchange:
        break;
    case SpvOpAtomicCompareExchange:
    case SpvOpAtomicCompareExchangeWeak:
        value++; /* behind the comparator's ordering */
        break;
    default:
        return false;
    }
    return value < inst->count && lw_constant_bits(m, lw_word(m, inst, value), &bits);
}

#define MOST_SEEN 4096 /* instructions of a function */

/* Does the function ask for what the instruction found? One that is longer does. */
static bool
is_asked_for(const lw_module *m, const struct lw_inst *inst)
{
    const struct lw_inst *i = inst;
    uint32_t seen = 0;

    while (i->op != SpvOpFunction && ++seen < MOST_SEEN)
        i--;
    for (; i->op != SpvOpFunctionEnd && ++seen < MOST_SEEN; i++)
        for (uint32_t k = 1; i != inst && k < i->count; k++)
            if (lw_word(m, i, k) == inst->result) /* or a literal that looks so */
                return true;
    return i->op != SpvOpFunctionEnd;
}

/* Counting on is no waiting, as a rule: what it tells has changed the next time, if by itself. */
static bool
looks_at_others(const lw_module *m, const struct lw_inst *inst)
{
    uint32_t value, op = atomic_operation(m, inst, &value);
    uint64_t bits;

    switch (op) {
    case SpvOpAtomicStore:
    case SpvOpAtomicFlagClear:
    case SpvOpAtomicIIncrement:
    case SpvOpAtomicIDecrement:
        return false;
    case SpvOpAtomicIAdd:
    case SpvOpAtomicISub:
        return value < inst->count && lw_constant_bits(m, lw_word(m, inst, value), &bits) && bits == 0;
    case SpvOpAtomicFAddEXT:
        return false;
    case SpvOpLoad:
        return inst->count > 4 && lw_word(m, inst, 4) & SpvMemoryAccessVolatileMask;
    case SpvOpMemoryBarrier:
        return true;
    default:
        return (lw_op_flags(op) & LW_OP_ATOMIC && is_asked_for(m, inst)) || lw_is_pipe_op(op);
    }
}

enum { UP = 1, DOWN = 2 };

/* Where it may bring what is there: additions of what is not known, both ways. */
static unsigned
directions_of(const lw_module *m, const struct lw_inst *inst)
{
    uint32_t value, op = atomic_operation(m, inst, &value);
    uint64_t bits;
    if (op == SpvOpAtomicIIncrement || op == SpvOpAtomicIDecrement)
        return op == SpvOpAtomicIIncrement ? UP : DOWN;
    if ((op != SpvOpAtomicIAdd && op != SpvOpAtomicISub) || value >= inst->count)
        return 0;
    if (!lw_constant_bits(m, lw_word(m, inst, value), &bits))
        return UP | DOWN;
    uint32_t width = lw_value_of_type(m, lw_type_of(m, lw_word(m, inst, value))).width;
    bool negative = width && bits >> (width - 1) & 1;
    return !bits ? 0 : negative == (op == SpvOpAtomicIAdd) ? DOWN : UP;
}

/* Operands that an operation on a number has, from word 3 on; 0: it is another. */
static unsigned
reckons_with(uint32_t op)
{
    bool also = op == SpvOpBitcast || op == SpvOpConvertUToF || op == SpvOpConvertSToF;
    return also ? 1 : lw_integer_operands(op);
}

#define COUNT_DEPTH 4 /* two operands at each */

/* Is it what such an addition found, or reckoned of that? */
static bool
is_count(const lw_module *m, uint32_t id, unsigned depth)
{
    const struct lw_inst *def = lw_def(m, id);
    if (!def || directions_of(m, def))
        return def != NULL;
    for (unsigned k = 0; depth && k < reckons_with(def->op); k++)
        if (is_count(m, lw_word(m, def, 3 + k), depth - 1))
            return true;
    return false;
}

/* May it decide by what an addition found? By what is kept in a variable (-O0) anything may be decided. What
 * is written to others' memory, or says where, is no decision. */
static bool
asks_for_count(const lw_module *m, const struct lw_inst *inst)
{
    struct lw_operand_walk walk;
    struct lw_operand operand;
    if (reckons_with(inst->op) || lw_is_access_chain(inst->op))
        return false;
    if (inst->op == SpvOpStore) {
        const struct lw_inst *type = lw_def(m, lw_type_of(m, lw_word(m, inst, 1)));
        return type && lw_word(m, type, 2) == SpvStorageClassFunction &&
               is_count(m, lw_word(m, inst, 2), COUNT_DEPTH);
    }
    lw_operands_start(&walk, m, inst);
    while (lw_operands_next(&walk, &operand))
        if (operand.kind == LW_OPERAND_ID && is_count(m, m->words[operand.at], COUNT_DEPTH))
            return true;
    return false;
}

/* Whole numbers that others may add to, written by a store. */
static bool
begins_anew(const lw_module *m, const struct lw_inst *inst)
{
    uint32_t value, op = atomic_operation(m, inst, &value);
    const struct lw_inst *type = op == SpvOpStore ? lw_def(m, lw_type_of(m, lw_word(m, inst, 1))) : NULL;
    if (!type || lw_word(m, type, 2) == SpvStorageClassFunction)
        return op == SpvOpAtomicStore;
    struct lw_value v = lw_value_of_type(m, lw_type_of(m, lw_word(m, inst, 2)));
    return v.lanes == 1 && !v.is_float && v.width >= 32;
}

/* Counting brings a loop to no certain number, nor anywhere where the kernel takes away again what it adds or
 * begins anew: others must do their part. */
static bool
waits_by_counting(const lw_module *m, const struct lw_inst *inst, struct lw_kernel_desc *d)
{
    unsigned directions = directions_of(m, inst);
    d->adds |= (directions & UP) != 0;
    d->takes_away |= (directions & DOWN) != 0;
    d->begins_anew |= begins_anew(m, inst);
    if ((!d->adds && !d->takes_away) || !asks_for_count(m, inst))
        return d->asks && ((d->adds && d->takes_away) || d->begins_anew);
    d->asks = true;
    uint64_t bits;
    bool equal = inst->op == SpvOpIEqual || inst->op == SpvOpINotEqual;
    return inst->op == SpvOpSwitch || inst->op == SpvOpStore ||
           (equal && (lw_constant_bits(m, lw_word(m, inst, 3), &bits) ||
                      lw_constant_bits(m, lw_word(m, inst, 4), &bits)));
}

void
lw_reflect_waits(const lw_module *m, const struct lw_inst *inst, struct lw_kernel_desc *d)
{
    d->may_take_lock |= may_take_lock(m, inst);
    d->looks = d->looks || looks_at_others(m, inst) || waits_by_counting(m, inst, d);
}

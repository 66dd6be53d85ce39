/* SPDX-License-Identifier: MIT */
/* May a kernel's loops wait for what other work-items write? The compiler decides it for each loop
 * (vectorizer/flow/wait_sources.c); here it is asked of the kernel, whose code may then have to give way.
 *
 * Enters: a read module's instructions, one after the other. Leaves: may_take_lock, looks, adds, takes_away.
 * Never: finds less than the compiler.
 */
#include "evaluate.h"
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
        return lw_op_flags(op) & LW_OP_ATOMIC || lw_is_pipe_op(op);
    }
}

/* 1: adds to what is there, -1: takes away; 0: neither, or it is not known. */
static int
direction_of(const lw_module *m, const struct lw_inst *inst)
{
    uint32_t value, op = atomic_operation(m, inst, &value);
    uint64_t bits = 0;
    int sign = 0;
    if (value < inst->count && lw_constant_bits(m, lw_word(m, inst, value), &bits) && bits) {
        uint32_t width = lw_value_of_type(m, lw_type_of(m, lw_word(m, inst, value))).width;
        sign = width && bits >> (width - 1) & 1 ? -1 : 1;
    }
    return op == SpvOpAtomicIIncrement   ? 1
           : op == SpvOpAtomicIDecrement ? -1
           : op == SpvOpAtomicIAdd       ? sign
           : op == SpvOpAtomicISub       ? -sign
                                         : 0;
}

/* Is it, converted or not, what such an operation found? */
static bool
is_count(const lw_module *m, uint32_t id)
{
    const struct lw_inst *def = lw_def(m, id);
    while (def && (def->op == SpvOpUConvert || def->op == SpvOpSConvert || def->op == SpvOpBitcast))
        def = lw_def(m, lw_word(m, def, 3));
    return def && direction_of(m, def) != 0;
}

/* Counting brings a loop to no certain number, nor anywhere where the kernel takes away again what it adds:
 * others must do their part. What is kept in a variable (-O0) may be asked for anything. */
static bool
waits_by_counting(const lw_module *m, const struct lw_inst *inst, struct lw_kernel_desc *d)
{
    int direction = direction_of(m, inst);
    d->adds |= direction > 0;
    d->takes_away |= direction < 0;
    if (inst->op == SpvOpSwitch)
        return is_count(m, lw_word(m, inst, 1));
    if (inst->op == SpvOpStore) {
        const struct lw_inst *to = lw_def(m, lw_word(m, inst, 1));
        return to && to->op == SpvOpVariable && is_count(m, lw_word(m, inst, 2));
    }
    if (inst->op != SpvOpIEqual && inst->op != SpvOpINotEqual)
        return d->adds && d->takes_away;
    uint32_t a = lw_word(m, inst, 3), b = lw_word(m, inst, 4);
    uint64_t bits;
    return (is_count(m, a) && lw_constant_bits(m, b, &bits)) ||
           (is_count(m, b) && lw_constant_bits(m, a, &bits));
}

void
lw_reflect_waits(const lw_module *m, const struct lw_inst *inst, struct lw_kernel_desc *d)
{
    d->may_take_lock |= may_take_lock(m, inst);
    d->looks |= looks_at_others(m, inst) || waits_by_counting(m, inst, d);
}

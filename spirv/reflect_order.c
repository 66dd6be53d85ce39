/* SPDX-License-Identifier: MIT */
/* May what a kernel writes depend on the order of its work-items, though it has no race?
 *
 * Enters: a module whose kernel was reflected.  Leaves: yes or no.  Relies on: ids in range.
 * Atomic operations that commute and whose results nobody reads leave the same in any order; what others tell
 * (who came first), sums of floats, what is exchanged or stored last, and pipes do not.
 */
#include <stdlib.h>

#include "operands.h"
#include "reflect.h"
#include "support.h"
#include "uses.h"

/* The atomic operation that an instruction is, or stands for as a call of an import; 0: none. */
static uint32_t
atomic_of(const lw_module *m, const struct lw_inst *inst)
{
    if (lw_op_flags(inst->op) & LW_OP_ATOMIC)
        return inst->op;
    const struct lw_imported_builtin *b = lw_called_import(m, inst);
    return lw_import_is_atomic(b) ? b->op : 0;
}

static bool
commutes(uint32_t op)
{
    switch (op) {
    case SpvOpAtomicIIncrement:
    case SpvOpAtomicIDecrement:
    case SpvOpAtomicIAdd:
    case SpvOpAtomicISub:
    case SpvOpAtomicSMin:
    case SpvOpAtomicUMin:
    case SpvOpAtomicSMax:
    case SpvOpAtomicUMax:
    case SpvOpAtomicAnd:
    case SpvOpAtomicOr:
    case SpvOpAtomicXor:
    case SpvOpAtomicFMinEXT:
    case SpvOpAtomicFMaxEXT:
        return true;
    default:
        return false;
    }
}

static bool
names_marked(const lw_module *m, const struct lw_inst *inst, const uint8_t *marked)
{
    struct lw_operand_walk walk;
    struct lw_operand operand;
    lw_operands_start(&walk, m, inst);
    while (lw_operands_next(&walk, &operand))
        if (operand.kind == LW_OPERAND_ID && marked[m->words[operand.at]])
            return true;
    return false;
}

bool
lw_depends_on_order(const lw_module *m, const struct lw_kernel_desc *d)
{
    struct lw_uses uses;
    if (d->enqueues)
        return true; /* what descends from it runs once */
    if (!d->has_atomics)
        return false;
    uint8_t *results = calloc(m->bound, 1); /* of atomics */
    if (!results || !lw_uses_collect(m, d->function, &uses)) {
        free(results);
        return true;
    }
    bool depends = false;
    for (unsigned pass = 0; pass < 2; pass++)
        for (uint32_t f = 0; f < uses.function_count && !depends; f++) {
            const struct lw_spirv_function *function = &m->functions[uses.functions[f]];
            for (uint32_t i = function->inst; i < function->end && !depends; i++) {
                const struct lw_inst *inst = &m->insts[i];
                uint32_t op = atomic_of(m, inst);
                if (pass)
                    depends = names_marked(m, inst, results);
                else if (op && inst->result)
                    results[inst->result] = 1;
                depends |= (op && !commutes(op)) || lw_is_pipe_op(inst->op);
            }
        }
    lw_uses_free(&uses);
    free(results);
    return depends;
}

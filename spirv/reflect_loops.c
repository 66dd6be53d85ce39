/* SPDX-License-Identifier: MIT */
/* A kernel's loops that wait for their own results, and its operations that take long: lanes beside each
 * other hide neither (src/ranges/shape.c).
 *
 * Enters: a function of a read module. Leaves: has_loop, has_waiting_loop, has_slow_loop, slow_count.
 */
#include <spirv/unified1/OpenCL.std.h>

#include "operands.h"
#include "reflect_parts.h"
#include "support.h"

#define MOST_CALLED 200 /* instructions of a called function that is looked through */

/* Instructions that take ten cycles and more. */
static bool
is_slow(const lw_module *m, const struct lw_inst *inst)
{
    if (inst->op == SpvOpFDiv)
        return true;
    if (inst->op != SpvOpExtInst || m->ext_sets[lw_word(m, inst, 3)] != LW_EXT_OPENCL_STD)
        return false;
    switch (lw_word(m, inst, 4)) {
    case OpenCLstd_Sqrt:
    case OpenCLstd_Rsqrt:
    case OpenCLstd_Native_sqrt:
    case OpenCLstd_Half_sqrt:
        return true;
    default:
        return false;
    }
}

/* A short function with a body that only computes. */
static bool
only_computes(const lw_module *m, const struct lw_inst *function, bool *slow)
{
    bool body = false;
    uint32_t bits, element;
    for (const struct lw_inst *at = function + 1; at < function + MOST_CALLED; at++) {
        body |= at->op == SpvOpLabel;
        if (at->op == SpvOpFunctionEnd)
            return body;
        *slow |= is_slow(m, at);
        uint32_t flags = lw_op_flags(at->op);
        if (lw_find_access(m, at, &bits, &element) || at->op == SpvOpFunctionCall ||
            at->op == SpvOpControlBarrier || (flags & (LW_OP_ATOMIC | LW_OP_SUB_GROUP | LW_OP_SCOPED_GROUP)))
            return false;
    }
    return false;
}

static bool
touches_memory(const lw_module *m, const struct lw_inst *inst, bool *slow)
{
    uint32_t flags = lw_op_flags(inst->op);
    if (inst->op == SpvOpFunctionCall) {
        const struct lw_inst *function = lw_def(m, lw_word(m, inst, 3));
        return !function || !only_computes(m, function, slow);
    }
    return inst->op == SpvOpControlBarrier || (flags & (LW_OP_ATOMIC | LW_OP_SUB_GROUP | LW_OP_SCOPED_GROUP));
}

/* A branch back over one access at most is the end of a loop that waits for its own results. */
void
lw_reflect_loops(const lw_module *m, const struct lw_spirv_function *function, struct lw_kernel_desc *d)
{
    const struct lw_inst *last = NULL, *before = NULL; /* accesses */
    const struct lw_inst *other = NULL;                /* what may do anything */
    const struct lw_inst *slow = NULL;                 /* what takes long */
    const struct lw_inst *to;
    uint32_t bits, element;

    for (uint32_t i = function->inst; i < function->end; i++) {
        const struct lw_inst *inst = &m->insts[i];
        bool takes_long = is_slow(m, inst);
        d->slow_count += takes_long;
        if (lw_find_access(m, inst, &bits, &element)) {
            before = last;
            last = inst;
            takes_long |= inst->op == SpvOpLoad;
        }
        if (touches_memory(m, inst, &takes_long))
            other = inst;
        if (takes_long)
            slow = inst;
        for (uint32_t k = 0; (to = lw_next_back_branch(m, function, inst, &k));) {
            d->has_loop = true;
            if ((before && before > to) || (other && other > to))
                continue;
            d->has_waiting_loop = true;
            d->has_slow_loop |= slow && slow > to;
        }
    }
}

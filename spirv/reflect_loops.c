/* SPDX-License-Identifier: MIT */
/* A kernel's loops that wait for their own results, and its operations that take long: lanes beside each
 * other hide neither (src/ranges/shape.c).
 *
 * Enters: a function of a read module. Leaves: has_loop, has_waiting_loop, has_slow_loop, has_chain,
 * slow_count.
 */
#include <spirv/unified1/OpenCL.std.h>

#include "operands.h"
#include "reflect_parts.h"
#include "support.h"

#define MOST_CALLED 200 /* instructions of a called function that is looked through */
#define MOST_ROUND 256  /* of a round that is looked through */
#define MOST_LOOKED 32  /* rounds that are */

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

/* Is an operand of the instruction one of those marked, the offsets of a round's instructions? */
static bool
uses_marked(const lw_module *m, const struct lw_inst *inst, const struct lw_inst *first, const bool *marked)
{
    struct lw_operand_walk walk;
    struct lw_operand operand;
    lw_operands_start(&walk, m, inst);
    while (lw_operands_next(&walk, &operand)) {
        if (operand.kind != LW_OPERAND_ID)
            continue;
        const struct lw_inst *def = lw_def(m, m->words[operand.at]);
        if (def && def >= first && def < first + MOST_ROUND && marked[def - first])
            return true;
    }
    return false;
}

/* Does a round from `first` to `last` need what the load gave before the load of the next round can begin: in
 * its address, or in a branch? What is only added up or compared is waited for by nobody: the loads of many
 * rounds are under way together. */
static bool
waits_for(const lw_module *m, const struct lw_inst *first, const struct lw_inst *last,
          const struct lw_inst *load)
{
    bool marked[MOST_ROUND] = {false}, more = true;
    if (last - first >= MOST_ROUND)
        return false;
    marked[load - first] = true;
    while (more) {
        more = false;
        for (const struct lw_inst *at = first; at <= last; at++) {
            if ((at != load && marked[at - first]) || !uses_marked(m, at, first, marked))
                continue;
            if (at == load || at->op == SpvOpBranchConditional || at->op == SpvOpSwitch)
                return true;
            marked[at - first] = more = true;
        }
    }
    return false;
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
    unsigned looked = 0;

    for (uint32_t i = function->inst; i < function->end; i++) {
        const struct lw_inst *inst = &m->insts[i];
        bool takes_long = is_slow(m, inst);
        d->slow_count += takes_long;
        if (lw_find_access(m, inst, &bits, &element)) {
            before = last;
            last = inst;
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
            bool computes_long = slow && slow > to, has_load = last && last > to && last->op == SpvOpLoad;
            d->has_slow_loop |= computes_long || has_load;
            d->has_chain |=
                computes_long || (has_load && looked++ < MOST_LOOKED && waits_for(m, to, inst, last));
        }
    }
}

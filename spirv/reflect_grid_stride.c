/* SPDX-License-Identifier: MIT */
/* Is a kernel one loop over what its global ids stride through?
 *
 *     for (i = get_global_id(0); i < bound; i += get_global_size(0)) ...
 *
 * Where no round knows which work-item runs it, and no two rounds meet in memory, a round is as good as a
 * work-item: a range as long as the bound, whose work-items run one round each, does the same (stretch.c).
 *
 * That is so if
 *  - the loop is the only one that is in no other, it is left behind a whole round only, and nothing is
 *    written outside of it;
 *  - the kernel computes with its ids and sizes nothing but i and multiples of it, by phis of the loop that
 *    go on by the same multiple of the global size; no other phi takes a value from round to round. The ids
 *    may be spelled by groups: group id * local size + local id;
 *  - before the loop, ids are compared with the bound only, which tells nothing: all of them are below it;
 *  - there is no instruction whose effects are not known here: a list of those that only compute, loads and
 *    stores of global memory;
 *  - each argument that is stored to is accessed in the loop only, at a multiple of i, and what the rounds
 *    access lies beside each other. That no two arguments share memory is the dispatch's to know.
 *
 * Enters: a read module.  Leaves: it as it was.  Relies on: definitions before uses, but for phis.
 */
#include "grid_stride.h"

#include <stdlib.h>

/* Does anything ask for the global size, or what it is a product of? */
static bool
asks_for_size(const lw_module *m, const struct lw_spirv_function *function)
{
    for (uint32_t i = function->inst; i < function->end; i++) {
        const struct lw_inst *inst = &m->insts[i];
        uint32_t builtin = inst->op == SpvOpLoad ? lw_stride_builtin(m, inst) : SpvBuiltInMax;
        if (builtin == SpvBuiltInGlobalSize || builtin == SpvBuiltInNumWorkgroups)
            return true;
    }
    return false;
}

/* llvm-spirv's entry points hand their arguments to a function, and do nothing else. */
static const struct lw_spirv_function *
body_of(const lw_module *m, const struct lw_spirv_function *entry)
{
    const struct lw_inst *call = NULL;
    if (entry->block_count != 1)
        return entry;
    const struct lw_block *block = &m->blocks[entry->first_block];
    for (uint32_t i = block->first; i < block->end; i++) {
        if (m->insts[i].op == SpvOpLine || m->insts[i].op == SpvOpNoLine)
            continue;
        if (call || m->insts[i].op != SpvOpFunctionCall)
            return entry;
        call = &m->insts[i];
    }
    uint32_t function = call ? lw_function_index(m, lw_word(m, call, 3)) : LW_NO_INST;
    if (function == LW_NO_INST || call->count - 4u != entry->param_count)
        return entry;
    for (uint32_t k = 0; k < entry->param_count; k++)
        if (lw_op_of(m, lw_word(m, call, 4 + k)) != SpvOpFunctionParameter ||
            lw_stride_argument(m, lw_word(m, call, 4 + k)) != k)
            return entry;
    return &m->functions[function];
}

void
lw_reflect_grid_stride(const lw_module *m, struct lw_kernel_desc *desc)
{
    const struct lw_spirv_function *function = body_of(m, &m->functions[desc->function]);
    struct lw_stride_search s = {.m = m, .desc = desc, .function = function, .found.scale = 1};
    if (function->block_count < 2 || !asks_for_size(m, function))
        return;
    s.at = calloc(m->bound, sizeof *s.at);
    s.in_loop = calloc(function->block_count + 1u, sizeof *s.in_loop);
    int64_t bound;
    if (s.at && s.in_loop && lw_stride_find_loop(&s) && lw_stride_follow_values(&s) &&
        (!s.guard || s.guard == lw_stride_unconverted(m, s.found.bound)) &&
        lw_stride_evaluate(m, desc, s.found.bound, NULL, &bound) && lw_stride_rounds_are_apart(&s))
        desc->grid_stride = s.found;
    free(s.at);
    free(s.in_loop);
}

bool
lw_grid_stride_bound(const lw_module *m, const struct lw_kernel_desc *desc, const void *args, int64_t *bound)
{
    return desc->grid_stride.latch && lw_stride_evaluate(m, desc, desc->grid_stride.bound, args, bound);
}

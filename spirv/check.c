/* SPDX-License-Identifier: MIT */
/* The complete check: the module as a whole, and one kernel with all that it reaches.
 *
 * Enters: a read module.  Leaves: a yes, or an error with construct, word and kernel.
 * Relies on: read.c.  Never: changes the module; recurses; looks at what no kernel uses.
 */
#include "check_parts.h"

#include <stdlib.h>
#include <string.h>

#include "enqueue.h"
#include "reflect.h"

static bool
check_model(const lw_module *m, lw_error *error)
{
    static const char *const names[] = {"Logical", "Physical32"};
    const struct lw_inst *model = NULL;
    for (uint32_t i = 0; i < m->global_count && !model; i++)
        if (m->insts[i].op == SpvOpMemoryModel)
            model = &m->insts[i];
    if (!model)
        return lw_spirv_fail(error, LW_ERR_NO_MODEL, 0);
    uint32_t addressing = lw_word(m, model, 1), memory = lw_word(m, model, 2);
    if (addressing != SpvAddressingModelPhysical64)
        return lw_spirv_fail(error, LW_ERR_ADDRESSING, model->at, model->at,
                             addressing < 2 ? names[addressing] : "of this number");
    if (memory != SpvMemoryModelOpenCL)
        return lw_spirv_fail(error, LW_ERR_MEMORY_MODEL, model->at, model->at, memory);
    return true;
}

static int
compare_names(const void *left, const void *right)
{
    const struct lw_entry_point *const *a = left, *const *b = right;
    return strcmp((*a)->name, (*b)->name);
}

static bool
check_names(const lw_module *m, lw_error *error)
{
    const struct lw_entry_point **sorted = malloc(sizeof *sorted * (m->entry_point_count + 1u));
    if (!sorted)
        return lw_spirv_fail(error, LW_ERR_MEMORY, 0);
    for (uint32_t i = 0; i < m->entry_point_count; i++)
        sorted[i] = &m->entry_points[i];
    qsort(sorted, m->entry_point_count, sizeof *sorted, compare_names);
    bool fine = true;
    for (uint32_t i = 1; i < m->entry_point_count && fine; i++) {
        uint32_t at = m->insts[sorted[i]->inst].at;
        if (strcmp(sorted[i - 1]->name, sorted[i]->name) == 0)
            fine = lw_spirv_fail(error, LW_ERR_SAME_NAME, at, at, sorted[i]->name);
    }
    free(sorted);
    return fine;
}

bool
lw_module_check(const lw_module *module, lw_error *error)
{
    return check_model(module, error) && check_names(module, error);
}

/* ---- functions ---- */

static bool
check_header(struct lw_check *c, const struct lw_spirv_function *f)
{
    const lw_module *m = c->m;
    const struct lw_inst *inst = &m->insts[f->inst], *type = lw_def(m, f->type);
    if (!type || type->op != SpvOpTypeFunction || lw_word(m, type, 2) != inst->type ||
        f->param_count != type->count - 3u)
        return lw_invalid(c, inst, "it does not have its function type's result and number of parameters");
    uint32_t left = f->param_count;
    for (uint32_t i = f->first_param; left; i++) {
        if (m->insts[i].op != SpvOpFunctionParameter)
            continue;
        if (m->insts[i].type != lw_word(m, type, 3 + f->param_count - left))
            return lw_invalid(c, &m->insts[i], "its type is not the one in the function's type");
        if (!lw_is_value(m, lw_shape_of_type(m, m->insts[i].type)))
            return lw_refused(c, &m->insts[i], "a value of its type cannot be passed");
        left--;
    }
    struct lw_shape result = lw_shape_of_type(m, inst->type);
    if (result.class != LW_CLASS_VOID && !lw_is_value(m, result))
        return lw_refused(c, inst, "a value of its type cannot be returned");
    return true;
}

static bool
check_body(struct lw_check *c, const struct lw_spirv_function *f)
{
    struct lw_flow flow;
    if (!lw_flow_make(c, f, &flow))
        return false;
    c->flow = &flow;
    bool fine = lw_check_uses(c);
    for (uint32_t b = 0; b < f->block_count && fine; b++) {
        const struct lw_block *block = &c->m->blocks[f->first_block + b];
        for (c->at = block->first; c->at <= block->end && fine; c->at++)
            fine = lw_check_instruction(c, &c->m->insts[c->at]);
    }
    c->flow = NULL;
    lw_flow_free(&flow);
    return fine;
}

/* ---- kernels ---- */

/* Modes that change what arithmetic gives. Unknown ones hint. */
static bool
check_float_modes(struct lw_check *c, uint32_t function)
{
    const lw_module *m = c->m;
    for (uint32_t i = lw_first_mode(m, function); i < m->mode_count; i++) {
        const struct lw_inst *inst = &m->insts[m->modes[i]];
        if (lw_word(m, inst, 1) != function)
            break;
        uint32_t mode = lw_word(m, inst, 2);
        if (mode == SpvExecutionModeRoundingModeRTZ || mode == SpvExecutionModeRoundingModeRTPINTEL ||
            mode == SpvExecutionModeRoundingModeRTNINTEL || mode == SpvExecutionModeFloatingPointModeALTINTEL)
            return lw_refused(c, inst, "only rounding to the nearest is supported for whole kernels");
        if (mode == SpvExecutionModeDenormFlushToZero)
            return lw_refused(c, inst, "flushing subnormal numbers to zero is not supported");
    }
    return true;
}

/* Kernels that a program is to begin or end with concern all others. */
static bool
check_constructors(struct lw_check *c)
{
    const lw_module *m = c->m;
    for (uint32_t i = 0; i < m->mode_count; i++) {
        const struct lw_inst *inst = &m->insts[m->modes[i]];
        uint32_t mode = lw_word(m, inst, 2);
        if (mode == SpvExecutionModeInitializer || mode == SpvExecutionModeFinalizer)
            return lw_refused(c, inst, "constructors and destructors of programs (Initializer, Finalizer) "
                                       "are not supported");
    }
    return true;
}

static bool
check_modes(struct lw_check *c, const struct lw_kernel_desc *d)
{
    uint32_t at = c->m->insts[c->m->entry_points[d->entry_point].inst].at;
    uint32_t size = d->info.required_sub_group_size;
    const char *what = NULL;
    if (size && (size < 4 || size > 64 || (size & (size - 1))))
        what = "a sub-group size other than 4, 8, 16, 32 or 64 is asked for";
    const uint32_t *local = d->info.required_local_size;
    if ((local[0] || local[1] || local[2]) && !(local[0] && local[1] && local[2]))
        what = "a required work-group size has a zero in it";
    for (uint32_t i = 0; i < d->arg_count && !what; i++)
        if (lw_op_of(c->m, d->args[i].type) == SpvOpTypeArray)
            what = "an argument is an array";
    return !what || lw_spirv_fail(c->error, LW_ERR_KERNEL_MODE, at, at, c->kernel, what);
}

/* Before their types are looked at: "asynchronous copies" tells more than "events". */
static bool
check_topics(struct lw_check *c, const struct lw_uses *uses)
{
    const char *topic, *why;
    for (uint32_t f = 0; f < uses->function_count; f++) {
        const struct lw_spirv_function *function = &c->m->functions[uses->functions[f]];
        for (uint32_t i = function->inst; i < function->end; i++) {
            const struct lw_inst *inst = &c->m->insts[i];
            if ((why = lw_refusal_of(inst->op, &topic)))
                return lw_spirv_fail(c->error, LW_ERR_REFUSED_OP, inst->at, lw_op_name(inst->op), topic,
                                     inst->at, c->kernel, why);
        }
    }
    return true;
}

static bool
check_functions(struct lw_check *c, const struct lw_uses *uses)
{
    for (uint32_t i = 0; i < uses->function_count; i++) {
        const struct lw_spirv_function *f = &c->m->functions[uses->functions[i]];
        if (!check_header(c, f) || (f->block_count && !check_body(c, f)))
            return false;
    }
    return true;
}

static bool
check_kernel(const lw_module *module, uint32_t entry_point, lw_error *error)
{
    struct lw_kernel_desc *desc = lw_reflect_kernel(module, entry_point, error);
    if (!desc)
        return false;
    struct lw_check c = {.m = module, .kernel = desc->name, .error = error};
    struct lw_uses uses = {0};
    c.builtin_of = calloc(module->bound + 1u, sizeof *c.builtin_of);
    bool fine = c.builtin_of || lw_spirv_fail(error, LW_ERR_MEMORY, 0);
    fine = fine && check_modes(&c, desc) && check_constructors(&c) &&
           check_float_modes(&c, module->functions[desc->function].id) &&
           lw_check_calls(&c, desc->function);
    if (fine && !lw_uses_collect(module, desc->function, &uses))
        fine = lw_spirv_fail(error, LW_ERR_MEMORY, 0);
    fine = fine && check_topics(&c, &uses) && lw_check_globals(&c, &uses) && check_functions(&c, &uses);
    lw_uses_free(&uses);
    lw_kernel_desc_free(desc);
    free(c.builtin_of);
    return fine;
}

/* Adds the blocks that an entry point's functions name to the list. */
static bool
list_blocks(const lw_module *m, uint32_t entry_point, uint32_t *list, uint32_t *count, uint8_t *listed)
{
    uint32_t *functions = malloc((m->function_count + 1u) * sizeof *functions);
    uint32_t reached =
        functions ? lw_reachable_functions(m, m->entry_points[entry_point].function, functions) : 0;
    for (uint32_t f = 0; f < reached; f++) {
        const struct lw_spirv_function *function = &m->functions[functions[f]];
        for (uint32_t i = function->inst; i < function->end; i++) {
            const struct lw_inst *inst = &m->insts[i];
            uint32_t word = lw_block_word(inst->op),
                     block = word ? lw_block_of(m, lw_word(m, inst, word)) : LW_NO_INST;
            if (block == LW_NO_INST || listed[block])
                continue;
            listed[block] = 1;
            list[(*count)++] = block;
        }
    }
    free(functions);
    return reached != 0;
}

bool
lw_kernel_check(const lw_module *module, uint32_t entry_point, lw_error *error)
{
    if (!check_kernel(module, entry_point, error))
        return false;
    if (!module->names_blocks)
        return true;
    uint32_t *list = malloc((module->entry_point_count + 1u) * sizeof *list), count = 1;
    uint8_t *listed = calloc(module->entry_point_count + 1u, 1);
    bool fine = (list && listed) || lw_spirv_fail(error, LW_ERR_MEMORY, 0);
    if (fine) {
        list[0] = entry_point;
        listed[entry_point] = 1;
    }
    for (uint32_t i = 0; i < count && fine; i++)
        fine = (i == 0 || check_kernel(module, list[i], error)) &&
               (list_blocks(module, list[i], list, &count, listed) || lw_spirv_fail(error, LW_ERR_MEMORY, 0));
    free(list);
    free(listed);
    return fine;
}

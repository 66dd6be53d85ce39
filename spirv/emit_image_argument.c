/* SPDX-License-Identifier: MIT */
/* Which argument of the kernel an image or a sampler is, and so what the dispatch knows of it: followed
 * through calls, as long as all of them agree, and through variables that are stored to once.
 *
 * Enters: the id of an image or a sampler. Leaves: the fact, 0 where it is not one and the same argument.
 */
#include "emit_function.h"
#include "image.h"

#define MOST_CALLS 8 /* which a parameter is followed through */

static uint32_t argument_of(lw_emitter *e, uint32_t id, unsigned depth);

/* The function that an instruction is in, and its number among the parameters. */
static const struct lw_spirv_function *
parameter_owner(lw_emitter *e, uint32_t at, uint32_t *number)
{
    for (uint32_t i = 0; i < e->spv->function_count; i++) {
        const struct lw_spirv_function *f = &e->spv->functions[i];
        if (at < f->inst || at >= f->end)
            continue;
        *number = 0;
        for (uint32_t k = f->first_param; k < at; k++)
            *number += e->spv->insts[k].op == SpvOpFunctionParameter;
        return f;
    }
    return NULL;
}

/* What all calls of function `f` that the kernel reaches give as parameter `number`. */
static uint32_t
argument_of_calls(lw_emitter *e, const struct lw_spirv_function *f, uint32_t number, unsigned depth)
{
    uint32_t found = LW_NO_INST;
    for (uint32_t i = 0; i < e->spv->function_count; i++) {
        const struct lw_spirv_function *caller = &e->spv->functions[i];
        if (!e->functions[i])
            continue;
        for (uint32_t k = caller->inst; k < caller->end; k++) {
            const struct lw_inst *call = &e->spv->insts[k];
            if (call->op != SpvOpFunctionCall || lw_word(e->spv, call, 3) != f->id ||
                number + 4 >= call->count)
                continue;
            uint32_t given = lw_word(e->spv, call, 4 + number);
            if (lw_op_of(e->spv, given) == SpvOpUndef)
                continue; /* it has no texels, whatever is known of the others */
            uint32_t argument = argument_of(e, given, depth + 1);
            if (argument == LW_NO_INST || (found != LW_NO_INST && argument != found))
                return LW_NO_INST;
            found = argument;
        }
    }
    return found;
}

/* What a local variable holds that is stored to once and used in no way but loads, as at -O0. */
static uint32_t
only_value_of(lw_emitter *e, uint32_t variable)
{
    const struct lw_inst *inst = lw_def(e->spv, variable);
    uint32_t number, value = 0;
    const struct lw_spirv_function *f =
        inst && inst->op == SpvOpVariable ? parameter_owner(e, e->spv->def[variable], &number) : NULL;
    for (uint32_t k = f ? f->inst : 0; f && k < f->end; k++) {
        const struct lw_inst *i = &e->spv->insts[k];
        bool hint = i->op == SpvOpLifetimeStart || i->op == SpvOpLifetimeStop || i->op == SpvOpLoad ||
                    i->op == SpvOpVariable || i->op == SpvOpLine;
        if (i->op == SpvOpStore && lw_word(e->spv, i, 1) == variable && !value)
            value = lw_word(e->spv, i, 2);
        else
            for (uint32_t w = 1; w < i->count && !hint; w++)
                if (lw_word(e->spv, i, w) == variable)
                    return 0; /* or a literal that looks so */
    }
    return value;
}

static uint32_t
argument_of(lw_emitter *e, uint32_t id, unsigned depth)
{
    const struct lw_inst *inst = lw_def(e->spv, id);
    uint32_t number;
    if (!inst || depth > MOST_CALLS)
        return LW_NO_INST;
    if (inst->op == SpvOpLoad)
        return argument_of(e, only_value_of(e, lw_word(e->spv, inst, 3)), depth + 1);
    const struct lw_spirv_function *f =
        inst->op == SpvOpFunctionParameter ? parameter_owner(e, e->spv->def[id], &number) : NULL;
    if (!f)
        return LW_NO_INST;
    bool is_kernel = f == &e->spv->functions[e->kernel->function];
    return is_kernel ? number : argument_of_calls(e, f, number, depth);
}

uint32_t
lw_image_fact(lw_emitter *e, uint32_t id)
{
    uint32_t number = argument_of(e, id, 0), slot = 0;
    if (number >= e->kernel->arg_count)
        return 0;
    for (uint32_t i = 0; i < number; i++)
        slot +=
            e->kernel->args[i].info.kind == LW_ARG_IMAGE || e->kernel->args[i].info.kind == LW_ARG_SAMPLER;
    return slot < LW_SHAPE_IMAGES ? e->facts->images[slot] : 0;
}

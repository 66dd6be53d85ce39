/* SPDX-License-Identifier: MIT */
/* The instances of functions that are kept as calls: which there are, and what they return. See kept.h.
 *
 * Enters: a module in canonical form. Leaves: it unchanged; instances, analysed. Relies on: no recursion
 * among the functions, and calls nested no deeper than jit/keep_calls.c allows: analysing an instance
 * analyses those that it calls. Never: analyses one twice.
 */
#include "kept.h"

#include <stdlib.h>
#include <string.h>

#include "uniformity.h"

#define MOST_INSTANCES 8

static bool
begins(LLVMValueRef function, const char *prefix)
{
    size_t length;
    return strncmp(LLVMGetValueName2(function, &length), prefix, strlen(prefix)) == 0;
}

bool
lw_is_kept(LLVMValueRef function)
{
    return LLVMIsAFunction(function) && begins(function, LW_KEPT_PREFIX);
}

bool
lw_is_kept_lanes(LLVMValueRef function)
{
    return LLVMIsAFunction(function) && begins(function, "lanes.");
}

bool
lw_has_kept(LLVMModuleRef module)
{
    LLVMValueRef f = LLVMGetFirstFunction(module);

    while (f && !lw_is_kept(f))
        f = LLVMGetNextFunction(f);
    return f != NULL;
}

struct lw_kept *
lw_kept_open(LLVMModuleRef module, const struct lw_shape *shape, const char **why)
{
    struct lw_kept *kept = calloc(1, sizeof *kept);
    uint32_t count = 0, at = 0;

    *why = "out of memory";
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        count += lw_is_kept(f);
    if (!kept || !(kept->functions = calloc(count + 1u, sizeof *kept->functions))) {
        free(kept);
        return NULL;
    }
    kept->shape = *shape;
    kept->shape.buffers_4g = kept->shape.buffers_apart = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (!lw_is_kept(f))
            continue;
        kept->function_count = at + 1;
        kept->functions[at].scalar = f;
        kept->functions[at].model = lw_model_build(f, why);
        if (!kept->functions[at].model) {
            lw_kept_close(kept);
            return NULL;
        }
        kept->functions[at++].model->kept = kept;
    }
    return kept;
}

void
lw_kept_close(struct lw_kept *kept)
{
    for (uint32_t k = 0; kept && k < kept->function_count; k++) {
        struct lw_kept_instance *i = kept->functions[k].instances, *next;
        for (; i; i = next) {
            next = i->next;
            lw_uniformity_free(i->u);
            free(i);
        }
        lw_model_free(kept->functions[k].model);
    }
    if (kept)
        free(kept->functions);
    free(kept);
}

/* What the function returns, in all lanes that return. */
static bool
returns_uniform(const struct lw_model *m, const struct lw_uniformity *u)
{
    for (uint32_t b = 0; b < m->block_count; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(m->blocks[b].ref);
        if (LLVMIsAReturnInst(end) && LLVMGetNumOperands(end) == 1)
            return lw_form_of(u, m, LLVMGetOperand(end, 0)).form == LW_UNIFORM;
    }
    return true;
}

static struct lw_kept_instance *
find_made(const struct lw_kept_function *f, const bool *uniform)
{
    struct lw_kept_instance *i = f->instances;

    while (i && memcmp(i->uniform, uniform, f->model->param_count * sizeof *uniform) != 0)
        i = i->next;
    return i;
}

static struct lw_kept_instance *
make(struct lw_kept *kept, struct lw_kept_function *f, const bool *uniform)
{
    struct lw_kept_instance *made = calloc(1, sizeof *made);

    if (!made)
        return NULL;
    made->function = f;
    made->number = f->count;
    memcpy(made->uniform, uniform, f->model->param_count * sizeof *uniform);
    f->model->instance = made;
    made->u = lw_find_uniformity(f->model, &kept->shape);
    f->model->instance = NULL;
    if (!made->u) {
        free(made);
        return NULL;
    }
    made->uniform_result = returns_uniform(f->model, made->u);
    made->next = f->instances;
    f->instances = made;
    f->count++;
    return made;
}

struct lw_kept_instance *
lw_kept_find(struct lw_kept *kept, LLVMValueRef callee, const bool *uniform)
{
    static const bool none[LW_KEPT_PARAMS];
    struct lw_kept_function *f = kept->functions;
    struct lw_kept_instance *found;

    while (f->scalar != callee)
        f++;
    found = find_made(f, uniform);
    if (!found && f->count >= MOST_INSTANCES)
        found = find_made(f, uniform = none);
    if (!found)
        found = make(kept, f, uniform);
    kept->failed |= !found;
    return found;
}

struct lw_kept_instance *
lw_kept_next(struct lw_kept *kept)
{
    struct lw_kept_instance *next = kept->first;

    if (next)
        kept->first = next->wait;
    if (!kept->first)
        kept->last = NULL;
    return next;
}

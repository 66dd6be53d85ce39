/* SPDX-License-Identifier: MIT */
/* Calls: no recursion, and a bounded number of instructions.
 *
 * Enters: a kernel's function. Leaves: a yes, or an error. Relies on: jit/keep_calls.c, which keeps functions
 * as calls where inlining all of them would be too much. What it cannot keep is counted at each call here:
 * functions that may come to a barrier or a collective of the work-group, whatever calls those, functions of
 * structures and arrays or of many parameters, and what calls too deep. All others are counted once. Never:
 * recurses.
 */
#include "check_parts.h"

#include <stdlib.h>
#include <string.h>

#define MOST_PARAMETERS 64 /* as vectorizer/facts/kept.h and jit/keep_calls.c have them */
#define MOST_LEVELS 40

struct function {
    uint64_t size;   /* with what is inlined into it for certain */
    uint32_t levels; /* of calls inside that may be kept */
    uint8_t state;   /* 0 new, 1 open, 2 done */
    bool inlined;    /* for certain */
};

struct call_walk {
    struct function *functions;
    uint32_t *stack; /* open functions */
    uint32_t *next;  /* where each open function goes on */
    uint32_t depth;
    uint64_t kept; /* instructions of functions that may be kept */
};

static uint64_t
added(uint64_t size, uint64_t more)
{
    return size + more > LW_MAX_WRITTEN ? LW_MAX_WRITTEN + 1 : size + more;
}

static bool
is_aggregate(const lw_module *m, uint32_t type)
{
    uint32_t op = lw_op_of(m, type);
    return op == SpvOpTypeStruct || op == SpvOpTypeArray;
}

static bool
cannot_be_kept(const lw_module *m, uint32_t f)
{
    const struct lw_inst *inst = &m->insts[m->functions[f].inst], *type = lw_def(m, m->functions[f].type);
    bool aggregate = is_aggregate(m, inst->type);

    for (uint32_t i = 3; type && i < type->count; i++)
        aggregate |= is_aggregate(m, lw_word(m, type, i));
    return aggregate || m->functions[f].param_count > MOST_PARAMETERS;
}

/* May the work-group do it together? By the scope, where the instruction has one. */
static bool
is_group_operation(const lw_module *m, const struct lw_inst *inst)
{
    const char *name = lw_op_name(inst->op);
    uint32_t word = inst->op == SpvOpControlBarrier ? 1 : 3;

    if (inst->op == SpvOpGroupAsyncCopy || inst->op == SpvOpGroupWaitEvents)
        return true;
    if (inst->op != SpvOpControlBarrier && strncmp(name, "OpGroup", 7) != 0)
        return false;
    return inst->count <= word || lw_constant_operand(m, inst, word, SpvScopeWorkgroup) != SpvScopeSubgroup;
}

static bool
is_group_import(const lw_module *m, uint32_t f)
{
    const char *name = m->functions[f].import_name;
    return m->functions[f].block_count == 0 && (!name || strstr(name, "group") || strstr(name, "barrier"));
}

static void
open_function(const lw_module *m, struct call_walk *w, uint32_t f)
{
    w->functions[f] = (struct function){.state = 1, .inlined = cannot_be_kept(m, f) || is_group_import(m, f)};
    w->stack[w->depth] = f;
    w->next[w->depth++] = m->functions[f].inst;
}

static void
count_call(struct function *f, const struct function *callee)
{
    uint32_t levels = callee->levels + !callee->inlined;

    if (callee->inlined)
        f->size = added(f->size, callee->size);
    f->inlined |= callee->inlined;
    f->levels = levels > f->levels ? levels : f->levels;
    f->inlined |= f->levels >= MOST_LEVELS;
}

/* One step of the function on top of the stack: up to its next call that is not known yet. */
static bool
step_calls(struct lw_check *c, struct call_walk *w)
{
    const lw_module *m = c->m;
    uint32_t n = w->stack[w->depth - 1], i = w->next[w->depth - 1];
    struct function *f = &w->functions[n];
    for (; i < m->functions[n].end; i++) {
        const struct lw_inst *inst = &m->insts[i];
        f->size = added(f->size, 1);
        f->inlined |= is_group_operation(m, inst);
        if (inst->op != SpvOpFunctionCall)
            continue;
        uint32_t callee = lw_function_index(m, lw_word(m, inst, 3));
        if (callee == LW_NO_INST)
            return lw_invalid(c, inst, "it calls what is no function");
        if (w->functions[callee].state == 1)
            return lw_refused(c, inst, "recursion is not allowed in OpenCL");
        if (w->functions[callee].state == 0) {
            f->size--; /* comes here again */
            w->next[w->depth - 1] = i;
            open_function(m, w, callee);
            return true;
        }
        count_call(f, &w->functions[callee]);
    }
    f->state = 2;
    if (!f->inlined)
        w->kept = added(w->kept, f->size);
    w->depth--;
    return true;
}

bool
lw_check_calls(struct lw_check *c, uint32_t function)
{
    uint32_t room = c->m->function_count + 1u;
    struct call_walk w = {calloc(room, sizeof *w.functions), calloc(room, sizeof *w.stack),
                          calloc(room, sizeof *w.next), 0, 0};
    bool fine = w.functions && w.stack && w.next;
    if (!fine) {
        lw_spirv_fail(c->error, LW_ERR_MEMORY, 0);
    } else {
        open_function(c->m, &w, function);
        w.functions[function].inlined = true; /* the kernel itself */
    }
    while (fine && w.depth)
        fine = step_calls(c, &w);
    if (fine && added(w.functions[function].size, w.kept) > LW_MAX_WRITTEN)
        fine = lw_spirv_fail(c->error, LW_ERR_TOO_LONG, 0, c->kernel, LW_MAX_WRITTEN);
    free(w.functions);
    free(w.stack);
    free(w.next);
    return fine;
}

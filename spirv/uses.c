/* SPDX-License-Identifier: MIT */
/* What a kernel uses: the functions that it reaches, and the module-scope items that those name.
 *
 * Enters: a read module.  Leaves: lists.  Relies on: ids in range.  Never: recurses.
 */
#include "uses.h"

#include <stdlib.h>

#include "operands.h"
#include "reflect.h"

static bool
test_and_set(uint8_t *bits, uint32_t i)
{
    bool was = bits[i / 8] >> (i % 8) & 1;
    bits[i / 8] |= (uint8_t)(1u << (i % 8));
    return was;
}

uint32_t
lw_reachable_functions(const lw_module *module, uint32_t function, uint32_t *out)
{
    uint8_t *seen = calloc(module->function_count / 8 + 1u, 1);
    if (!seen)
        return 0;
    uint32_t count = 0;
    out[count++] = function;
    test_and_set(seen, function);
    for (uint32_t next = 0; next < count; next++) {
        const struct lw_spirv_function *f = &module->functions[out[next]];
        for (uint32_t i = f->inst; i < f->end; i++) {
            if (module->insts[i].op != SpvOpFunctionCall)
                continue;
            uint32_t callee = lw_function_index(module, lw_word(module, &module->insts[i], 3));
            if (callee != LW_NO_INST && !test_and_set(seen, callee))
                out[count++] = callee;
        }
    }
    free(seen);
    return count;
}

struct collector {
    const lw_module *m;
    struct lw_uses *uses;
    uint8_t *seen; /* by id */
    uint32_t room;
    bool failed;
};

static void
note_id(struct collector *c, uint32_t id)
{
    const lw_module *m = c->m;
    uint32_t def = id < m->bound ? m->def[id] : LW_NO_INST;
    if (def >= m->global_count || test_and_set(c->seen, id))
        return;
    if (c->uses->global_count == c->room) {
        uint32_t room = c->room ? c->room * 2 : 64;
        uint32_t *grown = realloc(c->uses->globals, sizeof *grown * room);
        if (!grown) {
            c->failed = true;
            return;
        }
        c->uses->globals = grown;
        c->room = room;
    }
    c->uses->globals[c->uses->global_count++] = def;
}

static void
note_operands(struct collector *c, const struct lw_inst *inst)
{
    struct lw_operand_walk walk;
    struct lw_operand operand;
    if (inst->type)
        note_id(c, inst->type);
    lw_operands_start(&walk, c->m, inst);
    while (lw_operands_next(&walk, &operand))
        if (operand.kind == LW_OPERAND_ID)
            note_id(c, c->m->words[operand.at]);
}

/* Debug instructions name much that no code needs. */
static bool
is_debug(const lw_module *m, const struct lw_inst *inst)
{
    if (inst->op == SpvOpLine || inst->op == SpvOpNoLine)
        return true;
    return inst->op == SpvOpExtInst && lw_is_non_semantic(m, inst);
}

static int
compare_index(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static bool
collect_globals(struct collector *c)
{
    const lw_module *m = c->m;
    struct lw_uses *uses = c->uses;
    for (uint32_t f = 0; f < uses->function_count; f++) {
        const struct lw_spirv_function *function = &m->functions[uses->functions[f]];
        for (uint32_t i = function->inst; i < function->end; i++)
            if (!is_debug(m, &m->insts[i]))
                note_operands(c, &m->insts[i]);
    }
    for (uint32_t next = 0; next < uses->global_count && !c->failed; next++)
        if (!is_debug(m, &m->insts[uses->globals[next]]))
            note_operands(c, &m->insts[uses->globals[next]]);
    if (!c->failed && uses->global_count)
        qsort(uses->globals, uses->global_count, sizeof *uses->globals, compare_index);
    return !c->failed;
}

bool
lw_uses_collect(const lw_module *m, uint32_t function, struct lw_uses *out)
{
    *out = (struct lw_uses){0};
    struct collector c = {m, out, calloc(m->bound / 8 + 1u, 1), 0, false};
    uint32_t *functions = malloc(sizeof *functions * (m->function_count + 1u));
    if (c.seen && functions) {
        out->function_count = lw_reachable_functions(m, function, functions);
        out->functions = realloc(functions, sizeof *functions * (out->function_count + 1u));
        functions = out->functions ? NULL : functions;
    }
    bool done = out->functions && out->function_count && collect_globals(&c);
    free(functions);
    free(c.seen);
    if (!done)
        lw_uses_free(out);
    return done;
}

void
lw_uses_free(struct lw_uses *uses)
{
    free(uses->functions);
    free(uses->globals);
    *uses = (struct lw_uses){0};
}

uint32_t
lw_constant_operand(const lw_module *m, const struct lw_inst *inst, uint32_t word, uint32_t otherwise)
{
    uint64_t bits;
    if (word >= inst->count || !lw_constant_bits(m, lw_word(m, inst, word), &bits) || bits > UINT32_MAX)
        return otherwise;
    return (uint32_t)bits;
}

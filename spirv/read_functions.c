/* SPDX-License-Identifier: MIT */
/* Brackets of functions and blocks.
 *
 * Enters: framed instructions.  Leaves: functions[], blocks[], global_count.
 * Relies on: nothing else.  Never: looks at operands but OpFunction's.
 */
#include <stdlib.h>

#include "error.h"
#include "operands.h"
#include "read_parts.h"

bool
lw_is_terminator(uint32_t op)
{
    switch (op) {
    case SpvOpBranch:
    case SpvOpBranchConditional:
    case SpvOpSwitch:
    case SpvOpKill:
    case SpvOpReturn:
    case SpvOpReturnValue:
    case SpvOpUnreachable:
    case SpvOpTerminateInvocation: return true;
    default: return false;
    }
}

/* May stand between blocks, parameters and functions. */
static bool
is_floating(const lw_module *m, const struct lw_inst *inst)
{
    if (inst->op == SpvOpExtInst)
        return lw_is_non_semantic(m, inst);
    return inst->op == SpvOpLine || inst->op == SpvOpNoLine || inst->op == SpvOpNop;
}

static bool
misplaced(const struct lw_inst *inst, const char *why, lw_error *error)
{
    return lw_spirv_fail(error, LW_ERR_BRACKETS, inst->at, lw_op_name(inst->op), inst->at, why);
}

struct bracket_state {
    struct lw_spirv_function *function; /* open one, or NULL */
    struct lw_block *block;       /* open one, or NULL */
};

static bool
step_in_block(lw_module *m, struct bracket_state *s, uint32_t i, lw_error *error)
{
    const struct lw_inst *inst = &m->insts[i];
    switch (inst->op) {
    case SpvOpLabel: return misplaced(inst, "the block before it has no terminator", error);
    case SpvOpFunction:
    case SpvOpFunctionEnd:
    case SpvOpFunctionParameter: return misplaced(inst, "it is inside a block", error);
    default: break;
    }
    if (lw_is_terminator(inst->op)) {
        s->block->end = i;
        s->block = NULL;
    }
    return true;
}

static bool
step_in_function(lw_module *m, struct bracket_state *s, uint32_t i, lw_error *error)
{
    const struct lw_inst *inst = &m->insts[i];
    struct lw_spirv_function *f = s->function;
    switch (inst->op) {
    case SpvOpFunctionParameter:
        if (f->block_count)
            return misplaced(inst, "it follows a block", error);
        if (!f->param_count++)
            f->first_param = i;
        return true;
    case SpvOpLabel:
        s->block = &m->blocks[m->block_count++];
        *s->block = (struct lw_block){inst->result, i + 1, i + 1};
        f->block_count++;
        return true;
    case SpvOpFunctionEnd:
        f->end = i;
        s->function = NULL;
        return true;
    default: return is_floating(m, inst) || misplaced(inst, "it is outside of a block", error);
    }
}

static bool
step_outside(lw_module *m, struct bracket_state *s, uint32_t i, lw_error *error)
{
    const struct lw_inst *inst = &m->insts[i];
    if (inst->op == SpvOpFunction) {
        s->function = &m->functions[m->function_count++];
        *s->function = (struct lw_spirv_function){
            .id = inst->result, .type = lw_word(m, inst, 4), .inst = i,
            .first_block = m->block_count};
        return true;
    }
    if (inst->op == SpvOpLabel || inst->op == SpvOpFunctionEnd || inst->op == SpvOpFunctionParameter ||
        lw_is_terminator(inst->op))
        return misplaced(inst, "it is outside of a function", error);
    if (m->function_count == 0)
        m->global_count = i + 1;
    else if (!is_floating(m, inst))
        return misplaced(inst, "it follows a function", error);
    return true;
}

bool
lw_read_functions(lw_module *m, lw_error *error)
{
    uint32_t functions = 0, blocks = 0;
    for (uint32_t i = 0; i < m->inst_count; i++) {
        functions += m->insts[i].op == SpvOpFunction;
        blocks += m->insts[i].op == SpvOpLabel;
    }
    m->functions = calloc(functions + 1u, sizeof *m->functions);
    m->blocks = calloc(blocks + 1u, sizeof *m->blocks);
    if (!m->functions || !m->blocks)
        return lw_spirv_fail(error, LW_ERR_MEMORY, 0);
    struct bracket_state s = {0};
    for (uint32_t i = 0; i < m->inst_count; i++) {
        bool fine = s.block      ? step_in_block(m, &s, i, error)
                    : s.function ? step_in_function(m, &s, i, error)
                                 : step_outside(m, &s, i, error);
        if (!fine)
            return false;
    }
    if (s.function)
        return misplaced(&m->insts[s.function->inst], "its function does not end", error);
    return true;
}

void
lw_read_imports(lw_module *m)
{
    for (uint32_t i = 0; i < m->function_count; i++) {
        struct lw_spirv_function *f = &m->functions[i];
        const struct lw_decoration *d =
            lw_find_decoration(m, f->id, LW_NO_MEMBER, SpvDecorationLinkageAttributes);
        if (f->block_count == 0 && d)
            f->import_name = lw_string_at(m, d->at);
    }
}

uint32_t
lw_function_index(const lw_module *m, uint32_t id)
{
    if (lw_op_of(m, id) != SpvOpFunction)
        return LW_NO_INST;
    uint32_t low = 0, high = m->function_count;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (m->functions[mid].inst < m->def[id])
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

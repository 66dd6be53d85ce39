/* SPDX-License-Identifier: MIT */
/* Execution modes by function, specialization constants, and the strings in which llvm-spirv tells the types
 * of kernel arguments.
 *
 * Enters: framed instructions with operands in range.  Leaves: modes[], spec_constants[] and arg_strings[].
 * Relies on: nothing else.  Never: judges them.
 */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "evaluate.h"
#include "read_parts.h"

#define ARG_STRING_PREFIX "kernel_arg_"

static bool
is_mode(const lw_module *m, uint32_t i)
{
    return m->insts[i].op == SpvOpExecutionMode || m->insts[i].op == SpvOpExecutionModeId;
}

static bool
is_arg_string(const lw_module *m, uint32_t i)
{
    const struct lw_inst *inst = &m->insts[i];
    return inst->op == SpvOpString &&
           strncmp(lw_string_at(m, inst->at + 2), ARG_STRING_PREFIX, strlen(ARG_STRING_PREFIX)) == 0;
}

static bool
is_spec_constant(const lw_module *m, uint32_t i)
{
    const struct lw_inst *inst = &m->insts[i];
    bool boolean = inst->op == SpvOpSpecConstantTrue || inst->op == SpvOpSpecConstantFalse;
    if (!boolean && inst->op != SpvOpSpecConstant)
        return false;
    const struct lw_decoration *d = lw_find_decoration(m, inst->result, LW_NO_MEMBER, SpvDecorationSpecId);
    uint32_t type = lw_op_of(m, inst->type);
    struct lw_value v = lw_value_of_type(m, inst->type);
    bool number = type == SpvOpTypeInt || type == SpvOpTypeFloat;
    return d && d->count &&
           (boolean ? type == SpvOpTypeBool
                    : number && (v.width == 8 || v.width == 16 || v.width == 32 || v.width == 64));
}

enum sort_key { BY_ORDER, BY_FIRST_WORD, BY_TEXT };

struct sort_row {
    const char *text; /* NULL: sorted by number */
    uint32_t number;
    uint32_t inst;
};

static int
compare(const void *left, const void *right)
{
    const struct sort_row *a = left, *b = right;
    int order = a->text ? strcmp(a->text, b->text) : (a->number > b->number) - (a->number < b->number);
    return order ? order : (a->inst > b->inst) - (a->inst < b->inst);
}

/* The module-scope instructions that `belongs` picks, sorted. NULL: out of memory. */
static uint32_t *
collect(const lw_module *m, bool (*belongs)(const lw_module *, uint32_t), enum sort_key key, uint32_t *count)
{
    *count = 0;
    for (uint32_t i = 0; i < m->global_count; i++)
        *count += belongs(m, i);
    uint32_t *out = calloc(*count + 1u, sizeof *out);
    struct sort_row *rows = calloc(*count + 1u, sizeof *rows);
    if (out && rows) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < m->global_count; i++)
            if (belongs(m, i))
                rows[n++] = (struct sort_row){key == BY_TEXT ? lw_string_at(m, m->insts[i].at + 2) : NULL,
                                              key == BY_FIRST_WORD ? lw_word(m, &m->insts[i], 1) : 0, i};
        qsort(rows, n, sizeof *rows, compare);
        for (uint32_t i = 0; i < n; i++)
            out[i] = rows[i].inst;
    } else {
        free(out);
        out = NULL;
    }
    free(rows);
    return out;
}

bool
lw_read_kernel_facts(lw_module *m, lw_error *error)
{
    m->modes = collect(m, is_mode, BY_FIRST_WORD, &m->mode_count);
    m->arg_strings = collect(m, is_arg_string, BY_TEXT, &m->arg_string_count);
    m->spec_constants = collect(m, is_spec_constant, BY_ORDER, &m->spec_constant_count);
    return (m->modes && m->spec_constants && m->arg_strings) || lw_spirv_fail(error, LW_ERR_MEMORY, 0);
}

/* SPDX-License-Identifier: MIT */
/* Blocks: the functions that kernels name to have them enqueued, or to ask about them. Each is a kernel of
 * its own, listed behind those that the host sees.
 *
 * clang makes an entry point of every block, `__KERNEL_block_invoke_N_kernel`; llvm-spirv names a function
 * beside it that is the same. A function that no entry point stands for gets one here.
 *
 * Enters: functions and entry points, read.  Leaves: entry points, blocks last, each with the function that
 * it stands for.  Relies on: ids in range.  Never: judges what instructions do with them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "enqueue.h"
#include "error.h"
#include "read_parts.h"
#include "support.h"

uint32_t
lw_block_word(uint32_t op)
{
    switch (op) {
    case SpvOpEnqueueKernel: return 9;
    case SpvOpGetKernelNDrangeSubGroupCount:
    case SpvOpGetKernelNDrangeMaxSubGroupSize:
    case SpvOpGetKernelLocalSizeForSubgroupCount: return 4;
    case SpvOpGetKernelWorkGroupSize:
    case SpvOpGetKernelPreferredWorkGroupSizeMultiple:
    case SpvOpGetKernelMaxNumSubgroups: return 3;
    default: return 0;
    }
}

bool
lw_is_enqueue_op(uint32_t op)
{
    return (op >= SpvOpEnqueueMarker && op <= SpvOpBuildNDRange) ||
           op == SpvOpGetKernelLocalSizeForSubgroupCount || op == SpvOpGetKernelMaxNumSubgroups;
}

bool
lw_is_block_query(uint32_t op)
{
    return op == SpvOpBuildNDRange || (op != SpvOpEnqueueKernel && lw_block_word(op));
}

uint32_t
lw_block_of(const lw_module *m, uint32_t function_id)
{
    uint32_t function = lw_function_index(m, function_id);
    for (uint32_t i = 0; i < m->entry_point_count && function != LW_NO_INST; i++)
        if (m->entry_points[i].block == function || m->entry_points[i].function == function)
            return i;
    return LW_NO_INST;
}

uint32_t
lw_block_asked(const lw_module *m, const struct lw_inst *inst)
{
    uint32_t blocks = m->entry_point_count - m->kernel_count;
    if (inst->op != SpvOpFunctionCall)
        return lw_block_of(m, lw_word(m, inst, lw_block_word(inst->op)));
    return blocks == 0 ? LW_NO_INST : blocks == 1 ? m->kernel_count : LW_ANY_BLOCK;
}

/* As clang calls them. */
static bool
is_block_name(const char *name)
{
    static const char end[] = "_kernel";
    size_t length = strlen(name);
    return strncmp(name, "__", 2) == 0 && strstr(name, "_block_invoke") && length > sizeof end &&
           strcmp(name + length - (sizeof end - 1), end) == 0;
}

/* By the linker's name, or the debugger's. */
static const char *
function_name(const lw_module *m, uint32_t function)
{
    uint32_t id = m->functions[function].id;
    const struct lw_decoration *d =
        lw_find_decoration(m, id, LW_NO_MEMBER, SpvDecorationLinkageAttributes);
    return d && d->count ? lw_string_at(m, d->at) : lw_name_of(m, id);
}

/* The entry point that stands for a function; LW_NO_INST: there is none yet. */
static uint32_t
find_entry(const lw_module *m, uint32_t function)
{
    const char *name = function_name(m, function);
    for (uint32_t i = 0; i < m->entry_point_count; i++)
        if (m->entry_points[i].function == function)
            return i;
    for (uint32_t i = 0; i < m->entry_point_count; i++)
        if (m->entry_points[i].block == m->entry_points[i].function &&
            strcmp(m->entry_points[i].name, name) == 0)
            return is_block_name(name) ? i : LW_NO_INST;
    return LW_NO_INST;
}

/* Its name is none that a program can have. */
static bool
add_entry(lw_module *m, uint32_t function, lw_error *error)
{
    const struct lw_inst *inst = &m->insts[m->functions[function].inst];
    uint32_t count = m->entry_point_count;
    if (count == LW_MAX_ENTRY_POINTS)
        return lw_spirv_fail(error, LW_ERR_TOO_MANY, inst->at, "OpFunction", inst->at, LW_MAX_ENTRY_POINTS,
                             "kernels");
    struct lw_entry_point *grown = realloc(m->entry_points, (count + 1u) * sizeof *grown);
    if (grown)
        m->entry_points = grown;
    char **names = realloc(m->block_names, (m->block_name_count + 1u) * sizeof *names);
    if (names)
        m->block_names = names;
    char *name = grown && names ? malloc(256) : NULL;
    if (!name)
        return lw_spirv_fail(error, LW_ERR_MEMORY, inst->at);
    snprintf(name, 256, "%.200s (block %%%u)", function_name(m, function), m->functions[function].id);
    m->block_names[m->block_name_count++] = name;
    m->entry_points[m->entry_point_count++] =
        (struct lw_entry_point){function, m->functions[function].inst, name, function};
    return true;
}

static bool
read_named(lw_module *m, const struct lw_inst *inst, uint8_t *seen, lw_error *error)
{
    uint32_t word = lw_block_word(inst->op);
    uint32_t function = word ? lw_function_index(m, lw_word(m, inst, word)) : LW_NO_INST;
    if (function == LW_NO_INST || !m->functions[function].block_count || seen[function])
        return true; /* the check refuses what names none */
    seen[function] = 1;
    m->names_blocks = true;
    uint32_t entry = find_entry(m, function);
    if (entry == LW_NO_INST)
        return add_entry(m, function, error);
    m->entry_points[entry].block = function;
    return true;
}

static bool
is_hidden(const struct lw_entry_point *entry)
{
    return is_block_name(entry->name) || strstr(entry->name, " (block %");
}

static bool
asks_without_name(const lw_module *m)
{
    for (uint32_t i = 0; i < m->function_count; i++) {
        const char *name = m->functions[i].import_name;
        const struct lw_imported_builtin *b = name ? lw_find_imported_builtin(name) : NULL;
        if (b && b->kind == LW_IMPORT_BLOCK)
            return true;
    }
    return false;
}

bool
lw_read_blocks(lw_module *m, lw_error *error)
{
    uint8_t *seen = calloc(m->function_count + 1u, 1);
    bool good = seen || lw_spirv_fail(error, LW_ERR_MEMORY, 0);
    for (uint32_t i = m->global_count; i < m->inst_count && good; i++)
        good = read_named(m, &m->insts[i], seen, error);
    free(seen);
    struct lw_entry_point *sorted = good ? malloc((m->entry_point_count + 1u) * sizeof *sorted) : NULL;
    if (!good)
        return false;
    if (!sorted)
        return lw_spirv_fail(error, LW_ERR_MEMORY, 0);
    uint32_t count = 0;
    for (unsigned hidden = 0; hidden < 2; hidden++) {
        for (uint32_t i = 0; i < m->entry_point_count; i++)
            if (is_hidden(&m->entry_points[i]) == (hidden != 0))
                sorted[count++] = m->entry_points[i];
        if (!hidden)
            m->kernel_count = count;
    }
    free(m->entry_points);
    m->entry_points = sorted;
    m->asks_any_block = m->entry_point_count > m->kernel_count + 1 && asks_without_name(m);
    return true;
}

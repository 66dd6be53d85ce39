/* SPDX-License-Identifier: MIT */
/* Bytes -> indexed module.
 *
 * Enters: any bytes.  Leaves: the invariants of module.h.
 * Relies on: nothing.  Never: looks at what instructions mean; that is check.c's.
 */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "operands.h"
#include "read_parts.h"

#define HEADER_WORDS 5u
#define MAX_MODULE_BYTES ((size_t)1 << 30)
#define NON_SEMANTIC_DEBUG_LINE 103u
#define NON_SEMANTIC_DEBUG_NO_LINE 104u
#define NON_SEMANTIC_DEBUG_SOURCE 35u

static uint32_t
swap_word(uint32_t w)
{
    return w >> 24 | (w >> 8 & 0xff00u) | (w << 8 & 0xff0000u) | w << 24;
}

/* Copies the words in native order. Strings are little-endian in their words, so they come out right too. */
static bool
read_words(lw_module *m, const void *data, size_t size, lw_error *error)
{
    if (size < HEADER_WORDS * 4)
        return lw_spirv_fail(error, LW_ERR_SHORT, 0, size);
    if (size % 4)
        return lw_spirv_fail(error, LW_ERR_NOT_WORDS, 0, size);
    if (size > MAX_MODULE_BYTES)
        return lw_spirv_fail(error, LW_ERR_TOO_LARGE, 0, size, MAX_MODULE_BYTES);
    uint32_t magic;
    memcpy(&magic, data, 4);
    if (magic != SpvMagicNumber && magic != swap_word(SpvMagicNumber))
        return lw_spirv_fail(error, LW_ERR_MAGIC, 0, magic);
    m->words = malloc(size);
    if (!m->words)
        return lw_spirv_fail(error, LW_ERR_MEMORY, 0);
    memcpy(m->words, data, size);
    m->word_count = size / 4;
    if (magic != SpvMagicNumber)
        for (size_t i = 0; i < m->word_count; i++)
            m->words[i] = swap_word(m->words[i]);
    m->version = m->words[1];
    m->generator = m->words[2];
    m->bound = m->words[3];
    if (m->version < 0x10000 || m->version > 0x10600 || (m->version & 0xff0000ffu))
        return lw_spirv_fail(error, LW_ERR_VERSION, 1, m->version);
    if (m->bound == 0 || m->bound > LW_MAX_BOUND)
        return lw_spirv_fail(error, LW_ERR_BOUND, 3, m->bound, LW_MAX_BOUND);
    return true;
}

/* Frames the instructions: inst_count and insts[] with op, count, type and result. */
static bool
frame(lw_module *m, lw_error *error)
{
    uint32_t count = 0;
    for (size_t at = HEADER_WORDS; at < m->word_count; count++) {
        uint32_t words = m->words[at] >> 16;
        if (words == 0 || words > m->word_count - at)
            return lw_spirv_fail(error, LW_ERR_WORD_COUNT, (uint32_t)at, (uint32_t)at, words,
                                 (uint32_t)(m->word_count - at));
        at += words;
    }
    m->insts = calloc(count ? count : 1, sizeof *m->insts);
    if (!m->insts)
        return lw_spirv_fail(error, LW_ERR_MEMORY, 0);
    m->inst_count = count;
    size_t at = HEADER_WORDS;
    for (uint32_t i = 0; i < count; i++) {
        struct lw_inst *inst = &m->insts[i];
        inst->at = (uint32_t)at;
        inst->op = m->words[at] & 0xffff;
        inst->count = m->words[at] >> 16;
        const struct lw_op_info *info = lw_op_info(inst->op);
        if (inst->count < 1u + info->has_type + info->has_result)
            return lw_spirv_fail(error, LW_ERR_OPERANDS, inst->at, info->name, inst->at);
        inst->type = info->has_type ? m->words[at + 1] : 0;
        inst->result = info->has_result ? m->words[at + 1 + info->has_type] : 0;
        at += inst->count;
    }
    return true;
}

static bool
check_id(const lw_module *m, const struct lw_inst *inst, uint32_t id, lw_error *error)
{
    if (id == 0 || id >= m->bound)
        return lw_spirv_fail(error, LW_ERR_ID_RANGE, inst->at, lw_op_name(inst->op), inst->at, id, m->bound);
    return true;
}

/* A large bound over few ids would ask for large tables: no id is above the largest word that could be one.
 */
static void
shrink_bound(lw_module *m)
{
    uint32_t highest = 0;
    for (size_t i = HEADER_WORDS; i < m->word_count; i++)
        if (m->words[i] > highest && m->words[i] < m->bound)
            highest = m->words[i];
    m->bound = highest + 1;
}

/* Results and types are in range and defined once; the tables by id. */
static bool
index_results(lw_module *m, lw_error *error)
{
    for (uint32_t i = 0; i < m->inst_count; i++) {
        const struct lw_inst *inst = &m->insts[i];
        const struct lw_op_info *info = lw_op_info(inst->op);
        if ((info->has_type && !check_id(m, inst, inst->type, error)) ||
            (info->has_result && !check_id(m, inst, inst->result, error)))
            return false;
    }
    shrink_bound(m);
    m->def = malloc(sizeof *m->def * m->bound);
    m->names = calloc(m->bound, sizeof *m->names);
    m->ext_sets = calloc(m->bound, 1);
    m->slots = malloc(sizeof *m->slots * m->bound);
    m->first_decoration = calloc((size_t)m->bound + 1, sizeof *m->first_decoration);
    if (!m->def || !m->names || !m->ext_sets || !m->slots || !m->first_decoration)
        return lw_spirv_fail(error, LW_ERR_MEMORY, 0);
    memset(m->def, 0xff, sizeof *m->def * m->bound);
    for (uint32_t i = 0; i < m->inst_count; i++) {
        const struct lw_inst *inst = &m->insts[i];
        if (!inst->result)
            continue;
        if (m->def[inst->result] != LW_NO_INST)
            return lw_spirv_fail(error, LW_ERR_REDEFINED, inst->at, lw_op_name(inst->op), inst->at,
                                 inst->result);
        m->def[inst->result] = i;
    }
    return true;
}

static enum lw_ext_set
ext_set_of(const char *name)
{
    if (strcmp(name, "OpenCL.std") == 0)
        return LW_EXT_OPENCL_STD;
    if (strncmp(name, "NonSemantic.Shader.DebugInfo.", 29) == 0)
        return LW_EXT_SHADER_DEBUG_INFO;
    if (strncmp(name, "NonSemantic.", 12) == 0)
        return LW_EXT_NON_SEMANTIC;
    if (strcmp(name, "OpenCL.DebugInfo.100") == 0 || strcmp(name, "DebugInfo") == 0)
        return LW_EXT_DEBUG_INFO;
    return LW_EXT_UNKNOWN;
}

static bool
check_operands_of(const lw_module *m, const struct lw_inst *inst, lw_error *error)
{
    struct lw_operand_walk walk;
    struct lw_operand operand;
    lw_operands_start(&walk, m, inst);
    while (lw_operands_next(&walk, &operand))
        if (operand.kind == LW_OPERAND_ID && !check_id(m, inst, m->words[operand.at], error))
            return false;
    return !walk.bad || lw_spirv_fail(error, LW_ERR_OPERANDS, inst->at, lw_op_name(inst->op), inst->at);
}

/* The sets first: what an OpExtInst's operands are depends on its set. Then everything, and the names. */
static bool
check_operands(lw_module *m, lw_error *error)
{
    for (uint32_t i = 0; i < m->inst_count; i++) {
        const struct lw_inst *inst = &m->insts[i];
        if (inst->op != SpvOpExtInstImport)
            continue;
        if (!check_operands_of(m, inst, error))
            return false;
        m->ext_sets[inst->result] = (uint8_t)ext_set_of(lw_string_at(m, inst->at + 2));
    }
    for (uint32_t i = 0; i < m->inst_count; i++) {
        const struct lw_inst *inst = &m->insts[i];
        if (!check_operands_of(m, inst, error))
            return false;
        if (inst->op == SpvOpName && !m->names[lw_word(m, inst, 1)])
            m->names[lw_word(m, inst, 1)] = lw_string_at(m, inst->at + 2);
    }
    return true;
}

/* The line of a NonSemantic.Shader.DebugInfo DebugLine, whose operands are ids of constants. */
static void
debug_line(const lw_module *m, const struct lw_inst *inst, uint32_t *file, uint32_t *line)
{
    const struct lw_inst *source = lw_def(m, lw_word(m, inst, 5));
    const struct lw_inst *first = lw_def(m, lw_word(m, inst, 6));
    if (!source || source->op != SpvOpExtInst || lw_word(m, source, 4) != NON_SEMANTIC_DEBUG_SOURCE ||
        !first || first->op != SpvOpConstant)
        return;
    *file = lw_word(m, source, 5);
    *line = lw_word(m, first, 3);
}

static void
read_lines(lw_module *m)
{
    uint32_t file = 0, line = 0;
    for (uint32_t i = 0; i < m->inst_count; i++) {
        struct lw_inst *inst = &m->insts[i];
        bool is_debug =
            inst->op == SpvOpExtInst && m->ext_sets[lw_word(m, inst, 3)] == LW_EXT_SHADER_DEBUG_INFO;
        if (inst->op == SpvOpLine) {
            file = lw_word(m, inst, 1);
            line = lw_word(m, inst, 2);
        } else if (inst->op == SpvOpNoLine ||
                   (is_debug && lw_word(m, inst, 4) == NON_SEMANTIC_DEBUG_NO_LINE)) {
            file = line = 0;
        } else if (is_debug && lw_word(m, inst, 4) == NON_SEMANTIC_DEBUG_LINE) {
            debug_line(m, inst, &file, &line);
        }
        if (lw_op_of(m, file) != SpvOpString)
            file = 0;
        inst->file = file;
        inst->line = line;
        if (inst->op == SpvOpFunctionEnd || lw_is_terminator(inst->op))
            file = line = 0;
    }
}

static bool
read_entry_points(lw_module *m, lw_error *error)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->global_count; i++)
        if (m->insts[i].op == SpvOpEntryPoint && lw_word(m, &m->insts[i], 1) == SpvExecutionModelKernel)
            count++;
    m->entry_points = calloc(count ? count : 1, sizeof *m->entry_points);
    if (!m->entry_points)
        return lw_spirv_fail(error, LW_ERR_MEMORY, 0);
    for (uint32_t i = 0; i < m->global_count; i++) {
        const struct lw_inst *inst = &m->insts[i];
        if (inst->op != SpvOpEntryPoint || lw_word(m, inst, 1) != SpvExecutionModelKernel)
            continue;
        uint32_t function = lw_function_index(m, lw_word(m, inst, 2));
        if (function == LW_NO_INST || m->functions[function].block_count == 0)
            return lw_spirv_fail(error, LW_ERR_BRACKETS, inst->at, "OpEntryPoint", inst->at,
                                 "it names no function with a body");
        if (m->entry_point_count == LW_MAX_ENTRY_POINTS)
            return lw_spirv_fail(error, LW_ERR_TOO_MANY, inst->at, "OpEntryPoint", inst->at,
                                 LW_MAX_ENTRY_POINTS, "kernels");
        m->entry_points[m->entry_point_count++] =
            (struct lw_entry_point){function, i, lw_string_at(m, inst->at + 3), function};
    }
    return true;
}

static bool
read_all(lw_module *m, const void *data, size_t size, lw_error *error)
{
    if (!read_words(m, data, size, error) || !frame(m, error) || !index_results(m, error) ||
        !check_operands(m, error))
        return false;
    if (!lw_read_functions(m, error) || !lw_read_decorations(m, error))
        return false;
    lw_read_imports(m);
    read_lines(m);
    if (!read_entry_points(m, error) || !lw_read_blocks(m, error) || !lw_read_kernel_facts(m, error))
        return false;
    return lw_module_evaluate(m) || lw_spirv_fail(error, LW_ERR_MEMORY, 0);
}

lw_module *
lw_module_read(const void *data, size_t size, lw_error *error)
{
    lw_module *m = calloc(1, sizeof *m);
    if (!m) {
        lw_spirv_fail(error, LW_ERR_MEMORY, 0);
        return NULL;
    }
    if (!read_all(m, data, size, error)) {
        lw_module_free(m);
        return NULL;
    }
    return m;
}

void
lw_module_free(lw_module *m)
{
    if (!m)
        return;
    free(m->words);
    free(m->insts);
    free(m->def);
    free(m->names);
    free(m->ext_sets);
    free(m->decorations);
    free(m->first_decoration);
    free(m->functions);
    free(m->blocks);
    free(m->entry_points);
    for (uint32_t i = 0; i < m->block_name_count; i++)
        free(m->block_names[i]);
    free(m->block_names);
    free(m->modes);
    free(m->arg_strings);
    free(m->spec_constants);
    free(m->overrides);
    free(m->slots);
    free(m->type_layouts);
    free(m->member_offsets);
    free(m->constants);
    free(m->constant_lanes);
    free(m->program_variables);
    free(m);
}

/* Reading again is linear and gives the same tables; only the overrides are not in the words. */
lw_module *
lw_module_copy(const lw_module *module)
{
    lw_module *copy = lw_module_read(module->words, module->word_count * 4, NULL);
    if (!copy || !module->override_count)
        return copy;
    copy->overrides = malloc(sizeof *copy->overrides * module->override_count);
    if (!copy->overrides) {
        lw_module_free(copy);
        return NULL;
    }
    memcpy(copy->overrides, module->overrides, sizeof *copy->overrides * module->override_count);
    copy->override_count = module->override_count;
    if (!lw_module_evaluate(copy)) {
        lw_module_free(copy);
        return NULL;
    }
    return copy;
}

/* SPDX-License-Identifier: MIT */
/* From marks to what SPIR-V has for them: OpLine, and DebugValue of NonSemantic.Shader.DebugInfo.100.
 *
 * Enters: a module by LLVM's back end whose marks are calls of functions that it imports (mark.c). Leaves:
 * the same without these calls and functions; where they stood, lines and values. Relies on: what calls have
 * is constants and a value. Never: touches another instruction.
 */
#include "marks.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

enum { HEADER = 5, BOUND = 3, DEBUG_UNIT = 1, DEBUG_BASIC = 2, DEBUG_VECTOR = 6, DEBUG_VARIABLE = 26,
       DEBUG_VALUE = 29, DEBUG_EXPRESSION = 31, DEBUG_SOURCE = 35 };

/* What an id is: a function of marks, or something that goes with it. */
enum role { OTHER, LINE_MARK, VALUE_MARK, GONE };

struct writer {
    const struct lw_marks *marks;
    const uint32_t *words;
    size_t count;
    uint32_t bound, void_type, int_type;
    uint8_t *roles;
    uint32_t *constants;
    uint32_t set, expression, source, unit;
    uint32_t *strings, *variables, *sources; /* of the tables' rows */
    uint32_t *out;
    size_t out_count, room;
    bool failed;
};

/* ---- Words ---- */

static void
put(struct writer *w, uint32_t word)
{
    if (w->out_count == w->room) {
        size_t room = w->room ? 2 * w->room : 1024;
        uint32_t *grown = w->failed ? NULL : realloc(w->out, room * sizeof *grown);
        if (!grown) {
            w->failed = true;
            return;
        }
        w->out = grown;
        w->room = room;
    }
    w->out[w->out_count++] = word;
}

static void
put_instruction(struct writer *w, unsigned op, const uint32_t *operands, unsigned count)
{
    put(w, (count + 1) << 16 | op);
    for (unsigned i = 0; i < count; i++)
        put(w, operands[i]);
}

/* An instruction whose operands end with a text; `result`: 0, it has none. */
static void
put_text(struct writer *w, unsigned op, uint32_t result, const char *text)
{
    size_t size = strlen(text) + 1, words = (size + 3) / 4;
    put(w, (uint32_t)(words + 1 + (result != 0)) << 16 | op);
    if (result)
        put(w, result);
    for (size_t i = 0; i < words; i++) {
        uint32_t word = 0;
        memcpy(&word, text + 4 * i, size - 4 * i < 4 ? size - 4 * i : 4);
        put(w, word);
    }
}

static uint32_t
put_constant(struct writer *w, uint32_t value)
{
    uint32_t id = w->bound++;
    put_instruction(w, SpvOpConstant, (uint32_t[]){w->int_type, id, value}, 3);
    return id;
}

static uint32_t
put_debug(struct writer *w, uint32_t what, const uint32_t *operands, unsigned count)
{
    uint32_t id = w->bound++;
    put(w, (count + 5) << 16 | SpvOpExtInst);
    put(w, w->void_type);
    put(w, id);
    put(w, w->set);
    put(w, what);
    for (unsigned i = 0; i < count; i++)
        put(w, operands[i]);
    return id;
}

/* ---- What is there ---- */

static enum role
role_of_name(const char *name)
{
    if (!strcmp(name, LW_MARK_LINE))
        return LINE_MARK;
    return strncmp(name, LW_MARK_VALUE, strlen(LW_MARK_VALUE)) ? OTHER : VALUE_MARK;
}

static bool
is_mark(const struct writer *w, uint32_t id)
{
    return w->roles[id] == LINE_MARK || w->roles[id] == VALUE_MARK;
}

/* An instruction of `length` words, all ids below the bound. */
static void
read_instruction(struct writer *w, const uint32_t *at, unsigned length, bool *inside)
{
    switch (at[0] & 0xffff) {
    case SpvOpDecorate:
        if (length > 4 && at[2] == SpvDecorationLinkageAttributes)
            w->roles[at[1]] = role_of_name((const char *)(at + 3));
        break;
    case SpvOpTypeVoid:
        w->void_type = at[1];
        break;
    case SpvOpTypeInt:
        if (at[2] == 32)
            w->int_type = at[1];
        break;
    case SpvOpConstant:
        w->constants[at[2]] = at[3];
        break;
    case SpvOpFunction:
        *inside = is_mark(w, at[2]);
        break;
    case SpvOpFunctionParameter:
        if (*inside)
            w->roles[at[2]] = GONE;
        break;
    case SpvOpFunctionCall:
        if (is_mark(w, at[3]))
            w->roles[at[2]] = GONE;
        break;
    default:
        break;
    }
}

/* ---- What is written ---- */

static void
put_strings(struct writer *w)
{
    for (unsigned i = 0; i < w->marks->file_count; i++)
        put_text(w, SpvOpString, w->strings[i] = w->bound++, w->marks->files[i]);
}

static uint32_t
put_type(struct writer *w, const struct lw_variable *v, uint32_t name)
{
    uint32_t none = put_constant(w, 0), bits = put_constant(w, v->bits), how = put_constant(w, v->encoding);
    uint32_t components = v->components > 1 ? put_constant(w, v->components) : 0;
    uint32_t type = put_debug(w, DEBUG_BASIC, (uint32_t[]){name, bits, how, none}, 4);
    return components ? put_debug(w, DEBUG_VECTOR, (uint32_t[]){type, components}, 2) : type;
}

/* Texts of names come with the other strings. */
static void
put_names(struct writer *w, uint32_t *names)
{
    for (unsigned i = 0; i < w->marks->variable_count; i++) {
        put_text(w, SpvOpString, names[2 * i] = w->bound++, w->marks->variables[i].name);
        put_text(w, SpvOpString, names[2 * i + 1] = w->bound++, w->marks->variables[i].type);
    }
}

static void
put_variables(struct writer *w, const uint32_t *names)
{
    enum { VERSION = 1, DWARF = 4, OPENCL_C = 3 };
    uint32_t version = put_constant(w, VERSION), dwarf = put_constant(w, DWARF);
    uint32_t language = put_constant(w, OPENCL_C), none = put_constant(w, 0);

    for (unsigned i = 0; i < w->marks->file_count; i++)
        w->sources[i] = put_debug(w, DEBUG_SOURCE, &w->strings[i], 1);
    w->unit = put_debug(w, DEBUG_UNIT, (uint32_t[]){version, dwarf, w->sources[0], language}, 4);
    w->expression = put_debug(w, DEBUG_EXPRESSION, NULL, 0);
    for (unsigned i = 0; i < w->marks->variable_count; i++) {
        const struct lw_variable *v = &w->marks->variables[i];
        uint32_t type = put_type(w, v, names[2 * i + 1]), line = put_constant(w, v->line);
        w->variables[i] = put_debug(
            w, DEBUG_VARIABLE,
            (uint32_t[]){names[2 * i], type, w->sources[v->file - 1], line, none, w->unit, none}, 7);
    }
}

/* The number that a mark begins with, an index of a table then. */
static bool
row_of(struct writer *w, uint32_t id, unsigned count, uint32_t *row)
{
    *row = w->constants[id] - 1;
    w->failed |= *row >= count;
    return *row < count;
}

static void
put_mark(struct writer *w, const uint32_t *call)
{
    uint32_t row;
    if (w->roles[call[3]] == LINE_MARK) {
        if (row_of(w, call[4], w->marks->file_count, &row))
            put_instruction(w, SpvOpLine, (uint32_t[]){w->strings[row], w->constants[call[5]], 0}, 3);
    } else if (row_of(w, call[4], w->marks->variable_count, &row)) {
        put_debug(w, DEBUG_VALUE, (uint32_t[]){w->variables[row], call[5], w->expression}, 3);
    }
}

/* Sections of a module, in their order. What is new comes at the begin of one. */
enum section { CAPABILITIES, EXTENSIONS, MODES, NAMES, FUNCTIONS };

static enum section
section_of(unsigned op)
{
    switch (op) {
    case SpvOpCapability:
        return CAPABILITIES;
    case SpvOpExtension:
    case SpvOpExtInstImport:
        return EXTENSIONS;
    case SpvOpMemoryModel:
    case SpvOpEntryPoint:
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId:
        return MODES;
    case SpvOpFunction:
        return FUNCTIONS;
    default:
        return NAMES;
    }
}

static void
begin_section(struct writer *w, enum section section, uint32_t *names)
{
    bool variables = w->marks->variable_count != 0;
    if (section == EXTENSIONS && variables) {
        put_text(w, SpvOpExtension, 0, "SPV_KHR_non_semantic_info");
    } else if (section == MODES && variables) {
        w->set = w->bound++;
        put_text(w, SpvOpExtInstImport, w->set, "NonSemantic.Shader.DebugInfo.100");
    } else if (section == NAMES) {
        put_strings(w);
        put_names(w, names);
    } else if (section == FUNCTIONS && variables) {
        put_variables(w, names);
    }
}

static void
write_all(struct writer *w, uint32_t *names)
{
    enum section section = CAPABILITIES;
    bool inside = false; /* a mark's function */
    for (size_t at = HEADER; at < w->count; at += w->words[at] >> 16) {
        const uint32_t *words = w->words + at;
        unsigned op = words[0] & 0xffff, length = words[0] >> 16;
        while (section < section_of(op))
            begin_section(w, ++section, names);
        if (op == SpvOpFunction)
            inside = is_mark(w, words[2]);
        bool names_gone = (op == SpvOpName || op == SpvOpDecorate) && w->roles[words[1]] != OTHER;
        if (op == SpvOpFunctionCall && is_mark(w, words[3]))
            put_mark(w, words);
        else if (!inside && !names_gone)
            put_instruction(w, op, words + 1, length - 1);
        inside &= op != SpvOpFunctionEnd;
    }
}

/* False: its words are no instructions. */
static bool
read_all(struct writer *w)
{
    bool inside = false;
    for (size_t at = HEADER; at < w->count; at += w->words[at] >> 16) {
        unsigned length = w->words[at] >> 16;
        if (!length || length > w->count - at)
            return false;
        read_instruction(w, w->words + at, length, &inside);
    }
    return w->void_type && w->int_type;
}

uint32_t *
lw_write_marks(const struct lw_marks *marks, const uint32_t *words, size_t count, size_t *written)
{
    struct writer w = {.marks = marks, .words = words, .count = count,
                       .bound = count > HEADER ? words[BOUND] : 0};
    unsigned files = marks->file_count, variables = marks->variable_count;

    w.roles = calloc(w.bound + 1, sizeof *w.roles);
    w.constants = calloc(w.bound + 1, sizeof *w.constants);
    w.strings = calloc(2 * files + 3 * variables + 1, sizeof *w.strings);
    w.failed = !w.roles || !w.constants || !w.strings || !read_all(&w);
    if (!w.failed) {
        w.sources = w.strings + files;
        w.variables = w.sources + files;
        for (unsigned i = 0; i < HEADER; i++)
            put(&w, words[i]);
        write_all(&w, w.variables + variables);
    }
    if (!w.failed)
        w.out[BOUND] = w.bound;
    free(w.roles);
    free(w.constants);
    free(w.strings);
    if (w.failed) {
        free(w.out);
        return NULL;
    }
    *written = w.out_count;
    return w.out;
}

/* SPDX-License-Identifier: MIT */
/* From marks to what SPIR-V has for them: OpLine, DebugValue and DebugDeclare of
 * NonSemantic.Shader.DebugInfo.100.
 *
 * Enters: a module by LLVM's back end whose marks are calls of functions that it imports (marks_in_ir.c).
 * Leaves: the same without these calls and functions, and without the integers that they had for pointers;
 * where they stood, lines, values and places. Relies on: what calls have is constants and a value. Never:
 * touches another instruction.
 */
#include "marks.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>
#include <spirv/unified1/spirv.h>

enum { HEADER = 5, BOUND = 3 };

/* What an id is: a function of marks, or something that goes with it. */
enum role { OTHER, LINE_MARK, VALUE_MARK, PLACE_MARK, GONE };

struct writer {
    const struct lw_marks *marks;
    const uint32_t *words;
    size_t count;
    uint32_t bound, void_type, int_type;
    uint8_t *roles;
    uint32_t *constants;
    uint32_t *pointers; /* that an integer was made of */
    uint8_t *used;      /* by more than marks */
    uint32_t set, expression, none, unit;
    uint32_t *strings, *variables, *sources, *names, *type_names, *types,
        *member_names; /* of the tables' rows */
    uint32_t *places;  /* of variables: expressions */
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
    if (!strcmp(name, LW_MARK_LINE) || !strcmp(name, LW_MARK_PLACE))
        return strcmp(name, LW_MARK_LINE) ? PLACE_MARK : LINE_MARK;
    return strncmp(name, LW_MARK_VALUE, strlen(LW_MARK_VALUE)) ? OTHER : VALUE_MARK;
}

static bool
is_mark(const struct writer *w, uint32_t id)
{
    return w->roles[id] >= LINE_MARK && w->roles[id] <= PLACE_MARK;
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
    case SpvOpConvertPtrToU:
        w->pointers[at[2]] = at[3];
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

/* Texts of names come with the other strings. */
static void
put_names(struct writer *w)
{
    const struct lw_marks *marks = w->marks;
    for (unsigned i = 0; i < marks->variable_count; i++)
        put_text(w, SpvOpString, w->names[i] = w->bound++, marks->variables[i].name);
    for (unsigned i = 0; i < marks->type_count; i++)
        put_text(w, SpvOpString, w->type_names[i] = w->bound++,
                 marks->types[i].name ? marks->types[i].name : "");
    for (unsigned i = 0; i < marks->member_count; i++)
        put_text(w, SpvOpString, w->member_names[i] = w->bound++, marks->members[i].name);
}

static uint32_t
put_basic(struct writer *w, const struct lw_debug_type *t, uint32_t name)
{
    uint32_t zero = put_constant(w, 0), bits = put_constant(w, (uint32_t)t->bits);
    uint32_t how = put_constant(w, t->encoding), count = t->count > 1 ? put_constant(w, t->count) : 0;
    uint32_t type =
        put_debug(w, NonSemanticShaderDebugInfo100DebugTypeBasic, (uint32_t[]){name, bits, how, zero}, 4);
    return count ? put_debug(w, NonSemanticShaderDebugInfo100DebugTypeVector, (uint32_t[]){type, count}, 2)
                 : type;
}

static uint32_t
put_struct(struct writer *w, const struct lw_debug_type *t, uint32_t name)
{
    enum { FIXED = 9 };
    uint32_t zero = put_constant(w, 0), bits = put_constant(w, (uint32_t)t->bits);
    uint32_t tag = put_constant(w, NonSemanticShaderDebugInfo100Structure), source = w->sources[0];
    uint32_t *words = calloc(FIXED + t->count, sizeof *words), id = 0;
    w->failed |= !words;
    for (unsigned i = 0; i < t->count && words; i++) {
        const struct lw_debug_member *m = &w->marks->members[t->first_member + i];
        uint32_t offset = put_constant(w, (uint32_t)m->offset);
        uint32_t size = put_constant(w, (uint32_t)lw_debug_bits(w->marks, m->type));
        words[FIXED + i] = put_debug(w, NonSemanticShaderDebugInfo100DebugTypeMember,
                                     (uint32_t[]){w->member_names[t->first_member + i], w->types[m->type - 1],
                                                  source, zero, zero, offset, size, zero},
                                     8);
    }
    if (words) {
        memcpy(words, (uint32_t[]){name, tag, source, zero, zero, w->unit, name, bits, zero},
               FIXED * sizeof *words);
        id = put_debug(w, NonSemanticShaderDebugInfo100DebugTypeComposite, words, FIXED + t->count);
    }
    free(words);
    return id;
}

/* What a type consists of comes before it. */
static void
put_types(struct writer *w)
{
    for (unsigned i = 0; i < w->marks->type_count; i++) {
        const struct lw_debug_type *t = &w->marks->types[i];
        uint32_t of = t->of ? w->types[t->of - 1] : w->none, number;
        switch (t->kind) {
        case LW_BASIC:
            w->types[i] = put_basic(w, t, w->type_names[i]);
            break;
        case LW_STRUCT:
            w->types[i] = put_struct(w, t, w->type_names[i]);
            break;
        case LW_POINTER:
            number = put_constant(w, SpvStorageClassCrossWorkgroup);
            w->types[i] = put_debug(w, NonSemanticShaderDebugInfo100DebugTypePointer,
                                    (uint32_t[]){of, number, put_constant(w, 0)}, 3);
            break;
        case LW_ARRAY:
            number = put_constant(w, t->count);
            w->types[i] =
                put_debug(w, NonSemanticShaderDebugInfo100DebugTypeArray, (uint32_t[]){of, number}, 2);
            break;
        }
    }
}

/* Where a part of a variable in memory is: so many bytes on. */
static uint32_t
put_place(struct writer *w, uint64_t bits)
{
    if (!bits)
        return w->expression;
    uint32_t how = put_constant(w, NonSemanticShaderDebugInfo100PlusUconst),
             bytes = put_constant(w, (uint32_t)(bits / 8));
    uint32_t operation =
        put_debug(w, NonSemanticShaderDebugInfo100DebugOperation, (uint32_t[]){how, bytes}, 2);
    return put_debug(w, NonSemanticShaderDebugInfo100DebugExpression, &operation, 1);
}

static void
put_variables(struct writer *w)
{
    enum { VERSION = 1, DWARF = 4, OPENCL_C = 3 };
    uint32_t version = put_constant(w, VERSION), dwarf = put_constant(w, DWARF);
    uint32_t language = put_constant(w, OPENCL_C), zero = put_constant(w, 0);

    for (unsigned i = 0; i < w->marks->file_count; i++)
        w->sources[i] = put_debug(w, NonSemanticShaderDebugInfo100DebugSource, &w->strings[i], 1);
    w->unit = put_debug(w, NonSemanticShaderDebugInfo100DebugCompilationUnit,
                        (uint32_t[]){version, dwarf, w->sources[0], language}, 4);
    w->expression = put_debug(w, NonSemanticShaderDebugInfo100DebugExpression, NULL, 0);
    w->none = put_debug(w, NonSemanticShaderDebugInfo100DebugInfoNone, NULL, 0);
    put_types(w);
    for (unsigned i = 0; i < w->marks->variable_count && !w->failed; i++) {
        const struct lw_variable *v = &w->marks->variables[i];
        uint32_t line = put_constant(w, v->line), source = w->sources[v->file - 1];
        w->variables[i] =
            put_debug(w, NonSemanticShaderDebugInfo100DebugLocalVariable,
                      (uint32_t[]){w->names[i], w->types[v->type - 1], source, line, zero, w->unit, zero}, 7);
        w->places[i] = put_place(w, v->offset);
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
        uint32_t pointer = w->pointers[call[5]], value = pointer ? pointer : call[5];
        if (w->roles[call[3]] == VALUE_MARK)
            put_debug(w, NonSemanticShaderDebugInfo100DebugValue,
                      (uint32_t[]){w->variables[row], value, w->expression}, 3);
        else if (pointer)
            put_debug(w, NonSemanticShaderDebugInfo100DebugDeclare,
                      (uint32_t[]){w->variables[row], pointer, w->places[row]}, 3);
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
begin_section(struct writer *w, enum section section)
{
    bool variables = w->marks->variable_count != 0;
    if (section == EXTENSIONS && variables) {
        put_text(w, SpvOpExtension, 0, "SPV_KHR_non_semantic_info");
    } else if (section == MODES && variables) {
        w->set = w->bound++;
        put_text(w, SpvOpExtInstImport, w->set, "NonSemantic.Shader.DebugInfo.100");
    } else if (section == NAMES) {
        put_strings(w);
        put_names(w);
    } else if (section == FUNCTIONS && variables) {
        put_variables(w);
    }
}

static void
write_all(struct writer *w)
{
    enum section section = CAPABILITIES;
    bool inside = false; /* a mark's function */
    for (size_t at = HEADER; at < w->count; at += w->words[at] >> 16) {
        const uint32_t *words = w->words + at;
        unsigned op = words[0] & 0xffff, length = words[0] >> 16;
        while (section < section_of(op))
            begin_section(w, ++section);
        if (op == SpvOpFunction)
            inside = is_mark(w, words[2]);
        bool names_gone = (op == SpvOpName || op == SpvOpDecorate) && w->roles[words[1]] != OTHER;
        names_gone |= op == SpvOpConvertPtrToU && w->roles[words[2]] == GONE;
        if (op == SpvOpFunctionCall && is_mark(w, words[3]))
            put_mark(w, words);
        else if (!inside && !names_gone)
            put_instruction(w, op, words + 1, length - 1);
        inside &= op != SpvOpFunctionEnd;
    }
}

/* Integers that are but for marks go; a number that looks like such a one keeps it. */
static void
find_integers(struct writer *w)
{
    for (size_t at = HEADER; at < w->count; at += w->words[at] >> 16) {
        const uint32_t *words = w->words + at;
        unsigned op = words[0] & 0xffff, length = words[0] >> 16;
        if ((op == SpvOpFunctionCall && is_mark(w, words[3])) || op == SpvOpName || op == SpvOpDecorate)
            continue;
        for (unsigned i = op == SpvOpConvertPtrToU ? 3 : 1; i < length; i++)
            if (words[i] < w->bound)
                w->used[words[i]] = 1;
    }
    for (uint32_t id = 0; id < w->bound; id++)
        if (w->pointers[id] && !w->used[id])
            w->roles[id] = GONE;
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
    find_integers(w);
    return w->void_type && w->int_type;
}

uint32_t *
lw_write_marks(const struct lw_marks *marks, const uint32_t *words, size_t count, size_t *written)
{
    struct writer w = {
        .marks = marks, .words = words, .count = count, .bound = count > HEADER ? words[BOUND] : 0};
    unsigned files = marks->file_count, variables = marks->variable_count, types = marks->type_count;

    w.roles = calloc(w.bound + 1, sizeof *w.roles);
    w.used = calloc(w.bound + 1, sizeof *w.used);
    w.constants = calloc(w.bound + 1, sizeof *w.constants);
    w.pointers = calloc(w.bound + 1, sizeof *w.pointers);
    w.strings = calloc(2 * files + 3 * variables + 2 * types + marks->member_count + 1, sizeof *w.strings);
    w.failed = !w.roles || !w.used || !w.constants || !w.pointers || !w.strings || !read_all(&w);
    if (!w.failed) {
        w.sources = w.strings + files;
        w.variables = w.sources + files;
        w.places = w.variables + variables;
        w.names = w.places + variables;
        w.types = w.names + variables;
        w.type_names = w.types + types;
        w.member_names = w.type_names + types;
        for (unsigned i = 0; i < HEADER; i++)
            put(&w, words[i]);
        write_all(&w);
    }
    if (!w.failed)
        w.out[BOUND] = w.bound;
    free(w.roles);
    free(w.used);
    free(w.constants);
    free(w.pointers);
    free(w.strings);
    if (w.failed) {
        free(w.out);
        return NULL;
    }
    *written = w.out_count;
    return w.out;
}

/* SPDX-License-Identifier: MIT */
/* Several SPIR-V modules become one: ids renumbered, equal types made one, imports replaced by what exports
 * them.
 *
 * Enters: modules as they were given.  Leaves: one module, its sections in the order that SPIR-V demands.
 * Relies on: lw_module_read's invariants. What it makes is read and checked like any other module.
 * Never: follows a chain of ids deeper than one step (an import resolves to a definition, a type to a type
 * that was written).
 */
#include "../objects.h"
#include "../../../spirv/operands.h"

#include <stdlib.h>
#include <string.h>

enum section {
    SECTION_CAPABILITY,
    SECTION_EXTENSION,
    SECTION_IMPORT,
    SECTION_MODEL,
    SECTION_ENTRY,
    SECTION_MODE,
    SECTION_DEBUG,
    SECTION_NAME,
    SECTION_PROCESSED,
    SECTION_DECORATION,
    SECTION_GLOBAL,
    SECTION_DECLARATION,
    SECTION_DEFINITION,
    SECTIONS
};

struct words {
    uint32_t *data;
    size_t count, room;
};

struct symbol {
    const char *name;
    uint32_t module, id, type; /* type: SpvLinkageType */
};

struct linker {
    lw_module **modules;
    uint32_t **ids; /* by module and id: the new id */
    bool **gone;    /* by module and id: defined elsewhere, so its own definition is left out */
    uint32_t count;
    struct symbol *symbols;
    size_t symbol_count, symbol_room;
    struct words sections[SECTIONS];
    size_t *types; /* where the types are that were written, in SECTION_GLOBAL, by hash; open addressing */
    size_t type_count, type_room;
    lw_error *error;
};

static bool
out_of_memory(struct linker *l)
{
    return lw_runtime_error(l->error, LW_OUT_OF_MEMORY, "no memory to link %u modules", l->count);
}

static bool
append(struct linker *l, enum section section, const uint32_t *data, size_t count)
{
    struct words *w = &l->sections[section];
    if (w->count + count > w->room) {
        size_t room = 2 * w->room + count + 256;
        uint32_t *grown = realloc(w->data, room * sizeof *grown);
        if (!grown)
            return out_of_memory(l);
        w->data = grown;
        w->room = room;
    }
    memcpy(w->data + w->count, data, count * sizeof *data);
    w->count += count;
    return true;
}

/* ---- Reading ---- */

static bool
read_modules(struct linker *l, const void *const *modules, const size_t *sizes)
{
    uint64_t bound = 1;
    for (uint32_t k = 0; k < l->count; k++) {
        lw_module *m = l->modules[k] = lw_module_read(modules[k], sizes[k], l->error);
        if (!m)
            return false;
        l->ids[k] = malloc(m->bound * sizeof **l->ids);
        l->gone[k] = calloc(m->bound, sizeof **l->gone);
        if (!l->ids[k] || !l->gone[k])
            return out_of_memory(l);
        for (uint32_t id = 0; id < m->bound; id++)
            l->ids[k][id] = (uint32_t)(bound + id - 1);
        bound += m->bound;
        if (bound > LW_MAX_BOUND)
            return lw_runtime_error(l->error, LW_UNSUPPORTED, "the linked module has more than %u ids",
                                    LW_MAX_BOUND);
    }
    return true;
}

/* ---- Symbols ---- */

static bool
add_symbol(struct linker *l, uint32_t module, const struct lw_decoration *d)
{
    if (l->symbol_count == l->symbol_room) {
        size_t room = 2 * l->symbol_room + 64;
        struct symbol *grown = realloc(l->symbols, room * sizeof *grown);
        if (!grown)
            return out_of_memory(l);
        l->symbols = grown;
        l->symbol_room = room;
    }
    const lw_module *m = l->modules[module];
    l->symbols[l->symbol_count++] =
        (struct symbol){lw_string_at(m, d->at), module, d->target, m->words[d->at + d->count - 1]};
    return true;
}

/* What is exported is taken before what may be defined several times, and that before an import. */
static int
rank_of(uint32_t type)
{
    return type == SpvLinkageTypeExport ? 0 : type == SpvLinkageTypeImport ? 2 : 1;
}

/* By name and rank, in the order of the modules. */
static int
compare_symbols(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    if (order == 0)
        order = rank_of(x->type) - rank_of(y->type);
    return order ? order : (x->module > y->module) - (x->module < y->module);
}

static bool
is_our_business(const char *name)
{
    /* Mangled names are OpenCL C's own functions, which the compiler knows. */
    return strncmp(name, "_Z", 2) != 0 && strncmp(name, "__", 2) != 0;
}

static bool
resolve(struct linker *l, const struct symbol *first, const struct symbol *end, bool library)
{
    if (first->type == SpvLinkageTypeImport) {
        if (!library && is_our_business(first->name))
            return lw_runtime_error(l->error, LW_NOT_FOUND, "the symbol %.300s is not defined in any module",
                                    first->name);
        return true;
    }
    for (const struct symbol *s = first + 1; s < end; s++) {
        if (s->type == SpvLinkageTypeExport && first->type == SpvLinkageTypeExport)
            return lw_runtime_error(l->error, LW_BAD_ARGUMENT, "the symbol %.300s is defined in two modules",
                                    first->name);
        if (lw_op_of(l->modules[s->module], s->id) != lw_op_of(l->modules[first->module], first->id))
            return lw_runtime_error(l->error, LW_BAD_MODULE, "the symbol %.300s is a function and a variable",
                                    first->name);
        l->ids[s->module][s->id] = l->ids[first->module][first->id];
        l->gone[s->module][s->id] = true;
    }
    return true;
}

static bool
resolve_symbols(struct linker *l, bool library)
{
    for (uint32_t k = 0; k < l->count; k++) {
        const lw_module *m = l->modules[k];
        for (uint32_t i = 0; i < m->decoration_count; i++) {
            const struct lw_decoration *d = &m->decorations[i];
            if (d->kind == SpvDecorationLinkageAttributes && d->count >= 2 && d->member == LW_NO_MEMBER &&
                !add_symbol(l, k, d))
                return false;
        }
    }
    if (l->symbol_count)
        qsort(l->symbols, l->symbol_count, sizeof *l->symbols, compare_symbols);
    for (size_t i = 0, end; i < l->symbol_count; i = end) {
        for (end = i + 1; end < l->symbol_count && strcmp(l->symbols[i].name, l->symbols[end].name) == 0;)
            end++;
        if (!resolve(l, &l->symbols[i], &l->symbols[end], library))
            return false;
    }
    return true;
}

/* ---- Writing ---- */

/* OpenCL.DebugInfo's mix ids and numbers, and only others of that set name them: they are left out. */
static bool
is_lost(const lw_module *m, const struct lw_inst *inst)
{
    return inst->op == SpvOpExtInst && m->ext_sets[lw_word(m, inst, 3)] == LW_EXT_DEBUG_INFO;
}

/* All that is behind the number of an instruction of non-semantic sets is ids. */
static bool
renumber_non_semantic(struct linker *l, uint32_t k, const struct lw_inst *inst, uint32_t *out)
{
    enum { FIRST_OPERAND = 5 };
    const lw_module *m = l->modules[k];
    if (inst->op != SpvOpExtInst || !lw_is_non_semantic(m, inst))
        return false;
    out[3] = l->ids[k][out[3]];
    for (uint32_t word = FIRST_OPERAND; word < inst->count; word++) {
        if (out[word] >= m->bound)
            return false;
        out[word] = l->ids[k][out[word]];
    }
    return true;
}

/* One instruction with its ids renumbered. */
static bool
write_inst(struct linker *l, uint32_t k, const struct lw_inst *inst, enum section section)
{
    const lw_module *m = l->modules[k];
    size_t at = l->sections[section].count;
    if (is_lost(m, inst))
        return true;
    if (!append(l, section, &m->words[inst->at], inst->count))
        return false;
    uint32_t *out = &l->sections[section].data[at];
    uint32_t word = 1;
    if (inst->type)
        out[word++] = l->ids[k][inst->type];
    if (inst->result)
        out[word++] = l->ids[k][inst->result];
    if (renumber_non_semantic(l, k, inst, out))
        return true;
    struct lw_operand_walk walk;
    struct lw_operand operand;
    lw_operands_start(&walk, m, inst);
    while (lw_operands_next(&walk, &operand)) {
        if (operand.kind == LW_OPERAND_OPAQUE)
            return lw_runtime_error(l->error, LW_UNSUPPORTED, "%s at word %u of module %u cannot be linked",
                                    lw_op_name(inst->op), inst->at, k);
        if (operand.kind == LW_OPERAND_ID)
            out[operand.at - inst->at] = l->ids[k][m->words[operand.at]];
    }
    return true;
}

static uint64_t
hash_type(const uint32_t *inst)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint32_t i = 0; i < inst[0] >> 16; i++)
        if (i != 1)
            hash = (hash ^ inst[i]) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static bool
same_type(const uint32_t *a, const uint32_t *b)
{
    return a[0] == b[0] && memcmp(a + 2, b + 2, ((a[0] >> 16) - 2) * sizeof *a) == 0;
}

/* The place of the type in the table: an empty one, or that of an equal type. */
static size_t *
find_type(struct linker *l, const uint32_t *inst)
{
    const uint32_t *written = l->sections[SECTION_GLOBAL].data;
    size_t i = hash_type(inst) & (l->type_room - 1);
    while (l->types[i] != SIZE_MAX && !same_type(&written[l->types[i]], inst))
        i = (i + 1) & (l->type_room - 1);
    return &l->types[i];
}

static bool
make_type_table(struct linker *l)
{
    size_t globals = 0;
    for (uint32_t k = 0; k < l->count; k++)
        globals += l->modules[k]->global_count;
    for (l->type_room = 64; l->type_room < 2 * globals;)
        l->type_room *= 2;
    l->types = malloc(l->type_room * sizeof *l->types);
    if (!l->types)
        return out_of_memory(l);
    memset(l->types, 0xff, l->type_room * sizeof *l->types);
    return true;
}

static bool
is_type(uint32_t op)
{
    return op >= SpvOpTypeVoid && op <= SpvOpTypePipe;
}

/* A type, constant or variable. A type that was written by another module is that one from here on. */
static bool
write_global(struct linker *l, uint32_t k, const struct lw_inst *inst)
{
    if (inst->result && l->gone[k][inst->result])
        return true;
    size_t at = l->sections[SECTION_GLOBAL].count;
    if (!write_inst(l, k, inst, SECTION_GLOBAL))
        return false;
    if (!is_type(inst->op) || !inst->result)
        return true;
    size_t *place = find_type(l, &l->sections[SECTION_GLOBAL].data[at]);
    if (*place == SIZE_MAX) {
        *place = at;
        return true;
    }
    l->ids[k][inst->result] = l->sections[SECTION_GLOBAL].data[*place + 1];
    l->gone[k][inst->result] = true;
    l->sections[SECTION_GLOBAL].count = at;
    return true;
}

static enum section
section_of(uint32_t op)
{
    switch (op) {
    case SpvOpCapability: return SECTION_CAPABILITY;
    case SpvOpExtension: return SECTION_EXTENSION;
    case SpvOpExtInstImport: return SECTION_IMPORT;
    case SpvOpMemoryModel: return SECTION_MODEL;
    case SpvOpEntryPoint: return SECTION_ENTRY;
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId: return SECTION_MODE;
    case SpvOpString:
    case SpvOpSource:
    case SpvOpSourceExtension:
    case SpvOpSourceContinued: return SECTION_DEBUG;
    case SpvOpName:
    case SpvOpMemberName: return SECTION_NAME;
    case SpvOpModuleProcessed: return SECTION_PROCESSED;
    case SpvOpDecorate:
    case SpvOpMemberDecorate:
    case SpvOpDecorationGroup:
    case SpvOpGroupDecorate:
    case SpvOpGroupMemberDecorate:
    case SpvOpDecorateId:
    case SpvOpDecorateString:
    case SpvOpMemberDecorateString: return SECTION_DECORATION;
    default: return SECTION_GLOBAL;
    }
}

/* What says something about an id that another module defines is left out, and so is a linkage that is done.
 */
static bool
is_left_out(const struct linker *l, uint32_t k, const struct lw_inst *inst, enum section section)
{
    const lw_module *m = l->modules[k];
    if (section == SECTION_MODEL)
        return k != 0;
    if (section != SECTION_NAME && section != SECTION_DECORATION)
        return false;
    uint32_t target = lw_word(m, inst, 1);
    return inst->op != SpvOpDecorationGroup && inst->op != SpvOpGroupDecorate &&
           inst->op != SpvOpGroupMemberDecorate && target < m->bound && l->gone[k][target];
}

static bool
write_functions(struct linker *l, uint32_t k)
{
    const lw_module *m = l->modules[k];
    for (uint32_t f = 0; f < m->function_count; f++) {
        const struct lw_spirv_function *function = &m->functions[f];
        if (l->gone[k][function->id])
            continue;
        enum section section = function->block_count ? SECTION_DEFINITION : SECTION_DECLARATION;
        for (uint32_t i = function->inst; i <= function->end; i++)
            if (!write_inst(l, k, &m->insts[i], section))
                return false;
    }
    return true;
}

static bool
write_modules(struct linker *l)
{
    for (uint32_t k = 0; k < l->count;
         k++) /* types first: they settle ids that names and decorations tell of */
        for (uint32_t i = 0; i < l->modules[k]->global_count; i++) {
            const struct lw_inst *inst = &l->modules[k]->insts[i];
            if (section_of(inst->op) == SECTION_GLOBAL && !write_global(l, k, inst))
                return false;
        }
    for (uint32_t k = 0; k < l->count; k++) {
        for (uint32_t i = 0; i < l->modules[k]->global_count; i++) {
            const struct lw_inst *inst = &l->modules[k]->insts[i];
            enum section section = section_of(inst->op);
            if (section != SECTION_GLOBAL && !is_left_out(l, k, inst, section) &&
                !write_inst(l, k, inst, section))
                return false;
        }
        if (!write_functions(l, k))
            return false;
    }
    return true;
}

/* ---- All together ---- */

static uint32_t *
join_sections(struct linker *l, size_t *size)
{
    size_t words = 5;
    uint32_t bound = 1, version = 0;
    for (unsigned s = 0; s < SECTIONS; s++)
        words += l->sections[s].count;
    for (uint32_t k = 0; k < l->count; k++) {
        bound += l->modules[k]->bound;
        version = l->modules[k]->version > version ? l->modules[k]->version : version;
    }
    uint32_t *out = malloc(words * sizeof *out);
    if (!out) {
        out_of_memory(l);
        return NULL;
    }
    const uint32_t header[5] = {0x07230203u, version, 0, bound, 0};
    memcpy(out, header, sizeof header);
    size_t at = 5;
    for (unsigned s = 0; s < SECTIONS; s++)
        if (l->sections[s].count) {
            memcpy(out + at, l->sections[s].data, l->sections[s].count * sizeof *out);
            at += l->sections[s].count;
        }
    *size = words * sizeof *out;
    return out;
}

uint32_t *
lw_cl_link(const void *const *modules, const size_t *sizes, cl_uint count, bool library, size_t *size,
           lw_error *error)
{
    struct linker l = {.count = count, .error = error};
    uint32_t *out = NULL;
    l.modules = calloc(count, sizeof(lw_module *));
    l.ids = calloc(count, sizeof *l.ids);
    l.gone = calloc(count, sizeof *l.gone);
    if (!l.modules || !l.ids || !l.gone)
        out_of_memory(&l);
    else if (read_modules(&l, modules, sizes) && resolve_symbols(&l, library) && make_type_table(&l) &&
             write_modules(&l))
        out = join_sections(&l, size);
    for (uint32_t k = 0; k < count; k++) {
        if (l.modules)
            lw_module_free(l.modules[k]);
        if (l.ids)
            free(l.ids[k]);
        if (l.gone)
            free(l.gone[k]);
    }
    for (unsigned s = 0; s < SECTIONS; s++)
        free(l.sections[s].data);
    free(l.modules);
    free(l.ids);
    free(l.gone);
    free(l.symbols);
    free(l.types);
    return out;
}

/* SPDX-License-Identifier: MIT */
/* Program-scope variables: where each lies in the memory that a program has for them, and what is there at
 * first.
 *
 * Enters: a module with its layouts and constants evaluated.  Leaves: program_variables[], program_bytes.
 * All CrossWorkgroup variables of the module are placed, whichever kernel uses them, so that runtime and
 * compiler agree and kernels share. A UniformConstant variable goes there too where its initialiser, directly
 * or through others, names such a variable or is named by one: their addresses must be known when the memory
 * is filled. Relies on: constants being declared before use.  Never: trusts that an initialiser fits its
 * variable; what does not is left zero, and check.c refuses the kernels that use it.
 */
#include <stdlib.h>
#include <string.h>

#include "chains.h"
#include "evaluate.h"
#include "pipe.h"
#include "support.h"

/* ---- which variables ---- */

/* Sets of ids that name each other, by union-find; those of ids that lead to no variable are not kept. */
struct groups {
    const lw_module *m;
    uint32_t *parent; /* [bound], 0: leads to no variable */
    bool *placed;     /* [bound], by root */
};

static uint32_t
root_of(struct groups *g, uint32_t id)
{
    while (g->parent[id] != id)
        id = g->parent[id] = g->parent[g->parent[id]];
    return id;
}

/* Where kernels write: variables in global memory, the storage of pipes. */
static bool
is_written(const lw_module *m, const struct lw_inst *inst)
{
    return inst->op == SpvOpConstantPipeStorage || lw_word(m, inst, 3) == SpvStorageClassCrossWorkgroup;
}

static bool
is_placeable(const lw_module *m, const struct lw_inst *inst)
{
    if (inst->op == SpvOpConstantPipeStorage)
        return true;
    uint32_t storage = lw_word(m, inst, 3);
    return inst->op == SpvOpVariable &&
           (storage == SpvStorageClassCrossWorkgroup || storage == SpvStorageClassUniformConstant) &&
           !lw_is_builtin_variable(m, inst->result);
}

/* Operands of composites and of address arithmetic, initialisers: ids from this word on. */
static uint32_t
first_operand(const struct lw_inst *inst)
{
    switch (inst->op) {
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite:
        return 3;
    case SpvOpSpecConstantOp:
    case SpvOpVariable:
        return 4;
    case SpvOpConstantPipeStorage:
        return inst->count; /* literals */
    default:
        return UINT32_MAX;
    }
}

static void
join_operands(struct groups *g, const struct lw_inst *inst)
{
    const lw_module *m = g->m;
    uint32_t last = inst->op == SpvOpSpecConstantOp && inst->count > 5 ? 5 : inst->count;
    for (uint32_t n = first_operand(inst); n < last; n++) {
        uint32_t operand = lw_word(m, inst, n);
        if (operand >= m->bound || !g->parent[operand])
            continue;
        uint32_t a = root_of(g, operand);
        if (!g->parent[inst->result])
            g->parent[inst->result] = inst->result;
        uint32_t b = root_of(g, inst->result);
        g->parent[a] = b;
        g->placed[b] |= g->placed[a];
    }
}

static void
group_variables(struct groups *g)
{
    const lw_module *m = g->m;
    for (uint32_t i = 0; i < m->global_count; i++) {
        const struct lw_inst *inst = &m->insts[i];
        if (!inst->result || first_operand(inst) == UINT32_MAX)
            continue;
        bool variable = inst->op == SpvOpVariable || inst->op == SpvOpConstantPipeStorage;
        if (variable && !is_placeable(m, inst))
            continue;
        if (variable) {
            g->parent[inst->result] = inst->result;
            g->placed[inst->result] = is_written(m, inst);
        }
        join_operands(g, inst);
    }
}

/* ---- where ---- */

static bool
layout_of_variable(const lw_module *m, const struct lw_inst *inst, struct lw_layout *out)
{
    uint64_t packets;
    const struct lw_inst *pointer = lw_def(m, inst->type);
    if (inst->op == SpvOpConstantPipeStorage) {
        *out = (struct lw_layout){lw_pipe_bytes(lw_word(m, inst, 3), lw_word(m, inst, 5), &packets),
                                  LW_PIPE_ALIGN};
        return out->size != 0;
    }
    return pointer && pointer->op == SpvOpTypePointer && lw_type_layout(m, lw_word(m, pointer, 3), out);
}

static void
place(lw_module *m, const struct lw_inst *inst)
{
    struct lw_layout layout;
    if (!layout_of_variable(m, inst, &layout))
        return;
    uint64_t align = layout.align, asked = lw_alignment_asked(m, inst->result);
    if (asked > align && asked <= LW_PROGRAM_ALIGN)
        align = asked;
    m->program_bytes = (m->program_bytes + align - 1) / align * align;
    m->program_variables[m->program_variable_count++] =
        (struct lw_program_variable){inst->result, m->program_bytes, layout.size};
    m->program_bytes += layout.size;
    /* It only says that it is too much from here on, and does not overflow. */
    if (m->program_bytes > LW_MAX_PROGRAM_BYTES)
        m->program_bytes = LW_MAX_PROGRAM_BYTES + 1;
}

static int
compare(const void *left, const void *right)
{
    const struct lw_program_variable *a = left, *b = right;
    return (a->id > b->id) - (a->id < b->id);
}

const struct lw_program_variable *
lw_find_program_variable(const lw_module *m, uint32_t id)
{
    struct lw_program_variable key = {.id = id};
    return m->program_variable_count
               ? bsearch(&key, m->program_variables, m->program_variable_count, sizeof key, compare)
               : NULL;
}

static bool
decorated_with(const lw_module *m, uint32_t id, uint32_t kind, uint32_t skipped, const char *name)
{
    const struct lw_decoration *d = lw_find_decoration(m, id, LW_NO_MEMBER, kind);
    return d && d->count > skipped && strcmp(lw_string_at(m, d->at + skipped), name) == 0;
}

const struct lw_program_variable *
lw_program_variable_named(const lw_module *m, const char *name)
{
    for (int way = 0; way < 3; way++)
        for (uint32_t i = 0; i < m->program_variable_count; i++) {
            uint32_t id = m->program_variables[i].id;
            if (way == 0   ? decorated_with(m, id, SpvDecorationHostAccessINTEL, 1, name)
                : way == 1 ? decorated_with(m, id, SpvDecorationLinkageAttributes, 0, name)
                           : strcmp(lw_name_of(m, id), name) == 0)
                return &m->program_variables[i];
        }
    return NULL;
}

bool
lw_place_program_variables(lw_module *m)
{
    uint32_t count = 0, written = 0;
    free(m->program_variables);
    m->program_variables = NULL;
    m->program_variable_count = 0;
    m->program_bytes = 0;
    for (uint32_t i = 0; i < m->global_count; i++) {
        count += is_placeable(m, &m->insts[i]);
        written += is_placeable(m, &m->insts[i]) && is_written(m, &m->insts[i]);
    }
    if (!written)
        return true;
    struct groups g = {m, calloc(m->bound, sizeof *g.parent), calloc(m->bound, sizeof *g.placed)};
    m->program_variables = calloc(count, sizeof *m->program_variables);
    bool good = g.parent && g.placed && m->program_variables;
    if (good) {
        group_variables(&g);
        for (uint32_t i = 0; i < m->global_count; i++)
            if (is_placeable(m, &m->insts[i]) && g.placed[root_of(&g, m->insts[i].result)])
                place(m, &m->insts[i]);
        qsort(m->program_variables, m->program_variable_count, sizeof *m->program_variables, compare);
    }
    free(g.parent);
    free(g.placed);
    return good;
}

/* ---- what is there at first ---- */

struct filling {
    const lw_module *m;
    uint8_t *memory;
    unsigned depth;
};

/* What an OpSpecConstantOp adds to the address of its first operand. */
static bool
step_operation(const lw_module *m, const struct lw_inst *inst, uint64_t *offset)
{
    uint32_t op = lw_word(m, inst, 3);
    switch (op) {
    case SpvOpBitcast:
    case SpvOpPtrCastToGeneric:
    case SpvOpGenericCastToPtr:
    case SpvOpConvertPtrToU:
    case SpvOpConvertUToPtr:
        return true;
    default:
        return lw_is_access_chain(op) && lw_chain_offset(m, inst, offset);
    }
}

static uint64_t
address_of(const struct filling *f, uint32_t id)
{
    uint64_t offset = 0, bits;
    for (;;) {
        const struct lw_inst *inst = lw_def(f->m, id);
        const struct lw_program_variable *v = lw_find_program_variable(f->m, id);
        if (v)
            return (uint64_t)(uintptr_t)f->memory + v->offset + offset;
        if (lw_constant_bits(f->m, id, &bits))
            return bits + offset;
        if (!inst || inst->op != SpvOpSpecConstantOp || !step_operation(f->m, inst, &offset))
            return 0;
        uint32_t base = lw_word(f->m, inst, 4);
        if (base >= f->m->bound || f->m->def[base] >= f->m->def[id]) /* declared before, so that this ends */
            return offset;
        id = base;
    }
}

static void fill(struct filling *f, uint32_t id, uint64_t at, uint64_t end);

static void
fill_lanes(struct filling *f, uint32_t lanes, const uint64_t *lane, uint64_t bytes, uint64_t at)
{
    for (uint32_t i = 0; i < lanes; i++)
        memcpy(f->memory + at + i * bytes, &lane[i], bytes);
}

static void
fill_parts(struct filling *f, const struct lw_inst *inst, uint64_t at, uint64_t end)
{
    const struct lw_inst *type = lw_def(f->m, inst->type);
    struct lw_layout part = {0};
    bool is_struct = type && type->op == SpvOpTypeStruct;
    if (!type || (!is_struct && !lw_type_layout(f->m, lw_word(f->m, type, 2), &part)))
        return;
    for (uint32_t i = 0; i + 3 < inst->count; i++) {
        uint64_t offset = is_struct ? lw_member_offset(f->m, inst->type, i) : i * part.size;
        uint32_t id = lw_word(f->m, inst, 3 + i);
        if (f->m->def[id] < f->m->def[inst->result])
            fill(f, id, at + offset, end);
    }
}

/* The constant's bytes at `at`, as far as they lie before `end`; the memory is zero. */
static void
fill(struct filling *f, uint32_t id, uint64_t at, uint64_t end)
{
    const struct lw_inst *inst = lw_def(f->m, id);
    struct lw_layout layout;
    uint64_t lane[LW_MAX_VECTOR], address;
    uint32_t lanes = lw_constant_values(f->m, id, lane);
    if (!inst || !lw_type_layout(f->m, inst->type, &layout) || at > end || layout.size > end - at ||
        f->depth > LW_MAX_NESTING)
        return;
    f->depth++;
    if (lanes) {
        fill_lanes(f, lanes, lane, layout.size / (lanes == 3 ? 4 : lanes), at);
    } else if (inst->op == SpvOpConstantComposite || inst->op == SpvOpSpecConstantComposite) {
        fill_parts(f, inst, at, end);
    } else if (inst->op == SpvOpVariable || inst->op == SpvOpSpecConstantOp ||
               inst->op == SpvOpConstantPipeStorage) {
        address = address_of(f, id);
        memcpy(f->memory + at, &address, layout.size < 8 ? layout.size : 8);
    }
    f->depth--;
}

void
lw_fill_program_variables(const lw_module *m, void *memory)
{
    struct filling f = {m, memory, 0};
    for (uint32_t i = 0; i < m->program_variable_count; i++) {
        const struct lw_program_variable *v = &m->program_variables[i];
        const struct lw_inst *inst = lw_def(m, v->id);
        uint32_t initialiser = lw_word(m, inst, 4);
        if (inst->op == SpvOpConstantPipeStorage)
            lw_pipe_begin((struct lw_pipe *)(f.memory + v->offset), lw_word(m, inst, 3), lw_word(m, inst, 5));
        else if (initialiser && initialiser < m->bound && m->def[initialiser] < m->def[v->id])
            fill(&f, initialiser, v->offset, v->offset + v->size);
    }
}

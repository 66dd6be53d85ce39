/* SPDX-License-Identifier: MIT */
/* Memory layouts of types by OpenCL C rules, and lengths of arrays.
 *
 * Enters: a module with its constants evaluated up to the type.  Leaves: type_layouts[], member_offsets[].
 * Relies on: types being declared before use, but for pointers; a type that is not has no layout.
 * Never: recurses; every type is laid out once, in module order.
 */
#include "evaluate.h"

#define POINTER_BYTES 8
#define MAX_ALIGNMENT (1u << 30)

bool
lw_type_layout(const lw_module *m, uint32_t type, struct lw_layout *out)
{
    const struct lw_inst *inst = lw_def(m, type);
    if (!inst)
        return false;
    if (inst->op == SpvOpTypePointer) {
        *out = (struct lw_layout){POINTER_BYTES, POINTER_BYTES};
        return true;
    }
    if (!lw_is_laid_out(inst->op) || m->slots[type] == LW_NO_INST || !m->type_layouts[m->slots[type]].valid)
        return false;
    *out = m->type_layouts[m->slots[type]].layout;
    return true;
}

uint32_t
lw_alignment(uint32_t word)
{
    uint32_t align = word == (uint32_t)INT8_MIN ? 128 : word ? word : 1;
    return align <= MAX_ALIGNMENT && (align & (align - 1)) == 0 ? align : 0;
}

uint32_t
lw_alignment_asked(const lw_module *m, uint32_t id)
{
    const struct lw_decoration *d = lw_find_decoration(m, id, LW_NO_MEMBER, SpvDecorationAlignment);
    uint32_t align = d && d->count ? lw_alignment(m->words[d->at]) : 1;
    return align ? align : 1;
}

uint32_t
lw_type_leaves(const lw_module *m, uint32_t type)
{
    const struct lw_inst *inst = lw_def(m, type);
    bool laid = inst && lw_is_laid_out(inst->op) && m->slots[type] != LW_NO_INST;
    return laid ? m->type_layouts[m->slots[type]].leaves : 1;
}

uint64_t
lw_array_length(const lw_module *m, uint32_t array_type)
{
    const struct lw_inst *inst = lw_def(m, array_type);
    uint64_t length = 0;
    if (!inst || inst->op != SpvOpTypeArray || !lw_constant_bits(m, lw_word(m, inst, 3), &length))
        return 0;
    return length;
}

uint64_t
lw_member_offset(const lw_module *m, uint32_t struct_type, uint32_t member)
{
    const struct lw_inst *inst = lw_def(m, struct_type);
    if (!inst || inst->op != SpvOpTypeStruct || member >= inst->count - 2u ||
        m->slots[struct_type] == LW_NO_INST)
        return 0;
    return m->member_offsets[m->type_layouts[m->slots[struct_type]].first_member + member];
}

static bool
lay_scalar(uint32_t bits, struct lw_layout *out)
{
    if (bits == 0 || bits > 64)
        return false;
    uint32_t bytes = bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
    *out = (struct lw_layout){bytes, bytes};
    return true;
}

static bool
lay_vector(const lw_module *m, const struct lw_inst *inst, struct lw_layout *out)
{
    struct lw_layout part;
    uint32_t count = lw_word(m, inst, 3);
    uint32_t op = lw_op_of(m, lw_word(m, inst, 2));
    if ((op != SpvOpTypeBool && op != SpvOpTypeInt && op != SpvOpTypeFloat) || count < 2 ||
        count > LW_MAX_VECTOR ||
        !lw_type_layout(m, lw_word(m, inst, 2), &part))
        return false;
    uint32_t room = 2;
    while (room < count)
        room *= 2;
    *out = (struct lw_layout){part.size * room, (uint32_t)part.size * room};
    return true;
}

static bool
lay_array(const lw_module *m, const struct lw_inst *inst, struct lw_layout *out)
{
    struct lw_layout part;
    uint64_t length = lw_array_length(m, inst->result);
    if (length == 0 || !lw_type_layout(m, lw_word(m, inst, 2), &part) ||
        (part.size && length > LW_MAX_OBJECT / part.size))
        return false;
    *out = (struct lw_layout){part.size * length, part.align};
    return true;
}

/* Offsets go to `offsets`, one per member. */
static bool
lay_struct(const lw_module *m, const struct lw_inst *inst, uint64_t *offsets, struct lw_layout *out)
{
    bool packed = lw_find_decoration(m, inst->result, LW_NO_MEMBER, SpvDecorationCPacked) != NULL;
    *out = (struct lw_layout){0, 1};
    for (uint32_t i = 2; i < inst->count; i++) {
        struct lw_layout part;
        if (!lw_type_layout(m, lw_word(m, inst, i), &part))
            return false;
        if (packed)
            part.align = 1;
        out->size = (out->size + part.align - 1) / part.align * part.align;
        offsets[i - 2] = out->size;
        out->size += part.size;
        if (out->size > LW_MAX_OBJECT)
            return false;
        if (part.align > out->align)
            out->align = part.align;
    }
    out->size = (out->size + out->align - 1) / out->align * out->align;
    return true;
}

/* Leaves and depth of a type from its parts. */
static void
count_part(const lw_module *m, uint32_t part, uint64_t times, struct lw_type_layout *row)
{
    uint64_t leaves = lw_type_leaves(m, part) * times;
    bool overflow = times > UINT32_MAX || leaves + row->leaves > UINT32_MAX;
    row->leaves = overflow ? UINT32_MAX : (uint32_t)(row->leaves + leaves);
    const struct lw_inst *inst = lw_def(m, part);
    uint32_t depth = inst && lw_is_laid_out(inst->op) && m->slots[part] != LW_NO_INST
                         ? m->type_layouts[m->slots[part]].depth + 1
                         : 1;
    if (depth > row->depth)
        row->depth = depth;
}

static void
count_leaves(const lw_module *m, const struct lw_inst *inst, struct lw_type_layout *row)
{
    if (inst->op == SpvOpTypeVector)
        count_part(m, lw_word(m, inst, 2), lw_word(m, inst, 3), row);
    else if (inst->op == SpvOpTypeArray)
        count_part(m, lw_word(m, inst, 2), lw_array_length(m, inst->result), row);
    else if (inst->op == SpvOpTypeStruct)
        for (uint32_t i = 2; i < inst->count; i++)
            count_part(m, lw_word(m, inst, i), 1, row);
    if (row->leaves == 0)
        row->leaves = 1;
    if (row->depth > LW_MAX_NESTING)
        row->valid = false;
}

void
lw_lay_out(lw_module *m, const struct lw_inst *inst, uint32_t *next_offset)
{
    struct lw_type_layout *row = &m->type_layouts[m->type_layout_count];
    *row = (struct lw_type_layout){.first_member = *next_offset};
    switch (inst->op) {
    case SpvOpTypeBool: row->valid = lay_scalar(8, &row->layout); break;
    case SpvOpTypeSampler: row->valid = lay_scalar(32, &row->layout); break;
    case SpvOpTypeImage: /* the address of what tells of it */
    case SpvOpTypeSampledImage:
    case SpvOpTypePipe: /* in memory for as long as a kernel runs */
    case SpvOpTypePipeStorage:
    case SpvOpTypeReserveId:
    case SpvOpTypeQueue:
    case SpvOpTypeDeviceEvent:
    case SpvOpTypeEvent: row->valid = lay_scalar(64, &row->layout); break;
    case SpvOpTypeInt: /* odd widths as LLVM lays them out; check.c keeps them out of memory */
    case SpvOpTypeFloat: row->valid = lay_scalar(lw_word(m, inst, 2), &row->layout); break;
    case SpvOpTypeVector: row->valid = lay_vector(m, inst, &row->layout); break;
    case SpvOpTypeArray: row->valid = lay_array(m, inst, &row->layout); break;
    default:
        row->valid = lay_struct(m, inst, m->member_offsets + *next_offset, &row->layout);
        *next_offset += inst->count - 2u;
        break;
    }
    count_leaves(m, inst, row);
    m->slots[inst->result] = m->type_layout_count++;
}

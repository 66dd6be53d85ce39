/* SPDX-License-Identifier: MIT */
/* Where access chains lead, see chains.h. What the emitter makes of indices that are not constant
 * (emit_memory.c) goes the same way. */
#include "chains.h"

uint32_t
lw_pointee_of(const lw_module *m, uint32_t pointer_type)
{
    const struct lw_inst *t = lw_def(m, pointer_type);
    return t && t->op == SpvOpTypePointer ? lw_word(m, t, 3) : 0;
}

uint32_t
lw_copied_element(const lw_module *m, uint32_t pointer_type)
{
    uint32_t type = lw_pointee_of(m, pointer_type);
    for (const struct lw_inst *t = lw_def(m, type); t && t->op == SpvOpTypeArray; t = lw_def(m, type))
        type = lw_word(m, t, 2);
    return type;
}

uint32_t
lw_indexed_type(const lw_module *m, uint32_t type, uint32_t index)
{
    const struct lw_inst *t = lw_def(m, type);
    uint64_t member;
    switch (t ? t->op : SpvOpNop) {
    case SpvOpTypeArray:
    case SpvOpTypeVector: return lw_word(m, t, 2);
    case SpvOpTypeStruct:
        return lw_constant_bits(m, index, &member) && member < t->count - 2u
                   ? lw_word(m, t, 2 + (uint32_t)member)
                   : 0;
    default: return 0;
    }
}

/* An integer constant, which has a sign. */
static bool
read_index(const lw_module *m, uint32_t id, uint64_t *index)
{
    const struct lw_inst *type = lw_def(m, lw_type_of(m, id));
    if (!lw_constant_bits(m, id, index))
        return false;
    if (type && type->op == SpvOpTypeInt && lw_word(m, type, 2) < 64) {
        unsigned unused = 64 - lw_word(m, type, 2);
        *index = (uint64_t)((int64_t)(*index << unused) >> unused);
    }
    return true;
}

bool
lw_chain_offset(const lw_module *m, const struct lw_inst *chain, uint64_t *offset)
{
    bool constant = chain->op == SpvOpSpecConstantOp;
    uint32_t base = constant ? 4 : 3, last = chain->count - 1u, declared = lw_pointee_of(m, chain->type);
    uint32_t type = lw_pointee_of(m, lw_type_of(m, lw_word(m, chain, base)));
    bool element = lw_chain_has_element(constant ? lw_word(m, chain, 3) : chain->op);
    for (uint32_t n = base + 1; n <= last; n++, element = false) {
        uint32_t part = element ? type : lw_indexed_type(m, type, lw_word(m, chain, n));
        struct lw_layout layout;
        uint64_t index;
        if (!part || !read_index(m, lw_word(m, chain, n), &index))
            return false;
        if (!element && lw_op_of(m, type) == SpvOpTypeStruct) {
            *offset += lw_member_offset(m, type, (uint32_t)index);
            type = part;
            continue;
        }
        type = n == last ? declared : part;
        if (!lw_type_layout(m, type, &layout))
            return false;
        *offset += index * layout.size;
    }
    return true;
}

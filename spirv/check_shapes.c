/* SPDX-License-Identifier: MIT */
/* The shapes of types: what the check compares of them.
 *
 * Enters: a read module.  Leaves: class, width, lanes and storage of a type or of an id's type.
 * Relies on: nothing that has been checked.  Never: fails; what is unknown has LW_CLASS_NONE.
 */
#include "check_parts.h"

struct lw_shape
lw_shape_of_type(const lw_module *m, uint32_t type)
{
    struct lw_shape s = {.id = type};
    const struct lw_inst *inst = lw_def(m, type);
    switch (inst ? inst->op : SpvOpNop) {
    case SpvOpTypeVoid: s.class = LW_CLASS_VOID; return s;
    case SpvOpTypeStruct: s.class = LW_CLASS_STRUCT; return s;
    case SpvOpTypeArray: s.class = LW_CLASS_ARRAY; return s;
    case SpvOpTypePointer:
        s.class = LW_CLASS_POINTER;
        s.width = 64;
        s.lanes = 1;
        s.storage = lw_word(m, inst, 2);
        s.pointee = lw_word(m, inst, 3);
        return s;
    case SpvOpTypePipe:
    case SpvOpTypePipeStorage:
        s.class = LW_CLASS_PIPE;
        s.width = 64;
        s.lanes = 1;
        s.storage = inst->op == SpvOpTypePipe ? lw_word(m, inst, 2) : UINT32_MAX;
        return s;
    case SpvOpTypeImage:
    case SpvOpTypeSampler:
    case SpvOpTypeSampledImage:
        s.class = LW_CLASS_IMAGE;
        s.lanes = 1;
        return s;
    default: break;
    }
    s.lanes = 1;
    if (inst && inst->op == SpvOpTypeVector) {
        s.lanes = lw_word(m, inst, 3);
        inst = lw_def(m, lw_word(m, inst, 2));
    }
    switch (inst ? inst->op : SpvOpNop) {
    case SpvOpTypeReserveId:
    case SpvOpTypeQueue:
    case SpvOpTypeDeviceEvent:
    case SpvOpTypeEvent: /* numbers to carry about, as far as anybody can tell */
        s.class = LW_CLASS_INT;
        s.width = 64;
        break;
    case SpvOpTypeBool:
        s.class = LW_CLASS_BOOL;
        s.width = 1;
        break;
    case SpvOpTypeInt:
        s.class = LW_CLASS_INT;
        s.width = lw_word(m, inst, 2);
        break;
    case SpvOpTypeFloat:
        s.class = LW_CLASS_FLOAT;
        s.width = lw_word(m, inst, 2);
        break;
    default: break;
    }
    return s;
}

struct lw_shape
lw_shape_of(const lw_module *m, uint32_t id)
{
    return lw_shape_of_type(m, lw_type_of(m, id));
}

bool
lw_same_shape(struct lw_shape a, struct lw_shape b)
{
    if (a.class != b.class || a.class == LW_CLASS_NONE)
        return false;
    if (a.class == LW_CLASS_STRUCT || a.class == LW_CLASS_ARRAY || a.class == LW_CLASS_IMAGE)
        return a.id == b.id;
    return a.width == b.width && a.lanes == b.lanes && a.storage == b.storage;
}

bool
lw_is_value(const lw_module *m, struct lw_shape s)
{
    struct lw_layout layout;
    return s.class != LW_CLASS_NONE && s.class != LW_CLASS_VOID && lw_type_layout(m, s.id, &layout) &&
           lw_type_leaves(m, s.id) <= LW_MAX_VALUE_LEAVES;
}

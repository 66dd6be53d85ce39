/* SPDX-License-Identifier: MIT */
/* Building, taking apart and shuffling vectors, arrays and structures. See check_code.c. */
#include "check_parts.h"

/* The type of part `index` of `type`, 0 where there is none. */
static uint32_t
part_type(const lw_module *m, uint32_t type, uint32_t index)
{
    const struct lw_inst *t = lw_def(m, type);
    switch (t ? t->op : SpvOpNop) {
    case SpvOpTypeVector: return index < lw_word(m, t, 3) ? lw_word(m, t, 2) : 0;
    case SpvOpTypeArray: return index < lw_array_length(m, type) ? lw_word(m, t, 2) : 0;
    case SpvOpTypeStruct: return index < t->count - 2u ? lw_word(m, t, 2 + index) : 0;
    default: return 0;
    }
}

static uint32_t
follow_literals(const lw_module *m, const struct lw_inst *inst, uint32_t type, uint32_t first)
{
    for (uint32_t w = first; w < inst->count && type; w++)
        type = part_type(m, type, lw_word(m, inst, w));
    return type;
}

static bool
check_construct(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    struct lw_shape r = lw_shape_of_type(m, inst->type);
    if (!lw_is_value(m, r))
        return lw_refused(c, inst, "its type is not supported");
    if (r.class != LW_CLASS_STRUCT && r.class != LW_CLASS_ARRAY) {
        uint32_t lanes = 0;
        for (uint32_t w = 3; w < inst->count; w++) {
            struct lw_shape part = lw_shape_of(m, lw_word(m, inst, w));
            if (part.class != r.class || part.width != r.width)
                return lw_invalid(c, inst, "a constituent is not of the vector's component type");
            lanes += part.lanes;
        }
        return (r.lanes > 1 && lanes == r.lanes) ||
               lw_invalid(c, inst, "its constituents do not fill the vector");
    }
    uint32_t parts = inst->count - 3u;
    if (part_type(m, inst->type, parts) || (parts && !part_type(m, inst->type, parts - 1)) ||
        (!parts && part_type(m, inst->type, 0)))
        return lw_invalid(c, inst, "it has the wrong number of constituents");
    for (uint32_t i = 0; i < parts; i++)
        if (!lw_same_shape(lw_shape_of_type(m, part_type(m, inst->type, i)),
                           lw_shape_of(m, lw_word(m, inst, 3 + i))))
            return lw_invalid(c, inst, "a constituent has another type than its place");
    return true;
}

/* Are two types made of the same parts, structures and arrays as such by their parts alone? Of values: their
 * leaves and their depth are bounded. */
static bool
match_logically(const lw_module *m, uint32_t a, uint32_t b)
{
    struct {
        uint32_t a, b, next;
    } stack[LW_MAX_NESTING + 2];
    uint32_t depth = 1;
    stack[0].a = a, stack[0].b = b, stack[0].next = 0;
    while (depth) {
        uint32_t top = depth - 1, next = stack[top].next++;
        uint16_t op = lw_op_of(m, stack[top].a);
        if (op != SpvOpTypeStruct && op != SpvOpTypeArray) {
            if (!lw_same_shape(lw_shape_of_type(m, stack[top].a), lw_shape_of_type(m, stack[top].b)))
                return false;
            depth--;
            continue;
        }
        if (op != lw_op_of(m, stack[top].b))
            return false;
        uint32_t x = part_type(m, stack[top].a, next), y = part_type(m, stack[top].b, next);
        if (!x != !y || (x && depth == sizeof stack / sizeof *stack))
            return false;
        if (x)
            stack[depth].a = x, stack[depth].b = y, stack[depth++].next = 0;
        else
            depth--;
    }
    return true;
}

static bool
check_copy_logical(struct lw_check *c, const struct lw_inst *inst)
{
    struct lw_shape r = lw_shape_of_type(c->m, inst->type), o = lw_shape_of(c->m, lw_word(c->m, inst, 3));
    if (!lw_is_value(c->m, r) || !lw_is_value(c->m, o))
        return lw_refused(c, inst, "its type is not supported");
    return match_logically(c->m, r.id, o.id) ||
           lw_invalid(c, inst, "its operand's parts are not of the types of the result's");
}

/* llvm-spirv extracts component 5 of a built-in vector for get_group_id(5): defined by OpenCL C, not by
 * SPIR-V. */
static bool
is_builtin_component(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    const struct lw_inst *load = lw_def(m, lw_word(m, inst, 3));
    struct lw_shape r = lw_shape_of_type(m, inst->type), whole = lw_shape_of(m, lw_word(m, inst, 3));
    return inst->count == 5 && load && load->op == SpvOpLoad && whole.class == LW_CLASS_INT &&
           whole.lanes == 3 && lw_is_builtin_variable(m, lw_word(m, load, 3)) &&
           r.class == LW_CLASS_INT && r.width == whole.width && r.lanes == 1;
}

static bool
check_extract(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    if (is_builtin_component(c, inst))
        return true;
    struct lw_shape whole = lw_shape_of(m, lw_word(m, inst, 3));
    uint32_t type = follow_literals(m, inst, whole.id, 4);
    return (lw_is_value(m, whole) && type && inst->count > 4 &&
            lw_same_shape(lw_shape_of_type(m, type), lw_shape_of_type(m, inst->type))) ||
           lw_invalid(c, inst, "its indices do not lead to its result's type");
}

static bool
check_insert(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    struct lw_shape whole = lw_shape_of(m, lw_word(m, inst, 4));
    uint32_t type = follow_literals(m, inst, whole.id, 5);
    return (lw_is_value(m, whole) && type && inst->count > 5 &&
            lw_same_shape(whole, lw_shape_of_type(m, inst->type)) &&
            lw_same_shape(lw_shape_of_type(m, type), lw_shape_of(m, lw_word(m, inst, 3)))) ||
           lw_invalid(c, inst, "its indices do not lead to the object's type");
}

/* clang-22 writes operands of other components, too, where nothing is selected from them. */
static bool
check_shuffle(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    struct lw_shape r = lw_shape_of_type(m, inst->type), a = lw_shape_of(m, lw_word(m, inst, 3));
    struct lw_shape b = lw_shape_of(m, lw_word(m, inst, 4));
    bool numbers = r.class == LW_CLASS_INT || r.class == LW_CLASS_FLOAT || r.class == LW_CLASS_BOOL;
    bool a_fits = a.class == r.class && a.width == r.width, b_fits = b.class == r.class && b.width == r.width;
    if (!numbers || r.lanes < 2 || a.lanes < 2 || b.lanes < 2 || inst->count != 5 + r.lanes)
        return lw_invalid(c, inst, "its operands or its result are no vectors");
    for (uint32_t w = 5; w < inst->count; w++) {
        uint32_t from = lw_word(m, inst, w);
        if (from == UINT32_MAX)
            continue;
        if (from >= a.lanes + b.lanes)
            return lw_invalid(c, inst, "a component is out of range");
        if (!(from < a.lanes ? a_fits : b_fits))
            return lw_invalid(c, inst, "a component that it selects is not of its result's type");
    }
    return true;
}

bool
lw_check_composite(struct lw_check *c, const struct lw_inst *inst, bool *fine)
{
    switch (inst->op) {
    case SpvOpCompositeConstruct: *fine = check_construct(c, inst); return true;
    case SpvOpCompositeExtract: *fine = check_extract(c, inst); return true;
    case SpvOpCompositeInsert: *fine = check_insert(c, inst); return true;
    case SpvOpVectorShuffle: *fine = check_shuffle(c, inst); return true;
    case SpvOpCopyLogical: *fine = check_copy_logical(c, inst); return true;
    default: return false;
    }
}

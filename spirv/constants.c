/* SPDX-License-Identifier: MIT */
/* Scalar and vector constants, specialized.
 *
 * Enters: a read module with `overrides`.  Leaves: constants[], constant_lanes[], and through layout.c the
 * layouts. Relies on: constants being declared before use; one that is not has no value. Never: recurses;
 * every constant is evaluated once, in module order.
 */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "evaluate.h"
#include "reflect.h"

struct lw_value
lw_value_of_type(const lw_module *m, uint32_t type)
{
    struct lw_value v = {0};
    const struct lw_inst *inst = lw_def(m, type);
    uint32_t lanes = 1;
    if (inst && inst->op == SpvOpTypeVector) {
        lanes = lw_word(m, inst, 3);
        inst = lw_def(m, lw_word(m, inst, 2));
    }
    if (!inst || lanes == 0 || lanes > LW_MAX_LANES_OF_VALUE)
        return v;
    if (inst->op == SpvOpTypeBool) {
        v.width = 1;
    } else if (inst->op == SpvOpTypeEvent || inst->op == SpvOpTypeReserveId || inst->op == SpvOpTypeQueue ||
               inst->op == SpvOpTypeDeviceEvent) {
        v.width = 64;
    } else if (inst->op == SpvOpTypeInt || inst->op == SpvOpTypeFloat) {
        v.width = lw_word(m, inst, 2);
        v.is_float = inst->op == SpvOpTypeFloat;
    }
    bool known = v.is_float ? v.width == 16 || v.width == 32 || v.width == 64 : v.width >= 1 && v.width <= 64;
    v.lanes = known ? lanes : 0;
    return v;
}

static uint64_t
mask_of(uint32_t width)
{
    return width >= 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
}

bool
lw_value_get(const lw_module *m, uint32_t id, struct lw_value *out)
{
    const struct lw_inst *inst = lw_def(m, id);
    if (!inst)
        return false;
    if (inst->op == SpvOpUndef) {
        *out = lw_value_of_type(m, inst->type);
        return out->lanes != 0;
    }
    if (lw_is_laid_out(inst->op) || m->slots[id] == LW_NO_INST)
        return false;
    const struct lw_constant *c = &m->constants[m->slots[id]];
    out->lanes = c->lanes;
    out->width = c->width;
    out->is_float = c->is_float;
    memset(out->lane, 0, sizeof out->lane);
    memcpy(out->lane, m->constant_lanes + c->first_lane, sizeof *out->lane * c->lanes);
    return true;
}

bool
lw_constant_bits(const lw_module *m, uint32_t id, uint64_t *bits)
{
    const struct lw_inst *inst = lw_def(m, id);
    if (!inst || inst->op == SpvOpUndef || lw_is_laid_out(inst->op) || m->slots[id] == LW_NO_INST)
        return false;
    const struct lw_constant *c = &m->constants[m->slots[id]];
    if (c->lanes != 1 || lw_op_of(m, inst->type) == SpvOpTypeVector)
        return false;
    *bits = m->constant_lanes[c->first_lane];
    return true;
}

uint32_t
lw_constant_values(const lw_module *m, uint32_t id, uint64_t lanes[LW_MAX_VECTOR])
{
    struct lw_value v;
    if (!lw_value_get(m, id, &v))
        return 0;
    memcpy(lanes, v.lane, sizeof v.lane);
    return v.lanes;
}

/* The override of a constant's SpecId, or NULL. */
static const struct lw_spec_override *
override_of(const lw_module *m, uint32_t id)
{
    const struct lw_decoration *d = lw_find_decoration(m, id, LW_NO_MEMBER, SpvDecorationSpecId);
    if (!d || !d->count)
        return NULL;
    uint32_t low = 0, high = m->override_count;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (m->overrides[mid].spec_id < m->words[d->at])
            low = mid + 1;
        else
            high = mid;
    }
    return low < m->override_count && m->overrides[low].spec_id == m->words[d->at] ? &m->overrides[low]
                                                                                   : NULL;
}

/* Literal, boolean and specialised scalars. */
static bool
evaluate_scalar(const lw_module *m, const struct lw_inst *inst, struct lw_value *v)
{
    bool boolean = inst->op == SpvOpConstantTrue || inst->op == SpvOpConstantFalse ||
                   inst->op == SpvOpSpecConstantTrue || inst->op == SpvOpSpecConstantFalse;
    if (v->lanes != 1 || lw_op_of(m, inst->type) == SpvOpTypeVector ||
        boolean != (lw_op_of(m, inst->type) == SpvOpTypeBool))
        return false;
    if (boolean)
        v->lane[0] = inst->op == SpvOpConstantTrue || inst->op == SpvOpSpecConstantTrue;
    else
        v->lane[0] = lw_word(m, inst, 3) | (v->width > 32 ? (uint64_t)lw_word(m, inst, 4) << 32 : 0);
    if (inst->op != SpvOpConstant && inst->op != SpvOpConstantTrue && inst->op != SpvOpConstantFalse) {
        const struct lw_spec_override *o = override_of(m, inst->result);
        if (o)
            v->lane[0] = boolean ? o->value != 0 : o->value;
    }
    return true;
}

static bool
evaluate_composite(const lw_module *m, const struct lw_inst *inst, struct lw_value *v)
{
    if (lw_op_of(m, inst->type) != SpvOpTypeVector || inst->count != 3 + v->lanes)
        return false;
    for (uint32_t i = 0; i < v->lanes; i++) {
        struct lw_value part;
        if (!lw_value_get(m, lw_word(m, inst, 3 + i), &part) || part.lanes != 1 || part.width != v->width)
            return false;
        v->lane[i] = part.lane[0];
    }
    return true;
}

static bool
evaluate(const lw_module *m, const struct lw_inst *inst, struct lw_value *v)
{
    *v = lw_value_of_type(m, inst->type);
    if (!v->lanes)
        return false;
    switch (inst->op) {
    case SpvOpConstant:
    case SpvOpConstantTrue:
    case SpvOpConstantFalse:
    case SpvOpSpecConstant:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse: return evaluate_scalar(m, inst, v);
    case SpvOpConstantNull: return true;
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite: return evaluate_composite(m, inst, v);
    case SpvOpSpecConstantOp: return lw_evaluate_spec_op(m, inst, v);
    default: return false;
    }
}

static bool
is_constant(uint32_t op)
{
    switch (op) {
    case SpvOpConstant:
    case SpvOpConstantTrue:
    case SpvOpConstantFalse:
    case SpvOpConstantNull:
    case SpvOpConstantComposite:
    case SpvOpSpecConstant:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
    case SpvOpSpecConstantComposite:
    case SpvOpSpecConstantOp: return true;
    default: return false;
    }
}

/* Room for every row; what was computed before is dropped. */
static bool
make_room(lw_module *m)
{
    size_t types = 1, members = 1, constants = 1, lanes = 1;
    for (uint32_t i = 0; i < m->global_count; i++) {
        const struct lw_inst *inst = &m->insts[i];
        if (lw_is_laid_out(inst->op)) {
            types++;
            members += inst->op == SpvOpTypeStruct ? inst->count - 2u : 0;
        } else if (is_constant(inst->op)) {
            constants++;
            lanes += lw_value_of_type(m, inst->type).lanes;
        }
    }
    free(m->type_layouts);
    free(m->member_offsets);
    free(m->constants);
    free(m->constant_lanes);
    m->type_layouts = calloc(types, sizeof *m->type_layouts);
    m->member_offsets = calloc(members, sizeof *m->member_offsets);
    m->constants = calloc(constants, sizeof *m->constants);
    m->constant_lanes = calloc(lanes, sizeof *m->constant_lanes);
    m->type_layout_count = m->constant_count = 0;
    return m->type_layouts && m->member_offsets && m->constants && m->constant_lanes;
}

bool
lw_module_evaluate(lw_module *m)
{
    uint32_t next_offset = 0, next_lane = 0;
    memset(m->slots, 0xff, sizeof *m->slots * m->bound);
    if (!make_room(m))
        return false;
    for (uint32_t i = 0; i < m->global_count; i++) {
        const struct lw_inst *inst = &m->insts[i];
        struct lw_value v;
        if (lw_is_laid_out(inst->op)) {
            lw_lay_out(m, inst, &next_offset);
        } else if (is_constant(inst->op) && evaluate(m, inst, &v)) {
            for (uint32_t lane = 0; lane < v.lanes; lane++)
                m->constant_lanes[next_lane + lane] = v.lane[lane] & mask_of(v.width);
            m->constants[m->constant_count] = (struct lw_constant){next_lane, v.lanes, v.width, v.is_float};
            m->slots[inst->result] = m->constant_count++;
            next_lane += v.lanes;
        }
    }
    return lw_place_program_variables(m);
}

static int
compare_overrides(const void *left, const void *right)
{
    const struct lw_spec_override *a = left, *b = right;
    return a->spec_id < b->spec_id ? -1 : a->spec_id > b->spec_id;
}

/* Sets or adds the override; overrides stay sorted by id. */
static bool
put_override(lw_module *m, uint32_t spec_id, uint64_t value)
{
    for (uint32_t i = 0; i < m->override_count; i++) {
        if (m->overrides[i].spec_id == spec_id) {
            m->overrides[i].value = value;
            return true;
        }
    }
    struct lw_spec_override *grown = realloc(m->overrides, sizeof *grown * (m->override_count + 1));
    if (!grown)
        return false;
    m->overrides = grown;
    m->overrides[m->override_count++] = (struct lw_spec_override){spec_id, value};
    qsort(m->overrides, m->override_count, sizeof *m->overrides, compare_overrides);
    return true;
}

bool
lw_module_specialize(lw_module *m, uint32_t spec_id, const void *value, size_t size, lw_error *error)
{
    lw_spec_constant constant;
    uint32_t i = 0;
    while (lw_module_spec_constant(m, i, &constant) && constant.id != spec_id)
        i++;
    if (i == lw_module_spec_constant_count(m))
        return lw_spirv_fail(error, LW_ERR_NO_SPEC, 0, spec_id);
    if (size != constant.size)
        return lw_spirv_fail(error, LW_ERR_SPEC_SIZE, 0, spec_id, constant.size, size);
    uint64_t bits = 0;
    memcpy(&bits, value, size);
    if (!put_override(m, spec_id, bits) || !lw_module_evaluate(m))
        return lw_spirv_fail(error, LW_ERR_MEMORY, 0);
    return true;
}

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

static uint64_t
mask_of(uint32_t width)
{
    return width >= 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
}

/* The override of a constant's SpecId, or NULL. */
static const struct lw_spec_override *
override_of(const lw_module *m, uint32_t id)
{
    const struct lw_decoration *d = lw_find_decoration(m, id, LW_NO_MEMBER, SpvDecorationSpecId);
    if (!d || !d->count)
        return NULL;
    uint32_t place = lw_override_place(m, m->words[d->at]);
    return place < m->override_count && m->overrides[place].spec_id == m->words[d->at] ? &m->overrides[place]
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


/* SPDX-License-Identifier: MIT */
/* Looking up what constants.c has evaluated: of scalars and vectors, by id; and what it is to evaluate with.
 *
 * Enters: a module whose constants are known, or those before the one that is asked for.  Leaves: bits.
 * Never: computes; an id without a value has none.
 */
#include "evaluate.h"

#include <string.h>

uint32_t
lw_override_place(const lw_module *m, uint32_t spec_id)
{
    uint32_t low = 0, high = m->override_count;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (m->overrides[mid].spec_id < spec_id)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

bool
lw_is_laid_out(uint32_t op)
{
    return op == SpvOpTypeBool || op == SpvOpTypeEvent || op == SpvOpTypeReserveId || op == SpvOpTypePipe ||
           op == SpvOpTypeQueue || op == SpvOpTypeDeviceEvent || op == SpvOpTypePipeStorage ||
           op == SpvOpTypeImage || op == SpvOpTypeSampler || op == SpvOpTypeSampledImage ||
           op == SpvOpTypeInt || op == SpvOpTypeFloat || op == SpvOpTypeVector || op == SpvOpTypeArray ||
           op == SpvOpTypeStruct;
}

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

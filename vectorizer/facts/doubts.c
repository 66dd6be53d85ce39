/* SPDX-License-Identifier: MIT */
/* Doubts about the width, see doubts.h.
 *
 * Enters: canonical form, its model and its facts. Leaves: an answer. Never: guesses costs; what is in doubt
 * is tried (src/race.c).
 */
#include "doubts.h"

/* Private memory is laid out for the lanes. */
static bool
goes_its_own_way(const struct lw_model *m, const struct lw_uniformity *u, LLVMValueRef pointer)
{
    uint32_t id = lw_value_id(m, pointer);
    return id != LW_NONE && u->values[id].form == LW_VARYING && u->alloca_base[id] == LW_NONE;
}

static bool
is_in_doubt(const struct lw_model *m, const struct lw_uniformity *u, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad: return goes_its_own_way(m, u, LLVMGetOperand(i, 0));
    case LLVMStore: return goes_its_own_way(m, u, LLVMGetOperand(i, 1));
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: return true;
    default: return false;
    }
}

/* Accesses at a distance, too, are as many as there are lanes. */
static bool
is_far_apart(const struct lw_model *m, const struct lw_uniformity *u, LLVMValueRef i)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    if (op != LLVMLoad && op != LLVMStore)
        return false;
    LLVMValueRef pointer = LLVMGetOperand(i, op == LLVMStore);
    LLVMTypeRef type = LLVMTypeOf(op == LLVMStore ? LLVMGetOperand(i, 0) : i);
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(m->function));
    uint32_t id = lw_value_id(m, pointer);
    if (id == LW_NONE || u->values[id].form != LW_STRIDED)
        return false;
    return !u->values[id].linear || u->values[id].stride != (int64_t)LLVMStoreSizeOfType(layout, type);
}

bool
lw_has_doubts(const struct lw_model *m, const struct lw_uniformity *u)
{
    if (m->loop_count)
        return true;
    for (uint32_t id = m->param_count; id < m->value_count; id++)
        if (is_in_doubt(m, u, m->values[id]) || is_far_apart(m, u, m->values[id]))
            return true;
    return false;
}

/* SPDX-License-Identifier: MIT */
/* Doubts about the width, see doubts.h.
 *
 * Enters: canonical form, its model and its facts. Leaves: an answer. Never: guesses costs; what is in doubt
 * is tried (src/race.c).
 */
#include "doubts.h"

/* Lanes that go ways of their own, or so far apart that the accesses are as many as there are lanes. Private
 * memory is laid out for the lanes. */
static bool
is_in_doubt(const struct lw_model *m, const struct lw_uniformity *u, LLVMValueRef i)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    if (op == LLVMAtomicRMW || op == LLVMAtomicCmpXchg)
        return true;
    if (op != LLVMLoad && op != LLVMStore)
        return false;
    uint32_t id = lw_value_id(m, LLVMGetOperand(i, op == LLVMStore));
    if (id == LW_NONE)
        return false;
    if (u->values[id].form == LW_VARYING)
        return u->alloca_base[id] == LW_NONE;
    LLVMTypeRef type = LLVMTypeOf(op == LLVMStore ? LLVMGetOperand(i, 0) : i);
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(m->function));
    return u->values[id].form == LW_STRIDED &&
           (!u->values[id].linear || u->values[id].stride != (int64_t)LLVMStoreSizeOfType(layout, type));
}

bool
lw_has_doubts(const struct lw_model *m, const struct lw_uniformity *u)
{
    if (m->loop_count)
        return true;
    for (uint32_t id = m->param_count; id < m->value_count; id++)
        if (is_in_doubt(m, u, m->values[id]))
            return true;
    return false;
}

/* SPDX-License-Identifier: MIT */
/* Doubts about the width, see doubts.h.
 *
 * Enters: canonical form, its model and its facts. Leaves: an answer. Never: guesses costs; what is in doubt
 * is tried (src/tiers/race.c).
 */
#include "doubts.h"

/* The value that is the address of a load or a store, and the type of what it accesses; LW_NONE: neither. */
static uint32_t
accessed(const struct lw_model *m, LLVMValueRef i, LLVMTypeRef *type)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    if (op != LLVMLoad && op != LLVMStore)
        return LW_NONE;
    *type = LLVMTypeOf(op == LLVMStore ? LLVMGetOperand(i, 0) : i);
    return lw_value_id(m, LLVMGetOperand(i, op == LLVMStore));
}

static int64_t
size_of(const struct lw_model *m, LLVMTypeRef type)
{
    return (int64_t)LLVMStoreSizeOfType(LLVMGetModuleDataLayout(LLVMGetGlobalParent(m->function)), type);
}

/* Lanes that go ways of their own, or so far apart that the accesses are as many as there are lanes. Private
 * memory is laid out for the lanes. */
static bool
is_in_doubt(const struct lw_model *m, const struct lw_uniformity *u, LLVMValueRef i)
{
    LLVMTypeRef type;
    uint32_t id = accessed(m, i, &type);
    if (id == LW_NONE)
        return LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i);
    if (u->values[id].form == LW_VARYING)
        return u->alloca_base[id] == LW_NONE;
    return u->values[id].form == LW_STRIDED &&
           (!u->values[id].linear || u->values[id].stride != size_of(m, type));
}

/* Bits of the elements that an instruction accesses for each lane; 0: it does not. */
static unsigned
accessed_bits(const struct lw_model *m, const struct lw_uniformity *u, LLVMValueRef i)
{
    LLVMTypeRef type;
    uint32_t id = accessed(m, i, &type);
    if (id == LW_NONE || u->values[id].form == LW_UNIFORM || u->alloca_base[id] != LW_NONE)
        return 0;
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    return (unsigned)size_of(m, type) * 8;
}

enum lw_doubt
lw_find_doubt(const struct lw_model *m, const struct lw_uniformity *u)
{
    for (uint32_t loop = 0; loop < m->loop_count; loop++)
        if (u->divergent_loop[loop])
            return LW_LANES_STRAY;
    if (m->loop_count)
        return LW_DOUBT;
    unsigned least = 64, most = 0;
    for (uint32_t id = m->param_count; id < m->value_count; id++) {
        unsigned bits = accessed_bits(m, u, m->values[id]);
        if (is_in_doubt(m, u, m->values[id]))
            return LW_DOUBT;
        least = bits && bits < least ? bits : least;
        most = bits > most ? bits : most;
    }
    return least < most && most == 32 ? LW_DOUBT : LW_NO_DOUBT;
}

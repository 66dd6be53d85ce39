/* SPDX-License-Identifier: MIT */
/* A piece of code that is there twice: what stands before serves both, what is read
 * behind comes from either.
 *
 * Enters: a piece of the model's function, which one block dominates. Leaves: its copy, with the values that
 * the caller has put in the places of some, and phis behind both; the function is no longer as the model has
 * it. Never: leads anything to the copy.
 */
#include "twice.h"

bool
lw_is_twice(const struct lw_twice *p, uint32_t block, uint32_t value)
{
    return block == p->head ? value >= p->first
                            : lw_dominates(p->m, p->head, block) &&
                                  (p->end == LW_NONE || !lw_dominates(p->m, p->end, block));
}

LLVMValueRef
lw_copied(const struct lw_twice *p, LLVMValueRef v)
{
    if (LLVMIsABasicBlock(v)) {
        uint32_t b = lw_block_id(p->m, LLVMValueAsBasicBlock(v));
        return b != LW_NONE && p->blocks[b] ? LLVMBasicBlockAsValue(p->blocks[b]) : v;
    }
    uint32_t id = lw_value_id(p->m, v);
    return id != LW_NONE && p->copies[id] ? p->copies[id] : v;
}

void
lw_copy_value(struct lw_twice *p, uint32_t id)
{
    LLVMValueRef v = p->m->values[id];
    bool phi = LLVMIsAPHINode(v) != NULL;
    p->copies[id] = phi ? LLVMBuildPhi(p->b, LLVMTypeOf(v), "") : LLVMInstructionClone(v);
    if (!phi)
        LLVMInsertIntoBuilder(p->b, p->copies[id]);
}

static void
copy_block(struct lw_twice *p, uint32_t b)
{
    const struct lw_vblock *block = &p->m->blocks[b];
    LLVMPositionBuilderAtEnd(p->b, p->blocks[b]);
    for (uint32_t id = block->first_value; id < block->value_end; id++) {
        if (lw_is_twice(p, b, id) && !p->copies[id])
            lw_copy_value(p, id);
    }
}

void
lw_set_copied_operands(struct lw_twice *p, uint32_t id)
{
    LLVMValueRef v = p->m->values[id], copy = p->copies[id];
    for (unsigned k = 0; LLVMIsAPHINode(v) && k < LLVMCountIncoming(v); k++) {
        LLVMValueRef value = lw_copied(p, LLVMGetIncomingValue(v, k));
        LLVMValueRef from = lw_copied(p, LLVMBasicBlockAsValue(LLVMGetIncomingBlock(v, k)));
        LLVMAddIncoming(copy, &value, &(LLVMBasicBlockRef){LLVMValueAsBasicBlock(from)}, 1);
    }
    for (int k = 0; !LLVMIsAPHINode(v) && k < LLVMGetNumOperands(v); k++)
        LLVMSetOperand(copy, (unsigned)k, lw_copied(p, LLVMGetOperand(v, (unsigned)k)));
}

static bool
is_behind(const struct lw_twice *p, LLVMBasicBlockRef block)
{
    uint32_t at = lw_block_id(p->m, block);
    return at != LW_NONE && lw_dominates(p->m, p->end, at);
}

/* Which operand of the user is the value, where it is read behind the end: a phi reads where it comes from.
 */
static int
read_behind(const struct lw_twice *p, LLVMValueRef user, LLVMValueRef v)
{
    bool phi = LLVMIsAPHINode(user) != NULL;
    for (int k = 0; k < LLVMGetNumOperands(user); k++)
        if (LLVMGetOperand(user, (unsigned)k) == v &&
            is_behind(p, phi ? LLVMGetIncomingBlock(user, (unsigned)k) : LLVMGetInstructionParent(user)))
            return k;
    return -1;
}

/* A value that is used behind the end comes from either copy. */
static void
merge_value(struct lw_twice *p, uint32_t id)
{
    const struct lw_vblock *end = &p->m->blocks[p->end];
    LLVMValueRef v = p->m->values[id], phi = NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(v); use;) {
        LLVMValueRef user = LLVMGetUser(use);
        int k = read_behind(p, user, v);
        use = LLVMGetNextUse(use);
        if (k < 0)
            continue;
        if (!phi) {
            LLVMPositionBuilderBefore(p->b, LLVMGetFirstInstruction(end->ref));
            phi = LLVMBuildPhi(p->b, LLVMTypeOf(v), "");
        }
        LLVMSetOperand(user, (unsigned)k, phi);
        use = LLVMGetFirstUse(v);
    }
    for (uint32_t k = 0; phi && k < end->pred_count; k++) {
        uint32_t from = end->preds[k];
        LLVMAddIncoming(phi, &v, &p->m->blocks[from].ref, 1);
        LLVMAddIncoming(phi, &p->copies[id], &p->blocks[from], 1);
    }
}

/* Phis that come from the piece come from the copy, too. */
void
lw_add_ways_twice(struct lw_twice *p, LLVMBasicBlockRef out)
{
    for (LLVMValueRef phi = LLVMGetFirstInstruction(out); phi && LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi)) {
        unsigned count = LLVMCountIncoming(phi);
        for (unsigned k = 0; k < count; k++) {
            uint32_t from = lw_block_id(p->m, LLVMGetIncomingBlock(phi, k));
            if (from == LW_NONE || !p->blocks[from])
                continue;
            LLVMValueRef value = lw_copied(p, LLVMGetIncomingValue(phi, k));
            LLVMAddIncoming(phi, &value, &p->blocks[from], 1);
        }
    }
}

void
lw_write_twice(struct lw_twice *p)
{
    const struct lw_model *m = p->m;
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(m->function));
    for (uint32_t b = p->head; b < m->block_count; b++)
        if (lw_is_twice(p, b, p->first))
            p->blocks[b] = LLVMAppendBasicBlockInContext(context, m->function, "row");
    for (uint32_t b = p->head; b < m->block_count; b++)
        if (p->blocks[b])
            copy_block(p, b);
    for (uint32_t id = p->first; id < m->value_count; id++)
        if (p->copies[id] && !p->replaced[id])
            lw_set_copied_operands(p, id);
    for (uint32_t b = 0; b < m->block_count; b++)
        if (!p->blocks[b])
            lw_add_ways_twice(p, m->blocks[b].ref);
    for (uint32_t id = p->first; p->end != LW_NONE && id < m->value_count; id++)
        if (p->copies[id])
            merge_value(p, id);
}

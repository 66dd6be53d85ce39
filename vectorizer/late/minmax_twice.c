/* SPDX-License-Identifier: MIT */
/* A network of minima and maxima written twice, see minmax.c.
 *
 *   block: test of all leaves  ->  no_nan: copies, each one instruction  |  nan: as it was  ->  ordered: phis
 *
 * Enters: a network, and what of it is needed (simplify, in minmax.c). Leaves: the same values. Relies on:
 * what the network's place says: nothing between its nodes that stays depends on them.
 */
#include "minmax_internal.h"

#include "../facts/instructions.h"
#include "../lanes/internal.h"

/* With mask registers each comparison takes the mask of those before it, where an `or` is one more. */
static V
any_nan(lw_lanes *l, const struct lw_min_max_network *n)
{
    LLVMBuilderRef b = l->builder;
    bool masked = lw_isa_row(l->isa)->mask_registers;
    V any = NULL;

    for (uint32_t k = 0; k < n->leaf_count; k += 2) {
        V other = n->leaves[k + 1 < n->leaf_count ? k + 1 : k];
        V test = LLVMBuildFCmp(b, masked ? LLVMRealORD : LLVMRealUNO, n->leaves[k], other, "");
        any = !any ? test : masked ? LLVMBuildAnd(b, any, test, "") : LLVMBuildOr(b, any, test, "");
    }
    LLVMTypeRef type = lw_lane_int_type(l, LLVMGetVectorSize(LLVMTypeOf(any)));
    V bits = LLVMBuildBitCast(b, any, type, "any_nan");
    return LLVMBuildICmp(b, LLVMIntNE, bits, masked ? LLVMConstAllOnes(type) : LLVMConstNull(type), "");
}

static void
move(lw_lanes *l, V i)
{
    LLVMInstructionRemoveFromParent(i);
    LLVMInsertIntoBuilder(l->builder, i);
}

/* What jumped from one block jumps from another now. */
static void
rename_in_phis(lw_lanes *l, LLVMBasicBlockRef block, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    V next;

    for (V phi = LLVMGetFirstInstruction(block); phi && LLVMIsAPHINode(phi); phi = next) {
        next = LLVMGetNextInstruction(phi);
        LLVMPositionBuilder(l->builder, block, phi);
        V made = LLVMBuildPhi(l->builder, LLVMTypeOf(phi), "");
        for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
            V value = LLVMGetIncomingValue(phi, k);
            LLVMBasicBlockRef block_of = LLVMGetIncomingBlock(phi, k);
            LLVMAddIncoming(made, &value, block_of == from ? &to : &block_of, 1);
        }
        lw_replace(phi, made);
    }
}

/* The copies, in a block of their own. */
static void
write_fast(const struct lw_min_max_network *n, lw_lanes *l)
{
    for (uint32_t k = n->start; k <= n->end; k++) {
        struct lw_network_member *node = lw_node_at(n, k);
        if (!node)
            continue;
        if (node->gone) {
            struct lw_network_member *at = node->instead ? lw_node_of(n, node->instead) : NULL;
            node->fast = at ? at->fast : node->instead;
            continue;
        }
        V copy = LLVMInstructionClone(node->value);
        for (unsigned o = 0; o < 2; o++) {
            V operand = node->operands[o] ? node->operands[o] : LLVMGetOperand(copy, o);
            struct lw_network_member *at = lw_node_of(n, operand);
            LLVMSetOperand(copy, o, at ? at->fast : operand);
        }
        LLVMSetFastMathFlags(copy, LLVMGetFastMathFlags(copy) | LLVMFastMathNoNaNs);
        LLVMInsertIntoBuilder(l->builder, copy);
        node->fast = copy;
    }
}

/* Phis for what is used behind the network; its nodes are used by each other too, and stay so. */
static void
join_values(const struct lw_min_max_network *n, lw_lanes *l, LLVMBasicBlockRef fast, LLVMBasicBlockRef slow)
{
    for (uint32_t k = n->start; k <= n->end; k++) {
        struct lw_network_member *node = lw_node_at(n, k), *other;
        if (!node || !lw_is_used_outside(n, node->value))
            continue;
        V phi = LLVMBuildPhi(l->builder, LLVMTypeOf(node->value), "");
        LLVMReplaceAllUsesWith(node->value, phi);
        for (uint32_t j = k + 1; j <= n->end; j++)
            for (unsigned o = 0; (other = lw_node_at(n, j)) && o < 2; o++)
                if (LLVMGetOperand(other->value, o) == phi)
                    LLVMSetOperand(other->value, o, node->value);
        LLVMAddIncoming(phi, (V[]){node->fast, node->value}, (LLVMBasicBlockRef[]){fast, slow}, 2);
    }
}

LLVMBasicBlockRef
lw_write_network_twice(struct lw_min_max_network *n, lw_lanes *l, LLVMBasicBlockRef block)
{
    V function = LLVMGetBasicBlockParent(block), end = LLVMGetBasicBlockTerminator(block);
    LLVMBasicBlockRef fast = LLVMAppendBasicBlockInContext(l->context, function, "no_nan");
    LLVMBasicBlockRef slow = LLVMAppendBasicBlockInContext(l->context, function, "nan");
    LLVMBasicBlockRef behind = LLVMAppendBasicBlockInContext(l->context, function, "ordered");

    LLVMMoveBasicBlockAfter(fast, block);
    LLVMMoveBasicBlockAfter(behind, fast);
    LLVMPositionBuilderAtEnd(l->builder, fast);
    write_fast(n, l);
    LLVMBuildBr(l->builder, behind);
    LLVMPositionBuilderAtEnd(l->builder, behind);
    join_values(n, l, fast, slow);
    for (uint32_t k = n->start; k < n->count; k++)
        if (k > n->end || n->all[k].place == LW_BEHIND)
            move(l, n->all[k].value);
    LLVMPositionBuilderAtEnd(l->builder, slow);
    for (uint32_t k = n->start; k <= n->end; k++)
        if (n->all[k].place == LW_NODE)
            move(l, n->all[k].value);
    LLVMBuildBr(l->builder, behind);
    LLVMPositionBuilderAtEnd(l->builder, block);
    LLVMBuildCondBr(l->builder, any_nan(l, n), slow, fast);
    /* Last: the block may be a loop, and its own phis inputs of the network. */
    for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++)
        rename_in_phis(l, LLVMGetSuccessor(end, s), block, behind);
    return behind;
}

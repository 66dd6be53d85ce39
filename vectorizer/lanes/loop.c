/* SPDX-License-Identifier: MIT */
/* Control flow inside helpers: blocks, two ways that meet, and the loop over the active lanes in increasing
 * order.
 *
 * Enters: a builder at the end of a block. Leaves: it at the end of another one, behind what was made.
 * Relies on: the caller taking the block from the builder where it needs it for a phi.
 */
#include "internal.h"

LLVMBasicBlockRef
lw_lane_block(lw_lanes *l, const char *name)
{
    return LLVMAppendBasicBlockInContext(l->context, l->function, name);
}

void
lw_lane_branch_likely(lw_lanes *l, V condition, LLVMBasicBlockRef likely, LLVMBasicBlockRef rare)
{
    V branch = LLVMBuildCondBr(l->builder, condition, likely, rare);
    LLVMMetadataRef parts[] = {
        LLVMMDStringInContext2(l->context, "branch_weights", 14),
        LLVMValueAsMetadata(lane_int(l, 32, 1000)),
        LLVMValueAsMetadata(lane_int(l, 32, 1)),
    };
    LLVMMetadataRef node = LLVMMDNodeInContext2(l->context, parts, 3);

    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(l->context, "prof", 4),
                    LLVMMetadataAsValue(l->context, node));
}

V
lw_lane_phi2(lw_lanes *l, V a, LLVMBasicBlockRef from_a, V b, LLVMBasicBlockRef from_b)
{
    V phi = LLVMBuildPhi(l->builder, LLVMTypeOf(a), "");

    LLVMAddIncoming(phi, &a, &from_a, 1);
    LLVMAddIncoming(phi, &b, &from_b, 1);
    return phi;
}

void
lw_lane_fork(lw_lanes *l, struct lw_two_ways *w, V condition, bool likely, const char *one, const char *other)
{
    *w = (struct lw_two_ways){lw_lane_block(l, one), lw_lane_block(l, other), lw_lane_block(l, "meet")};
    if (likely)
        lw_lane_branch_likely(l, condition, w->one, w->other);
    else
        LLVMBuildCondBr(l->builder, condition, w->one, w->other);
    LLVMPositionBuilderAtEnd(l->builder, w->one);
}

static LLVMBasicBlockRef
end_way(lw_lanes *l, const struct lw_two_ways *w, LLVMBasicBlockRef next)
{
    LLVMBasicBlockRef last = LLVMGetInsertBlock(l->builder);

    LLVMBuildBr(l->builder, w->done);
    LLVMPositionBuilderAtEnd(l->builder, next);
    return last;
}

void
lw_lane_other_way(lw_lanes *l, struct lw_two_ways *w)
{
    w->one = end_way(l, w, w->other);
}

void
lw_lane_meet(lw_lanes *l, struct lw_two_ways *w)
{
    w->other = end_way(l, w, w->done);
}

V
lw_lane_met(lw_lanes *l, const struct lw_two_ways *w, V a, V b)
{
    return lw_lane_phi2(l, a, w->one, b, w->other);
}

void
lw_lane_loop_begin(lw_lanes *l, V mask, struct lw_lane_loop *loop)
{
    LLVMTypeRef i64 = lw_lane_int_type(l, 64);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder);
    V bits = lane_mask_bits64(l, mask);
    V args[] = {NULL, lane_int(l, 1, 1)};

    loop->body = lw_lane_block(l, "lane");
    loop->done = lw_lane_block(l, "lanes.done");
    LLVMBuildCondBr(l->builder, LLVMBuildICmp(l->builder, LLVMIntNE, bits, LLVMConstNull(i64), ""),
                    loop->body, loop->done);
    LLVMPositionBuilderAtEnd(l->builder, loop->body);
    loop->bits = LLVMBuildPhi(l->builder, i64, "lanes.left");
    LLVMAddIncoming(loop->bits, &bits, &before, 1);
    args[0] = loop->bits;
    V lane = lw_lane_call(l, "llvm.cttz", &i64, 1, args, 2);
    loop->lane = LLVMBuildTrunc(l->builder, lane, lw_lane_int_type(l, 32), "lane");
}

void
lw_lane_loop_end(lw_lanes *l, struct lw_lane_loop *loop)
{
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(l->builder);
    V less = LLVMBuildSub(l->builder, loop->bits, lane_int(l, 64, 1), "");
    V next = LLVMBuildAnd(l->builder, loop->bits, less, "");
    V more = LLVMBuildICmp(l->builder, LLVMIntNE, next, lane_int(l, 64, 0), "");

    LLVMBuildCondBr(l->builder, more, loop->body, loop->done);
    LLVMAddIncoming(loop->bits, &next, &latch, 1);
    LLVMPositionBuilderAtEnd(l->builder, loop->done);
}

static bool
fits_register(const lw_lanes *l, LLVMTypeRef element)
{
    unsigned bits = element && LLVMGetTypeKind(element) != LLVMVoidTypeKind ? lw_lane_bits(element) : 0;

    return bits >= 32 && bits * l->n <= lw_isa_row(l->isa)->register_bits;
}

/* In a register, which a store of each lane and a load of all would stall for. */
static V
serialise_in_register(lw_lanes *l, V mask, LLVMTypeRef element, V (*emit)(lw_lanes *l, V lane, void *data),
                      void *data)
{
    LLVMTypeRef type = lane_type(l, element);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder);
    V none = LLVMConstNull(type);
    struct lw_lane_loop loop;

    lw_lane_loop_begin(l, mask, &loop);
    V lane = loop.lane, so_far = LLVMBuildPhi(l->builder, type, "");
    LLVMInstructionRemoveFromParent(so_far);
    LLVMPositionBuilderBefore(l->builder, LLVMGetFirstInstruction(loop.body));
    LLVMInsertIntoBuilder(l->builder, so_far);
    LLVMPositionBuilderAtEnd(l->builder, loop.body);
    V value = lane_splat(l, emit(l, lane, data));
    V here = LLVMBuildICmp(l->builder, LLVMIntEQ, lane_splat(l, lane), lane_iota(l, LLVMTypeOf(lane)), "");
    V next = LLVMBuildSelect(l->builder, here, value, so_far, "");
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(l->builder);
    LLVMAddIncoming(so_far, &none, &before, 1);
    LLVMAddIncoming(so_far, &next, &latch, 1);
    lw_lane_loop_end(l, &loop);
    return lw_lane_phi2(l, none, before, next, latch);
}

V
lane_serialise(lw_lanes *l, const char *what, V mask, LLVMTypeRef result_element,
               V (*emit)(lw_lanes *l, V lane, void *data), void *data)
{
    LLVMTypeRef memory = NULL;
    V slot = NULL;
    struct lw_lane_loop loop;

    lw_lane_note(l, what);
    if (fits_register(l, result_element))
        return serialise_in_register(l, mask, result_element, emit, data);
    if (result_element && LLVMGetTypeKind(result_element) != LLVMVoidTypeKind) {
        memory = lw_lane_memory_type(l, result_element);
        slot = lane_spill(l, LLVMConstNull(lane_type(l, memory)));
    }
    lw_lane_loop_begin(l, mask, &loop);
    V value = emit(l, loop.lane, data);
    if (slot && value)
        LLVMSetAlignment(
            LLVMBuildStore(l->builder, lw_lane_to_memory(l, value), lw_lane_gep(l, memory, slot, loop.lane)),
            1);
    lw_lane_loop_end(l, &loop);
    if (!slot)
        return NULL;
    V result = LLVMBuildLoad2(l->builder, lane_type(l, memory), slot, "");
    LLVMSetAlignment(result, 64);
    return lw_lane_from_memory(l, result, result_element);
}

V
lane_spill(lw_lanes *l, V vector)
{
    vector = lw_lane_to_memory(l, vector);
    V slot = lw_lane_alloca(l, LLVMTypeOf(vector), "lanes");

    LLVMSetAlignment(LLVMBuildStore(l->builder, vector, slot), 64);
    return slot;
}

V
lane_reload(lw_lanes *l, LLVMTypeRef element, V spilled, V lane)
{
    LLVMTypeRef memory = lw_lane_memory_type(l, element);
    V value = LLVMBuildLoad2(l->builder, memory, lw_lane_gep(l, memory, spilled, lane), "");

    LLVMSetAlignment(value, lw_lane_bits(memory) / 8 ? lw_lane_bits(memory) / 8 : 1);
    return lw_lane_from_memory(l, value, element);
}

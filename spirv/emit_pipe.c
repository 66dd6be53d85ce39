/* SPDX-License-Identifier: MIT */
/* Pipes: reservations and commits are services of the runtime (lw.service.N, intrinsics.def), packets move by
 * plain copies between their places (pipe.h) and the program's memory.
 *
 * A reservation of a group is one that its first work-item makes and all others are told of; it is committed
 * by one, behind a barrier. The copy is a function of its own for every kind of packet, inlined later; the
 * places of a reservation that does not go round the ring's end are one behind the other, which the
 * vectorizer sees.
 *
 * Single packets that fit into registers are operands of a call (lw.pipe.*, intrinsics.def), which moves
 * those of all lanes together; larger ones have a reservation for each lane.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "attributes.h"
#include "emit_function.h"
#include "pipe.h"

/* A commit that goes behind a loop for those work-items that leave it comes too late: there they are waited
 * for by those that wait for what is committed. */
static V
stays_there(V call)
{
    lw_add_call_attributes(call, "convergent noduplicate nomerge");
    return call;
}

static V
service(lw_emitter *e, enum lw_service number, V pipe, V word)
{
    if (e->failed || !pipe || LLVMGetTypeKind(LLVMTypeOf(pipe)) != LLVMPointerTypeKind) {
        lw_emit_fail(e, "a pipe of this type");
        return NULL;
    }
    V args[] = {lw_int(e->i32, number), LLVMBuildPtrToInt(e->b, pipe, e->i64, ""), word};
    V call = lw_call(e, word ? "lw.service.2" : "lw.service.1", e->i64, args, word ? 3 : 2);
    return call ? stays_there(call) : NULL;
}

/* ---- packets ---- */

struct copy {
    uint64_t size;                /* of a packet */
    unsigned packet_align, align; /* in the pipe, in the program's memory */
    bool write, single;
    V function;
};

static V
header_field(lw_emitter *e, V pipe, T type, size_t offset, unsigned align)
{
    V at = lw_int(e->i64, offset);
    V value = LLVMBuildLoad2(e->b, type, LLVMBuildInBoundsGEP2(e->b, e->i8, pipe, &at, 1, ""), "");
    LLVMSetAlignment(value, align);
    return LLVMBuildZExtOrBitCast(e->b, value, e->i64, "");
}

/* Moves the packet at `place`, if `valid`, and goes on at `done`. */
static void
write_move(lw_emitter *e, const struct copy *c, V valid, V place, LLVMBasicBlockRef done)
{
    LLVMBasicBlockRef move = LLVMAppendBasicBlockInContext(e->context, c->function, "move");
    V pipe = LLVMGetParam(c->function, 0), pointer = LLVMGetParam(c->function, 3),
      size = lw_int(e->i64, c->size);
    V packets = header_field(e, pipe, e->i64, offsetof(struct lw_pipe, packets), 8);
    V begin = LLVMBuildInBoundsGEP2(e->b, e->i8, pipe, &packets, 1, "");
    V offset = LLVMBuildMul(e->b, place, size, "");
    LLVMSetNSW(offset, true);
    LLVMBuildCondBr(e->b, valid, move, done);
    LLVMPositionBuilderAtEnd(e->b, move);
    V packet = LLVMBuildInBoundsGEP2(e->b, e->i8, begin, &offset, 1, "");
    if (c->write)
        LLVMBuildMemCpy(e->b, packet, c->packet_align, pointer, c->align, size);
    else
        LLVMBuildMemCpy(e->b, pointer, c->align, packet, c->packet_align, size);
    LLVMBuildBr(e->b, done);
}

/* i32 (pipe, reservation, index of the packet in it, pointer): 0, or -1 where there is no such packet. */
static void
write_copy(lw_emitter *e, const struct copy *c)
{
    V pipe = LLVMGetParam(c->function, 0), id = LLVMGetParam(c->function, 1),
      index = LLVMGetParam(c->function, 2);
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(e->context, c->function, "entry");
    LLVMBasicBlockRef straight = LLVMAppendBasicBlockInContext(e->context, c->function, "straight");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(e->context, c->function, "moved");
    LLVMPositionBuilderAtEnd(e->b, entry);
    V most = header_field(e, pipe, e->i32, offsetof(struct lw_pipe, max_packets), 4);
    V size = header_field(e, pipe, e->i32, offsetof(struct lw_pipe, packet_size), 4);
    V first = LLVMBuildAnd(e->b, id, lw_int(e->i64, LW_PIPE_PLACE_MASK), "");
    V count = LLVMBuildLShr(e->b, id, lw_int(e->i64, LW_PIPE_COUNT_SHIFT), "");
    count = LLVMBuildAnd(e->b, count, lw_int(e->i64, UINT32_MAX), "");
    V place = LLVMBuildNSWAdd(e->b, first, index, ""), end = LLVMBuildNSWAdd(e->b, first, count, "");
    V valid = LLVMBuildICmp(e->b, LLVMIntULT, index, count, "");
    V fits = LLVMBuildICmp(e->b, LLVMIntEQ, size, lw_int(e->i64, c->size), "");
    valid = LLVMBuildAnd(e->b, valid, fits, "");
    valid = LLVMBuildAnd(e->b, valid, LLVMBuildICmp(e->b, LLVMIntULT, first, most, ""), "");
    if (c->single) {
        LLVMBuildBr(e->b, straight);
    } else {
        LLVMBasicBlockRef round = LLVMAppendBasicBlockInContext(e->context, c->function, "round");
        LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntULE, end, most, ""), straight, round);
        LLVMPositionBuilderAtEnd(e->b, round);
        V behind = LLVMBuildICmp(e->b, LLVMIntUGE, place, most, "");
        write_move(e, c, valid,
                   LLVMBuildSelect(e->b, behind, LLVMBuildNSWSub(e->b, place, most, ""), place, ""), done);
    }
    LLVMPositionBuilderAtEnd(e->b, straight);
    write_move(e, c, valid, place, done);
    LLVMPositionBuilderAtEnd(e->b, done);
    LLVMBuildRet(e->b, LLVMBuildSelect(e->b, valid, lw_int(e->i32, 0), lw_int(e->i32, UINT32_MAX), ""));
}

static V
copy_function(lw_emitter *e, struct copy *c, T pipe, T pointer)
{
    char name[80];
    T types[] = {pipe, e->i64, e->i64, pointer};
    snprintf(name, sizeof name, "pipe.%s.%u.%llu.%u.%u", c->write ? "write" : "read", c->single,
             (unsigned long long)c->size, c->align, LLVMGetPointerAddressSpace(pointer));
    V function = LLVMGetNamedFunction(e->module, name);
    if (function)
        return function;
    c->function = LLVMAddFunction(e->module, name, LLVMFunctionType(e->i32, types, 4, false));
    LLVMSetLinkage(c->function, LLVMInternalLinkage);
    lw_add_attributes(c->function, "nounwind alwaysinline");
    LLVMBuilderRef outer = e->b;
    e->b = LLVMCreateBuilderInContext(e->context);
    write_copy(e, c);
    LLVMDisposeBuilder(e->b);
    e->b = outer;
    return c->function;
}

/* Between the packet `index` of the reservation and the memory behind the instruction's operand `n`. */
static V
copy_packet(lw_emitter *e, bool write, bool single, V pipe, V id, V index, unsigned n)
{
    uint64_t size, align;
    V pointer = lw_operand_value(e, n);
    if (!lw_emit_literal(e, lw_operand(e, n + 1), &size) ||
        !lw_emit_literal(e, lw_operand(e, n + 2), &align) || e->failed ||
        LLVMGetTypeKind(LLVMTypeOf(pointer)) != LLVMPointerTypeKind || LLVMTypeOf(id) != e->i64) {
        lw_emit_fail(e, "a packet of this type");
        return NULL;
    }
    align = align < LW_PIPE_ALIGN ? align : LW_PIPE_ALIGN;
    uint64_t packet_align = (size | align) & (0 - (size | align)); /* what both are multiples of */
    struct copy c = {size, (unsigned)packet_align, (unsigned)align, write, single, NULL};
    V function = copy_function(e, &c, LLVMTypeOf(pipe), LLVMTypeOf(pointer));
    V args[] = {pipe, id, index, pointer};
    return e->failed ? NULL : LLVMBuildCall2(e->b, LLVMGlobalGetValueType(function), function, args, 4, "");
}

static void
give_number(lw_emitter *e, V number)
{
    T type = lw_emit_type(e, e->inst->type);
    if (!e->failed)
        lw_emit_result(e, LLVMBuildIntCast2(e->b, number, type, true, ""));
}

/* ---- packets in registers ---- */

/* What a packet is as the operand of a call; NULL: it has another size. Of two words or four, as they may be
 * in the program. */
static T
register_type(lw_emitter *e, uint64_t size, uint64_t align)
{
    if (size == 16)
        return align == 8 ? LLVMVectorType(e->i64, 2) : LLVMVectorType(e->i32, 4);
    bool whole = size == 1 || size == 2 || size == 4 || size == 8;
    return whole ? LLVMIntTypeInContext(e->context, (unsigned)size * 8) : NULL;
}

/* void (status, packet, pointer): stores what was read. */
static V
deliver_function(lw_emitter *e, T packet, T pointer, uint64_t size, uint64_t align)
{
    char name[80];
    T types[] = {e->i32, packet, pointer}, nothing = LLVMVoidTypeInContext(e->context);
    snprintf(name, sizeof name, "pipe.deliver.%llu.%llu.%u", (unsigned long long)size,
             (unsigned long long)align, LLVMGetPointerAddressSpace(pointer));
    V function = LLVMGetNamedFunction(e->module, name);
    if (function)
        return function;
    function = LLVMAddFunction(e->module, name, LLVMFunctionType(nothing, types, 3, false));
    LLVMSetLinkage(function, LLVMInternalLinkage);
    lw_add_attributes(function, "nounwind alwaysinline");
    LLVMBuilderRef b = LLVMCreateBuilderInContext(e->context);
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(e->context, function, "entry");
    LLVMBasicBlockRef read = LLVMAppendBasicBlockInContext(e->context, function, "read");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(e->context, function, "done");
    LLVMPositionBuilderAtEnd(b, entry);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, LLVMGetParam(function, 0), lw_int(e->i32, 0), ""), read,
                    done);
    LLVMPositionBuilderAtEnd(b, read);
    LLVMSetAlignment(LLVMBuildStore(b, LLVMGetParam(function, 1), LLVMGetParam(function, 2)),
                     (unsigned)align);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, done);
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
    return function;
}

/* The call moves the packets of all lanes that come to it, and commits them. */
static void
emit_in_register(lw_emitter *e, bool write, V pipe, T packet, uint64_t size, uint64_t align)
{
    char name[40];
    V pointer = lw_operand_value(e, 4);
    T both[] = {packet, e->i32}, result = LLVMStructTypeInContext(e->context, both, 2, false);
    align = align < LW_PIPE_ALIGN ? align : LW_PIPE_ALIGN;
    if (e->failed || LLVMGetTypeKind(LLVMTypeOf(pointer)) != LLVMPointerTypeKind) {
        lw_emit_fail(e, "a packet of this type");
        return;
    }
    snprintf(name, sizeof name, "lw.pipe.%s.%llu%s", write ? "write" : "read", (unsigned long long)size,
             size == 16 && align == 8 ? ".2" : "");
    V args[] = {LLVMBuildPtrToInt(e->b, pipe, e->i64, ""), NULL}, status;
    if (write) {
        args[1] = LLVMBuildLoad2(e->b, packet, pointer, "");
        LLVMSetAlignment(args[1], (unsigned)align);
        status = lw_call(e, name, e->i32, args, 2);
        if (status)
            stays_there(status);
    } else {
        V answer = lw_call(e, name, result, args, 1);
        if (!answer)
            return;
        stays_there(answer);
        V to = deliver_function(e, packet, LLVMTypeOf(pointer), size, align);
        status = LLVMBuildExtractValue(e->b, answer, 1, "");
        V all[] = {status, LLVMBuildExtractValue(e->b, answer, 0, ""), pointer};
        LLVMBuildCall2(e->b, LLVMGlobalGetValueType(to), to, all, 3, "");
    }
    if (!e->failed)
        give_number(e, status);
}

/* A packet each, by a reservation of its own. */
static void
emit_single(lw_emitter *e, bool write)
{
    uint64_t size, align;
    V pipe = lw_operand_value(e, 3);
    if (!lw_emit_literal(e, lw_operand(e, 5), &size) || !lw_emit_literal(e, lw_operand(e, 6), &align) ||
        e->failed || LLVMGetTypeKind(LLVMTypeOf(pipe)) != LLVMPointerTypeKind) {
        lw_emit_fail(e, "a packet of this type");
        return;
    }
    T packet = register_type(e, size, align);
    if (packet) {
        emit_in_register(e, write, pipe, packet, size, align);
        return;
    }
    V its = header_field(e, pipe, e->i32, offsetof(struct lw_pipe, packet_size), 4);
    V fits = LLVMBuildICmp(e->b, LLVMIntEQ, its, lw_int(e->i64, size), "");
    V id = service(e, write ? LW_SERVICE_PIPE_RESERVE_WRITE : LW_SERVICE_PIPE_RESERVE_READ, pipe,
                   LLVMBuildZExt(e->b, fits, e->i64, ""));
    V moved = e->failed ? NULL : copy_packet(e, write, true, pipe, id, lw_int(e->i64, 0), 4);
    if (e->failed)
        return;
    service(e, write ? LW_SERVICE_PIPE_COMMIT_WRITE : LW_SERVICE_PIPE_COMMIT_READ, pipe, id);
    give_number(e, moved);
}

static void
emit_reserved(lw_emitter *e, bool write)
{
    V pipe = lw_operand_value(e, 3), id = lw_operand_value(e, 4),
      index = lw_unsigned(e, lw_operand_value(e, 5), e->i64);
    V moved = e->failed ? NULL : copy_packet(e, write, false, pipe, id, index, 6);
    if (!e->failed)
        give_number(e, moved);
}

/* ---- reservations ---- */

/* i1: the one work-item that acts for the group. */
static V
acts_for(lw_emitter *e, bool sub_group)
{
    if (sub_group)
        return lw_call(e, "lw.sg.elect", e->i1, NULL, 0);
    return LLVMBuildICmp(e->b, LLVMIntEQ, lw_id0(e, "local_linear_id"), lw_int(e->i64, 0), "");
}

static bool
is_sub_group(lw_emitter *e, unsigned n)
{
    uint64_t scope;
    return lw_emit_literal(e, lw_operand(e, n), &scope) && scope == SpvScopeSubgroup;
}

static void
emit_reserve(lw_emitter *e, bool write, bool group)
{
    unsigned n = group ? 4 : 3;
    bool sub_group = group && is_sub_group(e, 3);
    V pipe = lw_operand_value(e, n), count = lw_unsigned(e, lw_operand_value(e, n + 1), e->i64);
    if (group && !e->failed)
        count = LLVMBuildSelect(e->b, acts_for(e, sub_group), count, lw_int(e->i64, 0), "");
    V id = service(e, write ? LW_SERVICE_PIPE_RESERVE_WRITE : LW_SERVICE_PIPE_RESERVE_READ, pipe, count);
    V args[] = {id, lw_int(e->i64, 0)};
    if (sub_group)
        id = lw_call(e, "lw.sg.broadcast_first.i64", e->i64, args, 1);
    else if (group)
        id = lw_call(e, "lw.wg.broadcast.i64", e->i64, args, 2);
    lw_emit_result(e, id);
}

static void
emit_commit(lw_emitter *e, bool write, bool group)
{
    unsigned n = group ? 2 : 1;
    bool sub_group = group && is_sub_group(e, 1);
    V pipe = lw_operand_value(e, n), id = lw_unsigned(e, lw_operand_value(e, n + 1), e->i64);
    if (group && !e->failed) {
        lw_call(e, sub_group ? "lw.sg.barrier" : "lw.wg.barrier", LLVMVoidTypeInContext(e->context), NULL, 0);
        id = LLVMBuildSelect(e->b, acts_for(e, sub_group), id, lw_int(e->i64, 0), "");
    }
    service(e, write ? LW_SERVICE_PIPE_COMMIT_WRITE : LW_SERVICE_PIPE_COMMIT_READ, pipe, id);
}

static void
emit_max_packets(lw_emitter *e)
{
    V pipe = lw_operand_value(e, 3);
    if (!e->failed)
        give_number(e, header_field(e, pipe, e->i32, offsetof(struct lw_pipe, max_packets), 4));
}

static void
emit_is_valid(lw_emitter *e)
{
    V id = lw_unsigned(e, lw_operand_value(e, 3), e->i64);
    if (!e->failed)
        lw_emit_result(e, LLVMBuildICmp(e->b, LLVMIntSLT, id, lw_int(e->i64, 0), ""));
}

bool
lw_emit_pipe(lw_emitter *e)
{
    switch (e->inst->op) {
    case SpvOpReadPipe:
        emit_single(e, false);
        return true;
    case SpvOpWritePipe:
        emit_single(e, true);
        return true;
    case SpvOpReservedReadPipe:
        emit_reserved(e, false);
        return true;
    case SpvOpReservedWritePipe:
        emit_reserved(e, true);
        return true;
    case SpvOpReserveReadPipePackets:
        emit_reserve(e, false, false);
        return true;
    case SpvOpReserveWritePipePackets:
        emit_reserve(e, true, false);
        return true;
    case SpvOpGroupReserveReadPipePackets:
        emit_reserve(e, false, true);
        return true;
    case SpvOpGroupReserveWritePipePackets:
        emit_reserve(e, true, true);
        return true;
    case SpvOpCommitReadPipe:
        emit_commit(e, false, false);
        return true;
    case SpvOpCommitWritePipe:
        emit_commit(e, true, false);
        return true;
    case SpvOpGroupCommitReadPipe:
        emit_commit(e, false, true);
        return true;
    case SpvOpGroupCommitWritePipe:
        emit_commit(e, true, true);
        return true;
    case SpvOpGetNumPipePackets: {
        V count = service(e, LW_SERVICE_PIPE_COUNT, lw_operand_value(e, 3), NULL);
        if (!e->failed)
            give_number(e, count);
        return true;
    }
    case SpvOpGetMaxPipePackets:
        emit_max_packets(e);
        return true;
    case SpvOpIsValidReserveId:
        emit_is_valid(e);
        return true;
    case SpvOpCreatePipeFromPipeStorage:
        lw_emit_result(e, lw_operand_value(e, 3));
        return true;
    default:
        return false;
    }
}

/* SPDX-License-Identifier: MIT */
/* Asynchronous copies: done by all work-items of the group together, at once; to wait for them is a barrier.
 *
 * A work-item copies the elements that are a group's size apart, beginning with its own place: neighbours
 * copy neighbours, which the vectorizer sees. The loop is a function of its own, for every way of copying,
 * inlined later. An element moves in pieces of at most 8 bytes.
 */
#include <stdio.h>
#include "attributes.h"
#include "chains.h"
#include "emit_function.h"

struct copy {
    T piece;
    unsigned bytes;  /* of a piece */
    unsigned pieces; /* of an element */
    V function;
    LLVMBuilderRef b;
};

/* Where piece `index` of the copy lies: elements are `stride` elements apart. */
static V
place(lw_emitter *e, const struct copy *c, V base, V index, V stride)
{
    V many = lw_int(e->i64, c->pieces), part = lw_int(e->i64, c->pieces - 1);
    if (c->pieces > 1) {
        V element = LLVMBuildMul(c->b, LLVMBuildUDiv(c->b, index, many, ""), stride, "");
        index = LLVMBuildAdd(c->b, LLVMBuildMul(c->b, element, many, ""), LLVMBuildAnd(c->b, index, part, ""),
                             "");
    } else {
        index = LLVMBuildMul(c->b, index, stride, "");
    }
    return LLVMBuildGEP2(c->b, c->piece, base, &index, 1, "");
}

/* for (i = local linear id; i < count * pieces; i += work-items of the group) */
static void
write_loop(lw_emitter *e, struct copy *c)
{
    V to = LLVMGetParam(c->function, 0), from = LLVMGetParam(c->function, 1),
      count = LLVMGetParam(c->function, 2);
    V to_stride = LLVMGetParam(c->function, 3), from_stride = LLVMGetParam(c->function, 4);
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(e->context, c->function, "entry");
    LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(e->context, c->function, "copy");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(e->context, c->function, "copied");
    LLVMPositionBuilderAtEnd(c->b, entry);
    V first = lw_id0(e, "local_linear_id"), step = lw_id(e, "local_size", 0);
    for (unsigned d = 1; d < 3; d++)
        step = LLVMBuildMul(c->b, step, lw_id(e, "local_size", d), "");
    V end = LLVMBuildMul(c->b, count, lw_int(e->i64, c->pieces), "");
    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntULT, first, end, ""), loop, done);

    LLVMPositionBuilderAtEnd(c->b, loop);
    V index = LLVMBuildPhi(c->b, e->i64, "");
    V value = LLVMBuildLoad2(c->b, c->piece, place(e, c, from, index, from_stride), "");
    V store = LLVMBuildStore(c->b, value, place(e, c, to, index, to_stride));
    LLVMSetAlignment(value, c->bytes);
    LLVMSetAlignment(store, c->bytes);
    V next = LLVMBuildAdd(c->b, index, step, "");
    LLVMSetNUW(next, true);
    V values[] = {first, next};
    LLVMBasicBlockRef blocks[] = {entry, loop};
    LLVMAddIncoming(index, values, blocks, 2);
    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntULT, next, end, ""), loop, done);
    LLVMPositionBuilderAtEnd(c->b, done);
    LLVMBuildRetVoid(c->b);
}

/* void lw.copy...(to, from, elements, stride there, stride here), in elements of `size` bytes. */
static V
copy_function(lw_emitter *e, T to, T from, uint64_t size)
{
    char name[64];
    T types[] = {to, from, e->i64, e->i64, e->i64};
    T type = LLVMFunctionType(LLVMVoidTypeInContext(e->context), types, 5, false);
    snprintf(name, sizeof name, "copy.%u.%u.%llu", LLVMGetPointerAddressSpace(to),
             LLVMGetPointerAddressSpace(from), (unsigned long long)size);
    V function = LLVMGetNamedFunction(e->module, name);
    if (function)
        return function;
    struct copy c = {.bytes = size < 8 ? (unsigned)size : 8};
    c.pieces = (unsigned)(size / c.bytes);
    c.piece = LLVMIntTypeInContext(e->context, 8 * c.bytes);
    c.function = LLVMAddFunction(e->module, name, type);
    LLVMSetLinkage(c.function, LLVMInternalLinkage);
    lw_add_attributes(c.function, "nounwind alwaysinline");
    c.b = LLVMCreateBuilderInContext(e->context);
    LLVMBuilderRef outer = e->b;
    e->b = c.b; /* the ids are asked inside */
    write_loop(e, &c);
    e->b = outer;
    LLVMDisposeBuilder(c.b);
    return c.function;
}

/* `count` elements of `size` bytes, so many elements apart, by all work-items of the group. */
static void
emit_group_copy(lw_emitter *e, V to, V from, V count, V to_stride, V from_stride, uint64_t size)
{
    if (!e->failed && (size == 0 || size > 128 || (size & (size - 1))))
        lw_emit_fail(e, "an asynchronous copy of elements of %llu bytes", (unsigned long long)size);
    V args[] = {to, from, count, to_stride, from_stride};
    for (unsigned i = 2; i < 5 && !e->failed; i++)
        args[i] = LLVMBuildIntCast2(e->b, args[i], e->i64, false, "");
    if (e->failed)
        return;
    V function = copy_function(e, LLVMTypeOf(to), LLVMTypeOf(from), size);
    if (!e->failed)
        LLVMBuildCall2(e->b, LLVMGlobalGetValueType(function), function, args, 5, "");
}

/* The stride is that of global memory, whichever side it is; copies without one say 1, or 0. */
static void
emit_copy(lw_emitter *e)
{
    V to = lw_operand_value(e, 4), from = lw_operand_value(e, 5), count = lw_operand_value(e, 6);
    V stride = lw_operand_value(e, 7), one = lw_int(e->i64, 1);
    bool to_local = lw_storage_origin(e, lw_operand(e, 4)) == SpvStorageClassWorkgroup;
    uint64_t size = lw_size_of(e, lw_copied_element(e->spv, lw_type_of(e->spv, lw_operand(e, 4))));
    if (e->failed)
        return;
    stride = LLVMBuildIntCast2(e->b, stride, e->i64, false, "");
    stride =
        LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, stride, lw_int(e->i64, 0), ""), one, stride, "");
    emit_group_copy(e, to, from, count, to_local ? one : stride, to_local ? stride : one, size);
    lw_emit_result(e, one);
}

bool
lw_emit_async(lw_emitter *e)
{
    switch (e->inst->op) {
    case SpvOpGroupAsyncCopy:
        emit_copy(e);
        return true;
    case SpvOpGroupWaitEvents:
        lw_call(e, "lw.wg.barrier", LLVMVoidTypeInContext(e->context), NULL, 0);
        return true;
    default:
        return false;
    }
}

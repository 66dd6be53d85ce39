/* SPDX-License-Identifier: MIT */
/* Device-side enqueue: NDRanges are plain structures, everything else a service of the runtime (enqueue.h).
 *
 * What a block captured goes by value, a word to a column, so that the structure in which the front end
 * gathers it, and the NDRange, come to be registers; only the lists of events are walked by a loop.
 */
#include <stdlib.h>
#include "attributes.h"
#include "chains.h"
#include "emit_function.h"
#include "enqueue.h"

/* The words of one service. */
struct columns {
    V *words;
    unsigned count, room;
};

static void
add(lw_emitter *e, struct columns *c, V word)
{
    if (c->count == c->room && !e->failed) {
        c->room = c->room ? 2 * c->room : 32;
        V *grown = realloc(c->words, c->room * sizeof *grown);
        if (!grown)
            lw_emit_fail(e, "so large a block: out of memory, which");
        c->words = grown ? grown : c->words;
    }
    if (e->failed || !word)
        lw_emit_fail(e, "an operand");
    else
        c->words[c->count++] = word;
}

static void
add_number(lw_emitter *e, struct columns *c, uint64_t number)
{
    add(e, c, lw_int(e->i64, number));
}

/* Frees the columns. */
static V
serve(lw_emitter *e, enum lw_enqueue_service number, struct columns *c)
{
    char name[40];
    V result = NULL;
    T *types = e->failed ? NULL : malloc((c->count + 1u) * sizeof *types);
    V *args = types ? malloc((c->count + 1u) * sizeof *args) : NULL;
    if (args) {
        args[0] = lw_int(e->i32, number);
        types[0] = e->i32;
        for (unsigned i = 0; i < c->count; i++) {
            args[i + 1] = c->words[i];
            types[i + 1] = e->i64;
        }
        snprintf(name, sizeof name, "lw.service.%u", c->count);
        T type = LLVMFunctionType(e->i64, types, c->count + 1, false);
        result = LLVMBuildCall2(e->b, type, lw_runtime_function(e, name, type), args, c->count + 1, "");
    } else {
        lw_emit_fail(e, "so large a block: out of memory, which");
    }
    free(types);
    free(args);
    free(c->words);
    *c = (struct columns){0};
    return result;
}

/* ---- operands ---- */

static V
load_bytes(lw_emitter *e, V pointer, uint64_t offset, unsigned bytes, unsigned align)
{
    if (e->failed || !pointer || LLVMGetTypeKind(LLVMTypeOf(pointer)) != LLVMPointerTypeKind) {
        lw_emit_fail(e, "a pointer");
        return NULL;
    }
    V at = lw_int(e->i64, offset);
    V load = LLVMBuildLoad2(e->b, LLVMIntTypeInContext(e->context, 8 * bytes),
                            LLVMBuildInBoundsGEP2(e->b, e->i8, pointer, &at, 1, ""), "");
    uint64_t known = (offset | align) & (0 - (offset | align));
    LLVMSetAlignment(load, known < 8 ? (unsigned)known : 8);
    return LLVMBuildZExtOrBitCast(e->b, load, e->i64, "");
}

static void
add_ndrange(lw_emitter *e, struct columns *c, V pointer)
{
    add(e, c, load_bytes(e, pointer, 0, 4, 8));
    for (unsigned i = 1; i < LW_NDRANGE_WORDS; i++)
        add(e, c, load_bytes(e, pointer, 8 * (uint64_t)i, 8, 8));
}

static void
give_number(lw_emitter *e, V number)
{
    T type = lw_emit_type(e, e->inst->type);
    if (!e->failed && LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
        lw_emit_fail(e, "a result that is no integer");
    if (!e->failed)
        lw_emit_result(e, LLVMBuildIntCast2(e->b, number, type, true, ""));
}

/* ---- NDRanges ---- */

/* `sizes`, a number or an array of them, as member `member` of the NDRange. */
static V
with_sizes(lw_emitter *e, V range, V sizes, unsigned member, uint64_t otherwise, unsigned *dimensions)
{
    if (e->failed || !sizes)
        return NULL;
    bool array = LLVMGetTypeKind(LLVMTypeOf(sizes)) == LLVMArrayTypeKind;
    V whole = LLVMConstNull(LLVMArrayType2(e->i64, 3));
    *dimensions = array ? lw_parts(LLVMTypeOf(sizes)) : 1;
    for (unsigned d = 0; d < 3 && !e->failed; d++) {
        V size = lw_int(e->i64, otherwise);
        if (d < *dimensions)
            size = lw_unsigned(e, array ? LLVMBuildExtractValue(e->b, sizes, d, "") : sizes, e->i64);
        if (!e->failed)
            whole = LLVMBuildInsertValue(e->b, whole, size, d, "");
    }
    return e->failed ? NULL : LLVMBuildInsertValue(e->b, range, whole, member, "");
}

static void
emit_build(lw_emitter *e)
{
    T type = lw_emit_type(e, e->inst->type);
    V global = lw_operand_value(e, 3), local = lw_operand_value(e, 4), offset = lw_operand_value(e, 5);
    unsigned dimensions = 0;
    V range = e->failed ? NULL : LLVMConstNull(type);
    range = with_sizes(e, range, offset, 1, 0, &dimensions);
    range = with_sizes(e, range, global, 2, 1, &dimensions);
    range = with_sizes(e, range, local, 3, 0, &dimensions);
    if (!e->failed)
        lw_emit_result(e, LLVMBuildInsertValue(e->b, range, lw_int(e->i32, dimensions), 0, ""));
}

/* ---- queries ---- */

static enum lw_enqueue_service
service_of(uint32_t op)
{
    switch (op) {
    case SpvOpGetKernelNDrangeSubGroupCount: return LW_SERVICE_BLOCK_SUB_GROUP_COUNT;
    case SpvOpGetKernelWorkGroupSize: return LW_SERVICE_BLOCK_WORK_GROUP_SIZE;
    case SpvOpGetKernelLocalSizeForSubgroupCount: return LW_SERVICE_BLOCK_LOCAL_SIZE_FOR_COUNT;
    case SpvOpGetKernelMaxNumSubgroups: return LW_SERVICE_BLOCK_MAX_SUB_GROUPS;
    default: return LW_SERVICE_BLOCK_SUB_GROUP_SIZE;
    }
}

/* `range`: the pointer to it, or the number of sub-groups, for those that ask with one. */
static void
emit_query(lw_emitter *e, uint32_t op, V range)
{
    struct columns c = {0};
    enum lw_enqueue_service service = service_of(op);
    add_number(e, &c, lw_block_asked(e->spv, e->inst));
    if (service == LW_SERVICE_BLOCK_SUB_GROUP_COUNT)
        add_ndrange(e, &c, range);
    if (service == LW_SERVICE_BLOCK_LOCAL_SIZE_FOR_COUNT)
        add(e, &c, lw_unsigned(e, range, e->i64));
    V answer = serve(e, service, &c);
    if (!e->failed)
        give_number(e, answer);
}

/* ---- events ---- */

/* Null, or what leads to a variable; neither is known of others. */
enum known { UNKNOWN, IS_NULL, IS_VARIABLE };

static enum known
known_of(const lw_emitter *e, uint32_t id)
{
    for (unsigned depth = 0; depth < LW_MAX_NESTING; depth++) {
        const struct lw_inst *def = lw_def(e->spv, id);
        switch (def ? def->op : SpvOpNop) {
        case SpvOpConstantNull: return IS_NULL;
        case SpvOpVariable: return IS_VARIABLE;
        default:
            if (!def || !lw_derives_pointer(def->op))
                return UNKNOWN;
            id = lw_word(e->spv, def, 3);
        }
    }
    return UNKNOWN;
}

static V
small_function(lw_emitter *e, const char *name, T result, T *types, bool *made)
{
    V function = LLVMGetNamedFunction(e->module, name);
    *made = !function;
    if (function)
        return function;
    function = LLVMAddFunction(e->module, name, LLVMFunctionType(result, types, 2, false));
    LLVMSetLinkage(function, LLVMInternalLinkage);
    lw_add_attributes(function, "nounwind alwaysinline");
    return function;
}

/* for (i = 0, list = 0; i < count; i++) list = service(list, events[i]); return list; */
static void
write_walk(lw_emitter *e, V function)
{
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(e->context, function, "entry");
    LLVMBasicBlockRef head = LLVMAppendBasicBlockInContext(e->context, function, "head");
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(e->context, function, "body");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(e->context, function, "done");
    LLVMPositionBuilderAtEnd(e->b, entry);
    LLVMBuildBr(e->b, head);
    LLVMPositionBuilderAtEnd(e->b, head);
    V i = LLVMBuildPhi(e->b, e->i64, "i"), list = LLVMBuildPhi(e->b, e->i64, "list");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntULT, i, LLVMGetParam(function, 1), ""), body, done);
    LLVMPositionBuilderAtEnd(e->b, body);
    V event = LLVMBuildLoad2(e->b, e->i64,
                             LLVMBuildInBoundsGEP2(e->b, e->i64, LLVMGetParam(function, 0), &i, 1, ""), "");
    LLVMSetAlignment(event, 8);
    struct columns c = {0};
    add(e, &c, list);
    add(e, &c, event);
    V longer = serve(e, LW_SERVICE_EVENT_LIST, &c), next = LLVMBuildNUWAdd(e->b, i, lw_int(e->i64, 1), "");
    LLVMBuildBr(e->b, head);
    LLVMPositionBuilderAtEnd(e->b, done);
    LLVMBuildRet(e->b, list);
    V zero = lw_int(e->i64, 0), from_entry[] = {zero, zero}, from_body[] = {next, e->failed ? zero : longer};
    LLVMAddIncoming(i, &from_entry[0], &entry, 1);
    LLVMAddIncoming(i, &from_body[0], &body, 1);
    LLVMAddIncoming(list, &from_entry[1], &entry, 1);
    LLVMAddIncoming(list, &from_body[1], &body, 1);
}

/* if (place) *place = event > 0 ? event : 0; */
static void
write_store(lw_emitter *e, V function)
{
    V place = LLVMGetParam(function, 0), event = LLVMGetParam(function, 1);
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(e->context, function, "entry");
    LLVMBasicBlockRef store = LLVMAppendBasicBlockInContext(e->context, function, "store");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(e->context, function, "done");
    LLVMPositionBuilderAtEnd(e->b, entry);
    LLVMBuildCondBr(e->b, LLVMBuildIsNull(e->b, place, ""), done, store);
    LLVMPositionBuilderAtEnd(e->b, store);
    LLVMSetAlignment(LLVMBuildStore(e->b, event, place), 8);
    LLVMBuildBr(e->b, done);
    LLVMPositionBuilderAtEnd(e->b, done);
    LLVMBuildRetVoid(e->b);
}

static V
call_small(lw_emitter *e, const char *what, V pointer, V word, void write(lw_emitter *e, V function))
{
    char name[60];
    bool made;
    if (e->failed || !pointer || LLVMGetTypeKind(LLVMTypeOf(pointer)) != LLVMPointerTypeKind) {
        lw_emit_fail(e, "a pointer to events");
        return NULL;
    }
    T types[] = {LLVMTypeOf(pointer), e->i64};
    snprintf(name, sizeof name, "enqueue.%s.%u", what, LLVMGetPointerAddressSpace(types[0]));
    V function = small_function(e, name, write == write_walk ? e->i64 : LLVMVoidTypeInContext(e->context),
                                types, &made);
    if (made) {
        LLVMBuilderRef outer = e->b;
        e->b = LLVMCreateBuilderInContext(e->context);
        write(e, function);
        LLVMDisposeBuilder(e->b);
        e->b = outer;
    }
    V args[] = {pointer, word};
    return LLVMBuildCall2(e->b, LLVMGlobalGetValueType(function), function, args, 2, "");
}

/* The list of events whose number is the operand `n`, and the pointer to which the next one. No list is 0; a
 * number without a list, or a list without a number, LW_BAD_EVENT_LIST. */
static V
event_list(lw_emitter *e, unsigned n)
{
    uint64_t number;
    V count = lw_unsigned(e, lw_operand_value(e, n), e->i64), events = lw_operand_value(e, n + 1),
      bad = lw_int(e->i64, LW_BAD_EVENT_LIST);
    enum known known = known_of(e, lw_operand(e, n + 1));
    if (e->failed)
        return NULL;
    bool none = lw_constant_bits(e->spv, lw_operand(e, n), &number) && number == 0;
    if (known == IS_NULL)
        return LLVMBuildSelect(e->b, LLVMBuildIsNull(e->b, count, ""), lw_int(e->i64, 0), bad, "");
    V null = known == IS_VARIABLE ? lw_int(e->i1, 0) : LLVMBuildIsNull(e->b, events, "");
    V wrong = LLVMBuildXor(e->b, null, LLVMBuildIsNull(e->b, count, ""), "");
    if (none)
        return LLVMBuildSelect(e->b, wrong, bad, lw_int(e->i64, 0), "");
    count = LLVMBuildSelect(e->b, null, lw_int(e->i64, 0), count, "");
    V list = call_small(e, "list", events, count, write_walk);
    return e->failed ? NULL : LLVMBuildSelect(e->b, wrong, bad, list, "");
}

static V
wants_event(lw_emitter *e, unsigned n)
{
    enum known known = known_of(e, lw_operand(e, n));
    V place = lw_operand_value(e, n);
    if (e->failed || known != UNKNOWN)
        return lw_int(e->i64, known == IS_VARIABLE);
    return LLVMBuildZExt(e->b, LLVMBuildIsNotNull(e->b, place, ""), e->i64, "");
}

/* `made`, an event or an error: the event to where operand `n` points, the error as the result. */
static void
give_event(lw_emitter *e, V made, unsigned n)
{
    if (e->failed)
        return;
    V zero = lw_int(e->i64, 0), failed = LLVMBuildICmp(e->b, LLVMIntSLT, made, zero, "");
    enum known known = known_of(e, lw_operand(e, n));
    V event = LLVMBuildSelect(e->b, failed, zero, made, ""), place = lw_operand_value(e, n);
    if (known == IS_VARIABLE && !e->failed)
        LLVMSetAlignment(LLVMBuildStore(e->b, event, place), 8);
    else if (known == UNKNOWN)
        call_small(e, "store", place, event, write_store);
    if (!e->failed)
        give_number(e, LLVMBuildSelect(e->b, failed, made, zero, ""));
}

/* ---- enqueuing ---- */

#define FIRST_LOCAL 13u /* words before the sizes of local memory */

static void
add_local_sizes(lw_emitter *e, struct columns *c)
{
    for (unsigned n = FIRST_LOCAL; n < e->inst->count && !e->failed; n++) {
        V size = lw_operand_value(e, n);
        if (!e->failed && LLVMGetTypeKind(LLVMTypeOf(size)) == LLVMPointerTypeKind) {
            uint32_t type = lw_pointee(e, lw_type_of(e->spv, lw_operand(e, n)));
            unsigned bytes = (unsigned)lw_size_of(e, type);
            size = load_bytes(e, size, 0, bytes == 4 ? 4 : 8, bytes == 4 ? 4 : 8);
        }
        add(e, c, lw_unsigned(e, size, e->i64));
    }
}

/* Whole words, then the bytes that are left. */
static void
add_captured(lw_emitter *e, struct columns *c, V literal, uint64_t size, unsigned align)
{
    uint64_t at = 0;
    for (; at + 8 <= size && !e->failed; at += 8)
        add(e, c, load_bytes(e, literal, at, 8, align));
    V rest = lw_int(e->i64, 0);
    unsigned left = (unsigned)(size - at), shift = 0;
    for (unsigned bytes = 4; bytes && !e->failed; bytes /= 2) {
        if (!(left & bytes))
            continue;
        V piece = load_bytes(e, literal, at + shift / 8, bytes, align);
        if (!e->failed)
            rest = LLVMBuildOr(e->b, rest, LLVMBuildShl(e->b, piece, lw_int(e->i64, shift), ""), "");
        shift += 8 * bytes;
    }
    if (left)
        add(e, c, rest);
}

static void
emit_enqueue(lw_emitter *e)
{
    struct columns c = {0};
    uint64_t size = 0, align = 1;
    if (!lw_emit_literal(e, lw_operand(e, 11), &size) || !lw_emit_literal(e, lw_operand(e, 12), &align))
        return;
    add(e, &c, lw_unsigned(e, lw_operand_value(e, 3), e->i64));
    add(e, &c, lw_unsigned(e, lw_operand_value(e, 4), e->i64));
    add(e, &c, event_list(e, 6));
    add(e, &c, wants_event(e, 8));
    add_number(e, &c, lw_block_of(e->spv, lw_operand(e, 9)));
    add_number(e, &c, e->inst->count - FIRST_LOCAL);
    add_number(e, &c, size);
    add_number(e, &c, align);
    add_ndrange(e, &c, lw_operand_value(e, 5));
    add_local_sizes(e, &c);
    add_captured(e, &c, lw_operand_value(e, 10), size, (unsigned)align);
    give_event(e, serve(e, LW_SERVICE_ENQUEUE_KERNEL, &c), 8);
}

static void
emit_marker(lw_emitter *e)
{
    struct columns c = {0};
    add(e, &c, lw_unsigned(e, lw_operand_value(e, 3), e->i64));
    add(e, &c, event_list(e, 4));
    add(e, &c, wants_event(e, 6));
    give_event(e, serve(e, LW_SERVICE_ENQUEUE_MARKER, &c), 6);
}

/* A service over `count` operands, from the first one on. */
static V
simple(lw_emitter *e, enum lw_enqueue_service service, unsigned count)
{
    struct columns c = {0};
    unsigned first = e->inst->type ? 3 : 1;
    for (unsigned i = 0; i < count; i++) {
        V operand = lw_operand_value(e, first + i);
        bool pointer = !e->failed && LLVMGetTypeKind(LLVMTypeOf(operand)) == LLVMPointerTypeKind;
        if (pointer)
            add(e, &c, LLVMBuildPtrToInt(e->b, operand, e->i64, ""));
        else if (!e->failed && LLVMGetTypeKind(LLVMTypeOf(operand)) == LLVMIntegerTypeKind)
            add(e, &c, LLVMBuildIntCast2(e->b, operand, e->i64, true, ""));
        else
            lw_emit_fail(e, "an operand");
    }
    if (!count)
        add_number(e, &c, 0);
    return serve(e, service, &c);
}

static void
emit_is_valid(lw_emitter *e)
{
    V valid = simple(e, LW_SERVICE_EVENT_IS_VALID, 1);
    if (!e->failed)
        lw_emit_result(e, LLVMBuildIsNotNull(e->b, valid, ""));
}

void
lw_emit_block_import(lw_emitter *e, uint32_t op, V *args)
{
    emit_query(e, op, args[0]);
}

bool
lw_emit_enqueue(lw_emitter *e)
{
    uint32_t op = e->inst->op;
    if (!lw_is_enqueue_op(op))
        return false;
    switch (op) {
    case SpvOpBuildNDRange: emit_build(e); return true;
    case SpvOpGetKernelNDrangeSubGroupCount:
    case SpvOpGetKernelNDrangeMaxSubGroupSize:
    case SpvOpGetKernelLocalSizeForSubgroupCount: emit_query(e, op, lw_operand_value(e, 3)); return true;
    case SpvOpGetKernelWorkGroupSize:
    case SpvOpGetKernelPreferredWorkGroupSizeMultiple:
    case SpvOpGetKernelMaxNumSubgroups: emit_query(e, op, NULL); return true;
    case SpvOpEnqueueKernel: emit_enqueue(e); return true;
    case SpvOpEnqueueMarker: emit_marker(e); return true;
    case SpvOpGetDefaultQueue: give_number(e, simple(e, LW_SERVICE_DEFAULT_QUEUE, 0)); return true;
    case SpvOpCreateUserEvent: give_number(e, simple(e, LW_SERVICE_USER_EVENT, 0)); return true;
    case SpvOpIsValidEvent: emit_is_valid(e); return true;
    case SpvOpRetainEvent: simple(e, LW_SERVICE_EVENT_RETAIN, 1); return true;
    case SpvOpReleaseEvent: simple(e, LW_SERVICE_EVENT_RELEASE, 1); return true;
    case SpvOpSetUserEventStatus: simple(e, LW_SERVICE_EVENT_SET, 2); return true;
    case SpvOpCaptureEventProfilingInfo: simple(e, LW_SERVICE_EVENT_PROFILE, 3); return true;
    default: return false;
    }
}

/* SPDX-License-Identifier: MIT */
/* Answers the lw.* calls of a sub-group function from the launch, the work-group and the sub-group's number.
 *
 * Enters: a call in the region being written. Leaves: its value, made where it holds for as long as it is
 * the same: in the prologue, at the start of the work-group, or at the head of the sub-group's turn. Relies
 * on: those positions dominating every use.
 */
#include "../../spirv/attributes.h"
#include "../subgroup/reduce.h"
#include "../flow/pointer_spaces.h"
#include "regions.h"

#include <string.h>

_Static_assert(offsetof(struct lw_launch, global_size) == 0 &&
                   offsetof(struct lw_launch, global_offset) == 24 &&
                   offsetof(struct lw_launch, num_groups) == 48 &&
                   offsetof(struct lw_launch, local_size) == 72 && offsetof(struct lw_launch, work_dim) == 96,
               "the generated code reads struct lw_launch as five arrays of 24 bytes");

static const char *const query_names[LW_Q_COUNT] = {
    [LW_Q_GLOBAL_SIZE] = "global_size",
    [LW_Q_GLOBAL_OFFSET] = "global_offset",
    [LW_Q_LOCAL_SIZE] = "local_size",
    [LW_Q_ENQUEUED_LOCAL_SIZE] = "enqueued_local_size",
    [LW_Q_GROUP_ID] = "group_id",
    [LW_Q_NUM_GROUPS] = "num_groups",
    [LW_Q_MEMORY_BEGIN] = "memory_begin",
    [LW_Q_MEMORY_END] = "memory_end",
    [LW_Q_GROUP_BASE] = "group_base",
    [LW_Q_WORK_DIM] = "work_dim",
    [LW_Q_MAX_SUB_GROUP_SIZE] = "max_sub_group_size",
    [LW_Q_NUM_SUB_GROUPS] = "num_sub_groups",
    [LW_Q_ENQUEUED_NUM_SUB_GROUPS] = "enqueued_num_sub_groups",
    [LW_Q_LOCAL_BASE] = "local_base",
    [LW_Q_GROUP_SCRATCH] = "group_scratch",
    [LW_Q_PROGRAM_BASE] = "program_base",
    [LW_Q_PRINTER] = "printer",
    [LW_Q_SERVER] = "server",
    [LW_Q_WAITER] = "waiter",
    [LW_Q_SUB_GROUP_SIZE] = "sub_group_size",
    [LW_Q_SUB_GROUP_ID] = "sub_group_id",
    [LW_Q_ENTRY_MASK] = "entry_mask",
    [LW_Q_ENTRY_LANE] = "entry_lane",
    [LW_Q_LOCAL_IDS] = "local_ids",
    [LW_Q_SUB_GROUP_FIRST] = "sub_group_first",
    [LW_Q_SUB_GROUP_LAST] = "sub_group_last",
    [LW_Q_BARRIER] = "wg.barrier",
};

enum lw_query
lw_query_of(LLVMValueRef instruction)
{
    size_t length;

    if (LLVMGetInstructionOpcode(instruction) != LLVMCall)
        return LW_Q_NONE;
    LLVMValueRef callee = LLVMGetCalledValue(instruction);
    if (!LLVMIsAFunction(callee))
        return LW_Q_NONE;
    const char *name = LLVMGetValueName2(callee, &length);
    if (length < 4 || memcmp(name, "lw.", 3) != 0 || lw_is_reduction(instruction, NULL))
        return LW_Q_NONE;
    for (int q = 1; q < LW_Q_COUNT; q++)
        if (query_names[q] && strcmp(name + 3, query_names[q]) == 0)
            return (enum lw_query)q;
    return LW_Q_UNKNOWN;
}

LLVMValueRef
lw_c64(struct lw_former *f, uint64_t value)
{
    return LLVMConstInt(f->i64, value, false);
}

LLVMValueRef
lw_launch_field(struct lw_former *f, unsigned field, unsigned dimension)
{
    LLVMValueRef *made = &f->launch_fields[field][dimension];
    if (!*made) {
        LLVMValueRef offset = lw_c64(f, field * 24 + dimension * 8);
        LLVMValueRef at = LLVMBuildGEP2(f->top, f->i8, f->launch, &offset, 1, "");
        *made = LLVMBuildLoad2(f->top, f->i64, at, "");
    }
    return *made;
}

/* ---- the work-group ---- */

static LLVMValueRef
group_value(struct lw_former *f, enum lw_query query, unsigned d)
{
    LLVMValueRef *made = &f->group_queries[query][d];
    LLVMBuilderRef b = f->group;

    if (*made)
        return *made;
    switch (query) {
    case LW_Q_GLOBAL_SIZE:
        return *made = lw_launch_field(f, LW_F_GLOBAL_SIZE, d);
    case LW_Q_NUM_GROUPS:
        return *made = lw_launch_field(f, LW_F_NUM_GROUPS, d);
    case LW_Q_GLOBAL_OFFSET:
        return *made = f->shape->offset_zero ? lw_c64(f, 0) : lw_launch_field(f, LW_F_GLOBAL_OFFSET, d);
    case LW_Q_GROUP_ID:
        return *made = f->group_ids[d];
    case LW_Q_ENQUEUED_LOCAL_SIZE:
        return *made = f->fixed_size ? lw_c64(f, f->shape->local_size[d])
                                     : lw_launch_field(f, LW_F_LOCAL_SIZE, d);
    case LW_Q_GROUP_BASE: {
        LLVMValueRef size = group_value(f, LW_Q_ENQUEUED_LOCAL_SIZE, d);
        LLVMValueRef start = LLVMBuildMul(b, f->group_ids[d], size, "");
        LLVMValueRef offset = group_value(f, LW_Q_GLOBAL_OFFSET, d);
        return *made = LLVMBuildAdd(b, start, offset, "base");
    }
    case LW_Q_LOCAL_SIZE: {
        LLVMValueRef most = group_value(f, LW_Q_ENQUEUED_LOCAL_SIZE, d);
        if (f->fixed_size || d >= f->shape->work_dim)
            return *made = most;
        LLVMValueRef start = LLVMBuildMul(b, f->group_ids[d], most, "");
        LLVMValueRef rest = LLVMBuildSub(b, group_value(f, LW_Q_GLOBAL_SIZE, d), start, "");
        LLVMValueRef less = LLVMBuildICmp(b, LLVMIntULT, rest, most, "");
        return *made = LLVMBuildSelect(b, less, rest, most, "size");
    }
    default:
        lw_former_fail(f, LW_INTERNAL, "work-group query %d has no value", (int)query);
    }
}

static LLVMValueRef
product(struct lw_former *f, enum lw_query query)
{
    LLVMValueRef all = group_value(f, query, 0);
    for (unsigned d = 1; d < f->shape->work_dim; d++)
        all = LLVMBuildMul(f->group, all, group_value(f, query, d), "");
    return all;
}

static LLVMValueRef
group_total(struct lw_former *f)
{
    if (!f->total)
        f->total = f->fixed_size ? lw_c64(f, f->size) : product(f, LW_Q_LOCAL_SIZE);
    return f->total;
}

/* Both sizes are powers of two, so LLVM shifts. */
static LLVMValueRef
count_of(struct lw_former *f, LLVMValueRef items, uint32_t each)
{
    LLVMValueRef up = LLVMBuildAdd(f->group, items, lw_c64(f, each - 1), "");
    return LLVMBuildUDiv(f->group, up, lw_c64(f, each), "sub_groups");
}

LLVMValueRef
lw_group_sub_groups(struct lw_former *f)
{
    return count_of(f, group_total(f), f->shape->lanes);
}

static LLVMValueRef
group_count(struct lw_former *f, enum lw_query query)
{
    LLVMValueRef *made = &f->group_queries[query][0];
    if (!*made) {
        LLVMValueRef items = query == LW_Q_NUM_SUB_GROUPS ? group_total(f)
                             : f->fixed_size              ? lw_c64(f, f->size)
                                                          : product(f, LW_Q_ENQUEUED_LOCAL_SIZE);
        *made = count_of(f, items, f->shape->sub_group_size);
    }
    return *made;
}

/* ---- the sub-group ---- */

/* i64: work-items from this sub-group's first one to the work-group's last. */
static LLVMValueRef
items_left(struct lw_former *f)
{
    LLVMValueRef before = LLVMBuildMul(f->head, f->sub_group, lw_c64(f, f->shape->lanes), "");
    return LLVMBuildSub(f->head, group_total(f), before, "left");
}

static LLVMValueRef
iota(struct lw_former *f, LLVMTypeRef type)
{
    LLVMValueRef lanes[LW_MAX_LANES];
    for (unsigned i = 0; i < f->shape->lanes; i++)
        lanes[i] = LLVMConstInt(type, i, false);
    return LLVMConstVector(lanes, f->shape->lanes);
}

static LLVMValueRef
splat(struct lw_former *f, LLVMValueRef scalar)
{
    LLVMTypeRef vector = LLVMVectorType(LLVMTypeOf(scalar), f->shape->lanes);
    LLVMTypeRef places = LLVMVectorType(f->i32, f->shape->lanes);
    LLVMValueRef one =
        LLVMBuildInsertElement(f->head, LLVMGetPoison(vector), scalar, LLVMConstInt(f->i32, 0, false), "");
    return LLVMBuildShuffleVector(f->head, one, LLVMGetPoison(vector), LLVMConstNull(places), "");
}

static LLVMValueRef
entry_mask(struct lw_former *f)
{
    uint32_t w = f->shape->lanes;

    if (f->instance == LW_INSTANCE_FULL)
        return LLVMConstAllOnes(LLVMVectorType(f->i1, w));
    if (f->instance == LW_INSTANCE_TAIL) {
        LLVMValueRef lanes[LW_MAX_LANES];
        for (unsigned i = 0; i < w; i++)
            lanes[i] = LLVMConstInt(f->i1, i < f->size % w, false);
        return LLVMConstVector(lanes, w);
    }
    LLVMValueRef left = LLVMBuildTrunc(f->head, items_left(f), f->i32, "");
    return LLVMBuildICmp(f->head, LLVMIntULT, iota(f, f->i32), splat(f, left), "exists");
}

/* It exists: nobody else gets a turn. */
static LLVMValueRef
entry_lane(struct lw_former *f)
{
    LLVMValueRef lane = LLVMBuildTrunc(f->head, f->lane, f->i32, "");
    return LLVMBuildICmp(f->head, LLVMIntEQ, iota(f, f->i32), splat(f, lane), "turn");
}

/* n / d for 0 <= n < 2^22 and d > 0, both as <W x i64>: the quotient of two floats is either exact or at
 * least 1/d away from the next integer, more than its rounding error. */
static LLVMValueRef
divide_small(struct lw_former *f, LLVMValueRef n, LLVMValueRef d)
{
    LLVMTypeRef floats = LLVMVectorType(LLVMFloatTypeInContext(f->context), f->shape->lanes);
    LLVMTypeRef ints = LLVMVectorType(f->i32, f->shape->lanes);
    LLVMValueRef a = LLVMBuildSIToFP(f->head, LLVMBuildTrunc(f->head, n, ints, ""), floats, "");
    LLVMValueRef b = LLVMBuildSIToFP(f->head, LLVMBuildTrunc(f->head, d, ints, ""), floats, "");
    LLVMValueRef q = LLVMBuildFPToSI(f->head, LLVMBuildFDiv(f->head, a, b, ""), ints, "");
    return LLVMBuildZExt(f->head, q, LLVMTypeOf(n), "");
}

/* <W x i64>: the lanes' local ids in one dimension. Lanes past the work-group's end get ids past its last
 * row. */
static LLVMValueRef
local_ids(struct lw_former *f, unsigned d)
{
    LLVMTypeRef type = LLVMVectorType(f->i64, f->shape->lanes);
    unsigned dims = f->shape->flat ? 1 : f->shape->work_dim;

    if (d >= dims)
        return LLVMConstNull(type);
    LLVMValueRef start = LLVMBuildMul(f->head, f->sub_group, lw_c64(f, f->shape->lanes), "");
    LLVMValueRef at = LLVMBuildAdd(f->head, splat(f, start), iota(f, f->i64), "linear");
    for (unsigned k = 0;; k++) {
        if (k + 1 == dims)
            return at; /* the last dimension takes what is left */
        LLVMValueRef size = splat(f, group_value(f, LW_Q_LOCAL_SIZE, k));
        LLVMValueRef rows = f->fixed_size ? LLVMBuildUDiv(f->head, at, size, "") : divide_small(f, at, size);
        if (k == d)
            return LLVMBuildSub(f->head, at, LLVMBuildMul(f->head, rows, size, ""), "id");
        at = rows;
    }
}

static LLVMValueRef
sub_group_last(struct lw_former *f)
{
    if (f->turns == LW_TURNS_WORK_ITEMS) {
        LLVMValueRef after = LLVMBuildAdd(f->head, f->count, lw_c64(f, 1), "");
        return LLVMBuildICmp(f->head, LLVMIntEQ, after, group_total(f), "last");
    }
    LLVMValueRef last = LLVMBuildSub(f->head, lw_group_sub_groups(f), lw_c64(f, 1), "");
    return LLVMBuildICmp(f->head, LLVMIntEQ, f->sub_group, last, "last");
}

static LLVMValueRef
sub_group_size(struct lw_former *f)
{
    LLVMValueRef n = lw_c64(f, f->shape->sub_group_size), left = items_left(f);
    LLVMValueRef less = LLVMBuildICmp(f->head, LLVMIntULT, left, n, "");
    return LLVMBuildSelect(f->head, less, left, n, "items");
}

static LLVMValueRef
own_value(struct lw_former *f, enum lw_query query, unsigned d)
{
    LLVMValueRef *made = &f->own_queries[f->copy][query][d];
    if (*made)
        return *made;
    switch (query) {
    case LW_Q_SUB_GROUP_ID:
        return *made = f->sub_group;
    case LW_Q_ENTRY_MASK:
        return *made = entry_mask(f);
    case LW_Q_ENTRY_LANE:
        return *made = entry_lane(f);
    case LW_Q_LOCAL_IDS:
        return *made = local_ids(f, d);
    case LW_Q_SUB_GROUP_SIZE:
        return *made = sub_group_size(f);
    case LW_Q_SUB_GROUP_FIRST:
        return *made = LLVMBuildICmp(f->head, LLVMIntEQ, f->turns ? f->count : f->sub_group, lw_c64(f, 0),
                                     "first");
    default:
        return *made = sub_group_last(f);
    }
}

/* A pointer of the launch, loaded once. */
static LLVMValueRef
launch_pointer(struct lw_former *f, enum lw_query query, size_t field, LLVMTypeRef type)
{
    LLVMValueRef *made = &f->group_queries[query][0];
    if (!*made) {
        LLVMValueRef offset = lw_c64(f, field);
        LLVMValueRef at = LLVMBuildGEP2(f->top, f->i8, f->launch, &offset, 1, "");
        *made = LLVMBuildLoad2(f->top, type, at, "");
    }
    return *made;
}

static LLVMValueRef
scratch_piece(struct lw_former *f, LLVMValueRef call)
{
    struct lw_scratch *piece = &f->scratch[LLVMConstIntGetZExtValue(LLVMGetOperand(call, 0))];

    if (!piece->made && piece->on_stack) {
        piece->made = LLVMBuildAlloca(f->top, LLVMArrayType2(f->i8, piece->size), "scratch");
        LLVMSetAlignment(piece->made, LW_SCRATCH_ALIGN);
    } else if (!piece->made) {
        LLVMValueRef offset = lw_c64(f, piece->offset);
        piece->made = LLVMBuildGEP2(f->top, f->i8, f->memory, &offset, 1, "scratch");
    }
    return piece->made;
}

/* A function that calls nothing may have its variables below the stack's end. */
static void
keep_variables_on_stack(struct lw_former *f)
{
    lw_add_attributes(f->run, "noredzone");
}

/* Of local memory, which ends where the frame may begin, of the frame, or of this function's stack. */
static LLVMValueRef
memory_bound(struct lw_former *f, enum lw_query query, unsigned memory)
{
    LLVMValueRef *made = &f->group_queries[query][memory];
    bool end = query == LW_Q_MEMORY_END;

    f->bounded = true;
    if (*made)
        return *made;
    if (memory == LW_MEMORY_STACK) {
        keep_variables_on_stack(f);
        LLVMValueRef zero = LLVMConstInt(f->i32, 0, false);
        const char *name = end ? "llvm.frameaddress" : "llvm.stacksave";
        unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
        LLVMValueRef function = LLVMGetIntrinsicDeclaration(f->module, id, &f->ptr, 1);
        LLVMTypeRef type = LLVMIntrinsicGetType(f->context, id, &f->ptr, 1);
        *made = LLVMBuildPtrToInt(f->top, LLVMBuildCall2(f->top, type, function, &zero, end, ""), f->i64, "");
    } else if (memory == LW_MEMORY_FRAME && end) {
        LLVMValueRef size =
            LLVMBuildMul(f->group, lw_group_sub_groups(f), lw_c64(f, f->frame.per_sub_group), "");
        size = LLVMBuildAdd(f->group, size, lw_c64(f, f->frame.fixed), "");
        *made = LLVMBuildAdd(f->group, LLVMBuildPtrToInt(f->group, f->memory, f->i64, ""), size, "");
    } else {
        bool local = memory == LW_MEMORY_LOCAL && !end;
        *made = LLVMBuildPtrToInt(f->top, local ? f->local : f->memory, f->i64, "");
    }
    return *made;
}

void
lw_write_meeting(struct lw_former *f)
{
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(f->context), &f->i32, 1, false);
    LLVMValueRef what = LLVMConstInt(f->i32, LW_WAIT_GROUP, false);
    LLVMValueRef wait = launch_pointer(f, LW_Q_WAITER, offsetof(struct lw_launch, wait), f->ptr);

    LLVMBuildCall2(f->body, type, wait, &what, 1, "");
}

LLVMValueRef
lw_answer_query(struct lw_former *f, enum lw_query query, LLVMValueRef call)
{
    LLVMValueRef operand = LLVMGetNumArgOperands(call) ? LLVMGetOperand(call, 0) : NULL, value;
    unsigned d = 0;

    if (query <= LW_Q_GROUP_BASE || query == LW_Q_LOCAL_IDS) {
        if (!operand || !LLVMIsAConstantInt(operand) || LLVMConstIntGetZExtValue(operand) > 2)
            lw_former_fail(f, LW_INTERNAL, "lw.%s without a constant dimension", query_names[query]);
        d = (unsigned)LLVMConstIntGetZExtValue(operand);
    }
    switch (query) {
    case LW_Q_MEMORY_BEGIN:
    case LW_Q_MEMORY_END:
        value = memory_bound(f, query, d);
        break;
    case LW_Q_WORK_DIM:
        value = lw_c64(f, f->shape->work_dim);
        break;
    case LW_Q_MAX_SUB_GROUP_SIZE:
        value = lw_c64(f, f->shape->sub_group_size);
        break;
    case LW_Q_NUM_SUB_GROUPS:
    case LW_Q_ENQUEUED_NUM_SUB_GROUPS:
        value = group_count(f, query);
        break;
    case LW_Q_LOCAL_BASE:
        value = LLVMBuildAddrSpaceCast(f->top, f->local, LLVMTypeOf(call), "");
        break;
    case LW_Q_PROGRAM_BASE:
        value = launch_pointer(f, query, offsetof(struct lw_launch, program), LLVMTypeOf(call));
        break;
    case LW_Q_PRINTER:
        value = launch_pointer(f, query, offsetof(struct lw_launch, print), LLVMTypeOf(call));
        break;
    case LW_Q_SERVER:
        value = launch_pointer(f, query, offsetof(struct lw_launch, serve), LLVMTypeOf(call));
        break;
    case LW_Q_WAITER:
        value = launch_pointer(f, query, offsetof(struct lw_launch, wait), LLVMTypeOf(call));
        break;
    case LW_Q_GROUP_SCRATCH:
        value = scratch_piece(f, call);
        break;
    default:
        value = query <= LW_Q_GROUP_BASE ? group_value(f, query, d) : own_value(f, query, d);
    }
    if (LLVMTypeOf(value) == LLVMTypeOf(call))
        return value;
    if (LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMIntegerTypeKind && LLVMTypeOf(value) == f->i64)
        return LLVMBuildTrunc(query <= LW_Q_LAST_OF_GROUP ? f->group : f->head, value, LLVMTypeOf(call), "");
    lw_former_fail(f, LW_INTERNAL, "lw.%s is declared with another type", query_names[query]);
}

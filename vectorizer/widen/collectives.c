/* SPDX-License-Identifier: MIT */
/* Widening of collectives: sub-group and work-group operations.
 *
 * Enters: a call of an lw.sg.* or lw.wg.* function, its row in spirv/intrinsics.def.
 * Leaves: shuffles and horizontal operations (subgroup_ops.h); of work-group operations the sub-group's part
 * and calls for the rest (group_collectives.h).
 */
#include <string.h>

#include "../subgroup/group_collectives.h"
#include "../subgroup/subgroup_ops.h"
#include "widener.h"

static LLVMValueRef
operand(LLVMValueRef call, unsigned k)
{
    return LLVMGetOperand(call, k);
}

static LLVMTypeRef
i32_type(lw_widener *w)
{
    return LLVMInt32TypeInContext(w->l.context);
}

/* ---- sub-group operations ---- */

/* Scalar results of every leaf, as the analysis wants them: one uniform value, or vectors. */
static void
define_results(lw_widener *w, LLVMValueRef i, V *results, uint32_t count)
{
    if (lw_is_varying(w, i)) {
        for (uint32_t k = 0; k < count; k++)
            lw_define_leaf(w, i, k, results[k]);
        return;
    }
    lw_define_scalar(w, i, lw_scalar_from_leaves(w, LLVMTypeOf(i), results));
}

static V
lane_number(lw_widener *w, LLVMValueRef lane)
{
    V made = lw_info(w, lane).form == LW_UNIFORM ? lw_use_scalar(w, lane) : NULL;
    /* A lane number that varies is undefined here; the first active lane's counts. */
    if (!made)
        made = lw_subgroup_broadcast_first(&w->l, lw_use_vector(w, lane, 0), w->mask);
    return LLVMBuildIntCast2(w->l.builder, made, i32_type(w), false, "");
}

static V
lane_numbers(lw_widener *w, LLVMValueRef lane)
{
    if (lw_info(w, lane).form == LW_UNIFORM)
        return LLVMBuildIntCast2(w->l.builder, lw_use_scalar(w, lane), i32_type(w), false, "");
    V made = lw_use_vector(w, lane, 0);
    return LLVMBuildIntCast2(w->l.builder, made, lane_type(&w->l, i32_type(w)), false, "");
}

static V
shuffled(lw_widener *w, enum lw_call_id id, V x, V lanes, unsigned cluster)
{
    bool scalar = LLVMGetTypeKind(LLVMTypeOf(lanes)) != LLVMVectorTypeKind;
    switch (id) {
    case LW_CALL_SG_SHUFFLE_XOR: return lw_subgroup_shuffle_xor(&w->l, x, lanes);
    case LW_CALL_SG_SHUFFLE_UP: return lw_subgroup_shuffle_up(&w->l, x, lanes);
    case LW_CALL_SG_SHUFFLE_DOWN: return lw_subgroup_shuffle_down(&w->l, x, lanes);
    case LW_CALL_SG_ROTATE:
    case LW_CALL_SG_ROTATE_CLUSTERED: return lw_subgroup_rotate(&w->l, x, lanes, cluster ? cluster : w->l.n);
    default: return lw_subgroup_shuffle(&w->l, x, scalar ? lane_splat(&w->l, lanes) : lanes);
    }
}

static unsigned
constant_operand(LLVMValueRef call, unsigned k, unsigned otherwise)
{
    if (k + 1 >= (unsigned)LLVMGetNumOperands(call) || !LLVMIsAConstantInt(operand(call, k)))
        return otherwise;
    uint64_t v = LLVMConstIntGetZExtValue(operand(call, k));
    return v < otherwise ? (unsigned)v : otherwise;
}

static void
note_collective(lw_widener *w, LLVMValueRef i, const struct lw_call_row *row)
{
    const char *name = lw_called(i) + strlen("lw.sg.");
    LLVMTypeRef type = LLVMGetNumArgOperands(i) ? LLVMTypeOf(operand(i, 0)) : NULL;
    if (!w->report || !type)
        return;
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        lw_report_note(w->report, i, "collective", "%s: %s", name,
                       lw_subgroup_describe(&w->l, row->id, type));
    else
        lw_report_note(w->report, i, "collective", "%s", name);
}

/* The lanes of a sub-group run in step: nothing is to be done at its barriers. */
void
lw_widen_nothing(lw_widener *w, LLVMValueRef i, const struct lw_call_row *row)
{
    (void)w, (void)i, (void)row;
}

void
lw_widen_shuffle(lw_widener *w, LLVMValueRef i, const struct lw_call_row *row)
{
    LLVMValueRef x = operand(i, 0);
    bool rotates = row->id == LW_CALL_SG_ROTATE || row->id == LW_CALL_SG_ROTATE_CLUSTERED;
    note_collective(w, i, row);
    V lanes = rotates ? lane_number(w, operand(i, 1)) : lane_numbers(w, operand(i, 1));
    unsigned cluster = constant_operand(i, 2, w->l.n);
    for (uint32_t k = 0; k < lw_leaf_count(w, LLVMTypeOf(x)); k++)
        lw_define_leaf(w, i, k, shuffled(w, row->id, lw_use_vector(w, x, k), lanes, cluster));
}

static V
all_are_equal(lw_widener *w, LLVMValueRef x)
{
    V all = NULL;
    for (uint32_t k = 0; k < lw_leaf_count(w, LLVMTypeOf(x)); k++) {
        V one = lw_subgroup_all_equal(&w->l, lw_use_vector(w, x, k), w->mask);
        all = all ? LLVMBuildAnd(w->l.builder, all, one, "") : one;
    }
    return all;
}

void
lw_widen_vote(lw_widener *w, LLVMValueRef i, const struct lw_call_row *row)
{
    lw_lanes *l = &w->l;
    V made, p = NULL;
    note_collective(w, i, row);
    if (row->id == LW_CALL_SG_ELECT) {
        V first = lane_splat(l, lane_first(l, w->mask));
        made = LLVMBuildICmp(l->builder, LLVMIntEQ, lane_iota(l, i32_type(w)), first, "");
        lw_define_leaf(w, i, 0, made);
        return;
    }
    if (row->id != LW_CALL_SG_ALL_EQUAL)
        p = LLVMBuildFreeze(l->builder, lw_use_vector(w, operand(i, 0), 0), "");
    switch (row->id) {
    case LW_CALL_SG_ALL_EQUAL:
        made = all_are_equal(w, operand(i, 0));
        break;
    case LW_CALL_SG_ANY:
        made = lane_any(l, lane_and(l, w->mask, p));
        break;
    case LW_CALL_SG_ALL:
        made = lane_and(l, w->mask, LLVMBuildNot(l->builder, p, ""));
        made = LLVMBuildNot(l->builder, lane_any(l, made), "");
        break;
    default:
        made = lane_mask_bits64(l, lane_and(l, w->mask, p)); /* ballot */
    }
    define_results(w, i, &made, 1);
}

static V
sub_group_arithmetic(lw_widener *w, LLVMValueRef i, const struct lw_call_row *row, V x)
{
    enum lw_group_op op = lw_group_op_of(row, lw_called(i));
    switch (row->id) {
    case LW_CALL_SG_REDUCE: return lw_subgroup_reduce(&w->l, op, x, w->mask);
    case LW_CALL_SG_SCAN_INCLUSIVE: return lw_subgroup_scan_inclusive(&w->l, op, x, w->mask);
    case LW_CALL_SG_SCAN_EXCLUSIVE: return lw_subgroup_scan_exclusive(&w->l, op, x, w->mask);
    default: return lw_subgroup_clustered(&w->l, op, x, w->mask, constant_operand(i, 1, w->l.n));
    }
}

void
lw_widen_sub_group_arithmetic(lw_widener *w, LLVMValueRef i, const struct lw_call_row *row)
{
    uint32_t leaves = lw_leaf_count(w, LLVMTypeOf(i));
    note_collective(w, i, row);
    for (uint32_t k = 0; k < leaves; k++) {
        V made = sub_group_arithmetic(w, i, row, lw_use_vector(w, operand(i, 0), k));
        if (!lw_is_varying(w, i) && leaves == 1)
            lw_define_scalar(w, i, made);
        else
            lw_define_leaf(w, i, k, made);
    }
}

void
lw_widen_sub_group_broadcast(lw_widener *w, LLVMValueRef i, const struct lw_call_row *row)
{
    V results[64];
    uint32_t leaves = lw_leaf_count(w, LLVMTypeOf(i));
    V lane = row->id == LW_CALL_SG_BROADCAST_FIRST ? NULL : lane_number(w, operand(i, 1));
    note_collective(w, i, row);
    for (uint32_t k = 0; k < leaves && k < 64; k++) {
        V x = lw_use_vector(w, operand(i, 0), k);
        results[k] = lane ? lw_subgroup_broadcast(&w->l, x, lane)
                          : lw_subgroup_broadcast_first(&w->l, x, w->mask);
    }
    if (leaves <= 64)
        define_results(w, i, results, leaves);
    else
        lw_widen_fail(w, i, "a broadcast of more than 64 components");
}

/* ---- work-group operations ---- */

void
lw_widen_group_barrier(lw_widener *w, LLVMValueRef i, const struct lw_call_row *row)
{
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(w->l.context), NULL, 0, false);
    LLVMValueRef f = LLVMGetNamedFunction(w->l.module, "lw.wg.barrier");
    (void)i, (void)row;
    if (!f)
        f = LLVMAddFunction(w->l.module, "lw.wg.barrier", type);
    LLVMBuildCall2(w->l.builder, type, f, NULL, 0, "");
}

static void
note_group(lw_widener *w, LLVMValueRef i)
{
    lw_report_note(w->report, i, "collective", "work-group %s: sub-group part, one carry over the sub-groups",
                   lw_called(i) + strlen("lw.wg."));
}

void
lw_widen_group_broadcast(lw_widener *w, LLVMValueRef i, const struct lw_call_row *row)
{
    V results[64], x[64];
    uint32_t leaves = lw_leaf_count(w, LLVMTypeOf(i));
    (void)row;
    note_group(w, i);
    if (leaves > 64) {
        lw_widen_fail(w, i, "a broadcast of more than 64 components");
        return;
    }
    for (uint32_t k = 0; k < leaves; k++)
        x[k] = lw_use_vector(w, operand(i, 0), k);
    V linear = lw_info(w, operand(i, 1)).form == LW_UNIFORM
                   ? lw_use_scalar(w, operand(i, 1))
                   : lw_subgroup_broadcast_first(&w->l, lw_use_vector(w, operand(i, 1), 0), w->mask);
    lw_workgroup_broadcast(&w->l, x, leaves, linear, w->scratch++, results);
    define_results(w, i, results, leaves);
}

void
lw_widen_group_arithmetic(lw_widener *w, LLVMValueRef i, const struct lw_call_row *row)
{
    enum lw_group_op op = lw_group_op_of(row, lw_called(i));
    V x = lw_use_vector(w, operand(i, 0), 0), made;
    note_group(w, i);
    if (LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(x))) == LLVMIntegerTypeKind)
        x = LLVMBuildFreeze(w->l.builder, x, "");
    switch (row->id) {
    case LW_CALL_WG_ALL:
        made = lw_workgroup_all(&w->l, x, w->mask, w->scratch++);
        break;
    case LW_CALL_WG_ANY:
        made = lw_workgroup_any(&w->l, x, w->mask, w->scratch++);
        break;
    case LW_CALL_WG_REDUCE:
        made = lw_workgroup_reduce(&w->l, op, x, w->mask, w->scratch++);
        break;
    default:
        made = lw_workgroup_scan(&w->l, op, x, w->mask, row->id == LW_CALL_WG_SCAN_INCLUSIVE, w->scratch++);
        lw_define_leaf(w, i, 0, made);
        return;
    }
    define_results(w, i, &made, 1);
}

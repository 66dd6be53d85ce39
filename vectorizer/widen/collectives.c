/* SPDX-License-Identifier: MIT */
/* Widening of collectives: sub-group and work-group operations.
 *
 * Enters: a call of an lw.sg.* or lw.wg.* function (spirv/intrinsics.h), its name behind the prefix.
 * Leaves: shuffles and horizontal operations (subgroup_ops.h); of work-group operations the sub-group's part
 * and calls for the rest (collectives.h).
 */
#include <string.h>

#include "../workgroup/collectives.h"
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

/* `name` is "reduce.iadd.i32": the operation after `prefix`, or LW_GROUP_OP_COUNT. */
static enum lw_group_op
group_op_after(const char *name, const char *prefix)
{
    size_t n = strlen(prefix);
    if (strncmp(name, prefix, n))
        return LW_GROUP_OP_COUNT;
    for (int op = 0; op < LW_GROUP_OP_COUNT; op++) {
        const char *text = lw_group_op_name((enum lw_group_op)op);
        size_t length = strlen(text);
        if (!strncmp(name + n, text, length) && name[n + length] == '.')
            return (enum lw_group_op)op;
    }
    return LW_GROUP_OP_COUNT;
}

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
shuffled(lw_widener *w, const char *name, V x, V lanes, unsigned cluster)
{
    bool scalar = LLVMGetTypeKind(LLVMTypeOf(lanes)) != LLVMVectorTypeKind;
    if (lw_name_starts(name, "shuffle_xor."))
        return lw_subgroup_shuffle_xor(&w->l, x, lanes);
    if (lw_name_starts(name, "shuffle_up."))
        return lw_subgroup_shuffle_up(&w->l, x, lanes);
    if (lw_name_starts(name, "shuffle_down."))
        return lw_subgroup_shuffle_down(&w->l, x, lanes);
    if (lw_name_starts(name, "rotate"))
        return lw_subgroup_rotate(&w->l, x, lanes, cluster ? cluster : w->l.n);
    return lw_subgroup_shuffle(&w->l, x, scalar ? lane_splat(&w->l, lanes) : lanes);
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
widen_shuffle(lw_widener *w, LLVMValueRef i, const char *name)
{
    LLVMValueRef x = operand(i, 0);
    bool rotates = lw_name_starts(name, "rotate");
    V lanes = rotates ? lane_number(w, operand(i, 1)) : lane_numbers(w, operand(i, 1));
    unsigned cluster = constant_operand(i, 2, w->l.n);
    for (uint32_t k = 0; k < lw_leaf_count(w, LLVMTypeOf(x)); k++)
        lw_define_leaf(w, i, k, shuffled(w, name, lw_use_vector(w, x, k), lanes, cluster));
}

static void
widen_vote(lw_widener *w, LLVMValueRef i, const char *name)
{
    lw_lanes *l = &w->l;
    V made;
    if (lw_name_starts(name, "elect")) {
        V first = lane_splat(l, lane_first(l, w->mask));
        made = LLVMBuildICmp(l->builder, LLVMIntEQ, lane_iota(l, i32_type(w)), first, "");
        lw_define_leaf(w, i, 0, made);
        return;
    }
    if (lw_name_starts(name, "all_equal")) {
        V all = NULL;
        for (uint32_t k = 0; k < lw_leaf_count(w, LLVMTypeOf(operand(i, 0))); k++) {
            V one = lw_subgroup_all_equal(l, lw_use_vector(w, operand(i, 0), k), w->mask);
            all = all ? LLVMBuildAnd(l->builder, all, one, "") : one;
        }
        made = all;
    } else {
        V p = LLVMBuildFreeze(l->builder, lw_use_vector(w, operand(i, 0), 0), "");
        if (lw_name_starts(name, "any"))
            made = lane_any(l, lane_and(l, w->mask, p));
        else if (lw_name_starts(name, "all"))
            made = LLVMBuildNot(l->builder,
                                lane_any(l, lane_and(l, w->mask, LLVMBuildNot(l->builder, p, ""))), "");
        else
            made = lane_mask_bits64(l, lane_and(l, w->mask, p)); /* ballot */
    }
    define_results(w, i, &made, 1);
}

static void
note_collective(lw_widener *w, LLVMValueRef i, const char *name, LLVMTypeRef type)
{
    if (w->report && LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        lw_report_note(w->report, i, "collective", "%s: %s", name, lw_subgroup_describe(&w->l, name, type));
    else if (w->report)
        lw_report_note(w->report, i, "collective", "%s", name);
}

static bool
widen_sub_group_arithmetic(lw_widener *w, LLVMValueRef i, const char *name)
{
    enum lw_group_op op;
    LLVMValueRef x = operand(i, 0);
    uint32_t leaves = lw_leaf_count(w, LLVMTypeOf(i));
    for (uint32_t k = 0; k < leaves; k++) {
        V made;
        if ((op = group_op_after(name, "reduce.")) != LW_GROUP_OP_COUNT)
            made = lw_subgroup_reduce(&w->l, op, lw_use_vector(w, x, k), w->mask);
        else if ((op = group_op_after(name, "scan_inclusive.")) != LW_GROUP_OP_COUNT)
            made = lw_subgroup_scan_inclusive(&w->l, op, lw_use_vector(w, x, k), w->mask);
        else if ((op = group_op_after(name, "scan_exclusive.")) != LW_GROUP_OP_COUNT)
            made = lw_subgroup_scan_exclusive(&w->l, op, lw_use_vector(w, x, k), w->mask);
        else if ((op = group_op_after(name, "clustered.")) != LW_GROUP_OP_COUNT)
            made = lw_subgroup_clustered(&w->l, op, lw_use_vector(w, x, k), w->mask,
                                         constant_operand(i, 1, w->l.n));
        else
            return false;
        if (!lw_is_varying(w, i) && leaves == 1)
            lw_define_scalar(w, i, made);
        else
            lw_define_leaf(w, i, k, made);
    }
    return true;
}

void
lw_widen_sub_group(lw_widener *w, LLVMValueRef i, const char *name)
{
    V results[64];
    uint32_t leaves = lw_leaf_count(w, LLVMTypeOf(i));
    if (LLVMGetNumOperands(i) > 1)
        note_collective(w, i, name, LLVMTypeOf(operand(i, 0)));
    if (lw_name_starts(name, "barrier"))
        return; /* the lanes of a sub-group run in step */
    if (widen_sub_group_arithmetic(w, i, name))
        return;
    if (lw_name_starts(name, "shuffle") || lw_name_starts(name, "rotate")) {
        widen_shuffle(w, i, name);
    } else if (lw_name_starts(name, "broadcast") && leaves <= 64) {
        bool first = lw_name_starts(name, "broadcast_first");
        V lane = first ? NULL : lane_number(w, operand(i, 1));
        for (uint32_t k = 0; k < leaves; k++) {
            V x = lw_use_vector(w, operand(i, 0), k);
            results[k] = first ? lw_subgroup_broadcast_first(&w->l, x, w->mask)
                               : lw_subgroup_broadcast(&w->l, x, lane);
        }
        define_results(w, i, results, leaves);
    } else if (lw_name_starts(name, "elect") || lw_name_starts(name, "all") || lw_name_starts(name, "any") ||
               lw_name_starts(name, "ballot")) {
        widen_vote(w, i, name);
    } else {
        lw_widen_fail(w, i, "a sub-group operation that the vectorizer does not know");
    }
}

/* ---- work-group operations ---- */

static void
widen_barrier(lw_widener *w)
{
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(w->l.context), NULL, 0, false);
    LLVMValueRef f = LLVMGetNamedFunction(w->l.module, "lw.wg.barrier");
    if (!f)
        f = LLVMAddFunction(w->l.module, "lw.wg.barrier", type);
    LLVMBuildCall2(w->l.builder, type, f, NULL, 0, "");
}

void
lw_widen_work_group(lw_widener *w, LLVMValueRef i, const char *name)
{
    enum lw_group_op op;
    V results[64];
    uint32_t leaves = lw_leaf_count(w, LLVMTypeOf(i));
    if (lw_name_starts(name, "barrier")) {
        widen_barrier(w);
        return;
    }
    lw_report_note(w->report, i, "collective", "work-group %s: sub-group part, one carry over the sub-groups",
                   name);
    if (lw_name_starts(name, "broadcast") && leaves <= 64) {
        V x[64];
        for (uint32_t k = 0; k < leaves; k++)
            x[k] = lw_use_vector(w, operand(i, 0), k);
        V linear = lw_info(w, operand(i, 1)).form == LW_UNIFORM
                       ? lw_use_scalar(w, operand(i, 1))
                       : lw_subgroup_broadcast_first(&w->l, lw_use_vector(w, operand(i, 1), 0), w->mask);
        lw_workgroup_broadcast(&w->l, x, leaves, linear, w->scratch++, results);
        define_results(w, i, results, leaves);
        return;
    }
    V x = lw_use_vector(w, operand(i, 0), 0), made;
    if (LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(x))) == LLVMIntegerTypeKind)
        x = LLVMBuildFreeze(w->l.builder, x, "");
    if (lw_name_starts(name, "all")) {
        made = lw_workgroup_all(&w->l, x, w->mask, w->scratch++);
    } else if (lw_name_starts(name, "any")) {
        made = lw_workgroup_any(&w->l, x, w->mask, w->scratch++);
    } else if ((op = group_op_after(name, "reduce.")) != LW_GROUP_OP_COUNT) {
        made = lw_workgroup_reduce(&w->l, op, x, w->mask, w->scratch++);
    } else if ((op = group_op_after(name, "scan_inclusive.")) != LW_GROUP_OP_COUNT) {
        lw_define_leaf(w, i, 0, lw_workgroup_scan(&w->l, op, x, w->mask, true, w->scratch++));
        return;
    } else if ((op = group_op_after(name, "scan_exclusive.")) != LW_GROUP_OP_COUNT) {
        lw_define_leaf(w, i, 0, lw_workgroup_scan(&w->l, op, x, w->mask, false, w->scratch++));
        return;
    } else {
        lw_widen_fail(w, i, "a work-group operation that the vectorizer does not know");
        return;
    }
    define_results(w, i, &made, 1);
}

/* SPDX-License-Identifier: MIT */
/* Widening of calls: work-item functions, sub-group and work-group operations, LLVM intrinsics.
 *
 * Enters: a call of an lw.* function (spirv/intrinsics.h) or an intrinsic; everything else was inlined.
 * Leaves: ids as scalars and offsets; collectives as shuffles and horizontal operations; intrinsics over vectors.
 */
#include <stdio.h>
#include <string.h>

#include "collectives.h"
#include "subgroup_ops.h"
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

static LLVMTypeRef
i64_type(lw_widener *w)
{
    return LLVMInt64TypeInContext(w->l.context);
}

/* ---- what the work-group pass answers (workgroup.h) ---- */

static V
call_declared(lw_widener *w, const char *name, LLVMTypeRef result, V *args, unsigned count)
{
    LLVMTypeRef params[2];
    for (unsigned k = 0; k < count; k++)
        params[k] = LLVMTypeOf(args[k]);
    LLVMTypeRef type = LLVMFunctionType(result, params, count, false);
    LLVMValueRef function = LLVMGetNamedFunction(w->l.module, name);
    if (!function) {
        function = LLVMAddFunction(w->l.module, name, type);
        static const char *const attributes[] = {"nounwind", "willreturn"};
        for (int k = 0; k < 2; k++) {
            unsigned kind = LLVMGetEnumAttributeKindForName(attributes[k], strlen(attributes[k]));
            LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                    LLVMCreateEnumAttribute(w->l.context, kind, 0));
        }
        unsigned memory = LLVMGetEnumAttributeKindForName("memory", 6); /* none: pure, may be merged */
        LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(w->l.context, memory, 0));
    }
    return LLVMBuildCall2(w->l.builder, type, function, args, count, "");
}

static V
group_value(lw_widener *w, const char *name)
{
    return call_declared(w, name, i64_type(w), NULL, 0);
}

static V
group_value_of(lw_widener *w, const char *name, unsigned dim)
{
    V d = lane_int(&w->l, 32, dim);
    return call_declared(w, name, i64_type(w), &d, 1);
}

/* ---- ids ---- */

/* Linear local id of lane 0. */
static V
first_linear_id(lw_widener *w)
{
    V id = group_value(w, "lw.sub_group_id");
    return LLVMBuildMul(w->l.builder, id, lane_int(&w->l, 64, w->l.n), "");
}

static V
local_size_of(lw_widener *w, unsigned dim)
{
    if (w->shape->local_size[0])
        return lane_int(&w->l, 64, w->shape->local_size[dim]);
    return group_value_of(w, "lw.local_size", dim);
}

/* A component of the local id out of the linear one, as 64-bit scalar or vector. */
static V
split_linear(lw_widener *w, V linear, unsigned dim, bool vector)
{
    LLVMBuilderRef b = w->l.builder;
    if (w->shape->work_dim == 1)
        return dim == 0 ? linear : LLVMConstNull(LLVMTypeOf(linear));
    const uint32_t *size = w->shape->local_size;
    if (!vector && size[0] && dim && size[dim] == 1) /* lane 0 is always there */
        return LLVMConstNull(LLVMTypeOf(linear));
    if (!vector && size[0] && dim == 0 && size[1] == 1 && size[2] == 1)
        return linear;
    V x = local_size_of(w, 0), y = local_size_of(w, 1);
    if (vector) {
        x = lane_splat(&w->l, x);
        y = lane_splat(&w->l, y);
    }
    if (dim == 0)
        return LLVMBuildURem(b, linear, x, "");
    V rows = LLVMBuildUDiv(b, linear, x, "");
    if (w->shape->work_dim == 2)
        return dim == 1 ? rows : LLVMConstNull(LLVMTypeOf(linear));
    return dim == 1 ? LLVMBuildURem(b, rows, y, "") : LLVMBuildUDiv(b, rows, y, "");
}

/* Local ids of every lane. With constant sizes the linear ids are divided in 32 bits by constants, which are
 * multiplications; else the work-group pass has them. */
static V
local_ids(lw_widener *w, unsigned dim)
{
    LLVMBuilderRef b = w->l.builder;
    if (!w->shape->local_size[0] && w->shape->work_dim > 1) {
        V d = lane_int(&w->l, 32, dim);
        return call_declared(w, "lw.local_ids", lane_type(&w->l, i64_type(w)), &d, 1);
    }
    V first = LLVMBuildTrunc(b, first_linear_id(w), i32_type(w), "");
    V linear = LLVMBuildAdd(b, lane_splat(&w->l, first), lane_iota(&w->l, i32_type(w)), "");
    uint32_t lx = w->shape->local_size[0], ly = w->shape->local_size[1];
    V made = linear;
    if (w->shape->work_dim == 1) {
        if (dim > 0)
            made = LLVMConstNull(LLVMTypeOf(linear));
    } else {
        V x = lane_splat(&w->l, lane_int(&w->l, 32, lx)), y = lane_splat(&w->l, lane_int(&w->l, 32, ly));
        V rows = LLVMBuildUDiv(b, linear, x, "");
        if (dim == 0)
            made = LLVMBuildURem(b, linear, x, "");
        else if (w->shape->work_dim == 2)
            made = dim == 1 ? rows : LLVMConstNull(LLVMTypeOf(linear));
        else
            made = dim == 1 ? LLVMBuildURem(b, rows, y, "") : LLVMBuildUDiv(b, rows, y, "");
    }
    return LLVMBuildZExt(b, made, lane_type(&w->l, i64_type(w)), "");
}

/* The id of dimension `dim`: the scalar of lane 0, or all lanes. */
static V
local_id(lw_widener *w, unsigned dim, bool vector)
{
    return vector ? local_ids(w, dim) : split_linear(w, first_linear_id(w), dim, false);
}

static V
global_id(lw_widener *w, unsigned dim, bool vector)
{
    V base = group_value_of(w, "lw.group_base", dim);
    V id = local_id(w, dim, vector);
    if (vector)
        return LLVMBuildAdd(w->l.builder, lane_splat(&w->l, base), id, "");
    /* Lane 0 exists, and no global id wraps: then a sub-group's share of an address can be divided alone. */
    return LLVMBuildNUWAdd(w->l.builder, base, id, "");
}

static V
global_linear_id(lw_widener *w, bool vector)
{
    LLVMBuilderRef b = w->l.builder;
    V total = NULL;
    for (unsigned d = w->shape->work_dim; d-- > 0;) {
        V offset = group_value_of(w, "lw.global_offset", d);
        V id = LLVMBuildSub(b, global_id(w, d, vector), vector ? lane_splat(&w->l, offset) : offset, "");
        if (total) {
            V size = group_value_of(w, "lw.global_size", d);
            total = LLVMBuildMul(b, total, vector ? lane_splat(&w->l, size) : size, "");
            total = LLVMBuildAdd(b, total, id, "");
        } else {
            total = id;
        }
    }
    return total;
}

static V
lane_ids(lw_widener *w, bool vector)
{
    return vector ? lane_iota(&w->l, i64_type(w)) : lane_int(&w->l, 64, 0);
}

static V
local_linear_id(lw_widener *w, bool vector)
{
    V first = first_linear_id(w);
    if (!vector)
        return first;
    return LLVMBuildAdd(w->l.builder, lane_splat(&w->l, first), lane_iota(&w->l, i64_type(w)), "");
}

static unsigned
constant_dim(LLVMValueRef call)
{
    uint64_t d = LLVMIsAConstantInt(operand(call, 0)) ? LLVMConstIntGetZExtValue(operand(call, 0)) : 0;
    return d < 3 ? (unsigned)d : 0;
}

/* The ids of work-items; false: another function. */
static bool
widen_id(lw_widener *w, LLVMValueRef i, const char *name)
{
    bool vector = lw_is_varying(w, i);
    V made;
    if (!strcmp(name, "lw.global_id"))
        made = global_id(w, constant_dim(i), vector);
    else if (!strcmp(name, "lw.local_id"))
        made = local_id(w, constant_dim(i), vector);
    else if (!strcmp(name, "lw.global_linear_id"))
        made = global_linear_id(w, vector);
    else if (!strcmp(name, "lw.local_linear_id"))
        made = local_linear_id(w, vector);
    else if (!strcmp(name, "lw.sub_group_local_id"))
        made = lane_ids(w, vector);
    else
        return false;
    if (vector)
        lw_define_vector(w, i, 0, made);
    else
        lw_define_scalar(w, i, made);
    return true;
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

static bool
starts(const char *name, const char *prefix)
{
    return !strncmp(name, prefix, strlen(prefix));
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
    if (starts(name, "shuffle_xor."))
        return lw_subgroup_shuffle_xor(&w->l, x, lanes);
    if (starts(name, "shuffle_up."))
        return lw_subgroup_shuffle_up(&w->l, x, lanes);
    if (starts(name, "shuffle_down."))
        return lw_subgroup_shuffle_down(&w->l, x, lanes);
    if (starts(name, "rotate"))
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
    bool rotates = starts(name, "rotate");
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
    if (starts(name, "elect")) {
        V first = lane_splat(l, lane_first(l, w->mask));
        made = LLVMBuildICmp(l->builder, LLVMIntEQ, lane_iota(l, i32_type(w)), first, "");
        lw_define_leaf(w, i, 0, made);
        return;
    }
    if (starts(name, "all_equal")) {
        V all = NULL;
        for (uint32_t k = 0; k < lw_leaf_count(w, LLVMTypeOf(operand(i, 0))); k++) {
            V one = lw_subgroup_all_equal(l, lw_use_vector(w, operand(i, 0), k), w->mask);
            all = all ? LLVMBuildAnd(l->builder, all, one, "") : one;
        }
        made = all;
    } else {
        V p = LLVMBuildFreeze(l->builder, lw_use_vector(w, operand(i, 0), 0), "");
        if (starts(name, "any"))
            made = lane_any(l, lane_and(l, w->mask, p));
        else if (starts(name, "all"))
            made = LLVMBuildNot(l->builder, lane_any(l, lane_and(l, w->mask, LLVMBuildNot(l->builder, p, ""))), "");
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

static void
widen_sub_group(lw_widener *w, LLVMValueRef i, const char *name)
{
    V results[64];
    uint32_t leaves = lw_leaf_count(w, LLVMTypeOf(i));
    if (LLVMGetNumOperands(i) > 1)
        note_collective(w, i, name, LLVMTypeOf(operand(i, 0)));
    if (starts(name, "barrier"))
        return; /* the lanes of a sub-group run in step */
    if (widen_sub_group_arithmetic(w, i, name))
        return;
    if (starts(name, "shuffle") || starts(name, "rotate")) {
        widen_shuffle(w, i, name);
    } else if (starts(name, "broadcast") && leaves <= 64) {
        bool first = starts(name, "broadcast_first");
        V lane = first ? NULL : lane_number(w, operand(i, 1));
        for (uint32_t k = 0; k < leaves; k++) {
            V x = lw_use_vector(w, operand(i, 0), k);
            results[k] = first ? lw_subgroup_broadcast_first(&w->l, x, w->mask) : lw_subgroup_broadcast(&w->l, x, lane);
        }
        define_results(w, i, results, leaves);
    } else if (starts(name, "elect") || starts(name, "all") || starts(name, "any") || starts(name, "ballot")) {
        widen_vote(w, i, name);
    } else {
        lw_widen_fail(w, i, "a sub-group operation that the vectorizer does not know");
    }
}

/* ---- dot products ---- */

static void
widen_dot(lw_widener *w, LLVMValueRef i, const char *name)
{
    bool vector = lw_is_varying(w, i);
    V a = vector ? lw_use_vector(w, operand(i, 0), 0) : lw_use_scalar(w, operand(i, 0));
    V b = vector ? lw_use_vector(w, operand(i, 1), 0) : lw_use_scalar(w, operand(i, 1));
    V made = lane_dot_4x8(&w->l, a, b, name[0] == 's', name[1] == 's');
    if (vector)
        lw_define_vector(w, i, 0, made);
    else
        lw_define_scalar(w, i, made);
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

static void
widen_work_group(lw_widener *w, LLVMValueRef i, const char *name)
{
    enum lw_group_op op;
    V results[64];
    uint32_t leaves = lw_leaf_count(w, LLVMTypeOf(i));
    if (starts(name, "barrier")) {
        widen_barrier(w);
        return;
    }
    lw_report_note(w->report, i, "collective", "work-group %s: sub-group part, one carry over the sub-groups", name);
    if (starts(name, "broadcast") && leaves <= 64) {
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
    if (starts(name, "all")) {
        made = lw_workgroup_all(&w->l, x, w->mask, w->scratch++);
    } else if (starts(name, "any")) {
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

/* ---- LLVM intrinsics ---- */

/* How an elementwise intrinsic is overloaded. */
enum overload {
    BY_RESULT,            /* llvm.sqrt.v16f32 */
    BY_RESULT_AND_FIRST,  /* llvm.fptosi.sat.v16i32.v16f32 */
    BY_RESULT_AND_SECOND, /* llvm.ldexp.v16f32.v16i32 */
    BY_FIRST              /* llvm.is.fpclass: result i1; llvm.umul.with.overflow: a struct */
};

struct intrinsic {
    const char *name; /* without the type suffix */
    enum overload overload;
    int scalar_argument; /* an immediate that stays scalar, or -1 */
};

static const struct intrinsic intrinsics[] = {
    {"llvm.abs.", BY_RESULT, 1},
    {"llvm.bitreverse.", BY_RESULT, -1},
    {"llvm.bswap.", BY_RESULT, -1},
    {"llvm.canonicalize.", BY_RESULT, -1},
    {"llvm.ceil.", BY_RESULT, -1},
    {"llvm.copysign.", BY_RESULT, -1},
    {"llvm.ctlz.", BY_RESULT, 1},
    {"llvm.ctpop.", BY_RESULT, -1},
    {"llvm.cttz.", BY_RESULT, 1},
    {"llvm.fabs.", BY_RESULT, -1},
    {"llvm.floor.", BY_RESULT, -1},
    {"llvm.fma.", BY_RESULT, -1},
    {"llvm.fmuladd.", BY_RESULT, -1},
    {"llvm.fptosi.sat.", BY_RESULT_AND_FIRST, -1},
    {"llvm.fptoui.sat.", BY_RESULT_AND_FIRST, -1},
    {"llvm.fshl.", BY_RESULT, -1},
    {"llvm.fshr.", BY_RESULT, -1},
    {"llvm.is.fpclass.", BY_FIRST, 1},
    {"llvm.ldexp.", BY_RESULT_AND_SECOND, -1},
    {"llvm.maximum.", BY_RESULT, -1},
    {"llvm.maximumnum.", BY_RESULT, -1},
    {"llvm.maxnum.", BY_RESULT, -1},
    {"llvm.minimum.", BY_RESULT, -1},
    {"llvm.minimumnum.", BY_RESULT, -1},
    {"llvm.minnum.", BY_RESULT, -1},
    {"llvm.nearbyint.", BY_RESULT, -1},
    {"llvm.rint.", BY_RESULT, -1},
    {"llvm.round.", BY_RESULT, -1},
    {"llvm.roundeven.", BY_RESULT, -1},
    {"llvm.sadd.sat.", BY_RESULT, -1},
    {"llvm.sadd.with.overflow.", BY_FIRST, -1},
    {"llvm.scmp.", BY_RESULT_AND_FIRST, -1},
    {"llvm.smax.", BY_RESULT, -1},
    {"llvm.smin.", BY_RESULT, -1},
    {"llvm.smul.with.overflow.", BY_FIRST, -1},
    {"llvm.sqrt.", BY_RESULT, -1},
    {"llvm.sshl.sat.", BY_RESULT, -1},
    {"llvm.ssub.sat.", BY_RESULT, -1},
    {"llvm.ssub.with.overflow.", BY_FIRST, -1},
    {"llvm.trunc.", BY_RESULT, -1},
    {"llvm.uadd.sat.", BY_RESULT, -1},
    {"llvm.uadd.with.overflow.", BY_FIRST, -1},
    {"llvm.ucmp.", BY_RESULT_AND_FIRST, -1},
    {"llvm.umax.", BY_RESULT, -1},
    {"llvm.umin.", BY_RESULT, -1},
    {"llvm.umul.with.overflow.", BY_FIRST, -1},
    {"llvm.ushl.sat.", BY_RESULT, -1},
    {"llvm.usub.sat.", BY_RESULT, -1},
    {"llvm.usub.with.overflow.", BY_FIRST, -1},
};

static const struct intrinsic *
find_intrinsic(const char *name)
{
    for (size_t k = 0; k < sizeof intrinsics / sizeof *intrinsics; k++)
        if (starts(name, intrinsics[k].name))
            return &intrinsics[k];
    return NULL;
}

/* One leaf position of the operands through the vector form of the intrinsic. */
static V
call_vector_intrinsic(lw_widener *w, LLVMValueRef i, const struct intrinsic *row, uint32_t leaf, LLVMTypeRef result)
{
    V args[4];
    LLVMTypeRef types[4], overloads[2];
    unsigned count = LLVMGetNumArgOperands(i) < 4 ? LLVMGetNumArgOperands(i) : 4, overload_count = 1;
    for (unsigned k = 0; k < count; k++) {
        args[k] = (int)k == row->scalar_argument ? operand(i, k) : lw_use_vector(w, operand(i, k), leaf);
        types[k] = LLVMTypeOf(args[k]);
    }
    overloads[0] = row->overload == BY_FIRST ? types[0] : result;
    if (row->overload == BY_RESULT_AND_FIRST || row->overload == BY_RESULT_AND_SECOND) {
        overloads[1] = types[row->overload == BY_RESULT_AND_FIRST ? 0 : 1];
        overload_count = 2;
    }
    unsigned id = LLVMGetIntrinsicID(LLVMGetCalledValue(i));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(w->l.module, id, overloads, overload_count);
    V made = LLVMBuildCall2(w->l.builder, LLVMGlobalGetValueType(f), f, args, count, "");
    if (LLVMCanValueUseFastMathFlags(i) && LLVMCanValueUseFastMathFlags(made))
        LLVMSetFastMathFlags(made, LLVMGetFastMathFlags(i));
    return made;
}

static void
widen_intrinsic(lw_widener *w, LLVMValueRef i, const struct intrinsic *row)
{
    if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMStructTypeKind) { /* with.overflow, of scalars */
        V made = call_vector_intrinsic(w, i, row, 0, NULL);
        for (unsigned k = 0; k < 2; k++)
            lw_define_vector(w, i, k, LLVMBuildExtractValue(w->l.builder, made, k, ""));
        return;
    }
    for (uint32_t k = 0; k < lw_leaf_count(w, LLVMTypeOf(i)); k++) {
        LLVMTypeRef result = lane_type(&w->l, lw_leaf_at(w, LLVMTypeOf(i), k).type);
        lw_define_vector(w, i, k, call_vector_intrinsic(w, i, row, k, result));
    }
}

/* What works on lane 0 of a register of scalar code: the others are passed on, and nothing reads them. */
static void
widen_native(lw_widener *w, LLVMValueRef i, const char *name)
{
    V a = lw_use_vector(w, operand(i, 0), 0), b = lw_use_vector(w, operand(i, 1), 0);
    lw_define_vector(w, i, 0, lane_native(&w->l, name, a, b, operand(i, 2)));
    for (uint32_t k = 1; k < lw_leaf_count(w, LLVMTypeOf(i)); k++)
        lw_define_vector(w, i, k, lw_use_vector(w, operand(i, 0), k));
    lw_report_note(w->report, i, "math", "%s: vector instruction", name);
}

/* llvm.vector.reduce.* of a small OpenCL vector, which clean-up passes make: fold the leaves. */
static bool
widen_component_reduce(lw_widener *w, LLVMValueRef i, const char *name)
{
    static const struct {
        const char *name;
        LLVMOpcode op;
        bool start;
    } folds[] = {
        {"llvm.vector.reduce.add.", LLVMAdd, false}, {"llvm.vector.reduce.mul.", LLVMMul, false},
        {"llvm.vector.reduce.and.", LLVMAnd, false}, {"llvm.vector.reduce.or.", LLVMOr, false},
        {"llvm.vector.reduce.xor.", LLVMXor, false}, {"llvm.vector.reduce.fadd.", LLVMFAdd, true},
        {"llvm.vector.reduce.fmul.", LLVMFMul, true},
    };
    for (size_t f = 0; f < sizeof folds / sizeof *folds; f++) {
        if (!starts(name, folds[f].name))
            continue;
        LLVMValueRef vector = operand(i, folds[f].start ? 1 : 0);
        V made = folds[f].start ? lw_use_vector(w, operand(i, 0), 0) : lw_use_vector(w, vector, 0);
        for (uint32_t k = folds[f].start ? 0 : 1; k < lw_leaf_count(w, LLVMTypeOf(vector)); k++)
            made = LLVMBuildBinOp(w->l.builder, folds[f].op, made, lw_use_vector(w, vector, k), "");
        lw_define_vector(w, i, 0, made);
        return true;
    }
    return false;
}

/* ---- any call ---- */

/* Pure scalar calls that workgroup.h lists: the same for every lane. */
static bool
is_group_query(const char *name)
{
    static const char *const names[] = {
        "lw.global_size", "lw.global_offset", "lw.local_size", "lw.enqueued_local_size", "lw.group_id", "lw.num_groups",
        "lw.work_dim", "lw.sub_group_size", "lw.max_sub_group_size", "lw.num_sub_groups", "lw.enqueued_num_sub_groups",
        "lw.sub_group_id", "lw.local_base", "lw.program_base"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(name, names[k]))
            return true;
    return false;
}

void
lw_widen_call(lw_widener *w, LLVMValueRef i)
{
    size_t length;
    const char *name = LLVMGetValueName2(LLVMGetCalledValue(i), &length);
    const struct intrinsic *row;
    if (widen_id(w, i, name))
        return;
    if (starts(name, "lw.sg.")) {
        widen_sub_group(w, i, name + 6);
    } else if (starts(name, "lw.wg.")) {
        widen_work_group(w, i, name + 6);
    } else if (starts(name, "lw.printf.")) {
        lw_widen_printf(w, i);
    } else if (starts(name, "lw.dot4x8.")) {
        widen_dot(w, i, name + 10);
    } else if (is_group_query(name)) {
        V made = lw_clone_scalar(w, i);
        if (lw_is_varying(w, i))
            lw_define_leaf(w, i, 0, made);
        else
            lw_define_scalar(w, i, made);
    } else if (!starts(name, "llvm.")) {
        lw_widen_fail(w, i, "a call that was not inlined");
    } else if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVoidTypeKind) {
        return; /* assume, lifetime, donothing: nothing for the lanes */
    } else if (!lw_is_varying(w, i)) {
        lw_define_scalar(w, i, lw_clone_scalar(w, i));
    } else if (lane_is_native(name)) {
        widen_native(w, i, name);
    } else if ((row = find_intrinsic(name))) {
        widen_intrinsic(w, i, row);
        lw_report_note(w->report, i, "math", "%s: vector intrinsic", name);
    } else if (!widen_component_reduce(w, i, name)) {
        lw_widen_fail(w, i, "an LLVM intrinsic that has no vector form");
    }
}

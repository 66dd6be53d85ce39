/* SPDX-License-Identifier: MIT */
/* Widening of work-item functions: ids of work-items, and what is asked of the work-group.
 *
 * Enters: a call of an lw.* function (spirv/intrinsics.def). Leaves: ids as scalars of lane 0 or as vectors,
 * made of what the work-group pass answers (workgroup.h).
 */
#include <string.h>

#include "../../spirv/attributes.h"
#include "../facts/flags.h"
#include "widener.h"

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
    bool known = LLVMGetNamedFunction(w->l.module, name) != NULL;
    V call = lw_call_declared(w, name, result, args, count);
    if (!known)
        lw_add_attributes(LLVMGetCalledValue(call), "nounwind willreturn memory"); /* may be merged */
    return call;
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
    V first = LLVMBuildNUWAdd(w->l.builder, base, id, "");
    lw_set_sound(first);
    return first;
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
    uint64_t d =
        LLVMIsAConstantInt(LLVMGetOperand(call, 0)) ? LLVMConstIntGetZExtValue(LLVMGetOperand(call, 0)) : 0;
    return d < 3 ? (unsigned)d : 0;
}

void
lw_widen_id(lw_widener *w, LLVMValueRef i, const struct lw_call_row *row)
{
    bool vector = lw_is_varying(w, i);
    V made = row->id == LW_CALL_GLOBAL_ID          ? global_id(w, constant_dim(i), vector)
             : row->id == LW_CALL_LOCAL_ID         ? local_id(w, constant_dim(i), vector)
             : row->id == LW_CALL_GLOBAL_LINEAR_ID ? global_linear_id(w, vector)
             : row->id == LW_CALL_LOCAL_LINEAR_ID  ? local_linear_id(w, vector)
                                                   : lane_ids(w, vector);
    lw_define_leaf(w, i, 0, made);
}

/* What the work-group pass answers (workgroup.h): the same for every lane. */
void
lw_widen_query(lw_widener *w, LLVMValueRef i, const struct lw_call_row *row)
{
    (void)row;
    lw_define_leaf(w, i, 0, lw_clone_scalar(w, i));
}

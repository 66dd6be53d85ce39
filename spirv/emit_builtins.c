/* SPDX-License-Identifier: MIT */
/* Built-in Input variables -> calls of the lw.* id functions, with the facts known before emission folded in.
 *
 * Such variables have no memory: the emitter follows their address through access chains and bitcasts, and
 * the whole vectors loaded from them, so that component 3 and above has the value OpenCL C gives (0, or 1 for
 * sizes).
 */
#include <stdio.h>
#include <string.h>
#include "emitter.h"

struct id_range {
    bool known; /* the value is `low` */
    bool ranged;
    uint64_t low, high;
};

static uint64_t
local_items(const struct lw_emit_facts *f)
{
    return (uint64_t)f->local_size[0] * f->local_size[1] * f->local_size[2];
}

static struct id_range
constant(uint64_t value)
{
    return (struct id_range){.known = true, .low = value};
}

static struct id_range
between(uint64_t low, uint64_t high)
{
    return (struct id_range){.known = high == low + 1, .ranged = true, .low = low, .high = high};
}

/* What the facts say of lw.<name>(d). Every id with its offset is below 2^31 - 2^16 under index31. */
static struct id_range
facts_of(const struct lw_emit_facts *f, const char *name, unsigned d)
{
    const uint64_t index_end = (1ull << 31) - 65536;
    bool unused = f->work_dim && d >= f->work_dim;
    bool is_size = !strcmp(name, "global_size") || !strcmp(name, "num_groups");
    if (!strcmp(name, "local_id"))
        return between(0, unused ? 1 : f->local_size[d] ? f->local_size[d] : LW_MAX_LOCAL_ITEMS);
    if (!strcmp(name, "local_size") || !strcmp(name, "enqueued_local_size")) {
        if (f->local_size[d] || unused)
            return constant(unused ? 1 : f->local_size[d]);
        return between(1, LW_MAX_LOCAL_ITEMS + 1);
    }
    if (unused)
        return constant(is_size);
    if (!strcmp(name, "global_offset") && f->offset_zero)
        return constant(0);
    if (!f->index31)
        return (struct id_range){.known = false};
    return between(is_size, index_end + is_size);
}

static struct id_range
facts_of_scalar(const struct lw_emit_facts *f, const char *name)
{
    uint64_t n = f->sub_group_size, items = local_items(f);
    uint64_t groups = n ? ((items ? items : LW_MAX_LOCAL_ITEMS) + n - 1) / n : LW_MAX_LOCAL_ITEMS;
    if (!strcmp(name, "work_dim"))
        return f->work_dim ? constant(f->work_dim) : between(1, 4);
    if (!strcmp(name, "local_linear_id"))
        return between(0, items ? items : LW_MAX_LOCAL_ITEMS);
    if (!strcmp(name, "max_sub_group_size"))
        return constant(n);
    if (!strcmp(name, "sub_group_size"))
        return items && items % n == 0 ? constant(n) : between(1, n + 1);
    if (!strcmp(name, "sub_group_local_id"))
        return between(0, n);
    if (!strcmp(name, "sub_group_id"))
        return between(0, groups);
    if (!strcmp(name, "num_sub_groups") || !strcmp(name, "enqueued_num_sub_groups"))
        return items ? constant(groups) : between(1, groups + 1);
    if (!strcmp(name, "global_linear_id") && f->index31 && f->work_dim == 1)
        return between(0, (1ull << 31) - 65536);
    return (struct id_range){.known = false};
}

static V
id_call(lw_emitter *e, const char *name, struct id_range range, V *args, unsigned count)
{
    char full[48];
    if (e->failed)
        return NULL;
    if (range.known)
        return lw_int(e->i64, range.low);
    snprintf(full, sizeof full, "lw.%s", name);
    V call = lw_call(e, full, e->i64, args, count);
    if (call && range.ranged)
        lw_set_range(e, call, range.low, range.high);
    return call;
}

/* A dimension of the kernel's in the code's order, and the other way round. */
static unsigned
turned(const lw_emitter *e, unsigned dimension)
{
    unsigned lanes = e->facts->lanes_dimension;
    return dimension == lanes ? 0 : dimension == 0 ? lanes : dimension;
}

bool
lw_is_id(lw_emitter *e, V value, const char *name, unsigned dimension)
{
    size_t length;
    V callee = LLVMIsACallInst(value) ? LLVMGetCalledValue(value) : NULL;
    const char *called = callee ? LLVMGetValueName2(callee, &length) : "";
    return !strncmp(called, "lw.", 3) && !strcmp(called + 3, name) && LLVMGetNumArgOperands(value) == 1 &&
           LLVMGetOperand(value, 0) == lw_int(e->i32, turned(e, dimension));
}

V
lw_id(lw_emitter *e, const char *name, unsigned dimension)
{
    dimension = turned(e, dimension);
    /* A last, shorter work-group was none when the kernel reckoned its id by the size. */
    if (e->facts->stretched && !strcmp(name, "local_size"))
        name = "enqueued_local_size";
    V d = lw_int(e->i32, dimension);
    return id_call(e, name, facts_of(e->facts, name, dimension), &d, 1);
}

/* Of dimensions that the code has in another order. */
static V
global_linear_id(lw_emitter *e)
{
    V total = lw_int(e->i64, 0);
    for (unsigned d = 3; d-- > 0;) {
        V id = lw_id(e, "global_id", d), offset = lw_id(e, "global_offset", d),
          size = lw_id(e, "global_size", d);
        if (e->failed)
            break;
        total =
            LLVMBuildAdd(e->b, LLVMBuildMul(e->b, total, size, ""), LLVMBuildSub(e->b, id, offset, ""), "");
    }
    return e->failed ? NULL : total;
}

V
lw_id0(lw_emitter *e, const char *name)
{
    if (e->facts->lanes_dimension && !strcmp(name, "global_linear_id"))
        return global_linear_id(e);
    return id_call(e, name, facts_of_scalar(e->facts, name), NULL, 0);
}

struct builtin {
    uint16_t number; /* SpvBuiltIn */
    bool per_dimension, is_size;
    const char *name;
};

static const struct builtin builtins[] = {
    {SpvBuiltInNumWorkgroups, true, true, "num_groups"},
    {SpvBuiltInWorkgroupSize, true, true, "local_size"},
    {SpvBuiltInWorkgroupId, true, false, "group_id"},
    {SpvBuiltInLocalInvocationId, true, false, "local_id"},
    {SpvBuiltInGlobalInvocationId, true, false, "global_id"},
    {SpvBuiltInLocalInvocationIndex, false, false, "local_linear_id"},
    {SpvBuiltInWorkDim, false, false, "work_dim"},
    {SpvBuiltInGlobalSize, true, true, "global_size"},
    {SpvBuiltInEnqueuedWorkgroupSize, true, true, "enqueued_local_size"},
    {SpvBuiltInGlobalOffset, true, false, "global_offset"},
    {SpvBuiltInGlobalLinearId, false, false, "global_linear_id"},
    {SpvBuiltInSubgroupSize, false, false, "sub_group_size"},
    {SpvBuiltInSubgroupMaxSize, false, false, "max_sub_group_size"},
    {SpvBuiltInNumSubgroups, false, false, "num_sub_groups"},
    {SpvBuiltInNumEnqueuedSubgroups, false, false, "enqueued_num_sub_groups"},
    {SpvBuiltInSubgroupId, false, false, "sub_group_id"},
    {SpvBuiltInSubgroupLocalInvocationId, false, false, "sub_group_local_id"},
};

static const struct builtin *
find(unsigned number)
{
    for (unsigned i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (builtins[i].number == number)
            return &builtins[i];
    return NULL;
}

bool
lw_is_input(const lw_emitter *e, uint32_t id)
{
    if (id >= e->spv->bound)
        return false;
    if (e->inputs[id])
        return true;
    if (!lw_is_builtin_variable(e->spv, id))
        return false;
    e->inputs[id] = (uint16_t)(lw_decoration_value(e, id, SpvDecorationBuiltIn, 0xfffe) + 1);
    return true;
}

V
lw_input_component(lw_emitter *e, unsigned number, V index, T type)
{
    const struct builtin *builtin = find(number);
    if (e->failed || !builtin || !builtin->per_dimension || !index || !type ||
        LLVMGetTypeKind(type) != LLVMIntegerTypeKind) {
        lw_emit_fail(e, "a component of built-in %u", number);
        return NULL;
    }
    V value = lw_int(e->i64, builtin->is_size);
    T wide = LLVMTypeOf(index);
    if (LLVMIsAConstantInt(index) && LLVMConstIntGetZExtValue(index) < 3)
        return LLVMBuildIntCast2(e->b, lw_id(e, builtin->name, (unsigned)LLVMConstIntGetZExtValue(index)),
                                 type, false, "");
    for (unsigned d = LLVMIsAConstantInt(index) ? 0 : 3; d-- > 0;) {
        V here = LLVMBuildICmp(e->b, LLVMIntEQ, index, lw_int(wide, d), "");
        value = LLVMBuildSelect(e->b, here, lw_id(e, builtin->name, d), value, "");
    }
    return LLVMBuildIntCast2(e->b, value, type, false, "");
}

/* SubgroupEqMask and its kin: <4 x i32>, the low 64 bits from the lane number. */
static V
lane_mask(lw_emitter *e, unsigned number, T type)
{
    V lane = lw_id0(e, "sub_group_local_id"), size = lw_id0(e, "max_sub_group_size"), one = lw_int(e->i64, 1);
    if (e->failed || LLVMGetTypeKind(type) != LLVMVectorTypeKind || lw_parts(type) != 4)
        return NULL;
    V bit = LLVMBuildShl(e->b, one, lane, ""), below = LLVMBuildSub(e->b, bit, one, "");
    V upto = LLVMBuildOr(e->b, below, bit, "");
    V all = LLVMBuildLShr(e->b, lw_int(e->i64, ~0ull), LLVMBuildSub(e->b, lw_int(e->i64, 64), size, ""), "");
    switch (number) {
    case SpvBuiltInSubgroupEqMask:
        return lw_ballot_vector(e, bit, type);
    case SpvBuiltInSubgroupGeMask:
        return lw_ballot_vector(e, LLVMBuildAnd(e->b, all, LLVMBuildNot(e->b, below, ""), ""), type);
    case SpvBuiltInSubgroupGtMask:
        return lw_ballot_vector(e, LLVMBuildAnd(e->b, all, LLVMBuildNot(e->b, upto, ""), ""), type);
    case SpvBuiltInSubgroupLeMask:
        return lw_ballot_vector(e, upto, type);
    default:
        return lw_ballot_vector(e, below, type);
    }
}

/* Bits of a component of the variable behind a pointer, 64 where that is lost. */
static unsigned
component_bits(lw_emitter *e, uint32_t pointer)
{
    const struct lw_inst *inst = lw_def(e->spv, pointer);
    for (int k = 0; k < 100 && inst && inst->op != SpvOpVariable; k++)
        inst = lw_def(e->spv, lw_word(e->spv, inst, 3));
    T type = inst && inst->op == SpvOpVariable ? lw_emit_type(e, lw_pointee(e, inst->type)) : NULL;
    return type ? lw_bits(type) : 64;
}

/* The integer `offset` bytes into the variable. */
static V
part_at(lw_emitter *e, uint32_t pointer, V offset, T type)
{
    unsigned number = e->inputs[pointer] - 1u, bits = component_bits(e, pointer);
    const struct builtin *builtin = find(number);
    bool mask = number >= SpvBuiltInSubgroupEqMask && number <= SpvBuiltInSubgroupLtMask;
    V part, index = LLVMBuildUDiv(e->b, offset, lw_int(e->i64, bits / 8), "");
    if (mask)
        part = lw_select_component(e, lane_mask(e, number, LLVMVectorType(e->i32, 4)), index);
    else if (builtin && builtin->per_dimension)
        part = lw_input_component(e, number, index, LLVMIntTypeInContext(e->context, bits));
    else
        part = builtin ? lw_id0(e, builtin->name) : NULL;
    if (e->failed || !part || LLVMGetTypeKind(type) != LLVMIntegerTypeKind) {
        lw_emit_fail(e, "a part of built-in %u", number);
        return NULL;
    }
    part = LLVMBuildIntCast2(e->b, part, e->i64, false, "");
    V inside = LLVMBuildAnd(e->b, offset, lw_int(e->i64, bits / 8 - 1), "");
    part = LLVMBuildLShr(e->b, part, LLVMBuildMul(e->b, inside, lw_int(e->i64, 8), ""), "");
    return LLVMBuildIntCast2(e->b, part, type, false, "");
}

/* A vector, where more than components of it are used, or of another length. */
V
lw_input_vector(lw_emitter *e, uint32_t pointer, T type)
{
    V parts[LW_MAX_COMPONENTS], offset = e->values[pointer] ? e->values[pointer] : lw_int(e->i64, 0);
    if (!type || LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return NULL;
    for (unsigned d = 0; d < lw_parts(type); d++) {
        V at = LLVMBuildAdd(e->b, offset, lw_int(e->i64, (uint64_t)d * (lw_bits(type) / 8)), "");
        parts[d] = part_at(e, pointer, at, lw_scalar(type));
    }
    return lw_assemble(e, type, parts);
}

V
lw_load_input(lw_emitter *e, uint32_t pointer, uint32_t type_id)
{
    T type = lw_emit_type(e, type_id);
    const struct builtin *builtin = find(e->inputs[pointer] - 1u);
    if (!type)
        return NULL;
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return part_at(e, pointer, e->values[pointer] ? e->values[pointer] : lw_int(e->i64, 0), type);
    if (builtin && builtin->per_dimension && lw_is_builtin_variable(e->spv, pointer)) {
        e->inputs[e->inst->result] = e->inputs[pointer];
        return NULL; /* made when used: see lw_emit_value */
    }
    return lw_input_vector(e, pointer, type);
}

/* A pointer derived from one to a built-in variable: `offset` bytes behind it, or where it is (NULL). False:
 * `base` is no such pointer. */
bool
lw_derive_input(lw_emitter *e, uint32_t base, V offset)
{
    if (!lw_is_input(e, base) || lw_op_of(e->spv, lw_type_of(e->spv, base)) != SpvOpTypePointer)
        return false;
    uint32_t id = e->inst->result;
    V before = e->values[base];
    e->inputs[id] = e->inputs[base];
    e->values[id] = before && offset ? LLVMBuildAdd(e->b, before, offset, "") : before ? before : offset;
    return true;
}

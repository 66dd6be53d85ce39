/* SPDX-License-Identifier: MIT */
/* Barriers and collectives -> lw.sg.* and lw.wg.* calls, one per component of a vector. */
#include <stdio.h>
#include "emitter.h"

#define MOST_LANES 64 /* of a sub-group */

enum scope { SCOPE_NONE, SCOPE_GROUP, SCOPE_SUB_GROUP };

static enum scope
scope_of(lw_emitter *e, unsigned n)
{
    uint64_t scope;
    if (!lw_emit_literal(e, lw_operand(e, n), &scope))
        return SCOPE_NONE;
    if (scope == SpvScopeWorkgroup)
        return SCOPE_GROUP;
    if (scope == SpvScopeSubgroup)
        return SCOPE_SUB_GROUP;
    lw_emit_fail(e, "scope %llu", (unsigned long long)scope);
    return SCOPE_NONE;
}

static const char *
prefix(enum scope scope)
{
    return scope == SCOPE_GROUP ? "wg" : "sg";
}

/* lw.<sg|wg>.<name>.<type>(component, extra...) for each component of `x`. */
static V
each(lw_emitter *e, enum scope scope, const char *name, V x, V *extra, unsigned extra_count)
{
    char full[80], suffix[16];
    V parts[LW_MAX_COMPONENTS], args[4];
    if (e->failed || !x)
        return NULL;
    T type = LLVMTypeOf(x), scalar = lw_scalar(type);
    LLVMTypeKind kind = LLVMGetTypeKind(scalar);
    if (!lw_is_float(scalar) && kind != LLVMIntegerTypeKind) {
        lw_emit_fail(e, "a collective on this type");
        return NULL;
    }
    snprintf(full, sizeof full, "lw.%s.%s.%s", prefix(scope), name, lw_suffix(scalar, suffix));
    for (unsigned i = 0; i < lw_parts(type); i++) {
        args[0] = lw_component(e, x, i);
        for (unsigned k = 0; k < extra_count; k++)
            args[k + 1] = extra[k];
        parts[i] = lw_call(e, full, scalar, args, extra_count + 1);
    }
    return lw_assemble(e, type, parts);
}

static V
vote(lw_emitter *e, enum scope scope, const char *name, V predicate)
{
    char full[32];
    if (!e->failed && predicate && LLVMTypeOf(predicate) != e->i1)
        lw_emit_fail(e, "a predicate that is no boolean");
    snprintf(full, sizeof full, "lw.%s.%s", prefix(scope), name);
    return e->failed ? NULL : lw_call(e, full, e->i1, &predicate, 1);
}

/* ---- reductions and scans ---- */

static bool
group_op(uint32_t op, enum lw_group_op *out)
{
    switch (op) {
    case SpvOpGroupIAdd:
    case SpvOpGroupNonUniformIAdd: *out = LW_GROUP_IADD; return true;
    case SpvOpGroupFAdd:
    case SpvOpGroupNonUniformFAdd: *out = LW_GROUP_FADD; return true;
    case SpvOpGroupIMulKHR:
    case SpvOpGroupNonUniformIMul: *out = LW_GROUP_IMUL; return true;
    case SpvOpGroupFMulKHR:
    case SpvOpGroupNonUniformFMul: *out = LW_GROUP_FMUL; return true;
    case SpvOpGroupSMin:
    case SpvOpGroupNonUniformSMin: *out = LW_GROUP_SMIN; return true;
    case SpvOpGroupUMin:
    case SpvOpGroupNonUniformUMin: *out = LW_GROUP_UMIN; return true;
    case SpvOpGroupFMin:
    case SpvOpGroupNonUniformFMin: *out = LW_GROUP_FMIN; return true;
    case SpvOpGroupSMax:
    case SpvOpGroupNonUniformSMax: *out = LW_GROUP_SMAX; return true;
    case SpvOpGroupUMax:
    case SpvOpGroupNonUniformUMax: *out = LW_GROUP_UMAX; return true;
    case SpvOpGroupFMax:
    case SpvOpGroupNonUniformFMax: *out = LW_GROUP_FMAX; return true;
    case SpvOpGroupBitwiseAndKHR:
    case SpvOpGroupNonUniformBitwiseAnd: *out = LW_GROUP_AND; return true;
    case SpvOpGroupBitwiseOrKHR:
    case SpvOpGroupNonUniformBitwiseOr: *out = LW_GROUP_OR; return true;
    case SpvOpGroupBitwiseXorKHR:
    case SpvOpGroupNonUniformBitwiseXor: *out = LW_GROUP_XOR; return true;
    case SpvOpGroupLogicalAndKHR:
    case SpvOpGroupNonUniformLogicalAnd: *out = LW_GROUP_LAND; return true;
    case SpvOpGroupLogicalOrKHR:
    case SpvOpGroupNonUniformLogicalOr: *out = LW_GROUP_LOR; return true;
    case SpvOpGroupLogicalXorKHR:
    case SpvOpGroupNonUniformLogicalXor: *out = LW_GROUP_LXOR; return true;
    default: return false;
    }
}

/* A power of two, whatever is given: of others the value is undefined. */
static V
constant_size(lw_emitter *e, unsigned n)
{
    uint64_t size;
    if (!lw_emit_literal(e, lw_operand(e, n), &size))
        return NULL;
    size = size > MOST_LANES ? MOST_LANES : size;
    while (size & (size - 1))
        size &= size - 1;
    return lw_int(e->i32, size ? size : 1);
}

static V
reduced(lw_emitter *e, enum scope scope, uint32_t kind, enum lw_group_op op, V x, V size)
{
    static const char *const kinds[] = {"reduce", "scan_inclusive", "scan_exclusive", "clustered"};
    char name[40];
    bool is_float = op == LW_GROUP_FADD || op == LW_GROUP_FMUL || op == LW_GROUP_FMIN || op == LW_GROUP_FMAX;
    if (e->failed)
        return NULL;
    if (lw_is_float(LLVMTypeOf(x)) != is_float ||
        (lw_scalar(LLVMTypeOf(x)) == e->i1) != (op >= LW_GROUP_LAND)) {
        lw_emit_fail(e, "an operand of the wrong type");
        return NULL;
    }
    snprintf(name, sizeof name, "%s.%s", kinds[kind], lw_group_op_name(op));
    return each(e, scope, name, x, &size, kind == 3);
}

static void
emit_reduction(lw_emitter *e, enum lw_group_op op)
{
    enum scope scope = scope_of(e, 3);
    uint32_t kind = lw_operand(e, 4);
    V x = lw_operand_value(e, 5), size = NULL;
    if (kind > 3 || (kind == 3 && (e->inst->count < 7 || scope != SCOPE_SUB_GROUP)))
        lw_emit_fail(e, "group operation %u", kind);
    if (e->failed)
        return;
    if (kind == 3)
        size = constant_size(e, 6);
    lw_emit_result(e, reduced(e, scope, kind, op, x, size));
}

/* ---- broadcasts and shuffles ---- */

/* x + size_x * (y + size_y * z) */
static V
linear_id(lw_emitter *e, V ids)
{
    V linear = NULL;
    if (e->failed || LLVMGetTypeKind(lw_scalar(LLVMTypeOf(ids))) != LLVMIntegerTypeKind ||
        lw_parts(LLVMTypeOf(ids)) > 3) {
        lw_emit_fail(e, "a local id that is no integer");
        return NULL;
    }
    for (unsigned d = lw_parts(LLVMTypeOf(ids)); d-- > 0 && !e->failed;) {
        V id = LLVMBuildIntCast2(e->b, lw_component(e, ids, d), e->i64, false, "");
        if (linear)
            id = LLVMBuildAdd(e->b, LLVMBuildMul(e->b, linear, lw_id(e, "local_size", d), ""), id, "");
        linear = id;
    }
    return linear;
}

static void
emit_broadcast(lw_emitter *e)
{
    enum scope scope = scope_of(e, 3);
    V x = lw_operand_value(e, 4), index = lw_operand_value(e, 5);
    if (e->failed)
        return;
    index = scope == SCOPE_GROUP ? linear_id(e, index) : lw_unsigned(e, lw_component(e, index, 0), e->i32);
    if (!e->failed)
        lw_emit_result(e, each(e, scope, "broadcast", x, &index, 1));
}

/* The ids of a broadcast's work-item, one for each dimension. */
static V
imported_broadcast(lw_emitter *e, enum scope scope, V *args, unsigned count)
{
    V index = count > 1 ? args[1] : NULL;
    if (count < 2 || count > 4) {
        lw_emit_fail(e, "a broadcast with %u operands", count);
        return NULL;
    }
    if (scope == SCOPE_SUB_GROUP) {
        index = lw_unsigned(e, index, e->i32);
    } else {
        V ids = LLVMGetPoison(LLVMVectorType(e->i64, count - 1));
        for (unsigned d = 1; d < count; d++)
            ids = LLVMBuildInsertElement(e->b, ids, LLVMBuildIntCast2(e->b, args[d], e->i64, false, ""),
                                         lw_int(e->i32, d - 1), "");
        index = linear_id(e, ids);
    }
    return each(e, scope, "broadcast", args[0], &index, 1);
}

/* Votes and logical operations are told any numbers but zero, and answer 1. */
V
lw_imported_group(lw_emitter *e, const struct lw_import_group *group, V *args, unsigned count)
{
    enum scope scope = group->scope == SpvScopeSubgroup ? SCOPE_SUB_GROUP : SCOPE_GROUP;
    bool all = group->op == SpvOpGroupAll, vote_too = all || group->op == SpvOpGroupAny;
    enum lw_group_op op = LW_GROUP_IADD;
    if (group->op == SpvOpGroupBroadcast)
        return imported_broadcast(e, scope, args, count);
    if (!vote_too && !group_op(group->op, &op))
        return NULL;
    T type = LLVMTypeOf(args[0]);
    bool logical = vote_too || op >= LW_GROUP_LAND;
    V x = logical ? LLVMBuildICmp(e->b, LLVMIntNE, args[0], LLVMConstNull(type), "") : args[0];
    V made = vote_too ? vote(e, scope, all ? "all" : "any", x)
                      : reduced(e, scope, group->operation, op, x, NULL);
    return made && logical ? LLVMBuildZExt(e->b, made, type, "") : made;
}

static V
shuffled(lw_emitter *e, const char *name, V x, V index)
{
    index = lw_unsigned(e, index, e->i32);
    return each(e, SCOPE_SUB_GROUP, name, x, &index, 1);
}

static void
emit_shuffle(lw_emitter *e, const char *name, unsigned value_at)
{
    V x = lw_operand_value(e, value_at), index = lw_operand_value(e, value_at + 1);
    if (!e->failed)
        lw_emit_result(e, shuffled(e, name, x, index));
}

static void
emit_rotate(lw_emitter *e)
{
    V x = lw_operand_value(e, 4), extra[2] = {lw_unsigned(e, lw_operand_value(e, 5), e->i32), NULL};
    bool clustered = e->inst->count > 6;
    if (clustered)
        extra[1] = constant_size(e, 6);
    if (!e->failed)
        lw_emit_result(e, each(e, SCOPE_SUB_GROUP, clustered ? "rotate_clustered" : "rotate", x, extra,
                               clustered ? 2 : 1));
}

/* Two vectors side by side: lane + delta of them, the second where the first ends. `up` counts down from the
 * second. */
static V
shuffled_pair(lw_emitter *e, bool up, V a, V b, V delta)
{
    delta = lw_unsigned(e, delta, e->i32);
    V lane = lw_id0(e, "sub_group_local_id"), size = lw_id0(e, "max_sub_group_size");
    if (e->failed)
        return NULL;
    lane = LLVMBuildTrunc(e->b, lane, e->i32, "");
    size = LLVMBuildTrunc(e->b, size, e->i32, "");
    V place = up ? LLVMBuildSub(e->b, lane, delta, "") : LLVMBuildAdd(e->b, lane, delta, "");
    V in_a = up ? LLVMBuildICmp(e->b, LLVMIntSLT, place, lw_int(e->i32, 0), "")
                : LLVMBuildICmp(e->b, LLVMIntULT, place, size, "");
    V wrapped = LLVMBuildAnd(e->b, place, LLVMBuildSub(e->b, size, lw_int(e->i32, 1), ""), "");
    V from_a = each(e, SCOPE_SUB_GROUP, "shuffle", a, &wrapped, 1);
    V from_b = each(e, SCOPE_SUB_GROUP, "shuffle", b, &wrapped, 1);
    return e->failed ? NULL : LLVMBuildSelect(e->b, in_a, from_a, from_b, "");
}

V
lw_intel_shuffle(lw_emitter *e, uint32_t op, V *args, unsigned count)
{
    bool pair = op == SpvOpSubgroupShuffleDownINTEL || op == SpvOpSubgroupShuffleUpINTEL;
    if (e->failed || count != (pair ? 3 : 2) || (pair && LLVMTypeOf(args[0]) != LLVMTypeOf(args[1]))) {
        lw_emit_fail(e, "a shuffle of these operands");
        return NULL;
    }
    if (pair)
        return shuffled_pair(e, op == SpvOpSubgroupShuffleUpINTEL, args[0], args[1], args[2]);
    return shuffled(e, op == SpvOpSubgroupShuffleINTEL ? "shuffle" : "shuffle_xor", args[0], args[1]);
}

static void
emit_intel_shuffle(lw_emitter *e)
{
    V args[3] = {NULL};
    unsigned count = e->inst->count - 3u;
    for (unsigned k = 0; k < count && k < 3; k++)
        args[k] = lw_operand_value(e, 3 + k);
    lw_emit_result(e, lw_intel_shuffle(e, e->inst->op, args, count));
}

/* ---- blocks ---- */

/* Component k of a lane lies k sub-groups and the lane's number behind the pointer, which is contiguous
 * memory: where work-items have pointers of their own, the first one's counts. The extension leaves those
 * undefined; Intel's devices do so, and OpenVINO adds the lane's number. `value` NULL: read, else written. */
V
lw_intel_block(lw_emitter *e, V pointer, V value, T type)
{
    V parts[LW_MAX_COMPONENTS];
    V lane = lw_id0(e, "sub_group_local_id"), size = lw_id0(e, "max_sub_group_size");
    if (e->failed || LLVMGetTypeKind(LLVMTypeOf(pointer)) != LLVMPointerTypeKind) {
        lw_emit_fail(e, "a block behind what is no pointer");
        return NULL;
    }
    V number = LLVMBuildPtrToInt(e->b, pointer, e->i64, "");
    number = lw_call(e, "lw.sg.broadcast_first.i64", e->i64, &number, 1);
    if (e->failed)
        return NULL;
    pointer = LLVMBuildIntToPtr(e->b, number, LLVMTypeOf(pointer), "");
    T element = lw_scalar(type);
    for (unsigned k = 0; k < lw_parts(type) && !e->failed; k++) {
        V step = LLVMBuildMul(e->b, size, lw_int(e->i64, k), ""), at = LLVMBuildAdd(e->b, lane, step, "");
        V place = LLVMBuildInBoundsGEP2(e->b, element, pointer, &at, 1, "");
        if (value)
            lw_store_plain(e, lw_component(e, value, k), place, lw_bits(element) / 8, false);
        else
            parts[k] = lw_load_plain(e, element, place, lw_bits(element) / 8, false);
    }
    return value ? NULL : lw_assemble(e, type, parts);
}

static void
emit_block(lw_emitter *e, bool write)
{
    V pointer = lw_operand_value(e, write ? 1 : 3), value = write ? lw_operand_value(e, 2) : NULL;
    T type = write ? NULL : lw_emit_type(e, e->inst->type);
    if (e->failed)
        return;
    V made = lw_intel_block(e, pointer, value, write ? LLVMTypeOf(value) : type);
    if (!write)
        lw_emit_result(e, made);
}

static void
emit_all_equal(lw_emitter *e, unsigned n)
{
    V x = lw_operand_value(e, n), all = NULL;
    char name[32], suffix[16];
    if (e->failed)
        return;
    for (unsigned i = 0; i < lw_parts(LLVMTypeOf(x)); i++) {
        V part = lw_component(e, x, i);
        snprintf(name, sizeof name, "lw.sg.all_equal.%s", lw_suffix(LLVMTypeOf(part), suffix));
        V equal = lw_call(e, name, e->i1, &part, 1);
        all = all ? LLVMBuildAnd(e->b, all, equal, "") : equal;
    }
    lw_emit_result(e, all);
}

/* ---- ballots ---- */

/* <4 x i32> -> i64 */
static V
ballot_bits(lw_emitter *e, V four)
{
    if (e->failed || !four || LLVMTypeOf(four) != LLVMVectorType(e->i32, 4)) {
        lw_emit_fail(e, "a ballot that is no vector of four integers");
        return NULL;
    }
    V low = LLVMBuildZExt(e->b, lw_component(e, four, 0), e->i64, "");
    V high = LLVMBuildZExt(e->b, lw_component(e, four, 1), e->i64, "");
    return LLVMBuildOr(e->b, low, LLVMBuildShl(e->b, high, lw_int(e->i64, 32), ""), "");
}

V
lw_ballot_vector(lw_emitter *e, V bits, T type)
{
    if (e->failed || !bits || type != LLVMVectorType(e->i32, 4)) {
        lw_emit_fail(e, "a ballot that is no vector of four integers");
        return NULL;
    }
    V high = LLVMBuildLShr(e->b, bits, lw_int(e->i64, 32), ""), zero = lw_int(e->i32, 0);
    V parts[4] = {LLVMBuildTrunc(e->b, bits, e->i32, ""), LLVMBuildTrunc(e->b, high, e->i32, ""), zero, zero};
    return lw_assemble(e, type, parts);
}

/* The bit `lane` (any integer; 64 and above read as zero) of `bits`. */
static V
test_bit(lw_emitter *e, V bits, V lane)
{
    if (e->failed)
        return NULL;
    lane = LLVMBuildIntCast2(e->b, lane, e->i64, false, "");
    V inside = LLVMBuildICmp(e->b, LLVMIntULT, lane, lw_int(e->i64, 64), "");
    V place = LLVMBuildAnd(e->b, lane, lw_int(e->i64, 63), "");
    V bit = LLVMBuildTrunc(e->b, LLVMBuildLShr(e->b, bits, place, ""), e->i1, "");
    return LLVMBuildAnd(e->b, inside, bit, "");
}

/* The low `count` (1 to 64) bits. */
static V
low_bits(lw_emitter *e, V bits, V count)
{
    V unused = LLVMBuildSub(e->b, lw_int(e->i64, 64), count, "");
    return LLVMBuildAnd(e->b, bits, LLVMBuildLShr(e->b, lw_int(e->i64, ~0ull), unused, ""), "");
}

static void
emit_bit_count(lw_emitter *e)
{
    uint32_t kind = lw_operand(e, 4);
    V bits = ballot_bits(e, lw_operand_value(e, 5));
    T type = lw_emit_type(e, e->inst->type);
    if (e->failed)
        return;
    V lane = lw_id0(e, "sub_group_local_id"), one = lw_int(e->i64, 1), below;
    switch (kind) {
    case SpvGroupOperationReduce: bits = low_bits(e, bits, lw_id0(e, "max_sub_group_size")); break;
    case SpvGroupOperationInclusiveScan: bits = low_bits(e, bits, LLVMBuildAdd(e->b, lane, one, "")); break;
    case SpvGroupOperationExclusiveScan:
        below = LLVMBuildSub(e->b, LLVMBuildShl(e->b, one, lane, ""), one, "");
        bits = LLVMBuildAnd(e->b, bits, below, "");
        break;
    default: lw_emit_fail(e, "group operation %u", kind); return;
    }
    lw_emit_result(e, LLVMBuildIntCast2(e->b, lw_intrinsic1(e, "llvm.ctpop", bits), type, false, ""));
}

static void
emit_find(lw_emitter *e, bool lowest)
{
    V bits = ballot_bits(e, lw_operand_value(e, 4));
    T type = lw_emit_type(e, e->inst->type);
    if (e->failed)
        return;
    bits = low_bits(e, bits, lw_id0(e, "max_sub_group_size"));
    V place = lw_intrinsic2(e, lowest ? "llvm.cttz" : "llvm.ctlz", bits, lw_int(e->i1, 0));
    if (!lowest)
        place = LLVMBuildSub(e->b, lw_int(e->i64, 63), place, "");
    lw_emit_result(e, LLVMBuildIntCast2(e->b, place, type, false, ""));
}

static void
emit_ballot(lw_emitter *e, V predicate)
{
    T type = lw_emit_type(e, e->inst->type);
    if (!e->failed && LLVMTypeOf(predicate) != e->i1)
        lw_emit_fail(e, "a predicate that is no boolean");
    if (!e->failed)
        lw_emit_result(
            e, lw_ballot_vector(e, lw_call(e, "lw.sg.ballot", e->i64, &predicate, 1), type));
}

/* ---- the instructions ---- */

static void
emit_barrier(lw_emitter *e)
{
    uint64_t scope;
    if (lw_emit_literal(e, lw_operand(e, 1), &scope))
        lw_call(e, scope == SpvScopeSubgroup ? "lw.sg.barrier" : "lw.wg.barrier",
                LLVMVoidTypeInContext(e->context), NULL, 0);
}

/* The SPV_KHR_subgroup_* and SPV_INTEL_subgroups forms without a scope operand. */
static bool
emit_older(lw_emitter *e)
{
    switch (e->inst->op) {
    case SpvOpSubgroupBallotKHR: emit_ballot(e, lw_operand_value(e, 3)); return true;
    case SpvOpSubgroupFirstInvocationKHR:
        lw_emit_result(e, each(e, SCOPE_SUB_GROUP, "broadcast_first", lw_operand_value(e, 3), NULL, 0));
        return true;
    case SpvOpSubgroupAllKHR:
        lw_emit_result(e, vote(e, SCOPE_SUB_GROUP, "all", lw_operand_value(e, 3)));
        return true;
    case SpvOpSubgroupAnyKHR:
        lw_emit_result(e, vote(e, SCOPE_SUB_GROUP, "any", lw_operand_value(e, 3)));
        return true;
    case SpvOpSubgroupAllEqualKHR: emit_all_equal(e, 3); return true;
    case SpvOpSubgroupReadInvocationKHR: emit_shuffle(e, "broadcast", 3); return true;
    case SpvOpSubgroupShuffleINTEL:
    case SpvOpSubgroupShuffleXorINTEL:
    case SpvOpSubgroupShuffleDownINTEL:
    case SpvOpSubgroupShuffleUpINTEL: emit_intel_shuffle(e); return true;
    case SpvOpSubgroupBlockReadINTEL: emit_block(e, false); return true;
    case SpvOpSubgroupBlockWriteINTEL: emit_block(e, true); return true;
    default: return false;
    }
}

/* OpGroupNonUniform*: scope operand at 3, value at 4. */
static bool
emit_non_uniform(lw_emitter *e)
{
    V bits;
    switch (e->inst->op) {
    case SpvOpGroupNonUniformElect:
        lw_emit_result(e, lw_call(e, "lw.sg.elect", e->i1, NULL, 0));
        break;
    case SpvOpGroupNonUniformAllEqual: emit_all_equal(e, 4); break;
    case SpvOpGroupNonUniformBroadcastFirst:
        lw_emit_result(e, each(e, SCOPE_SUB_GROUP, "broadcast_first", lw_operand_value(e, 4), NULL, 0));
        break;
    case SpvOpGroupNonUniformBroadcast: emit_shuffle(e, "broadcast", 4); break;
    case SpvOpGroupNonUniformShuffle: emit_shuffle(e, "shuffle", 4); break;
    case SpvOpGroupNonUniformShuffleXor: emit_shuffle(e, "shuffle_xor", 4); break;
    case SpvOpGroupNonUniformShuffleUp: emit_shuffle(e, "shuffle_up", 4); break;
    case SpvOpGroupNonUniformShuffleDown: emit_shuffle(e, "shuffle_down", 4); break;
    case SpvOpGroupNonUniformRotateKHR: emit_rotate(e); break;
    case SpvOpGroupNonUniformBallot: emit_ballot(e, lw_operand_value(e, 4)); break;
    case SpvOpGroupNonUniformInverseBallot:
        bits = ballot_bits(e, lw_operand_value(e, 4));
        lw_emit_result(e, test_bit(e, bits, lw_id0(e, "sub_group_local_id")));
        break;
    case SpvOpGroupNonUniformBallotBitExtract:
        bits = ballot_bits(e, lw_operand_value(e, 4));
        lw_emit_result(e, test_bit(e, bits, lw_unsigned(e, lw_operand_value(e, 5), e->i32)));
        break;
    case SpvOpGroupNonUniformBallotBitCount: emit_bit_count(e); break;
    case SpvOpGroupNonUniformBallotFindLSB: emit_find(e, true); break;
    case SpvOpGroupNonUniformBallotFindMSB: emit_find(e, false); break;
    default: return false;
    }
    if (!e->failed && scope_of(e, 3) != SCOPE_SUB_GROUP)
        lw_emit_fail(e, "a non-uniform group operation of work-group scope");
    return true;
}

bool
lw_emit_groups(lw_emitter *e)
{
    enum lw_group_op op;
    enum scope scope;
    if (group_op(e->inst->op, &op)) {
        emit_reduction(e, op);
        return true;
    }
    switch (e->inst->op) {
    case SpvOpControlBarrier: emit_barrier(e); return true;
    case SpvOpGroupAll:
    case SpvOpGroupNonUniformAll:
        scope = scope_of(e, 3);
        lw_emit_result(e, vote(e, scope, "all", lw_operand_value(e, 4)));
        return true;
    case SpvOpGroupAny:
    case SpvOpGroupNonUniformAny:
        scope = scope_of(e, 3);
        lw_emit_result(e, vote(e, scope, "any", lw_operand_value(e, 4)));
        return true;
    case SpvOpGroupBroadcast: emit_broadcast(e); return true;
    default: return emit_non_uniform(e) || emit_older(e);
    }
}

/* SPDX-License-Identifier: MIT */
/* Work-group collectives: running accumulators in the work-group's scratch, passed from sub-group to
 * sub-group.
 *
 * Enters: the builder at a point that every sub-group of the work-group reaches.
 * Leaves: calls of lw.wg.barrier (the cuts), lw.group_scratch, lw.sub_group_first, lw.sub_group_id around
 * plain loads and stores. Every accumulator is written behind a cut, so that executions in a loop do not mix;
 * half is accumulated in float. Relies on: sub-groups run in increasing order between two cuts (workgroup.h).
 * Never: branches, but to what the last sub-group alone does: an atomic, the sum of the parts of a sum.
 */
#include <string.h>
#include "group_collectives.h"
#include "atomic.h"
#include "../../spirv/attributes.h"
#include "../lanes/internal.h"

enum effect { PURE, CUT };

static V
call(lw_lanes *l, const char *name, enum effect effect, LLVMTypeRef result, V *args, unsigned count)
{
    V function = LLVMGetNamedFunction(l->module, name);
    LLVMTypeRef types[4];

    if (!function) {
        for (unsigned i = 0; i < count; i++)
            types[i] = LLVMTypeOf(args[i]);
        function = LLVMAddFunction(l->module, name, LLVMFunctionType(result, types, count, false));
        lw_add_attributes(function, effect == CUT ? "nounwind convergent noduplicate nomerge"
                                                  : "nounwind willreturn memory");
    }
    return LLVMBuildCall2(l->builder, LLVMGlobalGetValueType(function), function, args, count, "");
}

static void
cut(lw_lanes *l)
{
    call(l, "lw.wg.barrier", CUT, LLVMVoidTypeInContext(l->context), NULL, 0);
}

static V
first_sub_group(lw_lanes *l)
{
    return call(l, "lw.sub_group_first", PURE, lw_lane_int_type(l, 1), NULL, 0);
}

static V
last_sub_group(lw_lanes *l)
{
    return call(l, "lw.sub_group_last", PURE, lw_lane_int_type(l, 1), NULL, 0);
}

static V
scratch_piece(lw_lanes *l, unsigned number, unsigned bytes)
{
    V args[] = {lane_int(l, 32, number), lane_int(l, 32, bytes)};

    return call(l, "lw.group_scratch", PURE, LLVMPointerTypeInContext(l->context, 0), args, 2);
}

static unsigned
bytes_of(LLVMTypeRef element)
{
    return (lw_lane_bits(element) + 7) / 8;
}

static bool
is_half(V x)
{
    return LLVMGetTypeKind(lw_lane_element(x)) == LLVMHalfTypeKind;
}

static V
load_piece(lw_lanes *l, LLVMTypeRef element, V piece)
{
    V value = LLVMBuildLoad2(l->builder, lw_lane_memory_type(l, element), piece, "");

    return lw_lane_from_memory(l, value, element);
}

/* What a collective came to, behind its last cut: every sub-group reads the same. */
static V
load_result(lw_lanes *l, LLVMTypeRef element, V piece)
{
    V value = LLVMBuildLoad2(l->builder, lw_lane_memory_type(l, element), piece, "");
    unsigned kind = LLVMGetMDKindIDInContext(l->context, LW_SAME, sizeof LW_SAME - 1);

    LLVMSetMetadata(value, kind, LLVMMetadataAsValue(l->context, LLVMMDNodeInContext2(l->context, NULL, 0)));
    return lw_lane_from_memory(l, value, element);
}

static void
store_piece(lw_lanes *l, V value, V piece)
{
    LLVMBuildStore(l->builder, lw_lane_to_memory(l, value), piece);
}

/* A vector of all lanes: pieces are aligned to 64 bytes, which is less than LLVM takes for granted of long
 * ones. */
static V
aligned(V access, unsigned bytes)
{
    LLVMSetAlignment(access, bytes < 64 ? bytes : 64);
    return access;
}

static bool
rounds(enum lw_group_op op)
{
    return op == LW_GROUP_FADD || op == LW_GROUP_FMUL;
}

/* Sums of floats in code of fewer lanes than N: each of N parts stands where wider code would have it, and
 * the last sub-group folds them in the order of N lanes. */
static V
reduce_parts(lw_lanes *l, enum lw_group_op op, V own, unsigned scratch)
{
    lw_lanes whole = *l;
    LLVMBuilderRef b = l->builder;
    LLVMTypeRef element = lw_lane_element(own), i8 = lw_lane_int_type(l, 8);
    unsigned times = l->summed / l->n, size = bytes_of(element), step = l->n * size, bytes = l->summed * size;
    V identity = lane_splat(l, lw_group_identity(op, element)), behind = lane_int(l, 64, bytes);

    whole.n = l->summed;
    cut(l);
    V piece = scratch_piece(l, scratch, bytes + size), last = last_sub_group(l);
    V id = call(l, "lw.sub_group_id", PURE, lw_lane_int_type(l, 64), NULL, 0);
    V place = LLVMBuildAnd(b, id, lane_int(l, 64, times - 1), "");
    place = lw_lane_gep(l, i8, piece, LLVMBuildMul(b, place, lane_int(l, 64, step), ""));
    V before = aligned(LLVMBuildLoad2(b, LLVMTypeOf(own), place, ""), step);
    V fresh = LLVMBuildICmp(b, LLVMIntULT, id, lane_int(l, 64, times), "");
    before = LLVMBuildSelect(b, fresh, identity, LLVMBuildFreeze(b, before, ""), "");
    aligned(LLVMBuildStore(b, lw_group_combine(l, op, before, own), place), step);
    LLVMBasicBlockRef fold = lw_lane_block(l, "fold"), done = lw_lane_block(l, "fold.done");
    LLVMBuildCondBr(b, last, fold, done);
    LLVMPositionBuilderAtEnd(b, fold);
    V parts = aligned(LLVMBuildLoad2(b, lane_type(&whole, element), piece, ""), bytes);
    V lanes = LLVMBuildMul(b, LLVMBuildAdd(b, id, lane_int(l, 64, 1), ""), lane_int(l, 64, l->n), "");
    V written = lane_mask_below(&whole, lanes);
    V sum = lw_subgroup_reduce(&whole, op, LLVMBuildFreeze(b, parts, ""), written);
    /* LLVM would keep it in a register and, for that, fold in each sub-group's turn. */
    V kept = LLVMBuildStore(b, lw_lane_to_memory(l, sum), lw_lane_gep(l, i8, piece, behind));
    LLVMSetVolatile(kept, true);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, done);
    cut(l);
    piece = scratch_piece(l, scratch, bytes + size);
    return load_result(l, element, lw_lane_gep(l, i8, piece, behind));
}

/* The lanes of all sub-groups first, one on top of the other, and only then across: by each sub-group, but
 * where they are written out one after the other only the last one's is left. Code of more lanes puts its own
 * on top of each other in the same order, code of fewer has a place for each: floats round alike in all code
 * of a kernel. */
static V
reduce_vectors(lw_lanes *l, enum lw_group_op op, V x, V mask, unsigned scratch)
{
    lw_lanes part = *l;
    LLVMTypeRef element = lw_lane_element(x);
    V own =
        lane_mask_is_all(mask) ? x : lane_select(l, mask, x, lane_splat(l, lw_group_identity(op, element)));

    if (rounds(op) && l->summed > l->n)
        return reduce_parts(l, op, own, scratch);
    part.n = l->summed && l->summed < l->n ? l->summed : l->n;
    unsigned bytes = part.n * bytes_of(element);
    V identity = lane_splat(&part, lw_group_identity(op, element)), behind = lane_int(l, 64, bytes);
    cut(l);
    V piece = scratch_piece(l, scratch, bytes + bytes_of(element));
    V before = LLVMBuildLoad2(l->builder, LLVMTypeOf(identity), piece, "");
    before = LLVMBuildFreeze(l->builder, aligned(before, bytes), "");
    V sum = LLVMBuildSelect(l->builder, first_sub_group(l), identity, before, "");
    for (unsigned first = 0; first < l->n; first += part.n)
        sum = lw_group_combine(&part, op, sum, lw_lane_part(&part, own, first, part.n));
    aligned(LLVMBuildStore(l->builder, sum, piece), bytes);
    store_piece(l, lw_subgroup_reduce(&part, op, sum, NULL),
                lw_lane_gep(l, lw_lane_int_type(l, 8), piece, behind));
    cut(l);
    piece = scratch_piece(l, scratch, bytes + bytes_of(element));
    return load_result(l, element, lw_lane_gep(l, lw_lane_int_type(l, 8), piece, behind));
}

/* What the earlier sub-groups made; the identity in the first. Frozen: the first reads what nobody wrote. */
static V
carry_in(lw_lanes *l, V identity, V piece)
{
    V before = LLVMBuildFreeze(l->builder, load_piece(l, LLVMTypeOf(identity), piece), "");

    return LLVMBuildSelect(l->builder, first_sub_group(l), identity, before, "");
}

V
lw_workgroup_reduce(lw_lanes *l, enum lw_group_op op, V x, V mask, unsigned scratch)
{
    LLVMTypeRef element = lw_lane_element(x);

    if (is_half(x)) {
        V sum = lw_workgroup_reduce(l, op, lane_half_to_float(l, x), mask, scratch);
        return lane_float_to_half(l, sum);
    }
    if (lw_lane_bits(element) > 1 && (rounds(op) || !lw_lane_splat_source(x)))
        return reduce_vectors(l, op, x, mask, scratch);
    V own = lw_subgroup_reduce(l, op, x, mask);
    cut(l);
    V piece = scratch_piece(l, scratch, bytes_of(element));
    V before = carry_in(l, lw_group_identity(op, element), piece);
    store_piece(l, lw_group_combine(l, op, before, own), piece);
    cut(l);
    return load_result(l, element, scratch_piece(l, scratch, bytes_of(element)));
}

V
lw_workgroup_scan(lw_lanes *l, enum lw_group_op op, V x, V mask, bool inclusive, unsigned scratch)
{
    LLVMTypeRef element = lw_lane_element(x);

    if (is_half(x)) {
        V sums = lw_workgroup_scan(l, op, lane_half_to_float(l, x), mask, inclusive, scratch);
        return lane_float_to_half(l, sums);
    }
    V scanned = lw_subgroup_scan_inclusive(l, op, x, mask);
    /* Lanes outside the mask count as the identity: the last lane has the sum of all. */
    V own = lane_extract(l, scanned, lane_int(l, 32, l->n - 1));
    if (!inclusive)
        scanned = lw_subgroup_scan_exclusive(l, op, x, mask);
    cut(l);
    V piece = scratch_piece(l, scratch, bytes_of(element));
    V before = carry_in(l, lw_group_identity(op, element), piece);
    store_piece(l, lw_group_combine(l, op, before, own), piece);
    return lw_group_combine(l, op, lane_splat(l, before), scanned);
}

V
lw_workgroup_all(lw_lanes *l, V x, V mask, unsigned scratch)
{
    return lw_workgroup_reduce(l, LW_GROUP_LAND, x, mask, scratch);
}

V
lw_workgroup_any(lw_lanes *l, V x, V mask, unsigned scratch)
{
    return lw_workgroup_reduce(l, LW_GROUP_LOR, x, mask, scratch);
}

void
lw_workgroup_broadcast(lw_lanes *l, V *x, unsigned components, V linear, unsigned scratch, V *results)
{
    LLVMTypeRef i64 = lw_lane_int_type(l, 64), i8 = lw_lane_int_type(l, 8);
    unsigned size = 0;

    for (unsigned k = 0; k < components; k++)
        size = bytes_of(lw_lane_element(x[k])) > size ? bytes_of(lw_lane_element(x[k])) : size;
    V lane = LLVMBuildTrunc(l->builder, LLVMBuildAnd(l->builder, linear, lane_int(l, 64, l->n - 1), ""),
                            lw_lane_int_type(l, 32), "");
    V owner = LLVMBuildLShr(l->builder, linear, lane_int(l, 64, __builtin_ctz(l->n)), "");
    cut(l);
    V mine = LLVMBuildICmp(l->builder, LLVMIntEQ, owner, call(l, "lw.sub_group_id", PURE, i64, NULL, 0), "");
    V piece = scratch_piece(l, scratch, size * components);
    for (unsigned k = 0; k < components; k++) {
        V at = lw_lane_gep(l, i8, piece, lane_int(l, 64, (int64_t)k * size));
        V value = lw_subgroup_broadcast(l, x[k], lane);
        V other = LLVMBuildFreeze(l->builder, load_piece(l, LLVMTypeOf(value), at), "");
        store_piece(l, LLVMBuildSelect(l->builder, mine, value, other, ""), at);
    }
    cut(l);
    piece = scratch_piece(l, scratch, size * components);
    for (unsigned k = 0; k < components; k++) {
        V at = lw_lane_gep(l, i8, piece, lane_int(l, 64, (int64_t)k * size));
        results[k] = load_result(l, lw_lane_element(x[k]), at);
    }
}

/* What the lanes bring together, and what each finds of those before it. */
struct shares {
    V total;  /* scalar */
    V before; /* vector */
};

static struct shares
share(lw_lanes *l, enum lw_group_op op, V value, V mask, bool used)
{
    V same = op == LW_GROUP_IADD ? lw_lane_splat_source(value) : NULL;

    if (!same)
        return (struct shares){lw_subgroup_reduce(l, op, value, mask),
                               used ? lw_subgroup_scan_exclusive(l, op, value, mask) : NULL};
    LLVMTypeRef type = LLVMTypeOf(same);
    V one = lane_splat(l, LLVMConstInt(type, 1, false)), bits = lane_mask_bits64(l, mask);
    V count = LLVMBuildIntCast2(l->builder, lw_lane_call1(l, "llvm.ctpop", bits), type, false, "");
    V places = used ? lw_subgroup_scan_exclusive(l, op, one, mask) : NULL;
    return (struct shares){LLVMBuildMul(l->builder, same, count, ""),
                           used ? LLVMBuildMul(l->builder, value, places, "") : NULL};
}

/* i1: has any lane of the work-group come here? NULL: all have. */
static V
anybody(lw_lanes *l, V mask, V flag)
{
    LLVMTypeRef i1 = lw_lane_int_type(l, 1);

    if (lane_mask_is_all(mask))
        return NULL;
    V some = LLVMBuildOr(l->builder, carry_in(l, LLVMConstNull(i1), flag), lane_any(l, mask), "");
    store_piece(l, some, flag);
    return some;
}

/* The accumulator, what memory had, and whether there is anything to do, side by side in the scratch. */
V
lw_workgroup_atomic(lw_lanes *l, LLVMAtomicRMWBinOp op, V pointer, V value, V mask, LLVMAtomicOrdering order,
                    bool used, unsigned scratch)
{
    LLVMTypeRef element = lw_lane_element(value), i8 = lw_lane_int_type(l, 8);
    enum lw_group_op group = lw_lane_combining(op);
    struct shares s = share(l, group, value, mask, used);
    unsigned size = bytes_of(element);
    V piece = scratch_piece(l, scratch, 2 * size + 1),
      found = lw_lane_gep(l, i8, piece, lane_int(l, 64, size));
    V before = carry_in(l, lw_group_identity(group, element), piece);
    V total = lw_group_combine(l, group, before, s.total);
    V some = anybody(l, mask, lw_lane_gep(l, i8, piece, lane_int(l, 64, 2 * size)));
    LLVMBasicBlockRef all = lw_lane_block(l, "atomic.group"), done = lw_lane_block(l, "atomic.group.done");
    V last = last_sub_group(l);

    store_piece(l, total, piece);
    LLVMBuildCondBr(l->builder, some ? LLVMBuildAnd(l->builder, last, some, "") : last, all, done);
    LLVMPositionBuilderAtEnd(l->builder, all);
    store_piece(l, lw_lane_rmw(l, op, pointer, total, order), found);
    LLVMBuildBr(l->builder, done);
    LLVMPositionBuilderAtEnd(l->builder, done);
    if (!used)
        return NULL;
    cut(l);
    V old = LLVMBuildFreeze(l->builder, load_result(l, element, found), "");
    if (op == LLVMAtomicRMWBinOpSub) {
        before = lw_group_combine(l, group, lane_splat(l, before), s.before);
        return LLVMBuildSub(l->builder, lane_splat(l, old), before, "");
    }
    return lw_group_combine(l, group, lane_splat(l, lw_group_combine(l, group, old, before)), s.before);
}

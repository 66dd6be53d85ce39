/* SPDX-License-Identifier: MIT */
/* Atomics of lanes: in lane order over the active ones, or one operation for all where the address is
 * uniform. Nothing orders the lanes of a sub-group: compare-and-exchange takes those first that fail at once.
 *
 * With an associative operation at a uniform address the lanes are reduced first and memory sees one
 * operation; lane i's old value is then the old content combined with the lanes before it. An empty mask
 * sends that one operation to the sink, so no branch is needed.
 *
 * Floating-point operations are combined only where nobody asks for old values: the order of additions is
 * free, but what a lane is told must have stood in memory. Maxima and minima that change nothing are loads,
 * which come first.
 *
 * Local memory belongs to one thread, the one that runs the work-group: its read-modify-writes are plain
 * ones in the end, which cost a tenth and overlap. They stay atomic instructions until sub-groups are laid
 * beside each other: what goes through a region in step must not load the sum before another has stored it.
 * Half has no atomic instruction and no library here: its operations are compare-exchange loops in float,
 * which round as half ones do.
 *
 * Enters: addresses, operands and a mask (lanes.h), of lanes that exist or not. Leaves: old values, where
 * they are used; lw_lower_local_atomics leaves no atomic of local memory that has a plain form. Relies on:
 * the address space for what other threads see. Never: changes memory for a lane that is not active.
 */
#include "atomic.h"
#include "../facts/instructions.h"
#include "../flow/module_pass.h"
#include "../lanes/internal.h"
#include "subgroup_ops.h"

/* By operation: the group operation that combines two of its operands into one, and what memory holds
 * afterwards, as an instruction or a call. */
static const struct operation {
    bool combines;
    enum lw_group_op group;
    LLVMOpcode opcode; /* 0: none */
    const char *call;
} operations[] = {
    [LLVMAtomicRMWBinOpXchg] = {0},
    [LLVMAtomicRMWBinOpAdd] = {true, LW_GROUP_IADD, LLVMAdd, NULL},
    [LLVMAtomicRMWBinOpSub] = {true, LW_GROUP_IADD, LLVMSub, NULL},
    [LLVMAtomicRMWBinOpAnd] = {true, LW_GROUP_AND, LLVMAnd, NULL},
    [LLVMAtomicRMWBinOpOr] = {true, LW_GROUP_OR, LLVMOr, NULL},
    [LLVMAtomicRMWBinOpXor] = {true, LW_GROUP_XOR, LLVMXor, NULL},
    [LLVMAtomicRMWBinOpMax] = {true, LW_GROUP_SMAX, 0, "llvm.smax"},
    [LLVMAtomicRMWBinOpMin] = {true, LW_GROUP_SMIN, 0, "llvm.smin"},
    [LLVMAtomicRMWBinOpUMax] = {true, LW_GROUP_UMAX, 0, "llvm.umax"},
    [LLVMAtomicRMWBinOpUMin] = {true, LW_GROUP_UMIN, 0, "llvm.umin"},
    [LLVMAtomicRMWBinOpFAdd] = {true, LW_GROUP_FADD, LLVMFAdd, NULL},
    [LLVMAtomicRMWBinOpFSub] = {true, LW_GROUP_FADD, LLVMFSub, NULL},
    [LLVMAtomicRMWBinOpFMax] = {true, LW_GROUP_FMAX, 0, "llvm.maxnum"},
    [LLVMAtomicRMWBinOpFMin] = {true, LW_GROUP_FMIN, 0, "llvm.minnum"},
};

static bool
has_plain_form(LLVMAtomicRMWBinOp op)
{
    return op < sizeof operations / sizeof *operations && op != LLVMAtomicRMWBinOpNand;
}

/* LW_GROUP_OP_COUNT: it does not combine. */
static enum lw_group_op
combining(LLVMAtomicRMWBinOp op)
{
    return has_plain_form(op) && operations[op].combines ? operations[op].group : LW_GROUP_OP_COUNT;
}

static bool
is_floating(LLVMAtomicRMWBinOp op)
{
    return op >= LLVMAtomicRMWBinOpFAdd && op <= LLVMAtomicRMWBinOpFMin;
}

static bool
is_half(V value)
{
    return LLVMGetTypeKind(lw_lane_element(value)) == LLVMHalfTypeKind;
}

static V
guarded_pointer(lw_lanes *l, V pointer, V mask)
{
    if (lane_mask_is_all(mask))
        return pointer;
    V sink = lw_lane_sink(l, LLVMTypeOf(pointer));
    return LLVMBuildSelect(l->builder, lane_any(l, mask), pointer, sink, "");
}

/* What memory holds afterwards; NULL where there is no plain form. */
static V
changed(lw_lanes *l, LLVMAtomicRMWBinOp op, V old, V value)
{
    if (is_floating(op) && is_half(old)) {
        old = lane_half_to_float(l, old);
        return lane_float_to_half(l, changed(l, op, old, lane_half_to_float(l, value)));
    }
    if (!has_plain_form(op))
        return NULL;
    if (op == LLVMAtomicRMWBinOpXchg)
        return value;
    if (operations[op].call)
        return lw_lane_call2(l, operations[op].call, old, value);
    return LLVMBuildBinOp(l->builder, operations[op].opcode, old, value, "");
}

static bool
is_plain(LLVMAtomicRMWBinOp op, LLVMTypeRef pointer)
{
    return LLVMGetPointerAddressSpace(pointer) == LW_AS_LOCAL && has_plain_form(op);
}

static V
half_at(lw_lanes *l, V bits)
{
    return LLVMBuildBitCast(l->builder, bits, LLVMHalfTypeInContext(l->context), "");
}

static V
rmw_half(lw_lanes *l, LLVMAtomicRMWBinOp op, V pointer, V value, LLVMAtomicOrdering order)
{
    LLVMBuilderRef b = l->builder;
    LLVMTypeRef i16 = lw_lane_int_type(l, 16);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b), again = lw_lane_block(l, "atomic.half");
    LLVMBasicBlockRef done = lw_lane_block(l, "atomic.half.done");
    LLVMAtomicOrdering failure = order == LLVMAtomicOrderingAcquireRelease ? LLVMAtomicOrderingAcquire
                                 : order == LLVMAtomicOrderingRelease      ? LLVMAtomicOrderingMonotonic
                                                                           : order;
    V first = LLVMBuildLoad2(b, i16, pointer, "");

    LLVMSetAlignment(first, 2);
    LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
    LLVMBuildBr(b, again);
    LLVMPositionBuilderAtEnd(b, again);
    V seen = LLVMBuildPhi(b, i16, "");
    V next = LLVMBuildBitCast(b, changed(l, op, half_at(l, seen), value), i16, "");
    V both = LLVMBuildAtomicCmpXchg(b, pointer, seen, next, order, failure, false);
    V now = LLVMBuildExtractValue(b, both, 0, "");
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(b);
    LLVMBuildCondBr(b, LLVMBuildExtractValue(b, both, 1, ""), done, again);
    LLVMAddIncoming(seen, &first, &before, 1);
    LLVMAddIncoming(seen, &now, &latch, 1);
    LLVMPositionBuilderAtEnd(b, done);
    return half_at(l, now);
}

static V
rmw_plain(lw_lanes *l, LLVMAtomicRMWBinOp op, V pointer, V value)
{
    LLVMTypeRef type = LLVMTypeOf(value), memory = lw_lane_memory_type(l, type);
    V loaded = LLVMBuildLoad2(l->builder, memory, pointer, "");
    LLVMSetAlignment(loaded, lw_lane_bits(memory) / 8);
    V old = lw_lane_from_memory(l, loaded, type);
    V store = LLVMBuildStore(l->builder, lw_lane_to_memory(l, changed(l, op, old, value)), pointer);
    LLVMSetAlignment(store, lw_lane_bits(memory) / 8);
    return old;
}

static V
atomic_load(lw_lanes *l, LLVMTypeRef type, V pointer, LLVMAtomicOrdering order, unsigned align)
{
    unsigned bytes = lw_lane_bits(type) / 8;
    V value = LLVMBuildLoad2(l->builder, type, pointer, "");

    /* An atomic access is naturally aligned or it is none. */
    LLVMSetAlignment(value, align > bytes && align <= 64 ? align : bytes);
    LLVMSetOrdering(value, order);
    return value;
}

/* May a load stand for an operation that changes nothing? For orders that ask for no more than a load has on
 * x86 for nothing. */
static bool
may_peek(lw_lanes *l, V pointer, V value, LLVMAtomicOrdering order)
{
    unsigned least = lw_lane_is_vector(pointer) ? lw_isa_row(l->isa)->gather_bits : 32;
    return lw_lane_bits(lw_lane_element(value)) >= least &&
           (order == LLVMAtomicOrderingMonotonic || order == LLVMAtomicOrderingAcquire);
}

/* What memory holds, of each lane or at the one address. */
static V
look(lw_lanes *l, V pointer, LLVMTypeRef element, V mask, LLVMAtomicOrdering order)
{
    unsigned bytes = lw_lane_bits(element) / 8;
    V found = lw_lane_is_vector(pointer)
                  ? lane_gather(l, element, pointer, mask, bytes)
                  : atomic_load(l, element, pointer, LLVMAtomicOrderingMonotonic, bytes);
    if (order == LLVMAtomicOrderingAcquire)
        LLVMBuildFence(l->builder, LLVMAtomicOrderingAcquire, false, "");
    return found;
}

/* Most maxima and minima stand in memory already, and x86 has no instruction for them but
 * compare-and-exchange, which locks the line. */
static bool
is_extreme(lw_lanes *l, LLVMAtomicRMWBinOp op, V pointer, V value, LLVMAtomicOrdering order)
{
    bool extreme = op >= LLVMAtomicRMWBinOpMax && op <= LLVMAtomicRMWBinOpUMin;
    return extreme && !is_plain(op, lw_lane_element(pointer)) && may_peek(l, pointer, value, order);
}

/* The old value. */
static V
rmw(lw_lanes *l, LLVMAtomicRMWBinOp op, V pointer, V value, LLVMAtomicOrdering order)
{
    if (order == LLVMAtomicOrderingNotAtomic)
        return rmw_plain(l, op, pointer, value);
    return is_floating(op) && is_half(value) && !is_plain(op, LLVMTypeOf(pointer))
               ? rmw_half(l, op, pointer, value, order)
               : LLVMBuildAtomicRMW(l->builder, op, pointer, value, order, false);
}

bool
lw_is_local_rmw(V i)
{
    return LLVMIsAAtomicRMWInst(i) && !LLVMGetVolatile(i) &&
           is_plain(LLVMGetAtomicRMWBinOp(i), LLVMTypeOf(LLVMGetOperand(i, 0)));
}

static void
lower_local(lw_lanes *l, V i)
{
    if (!lw_is_local_rmw(i))
        return;
    LLVMPositionBuilderBefore(l->builder, i);
    V old = rmw_plain(l, LLVMGetAtomicRMWBinOp(i), LLVMGetOperand(i, 0), LLVMGetOperand(i, 1));
    lw_replace(i, old);
}

void
lw_lower_local_atomics(LLVMModuleRef module, lw_isa isa)
{
    lw_visit_instructions(module, isa, lower_local);
}

unsigned
lw_lane_combining(LLVMAtomicRMWBinOp op)
{
    return combining(op);
}

V
lw_lane_rmw(lw_lanes *l, LLVMAtomicRMWBinOp op, V pointer, V value, LLVMAtomicOrdering order)
{
    return rmw(l, op, pointer, value, order);
}

/* One operation, where what is there would change. */
static V
rmw_if_changed(lw_lanes *l, LLVMAtomicRMWBinOp op, V pointer, V value, LLVMAtomicOrdering order)
{
    if (!is_extreme(l, op, pointer, value, order))
        return rmw(l, op, pointer, value, order);
    V found = look(l, pointer, LLVMTypeOf(value), NULL, order);
    V stays = LLVMBuildICmp(l->builder, LLVMIntEQ, changed(l, op, found, value), found, "");
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder), change = lw_lane_block(l, "atomic.change");
    LLVMBasicBlockRef done = lw_lane_block(l, "atomic.changed");
    LLVMBuildCondBr(l->builder, stays, done, change);
    LLVMPositionBuilderAtEnd(l->builder, change);
    V old = rmw(l, op, pointer, value, order);
    LLVMBuildBr(l->builder, done);
    LLVMPositionBuilderAtEnd(l->builder, done);
    return lw_lane_phi2(l, found, before, old, change);
}

static V
rmw_combined(lw_lanes *l, LLVMAtomicRMWBinOp op, V pointer, V value, V mask, LLVMAtomicOrdering order,
             bool used)
{
    enum lw_group_op group = combining(op);
    bool ignores_nan = op == LLVMAtomicRMWBinOpFMin || op == LLVMAtomicRMWBinOpFMax;
    V none = ignores_nan ? LLVMConstReal(lw_lane_element(value), __builtin_nan("")) : NULL;
    /* The group's own identity, an infinity, would beat a NaN in memory. */
    bool fill = none && !lane_mask_is_all(mask);
    V brought = fill ? lane_select(l, mask, value, lane_splat(l, none)) : value;
    V total = lw_subgroup_reduce(l, group, brought, fill ? NULL : mask);
    V old = rmw_if_changed(l, op, guarded_pointer(l, pointer, mask), total, order);

    if (!used)
        return LLVMConstNull(LLVMTypeOf(value));
    V before = lw_subgroup_scan_exclusive(l, group, value, mask);
    if (op == LLVMAtomicRMWBinOpSub)
        return LLVMBuildSub(l->builder, lane_splat(l, old), before, "");
    return lw_group_combine(l, group, lane_splat(l, old), before);
}

/* The pointer of a lane in a loop over lanes: spilled vectors, or the scalar itself. */
struct lane_pointer {
    V pointer, slot;
    LLVMTypeRef type;
};

static struct lane_pointer
spill_pointer(lw_lanes *l, V pointer)
{
    struct lane_pointer result = {pointer, NULL, lw_lane_element(pointer)};

    if (lw_lane_is_vector(pointer))
        result.slot = lane_spill(l, pointer);
    return result;
}

static V
pointer_of_lane(lw_lanes *l, const struct lane_pointer *pointer, V lane)
{
    return pointer->slot ? lane_reload(l, pointer->type, pointer->slot, lane) : pointer->pointer;
}

struct lane_rmw {
    LLVMAtomicRMWBinOp op;
    LLVMAtomicOrdering order;
    V pointers, value; /* vectors, or a scalar for all lanes */
    LLVMTypeRef element;
    struct lane_pointer pointer; /* in the loop over lanes */
    V values, same;              /* there: spilled, or the scalar that all lanes bring */
};

static V
rmw_lane(lw_lanes *l, V lane, void *data)
{
    struct lane_rmw *r = data;
    V value = r->same ? r->same : lane_reload(l, r->element, r->values, lane);

    return rmw(l, r->op, pointer_of_lane(l, &r->pointer, lane), value, r->order);
}

/* The active lanes one after the other. */
static V
rmw_loop(lw_lanes *l, struct lane_rmw *r, V mask, bool used)
{
    r->pointer = spill_pointer(l, r->pointers);
    if (!r->same)
        r->values = lane_spill(l, r->value);
    return lane_serialise(l, "atomic", mask, used ? r->element : NULL, rmw_lane, r);
}

/* All lanes without a loop: their addresses are independent of each other, so they overlap. */
static V
rmw_unrolled(lw_lanes *l, const struct lane_rmw *r, bool used)
{
    V old = LLVMGetPoison(lane_type(l, r->element));

    for (unsigned i = 0; i < l->n; i++) {
        V lane = lane_int(l, 32, i), pointer = r->pointers;
        if (lw_lane_is_vector(pointer))
            pointer = LLVMBuildExtractElement(l->builder, pointer, lane, "");
        V value = r->same ? r->same : LLVMBuildExtractElement(l->builder, r->value, lane, "");
        V one = rmw(l, r->op, pointer, value, r->order);
        if (used)
            old = LLVMBuildInsertElement(l->builder, old, one, lane, "");
    }
    return old;
}

/* Unrolled where all lanes are active, which costs code: for a plain operation, or a single instruction. */
static V
rmw_lanes(lw_lanes *l, struct lane_rmw *r, V mask, bool used)
{
    bool plain = is_plain(r->op, lw_lane_element(r->pointers));
    bool single =
        !used && r->op <= LLVMAtomicRMWBinOpXor && r->op != LLVMAtomicRMWBinOpNand && lane_mask_is_all(mask);

    if ((!plain && !single) || l->n > 16 || lw_lane_bits(r->element) < 32)
        return rmw_loop(l, r, mask, used);
    if (lane_mask_is_all(mask))
        return rmw_unrolled(l, r, used);
    struct lw_two_ways ways;
    lw_lane_fork(l, &ways, lane_all(l, mask), false, "atomic.all", "atomic.some");
    V old = rmw_unrolled(l, r, used);
    lw_lane_other_way(l, &ways);
    V other = rmw_loop(l, r, mask, used);
    lw_lane_meet(l, &ways);
    return used ? lw_lane_met(l, &ways, old, other) : NULL;
}

V
lane_atomic_rmw(lw_lanes *l, LLVMAtomicRMWBinOp op, V pointer, V value, V mask, LLVMAtomicOrdering order,
                bool used)
{
    LLVMTypeRef element = lw_lane_element(value);

    if (!lw_lane_is_vector(pointer) && combining(op) != LW_GROUP_OP_COUNT && !(used && is_floating(op)))
        return rmw_combined(l, op, pointer, value, mask, order, used);
    struct lane_rmw r = {.op = op,
                         .order = order,
                         .pointers = pointer,
                         .value = value,
                         .element = element,
                         .same = lw_lane_splat_source(value)};
    V found = NULL;
    if (lw_lane_is_vector(pointer) && is_extreme(l, op, pointer, value, order)) {
        found = look(l, pointer, element, mask, order);
        V next = changed(l, op, found, lw_lane_is_vector(value) ? value : lane_splat(l, value));
        mask = lane_and(l, mask, LLVMBuildICmp(l->builder, LLVMIntNE, next, found, ""));
    }
    V old = rmw_lanes(l, &r, mask, used);
    if (used && found)
        old = lane_select(l, mask, old, found);
    return used ? old : LLVMConstNull(LLVMTypeOf(value));
}

/* A comparison that fails is a load: the lanes that a gather finds to fail are done, and the lines of the
 * others, which come one after the other where each locks the bus, come side by side. Narrows the mask; gives
 * what was there. */
static V
peek(lw_lanes *l, V pointer, V expected, LLVMAtomicOrdering failure, V *mask)
{
    if (!lw_lane_is_vector(pointer) || !may_peek(l, pointer, expected, failure))
        return LLVMConstNull(LLVMTypeOf(expected));
    V found = look(l, pointer, lw_lane_element(expected), *mask, failure);
    *mask = lane_and(l, *mask, LLVMBuildICmp(l->builder, LLVMIntEQ, found, expected, ""));
    return found;
}

struct exchange {
    V pointers, expected, desired; /* vectors, or a scalar for all lanes */
    LLVMAtomicOrdering success, failure;
    struct lane_pointer pointer; /* in the loop over lanes */
    V compare, replace;          /* there: spilled, or the scalar that all lanes have */
    bool same_compare, same_replace;
};

/* What was there. */
static V
exchange_one(lw_lanes *l, const struct exchange *x, V pointer, V expected, V desired)
{
    V pair = LLVMBuildAtomicCmpXchg(l->builder, pointer, expected, desired, x->success, x->failure, false);

    return LLVMBuildExtractValue(l->builder, pair, 0, "");
}

static V
exchange_lane(lw_lanes *l, V lane, void *data)
{
    struct exchange *x = data;
    LLVMTypeRef element = lw_lane_element(x->expected);
    V expected = x->same_compare ? x->compare : lane_reload(l, element, x->compare, lane);
    V desired = x->same_replace ? x->replace : lane_reload(l, element, x->replace, lane);

    return exchange_one(l, x, pointer_of_lane(l, &x->pointer, lane), expected, desired);
}

static V
of_all_or_spilled(lw_lanes *l, V value, bool *same)
{
    V scalar = lw_lane_splat_source(value);

    *same = scalar != NULL;
    return scalar ? scalar : lane_spill(l, value);
}

/* The active lanes one after the other. */
static V
exchange_loop(lw_lanes *l, struct exchange *x, V mask)
{
    x->pointer = spill_pointer(l, x->pointers);
    x->compare = of_all_or_spilled(l, x->expected, &x->same_compare);
    x->replace = of_all_or_spilled(l, x->desired, &x->same_replace);
    return lane_serialise(l, "atomic compare-exchange", mask, lw_lane_element(x->expected), exchange_lane, x);
}

static V
exchange_unrolled(lw_lanes *l, const struct exchange *x)
{
    V old = LLVMGetPoison(LLVMTypeOf(x->expected));

    for (unsigned i = 0; i < l->n; i++) {
        V lane = lane_int(l, 32, i), pointer = x->pointers;
        if (lw_lane_is_vector(pointer))
            pointer = LLVMBuildExtractElement(l->builder, pointer, lane, "");
        V one = exchange_one(l, x, pointer, LLVMBuildExtractElement(l->builder, x->expected, lane, ""),
                             LLVMBuildExtractElement(l->builder, x->desired, lane, ""));
        old = LLVMBuildInsertElement(l->builder, old, one, lane, "");
    }
    return old;
}

/* What was there for each lane, of an exchange that may succeed in some. */
static V
exchange(lw_lanes *l, struct exchange *x, V found, V mask)
{
    struct lw_two_ways ways;
    if (l->n > 16 || lw_lane_bits(lw_lane_element(x->expected)) < 32)
        return lane_select(l, mask, exchange_loop(l, x, mask), found);
    lw_lane_fork(l, &ways, lane_all(l, mask), false, "exchange.all", "exchange.some");
    V all = exchange_unrolled(l, x);
    lw_lane_other_way(l, &ways);
    V one_by_one = lane_select(l, mask, exchange_loop(l, x, mask), found);
    lw_lane_meet(l, &ways);
    return lw_lane_met(l, &ways, all, one_by_one);
}

/* At one address: a load tells whether it will fail in all lanes, without taking the line from others. */
static V
exchange_if_expected(lw_lanes *l, struct exchange *x, V mask)
{
    struct lw_two_ways ways;
    V there = look(l, guarded_pointer(l, x->pointers, mask), lw_lane_element(x->expected), NULL, x->failure);
    V found = lane_splat(l, there);
    V hits = lane_and(l, mask, LLVMBuildICmp(l->builder, LLVMIntEQ, found, x->expected, ""));
    lw_lane_fork(l, &ways, lane_any(l, hits), false, "exchange.try", "exchange.fails");
    V tried = exchange(l, x, found, mask);
    lw_lane_other_way(l, &ways);
    lw_lane_meet(l, &ways);
    return lw_lane_met(l, &ways, tried, found);
}

void
lane_atomic_cmpxchg(lw_lanes *l, V pointer, V expected, V desired, V mask, LLVMAtomicOrdering success,
                    LLVMAtomicOrdering failure, V *old, V *swapped)
{
    struct exchange x = {pointer, expected, desired, success, failure, .same_compare = false};
    bool one = !lw_lane_is_vector(pointer);
    if (one && may_peek(l, pointer, expected, failure)) {
        *old = exchange_if_expected(l, &x, mask);
    } else {
        V found = peek(l, pointer, expected, failure, &mask);
        *old = exchange(l, &x, found, mask);
    }
    *swapped = LLVMBuildICmp(l->builder, LLVMIntEQ, *old, expected, ""); /* it never fails for nothing */
}

static void
atomic_store(lw_lanes *l, V value, V pointer, LLVMAtomicOrdering order, unsigned align)
{
    unsigned bytes = lw_lane_bits(LLVMTypeOf(value)) / 8;
    V instruction = LLVMBuildStore(l->builder, value, pointer);

    LLVMSetAlignment(instruction, align > bytes && align <= 64 ? align : bytes);
    LLVMSetOrdering(instruction, order);
}

V
lane_atomic_load(lw_lanes *l, LLVMTypeRef element, V pointers, V mask, LLVMAtomicOrdering order,
                 unsigned align)
{
    LLVMTypeRef memory = lw_lane_memory_type(l, element);
    V zeros = lw_lane_zeros(l, lw_lane_element(pointers)), value = LLVMGetPoison(lane_type(l, memory));

    if (!lw_lane_is_vector(pointers)) {
        if (!lane_mask_is_all(mask))
            pointers = LLVMBuildSelect(l->builder, lane_any(l, mask), pointers, zeros, "");
        V one = atomic_load(l, memory, pointers, order, align);
        return lane_splat(l, lw_lane_from_memory(l, one, element));
    }
    lw_lane_note(l, "atomic load");
    if (!lane_mask_is_all(mask))
        pointers = LLVMBuildSelect(l->builder, mask, pointers, lane_splat(l, zeros), "");
    for (unsigned i = 0; i < l->n; i++) {
        V lane = lane_int(l, 32, i), pointer = LLVMBuildExtractElement(l->builder, pointers, lane, "");
        V one = atomic_load(l, memory, pointer, order, align);
        value = LLVMBuildInsertElement(l->builder, value, one, lane, "");
    }
    return lw_lane_from_memory(l, value, element);
}

void
lane_atomic_store(lw_lanes *l, V vector, V pointers, V mask, LLVMAtomicOrdering order, unsigned align)
{
    if (!lw_lane_is_vector(pointers)) {
        V value = lw_lane_to_memory(l, lane_extract(l, vector, lane_last(l, mask)));
        atomic_store(l, value, guarded_pointer(l, pointers, mask), order, align);
        return;
    }
    lw_lane_note(l, "atomic store");
    if (!lane_mask_is_all(mask)) {
        V sink = lw_lane_sink(l, lw_lane_element(pointers));
        pointers = LLVMBuildSelect(l->builder, mask, pointers, lane_splat(l, sink), "");
    }
    vector = lw_lane_to_memory(l, vector);
    for (unsigned i = 0; i < l->n; i++) {
        V lane = lane_int(l, 32, i), pointer = LLVMBuildExtractElement(l->builder, pointers, lane, "");
        atomic_store(l, LLVMBuildExtractElement(l->builder, vector, lane, ""), pointer, order, align);
    }
}

V
lane_update(lw_lanes *l, LLVMAtomicRMWBinOp op, V pointers, V value, bool used)
{
    struct lane_rmw r = {.op = op,
                         .order = LLVMAtomicOrderingNotAtomic,
                         .pointers = pointers,
                         .value = value,
                         .element = lw_lane_element(value),
                         .same = lw_lane_splat_source(value)};

    return rmw_unrolled(l, &r, used);
}

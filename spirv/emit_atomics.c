/* SPDX-License-Identifier: MIT */
/* Atomics and fences. The scope is always the system's: work-items of a device share one memory. Floats load,
 * store and exchange as integers. */
#include "emitter.h"

/* `read`, `write`: what the instruction does, since a load cannot release nor a store acquire. A load whose
 * semantics are no load's acquires: clang-22 writes atomic_load_explicit's scope, 1 to 4, in their place. */
static LLVMAtomicOrdering
ordering(lw_emitter *e, uint32_t semantics_id, bool read, bool write)
{
    uint64_t bits;
    if (!lw_constant_bits(e->spv, semantics_id, &bits))
        return LLVMAtomicOrderingSequentiallyConsistent; /* an order chosen at run time */
    if (bits & SpvMemorySemanticsSequentiallyConsistentMask)
        return LLVMAtomicOrderingSequentiallyConsistent;
    uint64_t acquires = SpvMemorySemanticsAcquireMask | SpvMemorySemanticsAcquireReleaseMask |
                        (write ? 0 : 1 | SpvMemorySemanticsReleaseMask);
    bool acquire = read && bits & acquires;
    bool release = write && bits & (SpvMemorySemanticsReleaseMask | SpvMemorySemanticsAcquireReleaseMask);
    if (acquire && release)
        return LLVMAtomicOrderingAcquireRelease;
    return acquire   ? LLVMAtomicOrderingAcquire
           : release ? LLVMAtomicOrderingRelease
                     : LLVMAtomicOrderingMonotonic;
}

static V
pointer_operand(lw_emitter *e, unsigned n)
{
    V pointer = lw_operand_value(e, n);
    if (!e->failed && LLVMGetTypeKind(LLVMTypeOf(pointer)) != LLVMPointerTypeKind) {
        lw_emit_fail(e, "a pointer operand that is no pointer");
        return NULL;
    }
    return pointer;
}

/* The integer that stands for a scalar in memory; failure where it is none. */
static T
carrier(lw_emitter *e, T type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    bool scalar = kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind || lw_is_float(type);
    if (!scalar || lw_parts(type) != 1 || lw_bits(type) < 8) {
        lw_emit_fail(e, "an atomic operation on this type");
        return NULL;
    }
    return LLVMIntTypeInContext(e->context, lw_bits(type));
}

static V
to_carrier(lw_emitter *e, V value)
{
    T type = value ? carrier(e, LLVMTypeOf(value)) : NULL;
    if (!type || LLVMTypeOf(value) == type)
        return value;
    if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind)
        return LLVMBuildPtrToInt(e->b, value, type, "");
    return LLVMBuildBitCast(e->b, value, type, "");
}

static V
from_carrier(lw_emitter *e, V value, T type)
{
    if (!value || LLVMTypeOf(value) == type)
        return value;
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
        return LLVMBuildIntToPtr(e->b, value, type, "");
    return LLVMBuildBitCast(e->b, value, type, "");
}

static bool
operation(uint32_t op, LLVMAtomicRMWBinOp *rmw)
{
    switch (op) {
    case SpvOpAtomicFlagTestAndSet:
    case SpvOpAtomicExchange: *rmw = LLVMAtomicRMWBinOpXchg; return true;
    case SpvOpAtomicIIncrement:
    case SpvOpAtomicIAdd: *rmw = LLVMAtomicRMWBinOpAdd; return true;
    case SpvOpAtomicIDecrement:
    case SpvOpAtomicISub: *rmw = LLVMAtomicRMWBinOpSub; return true;
    case SpvOpAtomicSMin: *rmw = LLVMAtomicRMWBinOpMin; return true;
    case SpvOpAtomicUMin: *rmw = LLVMAtomicRMWBinOpUMin; return true;
    case SpvOpAtomicSMax: *rmw = LLVMAtomicRMWBinOpMax; return true;
    case SpvOpAtomicUMax: *rmw = LLVMAtomicRMWBinOpUMax; return true;
    case SpvOpAtomicAnd: *rmw = LLVMAtomicRMWBinOpAnd; return true;
    case SpvOpAtomicOr: *rmw = LLVMAtomicRMWBinOpOr; return true;
    case SpvOpAtomicXor: *rmw = LLVMAtomicRMWBinOpXor; return true;
    case SpvOpAtomicFAddEXT: *rmw = LLVMAtomicRMWBinOpFAdd; return true;
    case SpvOpAtomicFMinEXT: *rmw = LLVMAtomicRMWBinOpFMin; return true;
    case SpvOpAtomicFMaxEXT: *rmw = LLVMAtomicRMWBinOpFMax; return true;
    default: return false;
    }
}

V
lw_atomic(lw_emitter *e, uint32_t op, V pointer, V value, LLVMAtomicOrdering order)
{
    LLVMAtomicRMWBinOp rmw;
    if (e->failed || !pointer || !value || !operation(op, &rmw))
        return NULL;
    T type = LLVMTypeOf(value);
    bool is_float = rmw >= LLVMAtomicRMWBinOpFAdd && rmw <= LLVMAtomicRMWBinOpFMin;
    if (!is_float)
        value = to_carrier(e, value);
    if (e->failed || (is_float && (!lw_is_float(type) || lw_parts(type) != 1))) {
        lw_emit_fail(e, "an atomic operation on this type");
        return NULL;
    }
    V old = LLVMBuildAtomicRMW(e->b, rmw, pointer, value, order, false);
    return is_float ? old : from_carrier(e, old, type);
}

static void
emit_rmw(lw_emitter *e)
{
    V pointer = pointer_operand(e, 3), value;
    uint32_t op = e->inst->op;
    T type = lw_emit_type(e, e->inst->type);
    if (e->failed)
        return;
    LLVMAtomicOrdering order = ordering(e, lw_operand(e, 5), true, true);
    if (op == SpvOpAtomicFlagTestAndSet) {
        V old = lw_atomic(e, op, pointer, lw_int(e->i32, 1), order);
        if (old && type == e->i1)
            lw_emit_result(e, LLVMBuildICmp(e->b, LLVMIntNE, old, lw_int(e->i32, 0), ""));
        return;
    }
    if (op == SpvOpAtomicIIncrement || op == SpvOpAtomicIDecrement) {
        if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
            lw_emit_fail(e, "an atomic operation on this type");
        value = e->failed ? NULL : lw_int(type, 1);
    } else {
        value = lw_operand_value(e, 6);
    }
    if (!e->failed && LLVMTypeOf(value) != type)
        lw_emit_fail(e, "operands of the wrong types");
    lw_emit_result(e, lw_atomic(e, op, pointer, value, order));
}

static void
emit_load(lw_emitter *e)
{
    V pointer = pointer_operand(e, 3);
    T type = lw_emit_type(e, e->inst->type), through = type ? carrier(e, type) : NULL;
    if (e->failed)
        return;
    V value = LLVMBuildLoad2(e->b, through, pointer, "");
    LLVMSetOrdering(value, ordering(e, lw_operand(e, 5), true, false));
    LLVMSetAlignment(value, lw_bits(through) / 8);
    lw_emit_result(e, from_carrier(e, value, type));
}

/* OpAtomicStore and OpAtomicFlagClear have no result: operands from word 1. */
static void
emit_store(lw_emitter *e, bool clear)
{
    V pointer = pointer_operand(e, 1),
      value = clear ? lw_int(e->i32, 0) : to_carrier(e, lw_operand_value(e, 4));
    if (e->failed)
        return;
    V store = LLVMBuildStore(e->b, value, pointer);
    LLVMSetOrdering(store, ordering(e, lw_operand(e, 3), false, true));
    LLVMSetAlignment(store, lw_bits(LLVMTypeOf(value)) / 8);
}

static void
emit_compare_exchange(lw_emitter *e)
{
    V pointer = pointer_operand(e, 3), value = to_carrier(e, lw_operand_value(e, 7));
    V expected = to_carrier(e, lw_operand_value(e, 8));
    T type = lw_emit_type(e, e->inst->type);
    if (e->failed)
        return;
    if (LLVMTypeOf(value) != LLVMTypeOf(expected) || carrier(e, type) != LLVMTypeOf(value)) {
        lw_emit_fail(e, "operands of the wrong types");
        return;
    }
    LLVMAtomicOrdering success = ordering(e, lw_operand(e, 5), true, true);
    LLVMAtomicOrdering failure = ordering(e, lw_operand(e, 6), true, false);
    V both = LLVMBuildAtomicCmpXchg(e->b, pointer, expected, value, success, failure, false);
    lw_emit_result(e, from_carrier(e, LLVMBuildExtractValue(e->b, both, 0, ""), type));
}

static void
emit_fence(lw_emitter *e)
{
    LLVMAtomicOrdering order = ordering(e, lw_operand(e, 2), true, true);
    if (order != LLVMAtomicOrderingMonotonic)
        LLVMBuildFence(e->b, order, false, "");
}

bool
lw_emit_atomics(lw_emitter *e)
{
    LLVMAtomicRMWBinOp rmw;
    switch (e->inst->op) {
    case SpvOpAtomicLoad: emit_load(e); return true;
    case SpvOpAtomicStore: emit_store(e, false); return true;
    case SpvOpAtomicFlagClear: emit_store(e, true); return true;
    case SpvOpAtomicCompareExchange:
    case SpvOpAtomicCompareExchangeWeak: emit_compare_exchange(e); return true;
    case SpvOpMemoryBarrier: emit_fence(e); return true;
    default: break;
    }
    if (!operation(e->inst->op, &rmw))
        return false;
    emit_rmw(e);
    return true;
}

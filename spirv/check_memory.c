/* SPDX-License-Identifier: MIT */
/* Variables, loads, stores, copies, address arithmetic and atomics. See check_code.c. */
#include "chains.h"
#include "check_parts.h"

static bool
is_writable(uint32_t storage)
{
    return storage == SpvStorageClassCrossWorkgroup || storage == SpvStorageClassWorkgroup ||
           storage == SpvStorageClassFunction || storage == SpvStorageClassGeneric;
}

/* The alignment in a mask of memory operands at `word`, if any, is a power of two. */
static bool
check_access(struct lw_check *c, const struct lw_inst *inst, uint32_t word)
{
    uint32_t mask = lw_word(c->m, inst, word), align = lw_word(c->m, inst, word + 1);
    if (word < inst->count && (mask & SpvMemoryAccessAlignedMask) && lw_alignment(align) == 0)
        return lw_invalid(c, inst, "its alignment is no power of two");
    return true;
}

static bool
check_variable(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    struct lw_shape pointer = lw_shape_of_type(m, inst->type);
    struct lw_layout layout;
    uint32_t initialiser = lw_word(m, inst, 4);
    if (pointer.class != LW_CLASS_POINTER || pointer.storage != SpvStorageClassFunction ||
        lw_word(m, inst, 3) != SpvStorageClassFunction)
        return lw_invalid(c, inst, "a variable in a function has storage class Function");
    if (lw_flow_block_at(c, c->at) != 0)
        return lw_invalid(c, inst, "it is not in the function's first block");
    if (!lw_type_layout(m, pointer.pointee, &layout))
        return lw_refused(c, inst, "a variable of such a type has no size");
    if (initialiser && !lw_same_shape(lw_shape_of(m, initialiser), lw_shape_of_type(m, pointer.pointee)))
        return lw_invalid(c, inst, "its initialiser has another type");
    c->private_bytes += layout.size < LW_MAX_PRIVATE_BYTES ? layout.size : LW_MAX_PRIVATE_BYTES + 1;
    return c->private_bytes <= LW_MAX_PRIVATE_BYTES ||
           lw_refused(c, inst, "the kernel's variables take more than 4 MiB per work-item");
}

static bool
check_load(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    struct lw_shape r = lw_shape_of_type(m, inst->type), p = lw_shape_of(m, lw_word(m, inst, 3));
    if (!lw_is_value(m, r))
        return lw_refused(c, inst, "a value of this type cannot be loaded at once");
    if (p.class != LW_CLASS_POINTER || !lw_same_shape(r, lw_shape_of_type(m, p.pointee)))
        return lw_invalid(c, inst, "its operand is no pointer to its result's type");
    return check_access(c, inst, 4);
}

static bool
check_store(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    struct lw_shape p = lw_shape_of(m, lw_word(m, inst, 1)), v = lw_shape_of(m, lw_word(m, inst, 2));
    if (m->def[lw_word(m, inst, 1)] < m->global_count && p.storage == SpvStorageClassFunction)
        return lw_refused(c, inst, "private memory at module scope that is written");
    if (!lw_is_value(m, v))
        return lw_refused(c, inst, "a value of this type cannot be stored at once");
    if (p.class != LW_CLASS_POINTER || !is_writable(p.storage) ||
        !lw_same_shape(v, lw_shape_of_type(m, p.pointee)))
        return lw_invalid(c, inst, "its pointer is not to the value's type in memory that can be written");
    return check_access(c, inst, 3);
}

static bool
check_copy(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    struct lw_shape to = lw_shape_of(m, lw_word(m, inst, 1)), from = lw_shape_of(m, lw_word(m, inst, 2));
    struct lw_layout layout;
    bool sized = inst->op == SpvOpCopyMemorySized;
    if (to.class != LW_CLASS_POINTER || from.class != LW_CLASS_POINTER || !is_writable(to.storage))
        return lw_invalid(c, inst, "its operands are no pointers, or the target cannot be written");
    struct lw_shape size = lw_shape_of(m, lw_word(m, inst, 3));
    if (sized && (size.class != LW_CLASS_INT || size.lanes != 1))
        return lw_invalid(c, inst, "its size is no integer");
    if (!sized && (!lw_same_shape(lw_shape_of_type(m, to.pointee), lw_shape_of_type(m, from.pointee)) ||
                   !lw_type_layout(m, to.pointee, &layout)))
        return lw_invalid(c, inst, "its operands do not point to the same type");
    return check_access(c, inst, sized ? 4 : 3);
}

/* The type behind the indices from word `first` on, 0 where they do not fit. */
static uint32_t
follow_indices(struct lw_check *c, const struct lw_inst *inst, uint32_t type, uint32_t first)
{
    for (uint32_t w = first; type && w < inst->count; w++) {
        struct lw_shape index = lw_shape_of(c->m, lw_word(c->m, inst, w));
        bool number = index.class == LW_CLASS_INT && index.lanes == 1;
        type = number ? lw_indexed_type(c->m, type, lw_word(c->m, inst, w)) : 0;
    }
    return type;
}

static bool
check_access_chain(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    struct lw_shape r = lw_shape_of_type(m, inst->type), base = lw_shape_of(m, lw_word(m, inst, 3));
    bool element = lw_chain_has_element(inst->op);
    struct lw_layout layout;
    if (base.class != LW_CLASS_POINTER || r.class != LW_CLASS_POINTER || r.storage != base.storage)
        return lw_invalid(c, inst, "its base and result are no pointers of one storage class");
    if (!lw_type_layout(m, base.pointee, &layout))
        return lw_refused(c, inst, "the type behind the pointer has no size");
    struct lw_shape index = lw_shape_of(m, lw_word(m, inst, 4));
    if (element && (index.class != LW_CLASS_INT || index.lanes != 1))
        return lw_invalid(c, inst, "its element is no integer");
    /* The place counts, not what the result says of it: clang-22 names what a pointer is compared with. */
    return follow_indices(c, inst, base.pointee, element ? 5 : 4) ||
           lw_invalid(c, inst, "its indices do not fit the type behind its base");
}

/* Which operands an atomic has behind its pointer, scope and semantics. */
static uint32_t
atomic_words(uint32_t op)
{
    switch (op) {
    case SpvOpAtomicLoad:
    case SpvOpAtomicIIncrement:
    case SpvOpAtomicIDecrement:
    case SpvOpAtomicFlagTestAndSet: return 6;
    case SpvOpAtomicFlagClear: return 4;
    case SpvOpAtomicStore: return 5;
    case SpvOpAtomicCompareExchange:
    case SpvOpAtomicCompareExchangeWeak: return 9;
    default: return 7;
    }
}

/* Scope and semantics are integers. */
static bool
check_scopes(struct lw_check *c, const struct lw_inst *inst, uint32_t first, uint32_t count)
{
    for (uint32_t w = first; w < first + count; w++) {
        struct lw_shape s = lw_shape_of(c->m, lw_word(c->m, inst, w));
        if (s.class != LW_CLASS_INT || s.lanes != 1)
            return lw_invalid(c, inst, "a scope or memory semantics is no integer");
    }
    return true;
}

static bool
check_atomic(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    uint32_t op = inst->op, pointer = inst->type ? 3 : 1;
    struct lw_shape p = lw_shape_of(m, lw_word(m, inst, pointer)), v = lw_shape_of_type(m, p.pointee);
    bool compare = op == SpvOpAtomicCompareExchange || op == SpvOpAtomicCompareExchangeWeak;
    bool flag = op == SpvOpAtomicFlagTestAndSet || op == SpvOpAtomicFlagClear;
    bool arithmetic = op == SpvOpAtomicFAddEXT || op == SpvOpAtomicFMinEXT || op == SpvOpAtomicFMaxEXT;
    bool moves = op == SpvOpAtomicLoad || op == SpvOpAtomicStore || op == SpvOpAtomicExchange;
    bool is_float = v.class == LW_CLASS_FLOAT && (moves || arithmetic || compare);
    if (inst->count != atomic_words(op))
        return lw_invalid(c, inst, "it has the wrong number of operands");
    if (p.class != LW_CLASS_POINTER || !is_writable(p.storage))
        return lw_invalid(c, inst, "its operand is no pointer to memory that can be written");
    if (arithmetic ? !is_float : !is_float && v.class != LW_CLASS_INT)
        return lw_invalid(c, inst, "it does not work on the type behind its pointer");
    if (v.lanes != 1 || (v.width != 32 && v.width != 64 && !(v.width == 16 && is_float)) ||
        (flag && v.width != 32))
        return lw_refused(c, inst, "atomics work on 32- and 64-bit integers, half, float and double");
    struct lw_shape r = lw_shape_of_type(m, inst->type);
    if (inst->type && (op == SpvOpAtomicFlagTestAndSet ? r.class != LW_CLASS_BOOL || r.lanes != 1
                                                       : !lw_same_shape(r, v)))
        return lw_invalid(c, inst, "its result is not of the type behind the pointer");
    if (!check_scopes(c, inst, pointer + 1, compare ? 3 : 2))
        return false;
    for (uint32_t w = pointer + (compare ? 4u : 3u); w < inst->count; w++)
        if (!lw_same_shape(v, lw_shape_of(m, lw_word(m, inst, w))))
            return lw_invalid(c, inst, "a value is not of the type behind the pointer");
    return true;
}

static bool
check_semantics(struct lw_check *c, const struct lw_inst *inst)
{
    struct lw_shape r = lw_shape_of_type(c->m, inst->type), p = lw_shape_of(c->m, lw_word(c->m, inst, 3));
    return (r.class == LW_CLASS_INT && r.width == 32 && r.lanes == 1 && p.class == LW_CLASS_POINTER) ||
           lw_invalid(c, inst, "it takes a pointer and gives a 32-bit integer");
}

static bool
check_size(struct lw_check *c, const struct lw_inst *inst)
{
    struct lw_layout layout;
    if (!lw_check_signature(c, inst, 'I', "p", 3))
        return false;
    return lw_type_layout(c->m, lw_shape_of(c->m, lw_word(c->m, inst, 3)).pointee, &layout) ||
           lw_refused(c, inst, "the type behind the pointer has no size");
}

bool
lw_check_memory(struct lw_check *c, const struct lw_inst *inst, bool *fine)
{
    switch (inst->op) {
    case SpvOpVariable: *fine = check_variable(c, inst); return true;
    case SpvOpLoad: *fine = check_load(c, inst); return true;
    case SpvOpStore: *fine = check_store(c, inst); return true;
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized: *fine = check_copy(c, inst); return true;
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain: *fine = check_access_chain(c, inst); return true;
    case SpvOpPtrEqual:
    case SpvOpPtrNotEqual: *fine = lw_check_signature(c, inst, 'B', "p1", 3); return true;
    case SpvOpPtrDiff: *fine = lw_check_signature(c, inst, 'I', "p1", 3); return true;
    case SpvOpSizeOf: *fine = check_size(c, inst); return true;
    case SpvOpLifetimeStart:
    case SpvOpLifetimeStop: *fine = lw_check_signature(c, inst, 0, "pL", 1); return true;
    case SpvOpGenericPtrMemSemantics: *fine = check_semantics(c, inst); return true;
    default: break;
    }
    bool atomic = lw_op_flags(inst->op) & LW_OP_ATOMIC;
    if (atomic)
        *fine = check_atomic(c, inst);
    return atomic;
}

/* SPDX-License-Identifier: MIT */
/* Calls of built-in functions that clang-22 leaves as imports: names of imported_builtins.def,
 * Itanium-mangled. The parameters' types in the mangled name tell signedness, which SPIR-V integers lack. */
#include <string.h>
#include "emitter.h"

static void
emit_compare_exchange(lw_emitter *e, V *args, unsigned count)
{
    if (count < 3 || LLVMTypeOf(args[1]) != LLVMTypeOf(args[2]) ||
        LLVMGetTypeKind(LLVMTypeOf(args[1])) != LLVMIntegerTypeKind) {
        lw_emit_fail(e, "an atomic operation on this type");
        return;
    }
    V both = LLVMBuildAtomicCmpXchg(e->b, args[0], args[1], args[2], LLVMAtomicOrderingMonotonic,
                                    LLVMAtomicOrderingMonotonic, false);
    lw_emit_result(e, LLVMBuildExtractValue(e->b, both, 0, ""));
}

/* The OpenCL 1.x functions are relaxed; the 2.0 ones are sequentially consistent, _explicit ones at most
 * that. */
static void
emit_atomic(lw_emitter *e, const struct lw_imported_builtin *row, const char *name, V *args, unsigned count)
{
    uint32_t op = lw_import_is_unsigned(name) ? row->alternative : row->op;
    T type = lw_emit_type(e, e->inst->type);
    bool is_step = op == SpvOpAtomicIIncrement || op == SpvOpAtomicIDecrement;
    bool is_new = row->kind == LW_IMPORT_ATOMIC_EXPLICIT || !strncmp(row->name, "atomic_fetch_", 13) ||
                  !strcmp(row->name, "atomic_exchange");
    LLVMAtomicOrdering order =
        is_new ? LLVMAtomicOrderingSequentiallyConsistent : LLVMAtomicOrderingMonotonic;
    if (e->failed || count < 1 || LLVMGetTypeKind(LLVMTypeOf(args[0])) != LLVMPointerTypeKind) {
        lw_emit_fail(e, "%s without a pointer", row->name);
        return;
    }
    if (op == SpvOpAtomicCompareExchange) {
        emit_compare_exchange(e, args, count);
        return;
    }
    if ((!is_step && (count < 2 || LLVMTypeOf(args[1]) != type)) ||
        (is_step && LLVMGetTypeKind(type) != LLVMIntegerTypeKind)) {
        lw_emit_fail(e, "%s on this type", row->name);
        return;
    }
    V value = is_step ? lw_int(type, 1) : args[1];
    if (lw_is_float(type)) {
        value = op == SpvOpAtomicISub ? LLVMBuildFNeg(e->b, value, "") : value;
        op = lw_import_float_op(op);
    }
    lw_emit_result(e, lw_atomic(e, op, args[0], value, order));
}

static void
emit_to_space(lw_emitter *e, uint32_t storage, uint32_t id, V pointer)
{
    T type = lw_emit_type(e, e->inst->type);
    unsigned space = lw_address_space_of(e, storage);
    if (e->failed || LLVMGetTypeKind(type) != LLVMPointerTypeKind ||
        LLVMGetPointerAddressSpace(type) != space) {
        lw_emit_fail(e, "an address space cast to what is no pointer of it");
        return;
    }
    lw_emit_result(e, lw_cast_explicit(e, id, pointer, space));
}

/* CLK_LOCAL_MEM_FENCE 1, CLK_GLOBAL_MEM_FENCE 2 */
static void
emit_get_fence(lw_emitter *e, uint32_t id, V pointer)
{
    T type = lw_emit_type(e, e->inst->type);
    if (e->failed || LLVMGetTypeKind(type) != LLVMIntegerTypeKind) {
        lw_emit_fail(e, "get_fence of this type");
        return;
    }
    V local = lw_is_in_space(e, id, pointer, LW_AS_LOCAL);
    if (local)
        lw_emit_result(e, LLVMBuildSelect(e->b, local, lw_int(type, 1), lw_int(type, 2), ""));
}

static void
emit_conversion(lw_emitter *e, const struct lw_import_conversion *c, V x)
{
    T to = lw_emit_type(e, e->inst->type);
    enum lw_rounding rounding = c->rounding < 0 ? LW_ROUND_DEFAULT : (enum lw_rounding)c->rounding;
    bool from_float = c->from == 'f', to_float = c->to == 'f';
    if (e->failed || lw_parts(LLVMTypeOf(x)) != lw_parts(to) || lw_is_float(LLVMTypeOf(x)) != from_float ||
        lw_is_float(to) != to_float || (!to_float && LLVMGetTypeKind(lw_scalar(to)) != LLVMIntegerTypeKind) ||
        (!from_float && LLVMGetTypeKind(lw_scalar(LLVMTypeOf(x))) != LLVMIntegerTypeKind)) {
        lw_emit_fail(e, "a conversion between these types");
        return;
    }
    if (from_float && to_float)
        lw_emit_result(e, lw_float_to_float(e, x, to, rounding));
    else if (from_float)
        lw_emit_result(e, lw_float_to_int(e, x, to, c->to == 's', rounding, c->saturated));
    else if (to_float)
        lw_emit_result(e, lw_int_to_float(e, x, to, c->from == 's', rounding));
    else
        lw_emit_result(e, lw_int_to_int(e, x, to, c->from == 's', c->to == 's', c->saturated));
}

static void
emit_dot(lw_emitter *e, const struct lw_imported_builtin *row, V *args, unsigned count)
{
    bool swapped = row->kind == LW_IMPORT_DOT_SWAPPED;
    V accumulator = count > 2 ? args[2] : NULL;
    T type = lw_emit_type(e, e->inst->type);
    if (count < 2)
        lw_emit_fail(e, "%s without two operands", row->name);
    else
        lw_emit_result(e, lw_dot(e, row->op, args[swapped], args[!swapped], accumulator, type));
}

static void
emit_block(lw_emitter *e, const struct lw_imported_builtin *row, V *args, unsigned count)
{
    bool read = row->op == SpvOpSubgroupBlockReadINTEL;
    T type = read ? lw_emit_type(e, e->inst->type) : count > 1 ? LLVMTypeOf(args[1]) : NULL;
    V made = type ? lw_intel_block(e, args[0], read ? NULL : args[1], type) : NULL;
    if (read)
        lw_emit_result(e, made);
}

void
lw_emit_import(lw_emitter *e, const char *name, V *args, const uint32_t *ids, unsigned count)
{
    const struct lw_imported_builtin *row = lw_find_imported_builtin(name);
    struct lw_import_conversion conversion;
    struct lw_import_group group;
    if (!row || count < 1) {
        lw_emit_fail(e, "a call of the undefined function %.200s", name);
        return;
    }
    switch (row->kind) {
    case LW_IMPORT_ATOMIC:
    case LW_IMPORT_ATOMIC_EXPLICIT: emit_atomic(e, row, name, args, count); break;
    case LW_IMPORT_TO_SPACE: emit_to_space(e, row->op, ids[0], args[0]); break;
    case LW_IMPORT_GET_FENCE: emit_get_fence(e, ids[0], args[0]); break;
    case LW_IMPORT_FENCE: LLVMBuildFence(e->b, LLVMAtomicOrderingAcquireRelease, false, ""); break;
    case LW_IMPORT_SUB_GROUP_BARRIER:
        lw_call(e, "lw.sg.barrier", LLVMVoidTypeInContext(e->context), NULL, 0);
        break;
    case LW_IMPORT_DOT:
    case LW_IMPORT_DOT_SWAPPED: emit_dot(e, row, args, count); break;
    case LW_IMPORT_INTEL_SHUFFLE: lw_emit_result(e, lw_intel_shuffle(e, row->op, args, count)); break;
    case LW_IMPORT_INTEL_BLOCK: emit_block(e, row, args, count); break;
    case LW_IMPORT_GROUP:
        if (lw_import_group(name, &group))
            lw_emit_result(e, lw_imported_group(e, &group, args, count));
        break;
    case LW_IMPORT_IMAGE:
    case LW_IMPORT_IMAGE_QUERY: lw_emit_image_import(e, row, args, ids, count); break;
    case LW_IMPORT_BLOCK: lw_emit_block_import(e, row->op, args); break;
    case LW_IMPORT_NULL_HANDLE: lw_emit_result(e, lw_int(e->i64, 0)); break;
    case LW_IMPORT_CONVERT:
        if (lw_import_conversion(name, &conversion))
            emit_conversion(e, &conversion, args[0]);
        break;
    }
}

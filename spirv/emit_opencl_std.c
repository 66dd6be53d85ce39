/* SPDX-License-Identifier: MIT */
/* OpenCL.std: elementwise instructions become one lw.cl.NAME.T call per component, results through pointers
 * go by private temporaries; the others are expanded here and in emit_geometric.c and emit_vloadstore.c. */
#include <stdio.h>
#include <spirv/unified1/OpenCL.std.h>
#include "emitter.h"

#define FIRST 5 /* operand number of the first argument */
#define MAX_ARGUMENTS 4

/* What an elementwise instruction's pointer argument receives. */
static uint32_t
out_pointer(lw_emitter *e)
{
    uint32_t last = lw_operand(e, e->inst->count - 1u);
    return lw_storage_of(e, lw_type_of(e->spv, last)) == UINT32_MAX ? 0 : last;
}

struct elementwise {
    T result;                 /* of the instruction */
    T out;                    /* stored through the pointer; NULL where there is none */
    unsigned count;           /* value arguments */
    V arguments[MAX_ARGUMENTS];
    V temporary;
    char name[64];
};

/* One component's call; its out value goes to *out. */
static V
call_component(lw_emitter *e, struct elementwise *op, unsigned index, V *out)
{
    V args[MAX_ARGUMENTS + 1];
    unsigned count = op->count;
    for (unsigned i = 0; i < count; i++)
        args[i] = lw_component(e, op->arguments[i], index);
    if (op->temporary)
        args[count++] = op->temporary;
    V result = lw_fast(e, lw_call(e, op->name, lw_scalar(op->result), args, count));
    if (op->temporary && !e->failed)
        *out = lw_load_plain(e, lw_scalar(op->out), op->temporary, lw_bits(op->out) / 8, false);
    return result;
}

static bool
prepare(lw_emitter *e, struct elementwise *op, uint32_t number, uint32_t pointer)
{
    const char *name = lw_opencl_std_name(number);
    char suffix[16];
    op->result = lw_emit_type(e, e->inst->type);
    op->count = e->inst->count - FIRST - (pointer ? 1u : 0u);
    if (!name || op->count == 0 || op->count > MAX_ARGUMENTS)
        lw_emit_fail(e, "OpenCL.std instruction %u (%s)", number, name ? name : "unknown");
    for (unsigned i = 0; i < op->count && !e->failed; i++) {
        op->arguments[i] = lw_operand_value(e, FIRST + i);
        if (e->failed)
            break;
        T type = LLVMTypeOf(op->arguments[i]);
        if ((lw_parts(type) != 1 && lw_parts(type) != lw_parts(op->result)) ||
            (!lw_is_float(type) && LLVMGetTypeKind(lw_scalar(type)) != LLVMIntegerTypeKind))
            lw_emit_fail(e, "%s with operands of the wrong types", name);
    }
    if (e->failed)
        return false;
    snprintf(op->name, sizeof op->name, "lw.cl.%s.%s", name,
             lw_suffix(lw_scalar(LLVMTypeOf(op->arguments[0])), suffix));
    return true;
}

static void
emit_elementwise(lw_emitter *e, uint32_t number)
{
    struct elementwise op = {.temporary = NULL};
    V results[LW_MAX_COMPONENTS], outs[LW_MAX_COMPONENTS], to = NULL;
    uint32_t pointer = out_pointer(e), pointee = pointer ? lw_pointee(e, lw_type_of(e->spv, pointer)) : 0;
    if (!prepare(e, &op, number, pointer))
        return;
    unsigned count = lw_parts(op.result);
    if (pointer) {
        op.out = lw_emit_type(e, pointee);
        to = lw_emit_value(e, pointer);
        if (!e->failed && lw_parts(op.out) != count)
            lw_emit_fail(e, "%s with operands of the wrong types", op.name);
        op.temporary = e->failed ? NULL : lw_alloca(e, lw_scalar(op.out), lw_bits(op.out) / 8, "");
    }
    for (unsigned i = 0; i < count && !e->failed; i++)
        results[i] = call_component(e, &op, i, &outs[i]);
    if (pointer && !e->failed)
        lw_store_plain(e, lw_assemble(e, op.out, outs), to, lw_align_of(e, pointee), false);
    lw_emit_result(e, lw_assemble(e, op.result, results));
}

static V
as_bits(lw_emitter *e, V x)
{
    T type = LLVMTypeOf(x);
    return LLVMBuildBitCast(e->b, x, lw_like(LLVMIntTypeInContext(e->context, lw_bits(type)), type), "");
}

/* bitselect: bits of b where c has ones, else of a. */
static void
emit_bitselect(lw_emitter *e)
{
    V a = lw_operand_value(e, FIRST), b = lw_operand_value(e, FIRST + 1), c = lw_operand_value(e, FIRST + 2);
    if (e->failed)
        return;
    T type = LLVMTypeOf(a);
    if (LLVMTypeOf(b) != type || LLVMTypeOf(c) != type) {
        lw_emit_fail(e, "bitselect with operands of the wrong types");
        return;
    }
    a = as_bits(e, a);
    c = as_bits(e, c);
    V from_a = LLVMBuildAnd(e->b, a, LLVMBuildNot(e->b, c, ""), "");
    V from_b = LLVMBuildAnd(e->b, as_bits(e, b), c, "");
    lw_emit_result(e, LLVMBuildBitCast(e->b, LLVMBuildOr(e->b, from_a, from_b, ""), type, ""));
}

/* select: b where c is not zero (scalars) or its highest bit is set (vectors), else a. */
static void
emit_select(lw_emitter *e)
{
    V a = lw_operand_value(e, FIRST), b = lw_operand_value(e, FIRST + 1), c = lw_operand_value(e, FIRST + 2);
    if (e->failed)
        return;
    T type = LLVMTypeOf(a), mask = LLVMTypeOf(c);
    if (LLVMTypeOf(b) != type || lw_parts(mask) != lw_parts(type) ||
        LLVMGetTypeKind(lw_scalar(mask)) != LLVMIntegerTypeKind) {
        lw_emit_fail(e, "select with operands of the wrong types");
        return;
    }
    bool scalar = lw_parts(type) == 1;
    V on = LLVMBuildICmp(e->b, scalar ? LLVMIntNE : LLVMIntSLT, c, lw_int(mask, 0), "");
    lw_emit_result(e, LLVMBuildSelect(e->b, on, b, a, ""));
}

/* shuffle, shuffle2: component i is the mask[i]-th of the sources, the mask modulo their number. */
static void
emit_shuffle(lw_emitter *e, bool two)
{
    V x = lw_operand_value(e, FIRST), y = two ? lw_operand_value(e, FIRST + 1) : x, parts[LW_MAX_COMPONENTS];
    V mask = lw_operand_value(e, FIRST + 1 + two);
    T type = lw_emit_type(e, e->inst->type);
    if (e->failed)
        return;
    unsigned n = lw_parts(LLVMTypeOf(x));
    if (LLVMTypeOf(y) != LLVMTypeOf(x) || lw_parts(LLVMTypeOf(mask)) != lw_parts(type) || (n & (n - 1)) ||
        lw_scalar(LLVMTypeOf(x)) != lw_scalar(type) || n < 2 || lw_is_float(LLVMTypeOf(mask))) {
        lw_emit_fail(e, "shuffle with operands of the wrong types");
        return;
    }
    for (unsigned i = 0; i < lw_parts(type); i++) {
        V index = lw_component(e, mask, i);
        parts[i] = lw_select_component(e, x, index);
        if (two) {
            V high = LLVMBuildAnd(e->b, index, lw_int(LLVMTypeOf(index), n), "");
            V second = LLVMBuildICmp(e->b, LLVMIntNE, high, lw_int(LLVMTypeOf(index), 0), "");
            parts[i] = LLVMBuildSelect(e->b, second, lw_select_component(e, y, index), parts[i], "");
        }
    }
    lw_emit_result(e, lw_assemble(e, type, parts));
}

bool
lw_emit_opencl_std(lw_emitter *e)
{
    uint32_t set = lw_operand(e, 3), number = lw_operand(e, 4);
    if (e->inst->op != SpvOpExtInst)
        return false;
    if (set >= e->spv->bound || e->spv->ext_sets[set] != LW_EXT_OPENCL_STD) {
        lw_show_variables(e);
        return true; /* debug information and other non-semantic sets */
    }
    if (e->inst->count <= FIRST) {
        lw_emit_fail(e, "OpenCL.std instruction %u without operands", number);
        return true;
    }
    switch (number) {
    case OpenCLstd_Bitselect: emit_bitselect(e); return true;
    case OpenCLstd_Select: emit_select(e); return true;
    case OpenCLstd_Shuffle: emit_shuffle(e, false); return true;
    case OpenCLstd_Shuffle2: emit_shuffle(e, true); return true;
    case OpenCLstd_Prefetch: return true;
    case OpenCLstd_Printf: lw_emit_printf(e); return true;
    default: break;
    }
    if (!lw_emit_geometric(e, number) && !lw_emit_vloadstore(e, number))
        emit_elementwise(e, number);
    return true;
}

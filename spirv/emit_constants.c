/* SPDX-License-Identifier: MIT */
/* Module-scope values, made when first used: constants, specialised ones too, and variables.
 *
 * What is no LLVM constant (the address of a local variable, operations on it) is written to the function's
 * prologue and remembered for that function only.
 */
#include <stdio.h>
#include <stdlib.h>
#include "emitter.h"

V
lw_int(T type, uint64_t value)
{
    T scalar = lw_scalar(type);
    unsigned bits = LLVMGetIntTypeWidth(scalar);
    V parts[LW_MAX_COMPONENTS], one;
    one = LLVMConstInt(scalar, bits < 64 ? value & ((1ull << bits) - 1) : value, false);
    if (scalar == type)
        return one;
    for (unsigned i = 0; i < LW_MAX_COMPONENTS; i++)
        parts[i] = one;
    return LLVMConstVector(parts, LLVMGetVectorSize(type));
}

V
lw_real(T type, double value)
{
    V parts[LW_MAX_COMPONENTS], one = LLVMConstReal(lw_scalar(type), value);
    if (lw_scalar(type) == type)
        return one;
    for (unsigned i = 0; i < LW_MAX_COMPONENTS; i++)
        parts[i] = one;
    return LLVMConstVector(parts, LLVMGetVectorSize(type));
}

bool
lw_emit_literal(lw_emitter *e, uint32_t id, uint64_t *bits)
{
    if (lw_constant_bits(e->spv, id, bits))
        return true;
    lw_emit_fail(e, "%%%u must be a constant", id);
    *bits = 0;
    return false;
}

static V
scalar_constant(lw_emitter *e, uint32_t id, T type)
{
    uint64_t bits;
    if (!type || !lw_emit_literal(e, id, &bits))
        return NULL;
    if (!lw_is_float(type))
        return lw_int(type, bits);
    return LLVMConstBitCast(LLVMConstInt(LLVMIntTypeInContext(e->context, lw_bits(type)), bits, false), type);
}

/* A null pointer may be written as a zero (check_types.c). */
static V
as_part(V part, T whole, unsigned index)
{
    if (part && LLVMTypeOf(part) == whole) /* of a vector of one component */
        return part;
    T place = LLVMGetTypeKind(whole) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(whole, index)
                                                           : LLVMGetElementType(whole);
    bool pointer = LLVMGetTypeKind(place) == LLVMPointerTypeKind;
    return part && pointer && LLVMTypeOf(part) != place && LLVMIsNull(part) ? LLVMConstNull(place) : part;
}

/* Parts that are no LLVM constants: addresses of what has none before it runs. */
static V
composite_of_addresses(lw_emitter *e, T type, V *parts, unsigned count)
{
    V value = LLVMGetPoison(type);
    for (unsigned i = 0; i < count; i++)
        value = LLVMBuildInsertValue(e->b, value, parts[i], i, "");
    return value;
}

static V
composite_constant(lw_emitter *e, const struct lw_inst *inst, T type)
{
    unsigned count = inst->count - 3u;
    V *parts = calloc(count + 1, sizeof *parts), result = NULL;
    if (!parts)
        lw_emit_fail(e, "out of memory");
    if (!e->failed && (!type || lw_parts(type) != count))
        lw_emit_fail(e, "constant %%%u has %u parts, its type does not", inst->result, count);
    bool constant = true;
    for (unsigned i = 0; i < count && !e->failed; i++) {
        parts[i] = as_part(lw_emit_value(e, lw_word(e->spv, inst, 3 + i)), type, i);
        constant &= !e->failed && LLVMIsConstant(parts[i]);
    }
    if (!e->failed && count == 1 && LLVMTypeOf(parts[0]) == type)
        result = parts[0];
    else if (!e->failed && !constant && LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        result = composite_of_addresses(e, type, parts, count);
    else if (!e->failed)
        switch (LLVMGetTypeKind(type)) {
        case LLVMVectorTypeKind: result = LLVMConstVector(parts, count); break;
        case LLVMArrayTypeKind: result = LLVMConstArray2(LLVMGetElementType(type), parts, count); break;
        default: result = LLVMConstStructInContext(e->context, parts, count, false); break;
        }
    free(parts);
    return result;
}

/* Operands of OpSpecConstantOp follow one word later than those of the operation itself. */
static V
constant_operation(lw_emitter *e, const struct lw_inst *inst, T type)
{
    uint64_t bits;
    if (type && LLVMGetTypeKind(type) != LLVMPointerTypeKind && lw_constant_bits(e->spv, inst->result, &bits))
        return scalar_constant(e, inst->result, type);
    struct lw_inst operation = *inst;
    operation.at++;
    operation.count--;
    operation.op = (uint16_t)lw_word(e->spv, inst, 3);
    lw_emit_instruction(e, &operation);
    return e->failed ? NULL : e->values[inst->result];
}

static V
local_variable(lw_emitter *e, uint32_t id)
{
    for (uint32_t i = 0; i < e->kernel->local_count; i++)
        if (e->kernel->locals[i].id == id) {
            V base = lw_call(e, "lw.local_base", LLVMPointerTypeInContext(e->context, LW_AS_LOCAL), NULL, 0);
            V offset = lw_int(e->i64, e->kernel->locals[i].offset);
            if (!e->failed && !e->kernel->guarded_locals)
                lw_set_readable(e, base, e->kernel->info.local_bytes);
            return e->failed ? NULL : LLVMBuildInBoundsGEP2(e->b, e->i8, base, &offset, 1, "");
        }
    lw_emit_fail(e, "local variable %%%u is not among the kernel's", id);
    return NULL;
}

/* In the program's memory, whose address is the launch's. */
static V
program_variable(lw_emitter *e, const struct lw_inst *inst, const struct lw_program_variable *variable)
{
    T type = lw_emit_type(e, inst->type);
    T global = LLVMPointerTypeInContext(e->context, LW_AS_GLOBAL);
    V base = lw_call(e, "lw.program_base", global, NULL, 0),
      offset = lw_int(e->i64, variable->offset);
    if (e->failed)
        return NULL;
    return lw_to_storage(e, LLVMBuildInBoundsGEP2(e->b, e->i8, base, &offset, 1, ""), type);
}

/* The bytes of constant `id` in memory form. */
static V emit_memory_constant(lw_emitter *e, uint32_t id);

static V
constant_variable(lw_emitter *e, const struct lw_inst *inst)
{
    uint32_t pointee = lw_pointee(e, inst->type);
    T type = lw_emit_memory_type(e, pointee);
    if (inst->count < 5) {
        lw_emit_fail(e, "constant variable %%%u without a value", inst->result);
        return NULL;
    }
    V value = emit_memory_constant(e, lw_word(e->spv, inst, 4));
    if (!value || !type)
        return NULL;
    char name[32];
    snprintf(name, sizeof name, "const.%u", inst->result);
    V global = LLVMAddGlobalInAddressSpace(e->module, LLVMTypeOf(value), name, LW_AS_CONSTANT);
    LLVMSetInitializer(global, value);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    uint32_t align = lw_align_of(e, pointee), asked = lw_alignment_asked(e->spv, inst->result);
    LLVMSetAlignment(global, asked > align && asked <= LW_PROGRAM_ALIGN ? asked : align);
    return global;
}

/* What initialises private variables, where llvm-spirv has it in private memory: each function that names it
 * has a copy. */
static V
private_variable(lw_emitter *e, const struct lw_inst *inst)
{
    uint32_t pointee = lw_pointee(e, inst->type);
    unsigned align = lw_align_of(e, pointee);
    V value = constant_variable(e, inst), size = lw_int(e->i64, lw_size_of(e, pointee));
    if (!value || e->failed)
        return NULL;
    V slot = lw_alloca(e, lw_emit_memory_type(e, pointee), align, lw_name_of(e->spv, inst->result));
    LLVMBuildMemCpy(e->b, slot, align, value, LLVMGetAlignment(value), size);
    return slot;
}

static V
module_variable(lw_emitter *e, const struct lw_inst *inst)
{
    uint32_t storage = lw_word(e->spv, inst, 3);
    const struct lw_program_variable *placed = lw_find_program_variable(e->spv, inst->result);
    if (placed)
        return program_variable(e, inst, placed);
    switch (storage) {
    case SpvStorageClassWorkgroup: return local_variable(e, inst->result);
    case SpvStorageClassUniformConstant: return constant_variable(e, inst);
    case SpvStorageClassFunction: return private_variable(e, inst);
    case SpvStorageClassInput:
        lw_emit_fail(e, "the address of built-in variable %s, other than to load it",
                     lw_name_of(e->spv, inst->result));
        return NULL;
    default:
        lw_emit_fail(e, "variable %s of storage class %u at module scope", lw_name_of(e->spv, inst->result),
                     storage);
        return NULL;
    }
}

static V
pipe_storage(lw_emitter *e, const struct lw_inst *inst)
{
    const struct lw_program_variable *placed = lw_find_program_variable(e->spv, inst->result);
    if (placed)
        return program_variable(e, inst, placed);
    lw_emit_fail(e, "storage of a pipe that is not the program's");
    return NULL;
}

static V
make_value(lw_emitter *e, const struct lw_inst *inst)
{
    if (inst->op == SpvOpVariable)
        return module_variable(e, inst);
    T type = inst->type ? lw_emit_type(e, inst->type) : NULL;
    switch (inst->op) {
    case SpvOpConstantTrue:
    case SpvOpConstantFalse:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
    case SpvOpConstant:
    case SpvOpSpecConstant: return scalar_constant(e, inst->result, type);
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite: return composite_constant(e, inst, type);
    case SpvOpConstantNull: return type ? LLVMConstNull(type) : NULL;
    case SpvOpUndef: return type ? lw_undefined(e, inst->type) : NULL;
    case SpvOpSpecConstantOp: return constant_operation(e, inst, type);
    case SpvOpConstantPipeStorage: return pipe_storage(e, inst);
    case SpvOpConstantSampler: return lw_sampler_constant(e, inst);
    case SpvOpLoad: /* the vector of a built-in variable */
        if (e->inputs[inst->result])
            return lw_input_vector(e, lw_word(e->spv, inst, 3), type);
        break;
    default: break;
    }
    lw_emit_fail(e, "%%%u (%s) used before it is defined", inst->result, lw_op_name(inst->op));
    return NULL;
}

V
lw_emit_value(lw_emitter *e, uint32_t id)
{
    const struct lw_inst *inst = lw_def(e->spv, id);
    if (e->failed || !inst) {
        lw_emit_fail(e, "undefined id %u", id);
        return NULL;
    }
    if (e->values[id])
        return e->values[id];
    LLVMBuilderRef at = e->b;
    const struct lw_inst *current = e->inst;
    e->b = e->prologue;
    if (++e->nesting > LW_MAX_NESTING)
        lw_emit_fail(e, "constants nested deeper than %u", LW_MAX_NESTING);
    V value = e->failed ? NULL : make_value(e, inst);
    e->nesting--;
    e->b = at;
    e->inst = current;
    if (e->failed || !value)
        return NULL;
    e->values[id] = value;
    if (!LLVMIsConstant(value))
        e->scratch[e->scratch_count++] = id;
    return value;
}

/* Null, or a composite's parts with the padding between them zero. */
static V
memory_composite(lw_emitter *e, const struct lw_inst *inst, T type)
{
    unsigned given = inst->count - 3u, n = lw_parts(type), next = 0;
    bool is_struct = LLVMGetTypeKind(type) == LLVMStructTypeKind;
    bool fits = is_struct ? given <= n : given == n || (given == 3 && n == 4);
    V *parts = fits ? calloc((size_t)n + 1, sizeof *parts) : NULL, result = NULL;
    uint64_t at = 0;
    if (!parts) {
        lw_emit_fail(e, "constant %%%u with %u parts", inst->result, given);
        free(parts);
        return NULL;
    }
    for (unsigned i = 0; i < given && !e->failed; i++) {
        if (is_struct && lw_member_offset(e->spv, inst->type, i) > at) {
            parts[next] = LLVMConstNull(LLVMStructGetTypeAtIndex(type, next));
            next++;
        }
        if (is_struct)
            at = lw_member_offset(e->spv, inst->type, i) + lw_size_of(e, lw_part_type(e, inst->type, i));
        if (next < n) {
            parts[next] = as_part(emit_memory_constant(e, lw_word(e->spv, inst, 3 + i)), type, next);
            next++;
        }
    }
    for (; next < n && !e->failed; next++)
        parts[next] =
            LLVMConstNull(is_struct ? LLVMStructGetTypeAtIndex(type, next) : LLVMGetElementType(type));
    if (!e->failed)
        switch (LLVMGetTypeKind(type)) {
        case LLVMVectorTypeKind: result = LLVMConstVector(parts, n); break;
        case LLVMArrayTypeKind: result = LLVMConstArray2(LLVMGetElementType(type), parts, n); break;
        default: result = LLVMConstStructInContext(e->context, parts, n, true); break;
        }
    free(parts);
    return result;
}

/* A vector of three, as an operation gives it: memory has four elements. */
static V
three_in_memory(V value, T element)
{
    V parts[4] = {NULL, NULL, NULL, LLVMConstNull(element)};
    for (unsigned i = 0; i < 3; i++)
        parts[i] = LLVMGetAggregateElement(value, i);
    return LLVMConstArray2(element, parts, 4);
}

static V
emit_memory_constant(lw_emitter *e, uint32_t id)
{
    const struct lw_inst *inst = lw_def(e->spv, id);
    T type = inst ? lw_emit_memory_type(e, inst->type) : NULL;
    V value;
    if (!type) {
        lw_emit_fail(e, "constant %%%u has no layout in memory", id);
        return NULL;
    }
    switch (inst->op) {
    case SpvOpConstantNull:
    case SpvOpUndef: return LLVMConstNull(type);
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite:
        if (++e->nesting > LW_MAX_NESTING)
            lw_emit_fail(e, "constants nested deeper than %u", LW_MAX_NESTING);
        value = e->failed ? NULL : memory_composite(e, inst, type);
        e->nesting--;
        return value;
    default: break;
    }
    value = lw_emit_value(e, id);
    if (value && LLVMTypeOf(value) == e->i1)
        return lw_int(e->i8, LLVMConstIntGetZExtValue(value));
    if (value && LLVMIsConstant(value) && LLVMGetTypeKind(type) == LLVMArrayTypeKind &&
        LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind)
        value = three_in_memory(value, LLVMGetElementType(type));
    if (value && (!LLVMIsConstant(value) || LLVMTypeOf(value) != type)) {
        lw_emit_fail(e, "%%%u as part of a constant in memory", id);
        return NULL;
    }
    return value;
}

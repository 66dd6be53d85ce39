/* SPDX-License-Identifier: MIT */
/* SPIR-V types -> LLVM types in value form and memory form (emitter.h), and questions about both. */
#include <stdio.h>
#include <stdlib.h>
#include "chains.h"
#include "emitter.h"

static T
float_type(lw_emitter *e, uint32_t width)
{
    switch (width) {
    case 16: return e->f16;
    case 32: return e->f32;
    case 64: return e->f64;
    default: lw_emit_fail(e, "floating-point type of %u bits", width); return NULL;
    }
}

unsigned
lw_address_space_of(lw_emitter *e, uint32_t storage_class)
{
    switch (storage_class) {
    case SpvStorageClassFunction: return LW_AS_PRIVATE;
    case SpvStorageClassCrossWorkgroup: return LW_AS_GLOBAL;
    case SpvStorageClassUniformConstant: return LW_AS_CONSTANT;
    case SpvStorageClassWorkgroup: return LW_AS_LOCAL;
    case SpvStorageClassGeneric: return LW_AS_GENERIC;
    case SpvStorageClassInput: return LW_AS_PRIVATE; /* never materialised: see emit_builtins.c */
    default: lw_emit_fail(e, "storage class %u", storage_class); return 0;
    }
}

uint32_t
lw_storage_of(const lw_emitter *e, uint32_t pointer_type)
{
    const struct lw_inst *t = lw_def(e->spv, pointer_type);
    return t && t->op == SpvOpTypePointer ? lw_word(e->spv, t, 2) : UINT32_MAX;
}

uint32_t
lw_pointee(const lw_emitter *e, uint32_t pointer_type)
{
    return lw_pointee_of(e->spv, pointer_type);
}

uint32_t
lw_part_type(const lw_emitter *e, uint32_t type, uint32_t index)
{
    const struct lw_inst *t = lw_def(e->spv, type);
    if (!t)
        return 0;
    switch (t->op) {
    case SpvOpTypeVector:
    case SpvOpTypeArray: return lw_word(e->spv, t, 2);
    case SpvOpTypeStruct: return index < t->count - 2u ? lw_word(e->spv, t, 2 + index) : 0;
    default: return 0;
    }
}

static T
struct_type(lw_emitter *e, const struct lw_inst *t)
{
    unsigned count = t->count - 2u;
    T *members = calloc(count + 1, sizeof *members), result = NULL;
    if (!members)
        lw_emit_fail(e, "a struct of %u members", count);
    for (unsigned i = 0; i < count && !e->failed; i++)
        members[i] = lw_emit_type(e, lw_word(e->spv, t, 2 + i));
    if (!e->failed)
        result = LLVMStructTypeInContext(e->context, members, count, false);
    free(members);
    return result;
}

/* A vector of one component is that component (check_types.c). */
static T
vector_type(lw_emitter *e, const struct lw_inst *t, T element)
{
    uint32_t count = lw_word(e->spv, t, 3);
    if (count == 1)
        return element;
    if (count < 2 || count > LW_MAX_COMPONENTS) {
        lw_emit_fail(e, "a vector of %u components", count);
        return NULL;
    }
    return e->failed ? NULL : LLVMVectorType(element, count);
}

static T
make_type(lw_emitter *e, uint32_t id, const struct lw_inst *t)
{
    uint32_t op = t ? t->op : SpvOpNop;
    switch (op) {
    case SpvOpTypeVoid: return LLVMVoidTypeInContext(e->context);
    case SpvOpTypeBool: return e->i1;
    case SpvOpTypeInt: {
        uint32_t width = lw_word(e->spv, t, 2);
        if (width < 1 || width > 64)
            lw_emit_fail(e, "integer type of %u bits", width);
        return e->failed ? NULL : LLVMIntTypeInContext(e->context, width);
    }
    case SpvOpTypeReserveId:
    case SpvOpTypeQueue:
    case SpvOpTypeDeviceEvent:
    case SpvOpTypeEvent: return e->i64;
    case SpvOpTypePipe:
    case SpvOpTypePipeStorage: return LLVMPointerTypeInContext(e->context, LW_AS_GLOBAL);
    case SpvOpTypeImage: return LLVMPointerTypeInContext(e->context, LW_AS_CONSTANT);
    case SpvOpTypeSampler: return e->i32;
    case SpvOpTypeSampledImage: {
        T both[] = {LLVMPointerTypeInContext(e->context, LW_AS_CONSTANT), e->i32};
        return LLVMStructTypeInContext(e->context, both, 2, false);
    }
    case SpvOpTypeFloat: return float_type(e, lw_word(e->spv, t, 2));
    case SpvOpTypeVector: return vector_type(e, t, lw_emit_type(e, lw_word(e->spv, t, 2)));
    case SpvOpTypeArray: {
        T element = lw_emit_type(e, lw_word(e->spv, t, 2));
        return element ? LLVMArrayType2(element, lw_array_length(e->spv, id)) : NULL;
    }
    case SpvOpTypeStruct: return struct_type(e, t);
    case SpvOpTypePointer:
        return LLVMPointerTypeInContext(e->context, lw_address_space_of(e, lw_word(e->spv, t, 2)));
    default: lw_emit_fail(e, "type %%%u (%s)", id, lw_op_name(op)); return NULL;
    }
}

T
lw_emit_type(lw_emitter *e, uint32_t id)
{
    if (e->failed || id >= e->spv->bound) {
        lw_emit_fail(e, "type id %u", id);
        return NULL;
    }
    if (!e->types[id]) {
        if (++e->nesting > LW_MAX_NESTING)
            lw_emit_fail(e, "types nested deeper than %u", LW_MAX_NESTING);
        T type = e->failed ? NULL : make_type(e, id, lw_def(e->spv, id));
        e->nesting--;
        if (e->failed)
            return NULL;
        e->types[id] = type;
    }
    return e->types[id];
}

/* Packed, the padding spelled out as [n x i8]. */
static T
struct_memory_type(lw_emitter *e, uint32_t id, const struct lw_inst *t, uint64_t size)
{
    unsigned count = t->count - 2u, n = 0;
    T *members = calloc(2 * count + 2, sizeof *members), result = NULL;
    uint64_t at = 0;
    if (!members)
        lw_emit_fail(e, "a struct of %u members", count);
    for (unsigned i = 0; i < count && !e->failed; i++) {
        uint32_t member = lw_word(e->spv, t, 2 + i);
        uint64_t offset = lw_member_offset(e->spv, id, i);
        if (offset < at)
            lw_emit_fail(e, "struct %%%u with overlapping members", id);
        else if (offset > at)
            members[n++] = LLVMArrayType2(e->i8, offset - at);
        members[n++] = lw_emit_memory_type(e, member);
        at = offset + lw_size_of(e, member);
    }
    if (!e->failed && at < size)
        members[n++] = LLVMArrayType2(e->i8, size - at);
    if (!e->failed)
        result = LLVMStructTypeInContext(e->context, members, n, true);
    free(members);
    return result;
}

static T
make_memory_type(lw_emitter *e, uint32_t id, const struct lw_inst *t)
{
    struct lw_layout layout;
    if (!t || !lw_type_layout(e->spv, id, &layout)) {
        lw_emit_fail(e, "type %%%u has no layout in memory", id);
        return NULL;
    }
    switch (t->op) {
    case SpvOpTypeBool: return e->i8;
    case SpvOpTypeVector: {
        T element = lw_emit_memory_type(e, lw_word(e->spv, t, 2));
        uint32_t count = lw_word(e->spv, t, 3);
        if (!element)
            return NULL;
        return count == 3 ? LLVMArrayType2(element, 4) : LLVMVectorType(element, count);
    }
    case SpvOpTypeArray: {
        T element = lw_emit_memory_type(e, lw_word(e->spv, t, 2));
        return element ? LLVMArrayType2(element, lw_array_length(e->spv, id)) : NULL;
    }
    case SpvOpTypeStruct: return struct_memory_type(e, id, t, layout.size);
    default: return lw_emit_type(e, id);
    }
}

T
lw_emit_memory_type(lw_emitter *e, uint32_t id)
{
    if (e->failed || id >= e->spv->bound) {
        lw_emit_fail(e, "type id %u", id);
        return NULL;
    }
    if (!e->memory_types[id]) {
        if (++e->nesting > LW_MAX_NESTING)
            lw_emit_fail(e, "types nested deeper than %u", LW_MAX_NESTING);
        T type = e->failed ? NULL : make_memory_type(e, id, lw_def(e->spv, id));
        e->nesting--;
        if (e->failed)
            return NULL;
        e->memory_types[id] = type;
    }
    return e->memory_types[id];
}

uint64_t
lw_size_of(lw_emitter *e, uint32_t type)
{
    struct lw_layout layout;
    if (!lw_type_layout(e->spv, type, &layout)) {
        lw_emit_fail(e, "type %%%u has no layout in memory", type);
        return 1;
    }
    return layout.size;
}

unsigned
lw_align_of(lw_emitter *e, uint32_t type)
{
    struct lw_layout layout;
    if (!lw_type_layout(e->spv, type, &layout)) {
        lw_emit_fail(e, "type %%%u has no layout in memory", type);
        return 1;
    }
    return layout.align ? layout.align : 1;
}

unsigned
lw_parts(T type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMVectorTypeKind: return LLVMGetVectorSize(type);
    case LLVMArrayTypeKind: {
        uint64_t n = LLVMGetArrayLength2(type);
        return n > UINT32_MAX ? UINT32_MAX : (unsigned)n;
    }
    case LLVMStructTypeKind: return LLVMCountStructElementTypes(type);
    default: return 1;
    }
}

T
lw_scalar(T type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

T
lw_like(T scalar, T shape)
{
    return LLVMGetTypeKind(shape) == LLVMVectorTypeKind ? LLVMVectorType(scalar, LLVMGetVectorSize(shape))
                                                        : scalar;
}

unsigned
lw_bits(T type)
{
    type = lw_scalar(type);
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type);
    case LLVMHalfTypeKind: return 16;
    case LLVMFloatTypeKind: return 32;
    default: return 64;
    }
}

bool
lw_is_float(T type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(lw_scalar(type));
    return kind == LLVMHalfTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

const char *
lw_suffix(T type, char buffer[16])
{
    bool is_pointer = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
    snprintf(buffer, 16, "%c%u", is_pointer ? 'p' : lw_is_float(type) ? 'f' : 'i', lw_bits(type));
    return buffer;
}

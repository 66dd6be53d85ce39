/* SPDX-License-Identifier: MIT */
/* Composites: construct, extract, insert, shuffle, dynamic components, copies. */
#include "emitter.h"

/* Vectors may be built from scalars and shorter vectors. */
static V
construct_vector(lw_emitter *e, T type)
{
    V parts[LW_MAX_COMPONENTS];
    unsigned count = lw_parts(type), n = 0;
    for (unsigned i = 3; i < e->inst->count && !e->failed; i++) {
        V given = lw_operand_value(e, i);
        for (unsigned k = 0; given && k < lw_parts(LLVMTypeOf(given)) && n < count; k++)
            parts[n++] = lw_component(e, given, k);
    }
    for (unsigned i = 0; i < n && !e->failed; i++)
        if (LLVMTypeOf(parts[i]) != lw_scalar(type))
            lw_emit_fail(e, "a component of the wrong type");
    if (n < count)
        lw_emit_fail(e, "a vector made of too few components");
    return lw_assemble(e, type, parts);
}

/* The type at a path of literal indices, or failure. */
static T
part_of(lw_emitter *e, T type, uint32_t index)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMStructTypeKind:
        if (index < LLVMCountStructElementTypes(type))
            return LLVMStructGetTypeAtIndex(type, index);
        break;
    case LLVMVectorTypeKind:
    case LLVMArrayTypeKind:
        if (index < lw_parts(type))
            return LLVMGetElementType(type);
        break;
    default: break;
    }
    lw_emit_fail(e, "index %u into a composite", index);
    return NULL;
}

static V
construct(lw_emitter *e, T type)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        return construct_vector(e, type);
    V result = LLVMConstNull(type);
    if (lw_parts(type) != e->inst->count - 3u)
        lw_emit_fail(e, "a composite of %u parts made of %u", lw_parts(type), e->inst->count - 3u);
    for (unsigned i = 3; i < e->inst->count && !e->failed; i++) {
        V part = lw_operand_value(e, i);
        T want = part_of(e, type, i - 3);
        if (!e->failed && LLVMTypeOf(part) != want)
            lw_emit_fail(e, "a part of the wrong type");
        if (!e->failed)
            result = LLVMBuildInsertValue(e->b, result, part, i - 3, "");
    }
    return result;
}

static V
part(lw_emitter *e, V composite, uint32_t index)
{
    if (!part_of(e, LLVMTypeOf(composite), index))
        return NULL;
    if (LLVMGetTypeKind(LLVMTypeOf(composite)) == LLVMVectorTypeKind)
        return lw_component(e, composite, index);
    return LLVMBuildExtractValue(e->b, composite, index, "");
}

static V
with_part(lw_emitter *e, V composite, V value, uint32_t index)
{
    T want = part_of(e, LLVMTypeOf(composite), index);
    if (e->failed || LLVMTypeOf(value) != want) {
        lw_emit_fail(e, "a part of the wrong type");
        return NULL;
    }
    if (LLVMGetTypeKind(LLVMTypeOf(composite)) == LLVMVectorTypeKind)
        return LLVMBuildInsertElement(e->b, composite, value, lw_int(e->i32, index), "");
    return LLVMBuildInsertValue(e->b, composite, value, index, "");
}

/* clang-15 takes component 5 of a built-in variable for get_global_id(5). */
static void
emit_extract(lw_emitter *e)
{
    uint32_t source = lw_operand(e, 3);
    if (lw_is_input(e, source) && e->inst->count == 5) {
        V index = lw_int(e->i64, lw_operand(e, 4));
        lw_emit_result(e,
                       lw_input_component(e, e->inputs[source] - 1u, index, lw_emit_type(e, e->inst->type)));
        return;
    }
    V value = lw_operand_value(e, 3);
    for (unsigned i = 4; i < e->inst->count && !e->failed; i++)
        value = part(e, value, lw_operand(e, i));
    lw_emit_result(e, value);
}

/* Inserting unwinds outwards: the composites on the path, inner last. */
static void
emit_insert(lw_emitter *e)
{
    V object = lw_operand_value(e, 3), path[LW_MAX_NESTING];
    unsigned depth = e->inst->count - 5u;
    path[0] = lw_operand_value(e, 4);
    if (e->inst->count < 5 || depth >= LW_MAX_NESTING)
        lw_emit_fail(e, "a path of %u indices", depth);
    for (unsigned i = 0; i + 1 < depth && !e->failed; i++)
        path[i + 1] = part(e, path[i], lw_operand(e, 5 + i));
    for (unsigned i = depth; i > 0 && !e->failed; i--)
        object = with_part(e, path[i - 1], object, lw_operand(e, 4 + i));
    lw_emit_result(e, object);
}

/* get_image_dim of a 3-D image: its fourth component is 0, which LLVM 22's back end leaves open. */
static bool
is_of_image_size(lw_emitter *e, uint32_t id)
{
    uint32_t op = lw_op_of(e->spv, id);
    return op == SpvOpImageQuerySizeLod || op == SpvOpImageQuerySize;
}

static void
emit_shuffle(lw_emitter *e)
{
    V a = lw_operand_value(e, 3), b = lw_operand_value(e, 4), parts[LW_MAX_COMPONENTS];
    T type = lw_emit_type(e, e->inst->type);
    if (e->failed)
        return;
    unsigned from_a = lw_parts(LLVMTypeOf(a)), from_b = lw_parts(LLVMTypeOf(b)), count = lw_parts(type);
    if (count != e->inst->count - 5u || LLVMGetTypeKind(type) != LLVMVectorTypeKind) {
        lw_emit_fail(e, "operands of the wrong types");
        return;
    }
    if (LLVMTypeOf(a) == LLVMTypeOf(b) && lw_scalar(LLVMTypeOf(a)) == lw_scalar(type) &&
        !is_of_image_size(e, lw_operand(e, 3))) {
        for (unsigned i = 0; i < count; i++) {
            uint32_t index = lw_operand(e, 5 + i);
            parts[i] = lw_int(e->i32, index < from_a + from_b ? index : 0);
        }
        lw_emit_result(e, LLVMBuildShuffleVector(e->b, a, b, LLVMConstVector(parts, count), ""));
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        uint32_t index = lw_operand(e, 5 + i);
        parts[i] = index < from_a            ? lw_component(e, a, index)
                   : index < from_a + from_b ? lw_component(e, b, index - from_a)
                                             : LLVMConstNull(lw_scalar(type));
        if (!e->failed && LLVMTypeOf(parts[i]) != lw_scalar(type)) {
            lw_emit_fail(e, "a component of the wrong type");
            return;
        }
    }
    lw_emit_result(e, lw_assemble(e, type, parts));
}

static void
emit_extract_dynamic(lw_emitter *e)
{
    uint32_t source = lw_operand(e, 3);
    V index = lw_operand_value(e, 4);
    if (e->failed)
        return;
    if (LLVMGetTypeKind(LLVMTypeOf(index)) != LLVMIntegerTypeKind) {
        lw_emit_fail(e, "an index that is no integer");
        return;
    }
    if (lw_is_input(e, source)) {
        V wide = LLVMBuildIntCast2(e->b, index, e->i64, false, "");
        lw_emit_result(e,
                       lw_input_component(e, e->inputs[source] - 1u, wide, lw_emit_type(e, e->inst->type)));
        return;
    }
    lw_emit_result(e, lw_select_component(e, lw_operand_value(e, 3), index));
}

static void
emit_insert_dynamic(lw_emitter *e)
{
    V vector = lw_operand_value(e, 3), object = lw_operand_value(e, 4), index = lw_operand_value(e, 5);
    if (e->failed)
        return;
    T type = LLVMTypeOf(vector), index_type = LLVMTypeOf(index);
    unsigned n = lw_parts(type);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || LLVMTypeOf(object) != lw_scalar(type) ||
        LLVMGetTypeKind(index_type) != LLVMIntegerTypeKind) {
        lw_emit_fail(e, "operands of the wrong types");
        return;
    }
    V limit = lw_int(index_type, n - 1);
    index = n & (n - 1) ? lw_intrinsic2(e, "llvm.umin", index, limit) : LLVMBuildAnd(e->b, index, limit, "");
    lw_emit_result(e, LLVMBuildInsertElement(e->b, vector, object, index, ""));
}

static void
emit_copy(lw_emitter *e)
{
    uint32_t source = lw_operand(e, 3);
    if (lw_derive_input(e, source, NULL))
        return;
    V value = lw_operand_value(e, 3);
    T type = lw_emit_type(e, e->inst->type);
    if (!e->failed && LLVMTypeOf(value) != type)
        lw_emit_fail(e, "a copy between different types");
    lw_emit_result(e, value);
}

bool
lw_emit_composite(lw_emitter *e)
{
    T type;
    switch (e->inst->op) {
    case SpvOpCompositeConstruct:
        type = lw_emit_type(e, e->inst->type);
        if (type)
            lw_emit_result(e, construct(e, type));
        return true;
    case SpvOpCompositeExtract: emit_extract(e); return true;
    case SpvOpCompositeInsert: emit_insert(e); return true;
    case SpvOpVectorShuffle: emit_shuffle(e); return true;
    case SpvOpVectorExtractDynamic: emit_extract_dynamic(e); return true;
    case SpvOpVectorInsertDynamic: emit_insert_dynamic(e); return true;
    case SpvOpCopyObject:
    case SpvOpCopyLogical: emit_copy(e); return true;
    case SpvOpUndef: lw_emit_result(e, lw_undefined(e, e->inst->type)); return true;
    default: return false;
    }
}

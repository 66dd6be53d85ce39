/* SPDX-License-Identifier: MIT */
/* Lanes: types, constants, masks, single lanes, and the shared small parts of the other lanes_*.c files.
 *
 * Enters: a builder at the end of a block of `function`.
 * Leaves: instructions there; where a helper needed control flow, the builder at the end of a new block.
 * Never: emits what the ISA level cannot select, or lets a poison lane into a mask it makes.
 */
#include <string.h>
#include "internal.h"

LLVMTypeRef
lw_lane_int_type(lw_lanes *l, unsigned bits)
{
    return LLVMIntTypeInContext(l->context, bits);
}

unsigned
lw_lane_bits(LLVMTypeRef scalar)
{
    switch (LLVMGetTypeKind(scalar)) {
    case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(scalar);
    case LLVMHalfTypeKind: return 16;
    case LLVMBFloatTypeKind: return 16;
    case LLVMFloatTypeKind: return 32;
    case LLVMDoubleTypeKind: return 64;
    case LLVMPointerTypeKind: return 64;
    default: return 0;
    }
}

bool
lw_lane_is_float(LLVMTypeRef scalar)
{
    LLVMTypeKind kind = LLVMGetTypeKind(scalar);

    return kind == LLVMHalfTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

bool
lw_lane_is_vector(V value)
{
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind;
}

bool
lw_lane_is_mask(V value)
{
    return lw_lane_is_vector(value) && lw_lane_bits(lw_lane_element(value)) == 1;
}

bool
lw_lane_is_mask_logic(V value)
{
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMPHI:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMFreeze:
    case LLVMSelect:
        return true;
    default:
        return false;
    }
}

bool
lw_lane_computes(const lw_lanes *l, LLVMTypeRef scalar)
{
    LLVMTypeKind kind = LLVMGetTypeKind(scalar);

    if (kind == LLVMIntegerTypeKind) {
        unsigned bits = LLVMGetIntTypeWidth(scalar);
        return bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
    }
    return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind ||
           (kind == LLVMHalfTypeKind && lw_isa_row(l->isa)->computes_halves);
}

LLVMTypeRef
lw_lane_element(V vector)
{
    return lw_lane_is_vector(vector) ? LLVMGetElementType(LLVMTypeOf(vector)) : LLVMTypeOf(vector);
}

unsigned
lw_lane_count(V vector)
{
    return lw_lane_is_vector(vector) ? LLVMGetVectorSize(LLVMTypeOf(vector)) : 1;
}

/* Intrinsics */

V
lw_lane_call(lw_lanes *l, const char *intrinsic, LLVMTypeRef *overloads, unsigned overload_count, V *args,
             unsigned arg_count)
{
    unsigned id = LLVMLookupIntrinsicID(intrinsic, strlen(intrinsic));
    V callee = LLVMGetIntrinsicDeclaration(l->module, id, overloads, overload_count);

    return LLVMBuildCall2(l->builder, LLVMGlobalGetValueType(callee), callee, args, arg_count, "");
}

V
lw_lane_lower_half(lw_lanes *l, V word)
{
    V args[] = {word, LLVMConstInt(LLVMInt64TypeInContext(l->context), 32, false)};

    return lw_lane_call(l, "llvm.x86.bmi.bzhi.64", NULL, 0, args, 2);
}

V
lw_lane_call1(lw_lanes *l, const char *intrinsic, V a)
{
    LLVMTypeRef type = LLVMTypeOf(a);

    return lw_lane_call(l, intrinsic, &type, 1, &a, 1);
}

V
lw_lane_call2(lw_lanes *l, const char *intrinsic, V a, V b)
{
    LLVMTypeRef type = LLVMTypeOf(a);
    V args[] = {a, b};

    return lw_lane_call(l, intrinsic, &type, 1, args, 2);
}

void
lw_lane_note(lw_lanes *l, const char *what)
{
    if (l->serialised)
        l->serialised(l->serialised_data, what);
}

/* Types and constants */

LLVMTypeRef
lane_type(lw_lanes *l, LLVMTypeRef element)
{
    return LLVMVectorType(element, l->n);
}

V
lw_lane_const_vector(LLVMTypeRef int_element, const int64_t *values, unsigned count)
{
    V elements[2 * 64];

    for (unsigned i = 0; i < count; i++) {
        /* Truncated first: a constant that does not fit its type is an error since LLVM 20. */
        unsigned bits = LLVMGetIntTypeWidth(int_element);
        uint64_t value = (uint64_t)values[i];
        elements[i] = LLVMConstInt(int_element, bits < 64 ? value & ((1ull << bits) - 1) : value, false);
    }
    return LLVMConstVector(elements, count);
}

V
lane_offsets(lw_lanes *l, LLVMTypeRef int_element, const int64_t *offsets)
{
    return lw_lane_const_vector(int_element, offsets, l->n);
}

V
lane_iota(lw_lanes *l, LLVMTypeRef int_element)
{
    int64_t offsets[64];

    for (unsigned i = 0; i < l->n; i++)
        offsets[i] = i;
    return lane_offsets(l, int_element, offsets);
}

V
lw_lane_splat_n(lw_lanes *l, V scalar, unsigned count)
{
    LLVMTypeRef vector = LLVMVectorType(LLVMTypeOf(scalar), count);

    if (LLVMIsConstant(scalar) && !LLVMIsAConstantExpr(scalar)) {
        V elements[2 * 64];
        for (unsigned i = 0; i < count; i++)
            elements[i] = scalar;
        return LLVMConstVector(elements, count);
    }
    LLVMTypeRef i32 = lw_lane_int_type(l, 32);
    V first =
        LLVMBuildInsertElement(l->builder, LLVMGetPoison(vector), scalar, LLVMConstInt(i32, 0, false), "");
    return LLVMBuildShuffleVector(l->builder, first, LLVMGetPoison(vector),
                                  LLVMConstNull(LLVMVectorType(i32, count)), "");
}

V
lw_lane_number(lw_lanes *l, V like, uint64_t value)
{
    return lw_lane_splat_n(l, LLVMConstInt(lw_lane_element(like), value, false), lw_lane_count(like));
}

V
lane_splat(lw_lanes *l, V scalar)
{
    return lw_lane_splat_n(l, scalar, l->n);
}

V
lane_int(lw_lanes *l, unsigned bits, int64_t value)
{
    uint64_t low = bits < 64 ? (uint64_t)value & ((1ull << bits) - 1) : (uint64_t)value;

    return LLVMConstInt(lw_lane_int_type(l, bits), low, false);
}

V
lane_all_true(lw_lanes *l)
{
    return LLVMConstAllOnes(lane_type(l, lw_lane_int_type(l, 1)));
}

bool
lane_mask_is_all(V mask)
{
    return !mask || (LLVMIsConstant(mask) && mask == LLVMConstAllOnes(LLVMTypeOf(mask)));
}

bool
lane_mask_is_known(V mask, uint64_t *lanes)
{
    *lanes = 0;
    if (!LLVMIsConstant(mask))
        return false;
    for (unsigned k = 0; k < lw_lane_count(mask); k++) {
        V lane = LLVMGetAggregateElement(mask, k);
        if (!lane || !LLVMIsAConstantInt(lane))
            return false;
        *lanes |= (uint64_t)LLVMConstIntGetZExtValue(lane) << k;
    }
    return true;
}

V
lw_lane_splat_source(V vector)
{
    unsigned count = lw_lane_count(vector);

    if (!lw_lane_is_vector(vector))
        return vector;
    if (LLVMIsConstant(vector)) {
        V first = LLVMGetAggregateElement(vector, 0);
        for (unsigned i = 1; first && i < count; i++)
            if (LLVMGetAggregateElement(vector, i) != first)
                return NULL;
        return first && !LLVMIsUndef(first) ? first : NULL;
    }
    if (!LLVMIsAShuffleVectorInst(vector))
        return NULL;
    for (unsigned i = 0; i < count; i++)
        if (LLVMGetMaskValue(vector, i) != 0)
            return NULL;
    V insert = LLVMGetOperand(vector, 0);
    if (!LLVMIsAInsertElementInst(insert))
        return NULL;
    V at = LLVMGetOperand(insert, 2);
    return LLVMIsAConstantInt(at) && LLVMConstIntGetZExtValue(at) == 0 ? LLVMGetOperand(insert, 1) : NULL;
}

/* Parts of vectors */

V
lw_lane_shuffle_const(lw_lanes *l, V a, V b, const int *lanes, unsigned count)
{
    LLVMTypeRef i32 = lw_lane_int_type(l, 32);
    V elements[2 * 64];
    bool identity = count == lw_lane_count(a);

    for (unsigned i = 0; i < count; i++) {
        elements[i] = lanes[i] < 0 ? LLVMGetPoison(i32) : LLVMConstInt(i32, (unsigned)lanes[i], false);
        identity = identity && lanes[i] == (int)i;
    }
    if (identity)
        return a;
    return LLVMBuildShuffleVector(l->builder, a, b ? b : LLVMGetPoison(LLVMTypeOf(a)),
                                  LLVMConstVector(elements, count), "");
}

V
lw_lane_part(lw_lanes *l, V vector, unsigned first, unsigned count)
{
    int lanes[2 * 64];

    for (unsigned i = 0; i < count; i++)
        lanes[i] = first + i < lw_lane_count(vector) ? (int)(first + i) : -1;
    return lw_lane_shuffle_const(l, vector, NULL, lanes, count);
}

V
lw_lane_concat(lw_lanes *l, V *parts, unsigned count)
{
    V level[128];
    int lanes[2 * 64];

    memcpy(level, parts, count * sizeof *parts);
    for (; count > 1; count /= 2) {
        unsigned width = 2 * lw_lane_count(level[0]);
        for (unsigned i = 0; i < width; i++)
            lanes[i] = (int)i;
        for (unsigned i = 0; i < count / 2; i++)
            level[i] = lw_lane_shuffle_const(l, level[2 * i], level[2 * i + 1], lanes, width);
    }
    return level[0];
}

static LLVMTypeRef
with_shape_of(V value, LLVMTypeRef element)
{
    return lw_lane_is_vector(value) ? LLVMVectorType(element, lw_lane_count(value)) : element;
}

LLVMTypeRef
lw_lane_memory_type(lw_lanes *l, LLVMTypeRef element)
{
    if (LLVMGetTypeKind(element) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(element) == 1)
        return lw_lane_int_type(l, 8);
    if (LLVMGetTypeKind(element) == LLVMHalfTypeKind)
        return lw_lane_int_type(l, 16);
    return element;
}

V
lw_lane_to_memory(lw_lanes *l, V value)
{
    LLVMTypeRef element = lw_lane_element(value), memory = lw_lane_memory_type(l, element);

    if (memory == element)
        return value;
    if (LLVMGetTypeKind(element) == LLVMIntegerTypeKind)
        return LLVMBuildZExt(l->builder, value, with_shape_of(value, memory), "");
    return LLVMBuildBitCast(l->builder, value, with_shape_of(value, memory), "");
}

V
lw_lane_from_memory(lw_lanes *l, V value, LLVMTypeRef element)
{
    LLVMTypeRef memory = lw_lane_memory_type(l, element);

    if (memory == element)
        return value;
    if (LLVMGetTypeKind(element) == LLVMIntegerTypeKind)
        return LLVMBuildTrunc(l->builder, value, with_shape_of(value, element), "");
    return LLVMBuildBitCast(l->builder, value, with_shape_of(value, element), "");
}

V
lw_lane_to_bits(lw_lanes *l, V vector)
{
    LLVMTypeRef element = lw_lane_element(vector);
    unsigned bits = lw_lane_bits(element);

    if (LLVMGetTypeKind(element) == LLVMPointerTypeKind)
        return LLVMBuildPtrToInt(l->builder, vector, with_shape_of(vector, lw_lane_int_type(l, 64)), "");
    if (bits == 1)
        return lw_lane_to_memory(l, vector);
    if (lw_lane_is_float(element) || LLVMGetTypeKind(element) == LLVMBFloatTypeKind)
        return LLVMBuildBitCast(l->builder, vector, with_shape_of(vector, lw_lane_int_type(l, bits)), "");
    return vector;
}

V
lw_lane_from_bits(lw_lanes *l, V bits, LLVMTypeRef element)
{
    if (LLVMGetTypeKind(element) == LLVMPointerTypeKind)
        return LLVMBuildIntToPtr(l->builder, bits, with_shape_of(bits, element), "");
    if (LLVMGetTypeKind(element) == LLVMIntegerTypeKind)
        return lw_lane_from_memory(l, bits, element);
    return LLVMBuildBitCast(l->builder, bits, with_shape_of(bits, element), "");
}

/* SPDX-License-Identifier: MIT */
/* Images and samplers: an access is a call of a body in builtins/library/image.c (lw.image.*), with what the
 * image's memory says of it (image.h). What is known of the kernel's argument before, format and sampler, is
 * passed as constants, so that inlining leaves the code of the one case.
 *
 * An image is the address of its struct lw_image, in constant memory, a sampler its 32 bits; a sampled image
 * is both. What describes an image is loaded once, where the function begins. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "emit_function.h"
#include "image.h"

#define IMAGE_ARGUMENTS 10
#define FIRST_ORDER 0x10B0 /* CLK_R */
#define FIRST_TYPE 0x10D0 /* CLK_SNORM_INT8 */
#define MOST_CALLS 8      /* deep, where reads are counted */
#define MOST_FAST_READS 256 /* past which their compile time counts for more than their speed */

struct image {
    const struct lw_inst *type;
    V header;
    uint32_t fact; /* 0: nothing is known */
    unsigned dims;
    bool array;
};

/* ---- what an image's memory says ---- */

static V
load_field(lw_emitter *e, V header, T type, size_t offset)
{
    V at = lw_int(e->i64, offset),
      none = LLVMMetadataAsValue(e->context, LLVMMDNodeInContext2(e->context, NULL, 0));
    LLVMBuilderRef b = LLVMIsAArgument(header) ? e->prologue : e->b;
    V value = LLVMBuildLoad2(b, type, LLVMBuildInBoundsGEP2(b, e->i8, header, &at, 1, ""), "");
    LLVMSetAlignment(value, LLVMGetTypeKind(type) == LLVMIntegerTypeKind && lw_bits(type) == 32 ? 4 : 8);
    LLVMSetMetadata(value, LLVMGetMDKindIDInContext(e->context, "invariant.load", 14), none);
    return value;
}

/* Of the struct image `i`. */
#define FIELD(name) load_field(e, i->header, e->i32, offsetof(struct lw_image, name))
#define WIDE_FIELD(name) load_field(e, i->header, e->i64, offsetof(struct lw_image, name))

static V
order_of(lw_emitter *e, const struct image *i)
{
    return i->fact ? lw_int(e->i32, LW_FACT_ORDER(i->fact)) : FIELD(order);
}

static V
type_of(lw_emitter *e, const struct image *i)
{
    return i->fact ? lw_int(e->i32, LW_FACT_TYPE(i->fact)) : FIELD(type);
}

/* Bytes of a texel; 0 for those orders with padding, of which the image tells. */
static unsigned
known_size(uint32_t fact)
{
    static const uint8_t channels[] = {1, 1, 2, 2, 3, 4, 4, 4, 1, 1, 0, 0, 0, 1, 0, 3, 0, 4, 4, 4};
    static const uint8_t bytes[] = {1, 2, 1, 2, 0, 0, 0, 1, 2, 4, 1, 2, 4, 2, 4};
    uint32_t order = LW_FACT_ORDER(fact), type = LW_FACT_TYPE(fact);
    if (type == SpvImageChannelDataTypeUnormShort565 || type == SpvImageChannelDataTypeUnormShort555)
        return 2;
    if (type == SpvImageChannelDataTypeUnormInt101010 || type == SpvImageChannelDataTypeUnormInt101010_2)
        return 4;
    return fact && order < sizeof channels && type < sizeof bytes ? (unsigned)channels[order] * bytes[type]
                                                                  : 0;
}

static V
size_of(lw_emitter *e, const struct image *i)
{
    unsigned size = i->fact ? known_size(i->fact) : 0;
    return size ? lw_int(e->i32, size) : FIELD(element_size);
}

/* The arguments that all bodies begin with. */
static void
describe(lw_emitter *e, const struct image *i, unsigned space, V args[IMAGE_ARGUMENTS])
{
    V one = lw_int(e->i32, 1), zero = lw_int(e->i64, 0);
    bool rows = i->dims > 1 || i->array, slices = i->dims > 2 || (i->dims == 2 && i->array);
    args[0] = load_field(e, i->header, LLVMPointerTypeInContext(e->context, space),
                         offsetof(struct lw_image, data));
    args[1] = FIELD(width);
    args[2] = i->dims > 1 ? FIELD(height) : i->array ? FIELD(layers) : one;
    args[3] = i->dims > 2 ? FIELD(depth) : slices ? FIELD(layers) : one;
    args[4] = rows ? WIDE_FIELD(row_pitch) : zero;
    args[5] = slices ? WIDE_FIELD(slice_pitch) : zero;
    args[6] = size_of(e, i);
    args[7] = order_of(e, i);
    args[8] = type_of(e, i);
    args[9] = lw_int(e->i32, (i->fact & LW_FACT_SMALL) != 0);
}

static bool
open_image(lw_emitter *e, uint32_t id, V header, struct image *i)
{
    const struct lw_inst *type = lw_def(e->spv, lw_type_of(e->spv, id));
    if (type && type->op == SpvOpTypeSampledImage)
        type = lw_def(e->spv, lw_word(e->spv, type, 2));
    if (e->failed || !type || type->op != SpvOpTypeImage || !header ||
        LLVMGetTypeKind(LLVMTypeOf(header)) != LLVMPointerTypeKind) {
        lw_emit_fail(e, "an image of this type");
        return false;
    }
    uint32_t dim = lw_word(e->spv, type, 3);
    *i = (struct image){type, header, 0, dim == SpvDim2D ? 2 : dim == SpvDim3D ? 3 : 1,
                        lw_word(e->spv, type, 5) == 1};
    return true;
}

/* ---- coordinates and texels ---- */

#define SUM_DEPTH 4 /* of sums in sums of a coordinate */

/* The component of a vector that instructions put together, without taking it apart. */
static V
part_of(V vector, unsigned k)
{
    while (LLVMIsAInsertElementInst(vector)) {
        V index = LLVMGetOperand(vector, 2);
        if (!LLVMIsAConstantInt(index))
            return vector;
        if (LLVMConstIntGetZExtValue(index) == k)
            return LLVMGetOperand(vector, 1);
        vector = LLVMGetOperand(vector, 0);
    }
    return vector;
}

/* Component k of a coordinate; of sums and differences of integers as one of the components. Lanes lie along
 * a row where x is seen to be a work-item's index and a constant, which a sum of vectors hides. */
static V
component_of(lw_emitter *e, V vector, unsigned k, unsigned depth)
{
    V part = part_of(vector, k);
    if (LLVMGetTypeKind(LLVMTypeOf(part)) != LLVMVectorTypeKind)
        return part;
    LLVMOpcode op = LLVMIsABinaryOperator(part) ? LLVMGetInstructionOpcode(part) : 0;
    if (!depth || (op != LLVMAdd && op != LLVMSub))
        return lw_component(e, part, k);
    V left = component_of(e, LLVMGetOperand(part, 0), k, depth - 1);
    V right = component_of(e, LLVMGetOperand(part, 1), k, depth - 1);
    V sum = LLVMBuildBinOp(e->b, op, left, right, "");
    if (LLVMIsABinaryOperator(sum)) {
        LLVMSetNSW(sum, LLVMGetNSW(part));
        LLVMSetNUW(sum, LLVMGetNUW(part));
    }
    return sum;
}

/* x, y, z and zeros, each i32 or float; `count` of the image's. */
static bool
coordinates(lw_emitter *e, const struct image *i, V coordinate, V out[3])
{
    unsigned count = i->dims + i->array;
    if (e->failed || !coordinate || (count > 1 && lw_parts(LLVMTypeOf(coordinate)) < count)) {
        lw_emit_fail(e, "a coordinate of this type");
        return false;
    }
    T type = lw_scalar(LLVMTypeOf(coordinate));
    for (unsigned k = 0; k < 3; k++)
        out[k] = k < count ? component_of(e, coordinate, k, SUM_DEPTH) : LLVMConstNull(type);
    return type == e->i32 || type == e->f32;
}

/* The global id of dimension `d`, of which all are below the image's extent. */
static bool
is_covered(lw_emitter *e, const struct image *i, V at, unsigned d)
{
    V id = LLVMIsATruncInst(at) ? LLVMGetOperand(at, 0) : NULL;
    return id && (i->fact & LW_FACT_COVERS(d)) && lw_is_id(e, id, "global_id", d);
}

/* Comparisons of such coordinates with the extent are settled by one that everything is below. */
static void
settle_extents(lw_emitter *e, const struct image *i, V args[IMAGE_ARGUMENTS], V xyz[3])
{
    for (unsigned d = 0; d < i->dims + i->array; d++)
        if (is_covered(e, i, xyz[d], d))
            args[1 + d] = lw_int(e->i32, 1u << 31);
}

/* The result of a body as what the instruction gives. */
static void
give_texel(lw_emitter *e, V texel, T type)
{
    if (e->failed || !texel)
        return;
    if (lw_scalar(type) == e->f16)
        texel = LLVMBuildFPTrunc(e->b, texel, LLVMVectorType(e->f16, 4), "");
    lw_emit_result(e, lw_parts(type) == 1 ? lw_component(e, texel, 0) : texel);
}

/* One more round of counting the reads of each function with those of the functions it calls, up to
 * MOST_FAST_READS. false: nothing is new. */
static bool
count_reads(const lw_module *m, unsigned *reads)
{
    bool more = false;
    for (uint32_t f = 0; f < m->function_count; f++) {
        unsigned sum = 0;
        for (uint32_t i = m->functions[f].inst; i < m->functions[f].end && sum < MOST_FAST_READS; i++) {
            const struct lw_inst *inst = &m->insts[i];
            uint32_t callee =
                inst->op == SpvOpFunctionCall ? lw_function_index(m, lw_word(m, inst, 3)) : LW_NO_INST;
            sum += callee != LW_NO_INST ? reads[callee] : inst->op == SpvOpImageSampleExplicitLod;
        }
        sum = sum < MOST_FAST_READS ? sum : MOST_FAST_READS;
        more |= sum != reads[f];
        reads[f] = sum;
    }
    return more;
}

/* Whether reads are to be short: the code is, or there are too many of them when functions are inlined. */
static bool
reads_shortly(lw_emitter *e)
{
    if (e->facts->soon)
        return true;
    unsigned *reads = e->image_reads ? NULL : calloc(e->spv->function_count, sizeof *reads);
    if (reads) {
        for (unsigned rounds = 0; rounds < MOST_CALLS && count_reads(e->spv, reads); rounds++)
            ;
        e->image_reads = reads[e->kernel->function] + 1;
        free(reads);
    }
    return e->image_reads > MOST_FAST_READS;
}

/* A body of builtins/library/image.c, or image_soon.c. */
static V
call_body(lw_emitter *e, const char *what, bool is_float, T type, V *args, unsigned count)
{
    char name[32];
    const char *form = reads_shortly(e) ? "soon." : "";
    snprintf(name, sizeof name, "lw.image.%s%s.%c", form, what, is_float ? 'f' : 'i');
    return lw_call(e, name, type, args, count);
}

static V
read_texel(lw_emitter *e, const char *what, T type, V *args, unsigned count)
{
    bool is_float = lw_is_float(type);
    return call_body(e, what, is_float, LLVMVectorType(is_float ? e->f32 : e->i32, 4), args, count);
}

/* 0 to layers - 1 */
static V
clamp_layer(lw_emitter *e, V layer, V layers)
{
    V least = lw_intrinsic2(e, "llvm.smax", layer, lw_int(e->i32, 0));
    return lw_intrinsic2(e, "llvm.smin", least, LLVMBuildSub(e->b, layers, lw_int(e->i32, 1), ""));
}

/* Whole coordinates with a sampler: to the edge, or zeros outside; layers always to the nearest. */
static void
emit_fetch(lw_emitter *e, struct image *i, V sampler, V xyz[3], T type)
{
    V args[IMAGE_ARGUMENTS + 4];
    describe(e, i, LW_AS_CONSTANT, args);
    settle_extents(e, i, args, xyz);
    for (unsigned k = 0; k < 3; k++)
        args[IMAGE_ARGUMENTS + k] = xyz[k];
    if (i->array)
        args[IMAGE_ARGUMENTS + i->dims] = clamp_layer(e, xyz[i->dims], args[1 + i->dims]);
    V mode = LLVMBuildAnd(e->b, sampler, lw_int(e->i32, 7), "");
    V edge = LLVMBuildICmp(e->b, LLVMIntEQ, mode, lw_int(e->i32, SpvSamplerAddressingModeClampToEdge), "");
    V mode_of_edge = lw_int(e->i32, is_covered(e, i, xyz[0], 0) ? 3 : reads_shortly(e) ? 2 : 1);
    args[IMAGE_ARGUMENTS + 3] = LLVMBuildSelect(e->b, edge, mode_of_edge, lw_int(e->i32, 0), "");
    give_texel(e, read_texel(e, "fetch", type, args, IMAGE_ARGUMENTS + 4), type);
}

/* x of x + 0.5f, by component `k` of vectors. */
static V
without_half(V x, unsigned k)
{
    LLVMBool lossy;
    if (!LLVMIsABinaryOperator(x) || LLVMGetInstructionOpcode(x) != LLVMFAdd ||
        !LLVMIsAConstant(LLVMGetOperand(x, 1)))
        return x;
    V added = LLVMGetOperand(x, 1);
    if (LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMVectorTypeKind)
        added = LLVMGetAggregateElement(added, k);
    bool half = added && LLVMIsAConstantFP(added) && LLVMConstRealGetDouble(added, &lossy) == 0.5;
    return half ? LLVMGetOperand(x, 0) : x;
}

/* The integer that component `k` was made of, (float)x or (float)x + 0.5f, NULL: none. */
static V
whole_source(lw_emitter *e, V coordinate, unsigned k, bool halves)
{
    V sum = halves ? without_half(coordinate, k) : coordinate, x = part_of(sum, k);
    x = halves && sum == coordinate ? without_half(x, k) : x;
    return LLVMIsASIToFPInst(x) && LLVMTypeOf(LLVMGetOperand(x, 0)) == e->i32 ? LLVMGetOperand(x, 0) : NULL;
}

/* Floats that are made of integers choose the same texel as those, if the sampler neither filters nor scales:
 * up to 2^23 exactly, and what is beyond is outside of every image, on the same side. */
static bool
are_whole(lw_emitter *e, const struct image *i, V sampler, V coordinate, V out[3])
{
    uint32_t bits = LLVMIsAConstantInt(sampler) ? (uint32_t)LLVMConstIntGetZExtValue(sampler) : ~0u;
    if (LW_SAMPLER_LINEAR(bits) || LW_SAMPLER_NORMALIZED(bits) ||
        LW_SAMPLER_ADDRESSING(bits) > SpvSamplerAddressingModeClamp)
        return false;
    V whole[3];
    for (unsigned k = 0; k < 3; k++) {
        whole[k] = k < i->dims + i->array ? whole_source(e, coordinate, k, k < i->dims) : lw_int(e->i32, 0);
        if (!whole[k])
            return false;
    }
    memcpy(out, whole, sizeof whole);
    return true;
}

static void
emit_sampled(lw_emitter *e, struct image *i, V sampler, V coordinate)
{
    V xyz[3], args[IMAGE_ARGUMENTS + 6];
    T type = lw_emit_type(e, e->inst->type);
    if (!coordinates(e, i, coordinate, xyz) || !type || !sampler || LLVMTypeOf(sampler) != e->i32) {
        lw_emit_fail(e, "sampling at a coordinate of this type");
        return;
    }
    if (LLVMTypeOf(xyz[0]) == e->i32 || are_whole(e, i, sampler, coordinate, xyz)) {
        emit_fetch(e, i, sampler, xyz, type);
        return;
    }
    describe(e, i, LW_AS_CONSTANT, args);
    V *rest = &args[IMAGE_ARGUMENTS];
    rest[0] = lw_int(e->i32, i->dims);
    rest[1] = lw_int(e->i32, i->array);
    for (unsigned k = 0; k < 3; k++)
        rest[2 + k] = xyz[k];
    rest[5] = sampler;
    give_texel(e, read_texel(e, "sample", type, args, IMAGE_ARGUMENTS + 6), type);
}

static V
known_sampler(lw_emitter *e, uint32_t id)
{
    uint32_t fact = lw_image_fact(e, id);
    return fact ? lw_int(e->i32, LW_FACT_SAMPLER_BITS(fact)) : lw_emit_value(e, id);
}

static void
emit_sample(lw_emitter *e)
{
    uint32_t id = lw_operand(e, 3);
    const struct lw_inst *pair = lw_def(e->spv, id);
    V both = lw_operand_value(e, 3), coordinate = lw_operand_value(e, 4), sampler = NULL;
    struct image i;
    if (e->failed || LLVMGetTypeKind(LLVMTypeOf(both)) != LLVMStructTypeKind) {
        lw_emit_fail(e, "sampling of no sampled image");
        return;
    }
    if (pair->op == SpvOpSampledImage) { /* before the vectorizer, which takes no structures */
        uint32_t image = lw_word(e->spv, pair, 3);
        if (!open_image(e, image, lw_emit_value(e, image), &i))
            return;
        i.fact = lw_image_fact(e, image);
        sampler = known_sampler(e, lw_word(e->spv, pair, 4));
    } else if (open_image(e, id, LLVMBuildExtractValue(e->b, both, 0, ""), &i)) {
        sampler = LLVMBuildExtractValue(e->b, both, 1, "");
    }
    emit_sampled(e, &i, sampler, coordinate);
}

/* Without a sampler: zeros outside. What the kernel may write too is read again each time. */
static void
emit_read(lw_emitter *e, uint32_t id, V coordinate)
{
    V xyz[3], args[IMAGE_ARGUMENTS + 4];
    T type = lw_emit_type(e, e->inst->type);
    struct image i;
    if (!open_image(e, id, lw_emit_value(e, id), &i) || !coordinates(e, &i, coordinate, xyz) || !type ||
        LLVMTypeOf(xyz[0]) != e->i32) {
        lw_emit_fail(e, "reading at a coordinate of this type");
        return;
    }
    bool only = i.type->count <= 9 || lw_word(e->spv, i.type, 9) == SpvAccessQualifierReadOnly;
    i.fact = lw_image_fact(e, id);
    describe(e, &i, only ? LW_AS_CONSTANT : LW_AS_GLOBAL, args);
    settle_extents(e, &i, args, xyz);
    for (unsigned k = 0; k < 3; k++)
        args[IMAGE_ARGUMENTS + k] = xyz[k];
    args[IMAGE_ARGUMENTS + 3] = lw_int(e->i32, 0);
    V texel = only ? read_texel(e, "fetch", type, args, IMAGE_ARGUMENTS + 4)
                   : read_texel(e, "reread", type, args, IMAGE_ARGUMENTS + 3);
    give_texel(e, texel, type);
}

static void
emit_write(lw_emitter *e, uint32_t id, V coordinate, V texel)
{
    V xyz[3], args[IMAGE_ARGUMENTS + 4];
    struct image i;
    if (!open_image(e, id, lw_emit_value(e, id), &i) || !coordinates(e, &i, coordinate, xyz) || !texel ||
        LLVMTypeOf(xyz[0]) != e->i32) {
        lw_emit_fail(e, "writing at a coordinate of this type");
        return;
    }
    bool is_float = lw_is_float(LLVMTypeOf(texel));
    if (lw_scalar(LLVMTypeOf(texel)) == e->f16)
        texel = LLVMBuildFPExt(e->b, texel, lw_like(e->f32, LLVMTypeOf(texel)), "");
    if (lw_parts(LLVMTypeOf(texel)) == 1)
        texel = lw_splat(e, texel, LLVMVectorType(LLVMTypeOf(texel), 4));
    i.fact = lw_image_fact(e, id);
    describe(e, &i, LW_AS_GLOBAL, args);
    settle_extents(e, &i, args, xyz);
    for (unsigned k = 0; k < 3; k++)
        args[IMAGE_ARGUMENTS + k] = xyz[k];
    args[IMAGE_ARGUMENTS + 3] = texel;
    call_body(e, "write", is_float, LLVMVoidTypeInContext(e->context), args, IMAGE_ARGUMENTS + 4);
}

/* ---- blocks of sub-groups ---- */

/* Component k from, or to, row y + k, lane after lane from byte x on: as of an image of such integers. */
static void
emit_block(lw_emitter *e, uint32_t id, V coordinate, V value, T type)
{
    struct image i;
    V xy[3], args[IMAGE_ARGUMENTS + 4], parts[LW_MAX_COMPONENTS] = {NULL};
    V lane = lw_id0(e, "sub_group_local_id");
    if (!type || !open_image(e, id, lw_emit_value(e, id), &i) || !coordinates(e, &i, coordinate, xy) ||
        lw_is_float(type)) {
        lw_emit_fail(e, "a block of this type");
        return;
    }
    unsigned bytes = lw_bits(type) / 8, shift = bytes == 8 ? 3 : bytes / 2;
    i.fact = lw_image_fact(e, id);
    describe(e, &i, value ? LW_AS_GLOBAL : LW_AS_CONSTANT, args);
    args[1] = LLVMBuildLShr(e->b, LLVMBuildMul(e->b, args[1], args[6], ""), lw_int(e->i32, shift), "");
    args[6] = lw_int(e->i32, bytes);
    args[7] = lw_int(e->i32, bytes == 8 ? SpvImageChannelOrderRG : SpvImageChannelOrderR);
    args[8] = lw_int(e->i32, bytes == 1   ? SpvImageChannelDataTypeUnsignedInt8
                             : bytes == 2 ? SpvImageChannelDataTypeUnsignedInt16
                                          : SpvImageChannelDataTypeUnsignedInt32);
    V *at = &args[IMAGE_ARGUMENTS], first = LLVMBuildAShr(e->b, xy[0], lw_int(e->i32, shift), "");
    T four = LLVMVectorType(e->i32, 4), element = lw_scalar(type);
    at[0] = LLVMBuildAdd(e->b, first, LLVMBuildTrunc(e->b, lane, e->i32, ""), "");
    at[2] = lw_int(e->i32, 0);
    for (unsigned k = 0; k < lw_parts(type) && !e->failed; k++) {
        V words[4] = {NULL, lw_int(e->i32, 0), lw_int(e->i32, 0), lw_int(e->i32, 0)};
        at[1] = LLVMBuildAdd(e->b, xy[1], lw_int(e->i32, k), "");
        if (!value) {
            at[3] = lw_int(e->i32, 1); /* the nearest texel outside */
            V got = call_body(e, "fetch", false, four, args, IMAGE_ARGUMENTS + 4);
            V low = LLVMBuildIntCast2(e->b, lw_component(e, got, 0), element, false, "");
            V high = bytes == 8 ? LLVMBuildZExt(e->b, lw_component(e, got, 1), element, "") : NULL;
            parts[k] =
                high ? LLVMBuildOr(e->b, low, LLVMBuildShl(e->b, high, lw_int(element, 32), ""), "") : low;
            continue;
        }
        V part = lw_component(e, value, k);
        words[0] = LLVMBuildIntCast2(e->b, part, e->i32, false, "");
        if (bytes == 8)
            words[1] = LLVMBuildTrunc(e->b, LLVMBuildLShr(e->b, part, lw_int(element, 32), ""), e->i32, "");
        at[3] = lw_assemble(e, four, words);
        call_body(e, "write", false, LLVMVoidTypeInContext(e->context), args, IMAGE_ARGUMENTS + 4);
    }
    if (!value)
        lw_emit_result(e, lw_assemble(e, type, parts));
}

/* ---- questions ---- */

static void
emit_size(lw_emitter *e)
{
    uint32_t id = lw_operand(e, 3);
    T type = lw_emit_type(e, e->inst->type);
    struct image image, *i = &image;
    V parts[3];
    if (!type || !open_image(e, id, lw_emit_value(e, id), i))
        return;
    parts[0] = FIELD(width);
    if (i->dims > 1)
        parts[1] = FIELD(height);
    if (i->dims > 2)
        parts[2] = FIELD(depth);
    if (i->array)
        parts[i->dims] = FIELD(layers);
    for (unsigned k = 0; k < i->dims + i->array; k++)
        parts[k] = LLVMBuildZExtOrBitCast(e->b, parts[k], lw_scalar(type), "");
    lw_emit_result(e, lw_assemble(e, type, parts));
}

/* One of the descriptor's numbers, plus what OpenCL C's constants begin with. */
static void
emit_question(lw_emitter *e, uint32_t id, uint32_t op, uint32_t first)
{
    T type = lw_emit_type(e, e->inst->type);
    struct image image, *i = &image;
    if (!type || !open_image(e, id, lw_emit_value(e, id), i))
        return;
    i->fact = lw_image_fact(e, id);
    V number = NULL;
    switch (op) {
    case SpvOpImageQueryFormat: number = type_of(e, i); break;
    case SpvOpImageQueryOrder: number = order_of(e, i); break;
    case SpvOpImageQueryLevels: number = FIELD(mip_levels); break;
    default: number = FIELD(samples); break;
    }
    number = LLVMBuildAdd(e->b, number, lw_int(e->i32, first), "");
    lw_emit_result(e, LLVMBuildIntCast2(e->b, number, type, false, ""));
}

/* LLVM 22's back end gives what OpImageQueryFormat does as OpenCL C's constant, without the sum that
 * llvm-spirv writes for it. */
static bool
lacks_sum(const lw_emitter *e)
{
    return e->inst->op == SpvOpImageQueryFormat && e->spv->generator == (43u << 16 | 22);
}

/* ---- instructions and imported functions ---- */

static void
emit_pair(lw_emitter *e)
{
    T type = lw_emit_type(e, e->inst->type);
    V image = lw_operand_value(e, 3), sampler = lw_operand_value(e, 4);
    if (e->failed)
        return;
    V both = LLVMBuildInsertValue(e->b, LLVMGetPoison(type), image, 0, "");
    lw_emit_result(e, LLVMBuildInsertValue(e->b, both, sampler, 1, ""));
}

void
lw_emit_image_import(lw_emitter *e, const struct lw_imported_builtin *row, V *args, const uint32_t *ids,
                     unsigned count)
{
    struct image i;
    if (row->kind == LW_IMPORT_IMAGE_QUERY) {
        emit_question(e, ids[0], row->op, row->op == SpvOpImageQueryOrder ? FIRST_ORDER : FIRST_TYPE);
    } else if (row->op == SpvOpImageWrite && count == 3) {
        emit_write(e, ids[0], args[1], args[2]);
    } else if (count == 3 && open_image(e, ids[0], args[0], &i)) {
        i.fact = lw_image_fact(e, ids[0]);
        emit_sampled(e, &i, known_sampler(e, ids[1]), args[2]);
    } else if (count == 2) {
        emit_read(e, ids[0], args[1]);
    } else {
        lw_emit_fail(e, "%s with these arguments", row->name);
    }
}

bool
lw_emit_image(lw_emitter *e)
{
    switch (e->inst->op) {
    case SpvOpSampledImage: emit_pair(e); return true;
    case SpvOpImageSampleExplicitLod: emit_sample(e); return true;
    case SpvOpImageRead: emit_read(e, lw_operand(e, 3), lw_operand_value(e, 4)); return true;
    case SpvOpImageWrite:
        emit_write(e, lw_operand(e, 1), lw_operand_value(e, 2), lw_operand_value(e, 3));
        return true;
    case SpvOpSubgroupImageBlockReadINTEL:
        emit_block(e, lw_operand(e, 3), lw_operand_value(e, 4), NULL, lw_emit_type(e, e->inst->type));
        return true;
    case SpvOpSubgroupImageBlockWriteINTEL: {
        V block = lw_operand_value(e, 3);
        if (!e->failed)
            emit_block(e, lw_operand(e, 1), lw_operand_value(e, 2), block, LLVMTypeOf(block));
        return true;
    }
    case SpvOpImageQuerySizeLod:
    case SpvOpImageQuerySize: emit_size(e); return true;
    case SpvOpImageQueryFormat:
    case SpvOpImageQueryOrder:
    case SpvOpImageQueryLevels:
    case SpvOpImageQuerySamples:
        emit_question(e, lw_operand(e, 3), e->inst->op, lacks_sum(e) ? FIRST_TYPE : 0);
        return true;
    case SpvOpImage: {
        V both = lw_operand_value(e, 3);
        if (!e->failed)
            lw_emit_result(e, LLVMBuildExtractValue(e->b, both, 0, ""));
        return true;
    }
    default: return false;
    }
}

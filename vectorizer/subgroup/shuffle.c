/* SPDX-License-Identifier: MIT */
/* Broadcasts, shuffles and rotations of a sub-group.
 *
 * Enters: values of any element type; they move as integers of the same width (i1 as i8).
 * Constant lanes make one shufflevector. Variable lanes are permuted per native register with the instruction
 * of the ISA level: vpermi2 pairs (AVX-512), vpermd (AVX2, 32 and 64 bits), pshufb on bytes otherwise;
 * registers are merged by the upper bits of the lane number. Vectors of very many registers go through the
 * stack.
 */
#include "../lanes/internal.h"
#include "subgroup_ops.h"

static V
i32_splat(lw_lanes *l, int64_t value, unsigned count)
{
    return lw_lane_splat_n(l, lane_int(l, 32, value), count);
}

/* A call of an x86 intrinsic, which has no overloads. */
static V
x86(lw_lanes *l, const char *intrinsic, V *args, unsigned count)
{
    return lw_lane_call(l, intrinsic, NULL, 0, args, count);
}

/* One vector per register of `width` lanes; a shorter vector is lengthened. Returns their number. */
static unsigned
registers(lw_lanes *l, V vector, unsigned width, V *parts)
{
    unsigned count = lw_lane_count(vector);
    int lanes[64];

    if (count >= width) {
        for (unsigned p = 0; p < count / width; p++)
            parts[p] = lw_lane_part(l, vector, p * width, width);
        return count / width;
    }
    for (unsigned i = 0; i < width; i++)
        lanes[i] = i < count ? (int)i : -1;
    parts[0] = lw_lane_shuffle_const(l, vector, NULL, lanes, width);
    return 1;
}

/* Where bit `bit` of the lane number is set: b, else a. */
static V
choose(lw_lanes *l, V index, unsigned bit, V a, V b)
{
    LLVMTypeRef type = LLVMTypeOf(index), element = LLVMGetElementType(type);
    unsigned count = lw_lane_count(index), width = lw_lane_bits(element);
    V shift = lw_lane_splat_n(l, LLVMConstInt(element, width - 1 - bit, false), count);
    /* As a sign test: blends take the sign bit. */
    V set = LLVMBuildShl(l->builder, index, shift, "");

    set = LLVMBuildICmp(l->builder, LLVMIntSLT, set, LLVMConstNull(type), "");
    return LLVMBuildSelect(l->builder, set, b, a, "");
}

static unsigned
log2_of(unsigned power)
{
    return (unsigned)__builtin_ctz(power);
}

/* Candidates from the registers of the source, merged pairwise by bits `bit`, `bit` + 1 ... of the lane
 * number. */
static V
merge(lw_lanes *l, V index, unsigned bit, V *candidates, unsigned count)
{
    for (; count > 1; count /= 2, bit++)
        for (unsigned k = 0; k < count / 2; k++)
            candidates[k] = choose(l, index, bit, candidates[2 * k], candidates[2 * k + 1]);
    return candidates[0];
}

/* AVX-512: x and index of equal element width, 16, 32 or 64. */
static V
permute_avx512(lw_lanes *l, V x, V index)
{
    unsigned bits = lw_lane_bits(lw_lane_element(x)), n = lw_lane_count(x);
    unsigned least = bits == 16 ? 8 : bits == 32 ? 8 : 4, full = 512 / bits;
    unsigned width = n < least ? least : n < full ? n : full;
    const char *one =
        bits == 16   ? (width == 8    ? "llvm.x86.avx512.permvar.hi.128"
                        : width == 16 ? "llvm.x86.avx512.permvar.hi.256"
                                      : "llvm.x86.avx512.permvar.hi.512")
        : bits == 32 ? (width == 8 ? "llvm.x86.avx2.permd" : "llvm.x86.avx512.permvar.si.512")
                     : (width == 4 ? "llvm.x86.avx512.permvar.di.256" : "llvm.x86.avx512.permvar.di.512");
    const char *two = bits == 16   ? "llvm.x86.avx512.vpermi2var.hi.512"
                      : bits == 32 ? "llvm.x86.avx512.vpermi2var.d.512"
                                   : "llvm.x86.avx512.vpermi2var.q.512";
    V sources[16], indices[16], candidates[16];
    unsigned count = registers(l, x, width, sources);

    registers(l, index, width, indices);
    if (count == 1) {
        V args[] = {sources[0], indices[0]};
        return lw_lane_part(l, x86(l, one, args, 2), 0, n);
    }
    for (unsigned d = 0; d < count; d++) {
        for (unsigned k = 0; k < count / 2; k++) {
            V args[] = {sources[2 * k], indices[d], sources[2 * k + 1]};
            candidates[k] = x86(l, two, args, 3);
        }
        indices[d] = merge(l, indices[d], log2_of(2 * width), candidates, count / 2);
    }
    return lw_lane_concat(l, indices, count);
}

/* AVX2: 32 bits. */
static V
permute_avx2(lw_lanes *l, V x, V index)
{
    V sources[16], indices[16], candidates[16];
    unsigned count = registers(l, x, 8, sources), n = lw_lane_count(x);

    registers(l, index, 8, indices);
    for (unsigned d = 0; d < count; d++) {
        for (unsigned k = 0; k < count; k++) {
            V args[] = {sources[k], indices[d]};
            candidates[k] = x86(l, "llvm.x86.avx2.permd", args, 2);
        }
        indices[d] = merge(l, indices[d], 3, candidates, count);
    }
    V result = lw_lane_concat(l, indices, count);
    return n < 8 ? lw_lane_part(l, result, 0, n) : result;
}

/* 64 bits as pairs of 32. */
static V
permute_pairs(lw_lanes *l, V x, V index)
{
    unsigned n = lw_lane_count(x);
    LLVMTypeRef i32 = lw_lane_int_type(l, 32);
    int twice[128];
    int64_t parity[128];

    for (unsigned i = 0; i < 2 * n; i++) {
        twice[i] = (int)(i / 2);
        parity[i] = i % 2;
    }
    index = LLVMBuildShl(l->builder, index, i32_splat(l, 1, n), "");
    index = lw_lane_shuffle_const(l, index, NULL, twice, 2 * n);
    index = LLVMBuildOr(l->builder, index, lw_lane_const_vector(l, i32, parity, 2 * n), "");
    V result = permute_avx2(l, LLVMBuildBitCast(l->builder, x, LLVMVectorType(i32, 2 * n), ""), index);
    return LLVMBuildBitCast(l->builder, result, LLVMTypeOf(x), "");
}

/* The bytes' numbers of an index of elements of `size` bytes; index: <n x i8>. */
static V
byte_index(lw_lanes *l, V index, unsigned size)
{
    unsigned n = lw_lane_count(index);
    LLVMTypeRef i8 = lw_lane_int_type(l, 8);
    int repeated[128];
    int64_t offsets[128];

    if (size == 1)
        return index;
    for (unsigned i = 0; i < n * size; i++) {
        repeated[i] = (int)(i / size);
        offsets[i] = i % size;
    }
    index =
        LLVMBuildShl(l->builder, index, lw_lane_splat_n(l, LLVMConstInt(i8, log2_of(size), false), n), "");
    index = lw_lane_shuffle_const(l, index, NULL, repeated, n * size);
    return LLVMBuildOr(l->builder, index, lw_lane_const_vector(l, i8, offsets, n * size), "");
}

/* Any width through pshufb; at most 128 bytes. It gives zero where bit 7 is set, and adding 0x70 with
 * saturation sets that bit for every byte number that is not in the source register. */
static V
permute_bytes(lw_lanes *l, V x, V index)
{
    LLVMTypeRef i8 = lw_lane_int_type(l, 8), type = LLVMTypeOf(x);
    unsigned n = lw_lane_count(x), size = lw_lane_bits(lw_lane_element(x)) / 8, bytes = n * size;
    unsigned width = l->isa >= LW_ISA_AVX2 && bytes >= 32 ? 32 : 16;
    const char *pshufb = width == 32 ? "llvm.x86.avx2.pshuf.b" : "llvm.x86.ssse3.pshuf.b.128";
    V sources[8], indices[8];
    int twice[32];

    index = byte_index(l, LLVMBuildTrunc(l->builder, index, LLVMVectorType(i8, n), ""), size);
    unsigned source_count =
        registers(l, LLVMBuildBitCast(l->builder, x, LLVMVectorType(i8, bytes), ""), 16, sources);
    unsigned count = registers(l, index, width, indices);
    for (unsigned i = 0; i < 32; i++)
        twice[i] = (int)(i % 16);
    V limit = lw_lane_splat_n(l, LLVMConstInt(i8, 0x70, false), width);
    for (unsigned d = 0; d < count; d++) {
        V result = NULL;
        for (unsigned k = 0; k < source_count; k++) {
            V base = lw_lane_splat_n(l, LLVMConstInt(i8, 16 * k, false), width), from = indices[d];
            if (source_count > 1)
                from = lw_lane_call2(l, "llvm.uadd.sat", LLVMBuildSub(l->builder, from, base, ""), limit);
            V args[] = {width == 32 ? lw_lane_shuffle_const(l, sources[k], NULL, twice, 32) : sources[k],
                        from};
            V one = x86(l, pshufb, args, 2);
            result = result ? LLVMBuildOr(l->builder, result, one, "") : one;
        }
        indices[d] = result;
    }
    V all = lw_lane_concat(l, indices, count);
    if (bytes < width)
        all = lw_lane_part(l, all, 0, bytes);
    return LLVMBuildBitCast(l->builder, all, type, "");
}

static V
permute_memory(lw_lanes *l, V x, V index)
{
    LLVMTypeRef element = lw_lane_element(x);
    V slot = lane_spill(l, x), result = LLVMGetPoison(LLVMTypeOf(x));

    lw_lane_note(l, "shuffle of many registers");
    for (unsigned i = 0; i < l->n; i++) {
        V lane = lane_int(l, 32, i), from = LLVMBuildExtractElement(l->builder, index, lane, "");
        result = LLVMBuildInsertElement(l->builder, result, lane_reload(l, element, slot, from), lane, "");
    }
    return result;
}

/* x: integers of 8 to 64 bits; index: <n x i32>, below n. */
static V
permute(lw_lanes *l, V x, V index)
{
    unsigned bits = lw_lane_bits(lw_lane_element(x)), bytes = bits / 8 * l->n;
    LLVMTypeRef wide = lane_type(l, lw_lane_int_type(l, 16));

    if (l->isa >= LW_ISA_AVX512 && bits == 8 && l->n > 16) {
        /* vpermb is not in this level. */
        V result = permute_avx512(l, LLVMBuildZExt(l->builder, x, wide, ""),
                                  LLVMBuildTrunc(l->builder, index, wide, ""));
        return LLVMBuildTrunc(l->builder, result, LLVMTypeOf(x), "");
    }
    if (bytes <= 16 || bits == 8)
        return permute_bytes(l, x, index);
    if (l->isa >= LW_ISA_AVX512)
        return permute_avx512(l, x, LLVMBuildIntCast2(l->builder, index, LLVMTypeOf(x), false, ""));
    if (l->isa == LW_ISA_AVX2 && bytes <= 256 && bits >= 32)
        return bits == 64 ? permute_pairs(l, x, index) : permute_avx2(l, x, index);
    if (bytes <= (l->isa == LW_ISA_AVX2 ? 128 : 64))
        return permute_bytes(l, x, index);
    return permute_memory(l, x, index);
}

/* Lanes as numbers, where they are constants. */
static bool
constant_lanes(lw_lanes *l, V lanes, int *numbers)
{
    if (!LLVMIsConstant(lanes))
        return false;
    for (unsigned i = 0; i < l->n; i++) {
        V element = LLVMGetAggregateElement(lanes, i);
        if (!element || !LLVMIsAConstantInt(element))
            return false;
        numbers[i] = (int)(LLVMConstIntGetZExtValue(element) & (l->n - 1));
    }
    return true;
}

V
lw_subgroup_shuffle(lw_lanes *l, V x, V lanes)
{
    LLVMTypeRef element = lw_lane_element(x);
    int numbers[64];
    V bits, result;

    if (lw_lane_splat_source(x))
        return x;
    bits = lw_lane_to_bits(l, x);
    if (constant_lanes(l, lanes, numbers)) {
        result = lw_lane_shuffle_const(l, bits, NULL, numbers, l->n);
    } else {
        lanes = LLVMBuildAnd(l->builder, lanes, i32_splat(l, l->n - 1, l->n), "");
        result = permute(l, bits, lanes);
    }
    return lw_lane_from_bits(l, result, element);
}

/* A scalar or vector of any integer type as <n x i32>. */
static V
as_lanes(lw_lanes *l, V value)
{
    LLVMTypeRef i32 = lw_lane_int_type(l, 32);
    LLVMTypeRef type = lw_lane_is_vector(value) ? lane_type(l, i32) : i32;

    value = LLVMBuildIntCast2(l->builder, value, type, false, "");
    return lw_lane_is_vector(value) ? value : lane_splat(l, value);
}

V
lw_subgroup_shuffle_xor(lw_lanes *l, V x, V lane_mask)
{
    V iota = lane_iota(l, lw_lane_int_type(l, 32));

    return lw_subgroup_shuffle(l, x, LLVMBuildXor(l->builder, iota, as_lanes(l, lane_mask), ""));
}

V
lw_subgroup_shuffle_up(lw_lanes *l, V x, V delta)
{
    V iota = lane_iota(l, lw_lane_int_type(l, 32));

    return lw_subgroup_shuffle(l, x, LLVMBuildSub(l->builder, iota, as_lanes(l, delta), ""));
}

V
lw_subgroup_shuffle_down(lw_lanes *l, V x, V delta)
{
    V iota = lane_iota(l, lw_lane_int_type(l, 32));

    return lw_subgroup_shuffle(l, x, LLVMBuildAdd(l->builder, iota, as_lanes(l, delta), ""));
}

V
lw_subgroup_rotate(lw_lanes *l, V x, V delta, unsigned cluster)
{
    LLVMTypeRef i32 = lw_lane_int_type(l, 32);
    int64_t bases[64];

    if (!cluster || cluster > l->n || (cluster & (cluster - 1)))
        cluster = l->n;
    for (unsigned i = 0; i < l->n; i++)
        bases[i] = i & ~(cluster - 1);
    V lanes = LLVMBuildAdd(l->builder, lane_iota(l, i32), as_lanes(l, delta), "");
    lanes = LLVMBuildAnd(l->builder, lanes, i32_splat(l, cluster - 1, l->n), "");
    return lw_subgroup_shuffle(l, x, LLVMBuildOr(l->builder, lanes, lane_offsets(l, i32, bases), ""));
}

V
lw_subgroup_broadcast(lw_lanes *l, V x, V lane)
{
    unsigned bits = lw_lane_bits(lw_lane_element(x)), most = l->isa >= LW_ISA_AVX512 ? 512 : 256;

    if (l->isa < LW_ISA_AVX2 || bits < 32 || bits * l->n > most || LLVMIsAConstantInt(lane) ||
        lw_lane_splat_source(x))
        return lane_extract(l, x, lane);
    return lane_extract(l, lw_subgroup_shuffle(l, x, as_lanes(l, lane)), lane_int(l, 32, 0));
}

V
lw_subgroup_broadcast_first(lw_lanes *l, V x, V mask)
{
    return lw_subgroup_broadcast(l, x, lane_first(l, mask));
}

V
lw_subgroup_all_equal(lw_lanes *l, V x, V mask)
{
    V first = lane_splat(l, lw_subgroup_broadcast_first(l, x, mask)), equal;

    if (lw_lane_is_float(lw_lane_element(x)) && lw_lane_bits(lw_lane_element(x)) == 16)
        equal = LLVMBuildFCmp(l->builder, LLVMRealOEQ, lane_half_to_float(l, x), lane_half_to_float(l, first),
                              "");
    else if (lw_lane_is_float(lw_lane_element(x)))
        equal = LLVMBuildFCmp(l->builder, LLVMRealOEQ, x, first, "");
    else
        equal = LLVMBuildICmp(l->builder, LLVMIntEQ, x, first, "");
    if (!lane_mask_is_all(mask))
        equal = LLVMBuildSelect(l->builder, mask, equal, lane_all_true(l), "");
    return lane_all(l, equal);
}


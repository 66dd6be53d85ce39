/* SPDX-License-Identifier: MIT */
/* Look-ups in vectors: of each lane the element of a table that its index names.
 *
 * Per native register, with the instruction of the ISA level: vpermi2 pairs (AVX-512), vpermd (AVX2, 32 and
 * 64 bits), pshufb on bytes otherwise; registers are merged by the upper bits of the index. Tables of very
 * many registers go through the stack.
 *
 * Enters: a table of a power of two elements, integers of 8 to 64 bits; indices. Leaves: the elements. Relies
 * on: indices below the table's length in the lanes whose result counts.
 */
#include <limits.h>
#include "internal.h"

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

/* AVX-512: x and index of equal element width, 16, 32 or 64, or 8 with VBMI. */
static V
permute_avx512(lw_lanes *l, V x, V index)
{
    unsigned bits = lw_lane_bits(lw_lane_element(x)), n = lw_lane_count(index);
    unsigned most = lw_lane_count(x) > n ? lw_lane_count(x) : n;
    unsigned least = bits == 8 ? 16 : bits == 64 ? 4 : 8, full = 512 / bits;
    unsigned width = most < least ? least : most < full ? most : full;
    const char *one =
        bits == 8    ? (width == 16   ? "llvm.x86.avx512.permvar.qi.128"
                        : width == 32 ? "llvm.x86.avx512.permvar.qi.256"
                                      : "llvm.x86.avx512.permvar.qi.512")
        : bits == 16 ? (width == 8    ? "llvm.x86.avx512.permvar.hi.128"
                        : width == 16 ? "llvm.x86.avx512.permvar.hi.256"
                                      : "llvm.x86.avx512.permvar.hi.512")
        : bits == 32 ? (width == 8 ? "llvm.x86.avx2.permd" : "llvm.x86.avx512.permvar.si.512")
                     : (width == 4 ? "llvm.x86.avx512.permvar.di.256" : "llvm.x86.avx512.permvar.di.512");
    const char *two = bits == 8    ? "llvm.x86.avx512.vpermi2var.qi.512"
                      : bits == 16 ? "llvm.x86.avx512.vpermi2var.hi.512"
                      : bits == 32 ? "llvm.x86.avx512.vpermi2var.d.512"
                                   : "llvm.x86.avx512.vpermi2var.q.512";
    V sources[16], indices[16], candidates[16] = {0};
    unsigned count = registers(l, x, width, sources), groups = registers(l, index, width, indices);

    for (unsigned d = 0; d < groups; d++) {
        for (unsigned k = 0; k < count; k += 2) {
            V args[] = {sources[k], indices[d], count > 1 ? sources[k + 1] : NULL};
            candidates[k / 2] = count > 1 ? x86(l, two, args, 3) : x86(l, one, args, 2);
        }
        indices[d] =
            count > 2 ? merge(l, indices[d], log2_of(2 * width), candidates, count / 2) : candidates[0];
    }
    V result = lw_lane_concat(l, indices, groups);
    return n < width ? lw_lane_part(l, result, 0, n) : result;
}

/* AVX-512: of bytes, four to a word: the word, then the byte in it. */
static V
permute_words(lw_lanes *l, V x, V index)
{
    LLVMBuilderRef b = l->builder;
    unsigned n = lw_lane_count(index);
    LLVMTypeRef i32 = lw_lane_int_type(l, 32);
    V words = LLVMBuildBitCast(b, x, LLVMVectorType(i32, lw_lane_count(x) / 4), "");
    V three = lw_lane_splat_n(l, lane_int(l, 32, 3), n);

    words = permute_avx512(l, words, LLVMBuildLShr(b, index, lw_lane_splat_n(l, lane_int(l, 32, 2), n), ""));
    V bits = LLVMBuildShl(b, LLVMBuildAnd(b, index, three, ""), three, "");
    return LLVMBuildTrunc(b, LLVMBuildLShr(b, words, bits, ""), LLVMVectorType(lw_lane_element(x), n), "");
}

/* AVX2: 32 bits. */
static V
permute_avx2(lw_lanes *l, V x, V index)
{
    V sources[16], indices[16], candidates[16];
    unsigned count = registers(l, x, 8, sources), n = lw_lane_count(index);
    unsigned groups = registers(l, index, 8, indices);

    for (unsigned d = 0; d < groups; d++) {
        for (unsigned k = 0; k < count; k++) {
            V args[] = {sources[k], indices[d]};
            candidates[k] = x86(l, "llvm.x86.avx2.permd", args, 2);
        }
        indices[d] = merge(l, indices[d], 3, candidates, count);
    }
    V result = lw_lane_concat(l, indices, groups);
    return n < 8 ? lw_lane_part(l, result, 0, n) : result;
}

/* 64 bits as pairs of 32. */
static V
permute_pairs(lw_lanes *l, V x, V index)
{
    unsigned n = lw_lane_count(index);
    LLVMTypeRef i32 = lw_lane_int_type(l, 32);
    int twice[128];
    int64_t parity[128];

    for (unsigned i = 0; i < 2 * n; i++) {
        twice[i] = (int)(i / 2);
        parity[i] = i % 2;
    }
    index = LLVMBuildShl(l->builder, index, lw_lane_splat_n(l, lane_int(l, 32, 1), n), "");
    index = lw_lane_shuffle_const(l, index, NULL, twice, 2 * n);
    index = LLVMBuildOr(l->builder, index, lw_lane_const_vector(i32, parity, 2 * n), "");
    x = LLVMBuildBitCast(l->builder, x, LLVMVectorType(i32, 2 * lw_lane_count(x)), "");
    return LLVMBuildBitCast(l->builder, permute_avx2(l, x, index), LLVMVectorType(lw_lane_int_type(l, 64), n),
                            "");
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
    return LLVMBuildOr(l->builder, index, lw_lane_const_vector(i8, offsets, n * size), "");
}

/* Any width through pshufb; at most 256 bytes. It gives zero where bit 7 is set, and adding 0x70 with
 * saturation sets that bit for every byte number that is not in the source register. */
static V
permute_bytes(lw_lanes *l, V x, V index)
{
    LLVMTypeRef i8 = lw_lane_int_type(l, 8), type = LLVMVectorType(lw_lane_element(x), lw_lane_count(index));
    unsigned n = lw_lane_count(index), size = lw_lane_bits(lw_lane_element(x)) / 8, bytes = n * size;
    unsigned width = l->isa >= LW_ISA_AVX2 && bytes >= 32 ? 32 : 16;
    const char *pshufb = width == 32 ? "llvm.x86.avx2.pshuf.b" : "llvm.x86.ssse3.pshuf.b.128";
    V sources[16], indices[8];
    int twice[32];

    index = byte_index(l, LLVMBuildTrunc(l->builder, index, LLVMVectorType(i8, n), ""), size);
    x = LLVMBuildBitCast(l->builder, x, LLVMVectorType(i8, lw_lane_count(x) * size), "");
    unsigned source_count = registers(l, x, 16, sources), count = registers(l, index, width, indices);
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
    unsigned n = lw_lane_count(index);
    V slot = lane_spill(l, x), result = LLVMGetPoison(LLVMVectorType(element, n));

    lw_lane_note(l, "shuffle of many registers");
    for (unsigned i = 0; i < n; i++) {
        V lane = lane_int(l, 32, i), from = LLVMBuildExtractElement(l->builder, index, lane, "");
        result = LLVMBuildInsertElement(l->builder, result, lane_reload(l, element, slot, from), lane, "");
    }
    return result;
}

/* Which of them writes it, and how many instructions that takes; one list for both. */
enum way { AS_WORDS, AS_HALVES, BYTES, REGISTERS, PAIRS, IN_MEMORY };

static enum way
choose_way(const lw_lanes *l, unsigned bits, unsigned elements, unsigned n)
{
    unsigned table = bits / 8 * elements, bytes = bits / 8 * n;

    if (bytes <= 16 && table <= 16)
        return BYTES;
    if (bits >= lw_isa_row(l->isa)->look_up_bits)
        return REGISTERS;
    if (l->isa >= LW_ISA_AVX512 && elements > 16)
        return elements == n ? AS_HALVES : AS_WORDS;
    if (bits == 8)
        return BYTES;
    if (l->isa == LW_ISA_AVX2 && table <= 256 && bits >= 32)
        return bits == 64 ? PAIRS : REGISTERS;
    unsigned most = l->isa == LW_ISA_AVX2 ? 128 : 64;
    return table <= most && bytes <= most ? BYTES : IN_MEMORY;
}

V
lw_lane_permute(lw_lanes *l, V x, V index)
{
    unsigned bits = lw_lane_bits(lw_lane_element(x)), n = lw_lane_count(index);
    LLVMTypeRef words = LLVMVectorType(lw_lane_element(x), n),
                halves = LLVMVectorType(lw_lane_int_type(l, 16), n);

    switch (choose_way(l, bits, lw_lane_count(x), n)) {
    case AS_WORDS:
        return permute_words(l, x, index);
    case AS_HALVES: /* the table has as many */
        index = LLVMBuildTrunc(l->builder, index, halves, "");
        x = permute_avx512(l, LLVMBuildZExt(l->builder, x, halves, ""), index);
        return LLVMBuildTrunc(l->builder, x, words, "");
    case BYTES:
        return permute_bytes(l, x, index);
    case REGISTERS:
        if (l->isa >= LW_ISA_AVX512)
            return permute_avx512(l, x, LLVMBuildIntCast2(l->builder, index, words, false, ""));
        return permute_avx2(l, x, index);
    case PAIRS:
        return permute_pairs(l, x, index);
    default:
        return permute_memory(l, x, index);
    }
}

static unsigned
at_least_one(unsigned count)
{
    return count ? count : 1;
}

unsigned
lw_lane_permute_cost(const lw_lanes *l, unsigned bits, unsigned elements)
{
    unsigned table = bits / 8 * elements, bytes = bits / 8 * l->n, sources, groups;

    switch (choose_way(l, bits, elements, l->n)) {
    case AS_WORDS:
        sources = at_least_one(table / 128);
        return at_least_one(l->n / 16) * (5 + sources + 2 * (sources - 1));
    case AS_HALVES:
        return at_least_one(l->n / 32) * 7;
    case BYTES:
        sources = at_least_one(table / 16);
        groups = at_least_one(bytes / (l->isa >= LW_ISA_AVX2 ? 32 : 16));
        return groups * ((bits > 8 ? 3 : 0) + (sources > 1 ? 4 * sources : 1));
    case REGISTERS:
    case PAIRS:
        sources = at_least_one(table / (l->isa >= LW_ISA_AVX512 ? 128 : 32));
        groups = at_least_one(bytes / (l->isa >= LW_ISA_AVX512 ? 64 : 32));
        return groups * ((bits < 32 || l->isa < LW_ISA_AVX512 ? 2 : 1) * sources + 2 * (sources - 1));
    default:
        return UINT_MAX;
    }
}

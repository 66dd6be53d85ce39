/* SPDX-License-Identifier: MIT */
/* half <-> float: F16C instructions from AVX2 on, integer arithmetic below, where LLVM would call a library.
 *
 * Enters: scalars or vectors of any length. Leaves: the same values; to half rounded to nearest even. Never:
 * calls a function.
 */
#include "internal.h"

struct words {
    lw_lanes *l;
    LLVMTypeRef type;   /* i32, or a vector of it */
    LLVMTypeRef floats;
    unsigned count;     /* 0: scalar */
};

static struct words
words_like(lw_lanes *l, V value)
{
    LLVMTypeRef i32 = lw_lane_int_type(l, 32), f32 = LLVMFloatTypeInContext(l->context);
    unsigned count = lw_lane_is_vector(value) ? lw_lane_count(value) : 0;

    return (struct words){l, count ? LLVMVectorType(i32, count) : i32,
                          count ? LLVMVectorType(f32, count) : f32, count};
}

static V
word(struct words *w, uint32_t value)
{
    V constant = LLVMConstInt(lw_lane_int_type(w->l, 32), value, false);

    return w->count ? lw_lane_splat_n(w->l, constant, w->count) : constant;
}

static LLVMTypeRef
of_bits(struct words *w, unsigned bits)
{
    LLVMTypeRef type = lw_lane_int_type(w->l, bits);

    return w->count ? LLVMVectorType(type, w->count) : type;
}

V
lane_half_to_float(lw_lanes *l, V value)
{
    struct words w = words_like(l, value);
    LLVMBuilderRef b = l->builder;

    if (lw_isa_row(l->isa)->halves)
        return LLVMBuildFPExt(b, value, w.floats, "");
    V bits = LLVMBuildZExt(b, LLVMBuildBitCast(b, value, of_bits(&w, 16), ""), w.type, "");
    V sign = LLVMBuildShl(b, LLVMBuildAnd(b, bits, word(&w, 0x8000), ""), word(&w, 16), "");
    V body = LLVMBuildShl(b, LLVMBuildAnd(b, bits, word(&w, 0x7fff), ""), word(&w, 13), "");
    V exponent = LLVMBuildAnd(b, body, word(&w, 0x7c00 << 13), "");
    V biased = LLVMBuildAdd(b, body, word(&w, (127 - 15) << 23), "");
    V special = LLVMBuildICmp(b, LLVMIntEQ, exponent, word(&w, 0x7c00 << 13), "");
    V small = LLVMBuildICmp(b, LLVMIntEQ, exponent, word(&w, 0), "");
    V huge = LLVMBuildAdd(b, biased, word(&w, (128 - 16) << 23), "");
    /* Subnormal: the fraction under a fixed exponent, less that exponent's own value. */
    V tiny = LLVMBuildAdd(b, biased, word(&w, 1u << 23), "");
    tiny = LLVMBuildFSub(b, LLVMBuildBitCast(b, tiny, w.floats, ""),
                         LLVMBuildBitCast(b, word(&w, 113u << 23), w.floats, ""), "");
    tiny = LLVMBuildBitCast(b, tiny, w.type, "");
    body = LLVMBuildSelect(b, special, huge, LLVMBuildSelect(b, small, tiny, biased, ""), "");
    return LLVMBuildBitCast(b, LLVMBuildOr(b, body, sign, ""), w.floats, "");
}

V
lane_float_to_half(lw_lanes *l, V value)
{
    struct words w = words_like(l, value);
    LLVMTypeRef half = LLVMHalfTypeInContext(l->context);
    LLVMBuilderRef b = l->builder;

    half = w.count ? LLVMVectorType(half, w.count) : half;
    if (lw_isa_row(l->isa)->halves)
        return LLVMBuildFPTrunc(b, value, half, "");
    V bits = LLVMBuildBitCast(b, value, w.type, "");
    V sign = LLVMBuildAnd(b, bits, word(&w, 0x80000000u), "");
    V body = LLVMBuildXor(b, bits, sign, "");
    V is_nan = LLVMBuildICmp(b, LLVMIntUGT, body, word(&w, 255u << 23), "");
    V over = LLVMBuildICmp(b, LLVMIntUGE, body, word(&w, (127u + 16) << 23), "");
    V under = LLVMBuildICmp(b, LLVMIntULT, body, word(&w, 113u << 23), "");
    V special = LLVMBuildSelect(b, is_nan, word(&w, 0x7e00), word(&w, 0x7c00), "");
    /* Subnormal: an addition that rounds at the right bit. */
    V magic = word(&w, (127u - 15 + 23 - 10 + 1) << 23);
    V tiny = LLVMBuildFAdd(b, LLVMBuildBitCast(b, body, w.floats, ""),
                           LLVMBuildBitCast(b, magic, w.floats, ""), "");
    tiny = LLVMBuildSub(b, LLVMBuildBitCast(b, tiny, w.type, ""), magic, "");
    V odd = LLVMBuildAnd(b, LLVMBuildLShr(b, body, word(&w, 13), ""), word(&w, 1), "");
    V normal = LLVMBuildAdd(b, body, word(&w, ((15u - 127) << 23) + 0xfff), "");
    normal = LLVMBuildLShr(b, LLVMBuildAdd(b, normal, odd, ""), word(&w, 13), "");
    V result = LLVMBuildSelect(b, over, special, LLVMBuildSelect(b, under, tiny, normal, ""), "");
    result = LLVMBuildOr(b, result, LLVMBuildLShr(b, sign, word(&w, 16), ""), "");
    result = LLVMBuildTrunc(b, result, of_bits(&w, 16), "");
    return LLVMBuildBitCast(b, result, half, "");
}

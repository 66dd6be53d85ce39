/* SPDX-License-Identifier: MIT */
/* Dot products of four bytes packed in a 32-bit integer.
 *
 * Lanes hold the four bytes where they are: the even and the odd ones become two vectors of 16-bit integers,
 * which pmaddwd multiplies and adds in pairs. That is seven to nine instructions a register, where a product
 * per byte takes over twenty. VNNI multiplies bytes without a sign by bytes with one: of other pairs one
 * factor is moved by 128, and 128 times the other's bytes are taken off again.
 *
 * Enters: i32, scalars or vectors, of which each byte is a number, signed or not. Leaves: the sums, modulo
 * 2^32. Never: saturates.
 */
#include "internal.h"

/* Bytes 0 and 2, or 1 and 3, of each 32-bit element, as 16-bit integers. */
static V
half_of(lw_lanes *l, V words, bool odd, bool is_signed)
{
    LLVMBuilderRef b = l->builder;
    unsigned count = lw_lane_count(words);
    V eight = lw_lane_splat_n(l, lane_int(l, 16, 8), count);

    if (!is_signed)
        return odd ? LLVMBuildLShr(b, words, eight, "")
                   : LLVMBuildAnd(b, words, lw_lane_splat_n(l, lane_int(l, 16, 255), count), "");
    return LLVMBuildAShr(b, odd ? words : LLVMBuildShl(b, words, eight, ""), eight, "");
}

/* By VNNI: bytes of `a` without a sign times bytes of `b` with one. */
static V
dot_mixed(lw_lanes *l, V a, V b, unsigned width)
{
    const char *dot = width == 4   ? "llvm.x86.avx512.vpdpbusd.128"
                      : width == 8 ? "llvm.x86.avx512.vpdpbusd.256"
                                   : "llvm.x86.avx512.vpdpbusd.512";
    LLVMTypeRef bytes = LLVMVectorType(lw_lane_int_type(l, 8), 4 * width);
    V args[] = {LLVMConstNull(LLVMTypeOf(a)), LLVMBuildBitCast(l->builder, a, bytes, ""),
                LLVMBuildBitCast(l->builder, b, bytes, "")};

    return lw_lane_call(l, dot, NULL, 0, args, 3);
}

static V
dot_vnni(lw_lanes *l, V a, V b, unsigned width, bool signed_a, bool signed_b)
{
    V high = lw_lane_splat_n(l, lane_int(l, 32, 0x80808080), width), dot, more;

    if (signed_a && !signed_b)
        return dot_mixed(l, b, a, width);
    if (!signed_a && signed_b)
        return dot_mixed(l, a, b, width);
    if (signed_a) { /* (a + 128) * b - 128 * b */
        dot = dot_mixed(l, LLVMBuildXor(l->builder, a, high, ""), b, width);
        more = dot_mixed(l, high, b, width);
    } else { /* a * (b - 128) - a * -128 */
        dot = dot_mixed(l, a, LLVMBuildXor(l->builder, b, high, ""), width);
        more = dot_mixed(l, a, high, width);
    }
    return LLVMBuildSub(l->builder, dot, more, "");
}

/* One register of `width` 32-bit lanes. */
static V
dot_register(lw_lanes *l, V a, V b, unsigned width, bool signed_a, bool signed_b)
{
    LLVMTypeRef words = LLVMVectorType(lw_lane_int_type(l, 16), 2 * width);
    const char *multiply = width == 4   ? "llvm.x86.sse2.pmadd.wd"
                           : width == 8 ? "llvm.x86.avx2.pmadd.wd"
                                        : "llvm.x86.avx512.pmaddw.d.512";
    V sums[2];

    if (lw_isa_row(l->isa)->dots)
        return dot_vnni(l, a, b, width, signed_a, signed_b);
    a = LLVMBuildBitCast(l->builder, a, words, "");
    b = LLVMBuildBitCast(l->builder, b, words, "");
    for (int odd = 0; odd < 2; odd++) {
        V args[] = {half_of(l, a, odd, signed_a), half_of(l, b, odd, signed_b)};
        sums[odd] = lw_lane_call(l, multiply, NULL, 0, args, 2);
    }
    return LLVMBuildAdd(l->builder, sums[0], sums[1], "");
}

static V
dot_scalar(lw_lanes *l, V a, V b, bool signed_a, bool signed_b)
{
    V sum = NULL, all = lane_int(l, 32, 24);

    for (int k = 0; k < 4; k++) {
        V up = lane_int(l, 32, 24 - 8 * k);
        V x = LLVMBuildShl(l->builder, a, up, ""), y = LLVMBuildShl(l->builder, b, up, "");
        x = signed_a ? LLVMBuildAShr(l->builder, x, all, "") : LLVMBuildLShr(l->builder, x, all, "");
        y = signed_b ? LLVMBuildAShr(l->builder, y, all, "") : LLVMBuildLShr(l->builder, y, all, "");
        x = LLVMBuildMul(l->builder, x, y, "");
        sum = sum ? LLVMBuildAdd(l->builder, sum, x, "") : x;
    }
    return sum;
}

V
lane_dot_4x8(lw_lanes *l, V a, V b, bool signed_a, bool signed_b)
{
    unsigned most = lw_isa_row(l->isa)->register_bits / 32;
    unsigned width = most < l->n ? most : l->n;
    V parts[16];

    if (!lw_lane_is_vector(a))
        return dot_scalar(l, a, b, signed_a, signed_b);
    for (unsigned p = 0; p < l->n / width; p++)
        parts[p] = dot_register(l, lw_lane_part(l, a, p * width, width), lw_lane_part(l, b, p * width, width),
                                width, signed_a, signed_b);
    return lw_lane_concat(l, parts, l->n / width);
}

/* SPDX-License-Identifier: MIT */
/* Stores of the active lanes one after the other: moved together in a register, then a masked store.
 *
 * Enters: a vector and the place of its first active lane. Leaves: no branch; a scatter for want of an
 * instruction. Relies on: AVX-512's compression, or AVX2's
 * permutation of eight 32-bit values in an order that a table has for each mask. Never: writes beyond the
 * last of them; vpcompress to memory, which some processors take a hundred cycles for.
 */
#include "internal.h"
#include "../subgroup/subgroup_ops.h"

bool
lane_has_compress(lw_lanes *l, LLVMTypeRef element)
{
    unsigned bits = lw_lane_bits(element);

    return l->isa >= LW_ISA_AVX2 && (bits == 32 || bits == 64) &&
           LLVMGetTypeKind(element) != LLVMPointerTypeKind;
}

#define TAKEN 0x80

/* By the bits of a mask over `lanes` values: the numbers of the active ones, of 32 bits each, a byte a
 * number, marked TAKEN: widened with its sign, a row says where values come from, by the low bits, and how
 * many lanes they fill, by the sign. */
static V
order_table(lw_lanes *l, unsigned lanes)
{
    const char *name = lanes == 8 ? "lw.order.8" : "lw.order.4";
    LLVMTypeRef i64 = lw_lane_int_type(l, 64), type = LLVMArrayType2(i64, 1u << lanes);
    V table = LLVMGetNamedGlobal(l->module, name), rows[256];
    unsigned each = 8 / lanes;

    if (table)
        return table;
    for (unsigned mask = 0; mask < 1u << lanes; mask++) {
        uint64_t row = 0;
        for (unsigned lane = 0, at = 0; lane < lanes; lane++)
            for (unsigned k = 0; k < each && mask >> lane & 1; k++, at += 8)
                row |= (uint64_t)(TAKEN | (lane * each + k)) << at;
        rows[mask] = LLVMConstInt(i64, row, false);
    }
    table = LLVMAddGlobal(l->module, type, name);
    LLVMSetInitializer(table, LLVMConstArray2(i64, rows, 1u << lanes));
    LLVMSetGlobalConstant(table, true);
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    LLVMSetUnnamedAddress(table, LLVMGlobalUnnamedAddr);
    LLVMSetAlignment(table, 64);
    return table;
}

/* The active lanes moved together by AVX2; *filled: the lanes that they fill. */
static V
permute(lw_lanes *l, V vector, V mask, V *filled)
{
    LLVMBuilderRef b = l->builder;
    LLVMTypeRef i64 = lw_lane_int_type(l, 64), i8x8 = LLVMVectorType(lw_lane_int_type(l, 8), 8);
    LLVMTypeRef i32x8 = LLVMVectorType(lw_lane_int_type(l, 32), 8), type = LLVMTypeOf(vector);
    unsigned lanes = 256 / lw_lane_bits(lw_lane_element(vector));
    V whole = vector;

    if (l->n < lanes)
        whole = lw_lane_concat(l, (V[]){vector, LLVMGetPoison(type)}, 2);
    V row = lw_lane_gep(l, i64, order_table(l, lanes), lane_mask_bits64(l, mask));
    V order = LLVMBuildBitCast(b, LLVMBuildLoad2(b, i64, row, ""), i8x8, "");
    order = LLVMBuildSExt(b, order, i32x8, "");
    V args[] = {LLVMBuildBitCast(b, whole, i32x8, ""), order};
    V packed = lw_lane_call(l, "llvm.x86.avx2.permd", NULL, 0, args, 2);
    packed = LLVMBuildBitCast(b, packed, LLVMTypeOf(whole), "");
    LLVMTypeRef signs = LLVMVectorType(lw_lane_int_type(l, 256 / lanes), lanes);
    order = LLVMBuildBitCast(b, order, signs, "");
    order = LLVMBuildICmp(b, LLVMIntSLT, order, LLVMConstNull(signs), "");
    *filled = lw_lane_part(l, order, 0, l->n);
    return lw_lane_part(l, packed, 0, l->n);
}

/* The same by AVX-512; `count` (i64) of them. */
static V
compress(lw_lanes *l, V vector, V mask, V count, V *filled)
{
    LLVMTypeRef type = LLVMTypeOf(vector), i64 = lw_lane_int_type(l, 64);
    V args[] = {vector, mask, LLVMConstNull(type)}, one = LLVMConstInt(i64, 1, false);
    V end = LLVMBuildShl(l->builder, one, count, "");

    *filled = lane_mask_from_bits(l, LLVMBuildSub(l->builder, end, one, ""));
    return lw_lane_call(l, "llvm.experimental.vector.compress", &type, 1, args, 3);
}

void
lane_store_compressed(lw_lanes *l, V vector, V pointer, V mask, unsigned align)
{
    if (lane_mask_is_all(mask)) {
        lane_store_contiguous(l, vector, pointer, mask, align);
        return;
    }
    mask = LLVMBuildFreeze(l->builder, mask, "");
    LLVMTypeRef element = lw_lane_element(vector);
    if (!lane_has_compress(l, element)) {
        V one = lane_splat(l, lane_int(l, 64, 1)),
          places = lw_subgroup_scan_exclusive(l, LW_GROUP_IADD, one, mask);
        lane_scatter(l, vector, lw_lane_gep(l, lw_lane_memory_type(l, element), pointer, places), mask,
                     align);
        return;
    }
    unsigned n = (l->isa >= LW_ISA_AVX512 ? 512 : 256) / lw_lane_bits(element);
    lw_lanes part = *l;
    part.n = n < l->n ? n : l->n;
    for (unsigned first = 0; first < l->n; first += part.n) {
        V some = lw_lane_part(&part, mask, first, part.n);
        V count = lw_lane_call1(&part, "llvm.ctpop", lane_mask_bits64(&part, some));
        V piece = lw_lane_part(&part, vector, first, part.n), filled;
        V packed = l->isa >= LW_ISA_AVX512 ? compress(&part, piece, some, count, &filled)
                                           : permute(&part, piece, some, &filled);
        lane_store_contiguous(&part, packed, pointer, filled, align);
        pointer = lw_lane_gep(&part, element, pointer, count);
    }
}

/* SPDX-License-Identifier: MIT */
/* The active lanes one after the other: stores, moved together in a register, then a masked store; and
 * records in memory of the caller's own, where whole vectors are stored and loaded, each a little further.
 *
 * Enters: a vector and the place of its first active lane. Leaves: no branch; a scatter for want of an
 * instruction, of records a move for each lane. Relies on: AVX-512's compression, of bytes and words with
 * VBMI2, or AVX2's permutation of eight 32-bit values in an order that a table has for each mask. Never:
 * writes beyond the last of them; vpcompress to memory, which some processors take a hundred cycles for.
 */
#include "../../src/compiler.h"
#include "internal.h"
#include "../subgroup/subgroup_ops.h"

bool
lane_has_compress(lw_lanes *l, LLVMTypeRef element)
{
    unsigned bits = lw_lane_bits(element), least = lw_isa_row(l->isa)->compress_bits;

    return l->isa >= LW_ISA_AVX2 && (bits >= 32 || (bits >= least && bits * l->n >= 128)) && bits <= 64 &&
           LLVMGetTypeKind(element) != LLVMPointerTypeKind;
}

#define TAKEN 0x80

/* The row of a mask over `lanes` values, in pieces of 32 bits, a byte a piece: the numbers of the active
 * ones, or (apart) for each active one which of them it is. */
static uint64_t
order_row(unsigned mask, unsigned lanes, bool apart)
{
    uint64_t row = 0;
    unsigned each = 8 / lanes;
    for (unsigned lane = 0, at = 0; lane < lanes; lane++)
        for (unsigned k = 0; k < each && mask >> lane & 1; k++, at++)
            row |= (uint64_t)(TAKEN | (apart ? at : lane * each + k)) << 8 * (apart ? lane * each + k : at);
    return row;
}

/* By the bits of a mask its row, the pieces marked TAKEN: widened with its sign, a row says where values come
 * from, by the low bits, and which lanes they fill, by the sign. */
static V
order_table(lw_lanes *l, unsigned lanes, bool apart)
{
    const char *name =
        apart ? (lanes == 8 ? "lw.apart.8" : "lw.apart.4") : (lanes == 8 ? "lw.order.8" : "lw.order.4");
    LLVMTypeRef i64 = lw_lane_int_type(l, 64), type = LLVMArrayType2(i64, 1u << lanes);
    V table = LLVMGetNamedGlobal(l->module, name), rows[256];

    if (table)
        return table;
    for (unsigned mask = 0; mask < 1u << lanes; mask++)
        rows[mask] = LLVMConstInt(i64, order_row(mask, lanes, apart), false);
    table = LLVMAddGlobal(l->module, type, name);
    LLVMSetInitializer(table, LLVMConstArray2(i64, rows, 1u << lanes));
    LLVMSetGlobalConstant(table, true);
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    LLVMSetUnnamedAddress(table, LLVMGlobalUnnamedAddr);
    LLVMSetAlignment(table, 64);
    return table;
}

/* The active lanes moved together, or the first ones apart to them, by AVX2; *filled: the lanes that they
 * fill. */
static V
permute(lw_lanes *l, V vector, V mask, bool apart, V *filled)
{
    LLVMBuilderRef b = l->builder;
    LLVMTypeRef i64 = lw_lane_int_type(l, 64), i8x8 = LLVMVectorType(lw_lane_int_type(l, 8), 8);
    LLVMTypeRef i32x8 = LLVMVectorType(lw_lane_int_type(l, 32), 8), type = LLVMTypeOf(vector);
    unsigned lanes = 256 / lw_lane_bits(lw_lane_element(vector));
    V whole = vector;

    if (l->n < lanes)
        whole = lw_lane_concat(l, (V[]){vector, LLVMGetPoison(type)}, 2);
    V row = lw_lane_gep(l, i64, order_table(l, lanes, apart), lane_mask_bits64(l, mask));
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

/* The same by AVX-512; `count` (i64) of them. As integers: LLVM has no such instruction for halves. */
static V
compress(lw_lanes *l, V vector, V mask, V count, V *filled)
{
    LLVMTypeRef type = LLVMTypeOf(vector), i64 = lw_lane_int_type(l, 64);
    LLVMTypeRef words = LLVMVectorType(lw_lane_int_type(l, lw_lane_bits(lw_lane_element(vector))), l->n);
    V args[] = {LLVMBuildBitCast(l->builder, vector, words, ""), mask, LLVMConstNull(words)};
    V first[] = {LLVMConstAllOnes(i64), count}; /* all 64 of them, too */

    *filled = lane_mask_from_bits(l, lw_lane_call(l, "llvm.x86.bmi.bzhi.64", NULL, 0, first, 2));
    V moved = lw_lane_call(l, "llvm.experimental.vector.compress", &words, 1, args, 3);
    return LLVMBuildBitCast(l->builder, moved, type, "");
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
    unsigned n = lw_isa_row(l->isa)->register_bits / lw_lane_bits(element);
    lw_lanes part = *l;
    part.n = n < l->n ? n : l->n;
    for (unsigned first = 0; first < l->n; first += part.n) {
        V some = lw_lane_part(&part, mask, first, part.n);
        V count = lw_lane_call1(&part, "llvm.ctpop", lane_mask_bits64(&part, some));
        V piece = lw_lane_part(&part, vector, first, part.n), filled;
        V packed = l->isa >= LW_ISA_AVX512 ? compress(&part, piece, some, count, &filled)
                                           : permute(&part, piece, some, false, &filled);
        lane_store_contiguous(&part, packed, pointer, filled, align);
        pointer = lw_lane_gep(&part, element, pointer, count);
    }
}

/* ---- records ---- */

/* Elements of less than 32 bits: or are they widened? */
static bool
moves_as_it_is(const lw_lanes *l, unsigned bits)
{
    return bits >= lw_isa_row(l->isa)->compress_bits && bits * l->n >= 128;
}

/* Lanes of elements of that size which one instruction moves; 0: there is none. Smaller ones are widened. */
static unsigned
lanes_at_once(lw_lanes *l, unsigned bits)
{
    const struct lw_isa_row *isa = lw_isa_row(l->isa);
    unsigned n = isa->register_bits / (moves_as_it_is(l, bits) ? bits : bits > 32 ? 64 : 32);
    return l->isa < LW_ISA_AVX2 || l->n < 4 ? 0 : n < l->n ? n : l->n;
}

/* The part's active lanes moved together, or apart. */
static V
move_part(lw_lanes *l, V piece, V mask, bool apart)
{
    LLVMTypeRef type = LLVMTypeOf(piece), word = lane_type(l, lw_lane_int_type(l, 32));
    unsigned bits = lw_lane_bits(lw_lane_element(piece));
    bool narrow = bits < 32 && !moves_as_it_is(l, bits);
    V wide = narrow ? LLVMBuildZExt(l->builder, piece, word, "") : piece, filled, moved;
    LLVMTypeRef moved_type = LLVMTypeOf(wide);
    V count = lw_lane_call1(l, "llvm.ctpop", lane_mask_bits64(l, mask));
    V args[] = {wide, LLVMConstNull(moved_type), mask};
    if (l->isa < LW_ISA_AVX512)
        moved = permute(l, wide, mask, apart, &filled);
    else if (apart)
        moved = lw_lane_call(l, "llvm.x86.avx512.mask.expand", &moved_type, 1, args, 3);
    else
        moved = compress(l, wide, mask, count, &filled);
    return narrow ? LLVMBuildTrunc(l->builder, moved, type, "") : moved;
}

static void
store_records(lw_lanes *l, V *values, unsigned count, V pointer)
{
    LLVMTypeRef element = lw_lane_element(values[0]);
    if (count > 1 && l->n > 1)
        lane_store_interleaved(l, element, count, values, pointer, NULL, 1);
    for (unsigned k = 0; k < count && (count == 1 || l->n == 1); k++)
        lane_store_contiguous(l, values[k], lw_lane_gep(l, element, pointer, lane_int(l, 64, k)), NULL, 1);
}

static void
load_records(lw_lanes *l, LLVMTypeRef element, unsigned count, V pointer, V *results)
{
    if (count > 1 && l->n > 1)
        lane_load_interleaved(l, element, count, pointer, NULL, 1, results);
    for (unsigned k = 0; k < count && (count == 1 || l->n == 1); k++)
        results[k] =
            lane_load_contiguous(l, element, lw_lane_gep(l, element, pointer, lane_int(l, 64, k)), NULL, 1);
    for (unsigned k = 0; k < count; k++)
        results[k] = LLVMBuildFreeze(l->builder, results[k], "");
}

/* Between each lane's place and the next one of those together: where a lane is not active the next one comes
 * to the same. */
static void
move_each(lw_lanes *l, V places, V together, V mask, unsigned bytes, bool apart)
{
    LLVMBuilderRef b = l->builder;
    LLVMTypeRef byte = lw_lane_int_type(l, 8);
    V bits = lane_mask_bits64(l, mask);
    for (unsigned lane = 0; lane < l->n; lane++) {
        V place = lw_lane_gep(l, byte, places, lane_int(l, 64, (int64_t)lane * bytes));
        LLVMBuildMemCpy(b, apart ? place : together, 1, apart ? together : place, 1, lane_int(l, 64, bytes));
        V active = LLVMBuildLShr(b, bits, lane_int(l, 64, lane), "");
        active = LLVMBuildAnd(b, active, lane_int(l, 64, 1), "");
        together = lw_lane_gep(l, byte, together, LLVMBuildMul(b, active, lane_int(l, 64, bytes), ""));
    }
}

void
lane_pack_records(lw_lanes *l, V *values, unsigned count, V pointer, V mask)
{
    LLVMTypeRef element = lw_lane_element(values[0]), byte = lw_lane_int_type(l, 8);
    unsigned bytes = lw_lane_bits(element) / 8 * count, step = lanes_at_once(l, lw_lane_bits(element));
    lw_lanes part = *l;
    if (lane_mask_is_all(mask)) {
        store_records(l, values, count, pointer);
        return;
    }
    mask = LLVMBuildFreeze(l->builder, mask, "");
    if (!step) {
        V places = lw_lane_alloca(l, LLVMArrayType2(byte, (uint64_t)bytes * l->n), "records");
        store_records(l, values, count, places);
        move_each(l, places, pointer, mask, bytes, false);
        return;
    }
    part.n = step;
    for (unsigned first = 0; first < l->n; first += step) {
        V some = lw_lane_part(l, mask, first, step), moved[16];
        for (unsigned k = 0; k < count; k++)
            moved[k] = move_part(&part, lw_lane_part(l, values[k], first, step), some, false);
        store_records(&part, moved, count, pointer);
        V filled = lw_lane_call1(l, "llvm.ctpop", lane_mask_bits64(&part, some));
        pointer = lw_lane_gep(l, byte, pointer, LLVMBuildMul(l->builder, filled, lane_int(l, 64, bytes), ""));
    }
}

void
lane_unpack_records(lw_lanes *l, LLVMTypeRef element, unsigned count, V pointer, V mask, V *results)
{
    LLVMTypeRef byte = lw_lane_int_type(l, 8);
    unsigned bytes = lw_lane_bits(element) / 8 * count, step = lanes_at_once(l, lw_lane_bits(element));
    lw_lanes part = *l;
    V parts[16][LW_MAX_LANES / 4];
    if (lane_mask_is_all(mask)) {
        load_records(l, element, count, pointer, results);
        return;
    }
    mask = LLVMBuildFreeze(l->builder, mask, "");
    if (!step) {
        V places = lw_lane_alloca(l, LLVMArrayType2(byte, (uint64_t)bytes * l->n), "records");
        move_each(l, places, pointer, mask, bytes, true);
        load_records(l, element, count, places, results);
        return;
    }
    part.n = step;
    for (unsigned first = 0; first < l->n; first += step) {
        V some = lw_lane_part(l, mask, first, step), loaded[16];
        load_records(&part, element, count, pointer, loaded);
        for (unsigned k = 0; k < count; k++)
            parts[k][first / step] = move_part(&part, loaded[k], some, true);
        V filled = lw_lane_call1(l, "llvm.ctpop", lane_mask_bits64(&part, some));
        pointer = lw_lane_gep(l, byte, pointer, LLVMBuildMul(l->builder, filled, lane_int(l, 64, bytes), ""));
    }
    for (unsigned k = 0; k < count; k++)
        results[k] = lw_lane_concat(l, parts[k], l->n / step);
}

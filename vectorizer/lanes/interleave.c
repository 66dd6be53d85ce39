/* SPDX-License-Identifier: MIT */
/* Records of several fields, one per lane, at consecutive addresses: whole vectors moved, and shuffled in
 * registers.
 *
 * Shuffles have two operands of n lanes, never more: for a power of two of fields in log2 steps (every other
 * element, or a zip) or as 4 x 4 of 32 bits, else by collecting a field from one vector after the other. A
 * masked access moves whole vectors where all lanes are active (a load: or where the records lie in one page)
 * and goes field by field through gather and scatter elsewhere.
 *
 * Enters: the first record's address, a mask, and the fields' type and number. Leaves: a vector of each
 * field, or memory that has them. Never: writes for a lane that is not active, reads a page that no active
 * one lies in.
 */
#include <string.h>
#include "internal.h"

#define MAX_FIELDS 16

/* in: `count` vectors in memory order; out: field k in vectors[k]. count: a power of two. */
static void
take_apart(lw_lanes *l, V *vectors, unsigned count)
{
    int even[64], odd[64];
    V next[MAX_FIELDS];

    for (unsigned i = 0; i < l->n; i++) {
        even[i] = (int)(2 * i);
        odd[i] = (int)(2 * i + 1);
    }
    /* `groups` groups of vectors at a time: group g holds the elements equal to g modulo `groups`, in order.
     */
    for (unsigned groups = 1; groups < count; groups *= 2) {
        unsigned size = count / groups;
        for (unsigned g = 0; g < groups; g++) {
            for (unsigned k = 0; k < size / 2; k++) {
                V a = vectors[g * size + 2 * k], b = vectors[g * size + 2 * k + 1];
                next[g * (size / 2) + k] = lw_lane_shuffle_const(l, a, b, even, l->n);
                next[(g + groups) * (size / 2) + k] = lw_lane_shuffle_const(l, a, b, odd, l->n);
            }
        }
        memcpy(vectors, next, count * sizeof *vectors);
    }
}

/* The reverse: field k in vectors[k] -> `count` vectors in memory order. */
static void
put_together(lw_lanes *l, V *vectors, unsigned count)
{
    int low[64], high[64];
    V next[MAX_FIELDS];

    for (unsigned i = 0; i < l->n; i++) {
        low[i] = (int)(i / 2 + (i % 2 ? l->n : 0));
        high[i] = low[i] + (int)(l->n / 2);
    }
    for (unsigned groups = count / 2; groups >= 1; groups /= 2) {
        unsigned size = count / groups;
        for (unsigned g = 0; g < groups; g++) {
            for (unsigned k = 0; k < size / 2; k++) {
                V a = vectors[g * (size / 2) + k], b = vectors[(g + groups) * (size / 2) + k];
                next[g * size + 2 * k] = lw_lane_shuffle_const(l, a, b, low, l->n);
                next[g * size + 2 * k + 1] = lw_lane_shuffle_const(l, a, b, high, l->n);
            }
        }
        memcpy(vectors, next, count * sizeof *vectors);
    }
}

/* ---- four fields of 32 bits before AVX-512: shuffles inside of 16 bytes are the cheap ones ---- */

bool
lw_lane_has_quads(lw_lanes *l, LLVMTypeRef memory)
{
    return l->isa < LW_ISA_AVX512 && l->n <= 8 && lw_lane_bits(memory) == 32;
}

/* Of each 16 bytes: elements from, from + 1 of a and of b in turn (`step` 1), or a pair of each (2). */
static V
unpack_quads(lw_lanes *l, V a, V b, unsigned from, unsigned step)
{
    int lanes[64];
    unsigned n = lw_lane_count(a);

    for (unsigned i = 0; i < n; i++) {
        unsigned q = i % 4, base = i / 4 * 4 + from;
        unsigned second = step == 1 ? q % 2 : q / 2, at = step == 1 ? q / 2 : q % 2;
        lanes[i] = (int)(base + at + (second ? n : 0));
    }
    return lw_lane_shuffle_const(l, a, b, lanes, n);
}

void
lw_lane_turn_quads(lw_lanes *l, V *rows)
{
    V low[2] = {unpack_quads(l, rows[0], rows[1], 0, 1), unpack_quads(l, rows[2], rows[3], 0, 1)};
    V high[2] = {unpack_quads(l, rows[0], rows[1], 2, 1), unpack_quads(l, rows[2], rows[3], 2, 1)};

    rows[0] = unpack_quads(l, low[0], low[1], 0, 2);
    rows[1] = unpack_quads(l, low[0], low[1], 2, 2);
    rows[2] = unpack_quads(l, high[0], high[1], 0, 2);
    rows[3] = unpack_quads(l, high[0], high[1], 2, 2);
}

/* Four vectors in memory order, records one after the other -> record i in 16 bytes i / 4 of vector i % 4. */
static void
deal_quads(lw_lanes *l, V *vectors)
{
    V dealt[4];
    int lanes[64];

    if (l->n == 4)
        return;
    for (unsigned k = 0; k < 4; k++) { /* the same 16 bytes of two vectors */
        for (unsigned i = 0; i < 8; i++)
            lanes[i] = (int)(k % 2 * 4 + i % 4 + (i / 4 ? l->n : 0));
        dealt[k] = lw_lane_shuffle_const(l, vectors[k / 2], vectors[k / 2 + 2], lanes, l->n);
    }
    memcpy(vectors, dealt, sizeof dealt);
}

/* Record after record by 16 bytes (vectors.c), where a record is no power of two of fields, or its lanes fill
 * no more than a register: a turn inside of 16 bytes takes few shuffles for each vector, all the others are
 * inserts from memory, or stores of parts. */
static bool
moves_pieces(lw_lanes *l, LLVMTypeRef memory, unsigned count, bool stores)
{
    unsigned size = lw_lane_bits(memory) / 8, bytes = l->isa >= LW_ISA_AVX512 ? 64 : 32;
    bool even = (count & (count - 1)) == 0;

    if ((size != 4 && size != 8) || count * size <= 16 || l->n < 16 / size)
        return false;
    if (!even)
        return true;
    return size == 4 && l->n * size <= bytes && !(stores && l->isa >= LW_ISA_AVX512);
}

static struct lw_lane_places
places_of(unsigned bytes, V pointer, int64_t *offsets, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        offsets[i] = (int64_t)i * bytes;
    return (struct lw_lane_places){.base = pointer, .offsets = offsets};
}

/* Lane i of the result is element `where(i) % n` of source `where(i) / n`. */
static V
collect(lw_lanes *l, V *sources, unsigned source_count, const unsigned *where)
{
    V result = NULL;
    int lanes[64];

    for (unsigned s = 0; s < source_count; s++) {
        bool any = false;
        for (unsigned i = 0; i < l->n; i++) {
            bool mine = where[i] / l->n == s;
            any = any || mine;
            lanes[i] = mine                  ? (int)(where[i] % l->n + (result ? l->n : 0))
                       : where[i] / l->n < s ? (int)i
                                             : -1;
        }
        if (!any)
            continue;
        result = result ? lw_lane_shuffle_const(l, result, sources[s], lanes, l->n)
                        : lw_lane_shuffle_const(l, sources[s], NULL, lanes, l->n);
    }
    return result;
}

void
lw_lane_take_apart(lw_lanes *l, V *vectors, unsigned count, V *fields)
{
    unsigned where[64];

    if (count == 4 && lw_lane_has_quads(l, lw_lane_element(vectors[0]))) {
        memcpy(fields, vectors, count * sizeof *fields);
        deal_quads(l, fields);
        lw_lane_turn_quads(l, fields);
        return;
    }
    if (!(count & (count - 1))) {
        memcpy(fields, vectors, count * sizeof *fields);
        take_apart(l, fields, count);
        return;
    }
    for (unsigned k = 0; k < count; k++) {
        for (unsigned i = 0; i < l->n; i++)
            where[i] = i * count + k;
        fields[k] = collect(l, vectors, count, where);
    }
}

void
lw_lane_put_together(lw_lanes *l, V *fields, unsigned count, V *vectors)
{
    unsigned where[64];

    if (!(count & (count - 1))) {
        memcpy(vectors, fields, count * sizeof *fields);
        put_together(l, vectors, count);
        return;
    }
    for (unsigned j = 0; j < count; j++) {
        for (unsigned i = 0; i < l->n; i++) {
            unsigned element = j * l->n + i;
            where[i] = element % count * l->n + element / count;
        }
        vectors[j] = collect(l, fields, count, where);
    }
}

/* An access of all lanes. */
struct records {
    LLVMTypeRef memory; /* of a field */
    unsigned count, align;
    V pointer, mask;
};

static unsigned
field_bytes(const struct records *r)
{
    return lw_lane_bits(r->memory) / 8;
}

static V
field_pointers(lw_lanes *l, const struct records *r, unsigned field)
{
    int64_t offsets[64];

    for (unsigned i = 0; i < l->n; i++)
        offsets[i] = (int64_t)i * r->count + field;
    return lw_lane_gep(l, r->memory, lane_splat(l, r->pointer),
                       lane_offsets(l, lw_lane_int_type(l, 64), offsets));
}

static void
gather_fields(lw_lanes *l, const struct records *r, LLVMTypeRef element, V *results)
{
    for (unsigned k = 0; k < r->count; k++)
        results[k] =
            lane_gather(l, element, field_pointers(l, r, k), r->mask, lw_align_at(r->align, field_bytes(r)));
}

static void
scatter_fields(lw_lanes *l, const struct records *r, V *values)
{
    for (unsigned k = 0; k < r->count; k++)
        lane_scatter(l, values[k], field_pointers(l, r, k), r->mask, lw_align_at(r->align, field_bytes(r)));
}

static void
load_whole(lw_lanes *l, const struct records *r, V *results)
{
    V vectors[MAX_FIELDS];

    if (moves_pieces(l, r->memory, r->count, false)) {
        int64_t offsets[64];
        struct lw_lane_places places = places_of(r->count * field_bytes(r), r->pointer, offsets, l->n);
        lane_gather_vectors(l, r->memory, r->count, &places, NULL, r->align, results);
        return;
    }
    for (unsigned j = 0; j < r->count; j++) {
        V at = lw_lane_gep(l, r->memory, r->pointer, lane_int(l, 64, (int64_t)j * l->n));
        vectors[j] = LLVMBuildLoad2(l->builder, lane_type(l, r->memory), at, "");
        LLVMSetAlignment(vectors[j], lw_align_at(r->align, j * field_bytes(r) * l->n));
    }
    lw_lane_take_apart(l, vectors, r->count, results);
}

/* i1: lanes beyond the mask can be read along. */
static V
readable(lw_lanes *l, const struct records *r)
{
    V all = lane_all(l, r->mask);
    unsigned bytes = field_bytes(r) * r->count * l->n;

    if (bytes > LW_PAGE / 2)
        return all;
    V fits = lw_lane_in_one_page(l, r->pointer, bytes);
    V some = LLVMBuildAnd(l->builder, lane_any(l, r->mask), fits, "");
    return LLVMBuildOr(l->builder, all, some, "");
}

/* Field k of `lane` is at the result + k. */
static V
record_of(lw_lanes *l, const struct records *r, V lane)
{
    V first = LLVMBuildZExt(l->builder, lane, lw_lane_int_type(l, 64), "");

    first = LLVMBuildMul(l->builder, first, lane_int(l, 64, r->count), "");
    return lw_lane_gep(l, r->memory, r->pointer, first);
}

/* Field by field: gathers where the ISA has them, else the active lanes' records one after the other. */
static void
load_some(lw_lanes *l, const struct records *r, V *results)
{
    unsigned size = field_bytes(r);
    LLVMTypeRef memory = r->memory;
    struct lw_lane_loop loop;
    V slots[MAX_FIELDS];

    if (l->isa >= LW_ISA_AVX512) {
        gather_fields(l, r, memory, results);
        return;
    }
    lw_lane_note(l, "masked load of records where it crosses a page");
    for (unsigned k = 0; k < r->count; k++)
        slots[k] = lane_spill(l, LLVMConstNull(lane_type(l, memory)));
    lw_lane_loop_begin(l, r->mask, &loop);
    V record = record_of(l, r, loop.lane);
    for (unsigned k = 0; k < r->count; k++) {
        V value = LLVMBuildLoad2(l->builder, memory, lw_lane_gep(l, memory, record, lane_int(l, 64, k)), "");
        LLVMSetAlignment(value, lw_align_at(r->align, k * size));
        LLVMSetAlignment(LLVMBuildStore(l->builder, value, lw_lane_gep(l, memory, slots[k], loop.lane)),
                         size);
    }
    lw_lane_loop_end(l, &loop);
    for (unsigned k = 0; k < r->count; k++)
        results[k] = LLVMBuildLoad2(l->builder, lane_type(l, memory), slots[k], "");
}

/* Register by register, under the masks of their elements' lanes. */
static void
store_masked(lw_lanes *l, const struct records *r, V *values)
{
    V vectors[MAX_FIELDS];

    lw_lane_put_together(l, values, r->count, vectors);
    for (unsigned j = 0; j < r->count; j++) {
        V at = lw_lane_gep(l, r->memory, r->pointer, lane_int(l, 64, (int64_t)j * l->n));
        V mask = lw_lane_mask_of_records(l, r->mask, r->count, j, l->n);
        lw_lane_store_records(l, vectors[j], r->count, at, mask,
                              lw_align_at(r->align, j * field_bytes(r) * l->n));
    }
}

static void
store_some(lw_lanes *l, const struct records *r, V *values)
{
    struct lw_lane_loop loop;
    V slots[MAX_FIELDS];

    if (lw_lane_moves_together(l, lw_lane_bits(r->memory), r->count) > 1) {
        store_masked(l, r, values);
        return;
    }
    if (lw_lane_bits(r->memory) >= lw_isa_row(l->isa)->scatter_bits) {
        scatter_fields(l, r, values);
        return;
    }
    lw_lane_note(l, "masked store of records");
    for (unsigned k = 0; k < r->count; k++)
        slots[k] = lane_spill(l, values[k]);
    lw_lane_loop_begin(l, r->mask, &loop);
    V record = record_of(l, r, loop.lane);
    for (unsigned k = 0; k < r->count; k++) {
        V value = lane_reload(l, r->memory, slots[k], loop.lane);
        V at = lw_lane_gep(l, r->memory, record, lane_int(l, 64, k));
        LLVMSetAlignment(LLVMBuildStore(l->builder, value, at), lw_align_at(r->align, k * field_bytes(r)));
    }
    lw_lane_loop_end(l, &loop);
}

/* Records of a few small fields move as one integer, which is shifted: one access with one mask. Bits of it,
 * 0 where that is no better. */
static unsigned
packed_bits(lw_lanes *l, const struct records *r)
{
    unsigned bits = lw_lane_bits(r->memory) * r->count;
    bool simple = bits == 32 || (bits == 16 && (l->isa >= LW_ISA_AVX512 || lane_mask_is_all(r->mask)));

    return simple && r->count > 1 && LLVMGetTypeKind(r->memory) == LLVMIntegerTypeKind ? bits : 0;
}

static void
unpack(lw_lanes *l, const struct records *r, V packed, V *fields)
{
    unsigned bits = lw_lane_bits(r->memory), whole = bits * r->count;

    packed = LLVMBuildFreeze(l->builder, packed, "");
    for (unsigned k = 0; k < r->count; k++) {
        V by = lane_splat(l, lane_int(l, whole, (int64_t)(k * bits)));
        V down = k ? LLVMBuildLShr(l->builder, packed, by, "") : packed;
        fields[k] = LLVMBuildTrunc(l->builder, down, lane_type(l, r->memory), "");
    }
}

static V
pack(lw_lanes *l, const struct records *r, V *fields)
{
    unsigned bits = lw_lane_bits(r->memory), whole = bits * r->count;
    LLVMTypeRef type = lane_type(l, lw_lane_int_type(l, whole));
    V packed = NULL;

    for (unsigned k = 0; k < r->count; k++) {
        V up = LLVMBuildZExt(l->builder, LLVMBuildFreeze(l->builder, fields[k], ""), type, "");
        V by = lane_splat(l, lane_int(l, whole, (int64_t)(k * bits)));
        up = k ? LLVMBuildShl(l->builder, up, by, "") : up;
        packed = packed ? LLVMBuildOr(l->builder, packed, up, "") : up;
    }
    return packed;
}

/* Fields that are bytes (or halves of words) anyway are zipped in fewer steps than they are extended, shifted
 * and joined in, where they fill registers; those that were cut from wider ones lose nothing by that. */
static bool
zips(lw_lanes *l, const struct records *r, V *fields)
{
    if (l->isa >= LW_ISA_AVX512 || !lane_mask_is_all(r->mask) || lw_lane_bits(r->memory) * l->n < 128)
        return false;
    for (unsigned k = 0; k < r->count; k++)
        if (LLVMIsATruncInst(fields[k]))
            return false;
    return true;
}

void
lane_load_interleaved(lw_lanes *l, LLVMTypeRef element, unsigned count, V pointer, V mask, unsigned align,
                      V *results)
{
    struct records r = {lw_lane_memory_type(l, element), count, align, pointer, mask};
    V quick[MAX_FIELDS], single[MAX_FIELDS];
    unsigned packed = packed_bits(l, &r);

    if (count > MAX_FIELDS) {
        gather_fields(l, &r, element, results);
        return;
    }
    if (packed) {
        V all = lane_load_contiguous(l, lw_lane_int_type(l, packed), pointer, mask, align);
        unpack(l, &r, all, results);
    } else if (lane_mask_is_all(mask)) {
        load_whole(l, &r, results);
    } else {
        struct lw_two_ways ways;
        lw_lane_fork(l, &ways, readable(l, &r), true, "records.load", "records.gather");
        load_whole(l, &r, quick);
        for (unsigned k = 0; k < count; k++)
            quick[k] = LLVMBuildFreeze(l->builder, quick[k], "");
        lw_lane_other_way(l, &ways);
        load_some(l, &r, single);
        lw_lane_meet(l, &ways);
        for (unsigned k = 0; k < count; k++)
            results[k] = lw_lane_met(l, &ways, quick[k], single[k]);
    }
    for (unsigned k = 0; k < count; k++)
        results[k] = lw_lane_from_memory(l, results[k], element);
}

static void
store_whole(lw_lanes *l, const struct records *r, V *values)
{
    V vectors[MAX_FIELDS];
    bool quads = r->count == 4 && lw_lane_has_quads(l, r->memory);

    if (quads || moves_pieces(l, r->memory, r->count, true)) {
        int64_t offsets[64];
        struct lw_lane_places places = places_of(r->count * field_bytes(r), r->pointer, offsets, l->n);
        lane_scatter_vectors(l, values, r->count, &places, NULL, r->align);
        return;
    }
    lw_lane_put_together(l, values, r->count, vectors);
    for (unsigned j = 0; j < r->count; j++) {
        V at = lw_lane_gep(l, r->memory, r->pointer, lane_int(l, 64, (int64_t)j * l->n));
        LLVMSetAlignment(LLVMBuildStore(l->builder, vectors[j], at),
                         lw_align_at(r->align, j * field_bytes(r) * l->n));
    }
}

void
lane_store_interleaved(lw_lanes *l, LLVMTypeRef element, unsigned count, V *values, V pointer, V mask,
                       unsigned align)
{
    struct records r = {lw_lane_memory_type(l, element), count, align, pointer, mask};
    V parts[MAX_FIELDS];

    if (count > MAX_FIELDS) {
        scatter_fields(l, &r, values);
        return;
    }
    for (unsigned k = 0; k < count; k++)
        parts[k] = lw_lane_to_memory(l, values[k]);
    if (packed_bits(l, &r) && !zips(l, &r, parts)) {
        lane_store_contiguous(l, pack(l, &r, parts), pointer, mask, align);
        return;
    }
    if (lane_mask_is_all(mask)) {
        store_whole(l, &r, parts);
        return;
    }
    struct lw_two_ways ways;
    lw_lane_fork(l, &ways, lane_all(l, mask), true, "records.store", "records.scatter");
    store_whole(l, &r, parts);
    lw_lane_other_way(l, &ways);
    store_some(l, &r, parts);
    lw_lane_meet(l, &ways);
}

/* SPDX-License-Identifier: MIT */
/* Small tables: letters[x & 63], box[byte], palette[pixel >> 4]. The table is loaded whole, by loads that
 * every sub-group shares, and each lane's element is taken out of the registers.
 *
 * Enters: a load about to be gathered, whose address is base + constant + step * index. Leaves: wide loads
 * and permutations, where these are fewer instructions than the gather. Relies on: the range of the index in
 * lanes that are active; all of the table may be read, whatever lanes are (lw_readable_from). Never: tables
 * of more than MOST_BYTES.
 */
#include "../lanes/internal.h"
#include "lane_terms.h"

enum {
    MOST_BYTES = 256, /* four registers of AVX-512 */
    MOST_LEAVES = 16
};

struct table {
    struct lw_place place;
    unsigned term;                 /* the index */
    unsigned bits, step, elements; /* of an element; elements from one index to the next; a power of two */
    unsigned first;                /* the element that index 0 means */
};

/* Bits of an element of the table that the leaves are elements of; 0: they are of several sizes. */
static unsigned
element_bits(lw_widener *w, const struct lw_access *a)
{
    unsigned bits = lw_lane_bits(lw_lane_memory_type(&w->l, lw_leaf_at(w, a->type, 0).type));
    for (uint32_t k = 0; k < a->leaves; k++) {
        struct lw_leaf leaf = lw_leaf_at(w, a->type, k);
        if (leaf.size * 8 != bits || leaf.offset % leaf.size ||
            LLVMGetTypeKind(leaf.type) == LLVMPointerTypeKind)
            return 0;
    }
    return bits;
}

/* Of a gather, in instructions that are as long as one of a permutation, about: whole words are taken apart
 * where several elements fit one, and longer vectors are moved lane by lane. */
unsigned
lw_gather_cost(lw_widener *w, unsigned bits, unsigned leaves)
{
    unsigned n = w->l.n, most = lw_isa_row(w->l.isa)->gather_bits;
    if (leaves > 1)
        return bits * leaves <= 64 ? lw_gather_cost(w, bits * leaves, 1) + 2 * leaves : 2 * n;
    if (w->l.isa >= LW_ISA_AVX512)
        return bits >= 32 ? n : n + 6;
    return bits >= most ? n * 3 / 2 : 3 * n;
}

/* Of `bytes` from the place on, up to a power of two, may all be read? If not behind them, some in front. */
static bool
is_there(lw_widener *w, struct table *t, int64_t bytes)
{
    int64_t size = t->bits / 8, whole = size, there = lw_readable_from(w, &t->place, t->term);
    while (whole < bytes)
        whole *= 2;
    int64_t back = there < whole ? (whole - there + size - 1) / size * size : 0;
    t->elements = (unsigned)(whole / size);
    t->first = (unsigned)(back / size);
    t->place.constant -= back;
    return whole <= MOST_BYTES && bytes + back <= whole && t->place.constant >= 0;
}

static bool
find_table(lw_widener *w, const struct lw_access *a, struct table *t)
{
    int64_t lo, hi;
    if (LLVMGetVolatile(a->access) || a->leaves > MOST_LEAVES || lw_lane_minor_behind(w, a->pointer) ||
        !lw_find_exact_place(w, a->pointer, &t->place))
        return false;
    t->term = lw_varying_term(w, &t->place);
    t->bits = element_bits(w, a);
    if (t->term == LW_PLACE_TERMS || !t->bits || !lw_find_term_range(w, &t->place, t->term, &lo, &hi))
        return false;
    int64_t size = t->bits / 8, scale = t->place.scale[t->term];
    if (t->place.natural[t->term] && lo < 0)
        lo = 0;
    if (lo < 0 || hi < lo || hi > MOST_BYTES || scale <= 0 || scale > MOST_BYTES || scale % size)
        return false;
    t->step = (unsigned)(scale / size);
    return is_there(w, t, hi * scale + (int64_t)lw_leaf_at(w, a->type, a->leaves - 1).offset + size);
}

/* All of it; what no lane asks for may change meanwhile. */
static V
load_whole(lw_widener *w, const struct lw_access *a, const struct table *t)
{
    lw_lanes *l = &w->l;
    V at = lw_address_at(w, &t->place, t->term, NULL);
    V table = LLVMBuildLoad2(l->builder, LLVMVectorType(lw_lane_int_type(l, t->bits), t->elements), at, "");
    LLVMSetAlignment(table, a->align * 8 < t->bits ? a->align : t->bits / 8);
    return LLVMBuildFreeze(l->builder, table, "");
}

bool
lw_load_table(lw_widener *w, struct lw_access *a)
{
    lw_lanes *l = &w->l;
    struct table t;
    if (!find_table(w, a, &t) ||
        lw_lane_permute_cost(l, t.bits, t.elements) > lw_gather_cost(w, t.bits, a->leaves) / a->leaves)
        return false;
    LLVMTypeRef i32 = lane_type(l, lw_lane_int_type(l, 32));
    V table = load_whole(w, a, &t), index = lw_use_vector(w, t.place.term[t.term], 0);
    bool extends_sign = t.place.extension[t.term] != LLVMZExt;
    index = LLVMBuildIntCast2(l->builder, index, i32, extends_sign, "");
    index = LLVMBuildMul(l->builder, index, lane_splat(l, lane_int(l, 32, t.step)), "");
    for (uint32_t k = 0; k < a->leaves; k++) {
        struct lw_leaf leaf = lw_leaf_at(w, a->type, k);
        V first = lane_splat(l, lane_int(l, 32, (int64_t)(t.first + leaf.offset * 8 / t.bits)));
        V made = lw_lane_permute(l, table, LLVMBuildAdd(l->builder, index, first, ""));
        lw_define_leaf(w, a->access, k, lw_lane_from_bits(l, made, leaf.type));
    }
    return true;
}

/* SPDX-License-Identifier: MIT */
/* Accesses at constant distances from lane 0: a few whole vectors ("windows") and shuffles, where a gather or
 * scatter would touch memory once for every lane.
 *
 * A load may read between its elements, never past the first and last byte that is known to be accessed, and
 * no two of these are a page apart: so no page is touched that the lanes themselves do not touch. A store
 * writes under constant masks what the lanes write. Both serve full sub-groups; where lanes are missing, a
 * branch leads to gather and scatter.
 *
 * Enters: an address of lane 0 and constant distances in bytes. Leaves: the lanes' values, or nothing (NULL,
 * false) where gather and scatter are no worse.
 */
#include <stdlib.h>
#include <string.h>
#include "internal.h"
#include "window.h"

#define MOST_WINDOWS 16

struct windows {
    unsigned size;   /* bytes of an element */
    unsigned length; /* elements of a window */
    unsigned count;
    int64_t start[MOST_WINDOWS]; /* in elements from lane 0's */
    int64_t at[64];              /* of each lane */
    unsigned window[64];         /* of each lane */
    bool quads;                  /* records of 16 bytes, of which this is one element */
    int64_t origin;              /* of the first record, in elements from lane 0's */
    unsigned last;               /* elements of the last record that may be read */
};

static unsigned
native_elements(lw_lanes *l, unsigned size)
{
    return lw_isa_row(l->isa)->register_bits / 8 / size;
}

static int
compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* In whole elements, none further from the next than what surely lies in the page of one of the two. */
static bool
is_dense(lw_lanes *l, struct windows *w, const int64_t *offsets)
{
    int64_t sorted[64];

    for (unsigned i = 0; i < l->n; i++) {
        if (offsets[i] % (int64_t)w->size || offsets[i] > 1 << 20 || offsets[i] < -(1 << 20))
            return false;
        sorted[i] = w->at[i] = offsets[i] / (int64_t)w->size;
    }
    qsort(sorted, l->n, sizeof *sorted, compare);
    for (unsigned i = 1; i < l->n; i++)
        if ((sorted[i] - sorted[i - 1]) * (int64_t)w->size > LW_PAGE / 2)
            return false;
    return true;
}

static unsigned
window_at(struct windows *w, int64_t start)
{
    unsigned k = 0;

    while (k < w->count && w->start[k] != start)
        k++;
    if (k == w->count && k < MOST_WINDOWS)
        w->start[w->count++] = start;
    return k;
}

/* Windows that cover all lanes, on a grid from `first`, none ending past `end`. */
static bool
lay_windows(lw_lanes *l, struct windows *w, int64_t first, int64_t end, unsigned most)
{
    w->length = native_elements(l, w->size);
    if (w->length > 64)
        w->length = 64;
    while (w->length > (uint64_t)(end - first))
        w->length /= 2;
    if (!w->length)
        return false;
    for (unsigned i = 0; i < l->n; i++) {
        int64_t start = first + (w->at[i] - first) / w->length * w->length;
        if (start > end - w->length)
            start = end - w->length;
        w->window[i] = window_at(w, start);
        if (w->window[i] >= most)
            return false;
    }
    return true;
}

static void
own_extent(lw_lanes *l, const struct windows *w, int64_t *first, int64_t *end)
{
    *first = *end = w->at[0];
    for (unsigned i = 0; i < l->n; i++) {
        if (w->at[i] < *first)
            *first = w->at[i];
        if (w->at[i] >= *end)
            *end = w->at[i] + 1;
    }
}

static unsigned
least_align(unsigned align, unsigned size)
{
    return !align ? 1 : align < size ? align : size;
}

/* ---- loads ---- */

static bool
plan_load(lw_lanes *l, struct windows *w, const struct lw_window *at)
{
    int64_t first, end, low, high;
    unsigned most = l->isa >= LW_ISA_AVX512 && w->size >= 4 ? l->n / 4 : l->n / 2;

    if (!is_dense(l, w, at->offsets))
        return false;
    own_extent(l, w, &first, &end);
    low = at->low / (int64_t)w->size;
    high = at->high / (int64_t)w->size;
    bool known = at->low % (int64_t)w->size == 0 && at->high % (int64_t)w->size == 0 && low <= first &&
                 high >= end && first - low < 64 && high - end < 64;
    most = most > MOST_WINDOWS ? MOST_WINDOWS : most ? most : 1;
    return lay_windows(l, w, known ? low : first, known ? high : end, most);
}

/* Elements of records that other accesses read, too: these share the shuffles. */
static void
plan_quads(lw_lanes *l, struct windows *w, LLVMTypeRef memory, const struct lw_window *at)
{
    int64_t bytes = 16 * (int64_t)l->n;

    w->quads = lw_lane_has_quads(l, memory) && at->low <= 0 && at->low > -16 && at->low % 4 == 0 &&
               at->high - at->low > bytes - 16 + 4 && at->high - at->low <= bytes && at->high % 4 == 0;
    for (unsigned i = 0; i < l->n; i++)
        w->quads = w->quads && at->offsets[i] == 16 * (int64_t)i;
    w->origin = at->low / 4;
    w->last = (unsigned)((at->high - at->low) / 4) - 4 * (l->n - 1);
}

/* The last record, as far as it is known to be accessed. */
static V
load_last(lw_lanes *l, const struct windows *w, LLVMTypeRef type, V at, unsigned align)
{
    V bits[4];

    for (unsigned k = 0; k < 4; k++)
        bits[k] = lane_int(l, 1, k < w->last);
    return lw_lane_masked_load(l, type, at, LLVMConstVector(bits, 4), NULL, align);
}

static V
load_quads(lw_lanes *l, const struct windows *w, LLVMTypeRef memory, V pointer, unsigned align)
{
    LLVMTypeRef type = LLVMVectorType(memory, 4);
    V records[8] = {0}, rows[4];

    align = least_align(align, w->size);
    for (unsigned i = 0; i < l->n; i++) {
        V at = lw_lane_gep(l, memory, pointer, lane_int(l, 64, w->origin + 4 * (int64_t)i));
        bool part = i == l->n - 1 && w->last < 4;
        records[i] = part ? load_last(l, w, type, at, align) : LLVMBuildLoad2(l->builder, type, at, "");
        if (!part)
            LLVMSetAlignment(records[i], align);
        records[i] = LLVMBuildFreeze(l->builder, records[i], "");
    }
    for (unsigned k = 0; k < 4; k++) {
        V two[] = {records[k], records[l->n == 8 ? k + 4 : k]};
        rows[k] = l->n == 8 ? lw_lane_concat(l, two, 2) : two[0];
    }
    lw_lane_turn_quads(l, rows);
    return rows[-w->origin];
}

/* Lanes `first` .. first + count - 1 out of windows `j` and j + 1; NULL where none of them lies there. */
static V
pick(lw_lanes *l, const struct windows *w, V *vectors, unsigned j, unsigned first, unsigned count)
{
    V second = j + 1 < w->count ? vectors[j + 1] : NULL;
    bool some = false;
    int lanes[64];

    for (unsigned i = 0; i < count; i++) {
        unsigned k = w->window[first + i];
        bool mine = k == j || (second && k == j + 1);
        int64_t inside = w->at[first + i] - w->start[k];
        lanes[i] = mine ? (int)inside + (k == j ? 0 : (int)w->length) : -1;
        some |= mine;
    }
    return some ? lw_lane_shuffle_const(l, vectors[j], second, lanes, count) : NULL;
}

static V
collect(lw_lanes *l, const struct windows *w, V *vectors, unsigned first, unsigned count)
{
    V result = NULL;
    int lanes[64];

    for (unsigned j = 0; j < w->count; j += 2) {
        V two = pick(l, w, vectors, j, first, count);
        if (!two)
            continue;
        for (unsigned i = 0; i < count; i++) {
            unsigned k = w->window[first + i];
            lanes[i] = k < j ? (int)i : k < j + 2 ? (int)(i + count) : -1;
        }
        result = result ? lw_lane_shuffle_const(l, result, two, lanes, count) : two;
    }
    return result;
}

static V
load_windows(lw_lanes *l, const struct windows *w, LLVMTypeRef memory, V pointer, unsigned align)
{
    unsigned native = native_elements(l, w->size), chunk = l->n < native ? l->n : native;
    V vectors[MOST_WINDOWS], parts[64];

    if (w->quads)
        return load_quads(l, w, memory, pointer, align);
    for (unsigned k = 0; k < w->count; k++) {
        V at = lw_lane_gep(l, memory, pointer, lane_int(l, 64, w->start[k]));
        vectors[k] = LLVMBuildLoad2(l->builder, LLVMVectorType(memory, w->length), at, "");
        LLVMSetAlignment(vectors[k], least_align(align, w->size));
        vectors[k] = LLVMBuildFreeze(l->builder, vectors[k], ""); /* others may write what lies between */
    }
    for (unsigned c = 0; c < l->n / chunk; c++)
        parts[c] = collect(l, w, vectors, c * chunk, chunk);
    return lw_lane_concat(l, parts, l->n / chunk);
}

/* i1: all lanes are active, or one of them lies in the page in which all the windows lie. */
static V
is_readable(lw_lanes *l, const struct windows *w, LLVMTypeRef memory, V pointer, V mask)
{
    int64_t first = w->start[0], end = w->start[0];
    LLVMTypeRef i64 = lw_lane_int_type(l, 64);
    V all = lane_all(l, mask);

    for (unsigned k = 0; k < w->count; k++) {
        first = w->start[k] < first ? w->start[k] : first;
        end = w->start[k] + w->length > end ? w->start[k] + w->length : end;
    }
    int64_t bytes = (end - first) * w->size;
    if (bytes > LW_PAGE / 2)
        return all;
    V start = lw_lane_gep(l, memory, pointer, lane_int(l, 64, first));
    V offset = LLVMBuildPtrToInt(l->builder, start, i64, "");
    offset = LLVMBuildAnd(l->builder, offset, lane_int(l, 64, LW_PAGE - 1), "");
    V fits = LLVMBuildICmp(l->builder, LLVMIntULE, offset, lane_int(l, 64, LW_PAGE - bytes), "");
    return LLVMBuildOr(l->builder, all, LLVMBuildAnd(l->builder, lane_any(l, mask), fits, ""), "");
}

static V
pointers_of(lw_lanes *l, V pointer, const int64_t *offsets)
{
    V table = lane_offsets(l, lw_lane_int_type(l, 64), offsets);
    return LLVMBuildGEP2(l->builder, lw_lane_int_type(l, 8), lane_splat(l, pointer), &table, 1, "");
}

V
lw_lane_load_window(lw_lanes *l, LLVMTypeRef element, V pointer, const struct lw_window *at, V mask,
                    unsigned align)
{
    LLVMTypeRef memory = lw_lane_memory_type(l, element);
    struct windows w = {.size = lw_lane_bits(memory) / 8};

    if (!w.size || (w.size & (w.size - 1)) || !plan_load(l, &w, at))
        return NULL;
    plan_quads(l, &w, memory, at);
    if (lane_mask_is_all(mask))
        return lw_lane_from_memory(l, load_windows(l, &w, memory, pointer, align), element);
    struct lw_two_ways ways;
    lw_lane_fork(l, &ways, is_readable(l, &w, memory, pointer, mask), true, "window.load", "window.gather");
    V quick = lw_lane_from_memory(l, load_windows(l, &w, memory, pointer, align), element);
    lw_lane_other_way(l, &ways);
    V slow = lane_gather(l, element, pointers_of(l, pointer, at->offsets), mask, align);
    lw_lane_meet(l, &ways);
    return lw_lane_met(l, &ways, quick, slow);
}

/* ---- stores ---- */

/* Lanes at one place would need an order. */
static bool
are_distinct(lw_lanes *l, const struct windows *w)
{
    int64_t sorted[64];

    memcpy(sorted, w->at, l->n * sizeof *sorted);
    qsort(sorted, l->n, sizeof *sorted, compare);
    for (unsigned i = 1; i < l->n; i++)
        if (sorted[i] == sorted[i - 1])
            return false;
    return true;
}

/* The elements of window `k`, from all the registers that `vector` takes, and which of them are written:
 * `active` lanes, NULL: all. */
static V
spread(lw_lanes *l, const struct windows *w, V vector, unsigned k, V active, V *mask)
{
    V bits[64];
    int lanes[64], sources[64];

    for (unsigned j = 0; j < w->length; j++) {
        lanes[j] = -1;
        for (unsigned i = 0; i < l->n; i++)
            if (w->window[i] == k && w->at[i] - w->start[k] == (int64_t)j)
                lanes[j] = (int)i;
        bits[j] = lane_int(l, 1, lanes[j] >= 0);
        sources[j] = lanes[j] >= 0 ? lanes[j] : j ? (sources[j - 1] + 1) % (int)l->n : 0;
    }
    /* Not a shuffle with zeros: of 64 lanes LLVM 22 makes a shift that moves other lanes in behind them. */
    *mask = LLVMConstVector(bits, w->length);
    if (active)
        *mask =
            LLVMBuildAnd(l->builder, lw_lane_shuffle_const(l, active, NULL, sources, w->length), *mask, "");
    return lw_lane_shuffle_const(l, vector, NULL, lanes, w->length);
}

static void
store_windows(lw_lanes *l, const struct windows *w, V vector, V pointer, V active, unsigned align)
{
    LLVMTypeRef memory = lw_lane_element(vector);

    for (unsigned k = 0; k < w->count; k++) {
        V mask, value = spread(l, w, vector, k, active, &mask);
        V at = lw_lane_gep(l, memory, pointer, lane_int(l, 64, w->start[k]));
        lw_lane_masked_store(l, value, at, mask, least_align(align, w->size));
    }
}

bool
lw_lane_store_window(lw_lanes *l, V vector, V pointer, const int64_t *offsets, V mask, unsigned align)
{
    V value = lw_lane_to_memory(l, vector);
    struct windows w = {.size = lw_lane_bits(lw_lane_element(value)) / 8};
    int64_t first, end;

    /* Before AVX-512 masked stores are slow on some processors, and there are none of small elements. */
    if (l->isa < LW_ISA_AVX512 || !w.size || (w.size & (w.size - 1)) ||
        LLVMGetTypeKind(lw_lane_element(value)) == LLVMPointerTypeKind || !is_dense(l, &w, offsets) ||
        !are_distinct(l, &w))
        return false;
    own_extent(l, &w, &first, &end);
    if (!lay_windows(l, &w, first, end, l->n / 2 < MOST_WINDOWS ? l->n / 2 : MOST_WINDOWS))
        return false;
    if (lane_mask_is_all(mask) || w.count <= l->n / 8) {
        store_windows(l, &w, value, pointer, lane_mask_is_all(mask) ? NULL : mask, align);
        return true;
    }
    struct lw_two_ways ways;
    lw_lane_fork(l, &ways, lane_all(l, mask), true, "window.store", "window.scatter");
    store_windows(l, &w, value, pointer, NULL, align);
    lw_lane_other_way(l, &ways);
    lane_scatter(l, vector, pointers_of(l, pointer, offsets), mask, align);
    lw_lane_meet(l, &ways);
    return true;
}

/* SPDX-License-Identifier: MIT */
/* Loads and stores of one block that together make up a record of every lane, `a[16 * i + k]` for all k:
 * whole vectors moved and turned in registers, where each access alone would be a gather or scatter.
 *
 * Enters: a block about to be widened, its accesses in order.
 * Leaves: all loads of a record where the first stands, all stores where the last stands.
 * Relies on: forms/extent.c for what lies beside what. Never: moves an access past another that may be of the
 * same bytes, past a barrier, an atomic or an unknown call; loads what stores in front, which are put off,
 * bring.
 */
#include <stdlib.h>

#include "../facts/calls.h"
#include "../facts/memory_effects.h"
#include "../lanes/internal.h"
#include "../widen/widener.h"

#define MOST_RECORDS 8
#define MOST_FIELDS 16
#define LEAST_FIELDS 5 /* fewer are as well off with a few loads and shuffles each (lanes/window.c) */

struct record {
    bool store, open;
    LLVMTypeRef type;
    struct lw_place place; /* of the first access */
    const int64_t *offsets;
    int64_t stride, low, high; /* constants of the accesses: lowest, highest */
    unsigned fields, size, found, align;
    uint32_t first, last; /* accesses, of the block's values */
    LLVMValueRef access[MOST_FIELDS];
    int64_t at[MOST_FIELDS];    /* its constant */
    int64_t other[MOST_FIELDS]; /* constants of accesses that it may pass */
    unsigned others;
    V values[MOST_FIELDS]; /* by field */
};

struct lw_records {
    unsigned count;
    struct record record[MOST_RECORDS];
};

/* A load or store at hand. */
struct access {
    LLVMValueRef i, pointer;
    LLVMTypeRef type;
    uint32_t number; /* of the model's values */
    bool store, plain;
    bool strided; /* then: */
    struct lw_place place;
    struct lw_vinfo info;
};

static bool
read_access(lw_widener *w, LLVMValueRef i, struct access *a)
{
    *a = (struct access){.i = i, .store = !LLVMIsALoadInst(i), .pointer = lw_address_of(i)};
    if (!a->pointer)
        return false;
    a->plain = !lw_is_ordered_access(i);
    a->type = LLVMTypeOf(lw_moved_by(i));
    a->info = lw_info(w, a->pointer);
    a->strided = a->plain && a->info.form == LW_STRIDED && a->info.linear && a->info.stride > 0 &&
                 !lw_lane_minor_behind(w, a->pointer) && lw_find_place(w, a->pointer, &a->place);
    return true;
}

static int64_t
constant_in(const struct record *r, const struct access *a)
{
    return (int64_t)((uint64_t)a->place.constant - (uint64_t)r->place.constant);
}

/* Beside the record's accesses, and so near that it meets those of other lanes nowhere but at its own field.
 */
static bool
lies_in(const struct record *r, const struct access *a)
{
    if (!a->strided || a->type != r->type || a->info.offsets != r->offsets ||
        !lw_places_match(&r->place, &a->place))
        return false;
    int64_t at = constant_in(r, a), low = at < r->low ? at : r->low, high = at > r->high ? at : r->high;
    return high - low <= r->stride - (int64_t)r->size && (at - r->low) % (int64_t)r->size == 0;
}

/* What an access does to the open records that it is no part of. */
static void
pass_by(lw_widener *w, struct record *r, const struct access *a)
{
    if (!r->open || (!r->store && !a->store) ||
        lw_never_meet(w->shape, LLVMGetOperand(r->access[0], r->store), a->pointer))
        return;
    r->open = lies_in(r, a) && !lw_is_among(r->at, r->found, constant_in(r, a)) && r->others < MOST_FIELDS;
    if (!r->open)
        return;
    int64_t at = constant_in(r, a);
    r->other[r->others++] = at;
    r->low = at < r->low ? at : r->low;
    r->high = at > r->high ? at : r->high;
}

/* A load's record may pass stores to fields that were read already. */
static void
pass_store_by(lw_widener *w, struct record *r, const struct access *a)
{
    if (r->open && !r->store && lies_in(r, a) && lw_is_among(r->at, r->found, constant_in(r, a)))
        return;
    pass_by(w, r, a);
}

static bool
join(struct record *r, const struct access *a)
{
    if (!r->open || r->store != a->store || !lies_in(r, a))
        return false;
    int64_t at = constant_in(r, a);
    unsigned align = LLVMGetAlignment(a->i);
    if (lw_is_among(r->at, r->found, at) || (!r->store && lw_is_among(r->other, r->others, at)))
        return false;
    r->low = at < r->low ? at : r->low;
    r->high = at > r->high ? at : r->high;
    r->align = align < r->align ? align : r->align;
    r->access[r->found] = a->i;
    r->at[r->found++] = at;
    r->last = a->number;
    if (r->found == r->fields)
        r->open = false;
    return true;
}

static void
begin(lw_widener *w, const struct access *a)
{
    struct lw_records *all = w->forms[LW_FORM_RECORDS];
    LLVMTypeKind kind = LLVMGetTypeKind(a->type);
    unsigned bits = lw_lane_bits(a->type), size = bits / 8;
    int64_t most = 4 * (int64_t)lw_isa_row(w->l.isa)->register_bits;

    if (!a->strided || all->count == MOST_RECORDS || kind == LLVMPointerTypeKind || bits < 8 || bits % 8 ||
        a->info.stride % size || a->info.stride / size < LEAST_FIELDS ||
        a->info.stride / size > MOST_FIELDS || a->info.stride * (int64_t)w->l.n > most)
        return;
    struct record *r = &all->record[all->count++];
    *r = (struct record){.store = a->store, .open = true, .type = a->type, .place = a->place};
    r->offsets = a->info.offsets;
    r->stride = a->info.stride;
    r->size = size;
    r->fields = (unsigned)(a->info.stride / size);
    r->found = 1;
    r->access[0] = a->i;
    r->first = r->last = a->number;
    r->align = LLVMGetAlignment(a->i);
}

static void
see(lw_widener *w, const struct access *a)
{
    struct lw_records *all = w->forms[LW_FORM_RECORDS];
    struct record *mine = NULL;

    for (unsigned k = 0; k < all->count && !mine; k++)
        if (join(&all->record[k], a))
            mine = &all->record[k];
    for (unsigned k = 0; k < all->count; k++)
        if (&all->record[k] != mine)
            (a->store ? pass_store_by : pass_by)(w, &all->record[k], a);
    if (!mine)
        begin(w, a);
}

static void
close_all(struct lw_records *all)
{
    for (unsigned k = 0; k < all->count; k++)
        all->record[k].open = false;
}

/* Of loads some may be missing between the first byte and the last that lanes touch: those bytes lie in the
 * same pages. */
static bool
is_whole(const struct record *r)
{
    if (r->store)
        return r->found == r->fields;
    return r->high - r->low == r->stride - (int64_t)r->size && 2 * r->found > r->fields;
}

/* Is this of a store in front of `number` that waits for one behind it, and may it be of the same bytes? */
static bool
is_put_off_over(lw_widener *w, const struct record *r, uint32_t number, LLVMValueRef pointer)
{
    return r->store && r->first < number && number < r->last &&
           !lw_never_meet(w->shape, LLVMGetOperand(r->access[0], 1), pointer);
}

/* Those that are whole; of loads none that begins while a store is put off: it would draw loads from behind
 * the last of its stores before that. */
static void
keep_whole(lw_widener *w)
{
    struct lw_records *all = w->forms[LW_FORM_RECORDS];
    unsigned whole = 0, kept = 0;

    for (unsigned n = 0; n < all->count; n++)
        if (is_whole(&all->record[n]))
            all->record[whole++] = all->record[n];
    all->count = whole;
    for (unsigned n = 0; n < whole; n++)
        if (all->record[n].store || !lw_record_is_put_off(w, all->record[n].access[0]))
            all->record[kept++] = all->record[n];
    all->count = kept;
}

void
lw_find_records(lw_widener *w, uint32_t block)
{
    const struct lw_vblock *k = &w->m->blocks[block];

    struct lw_records *all = lw_form_state(w, LW_FORM_RECORDS, sizeof *all);
    if (!lw_has_form(w, LW_FORM_RECORDS))
        return;
    all->count = 0;
    for (uint32_t n = k->first_value; n < k->value_end; n++) {
        LLVMValueRef i = w->m->values[n];
        LLVMOpcode op = LLVMGetInstructionOpcode(i);
        struct access a;
        bool plain = read_access(w, i, &a) && a.plain;
        a.number = n;
        if (plain)
            see(w, &a);
        else if (op == LLVMLoad || op == LLVMStore || op == LLVMAtomicRMW || op == LLVMAtomicCmpXchg ||
                 op == LLVMFence || (op == LLVMCall && !lw_is_pure_call(i)))
            close_all(all);
    }
    keep_whole(w);
}

bool
lw_record_is_put_off(lw_widener *w, LLVMValueRef load)
{
    uint32_t number = lw_value_id(w->m, load);
    const struct lw_records *all = w->forms[LW_FORM_RECORDS];

    for (unsigned n = 0; all && n < all->count; n++)
        if (is_put_off_over(w, &all->record[n], number, LLVMGetOperand(load, 0)))
            return true;
    return false;
}

/* The record's first byte in lane 0, from the address of its access `k`. */
static V
record_pointer(lw_widener *w, const struct record *r, unsigned k)
{
    V pointer = lw_use_scalar(w, LLVMGetOperand(r->access[k], r->store));

    return lw_lane_gep(&w->l, lw_lane_int_type(&w->l, 8), pointer, lane_int(&w->l, 64, r->low - r->at[k]));
}

static void
widen_one(lw_widener *w, struct record *r, unsigned k)
{
    unsigned field = (unsigned)((r->at[k] - r->low) / (int64_t)r->size);

    if (r->store) {
        r->values[field] = lw_use_vector(w, LLVMGetOperand(r->access[k], 0), 0);
        if (k + 1 == r->fields)
            lane_store_interleaved(&w->l, r->type, r->fields, r->values, record_pointer(w, r, k), w->mask,
                                   r->align);
    } else {
        if (k == 0)
            lane_load_interleaved(&w->l, r->type, r->fields, record_pointer(w, r, k), w->mask, r->align,
                                  r->values);
        lw_define_leaf(w, r->access[k], 0, r->values[field]);
    }
    lw_report_note(w->report, r->access[k], "memory", "%s: one of a record's %u, wide + shuffles%s",
                   r->store ? "store" : "load", r->fields, w->may_be_empty ? ", masked" : "");
}

bool
lw_is_in_record(lw_widener *w, LLVMValueRef access)
{
    const struct lw_records *all = w->forms[LW_FORM_RECORDS];

    for (unsigned n = 0; all && n < all->count; n++)
        for (unsigned k = 0; k < all->record[n].found; k++)
            if (all->record[n].access[k] == access)
                return true;
    return false;
}

bool
lw_widen_record(lw_widener *w, struct lw_access *a)
{
    struct lw_records *all = w->forms[LW_FORM_RECORDS];

    for (unsigned n = 0; all && n < all->count; n++) {
        struct record *r = &all->record[n];
        for (unsigned k = 0; k < r->found; k++) {
            if (r->access[k] == a->access) {
                widen_one(w, r, k);
                return true;
            }
        }
    }
    return false;
}

/* SPDX-License-Identifier: MIT */
/* Loads and stores of one block at constant distances from one address of each lane's own, as the members of
 * `points[index[i]]` or three elements from where a lane stands: moved together, whole vectors of each lane,
 * turned in registers (lanes/vectors.c), where each alone would be a gather or a scatter.
 *
 * Enters: a load about to be gathered, a store about to be scattered. Leaves: all loads of the cluster where
 * its first one stands, all stores where its last one stands; or nothing. Legal where nothing between them
 * touches the same bytes in the same work-item: other work-items may not touch them before they have met. Of
 * loads some may be missing: what lies between the first byte and the last that a lane touches lies in the
 * same pages. Of stores none may. What is loaded early may not be what a store in front of it that waits for
 * its last one brings. Never: passes a barrier, an atomic or an unknown call.
 */
#include <stdlib.h>
#include <string.h>

#include "../facts/calls.h"
#include "../facts/memory_effects.h"
#include "../lanes/internal.h"
#include "lane_terms.h"

#define MOST_FIELDS 16
#define MOST_BYTES 64
#define MOST_SMALL 16 /* bytes, of elements of 8 and 16 bits */
#define NEAR 400      /* instructions from the first access to the last */

struct cluster {
    LLVMTypeRef type;
    struct lw_place place; /* of the access that began it */
    int64_t low, high;     /* constants of the accesses, from that one: lowest, highest */
    int64_t size;
    unsigned found, align; /* align: of the one that began it */
    LLVMValueRef access[MOST_FIELDS];
    int64_t at[MOST_FIELDS];
    int64_t passed[MOST_FIELDS]; /* fields that others touch in between */
    unsigned passed_count;
};

/* What is written of the clusters of the block at hand. */
struct lw_clusters {
    uint32_t turn; /* of the block, see lw_widener */
    unsigned loads, stores;
    struct {
        LLVMValueRef load;
        V value;
    } loaded[4 * MOST_FIELDS];
    LLVMValueRef put_off[MOST_FIELDS]; /* stores, the last one is written for all */
    struct cluster stored;
};

static int64_t
constant_in(const struct cluster *c, const struct lw_place *place)
{
    return (int64_t)((uint64_t)place->constant - (uint64_t)c->place.constant);
}

/* A field of the cluster, or one that may join it. */
static bool
lies_in(const struct cluster *c, LLVMTypeRef type, int64_t at)
{
    int64_t low = at < c->low ? at : c->low, high = at > c->high ? at : c->high;

    return type == c->type && at % c->size == 0 &&
           high - low + c->size <= (c->size < 4 ? MOST_SMALL : MOST_BYTES) &&
           (high - low) / c->size < MOST_FIELDS;
}

static bool
begin(lw_widener *w, LLVMValueRef i, LLVMValueRef pointer, LLVMTypeRef type, struct cluster *c)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    bool scalar = kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind || kind == LLVMIntegerTypeKind;
    unsigned bits = scalar ? lw_lane_bits(type) : 0;

    bool whole = bits == 8 || bits == 16 || bits == 32 || bits == 64;

    if (!whole || LLVMGetVolatile(i) || LLVMGetAlignment(i) < bits / 8)
        return false;
    *c = (struct cluster){.type = type, .size = bits / 8, .align = LLVMGetAlignment(i)};
    if (!lw_find_place(w, pointer, &c->place))
        return false;
    c->access[c->found++] = i;
    return true;
}

/* false: nothing behind this instruction may join. */
static bool
pass_by(lw_widener *w, struct cluster *c, LLVMValueRef i, bool stores)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    bool load = op == LLVMLoad, store = op == LLVMStore;

    if (op == LLVMCall)
        return lw_is_pure_call(i);
    if (!load && !store)
        return op != LLVMAtomicRMW && op != LLVMAtomicCmpXchg && op != LLVMFence;
    if (lw_is_ordered_access(i))
        return false;
    LLVMValueRef pointer = lw_address_of(i);
    LLVMTypeRef type = LLVMTypeOf(lw_moved_by(i));
    struct lw_place place;
    bool beside = lw_find_place(w, pointer, &place) && lw_places_match(&c->place, &place);
    int64_t at = beside ? constant_in(c, &place) : 0;
    if (beside && store == stores && lies_in(c, type, at) && !lw_is_among(c->at, c->found, at) &&
        !lw_is_among(c->passed, c->passed_count, at) && LLVMGetAlignment(i) >= c->size) {
        c->at[c->found] = at;
        c->access[c->found++] = i;
        c->low = at < c->low ? at : c->low;
        c->high = at > c->high ? at : c->high;
        return c->found < MOST_FIELDS;
    }
    if ((load && !stores) || lw_never_meet(w->shape, LLVMGetOperand(c->access[0], stores), pointer))
        return true;
    if (load && lw_is_in_record(w, i)) /* with loads from further on */
        return false;
    /* A store to a field that is loaded already, a field of its own that nobody may join any more. */
    if (!beside || !lies_in(c, type, at) || c->passed_count == MOST_FIELDS)
        return false;
    if (lw_is_among(c->at, c->found, at))
        return !stores && store;
    c->passed[c->passed_count++] = at;
    return true;
}

static void
find(lw_widener *w, struct cluster *c, bool stores)
{
    LLVMValueRef i = LLVMGetNextInstruction(c->access[0]);

    for (unsigned steps = 0; i && steps < NEAR && pass_by(w, c, i, stores); steps++)
        i = LLVMGetNextInstruction(i);
}

static unsigned
field_count(const struct cluster *c)
{
    return (unsigned)((c->high - c->low) / c->size) + 1;
}

/* So far apart, in bytes, that whole vectors and shuffles of them (lanes/window.c) are no better: loads of
 * less than 16 bytes, and of two doubles, would be gathered. */
static int64_t
distance_apart(const lw_widener *w, int64_t size, int64_t bytes, bool stores)
{
    bool gathered = !stores && lw_isa_row(w->l.isa)->gather_bits != UINT_MAX;
    return gathered && (bytes < 16 || (bytes == 16 && size == 8)) ? 17 : bytes;
}

/* Nor do lanes whose clusters overlap, nor small elements at any stride. */
static bool
lie_apart(lw_widener *w, LLVMValueRef pointer, int64_t size, int64_t bytes, bool stores)
{
    struct lw_vinfo info = lw_info(w, pointer);
    int64_t least = distance_apart(w, size, bytes, stores);

    if (info.form == LW_STRIDED && size < 4)
        return false;
    for (unsigned i = 0; info.form == LW_STRIDED && i < w->l.n; i++)
        for (unsigned k = 0; k < i; k++)
            if (llabs(info.offsets[i] - info.offsets[k]) < least)
                return false;
    return info.form != LW_UNIFORM;
}

/* Is it more than its accesses? Pieces of 16 bytes, three of 32 bits, pairs of them as one of 64, or small
 * elements as fewer of 32. */
static bool
pays(lw_widener *w, const struct cluster *c, LLVMValueRef pointer, bool stores)
{
    unsigned fields = field_count(c), bytes = fields * (unsigned)c->size;
    bool whole = c->found == fields, pieces = bytes >= 12 && w->l.n >= 16 / c->size;

    if (!whole && (stores || 2 * c->found <= fields))
        return false;
    if (c->size < 4 ? (stores ? bytes != 4 : (bytes + 3) / 4 >= c->found)
                    : !pieces && (c->size != 4 || fields != 2))
        return false;
    return c->found > 1 && lie_apart(w, pointer, c->size, bytes, stores);
}

/* Of the lowest field. */
static unsigned
align_of(const struct cluster *c)
{
    return lw_align_at(c->align, (uint64_t)c->low);
}

static struct lw_lane_places
places_of(lw_widener *w, const struct cluster *c, LLVMValueRef pointer)
{
    struct lw_vinfo info = lw_info(w, pointer);
    LLVMTypeRef byte = lw_lane_int_type(&w->l, 8);
    V low = lane_int(&w->l, 64, c->low);
    struct lw_lane_places p = {
        .pointers = lw_lane_gep(&w->l, byte, lw_use_vector(w, pointer, 0), lane_splat(&w->l, low))};

    if (info.form == LW_STRIDED) {
        p.base = lw_lane_gep(&w->l, byte, lw_use_scalar(w, pointer), low);
        p.offsets = info.offsets;
    }
    return p;
}

/* Lanes that are likely near each other find what one gather would bring in registers, one by one. */
static bool
is_dearer_than_near(lw_widener *w, const struct cluster *c, const struct lw_access *a)
{
    unsigned words = (field_count(c) * (unsigned)c->size + 3) / 4;
    return words <= 2 && c->found * lw_near_cost(w, a) < lw_gather_cost(w, 32 * words, 1) + c->found;
}

static struct lw_clusters *
clusters_of_block(lw_widener *w)
{
    struct lw_clusters *all = lw_form_state(w, LW_FORM_CLUSTERS, sizeof *all);
    if (all->turn != w->turn) {
        all->turn = w->turn;
        all->loads = all->stores = 0;
    }
    return all;
}

bool
lw_take_clustered(lw_widener *w, struct lw_access *a)
{
    LLVMValueRef load = a->access;
    struct lw_clusters *all = clusters_of_block(w);

    for (unsigned k = 0; all && k < all->loads; k++) {
        if (all->loaded[k].load == load) {
            lw_define_leaf(w, load, 0, all->loaded[k].value);
            return true;
        }
    }
    return false;
}

/* Are stores put off that one of the loads may read from? They stand in front of all of these. */
static bool
waits_for_stores(lw_widener *w, const struct lw_clusters *all, const struct cluster *c, LLVMValueRef pointer)
{
    const struct cluster *s = &all->stored;

    if (lw_record_is_put_off(w, c->access[0]))
        return true;
    if (!all->stores || lw_never_meet(w->shape, LLVMGetOperand(s->access[0], 1), pointer))
        return false;
    bool fields = s->type == c->type && lw_places_match(&s->place, &c->place);
    int64_t apart = constant_in(s, &c->place);
    for (unsigned k = 0; fields && k < c->found; k++)
        fields = (apart + c->at[k]) % s->size == 0 && !lw_is_among(s->at, s->found, apart + c->at[k]);
    return !fields;
}

bool
lw_load_cluster(lw_widener *w, struct lw_access *a)
{
    LLVMValueRef load = a->access, pointer = a->pointer;
    struct lw_clusters *all = clusters_of_block(w);
    struct cluster c;
    V made[MOST_FIELDS];

    if (!all || !begin(w, load, pointer, LLVMTypeOf(load), &c))
        return false;
    find(w, &c, false);
    if (!pays(w, &c, pointer, false) || is_dearer_than_near(w, &c, a) ||
        all->loads + c.found > sizeof all->loaded / sizeof *all->loaded ||
        waits_for_stores(w, all, &c, pointer))
        return false;
    struct lw_lane_places places = places_of(w, &c, pointer);
    lane_gather_vectors(&w->l, c.type, field_count(&c), &places, w->mask, align_of(&c), made);
    for (unsigned k = 0; k < c.found; k++) {
        all->loaded[all->loads].load = c.access[k];
        all->loaded[all->loads++].value = made[(c.at[k] - c.low) / c.size];
    }
    return lw_take_clustered(w, a);
}

/* Do the lanes' clusters lie side by side, in the lanes' order? */
static bool
tile_memory(lw_widener *w, const struct cluster *c, const struct lw_lane_places *places)
{
    for (unsigned k = 0; places->offsets && k < w->l.n; k++)
        if (places->offsets[k] != k * field_count(c) * c->size)
            return false;
    return places->offsets;
}

static void
store_all(lw_widener *w, const struct cluster *c)
{
    V values[MOST_FIELDS];

    for (unsigned k = 0; k < c->found; k++)
        values[(c->at[k] - c->low) / c->size] = lw_use_vector(w, LLVMGetOperand(c->access[k], 0), 0);
    struct lw_lane_places places = places_of(w, c, LLVMGetOperand(c->access[0], 1));
    if (tile_memory(w, c, &places))
        lane_store_interleaved(&w->l, c->type, field_count(c), values, places.base, w->mask, align_of(c));
    else
        lane_scatter_vectors(&w->l, values, field_count(c), &places, w->mask, align_of(c));
}

bool
lw_put_off_clustered(lw_widener *w, struct lw_access *a)
{
    LLVMValueRef store = a->access;
    struct lw_clusters *all = clusters_of_block(w);

    for (unsigned k = 0; all && k < all->stores; k++) {
        if (all->put_off[k] == store) {
            if (k + 1 == all->stores) {
                store_all(w, &all->stored);
                all->stores = 0;
            }
            return true;
        }
    }
    return false;
}

bool
lw_store_cluster(lw_widener *w, struct lw_access *a)
{
    LLVMValueRef store = a->access, pointer = a->pointer;
    struct lw_clusters *all = clusters_of_block(w);
    struct cluster c;

    if (!all || !begin(w, store, pointer, LLVMTypeOf(LLVMGetOperand(store, 0)), &c))
        return false;
    find(w, &c, true);
    /* One at a time: the stores of another one may stand between. */
    if (all->stores || !pays(w, &c, pointer, true))
        return false;
    all->stored = c;
    all->stores = c.found;
    memcpy(all->put_off, c.access, c.found * sizeof *c.access);
    return true;
}

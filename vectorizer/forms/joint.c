/* SPDX-License-Identifier: MIT */
/* Stores to the members of one record per lane, one store for each: out[3 * i], out[3 * i + 1], out[3 * i +
 * 2].
 *
 * Enters: the first of such stores of a block. Leaves: nothing where it stands; whole vectors, shuffled
 * together, where the last of them stands, if all together fill the records without a gap, and these lie side
 * by side in any order of the lanes. Relies on: nothing between them touching memory, so that none can see
 * that they wait. Never: writes a byte that the lanes do not write.
 */
#include "../facts/memory_effects.h"
#include "../lanes/internal.h"
#include "../widen/widener.h"

enum { MOST_STEPS = 200 }; /* instructions from the first to the last */
#define FIELDS 16

struct field {
    LLVMValueRef store;
    uint32_t leaf; /* of the stored value */
    int64_t at;    /* bytes behind the first store's address */
};

/* Stores that wait for the last of them. */
struct joint {
    struct field field[FIELDS]; /* in the order of memory */
    unsigned fields, stores;                      /* fields: 0: none wait */
    LLVMTypeRef type;
    LLVMValueRef last;
    int64_t low, record; /* the lowest lane's offset; bytes of a record */
    int lanes[64];       /* by record, in the order of memory: its lane */
    bool in_order;
};

/* The lane of each record, in the order of memory; false: the lanes' records do not lie side by side. */
static bool
order_records(lw_widener *w, const int64_t *offsets, struct joint *j)
{
    int64_t high = 0;
    uint64_t taken = 0;

    j->low = 0;
    for (unsigned lane = 0; lane < w->l.n; lane++) {
        j->low = offsets[lane] < j->low ? offsets[lane] : j->low;
        high = offsets[lane] > high ? offsets[lane] : high;
    }
    int64_t span = (int64_t)((uint64_t)high - (uint64_t)j->low);
    if (span <= 0 || span % (w->l.n - 1))
        return false;
    j->record = span / (w->l.n - 1);
    j->in_order = true;
    for (unsigned lane = 0; lane < w->l.n; lane++) {
        int64_t from = offsets[lane] - j->low, number = from / j->record;
        if (from % j->record || taken >> number & 1)
            return false;
        taken |= UINT64_C(1) << number;
        j->lanes[number] = (int)lane;
        j->in_order &= number == lane;
    }
    return true;
}

/* Puts the leaves of a store into the record; `apart`: bytes behind the first store. */
static bool
add_store(lw_widener *w, struct joint *j, LLVMValueRef store, int64_t apart)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(store, 0));
    uint32_t leaves = lw_leaf_count(w, type);

    for (uint32_t k = 0; k < leaves; k++) {
        struct lw_leaf leaf = lw_leaf_at(w, type, k);
        if (j->fields == FIELDS || leaf.type != j->type)
            return false;
        j->field[j->fields++] = (struct field){store, k, apart + (int64_t)leaf.offset};
    }
    j->last = store;
    j->stores++;
    return true;
}

static void
sort_fields(struct joint *j)
{
    for (unsigned k = 1; k < j->fields; k++)
        for (unsigned i = k; i > 0 && j->field[i - 1].at > j->field[i].at; i--) {
            struct field swapped = j->field[i];
            j->field[i] = j->field[i - 1];
            j->field[i - 1] = swapped;
        }
}

/* Is `b` a plain store as `a` is, and the same number of bytes behind it in every lane? */
static bool
lies_beside(lw_widener *w, LLVMValueRef a, LLVMValueRef b, int64_t *apart)
{
    if (!lw_is_plain_store(a) || !lw_is_plain_store(b))
        return false;
    LLVMValueRef at[] = {LLVMGetOperand(a, 1), LLVMGetOperand(b, 1)};
    struct lw_vinfo info[] = {lw_info(w, at[0]), lw_info(w, at[1])};
    return info[0].form == LW_STRIDED && info[1].form == LW_STRIDED && info[0].offsets == info[1].offsets &&
           lw_is_beside(w, at[0], at[1], apart);
}

static bool
find_stores(lw_widener *w, LLVMValueRef first, struct joint *j)
{
    struct lw_vinfo info = lw_info(w, LLVMGetOperand(first, 1));
    unsigned steps = 0;
    int64_t apart;

    *j = (struct joint){0};
    if (info.form != LW_STRIDED || w->l.n > LW_MAX_LANES || LLVMGetVolatile(first) ||
        !order_records(w, info.offsets, j))
        return false;
    j->type = lw_leaf_at(w, LLVMTypeOf(LLVMGetOperand(first, 0)), 0).type;
    if (!add_store(w, j, first, 0))
        return false;
    for (LLVMValueRef i = LLVMGetNextInstruction(first); i && steps < MOST_STEPS;
         i = LLVMGetNextInstruction(i), steps++) {
        if (lies_beside(w, first, i, &apart)) {
            if (apart <= -j->record || apart >= j->record || lw_is_in_record(w, i) ||
                !add_store(w, j, i, apart))
                return false;
        } else if (!lw_only_computes(i)) {
            break;
        }
    }
    int64_t size = (int64_t)lw_leaf_at(w, LLVMTypeOf(LLVMGetOperand(first, 0)), 0).size;
    sort_fields(j);
    for (unsigned k = 1; k < j->fields; k++)
        if (j->field[k].at != j->field[0].at + size * k)
            return false;
    return j->stores > 1 && size * j->fields == j->record;
}

static void
write_records(lw_widener *w, struct joint *j)
{
    struct field first = j->field[0];
    V values[FIELDS];

    for (unsigned k = 0; k < j->fields; k++) {
        values[k] = lw_use_vector(w, LLVMGetOperand(j->field[k].store, 0), j->field[k].leaf);
        if (!j->in_order)
            values[k] = lw_lane_shuffle_const(&w->l, values[k], NULL, j->lanes, w->l.n);
    }
    /* The leaf of the lowest address is its store's first. */
    V base = lw_use_scalar(w, LLVMGetOperand(first.store, 1)), offset = lane_int(&w->l, 64, j->low);
    if (j->low)
        base = LLVMBuildGEP2(w->l.builder, LLVMInt8TypeInContext(w->l.context), base, &offset, 1, "");
    lane_store_interleaved(&w->l, j->type, j->fields, values, base, w->mask, LLVMGetAlignment(first.store));
}

bool
lw_store_joint(lw_widener *w, struct lw_access *a)
{
    struct joint *j = lw_form_state(w, LW_FORM_JOINT, sizeof *j);
    LLVMValueRef store = a->access;

    for (unsigned k = 0; k < j->fields; k++) {
        if (j->field[k].store != store)
            continue;
        if (store == j->last) {
            write_records(w, j);
            j->fields = 0;
        }
        return true;
    }
    struct joint found;
    if (!j || !find_stores(w, store, &found) || (!found.in_order && !lane_mask_is_all(w->mask)))
        return false;
    *j = found;
    return true;
}

/* SPDX-License-Identifier: MIT */
/* Private arrays of few elements, indexed by what varies: an element of each lane's own is chosen among all
 * rows, and stored in all rows, each of which keeps what other lanes have there. The array has no address
 * then and sroa keeps it in registers. Without that, elements below 32 bits are read and written lane after
 * lane, and what was just scattered is gathered again.
 *
 * Enters: a lane-minor array (private_arrays.h). Leaves: `few` where every access of it can be written so, or
 * the accesses written. Relies on: an index outside of the array is undefined behaviour; what is read there
 * is an element of the array, and what is written is lost. Never: arrays that pointers of phis and selects
 * lead into.
 */
#include "../facts/flags.h"
#include "../facts/gep.h"
#include "../facts/memory_effects.h"
#include "../widen/widener.h"

enum {
    MOST_ROWS = 16, /* of elements that have neither gathers nor scatters */
    MOST_WIDE = 8,  /* of others, where blends are single instructions */
    MOST_POINTERS = 256,
    MOST_WRITTEN = 4096, /* rows touched, by all accesses */
    MOST_BETWEEN = 32    /* instructions from the load of an update to its store */
};

/* Where an access may be: row `first`, `first` + `step`, ...: the term is `low`, `low` + 1, ... there. */
struct rows {
    LLVMValueRef term;
    LLVMOpcode extension;
    int64_t low;
    uint64_t first, step; /* bytes of one lane's object */
    unsigned count;
};

static bool
is_available(lw_widener *w, LLVMValueRef access, LLVMValueRef v)
{
    uint32_t id = lw_value_id(w->m, v);
    return id == LW_NONE || id < w->m->param_count || w->escapes[id] ||
           LLVMGetInstructionParent(v) == LLVMGetInstructionParent(access);
}

/* The rows of leaf `leaf` of the access, if its address is base + constant + step * term. */
static bool
find_rows(lw_widener *w, const struct lw_private *p, LLVMValueRef access, uint32_t leaf, struct rows *r)
{
    LLVMValueRef pointer = LLVMGetOperand(access, LLVMIsAStoreInst(access) ? 1 : 0);
    int64_t granule = p->granule, size = (int64_t)p->size;
    struct lw_place place;

    if (!lw_find_place(w, pointer, &place) || place.terms != 1 || !LLVMIsAAllocaInst(place.root))
        return false;
    int64_t step = place.scale[0], at = place.constant;
    if (step <= 0 || step > size || step % granule || at < -size || at > size || at % granule ||
        !is_available(w, access, place.term[0]))
        return false;
    at += (int64_t)lw_leaf_at(w, LLVMTypeOf(lw_moved_by(access)), leaf).offset;
    int64_t low = at > 0 ? -(at / step) : (-at + step - 1) / step, first = at + low * step;
    if (first < 0 || first + granule > size)
        return false;
    *r = (struct rows){place.term[0],   place.extension[0], low,
                       (uint64_t)first, (uint64_t)step,     (unsigned)((size - granule - first) / step + 1)};
    return true;
}

/* Adds the rows that an access at a varying index touches; false: it cannot be written so. */
static bool
see_access(lw_widener *w, const struct lw_private *p, LLVMValueRef access, uint64_t *written)
{
    uint32_t leaves = lw_leaf_count(w, LLVMTypeOf(lw_moved_by(access)));
    struct rows r;

    for (uint32_t k = 0; k < leaves && *written <= MOST_WRITTEN; k++) {
        if (!find_rows(w, p, access, k, &r))
            return false;
        *written += r.count;
    }
    return *written <= MOST_WRITTEN;
}

static unsigned
most_rows(lw_widener *w, const struct lw_private *p)
{
    if (p->granule >= 4)
        return lw_isa_row(w->l.isa)->mask_registers ? MOST_WIDE : 0;
    return lw_isa_row(w->l.isa)->mask_registers || w->l.n > MOST_ROWS ? MOST_ROWS : w->l.n;
}

bool
lw_has_few_rows(lw_widener *w, LLVMValueRef alloca, const struct lw_private *p)
{
    LLVMValueRef pointers[MOST_POINTERS] = {alloca};
    unsigned count = 1;
    uint64_t written = 0;

    if (!lw_has_form(w, LW_FORM_FEW) || p->size / p->granule > most_rows(w, p) || p->size % p->granule)
        return false;
    for (unsigned k = 0; k < count; k++) {
        for (LLVMUseRef u = LLVMGetFirstUse(pointers[k]); u; u = LLVMGetNextUse(u)) {
            LLVMValueRef user = LLVMGetUser(u);
            if (LLVMIsAGetElementPtrInst(user) && count < MOST_POINTERS) {
                pointers[count++] = user;
                continue;
            }
            if (!LLVMIsALoadInst(user) && !LLVMIsAStoreInst(user))
                return false;
            if (lw_is_varying(w, pointers[k]) && !see_access(w, p, user, &written))
                return false;
        }
    }
    return written > 0;
}

/* Which of the rows each lane means, from 0, as wide as the elements: all bits that tell a row from another
 * are there, whatever wrapped above. */
static V
row_numbers(lw_widener *w, const struct lw_private *p, const struct rows *r)
{
    LLVMTypeRef type = LLVMIntTypeInContext(w->l.context, p->granule * 8);
    V number = lw_use_vector(w, r->term, 0);
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(r->term));

    if (bits > p->granule * 8)
        number = LLVMBuildTrunc(w->l.builder, number, lane_type(&w->l, type), "");
    else if (bits < p->granule * 8)
        number = LLVMBuildCast(w->l.builder, r->extension == LLVMSExt ? LLVMSExt : LLVMZExt, number,
                               lane_type(&w->l, type), "");
    if (!r->low)
        return number;
    return LLVMBuildSub(w->l.builder, number, lane_splat(&w->l, lane_int(&w->l, p->granule * 8, r->low)), "");
}

static V
row_address(lw_widener *w, LLVMValueRef alloca, const struct rows *r, unsigned k)
{
    V offset = lane_int(&w->l, 64, (int64_t)((r->first + k * r->step) * w->l.n));
    return LLVMBuildGEP2(w->l.builder, LLVMInt8TypeInContext(w->l.context), lw_use_scalar(w, alloca), &offset,
                         1, "");
}

static V
row_is(lw_widener *w, V numbers, LLVMIntPredicate predicate, unsigned value)
{
    unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(numbers)));
    return LLVMBuildICmp(w->l.builder, predicate, numbers, lane_splat(&w->l, lane_int(&w->l, bits, value)),
                         "");
}

/* Halves the rows by one bit of the number after the other. */
V
lw_load_few(lw_widener *w, LLVMValueRef load, uint32_t leaf, const struct lw_private *p, unsigned align)
{
    LLVMBuilderRef b = w->l.builder;
    LLVMValueRef alloca = lw_gep_root(LLVMGetOperand(load, 0));
    LLVMTypeRef type = lw_leaf_at(w, LLVMTypeOf(load), leaf).type;
    struct rows r;
    V rows[MOST_ROWS];

    if (!find_rows(w, p, load, leaf, &r)) /* lw_has_few_rows found them */
        return LLVMConstNull(lane_type(&w->l, type));
    V numbers = row_numbers(w, p, &r);
    for (unsigned k = 0; k < r.count; k++)
        rows[k] = lane_load_contiguous(&w->l, type, row_address(w, alloca, &r, k), NULL, align);
    for (unsigned count = r.count, bit = 1; count > 1; count = (count + 1) / 2, bit *= 2) {
        V mask = lane_splat(
            &w->l, lane_int(&w->l, LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(numbers))), bit));
        V odd = row_is(w, LLVMBuildAnd(b, numbers, mask, ""), LLVMIntNE, 0);
        for (unsigned k = 0; k < count / 2; k++)
            rows[k] = LLVMBuildSelect(b, odd, rows[2 * k + 1], rows[2 * k], "");
        if (count % 2)
            rows[count / 2] = rows[count - 1];
    }
    return rows[0];
}

static bool
is_same_place(lw_widener *w, LLVMValueRef a, LLVMValueRef b)
{
    struct lw_place x, y;

    return a == b || (lw_find_place(w, a, &x) && lw_find_place(w, b, &y) && lw_places_match(&x, &y) &&
                      x.constant == y.constant);
}

/* What is read where it is stored again, with nothing stored in the array between: NULL: nothing is. */
static LLVMValueRef
find_update(lw_widener *w, LLVMValueRef store)
{
    LLVMValueRef op = LLVMGetOperand(store, 0), pointer = LLVMGetOperand(store, 1), load = NULL;

    if (!LLVMIsABinaryOperator(op))
        return NULL;
    switch (LLVMGetInstructionOpcode(op)) {
    case LLVMAdd:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMFAdd:
        for (unsigned k = 0; k < 2 && !load; k++) {
            LLVMValueRef from = LLVMGetOperand(op, k);
            load = LLVMIsALoadInst(from) && is_same_place(w, LLVMGetOperand(from, 0), pointer) ? from : NULL;
        }
        break;
    case LLVMSub:
    case LLVMFSub:
        load = LLVMGetOperand(op, 0);
        break;
    default:
        break;
    }
    if (!load || !LLVMIsALoadInst(load) || !is_same_place(w, LLVMGetOperand(load, 0), pointer) ||
        LLVMGetInstructionParent(op) != LLVMGetInstructionParent(store))
        return NULL;
    unsigned far = 0;
    for (LLVMValueRef i = store; i != load; i = LLVMGetPreviousInstruction(i))
        if (!i || ++far > MOST_BETWEEN ||
            (i != store && LLVMIsAStoreInst(i) && lw_gep_root(LLVMGetOperand(i, 1)) == lw_gep_root(pointer)))
            return NULL;
    return load;
}

/* The operation of an update on a row. */
static V
update_row(lw_widener *w, LLVMValueRef op, LLVMValueRef load, V row)
{
    bool second = LLVMGetOperand(op, 0) != load;
    V other = lw_use_vector(w, LLVMGetOperand(op, second ? 0 : 1), 0);
    V made = LLVMBuildBinOp(w->l.builder, LLVMGetInstructionOpcode(op), second ? other : row,
                            second ? row : other, "");

    lw_copy_fast_math(op, made);
    return made;
}

/* An update changes every row where it is the one, without reading which one that is; with masked
 * instructions it is blends that are fewer, once LLVM is through with the sums. */
void
lw_store_few(lw_widener *w, LLVMValueRef store, uint32_t leaf, const struct lw_private *p, unsigned align)
{
    LLVMValueRef alloca = lw_gep_root(LLVMGetOperand(store, 1)), op = LLVMGetOperand(store, 0);
    LLVMValueRef load = find_update(w, store);
    V value = lw_use_vector(w, op, leaf);
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(value));
    struct rows r;

    if (lw_isa_row(w->l.isa)->mask_registers ||
        LLVMTypeOf(op) != type) /* a vector's leaves: each has an operand of its own */
        load = NULL;
    if (!find_rows(w, p, store, leaf, &r))
        return;
    V numbers = row_numbers(w, p, &r);
    for (unsigned k = 0; k < r.count; k++) {
        V address = row_address(w, alloca, &r, k);
        V here = lane_and(&w->l, w->mask, row_is(w, numbers, LLVMIntEQ, k));
        V before = lane_load_contiguous(&w->l, type, address, NULL, align);
        V after = load ? update_row(w, op, load, before) : value;
        lane_store_contiguous(&w->l, LLVMBuildSelect(w->l.builder, here, after, before, ""), address, NULL,
                              align);
    }
}

/* SPDX-License-Identifier: MIT */
/* Loads that several rows of the work-group have in common, where these are shorter than the sub-group:
 *
 *   local size 16 x 4, 64 lanes: a[get_local_id(0) * n + k]      gathered for 16 lanes, four times the same
 *
 * Enters: a load about to be gathered. Leaves: a load of as many lanes as a row has, for all rows.
 * Relies on: the address being the same in active lanes that are a row apart: made of ids whose offsets
 * repeat, of what is uniform (as what a loop adds is: flow/walks.c), of arithmetic on these. Never: touches
 * memory for a place in a row at which no row has an active lane.
 */
#include "../facts/integers.h"
#include "../lanes/internal.h"
#include "../widen/widener.h"

#define DEPTH 12 /* of address arithmetic */
#define BUDGET 24 /* instructions of it */
#define MOST_LEAVES 16
#define LEAST_APART 64 /* bytes */

/* Lanes of a row; all: rows are not shorter than the sub-group. */
static unsigned
row_of(const lw_widener *w)
{
    uint32_t row = w->shape->local_size[0];
    return row >= 4 && row < w->l.n && (row & (row - 1)) == 0 ? row : w->l.n;
}

static bool
offsets_repeat(const lw_widener *w, const struct lw_vinfo *info)
{
    unsigned row = row_of(w);
    for (unsigned i = row; i < w->l.n; i++)
        if (info->offsets[i] != info->offsets[i - row])
            return false;
    return true;
}

static bool
computes(LLVMValueRef v)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    return lw_is_int_operation(op) || lw_is_int_cast(op) || op == LLVMUDiv || op == LLVMURem ||
           op == LLVMSDiv || op == LLVMSRem || op == LLVMGetElementPtr || op == LLVMAddrSpaceCast ||
           op == LLVMSelect || op == LLVMICmp;
}

/* Has the value in all active lanes what it has in those of the same place in other rows? */
static bool
repeats(lw_widener *w, LLVMValueRef v, unsigned depth, unsigned *budget)
{
    uint32_t id = lw_value_id(w->m, v);
    struct lw_vinfo info = lw_info(w, v);
    if (id == LW_NONE || info.form == LW_UNIFORM)
        return true;
    if (info.form == LW_STRIDED)
        return offsets_repeat(w, &info);
    if (id < w->m->param_count || depth == DEPTH || *budget == 0)
        return false;
    --*budget;
    if (!computes(v))
        return false;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (!repeats(w, LLVMGetOperand(v, (unsigned)k), depth + 1, budget))
            return false;
    return true;
}

unsigned
lw_repeats_after(lw_widener *w, LLVMValueRef pointer)
{
    unsigned budget = BUDGET, row = row_of(w);
    bool found =
        row < w->l.n && lw_has_form(w, LW_FORM_REPEATED) && repeats(w, pointer, 0, &budget);
    return found ? row : w->l.n;
}

V
lw_one_row(lw_widener *w, V lanes, unsigned row)
{
    V one = lw_lane_part(&w->l, lanes, 0, row);
    for (unsigned first = row; w->mask && first < w->l.n; first += row) {
        V mask = lw_lane_part(&w->l, w->mask, first, row);
        one = LLVMBuildSelect(w->l.builder, mask, lw_lane_part(&w->l, lanes, first, row), one, "");
    }
    return one;
}

V
lw_all_rows(lw_widener *w, V one, unsigned row)
{
    V parts[LW_MAX_LANES];
    for (unsigned k = 0; k < w->l.n / row; k++)
        parts[k] = one;
    return lw_lane_concat(&w->l, parts, w->l.n / row);
}

/* Lanes that are near each other share accesses otherwise (lanes/window.c). */
static bool
lie_far(lw_widener *w, LLVMValueRef pointer)
{
    struct lw_vinfo info = lw_info(w, pointer);
    int64_t apart = info.form == LW_STRIDED ? info.offsets[1] : LEAST_APART;
    return apart >= LEAST_APART || apart <= -LEAST_APART;
}

bool
lw_load_repeated(lw_widener *w, struct lw_access *a)
{
    V made[MOST_LEAVES];
    lw_lanes l = w->l;
    if (LLVMGetVolatile(a->access) || a->leaves > MOST_LEAVES || !lie_far(w, a->pointer))
        return false;
    l.n = lw_repeats_after(w, a->pointer);
    if (l.n == w->l.n)
        return false;
    V pointers = lw_one_row(w, lw_use_vector(w, a->pointer, 0), l.n);
    V mask = w->mask ? lw_one_row(w, w->mask, l.n) : NULL;
    LLVMTypeRef element = lw_packed_element(w, a->type, a->leaves);
    if (element && lane_moves_vectors(&l, element, a->leaves, a->align, false)) {
        struct lw_lane_places places = {.pointers = pointers};
        lane_gather_vectors(&l, element, a->leaves, &places, mask, a->align, made);
    } else {
        for (uint32_t k = 0; k < a->leaves; k++) {
            struct lw_leaf leaf = lw_leaf_at(w, a->type, k);
            V offset = lane_int(&l, 64, (int64_t)leaf.offset);
            V at = LLVMBuildGEP2(l.builder, lw_lane_int_type(&l, 8), pointers, &offset, 1, "");
            made[k] = lane_gather(&l, leaf.type, at, mask, lw_align_at(a->align, leaf.offset));
        }
    }
    for (uint32_t k = 0; k < a->leaves; k++)
        lw_define_leaf(w, a->access, k, lw_all_rows(w, made[k], l.n));
    return true;
}

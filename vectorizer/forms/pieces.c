/* SPDX-License-Identifier: MIT */
/* Accesses that are contiguous in pieces of the sub-group: rows of a work-group that are shorter than it, and
 * what `i / W` and `i % W` break where a row of W ends.
 *
 *   local size 8 x 8, 16 lanes: p[y * width + x]       two rows of 8, each a vector
 *   tile[i / 20][i % 20], i = base + lane              lanes below 20 - base % 20 in one row, the others
 *                                                      in the next: two masked vectors
 *
 * Enters: an access whose address varies over the whole sub-group. Leaves: one access for each piece, at the
 * address of its first lane, made again in scalars.
 * Relies on: lw_find_piece_uniformity. Where all that the address is made of are ids, uniform values and
 * arithmetic, its facts hold for lanes that are not active too; else only where all lanes are.
 * Never: touches memory for a lane that is not active.
 */
#include <stdlib.h>

#include <llvm-c/DebugInfo.h>

#include "../facts/flags.h"
#include "../facts/integers.h"
#include "../facts/memory_effects.h"
#include "../facts/offsets.h"
#include "../lanes/internal.h"
#include "../widen/widener.h"

#define MOST_BROKEN 4 /* divisions whose pieces are looked at */
#define MOST_ROWS 16
#define MOST_LEAVES 16
#define DEPTH 12 /* of address arithmetic */

struct lw_pieces {
    struct lw_uniformity *rows;
    unsigned row;  /* lanes */
    bool anywhere; /* else other forms know all places, and only what rows have in common is taken */
    struct broken {
        struct lw_piece piece;
        struct lw_uniformity *u;
    } broken[MOST_BROKEN];
    unsigned count;
};

static struct lw_pieces *
all_pieces(lw_widener *w)
{
    return w->forms[LW_FORM_PIECES];
}

/* The lane whose value is wanted: a number, or the first behind a break. */
struct lane {
    unsigned number;
    V at; /* i64 */
    const struct lw_piece *broken;
};

/* ---- what pieces there are ---- */

/* One whose lanes lie anywhere; else one whose lanes' places are known, but are no stride. */
static bool
has_access(lw_widener *w, bool anywhere)
{
    for (uint32_t id = w->m->param_count; id < w->m->value_count; id++) {
        LLVMValueRef pointer = lw_plain_address(w->m->values[id]);
        struct lw_vinfo info = pointer ? lw_info(w, pointer) : (struct lw_vinfo){0};
        if (anywhere ? info.form == LW_VARYING : info.form == LW_STRIDED && !info.linear)
            return true;
    }
    return false;
}

static bool
add_broken(lw_widener *w, struct lw_pieces *p, LLVMValueRef i)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    if ((op != LLVMUDiv && op != LLVMURem) || !LLVMIsAConstantInt(LLVMGetOperand(i, 1)) ||
        p->count == MOST_BROKEN)
        return true;
    LLVMValueRef index = LLVMGetOperand(i, 0);
    struct lw_vinfo info = lw_info(w, index);
    uint64_t divisor = LLVMConstIntGetZExtValue(LLVMGetOperand(i, 1));
    if (info.form != LW_STRIDED || !info.linear || info.stride != 1 || !info.exact || divisor < w->l.n ||
        divisor > 1 << 15 || LLVMGetIntTypeWidth(LLVMTypeOf(index)) > 64 || !lw_is_varying(w, i))
        return true;
    for (unsigned k = 0; k < p->count; k++)
        if (p->broken[k].piece.index == index && divisor % p->broken[k].piece.divisor == 0)
            return true;
    struct broken *b = &p->broken[p->count];
    b->piece = (struct lw_piece){w->l.n, index, divisor};
    b->u = lw_find_piece_uniformity(w->m, w->shape, &b->piece);
    p->count += b->u != NULL;
    return b->u != NULL;
}

static bool
find_pieces(lw_widener *w, struct lw_pieces *p)
{
    const uint32_t *size = w->shape->local_size;
    uint32_t row = size[0];
    if (row >= 4 && row < w->l.n && (row & (row - 1)) == 0 && w->l.n / row <= MOST_ROWS) {
        struct lw_piece piece = {.lanes = row};
        p->row = row;
        p->rows = lw_find_piece_uniformity(w->m, w->shape, &piece);
        if (!p->rows)
            return false;
    }
    for (uint32_t id = w->m->param_count; id < w->m->value_count; id++)
        if (!add_broken(w, p, w->m->values[id]))
            return false;
    return true;
}

void
lw_pieces_open(lw_widener *w)
{
    bool anywhere = has_access(w, true);
    if (!anywhere && !has_access(w, false))
        return;
    struct lw_pieces *p = lw_form_state(w, LW_FORM_PIECES, sizeof *p);
    p->anywhere = anywhere;
    if (!find_pieces(w, p))
        lw_arena_leave(w->arena);
    if (!p->rows && !p->count) /* none that matter */
        w->forms[LW_FORM_PIECES] = NULL;
}

void
lw_pieces_close(lw_widener *w)
{
    struct lw_pieces *p = all_pieces(w);
    if (!p)
        return;
    lw_uniformity_free(p->rows);
    for (unsigned k = 0; k < p->count; k++)
        lw_uniformity_free(p->broken[k].u);
}

/* ---- one lane's address ---- */

static bool
is_arithmetic(LLVMValueRef v)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    return lw_is_int_operation(op) || lw_is_int_cast(op) || op == LLVMUDiv || op == LLVMURem ||
           op == LLVMGetElementPtr || op == LLVMAddrSpaceCast;
}

/* A uniform or strided value that can be read in the block being written. */
static bool
is_at_hand(lw_widener *w, LLVMValueRef v)
{
    uint32_t id = lw_value_id(w->m, v);
    if (id == LW_NONE || id < w->m->param_count)
        return true;
    uint32_t home = lw_block_id_of(w->m, v);
    return home == w->block || (w->escapes[id] && lw_runs_before(w->m, w->plan, w->homes, home, w->block));
}

/* Are all lanes active that there are? A sub-group's first always is one of them, and that of a row, if any
 * is. */
static bool
is_unmasked(const lw_widener *w)
{
    return !w->mask || (w->mask == w->entry_mask && !w->by_item);
}

/* Has a piece's analysis the lanes of a strided value where the sub-group's has them? Not where one knows of
 * a wrap, which the other takes for none because active lanes are on one side of it: get_local_id(0) - 2u.
 */
static bool
agrees(lw_widener *w, const struct lw_uniformity *pieces, LLVMValueRef v, const struct lw_vinfo *info)
{
    struct lw_vinfo part = lw_form_of(pieces, w->m, v);
    unsigned width = lw_fact_width(LLVMTypeOf(v)), lanes = w->l.n;
    if (pieces == all_pieces(w)->rows)
        lanes = all_pieces(w)->row;
    bool same = part.form != LW_VARYING;
    for (unsigned i = 0; i < w->l.n && same; i++) {
        uint64_t far = (uint64_t)info->offsets[i] - (uint64_t)info->offsets[i - i % lanes];
        same = lw_sign_extend(far, width) == (part.form == LW_STRIDED ? part.offsets[i % lanes] : 0);
    }
    return same;
}

/* Can the value be made again for one lane, by arithmetic on what is at hand here? `budget`: instructions. */
static bool
is_remade(lw_widener *w, const struct lw_uniformity *pieces, LLVMValueRef v, unsigned depth, unsigned *budget)
{
    uint32_t id = lw_value_id(w->m, v);
    struct lw_vinfo info = lw_info(w, v);
    if (info.form != LW_VARYING)
        return is_at_hand(w, v) && (!info.assumes_no_wrap || is_unmasked(w)) &&
               (info.form == LW_UNIFORM || ((info.linear || pieces == all_pieces(w)->rows) &&
                                            agrees(w, pieces, v, &info)));
    if (depth == DEPTH || *budget == 0 || !is_arithmetic(v) ||
        (pieces->values[id].assumes_no_wrap && !is_unmasked(w)) || lw_lane_is_vector(v) ||
        LLVMGetNumOperands(v) > 8)
        return false;
    bool divides = LLVMGetInstructionOpcode(v) == LLVMUDiv || LLVMGetInstructionOpcode(v) == LLVMURem;
    if (divides && (!LLVMIsAConstantInt(LLVMGetOperand(v, 1)) || LLVMIsNull(LLVMGetOperand(v, 1))))
        return false;
    --*budget;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (!is_remade(w, pieces, LLVMGetOperand(v, (unsigned)k), depth + 1, budget))
            return false;
    return true;
}

/* The value of a uniform or strided one in that lane. */
static V
move_on(lw_widener *w, LLVMValueRef v, struct lane lane)
{
    LLVMBuilderRef b = w->l.builder;
    struct lw_vinfo info = lw_info(w, v);
    V base = lw_use_scalar(w, v);
    if (info.form == LW_UNIFORM)
        return base;
    V offset = lane_int(&w->l, 64, lane.at ? info.stride : info.offsets[lane.number]);
    if (lane.at)
        offset = LLVMBuildMul(b, lane.at, offset, "");
    if (LLVMGetTypeKind(LLVMTypeOf(base)) == LLVMPointerTypeKind)
        return LLVMBuildGEP2(b, lw_lane_int_type(&w->l, 8), base, &offset, 1, "");
    return LLVMBuildAdd(b, base, LLVMBuildIntCast2(b, offset, LLVMTypeOf(base), true, ""), "");
}

static V
remake(lw_widener *w, LLVMValueRef v, struct lane lane)
{
    uint32_t id = lw_value_id(w->m, v);
    if (id == LW_NONE || id < w->m->param_count || lw_info(w, v).form != LW_VARYING)
        return move_on(w, v, lane);
    if (lane.broken && lw_is_remainder(v, lane.broken->index, lane.broken->divisor))
        return LLVMConstNull(LLVMTypeOf(v));
    V operands[8];
    int n = LLVMGetNumOperands(v);
    if (lane.broken && LLVMGetInstructionOpcode(v) == LLVMUDiv &&
        LLVMGetOperand(v, 0) == lane.broken->index &&
        LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1)) == lane.broken->divisor) {
        V before = remake(w, v, (struct lane){0, NULL, NULL});
        return LLVMBuildAdd(w->l.builder, before, LLVMConstInt(LLVMTypeOf(v), 1, false), "");
    }
    for (int k = 0; k < n; k++)
        operands[k] = remake(w, LLVMGetOperand(v, (unsigned)k), lane);
    V clone = LLVMInstructionClone(v);
    for (int k = 0; k < n; k++)
        LLVMSetOperand(clone, (unsigned)k, operands[k]);
    LLVMInstructionSetDebugLoc(clone, NULL);
    LLVMInsertIntoBuilder(w->l.builder, clone);
    if (LLVMIsAGetElementPtrInst(clone))
        LLVMGEPSetNoWrapFlags(clone, 0);
    else
        lw_drop_flags(clone);
    return clone;
}

/* How `pointer` goes on from lane to lane in each piece, where its address can be made for one lane. */
static bool
find_form(lw_widener *w, const struct lw_uniformity *pieces, LLVMValueRef pointer, struct lw_vinfo *form)
{
    unsigned budget = 24;
    if (!pieces || lw_value_id(w->m, pointer) == LW_NONE)
        return false;
    *form = lw_form_of(pieces, w->m, pointer);
    return form->form != LW_VARYING && (!form->assumes_no_wrap || is_unmasked(w)) &&
           (form->form == LW_UNIFORM || form->linear) && is_remade(w, pieces, pointer, 0, &budget);
}

/* ---- rows ---- */

static lw_lanes
row_lanes(lw_widener *w)
{
    lw_lanes l = w->l;
    l.n = all_pieces(w)->row;
    return l;
}

static V
row_mask(lw_widener *w, unsigned first)
{
    return w->mask ? lw_lane_part(&w->l, w->mask, first, all_pieces(w)->row) : NULL;
}

static V
load_rows(lw_widener *w, LLVMTypeRef type, LLVMValueRef pointer, bool uniform, unsigned align)
{
    V parts[MOST_ROWS];
    lw_lanes l = row_lanes(w);
    for (unsigned first = 0; first < w->l.n; first += l.n) {
        V at = remake(w, pointer, (struct lane){first, NULL, NULL}), mask = row_mask(w, first);
        parts[first / l.n] = uniform ? lane_splat(&l, lane_load_uniform(&l, type, at, mask, align, false))
                                     : lane_load_contiguous(&l, type, at, mask, align);
    }
    return lw_lane_concat(&w->l, parts, w->l.n / l.n);
}

/* Of several components, whose address each row has in common. */
static void
load_vectors(lw_widener *w, struct lw_access *a)
{
    V parts[MOST_LEAVES][MOST_ROWS];
    lw_lanes l = row_lanes(w);
    for (unsigned first = 0; first < w->l.n; first += l.n) {
        V at = remake(w, a->pointer, (struct lane){first, NULL, NULL}), mask = row_mask(w, first);
        V whole = lane_load_uniform(&l, a->type, at, mask, a->align, false);
        for (uint32_t k = 0; k < a->leaves; k++)
            parts[k][first / l.n] = lane_splat(&l, lw_scalar_leaf(w, whole, k));
    }
    for (uint32_t k = 0; k < a->leaves; k++)
        lw_define_leaf(w, a->access, k, lw_lane_concat(&w->l, parts[k], w->l.n / l.n));
}

static void
store_rows(lw_widener *w, V value, LLVMValueRef pointer, unsigned align)
{
    lw_lanes l = row_lanes(w);
    for (unsigned first = 0; first < w->l.n; first += l.n) {
        V at = remake(w, pointer, (struct lane){first, NULL, NULL});
        lane_store_contiguous(&l, lw_lane_part(&w->l, value, first, l.n), at, row_mask(w, first), align);
    }
}

/* ---- a break at a multiple of the divisor ---- */

struct parts {
    V count;         /* i64: lanes of the first piece, or more than there are */
    V one, two;      /* where lane 0 would be of the first and the second piece */
    V first, second; /* masks */
};

static void
part(lw_widener *w, const struct broken *k, LLVMValueRef pointer, const struct lw_vinfo *form,
     struct parts *p)
{
    LLVMBuilderRef b = w->l.builder;
    LLVMTypeRef i64 = lw_lane_int_type(&w->l, 64);
    V base = lw_use_scalar(w, k->piece.index);
    V divisor = LLVMConstInt(LLVMTypeOf(base), k->piece.divisor, false);
    V before = LLVMBuildZExt(b, LLVMBuildURem(b, base, divisor, ""), i64, "");
    p->count = LLVMBuildSub(b, lane_int(&w->l, 64, (int64_t)k->piece.divisor), before, "");
    p->one = remake(w, pointer, (struct lane){0, NULL, NULL});
    p->two = remake(w, pointer, (struct lane){0, p->count, &k->piece});
    if (form->form == LW_STRIDED) {
        V back = LLVMBuildMul(b, p->count, lane_int(&w->l, 64, -form->stride), "");
        p->two = LLVMBuildGEP2(b, lw_lane_int_type(&w->l, 8), p->two, &back, 1, "");
    }
    V below = lane_mask_below(&w->l, LLVMBuildTrunc(b, p->count, lw_lane_int_type(&w->l, 32), ""));
    p->first = lane_and(&w->l, w->mask, below);
    p->second = lane_and(&w->l, w->mask, LLVMBuildNot(b, below, ""));
}

static V
load_parts(lw_widener *w, LLVMTypeRef type, const struct parts *p, bool uniform, unsigned align)
{
    lw_lanes *l = &w->l;
    V one, two;
    if (uniform) {
        one = lane_splat(l, lane_load_uniform(l, type, p->one, p->first, align, false));
        two = lane_splat(l, lane_load_uniform(l, type, p->two, p->second, align, false));
    } else {
        one = lane_load_contiguous(l, type, p->one, p->first, align);
        two = lane_load_contiguous(l, type, p->two, p->second, align);
    }
    return lane_select(l, p->first, one, two);
}

/* Masks are slow, or not to be had: most sub-groups lie in one row. */
static bool
prefers_whole(lw_widener *w)
{
    return !lw_isa_row(w->l.isa)->mask_registers;
}

static bool
has_masks(lw_widener *w, LLVMTypeRef type)
{
    return lw_lane_has_masked_move(&w->l, lw_lane_bits(lw_lane_memory_type(&w->l, type)));
}

static void
open_ways(lw_widener *w, const struct parts *p, struct lw_two_ways *t)
{
    lw_lanes *l = &w->l;
    V fits = LLVMBuildICmp(l->builder, LLVMIntUGE, p->count, lane_int(l, 64, l->n), "");
    lw_lane_fork(l, t, fits, true, "row.whole", "row.broken");
}

static V
load_broken(lw_widener *w, LLVMTypeRef type, const struct parts *p, bool uniform, unsigned align)
{
    struct lw_two_ways t;
    if (!prefers_whole(w) || uniform)
        return load_parts(w, type, p, uniform, align);
    open_ways(w, p, &t);
    V all = lane_load_contiguous(&w->l, type, p->one, w->mask, align);
    lw_lane_other_way(&w->l, &t);
    V two = load_parts(w, type, p, false, align);
    lw_lane_meet(&w->l, &t);
    return lw_lane_met(&w->l, &t, all, two);
}

static void
store_broken(lw_widener *w, V value, const struct parts *p, unsigned align)
{
    struct lw_two_ways t;
    if (prefers_whole(w)) {
        open_ways(w, p, &t);
        lane_store_contiguous(&w->l, value, p->one, w->mask, align);
        lw_lane_other_way(&w->l, &t);
    }
    lane_store_contiguous(&w->l, value, p->one, p->first, align);
    lane_store_contiguous(&w->l, value, p->two, p->second, align);
    if (prefers_whole(w))
        lw_lane_meet(&w->l, &t);
}

/* ---- */

/* How an access goes on: in rows of all lanes, or in two parts where a row breaks. */
struct way {
    bool rows, uniform; /* uniform: one address in each piece */
    struct parts parts; /* where it is not by rows */
};

static bool
goes_on(const struct lw_access *a, const struct lw_vinfo *form, int64_t size)
{
    if (a->leaves > 1)
        return form->form == LW_UNIFORM && !a->value && a->leaves <= MOST_LEAVES;
    return form->form == LW_STRIDED ? form->stride == size : !a->value;
}

static bool
find_way(lw_widener *w, struct lw_access *a, struct way *way)
{
    struct lw_pieces *p = all_pieces(w);
    struct lw_vinfo form = {0};
    if (!p || LLVMGetVolatile(a->access))
        return false;
    int64_t size = (int64_t)lw_leaf_at(w, a->type, 0).size;
    way->rows = find_form(w, p->rows, a->pointer, &form) && goes_on(a, &form, size);
    bool found = way->rows;
    for (unsigned k = 0; k < p->count && a->leaves == 1 && has_masks(w, a->type) && !found; k++) {
        found = find_form(w, p->broken[k].u, a->pointer, &form) && goes_on(a, &form, size) &&
                is_at_hand(w, p->broken[k].piece.index);
        if (found)
            part(w, &p->broken[k], a->pointer, &form, &way->parts);
    }
    way->uniform = form.form == LW_UNIFORM;
    if (!p->anywhere && !way->uniform)
        return false;
    a->how = !way->rows     ? "contiguous in two pieces"
             : way->uniform ? "one for each row"
                            : "contiguous in each row";
    return found;
}

bool
lw_load_pieces(lw_widener *w, struct lw_access *a)
{
    struct way way;
    if (!find_way(w, a, &way))
        return false;
    if (a->leaves > 1) {
        load_vectors(w, a);
        return true;
    }
    V made = way.rows ? load_rows(w, a->type, a->pointer, way.uniform, a->align)
                      : load_broken(w, a->type, &way.parts, way.uniform, a->align);
    lw_define_leaf(w, a->access, 0, made);
    return true;
}

bool
lw_store_pieces(lw_widener *w, struct lw_access *a)
{
    struct way way;
    if (!find_way(w, a, &way))
        return false;
    V value = lw_use_vector(w, a->value, 0);
    if (way.rows)
        store_rows(w, value, a->pointer, a->align);
    else
        store_broken(w, value, &way.parts, a->align);
    return true;
}

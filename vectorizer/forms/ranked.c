/* SPDX-License-Identifier: MIT */
/* Stores that follow a scan, as compaction does: where the active lanes write one after the other, their
 * values are moved together in a register and stored at once.
 *
 * Enters: a store to base + index, whose index is made of a scan or of counted ballot bits.
 * Leaves: where the store's lanes are those that were counted, as the branch before it says, a masked store
 * of the first lanes: the scan has no use any more. Elsewhere a test of the index first, and a scatter for
 * where the test fails.
 * Relies on: AVX-512 where there is a test, AVX2 otherwise. Never: takes for granted what the scan counts.
 */
#include <string.h>

#include "../facts/calls.h"
#include "../lanes/internal.h"
#include "../widen/widener.h"

#define DEPTH 6

/* index = more + extended(part) */
struct index {
    LLVMValueRef part;
    V more; /* i64, NULL: nothing */
    bool is_signed;
};

static bool
comes_from_scan(LLVMValueRef v, int depth)
{
    if (!LLVMIsAInstruction(v) || depth == DEPTH)
        return false;
    if (LLVMIsACallInst(v)) {
        const struct lw_call_row *row = lw_call_row(v);
        bool scans = row && (row->id == LW_CALL_SG_SCAN_INCLUSIVE || row->id == LW_CALL_SG_SCAN_EXCLUSIVE ||
                             row->id == LW_CALL_WG_SCAN_INCLUSIVE || row->id == LW_CALL_WG_SCAN_EXCLUSIVE);
        return scans ? lw_group_op_of(row, lw_called(v)) == LW_GROUP_IADD : lw_is_call_like(v, "llvm.ctpop.");
    }
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMOr:
        return comes_from_scan(LLVMGetOperand(v, 0), depth + 1) ||
               comes_from_scan(LLVMGetOperand(v, 1), depth + 1);
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
        return comes_from_scan(LLVMGetOperand(v, 0), depth + 1);
    default:
        return false;
    }
}

static bool
split_index(lw_widener *w, LLVMValueRef v, struct index *out)
{
    LLVMBuilderRef b = w->l.builder;

    *out = (struct index){.part = v};
    for (int depth = 0; depth < DEPTH; depth++) {
        v = out->part;
        LLVMOpcode op = LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : LLVMRet;
        if (op == LLVMSExt || op == LLVMZExt) {
            out->part = LLVMGetOperand(v, 0);
            out->is_signed = op == LLVMSExt;
            return LLVMGetIntTypeWidth(LLVMTypeOf(out->part)) == 32;
        }
        if (op != LLVMAdd)
            break;
        bool first = lw_info(w, LLVMGetOperand(v, 0)).form == LW_UNIFORM;
        if (!first && lw_info(w, LLVMGetOperand(v, 1)).form != LW_UNIFORM)
            break;
        V more = lw_use_scalar(w, LLVMGetOperand(v, !first));
        out->more = out->more ? LLVMBuildAdd(b, out->more, more, "") : more;
        out->part = LLVMGetOperand(v, first);
    }
    return LLVMGetIntTypeWidth(LLVMTypeOf(out->part)) == 64;
}

static V
compress(lw_lanes *l, V vector, V mask)
{
    LLVMTypeRef type = LLVMTypeOf(vector);
    V args[] = {vector, mask, LLVMConstNull(type)};
    return lw_lane_call(l, "llvm.experimental.vector.compress", &type, 1, args, 3);
}

/* The first `count` (i<n>) lanes. */
static V
first_lanes(lw_lanes *l, V count)
{
    LLVMTypeRef wide = lw_lane_int_type(l, 64);
    V one = LLVMBuildShl(l->builder, LLVMConstInt(wide, 1, false), LLVMBuildZExt(l->builder, count, wide, ""),
                         "");
    return lane_mask_from_bits(l, LLVMBuildSub(l->builder, one, LLVMConstInt(wide, 1, false), ""));
}

struct ranked {
    const struct index *index;
    V base; /* the pointer that is indexed */
    LLVMTypeRef element;
    V part, value, mask, pointers; /* of the lanes at hand */
    unsigned align;
};

/* i1: index parts go up by one from lane to lane, without a wrap. */
static V
goes_up(lw_lanes *l, const struct ranked *r, V together, V first, V live)
{
    LLVMTypeRef type = LLVMTypeOf(first);
    V want = LLVMBuildAdd(l->builder, lane_splat(l, first), lane_iota(l, type), "");
    V other = LLVMBuildICmp(l->builder, LLVMIntNE, together, want, "");
    V good = LLVMBuildNot(l->builder, lane_any(l, LLVMBuildAnd(l->builder, other, live, "")), "");

    if (LLVMGetIntTypeWidth(type) == 64)
        return good;
    V most = LLVMConstInt(type, (r->index->is_signed ? INT32_MAX : UINT32_MAX) - 64u, false);
    V low = LLVMBuildICmp(l->builder, r->index->is_signed ? LLVMIntSLT : LLVMIntULT, first, most, "");
    return LLVMBuildAnd(l->builder, good, low, "");
}

static void
store_some(lw_lanes *l, const struct ranked *r)
{
    LLVMTypeRef i64 = lw_lane_int_type(l, 64);
    V mask = LLVMBuildFreeze(l->builder, r->mask, "");
    V together = compress(l, LLVMBuildFreeze(l->builder, r->part, ""), mask);
    V first = LLVMBuildExtractElement(l->builder, together, lane_int(l, 32, 0), "");
    V live = first_lanes(l, lw_lane_call1(l, "llvm.ctpop", lane_mask_bits(l, mask)));
    struct lw_two_ways ways;

    lw_lane_fork(l, &ways, goes_up(l, r, together, first, live), true, "ranked", "ranked.scatter");
    if (LLVMTypeOf(first) != i64)
        first = r->index->is_signed ? LLVMBuildSExt(l->builder, first, i64, "")
                                    : LLVMBuildZExt(l->builder, first, i64, "");
    if (r->index->more)
        first = LLVMBuildAdd(l->builder, first, r->index->more, "");
    lane_store_contiguous(l, compress(l, r->value, mask), lw_lane_gep(l, r->element, r->base, first), live,
                          r->align);
    lw_lane_other_way(l, &ways);
    lane_scatter(l, r->value, r->pointers, mask, r->align);
    lw_lane_meet(l, &ways);
}

/* The address as a GEP over a uniform pointer with one index that counts values of `type`. */
static bool
is_simple(lw_widener *w, LLVMValueRef pointer, LLVMTypeRef type)
{
    return LLVMIsAGetElementPtrInst(pointer) && LLVMGetNumOperands(pointer) == 2 &&
           lw_info(w, LLVMGetOperand(pointer, 0)).form == LW_UNIFORM &&
           LLVMABISizeOfType(w->layout, LLVMGetGEPSourceElementType(pointer)) ==
               LLVMABISizeOfType(w->layout, type) &&
           LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(pointer, 1))) == 64;
}

/* ---- counted lanes ---- */

/* rank = how many of the lanes before (and the lane itself: inclusive) have the condition, in the block where
 * they were counted. */
struct rank {
    LLVMValueRef condition;
    uint32_t block;
    bool inclusive;
};

static bool
is_constant(LLVMValueRef v, int64_t value)
{
    return LLVMIsAConstantInt(v) && LLVMConstIntGetSExtValue(v) == value;
}

/* ~(-1 << lane): the lanes before; ~(-2 << lane): and itself. */
static bool
is_lanes_before(LLVMValueRef v, bool *inclusive)
{
    if (!LLVMIsAInstruction(v) || LLVMGetInstructionOpcode(v) != LLVMXor ||
        !is_constant(LLVMGetOperand(v, 1), -1))
        return false;
    LLVMValueRef shift = LLVMGetOperand(v, 0);
    if (!LLVMIsAInstruction(shift) || LLVMGetInstructionOpcode(shift) != LLVMShl)
        return false;
    *inclusive = is_constant(LLVMGetOperand(shift, 0), -2);
    return (*inclusive || is_constant(LLVMGetOperand(shift, 0), -1)) &&
           lw_is_call_of(LLVMGetOperand(shift, 1), "lw.sub_group_local_id");
}

static bool
is_counted_ballot(lw_widener *w, LLVMValueRef v, struct rank *rank)
{
    LLVMValueRef bits = LLVMGetOperand(v, 0);

    if (!LLVMIsAInstruction(bits) || LLVMGetInstructionOpcode(bits) != LLVMAnd)
        return false;
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef ballot = LLVMGetOperand(bits, k);
        if (!lw_is_call_of(ballot, "lw.sg.ballot") ||
            !is_lanes_before(LLVMGetOperand(bits, !k), &rank->inclusive))
            continue;
        rank->condition = LLVMGetOperand(ballot, 0);
        rank->block = lw_block_id_of(w->m, ballot);
        return true;
    }
    return false;
}

static bool
is_rank(lw_widener *w, LLVMValueRef v, struct rank *rank)
{
    if (LLVMIsATruncInst(v))
        v = LLVMGetOperand(v, 0);
    bool inclusive = lw_is_call_like(v, "lw.sg.scan_inclusive.iadd.");

    if (lw_is_call_like(v, "llvm.ctpop."))
        return is_counted_ballot(w, v, rank);
    if (!inclusive && !lw_is_call_like(v, "lw.sg.scan_exclusive.iadd."))
        return false;
    LLVMValueRef counted = LLVMGetOperand(v, 0);
    if (!LLVMIsAZExtInst(counted) || LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(counted, 0))) != 1)
        return false;
    *rank = (struct rank){LLVMGetOperand(counted, 0), lw_block_id_of(w->m, v), inclusive};
    return true;
}

/* Do all lanes that come to `a` come to `b`, and no others, in the same order? */
static bool
go_together(lw_widener *w, uint32_t a, uint32_t b)
{
    return w->m->blocks[a].loop == w->m->blocks[b].loop && lw_dominates(w->m, a, b) &&
           lw_postdominates(w->m, b, a);
}

/* Are the lanes of `block` those of the rank's block for which the condition holds? */
static bool
has_counted_lanes(lw_widener *w, const struct rank *rank, uint32_t block)
{
    bool chosen = false;

    for (int steps = 0; steps < 32 && block != LW_NONE && rank->block != LW_NONE; steps++) {
        const struct lw_vblock *k = &w->m->blocks[block];
        if (chosen && go_together(w, rank->block, block))
            return true;
        if (k->idom == LW_NONE)
            return false;
        const struct lw_vblock *before = &w->m->blocks[k->idom];
        bool arm = !chosen && k->pred_count == 1 && before->succ_count == 2 && before->succs[0] == block &&
                   before->succs[1] != block &&
                   LLVMGetInstructionOpcode(LLVMGetBasicBlockTerminator(before->ref)) == LLVMBr &&
                   LLVMGetCondition(LLVMGetBasicBlockTerminator(before->ref)) == rank->condition;
        if (!arm && !go_together(w, k->idom, block))
            return false;
        chosen |= arm;
        block = k->idom;
    }
    return false;
}

/* part = rank + uniform values: their sum goes to `first`, the place of the first active lane. */
static bool
split_rank(lw_widener *w, LLVMValueRef part, struct rank *rank, V *first)
{
    LLVMBuilderRef b = w->l.builder;
    LLVMTypeRef type = LLVMTypeOf(part);
    LLVMValueRef uniform[DEPTH];
    unsigned count = 0;

    while (!is_rank(w, part, rank)) {
        if (!LLVMIsAInstruction(part) || LLVMGetInstructionOpcode(part) != LLVMAdd || count == DEPTH)
            return false;
        bool at = lw_info(w, LLVMGetOperand(part, 0)).form == LW_UNIFORM;
        if (!at && lw_info(w, LLVMGetOperand(part, 1)).form != LW_UNIFORM)
            return false;
        uniform[count++] = LLVMGetOperand(part, !at);
        part = LLVMGetOperand(part, at);
    }
    *first = LLVMConstInt(type, rank->inclusive, false);
    for (unsigned k = 0; k < count; k++)
        *first = LLVMBuildAdd(b, *first, lw_use_scalar(w, uniform[k]), "");
    return true;
}

/* A sum that wraps between two active lanes would set them further apart than any buffer is long. */
static bool
store_counted(lw_widener *w, LLVMValueRef i, LLVMTypeRef type)
{
    LLVMValueRef value = LLVMGetOperand(i, 0), pointer = LLVMGetOperand(i, 1);
    LLVMTypeRef i64 = lw_lane_int_type(&w->l, 64);
    struct index index;
    struct rank rank;
    V first;

    if (!w->shape->buffers_4g || !lane_has_compress(&w->l, type) ||
        !split_index(w, LLVMGetOperand(pointer, 1), &index) || !split_rank(w, index.part, &rank, &first) ||
        !has_counted_lanes(w, &rank, w->block))
        return false;
    if (LLVMTypeOf(first) != i64)
        first = index.is_signed ? LLVMBuildSExt(w->l.builder, first, i64, "")
                                : LLVMBuildZExt(w->l.builder, first, i64, "");
    if (index.more)
        first = LLVMBuildAdd(w->l.builder, first, index.more, "");
    V place = lw_lane_gep(&w->l, type, lw_use_scalar(w, LLVMGetOperand(pointer, 0)), first);
    lane_store_compressed(&w->l, lw_use_vector(w, value, 0), place, w->mask, LLVMGetAlignment(i));
    return true;
}

bool
lw_store_ranked(lw_widener *w, struct lw_access *a)
{
    LLVMValueRef i = a->access, value = a->value, pointer = a->pointer;
    unsigned bits = lw_lane_bits(LLVMTypeOf(value));
    struct index index;

    if (bits < 8 || bits > 64 || LLVMGetVolatile(i) ||
        LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind ||
        !is_simple(w, pointer, LLVMTypeOf(value)) || !comes_from_scan(LLVMGetOperand(pointer, 1), 0))
        return false;
    if (store_counted(w, i, LLVMTypeOf(value)))
        return true;
    if (w->l.isa < LW_ISA_AVX512 || bits < 32 || !split_index(w, LLVMGetOperand(pointer, 1), &index))
        return false;
    V part = lw_use_vector(w, index.part, 0), values = lw_use_vector(w, value, 0);
    V pointers = lw_use_vector(w, pointer, 0), mask = w->mask ? w->mask : lane_all_true(&w->l);
    unsigned widest = lw_lane_bits(LLVMTypeOf(index.part)) > bits ? 64 : bits, n = 512 / widest;
    lw_lanes l = w->l;
    l.n = n < l.n ? n : l.n;
    struct ranked r = {.index = &index,
                       .base = lw_use_scalar(w, LLVMGetOperand(pointer, 0)),
                       .element = LLVMTypeOf(value),
                       .align = LLVMGetAlignment(i)};
    for (unsigned first = 0; first < w->l.n; first += l.n) {
        r.part = lw_lane_part(&l, part, first, l.n);
        r.value = lw_lane_part(&l, values, first, l.n);
        r.mask = lw_lane_part(&l, mask, first, l.n);
        r.pointers = lw_lane_part(&l, pointers, first, l.n);
        store_some(&l, &r);
    }
    return true;
}

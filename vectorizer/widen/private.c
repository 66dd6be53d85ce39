/* SPDX-License-Identifier: MIT */
/* Widening of private arrays: rows of lanes where the array is lane-minor, one object per lane otherwise.
 *
 * A pointer into a lane-minor array is kept as the address of its row for lane 0, so `b` bytes further in the
 * scalar program is `b * W` bytes further here; an access adds the lane's element. See private_arrays.h.
 *
 * Enters: an alloca, or an access that lw_lane_minor_behind finds one behind. Leaves: the sub-group's array,
 * and a vector of one row, or gathers and scatters of them.
 */
#include <llvm-c/DebugInfo.h>

#include "../facts/gep.h"
#include "widener.h"

const struct lw_private *
lw_lane_minor_behind(lw_widener *w, LLVMValueRef pointer)
{
    uint32_t id = lw_value_id(w->m, pointer);
    if (id == LW_NONE || w->privates->root[id] == LW_NONE || !w->u->varying_alloca[w->privates->root[id]])
        return NULL;
    return &w->privates->arrays[w->privates->root[id]];
}

static LLVMTypeRef
byte_type(lw_widener *w)
{
    return LLVMInt8TypeInContext(w->l.context);
}

void
lw_widen_alloca(lw_widener *w, LLVMValueRef i)
{
    uint32_t id = lw_value_id(w->m, i);
    struct lw_private *p = &w->privates->arrays[id];
    bool shared = !w->u->varying_alloca[id];
    uint64_t bytes = shared ? p->size : p->size * w->l.n;
    if (bytes > (uint64_t)1 << 30) {
        lw_widen_fail(w, i, "a private array of more than 1 GiB for a sub-group");
        return;
    }
    V made = LLVMBuildAlloca(w->alloca_builder, LLVMArrayType2(byte_type(w), bytes), "private");
    LLVMSetAlignment(made, p->align > 64 || shared ? p->align : 64);
    if (shared || p->layout == LW_PRIVATE_LANE_MINOR) {
        p->few = !shared && lw_has_few_rows(w, i, p);
        lw_define_scalar(w, i, made);
        return;
    }
    int64_t starts[LW_MAX_LANES];
    for (unsigned k = 0; k < w->l.n; k++)
        starts[k] = (int64_t)(k * p->size);
    V offsets = lane_offsets(&w->l, LLVMInt64TypeInContext(w->l.context), starts);
    lw_define_leaf(w, i, 0, LLVMBuildGEP2(w->l.builder, byte_type(w), made, &offsets, 1, ""));
    lw_report_note(w->report, i, "private",
                   "private array per lane: its bytes are mixed or its address escapes");
}

/* The byte offset that a GEP adds: scalar where every index is uniform, else a vector, times `scale`. */
static V
gep_offset(lw_widener *w, LLVMValueRef gep, int64_t scale, bool vector)
{
    LLVMBuilderRef b = w->l.builder;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(w->l.context);
    uint64_t constant = 0;
    V total = NULL;
    for (struct lw_gep_walk g = lw_gep_walk(w->layout, gep); lw_gep_step(&g);) {
        if (!g.index) {
            constant += g.bytes;
            continue;
        }
        V i = vector ? lw_use_vector(w, g.index, 0) : lw_use_scalar(w, g.index);
        LLVMTypeRef wide = vector ? lane_type(&w->l, i64) : i64;
        i = LLVMBuildSExtOrBitCast(b, i, wide, "");
        V factor = LLVMConstInt(i64, g.bytes * (uint64_t)scale, true);
        i = LLVMBuildMul(b, i, vector ? lane_splat(&w->l, factor) : factor, "");
        total = total ? LLVMBuildAdd(b, total, i, "") : i;
    }
    V base = LLVMConstInt(i64, constant * (uint64_t)scale, true);
    if (vector)
        base = lane_splat(&w->l, base);
    return total ? LLVMBuildAdd(b, total, base, "") : base;
}

/* Into a lane-minor array: the row pointer moves by W times the bytes. */
void
lw_widen_private_gep(lw_widener *w, LLVMValueRef i)
{
    bool vector = lw_is_varying(w, i);
    V offset = gep_offset(w, i, w->l.n, vector);
    V base = lw_use_scalar(w, LLVMGetOperand(i, 0));
    if (vector && lw_is_varying(w, LLVMGetOperand(i, 0)))
        base = lw_use_vector(w, LLVMGetOperand(i, 0), 0);
    V made = LLVMBuildGEP2(w->l.builder, byte_type(w), base, &offset, 1, "");
    lw_define_leaf(w, i, 0, made);
}

/* The address of leaf `k` for every lane: scalar (the row, contiguous) or a vector. */
static V
lane_minor_address(lw_widener *w, LLVMValueRef pointer, struct lw_leaf leaf, uint32_t granule,
                   bool *contiguous)
{
    int64_t row = (int64_t)leaf.offset * w->l.n;
    *contiguous = !lw_is_varying(w, pointer);
    if (*contiguous) {
        V offset = lane_int(&w->l, 64, row);
        return LLVMBuildGEP2(w->l.builder, byte_type(w), lw_use_scalar(w, pointer), &offset, 1, "");
    }
    V rows = lw_use_vector(w, pointer, 0);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(w->l.context);
    V lanes = LLVMBuildMul(w->l.builder, lane_iota(&w->l, i64),
                           lane_splat(&w->l, lane_int(&w->l, 64, granule)), "");
    lanes = LLVMBuildAdd(w->l.builder, lanes, lane_splat(&w->l, lane_int(&w->l, 64, row)), "");
    return LLVMBuildGEP2(w->l.builder, byte_type(w), rows, &lanes, 1, "");
}

static unsigned
row_align(lw_widener *w, uint32_t granule)
{
    unsigned bytes = granule * w->l.n;
    return bytes < 64 ? bytes : 64;
}

bool
lw_load_private(lw_widener *w, struct lw_access *a)
{
    const struct lw_private *p = lw_lane_minor_behind(w, a->pointer);
    LLVMTypeRef type = a->type;
    LLVMValueRef i = a->access;
    for (uint32_t k = 0; p && k < a->leaves; k++) {
        struct lw_leaf leaf = lw_leaf_at(w, type, k);
        bool contiguous;
        if (p->few && lw_is_varying(w, LLVMGetOperand(i, 0))) {
            lw_define_leaf(w, i, k, lw_load_few(w, i, k, p, row_align(w, p->granule)));
            lw_report_note(w->report, i, "private", "private array, chosen among all rows");
            continue;
        }
        V address = lane_minor_address(w, LLVMGetOperand(i, 0), leaf, p->granule, &contiguous), made;
        if (contiguous)
            made = lane_load_contiguous(&w->l, leaf.type, address, NULL, row_align(w, p->granule));
        else
            made = lane_gather(&w->l, leaf.type, address, w->mask, p->granule);
        lw_define_leaf(w, i, k, made);
        lw_report_note(w->report, i, "private",
                       contiguous ? "private array, whole row" : "private array, gathered");
    }
    return p != NULL;
}

bool
lw_mark_variable(lw_widener *w, LLVMValueRef i, V store, uint32_t k, uint32_t count)
{
    unsigned row = LLVMGetDebugLocColumn(i);
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(i);
    if (!row || !LLVMGetVolatile(i) || !LLVMIsAStoreInst(store))
        return false;
    LLVMSetVolatile(store, true);
    if (count > 1)
        location = LLVMDIBuilderCreateDebugLocation(w->l.context, LLVMDILocationGetLine(location),
                                                    row + 1 + k, LLVMDILocationGetScope(location),
                                                    LLVMDILocationGetInlinedAt(location));
    LLVMInstructionSetDebugLoc(store, location);
    return true;
}

bool
lw_store_private(lw_widener *w, struct lw_access *a)
{
    const struct lw_private *p = lw_lane_minor_behind(w, a->pointer);
    LLVMValueRef i = a->access, value = a->value;
    for (uint32_t k = 0; p && k < a->leaves; k++) {
        struct lw_leaf leaf = lw_leaf_at(w, LLVMTypeOf(value), k);
        bool contiguous;
        if (p->few && lw_is_varying(w, LLVMGetOperand(i, 1))) {
            lw_store_few(w, i, k, p, row_align(w, p->granule));
            lw_report_note(w->report, i, "private", "private array, blended into all rows");
            continue;
        }
        V v = lw_use_vector(w, value, k);
        V address = lane_minor_address(w, LLVMGetOperand(i, 1), leaf, p->granule, &contiguous);
        if (contiguous) {
            /* A blend, not a masked store: the memory is ours, and sroa sees through it. */
            unsigned align = row_align(w, p->granule);
            if (w->mask)
                v = lane_select(&w->l, w->mask, v,
                                lane_load_contiguous(&w->l, leaf.type, address, NULL, align));
            lane_store_contiguous(&w->l, v, address, NULL, align);
            if (lw_mark_variable(w, i, LLVMGetLastInstruction(LLVMGetInsertBlock(w->l.builder)), k,
                                 a->leaves))
                continue;
        } else {
            lane_scatter(&w->l, v, address, w->mask, p->granule);
        }
        lw_report_note(w->report, i, "private",
                       contiguous ? "private array, whole row" : "private array, scattered");
    }
    return p != NULL;
}

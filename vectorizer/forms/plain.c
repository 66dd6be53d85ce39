/* SPDX-License-Identifier: MIT */
/* Loads and stores as their addresses lie, with nothing but the access itself: one address, contiguous,
 * records that tile memory, a few whole vectors for small strides; else gathers and scatters. Atomic ones,
 * and loads of what is known.
 *
 * Enters: an access that no other form has. Leaves: it, written.
 */
#include "../lanes/internal.h"
#include "../facts/gep.h"
#include "../lanes/window.h"
#include "../subgroup/atomic.h"
#include "../widen/widener.h"

static V
offset_pointer(lw_widener *w, V pointer, int64_t bytes)
{
    LLVMTypeRef byte = LLVMInt8TypeInContext(w->l.context);
    return bytes ? lw_lane_gep(&w->l, byte, pointer, lane_int(&w->l, 64, bytes)) : pointer;
}

/* Strided by what is no element's size, or not at all. */
static bool
tell_gathered(lw_widener *w, const struct lw_access *a, const char *verb)
{
    struct lw_vinfo info = lw_info(w, a->pointer);
    const char *word = a->value ? "store" : "load", *mask = w->may_be_empty ? ", masked" : "";
    if (info.form == LW_STRIDED && info.linear)
        lw_report_note(w->report, a->access, "memory", "%s: strided by %lld bytes, %s%s", word,
                       (long long)info.stride, verb, mask);
    else
        lw_report_note(w->report, a->access, "memory", "%s: %s%s", word, verb, mask);
    return true;
}

/* ---- loads ---- */

/* Of a constant table: its base, and the offsets are known. */
bool
lw_load_known(lw_widener *w, struct lw_access *a)
{
    if (lw_info(w, a->access).form != LW_STRIDED)
        return false;
    V base = lane_load_uniform(&w->l, a->type, lw_use_scalar(w, a->pointer), NULL, a->align, false);
    lw_define_scalar(w, a->access, base);
    return true;
}

bool
lw_load_atomic(lw_widener *w, struct lw_access *a)
{
    LLVMAtomicOrdering order = LLVMGetOrdering(a->access);
    if (order == LLVMAtomicOrderingNotAtomic)
        return false;
    V at = lw_addresses_of(w, a->pointer);
    lw_define_leaf(w, a->access, 0, lane_atomic_load(&w->l, a->type, at, w->mask, order, a->align));
    lw_report_note(w->report, a->access, "memory", "atomic load");
    return true;
}

/* Where no lane is active the value may be anything: nothing but what the lanes have of their own may depend
 * on it, no way taken and no address. */
static bool
serves_lanes_only(lw_widener *w, LLVMValueRef i)
{
    for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsABinaryOperator(user) || !lw_is_varying(w, user))
            return false;
    }
    return true;
}

/* One place in what an argument leads to and nobody writes: the same with lanes or without. */
static bool
is_given(lw_widener *w, LLVMValueRef pointer)
{
    struct lw_place p;
    return lw_space_of(pointer) == LW_AS_CONSTANT && lw_find_place(w, pointer, &p) && !p.terms &&
           LLVMIsAArgument(p.root);
}

bool
lw_load_uniform(lw_widener *w, struct lw_access *a)
{
    LLVMTypeRef type = a->type;
    LLVMValueRef i = a->access, pointer = a->pointer;
    bool any = !w->may_be_empty || (!LLVMGetVolatile(i) && lw_is_readable(w, pointer, type) &&
                                    (is_given(w, pointer) || serves_lanes_only(w, i)));
    V made = lane_load_uniform(&w->l, type, lw_use_scalar(w, pointer), any ? NULL : w->mask,
                               a->align, LLVMGetVolatile(i));
    if (!lw_is_varying(w, i)) {
        lw_define_scalar(w, i, made);
        return true;
    }
    for (uint32_t k = 0; k < a->leaves; k++)
        lw_define_leaf(w, i, k, lw_scalar_leaf(w, made, k));
    return true;
}

bool
lw_load_contiguous(lw_widener *w, struct lw_access *a)
{
    V made = lane_load_contiguous(&w->l, a->type, lw_use_scalar(w, a->pointer), w->mask, a->align);
    lw_define_leaf(w, a->access, 0, made);
    return true;
}

bool
lw_load_interleaved(lw_widener *w, struct lw_access *a)
{
    LLVMBasicBlockRef block = LLVMGetInsertBlock(w->l.builder);
    V made[16], pointer = lw_use_scalar(w, a->pointer); /* which may be loaded here, before anything else */
    V before = LLVMGetLastInstruction(block);
    lane_load_interleaved(&w->l, lw_leaf_at(w, a->type, 0).type, a->leaves, pointer, w->mask, a->align, made);
    if (!lw_note_as_stored(w, a->access, a->leaves, pointer, block, before))
        lw_widen_fail(w, a->access, "out of memory at");
    for (uint32_t k = 0; k < a->leaves; k++)
        lw_define_leaf(w, a->access, k, made[k]);
    return true;
}

/* Strided by constants, but not tiled: a few whole vectors where that is better than gathers. */
bool
lw_load_window(lw_widener *w, struct lw_access *a)
{
    LLVMValueRef i = a->access, pointer = a->pointer;
    struct lw_vinfo info = lw_info(w, pointer);
    int64_t low, high;
    if (info.form != LW_STRIDED || LLVMGetVolatile(i))
        return false;
    lw_find_extent(w, i, &low, &high);
    for (uint32_t k = 0; k < a->leaves; k++) {
        struct lw_leaf leaf = lw_leaf_at(w, a->type, k);
        int64_t offset = (int64_t)leaf.offset;
        unsigned align = lw_align_at(a->align, leaf.offset);
        struct lw_window at = {info.offsets, low - offset, high - offset};
        V base = offset_pointer(w, lw_use_scalar(w, pointer), offset);
        V made = lw_lane_load_window(&w->l, leaf.type, base, &at, w->mask, align);
        if (!made && k == 0)
            return false;
        if (!made)
            made = lane_gather(&w->l, leaf.type, offset_pointer(w, lw_use_vector(w, pointer, 0), offset),
                               w->mask, align);
        lw_define_leaf(w, i, k, made);
    }
    return true;
}

bool
lw_load_gathered(lw_widener *w, struct lw_access *a)
{
    for (uint32_t k = 0; k < a->leaves; k++) {
        struct lw_leaf leaf = lw_leaf_at(w, a->type, k);
        V address = offset_pointer(w, lw_use_vector(w, a->pointer, 0), (int64_t)leaf.offset);
        V made =
            lane_gather(&w->l, leaf.type, address, w->mask, lw_align_at(a->align, leaf.offset));
        lw_define_leaf(w, a->access, k, made);
    }
    bool singly = w->shape->slow_gathers && lane_mask_is_all(w->mask); /* single_loads.c */
    return tell_gathered(w, a, singly ? "gathered one by one" : "gathered");
}

/* ---- stores ---- */

bool
lw_store_atomic(lw_widener *w, struct lw_access *a)
{
    LLVMAtomicOrdering order = LLVMGetOrdering(a->access);
    if (order == LLVMAtomicOrderingNotAtomic)
        return false;
    lane_atomic_store(&w->l, lw_use_vector(w, a->value, 0), lw_addresses_of(w, a->pointer), w->mask, order,
                      a->align);
    lw_report_note(w->report, a->access, "memory", "atomic store");
    return true;
}

/* A scalar store that happens where any lane is active. */
static void
store_scalar(lw_widener *w, V value, V pointer, LLVMValueRef like)
{
    LLVMBuilderRef b = w->l.builder;
    LLVMBasicBlockRef after = NULL;
    if (w->may_be_empty) {
        LLVMBasicBlockRef store = LLVMAppendBasicBlockInContext(w->l.context, w->l.function, "store");
        after = LLVMAppendBasicBlockInContext(w->l.context, w->l.function, "stored");
        LLVMBuildCondBr(b, lane_any(&w->l, w->mask), store, after);
        LLVMPositionBuilderAtEnd(b, store);
    }
    V s = LLVMBuildStore(b, value, pointer);
    LLVMSetAlignment(s, LLVMGetAlignment(like));
    LLVMSetVolatile(s, LLVMGetVolatile(like));
    lw_mark_variable(w, like, s, 0, 1);
    if (after) {
        LLVMBuildBr(b, after);
        LLVMPositionBuilderAtEnd(b, after);
    }
}

bool
lw_store_uniform(lw_widener *w, struct lw_access *a)
{
    LLVMValueRef value = a->value;
    V pointer = lw_use_scalar(w, a->pointer);
    if (lw_info(w, value).form == LW_UNIFORM) {
        store_scalar(w, lw_use_scalar(w, value), pointer, a->access);
        return true;
    }
    for (uint32_t k = 0; k < a->leaves; k++) {
        struct lw_leaf leaf = lw_leaf_at(w, a->type, k);
        lane_store_uniform(&w->l, lw_use_vector(w, value, k),
                           offset_pointer(w, pointer, (int64_t)leaf.offset), w->mask,
                           lw_align_at(a->align, leaf.offset));
    }
    return true;
}

bool
lw_store_contiguous(lw_widener *w, struct lw_access *a)
{
    V value = lw_use_vector(w, a->value, 0);
    lane_store_contiguous(&w->l, value, lw_use_scalar(w, a->pointer), w->mask, a->align);
    return true;
}

bool
lw_store_interleaved(lw_widener *w, struct lw_access *a)
{
    V parts[16], pointer;
    for (uint32_t k = 0; k < a->leaves; k++)
        parts[k] = lw_use_vector(w, a->value, k);
    pointer = lw_use_scalar(w, a->pointer);
    lane_store_interleaved(&w->l, lw_leaf_at(w, a->type, 0).type, a->leaves, parts, pointer, w->mask,
                           a->align);
    return true;
}

bool
lw_store_scattered(lw_widener *w, struct lw_access *a)
{
    LLVMValueRef value = a->value, pointer = a->pointer;
    struct lw_vinfo info = lw_info(w, pointer);
    bool windows = lw_has_form(w, LW_FORM_WINDOW), scatters = false;
    for (uint32_t k = 0; k < a->leaves; k++) {
        struct lw_leaf leaf = lw_leaf_at(w, a->type, k);
        V part = lw_use_vector(w, value, k);
        int64_t offset = (int64_t)leaf.offset;
        unsigned align = lw_align_at(a->align, leaf.offset);
        if (windows && info.form == LW_STRIDED && !LLVMGetVolatile(a->access) &&
            lw_lane_store_window(&w->l, part, offset_pointer(w, lw_use_scalar(w, pointer), offset),
                                 info.offsets, w->mask, align))
            continue;
        scatters = true;
        V at = offset_pointer(w, lw_use_vector(w, pointer, 0), offset);
        if (info.form == LW_STRIDED) /* by constants, which addresses have room for */
            lane_scatter(&w->l, part, at, w->mask, align);
        else
            lane_scatter_away(&w->l, part, at, w->mask, align);
    }
    return tell_gathered(w, a, scatters ? "scattered" : "wide + shuffles");
}

/* SPDX-License-Identifier: MIT */
/* Widening of addresses, loads, stores and atomics.
 *
 * The form of the address decides: uniform -> one scalar access; a stride of one element -> a contiguous
 * vector; a stride of a whole record -> wide load and shuffles; anything else -> gather and scatter, of whole
 * vectors where there are any (forms/vectors.c). Private
 * arrays have their own layout (widen/private.c). Inactive lanes never touch memory that is not private.
 *
 * Enters: a load, store or atomic, its address and its values widened. Leaves: the access of all active
 * lanes, and a note of its kind. Relies on: the mask of the block being w->mask.
 */
#include "../facts/calls.h"
#include "../workgroup/collectives.h"
#include "../lanes/internal.h"
#include "../lanes/window.h"
#include "widener.h"

static LLVMTypeRef
byte_type(lw_widener *w)
{
    return LLVMInt8TypeInContext(w->l.context);
}

static V
offset_pointer(lw_widener *w, V pointer, int64_t bytes)
{
    if (bytes == 0)
        return pointer;
    V offset = lane_int(&w->l, 64, bytes);
    return LLVMBuildGEP2(w->l.builder, byte_type(w), pointer, &offset, 1, "");
}

static bool
is_buffer_start(LLVMValueRef pointer)
{
    return LLVMIsAArgument(pointer) || LLVMIsAGlobalVariable(pointer) ||
           lw_is_call_of(pointer, "lw.local_base");
}

static bool
serves_accesses_only(LLVMValueRef gep)
{
    for (LLVMUseRef use = LLVMGetFirstUse(gep); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool store = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != gep;
        if (!store && !LLVMIsALoadInst(user))
            return false;
    }
    return true;
}

/* The index of an element of two bytes or more, counted from the start of a buffer of less than 4 GiB: the
 * lanes that access the element have one below 2^31, so the lower half tells it all. Gathers take twice as
 * many such indices to an instruction. */
static bool
is_narrow_index(lw_widener *w, LLVMValueRef gep)
{
    unsigned n = (unsigned)LLVMGetNumOperands(gep) - 1;
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    LLVMValueRef first = LLVMGetOperand(gep, 1);
    if (!w->shape->buffers_4g || n > 2 || !is_buffer_start(LLVMGetOperand(gep, 0)) ||
        !serves_accesses_only(gep))
        return false;
    if (n == 2) {
        if (LLVMGetTypeKind(type) != LLVMArrayTypeKind || !LLVMIsAConstantInt(first) || !LLVMIsNull(first))
            return false;
        type = LLVMGetElementType(type);
    }
    return LLVMABISizeOfType(w->layout, type) >= 2;
}

static V
narrow_index(lw_widener *w, V index)
{
    LLVMTypeRef i64 = lane_type(&w->l, LLVMInt64TypeInContext(w->l.context));
    if (LLVMTypeOf(index) != i64)
        return index;
    index = LLVMBuildTrunc(w->l.builder, index, lane_type(&w->l, LLVMInt32TypeInContext(w->l.context)), "");
    return LLVMBuildSExt(w->l.builder, index, i64, "");
}

void
lw_widen_gep(lw_widener *w, LLVMValueRef i)
{
    if (lw_lane_minor_behind(w, i)) {
        lw_widen_private_gep(w, i);
        return;
    }
    if (!lw_is_varying(w, i)) {
        V made = lw_clone_scalar(w, i);
        /* The base of a strided address may lie outside the object: its lane may be inactive. */
        if (LLVMIsAGetElementPtrInst(made))
            LLVMGEPSetNoWrapFlags(made, 0);
        lw_define_scalar(w, i, made);
        return;
    }
    V indices[32];
    unsigned n = (unsigned)LLVMGetNumOperands(i) - 1;
    if (n > 32) {
        lw_widen_fail(w, i, "an address with more than 32 indices");
        return;
    }
    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef index = LLVMGetOperand(i, k + 1);
        bool uniform = lw_info(w, index).form == LW_UNIFORM;
        indices[k] = uniform ? lw_use_scalar(w, index) : lw_use_vector(w, index, 0);
    }
    LLVMValueRef pointer = LLVMGetOperand(i, 0);
    bool uniform = lw_info(w, pointer).form == LW_UNIFORM;
    V base = uniform ? lw_use_scalar(w, pointer) : lw_use_vector(w, pointer, 0);
    if (uniform && is_narrow_index(w, i))
        indices[n - 1] = narrow_index(w, indices[n - 1]);
    V made = LLVMBuildGEP2(w->l.builder, LLVMGetGEPSourceElementType(i), base, indices, n, "");
    if (LLVMGetTypeKind(LLVMTypeOf(made)) != LLVMVectorTypeKind)
        made = lane_splat(&w->l, made);
    lw_define_vector(w, i, 0, made);
}

/* ---- loads and stores ---- */

/* Are the leaves of `type` alike and packed, so that lane records of `stride` bytes tile memory? */
static bool
tiles(lw_widener *w, LLVMTypeRef type, uint32_t count, int64_t stride)
{
    struct lw_leaf first = lw_leaf_at(w, type, 0);
    for (uint32_t k = 0; k < count; k++) {
        struct lw_leaf leaf = lw_leaf_at(w, type, k);
        if (leaf.type != first.type || leaf.offset != k * first.size)
            return false;
    }
    return stride == (int64_t)(count * first.size);
}

enum access { ACCESS_UNIFORM, ACCESS_CONTIGUOUS, ACCESS_INTERLEAVED, ACCESS_GATHERED };

static enum access
classify(lw_widener *w, LLVMValueRef pointer, LLVMTypeRef type, uint32_t leaves)
{
    struct lw_vinfo info = lw_info(w, pointer);
    if (info.form == LW_UNIFORM)
        return ACCESS_UNIFORM;
    if (info.form != LW_STRIDED || !info.linear)
        return ACCESS_GATHERED;
    if (leaves == 1 && info.stride == (int64_t)lw_leaf_at(w, type, 0).size)
        return ACCESS_CONTIGUOUS;
    if (leaves > 1 && leaves <= 16 && tiles(w, type, leaves, info.stride))
        return ACCESS_INTERLEAVED;
    return ACCESS_GATHERED;
}

static const char *
mask_word(lw_widener *w)
{
    return w->may_be_empty ? ", masked" : "";
}

static void
note_access(lw_widener *w, LLVMValueRef i, LLVMValueRef pointer, const char *verb, enum access a)
{
    static const char *const words[] = {"uniform", "contiguous", "wide + shuffles", "per lane"};
    struct lw_vinfo info = lw_info(w, pointer);
    if (a == ACCESS_GATHERED && info.form == LW_STRIDED && info.linear)
        lw_report_note(w->report, i, "memory", "%s: strided by %lld bytes, %s%s", verb,
                       (long long)info.stride, verb[0] == 'l' ? "gathered" : "scattered", mask_word(w));
    else if (a == ACCESS_GATHERED)
        lw_report_note(w->report, i, "memory", "%s: %s%s", verb, verb[0] == 'l' ? "gathered" : "scattered",
                       mask_word(w));
    else
        lw_report_note(w->report, i, "memory", "%s: %s%s", verb, words[a], mask_word(w));
}

static bool
is_atomic(LLVMValueRef i)
{
    return LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic;
}

/* Scalar where uniform, else one per lane. */
static V
address_of(lw_widener *w, LLVMValueRef pointer)
{
    return lw_info(w, pointer).form == LW_UNIFORM ? lw_use_scalar(w, pointer) : lw_use_vector(w, pointer, 0);
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

static void
load_uniform(lw_widener *w, LLVMValueRef i)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    LLVMValueRef pointer = LLVMGetOperand(i, 0);
    bool any = !w->may_be_empty ||
               (!LLVMGetVolatile(i) && lw_is_readable(w, pointer, type) && serves_lanes_only(w, i));
    V made = lane_load_uniform(&w->l, type, lw_use_scalar(w, pointer), any ? NULL : w->mask,
                               LLVMGetAlignment(i), LLVMGetVolatile(i));
    if (!lw_is_varying(w, i)) {
        lw_define_scalar(w, i, made);
        return;
    }
    for (uint32_t k = 0; k < lw_leaf_count(w, type); k++)
        lw_define_vector(w, i, k, lane_splat(&w->l, lw_scalar_leaf(w, made, k)));
}

/* Strided by constants, but not tiled: a few whole vectors where that is better than gathers. */
static bool
load_window(lw_widener *w, LLVMValueRef i, uint32_t leaves)
{
    LLVMValueRef pointer = LLVMGetOperand(i, 0);
    struct lw_vinfo info = lw_info(w, pointer);
    int64_t low, high;
    if (info.form != LW_STRIDED || LLVMGetVolatile(i))
        return false;
    lw_find_extent(w, i, &low, &high);
    for (uint32_t k = 0; k < leaves; k++) {
        struct lw_leaf leaf = lw_leaf_at(w, LLVMTypeOf(i), k);
        int64_t offset = (int64_t)leaf.offset;
        unsigned align = lw_align_at(LLVMGetAlignment(i), leaf.offset);
        struct lw_window at = {info.offsets, low - offset, high - offset};
        V base = offset_pointer(w, lw_use_scalar(w, pointer), offset);
        V made = lw_lane_load_window(&w->l, leaf.type, base, &at, w->mask, align);
        if (!made && k == 0)
            return false;
        if (!made)
            made = lane_gather(&w->l, leaf.type, offset_pointer(w, lw_use_vector(w, pointer, 0), offset),
                               w->mask, align);
        lw_define_vector(w, i, k, made);
    }
    return true;
}

static void
load_gathered(lw_widener *w, LLVMValueRef i, uint32_t leaves)
{
    for (uint32_t k = 0; k < leaves; k++) {
        struct lw_leaf leaf = lw_leaf_at(w, LLVMTypeOf(i), k);
        V address = offset_pointer(w, lw_use_vector(w, LLVMGetOperand(i, 0), 0), (int64_t)leaf.offset);
        V made =
            lane_gather(&w->l, leaf.type, address, w->mask, lw_align_at(LLVMGetAlignment(i), leaf.offset));
        lw_define_vector(w, i, k, made);
    }
}

static void
note_cluster(lw_widener *w, LLVMValueRef i, const char *what)
{
    lw_report_note(w->report, i, "memory", "%s: with those beside it, whole vectors of each lane%s", what, mask_word(w));
}

void
lw_widen_load(lw_widener *w, LLVMValueRef i)
{
    LLVMValueRef pointer = LLVMGetOperand(i, 0);
    LLVMTypeRef type = LLVMTypeOf(i);
    uint32_t leaves = lw_leaf_count(w, type);
    unsigned align = LLVMGetAlignment(i);
    const struct lw_private *array = lw_lane_minor_behind(w, pointer);
    if (array) {
        lw_widen_private_load(w, i, array);
        return;
    }
    if (lw_info(w, i).form == LW_STRIDED) { /* of a constant table: its base, and the offsets are known */
        lw_define_scalar(w, i, lane_load_uniform(&w->l, type, lw_use_scalar(w, pointer), NULL, align, false));
        lw_report_note(w->report, i, "memory", "load: known for every lane");
        return;
    }
    if (is_atomic(i)) {
        lw_define_leaf(
            w, i, 0,
            lane_atomic_load(&w->l, type, address_of(w, pointer), w->mask, LLVMGetOrdering(i), align));
        lw_report_note(w->report, i, "memory", "atomic load");
        return;
    }
    if (lw_widen_record(w, i))
        return;
    if (lw_take_clustered(w, i)) {
        note_cluster(w, i, "load");
        return;
    }
    enum access access = classify(w, pointer, type, leaves);
    const char *how;
    if (access == ACCESS_GATHERED && lw_widen_stream(w, i)) {
        lw_report_note(w->report, i, "memory", "load: four elements of each lane at once");
        return;
    }
    if (access == ACCESS_GATHERED && lw_load_pieces(w, i, &how)) {
        lw_report_note(w->report, i, "memory", "load: %s%s", how, mask_word(w));
        return;
    }
    if (access == ACCESS_GATHERED && leaves == 1 && lw_info(w, pointer).form == LW_VARYING &&
        lw_widen_update(w, i)) {
        lw_report_note(w->report, i, "memory", "load and store back: each lane in memory");
        return;
    }
    if (access == ACCESS_GATHERED && lw_load_bounded(w, i)) {
        lw_report_note(w->report, i, "memory", "load: contiguous but at the bounds%s", mask_word(w));
        return;
    }
    unsigned elements;
    if (access == ACCESS_GATHERED && lw_widen_row(w, i, &elements)) {
        lw_report_note(w->report, i, "memory", "load: %u elements of each lane at once%s", elements,
                       mask_word(w));
        return;
    }
    if (access == ACCESS_GATHERED && lw_load_vectors(w, i)) {
        lw_report_note(w->report, i, "memory", "load: whole vectors of each lane%s", mask_word(w));
        return;
    }
    if (access == ACCESS_GATHERED && lw_load_cluster(w, i)) {
        note_cluster(w, i, "load");
        return;
    }
    bool done = access == ACCESS_GATHERED && load_window(w, i, leaves);
    note_access(w, i, pointer, "load", done ? ACCESS_INTERLEAVED : access);
    if (done)
        return;
    if (access == ACCESS_UNIFORM) {
        load_uniform(w, i);
    } else if (access == ACCESS_CONTIGUOUS) {
        lw_define_vector(w, i, 0,
                         lane_load_contiguous(&w->l, type, lw_use_scalar(w, pointer), w->mask, align));
    } else if (access == ACCESS_INTERLEAVED) {
        LLVMBasicBlockRef block = LLVMGetInsertBlock(w->l.builder);
        V made[16], before = LLVMGetLastInstruction(block);
        lane_load_interleaved(&w->l, lw_leaf_at(w, type, 0).type, leaves, lw_use_scalar(w, pointer), w->mask,
                              align, made);
        if (!lw_note_as_stored(w, i, leaves, lw_use_scalar(w, pointer), block, before))
            lw_widen_fail(w, i, "out of memory at");
        for (uint32_t k = 0; k < leaves; k++)
            lw_define_vector(w, i, k, made[k]);
    } else {
        load_gathered(w, i, leaves);
    }
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

static void
store_uniform(lw_widener *w, LLVMValueRef i)
{
    LLVMValueRef value = LLVMGetOperand(i, 0);
    V pointer = lw_use_scalar(w, LLVMGetOperand(i, 1));
    if (lw_info(w, value).form == LW_UNIFORM) {
        store_scalar(w, lw_use_scalar(w, value), pointer, i);
        return;
    }
    for (uint32_t k = 0; k < lw_leaf_count(w, LLVMTypeOf(value)); k++) {
        struct lw_leaf leaf = lw_leaf_at(w, LLVMTypeOf(value), k);
        lane_store_uniform(&w->l, lw_use_vector(w, value, k),
                           offset_pointer(w, pointer, (int64_t)leaf.offset), w->mask,
                           lw_align_at(LLVMGetAlignment(i), leaf.offset));
    }
}

static void
store_scattered(lw_widener *w, LLVMValueRef i, uint32_t leaves)
{
    LLVMValueRef value = LLVMGetOperand(i, 0), pointer = LLVMGetOperand(i, 1);
    struct lw_vinfo info = lw_info(w, pointer);
    for (uint32_t k = 0; k < leaves; k++) {
        struct lw_leaf leaf = lw_leaf_at(w, LLVMTypeOf(value), k);
        V part = lw_use_vector(w, value, k);
        int64_t offset = (int64_t)leaf.offset;
        unsigned align = lw_align_at(LLVMGetAlignment(i), leaf.offset);
        if (info.form == LW_STRIDED && !LLVMGetVolatile(i) &&
            lw_lane_store_window(&w->l, part, offset_pointer(w, lw_use_scalar(w, pointer), offset),
                                 info.offsets, w->mask, align))
            continue;
        lane_scatter(&w->l, part, offset_pointer(w, lw_use_vector(w, pointer, 0), offset), w->mask, align);
    }
}

void
lw_widen_store(lw_widener *w, LLVMValueRef i)
{
    LLVMValueRef value = LLVMGetOperand(i, 0), pointer = LLVMGetOperand(i, 1);
    LLVMTypeRef type = LLVMTypeOf(value);
    uint32_t leaves = lw_leaf_count(w, type);
    unsigned align = LLVMGetAlignment(i);
    const struct lw_private *array = lw_lane_minor_behind(w, pointer);
    if (array) {
        lw_widen_private_store(w, i, array);
        return;
    }
    if (is_atomic(i)) {
        lane_atomic_store(&w->l, lw_use_vector(w, value, 0), address_of(w, pointer), w->mask,
                          LLVMGetOrdering(i), align);
        lw_report_note(w->report, i, "memory", "atomic store");
        return;
    }
    if (w->updating == i) {
        w->updating = NULL;
        return;
    }
    if (lw_widen_record(w, i))
        return;
    if (lw_put_off_clustered(w, i)) {
        note_cluster(w, i, "store");
        return;
    }
    if (lw_store_second_of_pair(w, i)) {
        lw_report_note(w->report, i, "memory", "store: whole vectors, with the store before it");
        return;
    }
    enum access access = classify(w, pointer, type, leaves);
    if (access == ACCESS_GATHERED && leaves == 1 && lw_info(w, pointer).form == LW_VARYING &&
        lw_store_ranked(w, i)) {
        lw_report_note(w->report, i, "memory", "store: compressed where it follows a scan%s", mask_word(w));
        return;
    }
    if (access == ACCESS_GATHERED && lw_store_joint(w, i)) {
        note_access(w, i, pointer, "store", ACCESS_INTERLEAVED);
        return;
    }
    if (access != ACCESS_UNIFORM && access != ACCESS_CONTIGUOUS && leaves == 1 &&
        lw_store_first_of_pair(w, i)) {
        lw_report_note(w->report, i, "memory", "store: whole vectors, with the store behind it");
        return;
    }
    const char *how;
    if (access == ACCESS_GATHERED && lw_store_pieces(w, i, &how)) {
        lw_report_note(w->report, i, "memory", "store: %s%s", how, mask_word(w));
        return;
    }
    if (access == ACCESS_INTERLEAVED && lw_store_as_stored(w, i, leaves)) {
        lw_report_note(w->report, i, "memory", "store: whole vectors, computed in the order of memory");
        return;
    }
    if (access == ACCESS_GATHERED && lw_store_vectors(w, i)) {
        lw_report_note(w->report, i, "memory", "store: whole vectors of each lane%s", mask_word(w));
        return;
    }
    if (access == ACCESS_GATHERED && lw_store_cluster(w, i)) {
        note_cluster(w, i, "store");
        return;
    }
    note_access(w, i, pointer, "store", access);
    if (access == ACCESS_UNIFORM) {
        store_uniform(w, i);
    } else if (access == ACCESS_CONTIGUOUS) {
        lane_store_contiguous(&w->l, lw_use_vector(w, value, 0), lw_use_scalar(w, pointer), w->mask, align);
    } else if (access == ACCESS_INTERLEAVED) {
        V parts[16];
        for (uint32_t k = 0; k < leaves; k++)
            parts[k] = lw_use_vector(w, value, k);
        lane_store_interleaved(&w->l, lw_leaf_at(w, type, 0).type, leaves, parts, lw_use_scalar(w, pointer),
                               w->mask, align);
    } else {
        store_scattered(w, i, leaves);
    }
}

/* ---- atomics ---- */

void
lw_widen_atomic_rmw(lw_widener *w, LLVMValueRef i)
{
    LLVMValueRef pointer = LLVMGetOperand(i, 0);
    bool used = LLVMGetFirstUse(i) != NULL;
    if (w->u->batched && w->u->batched[lw_value_id(w->m, i)]) {
        V old = lw_workgroup_atomic(&w->l, LLVMGetAtomicRMWBinOp(i), lw_use_scalar(w, pointer),
                                    lw_use_vector(w, LLVMGetOperand(i, 1), 0), w->mask, LLVMGetOrdering(i),
                                    used, w->scratch++);
        if (used)
            lw_define_leaf(w, i, 0, old);
        lw_report_note(w->report, i, "memory", "atomic of the work-group: one for all sub-groups");
        return;
    }
    V made = lane_atomic_rmw(&w->l, LLVMGetAtomicRMWBinOp(i), address_of(w, pointer),
                             lw_use_vector(w, LLVMGetOperand(i, 1), 0), w->mask, LLVMGetOrdering(i), used);
    if (used)
        lw_define_leaf(w, i, 0, made);
    lw_report_note(w->report, i, "memory", "atomic on a %s address",
                   lw_info(w, pointer).form == LW_UNIFORM ? "uniform" : "varying");
}

void
lw_widen_cmpxchg(lw_widener *w, LLVMValueRef i)
{
    V old, swapped;
    lane_atomic_cmpxchg(&w->l, address_of(w, LLVMGetOperand(i, 0)), lw_use_vector(w, LLVMGetOperand(i, 1), 0),
                        lw_use_vector(w, LLVMGetOperand(i, 2), 0), w->mask, LLVMGetCmpXchgSuccessOrdering(i),
                        LLVMGetCmpXchgFailureOrdering(i), &old, &swapped);
    lw_define_leaf(w, i, 0, old);
    lw_define_leaf(w, i, 1, swapped);
    lw_report_note(w->report, i, "memory", "atomic compare-exchange, lane after lane");
}

/* SPDX-License-Identifier: MIT */
/* Vectors of OpenCL C, and what else is of equal components side by side, at addresses that differ from lane
 * to lane in any way: moved whole (lanes/vectors.c).
 *
 * Enters: a load about to be gathered, a store about to be scattered. Leaves: the access, or nothing. Legal
 * wherever a gather of each component is: the same bytes are read and written, those of active lanes.
 */
#include "../lanes/internal.h"
#include "../widen/widener.h"

#define MOST_LEAVES 16

LLVMTypeRef
lw_packed_element(lw_widener *w, LLVMTypeRef type, uint32_t leaves)
{
    struct lw_leaf first = lw_leaf_at(w, type, 0);
    if (leaves < 2 || leaves > MOST_LEAVES)
        return NULL;
    for (uint32_t k = 1; k < leaves; k++) {
        struct lw_leaf leaf = lw_leaf_at(w, type, k);
        if (leaf.type != first.type || leaf.offset != k * first.size)
            return NULL;
    }
    return first.type;
}

/* Do the lanes' vectors lie apart? Where they overlap, whole registers may have them all, as they may have
 * small ones near each other (lanes/window.c). */
static bool
lie_apart(const struct lw_vinfo *info, uint64_t bytes)
{
    if (info->form != LW_STRIDED)
        return true;
    return bytes >= 4 && info->linear && (uint64_t)(info->stride < 0 ? -info->stride : info->stride) >= bytes;
}

static LLVMTypeRef
moved_element(lw_widener *w, LLVMValueRef access, LLVMValueRef pointer, LLVMTypeRef type, uint32_t leaves)
{
    LLVMTypeRef element = LLVMGetVolatile(access) ? NULL : lw_packed_element(w, type, leaves);
    struct lw_vinfo info = lw_info(w, pointer);
    if (!element || !lie_apart(&info, leaves * lw_leaf_at(w, type, 0).size) ||
        !lane_moves_vectors(&w->l, element, leaves, LLVMGetAlignment(access), LLVMIsAStoreInst(access)))
        return NULL;
    return element;
}

static struct lw_lane_places
places_of(lw_widener *w, LLVMValueRef pointer)
{
    struct lw_vinfo info = lw_info(w, pointer);
    struct lw_lane_places places = {.pointers = lw_use_vector(w, pointer, 0)};
    if (info.form == LW_STRIDED) {
        places.base = lw_use_scalar(w, pointer);
        places.offsets = info.offsets;
    }
    return places;
}

bool
lw_gather_vectors(lw_widener *w, LLVMValueRef load, V *out)
{
    LLVMValueRef pointer = LLVMGetOperand(load, 0);
    uint32_t leaves = lw_leaf_count(w, LLVMTypeOf(load));
    LLVMTypeRef element = moved_element(w, load, pointer, LLVMTypeOf(load), leaves);
    if (!element)
        return false;
    struct lw_lane_places places = places_of(w, pointer);
    lane_gather_vectors(&w->l, element, leaves, &places, w->mask, LLVMGetAlignment(load), out);
    return true;
}

bool
lw_load_vectors(lw_widener *w, struct lw_access *a)
{
    LLVMValueRef load = a->access;
    V made[MOST_LEAVES];
    if (!lw_gather_vectors(w, load, made))
        return false;
    for (uint32_t k = 0; k < lw_leaf_count(w, LLVMTypeOf(load)); k++)
        lw_define_leaf(w, load, k, made[k]);
    return true;
}

bool
lw_store_vectors(lw_widener *w, struct lw_access *a)
{
    LLVMValueRef store = a->access;
    LLVMValueRef value = a->value, pointer = a->pointer;
    uint32_t leaves = a->leaves;
    V parts[MOST_LEAVES];
    if (!moved_element(w, store, pointer, LLVMTypeOf(value), leaves))
        return false;
    for (uint32_t k = 0; k < leaves; k++)
        parts[k] = lw_use_vector(w, value, k);
    struct lw_lane_places places = places_of(w, pointer);
    lane_scatter_vectors(&w->l, parts, leaves, &places, w->mask, LLVMGetAlignment(store));
    return true;
}

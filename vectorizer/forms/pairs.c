/* SPDX-License-Identifier: MIT */
/* Two stores whose lanes leave gaps that the other fills (`a[2 * i] = x; a[2 * i + 1] = y`, the halves of a
 * sorting network's steps): whole vectors, where each alone would be masked stores or one element after the
 * other.
 *
 * Enters: a store at constant distances from lane 0's, of all lanes. Leaves: shuffles and two plain stores,
 * at the second one. Relies on: a block's instructions being widened in order. Never: moves a store past
 * anything that touches memory, or writes a byte that the lanes do not.
 */
#include "../facts/memory_effects.h"
#include "../lanes/internal.h"
#include "../widen/widener.h"

#define FAR 60 /* instructions between the two */

/* A store that is written together with the other; NULL: none. */
struct pair {
    LLVMValueRef first, second;
};

bool
lw_is_plain_store(LLVMValueRef i)
{
    return LLVMIsAStoreInst(i) && !lw_is_ordered_access(i);
}

/* Fills from[]: by element from the lowest, the lane of `a`, or of `b` + lanes. */
static bool
interlock(lw_widener *w, LLVMValueRef a, LLVMValueRef b, int64_t *low, int from[])
{
    LLVMValueRef at[] = {LLVMGetOperand(a, 1), LLVMGetOperand(b, 1)};
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(a, 0));
    struct lw_vinfo info[] = {lw_info(w, at[0]), lw_info(w, at[1])};
    int64_t apart, size = (int64_t)LLVMStoreSizeOfType(w->layout, type);
    unsigned n = w->l.n;

    if (LLVMTypeOf(LLVMGetOperand(b, 0)) != type || info[0].form != LW_STRIDED ||
        info[1].form != LW_STRIDED || !lw_is_beside(w, at[0], at[1], &apart) || apart > 4096 || apart < -4096)
        return false;
    *low = apart < 0 ? apart : 0;
    for (unsigned k = 0; k < 2 * n; k++) {
        int64_t offset = k < n ? info[0].offsets[k] : apart + info[1].offsets[k - n];
        *low = offset < *low ? offset : *low;
        from[k] = -1;
    }
    for (unsigned k = 0; k < 2 * n; k++) {
        int64_t offset = (k < n ? info[0].offsets[k] : apart + info[1].offsets[k - n]) - *low;
        if (offset % size || offset / size >= 2 * n || from[offset / size] >= 0)
            return false;
        from[offset / size] = (int)k;
    }
    return true;
}

bool
lw_store_first_of_pair(lw_widener *w, struct lw_access *a)
{
    struct pair *waiting = lw_form_state(w, LW_FORM_PAIRS, sizeof *waiting);
    LLVMValueRef store = a->access;
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(store, 0));
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    int64_t low;
    int from[2 * LW_MAX_LANES];
    bool numbers = kind == LLVMIntegerTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;

    if (w->mask || waiting->first || !numbers || !lw_is_plain_store(store) ||
        lw_info(w, LLVMGetOperand(store, 1)).form != LW_STRIDED ||
        (kind == LLVMIntegerTypeKind && (LLVMGetIntTypeWidth(type) < 8 || LLVMGetIntTypeWidth(type) > 64)))
        return false;
    LLVMValueRef i = LLVMGetNextInstruction(store);
    for (unsigned k = 0; i && k < FAR && lw_only_computes(i); k++)
        i = LLVMGetNextInstruction(i);
    if (!i || !lw_is_plain_store(i) || lw_lane_minor_behind(w, LLVMGetOperand(i, 1)) ||
        !interlock(w, store, i, &low, from))
        return false;
    *waiting = (struct pair){store, i};
    return true;
}

bool
lw_store_second_of_pair(lw_widener *w, struct lw_access *access)
{
    int from[2 * LW_MAX_LANES];
    struct pair *waiting = w->forms[LW_FORM_PAIRS];
    LLVMValueRef store = access->access, first = waiting ? waiting->first : NULL;
    unsigned n = w->l.n;
    int64_t low;

    if (!first || store != waiting->second || !interlock(w, first, store, &low, from))
        return false;
    *waiting = (struct pair){NULL, NULL};
    V a = lw_lane_to_memory(&w->l, lw_use_vector(w, LLVMGetOperand(first, 0), 0));
    V b = lw_lane_to_memory(&w->l, lw_use_vector(w, LLVMGetOperand(store, 0), 0));
    LLVMTypeRef i8 = LLVMInt8TypeInContext(w->l.context);
    int64_t size = (int64_t)LLVMStoreSizeOfType(w->layout, LLVMTypeOf(LLVMGetOperand(store, 0)));
    for (unsigned k = 0; k < 2; k++) {
        V whole = lw_lane_shuffle_const(&w->l, a, b, from + k * n, n);
        V at = lw_lane_gep(&w->l, i8, lw_use_scalar(w, LLVMGetOperand(first, 1)),
                           lane_int(&w->l, 64, low + (int64_t)(k * n) * size));
        unsigned align = LLVMGetAlignment(first) < LLVMGetAlignment(store) ? LLVMGetAlignment(first)
                                                                           : LLVMGetAlignment(store);
        LLVMSetAlignment(LLVMBuildStore(w->l.builder, whole, at),
                         align < (unsigned)size ? align : (unsigned)size);
    }
    return true;
}

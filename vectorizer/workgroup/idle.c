/* SPDX-License-Identifier: MIT */
/* The sub-groups that a region has nothing to do for, because of their number.
 *
 *     for (o = size / 2; o > 0; o /= 2) { if (id < o) a[id] += a[id + o]; barrier }
 *
 * Half of the sub-groups stay in each round of a tree, then a quarter, ... at last one: ten loops over the
 * others, for a work-group of 1,024, took longer than the tree.
 *
 * Enters: a plan (slots.c), full sub-groups of a constant number. Leaves: by region, how many of the first
 * ones go through it.
 * Legal: a sub-group may leave a region out where its code there, with the sub-group's number a constant,
 * reaches nothing that writes or that is not known (lw_region_acts), and where no value that it computes
 * there is wanted in a region that it does go through: values wanted elsewhere, by way of those computed
 * again from them, and the phis of cuts, which the edges into them leave. Where a region leads to several
 * others its first sub-group says where to go, so one stays always. Parted sub-groups each say where they go:
 * all stay.
 */
#include "regions.h"

#define MOST_SUB_GROUPS 256 /* that are looked at one by one */

/* Region `r` is for so many at least. */
static void
raise(uint64_t *busy, uint32_t r, uint64_t count, bool *changed)
{
    if (r != LW_NONE && busy[r] < count) {
        busy[r] = count;
        *changed = true;
    }
}

/* So many sub-groups want `x` at hand in region `at`. */
static void
want(struct lw_former *f, LLVMValueRef x, uint32_t at, uint64_t count, bool *changed)
{
    const struct lw_carried *v = lw_find_carried(f, x);

    if (!v)
        return;
    if (v->region != at)
        raise(f->busy, v->region, count, changed);
    if (v->region == at || v->carrier != LW_CARRY_COMPUTE || v->query != LW_Q_NONE)
        return;
    for (int k = 0; k < LLVMGetNumOperands(x); k++)
        want(f, LLVMGetOperand(x, (unsigned)k), at, count, changed);
}

static void
want_operands(struct lw_former *f, const struct lw_carried *user, bool *changed)
{
    uint64_t count = f->busy[user->region];

    if (!LLVMIsAPHINode(user->ref)) {
        for (int k = 0; k < LLVMGetNumOperands(user->ref); k++)
            want(f, LLVMGetOperand(user->ref, (unsigned)k), user->region, count, changed);
        return;
    }
    for (unsigned k = 0; k < LLVMCountIncoming(user->ref); k++) {
        uint32_t from = lw_edge_region(f, LLVMGetIncomingBlock(user->ref, k));
        if (user->cut_phi)
            raise(f->busy, from, count, changed);
        want(f, LLVMGetIncomingValue(user->ref, k), from, count, changed);
    }
}

void
lw_find_busy(struct lw_former *f, uint64_t full)
{
    uint32_t regions = f->cuts->region_count;
    bool look = regions > 1 && !f->parted && !(f->shape->build & LW_BUILD_FIRST) && full <= MOST_SUB_GROUPS;

    f->busy = LW_ARENA_NEW(f->arena, uint64_t, regions);
    for (uint32_t r = 0; r < regions; r++) {
        f->busy[r] = full;
        while (look && f->busy[r] > 1 && !lw_region_acts(f, r, f->busy[r] - 1))
            f->busy[r]--;
    }
    for (bool changed = look; changed;) {
        changed = false;
        for (uint32_t n = f->value_count; n-- > 0;)
            want_operands(f, &f->values[n], &changed);
    }
}

/* SPDX-License-Identifier: MIT */
/* Code for sub-groups whose lanes are all active: which arms have it, which of its blocks need no mask, and
 * the condition under which a loop goes round with all lanes.
 *
 * Enters: the widener, in the middle of a function. Leaves: scalar instructions at the builder.
 * Relies on: the edges of the code for all lanes being written in block order. Never: says all where one is
 * not.
 */
#include "../facts/integers.h"
#include "../lanes/internal.h"
#include "widener.h"

#define MOST_ARM 240 /* instructions of one arm that is written twice */
#define MOST_ARMS 16 /* around a block, that are looked at */
#define SHORT_ARM 120
#define MOST_BETWEEN 24 /* instructions for each access, of arms that are longer: no masks is worth little */
#define MOST_WRITTEN_TWICE 480

/* Is the block in a loop that goes round with all lanes in the code at hand? Lanes that come round by an arm
 * in it would have to be asked once more whether all are there. */
static bool
goes_round_full(lw_widener *w, uint32_t b)
{
    if (w->full_arm == LW_NONE)
        return false;
    for (uint32_t l = w->m->blocks[b].loop; l != LW_NONE; l = w->m->loops[l].parent) {
        uint32_t header = w->m->loops[l].header;
        if (header < b && header >= w->full_arm && lw_runs_full(w, header))
            return true;
    }
    return false;
}

/* In a loop of shared accesses: written several times already, and what is carried from round to round is in
 * the slots of its exit, which lanes that all stay do not write (edges.c, kept_behind). */
static bool
is_in_rounds(lw_widener *w, uint32_t b)
{
    for (uint32_t l = w->m->blocks[b].loop; l != LW_NONE; l = w->m->loops[l].parent)
        if (lw_in_rounds(w, l))
            return true;
    return false;
}

/* Addresses are part of their accesses, however many sink_addresses made of one. */
static bool
is_counted(LLVMValueRef v)
{
    return !LLVMIsAGetElementPtrInst(v) && !LLVMIsASExtInst(v) && !LLVMIsAZExtInst(v);
}

/* How long an arm is that is worth code of its own; 0: it is not. */
static uint32_t
worth_twice(lw_widener *w, uint32_t b)
{
    const struct lw_vblock *k = &w->m->blocks[b];
    uint32_t count = 0, accesses = 0;
    if (!w->plan->blocks[b].guarded || !w->shape->local_size[0] || k->dom_end <= b || is_in_rounds(w, b))
        return 0;
    for (uint32_t at = b; at < k->dom_end && count <= MOST_ARM; at++) {
        const struct lw_vblock *block = &w->m->blocks[at];
        if (lw_begins_streams(w, at)) /* written several times already */
            return 0;
        for (uint32_t n = block->first_value; n < block->value_end; n++) {
            LLVMValueRef v = w->m->values[n];
            count += is_counted(v);
            /* Atomics on one address are done for all sub-groups together, in one place. */
            if (LLVMIsAAllocaInst(v) || LLVMIsAAtomicCmpXchgInst(v) ||
                (LLVMIsAAtomicRMWInst(v) && lw_info(w, LLVMGetOperand(v, 0)).form != LW_VARYING))
                return 0;
            accesses += LLVMIsALoadInst(v) || LLVMIsAStoreInst(v);
        }
    }
    bool is_worth = accesses && count <= MOST_ARM && (count <= SHORT_ARM || count <= MOST_BETWEEN * accesses);
    return is_worth ? count : 0;
}

/* Most sub-groups take a guard like `if (i < n)` with all of their lanes: worth code of its own, without
 * masks, where the arm goes to memory. */
bool
lw_has_full_arm(lw_widener *w, uint32_t b)
{
    if (b < w->partial_end || goes_round_full(w, b))
        return false;
    uint32_t count = worth_twice(w, b);
    if (!count || w->written_twice + count > MOST_WRITTEN_TWICE)
        return false;
    w->written_twice += count;
    return true;
}

/* Before anything is written: is the block likely in an arm that will be? */
bool
lw_may_run_full(lw_widener *w, uint32_t b)
{
    uint32_t looks = MOST_ARMS;
    for (uint32_t arm = b + 1; looks && arm-- > 0;) {
        if (!w->plan->blocks[arm].guarded || b >= w->m->blocks[arm].dom_end)
            continue;
        if (worth_twice(w, arm))
            return true;
        looks--;
    }
    return false;
}

/* Does control go from block `at` to one of first to last? `edges`: also where lanes go. Else only where it
 * goes on with none, past blocks that other lanes may wait in. */
static bool
leads_into(lw_widener *w, uint32_t at, uint32_t first, uint32_t last, bool edges)
{
    const struct lw_vblock *k = &w->m->blocks[at];
    const struct lw_block_plan *plan = &w->plan->blocks[at];
    uint32_t to[] = {plan->exit == LW_EXIT_RETURN ? LW_NONE : plan->to[0],
                     plan->exit == LW_EXIT_BRANCH || plan->exit == LW_EXIT_LOOP ? plan->to[1] : LW_NONE,
                     plan->guarded ? plan->guard_else : LW_NONE};
    for (unsigned n = 0; n < 3; n++) {
        bool is_edge = false;
        for (uint32_t s = 0; s < k->succ_count; s++)
            is_edge |= k->succs[s] == to[n];
        if (to[n] >= first && to[n] <= last && (edges || !is_edge))
            return true;
    }
    return false;
}

/* Where lanes that parted at a block for all of them have met again: no way from there leads past this block,
 * nor one into the blocks between from before. Nor does one lead around the loop that both are in: its only
 * latch is behind them. */
static bool
meets_full(lw_widener *w, uint32_t b)
{
    uint32_t parted = w->m->blocks[b].idom;
    while (parted != LW_NONE && parted >= w->full_arm && w->m->blocks[b].loop != w->m->blocks[parted].loop)
        parted = w->m->blocks[parted].idom;
    if (parted == LW_NONE || parted < w->full_arm)
        return false;
    for (uint32_t at = parted; at < b; at++) {
        const struct lw_vblock *between = &w->m->blocks[at];
        for (uint32_t s = 0; s < between->succ_count; s++)
            if (between->succs[s] > b)
                return false;
        if (!between->succ_count)
            return false;
    }
    for (uint32_t at = w->full_arm; at < parted; at++)
        if (leads_into(w, at, parted + 1, b, true))
            return false;
    return lw_runs_full(w, parted);
}

/* All ways forward to it bring all lanes, and none is taken without any. */
static bool
comes_full(lw_widener *w, uint32_t b)
{
    const struct lw_vblock *k = &w->m->blocks[b];
    uint32_t forward = 0;
    for (uint32_t p = 0; p < k->pred_count; p++)
        forward += k->preds[p] < b;
    if (!forward || w->full_edges[b] != forward)
        return false;
    for (uint32_t at = w->full_arm; at < b; at++)
        if (leads_into(w, at, b, b, false))
            return false;
    return true;
}

/* A loop goes round in this code with all lanes only. */
bool
lw_runs_full(lw_widener *w, uint32_t b)
{
    return b == w->full_arm || comes_full(w, b) || meets_full(w, b);
}

/* The highest offset of a lane, where none is below lane 0's; else -1. */
static int64_t
highest_offset(lw_widener *w, const struct lw_vinfo *x)
{
    int64_t highest = 0;
    for (unsigned lane = 0; lane < w->l.n; lane++) {
        if (x->offsets[lane] < 0)
            return -1;
        highest = x->offsets[lane] > highest ? x->offsets[lane] : highest;
    }
    return highest < INT32_MAX ? highest : -1;
}

static V
constant(LLVMTypeRef type, int64_t value)
{
    return LLVMConstInt(type, (unsigned long long)value, true);
}

/* x + highest < y, or <=, for lane 0's x, where neither side leaves the type: then no lane is above. */
static V
stays_below(lw_widener *w, LLVMIntPredicate p, V x, int64_t highest, V y)
{
    LLVMBuilderRef b = w->l.builder;
    LLVMTypeRef type = LLVMTypeOf(x);
    bool is_signed = p == LLVMIntSLT || p == LLVMIntSLE;
    int64_t lowest = is_signed ? INT64_MIN >> (64 - LLVMGetIntTypeWidth(type)) : 0;
    LLVMIntPredicate at_least = is_signed ? LLVMIntSGE : LLVMIntUGE;
    V room = LLVMBuildICmp(b, at_least, y, constant(type, lowest + highest), "");
    V below = LLVMBuildICmp(b, p, x, LLVMBuildSub(b, y, constant(type, highest), ""), "");
    return LLVMBuildAnd(b, room, below, "");
}

/* A counter against its bound: x `p` y in the lanes that answer `answer`, where `p` is one of < and <=, x is
 * strided, and no lane is behind lane 0. */
struct counted {
    LLVMIntPredicate p;
    V x, y; /* of lane 0 */
    int64_t highest;
};

static bool
find_counted(lw_widener *w, LLVMValueRef condition, bool answer, struct counted *c)
{
    static const LLVMIntPredicate swapped[][2] = {{LLVMIntULT, LLVMIntUGT},
                                                  {LLVMIntULE, LLVMIntUGE},
                                                  {LLVMIntSLT, LLVMIntSGT},
                                                  {LLVMIntSLE, LLVMIntSGE}};
    if (!LLVMIsAICmpInst(condition))
        return false;
    LLVMValueRef x = LLVMGetOperand(condition, 0), y = LLVMGetOperand(condition, 1);
    LLVMIntPredicate p = LLVMGetICmpPredicate(condition);
    if (!answer)
        p = lw_inverse(p);
    for (int k = 0; k < 4; k++)
        if (p == swapped[k][1]) {
            LLVMValueRef z = x;
            x = y;
            y = z;
            p = swapped[k][0];
            break;
        }
    struct lw_vinfo left = lw_info(w, x), right = lw_info(w, y);
    bool below = p == LLVMIntULT || p == LLVMIntULE || p == LLVMIntSLT || p == LLVMIntSLE;
    bool counts = LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMIntegerTypeKind && left.form == LW_STRIDED &&
                  !left.assumes_no_wrap && right.form == LW_UNIFORM &&
                  LLVMGetIntTypeWidth(LLVMTypeOf(x)) >= 32 && LLVMGetIntTypeWidth(LLVMTypeOf(x)) <= 64;
    c->highest = below && counts ? highest_offset(w, &left) : -1;
    if (c->highest < 0)
        return false;
    c->p = p;
    c->x = lw_use_scalar(w, x);
    c->y = lw_use_scalar(w, y);
    return true;
}

/* Whether all lanes answer `answer`; may say no where they do. A counter that is compared with a bound is
 * compared once, for the lane that is furthest on. */
V
lw_all_agree(lw_widener *w, LLVMValueRef condition, bool answer)
{
    LLVMBuilderRef b = w->l.builder;
    struct counted counted;
    V whole = lw_all_lanes(w, condition, answer);
    if (whole)
        return whole;
    if (find_counted(w, condition, answer, &counted))
        return stays_below(w, counted.p, counted.x, counted.highest, counted.y);
    V c = LLVMBuildFreeze(b, lw_use_vector(w, condition, 0), "");
    return lane_all(&w->l, answer ? c : LLVMBuildNot(b, c, ""));
}

/* Whether no lane answers `answer`, where one comparison of scalars tells: a counter that has passed its
 * bound in lane 0 has in the others too, unless they wrap. May say no where none does. NULL: it takes
 * vectors. */
V
lw_none_agrees(lw_widener *w, LLVMValueRef condition, bool answer)
{
    LLVMBuilderRef b = w->l.builder;
    struct counted c;
    V none = lw_all_lanes(w, condition, !answer);
    if (none)
        return none;
    if (!find_counted(w, condition, answer, &c))
        return NULL;
    bool is_signed = c.p == LLVMIntSLT || c.p == LLVMIntSLE;
    unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(c.x));
    int64_t top = is_signed ? (int64_t)(UINT64_MAX >> (65 - width)) : (int64_t)(UINT64_MAX >> (64 - width));
    V room = LLVMBuildICmp(b, is_signed ? LLVMIntSLE : LLVMIntULE, c.x,
                           constant(LLVMTypeOf(c.x), (int64_t)((uint64_t)top - (uint64_t)c.highest)), "");
    V below = LLVMBuildICmp(b, c.p, c.x, c.y, "");
    return LLVMBuildFreeze(b, LLVMBuildAnd(b, room, LLVMBuildNot(b, below, ""), ""), "");
}

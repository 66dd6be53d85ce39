/* SPDX-License-Identifier: MIT */
/* The turned loop, written (turn.c decides): loads and transposes, one vector for each lane that is wanted,
 * transposes and stores.
 *
 * Enters: a loop of which every instruction is known, with the lanes wanted of each.
 * Leaves: the loop with a step of t->step sub-groups. Relies on: their accesses keeping the order of the
 * loop's text.
 */
#include <string.h>

#include "../facts/elementwise.h"
#include "pack_internal.h"
#include "turn_internal.h"

/* One of the sub-groups' copies of a scalar. */
static V
copy_of(struct turner *t, V x, unsigned sub_group)
{
    struct turned *v = lw_turn_find(t, x);

    return v ? v->copies[sub_group] : x;
}

static void
write_scalars(struct turner *t, struct turned *v)
{
    LLVMTypeRef type = LLVMTypeOf(v->ref);

    for (unsigned s = 0; s < t->step; s++) {
        if (v->ref == t->counter) {
            v->copies[s] =
                s ? LLVMBuildNUWAdd(t->l.builder, v->ref, LLVMConstInt(type, s, false), "") : v->ref;
            continue;
        }
        V copy = LLVMInstructionClone(v->ref);
        for (int k = 0; k < LLVMGetNumOperands(v->ref); k++)
            LLVMSetOperand(copy, (unsigned)k, copy_of(t, LLVMGetOperand(v->ref, (unsigned)k), s));
        LLVMInsertIntoBuilder(t->l.builder, copy);
        v->copies[s] = copy;
    }
}

static V
lane_of(struct turner *t, V x, unsigned lane)
{
    struct turned *v = lw_turn_find(t, x);
    V splat = v ? NULL : lw_lane_splat_source(x), one;

    if (v)
        return v->lanes[lane];
    one = splat ? splat : LLVMGetAggregateElement(x, lane);
    return lw_lane_splat_n(&t->l, one, t->step);
}

static V
address(struct turner *t, V pointer, LLVMTypeRef element, unsigned sub_group, unsigned first)
{
    V at = lane_int(&t->l, 64, first), base = copy_of(t, pointer, sub_group);

    return first ? LLVMBuildGEP2(t->l.builder, element, base, &at, 1, "") : base;
}

static unsigned
alignment(V access, unsigned first)
{
    return first && LLVMGetAlignment(access) > 4 ? 4 : LLVMGetAlignment(access);
}

static void
write_load(struct turner *t, struct turned *v)
{
    LLVMTypeRef element = lw_lane_element(v->ref), type = LLVMVectorType(element, t->step);

    for (unsigned first = 0; first < t->lanes; first += t->step) {
        for (unsigned s = 0; s < t->step; s++) {
            V from = address(t, LLVMGetOperand(v->ref, 0), element, s, first);
            V row = v->lanes[first + s] = LLVMBuildLoad2(t->l.builder, type, from, "");
            LLVMSetAlignment(row, alignment(v->ref, first));
        }
        lw_lane_turn_square(&t->l, v->lanes + first, 32);
    }
}

static void
write_store(struct turner *t, struct turned *v)
{
    V value = LLVMGetOperand(v->ref, 0), rows[MOST_STEP];

    for (unsigned first = 0; first < t->lanes; first += t->step) {
        for (unsigned s = 0; s < t->step; s++)
            rows[s] = lane_of(t, value, first + s);
        lw_lane_turn_square(&t->l, rows, 32);
        for (unsigned s = 0; s < t->step; s++) {
            V to = address(t, LLVMGetOperand(v->ref, 1), lw_lane_element(value), s, first);
            LLVMSetAlignment(LLVMBuildStore(t->l.builder, rows[s], to), alignment(v->ref, first));
        }
    }
}

static V
write_lane(struct turner *t, V i, unsigned lane)
{
    int count = LLVMGetNumOperands(i) - (LLVMIsACallInst(i) != NULL);
    V x[3] = {0};

    for (int k = 0; k < count && k < 3; k++)
        x[k] = lane_of(t, LLVMGetOperand(i, (unsigned)k), lane);
    return lw_build_like(t->l.builder, i, LLVMVectorType(lw_lane_element(i), t->step), x);
}

/* Lane by lane, all instructions from t->written up to `end`: they make no use of each other's other lanes.
 */
static void
write_lanes(struct turner *t, uint32_t end)
{
    unsigned there;
    V from;

    for (unsigned k = 0; k < t->lanes; k++) {
        for (uint32_t n = t->written; n < end; n++) {
            struct turned *v = &t->values[n];
            if (!v->lanes || v->written || !(v->wanted >> k & 1))
                continue;
            if (!v->shuffle) {
                v->lanes[k] = write_lane(t, v->ref, k);
            } else if (lw_turn_comes_from(t, v->ref, k, &from, &there)) {
                v->lanes[k] = lane_of(t, from, there);
            } else {
                v->lanes[k] = LLVMGetPoison(LLVMVectorType(lw_lane_element(v->ref), t->step));
            }
        }
    }
    for (; t->written < end; t->written++)
        t->values[t->written].written = true;
}

static void
write_value(struct turner *t, uint32_t n)
{
    struct turned *v = &t->values[n];

    if (v->ref == t->next || v->ref == t->test || LLVMIsATerminatorInst(v->ref))
        return;
    if (v->ref == t->counter || lw_turn_is_scalar(v->ref)) {
        write_scalars(t, v);
        return;
    }
    if (!v->wanted)
        return;
    if (LLVMIsAStoreInst(v->ref)) {
        write_lanes(t, n);
        write_store(t, v);
        return;
    }
    if (LLVMIsALoadInst(v->ref) || (v->shuffle && !lw_turn_is_blend(t, v->ref)))
        write_lanes(t, n);
    v->lanes = LW_ARENA_NEW(t->arena, V, t->lanes);
    v->written = LLVMIsALoadInst(v->ref) != NULL;
    if (v->written)
        write_load(t, v);
}

void
lw_turn_write(struct turner *t)
{
    V step = LLVMConstInt(LLVMTypeOf(t->counter), t->step, false), last = LLVMGetOperand(t->test, 1);
    uint64_t trips = LLVMConstIntGetZExtValue(last) + 1;

    t->written = 0;
    LLVMPositionBuilderBefore(t->l.builder, LLVMGetBasicBlockTerminator(t->block));
    for (uint32_t n = 0; n < t->count; n++)
        write_value(t, n);
    LLVMSetOperand(t->next, 1, step);
    LLVMSetOperand(t->test, 1, LLVMConstInt(LLVMTypeOf(last), trips - t->step, false));
    for (uint32_t n = t->count; n-- > 0;) {
        V i = t->values[n].ref;
        bool kept = i == t->counter || i == t->next || i == t->test || LLVMIsATerminatorInst(i);
        if (!kept && !LLVMGetFirstUse(i))
            LLVMInstructionEraseFromParent(i);
    }
}

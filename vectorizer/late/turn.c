/* SPDX-License-Identifier: MIT */
/* Sub-groups that exchange lanes among themselves again and again (sorting networks, butterflies) are turned:
 * as many as a register has lanes go together, and a vector holds the same lane of all of them. Exchanges
 * are then no instructions at all, and of two results of which some lanes each are wanted the others are not
 * computed. What is loaded and stored is transposed.
 *
 * Enters: lw_run behind LLVM's passes.
 * Leaves: some loops over sub-groups, of one block, with a step of several sub-groups. Relies on: the mark of
 * workgroup.c on loops whose sub-groups are in no order, where they share no memory in the frame; a clean-up
 * behind it, which makes constants of the distances between their addresses.
 * Never: touches a loop that carries anything but its counter, accesses memory by lanes, or would gain
 * nothing: what happens in each lane is counted first.
 */

#include "pack_internal.h"
#include "../facts/counters.h"
#include "../facts/integers.h"
#include "../flow/module_pass.h"
#include "turn_internal.h"
#include "../workgroup/workgroup.h"

#define MOST_BODY 256   /* instructions of the loop */
#define MOST_TURNED 800 /* vector instructions made of them */

struct turned *
lw_turn_find(struct turner *t, V x)
{
    uint32_t n = LLVMIsAInstruction(x) ? lw_value_map_get(t->places, x) : UINT32_MAX;
    return n == UINT32_MAX ? NULL : &t->values[n];
}

/* ---- the loop ---- */
/* A loop over sub-groups in no order, with a step of one from zero to a constant that the step of several
 * divides; nothing else is carried. */
static bool
is_counted(struct turner *t)
{
    V end = LLVMGetBasicBlockTerminator(t->block), first = LLVMGetFirstInstruction(t->block);
    struct lw_round r;
    struct lw_round_test test;
    uint64_t start, step, last;

    if (!lw_read_round(first, t->block, &r) || LLVMIsAPHINode(LLVMGetNextInstruction(first)) || !r.step ||
        !lw_counts_sub_groups(first) || !lw_read_round_test(first, &r, &test) ||
        LLVMGetSuccessor(end, 0) != t->block || test.p != LLVMIntULT || test.of_next ||
        !lw_is_int_constant(r.first, &start) || !lw_is_int_constant(r.step, &step) ||
        !lw_is_int_constant(test.bound, &last) || start || step != 1)
        return false;
    t->counter = first;
    t->next = r.next;
    t->test = LLVMGetCondition(end);
    return last + 1 >= t->step && (last + 1) % t->step == 0;
}

static bool
is_data(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMFloatTypeKind || (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 32);
}

/* A vector over the lanes, of values of 32 bits or of conditions. */
static bool
is_value(struct turner *t, V x)
{
    LLVMTypeRef element = lw_lane_element(x);

    if (!lw_lane_is_vector(x) || (!is_data(element) && lw_lane_bits(element) != 1))
        return false;
    if (!t->lanes)
        t->lanes = lw_lane_count(x);
    return lw_lane_count(x) == t->lanes;
}

static bool
is_operand(struct turner *t, V x)
{
    if (!is_value(t, x))
        return false;
    return lw_turn_find(t, x) || LLVMIsPoison(x) || LLVMIsUndef(x) || LLVMIsAConstantDataVector(x) ||
           LLVMIsAConstantVector(x) || LLVMIsAConstantAggregateZero(x) || lw_lane_splat_source(x);
}

/* Does a scalar differ between sub-groups? Addresses that do not may be of what they share, or use in turns.
 */
static bool
is_own(struct turner *t, V x)
{
    const struct turned *v = lw_turn_find(t, x);
    return v && v->own;
}

static bool
has_own_operand(struct turner *t, V i)
{
    for (int k = 0; k < LLVMGetNumOperands(i); k++)
        if (is_own(t, LLVMGetOperand(i, (unsigned)k)))
            return true;
    return false;
}

static bool
is_used_outside(struct turner *t, V i)
{
    for (LLVMUseRef u = LLVMGetFirstUse(i); u; u = LLVMGetNextUse(u))
        if (LLVMGetInstructionParent(LLVMGetUser(u)) != t->block)
            return true;
    return false;
}

static bool
is_elementwise(struct turner *t, V i)
{
    char name[32];
    int count = LLVMGetNumOperands(i);

    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMCall:
        if (!lw_pack_elementwise(i, name, sizeof name))
            return false;
        count--;
        break;
    case LLVMICmp:
    case LLVMFCmp:
    case LLVMSelect:
    case LLVMFNeg:
    case LLVMFreeze:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMBitCast:
    case LLVMSIToFP:
    case LLVMUIToFP:
        break;
    default:
        if (!LLVMIsABinaryOperator(i) || lw_is_int_division(LLVMGetInstructionOpcode(i)))
            return false;
    }
    for (int k = 0; k < count; k++)
        if (!is_operand(t, LLVMGetOperand(i, (unsigned)k)))
            return false;
    return is_value(t, i);
}

bool
lw_turn_is_scalar(V i)
{
    if (lw_lane_is_vector(i))
        return false;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMOr:
    case LLVMAnd:
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMGetElementPtr:
        return true;
    default:
        return false;
    }
}

static bool
is_turnable(struct turner *t, V i)
{
    V value;

    if (i == t->counter || i == t->next || i == t->test || LLVMIsATerminatorInst(i))
        return true;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        return !lw_is_ordered_access(i) && is_value(t, i) && is_data(lw_lane_element(i)) &&
               is_own(t, LLVMGetOperand(i, 0));
    case LLVMStore:
        value = LLVMGetOperand(i, 0);
        return !lw_is_ordered_access(i) && is_operand(t, value) && is_data(lw_lane_element(value)) &&
               is_own(t, LLVMGetOperand(i, 1));
    case LLVMShuffleVector:
        return is_value(t, i) && is_operand(t, LLVMGetOperand(i, 0)) && is_operand(t, LLVMGetOperand(i, 1));
    default:
        return lw_turn_is_scalar(i) || is_elementwise(t, i);
    }
}

static bool
read_block(struct turner *t)
{
    uint32_t count = 0, n = 0;

    for (V i = LLVMGetFirstInstruction(t->block); i; i = LLVMGetNextInstruction(i))
        if (++count > MOST_BODY)
            return false;
    t->places = lw_value_map_create(t->arena, count);
    t->values = LW_ARENA_NEW(t->arena, struct turned, count);
    t->count = count;
    t->lanes = 0;
    for (V i = LLVMGetFirstInstruction(t->block); i; i = LLVMGetNextInstruction(i), n++) {
        if (!is_turnable(t, i) || is_used_outside(t, i))
            return false;
        t->values[n] = (struct turned){.ref = i, .shuffle = LLVMIsAShuffleVectorInst(i) != NULL};
        t->values[n].own = i == t->counter || (lw_turn_is_scalar(i) && has_own_operand(t, i));
        lw_value_map_add(t->places, i, n);
    }
    return t->lanes >= t->step && t->lanes % t->step == 0 && t->lanes <= LW_MAX_LANES;
}

/* ---- which lanes are wanted, and what that costs ---- */

static void
want(struct turner *t, V x, uint64_t lanes)
{
    struct turned *v = lw_turn_find(t, x);
    if (v)
        v->wanted |= lanes;
}

bool
lw_turn_comes_from(struct turner *t, V shuffle, unsigned lane, V *from, unsigned *there)
{
    int at = LLVMGetMaskValue(shuffle, lane);

    if (at == LLVMGetUndefMaskElem())
        return false;
    *from = LLVMGetOperand(shuffle, (unsigned)at >= t->lanes);
    *there = (unsigned)at % t->lanes;
    return true;
}

static void
find_wanted(struct turner *t)
{
    uint64_t all = t->lanes == 64 ? ~0ull : (1ull << t->lanes) - 1;
    unsigned there;
    V from;

    for (uint32_t n = t->count; n-- > 0;) {
        struct turned *v = &t->values[n];
        if (LLVMIsAStoreInst(v->ref)) {
            v->wanted = all;
            want(t, LLVMGetOperand(v->ref, 0), all);
        } else if (v->shuffle) {
            for (unsigned k = 0; k < t->lanes; k++)
                if (v->wanted >> k & 1 && lw_turn_comes_from(t, v->ref, k, &from, &there))
                    want(t, from, 1ull << there);
        } else if (v->wanted && !LLVMIsALoadInst(v->ref)) {
            for (int k = 0; k < LLVMGetNumOperands(v->ref); k++)
                want(t, LLVMGetOperand(v->ref, (unsigned)k), v->wanted);
        }
    }
}

bool
lw_turn_is_blend(struct turner *t, V shuffle)
{
    for (unsigned k = 0; k < t->lanes; k++) {
        int at = LLVMGetMaskValue(shuffle, k);
        if (at != LLVMGetUndefMaskElem() && (unsigned)at % t->lanes != k)
            return false;
    }
    return true;
}

/* Registers' instructions for `step` sub-groups, as they are and turned. Lanes that cross from one register
 * into another cost one more. */
static bool
is_gain(struct turner *t)
{
    unsigned stages = t->step == 16 ? 4 : t->step == 8 ? 3 : 2;
    uint64_t now = 0, then = 0, shuffles = 0;

    for (uint32_t n = 0; n < t->count; n++) {
        const struct turned *v = &t->values[n];
        if (!v->wanted)
            continue;
        if (LLVMIsALoadInst(v->ref) || LLVMIsAStoreInst(v->ref)) {
            now += t->lanes;
            then += t->lanes * (1 + stages);
            continue;
        }
        now += t->lanes;
        shuffles += v->shuffle && !lw_turn_is_blend(t, v->ref);
        then += v->shuffle ? 0 : (uint64_t)__builtin_popcountll(v->wanted);
    }
    return shuffles >= 4 && then <= MOST_TURNED && then + then / 2 <= now;
}

static void
turn_function(lw_lanes *l, struct lw_arena *arena, void *changed)
{
    V function = LLVMGetNamedFunction(l->module, "lw_run");
    struct turner t = {.l = *l, .arena = arena};

    t.step = lw_isa_row(l->isa)->register_bits / 32;
    for (LLVMBasicBlockRef b = function ? LLVMGetFirstBasicBlock(function) : NULL; b;
         b = LLVMGetNextBasicBlock(b)) {
        t.block = b;
        if (!is_counted(&t) || !read_block(&t))
            continue;
        find_wanted(&t);
        if (!is_gain(&t))
            continue;
        lw_turn_write(&t);
        *(bool *)changed = true;
    }
}

bool
lw_turn_sub_groups(LLVMModuleRef module, lw_isa isa, bool *changed)
{
    *changed = false;
    return lw_run_pass(module, isa, turn_function, changed);
}

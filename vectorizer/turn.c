/* SPDX-License-Identifier: MIT */
/* Sub-groups that exchange lanes among themselves again and again (sorting networks, butterflies) are turned:
 * as many as a register has lanes go together, and a vector holds the same lane of all of them. Exchanges
 * are then no instructions at all, and of two results of which some lanes each are wanted the others are not
 * computed. What is loaded and stored is transposed.
 *
 * Enters: lw_run behind LLVM's passes.
 * Leaves: some loops over sub-groups, of one block, with a step of several sub-groups. Relies on: sub-groups
 * between two barriers being in no order, where they share no memory in the frame; a clean-up behind it,
 * which makes constants of the distances between their addresses.
 * Never: touches a loop that carries anything but its counter, accesses memory by lanes, or would gain
 * nothing: what happens in each lane is counted first.
 */
#include <stdlib.h>
#include <string.h>

#include "pack_internal.h"
#include "turn.h"
#include "../src/compiler.h"

#define MOST_BODY 256   /* instructions of the loop */
#define MOST_TURNED 800 /* vector instructions made of them */
#define MOST_STEP 16

struct turned {
    V ref;
    uint64_t wanted; /* lanes */
    bool shuffle, written;
    bool own;            /* a scalar that differs between sub-groups */
    V *lanes;            /* by lane, <step x T> */
    V copies[MOST_STEP]; /* of a scalar, by sub-group */
};

struct turner {
    lw_lanes l;
    struct lw_arena *arena;
    LLVMBasicBlockRef block;
    V counter, next, test;
    struct lw_value_map *places;
    struct turned *values;
    uint32_t count, written; /* values; those before are written */
    unsigned step, lanes;    /* sub-groups together; lanes of each */
};

static struct turned *
find(struct turner *t, V x)
{
    uint32_t n = LLVMIsAInstruction(x) ? lw_value_map_get(t->places, x) : UINT32_MAX;
    return n == UINT32_MAX ? NULL : &t->values[n];
}

/* ---- the loop ---- */
/* A step of one from zero to a constant that the step of several divides; nothing else is carried. */
static bool
is_counted(struct turner *t)
{
    V end = LLVMGetBasicBlockTerminator(t->block), first = LLVMGetFirstInstruction(t->block);
    uint64_t trips;

    if (!LLVMIsABranchInst(end) || LLVMGetNumSuccessors(end) != 2 || !LLVMIsAPHINode(first) ||
        LLVMGetSuccessor(end, 0) != t->block || LLVMGetSuccessor(end, 1) == t->block ||
        LLVMIsAPHINode(LLVMGetNextInstruction(first)) || LLVMCountIncoming(first) != 2)
        return false;
    unsigned back = LLVMGetIncomingBlock(first, 1) == t->block;
    V from = LLVMGetIncomingValue(first, !back), next = LLVMGetIncomingValue(first, back), test;
    test = LLVMGetCondition(end);
    if (!LLVMIsAConstantInt(from) || LLVMConstIntGetZExtValue(from) || !LLVMIsAInstruction(next) ||
        LLVMGetInstructionOpcode(next) != LLVMAdd || LLVMGetOperand(next, 0) != first ||
        !LLVMIsAConstantInt(LLVMGetOperand(next, 1)) ||
        LLVMConstIntGetZExtValue(LLVMGetOperand(next, 1)) != 1 || !LLVMIsAICmpInst(test) ||
        LLVMGetICmpPredicate(test) != LLVMIntULT || LLVMGetOperand(test, 0) != first ||
        !LLVMIsAConstantInt(LLVMGetOperand(test, 1)))
        return false;
    trips = LLVMConstIntGetZExtValue(LLVMGetOperand(test, 1)) + 1;
    t->counter = first;
    t->next = next;
    t->test = test;
    return trips >= t->step && trips % t->step == 0;
}

static bool
is_plain(V access)
{
    return !LLVMGetVolatile(access) && LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic;
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
    return find(t, x) || LLVMIsPoison(x) || LLVMIsUndef(x) || LLVMIsAConstantDataVector(x) ||
           LLVMIsAConstantVector(x) || LLVMIsAConstantAggregateZero(x) || lw_lane_splat_source(x);
}

/* Does a scalar differ between sub-groups? Addresses that do not may be of what they share, or use in turns.
 */
static bool
is_own(struct turner *t, V x)
{
    const struct turned *v = find(t, x);
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
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
        return false;
    default:
        if (!LLVMIsABinaryOperator(i))
            return false;
    }
    for (int k = 0; k < count; k++)
        if (!is_operand(t, LLVMGetOperand(i, (unsigned)k)))
            return false;
    return is_value(t, i);
}

/* Arithmetic of addresses, done once for each sub-group. */
static bool
is_scalar(V i)
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
        return is_plain(i) && is_value(t, i) && is_data(lw_lane_element(i)) &&
               is_own(t, LLVMGetOperand(i, 0));
    case LLVMStore:
        value = LLVMGetOperand(i, 0);
        return is_plain(i) && is_operand(t, value) && is_data(lw_lane_element(value)) &&
               is_own(t, LLVMGetOperand(i, 1));
    case LLVMShuffleVector:
        return is_value(t, i) && is_operand(t, LLVMGetOperand(i, 0)) && is_operand(t, LLVMGetOperand(i, 1));
    default:
        return is_scalar(i) || is_elementwise(t, i);
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
        t->values[n].own = i == t->counter || (is_scalar(i) && has_own_operand(t, i));
        lw_value_map_add(t->places, i, n);
    }
    return t->lanes >= t->step && t->lanes % t->step == 0 && t->lanes <= LW_MAX_LANES;
}

/* ---- which lanes are wanted, and what that costs ---- */

static void
want(struct turner *t, V x, uint64_t lanes)
{
    struct turned *v = find(t, x);
    if (v)
        v->wanted |= lanes;
}

/* Where lane `lane` of a shuffle comes from: *from is one of its operands; false: nowhere. */
static bool
comes_from(struct turner *t, V shuffle, unsigned lane, V *from, unsigned *there)
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
                if (v->wanted >> k & 1 && comes_from(t, v->ref, k, &from, &there))
                    want(t, from, 1ull << there);
        } else if (v->wanted && !LLVMIsALoadInst(v->ref)) {
            for (int k = 0; k < LLVMGetNumOperands(v->ref); k++)
                want(t, LLVMGetOperand(v->ref, (unsigned)k), v->wanted);
        }
    }
}

/* A shuffle that leaves each lane in its place. */
static bool
is_blend(struct turner *t, V shuffle)
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
        shuffles += v->shuffle && !is_blend(t, v->ref);
        then += v->shuffle ? 0 : (uint64_t)__builtin_popcountll(v->wanted);
    }
    return shuffles >= 4 && then <= MOST_TURNED && then + then / 2 <= now;
}

/* ---- writing ---- */

/* One of the sub-groups' copies of a scalar. */
static V
copy_of(struct turner *t, V x, unsigned sub_group)
{
    struct turned *v = find(t, x);

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
    struct turned *v = find(t, x);
    V splat = v ? NULL : lw_lane_splat_source(x), one;

    if (v)
        return v->lanes[lane];
    one = splat ? splat : LLVMGetAggregateElement(x, lane);
    return lw_lane_splat_n(&t->l, one, t->step);
}

static V
pick(struct turner *t, V a, V b, unsigned group, const unsigned *from)
{
    int lanes[MOST_STEP];

    for (unsigned k = 0; k < t->step; k++)
        lanes[k] = (int)(from[k % group] % group + k / group * group + from[k % group] / group * t->step);
    return lw_lane_shuffle_const(&t->l, a, b, lanes, t->step);
}

/* Four rows' parts of 128 bits, turned: row r has elements r of all. */
static void
turn_quads(struct turner *t, V *rows)
{
    static const unsigned low[] = {0, 4, 1, 5}, high[] = {2, 6, 3, 7}, lower[] = {0, 1, 4, 5},
                          upper[] = {2, 3, 6, 7};
    V a = pick(t, rows[0], rows[1], 4, low), b = pick(t, rows[2], rows[3], 4, low);
    V c = pick(t, rows[0], rows[1], 4, high), d = pick(t, rows[2], rows[3], 4, high);

    rows[0] = pick(t, a, b, 4, lower);
    rows[1] = pick(t, a, b, 4, upper);
    rows[2] = pick(t, c, d, 4, lower);
    rows[3] = pick(t, c, d, 4, upper);
}

/* Parts of 128 bits of two registers: numbers of parts, those of `b` from step / 4 on. */
static V
pick_parts(struct turner *t, V a, V b, const unsigned *parts)
{
    int lanes[MOST_STEP];

    for (unsigned k = 0; k < t->step; k++)
        lanes[k] = (int)(parts[k / 4] * 4 + k % 4);
    return lw_lane_shuffle_const(&t->l, a, b, lanes, t->step);
}

/* step x step values: rows become columns. */
static void
turn(struct turner *t, V *rows)
{
    static const unsigned even[] = {0, 2, 4, 6}, odd[] = {1, 3, 5, 7}, low[] = {0, 2}, high[] = {1, 3};
    V r[MOST_STEP];

    for (unsigned q = 0; q < t->step; q += 4)
        turn_quads(t, rows + q);
    memcpy(r, rows, t->step * sizeof *r);
    for (unsigned k = 0; k < 4 && t->step == 8; k++) {
        rows[k] = pick_parts(t, r[k], r[k + 4], low);
        rows[k + 4] = pick_parts(t, r[k], r[k + 4], high);
    }
    for (unsigned k = 0; k < 4 && t->step == 16; k++) {
        V a = pick_parts(t, r[k], r[k + 4], even), b = pick_parts(t, r[k + 8], r[k + 12], even);
        V c = pick_parts(t, r[k], r[k + 4], odd), d = pick_parts(t, r[k + 8], r[k + 12], odd);
        rows[k] = pick_parts(t, a, b, even);
        rows[k + 4] = pick_parts(t, c, d, even);
        rows[k + 8] = pick_parts(t, a, b, odd);
        rows[k + 12] = pick_parts(t, c, d, odd);
    }
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
        turn(t, v->lanes + first);
    }
}

static void
write_store(struct turner *t, struct turned *v)
{
    V value = LLVMGetOperand(v->ref, 0), rows[MOST_STEP];

    for (unsigned first = 0; first < t->lanes; first += t->step) {
        for (unsigned s = 0; s < t->step; s++)
            rows[s] = lane_of(t, value, first + s);
        turn(t, rows);
        for (unsigned s = 0; s < t->step; s++) {
            V to = address(t, LLVMGetOperand(v->ref, 1), lw_lane_element(value), s, first);
            LLVMSetAlignment(LLVMBuildStore(t->l.builder, rows[s], to), alignment(v->ref, first));
        }
    }
}

static V
write_lane(struct turner *t, V i, unsigned lane)
{
    LLVMTypeRef type = LLVMVectorType(lw_lane_element(i), t->step);
    int count = LLVMGetNumOperands(i) - (LLVMIsACallInst(i) != NULL);
    LLVMBuilderRef b = t->l.builder;
    V x[3] = {0};
    char name[32];

    for (int k = 0; k < count && k < 3; k++)
        x[k] = lane_of(t, LLVMGetOperand(i, (unsigned)k), lane);
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMCall:
        return lw_lane_call(&t->l, lw_pack_elementwise(i, name, sizeof name), &type, 1, x, (unsigned)count);
    case LLVMSelect:
        return LLVMBuildSelect(b, x[0], x[1], x[2], "");
    case LLVMICmp:
        return LLVMBuildICmp(b, LLVMGetICmpPredicate(i), x[0], x[1], "");
    case LLVMFCmp:
        return LLVMBuildFCmp(b, LLVMGetFCmpPredicate(i), x[0], x[1], "");
    case LLVMFNeg:
        return LLVMBuildFNeg(b, x[0], "");
    case LLVMFreeze:
        return LLVMBuildFreeze(b, x[0], "");
    default:
        return count == 2 ? LLVMBuildBinOp(b, LLVMGetInstructionOpcode(i), x[0], x[1], "")
                          : LLVMBuildCast(b, LLVMGetInstructionOpcode(i), x[0], type, "");
    }
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
                V made = v->lanes[k] = write_lane(t, v->ref, k);
                if (LLVMIsAInstruction(made) && LLVMCanValueUseFastMathFlags(made) &&
                    LLVMCanValueUseFastMathFlags(v->ref))
                    LLVMSetFastMathFlags(made, LLVMGetFastMathFlags(v->ref));
            } else if (comes_from(t, v->ref, k, &from, &there)) {
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
    if (v->ref == t->counter || is_scalar(v->ref)) {
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
    if (LLVMIsALoadInst(v->ref) || (v->shuffle && !is_blend(t, v->ref)))
        write_lanes(t, n);
    v->lanes = LW_ARENA_NEW(t->arena, V, t->lanes);
    v->written = LLVMIsALoadInst(v->ref) != NULL;
    if (v->written)
        write_load(t, v);
}

static void
write_block(struct turner *t)
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

/* Apart, so that no variable changes between setjmp and longjmp. */
static bool
turn_function(struct turner *t, V function, bool *changed)
{
    if (setjmp(t->arena->out) != 0)
        return false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        t->block = b;
        if (!is_counted(t) || !read_block(t))
            continue;
        find_wanted(t);
        if (!is_gain(t))
            continue;
        write_block(t);
        *changed = true;
    }
    return true;
}

bool
lw_turn_sub_groups(LLVMModuleRef module, lw_isa isa, bool *changed)
{
    V function = LLVMGetNamedFunction(module, "lw_run");
    struct lw_arena *arena = lw_arena_create();
    struct turner *t = arena ? calloc(1, sizeof *t) : NULL; /* on the heap: the longjmp leaves it alone */
    bool good = t != NULL;

    *changed = false;
    if (t && function) {
        t->arena = arena;
        t->l = (lw_lanes){.context = LLVMGetModuleContext(module), .module = module, .isa = isa};
        t->l.builder = LLVMCreateBuilderInContext(t->l.context);
        t->step = isa >= LW_ISA_AVX512 ? 16 : isa == LW_ISA_AVX2 ? 8 : 4;
        good = turn_function(t, function, changed);
        LLVMDisposeBuilder(t->l.builder);
    }
    free(t);
    lw_arena_free(arena);
    return good;
}

/* SPDX-License-Identifier: MIT */
/* Masked loads and stores whose upper lanes are never active, as those of a tail sub-group are, become
 * shorter ones; plain ones, where all that is left is active. On AVX2 loads leave out every register without
 * an active lane.
 *
 * Enters: a module after its last LLVM pass. Leaves: the same accesses. Never: touches what the mask does
 * not. Why: a short store is forwarded to the short load behind it; and LLVM 22 takes the mask of a register
 * of a load of 32 lanes and more as undefined where it finds out that none of them is active, and reads the
 * whole register, or dies of it. Relies on: what makes lanes inactive being seen here where LLVM sees it.
 */
#include "../../src/compiler.h"
#include "../facts/calls.h"
#include "../facts/instructions.h"
#include "../lanes/internal.h"
#include "../flow/module_pass.h"

#define DEPTH 6

/* Of a mask's lanes, 64 at most: those that may be active, and those that surely are. */
struct activity {
    uint64_t may, must;
};

static struct activity activity_of(V mask, unsigned depth);

static struct activity
unknown(V mask)
{
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(mask));
    return (struct activity){n < 64 ? (1ull << n) - 1 : ~0ull, 0};
}

/* Lanes of a constant that are not zero; `sign`: that have their highest bit. */
static struct activity
constant_lanes(V constant, bool sign)
{
    struct activity of = {0, 0};
    for (unsigned k = 0; k < LLVMGetVectorSize(LLVMTypeOf(constant)); k++) {
        V lane = LLVMGetAggregateElement(constant, k);
        bool known = lane && LLVMIsAConstantInt(lane);
        bool set = known && (sign ? LLVMConstIntGetSExtValue(lane) < 0 : !LLVMIsNull(lane));
        of.may |= (uint64_t)(set || !known) << k;
        of.must |= (uint64_t)set << k;
    }
    return of;
}

/* Of comparisons (x & c) != 0, (x & c) < 0, x below c: those that c decides. */
static struct activity
compared(V mask)
{
    V x = LLVMGetOperand(mask, 0), c = LLVMGetOperand(mask, 1);
    LLVMIntPredicate p = LLVMGetICmpPredicate(mask);

    if (!LLVMIsConstant(c))
        return unknown(mask);
    if (p == LLVMIntULT)
        return (struct activity){constant_lanes(c, false).may, 0};
    if ((p != LLVMIntNE && p != LLVMIntSLT) || !LLVMIsNull(c) || !LLVMIsAInstruction(x) ||
        LLVMGetInstructionOpcode(x) != LLVMAnd || !LLVMIsConstant(LLVMGetOperand(x, 1)))
        return unknown(mask);
    return (struct activity){constant_lanes(LLVMGetOperand(x, 1), p == LLVMIntSLT).may, 0};
}

static struct activity
shuffled(V mask, unsigned depth)
{
    V a = LLVMGetOperand(mask, 0), b = LLVMGetOperand(mask, 1);
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(a));
    struct activity from[2], of = {0, 0};

    if (n > 64)
        return unknown(mask);
    from[0] = activity_of(a, depth);
    from[1] = activity_of(b, depth);
    for (unsigned k = 0; k < LLVMGetNumMaskElements(mask); k++) {
        int at = LLVMGetMaskValue(mask, k);
        if (at < 0)
            continue;
        of.may |= (from[(unsigned)at / n].may >> (unsigned)at % n & 1) << k;
        of.must |= (from[(unsigned)at / n].must >> (unsigned)at % n & 1) << k;
    }
    return of;
}

static struct activity
selected(V mask, unsigned depth)
{
    V condition = LLVMGetOperand(mask, 0);
    struct activity a = activity_of(LLVMGetOperand(mask, 1), depth);
    struct activity b = activity_of(LLVMGetOperand(mask, 2), depth);

    if (!lw_lane_is_vector(condition))
        return (struct activity){a.may | b.may, a.must & b.must};
    struct activity c = activity_of(condition, depth);
    return (struct activity){(c.may & a.may) | (~c.must & b.may),
                             (c.must & a.must) | (~c.may & b.must) | (a.must & b.must)};
}

/* Recursion: DEPTH deep, three operands at each level. */
static struct activity
activity_of(V mask, unsigned depth)
{
    struct activity a, b;

    if (LLVMIsConstant(mask))
        return constant_lanes(mask, false);
    if (!LLVMIsAInstruction(mask) || depth == DEPTH)
        return unknown(mask);
    LLVMOpcode op = LLVMGetInstructionOpcode(mask);
    switch (op) {
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        a = activity_of(LLVMGetOperand(mask, 0), depth + 1);
        b = activity_of(LLVMGetOperand(mask, 1), depth + 1);
        return op == LLVMAnd  ? (struct activity){a.may & b.may, a.must & b.must}
               : op == LLVMOr ? (struct activity){a.may | b.may, a.must | b.must}
                              : (struct activity){(a.may & ~b.must) | (b.may & ~a.must),
                                                  (a.must & ~b.may) | (b.must & ~a.may)};
    case LLVMSelect:
        return selected(mask, depth + 1);
    case LLVMFreeze:
        return activity_of(LLVMGetOperand(mask, 0), depth + 1);
    case LLVMShuffleVector:
        return shuffled(mask, depth + 1);
    case LLVMICmp:
        return compared(mask);
    default:
        return unknown(mask);
    }
}

/* One past the highest lane that may be active. */
static unsigned
lanes_used(V mask)
{
    uint64_t active = activity_of(mask, 0).may;
    return active ? 64 - (unsigned)__builtin_clzll(active) : 0;
}

static bool
is_all(V mask, unsigned count)
{
    for (unsigned k = 0; k < count; k++) {
        V bit = LLVMIsConstant(mask) ? LLVMGetAggregateElement(mask, k) : NULL;
        if (!bit || !LLVMIsAConstantInt(bit) || LLVMIsNull(bit))
            return false;
    }
    return true;
}

static V
first_lanes(lw_lanes *l, V vector, unsigned count)
{
    if (count == 1)
        return LLVMBuildExtractElement(l->builder, vector, lane_int(l, 32, 0), "");
    return lw_lane_part(l, vector, 0, count);
}

/* Lanes `first` and following of a masked load, or what it passes through. */
static V
load_part(lw_lanes *l, V call, unsigned first, unsigned count)
{
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(call)), type = LLVMVectorType(element, count);
    V pointer = LLVMGetOperand(call, 0), mask = LLVMGetOperand(call, 1), at = lane_int(l, 64, first), made;
    unsigned align = lw_pointer_align(call, 0);

    mask = count == 1 ? LLVMBuildExtractElement(l->builder, mask, lane_int(l, 32, first), "")
                      : lw_lane_part(l, mask, first, count);
    if (first) {
        unsigned bytes = first * lw_lane_bits(element) / 8;
        pointer = LLVMBuildGEP2(l->builder, element, pointer, &at, 1, "");
        align = align < (bytes & -bytes) ? align : bytes & -bytes;
    }
    if (count == 1 || is_all(mask, count)) {
        made = LLVMBuildLoad2(l->builder, count == 1 ? element : type, pointer, "");
        LLVMSetAlignment(made, align);
        return made;
    }
    V others = lw_lane_part(l, LLVMGetOperand(call, 2), first, count);
    return lw_lane_masked_load(l, type, pointer, mask, others, align);
}

static void
narrow_load(lw_lanes *l, V call, unsigned count)
{
    LLVMTypeRef type = LLVMTypeOf(call);
    unsigned n = LLVMGetVectorSize(type);
    V made = load_part(l, call, 0, count);
    int lanes[2 * 64];

    if (count == 1) {
        made = LLVMBuildInsertElement(l->builder, LLVMConstNull(type), made, lane_int(l, 32, 0), "");
    } else {
        for (unsigned k = 0; k < n; k++)
            lanes[k] = (int)(k < count ? k : count);
        made = lw_lane_shuffle_const(l, made, LLVMConstNull(LLVMTypeOf(made)), lanes, n);
    }
    LLVMReplaceAllUsesWith(call, made);
}

static void
narrow_store(lw_lanes *l, V call, unsigned count)
{
    V value = first_lanes(l, LLVMGetOperand(call, 0), count), pointer = LLVMGetOperand(call, 1);
    V mask = LLVMGetOperand(call, 2);

    if (is_all(mask, count)) {
        LLVMSetAlignment(LLVMBuildStore(l->builder, value, pointer), lw_pointer_align(call, 1));
        return;
    }
    lw_lane_masked_store(l, value, pointer, first_lanes(l, mask, count), lw_pointer_align(call, 1));
}

/* Lanes that the shorter access has; 0: it stays as it is. */
static unsigned
shorter_count(V mask)
{
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(mask)), used = n <= 64 ? lanes_used(mask) : n, count = 1;

    if (used == 0)
        return 0;
    while (count < used)
        count *= 2;
    if (count == 1 && !is_all(mask, 1))
        count = 2; /* masks are of vectors */
    return count < n ? count : 0;
}

/* Are these lanes zero, or anything? LLVM leaves open what the active ones would be. */
static bool
is_null_from(V passed, unsigned first)
{
    if (!LLVMIsConstant(passed))
        return false;
    for (unsigned k = first; k < LLVMGetVectorSize(LLVMTypeOf(passed)); k++) {
        V lane = LLVMGetAggregateElement(passed, k);
        if (!lane || (!LLVMIsNull(lane) && !LLVMIsUndef(lane)))
            return false;
    }
    return true;
}

static void
narrow(lw_lanes *l, V i)
{
    bool load = lw_is_call_like(i, "llvm.masked.load.");
    if (!load && !lw_is_call_like(i, "llvm.masked.store."))
        return;
    unsigned count = shorter_count(LLVMGetOperand(i, load ? 1 : 2));
    if (!count || (load && !is_null_from(LLVMGetOperand(i, 2), count)))
        return;
    /* LLVM 22 makes a zero extension of a short store with gaps whose value is half a register, and cannot
     * select it. */
    if (!load && LLVMIsConstant(LLVMGetOperand(i, 2)) && !is_all(LLVMGetOperand(i, 2), count))
        return;
    LLVMPositionBuilderBefore(l->builder, i);
    if (load)
        narrow_load(l, i, count);
    else
        narrow_store(l, i, count);
    LLVMInstructionEraseFromParent(i);
}

/* ---- registers without an active lane ---- */

enum { REGISTER_BITS = 256 };

static uint64_t
active_of(uint64_t active, unsigned first, unsigned count)
{
    return count < 64 ? active >> first & ((1ull << count) - 1) : active;
}

/* Has each register of these one lane that may be active? */
static bool
is_whole(uint64_t active, unsigned first, unsigned count, unsigned in_register)
{
    for (unsigned k = 0; k < count; k += in_register)
        if (!active_of(active, first + k, in_register))
            return false;
    return true;
}

/* Lanes `first` and following of the load, without the registers that have no active one. Recursion: `count`
 * is halved, down to a register. */
static V
load_registers(lw_lanes *l, V call, uint64_t active, unsigned first, unsigned count, unsigned in_register)
{
    int lanes[64];

    if (!active_of(active, first, count))
        return lw_lane_part(l, LLVMGetOperand(call, 2), first, count);
    if (is_whole(active, first, count, in_register))
        return load_part(l, call, first, count);
    V low = load_registers(l, call, active, first, count / 2, in_register);
    V high = load_registers(l, call, active, first + count / 2, count / 2, in_register);
    for (unsigned k = 0; k < count; k++)
        lanes[k] = (int)k;
    return lw_lane_shuffle_const(l, low, high, lanes, count);
}

static void
cut(lw_lanes *l, V i)
{
    if (!lw_is_call_like(i, "llvm.masked.load."))
        return;
    unsigned n = lw_lane_count(i), bits = lw_lane_bits(LLVMGetElementType(LLVMTypeOf(i)));
    if (bits < 32 || n > 64 || (n & (n - 1)) || n * bits <= REGISTER_BITS)
        return;
    uint64_t active = activity_of(LLVMGetOperand(i, 1), 0).may;
    if (is_whole(active, 0, n, REGISTER_BITS / bits))
        return;
    LLVMPositionBuilderBefore(l->builder, i);
    lw_replace(i, load_registers(l, i, active, 0, n, REGISTER_BITS / bits));
}

void
lw_narrow_masks(LLVMModuleRef module, lw_isa isa)
{
    lw_visit_instructions(module, LW_ISA_AUTO, narrow);
    if (isa == LW_ISA_AVX2)
        lw_visit_instructions(module, LW_ISA_AUTO, cut);
}

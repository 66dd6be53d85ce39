/* SPDX-License-Identifier: MIT */
/* What is known of masks made of one condition for all lanes: sub_group_any and its kin, the branches on
 * them, and the lane that works for all.
 *
 * Enters: the sub-group function behind a clean-up.
 * Leaves: the same values. `x & splat(any(x))` is x; the bits and the lanes of masks and selections that are
 * known lane by lane are scalars; ids are not frozen: LLVM looks through no freeze. Relies on: a clean-up
 * behind it, where it changes more than that. Why here: what crosses a barrier as a mask costs a slot for
 * each lane, as a scalar one in all.
 * Never: looks through more than DEPTH instructions, or at lanes for which an instruction a lane is needed.
 */
#include "../facts/flags.h"
#include "../facts/instructions.h"
#include "../lanes/internal.h"
#include "../../src/compiler.h"

#define DEPTH 6

struct known {
    lw_lanes l;
    bool changed;
};

/* ---- one lane of a vector ---- */

static V
known_pair(struct known *k, V i, V a, V b)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);

    if (!a || !b)
        return NULL;
    return LLVMBuildBinOp(k->l.builder, op, a, b, "");
}

/* The scalar that stands in that lane, NULL: it takes an extraction. Recursion: `depth` deep. Only `and`,
 * `or` and `xor` of conditions, and selections by them, are written anew; at most two operands at each level,
 * so that the depth bounds them. */
static V
lane_of(struct known *k, V x, unsigned lane, unsigned depth)
{
    V splat = lw_lane_splat_source(x), condition, on, off, at;

    if (splat)
        return splat;
    if (LLVMIsConstant(x))
        return LLVMGetAggregateElement(x, lane);
    if (!depth || !LLVMIsAInstruction(x))
        return NULL;
    switch (LLVMGetInstructionOpcode(x)) {
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        if (lw_lane_bits(lw_lane_element(x)) != 1)
            return NULL;
        return known_pair(k, x, lane_of(k, LLVMGetOperand(x, 0), lane, depth - 1),
                          lane_of(k, LLVMGetOperand(x, 1), lane, depth - 1));
    case LLVMInsertElement:
        at = LLVMGetOperand(x, 2);
        if (!LLVMIsAConstantInt(at))
            return NULL;
        return LLVMConstIntGetZExtValue(at) == lane ? LLVMGetOperand(x, 1)
                                                    : lane_of(k, LLVMGetOperand(x, 0), lane, depth - 1);
    case LLVMSelect:
        condition = lane_of(k, LLVMGetOperand(x, 0), lane, depth - 1);
        on = condition ? lane_of(k, LLVMGetOperand(x, 1), lane, depth - 1) : NULL;
        off = on ? lane_of(k, LLVMGetOperand(x, 2), lane, depth - 1) : NULL;
        return off ? LLVMBuildSelect(k->l.builder, condition, on, off, "") : NULL;
    default:
        return NULL;
    }
}

/* ---- masks ---- */

/* The two sides of an `and` of masks, in either of its forms. */
static bool
is_and(V x, V *a, V *b)
{
    if (!LLVMIsAInstruction(x) || !lw_lane_is_mask(x))
        return false;
    LLVMOpcode op = LLVMGetInstructionOpcode(x);
    if (op != LLVMAnd && op != LLVMSelect)
        return false;
    *a = LLVMGetOperand(x, 0);
    *b = LLVMGetOperand(x, 1);
    return op == LLVMAnd ||
           (lw_lane_is_mask(*a) && LLVMIsConstant(LLVMGetOperand(x, 2)) && LLVMIsNull(LLVMGetOperand(x, 2)));
}

/* Is each lane of `x` a lane of `of`? Recursion: `depth` deep. */
static bool
is_within(V x, V of, unsigned depth)
{
    V a, b;

    if (x == of)
        return true;
    return depth && is_and(x, &a, &b) && (is_within(a, of, depth - 1) || is_within(b, of, depth - 1));
}

/* The mask of which `condition` asks whether it has any lane, NULL: it asks for something else. */
static V
asked_for(V condition)
{
    if (!LLVMIsAICmpInst(condition) || LLVMGetICmpPredicate(condition) != LLVMIntNE)
        return NULL;
    V bits = LLVMGetOperand(condition, 0), zero = LLVMGetOperand(condition, 1);
    if (!LLVMIsABitCastInst(bits) || !LLVMIsConstant(zero) || !LLVMIsNull(zero))
        return NULL;
    return lw_lane_is_mask(LLVMGetOperand(bits, 0)) ? LLVMGetOperand(bits, 0) : NULL;
}

/* Has `x` no lane where `all`, one condition for all lanes, is false? */
static bool
is_implied(V x, V all)
{
    V condition = lw_lane_splat_source(all);
    V of = condition ? asked_for(condition) : NULL;

    return of && LLVMTypeOf(of) == LLVMTypeOf(x) && is_within(x, of, 2);
}

/* ---- instructions ---- */

static V
known_and(V i)
{
    V a, b;

    if (!is_and(i, &a, &b))
        return NULL;
    return is_implied(a, b) ? a : is_implied(b, a) ? b : NULL;
}

static V
constant_bits(V mask, LLVMTypeRef type)
{
    uint64_t bits = 0;

    for (unsigned k = 0; k < lw_lane_count(mask); k++) {
        V lane = LLVMGetAggregateElement(mask, k);
        bits |= (uint64_t)(LLVMIsAConstantInt(lane) && LLVMConstIntGetZExtValue(lane)) << k;
    }
    return LLVMConstInt(type, bits, false);
}

/* The bits of a mask that is one condition in some lanes and false in the others. */
static V
known_bits(struct known *k, V i)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    V mask = LLVMGetOperand(i, 0), a, b;

    if (!lw_lane_is_mask(mask) || LLVMGetTypeKind(type) != LLVMIntegerTypeKind ||
        lw_lane_count(mask) > LW_MAX_LANES)
        return NULL;
    V condition = lw_lane_splat_source(mask), some = LLVMConstAllOnes(LLVMTypeOf(mask));
    if (!condition && is_and(mask, &a, &b)) {
        some = LLVMIsConstant(a) ? a : b;
        condition = LLVMIsConstant(some) ? lw_lane_splat_source(some == a ? b : a) : NULL;
    }
    if (!condition || LLVMIsConstant(condition))
        return NULL;
    return LLVMBuildSelect(k->l.builder, condition, constant_bits(some, type), LLVMConstNull(type), "");
}

static V
known_lane(struct known *k, V i)
{
    V vector = LLVMGetOperand(i, 0), at = LLVMGetOperand(i, 1);
    unsigned long long lane = LLVMIsAConstantInt(at) ? LLVMConstIntGetZExtValue(at) : LW_MAX_LANES;

    if (!LLVMIsAInstruction(vector) || lane >= lw_lane_count(vector))
        return NULL;
    return lane_of(k, vector, (unsigned)lane, DEPTH);
}

static void
look_at(struct known *k, V i)
{
    V known = NULL;

    if (LLVMIsAFreezeInst(i) && lw_is_sound(LLVMGetOperand(i, 0)))
        LLVMReplaceAllUsesWith(i, LLVMGetOperand(i, 0));
    if (!LLVMGetFirstUse(i))
        return;
    LLVMPositionBuilderBefore(k->l.builder, i);
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAnd:
    case LLVMSelect:
        known = known_and(i);
        break;
    case LLVMBitCast:
        known = known_bits(k, i);
        break;
    case LLVMExtractElement:
        known = known_lane(k, i);
        break;
    default:
        break;
    }
    if (!known || known == i)
        return;
    lw_replace(i, known);
    k->changed = true;
}

bool
lw_fold_known_lanes(LLVMModuleRef module)
{
    V function = LLVMGetNamedFunction(module, "lw.subgroup");
    struct known k = {.l = {.context = LLVMGetModuleContext(module), .module = module}};

    k.l.builder = LLVMCreateBuilderInContext(k.l.context);
    for (LLVMBasicBlockRef b = function ? LLVMGetFirstBasicBlock(function) : NULL; b;
         b = LLVMGetNextBasicBlock(b)) {
        V next;
        for (V i = LLVMGetFirstInstruction(b); i; i = next) {
            next = LLVMGetNextInstruction(i);
            look_at(&k, i);
        }
    }
    LLVMDisposeBuilder(k.l.builder);
    return k.changed;
}

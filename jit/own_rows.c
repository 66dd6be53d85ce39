/* SPDX-License-Identifier: MIT */
/* Asks LLVM to write some rounds of a loop side by side where work-items walk, element by element, through
 * memory of their own: `for (k = 0; k < n; k++) y[id * n + k] = s += x[id * n + k];`
 *
 * Enters: the scalar kernel of a specialised shape, inlined, loops simplified and in LCSSA form. Leaves: the
 * same values; such loops carry the wish, which LLVM's unrolling grants, and indices that are sums there go
 * up by themselves. Legal: rounds are done in their order, those that do not fill a copy in a loop beside it;
 * no call but of what computes is in them, so that nobody meets there. Why: an access of such a loop is a
 * gather or a scatter, an access for each lane, in every round; those of rounds side by side are clusters
 * (vectorizer/forms/clusters.c), one access for each lane in all. Pays: where neighbouring lanes are FAR
 * bytes apart, or nobody knows how far, all of them go through as many rounds, and something is stored in
 * this way: loops that only read have registers of each lane's elements (vectorizer/forms/pieces.c).
 */
#include "jit.h"
#include "../vectorizer/facts/calls.h"
#include "../vectorizer/facts/counters.h"
#include "../vectorizer/facts/instructions.h"
#include "../vectorizer/facts/integers.h"
#include "../vectorizer/facts/memory_effects.h"
#include "../vectorizer/flow/explain.h"

#include <stdint.h>

#define ROUNDS 4     /* side by side */
#define MOST_BODY 40 /* instructions of a round */
#define FAR 64       /* bytes: nearer lanes are interleaved */
#define UNKNOWN INT64_MAX
#define DEPTH 10

/* How a value differs: from lane to lane, of dimension 0, and from round to round. UNKNOWN: somehow. */
struct walk {
    int64_t lanes, rounds;
};

static const struct walk same, unknown = {UNKNOWN, UNKNOWN};

static int64_t
scale(int64_t step, int64_t by)
{
    int64_t result;

    return step == UNKNOWN || __builtin_mul_overflow(step, by, &result) ? UNKNOWN : result;
}

static struct walk
times(struct walk w, int64_t by)
{
    return (struct walk){scale(w.lanes, by), scale(w.rounds, by)};
}

static int64_t
add(int64_t a, int64_t b)
{
    int64_t result;

    return a == UNKNOWN || b == UNKNOWN || __builtin_add_overflow(a, b, &result) ? UNKNOWN : result;
}

/* A product: with a constant, or with what is the same everywhere but not known. */
static struct walk
product(struct walk x, LLVMValueRef y, struct walk of_y)
{
    if (LLVMIsAConstantInt(y) && LLVMGetIntTypeWidth(LLVMTypeOf(y)) <= 64)
        return times(x, LLVMConstIntGetSExtValue(y));
    if (of_y.lanes || of_y.rounds)
        return unknown;
    return (struct walk){x.lanes ? UNKNOWN : 0, x.rounds ? UNKNOWN : 0};
}

static struct walk follow(LLVMValueRef v, LLVMBasicBlockRef loop, unsigned depth);

static struct walk
follow_phi(LLVMValueRef phi, LLVMBasicBlockRef loop, unsigned depth)
{
    struct lw_round r;
    if (LLVMGetInstructionParent(phi) != loop || !lw_read_round(phi, loop, &r) || !r.step)
        return unknown;
    int64_t step = LLVMConstIntGetSExtValue(r.step);
    struct walk first = follow(r.first, loop, depth);
    if (LLVMIsAGetElementPtrInst(r.next)) {
        LLVMTargetDataRef layout =
            LLVMGetModuleDataLayout(LLVMGetGlobalParent(LLVMGetBasicBlockParent(loop)));
        step = scale(step, (int64_t)LLVMABISizeOfType(layout, LLVMGetGEPSourceElementType(r.next)));
    }
    return (struct walk){first.lanes, step};
}

static struct walk
follow_address(LLVMValueRef v, LLVMBasicBlockRef loop, unsigned depth)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(LLVMGetBasicBlockParent(loop)));
    struct walk base = follow(LLVMGetOperand(v, 0), loop, depth);

    if (LLVMGetNumOperands(v) != 2)
        return unknown;
    int64_t size = (int64_t)LLVMABISizeOfType(layout, LLVMGetGEPSourceElementType(v));
    struct walk index = times(follow(LLVMGetOperand(v, 1), loop, depth), size);
    return (struct walk){add(base.lanes, index.lanes), add(base.rounds, index.rounds)};
}

/* Ids of dimension 0, along which lanes lie. */
static struct walk
follow_call(LLVMValueRef v)
{
    bool id = lw_is_call_of(v, "lw.global_id") || lw_is_call_of(v, "lw.local_id");

    if (id && LLVMIsAConstantInt(LLVMGetOperand(v, 0)))
        return LLVMIsNull(LLVMGetOperand(v, 0)) ? (struct walk){1, 0} : same;
    return lw_call_same(v) == LW_SAME_GROUP || lw_call_same(v) == LW_SAME_SUB_GROUP ? same : unknown;
}

static struct walk
follow(LLVMValueRef v, LLVMBasicBlockRef loop, unsigned depth)
{
    if (!LLVMIsAInstruction(v))
        return same;
    if (depth-- == 0)
        return unknown;
    struct walk x, y;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMPHI:
        return follow_phi(v, loop, depth);
    case LLVMGetElementPtr:
        return follow_address(v, loop, depth);
    case LLVMCall:
        return follow_call(v);
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMFreeze:
        return follow(LLVMGetOperand(v, 0), loop, depth);
    case LLVMAdd:
    case LLVMSub:
    case LLVMOr: /* of what is apart, else it is no walk, and found to pay in vain */
        x = follow(LLVMGetOperand(v, 0), loop, depth);
        y = follow(LLVMGetOperand(v, 1), loop, depth);
        y = LLVMGetInstructionOpcode(v) == LLVMSub ? times(y, -1) : y;
        return (struct walk){add(x.lanes, y.lanes), add(x.rounds, y.rounds)};
    case LLVMMul:
        x = follow(LLVMGetOperand(v, 0), loop, depth);
        y = follow(LLVMGetOperand(v, 1), loop, depth);
        return x.lanes || x.rounds ? product(x, LLVMGetOperand(v, 1), y)
                                   : product(y, LLVMGetOperand(v, 0), x);
    case LLVMShl:
    case LLVMAShr: /* exact, of a product: how far is not known then */
        x = follow(LLVMGetOperand(v, 0), loop, depth);
        if (LLVMGetInstructionOpcode(v) == LLVMShl && LLVMIsAConstantInt(LLVMGetOperand(v, 1)) &&
            LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1)) < 32)
            return times(x, INT64_C(1) << LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1)));
        return product(x, v, same);
    case LLVMAlloca:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return unknown;
    default:
        for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(v); k++) {
            x = follow(LLVMGetOperand(v, k), loop, depth);
            if (x.lanes || x.rounds)
                return unknown;
        }
        return same;
    }
}

static bool
is_inside(LLVMValueRef v, LLVMBasicBlockRef loop)
{
    return LLVMIsAInstruction(v) && LLVMGetInstructionParent(v) == loop;
}

/* The block from which the loop is come to, of a loop that has a phi; NULL: there are several, or no phi. */
static LLVMBasicBlockRef
before(LLVMBasicBlockRef loop)
{
    struct lw_round r;
    return lw_read_round(LLVMGetFirstInstruction(loop), loop, &r) ? r.from : NULL;
}

/* At a place of each lane's own, the element behind that of the last round, or before it. */
static bool
stores_on(LLVMValueRef store, LLVMBasicBlockRef loop)
{
    LLVMValueRef pointer = LLVMGetOperand(store, 1);
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(store, 0));
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    unsigned bits = kind == LLVMFloatTypeKind     ? 32
                    : kind == LLVMDoubleTypeKind  ? 64
                    : kind == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type)
                                                  : 0;
    if ((bits != 32 && bits != 64) || LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) == 0)
        return false;
    struct walk w = follow(pointer, loop, DEPTH);
    bool far = w.lanes == UNKNOWN || w.lanes >= FAR || w.lanes <= -FAR;
    return far && (w.rounds == bits / 8 || w.rounds == -(int64_t)bits / 8);
}

static bool
only_computes(LLVMValueRef i)
{
    if (LLVMIsACallInst(i))
        return lw_is_call_like(i, "llvm.") && lw_call_computes(i);
    return !lw_is_ordered_access(i) && !LLVMIsAAllocaInst(i);
}

/* Is it a loop of one block whose rounds are to be side by side? */
static bool
is_wanted(LLVMBasicBlockRef loop)
{
    LLVMValueRef compare = lw_compared(LLVMGetBasicBlockTerminator(loop));
    unsigned count = 0;
    bool wanted = false;

    if (!compare || !before(loop))
        return false;
    if (follow(LLVMGetOperand(compare, 0), loop, DEPTH).lanes ||
        follow(LLVMGetOperand(compare, 1), loop, DEPTH).lanes)
        return false;
    for (LLVMValueRef i = LLVMGetFirstInstruction(loop); i; i = LLVMGetNextInstruction(i)) {
        if (!only_computes(i) || ++count > MOST_BODY)
            return false;
        wanted |= LLVMIsAStoreInst(i) && stores_on(i, loop);
    }
    return wanted;
}

/* A sum of counters and of what stays, in the first round; NULL: it is something else. */
static LLVMValueRef
first_of(LLVMBuilderRef b, LLVMValueRef v, LLVMBasicBlockRef loop, unsigned depth)
{
    struct lw_round r;
    if (!is_inside(v, loop))
        return v;
    if (lw_read_round(v, loop, &r))
        return r.first;
    if (LLVMGetInstructionOpcode(v) != LLVMAdd || depth == 0)
        return NULL;
    LLVMValueRef x = first_of(b, LLVMGetOperand(v, 0), loop, depth - 1);
    LLVMValueRef y = x ? first_of(b, LLVMGetOperand(v, 1), loop, depth - 1) : NULL;
    return y ? LLVMBuildAdd(b, x, y, "") : NULL;
}

/* begin + counter + ..., in any width: goes up by itself, so that rounds differ by a constant. */
static void
walk_alone(LLVMBuilderRef b, LLVMValueRef sum, LLVMBasicBlockRef loop)
{
    if (!is_inside(sum, loop) || LLVMGetInstructionOpcode(sum) != LLVMAdd)
        return;
    LLVMBasicBlockRef from[] = {before(loop), loop};
    int64_t step = follow(sum, loop, DEPTH).rounds;
    LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(from[0]));
    LLVMValueRef first = step && step != UNKNOWN ? first_of(b, sum, loop, DEPTH) : NULL;
    if (!first)
        return;
    LLVMTypeRef type = LLVMTypeOf(sum);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(loop));
    LLVMValueRef walk = LLVMBuildPhi(b, type, "");
    LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(loop));
    LLVMValueRef next = LLVMBuildAdd(b, walk, LLVMConstInt(type, (uint64_t)step, true), "");
    LLVMAddIncoming(walk, (LLVMValueRef[]){first, next}, from, 2);
    lw_replace(sum, walk);
}

/* Indices of the addresses in the loop. */
static void
walk_rows(LLVMBuilderRef b, LLVMBasicBlockRef loop)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(loop); i; i = LLVMGetNextInstruction(i)) {
        if (!LLVMIsAGetElementPtrInst(i) || LLVMGetNumOperands(i) != 2)
            continue;
        LLVMValueRef index = LLVMGetOperand(i, 1);
        while (is_inside(index, loop) && (LLVMIsASExtInst(index) || LLVMIsAZExtInst(index)))
            index = LLVMGetOperand(index, 0);
        walk_alone(b, index, loop);
    }
}

void
lw_join_own_rows(LLVMModuleRef module, struct lw_report *report)
{
    LLVMValueRef kernel = LLVMGetNamedFunction(module, "lw.kernel");
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));

    for (LLVMBasicBlockRef loop = LLVMGetFirstBasicBlock(kernel); loop; loop = LLVMGetNextBasicBlock(loop)) {
        if (!is_wanted(loop))
            continue;
        walk_rows(b, loop);
        lw_report_note(report, LLVMGetBasicBlockTerminator(loop), "loop",
                       "%u rounds side by side, each lane in memory of its own", ROUNDS);
        lw_wish_unrolling(LLVMGetBasicBlockTerminator(loop), ROUNDS);
    }
    LLVMDisposeBuilder(b);
}

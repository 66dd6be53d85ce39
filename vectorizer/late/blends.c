/* SPDX-License-Identifier: MIT */
/* Shuffles of two registers in the form that AVX-512 does in fewest instructions.
 *
 * Enters: a module after its last LLVM pass. Leaves: the same values. Where lanes are exchanged between two
 * vectors (a step of a transpose), instcombine leaves one shuffle of both and two blends of it with them:
 * they become two shuffles. Where a blend is shuffled again (a step of a sorting network), it leaves the
 * blend and one more shuffle of both sources, with a table: that becomes a shuffle of the blend, often
 * without one, and the blend a select, which makes one of the sources a masked operation. Relies on: no pass
 * after it that folds shuffles again; frozen masks in the entry block keep code generation from doing so.
 * Never: touches other shapes.
 */
#include <stdint.h>

#include "../lanes/internal.h"
#include "../../src/compiler.h"
#include "../facts/instructions.h"

enum { MOST_MASKS = 12 };

struct mask {
    uint64_t bits;
    V value;
};

struct blends {
    lw_lanes *l;
    V function;
    struct mask masks[MOST_MASKS];
    unsigned mask_count;
};

/* A shuffle of whole registers of 512 bits, with as many lanes out as in. */
static bool
is_shuffle(V i, unsigned *n)
{
    if (!LLVMIsAShuffleVectorInst(i) || LLVMTypeOf(i) != LLVMTypeOf(LLVMGetOperand(i, 0)))
        return false;
    *n = LLVMGetVectorSize(LLVMTypeOf(i));
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(i));
    LLVMTypeKind kind = LLVMGetTypeKind(element);
    unsigned bits = kind == LLVMFloatTypeKind    ? 32
                    : kind == LLVMDoubleTypeKind ? 64
                    : kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(element) % 32 == 0
                        ? LLVMGetIntTypeWidth(element)
                        : 0;
    if (bits * *n != 512 || LLVMGetNumMaskElements(i) != *n || LLVMIsConstant(LLVMGetOperand(i, 1)))
        return false;
    for (unsigned k = 0; k < *n; k++)
        if (LLVMGetMaskValue(i, k) == LLVMGetUndefMaskElem())
            return false;
    return true;
}

/* Every lane stays where it is; `second`: the lanes that come from the second source. */
static bool
is_blend(V i, uint64_t *second)
{
    unsigned n;

    *second = 0;
    if (!is_shuffle(i, &n))
        return false;
    for (unsigned k = 0; k < n; k++) {
        unsigned from = (unsigned)LLVMGetMaskValue(i, k);
        if (from % n != k)
            return false;
        *second |= (uint64_t)(from >= n) << k;
    }
    return true;
}

/* ---- steps of transposes ---- */

/* The one of a blend's sources that is a shuffle of its other one and a third. */
static V
inner_of(V blend)
{
    unsigned n;

    for (unsigned k = 0; k < 2; k++) {
        V inner = LLVMGetOperand(blend, k), other = LLVMGetOperand(blend, 1 - k);
        if (is_shuffle(inner, &n) && inner != other &&
            (LLVMGetOperand(inner, 0) == other || LLVMGetOperand(inner, 1) == other))
            return inner;
    }
    return NULL;
}

static bool
serves_blends_only(V inner)
{
    uint64_t bits;

    for (LLVMUseRef u = LLVMGetFirstUse(inner); u; u = LLVMGetNextUse(u)) {
        V user = LLVMGetUser(u);
        if (!is_blend(user, &bits) || inner_of(user) != inner)
            return false;
    }
    return true;
}

/* blend(shuffle(a, b), b): one shuffle of a and b. */
static void
compose(lw_lanes *l, V blend, V inner)
{
    V a = LLVMGetOperand(inner, 0), b = LLVMGetOperand(inner, 1);
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(blend));
    int lanes[LW_MAX_LANES];

    for (unsigned k = 0; k < n; k++) {
        unsigned from = (unsigned)LLVMGetMaskValue(blend, k);
        V source = LLVMGetOperand(blend, from >= n);
        lanes[k] = source == inner ? LLVMGetMaskValue(inner, k) : (int)(k + (source == a ? 0 : n));
    }
    LLVMPositionBuilderBefore(l->builder, blend);
    lw_replace(blend, lw_lane_shuffle_const(l, a, b, lanes, n));
}

/* ---- steps of sorting networks ---- */

/* Is `second` the lanes of the blend `first` in another order? */
static bool
is_reordered(V first, V second, int *lanes)
{
    V a = LLVMGetOperand(first, 0), b = LLVMGetOperand(first, 1);
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(first));
    bool turned = LLVMGetOperand(second, 0) == b && LLVMGetOperand(second, 1) == a;

    if (!turned && (LLVMGetOperand(second, 0) != a || LLVMGetOperand(second, 1) != b))
        return false;
    for (unsigned k = 0; k < n; k++) {
        unsigned from = (unsigned)LLVMGetMaskValue(second, k);
        bool of_b = (from >= n) != turned;
        if (((unsigned)LLVMGetMaskValue(first, from % n) >= n) != of_b)
            return false;
        lanes[k] = (int)(from % n);
    }
    return true;
}

static V
frozen_mask(struct blends *s, uint64_t bits, unsigned n)
{
    V lanes[LW_MAX_LANES];

    for (unsigned k = 0; k < s->mask_count; k++)
        if (s->masks[k].bits == bits && LLVMGetVectorSize(LLVMTypeOf(s->masks[k].value)) == n)
            return s->masks[k].value;
    if (s->mask_count == MOST_MASKS)
        return NULL;
    for (unsigned k = 0; k < n; k++)
        lanes[k] = lane_int(s->l, 1, bits >> k & 1);
    LLVMPositionBuilderBefore(s->l->builder,
                              LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(s->function)));
    V made = LLVMBuildFreeze(s->l->builder, LLVMConstVector(lanes, n), "");
    s->masks[s->mask_count++] = (struct mask){bits, made};
    return made;
}

/* The shuffle behind a blend of the same sources, where there is one. */
static void
share_blend(struct blends *s, V blend, uint64_t bits)
{
    V a = LLVMGetOperand(blend, 0), b = LLVMGetOperand(blend, 1);
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(blend)), m;
    int lanes[LW_MAX_LANES];
    V other = LLVMGetNextInstruction(blend);

    if (!other || !is_shuffle(other, &m) || LLVMTypeOf(other) != LLVMTypeOf(blend) ||
        LLVMGetInstructionParent(blend) == LLVMGetEntryBasicBlock(s->function) || !LLVMIsACallInst(a) ||
        !LLVMIsACallInst(b) || !is_reordered(blend, other, lanes))
        return;
    V mask = frozen_mask(s, bits, n);
    if (!mask)
        return;
    LLVMPositionBuilderBefore(s->l->builder, blend);
    V chosen = LLVMBuildSelect(s->l->builder, mask, b, a, "");
    LLVMReplaceAllUsesWith(blend, chosen);
    LLVMPositionBuilderBefore(s->l->builder, other);
    lw_replace(other, lw_lane_shuffle_const(s->l, chosen, NULL, lanes, n));
    LLVMInstructionEraseFromParent(blend);
}

static void
settle_block(struct blends *s, LLVMBasicBlockRef block)
{
    uint64_t bits;
    V previous;

    /* Backwards: what a rewriting erases comes behind. */
    for (V i = LLVMGetLastInstruction(block); i; i = previous) {
        previous = LLVMGetPreviousInstruction(i);
        if (!is_blend(i, &bits))
            continue;
        V inner = inner_of(i);
        if (inner && serves_blends_only(inner))
            compose(s->l, i, inner);
        else if (!inner)
            share_blend(s, i, bits);
    }
}

void
lw_settle_blends(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    lw_lanes l = {.context = context, .module = module, .builder = LLVMCreateBuilderInContext(context)};

    for (V f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        struct blends s = {.l = &l, .function = f};
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            settle_block(&s, b);
    }
    LLVMDisposeBuilder(l.builder);
}

/* SPDX-License-Identifier: MIT */
/* Pointers that walk through a buffer, and counters of 64 bits that count to zero, as indices of 32 bits.
 *
 *     p = phi [values + 4 * (u64)x, p + 4]      ->      j = phi [x, j + 1];  p = &values[(i64)(i32)j]
 *     n = phi [(u64)m, n - 1] until n - 1 == 0  ->      the same of 32 bits
 *
 * And where rows of a work-group are shorter than its sub-groups, so that what differs from row to row is not
 * all that differs from lane to lane:
 *
 *     p = phi [start, p + 4]                    ->      j = phi [0, j + 4];  p = start + j
 *
 * Enters: any function; for the first, a shape whose buffers span less than 4 GiB. Leaves: the same accesses.
 * Relies on: an element of two bytes or more having an index below 2^31 there; no loop making 2^32 rounds.
 * Never: touches a walk that starts elsewhere than at an index from memory: other starts may have a stride,
 * which the pointer shows best. Why: front ends reduce a[i] to such walks; a gather takes twice as many
 * indices of 32 bits as pointers, and walks that go together share theirs.
 */
#include "addresses.h"

#include <llvm-c/Target.h>

#include "../facts/counters.h"
#include "../facts/instructions.h"
#include "../facts/integers.h"

enum { MOST_WALKS = 16 }; /* that share an index, per block */

struct walk {
    LLVMValueRef phi, base, first; /* the index it starts from */
    struct lw_round round;
    unsigned size;  /* of an element */
    int64_t stride; /* elements */
    bool natural;   /* nothing is accessed at an index below zero */
};

/* Accesses of one size only, beside the step. */
static unsigned
access_size(LLVMTargetDataRef layout, LLVMValueRef phi, LLVMValueRef step)
{
    uint64_t size = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(phi); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (user == step)
            continue;
        bool store = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != phi;
        if (!store && !LLVMIsALoadInst(user))
            return 0;
        LLVMTypeRef type = LLVMTypeOf(store ? LLVMGetOperand(user, 0) : user);
        uint64_t mine = LLVMABISizeOfType(layout, type);
        if (LLVMGetTypeKind(type) == LLVMVectorTypeKind || (size && mine != size))
            return 0;
        size = mine;
    }
    return size == 2 || size == 4 || size == 8 ? (unsigned)size : 0;
}

/* The index of 32 bits of which `v` is the extension, where it came from memory; else NULL. */
static LLVMValueRef
loaded_index(LLVMValueRef v)
{
    if (!LLVMIsAZExtInst(v) && !LLVMIsASExtInst(v))
        return NULL;
    LLVMValueRef index = LLVMGetOperand(v, 0), from = index;
    if (LLVMIsABinaryOperator(from) && LLVMIsAConstantInt(LLVMGetOperand(from, 1))) /* a[k] & 15, a[k] + 1 */
        from = LLVMGetOperand(from, 0);
    return LLVMIsALoadInst(from) && LLVMGetIntTypeWidth(LLVMTypeOf(index)) == 32 ? index : NULL;
}

/* Buffer and index of where the walk starts. */
static bool
read_start(LLVMTargetDataRef layout, LLVMValueRef start, struct walk *w)
{
    if (!LLVMIsAGetElementPtrInst(start) || LLVMGetNumOperands(start) != 2 ||
        !LLVMIsAArgument(LLVMGetOperand(start, 0)))
        return false;
    LLVMValueRef offset = LLVMGetOperand(start, 1);
    uint64_t unit = LLVMABISizeOfType(layout, LLVMGetGEPSourceElementType(start));
    if (unit == 1 && LLVMIsAInstruction(offset) && LLVMGetInstructionOpcode(offset) == LLVMShl &&
        LLVMIsAConstantInt(LLVMGetOperand(offset, 1)) &&
        LLVMConstIntGetZExtValue(LLVMGetOperand(offset, 1)) < 4) {
        unit = UINT64_C(1) << LLVMConstIntGetZExtValue(LLVMGetOperand(offset, 1));
        offset = LLVMGetOperand(offset, 0);
    }
    w->base = LLVMGetOperand(start, 0);
    w->first = loaded_index(offset);
    w->natural = w->first && LLVMIsAZExtInst(offset) && w->stride > 0;
    return unit == w->size && w->first;
}

static bool
read_walk(LLVMTargetDataRef layout, LLVMValueRef phi, struct walk *w)
{
    if (LLVMGetTypeKind(LLVMTypeOf(phi)) != LLVMPointerTypeKind || !lw_read_counter(phi, &w->round) ||
        LLVMGetNextUse(LLVMGetFirstUse(w->round.next)))
        return false;
    uint64_t unit = LLVMABISizeOfType(layout, LLVMGetGEPSourceElementType(w->round.next));
    int64_t bytes = (int64_t)((uint64_t)LLVMConstIntGetSExtValue(w->round.step) * unit);
    w->phi = phi;
    w->size = access_size(layout, phi, w->round.next);
    w->stride = w->size ? bytes / (int64_t)w->size : 0;
    return w->size && bytes % (int64_t)w->size == 0 && read_start(layout, w->round.first, w);
}

static LLVMValueRef
build_index(LLVMBuilderRef b, const struct walk *w)
{
    LLVMTypeRef i32 = LLVMTypeOf(w->first);
    LLVMPositionBuilderBefore(b, w->phi);
    LLVMValueRef index = LLVMBuildPhi(b, i32, "");
    LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(w->round.latch));
    LLVMValueRef next =
        LLVMBuildAdd(b, index, LLVMConstInt(i32, (uint64_t)w->stride & UINT32_MAX, false), "");
    LLVMAddIncoming(index, (LLVMValueRef[]){w->first, next},
                    (LLVMBasicBlockRef[]){w->round.from, w->round.latch}, 2);
    return index;
}

static void
use_index(LLVMBuilderRef b, const struct walk *w, LLVMValueRef index)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(index));
    LLVMTypeRef element = LLVMIntTypeInContext(context, 8 * w->size);
    LLVMValueRef none = LLVMGetPoison(LLVMTypeOf(w->phi));
    while (LLVMGetFirstUse(w->phi)) {
        LLVMValueRef user = LLVMGetUser(LLVMGetFirstUse(w->phi));
        if (user == w->round.next) {
            LLVMSetOperand(user, 0, none);
            continue;
        }
        LLVMPositionBuilderBefore(b, user);
        LLVMTypeRef i64 = LLVMInt64TypeInContext(context);
        LLVMValueRef wide = w->natural ? LLVMBuildZExt(b, index, i64, "") : LLVMBuildSExt(b, index, i64, "");
        if (w->natural)
            LLVMSetNNeg(wide, true);
        wide = LLVMBuildGEP2(b, element, w->base, &wide, 1, "");
        LLVMSetOperand(user, LLVMIsAStoreInst(user) ? 1 : 0, wide);
    }
    LLVMInstructionEraseFromParent(w->phi);
    LLVMInstructionEraseFromParent(w->round.next);
}

static void
index_walks(LLVMBuilderRef b, LLVMTargetDataRef layout, LLVMBasicBlockRef block)
{
    struct walk known[MOST_WALKS];
    LLVMValueRef indices[MOST_WALKS], next;
    unsigned count = 0, k;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && LLVMIsAPHINode(i); i = next) {
        struct walk w;
        next = LLVMGetNextInstruction(i);
        if (!read_walk(layout, i, &w))
            continue;
        for (k = 0; k < count && (known[k].first != w.first || known[k].stride != w.stride); k++)
            ;
        if (k == MOST_WALKS)
            k = --count;
        if (k == count) {
            known[count] = w;
            indices[count++] = build_index(b, &w);
        }
        use_index(b, &w, indices[k]);
    }
}

/* ---- counters ---- */

/* n = phi [zext m, n - 1], whose step is compared with zero and nothing else. */
static bool
counts_to_zero(LLVMValueRef phi, struct lw_round *r)
{
    if (lw_int_width(phi) != 64 || !lw_read_counter(phi, r) || r->step != LLVMConstAllOnes(LLVMTypeOf(phi)) ||
        !LLVMIsAZExtInst(r->first) || lw_int_width(LLVMGetOperand(r->first, 0)) != 32 ||
        LLVMGetNextUse(LLVMGetFirstUse(phi)))
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(r->next); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (user == phi)
            continue;
        LLVMIntPredicate p = LLVMIsAICmpInst(user) ? LLVMGetICmpPredicate(user) : LLVMIntUGT;
        LLVMValueRef zero = LLVMIsAICmpInst(user) ? LLVMGetOperand(user, 1) : NULL;
        if ((p != LLVMIntEQ && p != LLVMIntNE) || !LLVMIsAConstantInt(zero) || !LLVMIsNull(zero))
            return false;
    }
    return true;
}

static void
narrow_count(LLVMBuilderRef b, LLVMValueRef phi, const struct lw_round *r)
{
    LLVMValueRef start = LLVMGetOperand(r->first, 0);
    LLVMTypeRef i32 = LLVMTypeOf(start);
    LLVMPositionBuilderBefore(b, phi);
    LLVMValueRef narrow = LLVMBuildPhi(b, i32, "");
    LLVMPositionBuilderBefore(b, r->next);
    LLVMValueRef next = LLVMBuildAdd(b, narrow, LLVMConstAllOnes(i32), "");
    LLVMAddIncoming(narrow, (LLVMValueRef[]){start, next}, (LLVMBasicBlockRef[]){r->from, r->latch}, 2);
    for (LLVMUseRef use = LLVMGetFirstUse(r->next), after; use; use = after) {
        LLVMValueRef user = LLVMGetUser(use);
        after = LLVMGetNextUse(use);
        if (user == phi)
            continue;
        LLVMPositionBuilderBefore(b, user);
        LLVMValueRef test = LLVMBuildICmp(b, LLVMGetICmpPredicate(user), next, LLVMConstNull(i32), "");
        lw_replace(user, test);
    }
    lw_replace(phi, LLVMGetPoison(LLVMTypeOf(phi)));
    LLVMInstructionEraseFromParent(r->next);
}

static void
narrow_counts(LLVMBuilderRef b, LLVMBasicBlockRef block)
{
    LLVMValueRef next;
    struct lw_round r;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && LLVMIsAPHINode(i); i = next) {
        next = LLVMGetNextInstruction(i);
        if (counts_to_zero(i, &r))
            narrow_count(b, i, &r);
    }
}

/* ---- what walks have in common ---- */

static bool
is_compared(LLVMValueRef v)
{
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use))
        if (LLVMIsAICmpInst(LLVMGetUser(use)))
            return true;
    return false;
}

/* Bytes of a pointer's step, what is added to an index; false: it is no such walk. What is compared tells how
 * often the loop goes round, and stays as others know it. */
static bool
read_common(LLVMTargetDataRef layout, LLVMValueRef phi, struct lw_round *r, LLVMValueRef *step)
{
    LLVMTypeRef type = LLVMTypeOf(phi);
    bool pointer = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
    if ((!pointer && (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) < 32)) ||
        !lw_read_counter(phi, r) || !r->step || !LLVMIsAConstantInt(r->step) ||
        !LLVMIsAInstruction(r->first) || is_compared(phi) || is_compared(r->next))
        return false;
    int64_t by = LLVMConstIntGetSExtValue(r->step);
    if (pointer) {
        type = LLVMInt64TypeInContext(LLVMGetTypeContext(type));
        by *= (int64_t)LLVMABISizeOfType(layout, LLVMGetGEPSourceElementType(r->next));
    }
    *step = LLVMConstInt(type, (uint64_t)by, true);
    return true;
}

/* From 0 on, before the phi. */
static LLVMValueRef
build_common(LLVMBuilderRef b, LLVMValueRef phi, const struct lw_round *r, LLVMValueRef step)
{
    LLVMPositionBuilderBefore(b, phi);
    LLVMValueRef walked = LLVMBuildPhi(b, LLVMTypeOf(step), "");
    LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(r->latch));
    LLVMValueRef more = LLVMBuildAdd(b, walked, step, "");
    LLVMAddIncoming(walked, (LLVMValueRef[]){LLVMConstNull(LLVMTypeOf(step)), more},
                    (LLVMBasicBlockRef[]){r->from, r->latch}, 2);
    return walked;
}

static void
split_walk(LLVMBuilderRef b, LLVMValueRef phi, const struct lw_round *r, LLVMValueRef walked)
{
    LLVMTypeRef byte = LLVMInt8TypeInContext(LLVMGetTypeContext(LLVMTypeOf(phi)));
    LLVMValueRef sum;
    LLVMPositionBuilderBefore(b, lw_behind_phis(phi));
    if (LLVMGetTypeKind(LLVMTypeOf(phi)) == LLVMPointerTypeKind)
        sum = LLVMBuildGEP2(b, byte, r->first, &walked, 1, "");
    else
        sum = LLVMBuildAdd(b, r->first, walked, "");
    lw_replace(phi, sum);
    if (!LLVMGetFirstUse(r->next))
        LLVMInstructionEraseFromParent(r->next);
}

void
lw_split_walks(LLVMModuleRef module, LLVMValueRef function)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef steps[MOST_WALKS], walked[MOST_WALKS], next, step;
        unsigned count = 0, k;
        struct lw_round r;
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && LLVMIsAPHINode(i); i = next) {
            next = LLVMGetNextInstruction(i);
            if (!read_common(layout, i, &r, &step))
                continue;
            for (k = 0; k < count && steps[k] != step; k++)
                ;
            if (k == MOST_WALKS)
                continue;
            if (k == count) {
                steps[count] = step;
                walked[count++] = build_common(b, i, &r, step);
            }
            next = next == r.next ? NULL : next; /* which may go */
            split_walk(b, i, &r, walked[k]);
        }
    }
    LLVMDisposeBuilder(b);
}

void
lw_index_walks(LLVMModuleRef module, LLVMValueRef function)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block)) {
        index_walks(b, layout, block);
        narrow_counts(b, block);
    }
    LLVMDisposeBuilder(b);
}

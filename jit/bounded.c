/* SPDX-License-Identifier: MIT */
/* Writes out small loops that each work-item leaves after its own, small number of rounds:
 * `for (i = 0; i < lid % 16; i++) sum += a[i];`
 *
 * Enters: the scalar kernel, inlined, loops simplified and in LCSSA form. Leaves: in place of such a loop as
 * many copies of its body as there can be rounds, each but the first behind a comparison of the bound with a
 * constant. Relies on: the guard before the loop, that a bound of 0 does not come there. Why: a round of a
 * divergent loop keeps a mask of who is left and a counter, which take longer than a short body; written out,
 * the masks are comparisons with lane numbers, often constants. Never: copies a store, a call that does more
 * than compute, or a loop whose number of rounds does not depend on the lane.
 */
#include "jit.h"
#include "../vectorizer/facts/calls.h"
#include "../vectorizer/facts/counters.h"
#include "../vectorizer/facts/integers.h"
#include "../vectorizer/facts/memory_effects.h"

#include <stdint.h>

#define MOST_ROUNDS 16
#define MOST_BODY 12
#define MOST_PHIS 4

struct bounded {
    LLVMBasicBlockRef before, body, after;
    LLVMValueRef bound; /* how many rounds */
    LLVMValueRef small; /* the same in 32 bits: a mask of as many lanes as others */
    uint64_t most;      /* at most so many */
    LLVMValueRef counter;
    LLVMValueRef phis[MOST_PHIS], latched[MOST_PHIS]; /* without the counter */
    bool steady[MOST_PHIS];                           /* advances by what does not change */
    unsigned phi_count;
    LLVMValueRef code[MOST_BODY];
    unsigned code_count;
};

static bool
is_inside(const struct bounded *l, LLVMValueRef value)
{
    return LLVMIsAInstruction(value) && LLVMGetInstructionParent(value) == l->body;
}

/* ---- the bound ---- */

/* The low bits that a mask of at most MOST_ROUNDS takes are the same in the value without its casts. */
static LLVMValueRef
without_casts(LLVMValueRef v)
{
    while ((LLVMIsAZExtInst(v) || LLVMIsATruncInst(v)) && LLVMGetIntTypeWidth(LLVMTypeOf(v)) >= 8 &&
           LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(v, 0))) >= 8)
        v = LLVMGetOperand(v, 0);
    return v;
}

/* value & mask, extended or not; false: something else. */
static bool
find_masked(LLVMValueRef v, LLVMValueRef *value, uint64_t *mask)
{
    v = LLVMIsAZExtInst(v) ? LLVMGetOperand(v, 0) : v;
    if (!LLVMIsAInstruction(v) || LLVMGetInstructionOpcode(v) != LLVMAnd ||
        !LLVMIsAConstantInt(LLVMGetOperand(v, 1)) || LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64)
        return false;
    *value = without_casts(LLVMGetOperand(v, 0));
    *mask = LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1));
    return true;
}

static bool
depends_on_lane(LLVMValueRef v, unsigned depth)
{
    if (!LLVMIsAInstruction(v) || depth == 0)
        return false;
    if (*lw_called(v))
        return lw_call_same(v) == LW_SAME_ITEM || lw_call_same(v) == LW_SAME_LANE;
    if (LLVMIsAPHINode(v))
        return false;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (depends_on_lane(LLVMGetOperand(v, (unsigned)k), depth - 1))
            return true;
    return false;
}

/* The only branch that leads to the block; NULL: there are more. */
static LLVMValueRef
only_way_to(LLVMBasicBlockRef block)
{
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));

    return use && !LLVMGetNextUse(use) && LLVMIsABranchInst(LLVMGetUser(use)) ? LLVMGetUser(use) : NULL;
}

/* The branch to `before` is taken where the bound is not 0 only. */
static bool
is_guarded(const struct bounded *l)
{
    LLVMValueRef branch = only_way_to(l->before), x, y;
    uint64_t mask_x, mask_y;

    LLVMValueRef compare = branch ? lw_compared(branch) : NULL;
    if (!compare)
        return false;
    LLVMValueRef zero = LLVMGetOperand(compare, 1);
    LLVMIntPredicate p = LLVMGetICmpPredicate(compare);
    if ((p != LLVMIntEQ && p != LLVMIntNE) || !LLVMIsAConstantInt(zero) || !LLVMIsNull(zero) ||
        LLVMGetSuccessor(branch, p == LLVMIntEQ) != l->before ||
        LLVMGetSuccessor(branch, p != LLVMIntEQ) == l->before)
        return false;
    LLVMValueRef tested = LLVMGetOperand(compare, 0);
    if (tested == l->bound)
        return true;
    return find_masked(tested, &x, &mask_x) && find_masked(l->bound, &y, &mask_y) && x == y &&
           mask_x == mask_y;
}

/* Counted from 0 up to the bound, or from the bound down to 0, by one. */
static bool
find_bound(struct bounded *l, LLVMValueRef branch)
{
    LLVMValueRef compare = lw_compared(branch), value;
    struct lw_round r;

    if (!compare || !is_inside(l, compare))
        return false;
    LLVMIntPredicate p = LLVMGetICmpPredicate(compare);
    unsigned leaves = p == LLVMIntEQ ? 0 : 1;
    if ((p != LLVMIntEQ && p != LLVMIntNE) || LLVMGetSuccessor(branch, 1 - leaves) != l->body)
        return false;
    l->after = LLVMGetSuccessor(branch, leaves);
    LLVMValueRef next = LLVMGetOperand(compare, 0), last = LLVMGetOperand(compare, 1);
    if (!is_inside(l, next) || LLVMGetInstructionOpcode(next) != LLVMAdd || is_inside(l, last))
        return false;
    l->counter = LLVMGetOperand(next, 0);
    int64_t step;
    if (!is_inside(l, l->counter) || !lw_read_round(l->counter, l->body, &r) || r.next != next || !r.step ||
        ((step = LLVMConstIntGetSExtValue(r.step)) != 1 && step != -1))
        return false;
    LLVMValueRef zero = step == 1 ? r.first : last;
    l->bound = step == 1 ? last : r.first;
    l->before = r.from;
    return LLVMIsAConstantInt(zero) && LLVMIsNull(zero) && find_masked(l->bound, &value, &l->most) &&
           l->most >= 1 && l->most <= MOST_ROUNDS && depends_on_lane(l->bound, 8);
}

/* ---- the body ---- */

static bool
only_computes(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        return !lw_is_ordered_access(i);
    case LLVMCall:
    case LLVMStore:
    case LLVMAlloca:
    case LLVMFence:
    case LLVMAtomicCmpXchg:
    case LLVMAtomicRMW:
    case LLVMFreeze:
        return false;
    default:
        return !LLVMIsATerminatorInst(i);
    }
}

static bool
used_outside(const struct bounded *l, LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
        if (!is_inside(l, LLVMGetUser(use)))
            return true;
    return false;
}

static bool
find_phi(struct bounded *l, LLVMValueRef phi)
{
    struct lw_round r;

    if (phi == l->counter)
        return !used_outside(l, phi);
    if (l->phi_count == MOST_PHIS || !lw_read_round(phi, l->body, &r) || used_outside(l, phi) ||
        !is_inside(l, r.next) || LLVMIsAPHINode(r.next))
        return false;
    l->phis[l->phi_count] = phi;
    l->latched[l->phi_count] = r.next;
    l->steady[l->phi_count++] = r.step && !used_outside(l, r.next);
    return true;
}

/* Which of the carried values `value` is; phi_count: none. */
static unsigned
carried(const struct bounded *l, LLVMValueRef value)
{
    unsigned k = 0;

    while (k < l->phi_count && (l->latched[k] != value || l->steady[k]))
        k++;
    return k;
}

static bool
find_loop(struct bounded *l, LLVMBasicBlockRef block)
{
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(block);

    *l = (struct bounded){.body = block};
    if (!branch || !LLVMIsABranchInst(branch) || !LLVMIsConditional(branch) || !find_bound(l, branch))
        return false;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != branch; i = LLVMGetNextInstruction(i)) {
        if (LLVMIsAPHINode(i)) {
            if (!find_phi(l, i))
                return false;
            continue;
        }
        if (l->code_count == MOST_BODY || !only_computes(i) ||
            (used_outside(l, i) && carried(l, i) == l->phi_count))
            return false;
        l->code[l->code_count++] = i;
    }
    LLVMValueRef jump = LLVMGetBasicBlockTerminator(l->before);
    return LLVMIsABranchInst(jump) && !LLVMIsConditional(jump) && is_guarded(l);
}

/* ---- writing ---- */

/* What stands for the values of the body in the round at hand. */
struct round {
    LLVMValueRef counter, phis[MOST_PHIS], code[MOST_BODY];
};

static LLVMValueRef
stands_for(const struct bounded *l, const struct round *r, LLVMValueRef value)
{
    if (value == l->counter)
        return r->counter;
    for (unsigned k = 0; k < l->phi_count; k++)
        if (value == l->phis[k])
            return r->phis[k];
    for (unsigned k = 0; k < l->code_count; k++)
        if (value == l->code[k])
            return r->code[k];
    return value;
}

static void
copy_body(const struct bounded *l, struct round *r, LLVMBuilderRef b)
{
    for (unsigned k = 0; k < l->code_count; k++) {
        LLVMValueRef copy = LLVMInstructionClone(l->code[k]);
        for (int o = 0; o < LLVMGetNumOperands(copy); o++)
            LLVMSetOperand(copy, (unsigned)o, stands_for(l, r, LLVMGetOperand(copy, (unsigned)o)));
        LLVMInsertIntoBuilder(b, copy);
        r->code[k] = copy;
    }
}

/* The values of the next round: of the lanes that have done `r`, the others' where they left. `from` goes to
 * `join` without it; NULL: every lane does the first round. */
static void
next_round(const struct bounded *l, struct round *r, LLVMBasicBlockRef from, LLVMBasicBlockRef join,
           LLVMBuilderRef b)
{
    LLVMBasicBlockRef done = LLVMGetInsertBlock(b);
    LLVMValueRef next[MOST_PHIS];

    if (from) {
        LLVMBuildBr(b, join);
        LLVMPositionBuilderAtEnd(b, join);
    }
    for (unsigned k = 0; k < l->phi_count; k++) {
        next[k] = stands_for(l, r, l->latched[k]);
        if (l->steady[k] || !from)
            continue;
        LLVMValueRef values[] = {r->phis[k], next[k]};
        LLVMBasicBlockRef blocks[] = {from, done};
        next[k] = LLVMBuildPhi(b, LLVMTypeOf(next[k]), "");
        LLVMAddIncoming(next[k], values, blocks, 2);
    }
    for (unsigned k = 0; k < l->phi_count; k++) {
        LLVMValueRef step = l->steady[k] ? LLVMGetOperand(l->latched[k], 1) : NULL;
        if (step && LLVMIsAGetElementPtrInst(l->latched[k]))
            next[k] = LLVMBuildGEP2(b, LLVMGetGEPSourceElementType(l->latched[k]), r->phis[k], &step, 1, "");
        else if (step)
            next[k] = LLVMBuildAdd(b, r->phis[k], step, "");
        r->phis[k] = next[k];
    }
}

static bool
counts_down(const struct bounded *l)
{
    LLVMValueRef compare = LLVMGetCondition(LLVMGetBasicBlockTerminator(l->body));
    return LLVMConstIntGetSExtValue(LLVMGetOperand(LLVMGetOperand(compare, 0), 1)) < 0;
}

static void
write_round(const struct bounded *l, struct round *r, uint64_t number, LLVMBuilderRef b)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(l->bound));
    LLVMValueRef function = LLVMGetBasicBlockParent(l->body);
    LLVMValueRef count = LLVMConstInt(LLVMTypeOf(l->bound), number, false);
    LLVMBasicBlockRef from = NULL, join = NULL;

    if (number) {
        LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(context, function, "round");
        from = LLVMGetInsertBlock(b);
        join = LLVMAppendBasicBlockInContext(context, function, "round.done");
        r->counter = counts_down(l) ? LLVMBuildSub(b, l->bound, count, "") : count;
        LLVMValueRef small = LLVMConstInt(LLVMTypeOf(l->small), number, false);
        LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntUGT, l->small, small, ""), body, join);
        LLVMPositionBuilderAtEnd(b, body);
    }
    copy_body(l, r, b);
    next_round(l, r, from, join, b);
}

/* The block stays as the last one, so that the phis behind it know where they come from. */
static void
replace_body(const struct bounded *l, const struct round *r, LLVMBuilderRef b)
{
    LLVMBuildBr(b, l->body);
    for (unsigned k = 0; k < l->phi_count; k++)
        if (!l->steady[k])
            LLVMReplaceAllUsesWith(l->latched[k], r->phis[k]);
    for (LLVMValueRef i = LLVMGetFirstInstruction(l->body); i; i = LLVMGetNextInstruction(i))
        if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
            LLVMReplaceAllUsesWith(i, LLVMGetUndef(LLVMTypeOf(i)));
    while (LLVMGetFirstInstruction(l->body))
        LLVMInstructionEraseFromParent(LLVMGetFirstInstruction(l->body));
    LLVMPositionBuilderAtEnd(b, l->body);
    LLVMBuildBr(b, l->after);
}

static void
write_loop_out(struct bounded *l)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(l->bound)));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(l->bound)));
    struct round r = {.counter = counts_down(l) ? l->bound : LLVMConstNull(LLVMTypeOf(l->bound))};

    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(l->before));
    LLVMPositionBuilderAtEnd(b, l->before);
    bool wide = LLVMGetIntTypeWidth(LLVMTypeOf(l->bound)) > 32;
    l->small = wide ? LLVMBuildTrunc(b, l->bound, i32, "") : l->bound;
    for (unsigned k = 0; k < l->phi_count; k++)
        r.phis[k] = LLVMGetIncomingValue(l->phis[k], LLVMGetIncomingBlock(l->phis[k], 0) == l->body);
    for (uint64_t round = 0; round < l->most; round++)
        write_round(l, &r, round, b);
    replace_body(l, &r, b);
    LLVMDisposeBuilder(b);
}

bool
lw_write_bounded_loops_out(LLVMModuleRef module, uint32_t *room)
{
    LLVMValueRef kernel = LLVMGetNamedFunction(module, "lw.kernel");
    struct bounded loop;
    bool any = false;

    for (LLVMBasicBlockRef b = kernel ? LLVMGetFirstBasicBlock(kernel) : NULL; b;
         b = LLVMGetNextBasicBlock(b)) {
        if (!find_loop(&loop, b) || loop.most * (loop.code_count + 4) > *room)
            continue;
        *room -= (uint32_t)loop.most * (loop.code_count + 4);
        write_loop_out(&loop);
        any = true;
    }
    return any;
}

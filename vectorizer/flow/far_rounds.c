/* SPDX-License-Identifier: MIT */
/* A loop by the size of the range, or another large step, in which neighbouring work-items access what lies
 * side by side: one sub-group after the other would go from page to page, a line of each, as often as there
 * are sub-groups, and no hardware reads ahead. So the work-group goes through a round together before any of
 * its sub-groups goes on: a copy of the loop, a barrier in each round, for as long as all work-items stay in
 * it.
 *
 *     if (i < n)                        if (step is large, n many times that) { // in the work-group
 *         do {                              most = work_group_reduce_max(i);
 *             ... x[i] ...                  for (left = n - most; step < left; left -= step) {
 *             i += step;         ->             barrier();
 *         } while (i < n);                      ... x[i] ...
 *                                               i += step;
 *                                           }
 *                                           barrier();
 *                                           ... the loop again, from there on
 *                                       } else
 *                                           ... as it was
 *
 * Enters: lw.kernel in canonical form. Leaves: the same values, but not the form.
 * Legal: work-items have no order among each other but by barriers, atomics and collectives, of which there
 * are none in the loop. A round of the copy is one that every work-item goes through, and not its last:
 * i + step < n for the largest i, so for all, and without a wrap, since n - most is a positive signed number
 * (where the comparison is unsigned, n is one, too). All branches to the barriers are the work-group's: every
 * work-item comes to the loop, and step and n are equal over the work-group. The step is looked at where no
 * work-item may go through the loop: what could be poison in it promises nothing any more (the bound is
 * looked at anyway). What is done once before the first round does not trap. Pays: where sub-groups' accesses
 * of global memory adjoin, or go along rows of a neighbouring index, a round is FAR bytes from the next, and
 * there are LW_FAR_ROUNDS rounds: where there may not be, as the shape says, nothing is made, and where there
 * turn out to be fewer, the loop that was there goes its way. What each work-item carries from round to
 * round is in memory: few values may do so.
 */
#include "far_rounds.h"

#include <stdio.h>
#include <string.h>

#include "../../spirv/arena.h"
#include "../facts/calls.h"
#include "../facts/counters.h"
#include "../facts/flags.h"
#include "../facts/integers.h"
#include "../facts/memory_effects.h"
#include "../facts/uniformity.h"
#include "../facts/gep.h"
#include "../widen/explain.h"
#include "../widen/kept.h"
#include "module_pass.h"
#include "twice.h"
#include "../../spirv/attributes.h"
#include "../../spirv/intrinsics.h"

#define DONE "lw.far_rounds" /* metadata of comparisons that a copy was made for */
#define FAR 2048             /* bytes: where hardware stops to read ahead, or nearly */
#define MOST_WRITTEN 240 /* instructions of a round */
#define MOST_CARRIED 2
#define MOST_PHIS 16
#define DEPTH 10

/* A phi of the loop's header; a counter goes on by the same step in the whole work-group. */
struct carried {
    LLVMValueRef phi, first, next;
    LLVMValueRef step;      /* NULL: no counter */
    LLVMValueRef now, done; /* in the copy: the phi, of a counter how far it has come; that behind a round */
    LLVMValueRef rest;      /* what the loop begins with behind the copy */
};

struct march {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef b;
    struct lw_report *report;
    const struct lw_model *m;
    const struct lw_uniformity *u;
    const struct lw_loop *loop;
    uint32_t guard;          /* the block that decides about the first round */
    uint32_t deciding;       /* that about the next one, and */
    LLVMBasicBlockRef on;    /* where it goes on */
    struct carried *counter; /* that is compared: */
    LLVMValueRef first, step, bound;
    bool is_signed;
    uint64_t far; /* as many steps of 1 are FAR bytes */
    struct carried carried[MOST_PHIS];
    unsigned carried_count;
    struct lw_twice twice, rest; /* rounds of all together; the loop behind them */
    bool changed;
};

static unsigned
done_kind(const struct march *s)
{
    return LLVMGetMDKindIDInContext(s->context, DONE, sizeof DONE - 1);
}

static bool
in_loop(const struct march *s, LLVMValueRef v)
{
    uint32_t id = lw_value_id(s->m, v);
    if (id == LW_NONE || id < s->m->param_count)
        return false;
    uint32_t b = lw_block_id_of(s->m, v);
    return b >= s->loop->header && b < s->loop->end;
}

/* ---- which loops ---- */

/* x <= n, a constant, as x < n + 1. NULL: there is no such number. */
static LLVMValueRef
one_more(LLVMValueRef n, bool is_signed)
{
    LLVMTypeRef type = LLVMTypeOf(n);
    if (!LLVMIsAConstantInt(n) || lw_int_width(n) > 64)
        return NULL;
    uint64_t ones = LLVMConstIntGetZExtValue(LLVMConstAllOnes(type)), most = is_signed ? ones >> 1 : ones;
    return LLVMConstIntGetZExtValue(n) == most ? NULL : LLVMConstAdd(n, LLVMConstInt(type, 1, false));
}

/* A branch that goes to `inside` where x < bound. */
static bool
goes_on_below(LLVMValueRef branch, LLVMBasicBlockRef inside, LLVMValueRef *x, LLVMValueRef *bound,
              bool *is_signed)
{
    LLVMValueRef c = lw_compared(branch);
    if (!c || LLVMGetSuccessor(branch, 0) == LLVMGetSuccessor(branch, 1))
        return false;
    LLVMIntPredicate p = LLVMGetICmpPredicate(c);
    p = LLVMGetSuccessor(branch, 1) == inside ? lw_inverse(p) : p;
    bool less = p == LLVMIntSLT || p == LLVMIntULT, more = p == LLVMIntSGT || p == LLVMIntUGT;
    bool least = p == LLVMIntSLE || p == LLVMIntULE;
    *is_signed = lw_is_signed_order(p);
    *x = LLVMGetOperand(c, more ? 1 : 0);
    *bound = LLVMGetOperand(c, more ? 0 : 1);
    if (least)
        *bound = one_more(*bound, *is_signed);
    return (less || more || least) && *bound;
}

/* Equal over the work-group, and not computed in the loop. */
static bool
is_of_group(const struct march *s, LLVMValueRef v)
{
    return lw_form_of(s->u, s->m, v).group_uniform && !in_loop(s, v);
}

/* May be done where it would not have been: what stands before the first round. */
static bool
never_traps(LLVMValueRef v)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (LLVMIsACallInst(v))
        return lw_memory_effect(v) == LW_NO_MEMORY && lw_call_computes(v);
    return (LLVMIsABinaryOperator(v) && !lw_is_int_division(op)) || LLVMIsACastInst(v) ||
           op == LLVMGetElementPtr || op == LLVMICmp || op == LLVMFCmp || op == LLVMSelect ||
           op == LLVMFreeze;
}

/* Made of numbers that are none but what they are, by operations that are poison where they promise
 * something, and not else. */
static bool
is_sure(LLVMValueRef v, unsigned depth)
{
    if (LLVMIsAConstantInt(v) || LLVMIsAArgument(v) || (LLVMIsACallInst(v) && lw_is_call_like(v, "lw.")))
        return true; /* calls of constants */
    if (!LLVMIsAInstruction(v) || depth == DEPTH)
        return false;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (lw_is_int_cast(op))
        return is_sure(LLVMGetOperand(v, 0), depth + 1);
    uint64_t by = 0, shift = op == LLVMShl || op == LLVMLShr || op == LLVMAShr;
    if (!lw_is_int_operation(op) || (shift && !lw_is_int_constant(LLVMGetOperand(v, 1), &by)))
        return false;
    return by < lw_int_width(v) + !shift && is_sure(LLVMGetOperand(v, 0), depth + 1) &&
           is_sure(LLVMGetOperand(v, 1), depth + 1);
}

/* Equal over the work-group, and in every round: computed before the loop, or in each round of the same. */
static bool
is_step(const struct march *s, LLVMValueRef v)
{
    return is_of_group(s, v) || (lw_form_of(s->u, s->m, v).group_uniform && is_sure(v, 0));
}

/* A step that is made in the loop is made before it: once, behind which it is in no block of the model. */
static void
settle(const struct march *s, LLVMValueRef v)
{
    if (!v || !in_loop(s, v))
        return;
    for (int k = 0; k < LLVMGetNumOperands(v) - !!LLVMIsACallInst(v); k++)
        settle(s, LLVMGetOperand(v, (unsigned)k));
    LLVMInstructionRemoveFromParent(v);
    LLVMInsertIntoBuilder(s->b, v);
}

/* Of what is_sure. */
static void
drop_promises(LLVMValueRef v)
{
    if (!LLVMIsAInstruction(v) || LLVMIsACallInst(v))
        return;
    lw_drop_flags(v);
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        drop_promises(LLVMGetOperand(v, (unsigned)k));
}

/* Nothing that keeps an order among work-items, or has a place for each. */
static bool
may_go_together(LLVMValueRef v)
{
    LLVMValueRef at = lw_address_of(v);
    if (LLVMIsAAllocaInst(v) || lw_is_ordered_access(v))
        return false;
    if (at)
        return lw_space_of(at) != LW_AS_PRIVATE;
    if (!LLVMIsACallInst(v))
        return true;
    return lw_memory_effect(v) == LW_NO_MEMORY && lw_call_computes(v);
}

/* The guard: a block that every work-item comes to, once, with its preheader behind it and nothing between.
 */
static bool
find_guard(struct march *s)
{
    const struct lw_model *m = s->m;
    uint32_t before = s->loop->preheader;
    if (m->blocks[before].pred_count != 1)
        return false;
    s->guard = m->blocks[before].preds[0];
    if (m->blocks[s->guard].loop != LW_NONE || !lw_postdominates(m, s->guard, 0) || s->u->masked[s->guard])
        return false;
    const struct lw_vblock *block = &m->blocks[before];
    for (uint32_t k = 0; k + 1 < block->value_count; k++)
        if (!never_traps(m->values[block->first_value + k]))
            return false;
    return true;
}

/* Is it the first number of the counter that the guard compares with the bound? As it is, or as one of more
 * bits that never has more than these, which LLVM prefers where the bound is a constant. */
static bool
begins_with_guard(struct march *s, LLVMValueRef first, LLVMValueRef bound, bool is_signed)
{
    uint64_t most = INT32_MAX, n, same;
    if (first == s->first)
        return bound == s->bound && is_signed == s->is_signed;
    struct lw_vinfo wide = lw_form_of(s->u, s->m, s->first);
    if (!LLVMIsATruncInst(first) || LLVMGetOperand(first, 0) != s->first || lw_int_width(first) < 32 ||
        wide.lo > wide.hi || wide.lo < 0 || wide.hi > (int64_t)most || !lw_is_int_constant(bound, &n) ||
        !lw_is_int_constant(s->bound, &same) || n != same || n > most)
        return false;
    s->first = first;
    s->bound = bound;
    s->is_signed = is_signed;
    return true;
}

/* Both branches compare one counter with one bound, before the first round and behind each. */
static bool
find_counter(struct march *s)
{
    const struct lw_model *m = s->m;
    const struct lw_loop *loop = s->loop;
    LLVMValueRef guard = LLVMGetBasicBlockTerminator(m->blocks[s->guard].ref), next, bound;
    s->deciding = loop->exit_edges[0];
    LLVMValueRef decides = LLVMGetBasicBlockTerminator(m->blocks[s->deciding].ref);
    bool is_signed;
    if (!lw_dominates(m, s->deciding, loop->latch) || LLVMGetNumSuccessors(decides) != 2)
        return false;
    if (LLVMIsAInstruction(LLVMGetCondition(decides)) &&
        LLVMGetMetadata(LLVMGetCondition(decides), done_kind(s)))
        return false;
    s->on = LLVMGetSuccessor(decides, LLVMGetSuccessor(decides, 0) == m->blocks[loop->exit_edges[1]].ref);
    if (!goes_on_below(guard, m->blocks[loop->preheader].ref, &s->first, &s->bound, &s->is_signed) ||
        !goes_on_below(decides, s->on, &next, &bound, &is_signed))
        return false;
    unsigned width = lw_int_width(next);
    if (!is_of_group(s, bound) || (width != 32 && width != 64))
        return false;
    for (unsigned k = 0; k < s->carried_count; k++) {
        s->counter = &s->carried[k];
        s->step = s->counter->step;
        if (s->counter->next == next && s->step && is_sure(s->step, 0) &&
            begins_with_guard(s, s->counter->first, bound, is_signed))
            return true;
    }
    return false;
}

static bool
find_carried(struct march *s)
{
    const struct lw_vblock *header = &s->m->blocks[s->loop->header];
    unsigned varying = 0;
    s->carried_count = 0;
    for (uint32_t k = 0; k < header->value_count; k++) {
        LLVMValueRef phi = s->m->values[header->first_value + k];
        struct lw_round r;
        if (!LLVMIsAPHINode(phi))
            break;
        if (s->carried_count == MOST_PHIS || !lw_read_round(phi, s->m->blocks[s->loop->latch].ref, &r))
            return false;
        LLVMValueRef by = lw_added_to(phi, r.next);
        by = by && is_step(s, by) ? by : NULL;
        s->carried[s->carried_count++] = (struct carried){phi, r.first, r.next, by};
        varying += !by && !lw_form_of(s->u, s->m, phi).group_uniform;
    }
    return varying <= MOST_CARRIED;
}

/* Is it computed from i / d or i % d, of neighbours' neighbouring i? Most of them lie in one row of d. */
static bool
goes_along_rows(const struct march *s, LLVMValueRef v, unsigned depth)
{
    if (depth == DEPTH || !LLVMIsAInstruction(v) || !in_loop(s, v) ||
        lw_form_of(s->u, s->m, v).form != LW_VARYING)
        return false;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (lw_is_int_division(op)) {
        struct lw_vinfo index = lw_form_of(s->u, s->m, LLVMGetOperand(v, 0));
        return index.form == LW_STRIDED && index.linear && index.stride == 1;
    }
    if (op != LLVMGetElementPtr && !lw_is_int_operation(op) && !lw_is_int_cast(op))
        return false;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (goes_along_rows(s, LLVMGetOperand(v, (unsigned)k), depth + 1))
            return true;
    return false;
}

/* Do neighbours access neighbouring places of global memory, other ones in each round? */
static uint64_t
side_by_side(const struct march *s, LLVMValueRef v)
{
    LLVMValueRef at = lw_address_of(v);
    if (!at || lw_space_of(at) != LW_AS_GLOBAL || !in_loop(s, at))
        return 0;
    struct lw_vinfo info = lw_form_of(s->u, s->m, at);
    uint64_t size = LLVMABISizeOfType(LLVMGetModuleDataLayout(s->module), LLVMTypeOf(lw_moved_by(v)));
    bool adjoin = info.form == LW_STRIDED && info.linear && (uint64_t)info.stride == size;
    return adjoin || goes_along_rows(s, at, 0) ? size : 0;
}

static bool
is_worth_it(struct march *s)
{
    uint32_t count = 0;
    uint64_t largest = 0;
    for (uint32_t b = s->loop->header; b < s->loop->end; b++) {
        const struct lw_vblock *block = &s->m->blocks[b];
        for (uint32_t k = 0; k < block->value_count; k++) {
            LLVMValueRef v = s->m->values[block->first_value + k];
            uint64_t size = side_by_side(s, v);
            largest = size > largest ? size : largest;
            if (!may_go_together(v) || ++count > MOST_WRITTEN)
                return false;
        }
    }
    s->far = largest ? (FAR + largest - 1) / largest : 0;
    struct lw_vinfo step = lw_form_of(s->u, s->m, s->step);
    return largest && !(step.lo <= step.hi && step.hi < (int64_t)s->far);
}

static bool
find_loop(struct march *s)
{
    const struct lw_model *m = s->m;
    for (uint32_t l = 0; l < m->loop_count; l++) {
        bool innermost = true;
        for (uint32_t k = l + 1; k < m->loop_count; k++)
            innermost &= m->loops[k].parent != l;
        s->loop = &m->loops[l];
        if (innermost && s->loop->parent == LW_NONE && s->loop->exit_count == 1 && find_guard(s) &&
            find_carried(s) && find_counter(s) && is_worth_it(s))
            return true;
    }
    return false;
}

/* ---- the copy ---- */

/* A barrier or a collective; x: its operand, or NULL. */
static LLVMValueRef
call_group(struct march *s, const char *name, LLVMTypeRef result, LLVMValueRef x)
{
    LLVMTypeRef operand = x ? LLVMTypeOf(x) : NULL,
                type = LLVMFunctionType(result, &operand, x != NULL, false);
    LLVMValueRef f = LLVMGetNamedFunction(s->module, name);
    if (!f) {
        f = LLVMAddFunction(s->module, name, type);
        lw_add_attributes(f, "convergent noduplicate nomerge nounwind");
    }
    return LLVMBuildCall2(s->b, type, f, &x, x != NULL, "");
}

/* The largest of the work-group's. */
static LLVMValueRef
largest(struct march *s, LLVMValueRef x)
{
    char name[40];
    snprintf(name, sizeof name, "lw.wg.reduce.%s.i%u", s->is_signed ? "smax" : "umax", lw_int_width(x));
    return call_group(s, name, LLVMTypeOf(x), x);
}

/* The header's phis in the copy, and the barrier behind them. */
static void
write_header(struct march *s, LLVMBasicBlockRef from)
{
    for (unsigned k = 0; k < s->carried_count; k++) {
        struct carried *c = &s->carried[k];
        LLVMTypeRef type = LLVMTypeOf(c->phi);
        LLVMValueRef first = c->step ? LLVMConstNull(type) : c->first;
        c->now = LLVMBuildPhi(s->b, type, "");
        LLVMAddIncoming(c->now, &first, &from, 1);
    }
    call_group(s, "lw.wg.barrier", LLVMVoidTypeInContext(s->context), NULL);
    for (unsigned k = 0; k < s->carried_count; k++) {
        struct carried *c = &s->carried[k];
        LLVMValueRef value = c->step ? LLVMBuildAdd(s->b, c->first, c->now, "") : c->now;
        if (c == s->counter) {
            LLVMSetNSW(value, true);
            LLVMSetNUW(value, !s->is_signed);
        }
        s->twice.copies[lw_value_id(s->m, c->phi)] = value;
    }
}

/* `whole`: with its end. */
static void
copy_blocks(struct march *s, struct lw_twice *to, bool whole)
{
    for (uint32_t b = s->loop->header; b < s->loop->end; b++) {
        const struct lw_vblock *block = &s->m->blocks[b];
        LLVMPositionBuilderAtEnd(s->b, to->blocks[b]);
        for (uint32_t k = 0; k < block->value_count; k++) {
            uint32_t id = block->first_value + k;
            bool ends = !whole && (b == s->deciding || b == s->loop->latch);
            if (!to->copies[id] && !(ends && LLVMIsATerminatorInst(s->m->values[id])))
                lw_copy_value(to, id);
        }
        if (!whole && b == s->deciding && b != s->loop->latch)
            LLVMBuildBr(s->b, to->blocks[lw_block_id(s->m, s->on)]);
    }
}

static void
set_operands(struct march *s, struct lw_twice *to)
{
    for (uint32_t b = s->loop->header; b < s->loop->end; b++) {
        const struct lw_vblock *block = &s->m->blocks[b];
        for (uint32_t k = 0; k < block->value_count; k++) {
            uint32_t id = block->first_value + k;
            bool carried = b == s->loop->header && LLVMIsAPHINode(s->m->values[id]);
            if (to->copies[id] && !carried)
                lw_set_copied_operands(to, id);
        }
    }
}

/* The end of a round: how far counters have come, and whether another one follows. */
static void
write_latch(struct march *s, LLVMValueRef left, LLVMBasicBlockRef out)
{
    LLVMBasicBlockRef header = s->twice.blocks[s->loop->header], latch = s->twice.blocks[s->loop->latch];
    LLVMPositionBuilderAtEnd(s->b, latch);
    for (unsigned k = 0; k < s->carried_count; k++) {
        struct carried *c = &s->carried[k];
        c->done = c->step ? LLVMBuildAdd(s->b, c->now, c->step, "") : lw_copied(&s->twice, c->next);
        LLVMAddIncoming(c->now, &c->done, &latch, 1);
    }
    LLVMValueRef after = LLVMBuildSub(s->b, left, s->step, "");
    LLVMAddIncoming(left, &after, &latch, 1);
    LLVMBuildCondBr(s->b, LLVMBuildICmp(s->b, LLVMIntULT, s->step, after, ""), header, out);
}

static LLVMBasicBlockRef
new_block(struct march *s, const char *name)
{
    return LLVMAppendBasicBlockInContext(s->context, s->m->function, name);
}

/* Behind the guard's own values: is the step large, and are there rounds? The branch that the guard had is
 * left for write_copy. */
static LLVMValueRef
ask(struct march *s)
{
    const struct lw_vblock *before = &s->m->blocks[s->loop->preheader];
    LLVMTypeRef type = LLVMTypeOf(s->first);
    for (uint32_t k = 0; k + 1 < before->value_count; k++) {
        LLVMValueRef v = s->m->values[before->first_value + k];
        LLVMInstructionRemoveFromParent(v);
        LLVMInsertIntoBuilder(s->b, v);
    }
    for (unsigned k = 0; k < s->carried_count; k++)
        settle(s, s->carried[k].step);
    drop_promises(s->step);
    LLVMValueRef large = LLVMBuildICmp(s->b, LLVMIntSGE, s->step, LLVMConstInt(type, s->far, false), "");
    LLVMValueRef counts = LLVMBuildICmp(s->b, LLVMIntSGT, s->bound, LLVMConstNull(type), "");
    LLVMValueRef rounds =
        LLVMBuildLShr(s->b, s->bound, LLVMConstInt(type, __builtin_ctz(LW_FAR_ROUNDS), false), "");
    rounds = LLVMBuildICmp(s->b, LLVMIntULT, s->step, rounds, "");
    return LLVMBuildAnd(s->b, LLVMBuildAnd(s->b, large, counts, ""), rounds, "");
}

/* The loop once more, behind the copy: it begins where that ended, or as ever where no round was for all. */
static void
write_rest(struct march *s, LLVMBasicBlockRef far, LLVMBasicBlockRef out)
{
    const struct lw_loop *loop = s->loop;
    LLVMValueRef guard = LLVMGetBasicBlockTerminator(s->m->blocks[s->guard].ref), first = NULL;
    LLVMBasicBlockRef rest = s->rest.blocks[s->guard], header = s->rest.blocks[loop->header];
    LLVMBasicBlockRef inside = s->m->blocks[loop->preheader].ref,
                      behind = s->m->blocks[loop->exit_edges[1]].ref,
                      past = LLVMGetSuccessor(guard, LLVMGetSuccessor(guard, 0) == inside);
    for (unsigned k = 0; k < s->carried_count; k++) {
        struct carried *c = &s->carried[k];
        LLVMPositionBuilderAtEnd(s->b, rest);
        LLVMValueRef begin = LLVMBuildPhi(s->b, LLVMTypeOf(c->phi), "");
        LLVMAddIncoming(begin, (LLVMValueRef[]){c->first, c->rest}, (LLVMBasicBlockRef[]){far, out}, 2);
        first = c == s->counter ? begin : first;
        LLVMPositionBuilderAtEnd(s->b, header);
        lw_copy_value(&s->rest, lw_value_id(s->m, c->phi));
        LLVMAddIncoming(lw_copied(&s->rest, c->phi), &begin, &rest, 1);
    }
    LLVMPositionBuilderAtEnd(s->b, rest);
    LLVMIntPredicate below = s->is_signed ? LLVMIntSLT : LLVMIntULT;
    LLVMBuildCondBr(s->b, LLVMBuildICmp(s->b, below, first, s->bound, ""), header, past);
    copy_blocks(s, &s->rest, true);
    set_operands(s, &s->rest);
    for (unsigned k = 0; k < s->carried_count; k++) {
        LLVMValueRef next = lw_copied(&s->rest, s->carried[k].next);
        LLVMAddIncoming(lw_copied(&s->rest, s->carried[k].phi), &next, &s->rest.blocks[loop->latch], 1);
    }
    lw_add_ways_twice(&s->rest, behind);
    if (past != behind)
        lw_add_ways_twice(&s->rest, past);
}

static void
write_copy(struct march *s)
{
    LLVMBasicBlockRef rest = s->m->blocks[s->guard].ref;
    LLVMValueRef decides = LLVMGetCondition(LLVMGetBasicBlockTerminator(s->m->blocks[s->deciding].ref));
    LLVMSetMetadata(decides, done_kind(s), LLVMMDNodeInContext(s->context, NULL, 0));
    lw_report_note(s->report, decides, "loop",
                   "rounds far apart in memory: a copy in which the work-group goes through each together");
    LLVMBasicBlockRef before = lw_part_block(s->b, LLVMGetBasicBlockTerminator(rest));
    LLVMBasicBlockRef far = new_block(s, "far"), out = new_block(s, "out"), last = new_block(s, "rest");

    for (uint32_t b = s->loop->header; b < s->loop->end; b++) {
        s->twice.blocks[b] = new_block(s, "round");
        s->rest.blocks[b] = new_block(s, "last");
    }
    s->rest.blocks[s->guard] = last;
    LLVMPositionBuilderAtEnd(s->b, before);
    LLVMValueRef pays = ask(s);
    LLVMBuildCondBr(s->b, pays, far, rest);
    LLVMPositionBuilderAtEnd(s->b, far);
    LLVMValueRef most = largest(s, s->first), zero = LLVMConstNull(LLVMTypeOf(most));
    LLVMValueRef all = LLVMBuildSub(s->b, s->bound, most, ""),
                 more = LLVMBuildICmp(s->b, LLVMIntULT, s->step, all, "");
    more = LLVMBuildAnd(s->b, more, LLVMBuildICmp(s->b, LLVMIntSGT, all, zero, ""), "");
    LLVMValueRef below = LLVMBuildICmp(s->b, s->is_signed ? LLVMIntSLT : LLVMIntULT, most, s->bound, "");
    more = LLVMBuildAnd(s->b, more, below, "");
    LLVMBuildCondBr(s->b, more, s->twice.blocks[s->loop->header], last);
    LLVMPositionBuilderAtEnd(s->b, s->twice.blocks[s->loop->header]);
    LLVMValueRef left = LLVMBuildPhi(s->b, LLVMTypeOf(all), "");
    LLVMAddIncoming(left, &all, &far, 1);
    write_header(s, far);
    copy_blocks(s, &s->twice, false);
    set_operands(s, &s->twice);
    write_latch(s, left, out);
    LLVMPositionBuilderAtEnd(s->b, out);
    for (unsigned k = 0; k < s->carried_count; k++) {
        struct carried *c = &s->carried[k];
        c->rest = c->step ? LLVMBuildAdd(s->b, c->first, c->done, "") : c->done;
    }
    call_group(s, "lw.wg.barrier", LLVMVoidTypeInContext(s->context), NULL);
    LLVMBuildBr(s->b, last);
    write_rest(s, far, out);
}

static void
join(struct lw_arena *arena, void *data)
{
    struct march *s = data;
    if (!find_loop(s))
        return;
    struct lw_twice *both[] = {&s->twice, &s->rest};
    for (unsigned k = 0; k < 2; k++) {
        *both[k] = (struct lw_twice){.b = s->b, .m = s->m};
        both[k]->copies = LW_ARENA_NEW(arena, LLVMValueRef, s->m->value_count);
        both[k]->blocks = LW_ARENA_NEW(arena, LLVMBasicBlockRef, s->m->block_count);
    }
    write_copy(s);
    s->changed = true;
}

bool
lw_join_far_rounds(LLVMModuleRef module, const struct lw_shape *shape, struct lw_report *report)
{
    LLVMValueRef kernel = LLVMGetNamedFunction(module, "lw.kernel");
    struct march s = {.module = module, .context = LLVMGetModuleContext(module), .report = report};
    uint64_t size = (uint64_t)shape->local_size[0] * shape->local_size[1] * shape->local_size[2];
    const char *why;
    if (!kernel || shape->lanes < 2 || size < 2 * (uint64_t)shape->lanes || shape->yields ||
        shape->few_rounds || lw_has_kept(module))
        return false;
    struct lw_model *m = lw_model_build(kernel, &why);
    struct lw_uniformity *u = m && m->loop_count ? lw_find_uniformity(m, shape) : NULL;
    s.m = m;
    s.u = u;
    s.b = LLVMCreateBuilderInContext(s.context);
    if (u)
        lw_with_arena(join, &s);
    LLVMDisposeBuilder(s.b);
    lw_uniformity_free(u);
    lw_model_free(m);
    return s.changed;
}

/* SPDX-License-Identifier: MIT */
/* A loop that a work-group goes through together (far_rounds.c has found it): a copy with a barrier in each
 * round, for as long as all work-items stay in it, before the loop itself.
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
 * Enters: the loop, canonical. Leaves: it and two copies. Relies on: step and n are the work-group's, and so
 * are all branches to the barriers. Legal: a round of the copy is one that every work-item goes through, and
 * not its last: i + step < n for the largest i, so for all, and without a wrap, since n - most is a positive
 * signed number (where the comparison is unsigned, n is one, too). Where there turn out to be few rounds, the
 * loop that was there goes its way.
 */
#include "far_rounds_internal.h"

#include <stdio.h>

#include "../facts/flags.h"
#include "../facts/integers.h"
#include "module_pass.h"
#include "../../spirv/attributes.h"

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
        for (uint32_t id = block->first_value; id < block->value_end; id++) {
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
    const struct lw_vblock *header = &s->m->blocks[s->loop->header];
    for (uint32_t id = header->first_value; id < s->m->blocks[s->loop->end - 1].value_end; id++) {
        bool carried = id < header->value_end && LLVMIsAPHINode(s->m->values[id]);
        if (to->copies[id] && !carried)
            lw_set_copied_operands(to, id);
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

/* Behind the guard's own values: is the step large, and are there rounds? */
static LLVMValueRef
ask(struct march *s)
{
    const struct lw_vblock *before = &s->m->blocks[s->loop->preheader];
    LLVMTypeRef type = LLVMTypeOf(s->first);
    for (uint32_t n = before->first_value; n + 1 < before->value_end; n++) {
        LLVMInstructionRemoveFromParent(s->m->values[n]);
        LLVMInsertIntoBuilder(s->b, s->m->values[n]);
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

/* Do all work-items have a round, and another one behind it? Then to the copy, else to the rest. Gives how
 * far the bound is from the largest. */
static LLVMValueRef
ask_all(struct march *s)
{
    LLVMValueRef most = largest(s, s->first), zero = LLVMConstNull(LLVMTypeOf(most));
    LLVMValueRef all = LLVMBuildSub(s->b, s->bound, most, ""),
                 more = LLVMBuildICmp(s->b, LLVMIntULT, s->step, all, "");
    more = LLVMBuildAnd(s->b, more, LLVMBuildICmp(s->b, LLVMIntSGT, all, zero, ""), "");
    LLVMValueRef below = LLVMBuildICmp(s->b, s->is_signed ? LLVMIntSLT : LLVMIntULT, most, s->bound, "");
    more = LLVMBuildAnd(s->b, more, below, "");
    LLVMBuildCondBr(s->b, more, s->twice.blocks[s->loop->header], s->rest.blocks[s->guard]);
    return all;
}

/* The rounds of all, from `far` on; `all` is left for them. */
static void
write_rounds(struct march *s, LLVMValueRef all, LLVMBasicBlockRef far, LLVMBasicBlockRef out)
{
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
    LLVMBuildBr(s->b, s->rest.blocks[s->guard]);
}

void
lw_march_write(struct march *s)
{
    LLVMBasicBlockRef as_it_was = s->m->blocks[s->guard].ref;
    LLVMBasicBlockRef before = lw_part_block(s->b, LLVMGetBasicBlockTerminator(as_it_was));
    LLVMBasicBlockRef far = new_block(s, "far"), out = new_block(s, "out");

    s->rest.blocks[s->guard] = new_block(s, "rest");
    for (uint32_t b = s->loop->header; b < s->loop->end; b++) {
        s->twice.blocks[b] = new_block(s, "round");
        s->rest.blocks[b] = new_block(s, "last");
    }
    LLVMPositionBuilderAtEnd(s->b, before);
    LLVMValueRef pays = ask(s);
    LLVMBuildCondBr(s->b, pays, far, as_it_was);
    LLVMPositionBuilderAtEnd(s->b, far);
    LLVMValueRef all = ask_all(s);
    write_rounds(s, all, far, out);
    write_rest(s, far, out);
}

/* SPDX-License-Identifier: MIT */
/* What a loop may wait by: the instructions whose outcome others decide.
 *
 * These are an atomic or volatile load, an atomic operation, any load where there is a fence, a reservation
 * in a pipe, and the number of its packets. None waits by
 *   - counting on: an atomic addition brings the loop on by itself, but not to a number (`== 0`), nor where
 *     the kernel writes there in another way meanwhile: takes away again what it has added, begins anew;
 *   - a compare-exchange of what the loop has just read there: where it fails, another has got on;
 *   - one of a constant that nobody puts back (final_exchanges.c);
 *   - local memory, where each round has a barrier of the work-group: they all get there.
 *
 * Enters: canonical form. Leaves: answers.
 */
#include "wait_sources.h"
#include "final_exchanges.h"
#include "meanwhile.h"

#include <string.h>

#include "../facts/calls.h"
#include "../facts/gep.h"
#include "../facts/integers.h"
#include "../facts/kept.h"
#include "../facts/memory_effects.h"

#include "../../spirv/pipe.h"

#define DEPTH 8

static LLVMValueRef
strip(LLVMValueRef v)
{
    while (LLVMIsAFreezeInst(v) || LLVMIsABitCastInst(v) || LLVMIsAPtrToIntInst(v) || LLVMIsAIntToPtrInst(v))
        v = LLVMGetOperand(v, 0);
    return v;
}

/* Has the loop read it from there, in this round or the last one? LLVM joins what exchanges found and whether
 * they succeeded in one phi. */
static bool
is_fresh(const struct lw_wait_loop *w, LLVMValueRef v, LLVMValueRef pointer, int depth)
{
    v = strip(v);
    if (depth == DEPTH || !lw_loop_computes(w->m, w->loop, v))
        return false;
    if (LLVMIsALoadInst(v))
        return lw_is_computed_alike(LLVMGetOperand(v, 0), pointer);
    if (LLVMIsAExtractValueInst(v))
        return *LLVMGetIndices(v) == 0 && is_fresh(w, LLVMGetOperand(v, 0), pointer, depth + 1);
    if (LLVMIsAAtomicCmpXchgInst(v))
        return lw_is_computed_alike(LLVMGetOperand(v, 0), pointer);
    if (!LLVMIsAPHINode(v))
        return false;
    for (unsigned k = 0; k < LLVMCountIncoming(v); k++) {
        LLVMValueRef x = LLVMGetIncomingValue(v, k);
        bool enters = !lw_loop_contains(w->m, w->loop, lw_block_id(w->m, LLVMGetIncomingBlock(v, k)));
        if (x != v && !enters && !is_fresh(w, x, pointer, depth + 1))
            return false;
    }
    return true;
}

bool
lw_is_fresh_exchange(const struct lw_wait_loop *w, LLVMValueRef v)
{
    return LLVMIsAAtomicCmpXchgInst(v) && is_fresh(w, LLVMGetOperand(v, 1), LLVMGetOperand(v, 0), 0);
}

bool
lw_asks_for_success(const struct lw_wait_loop *w, LLVMValueRef v)
{
    if (LLVMIsAExtractValueInst(v) && *LLVMGetIndices(v) == 1)
        return lw_is_fresh_exchange(w, LLVMGetOperand(v, 0));
    if (!LLVMIsAICmpInst(v) || (LLVMGetICmpPredicate(v) != LLVMIntEQ && LLVMGetICmpPredicate(v) != LLVMIntNE))
        return false;
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef old = strip(LLVMGetOperand(v, k)), other = strip(LLVMGetOperand(v, !k));
        LLVMValueRef from = LLVMIsAExtractValueInst(old) ? LLVMGetOperand(old, 0) : NULL;
        if (from && lw_is_fresh_exchange(w, from) && strip(LLVMGetOperand(from, 1)) == other)
            return true;
    }
    return false;
}

static bool
is_seen_by_others(const struct lw_wait_loop *w, LLVMValueRef v)
{
    unsigned space = lw_space_of(LLVMGetOperand(v, 0));

    return space != LW_AS_PRIVATE && space != LW_AS_CONSTANT && !(w->meets && space == LW_AS_LOCAL);
}

/* The service of a pipe that the call asks for; 0: none. */
static uint64_t
pipe_service(LLVMValueRef v)
{
    bool asks = lw_is_call_like(v, "lw.service.");
    uint64_t service = asks ? LLVMConstIntGetZExtValue(LLVMGetOperand(v, 0)) : 0;
    return service <= LW_SERVICE_PIPE_COUNT ? service : 0;
}

/* A single packet that is moved and committed by one call. */
static bool
moves_packet(LLVMValueRef v)
{
    const struct lw_call_row *row = lw_call_row(v);
    return row && (row->id == LW_CALL_PIPE_WRITE || row->id == LW_CALL_PIPE_READ);
}

bool
lw_is_pipe_reservation(LLVMValueRef v)
{
    uint64_t service = pipe_service(v);
    return moves_packet(v) || service == LW_SERVICE_PIPE_RESERVE_READ ||
           service == LW_SERVICE_PIPE_RESERVE_WRITE;
}

bool
lw_is_pipe_commit(LLVMValueRef v)
{
    uint64_t service = pipe_service(v);
    return moves_packet(v) || service == LW_SERVICE_PIPE_COMMIT_READ ||
           service == LW_SERVICE_PIPE_COMMIT_WRITE;
}

/* What is asked of an exchange or an addition, once in each loop. */
static bool
holds(const struct lw_wait_loop *w, LLVMValueRef v, lw_wait_question *asked)
{
    enum lw_wait_answer *answer = &w->answers[lw_value_id(w->m, v)];
    if (*answer == LW_NOT_ASKED)
        *answer = asked(w, v) ? LW_YES : LW_NO;
    return *answer == LW_YES;
}

static bool
is_final(const struct lw_wait_loop *w, LLVMValueRef exchange)
{
    return lw_is_final_exchange(w->m, w->shape, w->loop, exchange);
}

/* 1: adds a positive constant, -1: a negative one; 0: neither, or something else. */
static int
direction_of(LLVMValueRef v)
{
    if (!LLVMIsAAtomicRMWInst(v) || !LLVMIsAConstantInt(LLVMGetOperand(v, 1)))
        return 0;
    LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(v);
    LLVMValueRef by = LLVMGetOperand(v, 1);
    int sign = LLVMConstIntGetSExtValue(by) < 0 ? -1 : !LLVMIsNull(by);
    return op == LLVMAtomicRMWBinOpAdd ? sign : op == LLVMAtomicRMWBinOpSub ? -sign : 0;
}

static bool
adds(LLVMValueRef v)
{
    LLVMAtomicRMWBinOp op = LLVMIsAAtomicRMWInst(v) ? LLVMGetAtomicRMWBinOp(v) : LLVMAtomicRMWBinOpXchg;
    return op == LLVMAtomicRMWBinOpAdd || op == LLVMAtomicRMWBinOpSub;
}

/* Do both go the same way? */
static bool
add_alike(LLVMValueRef a, LLVMValueRef b)
{
    int direction = direction_of(a);
    if (!LLVMIsAAtomicRMWInst(a) || !LLVMIsAAtomicRMWInst(b))
        return false;
    return direction ? direction == direction_of(b)
                     : LLVMGetAtomicRMWBinOp(a) == LLVMGetAtomicRMWBinOp(b) &&
                           lw_is_computed_alike(LLVMGetOperand(a, 1), LLVMGetOperand(b, 1));
}

bool
lw_takes_back(LLVMValueRef v, LLVMValueRef what)
{
    int direction = direction_of(what), other = direction_of(v);
    if (!adds(v) || !adds(what))
        return false;
    return direction && other ? direction == -other : !direction && !other && !add_alike(v, what);
}

static bool
is_fixed(LLVMValueRef pointer)
{
    for (; LLVMIsAGetElementPtrInst(pointer) || LLVMIsAAddrSpaceCastInst(pointer);
         pointer = LLVMGetOperand(pointer, 0))
        for (unsigned k = 1; k < (unsigned)LLVMGetNumOperands(pointer); k++)
            if (!LLVMIsAConstantInt(LLVMGetOperand(pointer, k)))
                return false;
    return true;
}

/* Of an array, any two elements whose indices differ in what they are computed of. */
static bool
may_be_same(LLVMValueRef a, LLVMValueRef b)
{
    return lw_is_computed_alike(a, b) ||
           (lw_object_of(a) == lw_object_of(b) && !is_fixed(a) && !is_fixed(b));
}

/* Not where the kernel writes there in another way while others are in the loop: takes away again what it
 * adds, as it does with a semaphore, or begins anew, as who gives back a lock does. Functions that are kept
 * may. */
static bool
stays_added(const struct lw_wait_loop *w, LLVMValueRef v)
{
    LLVMValueRef to = LLVMGetOperand(v, 0);
    bool local = LLVMGetPointerAddressSpace(LLVMTypeOf(to)) == LW_AS_LOCAL;

    if (lw_has_kept(LLVMGetGlobalParent(w->m->function)))
        return false;
    for (uint32_t n = w->m->param_count; n < w->m->value_count; n++) {
        LLVMValueRef other = w->m->values[n], there = lw_written_address(other);
        if (there && other != v && !add_alike(v, other) && may_be_same(there, to) &&
            (!local || lw_is_meanwhile(w->meanwhile, w->loop, other)))
            return false;
    }
    return true;
}

bool
lw_counts_on(const struct lw_wait_loop *w, LLVMValueRef v)
{
    if (!LLVMIsAAtomicRMWInst(v) || !is_seen_by_others(w, v))
        return false;
    LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(v);
    LLVMValueRef by = LLVMGetOperand(v, 1);
    if ((op != LLVMAtomicRMWBinOpAdd && op != LLVMAtomicRMWBinOpSub && op != LLVMAtomicRMWBinOpFAdd &&
         op != LLVMAtomicRMWBinOpFSub) ||
        (LLVMIsAConstant(by) && LLVMIsNull(by)))
        return false;
    return w->m ? holds(w, v, stays_added) : !LLVMGetFirstUse(v);
}

/* Is what such an addition of the loop's found part of the value? */
static bool
is_count(const struct lw_wait_loop *w, LLVMValueRef v, int depth)
{
    if (depth == DEPTH || !lw_loop_computes(w->m, w->loop, v))
        return false;
    if (lw_counts_on(w, v))
        return true;
    if (!LLVMIsACastInst(v) && !LLVMIsABinaryOperator(v) && !LLVMIsAFreezeInst(v))
        return false;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (is_count(w, LLVMGetOperand(v, (unsigned)k), depth + 1))
            return true;
    return false;
}

bool
lw_awaits_a_number(const struct lw_wait_loop *w, LLVMValueRef v)
{
    return LLVMIsAICmpInst(v) &&
           (LLVMGetICmpPredicate(v) == LLVMIntEQ || LLVMGetICmpPredicate(v) == LLVMIntNE) &&
           (is_count(w, LLVMGetOperand(v, 0), 0) || is_count(w, LLVMGetOperand(v, 1), 0));
}

/* Does a function that is kept read what others write: in any way where there is a fence, else in its own? */
static bool
asks(const struct lw_wait_loop *w, LLVMValueRef function)
{
    return lw_is_kept(function) &&
           (w->fenced || LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, LW_KEPT_ASKS,
                                                       strlen(LW_KEPT_ASKS)));
}

bool
lw_is_wait_source(const struct lw_wait_loop *w, LLVMValueRef v)
{
    if (LLVMIsALoadInst(v))
        return (w->fenced || lw_is_ordered_access(v)) && is_seen_by_others(w, v);
    if (LLVMIsAAtomicCmpXchgInst(v))
        return is_seen_by_others(w, v) && !(w->m && holds(w, v, is_final));
    if (LLVMIsAAtomicRMWInst(v))
        return is_seen_by_others(w, v) && !lw_counts_on(w, v);
    return LLVMIsACallInst(v) && (asks(w, LLVMGetCalledValue(v)) || lw_is_pipe_reservation(v) ||
                                  pipe_service(v) == LW_SERVICE_PIPE_COUNT);
}

bool
lw_may_be_waited_for(LLVMValueRef instruction)
{
    struct lw_wait_loop none = {0};

    return LLVMIsAFenceInst(instruction) || lw_is_wait_source(&none, instruction);
}

/* ---- a loop ---- */

bool
lw_any_in_loop(const struct lw_wait_loop *w, lw_wait_question *is)
{
    const struct lw_loop *loop = &w->m->loops[w->loop];
    uint32_t end = w->m->blocks[loop->end - 1].value_end;

    for (uint32_t n = w->m->blocks[loop->header].first_value; n < end; n++)
        if (is(w, w->m->values[n]))
            return true;
    return false;
}

static bool
is_fence(const struct lw_wait_loop *w, LLVMValueRef v)
{
    (void)w;
    return LLVMIsAFenceInst(v);
}

static bool
is_barrier(const struct lw_wait_loop *w, LLVMValueRef v)
{
    (void)w;
    return lw_is_call_of(v, "lw.wg.barrier");
}

static bool
is_meeting(const struct lw_wait_loop *w, LLVMValueRef v)
{
    return is_barrier(w, v) && lw_dominates(w->m, lw_block_id_of(w->m, v), w->m->loops[w->loop].latch);
}

/* With a barrier, plain loads behind it read what sources before it have told others. */
void
lw_look_at_wait_loop(struct lw_wait_loop *w, uint32_t loop)
{
    w->loop = loop;
    memset(w->answers, 0, w->m->value_count * sizeof *w->answers);

    bool barrier = lw_any_in_loop(w, is_barrier);
    w->fenced = false;
    w->meets = barrier && lw_any_in_loop(w, is_meeting);
    w->fenced = barrier ? lw_any_in_loop(w, lw_is_wait_source) : lw_any_in_loop(w, is_fence);
}

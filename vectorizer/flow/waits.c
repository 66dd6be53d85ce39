/* SPDX-License-Identifier: MIT */
/* Finds the loops that wait for what others write, and puts a call of LW_YIELD at their ends.
 *
 * A loop waits where one of its exits depends on an access of the loop whose outcome others decide: an
 * atomic or volatile load, an atomic operation, any load where there is a fence, a reservation in a pipe,
 * or the number of its packets. By way of data, or of a branch that chooses what a phi becomes. None waits
 * by
 *   - counting on: an atomic addition brings the loop on by itself, but not to a number (`== 0`), nor where
 *     the kernel takes away again what it has added;
 *   - a compare-exchange of what the loop has just read there: where it fails, another has got on;
 *   - one of a constant that nobody puts back (final_exchanges.c);
 *   - local memory, where each round has a barrier of the work-group: they all get there.
 *
 * Work-items of one sub-group that wait for each other meet behind what they wait for (late_meeting.c).
 * Where that was not to be had, they take turns themselves, where what is waited for looks like a lock that
 * is released behind the loop, a reservation that is committed there, or a ticket; but not where a single
 * work-item of the sub-group waits, or where there are operations of the sub-group or the work-group but
 * barriers, which need all lanes.
 *
 * Enters: canonical form. Leaves: that, with the calls. Never: finds less than there is; a loop that does
 * not wait and is taken for one is only slower.
 */
#include "waits.h"
#include "final_exchanges.h"

#include <stdlib.h>
#include <string.h>

#include "../../spirv/arena.h"
#include "../facts/calls.h"
#include "../facts/integers.h"
#include "../widen/kept.h"
#include "../facts/memory_effects.h"
#include "../facts/model.h"

#include "../../spirv/intrinsics.h"
#include "../../spirv/pipe.h"

#define DEPTH 8

enum finality { NOT_ASKED, NOT_FINAL, FINAL };

struct waits {
    const struct lw_model *m;
    const struct lw_shape *shape;
    bool lanes; /* work-items may take turns */
    /* Of the loop at hand: */
    uint32_t loop;
    bool fenced; /* any load may tell of others */
    bool meets;  /* each round has a barrier */
    bool *tainted;
    enum finality *finality; /* of exchanges and additions, by value */
    bool *yields; /* by loop */
    bool *locks;  /* by loop */
};

static bool
inside(const struct waits *w, LLVMValueRef v)
{
    return LLVMIsAInstruction(v) && lw_value_id(w->m, v) != LW_NONE &&
           lw_loop_contains(w->m, w->loop, lw_block_id(w->m, LLVMGetInstructionParent(v)));
}

static LLVMValueRef
strip(LLVMValueRef v)
{
    while (LLVMIsAFreezeInst(v) || LLVMIsABitCastInst(v) || LLVMIsAPtrToIntInst(v) || LLVMIsAIntToPtrInst(v))
        v = LLVMGetOperand(v, 0);
    return v;
}

/* ---- what others decide ---- */

/* Has the loop read it from there, in this round or the last one? */
static bool
is_fresh(const struct waits *w, LLVMValueRef v, LLVMValueRef pointer, int depth)
{
    v = strip(v);
    if (depth == DEPTH || !inside(w, v))
        return false;
    if (LLVMIsALoadInst(v))
        return lw_is_computed_alike(LLVMGetOperand(v, 0), pointer, 0);
    if (LLVMIsAExtractValueInst(v)) {
        LLVMValueRef from = LLVMGetOperand(v, 0);
        return LLVMIsAAtomicCmpXchgInst(from) && *LLVMGetIndices(v) == 0 &&
               lw_is_computed_alike(LLVMGetOperand(from, 0), pointer, 0);
    }
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

static bool
is_fresh_exchange(const struct waits *w, LLVMValueRef v)
{
    return LLVMIsAAtomicCmpXchgInst(v) && is_fresh(w, LLVMGetOperand(v, 1), LLVMGetOperand(v, 0), 0);
}

/* Did the exchange of a value just read succeed? */
static bool
asks_for_success(const struct waits *w, LLVMValueRef v)
{
    if (LLVMIsAExtractValueInst(v) && *LLVMGetIndices(v) == 1)
        return is_fresh_exchange(w, LLVMGetOperand(v, 0));
    if (!LLVMIsAICmpInst(v) || (LLVMGetICmpPredicate(v) != LLVMIntEQ && LLVMGetICmpPredicate(v) != LLVMIntNE))
        return false;
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef old = strip(LLVMGetOperand(v, k)), other = strip(LLVMGetOperand(v, !k));
        LLVMValueRef from = LLVMIsAExtractValueInst(old) ? LLVMGetOperand(old, 0) : NULL;
        if (from && is_fresh_exchange(w, from) && strip(LLVMGetOperand(from, 1)) == other)
            return true;
    }
    return false;
}

static LLVMValueRef
pointer_of(LLVMValueRef v)
{
    return LLVMIsACallInst(v) ? NULL : LLVMGetOperand(v, 0);
}

static bool
is_seen_by_others(const struct waits *w, LLVMValueRef v)
{
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer_of(v)));

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

static bool
is_reservation(LLVMValueRef v)
{
    uint64_t service = pipe_service(v);
    return moves_packet(v) || service == LW_SERVICE_PIPE_RESERVE_READ ||
           service == LW_SERVICE_PIPE_RESERVE_WRITE;
}

static bool
is_final(const struct waits *w, LLVMValueRef exchange)
{
    if (!w->m)
        return false;
    enum finality *finality = &w->finality[lw_value_id(w->m, exchange)];
    if (*finality == NOT_ASKED)
        *finality = lw_is_final_exchange(w->m, w->shape, w->loop, exchange) ? FINAL : NOT_FINAL;
    return *finality == FINAL;
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

/* Does the kernel add there and take away again, as it does with a semaphore? */
static bool
is_undone(const struct waits *w, LLVMValueRef v)
{
    int direction = direction_of(v);
    for (uint32_t n = w->m->param_count; direction && n < w->m->value_count; n++)
        if (direction_of(w->m->values[n]) == -direction &&
            lw_is_computed_alike(LLVMGetOperand(w->m->values[n], 0), LLVMGetOperand(v, 0), 0))
            return true;
    return false;
}

/* An addition of something: those of others change what it finds, too, but it always gets on. */
static bool
counts_on(const struct waits *w, LLVMValueRef v)
{
    if (!LLVMIsAAtomicRMWInst(v) || !is_seen_by_others(w, v))
        return false;
    LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(v);
    LLVMValueRef by = LLVMGetOperand(v, 1);
    if ((op != LLVMAtomicRMWBinOpAdd && op != LLVMAtomicRMWBinOpSub && op != LLVMAtomicRMWBinOpFAdd &&
         op != LLVMAtomicRMWBinOpFSub) ||
        (LLVMIsAConstant(by) && LLVMIsNull(by)))
        return false;
    if (!w->m)
        return true;
    enum finality *finality = &w->finality[lw_value_id(w->m, v)];
    if (*finality == NOT_ASKED)
        *finality = is_undone(w, v) ? NOT_FINAL : FINAL;
    return *finality == FINAL;
}

/* Is what such an addition of the loop's found part of the value? */
static bool
is_count(const struct waits *w, LLVMValueRef v, int depth)
{
    if (depth == DEPTH || !inside(w, v))
        return false;
    if (counts_on(w, v))
        return true;
    if (!LLVMIsACastInst(v) && !LLVMIsABinaryOperator(v) && !LLVMIsAFreezeInst(v))
        return false;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (is_count(w, LLVMGetOperand(v, (unsigned)k), depth + 1))
            return true;
    return false;
}

/* As `while (atomic_inc(lock) != 0)` does: others must take away again what they have added. */
static bool
awaits_a_number(const struct waits *w, LLVMValueRef v)
{
    return LLVMIsAICmpInst(v) &&
           (LLVMGetICmpPredicate(v) == LLVMIntEQ || LLVMGetICmpPredicate(v) == LLVMIntNE) &&
           (is_count(w, LLVMGetOperand(v, 0), 0) || is_count(w, LLVMGetOperand(v, 1), 0));
}

static bool
is_source(const struct waits *w, LLVMValueRef v)
{
    if (LLVMIsALoadInst(v))
        return (w->fenced || lw_is_ordered_access(v)) && is_seen_by_others(w, v);
    if (LLVMIsAAtomicCmpXchgInst(v))
        return is_seen_by_others(w, v) && !is_final(w, v);
    if (LLVMIsAAtomicRMWInst(v))
        return is_seen_by_others(w, v) && !counts_on(w, v);
    return LLVMIsACallInst(v) && (lw_is_kept(LLVMGetCalledValue(v)) || is_reservation(v) ||
                                  pipe_service(v) == LW_SERVICE_PIPE_COUNT);
}

bool
lw_may_be_waited_for(LLVMValueRef instruction)
{
    struct waits none = {0};

    return LLVMIsAFenceInst(instruction) || is_source(&none, instruction);
}

/* ---- what depends on it ---- */

static bool
is_tainted(const struct waits *w, LLVMValueRef v)
{
    uint32_t id = lw_value_id(w->m, v);
    return id != LW_NONE && w->tainted[id];
}

/* Does the block's own branch, inside of the loop, depend on it? */
static bool
chooses(const struct waits *w, uint32_t b)
{
    const struct lw_vblock *k = &w->m->blocks[b];
    LLVMValueRef end = LLVMGetBasicBlockTerminator(k->ref);

    return k->succ_count > 1 && is_tainted(w, LLVMGetOperand(end, 0));
}

static bool
joins(const struct waits *w, LLVMValueRef phi)
{
    uint32_t b = lw_block_id(w->m, LLVMGetInstructionParent(phi));
    const struct lw_vblock *k = &w->m->blocks[b];

    return k->pred_count > 1 && !(k->loop != LW_NONE && w->m->loops[k->loop].header == b);
}

static bool
depends(const struct waits *w, LLVMValueRef v, bool chosen)
{
    if (is_source(w, v) || awaits_a_number(w, v))
        return true;
    if (asks_for_success(w, v))
        return false;
    if (LLVMIsAPHINode(v)) {
        if (chosen && joins(w, v))
            return true;
        for (unsigned k = 0; k < LLVMCountIncoming(v); k++)
            if (is_tainted(w, LLVMGetIncomingValue(v, k)))
                return true;
        return false;
    }
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (is_tainted(w, LLVMGetOperand(v, (unsigned)k)))
            return true;
    return false;
}

static void
find_tainted(struct waits *w)
{
    const struct lw_model *m = w->m;
    const struct lw_loop *loop = &m->loops[w->loop];
    bool changed = true, chosen = false;

    memset(w->tainted, 0, m->value_count);
    while (changed) {
        changed = false;
        for (uint32_t b = loop->header; b < loop->end; b++) {
            const struct lw_vblock *k = &m->blocks[b];
            for (uint32_t n = k->first_value; n < k->first_value + k->value_count; n++)
                if (!w->tainted[n] && depends(w, m->values[n], chosen))
                    w->tainted[n] = changed = true;
            if (!chosen && chooses(w, b))
                chosen = changed = true;
        }
    }
}

/* ---- what a loop is like ---- */

static bool
any_in_loop(const struct waits *w, bool (*is)(const struct waits *w, LLVMValueRef v))
{
    const struct lw_loop *loop = &w->m->loops[w->loop];
    uint32_t first = w->m->blocks[loop->header].first_value;
    const struct lw_vblock *last = &w->m->blocks[loop->end - 1];

    for (uint32_t n = first; n < last->first_value + last->value_count; n++)
        if (is(w, w->m->values[n]))
            return true;
    return false;
}

static bool
is_fence(const struct waits *w, LLVMValueRef v)
{
    (void)w;
    return LLVMIsAFenceInst(v);
}

static bool
is_barrier(const struct waits *w, LLVMValueRef v)
{
    (void)w;
    return lw_is_call_of(v, "lw.wg.barrier");
}

static bool
is_meeting(const struct waits *w, LLVMValueRef v)
{
    return is_barrier(w, v) &&
           lw_dominates(w->m, lw_block_id(w->m, LLVMGetInstructionParent(v)), w->m->loops[w->loop].latch);
}

/* With a barrier, plain loads behind it read what sources before it have told others. */
static void
look_at_loop(struct waits *w)
{
    bool barrier = any_in_loop(w, is_barrier);

    w->fenced = false;
    w->meets = barrier && any_in_loop(w, is_meeting);
    w->fenced = barrier ? any_in_loop(w, is_source) : any_in_loop(w, is_fence);
}

static bool
leaves_by_it(const struct waits *w)
{
    const struct lw_loop *loop = &w->m->loops[w->loop];

    for (uint32_t e = 0; e < loop->exit_count; e++)
        if (chooses(w, loop->exit_edges[2 * e]))
            return true;
    return false;
}

/* ---- locks of work-items ---- */

static bool
is_own_id(const struct waits *w, LLVMValueRef v)
{
    for (;;) {
        LLVMOpcode op = LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : 0;
        LLVMValueRef by = LLVMIsABinaryOperator(v) ? LLVMGetOperand(v, 1) : NULL;
        uint64_t c = by && LLVMIsAConstantInt(by) ? LLVMConstIntGetZExtValue(by) : 0;
        bool low = (op == LLVMAnd && c + 1 >= w->shape->sub_group_size) ||
                   (op == LLVMURem && c >= w->shape->sub_group_size);
        if (op != LLVMZExt && op != LLVMSExt && op != LLVMTrunc && !(op == LLVMAdd && c) && !low)
            break;
        v = LLVMGetOperand(v, 0);
    }
    return lw_call_same(v) == LW_SAME_ITEM || lw_call_same(v) == LW_SAME_LANE;
}

/* Ids that are asked for together: (x | y) == 0. */
static bool
has_own_id(const struct waits *w, LLVMValueRef v)
{
    if (LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMOr)
        return is_own_id(w, LLVMGetOperand(v, 0)) || is_own_id(w, LLVMGetOperand(v, 1));
    return is_own_id(w, v);
}

static bool
asks_for_one(const struct waits *w, LLVMValueRef condition, bool answer, int depth)
{
    LLVMOpcode op = LLVMIsAInstruction(condition) ? LLVMGetInstructionOpcode(condition) : 0;

    if (depth == DEPTH)
        return false;
    if (op == (answer ? LLVMAnd : LLVMOr))
        return asks_for_one(w, LLVMGetOperand(condition, 0), answer, depth + 1) ||
               asks_for_one(w, LLVMGetOperand(condition, 1), answer, depth + 1);
    if (op == LLVMSelect)
        return asks_for_one(w, LLVMGetOperand(condition, 0), answer, depth + 1) ||
               asks_for_one(w, LLVMGetOperand(condition, answer ? 1 : 2), answer, depth + 1);
    if (op != LLVMICmp || LLVMGetICmpPredicate(condition) != (answer ? LLVMIntEQ : LLVMIntNE))
        return false;
    return has_own_id(w, LLVMGetOperand(condition, 0)) || has_own_id(w, LLVMGetOperand(condition, 1));
}

/* Is there a condition on the way to the loop that one work-item fulfils? */
static bool
is_for_one(const struct waits *w)
{
    const struct lw_model *m = w->m;
    uint32_t header = m->loops[w->loop].header;

    for (uint32_t b = m->blocks[header].idom; b != LW_NONE; b = m->blocks[b].idom) {
        const struct lw_vblock *k = &m->blocks[b];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(k->ref);
        for (uint32_t s = 0; k->succ_count == 2 && LLVMIsABranchInst(end) && s < 2; s++) {
            uint32_t to = k->succs[s];
            if (m->blocks[to].pred_count == 1 && k->succs[0] != k->succs[1] && lw_dominates(m, to, header) &&
                asks_for_one(w, LLVMGetCondition(end), s == 0, 0))
                return true;
        }
    }
    return false;
}

/* Written to in the loop by something else? Then the one that has the lock gives it back there; not where
 * that is what one that has not got it had added. */
static bool
is_released(const struct waits *w, LLVMValueRef taking)
{
    const struct lw_loop *loop = &w->m->loops[w->loop];

    for (uint32_t b = loop->header; b < loop->end; b++) {
        const struct lw_vblock *k = &w->m->blocks[b];
        for (uint32_t n = k->first_value; n < k->first_value + k->value_count; n++) {
            LLVMValueRef v = w->m->values[n];
            LLVMValueRef to = LLVMIsAStoreInst(v)                                      ? LLVMGetOperand(v, 1)
                              : LLVMIsAAtomicRMWInst(v) || LLVMIsAAtomicCmpXchgInst(v) ? LLVMGetOperand(v, 0)
                                                                                       : NULL;
            bool undoes = direction_of(taking) && direction_of(v) == -direction_of(taking);
            if (v != taking && !undoes && to == pointer_of(taking))
                return true;
        }
    }
    return false;
}

static bool
is_compared_with_own(const struct waits *w, LLVMValueRef load)
{
    for (LLVMUseRef u = LLVMGetFirstUse(load); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsAICmpInst(user))
            continue;
        LLVMValueRef other = LLVMGetOperand(user, LLVMGetOperand(user, 0) == load);
        if (LLVMIsAInstruction(other) && !inside(w, other))
            return true;
    }
    return false;
}

bool
lw_is_pipe_commit(LLVMValueRef v)
{
    uint64_t service = pipe_service(v);
    return moves_packet(v) || service == LW_SERVICE_PIPE_COMMIT_READ ||
           service == LW_SERVICE_PIPE_COMMIT_WRITE;
}

static bool
is_commit(const struct waits *w, LLVMValueRef v)
{
    (void)w;
    return lw_is_pipe_commit(v);
}

/* Always the same place: taken by writing a constant there, or watched until it is this one's turn. */
static bool
is_lock(const struct waits *w, LLVMValueRef v)
{
    if (is_reservation(v))
        return !any_in_loop(w, is_commit);
    bool awaited = is_source(w, v) || (counts_on(w, v) && any_in_loop(w, awaits_a_number));
    if (!awaited || LLVMIsACallInst(v) || inside(w, pointer_of(v)))
        return false;
    if (LLVMIsALoadInst(v))
        return is_compared_with_own(w, v) && !is_released(w, v);
    if (LLVMIsAAtomicCmpXchgInst(v))
        return !is_fresh_exchange(w, v) && !is_released(w, v);
    return !is_released(w, v);
}

/* ---- everything ---- */

static bool
needs_all_lanes(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        const struct lw_call_row *row = LLVMGetFirstUse(f) ? lw_find_call(LLVMGetValueName(f)) : NULL;
        if (row && row->meets != LW_MEETS_ALONE && row->id != LW_CALL_WG_BARRIER)
            return true;
    }
    return false;
}

/* The loop at hand. */
static bool
waits(struct waits *w)
{
    memset(w->finality, 0, w->m->value_count * sizeof *w->finality);
    look_at_loop(w);
    find_tainted(w);
    return leaves_by_it(w);
}

void
lw_find_waiting(struct lw_arena *arena, const struct lw_model *m, const struct lw_shape *shape, bool *waiting,
                bool *for_one)
{
    struct waits w = {.m = m, .shape = shape};

    w.tainted = LW_ARENA_NEW(arena, bool, m->value_count + 1);
    w.finality = LW_ARENA_NEW(arena, enum finality, m->value_count + 1);
    for (w.loop = 0; w.loop < m->loop_count; w.loop++) {
        waiting[w.loop] = waits(&w);
        for_one[w.loop] = waiting[w.loop] && is_for_one(&w);
    }
}

static void
find(struct lw_arena *arena, void *data)
{
    struct waits *w = data;

    w->tainted = LW_ARENA_NEW(arena, bool, w->m->value_count + 1);
    w->finality = LW_ARENA_NEW(arena, enum finality, w->m->value_count + 1);
    for (w->loop = 0; w->loop < w->m->loop_count; w->loop++) {
        w->yields[w->loop] = waits(w);
        w->locks[w->loop] = w->yields[w->loop] && w->lanes && any_in_loop(w, is_lock) && !is_for_one(w);
    }
}

/* Before the branch of the latch, with what it is to decide. */
static void
put_yield(LLVMModuleRef module, const struct lw_model *m, const struct lw_loop *loop, bool lock)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef i1 = LLVMInt1TypeInContext(context), types[] = {i1, i1};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), types, 2, false);
    LLVMValueRef last = LLVMGetBasicBlockTerminator(m->blocks[loop->latch].ref);
    LLVMValueRef f = LLVMGetNamedFunction(module, LW_YIELD), round = LLVMConstInt(i1, 1, false);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);

    if (!f)
        f = LLVMAddFunction(module, LW_YIELD, type);
    LLVMPositionBuilderBefore(b, last);
    if (m->blocks[loop->latch].succ_count == 2) {
        round = LLVMGetCondition(last);
        if (LLVMGetSuccessor(last, 0) != m->blocks[loop->header].ref)
            round = LLVMBuildNot(b, round, "");
    }
    LLVMBuildCall2(b, type, f, (LLVMValueRef[]){round, LLVMConstInt(i1, lock, false)}, 2, "");
    LLVMDisposeBuilder(b);
}

static bool
mark_function(LLVMModuleRef module, LLVMValueRef function, const struct lw_shape *shape, bool lanes)
{
    const char *why;
    struct lw_model *m = lw_model_build(function, &why);
    struct waits w = {.m = m, .shape = shape, .lanes = lanes};
    uint32_t count = m ? m->loop_count : 0;
    bool yields[64] = {0}, locks[64] = {0};
    bool *both = count > 64 ? calloc(2, count) : NULL;
    bool good = m && (count <= 64 || both);

    w.yields = both ? both : yields;
    w.locks = both ? both + count : locks;
    good = good && (!count || lw_with_arena(find, &w));
    for (uint32_t k = 0; good && k < count; k++)
        if (w.yields[k])
            put_yield(module, m, &m->loops[k], w.locks[k]);
    free(both);
    if (m)
        lw_model_free(m);
    return good;
}

bool
lw_mark_waits(LLVMModuleRef module, const struct lw_shape *shape)
{
    LLVMValueRef kernel = LLVMGetNamedFunction(module, "lw.kernel");
    bool kept = lw_has_kept(module), lanes = !kept && !needs_all_lanes(module), good = true;

    for (LLVMValueRef f = LLVMGetFirstFunction(module); good && f; f = LLVMGetNextFunction(f))
        if (f == kernel || lw_is_kept(f))
            good = mark_function(module, f, shape, lanes);
    return good;
}

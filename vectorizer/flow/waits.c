/* SPDX-License-Identifier: MIT */
/* Finds the loops that wait for what others write, and puts a call of LW_YIELD at their ends.
 *
 * A loop waits where one of its exits depends on an access of the loop whose outcome others decide
 * (wait_sources.c), by way of data, or of a branch that chooses what a phi becomes.
 *
 * Work-items of one sub-group that wait for each other meet behind what they wait for (late_meeting.c).
 * Where that was not to be had, they take turns themselves, where it is a lock (wait_locks.c); but not where
 * there are operations of the sub-group or the work-group but barriers, which need all lanes.
 *
 * Enters: canonical form. Leaves: that, with the calls. Never: finds less than there is; a loop that does
 * not wait and is taken for one is only slower.
 */
#include "waits.h"
#include "meanwhile.h"
#include "wait_locks.h"
#include "wait_sources.h"

#include <stdlib.h>
#include <string.h>

#include "../facts/calls.h"
#include "../facts/kept.h"

struct waits {
    struct lw_wait_loop at;                      /* the loop at hand */
    bool *tainted;                               /* by value, of that loop */
    bool *waiting;                               /* by loop */
    bool (*asked)(const struct lw_wait_loop *w); /* of those that wait; NULL: nothing */
    bool *fulfilled;                             /* by loop */
};

/* ---- what depends on it ---- */

static bool
is_tainted(const struct waits *w, LLVMValueRef v)
{
    uint32_t id = lw_value_id(w->at.m, v);
    return id != LW_NONE && w->tainted[id];
}

/* Does the block's own branch, inside of the loop, depend on it? */
static bool
chooses(const struct waits *w, uint32_t b)
{
    const struct lw_vblock *k = &w->at.m->blocks[b];
    LLVMValueRef end = LLVMGetBasicBlockTerminator(k->ref);

    return k->succ_count > 1 && is_tainted(w, LLVMGetOperand(end, 0));
}

static bool
joins(const struct waits *w, LLVMValueRef phi)
{
    uint32_t b = lw_block_id_of(w->at.m, phi);
    const struct lw_vblock *k = &w->at.m->blocks[b];

    return k->pred_count > 1 && !(k->loop != LW_NONE && w->at.m->loops[k->loop].header == b);
}

static bool
depends(const struct waits *w, LLVMValueRef v, bool chosen)
{
    if (lw_is_wait_source(&w->at, v) || lw_awaits_a_number(&w->at, v))
        return true;
    if (lw_asks_for_success(&w->at, v))
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
    const struct lw_model *m = w->at.m;
    const struct lw_loop *loop = &m->loops[w->at.loop];
    bool changed = true, chosen = false;

    memset(w->tainted, 0, m->value_count);
    while (changed) {
        changed = false;
        for (uint32_t b = loop->header; b < loop->end; b++) {
            const struct lw_vblock *k = &m->blocks[b];
            for (uint32_t n = k->first_value; n < k->value_end; n++)
                if (!w->tainted[n] && depends(w, m->values[n], chosen))
                    w->tainted[n] = changed = true;
            if (!chosen && chooses(w, b))
                chosen = changed = true;
        }
    }
}

static bool
leaves_by_it(const struct waits *w)
{
    const struct lw_loop *loop = &w->at.m->loops[w->at.loop];

    for (uint32_t e = 0; e < loop->exit_count; e++)
        if (chooses(w, loop->exit_edges[2 * e]))
            return true;
    return false;
}

/* ---- everything ---- */

static void
find(struct lw_arena *arena, void *data)
{
    struct waits *w = data;
    const struct lw_model *m = w->at.m;

    w->tainted = LW_ARENA_NEW(arena, bool, m->value_count + 1);
    w->at.answers = LW_ARENA_NEW(arena, enum lw_wait_answer, m->value_count + 1);
    w->at.meanwhile = lw_meanwhile_create(arena, m);
    for (uint32_t k = 0; k < m->loop_count; k++) {
        lw_look_at_wait_loop(&w->at, k);
        find_tainted(w);
        w->waiting[k] = leaves_by_it(w);
        w->fulfilled[k] = w->waiting[k] && w->asked && w->asked(&w->at);
    }
}

void
lw_find_waiting(struct lw_arena *arena, const struct lw_model *m, const struct lw_shape *shape, bool *waiting,
                bool *for_one)
{
    struct waits w = {
        .at = {.m = m, .shape = shape}, .waiting = waiting, .asked = lw_is_for_one, .fulfilled = for_one};

    find(arena, &w);
}

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
    struct waits w = {.at = {.m = m, .shape = shape}, .asked = lanes ? lw_is_lock : NULL};
    uint32_t count = m ? m->loop_count : 0;
    bool waiting[64] = {0}, locks[64] = {0};
    bool *both = count > 64 ? calloc(2, count) : NULL;
    bool good = m && (count <= 64 || both);

    w.waiting = both ? both : waiting;
    w.fulfilled = both ? both + count : locks;
    good = good && (!count || lw_with_arena(find, &w));
    for (uint32_t k = 0; good && k < count; k++)
        if (w.waiting[k])
            put_yield(module, m, &m->loops[k], w.fulfilled[k]);
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

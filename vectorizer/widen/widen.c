/* SPDX-License-Identifier: MIT */
/* Writes the sub-group function: every block of the scalar kernel once, over lanes, along the linear plan.
 *
 * Enters: lw.kernel in canonical form, and functions that are kept (kept.h) likewise.
 * Leaves: lw.subgroup (workgroup.h says what it still calls), and lanes.* of the functions; the scalar ones
 * deleted.
 * Relies on: model.h's block order; uniformity.h; linearize.h; widen/edges.c for masks, phis and jumps.
 * Never: edits the scalar function.
 */
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lanes/internal.h"
#include "../facts/calls.h"
#include "../facts/doubts.h"
#include "../facts/kept.h"
#include "widener.h"

void
lw_widen_fail(lw_widener *w, LLVMValueRef instruction, const char *why)
{
    if (w->failed)
        return;
    w->failed = true;
    if (!w->error)
        return;
    char *text = LLVMPrintValueToString(instruction);
    bool resource = strncmp(why, "out of memory", strlen("out of memory")) == 0;
    w->error->status = resource ? LW_OUT_OF_MEMORY : LW_INTERNAL;
    w->error->word = 0;
    snprintf(w->error->text, sizeof w->error->text, "the vectorizer cannot widen %s: %.400s", why, text);
    LLVMDisposeMessage(text);
}

static void
note_serialised(void *data, const char *what)
{
    lw_widener *w = data;
    lw_report_note(w->report, w->instruction, "serialised", "%s: lane after lane, no vector form on this ISA",
                   what);
}

/* ---- blocks ---- */

static void
widen_instruction(lw_widener *w, LLVMValueRef i)
{
    w->instruction = i;
    LLVMSetCurrentDebugLocation2(w->l.builder, LLVMInstructionGetDebugLoc(i));
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMPHI:
        return; /* its slot is written by the edges */
    case LLVMBr:
    case LLVMRet:
    case LLVMUnreachable:
        lw_widen_terminator(w, i);
        return;
    case LLVMAlloca:
        lw_widen_alloca(w, i);
        return;
    case LLVMLoad:
        lw_widen_load(w, i);
        return;
    case LLVMStore:
        lw_widen_store(w, i);
        return;
    case LLVMGetElementPtr:
        lw_widen_gep(w, i);
        return;
    case LLVMAtomicRMW:
        lw_widen_atomic_rmw(w, i);
        return;
    case LLVMAtomicCmpXchg:
        lw_widen_cmpxchg(w, i);
        return;
    case LLVMFence:
        lw_clone_scalar(w, i);
        return;
    case LLVMCall:
        lw_widen_call(w, i);
        return;
    default:
        break;
    }
    if (!lw_is_varying(w, i))
        lw_widen_uniform(w, i);
    else if (!lw_widen_elementwise(w, i))
        lw_widen_fail(w, i, "an instruction of a kind it does not know");
}

/* ---- arms for all lanes ---- */

/* The arm that begins at `b` once more, for all lanes. Its values have the same slots: one of the two is run.
 */
static void
widen_full_arm(lw_widener *w, uint32_t b, LLVMBasicBlockRef entry)
{
    uint32_t end = w->m->blocks[b].dom_end;
    LLVMBasicBlockRef *entries = malloc(w->m->block_count * sizeof *entries), *some = w->some;
    LLVMBasicBlockRef after = LLVMGetInsertBlock(w->l.builder);
    struct lw_report *report = w->report;
    uint32_t outer = w->full_arm, partial_end = w->partial_end;
    uint32_t *outer_edges = w->full_edges, *edges = calloc(w->m->block_count, sizeof *edges);
    if (!entries || !edges) {
        free(entries);
        free(edges);
        lw_widen_fail(w, w->m->values[w->m->blocks[b].first_value], "out of memory at");
        return;
    }
    memcpy(entries, w->entries, w->m->block_count * sizeof *entries);
    w->some = entries;
    w->full_edges = edges;
    w->report = NULL;
    w->full_arm = b;
    for (uint32_t k = b; k < end; k++)
        w->entries[k] = k == b ? entry : LLVMAppendBasicBlockInContext(w->l.context, w->l.function, "full");
    for (uint32_t k = b; k < end && !w->failed; k++)
        lw_widen_block(w, k);
    memcpy(&w->entries[b], &entries[b], (end - b) * sizeof *entries);
    free(entries);
    free(edges);
    w->some = some;
    w->full_edges = outer_edges;
    w->full_arm = outer;
    w->partial_end = partial_end;
    w->report = report;
    LLVMPositionBuilderAtEnd(w->l.builder, after);
}

/* Masks and guards at the beginning of block `b` are of the line that decided on it. */
static void
take_line_of_branch(lw_widener *w, uint32_t b)
{
    uint32_t before = w->m->blocks[b].idom;
    if (before != LW_NONE)
        LLVMSetCurrentDebugLocation2(
            w->l.builder, LLVMInstructionGetDebugLoc(LLVMGetBasicBlockTerminator(w->m->blocks[before].ref)));
}

static void
enter_arm(lw_widener *w, uint32_t b)
{
    LLVMBuilderRef builder = w->l.builder;
    const struct lw_block_plan *plan = &w->plan->blocks[b];
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(w->l.context, w->l.function, "active");
    if (lw_has_full_arm(w, b)) {
        LLVMBasicBlockRef full = LLVMAppendBasicBlockInContext(w->l.context, w->l.function, "full");
        LLVMBasicBlockRef some = LLVMAppendBasicBlockInContext(w->l.context, w->l.function, "some");
        V mask = w->mask, told = w->whole_slots[b];
        V whole =
            told ? LLVMBuildLoad2(builder, LLVMGetAllocatedType(told), told, "") : lane_all(&w->l, mask);
        lw_lane_branch_likely(&w->l, whole, full, some);
        widen_full_arm(w, b, full);
        w->partial_end = w->m->blocks[b].dom_end;
        w->block = b;
        w->turn++;
        w->mask = mask;
        LLVMPositionBuilderAtEnd(builder, some);
        take_line_of_branch(w, b);
    }
    lw_branch_or_leave(w, lane_any(&w->l, w->mask), body, plan->guard_else);
    LLVMPositionBuilderAtEnd(builder, body);
}

static bool
is_header(lw_widener *w, uint32_t b)
{
    uint32_t loop = w->m->blocks[b].loop;
    return loop != LW_NONE && w->m->loops[loop].header == b;
}

/* What has no value is over all lanes where an operand is; control flow has notes of its own. */
static void
count_for_report(lw_widener *w, LLVMValueRef i)
{
    bool varying = LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind && lw_is_varying(w, i);
    if (!w->report || LLVMIsAPHINode(i) || LLVMIsATerminatorInst(i) || LLVMIsAAllocaInst(i))
        return;
    for (int k = 0; k < LLVMGetNumOperands(i) && !varying; k++) {
        LLVMValueRef operand = LLVMGetOperand(i, (unsigned)k);
        varying = LLVMIsAInstruction(operand) && lw_is_varying(w, operand);
    }
    lw_report_lanes(w->report, i, varying);
}

void
lw_widen_block(lw_widener *w, uint32_t b)
{
    const struct lw_vblock *k = &w->m->blocks[b];
    const struct lw_block_plan *plan = &w->plan->blocks[b];
    LLVMBuilderRef builder = w->l.builder;
    LLVMTypeRef mask_type = lane_type(&w->l, LLVMInt1TypeInContext(w->l.context));
    bool first = w->full_arm == b, full = first || (w->full_arm != LW_NONE && lw_runs_full(w, b));
    w->block = b;
    w->turn++;
    w->mask = w->entry_mask;
    w->may_be_empty = w->u->masked[b] && !full;
    LLVMPositionBuilderAtEnd(builder, w->entries[b]);
    take_line_of_branch(w, b);
    /* The guard has emptied them for the arm's first round. */
    for (uint32_t other = first && !is_header(w, b) ? LW_NONE : w->homes->first[b]; other != LW_NONE;
         other = w->homes->next[other])
        lw_empty_slots(w, other);
    if (full)
        w->mask = NULL;
    else if (w->mask_slots[b])
        w->mask = LLVMBuildLoad2(builder, mask_type, w->mask_slots[b], "mask");
    if (plan->guarded && !full) {
        enter_arm(w, b);
        w->may_be_empty = false;
        LLVMValueRef first = w->m->values[k->first_value];
        lw_report_note(w->report, first, "branch", "guarded: skipped where no lane is active%s",
                       w->whole_slots[b] ? ", no mask where the bounds hold for the first lane and the last"
                                         : "");
    }
    if (w->mask_slots[b] && !lw_home_is_near(w->m, w->homes, b))
        LLVMBuildStore(builder, LLVMConstNull(mask_type), w->mask_slots[b]);
    lw_find_records(w, b);
    for (uint32_t n = k->first_value; n < k->value_end && !w->failed; n++) {
        LLVMValueRef value = w->m->values[n];
        count_for_report(w, value);
        widen_instruction(w, value);
    }
}

/* Full sub-groups only: constant local size that the lanes divide. */
static bool
always_full(const struct lw_shape *s)
{
    uint64_t items = (uint64_t)s->local_size[0] * s->local_size[1] * s->local_size[2];
    return items && items % s->lanes == 0;
}

/* May lanes of a sub-group wait for each other? */
static bool
takes_turns(const lw_widener *w)
{
    for (uint32_t b = 0; b < w->m->block_count; b++) {
        const struct lw_vblock *k = &w->m->blocks[b];
        bool parts = k->loop != LW_NONE && w->u->divergent_loop[k->loop];
        for (uint32_t n = k->first_value; n < k->value_end && parts; n++) {
            LLVMValueRef v = w->m->values[n];
            if (lw_is_call_of(v, LW_YIELD) && LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1)))
                return true;
        }
    }
    return false;
}

static V
call_entry_mask(lw_widener *w)
{
    LLVMTypeRef mask_type = lane_type(&w->l, LLVMInt1TypeInContext(w->l.context));
    LLVMTypeRef type = LLVMFunctionType(mask_type, NULL, 0, false);
    LLVMValueRef f = LLVMAddFunction(w->l.module, w->by_item ? "lw.entry_lane" : "lw.entry_mask", type);
    return LLVMBuildCall2(w->l.builder, type, f, NULL, 0, "entry_mask");
}

static void
widen_function(lw_widener *w)
{
    lw_lanes *l = &w->l;
    LLVMTypeRef mask_type = lane_type(l, LLVMInt1TypeInContext(l->context));
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(l->context, l->function, "entry");
    LLVMBasicBlockRef start = LLVMAppendBasicBlockInContext(l->context, l->function, "start");
    LLVMPositionBuilderAtEnd(w->alloca_builder, entry);
    LLVMPositionBuilderAtEnd(l->builder, start);
    if (w->m->instance)
        lw_take_parameters(w);
    w->by_item = !w->m->instance && w->shape->yields && takes_turns(w);
    if (!w->m->instance && (w->by_item || !always_full(w->shape)))
        w->entry_mask = call_entry_mask(w);
    for (uint32_t b = 0; b < w->m->block_count; b++) {
        w->entries[b] = LLVMAppendBasicBlockInContext(l->context, l->function, "");
        if (w->u->masked[b]) {
            w->mask_slots[b] = LLVMBuildAlloca(w->alloca_builder, mask_type, "waiting");
            if (w->homes->home[b] == LW_NONE)
                LLVMBuildStore(w->alloca_builder, LLVMConstNull(mask_type), w->mask_slots[b]);
        }
    }
    LLVMBuildBr(l->builder, w->entries[0]);
    for (uint32_t b = 0; b < w->m->block_count && !w->failed; b++) {
        if (!lw_begins_streams(w, b)) {
            lw_widen_block(w, b);
            continue;
        }
        lw_widen_rounds(w, b);
        b = w->m->loops[w->m->blocks[b].loop].end - 1;
    }
    LLVMBuildBr(w->alloca_builder, start);
}

static void
widen_with(struct lw_arena *arena, void *data)
{
    lw_widener *w = data;
    uint32_t blocks = w->m->block_count;
    w->plan = lw_linearize(arena, w->m, w->u);
    w->homes = lw_find_homes(arena, w->m, w->plan);
    w->entries = LW_ARENA_NEW(arena, LLVMBasicBlockRef, blocks);
    w->mask_slots = LW_ARENA_NEW(arena, V, blocks);
    w->whole_slots = LW_ARENA_NEW(arena, V, blocks);
    lw_find_last_exits(w);
    lw_forms_open(w);
    lw_values_open(w);
    if (!w->failed)
        widen_function(w);
}

static bool
say(lw_error *error, lw_status status, const char *why)
{
    if (error) {
        *error = (lw_error){.status = status};
        snprintf(error->text, sizeof error->text, "the vectorizer cannot start: %s", why);
    }
    return false;
}

static bool
say_out_of_memory(lw_error *error)
{
    return say(error, LW_OUT_OF_MEMORY, "out of memory");
}

/* One function, of which all is known. */
static bool
widen_model(const struct lw_model *model, struct lw_uniformity *u, LLVMValueRef function,
            const struct lw_shape *shape, uint32_t left_out, struct lw_report *report, lw_error *error)
{
    LLVMModuleRef module = LLVMGetGlobalParent(function);
    LLVMContextRef context = LLVMGetModuleContext(module);
    lw_widener w = {.arena = lw_arena_create(),
                    .m = model,
                    .u = u,
                    .shape = shape,
                    .left_out = left_out,
                    .report = report,
                    .error = error,
                    .scratch = model->kept ? model->kept->scratch : 0,
                    .full_arm = LW_NONE};
    w.l = (lw_lanes){.context = context,
                     .module = module,
                     .builder = LLVMCreateBuilderInContext(context),
                     .function = function,
                     .n = shape->lanes,
                     .summed = shape->sub_group_size,
                     .isa = (lw_isa)shape->isa,
                     .serialised = note_serialised};
    w.l.serialised_data = &w;
    w.privates = &u->privates;
    w.layout = LLVMGetModuleDataLayout(module);
    w.alloca_builder = LLVMCreateBuilderInContext(context);
    bool ok = w.arena && lw_arena_try(w.arena, widen_with, &w);
    if (!ok)
        say_out_of_memory(error);
    lw_forms_close(&w);
    LLVMDisposeBuilder(w.l.builder);
    LLVMDisposeBuilder(w.alloca_builder);
    lw_arena_free(w.arena);
    if (model->kept)
        model->kept->scratch = w.scratch;
    return ok && !w.failed;
}

static bool
widen_kernel(LLVMValueRef kernel, struct lw_kept *kept, const struct lw_shape *shape, uint32_t left_out,
             struct lw_report *report, enum lw_doubt *doubt, lw_error *error)
{
    const char *why;
    struct lw_model *model = lw_model_build(kernel, &why);
    if (!model)
        return say(error, LW_INTERNAL, why);
    model->kept = kept;
    struct lw_uniformity *u = lw_find_uniformity(model, shape);
    LLVMValueRef function = LLVMAddFunction(LLVMGetGlobalParent(kernel), "lw.subgroup",
                                            LLVMGlobalGetValueType(kernel));
    bool ok = u ? widen_model(model, u, function, shape, left_out, report, error) : say_out_of_memory(error);
    *doubt = u ? lw_find_doubt(model, u) : LW_NO_DOUBT;
    lw_uniformity_free(u);
    lw_model_free(model);
    return ok;
}

/* The functions that are kept, as far as they are called, and those that they call. */
static bool
widen_kept(struct lw_kept *kept, uint32_t left_out, struct lw_report *report, lw_error *error)
{
    bool ok = true;
    for (struct lw_kept_instance *i; ok && (i = lw_kept_next(kept));) {
        struct lw_model *model = i->function->model;
        model->instance = i;
        ok = widen_model(model, i->u, i->lanes, &kept->shape, left_out, report, error);
        model->instance = NULL;
    }
    return ok && (!kept->failed || say_out_of_memory(error));
}

/* They call each other: first nothing calls them. */
static void
delete_scalars(struct lw_kept *kept)
{
    for (uint32_t k = 0; k < kept->function_count; k++)
        for (LLVMUseRef use; (use = LLVMGetFirstUse(kept->functions[k].scalar));) {
            LLVMValueRef call = LLVMGetUser(use);
            if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind)
                LLVMReplaceAllUsesWith(call, LLVMGetPoison(LLVMTypeOf(call)));
            LLVMInstructionEraseFromParent(call);
        }
    for (uint32_t k = 0; k < kept->function_count; k++)
        LLVMDeleteFunction(kept->functions[k].scalar);
}

bool
lw_widen(LLVMModuleRef module, const struct lw_shape *shape, uint32_t left_out, struct lw_report *report,
         enum lw_doubt *doubt, lw_error *error)
{
    LLVMValueRef kernel = LLVMGetNamedFunction(module, "lw.kernel");
    const char *why = NULL;
    if (!kernel)
        return say(error, LW_INTERNAL, "there is no lw.kernel");
    struct lw_kept *kept = lw_has_kept(module) ? lw_kept_open(module, shape, &why) : NULL;
    if (!kept && why)
        return say(error, LW_INTERNAL, why);
    bool ok = widen_kernel(kernel, kept, shape, left_out, report, doubt, error);
    if (ok && kept)
        ok = widen_kept(kept, left_out, report, error);
    if (ok)
        LLVMDeleteFunction(kernel);
    if (ok && kept)
        delete_scalars(kept);
    lw_kept_close(kept);
    return ok;
}

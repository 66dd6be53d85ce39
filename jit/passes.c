/* SPDX-License-Identifier: MIT */
/* The rows of the table of transformations (passes.def) that are more than a call, and the table. */
#include "job.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

#include "../builtins/builtins.h"
#include "../spirv/emit.h"
#include "../vectorizer/facts/kept.h"
#include "../vectorizer/flow/addresses.h"
#include "../vectorizer/flow/block_pointers.h"
#include "../vectorizer/flow/canonical.h"
#include "../vectorizer/flow/far_rounds.h"
#include "../vectorizer/flow/choices.h"
#include "../vectorizer/flow/components.h"
#include "../vectorizer/flow/exchanges.h"
#include "../vectorizer/flow/held_loops.h"
#include "../vectorizer/flow/late_meeting.h"
#include "../vectorizer/flow/late_stores.h"
#include "../vectorizer/flow/local_layout.h"
#include "../vectorizer/flow/moved_vectors.h"
#include "../vectorizer/flow/pointer_spaces.h"
#include "../vectorizer/flow/promote.h"
#include "../vectorizer/flow/quotients.h"
#include "../vectorizer/flow/same_tests.h"
#include "../vectorizer/flow/signs.h"
#include "../vectorizer/flow/sums.h"
#include "../vectorizer/flow/waits.h"
#include "../vectorizer/flow/whole_vectors.h"
#include "../vectorizer/forms/forms.h"
#include "../vectorizer/lanes/lanes.h"
#include "../vectorizer/late/bytes.h"
#include "../vectorizer/late/kept_quotients.h"
#include "../vectorizer/late/known_stores.h"
#include "../vectorizer/late/loop_indices.h"
#include "../vectorizer/late/pack.h"
#include "../vectorizer/subgroup/atomic.h"
#include "../vectorizer/subgroup/reduce.h"
#include "../vectorizer/late/single_loads.h"
#include "../vectorizer/late/turn.h"
#include "../vectorizer/flow/explain.h"
#include "../vectorizer/widen/widen.h"
#include "../vectorizer/workgroup/spaces.h"
#include "../vectorizer/workgroup/workgroup.h"

static bool
out_of_memory(struct job *j)
{
    return lw_jit_fail(j->error, LW_OUT_OF_MEMORY, "no memory to compile kernel %s: %s", j->request->kernel,
                       j->row);
}

static void
set_attributes(struct job *j)
{
    lw_target_attributes(j->module, j->machine, (lw_isa)j->request->shape.isa);
}

/* ---- from words to one function ---- */

static bool
lw_read_module(struct job *j)
{
    const struct lw_compile_request *r = j->request;

    j->spirv = lw_module_read(r->words, r->word_count * sizeof *r->words, j->error);
    for (size_t k = 0; j->spirv && k < r->spec_count; k++)
        if (!lw_module_override(j->spirv, r->spec[k].id, &r->spec[k].value, r->spec[k].size, j->error))
            return false;
    if (j->spirv && r->spec_count && !lw_module_evaluate(j->spirv))
        return out_of_memory(j);
    return j->spirv != NULL;
}

static bool
lw_reflect(struct job *j)
{
    for (uint32_t k = 0; k < j->spirv->entry_point_count; k++) {
        if (strcmp(j->spirv->entry_points[k].name, j->request->kernel) == 0) {
            j->kernel = lw_reflect_kernel(j->spirv, k, j->error);
            return j->kernel &&
                   (!j->request->shape.guarded || lw_guard_locals(j->kernel, j->error));
        }
    }
    return lw_jit_fail(j->error, LW_NOT_FOUND, "no kernel %s in the module", j->request->kernel);
}

/* What a build's options allow of all its arithmetic. */
static unsigned
fast_math(unsigned build)
{
    unsigned flags = LLVMFastMathNone;
    if (build & LW_MATH_FINITE) /* infinities stay (lw_fast) */
        flags |= LLVMFastMathNoNaNs;
    if (build & LW_MATH_NO_SIGNED_ZEROS)
        flags |= LLVMFastMathNoSignedZeros;
    if (build & LW_MATH_CONTRACT)
        flags |= LLVMFastMathAllowContract;
    if (build & LW_MATH_UNSAFE)
        flags |= LLVMFastMathAllowReassoc;
    if ((build & LW_MATH_UNSAFE) && !(build & LW_MATH_EXACT_DIVISION))
        flags |= LLVMFastMathAllowReciprocal | LLVMFastMathApproxFunc;
    return flags;
}

static void
note_known_arguments(const struct job *j)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(LLVMGetNamedFunction(j->module, "lw.kernel"));
    const uint64_t *value = j->request->shape.values;
    for (uint32_t i = 0; i < j->kernel->arg_count && i < 64; i++)
        if (j->request->shape.known >> i & 1)
            lw_report_note(j->report, LLVMGetBasicBlockTerminator(entry), "argument", "%u %s: %llu", i,
                           j->kernel->args[i].info.name, (unsigned long long)*value++);
}

/* At the branch whose condition emission has decided. */
static void
note_stretched_in(const struct job *j, LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        if (LLVMGetInstructionOpcode(end) == LLVMBr && LLVMIsConditional(end) &&
            LLVMIsAConstantInt(LLVMGetCondition(end)))
            lw_report_note(j->report, end, "loop",
                           "by the size of the range: that is as long, a work-item runs one round");
    }
}

/* In the kernel, or the function that it is a name for. */
static void
note_stretched(const struct job *j)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(j->module); f; f = LLVMGetNextFunction(f))
        note_stretched_in(j, f);
}

static bool
lw_emit(struct job *j)
{
    const struct lw_shape *s = &j->request->shape;
    struct lw_emit_facts facts = {
        .work_dim = s->work_dim,
        .local_size = {s->local_size[0], s->local_size[1], s->local_size[2]},
        .sub_group_size = s->sub_group_size,
        .offset_zero = s->offset_zero,
        .index31 = s->index31,
        .stretched = s->stretched,
        .lanes_dimension = s->lanes_dimension,
        .variables = j->request->variables,
        .soon = j->first,
        .fast_math = fast_math(s->build),
        .heads = s->heads,
        .known = s->known,
        .values = s->values,
    };

    memcpy(facts.images, s->images, sizeof facts.images);

    j->module = lw_emit_kernel(j->context, j->spirv, j->kernel, &facts, j->error);
    if (j->module && facts.variables && LLVMVerifyModule(j->module, LLVMReturnStatusAction, NULL)) {
        LLVMDisposeModule(j->module); /* what debug instructions name is not checked */
        facts.variables = false;
        j->module = lw_emit_kernel(j->context, j->spirv, j->kernel, &facts, j->error);
    }
    if (!j->module)
        return false;
    lw_target_set(j->module, j->machine);
    note_known_arguments(j);
    if (s->stretched)
        note_stretched(j);
    set_attributes(j);
    return true;
}

static bool
lw_resolve_builtins(struct job *j)
{
    if (!lw_builtins_resolve(j->module, (lw_isa)j->request->shape.isa, j->error))
        return false;
    set_attributes(j);
    return true;
}

/* Nothing to inline: the kernel is the module's only function with a body. */
static bool
lw_stands_alone(LLVMModuleRef module)
{
    unsigned bodies = 0;

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        bodies += !LLVMIsDeclaration(f);
    return bodies == 1;
}

/* ---- the scalar function ---- */

static bool
lw_hold(struct job *j)
{
    LLVMValueRef f = LLVMGetFirstFunction(j->module);

    while (f && !lw_kernel_functions.tells(f))
        f = LLVMGetNextFunction(f);
    return !f || (lw_run_passes(j, LW_CLEAN_VALUES) &&
                  (lw_hold_loops(j->module, &lw_kernel_functions) || out_of_memory(j)));
}

/* Where one lane is all there is, a work-item's own loops are what is left to make vectors of; where it has
 * none, those over work-items. */
static bool
lw_runs_alone(const struct job *j)
{
    const struct lw_shape *shape = &j->request->shape;

    return shape->lanes == 1 ||
           (shape->local_size[0] == 1 && shape->local_size[1] == 1 && shape->local_size[2] == 1);
}

static enum lw_clean
lw_choose_loops(struct job *j)
{
    bool straight = lw_is_straight(j->module) && !lw_has_kept(j->module);

    return straight ? LW_CLEAN_STRAIGHT : j->masked ? LW_CLEAN_LOOPS : LW_CLEAN_ROUNDS;
}

static bool
lw_lower_spaces(struct job *j)
{
    bool asked;

    if (!lw_lower_pointer_spaces(j->module, &asked))
        return out_of_memory(j);
    return !asked || (lw_step(j, "lw_lower_pointer_spaces") && lw_run_passes(j, LW_CLEAN_SSA));
}

static bool
lw_lay_out(struct job *j)
{
    return lw_has_kept(j->module) || /* which would see the memory as it was */
           lw_lay_out_local(j->module, j->kernel, &j->request->shape, j->report) || out_of_memory(j);
}

static bool
lw_index_kernel_walks(struct job *j)
{
    LLVMValueRef kernel = LLVMGetNamedFunction(j->module, "lw.kernel");

    if (kernel && j->request->shape.buffers_4g)
        lw_index_walks(j->module, kernel);
    uint32_t row = j->request->shape.local_size[0];
    if (kernel && row && row < j->request->shape.lanes)
        lw_split_walks(j->module, kernel);
    return true;
}

static bool
step_inside(void *data, const char *transformation)
{
    return lw_step(data, transformation);
}

static bool
wants(void *data, const char *row)
{
    return !lw_skips(data, row);
}

static bool
lw_form(struct job *j)
{
    struct lw_after after = {step_inside, wants, j};

    return lw_canonicalize(j->module, j->machine, &after, j->error);
}

static bool
lw_split_rows(struct job *j)
{
    /* Three pieces, and two of them once more. */
    for (int k = 0; k < 5 && lw_split_quotients(j->module, &j->request->shape); k++)
        if (!lw_step(j, "lw_split_quotients") || !lw_form(j))
            return false;
    return true;
}

static bool
lw_march(struct job *j)
{
    for (int k = 0; k < 3 && lw_join_far_rounds(j->module, &j->request->shape, j->report); k++)
        if (!lw_step(j, "lw_join_far_rounds") || !lw_form(j))
            return false;
    return true;
}

static bool
lw_take_variables(struct job *j)
{
    return !lw_take_all_variables(j->module) ||
           (lw_step(j, "lw_take_all_variables") && lw_run_passes(j, LW_CLEAN_SSA) && lw_form(j));
}

static bool
lw_find_late_meetings(struct job *j)
{
    const struct lw_shape *shape = &j->request->shape;
    return !shape->yields || lw_meet_late(j->module, j->machine, shape, j->error);
}

/* ---- lanes and work-groups ---- */

static bool
lw_find_waits(struct job *j)
{
    return !j->request->shape.yields || lw_mark_waits(j->module, &j->request->shape) || out_of_memory(j);
}

static bool
lw_widen_kernel(struct job *j)
{
    enum lw_doubt doubt;

    if (!lw_widen(j->module, &j->request->shape, lw_forms_named(j->request->skip), j->report, &doubt,
                  j->error))
        return false;
    j->code->doubt = doubt;
    set_attributes(j);
    return true;
}

static enum lw_clean
lw_choose_clean(struct job *j)
{
    bool enormous = j->quick && j->instructions > LW_ENORMOUS_INSTRUCTIONS;

    return j->first   ? LW_CLEAN_FIRST
           : enormous ? LW_CLEAN_ENORMOUS
           : j->large ? LW_CLEAN_LARGE
                      : LW_CLEAN_SUBGROUP;
}

static bool
lw_form_regions(struct job *j)
{
    struct lw_frame frame;

    if (!lw_form_workgroup(j->module, j->kernel, &j->request->shape, &frame, j->error))
        return false;
    j->code->frame_fixed = frame.fixed;
    j->code->frame_per_sub_group = frame.per_sub_group;
    j->code->turns = frame.turns;
    set_attributes(j);
    return true;
}

static enum lw_clean
lw_choose_optimize(struct job *j)
{
    bool huge = j->instructions > LW_HUGE_INSTRUCTIONS;

    return j->first           ? LW_OPTIMIZE_FIRST
           : j->quick && huge ? LW_OPTIMIZE_HUGE
           : j->quick         ? LW_OPTIMIZE_MASKED
                              : LW_OPTIMIZE_SPECIAL;
}

static bool
lw_turn(struct job *j)
{
    bool changed;

    if (!lw_turn_sub_groups(j->module, (lw_isa)j->request->shape.isa, &changed))
        return out_of_memory(j);
    return !changed || (lw_step(j, "lw_turn_sub_groups") && lw_run_passes(j, LW_OPTIMIZE_MASKED));
}

static bool
lw_enter_large(struct job *j)
{
    return !j->large || (lw_run_passes(j, LW_CLEAN_LOOP_FORM) &&
                         (lw_enter_long_loops(j->module) || out_of_memory(j)));
}

static void
lw_cut_large(struct job *j)
{
    lw_cut_blocks(j->module, true, j->large);
}

static bool
lw_link(struct job *j)
{
    return lw_keep_object(j) && (j->request->unlinked || lw_link_object(j->code, j->error));
}

/* ---- the table ---- */

#define ALWAYS(does) ((does), true)
#define MEMORY(does) ((does) || out_of_memory(j))
#define CLEANED(changes, passes) (!(changes) || (lw_step(j, #changes) && lw_run_passes(j, passes)))
#define PART true
#define PASS(stage, name, tiers, isas, left_out, what, why)                                                  \
    static bool run_##name(struct job *j)                                                                    \
    {                                                                                                        \
        LLVMModuleRef m = j->module;                                                                         \
        lw_isa isa = (lw_isa)j->request->shape.isa;                                                          \
                                                                                                             \
        (void)m, (void)isa;                                                                                  \
        return what;                                                                                         \
    }
#include "passes.def"
#undef PASS

enum {
    MASKED = LW_TIER_MASKED_BIT,
    FIRST = LW_TIER_FIRST_BIT,
    PLAIN = LW_TIER_PLAIN_BIT,
    FULL = LW_TIER_FULL_BIT
};
enum { EVERY = MASKED | FIRST | PLAIN | FULL };
enum {
    SSE42 = 1 << LW_ISA_SSE42,
    AVX2 = 1 << LW_ISA_AVX2,
    AVX512 = 1 << LW_ISA_AVX512 | 1 << LW_ISA_AVX512_VBMI | 1 << LW_ISA_AVX512_FP16,
    ANY = SSE42 | AVX2 | AVX512
};
enum { NEEDED, OPTIONAL };

const struct pass lw_passes[LW_PASS_COUNT] = {
#define PASS(stage, name, tiers, isas, left_out, what, why)                                                  \
    {#stage, #name, run_##name, tiers, isas, left_out, why},
#include "passes.def"
};

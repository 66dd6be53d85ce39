/* SPDX-License-Identifier: MIT */
/* THE PIPELINE: SPIR-V module, kernel and shape in, machine code out. Start reading here.
 *
 *   words -> module -> kernel -> scalar IR -> built-ins -> one function -> canonical form -> sub-group
 * function
 *         -> work-group function -> object -> code
 *
 * The driver dumps (request->dump) after each row. After each transformation, of which rows are made, steps.c
 * verifies and looks at the budget; passes do neither.
 */
#include "job.h"

#include <inttypes.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../builtins/builtins.h"
#include "../spirv/emit.h"
#include "../vectorizer/addresses.h"
#include "../vectorizer/canonical.h"
#include "../vectorizer/explain.h"
#include "../vectorizer/kept.h"
#include "../vectorizer/lanes.h"
#include "../vectorizer/local_layout.h"
#include "../vectorizer/pack.h"
#include "../vectorizer/pointer_spaces.h"
#include "../vectorizer/signs.h"
#include "../vectorizer/spaces.h"
#include "../vectorizer/turn.h"
#include "../vectorizer/waits.h"
#include "../vectorizer/widen.h"
#include "../vectorizer/workgroup.h"

/* ---- the rows ---- */

static bool
read_module(struct job *j)
{
    const struct lw_compile_request *r = j->request;

    j->spirv = lw_module_read(r->words, r->word_count * sizeof *r->words, j->error);
    for (size_t k = 0; j->spirv && k < r->spec_count; k++)
        if (!lw_module_specialize(j->spirv, r->spec[k].id, &r->spec[k].value, r->spec[k].size, j->error))
            return false;
    return j->spirv != NULL;
}

static bool
reflect(struct job *j)
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
    if (build & LW_MATH_FINITE)
        flags |= LLVMFastMathNoNaNs | LLVMFastMathNoInfs;
    if (build & LW_MATH_NO_SIGNED_ZEROS)
        flags |= LLVMFastMathNoSignedZeros;
    if (build & LW_MATH_CONTRACT)
        flags |= LLVMFastMathAllowContract;
    if (build & LW_MATH_UNSAFE)
        flags |= LLVMFastMathAllowReassoc;
    if ((build & LW_MATH_UNSAFE) && !(build & LW_MATH_EXACT_DIVISION))
        flags |= LLVMFastMathAllowReciprocal;
    return flags;
}

static bool
emit(struct job *j)
{
    const struct lw_shape *s = &j->request->shape;
    struct lw_emit_facts facts = {
        .work_dim = s->work_dim,
        .local_size = {s->local_size[0], s->local_size[1], s->local_size[2]},
        .sub_group_size = s->sub_group_size,
        .offset_zero = s->offset_zero,
        .index31 = s->index31,
        .lanes_dimension = s->lanes_dimension,
        .fast_math = fast_math(s->build),
    };

    memcpy(facts.images, s->images, sizeof facts.images);

    j->module = lw_emit_kernel(j->context, j->spirv, j->kernel, &facts, j->error);
    if (!j->module)
        return false;
    lw_target_set(j->module, j->machine);
    lw_target_attributes(j->module, j->machine, (lw_isa)s->isa);
    return true;
}

static bool
resolve_builtins(struct job *j)
{
    if (!lw_builtins_resolve(j->module, (lw_isa)j->request->shape.isa, j->error))
        return false;
    lw_target_attributes(j->module, j->machine, (lw_isa)j->request->shape.isa);
    return true;
}

/* Nothing to inline: the kernel is the module's only function with a body. */
static bool
stands_alone(LLVMModuleRef module)
{
    unsigned bodies = 0;

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        bodies += !LLVMIsDeclaration(f);
    return bodies == 1;
}

static bool
inline_all(struct job *j)
{
    if (stands_alone(j->module))
        return true;
    if (!lw_keep_calls(j->module))
        return lw_jit_fail(j->error, LW_OUT_OF_MEMORY, "no memory to inline the functions of kernel %s",
                           j->request->kernel);
    return lw_run_passes(j, LW_CLEAN_INLINE);
}

/* Loops, arrays: what makes better code, and takes longer. */
static bool
simplify_scalar(struct job *j)
{
    if (!j->masked) {
        uint32_t room = LW_MOST_WRITTEN_OUT;
        if (!LW_DO(j, lw_unroll_collectives, j->module, &room) ||
            !LW_DO(j, lw_write_bounded_loops_out, j->module, &room))
            return false;
    }
    bool straight = lw_is_straight(j->module) && !lw_has_kept(j->module);
    enum lw_clean rest = straight ? LW_CLEAN_STRAIGHT : j->masked ? LW_CLEAN_LOOPS : LW_CLEAN_ROUNDS;
    if (!lw_run_passes(j, rest))
        return false;
    if (!lw_take_both_places(j->module))
        return true;
    return lw_step(j, "lw_take_both_places") && lw_run_passes(j, LW_CLEAN_SSA);
}

static bool
clean_scalar(struct job *j)
{
    bool asked;

    lw_mark_spaces(j->module);
    if (!lw_run_passes(j, LW_CLEAN_SSA) || (!j->first && !simplify_scalar(j)))
        return false;
    if (!LW_DO(j, lw_forget_signs, j->module))
        return false;
    if (!lw_lower_pointer_spaces(j->module, &asked))
        return lw_jit_fail(j->error, LW_OUT_OF_MEMORY, "no memory to trace the pointers of kernel %s",
                           j->request->kernel);
    if (!lw_step(j, "lw_lower_pointer_spaces"))
        return false;
    if (asked && !lw_run_passes(j, LW_CLEAN_SSA))
        return false;
    return j->masked || j->first || lw_has_kept(j->module) || /* which would see the memory as it was */
           lw_lay_out_local(j->module, j->kernel, &j->request->shape, j->report) ||
           lw_jit_fail(j->error, LW_OUT_OF_MEMORY, "no memory to lay out the local memory of kernel %s",
                       j->request->kernel);
}

static bool
step_inside(void *data, const char *transformation)
{
    return lw_step(data, transformation);
}

static bool
form(struct job *j)
{
    struct lw_after after = {step_inside, j};

    return lw_canonicalize(j->module, j->machine, &after, j->error);
}

static bool
canonicalize(struct job *j)
{
    LLVMValueRef kernel = LLVMGetNamedFunction(j->module, "lw.kernel");

    if (kernel && j->request->shape.buffers_4g && !LW_DO(j, lw_index_walks, j->module, kernel))
        return false;
    if (!form(j))
        return false;
    /* Copies of arrays are written out only there. */
    if (j->first || !lw_take_all_variables(j->module))
        return true;
    return lw_step(j, "lw_take_all_variables") && lw_run_passes(j, LW_CLEAN_SSA) && form(j);
}

static bool
widen(struct job *j)
{
    if (j->request->shape.yields && !lw_mark_waits(j->module, &j->request->shape))
        return lw_jit_fail(j->error, LW_OUT_OF_MEMORY, "no memory to find what kernel %s waits for",
                           j->request->kernel);
    if (!lw_step(j, "lw_mark_waits"))
        return false;
    if (!lw_widen(j->module, &j->request->shape, j->report, j->error) || !lw_step(j, "lw_widen"))
        return false;
    if (!LW_DO(j, LLVMStripModuleDebugInfo, j->module) || !LW_DO(j, lw_mark_subgroup_calls, j->module) ||
        !LW_DO(j, lw_mark_constant_loads, j->module) || !LW_DO(j, lw_mark_spaces, j->module))
        return false;
    lw_target_attributes(j->module, j->machine, (lw_isa)j->request->shape.isa);
    return true;
}

static bool
clean_subgroup(struct job *j)
{
    if (!lw_run_passes(j, j->first ? LW_CLEAN_FIRST : j->large ? LW_CLEAN_LARGE : LW_CLEAN_SUBGROUP))
        return false;
    if (j->first || !lw_fold_known_lanes(j->module))
        return true;
    return lw_step(j, "lw_fold_known_lanes") && lw_run_passes(j, LW_CLEAN_SUBGROUP);
}

static bool
pass_contexts(struct job *j)
{
    return lw_pass_contexts(j->module) ||
           lw_jit_fail(j->error, LW_OUT_OF_MEMORY, "no memory to call the functions of kernel %s",
                       j->request->kernel);
}

static bool
form_workgroup(struct job *j)
{
    struct lw_frame frame;

    if (!lw_form_workgroup(j->module, j->kernel, &j->request->shape, &frame, j->error))
        return false;
    if (!lw_lower_local_atomics(j->module, (lw_isa)j->request->shape.isa))
        return lw_jit_fail(j->error, LW_OUT_OF_MEMORY, "no memory to lower the atomics of kernel %s",
                           j->request->kernel);
    lw_mark_spaces(j->module);
    j->code->frame_fixed = frame.fixed;
    j->code->frame_per_sub_group = frame.per_sub_group;
    j->code->turns = frame.turns;
    lw_target_attributes(j->module, j->machine, (lw_isa)j->request->shape.isa);
    return true;
}

static bool
optimize(struct job *j)
{
    bool huge = j->instructions > LW_HUGE_INSTRUCTIONS;

    return lw_run_passes(j, j->first           ? LW_OPTIMIZE_FIRST
                            : j->quick && huge ? LW_OPTIMIZE_HUGE
                            : j->quick         ? LW_OPTIMIZE_MASKED
                                               : LW_OPTIMIZE_SPECIAL);
}

static bool
turn(struct job *j)
{
    bool changed;

    if (j->quick)
        return true;
    if (!lw_turn_sub_groups(j->module, (lw_isa)j->request->shape.isa, &changed))
        return lw_jit_fail(j->error, LW_OUT_OF_MEMORY, "no memory to turn the sub-groups of kernel %s",
                           j->request->kernel);
    return !changed || (lw_step(j, "lw_turn_sub_groups") && lw_run_passes(j, LW_OPTIMIZE_MASKED));
}

static bool
pack(struct job *j)
{
    return lw_pack_sub_groups(j->module, (lw_isa)j->request->shape.isa) ||
           lw_jit_fail(j->error, LW_OUT_OF_MEMORY, "no memory to pack the sub-groups of kernel %s",
                       j->request->kernel);
}

static bool
link_code(struct job *j)
{
    return lw_keep_object(j) && (j->request->unlinked || lw_link_object(j->code, j->error));
}

static const struct pass {
    const char *name;
    bool (*run)(struct job *j);
    const char *why; /* why here */
} passes[] = {
    {"read", read_module,
     "specialization constants decide types and array sizes, so they are set before all else"},
    {"reflect", reflect, "the layout of arguments and local memory, as the runtime has it"},
    {"emit", emit, "the shape's facts must be in the IR before the first LLVM pass folds index arithmetic"},
    {"builtins", resolve_builtins,
     "bodies must be there to be inlined: one body serves every width and mask"},
    {"inline", inline_all,
     "the vectorizer sees one function, and those that are kept; uniform arguments become visible"},
    {"scalar", clean_scalar,
     "uniformity is seen in SSA form only; unrolled loops make private arrays registers"},
    {"canonical", canonicalize, "after the last pass that may undo the form"},
    {"widen", widen, "the lanes; debug locations have served the report and go"},
    {"subgroup", clean_subgroup, "what is in memory or dead would count as live across barriers"},
    {"contexts", pass_contexts, "what kept functions still ask, and the arrays that they still have"},
    {"workgroup", form_workgroup, "after the lanes: regions hold vectors, slots are found in what is left"},
    {"optimize", optimize, "memory and loops of the whole work-group are visible now"},
    {"turn", turn, "loops over sub-groups have their last form; what they share is in registers"},
    {"pack", pack, "neighbouring sub-groups' addresses differ by constants only now"},
    {"masks", lw_settle,
     "behind the last pass that folds them: LLVM 22 loses sign-tested mask registers, or packs masks"},
    {"codegen", lw_generate, "to an object, so that a cache can keep it"},
    {"link", link_code, "last: code that is linked is finished; the runtime may load the object itself"},
};

#define PASS_COUNT (sizeof passes / sizeof passes[0])

/* ---- dumps, checks, times ---- */

static bool
run_rows(struct job *j)
{
    const char *dump = j->request->dump;
    double times[PASS_COUNT] = {0}, total = 0;

    for (size_t k = 0; k < PASS_COUNT; k++) {
        bool before_codegen = passes[k].run == lw_generate;
        if (before_codegen && lw_wants_dump(dump, "asm"))
            lw_dump_assembly(j);
        double start = lw_thread_milliseconds();
        j->row = passes[k].name;
        bool good = passes[k].run(j);
        times[k] = lw_thread_milliseconds() - start;
        total += times[k];
        bool prints = lw_wants_dump(dump, passes[k].name) && passes[k].run != lw_generate && passes[k].run != link_code;
        if (prints)
            lw_dump_module(j, passes[k].name);
        if (!good || (!before_codegen && passes[k].run != link_code && !lw_step(j, "all of it")))
            return false;
    }
    if (lw_wants_dump(dump, "time")) {
        fprintf(stderr, "; ---- %s: %.2f ms, %" PRIu64 " bytes:", j->request->kernel, total,
                j->code->code_bytes);
        for (size_t k = 0; k < PASS_COUNT; k++)
            fprintf(stderr, " %s %.2f", passes[k].name, times[k]);
        fputc('\n', stderr);
    }
    return true;
}

/* Names that no row has: said once per compilation, with those that there are. */
static bool
check_dump(const struct lw_compile_request *request, lw_error *error)
{
    for (const char *at = request->dump; at && *at; at += strcspn(at, ","), at += *at == ',') {
        size_t n = strcspn(at, ",");
        bool known = n == 0 || (n == 3 && (!memcmp(at, "all", 3) || !memcmp(at, "asm", 3))) ||
                     (n == 4 && !memcmp(at, "time", 4)) || (n == 5 && !memcmp(at, "steps", 5));
        for (size_t k = 0; k < PASS_COUNT; k++)
            known |= n == strlen(passes[k].name) && memcmp(at, passes[k].name, n) == 0;
        if (known)
            continue;
        lw_jit_fail(error, LW_BAD_ARGUMENT, "no stage %.*s to dump; there are all, asm, time, steps", (int)n,
                    at);
        for (size_t k = 0; k < PASS_COUNT; k++) {
            size_t end = strlen(error->text);
            snprintf(error->text + end, sizeof error->text - end, ", %s", passes[k].name);
        }
        return false;
    }
    return true;
}

/* ---- the table that crosses the border ---- */

/* Without a handler LLVM would print errors and end the process. */
static void
take_diagnostic(LLVMDiagnosticInfoRef info, void *data)
{
    struct job *j = data;

    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    snprintf(j->diagnostic, sizeof j->diagnostic, "%s", text);
    LLVMDisposeMessage(text);
}

static bool
check_request(const struct lw_compile_request *r, lw_error *error)
{
    const struct lw_shape *s = &r->shape;
    bool some = s->local_size[0] || s->local_size[1] || s->local_size[2];
    bool every = s->local_size[0] && s->local_size[1] && s->local_size[2];
    bool lanes = s->lanes >= 4 && s->lanes <= LW_MAX_LANES && (s->lanes & (s->lanes - 1)) == 0;
    bool n = s->sub_group_size >= 4 && s->sub_group_size <= 64 &&
             (s->sub_group_size & (s->sub_group_size - 1)) == 0;

    if (s->work_dim < 1 || s->work_dim > 3 || some != every || !lanes || !n)
        return lw_jit_fail(error, LW_INTERNAL, "kernel %s: no such shape", r->kernel);
    if (!lw_target_runs((lw_isa)s->isa))
        return lw_jit_fail(error, LW_BAD_ARGUMENT, "this machine does not run %s code",
                           s->isa == LW_ISA_AVX512 ? "avx512"
                           : s->isa == LW_ISA_AVX2 ? "avx2"
                                                   : "sse4.2");
    return check_dump(r, error);
}

static bool
begin_job(struct job *j)
{
    const struct lw_compile_request *r = j->request;

    j->masked = r->shape.local_size[0] == 0;
    j->first = r->shape.build & LW_BUILD_FIRST;
    j->quick = j->masked || j->first || (r->shape.build & LW_BUILD_UNOPTIMIZED);
    j->effort = j->first ? LW_EFFORT_LEAST : j->quick ? LW_EFFORT_LESS : LW_EFFORT_FULL;
    j->print_steps = lw_wants_dump(r->dump, "steps");
    lw_begin_steps(j);
    j->machine = lw_target_take((lw_isa)r->shape.isa, j->effort, j->error);
    j->code = calloc(1, sizeof *j->code);
    j->report = r->explain ? lw_report_create() : NULL;
    if (!j->machine)
        return false;
    if (!j->code || (r->explain && !j->report))
        return lw_jit_fail(j->error, LW_OUT_OF_MEMORY, "no memory to compile kernel %s", r->kernel);
    j->context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(j->context, take_diagnostic, j);
    return true;
}

static void
free_job(struct job *j)
{
    if (j->object)
        LLVMDisposeMemoryBuffer(j->object);
    if (j->module)
        LLVMDisposeModule(j->module);
    lw_target_give(j->machine, (lw_isa)j->request->shape.isa, j->effort);
    if (j->context)
        LLVMContextDispose(j->context);
    if (j->report)
        lw_report_free(j->report);
    if (j->kernel)
        lw_kernel_desc_free(j->kernel);
    if (j->spirv)
        lw_module_free(j->spirv);
    if (j->code)
        free(j->code->object);
    free(j->code);
}

static struct lw_code *
compile(const struct lw_compile_request *request, lw_error *error)
{
    lw_error ignored;
    struct job j = {.request = request, .error = error ? error : &ignored};
    struct lw_code *code = NULL;

    *j.error = (lw_error){0};
    if (check_request(request, j.error) && begin_job(&j) && run_rows(&j)) {
        const char *isa = request->shape.isa == LW_ISA_AVX512 ? "avx512"
                          : request->shape.isa == LW_ISA_AVX2 ? "avx2"
                                                              : "sse4.2";
        if (j.report)
            j.code->report = lw_report_json(j.report, request->kernel, request->shape.lanes, isa);
        code = j.code;
        j.code = NULL;
    } else if (j.error->status == LW_OK) {
        lw_jit_fail(j.error, LW_INTERNAL, "kernel %s could not be compiled", request->kernel);
    }
    free_job(&j);
    return code;
}

static void
release(struct lw_code *code)
{
    lw_error ignored;

    if (!code)
        return;
    if (code->private_data)
        lw_jit_remove(lw_jit_get(&ignored), code->private_data);
    free(code->object);
    free(code->report);
    free(code);
}

__attribute__((visibility("default"))) const struct lw_compiler *
lw_compiler_entry(void)
{
    static const struct lw_compiler table = {LW_COMPILER_ABI, compile, release, lw_link_object};

    return lw_target_runs(LW_ISA_SSE42) ? &table : NULL;
}

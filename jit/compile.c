/* SPDX-License-Identifier: MIT */
/* The driver: SPIR-V module, kernel and shape in, machine code out.
 *
 *   words -> module -> kernel -> scalar IR -> built-ins -> one function -> canonical form -> sub-group
 * function
 *         -> work-group function -> object -> code
 *
 * The transformations and their order are the table passes.def. The driver dumps (request->dump) and leaves
 * rows out (request->skip); steps.c verifies after each and looks at the budget; passes do none of these.
 */
#include "job.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../spirv/module.h"
#include "../spirv/reflect.h"
#include "../src/trace.h"
#include "../vectorizer/forms/forms.h"
#include "../vectorizer/lanes/isa.h"
#include "../vectorizer/flow/explain.h"

/* ---- rows ---- */

static unsigned
tier_of(const struct job *j)
{
    return j->first    ? LW_TIER_FIRST_BIT
           : j->masked ? LW_TIER_MASKED_BIT
           : j->quick  ? LW_TIER_PLAIN_BIT
                       : LW_TIER_FULL_BIT;
}

static bool
runs(const struct job *j, const struct pass *p)
{
    return p->tiers & tier_of(j) && p->isas >> j->request->shape.isa & 1 && !lw_skips(j, p->name);
}

static bool
ends_stage(size_t row)
{
    return row + 1 == LW_PASS_COUNT || strcmp(lw_passes[row].stage, lw_passes[row + 1].stage) != 0;
}

/* Is there still a module that is worth looking at? */
static bool
has_module(const struct pass *p)
{
    return strcmp(p->stage, "codegen") != 0 && strcmp(p->stage, "link") != 0;
}

static void
print_times(const struct job *j, const double *times)
{
    double total = 0, stage = 0;

    for (size_t k = 0; k < LW_PASS_COUNT; k++)
        total += times[k];
    fprintf(stderr, "; ---- %s: %.2f ms, %" PRIu64 " bytes:", j->request->kernel, total, j->code->code_bytes);
    for (size_t k = 0; k < LW_PASS_COUNT; k++) {
        stage += times[k];
        if (ends_stage(k)) {
            fprintf(stderr, " %s %.2f", lw_passes[k].stage, stage);
            stage = 0;
        }
    }
    fputc('\n', stderr);
}

/* ---- LANEWISE_TRACE: the rows, on the thread and of the process that compiles ---- */

#define LEAST_TRACED 50000 /* nanoseconds: what takes less is not seen, and would cost as much */

static pthread_once_t trace_once = PTHREAD_ONCE_INIT;
static int trace = -1;

static void
open_trace(void)
{
    trace = lw_trace_open(secure_getenv("LANEWISE_TRACE"));
}

static void
trace_row(const struct job *j, const struct pass *p, uint64_t begin)
{
    if (trace >= 0 && lw_nanoseconds_now() - begin >= LEAST_TRACED)
        lw_trace_span(trace, "pass", p->name, begin, "\"stage\":\"%s\",\"instructions\":%llu", p->stage,
                      (unsigned long long)j->instructions);
}

static bool
run_rows(struct job *j)
{
    const char *dump = j->request->dump;
    double times[LW_PASS_COUNT] = {0};
    uint64_t all = lw_nanoseconds_now();

    pthread_once(&trace_once, open_trace);
    for (size_t k = 0; k < LW_PASS_COUNT; k++) {
        const struct pass *p = &lw_passes[k];
        bool ir = has_module(p), good = true;
        if (!ir && strcmp(p->stage, "codegen") == 0 && lw_wants_dump(dump, "asm"))
            lw_dump_assembly(j);
        double start = lw_thread_milliseconds();
        uint64_t begin = lw_trace_begin(trace);
        j->row = p->stage;
        if (runs(j, p))
            good = p->run(j) && (!ir || lw_end_row(j, p->name));
        times[k] = lw_thread_milliseconds() - start;
        trace_row(j, p, begin);
        if (ir && (lw_names(dump, p->name) || (ends_stage(k) && lw_wants_dump(dump, p->stage))))
            lw_dump_module(j, lw_names(dump, p->name) ? p->name : p->stage);
        if (!good)
            return false;
    }
    lw_trace_span(trace, "passes", j->request->kernel, all, "\"code\":\"%s\",\"lanes\":%u",
                  j->first ? "first" : j->masked ? "masked" : "specialised", j->request->shape.lanes);
    if (lw_wants_dump(dump, "time"))
        print_times(j, times);
    return true;
}

/* ---- names ---- */

static bool
is_name(const char *at, size_t n, const char *name)
{
    return n == strlen(name) && memcmp(at, name, n) == 0;
}

static void
append(lw_error *error, const char *name)
{
    size_t end = strlen(error->text);

    snprintf(error->text + end, sizeof error->text - end, ", %s", name);
}

/* Names that no row has: said once per compilation, with those that there are. */
static bool
check_dump(const struct lw_compile_request *request, lw_error *error)
{
    static const char *const others[] = {"", "all", "asm", "time", "steps"};

    for (const char *at = request->dump; at && *at; at += strcspn(at, ","), at += *at == ',') {
        size_t n = strcspn(at, ",");
        bool known = false;
        for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
            known |= is_name(at, n, others[k]);
        for (size_t k = 0; k < LW_PASS_COUNT; k++)
            known |= is_name(at, n, lw_passes[k].name) || is_name(at, n, lw_passes[k].stage);
        if (known)
            continue;
        lw_jit_fail(error, LW_BAD_ARGUMENT, "no stage %.*s to dump; there are all, asm, time, steps", (int)n,
                    at);
        for (size_t k = 0; k < LW_PASS_COUNT; k++) {
            if (k == 0 || ends_stage(k - 1))
                append(error, lw_passes[k].stage);
            if (strcmp(lw_passes[k].name, lw_passes[k].stage) != 0)
                append(error, lw_passes[k].name);
        }
        return false;
    }
    return true;
}

/* Rows of passes.def, then of forms.def. */
static const char *
row_name(size_t k, bool *optional)
{
    if (k >= LW_PASS_COUNT)
        return lw_form_name((enum lw_form_id)(k - LW_PASS_COUNT), optional);
    *optional = lw_passes[k].optional;
    return lw_passes[k].name;
}

static bool
check_skip(const struct lw_compile_request *request, lw_error *error)
{
    size_t rows = LW_PASS_COUNT + LW_FORM_COUNT;
    bool optional = false;

    for (const char *at = request->skip; at && *at; at += strcspn(at, ","), at += *at == ',') {
        size_t n = strcspn(at, ","), k = 0;
        while (k < rows && !is_name(at, n, row_name(k, &optional)))
            k++;
        if (n == 0 || (k < rows && optional))
            continue;
        if (k < rows)
            return lw_jit_fail(error, LW_BAD_ARGUMENT,
                               "LANEWISE_SKIP: without %s no right code comes out, so it is never left out",
                               row_name(k, &optional));
        lw_jit_fail(error, LW_BAD_ARGUMENT,
                    "LANEWISE_SKIP: no transformation %.*s; those that may be left out", (int)n, at);
        for (k = 0; k < rows; k++) {
            const char *name = row_name(k, &optional);
            if (optional)
                append(error, name);
        }
        return false;
    }
    return true;
}

/* ---- the table that crosses the border ---- */

/* Without a handler LLVM would print errors and end the process. One warning counts: generate.c's limit. */
static void
take_diagnostic(LLVMDiagnosticInfoRef info, void *data)
{
    struct job *j = data;

    LLVMDiagnosticSeverity severity = LLVMGetDiagInfoSeverity(info);
    if (severity != LLVMDSError && severity != LLVMDSWarning)
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    if (severity == LLVMDSError || strstr(text, LW_STACK_SAID))
        snprintf(j->diagnostic, sizeof j->diagnostic, "%s", text);
    LLVMDisposeMessage(text);
}

static bool
check_request(const struct lw_compile_request *r, lw_error *error)
{
    const struct lw_shape *s = &r->shape;
    bool some = s->local_size[0] || s->local_size[1] || s->local_size[2];
    bool every = s->local_size[0] && s->local_size[1] && s->local_size[2];
    bool lanes = s->lanes != 2 && s->lanes && s->lanes <= LW_MAX_LANES && (s->lanes & (s->lanes - 1)) == 0;
    bool n = s->sub_group_size >= 4 && s->sub_group_size <= 64 &&
             (s->sub_group_size & (s->sub_group_size - 1)) == 0;

    if (s->work_dim < 1 || s->work_dim > 3 || some != every || !lanes || !n || s->isa > LW_ISA_AVX512_FP16)
        return lw_jit_fail(error, LW_INTERNAL, "kernel %s: no such shape", r->kernel);
    if (!lw_target_runs((lw_isa)s->isa))
        return lw_jit_fail(error, LW_BAD_ARGUMENT, "this machine does not run %s code",
                           lw_isa_row((lw_isa)s->isa)->text);
    return check_dump(r, error) && check_skip(r, error);
}

static bool
begin_job(struct job *j)
{
    const struct lw_compile_request *r = j->request;

    j->masked = r->shape.local_size[0] == 0;
    j->first = r->shape.build & LW_BUILD_FIRST;
    j->quick = j->masked || j->first || (r->shape.build & LW_BUILD_UNOPTIMIZED);
    j->effort = j->first ? LW_EFFORT_LEAST : j->quick ? LW_EFFORT_LESS : LW_EFFORT_FULL;
    j->room = LW_MOST_WRITTEN_OUT;
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
        const struct lw_isa_row *isa = lw_isa_row((lw_isa)request->shape.isa);
        if (j.report)
            j.code->report = lw_report_json(j.report, request->kernel, request->shape.lanes, isa->text);
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

/* SPDX-License-Identifier: MIT */
/* The budget of a compilation, and the check after each of its transformations.
 *
 * Enters: a module that was just changed. Leaves: the same. What is specialised, or for a first run, may have
 * so many instructions at any time, and take so long: LLVM's passes cannot be interrupted, so that both are
 * looked at between them, and passes that grow faster than the code get no large one. Masked code has no
 * budget: it serves where the others gave up, and the complete check has refused what would be too much for
 * it. Never: changes the module.
 */
#include "job.h"
#include "../vectorizer/facts/instructions.h"

#include <inttypes.h>
#include <llvm-c/Analysis.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MOST_INSTRUCTIONS 100000 /* of specialised code, LANEWISE_BUDGET */
#define MOST_OF_FIRST_CODE 20000 /* which is not soon there any more */
#define MOST_MILLISECONDS 4000
#define MOST_MILLISECONDS_OF_FIRST_CODE 1000
#define LARGE_INSTRUCTIONS 10000

double
lw_thread_milliseconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* what else the machine does is not our time */
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* A number from the environment; 0: none that is one (src/options.c tells the user). */
static uint64_t
setting(const char *name)
{
    const char *text = secure_getenv(name);
    char *end = NULL;
    uint64_t number = text ? strtoull(text, &end, 10) : 0;

    return text && end != text && !*end ? number : 0;
}

/* One of as many compilations as LANEWISE_VERIFY says, the first and so on. */
static bool
is_verified(void)
{
    static atomic_uint compilations;
    unsigned every = (unsigned)setting("LANEWISE_VERIFY");

    return every && atomic_fetch_add(&compilations, 1) % every == 0;
}

void
lw_begin_steps(struct job *j)
{
    j->verify = is_verified();
    j->began = j->step_at = lw_thread_milliseconds();
    if (j->masked && !j->first)
        return;
    j->most = setting("LANEWISE_BUDGET");
    if (j->most == 0)
        j->most = MOST_INSTRUCTIONS;
    if (j->first && j->most > MOST_OF_FIRST_CODE)
        j->most = MOST_OF_FIRST_CODE;
}

uint64_t
lw_count_instructions(LLVMModuleRef module)
{
    uint64_t count = 0;

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMValueRef i = lw_first_instruction(f); i; i = lw_next_instruction(i))
            count++;
    return count;
}

static bool
verify(struct job *j, const char *transformation)
{
    char *message = NULL;

    if (!j->verify || !j->module)
        return true;
    bool broken = LLVMVerifyModule(j->module, LLVMReturnStatusAction, &message);
    if (broken)
        lw_jit_fail(j->error, LW_INTERNAL, "kernel %s: broken IR after %s, %s: %s", j->request->kernel,
                    j->row, transformation, message);
    LLVMDisposeMessage(message);
    return !broken;
}

static const char *
kind(const struct job *j)
{
    return j->first ? "first code" : "specialised code";
}

static bool
keep_to_budget(struct job *j, uint64_t instructions, double now, const char *transformation)
{
    if (!j->most)
        return true;
    if (instructions > j->most)
        return lw_jit_fail(j->error, LW_UNSUPPORTED,
                           "kernel %s: no %s: %" PRIu64
                           " instructions after %s (%s), and its budget is %" PRIu64 " (LANEWISE_BUDGET)",
                           j->request->kernel, kind(j), instructions, j->row, transformation, j->most);
    double most = j->first ? MOST_MILLISECONDS_OF_FIRST_CODE : MOST_MILLISECONDS;
    if (now - j->began > most)
        return lw_jit_fail(j->error, LW_UNSUPPORTED,
                           "kernel %s: no %s: it had taken %.1f s after %s (%s), and its budget is %.1f s",
                           j->request->kernel, kind(j), (now - j->began) / 1e3, j->row, transformation,
                           most / 1e3);
    return true;
}

static bool
step(struct job *j, const char *transformation, bool count)
{
    double now = lw_thread_milliseconds();
    uint64_t instructions = !j->module ? 0 : count ? lw_count_instructions(j->module) : j->instructions;

    if (j->print_steps)
        fprintf(stderr, "; ---- %s: %s: %s: %.2f ms, %" PRIu64 " instructions\n", j->request->kernel, j->row,
                transformation, now - j->step_at, instructions);
    j->instructions = instructions;
    j->large |= instructions > LARGE_INSTRUCTIONS;
    bool good = verify(j, transformation) && keep_to_budget(j, instructions, now, transformation);
    j->step_at = lw_thread_milliseconds();
    return good;
}

/* Of masked code that is large nobody asks but behind rows that run LLVM's passes: counting after each of
 * hundreds of transformations would take a fourth of the compilation. */
bool
lw_step(struct job *j, const char *transformation)
{
    return step(j, transformation, j->most || j->print_steps || !j->large);
}

bool
lw_end_row(struct job *j, const char *name)
{
    bool count = j->most || j->print_steps || !j->large || j->ran_passes;

    j->ran_passes = false;
    return step(j, name, count);
}

/* ---- LLVM's passes ---- */

static bool
after_pass(void *data, const char *pass)
{
    return lw_step(data, pass);
}

bool
lw_run_passes(struct job *j, enum lw_clean what)
{
    j->ran_passes = true;
    if (j->verify || j->print_steps || j->large)
        return lw_optimize_each(j->module, j->machine, what, j->large, after_pass, j, j->error);
    return lw_optimize(j->module, j->machine, what, j->error) && lw_step(j, "LLVM's passes");
}

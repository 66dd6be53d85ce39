/* SPDX-License-Identifier: MIT */
/* Measures one kernel: builds it on every target, makes the data, checks, times in rounds A B C A B C ...,
 * checks again. Whatever goes wrong with a target is its outcome and stops it alone. */
#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define REFERENCE_TIMEOUT 300 /* scalar code, and it may be a large problem */
#define LEAST_RUNS 3          /* in a slice */
#define WARM_SECONDS 0.02     /* before the first slice: platforms recompile what is run often */

struct job {
    struct measurement *measurement;
    const struct suite_kernel *kernel;
    const struct configuration *configuration;
    struct row *row;
    int64_t fallback;         /* the sub-group size where a target has none */
    char *files[MAX_TARGETS]; /* data, by target; several may share one */
};

static void
tell(struct job *job, const char *what)
{
    if (job->measurement->progress)
        job->measurement->progress(job->measurement->listener, what);
}

static bool
alive(const struct job *job, unsigned target)
{
    return job->row->outcomes[target].status == OUTCOME_RIGHT;
}

static void
fail(struct outcome *outcome, enum outcome_status status, const char *reason, const char *log)
{
    free(outcome->reason);
    free(outcome->log);
    outcome->status = status;
    outcome->reason = text_copy(reason);
    outcome->log = text_copy(log);
}

/* Asks; a failure becomes the target's outcome. The caller frees `answer`. */
static bool
ask(struct job *job, unsigned target, struct text *question, double timeout, struct message *answer)
{
    struct target *to = &job->measurement->results->targets[target];
    struct outcome *outcome = &job->row->outcomes[target];
    enum asked asked = target_ask(job->measurement->workshop, to, question, timeout, answer);
    const char *stage = message_get(answer, "stage");

    if (asked == ASKED_OK)
        return true;
    fail(outcome,
         asked == ASKED_CRASHED    ? OUTCOME_CRASHED
         : asked == ASKED_HUNG     ? OUTCOME_HUNG
         : !strcmp(stage, "wrong") ? OUTCOME_WRONG
         : !strcmp(stage, "none")  ? OUTCOME_NONE
         : !strcmp(stage, "run")   ? OUTCOME_NOT_RUN
                                   : OUTCOME_NOT_BUILT,
         message_get(answer, "reason"), message_get(answer, "log"));
    return false;
}

static void
put_case(const struct job *job, struct text *question, int64_t chosen)
{
    const struct overrides *overrides = &job->configuration->overrides;
    struct text local = {0};

    for (unsigned i = 0; i < overrides->local_dimensions; i++)
        text_add(&local, "%s%lld", i ? "x" : "", (long long)overrides->local[i]);
    message_put(question, "path", "%s", job->kernel->description->path);
    if (job->kernel->description->section)
        message_put(question, "section", "%s", job->kernel->description->section);
    message_put(question, "size", "%lld", (long long)overrides->size);
    message_put(question, "subgroup", "%lld", (long long)overrides->subgroup);
    message_put(question, "chosen", "%lld", (long long)chosen);
    if (local.data)
        message_put(question, "local", "%s", local.data);
    text_free(&local);
}

static void
build(struct job *job, unsigned target)
{
    struct results *results = job->measurement->results;
    struct outcome *outcome = &job->row->outcomes[target];
    enum target_kind kind = results->targets[target].kind;
    const char *module = kind == TARGET_OPENMP ? job->kernel->openmp[results->targets[target].fast_math]
                                               : job->kernel->limit;
    struct message answer;
    struct text question;

    outcome->status = OUTCOME_RIGHT;
    if (kind != TARGET_PLATFORM && !module) {
        fail(outcome, OUTCOME_NONE, kind == TARGET_OPENMP ? "no OpenMP loop" : "no version by hand", "");
        return;
    }
    if (results->targets[target].broken != ASKED_OK) {
        fail(outcome, results->targets[target].broken == ASKED_HUNG ? OUTCOME_HUNG : OUTCOME_CRASHED,
             results->targets[target].broken_reason, "");
        return;
    }
    message_begin(&question, "case");
    put_case(job, &question, job->fallback);
    if (!results->targets[target].from_source) {
        message_put(&question, "il", "%s", job->kernel->il ? job->kernel->il : "");
        message_put(&question, "il_error", "%s", job->kernel->il_error ? job->kernel->il_error : "");
    }
    message_put(&question, "source", "%s", job->kernel->source ? job->kernel->source : "");
    message_put(&question, "module", "%s", module ? module : "");
    if (ask(job, target, &question, job->measurement->options->timeout, &answer)) {
        outcome->subgroup = strtoll(message_get(&answer, "subgroup"), NULL, 10);
        outcome->build = message_number(&answer, "build");
        if (outcome->subgroup && (!job->fallback || (int)target == results->subject))
            job->fallback = outcome->subgroup;
    }
    message_free(&answer);
}

/* Whether the worker made what is expected, too. */
static bool
make_data(struct job *job, int64_t subgroup, const char *file, bool *expected, char **error)
{
    struct message answer;
    struct text question;
    bool good;

    message_begin(&question, "make");
    put_case(job, &question, subgroup);
    message_put(&question, "reference", "%s", job->kernel->reference ? job->kernel->reference : "");
    message_put(&question, "file", "%s", file);
    good = target_ask(job->measurement->workshop, job->measurement->reference, &question, REFERENCE_TIMEOUT,
                      &answer) == ASKED_OK;
    *expected = good && message_number(&answer, "expected") > 0;
    if (!good)
        *error = text_make("the reference: %s", message_get(&answer, "reason"));
    message_free(&answer);
    return good;
}

static bool
send_file(struct job *job, unsigned target, const char *verb)
{
    struct message answer;
    struct text question;
    bool good;

    message_begin(&question, verb);
    message_put(&question, "file", "%s", job->files[target]);
    good = ask(job, target, &question, job->measurement->options->timeout, &answer);
    message_free(&answer);
    return good;
}

/* The file with the data for a target's sub-group size, made if it is the first. Where no reference says what
 * is expected, this target's results do. */
static void
give_data(struct job *job, unsigned target)
{
    struct outcome *outcome = &job->row->outcomes[target];
    struct results *results = job->measurement->results;
    int64_t subgroup = outcome->subgroup ? outcome->subgroup : job->fallback;
    bool expected, made = false;
    char *error = NULL;

    for (unsigned t = 0; t < results->target_count && !job->files[target]; t++) {
        int64_t other = job->row->outcomes[t].subgroup ? job->row->outcomes[t].subgroup : job->fallback;

        if (job->files[t] && other == subgroup)
            job->files[target] = text_copy(job->files[t]);
    }
    if (!job->files[target]) {
        job->files[target] =
            text_make("%s/data-%lld", job->measurement->workshop->folder, (long long)subgroup);
        if (!make_data(job, subgroup, job->files[target], &expected, &error)) {
            fail(outcome, OUTCOME_NOT_RUN, error, "");
            free(error);
            unlink(job->files[target]);
            free(job->files[target]);
            job->files[target] = NULL;
            return;
        }
        made = !expected;
    }
    if (!send_file(job, target, "data") || !made)
        return;
    if (results->targets[target].kind != TARGET_PLATFORM) {
        fail(outcome, OUTCOME_NOT_RUN, "there is no reference to check it against", "");
    } else if (send_file(job, target, "save")) {
        free(job->row->expected_from);
        job->row->expected_from = text_copy(results->targets[target].label);
        return;
    }
    unlink(job->files[target]);
    free(job->files[target]);
    job->files[target] = NULL;
}

static void
check(struct job *job, unsigned target)
{
    struct outcome *outcome = &job->row->outcomes[target];
    struct message answer;
    struct text question;

    message_begin(&question, "check");
    if (ask(job, target, &question, job->measurement->options->timeout, &answer) && outcome->first == 0)
        outcome->first = message_number(&answer, "first");
    message_free(&answer);
}

static void
take_times(struct outcome *outcome, unsigned round, const char *text)
{
    size_t before = outcome->count;

    while (*text) {
        char *end;
        double time = strtod(text, &end);

        if (end == text)
            break;
        if ((outcome->count & (outcome->count - 1)) == 0) /* a power of two: full */
            outcome->times =
                memory_grow(outcome->times, (outcome->count ? 2 * outcome->count : 1) * sizeof(double));
        outcome->times[outcome->count++] = time;
        text = end;
    }
    outcome->rounds[round] = statistics_median(outcome->times + before, outcome->count - before);
}

static void
time_slice(struct job *job, unsigned target, unsigned round, double seconds)
{
    static const struct timespec rest = {0, 1000000}; /* until the other's threads sleep */
    struct outcome *outcome = &job->row->outcomes[target];
    bool slow = round > 0 && outcome->rounds[round - 1] > seconds; /* one run a slice says enough */
    struct message answer;
    struct text question;

    message_begin(&question, "time");
    message_put(&question, "seconds", "%g", slow ? 0 : seconds);
    message_put(&question, "least", "%d", slow ? 1 : LEAST_RUNS);
    message_put(&question, "warm", "%g", slow ? -1 : round == 0 ? WARM_SECONDS : 0);
    if (ask(job, target, &question, job->measurement->options->timeout + seconds, &answer))
        take_times(outcome, round, message_get(&answer, "times"));
    message_free(&answer);
    nanosleep(&rest, NULL);
}

static void
run_rounds(struct job *job)
{
    struct results *results = job->measurement->results;
    double seconds = job->measurement->options->seconds / results->rounds;
    char what[80];

    for (unsigned t = 0; t < results->target_count; t++)
        for (unsigned round = 0; round < MAX_ROUNDS; round++)
            job->row->outcomes[t].rounds[round] = NAN;
    for (unsigned round = 0; round < results->rounds; round++) {
        snprintf(what, sizeof what, "round %u of %u", round + 1, results->rounds);
        tell(job, what);
        for (unsigned t = 0; t < results->target_count; t++)
            if (alive(job, t))
                time_slice(job, t, round, seconds);
    }
}

static void
finish(struct job *job)
{
    struct results *results = job->measurement->results;

    for (unsigned t = 0; t < results->target_count; t++) {
        struct message answer;
        struct text question;

        if (results->targets[t].process) {
            message_begin(&question, "drop");
            if (target_ask(job->measurement->workshop, &results->targets[t], &question,
                           job->measurement->options->timeout, &answer) != ASKED_OK &&
                alive(job, t))
                fail(&job->row->outcomes[t], OUTCOME_CRASHED, message_get(&answer, "reason"),
                     message_get(&answer, "log"));
            message_free(&answer);
        }
        if (job->files[t])
            unlink(job->files[t]);
        free(job->files[t]);
    }
}

/* Nothing is asked of any target: the same for all. */
static bool
pass_over(struct job *job, enum outcome_status status, const char *reason)
{
    for (unsigned t = 0; t < job->measurement->results->target_count; t++)
        fail(&job->row->outcomes[t], status, reason, "");
    return false;
}

/* Whether the command line asks for what the kernel is not made for: no failure of anybody's. */
static bool
suits(struct job *job)
{
    const struct description *description = job->kernel->description;
    struct overrides own = job->configuration->overrides;
    int64_t wanted = own.subgroup, demanded;
    struct bench_case made;
    char error[512];

    if (own.local_dimensions && own.local_dimensions != description->launches[0].dimensions)
        return pass_over(job, OUTCOME_NONE, "the local size has another number of dimensions");
    own.subgroup = 0;
    if (!wanted || description->subgroup_any || !case_make(description, &own, 0, &made, error, sizeof error))
        return true;
    demanded = made.subgroup;
    case_free(&made);
    return !demanded || demanded == wanted ||
           pass_over(job, OUTCOME_NONE, "the kernel demands sub-groups of another size");
}

/* What the row says about itself. False: the description does not fit, every target says so. */
static bool
describe(struct job *job)
{
    struct row *row = job->row;
    struct bench_case made;
    char error[512];

    row->kernel = job->kernel;
    if (!case_make(job->kernel->description, &job->configuration->overrides, 0, &made, error, sizeof error))
        return suits(job) && pass_over(job, OUTCOME_NOT_RUN, error);
    row->size = made.size;
    row->subgroup = made.subgroup;
    row->dimensions = made.launches[0].line->dimensions;
    memcpy(row->global, made.launches[0].global, sizeof row->global);
    memcpy(row->local, made.launches[0].local, sizeof row->local);
    row->bytes = made.bytes;
    row->flops = made.flops;
    row->packets = made.packets;
    case_free(&made);
    return suits(job);
}

void
measure_kernel(struct measurement *measurement, const struct suite_kernel *kernel,
               const struct configuration *configuration, struct row *row)
{
    struct results *results = measurement->results;
    struct job job = {
        .measurement = measurement, .kernel = kernel, .configuration = configuration, .row = row};

    if (!describe(&job))
        return;
    tell(&job, "build");
    for (unsigned t = 0; t < results->target_count; t++)
        if (results->targets[t].kind == TARGET_PLATFORM)
            build(&job, t);
    for (unsigned t = 0; t < results->target_count; t++)
        if (results->targets[t].kind != TARGET_PLATFORM)
            build(&job, t);
    tell(&job, "check");
    for (unsigned t = 0; t < results->target_count; t++)
        if (alive(&job, t))
            give_data(&job, t);
    for (unsigned t = 0; t < results->target_count; t++)
        if (alive(&job, t))
            check(&job, t);
    run_rounds(&job);
    for (unsigned t = 0; t < results->target_count; t++)
        if (alive(&job, t))
            check(&job, t);
    finish(&job);
}

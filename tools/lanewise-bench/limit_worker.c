/* SPDX-License-Identifier: MIT */
/* The workers of what is written in C: the limit, the OpenMP loop, and the one that makes references. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "pool.h"
#include "worker.h"

#define ALIGNMENT 64

struct limit_worker {
    struct pool *pool; /* NULL: OpenMP has its own */
    struct work work;
    struct hand hand;
    struct limit limit;
    struct limit_argument arguments[MAX_ARGUMENTS];
    void *buffers[MAX_ARGUMENTS];
    void *scratch;
};

static void *
aligned(size_t bytes)
{
    size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    void *memory = aligned_alloc(ALIGNMENT, rounded ? rounded : ALIGNMENT);

    if (!memory) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        exit(2);
    }
    return memset(memory, 0, rounded);
}

static void
drop(struct limit_worker *worker)
{
    for (unsigned i = 0; i < MAX_ARGUMENTS; i++)
        free(worker->buffers[i]);
    free(worker->scratch);
    memset(worker->buffers, 0, sizeof worker->buffers);
    worker->scratch = NULL;
    work_close(&worker->work);
}

static bool
find_version(struct limit_worker *worker, struct text *answer)
{
    const char *what = worker->pool ? "no version by hand" : "no OpenMP loop";
    size_t phases;

    if (worker->pool ? !worker->hand.run || !worker->hand.units || !worker->hand.phases
                     : !worker->hand.openmp) {
        answer_failed(answer, "none", what, "");
        return false;
    }
    hand_limit(&worker->work.made, worker->buffers, worker->arguments, &worker->limit);
    if (!worker->pool)
        return true;
    worker->limit.threads = pool_threads(worker->pool);
    phases = worker->hand.phases(&worker->limit);
    if (phases == 0)
        answer_failed(answer, "none", "no version by hand for this shape", "");
    for (size_t phase = 0; phase < phases; phase++)
        if (worker->hand.units(&worker->limit, phase) == 0) {
            answer_failed(answer, "none", "no version by hand for this size, which its pieces do not divide",
                          "");
            return false;
        }
    return phases != 0;
}

static void
open_case(struct limit_worker *worker, const struct message *message, struct text *answer)
{
    char error[512];

    drop(worker);
    if (!work_open(&worker->work, message, error, sizeof error) ||
        !hand_find(message_get(message, "module"), worker->work.description, &worker->hand, error,
                   sizeof error)) {
        answer_failed(answer, "build", error, "");
        return;
    }
    if (!find_version(worker, answer))
        return;
    message_begin(answer, "ok");
    message_put(answer, "subgroup", "%lld", (long long)worker->work.made.subgroup_used);
}

static void
refill(struct limit_worker *worker, bool all)
{
    struct work *work = &worker->work;

    for (unsigned i = 0; i < work->description->argument_count; i++)
        if (worker->buffers[i] && (all || work->description->arguments[i].restored))
            memcpy(worker->buffers[i], work->data + work->places[i].initial, work->made.arguments[i].bytes);
}

static void
take_data(struct limit_worker *worker, const struct message *message, struct text *answer)
{
    struct work *work = &worker->work;
    char error[512];

    if (!work_map(work, message_get(message, "file"), false, error, sizeof error)) {
        answer_failed(answer, "run", error, "");
        return;
    }
    for (unsigned i = 0; i < work->description->argument_count; i++)
        if (has_contents(&work->description->arguments[i]) && !worker->buffers[i])
            worker->buffers[i] = aligned(work->made.arguments[i].bytes);
    hand_limit(&work->made, worker->buffers, worker->arguments, &worker->limit);
    worker->limit.threads = worker->pool ? pool_threads(worker->pool) : 1;
    if (worker->hand.scratch && !worker->scratch)
        worker->scratch = aligned(worker->hand.scratch(&worker->limit));
    worker->limit.scratch = worker->scratch;
    message_begin(answer, "ok");
}

static double
limit_once(void *state, char *error, size_t error_bytes)
{
    struct limit_worker *worker = state;
    double begin;

    (void)error, (void)error_bytes;
    refill(worker, false);
    begin = clock_seconds();
    if (worker->pool)
        pool_run(worker->pool, &worker->hand, &worker->limit);
    else
        worker->hand.openmp(&worker->limit);
    return clock_seconds() - begin;
}

static const void *
limit_result(void *state, unsigned argument, char *error, size_t error_bytes)
{
    struct limit_worker *worker = state;

    (void)error, (void)error_bytes;
    return worker->buffers[argument];
}

/* Threads wait in a loop between the runs of a slice, and sleep while others are measured. */
static void
wake(struct limit_worker *worker, bool awake)
{
    if (!worker->pool) {
        if (worker->hand.openmp_spin)
            worker->hand.openmp_spin(awake);
    } else if (awake) {
        pool_wake(worker->pool);
    } else {
        pool_sleep(worker->pool);
    }
}

static void
answer_for(struct limit_worker *worker, const struct message *message, struct text *answer)
{
    char error[512];

    if (!strcmp(message->verb, "case")) {
        open_case(worker, message, answer);
    } else if (!strcmp(message->verb, "data")) {
        take_data(worker, message, answer);
    } else if (!strcmp(message->verb, "check")) {
        refill(worker, true);
        wake(worker, true);
        limit_once(worker, error, sizeof error);
        wake(worker, false);
        answer_check(&worker->work, answer, limit_result, worker);
    } else if (!strcmp(message->verb, "time")) {
        wake(worker, true);
        answer_times(message, answer, limit_once, worker);
        wake(worker, false);
    } else {
        drop(worker);
        message_begin(answer, "ok");
    }
}

void
limit_worker_answer(void **state, const struct message *message, struct text *answer)
{
    struct limit_worker *worker = *state;

    if (!worker) {
        cpu_set_t set;

        worker = *state = memory_get(sizeof *worker);
        worker->pool = pool_start(sched_getaffinity(0, sizeof set, &set) ? 1 : (unsigned)CPU_COUNT(&set));
    }
    answer_for(worker, message, answer);
}

void
openmp_worker_answer(void **state, const struct message *message, struct text *answer)
{
    if (!*state)
        *state = memory_get(sizeof(struct limit_worker));
    answer_for(*state, message, answer);
}

/* Initial contents: from the description, then from the C file where it has any to add. */
static bool
make_contents(struct work *work, struct hand *hand, char *error, size_t error_bytes)
{
    void *buffers[MAX_ARGUMENTS] = {0};
    struct limit_argument arguments[MAX_ARGUMENTS];
    struct limit limit;

    for (unsigned i = 0; i < work->description->argument_count; i++) {
        const struct argument_line *line = &work->description->arguments[i];

        if (!has_contents(line))
            continue;
        buffers[i] = work->data + work->places[i].initial;
        if (!contents_fill(&work->made, i, buffers[i], error, error_bytes))
            return false;
        if (line->initial == INITIAL_C && !hand->fill) {
            snprintf(error, error_bytes, "%s:%u: '%s' is filled by the C file, which has no LIMIT_FILL(%s)",
                     work->description->path, line->line, line->name, work->description->name);
            return false;
        }
    }
    hand_limit(&work->made, buffers, arguments, &limit);
    if (hand->fill)
        hand->fill(&limit);
    return true;
}

static void
make_expected(struct work *work, struct hand *hand)
{
    void *buffers[MAX_ARGUMENTS] = {0};
    struct limit_argument arguments[MAX_ARGUMENTS];
    struct limit limit;

    for (unsigned i = 0; i < work->description->argument_count; i++) {
        if (!has_contents(&work->description->arguments[i]))
            continue;
        buffers[i] = aligned(work->made.arguments[i].bytes);
        memcpy(buffers[i], work->data + work->places[i].initial, work->made.arguments[i].bytes);
    }
    hand_limit(&work->made, buffers, arguments, &limit);
    hand->reference(&limit);
    for (unsigned i = 0; i < work->description->argument_count; i++) {
        if (buffers[i] && work->description->arguments[i].result)
            memcpy(work->data + work->places[i].expected, buffers[i], work->made.arguments[i].bytes);
        free(buffers[i]);
    }
}

void
reference_worker_answer(void **state, const struct message *message, struct text *answer)
{
    const char *module = message_get(message, "reference");
    struct work work = {0};
    struct hand hand = {0};
    char error[512];

    (void)state;
    if (!work_open(&work, message, error, sizeof error) ||
        (*module && !hand_find(module, work.description, &hand, error, sizeof error)) ||
        !work_map(&work, message_get(message, "file"), true, error, sizeof error) ||
        !make_contents(&work, &hand, error, sizeof error)) {
        answer_failed(answer, "run", error, "");
    } else {
        if (hand.reference)
            make_expected(&work, &hand);
        message_begin(answer, "ok");
        message_put(answer, "expected", "%d", hand.reference != NULL);
    }
    work_close(&work);
}

/* SPDX-License-Identifier: MIT */
/* A worker: a process that answers messages. `opencl` has one platform, `limit` the version by hand,
 * `openmp` the plain loop in C, `reference` makes initial contents and expected results. What the messages
 * are: worker.c. */
#ifndef LANEWISE_BENCH_WORKER_H
#define LANEWISE_BENCH_WORKER_H

#include "contents.h"
#include "hand.h"
#include "message.h"

/* The case that a worker has at hand: description, numbers, and the data that the reference worker made. */
struct work {
    struct description *description;
    struct bench_case made;
    struct overrides overrides;
    bool have_case;
    struct data_place places[MAX_ARGUMENTS];
    unsigned char *data; /* mapped */
    size_t data_bytes;
};

/* From a message with path, size, subgroup, local. */
bool work_open(struct work *work, const struct message *message, char *error, size_t error_bytes);
/* Evaluates again, with the sub-group size that the platform chose. */
bool work_choose_subgroup(struct work *work, int64_t subgroup, char *error, size_t error_bytes);
bool work_map(struct work *work, const char *path, bool create, char *error, size_t error_bytes);
void work_close(struct work *work);

/* The other side of `time`: runs once, seconds. Negative: failed, `error` says why. */
typedef double run_once(void *worker, char *error, size_t error_bytes);
/* Answers `time seconds=S least=N warm=W`: one run that does not count and W seconds more of them (W below 0:
 * none), then runs until both are reached. */
void answer_times(const struct message *message, struct text *answer, run_once *once, void *worker);
/* Compares every result; `get` gives what the worker has. Answers `right`, or `wrong text=...`. */
typedef const void *get_result(void *worker, unsigned argument, char *error, size_t error_bytes);
void answer_check(struct work *work, struct text *answer, get_result *get, void *worker);
void answer_failed(struct text *answer, const char *stage, const char *reason, const char *log);

int worker_main(int count, char **arguments);
/* Each answers one message; the kind's own state is behind `state`. */
void opencl_worker_answer(void **state, const struct message *message, struct text *answer);
void limit_worker_answer(void **state, const struct message *message, struct text *answer);
void openmp_worker_answer(void **state, const struct message *message, struct text *answer);
void reference_worker_answer(void **state, const struct message *message, struct text *answer);

#endif

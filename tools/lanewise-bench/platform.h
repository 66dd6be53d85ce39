/* SPDX-License-Identifier: MIT */
/* What is measured: platforms, OpenMP loops and the limit, each a target with a worker process of its own. */
#ifndef LANEWISE_BENCH_PLATFORM_H
#define LANEWISE_BENCH_PLATFORM_H

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>
#include "message.h"

#define MAX_TARGETS 16

enum target_kind { TARGET_PLATFORM, TARGET_LIMIT, TARGET_OPENMP, TARGET_REFERENCE };

enum asked { ASKED_OK, ASKED_FAILED, ASKED_CRASHED, ASKED_HUNG };

struct target {
    enum target_kind kind;
    char *label;        /* in the output */
    char *library;      /* what stands in the .icd file */
    char *library_path; /* for LD_LIBRARY_PATH; NULL: none */
    unsigned index;     /* of the platform among those of the library */
    char *vendors;      /* the folder with the one .icd file */
    /* From the platform. */
    char *name, *version, *device, *driver, *form;
    unsigned units;
    bool ours, from_source; /* from_source: gets OpenCL C though it takes SPIR-V */
    bool fast_math;         /* an OpenMP loop with -ffast-math */
    enum asked broken; /* it crashed or hung when it was asked for its platform: it is asked nothing more */
    char *broken_reason;
    /* The process. */
    pid_t process; /* 0: none */
    int socket;
    char *errors; /* the file that its standard error goes to */
};

/* What all worker processes have in common. */
struct workshop {
    char *folder; /* temporary; removed at the end */
    cpu_set_t processors;
    unsigned threads;
    const char *isa; /* NULL: what the platforms choose */
    bool verbose;
    double timeout;
};

bool workshop_open(struct workshop *workshop, unsigned threads);
void workshop_close(struct workshop *workshop);
/* In a child process: the variables by which platforms are told the instruction set. */
void workshop_set_isa(const char *isa);

/* Sends and waits; starts the process where there is none. Crashed and hung processes are gone afterwards,
 * and `answer` has a stage and a reason in each case but ASKED_OK. Frees `question`; the caller frees
 * `answer`. */
enum asked target_ask(struct workshop *workshop, struct target *target, struct text *question, double timeout,
                      struct message *answer);
void target_stop(struct target *target);
void target_free(struct target *target);

/* `given`: the arguments of --icd; none: what the loader would find, and the build tree's own. Returns the
 * count; -1 leaves an error. */
int platforms_find(struct workshop *workshop, char *const *given, size_t given_count, struct target *targets,
                   char *error, size_t error_bytes);

#endif

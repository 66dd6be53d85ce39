/* SPDX-License-Identifier: MIT */
/* One compilation, and what follows each of its transformations: rows of the pipeline (compile.c) are made of
 * these steps.
 */
#ifndef LW_JIT_JOB_H
#define LW_JIT_JOB_H

#include "jit.h"

struct lw_kernel_desc;
struct lw_module;
struct lw_report;

/* On one thread. Everything is freed by free_job. */
struct job {
    const struct lw_compile_request *request;
    lw_error *error;
    bool verify;
    bool masked; /* the instance for any local size */
    bool first;  /* for a first run: whatever costs time and is not needed is left out */
    bool quick;  /* cheaper code generation: of these two, and where the build asks for no optimization */
    uint64_t instructions; /* after the last step */
    bool large;  /* too many instructions for passes that grow faster than what they look at */
    enum lw_effort effort;

    struct lw_module *spirv; /* a copy of ours: specialised */
    struct lw_kernel_desc *kernel;
    struct lw_report *report;
    LLVMContextRef context; /* of its own: compilations do not meet */
    LLVMTargetMachineRef machine;
    LLVMModuleRef module;
    LLVMMemoryBufferRef object;
    struct lw_code *code; /* until it is handed to the caller */
    char diagnostic[300]; /* LLVM's last error message */

    const char *row;       /* of the pipeline, that runs */
    uint64_t most;         /* instructions; 0: as many as there are */
    double began, step_at; /* milliseconds of the thread's processor time */
    bool print_steps;
};

/* Of lw_run: what is alive around so much would not find registers. */
#define LW_HUGE_INSTRUCTIONS 30000

/* A transformation: `function` of the arguments, whatever it returns, and the step. */
#define LW_DO(j, function, ...) (function(__VA_ARGS__), lw_step(j, #function))

/* The same where it returns whether there was memory: `done` has whether there always was. */
#define LW_FULLY(j, done, function, ...) ((done) &= function(__VA_ARGS__), lw_step(j, #function))

/* Reads the budget; after the request is known. */
void lw_begin_steps(struct job *j);
/* After each transformation: verifies the module, and gives up where the budget is spent. */
bool lw_step(struct job *j, const char *transformation);
/* LLVM's passes, a step or, where each is verified, several. */
bool lw_run_passes(struct job *j, enum lw_clean what);
double lw_thread_milliseconds(void);

/* ---- dump.c ---- */

/* Is `name`, or "all", in the list (NULL: an empty one)? */
bool lw_wants_dump(const char *list, const char *name);
void lw_dump_module(const struct job *j, const char *stage);
/* Before code generation. */
void lw_dump_assembly(const struct job *j);

/* ---- rows that have a file ---- */

/* settle.c: behind the last pass that folds. */
bool lw_settle(struct job *j);
/* generate.c: to job->object. */
bool lw_generate(struct job *j);
/* The object as the runtime gets it. */
bool lw_keep_object(struct job *j);
/* Links code->object into this process: code->run. */
bool lw_link_object(struct lw_code *code, lw_error *error);

#endif

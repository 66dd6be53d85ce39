/* SPDX-License-Identifier: MIT */
/* One compilation, and what follows each of its transformations: rows of the table (passes.def) are made
 * of these steps.
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

    const char *row;       /* the stage of passes.def that runs */
    uint32_t room;         /* instructions of loops that may yet be written out */
    uint64_t most;         /* instructions; 0: as many as there are */
    double began, step_at; /* milliseconds of the thread's processor time */
    bool print_steps, ran_passes; /* since the last row's end */
};

/* LLVM's attribute for the most that a function's frame may take, and what its message is known by. */
#define LW_STACK_LIMIT "warn-stack-size"
#define LW_STACK_SAID "stack frame size"

/* Of lw_run: what is alive around so much would not find registers. */
#define LW_HUGE_INSTRUCTIONS 30000
/* Behind widening, with the stores of variables that are values soon. */
#define LW_ENORMOUS_INSTRUCTIONS 100000

/* Reads the budget; after the request is known. */
void lw_begin_steps(struct job *j);
/* After each transformation: verifies the module, and gives up where the budget is spent. */
bool lw_step(struct job *j, const char *transformation);
/* After the last one of a row of the table, which is the row's name: counts instructions, too. */
bool lw_end_row(struct job *j, const char *name);
/* Of all functions of the module. */
uint64_t lw_count_instructions(LLVMModuleRef module);
/* LLVM's passes, a step or, where each is verified, several. */
bool lw_run_passes(struct job *j, enum lw_clean what);
double lw_thread_milliseconds(void);

/* ---- passes.c: the table ---- */

/* Bits of pass.tiers; those of pass.isas are 1 << lw_isa. */
enum lw_tier_bit {
    LW_TIER_MASKED_BIT = 1,
    LW_TIER_FIRST_BIT = 2,
    LW_TIER_PLAIN_BIT = 4, /* specialised, where the build asks for no optimization */
    LW_TIER_FULL_BIT = 8
};

/* A row of passes.def, which says what each means. */
struct pass {
    const char *stage, *name;
    bool (*run)(struct job *j);
    unsigned tiers, isas;
    bool optional;
    const char *why;
};
enum {
#define PASS(stage, name, ...) LW_PASS_##name,
#include "passes.def"
#undef PASS
    LW_PASS_COUNT
};
extern const struct pass lw_passes[LW_PASS_COUNT];

/* ---- dump.c ---- */

/* Is `name`, or "all", in the list (NULL: an empty one)? */
bool lw_wants_dump(const char *list, const char *name);
/* Is `name` itself in the list? */
bool lw_names(const char *list, const char *name);
/* Is that row to be left out? */
bool lw_skips(const struct job *j, const char *row);
void lw_dump_module(const struct job *j, const char *stage);
/* Before code generation. */
void lw_dump_assembly(const struct job *j);

/* ---- rows that have a file ---- */

/* generate.c: what code generation does without, in large kernels. */
void lw_select_plainly(struct job *j);
/* To job->object. */
bool lw_generate(struct job *j);
/* The object as the runtime gets it. */
bool lw_keep_object(struct job *j);
/* Links code->object into this process: code->run. */
bool lw_link_object(struct lw_code *code, lw_error *error);

/* lines.c: what debug locations the code keeps; false: no memory. */
void lw_leave_lines(struct job *j);
bool lw_write_lines(struct job *j);

#endif

/* SPDX-License-Identifier: MIT */
/* What the files of the compiler library share: the target, the pass strings, the just-in-time linker. */
#ifndef LW_JIT_H
#define LW_JIT_H

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include "../src/compiler.h"

struct lw_report; /* vectorizer/widen/explain.h */

/* ---- target.c ---- */

/* Does this machine run code of that level? */
bool lw_target_runs(lw_isa isa);
enum lw_effort {
    LW_EFFORT_LEAST, /* for a first run */
    LW_EFFORT_LESS,  /* for the masked instance */
    LW_EFFORT_FULL,
    LW_EFFORT_COUNT
};
/* The caller disposes of it. `effort`: of code generation. */
LLVMTargetMachineRef lw_target_create(lw_isa isa, enum lw_effort effort, lw_error *error);
/* The same from those that lie idle, where there is one; returned by lw_target_give. */
LLVMTargetMachineRef lw_target_take(lw_isa isa, enum lw_effort effort, lw_error *error);
void lw_target_give(LLVMTargetMachineRef machine, lw_isa isa, enum lw_effort effort);
/* Triple and data layout; before the first pass. */
/* From now on code generation leaves instructions in their order: a debugger asks, whose process it is. */
void lw_target_keep_order(void);
void lw_target_set(LLVMModuleRef module, LLVMTargetMachineRef machine);
/* Attributes of every defined function; again after functions were added. */
void lw_target_attributes(LLVMModuleRef module, LLVMTargetMachineRef machine, lw_isa isa);

/* ---- optimize.c ---- */

enum lw_clean {
    LW_CLEAN_INLINE,    /* everything into the kernel */
    LW_CLEAN_VALUES,    /* variables are values, of equal ones there is one; ways stay as they are */
    LW_CLEAN_SSA,       /* SSA, constants, no dead code: what uniformity is seen in */
    LW_CLEAN_LOOPS,     /* after it, and after lw_unroll_collectives */
    LW_CLEAN_ROUNDS,    /* in place of it for one local size: loops of few rounds at most unrolled too */
    LW_CLEAN_STRAIGHT,  /* in place of it where there is neither a loop nor memory of the function's own */
    LW_CLEAN_FIRST,     /* in place of LW_CLEAN_SUBGROUP, for a first run */
    LW_OPTIMIZE_FIRST,  /* lw_run for a first run */
    LW_CLEAN_SUBGROUP,  /* SSA again after widening: what the cuts count as live */
    LW_CLEAN_LARGE,     /* in place of it, of a large module */
    LW_CLEAN_ENORMOUS,  /* in place of it, of so many that twice would take too long */
    LW_OPTIMIZE_MASKED, /* lw_run for any local size: quick */
    LW_OPTIMIZE_HUGE,   /* in place of it, of very many instructions */
    LW_OPTIMIZE_SPECIAL, /* lw_run for one local size */
    LW_OPTIMIZE_SCALAR, /* behind it, where work-items run one after the other */
    LW_CLEAN_SAME,      /* before that: what is the same in all rounds goes in front of loops */
    LW_CLEAN_LOOP_FORM   /* a block in front of each loop, for lw_enter_long_loops */
};
/* Surely without loops and allocas: LW_CLEAN_STRAIGHT is enough. */
bool lw_is_straight(LLVMModuleRef module);
bool lw_optimize(LLVMModuleRef module, LLVMTargetMachineRef machine, enum lw_clean what, lw_error *error);
/* The same pass by pass; `after` each, which may end it. `large`: the module is. */
bool lw_optimize_each(LLVMModuleRef module, LLVMTargetMachineRef machine, enum lw_clean what, bool large,
                      bool (*after)(void *data, const char *pass), void *data, lw_error *error);

/* ---- many_constants.c ---- */

/* Before code generation of a large module. false: no memory. */
bool lw_move_many_constants(LLVMModuleRef module);

/* ---- cut_blocks.c ---- */

/* Of a large module, before sroa and before code generation; of others blocks with very many loads, before
 * the latter. `lasting`: simplifycfg does not join the pieces again. */
void lw_cut_blocks(LLVMModuleRef module, bool lasting, bool large);
/* From `first` on, no phi, a block is one of its own that lasts. `elsewhere`: what this returned for the
 * function before, or NULL. */
LLVMBasicBlockRef lw_cut_before(LLVMBuilderRef builder, LLVMValueRef first, LLVMBasicBlockRef elsewhere);

/* ---- unroll.c ---- */

/* Instructions that loops of a kernel come to, written out: a larger private array is no faster in registers.
 */
enum { LW_MOST_WRITTEN_OUT = 4096 };

/* For one local size, before LW_CLEAN_LOOPS. `*room`: instructions that may be written, less what will be; of
 * these two together. */
void lw_unroll_collectives(LLVMModuleRef module, uint32_t *room);
/* There too: loops of few rounds that each lane leaves after its own number of them (bounded.c). Was there
 * one? */
bool lw_write_bounded_loops_out(LLVMModuleRef module, uint32_t *room);
/* There too: loops in which each work-item walks through memory of its own, some rounds side by side
 * (own_rows.c). */
void lw_join_own_rows(LLVMModuleRef module, struct lw_report *report);
/* The loop that this branch closes is to be unrolled: so many rounds into one; 0: wholly. */
void lw_wish_unrolling(LLVMValueRef latch, unsigned count);

/* ---- keep_calls.c ---- */

/* Before LW_CLEAN_INLINE: functions that are not inlined are named kept.* (vectorizer/facts/kept.h). false:
 * no memory. */
bool lw_keep_calls(LLVMModuleRef module);

/* ---- hide.c ---- */

/* Around instcombine, in large modules. */
void lw_hide_from_instcombine(LLVMModuleRef module);
void lw_hide_freezes(LLVMModuleRef module); /* around early-cse, in large modules */
/* Around instcombine, in all modules: masked loads and vectors of addresses, which it gets wrong. */
void lw_hide_what_goes_wrong(LLVMModuleRef module);
void lw_show_again(LLVMModuleRef module);

/* ---- same_quotients.c ---- */

/* Before LW_OPTIMIZE_SCALAR, whose loop-vectorize gets divisions wrong that are the same in all rounds. */
bool lw_move_same_quotients(LLVMModuleRef module, LLVMTargetMachineRef machine, lw_error *error);

/* ---- few_places.c ---- */

/* After LW_CLEAN_LOOPS; where it returns true, LW_CLEAN_SSA makes values of arrays. */
bool lw_take_few_places(LLVMModuleRef module);

/* ---- variables.c ---- */

/* The same for variables that addresses are chosen among. */
bool lw_take_all_variables(LLVMModuleRef module);

/* ---- orc.c ---- */

/* The process's LLJIT, made at the first call and kept. NULL and `error` where it cannot be made. */
struct lw_jit;
struct lw_jit *lw_jit_get(lw_error *error);
/* Links an object that defines `symbol`, unique in the process, and returns its address. Takes `object` over.
 * `*tracker` owns the code: lw_jit_remove. */
void *lw_jit_add(struct lw_jit *jit, LLVMMemoryBufferRef object, const char *symbol, void **tracker,
                 lw_error *error);
void lw_jit_remove(struct lw_jit *jit, void *tracker);
/* Can generated code call it? Needs no LLJIT. */
bool lw_jit_knows(const char *symbol);

/* Fills `error` (never NULL). */
bool lw_jit_fail(lw_error *error, lw_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif

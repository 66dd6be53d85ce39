/* SPDX-License-Identifier: MIT */
/* Loops whose way is known beforehand, written out. */
#ifndef LW_JIT_TRACE_H
#define LW_JIT_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <llvm-c/Core.h>

struct lw_trace_loop {
    bool (*contains)(void *data, LLVMBasicBlockRef block);
    void *data;
};

/* The loop that is entered by the edge from `preheader`, which has no other, to `header`. `*room`:
 * instructions that may be written; less what were. false: nothing is changed. */
bool lw_write_loop_out(LLVMBasicBlockRef preheader, LLVMBasicBlockRef header,
                       const struct lw_trace_loop *loop, uint32_t *room);

#endif

/* SPDX-License-Identifier: MIT */
/* The blocks of a loop, where there is no model of the function any more (facts/model.h). */
#ifndef LW_VECTORIZER_LOOP_BLOCKS_H
#define LW_VECTORIZER_LOOP_BLOCKS_H

#include <llvm-c/Core.h>
#include <stdbool.h>

enum { LW_MOST_LOOP_BLOCKS = 64 };

/* One way leads to its header, from `before`, and one round, from `latch`, which the header dominates. */
struct lw_loop_blocks {
    LLVMBasicBlockRef header, before, latch;
    LLVMBasicBlockRef blocks[LW_MOST_LOOP_BLOCKS]; /* the header first */
    unsigned count;
};

/* Fills in the blocks of header, before and latch: those from which the latch is reached without the header.
 * false: too many, or `before` is one of them. */
bool lw_find_loop_blocks(struct lw_loop_blocks *loop);
/* Does an instruction of the loop compute it? */
bool lw_is_in_loop(const struct lw_loop_blocks *loop, LLVMValueRef value);

#endif

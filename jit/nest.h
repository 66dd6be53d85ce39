/* SPDX-License-Identifier: MIT */
/* What loops would come to, written out. */
#ifndef LW_JIT_NEST_H
#define LW_JIT_NEST_H

#include <stdbool.h>
#include <stdint.h>
#include <llvm-c/Core.h>

enum { LW_NEST_NONE = UINT32_MAX, LW_NEST_EXITS = 8 };

struct lw_nest_loop {
    LLVMBasicBlockRef header, latch, preheader; /* preheader NULL: entered in several ways, never counted */
    struct {
        LLVMValueRef branch; /* reached in every round */
        unsigned leaves;     /* by which way */
    } exits[LW_NEST_EXITS];
    unsigned exit_count;
    LLVMValueRef guard; /* a branch before the loop, or NULL */
    unsigned enters;    /* by which way */
    uint32_t own;    /* instructions outside the loops within */
    uint32_t within; /* LW_NEST_NONE; first of those within, next beside it */
    uint32_t first, next;
    bool wished;    /* would be written out where its rounds are known */
    bool uncounted; /* set by lw_count_nest: they were not */
};

struct lw_nest {
    struct lw_nest_loop *loops;
    uint32_t count;
};

/* Instructions of the loop once it and those within it that are wished for are written out; more than `most`
 * where it would be more (no telling how many). `*known`: the loop's own rounds are. */
uint64_t lw_count_nest(struct lw_nest *nest, uint32_t loop, uint64_t most, bool *known);

#endif

/* SPDX-License-Identifier: MIT */
/* Loops in which work-items of a sub-group meet keep the ways through them. */
#ifndef LW_VECTORIZER_HELD_LOOPS_H
#define LW_VECTORIZER_HELD_LOOPS_H

#include "../facts/natural_loops.h"

#include <stdbool.h>

/* What holds: no pass may copy it, or lead a way around it. It does nothing. */
#define LW_HELD "lw.held"

/* What a function's result is for those of a sub-group that call it together: anything; the same where its
 * operands are; the same in any case. */
enum lw_result { LW_RESULT_OWN, LW_RESULT_OF_OPERANDS, LW_RESULT_SAME };

/* What is to be known of the functions that the module calls. */
struct lw_functions {
    bool (*tells)(LLVMValueRef function); /* of the work-items that come to it together? */
    enum lw_result (*result)(LLVMValueRef function);
    bool (*is_kernel)(LLVMValueRef function);
};

/* Of the emitter's IR. */
extern const struct lw_functions lw_kernel_functions;

/* Enters: SSA form. Leaves: calls of LW_HELD where held_loops.c says. Functions that call such as tell do,
 * too. false: out of memory. */
bool lw_hold_loops(LLVMModuleRef module, const struct lw_functions *functions);

/* Takes them away. */
void lw_release_loops(LLVMModuleRef module);

/* The functions that tell, and those that call such. */
struct lw_telling {
    LLVMValueRef *functions;
    uint32_t count;
};

void lw_find_telling(struct lw_arena *arena, LLVMModuleRef module, bool (*tells)(LLVMValueRef function),
                     struct lw_telling *out);
/* By the function's blocks: are such called there? */
bool *lw_find_telling_blocks(struct lw_arena *arena, const struct lw_telling *telling, LLVMValueRef function,
                             const struct lw_natural_loops *loops);
/* By header, of such blocks: are there in the loop? */
bool *lw_find_telling_loops(struct lw_arena *arena, const bool *blocks,
                            const struct lw_natural_loops *loops);

#endif

/* SPDX-License-Identifier: MIT */
/* Our own view of an LLVM function: what the C API does not offer (order, dominators, loops, value numbers).
 *
 * Built once over an unchanging function; rebuild after any change. Blocks are numbered in a reverse
 * post-order in which every loop's blocks are contiguous and every dominator subtree inside one loop level is
 * contiguous ("loop-compact, dominance-compact"), unreachable blocks are left out. Linear or near-linear in
 * the function's size; no recursion over input-shaped depth.
 */
#ifndef LW_VECTORIZER_MODEL_H
#define LW_VECTORIZER_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <llvm-c/Core.h>
#include "../../spirv/graph.h" /* LW_NONE */

struct lw_vblock {
    LLVMBasicBlockRef ref;
    uint32_t *succs; /* in the order of the terminator's operands, duplicates kept */
    uint32_t succ_count;
    uint32_t *preds; /* distinct */
    uint32_t pred_count;
    uint32_t idom;    /* LW_NONE for the entry */
    uint32_t ipdom;   /* LW_NONE: the virtual exit */
    uint32_t dom_end; /* one past the last block of its dominator subtree, in block numbers, where the subtree
                         is contiguous: it is, inside its loop (blocks of the same loop or its inner loops).
                         So a loop header's is its loop's end */
    uint32_t loop;    /* innermost loop, LW_NONE */
    uint32_t first_value; /* its instructions are values[first_value .. value_end - 1], those of the next */
    uint32_t value_end;   /* block begin there, so that a loop has one range of them too */
    uint32_t dom_in, dom_out; /* intervals of the dominator and post-dominator trees, for lw_dominates and */
    uint32_t pdom_in, pdom_out; /* lw_postdominates */
};

struct lw_loop {
    uint32_t header, latch; /* blocks; the single latch (loop-simplify) */
    uint32_t preheader;
    uint32_t parent;      /* loop, LW_NONE */
    uint32_t depth;       /* 1 for outermost */
    uint32_t end;         /* one past its last block: the loop is header .. end - 1 */
    uint32_t *exit_edges; /* pairs (exiting block, exit block) */
    uint32_t exit_count;  /* pairs */
};

struct lw_model {
    LLVMValueRef function;
    struct lw_vblock *blocks; /* blocks[0] is the entry */
    uint32_t block_count;
    struct lw_loop *loops; /* outer before inner */
    uint32_t loop_count;
    LLVMValueRef *values; /* parameters first, then instructions in block order */
    uint32_t value_count;
    uint32_t param_count;
    struct lw_kept *kept; /* the functions that are kept as calls (kept.h), NULL: none; its owner sets it */
    const struct lw_kept_instance *instance; /* which one of the function is meant, NULL: the kernel */
    void *arena; /* everything above */
    void *value_map;
    void *block_map;
};

/* NULL where the function is irreducible, has several returns, or a loop without a single latch and
 * preheader: what canonical.c establishes. `why` then points to a static text. */
struct lw_model *lw_model_build(LLVMValueRef function, const char **why);
void lw_model_free(struct lw_model *model);
/* Dense number of a parameter or instruction; LW_NONE for constants, globals, others. */
uint32_t lw_value_id(const struct lw_model *model, LLVMValueRef value);
uint32_t lw_block_id(const struct lw_model *model, LLVMBasicBlockRef block); /* LW_NONE: unreachable */
uint32_t lw_block_id_of(const struct lw_model *model, LLVMValueRef instruction);
bool lw_dominates(const struct lw_model *model, uint32_t a, uint32_t b); /* reflexive */
/* A loop that is never left counts as ending at its latch. Reflexive. */
bool lw_postdominates(const struct lw_model *model, uint32_t a,
                      uint32_t b); /* a on every path from b to the end */
/* Marks the blocks from which `to` is reached, by ways through none that is marked; `stack` has room for all
 * blocks. */
void lw_mark_ways_to(const struct lw_model *model, uint32_t to, char *reached, uint32_t *stack);
bool lw_loop_contains(const struct lw_model *model, uint32_t loop, uint32_t block);
/* Is the value an instruction of the loop? */
bool lw_loop_computes(const struct lw_model *model, uint32_t loop, LLVMValueRef value);

#endif

/* SPDX-License-Identifier: MIT */
/* A piece of code that is there twice. */
#ifndef LW_VECTORIZER_TWICE_H
#define LW_VECTORIZER_TWICE_H

#include "../facts/model.h"

struct lw_twice {
    LLVMBuilderRef b;
    const struct lw_model *m;
    uint32_t head, first; /* it begins in this block, with this value */
    uint32_t end;         /* and ends before this block; LW_NONE: it is all that the head dominates */
    /* Zeros, but for what the caller puts in the places of values. */
    LLVMValueRef *copies;      /* by value */
    bool *replaced;            /* by value: the caller's, not copied */
    LLVMBasicBlockRef *blocks; /* by block */
};

/* Of a value or a block the copy, of others they themselves. */
LLVMValueRef lw_copied(const struct lw_twice *piece, LLVMValueRef value);
/* One value, where the builder stands, and later its operands. */
void lw_copy_value(struct lw_twice *piece, uint32_t value);
void lw_set_copied_operands(struct lw_twice *piece, uint32_t value);
bool lw_is_twice(const struct lw_twice *piece, uint32_t block, uint32_t value);
void lw_write_twice(struct lw_twice *piece);
/* Phis of the block that come from the piece come from the copy, too. */
void lw_add_ways_twice(struct lw_twice *piece, LLVMBasicBlockRef block);

#endif

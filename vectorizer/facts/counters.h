/* SPDX-License-Identifier: MIT */
/* What goes round a loop: the phis at its head, by how much they count, and what it is left by. */
#ifndef LW_VECTORIZER_COUNTERS_H
#define LW_VECTORIZER_COUNTERS_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/* A phi of two edges, of which the latch's leads round. */
struct lw_round {
    LLVMValueRef first, next; /* in the first round, and in the one behind this */
    LLVMBasicBlockRef from, latch;
    LLVMValueRef step; /* added in each round, of a GEP an index: a constant of up to 64 bits; NULL */
};

/* false: it is none of that latch. */
bool lw_read_round(LLVMValueRef phi, LLVMBasicBlockRef latch, struct lw_round *r);
/* The edge that counts is the latch's. false: none does. */
bool lw_read_counter(LLVMValueRef phi, struct lw_round *r);
/* What is added to `phi`, where `next` is a sum of it and something else; else NULL. */
LLVMValueRef lw_added_to(LLVMValueRef phi, LLVMValueRef next);

/* The latch goes round while the phi, or what is next, `p` the bound. */
struct lw_round_test {
    LLVMIntPredicate p;
    LLVMValueRef bound;
    bool of_next;
};

/* Of a phi that `r` was read of. false: the latch does not end in such a test. */
bool lw_read_round_test(LLVMValueRef phi, const struct lw_round *r, struct lw_round_test *t);

#endif

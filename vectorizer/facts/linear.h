/* SPDX-License-Identifier: MIT */
/* Integers and addresses as sums of multiples of other values, modulo two to the power of their bits. */
#ifndef LW_VECTORIZER_LINEAR_H
#define LW_VECTORIZER_LINEAR_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stdint.h>

enum { LW_LINEAR_PARTS = 8 };

struct lw_linear {
    LLVMTargetDataRef layout;
    struct {
        LLVMValueRef value;
        uint64_t by;
    } parts[LW_LINEAR_PARTS];
    unsigned count;
    uint64_t number;
    bool full; /* there were more parts: the sum is unknown */
};

/* Adds `by` times the value of up to 64 bits; addresses and what is added to them have 64. */
void lw_linear_add(struct lw_linear *sum, LLVMValueRef value, uint64_t by);
/* Leaves out what is zero in so many bits. */
void lw_linear_reduce(struct lw_linear *sum, unsigned width);

/* Without the phis that LCSSA has behind loops, which are their one incoming value. */
static inline LLVMValueRef
lw_without_lcssa(LLVMValueRef v)
{
    while (LLVMIsAPHINode(v) && LLVMCountIncoming(v) == 1)
        v = LLVMGetIncomingValue(v, 0);
    return v;
}

#endif

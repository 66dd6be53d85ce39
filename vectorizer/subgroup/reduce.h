/* SPDX-License-Identifier: MIT */
/* Reductions as calls, until it is known which of them go together; what then becomes of them. */
#ifndef LW_VECTORIZER_REDUCE_H
#define LW_VECTORIZER_REDUCE_H

#include "subgroup_ops.h"

/* A call that stands for the reduction of a vector of float or double by fadd, fmul, fmin or fmax: a pure
 * function named lw.reduce.*, which LLVM cannot see into. */
V lw_reduce_later(lw_lanes *l, enum lw_group_op op, V x);
/* Is it such a call, or an llvm.vector.reduce.* of integers? `op` may be NULL. */
bool lw_is_reduction(V call, enum lw_group_op *op);
/* The calls of lw.reduce.* that are left, each by itself. */
void lw_lower_reductions(LLVMModuleRef module);

/* The reductions of count * rows_each rows: `parts` has `count` vectors of one type with as many rows each,
 * one behind the other; both are powers of two. Row k's result comes in lane k. A part of one row may have
 * more lanes than `most_lanes`, those of a register. */
V lw_reduce_rows(lw_lanes *l, enum lw_group_op op, V *parts, unsigned count, unsigned rows_each,
                 unsigned most_lanes);

#endif

/* SPDX-License-Identifier: MIT */
/* Sub-group operations as shuffles and horizontal instructions, per ISA. Over the active lanes only: `mask`
 * NULL is all lanes. No memory round trip, no branch, no call for reduce and scans where the ISA has the
 * instructions. */
#ifndef LW_VECTORIZER_SUBGROUP_OPS_H
#define LW_VECTORIZER_SUBGROUP_OPS_H

#include "../lanes/lanes.h"
#include "../../spirv/intrinsics.h"

/* The identity of `op` over scalar `type` (i1 for the logical three), a constant. */
V lw_group_identity(enum lw_group_op op, LLVMTypeRef type);
/* a op b, scalars or vectors. fmin/fmax ignore a NaN operand, as OpenCL's fmin and fmax. */
V lw_group_combine(lw_lanes *l, enum lw_group_op op, V a, V b);

V lw_subgroup_reduce(lw_lanes *l, enum lw_group_op op, V x, V mask);         /* scalar */
V lw_subgroup_scan_inclusive(lw_lanes *l, enum lw_group_op op, V x, V mask); /* vector */
V lw_subgroup_scan_exclusive(lw_lanes *l, enum lw_group_op op, V x, V mask);
V lw_subgroup_clustered(lw_lanes *l, enum lw_group_op op, V x, V mask, unsigned cluster); /* vector */
V lw_subgroup_broadcast(lw_lanes *l, V x, V lane);        /* scalar; lane: i32 scalar, taken mod n */
V lw_subgroup_broadcast_first(lw_lanes *l, V x, V mask);  /* scalar */
V lw_subgroup_shuffle(lw_lanes *l, V x, V lanes);         /* lanes: <n x i32>, taken mod n */
V lw_subgroup_shuffle_xor(lw_lanes *l, V x, V lane_mask); /* scalar or <n x i32> */
V lw_subgroup_shuffle_up(lw_lanes *l, V x, V delta);      /* scalar or <n x i32> */
V lw_subgroup_shuffle_down(lw_lanes *l, V x, V delta);
V lw_subgroup_rotate(lw_lanes *l, V x, V delta, unsigned cluster); /* scalar delta; cluster n: whole */
V lw_subgroup_all_equal(lw_lanes *l, V x, V mask);                 /* i1 scalar */

/* A short description of the sequence chosen, for --explain: "4 shuffles + 4 adds". Static or arena text. */
const char *lw_subgroup_describe(lw_lanes *l, enum lw_call_id operation, LLVMTypeRef element);

#endif

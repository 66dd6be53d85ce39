/* SPDX-License-Identifier: MIT */
/* Work-group collectives on top of the sub-group ones, in one pass over the sub-groups.
 *
 * Since each region runs the sub-groups in increasing order (workgroup.h), a running accumulator in
 * lw.group_scratch is enough: a scan is cut, sub-group scan, combine with the carry, advance the carry; a
 * reduction is cut, advance, cut, read: it advances a vector, the lanes of which are brought together at the
 * end. `scratch` numbers the pieces; the caller counts them up. Lanes outside `mask` (tail, retired)
 * contribute nothing.
 */
#ifndef LW_VECTORIZER_COLLECTIVES_H
#define LW_VECTORIZER_COLLECTIVES_H

#include "subgroup_ops.h"

/* Metadata of loads that read what a collective came to: equal over the work-group. */
#define LW_SAME "lw.same"

V lw_workgroup_reduce(lw_lanes *l, enum lw_group_op op, V x, V mask, unsigned scratch); /* scalar */
V lw_workgroup_scan(lw_lanes *l, enum lw_group_op op, V x, V mask, bool inclusive,
                    unsigned scratch);                          /* vector */
V lw_workgroup_all(lw_lanes *l, V x, V mask, unsigned scratch); /* i1 */
V lw_workgroup_any(lw_lanes *l, V x, V mask, unsigned scratch);
/* components: 1.. vectors of one value; linear: i64 scalar. results: scalars. */
void lw_workgroup_broadcast(lw_lanes *l, V *x, unsigned components, V linear, unsigned scratch, V *results);
/* op by all lanes of the work-group at a global address that is the same in all of them, as one operation;
 * pointer: scalar, right also in a sub-group without lanes. Old values, NULL where they are not `used`. */
V lw_workgroup_atomic(lw_lanes *l, LLVMAtomicRMWBinOp op, V pointer, V value, V mask,
                      LLVMAtomicOrdering order, bool used, unsigned scratch);

#endif

/* SPDX-License-Identifier: MIT */
/* Atomics of lanes. */
#ifndef LW_VECTORIZER_ATOMIC_H
#define LW_VECTORIZER_ATOMIC_H

#include "../lanes/lanes.h"

/* op in increasing lane order over the active lanes; pointers scalar (uniform) or <n x ptr>; values
 * are vectors. Return the old values as vector. `used`: false lets a uniform address be combined to one
 * operation. */
V lane_atomic_rmw(lw_lanes *l, LLVMAtomicRMWBinOp op, V pointer, V value, V mask, LLVMAtomicOrdering order,
                  bool used);
/* Behind lw_form_workgroup: those of local memory, which one thread has to itself, as loads and stores. */
void lw_lower_local_atomics(LLVMModuleRef module, lw_isa isa);
/* Is `instruction` one that this lowers? */
bool lw_is_local_rmw(V instruction);
/* The same without atomicity, all lanes, written out: op is one of add, sub, and, or, xor; at most 16 lanes
 * of 32 or 64 bits. The old values, poison where they are not used. */
V lane_update(lw_lanes *l, LLVMAtomicRMWBinOp op, V pointers, V value, bool used);
void lane_atomic_cmpxchg(lw_lanes *l, V pointer, V expected, V desired, V mask, LLVMAtomicOrdering success,
                         LLVMAtomicOrdering failure, V *old, V *swapped);
V lane_atomic_load(lw_lanes *l, LLVMTypeRef element, V pointers, V mask, LLVMAtomicOrdering order,
                   unsigned align);
void lane_atomic_store(lw_lanes *l, V vector, V pointers, V mask, LLVMAtomicOrdering order, unsigned align);

/* One atomic of all lanes or sub-groups: an lw_group_op, LW_GROUP_OP_COUNT where operands do
 * not combine; the operation itself on scalars, which gives the old value. */
unsigned lw_lane_combining(LLVMAtomicRMWBinOp op);
V lw_lane_rmw(lw_lanes *l, LLVMAtomicRMWBinOp op, V pointer, V value, LLVMAtomicOrdering order);

#endif

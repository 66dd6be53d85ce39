/* SPDX-License-Identifier: MIT */
/* Sub-group function -> work-group function: cuts at barriers, loops over sub-groups, full and tail instance.
 *
 * Enters: `void @lw.subgroup(kernel params)`, the code of one sub-group, all control flow sub-group-uniform;
 * masks are data. It still calls, with scalar results:
 *   i64 lw.global_size, lw.global_offset, lw.local_size, lw.enqueued_local_size, lw.group_id, lw.num_groups,
 *       each of (i32 constant d)
 *   i64 lw.work_dim, lw.sub_group_size, lw.max_sub_group_size, lw.num_sub_groups, lw.enqueued_num_sub_groups
 *   i64 lw.sub_group_id
 *   i64 lw.memory_begin(i32 k), lw.memory_end(i32 k) addresses; k is enum lw_memory (pointer_spaces.h)
 *   i64 lw.group_base(i32 d)                     group_id(d) * enqueued_local_size(d) + global_offset(d)
 *   <W x i1> lw.entry_mask()                     lanes that exist: all, or lane < rest in the tail sub-group
 *   <W x i64> lw.local_ids(i32 d)                local id of each lane, where no constant table has it
 *   <W x i1> lw.entry_lane()                     the one lane whose turn it is; instead of lw.entry_mask
 *   ptr addrspace(3) lw.local_base()
 *   ptr addrspace(1) lw.program_base()           program-scope variables
 *   ptr lw.printer(), lw.server(), lw.waiter()   lw_launch.print, lw_launch.serve, lw_launch.wait; called,
 *                                                their arguments are not kept
 *   ptr lw.group_scratch(i32 k, i32 bytes)       k-th piece of memory of the collectives, 64-byte aligned
 *   i1 lw.sub_group_first(), lw.sub_group_last() this sub-group's place in the work-group's sequence
 *   void lw.wg.barrier()                         the cuts
 * Allocas are private memory of the sub-group (all lanes together).
 * Leaves: `void @lw_run` with lw_group_function's signature, nothing of lw.* left; lw.subgroup is deleted.
 *
 * Where lw.waiter is asked for, sub-groups take turns (lw_code.turns): there is one region, lw_run is one
 * sub-group's turn, and barriers are calls of lw_launch.wait. Where lw.entry_lane is, it is a work-item's.
 *
 * A region is run by each sub-group in increasing order before the next one starts: collectives rely on it.
 * Where sub-groups may part behind a barrier (parting.c), it is run by those that want it.
 */
#ifndef LW_VECTORIZER_WORKGROUP_H
#define LW_VECTORIZER_WORKGROUP_H

#include <llvm-c/Core.h>
#include "../../spirv/reflect.h"
#include "../../src/compiler.h"

struct lw_frame {
    uint64_t fixed;
    uint64_t per_sub_group;
    uint32_t turns; /* enum lw_turn_kind */
};

/* Tells LLVM what the calls above touch, so that a clean-up may move them; barriers stay where they are. */
void lw_mark_subgroup_calls(LLVMModuleRef module);
/* Tells LLVM that nothing writes `constant` memory while the kernel runs: loads of it leave loops. */
void lw_mark_constant_loads(LLVMModuleRef module);

/* Is it the marked phi that counts the sub-groups of a loop whose rounds are in no order? A pass that drops
 * the mark takes the permission away. */
bool lw_counts_sub_groups(LLVMValueRef counter);

/* All of the above; `frame`: what a work-group needs. false: error, and no lw_run. */
bool lw_form_workgroup(LLVMModuleRef module, const struct lw_kernel_desc *kernel,
                       const struct lw_shape *shape, struct lw_frame *frame, lw_error *error);

#endif

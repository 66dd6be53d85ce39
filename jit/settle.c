/* SPDX-License-Identifier: MIT */
/* THE ORDER OF THE PASSES BEHIND LLVM'S LAST: what LLVM 22's code generation loses or writes badly is put as it
 * should come out (vectorizer/lanes_*.c).
 *
 * Enters: the optimised work-group function. Leaves: the same, which no pass may fold any more. */
#include "job.h"

#include "../vectorizer/lanes.h"
#include "../vectorizer/lanes_bytes.h"
#include "../vectorizer/lanes_fields.h"
#include "../vectorizer/loop_indices.h"
#include "../vectorizer/spaces.h"

bool
lw_settle(struct job *j)
{
    lw_isa isa = (lw_isa)j->request->shape.isa;
    LLVMModuleRef m = j->module;
    bool memory = !j->request->shape.buffers_4g || lw_hoist_indices(m);
    bool good = lw_step(j, "lw_hoist_indices") && LW_DO(j, lw_narrow_masks, m) &&
                LW_DO(j, lw_settle_rounds, m, isa) && LW_DO(j, lw_settle_min_max, m, isa, j->first) &&
                LW_DO(j, lw_join_fields, m) && LW_FULLY(j, memory, lw_halve_bytes, m, isa) &&
                LW_DO(j, lw_settle_lanes, m) && LW_DO(j, lw_settle_slots, m) &&
                (j->quick || LW_DO(j, lw_settle_stores, m, isa)) && LW_DO(j, lw_settle_addresses, m);

    if (isa == LW_ISA_AVX512)
        good = good && LW_DO(j, lw_settle_blends, m) && LW_FULLY(j, memory, lw_halve_masks, m) &&
               LW_DO(j, lw_settle_masks, m);
    else
        good = good && LW_DO(j, lw_settle_flips, m, isa) && LW_FULLY(j, memory, lw_broaden_masks, m, isa);
    if (good && j->large)
        good = LW_DO(j, lw_cut_blocks, m);
    if (good && !memory)
        return lw_jit_fail(j->error, LW_OUT_OF_MEMORY, "no memory to compile kernel %s", j->request->kernel);
    return good;
}

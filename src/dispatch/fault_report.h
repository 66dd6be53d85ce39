/* SPDX-License-Identifier: MIT */
/* What the event of a launch that ended with a fault tells: work-group, line, and what was touched. */
#ifndef LW_SRC_FAULT_REPORT_H
#define LW_SRC_FAULT_REPORT_H

#include "../host/faults.h"
#include "../tiers/specialize.h"
#include "group_grid.h"

struct lw_found_fault {
    struct lw_fault fault;
    uint64_t first, count; /* the work-groups that ran */
    uintptr_t memory;      /* theirs: local, and behind it at `frame_offset` the frame */
    uint64_t local_bytes, frame_offset;
};

/* `codes`: one of these was running; some may be NULL, or have no lines (lw_wants_lines). Fills the error and
 * returns false. */
bool lw_tell_fault(const struct lw_found_fault *f, const char *kernel, const struct lw_group_grid *grid,
                   const struct lw_instance *const *codes, unsigned count, lw_error *error);

#endif

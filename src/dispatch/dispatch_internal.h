/* SPDX-License-Identifier: MIT */
/* What the files of a dispatch share: one under way (dispatch.c), and how threads share it (sharing.c). */
#ifndef LW_SRC_DISPATCH_INTERNAL_H
#define LW_SRC_DISPATCH_INTERNAL_H

#include "../services/blocks.h"
#include "../threads/pool.h"
#include "../tiers/race.h"
#include "../tiers/specialize.h"
#include "fault_report.h"
#include "group_grid.h"
#include "parts.h"

struct lw_dispatch {
    struct lw_task task; /* first: the pool knows us by it */
    const lw_kernel *kernel;
    struct lw_launch launch;
    _Atomic(const struct lw_instance *) special;
    const struct lw_instance *masked;
    struct lw_instance *better; /* the caller's, until it is in use */
    struct lw_race *race;       /* NULL: none */
    unsigned entrants;          /* bits of those that there is memory for */
    uint64_t patience, begin;   /* nanoseconds */
    struct lw_instance *chosen; /* whose pace and crew are noted, from dispatch to dispatch; NULL: nobody's */
    uint64_t group_items;
    struct lw_group_grid grid;
    uint64_t begin_group; /* the first of the work-groups that run; grid.end is the one behind the last */
    size_t local_bytes, frame_offset, arena_bytes;
    uint64_t least, most; /* of a run, in work-groups */
    bool one_by_one, undivided, flush;
    bool turns;                  /* by some of the code */
    atomic_bool waited;          /* turns: somebody has */
    atomic_bool no_memory;       /* turns: for some work-group */
    atomic_uint faults;          /* contained */
    struct lw_found_fault fault; /* the first of them */
    struct lw_parts parts;       /* last: not cleared */
};

static inline bool
lw_has_fault(const struct lw_dispatch *d)
{
    return atomic_load_explicit(&d->faults, memory_order_relaxed) != 0;
}

/* The next run for thread `own`, of its own part or one behind it; false: none is left. */
bool lw_dispatch_take(struct lw_dispatch *d, unsigned own, uint64_t *first, uint64_t *end);
/* Runs these work-groups on this thread, in its arena's memory. */
void lw_dispatch_run(struct lw_dispatch *d, uint64_t first, uint64_t end, char *memory);
/* Work-groups whose sub-groups take turns, until none is left. */
void lw_dispatch_take_turns(struct lw_dispatch *d, struct lw_thread_memory *arena);
/* Counts the frame that a work-group of so many work-items needs in `*most`. false: it is more than any may
 * have. */
bool lw_count_frame(const struct lw_instance *instance, uint64_t items, uint64_t *most);

/* sharing.c: the caller's part, and what its helpers are left. */
void lw_dispatch_share(struct lw_dispatch *d, uint64_t items, struct lw_thread_memory *arena);
/* Between two of the caller's runs: what takes long is worth better code, and goes over to that when it is
 * there. Not where it needs more memory than the threads have taken: the next dispatch will. */
void lw_dispatch_improve(struct lw_dispatch *d);

#endif

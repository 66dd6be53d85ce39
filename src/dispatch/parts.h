/* SPDX-License-Identifier: MIT */
/* A dispatch's work-groups, parted among threads: each takes runs of its own part, in increasing order, then
 * of the parts behind it. Lock-free; any thread may take. */
#ifndef LW_SRC_PARTS_H
#define LW_SRC_PARTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define LW_MOST_PARTS 32u
#define LW_RUNS_PER_THREAD 4u

struct lw_part {
    _Alignas(64) _Atomic uint64_t next; /* work-group */
    uint64_t end;
};

struct lw_parts {
    unsigned count, threads_per_part;
    struct lw_part parts[LW_MOST_PARTS]; /* last: not cleared */
};

/* Parts the work-groups from `first` to `end` among so many threads, before others see it. `undivided`: in
 * one part. */
void lw_parts_divide(struct lw_parts *p, uint64_t first, uint64_t end, unsigned threads, bool undivided);
/* The next run for thread `own`: `least` to `most` work-groups, fewer at a part's end. False: none is
 * left. */
bool lw_parts_take(struct lw_parts *p, unsigned own, uint64_t least, uint64_t most, uint64_t *first,
                   uint64_t *end);

#endif

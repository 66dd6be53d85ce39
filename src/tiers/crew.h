/* SPDX-License-Identifier: MIT */
/* One thread or all of them: which serves dispatches of a code sooner, by trying. */
#ifndef LW_SRC_CREW_H
#define LW_SRC_CREW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* All zero: nothing is known. */
struct lw_crew {
    _Atomic uint64_t groups;  /* of the dispatches that it is about, up to twice or half as many */
    _Atomic uint64_t best[2]; /* time of a dispatch's work-group, in 1/1024 ns: by all threads, by one */
    atomic_uint turn, period, others;
    atomic_bool alone;
};

enum lw_crew_trial { LW_CREW_SHARED, LW_CREW_ALONE, LW_CREW_NO_TRIAL };

/* Is the next dispatch, of so many work-groups, the caller's alone? `*trial`: what lw_crew_note is to be told
 * how long it took. Safe from several threads. */
bool lw_crew_is_alone(struct lw_crew *crew, uint64_t groups, enum lw_crew_trial *trial);
void lw_crew_note(struct lw_crew *crew, enum lw_crew_trial trial, uint64_t groups, uint64_t nanoseconds);

#endif

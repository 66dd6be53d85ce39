/* SPDX-License-Identifier: MIT */
/* Codes beside each other of several widths, where the kernel cannot tell, or that know arguments and do not:
 * the fastest one stays. */
#ifndef LW_SRC_RACE_H
#define LW_SRC_RACE_H

#include "../ranges/shape.h"
#include "race_final.h"
#include "specialize.h"

struct lw_race {
    unsigned count;
    struct lw_instance *owner;                      /* an entrant, and the one that is not held */
    struct lw_instance *entrants[LW_MOST_ENTRANTS]; /* first of all the one that the others have to beat */
    atomic_uint winner; /* an entrant's number, LW_MOST_ENTRANTS: not known yet */
    atomic_uint among;  /* so many that were ready; more may be, later */
    atomic_bool over;   /* no more will */
    atomic_uint turn;
    struct lw_lap {
        _Alignas(64) _Atomic uint64_t nanoseconds; /* of processor time */
        _Atomic uint64_t groups, runs;
    } laps[LW_MOST_ENTRANTS];
    atomic_flag has_final;
    struct lw_final final;
};

/* May other widths than this special code's serve the kernel? */
bool lw_race_is_allowed(const lw_kernel *kernel, const struct lw_instance *special);
/* Is it worth to look how long its dispatches take? */
bool lw_race_is_open(const struct lw_instance *special);
/* The race that a dispatch by this special code is part of; NULL: there is none (yet), or no more. Where it
 * knows arguments (steady.h), `before` is the code that would serve without it, else NULL. Safe from several
 * threads, as all of these. */
struct lw_race *lw_race_join(const lw_kernel *kernel, struct lw_instance *special,
                             struct lw_instance *before);
/* A dispatch by it alone: so many work-groups took so long, on all threads together. */
void lw_race_watch(struct lw_instance *special, uint64_t groups, uint64_t nanoseconds);
/* Nanoseconds that a work-group takes, about. */
double lw_race_group_time(const struct lw_instance *special);
/* The code that has won; NULL: not known yet. */
struct lw_instance *lw_race_winner(struct lw_instance *special);

/* Whose turn it is of those whose bit is set, the first one's always; `*lap`: the number to note its time by,
 * LW_MOST_ENTRANTS: nobody asks (any more). Runs too short to be `measured` take nobody's turn. */
const struct lw_instance *lw_race_next(struct lw_race *race, unsigned allowed, bool measured, unsigned *lap);
/* A run of so many full work-groups, in a dispatch of `whole`, took so long on its thread's processor. */
void lw_race_note(struct lw_race *race, unsigned lap, uint64_t groups, uint64_t whole, uint64_t nanoseconds);

/* With its special code, whose it is, and behind the last dispatch that takes part; NULL: nothing. */
void lw_race_free(struct lw_race *race);

#endif

/* SPDX-License-Identifier: MIT */
/* The final of a race: few codes, each alone for some dispatches, until it gets no faster. */
#ifndef LW_SRC_RACE_FINAL_H
#define LW_SRC_RACE_FINAL_H

#include "../ranges/shape.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define LW_MOST_ENTRANTS (2 + LW_MOST_RIVALS)

struct lw_final {
    atomic_uint runner; /* the entrant that runs now and a bit above it; 0: there is no final (yet) */
    atomic_flag looked_at;
    /* Of whoever looks: */
    unsigned first, waiting; /* `waiting`: bits of those that have not run */
    unsigned windows, stale;
    double times[LW_MOST_ENTRANTS]; /* a work-group's, at best; 0: is no finalist, or has not run */
    struct {
        _Alignas(64) _Atomic uint64_t nanoseconds, groups;
    } window;
};

/* Begins it, with `first`; `others`: bits of who comes behind. Once, by one thread. */
void lw_final_begin(struct lw_final *final, unsigned first, unsigned others);
/* The entrant that every run is to be of; false: there is no final. */
bool lw_final_runner(const struct lw_final *final, unsigned *entrant);
/* A run by it of so many work-groups took so long, of a dispatch of `whole`. True: that was the last one, and
 * `*winner` is whose time was the least. Safe from several threads. */
bool lw_final_note(struct lw_final *final, unsigned entrant, uint64_t groups, uint64_t whole,
                   uint64_t nanoseconds, unsigned *winner);

#endif

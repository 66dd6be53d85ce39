/* SPDX-License-Identifier: MIT */
/* One thread or all of them, see crew.h.
 *
 * More threads are slower where they take the same few lines of memory from each other, again and again: by
 * atomics on a counter, or since each dispatch reads what the last one wrote and that lies in another
 * processor's cache. What a dispatch does tells nothing of it, so both are tried: some dispatches each, of
 * which the shortest counts, at first and then after twice as many as before. Where two by one thread took
 * far longer, they are enough.
 *
 * Enters: dispatches that are long enough to be shared, and short enough to be tried by one thread. Leaves:
 * the answer. Never: waits.
 */
#include "crew.h"

#define TRIALS 4
#define ENOUGH (TRIALS + 2)
#define FIRST_PERIOD 256
#define LONGEST_PERIOD (1u << 20)
#define SURPRISES 16 /* dispatches of other sizes, before it is about those */
#define FAR_LONGER 3
#define GAIN 0.9     /* of the time by all threads, or less, has one that serves alone */

static void
begin_trials(struct lw_crew *c)
{
    atomic_store_explicit(&c->best[LW_CREW_SHARED], 0, memory_order_relaxed);
    atomic_store_explicit(&c->best[LW_CREW_ALONE], 0, memory_order_relaxed);
    atomic_store_explicit(&c->turn, 0, memory_order_relaxed);
}

static bool
is_about(struct lw_crew *c, uint64_t groups)
{
    uint64_t usual = atomic_load_explicit(&c->groups, memory_order_relaxed);
    if (groups / 2 <= usual && usual / 2 <= groups && usual)
        return true;
    if (usual && atomic_fetch_add_explicit(&c->others, 1, memory_order_relaxed) < SURPRISES)
        return false;
    atomic_store_explicit(&c->groups, groups, memory_order_relaxed);
    atomic_store_explicit(&c->others, 0, memory_order_relaxed);
    atomic_store_explicit(&c->period, FIRST_PERIOD, memory_order_relaxed);
    atomic_store_explicit(&c->alone, false, memory_order_relaxed);
    begin_trials(c);
    return true;
}

static void
decide(struct lw_crew *c)
{
    double shared = (double)atomic_load_explicit(&c->best[LW_CREW_SHARED], memory_order_relaxed);
    double alone = (double)atomic_load_explicit(&c->best[LW_CREW_ALONE], memory_order_relaxed);
    atomic_store_explicit(&c->alone, alone > 0 && alone < GAIN * shared, memory_order_relaxed);
}

static bool
is_hopeless(const struct lw_crew *c)
{
    return atomic_load_explicit(&c->best[LW_CREW_ALONE], memory_order_relaxed) >
           FAR_LONGER * atomic_load_explicit(&c->best[LW_CREW_SHARED], memory_order_relaxed);
}

bool
lw_crew_is_alone(struct lw_crew *c, uint64_t groups, enum lw_crew_trial *trial)
{
    *trial = LW_CREW_NO_TRIAL;
    if (!is_about(c, groups))
        return false;
    unsigned turn = atomic_fetch_add_explicit(&c->turn, 1, memory_order_relaxed);
    unsigned period = atomic_load_explicit(&c->period, memory_order_relaxed);
    if (turn < ENOUGH || (turn < 2 * TRIALS && !is_hopeless(c))) {
        *trial = turn < TRIALS ? LW_CREW_SHARED : LW_CREW_ALONE;
        return turn >= TRIALS;
    }
    if (turn <= 2 * TRIALS)
        decide(c);
    if (turn >= period && period < LONGEST_PERIOD) {
        atomic_store_explicit(&c->period, 2 * period, memory_order_relaxed);
        begin_trials(c);
    }
    return atomic_load_explicit(&c->alone, memory_order_relaxed);
}

void
lw_crew_note(struct lw_crew *c, enum lw_crew_trial trial, uint64_t groups, uint64_t nanoseconds)
{
    if (trial == LW_CREW_NO_TRIAL)
        return;
    uint64_t time = nanoseconds * 1024 / groups, best;
    best = atomic_load_explicit(&c->best[trial], memory_order_relaxed);
    if (!best || time < best)
        atomic_store_explicit(&c->best[trial], time, memory_order_relaxed);
}

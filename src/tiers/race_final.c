/* SPDX-License-Identifier: MIT */
/* The final of a race, see race_final.h.
 *
 * In a race codes take turns, run by run, and a processor does not learn the branches of any of them. Where
 * branches depend on data and the same data comes again (a solver's matrix), scalar code may be three times
 * as fast once they are learnt, which takes some ten to hundred dispatches by that code alone. So each
 * finalist has windows of some dispatches, as long as every other one is faster than all before it.
 *
 * Enters: the race's provisional winner, and who may yet beat it. Leaves: the winner. Never: waits.
 */
#include "race_final.h"

#define RUNS 0x80000000u
#define DISPATCHES 8 /* of a window, at least */
#define NANOSECONDS 1000000
#define FASTER 0.97 /* of the best window, or less: something was learnt */
#define MOST_STALE 2
#define MOST_WINDOWS 32
#define GAIN 0.95 /* of the first finalist's time, or less, has who wins over it */

static void
call(struct lw_final *f, unsigned entrant)
{
    f->waiting &= ~(1u << entrant);
    f->windows = f->stale = 0;
    f->times[entrant] = 0;
    atomic_store_explicit(&f->runner, entrant | RUNS, memory_order_release);
}

void
lw_final_begin(struct lw_final *f, unsigned first, unsigned others)
{
    f->waiting = others;
    f->first = first;
    call(f, first);
}

bool
lw_final_runner(const struct lw_final *f, unsigned *entrant)
{
    unsigned runner = atomic_load_explicit(&f->runner, memory_order_acquire);
    *entrant = runner & ~RUNS;
    return runner & RUNS;
}

static bool
is_full(struct lw_final *f, uint64_t whole)
{
    return atomic_load_explicit(&f->window.groups, memory_order_relaxed) >= DISPATCHES * whole &&
           atomic_load_explicit(&f->window.nanoseconds, memory_order_relaxed) >= NANOSECONDS;
}

/* What other threads add meanwhile counts for this window or the next one, or is lost. */
static double
end_window(struct lw_final *f)
{
    uint64_t groups = atomic_exchange_explicit(&f->window.groups, 0, memory_order_relaxed);
    return (double)atomic_exchange_explicit(&f->window.nanoseconds, 0, memory_order_relaxed) / (double)groups;
}

/* false: it has shown what it can. */
static bool
goes_on(struct lw_final *f, unsigned runner, double time)
{
    double *best = &f->times[runner];
    bool learns = f->windows == 0 || time < FASTER * *best;
    *best = f->windows == 0 || time < *best ? time : *best;
    f->stale = learns ? 0 : f->stale + 1;
    return f->stale < MOST_STALE && ++f->windows < MOST_WINDOWS;
}

static unsigned
find_winner(const struct lw_final *f)
{
    unsigned winner = f->first;
    double best = GAIN * f->times[winner];
    for (unsigned k = 0; k < LW_MOST_ENTRANTS; k++)
        if (f->times[k] > 0 && f->times[k] < best) {
            best = f->times[k];
            winner = k;
        }
    return winner;
}

bool
lw_final_note(struct lw_final *f, unsigned entrant, uint64_t groups, uint64_t whole, uint64_t nanoseconds,
              unsigned *winner)
{
    unsigned runner;
    atomic_fetch_add_explicit(&f->window.groups, groups, memory_order_relaxed);
    atomic_fetch_add_explicit(&f->window.nanoseconds, nanoseconds, memory_order_relaxed);
    if (!is_full(f, whole) || atomic_flag_test_and_set_explicit(&f->looked_at, memory_order_acquire))
        return false;
    bool over = false;
    if (lw_final_runner(f, &runner) && runner == entrant && is_full(f, whole) &&
        !goes_on(f, runner, end_window(f))) {
        over = !f->waiting;
        if (over)
            *winner = find_winner(f);
        else
            call(f, (unsigned)__builtin_ctz(f->waiting));
    }
    if (!over) /* else it stays with whoever ended it */
        atomic_flag_clear_explicit(&f->looked_at, memory_order_release);
    return over;
}

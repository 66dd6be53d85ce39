/* SPDX-License-Identifier: MIT */
/* The race of widths, and of code that knows arguments (steady.c) against code that does not; see race.h.
 *
 * How many lanes a kernel is best run with depends on what its gathers meet in the caches, on how far lanes
 * stray from each other, on what more than a register of lanes spills, and on the processor. Where the
 * compiler has doubts (lw_code.doubt), or more lanes were chosen for what a kernel looks like, and nothing
 * tells the width (shape.h), codes of other widths are compiled, one of them scalar: at leisure,
 * when dispatches have taken a good part of the time that this takes. Then each run of work-groups is the
 * next code's, until the times tell; the fastest serves from then on. An entrant that cannot be compiled does
 * not take part, and a width beyond one that was slower than the usual one is not compiled at all. Where
 * lanes stray, race_final.c ends it.
 *
 * Enters: special code that is ready. Leaves: the code that serves in its place.
 * Legal: every code is right for every full work-group of a dispatch that asks this race, so that it is all
 * one which of them runs it; runs of a dispatch are cut as they always are. What code knows arguments races
 * only where they are the dispatch's (its race is its own).
 * Never: waits; compiles for a kernel that was run for a short time only.
 */
#include "race.h"
#include "../ranges/shape.h"
#include "compile_threads.h"

#include <stdlib.h>

#define PART_OF_COMPILING 0.3    /* of the special code's own compilation, before others are made */
#define LOADING_NANOSECONDS 100000 /* the others from disk, a third of it */
#define LEAST_NANOSECONDS 200000 /* of each entrant, before the times tell, in some runs */
#define LEAST_RUNS 4
#define ENOUGH_RUNS 64 /* in less time */
#define LESS_NANOSECONDS 60000
#define HOPELESS 3 /* times the usual width's time, in some runs: has no more of them */
#define FEW_RUNS 2
#define BEHIND 1.5 /* the same in more runs: until branches by data are predicted, scalar code is slower */
#define MORE_RUNS 6
#define SLOWER 1.1 /* times the usual width's time: what lies beyond will not be faster */
#define GOLDEN_RATIO 2654435769u /* of 2^32 */
#define LONGEST_FINAL 1e6 /* nanoseconds of a dispatch, on all processors together */
#define GAIN 0.95 /* of the usual width's time, or less, has who wins over that */

/* What is printed, dumped or explained is of one width. */
bool
lw_race_is_allowed(const lw_kernel *kernel, const struct lw_instance *special)
{
    const lw_device *device = kernel->program->device;
    bool doubtful = special->code->doubt || lw_is_broad(&special->shape);
    return doubtful && special->code->turns == LW_TURNS_NOT && device->options.race &&
           !device->options.lanes && !device->dump && !device->explain && !kernel->desc->prints &&
           lw_width_is_free_without_waits(kernel);
}

bool
lw_race_is_open(const struct lw_instance *special)
{
    const struct lw_race *race = atomic_load_explicit(&special->race, memory_order_acquire);
    return !race || !atomic_load_explicit(&race->over, memory_order_relaxed);
}

void
lw_race_free(struct lw_race *race)
{
    for (unsigned k = 0; race && k < race->count; k++)
        if (race->entrants[k] != race->owner)
            lw_instance_release(race->entrants[k]);
    free(race);
}

static struct lw_race *
make_race(const lw_kernel *kernel, struct lw_instance *special, struct lw_instance *before)
{
    struct lw_shape rivals[LW_MOST_RIVALS];
    /* What leaves the width in doubt without the arguments may do so with them, seen or not. */
    bool doubtful = lw_race_is_allowed(kernel, special) || (before && lw_race_is_allowed(kernel, before));
    unsigned count = doubtful ? lw_choose_rivals(kernel, &special->shape, rivals) : 0;
    struct lw_race *race = aligned_alloc(64, sizeof *race), *other = NULL;
    if (!race)
        return NULL;
    *race = (struct lw_race){.owner = special, .winner = LW_MOST_ENTRANTS};
    if (before) {
        atomic_fetch_add_explicit(&before->refs, 1, memory_order_relaxed);
        race->entrants[race->count++] = before;
    }
    race->entrants[race->count++] = special;
    for (unsigned k = 0; k < count; k++) {
        struct lw_instance *rival = lw_cache_find(kernel->program->device->cache, kernel, &rivals[k]);
        if (rival)
            race->entrants[race->count++] = rival;
    }
    if (atomic_compare_exchange_strong(&special->race, &other, race))
        return race;
    lw_race_free(race);
    return other;
}

static double
spent_on(const struct lw_instance *special)
{
    return (double)atomic_load_explicit(&special->nanoseconds_watched, memory_order_relaxed);
}

static bool
pays(const struct lw_instance *special)
{
    return spent_on(special) >= PART_OF_COMPILING * 1e6 * special->milliseconds;
}

/* Nanoseconds a work-group; below 0: it has not run so often, or so long. */
static double
time_of(struct lw_lap *lap, uint64_t least_runs, uint64_t least_nanoseconds)
{
    uint64_t runs = atomic_load_explicit(&lap->runs, memory_order_relaxed);
    uint64_t nanoseconds = atomic_load_explicit(&lap->nanoseconds, memory_order_relaxed);
    uint64_t groups = atomic_load_explicit(&lap->groups, memory_order_relaxed);
    bool enough = runs > least_runs && nanoseconds >= least_nanoseconds && groups; /* the first has no time */
    return enough ? (double)nanoseconds / (double)groups : -1;
}

static bool
lies_between(uint32_t x, uint32_t a, uint32_t b)
{
    return a < b ? a < x && x < b : b < x && x < a;
}

enum prospect { PROMISING, UNKNOWN, NONE };

/* Of a width that is not compiled yet. Scalar code is another matter than few lanes, and so is one register
 * than several: other forms of memory access serve it. */
static enum prospect
prospect_of(struct lw_race *race, unsigned rival)
{
    uint32_t from = race->entrants[0]->shape.lanes, to = race->entrants[rival]->shape.lanes;
    enum prospect prospect = PROMISING;
    for (unsigned k = 1; k < race->count && to > 1; k++) {
        struct lw_instance *other = race->entrants[k];
        uint32_t lanes = other->shape.lanes;
        bool tells = lies_between(lanes, from, to) &&
                     lw_is_broad(&other->shape) == lw_is_broad(&race->entrants[rival]->shape);
        if (!tells || lw_instance_failed(other) ||
            (lw_instance_ready(other) && other->code->turns != LW_TURNS_NOT))
            continue;
        double usual = time_of(&race->laps[0], FEW_RUNS, 0), time = time_of(&race->laps[k], FEW_RUNS, 0);
        if (usual < 0 || time < 0)
            prospect = UNKNOWN;
        else if (time > SLOWER * usual)
            return NONE;
    }
    return prospect;
}

/* How many can run; the first one can. Those that nobody compiles yet are wished for, where that pays.
 * `*pending`: others may be ready later. */
static unsigned
count_ready(const lw_kernel *kernel, struct lw_race *race, bool *pending)
{
    lw_device *device = kernel->program->device;
    unsigned ready = 1;
    *pending = false;
    for (unsigned k = 1; k < race->count; k++) {
        struct lw_instance *rival = race->entrants[k];
        if (lw_instance_ready(rival) || lw_instance_load(device, rival))
            ready++;
        else if (!lw_instance_failed(rival)) {
            enum prospect prospect = prospect_of(race, k);
            *pending |= prospect != NONE && (!pays(race->owner) || prospect == UNKNOWN ||
                                             lw_compile_at_leisure(device, rival));
        }
    }
    return ready;
}

/* The first rival need not wait for the others: who wins against some races against those that come. */
struct lw_race *
lw_race_join(const lw_kernel *kernel, struct lw_instance *special, struct lw_instance *before)
{
    struct lw_race *race = atomic_load_explicit(&special->race, memory_order_acquire);
    /* What was on disk may have been compiled for a race. */
    bool cheap = !special->compiler && spent_on(special) >= LOADING_NANOSECONDS, pending;
    if (!race && (before || cheap || pays(special)))
        race = make_race(kernel, special, before);
    if (!race)
        return NULL;
    unsigned ready = count_ready(kernel, race, &pending);
    unsigned winner = atomic_load_explicit(&race->winner, memory_order_acquire);
    bool known = winner < LW_MOST_ENTRANTS && atomic_load(&race->among) == ready;
    /* Where arguments help nothing, other widths that know them are not worth compiling. */
    bool lost = winner == 0 && race->entrants[0] != race->owner;
    if (lost || (!pending && (known || ready == 1)))
        atomic_store_explicit(&race->over, true, memory_order_relaxed);
    if (lost || known || ready == 1)
        return NULL;
    if (winner < LW_MOST_ENTRANTS)
        atomic_compare_exchange_strong(&race->winner, &winner, LW_MOST_ENTRANTS);
    return race;
}

void
lw_race_watch(struct lw_instance *special, uint64_t groups, uint64_t nanoseconds)
{
    atomic_fetch_add_explicit(&special->groups_watched, groups, memory_order_relaxed);
    atomic_fetch_add_explicit(&special->nanoseconds_watched, nanoseconds, memory_order_relaxed);
}

double
lw_race_group_time(const struct lw_instance *special)
{
    uint64_t groups = atomic_load_explicit(&special->groups_watched, memory_order_relaxed);
    uint64_t nanoseconds = atomic_load_explicit(&special->nanoseconds_watched, memory_order_relaxed);
    return groups ? (double)nanoseconds / (double)groups : 0;
}

struct lw_instance *
lw_race_winner(struct lw_instance *special)
{
    struct lw_race *race = atomic_load_explicit(&special->race, memory_order_acquire);
    unsigned winner =
        race ? atomic_load_explicit(&race->winner, memory_order_acquire) : (unsigned)LW_MOST_ENTRANTS;
    return winner < LW_MOST_ENTRANTS ? race->entrants[winner] : NULL;
}

static bool
is_behind(struct lw_race *race, unsigned k, uint64_t runs, double times)
{
    double usual = time_of(&race->laps[0], runs, 0), time = time_of(&race->laps[k], runs, 0);
    return usual >= 0 && time >= times * usual;
}

static bool
takes_part(struct lw_race *race, unsigned k)
{
    if (k == 0 || !lw_instance_ready(race->entrants[k]))
        return k == 0;
    if (race->entrants[k]->code->turns != LW_TURNS_NOT)
        return false; /* has found waits where another width has none */
    return !is_behind(race, k, FEW_RUNS, HOPELESS) && !is_behind(race, k, MORE_RUNS, BEHIND);
}

/* In an order that has no period: dispatches of as many runs as there are entrants would else give each code
 * the same part of the range again and again, as one whose caches are cold. */
static unsigned
whose_turn(struct lw_race *race)
{
    uint32_t turn = atomic_fetch_add_explicit(&race->turn, 1, memory_order_relaxed);
    return (unsigned)((uint64_t)(uint32_t)(turn * GOLDEN_RATIO) * race->count >> 32);
}

const struct lw_instance *
lw_race_next(struct lw_race *race, unsigned allowed, bool measured, unsigned *lap)
{
    unsigned winner = atomic_load_explicit(&race->winner, memory_order_relaxed), k;
    *lap = LW_MOST_ENTRANTS;
    if (winner < LW_MOST_ENTRANTS)
        return race->entrants[allowed >> winner & 1 ? winner : 0];
    if (lw_final_runner(&race->final, &k)) {
        *lap = measured && allowed >> k & 1 ? k : LW_MOST_ENTRANTS;
        return race->entrants[allowed >> k & 1 ? k : 0];
    }
    if (!measured)
        return race->entrants[0];
    do
        k = whose_turn(race);
    while (!(allowed >> k & 1) || !takes_part(race, k));
    *lap = k;
    return race->entrants[k];
}

static void
end_race(struct lw_race *race, unsigned winner)
{
    unsigned ready = 0, unknown = LW_MOST_ENTRANTS;
    for (unsigned k = 0; k < race->count; k++)
        ready += lw_instance_ready(race->entrants[k]);
    atomic_store(&race->among, ready);
    atomic_compare_exchange_strong(&race->winner, &unknown, winner);
}

/* Those of one lane whose branches may be learnt, when all that take part are there; none where a dispatch
 * has more branches than a processor learns. */
static unsigned
find_challengers(struct lw_race *race, unsigned winner, uint64_t whole)
{
    double best = time_of(&race->laps[winner], FEW_RUNS, 0);
    unsigned challengers = 0;
    if (race->owner->code->doubt != LW_LANES_STRAY || race->entrants[winner]->shape.lanes == 1 ||
        best * (double)whole > LONGEST_FINAL)
        return 0;
    for (unsigned k = 0; k < race->count; k++) {
        struct lw_instance *entrant = race->entrants[k];
        if (!lw_instance_ready(entrant) && !lw_instance_failed(entrant) &&
            prospect_of(race, k) != NONE)
            return 0;
        double time = time_of(&race->laps[k], FEW_RUNS, 0);
        if (entrant->shape.lanes == 1 && time > 0 && time < HOPELESS * best)
            challengers |= 1u << k;
    }
    return challengers;
}

static void
decide(struct lw_race *race, uint64_t whole)
{
    double best = 0;
    unsigned winner = 0;
    for (unsigned k = 0; k < race->count; k++) {
        if (!takes_part(race, k))
            continue;
        double time = time_of(&race->laps[k], LEAST_RUNS, LEAST_NANOSECONDS);
        time = time < 0 ? time_of(&race->laps[k], ENOUGH_RUNS, LESS_NANOSECONDS) : time;
        if (time < 0)
            return;
        if (k == 0)
            best = GAIN * time;
        else if (time < best) {
            best = time;
            winner = k;
        }
    }
    unsigned challengers = find_challengers(race, winner, whole);
    if (!challengers)
        end_race(race, winner);
    else if (!atomic_flag_test_and_set(&race->has_final))
        lw_final_begin(&race->final, winner, challengers);
}

void
lw_race_note(struct lw_race *race, unsigned lap, uint64_t groups, uint64_t whole, uint64_t nanoseconds)
{
    struct lw_lap *to = &race->laps[lap];
    unsigned runner, winner;
    if (lw_final_runner(&race->final, &runner)) {
        if (lap == runner && lw_final_note(&race->final, lap, groups, whole, nanoseconds, &winner))
            end_race(race, winner);
        return;
    }
    if (atomic_fetch_add_explicit(&to->runs, 1, memory_order_relaxed) == 0)
        return; /* its code was in no cache */
    atomic_fetch_add_explicit(&to->groups, groups, memory_order_relaxed);
    atomic_fetch_add_explicit(&to->nanoseconds, nanoseconds, memory_order_relaxed);
    decide(race, whole);
}

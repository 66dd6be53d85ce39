/* SPDX-License-Identifier: MIT */
/* How a dispatch is shared among the caller and the pool.
 *
 * The caller begins alone and calls for help once the dispatch has shown to be worth it: sooner where a
 * worker need not be woken, at once where its code is known to take so long, and never where one thread was
 * found to be faster (crew.c). When help comes it knows what a work-group takes, and no run is so short that
 * taking it would cost much. What is left is parted among the threads: each takes runs of its own part, in
 * increasing order, then of the parts behind it. So a thread finds in its caches what it had there at the
 * last dispatch, and work-groups may wait for lower ones: the caller's part is the lowest, and it ends with
 * all the others.
 *
 * A dispatch by code that is not the best there can be (tiers.c) goes in short runs. Better code is wished
 * for once the dispatch has taken as long as that takes to compile, and gets what is left of the full
 * work-groups when it is there.
 *
 * Enters: a dispatch that is set up, the caller's memory. Leaves: all work-groups run, unless one of them
 * faulted.
 */
#include "../host/clock.h"
#include "../tiers/compile_threads.h"
#include "dispatch_internal.h"

#define ALONE_NANOSECONDS 20000 /* waking a thread takes about as long */
#define ALONE_BESIDE_AWAKE_NANOSECONDS 1500
#define SURELY 2 /* times as long: what others' help is asked for at once */
#define MOST_TRIED_NANOSECONDS 4000000 /* of a dispatch by one thread */
#define LEAST_RUN_NANOSECONDS 1000
#define MOST_RUN_NANOSECONDS 250000 /* until there is better code */
#define SURELY_PARALLEL_ITEMS (1u << 18)

/* `some` work-groups took `nanoseconds`: those that are not `done` go in runs of some length, of which there
 * are still some for every thread. */
static void
set_least_run(struct lw_dispatch *d, uint64_t done, uint64_t some, uint64_t nanoseconds, unsigned threads)
{
    uint64_t groups = some * LEAST_RUN_NANOSECONDS / (nanoseconds + 1);
    uint64_t most = (d->grid.end - d->begin_group - done) / threads / LW_RUNS_PER_THREAD / 2;
    groups = groups < most ? groups : most;
    groups = groups < d->most ? groups : d->most;
    d->least = groups > d->least ? groups : d->least;
    if (d->better) {
        most = some * MOST_RUN_NANOSECONDS / (nanoseconds + 1);
        d->most = most < d->most ? most : d->most;
        d->most = d->most > d->least ? d->most : d->least;
    }
}

static void
note_pace(const struct lw_dispatch *d, uint64_t groups, uint64_t nanoseconds)
{
    if (d->chosen)
        atomic_store_explicit(&d->chosen->group_nanoseconds, nanoseconds / groups, memory_order_relaxed);
}

/* Nanoseconds of processor time that a work-group takes, by what it took before; 0: not known. */
static uint64_t
pace_of(const struct lw_dispatch *d)
{
    return d->chosen ? atomic_load_explicit(&d->chosen->group_nanoseconds, memory_order_relaxed) : 0;
}

/* It is worth others' help from the start, which knows then how long runs are to be. Each thread has the same
 * part of the range again, whose data may be in its caches. */
static bool
is_surely_long(struct lw_dispatch *d, unsigned threads)
{
    uint64_t each = pace_of(d);
    bool awake = lw_pool_looks_out(d->kernel->program->device->pool);
    uint64_t count = d->grid.end - d->begin_group;
    uint64_t least = SURELY * (awake ? ALONE_BESIDE_AWAKE_NANOSECONDS : ALONE_NANOSECONDS);
    if (threads == 1 || d->better || each <= least / count)
        return false;
    set_least_run(d, 0, 1, each, threads);
    return true;
}

/* The caller's first runs. How many work-groups they were. */
static uint64_t
work_alone(struct lw_dispatch *d, unsigned threads, struct lw_thread_memory *arena)
{
    const struct lw_pool *pool = d->kernel->program->device->pool;
    uint64_t begin = lw_nanoseconds_now(), done = d->begin_group, most = d->least;
    for (;;) {
        uint64_t end = d->grid.end - done < most ? d->grid.end : done + most;
        lw_dispatch_run(d, done, end, arena->base);
        done = end;
        if (done == d->grid.end || lw_has_fault(d))
            return d->grid.end;
        uint64_t time = lw_nanoseconds_now() - begin;
        if (time > ALONE_NANOSECONDS || (time > ALONE_BESIDE_AWAKE_NANOSECONDS && lw_pool_looks_out(pool))) {
            done -= d->begin_group;
            set_least_run(d, done, done, time, threads);
            note_pace(d, done, time);
            return d->begin_group + done;
        }
        most *= 2;
    }
}

void
lw_dispatch_improve(struct lw_dispatch *d)
{
    struct lw_instance *better = d->better;
    uint64_t frame = 0;
    if (!better)
        return;
    if (!lw_instance_ready(better)) {
        if (lw_nanoseconds_now() - d->begin >= d->patience)
            lw_compile_later(d->kernel->program->device, better);
        return;
    }
    d->better = NULL;
    if ((d->turns || !better->code->turns) && lw_count_frame(better, d->group_items, &frame) &&
        d->frame_offset + frame + 128 <= d->arena_bytes)
        atomic_store_explicit(&d->special, better, memory_order_release);
}

/* Not while codes race, whose times count by themselves, and not where an attempt may take long. */
static bool
prefers_one_thread(const struct lw_dispatch *d, unsigned threads, enum lw_crew_trial *trial)
{
    uint64_t count = d->grid.end - d->begin_group;
    return threads > 1 && d->chosen && !d->better && !d->race && !d->one_by_one &&
           pace_of(d) <= MOST_TRIED_NANOSECONDS / count &&
           lw_crew_is_alone(&d->chosen->crew, count, trial);
}

/* The whole dispatch, by so many threads. */
static void
note_time(const struct lw_dispatch *d, enum lw_crew_trial trial, unsigned threads)
{
    uint64_t count = d->grid.end - d->begin_group, time = lw_nanoseconds_now() - d->begin;
    note_pace(d, count, time * threads);
    if (d->chosen)
        lw_crew_note(&d->chosen->crew, trial, count, time);
}

/* The work-groups from `done` on, by this thread and those of the pool. */
static void
work_together(struct lw_dispatch *d, uint64_t done, unsigned threads, struct lw_thread_memory *arena)
{
    struct lw_pool *pool = d->kernel->program->device->pool;
    uint64_t first, end;

    lw_parts_divide(&d->parts, done, d->grid.end, threads, d->undivided);
    if (threads > 1)
        lw_pool_publish(pool, &d->task, threads - 1);
    if (d->turns)
        lw_dispatch_take_turns(d, arena);
    while (!d->turns && lw_dispatch_take(d, 0, &first, &end)) {
        lw_dispatch_run(d, first, end, arena->base);
        lw_dispatch_improve(d);
    }
    if (threads > 1)
        lw_pool_finish(pool, &d->task);
}

void
lw_dispatch_share(struct lw_dispatch *d, uint64_t items, struct lw_thread_memory *arena)
{
    unsigned all = d->kernel->program->device->threads, limit = d->kernel->threads,
             most = limit && limit < all ? limit : all;
    uint64_t done = d->begin_group, count = d->grid.end - done;
    unsigned threads = count < most ? (unsigned)count : most;
    enum lw_crew_trial trial = LW_CREW_NO_TRIAL;
    if (d->turns) {
        d->begin = lw_nanoseconds_now();
        work_together(d, done, threads, arena);
        return;
    }
    if (threads == 1 && !d->better && !d->race) {
        lw_dispatch_run(d, done, d->grid.end, arena->base);
        return;
    }
    d->begin = lw_nanoseconds_now();
    bool shared = items >= SURELY_PARALLEL_ITEMS || is_surely_long(d, threads);
    if (shared && prefers_one_thread(d, threads, &trial)) {
        lw_dispatch_run(d, done, d->grid.end, arena->base);
        note_time(d, trial, 1);
        return;
    }
    if (!shared || d->better || (d->race && threads == 1))
        done = work_alone(d, threads, arena);
    if (done == d->grid.end)
        return;
    work_together(d, done, threads, arena);
    if (shared && !d->better)
        note_time(d, trial, threads);
}

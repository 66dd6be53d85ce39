/* SPDX-License-Identifier: MIT */
/* Cuts a dispatch into runs of consecutive work-groups and runs them on the caller and the pool.
 *
 * The caller begins alone and calls for help once the dispatch has shown to be worth it: sooner where a
 * worker need not be woken. By then it knows what a work-group takes, and no run is so short that taking it
 * would cost much. What is left is parted among the threads: each takes runs of its own part, in increasing
 * order, then of the parts behind it. So a thread finds in its caches what it had there at the last dispatch,
 * and work-groups may wait for lower ones: the caller's part is the lowest, and it ends with all the others.
 * Kernels with atomics, whose work-groups may wait for each other all the time (look-back scans), have one
 * part and short runs.
 *
 * A thread cuts its run where full and remainder work-groups meet: full ones go to the specialised code, the
 * others to the masked instance.
 *
 * A dispatch by code that is not the best there can be (tiers.c) goes in short runs. Better code is wished
 * for once the dispatch has taken as long as that takes to compile, and gets what is left of the full
 * work-groups when it is there.
 *
 * In a race of widths (race.h) each run goes to the next code, and its time is noted.
 *
 * Where a device contains faults (faults.h), one of them ends the work-groups that its thread runs; no others
 * are begun, and the dispatch fails.
 *
 * Where sub-groups take turns (turns.h) a thread takes work-groups one by one, and the next one where those
 * that it has wait.
 */
#include "dispatch.h"
#include "blocks.h"
#include "clock.h"
#include "compile_thread.h"
#include "fault_report.h"
#include "group_grid.h"
#include "local_guard.h"
#include "parts.h"
#include "pipe.h"
#include "pool.h"
#include "print.h"
#include "race.h"
#include "specialize.h"
#include "trace.h"
#include "../spirv/enqueue.h"
#include "turns.h"

#include <string.h>

#define ALONE_NANOSECONDS 20000 /* waking a thread takes about as long */
#define ALONE_BESIDE_AWAKE_NANOSECONDS 1500
#define SURELY 2 /* times as long: what others' help is asked for at once */
#define MOST_TRIED_NANOSECONDS 4000000 /* of a dispatch by one thread */
#define LEAST_RUN_NANOSECONDS 1000
#define MOST_RUN_NANOSECONDS 250000 /* until there is better code */
#define LAP_NANOSECONDS 15000       /* a run of a race, at least: the clock costs some hundred */
#define LONGEST_LAP 4u
#define SURELY_PARALLEL_ITEMS (1u << 18)
#define LEAST_ITEMS_PER_RUN 64u

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
    atomic_bool no_memory;       /* turns: for some work-group */
    atomic_uint faults;          /* contained */
    struct lw_found_fault fault; /* the first of them */
    struct lw_parts parts;       /* last: not cleared */
};

/* For lw_current_activity and printf. Initial-exec, so that a signal handler reads it without allocating. */
static _Thread_local struct running {
    const struct lw_dispatch *dispatch;
    uint64_t first, count;
    const char *local;
    struct lw_print print; /* what this thread's work-groups have printed */
} running __attribute__((tls_model("initial-exec")));

/* The code for the work-groups from `first` to `*end`, which may come nearer. `racing`: whose turn it is, or
 * NULL. */
static const struct lw_instance *
code_for(const struct lw_dispatch *d, const struct lw_instance *racing, uint64_t first, uint64_t *end)
{
    const struct lw_instance *special =
        racing ? racing : atomic_load_explicit(&d->special, memory_order_acquire);
    bool full;
    if (!special)
        return d->masked;
    uint64_t stretch = lw_stretch_end(&d->grid, first, &full);
    *end = stretch < *end ? stretch : *end;
    return full ? special : d->masked;
}

static void
note_running(uint64_t first, uint64_t count, const char *memory)
{
    running.first = first;
    running.count = count;
    running.local = memory;
}

/* Others may be running still; nothing more is begun. */
static void
note_fault(struct lw_dispatch *d, const struct lw_fault *fault)
{
    if (atomic_fetch_add(&d->faults, 1) == 0)
        d->fault = (struct lw_found_fault){
            *fault, running.first, running.count, (uintptr_t)running.local, d->local_bytes, d->frame_offset};
}

static bool
has_fault(const struct lw_dispatch *d)
{
    return atomic_load_explicit(&d->faults, memory_order_relaxed) != 0;
}

/* The next run for thread `own`, of its own part or one behind it; false: none is left. */
static bool
take(struct lw_dispatch *d, unsigned own, uint64_t *first, uint64_t *end)
{
    return !has_fault(d) && lw_parts_take(&d->parts, own, d->least, d->most, first, end);
}

struct stretch {
    struct lw_dispatch *d;
    const struct lw_instance *racing;
    uint64_t first, end;
    char *memory;
};

static void
run_stretch(void *data)
{
    const struct stretch *s = data;
    struct lw_dispatch *d = s->d;
    uint64_t first = s->first, end = s->end;
    char *memory = s->memory;
    while (first < end) {
        uint64_t stop = end;
        const struct lw_instance *code = code_for(d, s->racing, first, &stop);
        if (d->one_by_one)
            stop = first + 1;
        note_running(first, stop - first, memory);
        code->code->run(&d->launch, d->kernel->args, first, stop - first, memory, memory + d->frame_offset);
        first = stop;
    }
}

static void
run_groups(struct lw_dispatch *d, uint64_t first, uint64_t end, char *memory)
{
    unsigned lap = LW_MOST_ENTRANTS;
    bool measured = end - first >= d->least;
    const struct lw_instance *racing = d->race ? lw_race_next(d->race, d->entrants, measured, &lap) : NULL;
    struct stretch stretch = {d, racing, first, end, memory};
    struct lw_fault fault;
    uint64_t begin = lap < LW_MOST_ENTRANTS ? lw_thread_nanoseconds() : 0;
    if (!d->kernel->program->device->contain_faults)
        run_stretch(&stretch);
    else if (!has_fault(d) && !lw_contained(run_stretch, &stretch, &fault))
        note_fault(d, &fault);
    if (lap < LW_MOST_ENTRANTS)
        lw_race_note(d->race, lap, end - first, d->grid.end - d->begin_group,
                     lw_thread_nanoseconds() - begin);
    lw_print_flush(&running.print);
}

static uint64_t
print_lanes(const char *types, uint64_t lanes, uint32_t width, const uint64_t *columns)
{
    lw_faults_hold();
    uint64_t result = lw_print_lanes(&running.print, types, lanes, width, columns);
    lw_faults_release();
    return result;
}

/* Of pipes: no locks. */
static void
serve_blocks(uint32_t service, uint64_t lanes, uint32_t width, uint64_t *columns)
{
    if (service < LW_SERVICE_ENQUEUE) {
        lw_serve(service, lanes, width, columns);
        return;
    }
    lw_faults_hold();
    lw_serve_blocks(running.dispatch->kernel, service, lanes, width, columns);
    lw_faults_release();
}

static uint64_t
print_nothing(const char *types, uint64_t lanes, uint32_t width, const uint64_t *columns)
{
    (void)types, (void)lanes, (void)width, (void)columns;
    return 0;
}

/* false: no memory, or none for its guards. */
static bool
take_memory(const struct lw_dispatch *d, struct lw_arena *arena)
{
    if (d->kernel->program->device->guard_local)
        return lw_arena_guard(arena, d->kernel, d->frame_offset, d->arena_bytes);
    if (d->kernel->program->device->contain_faults) {
        struct lw_arena_need need = {d->local_bytes, d->frame_offset, d->arena_bytes - d->frame_offset};
        return lw_arena_contain(arena, &need);
    }
    return lw_arena_reserve(arena, d->arena_bytes);
}

/* ---- turns ---- */

/* One thread's way to them. */
struct taker {
    struct lw_giver giver; /* first: turns.c knows us by it */
    struct lw_dispatch *d;
    struct lw_arena *arena;
    uint64_t first, end; /* taken, not begun */
};

static void improve(struct lw_dispatch *d);

static uint32_t
count_turns(const struct lw_dispatch *d, const struct lw_instance *code, uint64_t group)
{
    uint64_t rest = group, items = 1;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t at = rest % d->grid.groups[i] * d->launch.local_size[i],
                 left = d->launch.global_size[i] - at;
        items *= left < d->launch.local_size[i] ? left : d->launch.local_size[i];
        rest /= d->grid.groups[i];
    }
    uint32_t lanes = code->shape.lanes;
    return (uint32_t)(code->code->turns == LW_TURNS_WORK_ITEMS ? items : (items + lanes - 1) / lanes);
}

static bool
begin_group(struct lw_giver *giver, struct lw_begun *out)
{
    struct taker *t = (struct taker *)giver;
    struct lw_dispatch *d = t->d;
    for (;;) {
        if (t->arena->number == 0)
            improve(d);
        if (t->first == t->end && !take(d, t->arena->number, &t->first, &t->end))
            return false;
        uint64_t group = t->first++, end = t->first;
        const struct lw_instance *code = code_for(d, NULL, group, &end);
        if (code->code->turns) {
            *out = (struct lw_begun){.group = group,
                                     .code = code->code,
                                     .count = count_turns(d, code, group),
                                     .memory = out->memory,
                                     .stacks = out->stacks,
                                     .states = out->states,
                                     .room = out->room};
            return true;
        }
        run_groups(d, group, end, t->arena->base);
    }
}

static bool
reserve_group(struct lw_giver *giver, struct lw_arena *memory)
{
    return take_memory(((struct taker *)giver)->d, memory);
}

static void
enter_group(struct lw_giver *giver, const struct lw_begun *group)
{
    (void)giver;
    note_running(group->group, 1, group->memory.base);
}

/* Of one work-group. */
static size_t
memory_bytes(const struct lw_dispatch *d)
{
    return d->arena_bytes - (d->kernel->program->device->contain_faults ? LW_CONTAINED_GUARD : 0);
}

static void
give_turns(void *data)
{
    struct taker *t = data;
    if (!lw_take_turns(t->arena, &t->giver))
        atomic_store(&t->d->no_memory, true);
}

static void
take_turns(struct lw_dispatch *d, struct lw_arena *arena)
{
    struct taker t = {{&d->launch, d->kernel->args, d->frame_offset, memory_bytes(d), begin_group,
                       reserve_group, enter_group},
                      .d = d,
                      .arena = arena};
    struct lw_fault fault;
    if (!d->kernel->program->device->contain_faults) {
        give_turns(&t);
    } else if (!lw_contained(give_turns, &t, &fault)) {
        lw_turns_abandon(arena);
        note_fault(d, &fault);
    }
    lw_print_flush(&running.print);
}

static void
help(struct lw_task *task, struct lw_arena *arena)
{
    struct lw_dispatch *d = (struct lw_dispatch *)task;
    uint64_t first, end;
    /* Without memory for its own frame a worker leaves the work to the others; the caller has its own
     * already. */
    if (!take_memory(d, arena))
        return;
    running.dispatch = d;
    int trace = d->kernel->program->device->trace;
    uint64_t begin = lw_trace_begin(trace), groups = 0;
    unsigned saved = lw_enter_float_environment(d->flush);
    if (d->turns)
        take_turns(d, arena);
    while (!d->turns && take(d, arena->number, &first, &end)) {
        run_groups(d, first, end, arena->base);
        groups += end - first;
    }
    lw_trace_span(trace, "work", d->kernel->desc->name, begin, "\"groups\":%llu", (unsigned long long)groups);
    lw_leave_float_environment(saved);
    lw_print_free(&running.print);
    running.dispatch = NULL;
}

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
work_alone(struct lw_dispatch *d, unsigned threads, struct lw_arena *arena)
{
    const struct lw_pool *pool = d->kernel->program->device->pool;
    uint64_t begin = lw_nanoseconds_now(), done = d->begin_group, most = d->least;
    for (;;) {
        uint64_t end = d->grid.end - done < most ? d->grid.end : done + most;
        run_groups(d, done, end, arena->base);
        done = end;
        if (done == d->grid.end || has_fault(d))
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

/* false: more than any frame may have. */
static bool
frame_bytes(const struct lw_instance *instance, uint64_t items, uint64_t *most)
{
    if (!instance)
        return true;
    uint64_t sub_groups = (items + instance->shape.lanes - 1) / instance->shape.lanes, bytes;
    if (instance->code->turns == LW_TURNS_WORK_ITEMS)
        sub_groups = items;
    if (__builtin_mul_overflow(sub_groups, instance->code->frame_per_sub_group, &bytes) ||
        __builtin_add_overflow(bytes, instance->code->frame_fixed, &bytes) || bytes > LW_MAX_FRAME_BYTES)
        return false;
    if (bytes > *most)
        *most = bytes;
    return true;
}

/* Between two of the caller's runs: what takes long is worth better code, and goes over to that when it is
 * there. Not where it needs more memory than the threads have taken: the next dispatch will. */
static void
improve(struct lw_dispatch *d)
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
    if ((d->turns || !better->code->turns) && frame_bytes(better, d->group_items, &frame) &&
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

/* The caller's part: alone at first, then with helpers. */
static void
work_as_caller(struct lw_dispatch *d, uint64_t items, struct lw_arena *arena)
{
    struct lw_pool *pool = d->kernel->program->device->pool;
    unsigned all = d->kernel->program->device->threads, limit = d->kernel->threads,
             most = limit && limit < all ? limit : all;
    uint64_t done = d->begin_group, count = d->grid.end - done, first, end;
    unsigned threads = count < most ? (unsigned)count : most;
    enum lw_crew_trial trial = LW_CREW_NO_TRIAL;
    if (d->turns) {
        d->begin = lw_nanoseconds_now();
        lw_parts_divide(&d->parts, done, d->grid.end, threads, d->undivided);
        if (threads > 1)
            lw_pool_publish(pool, &d->task, threads - 1);
        take_turns(d, arena);
        if (threads > 1)
            lw_pool_finish(pool, &d->task);
        return;
    }
    if (threads == 1 && !d->better && !d->race) {
        run_groups(d, done, d->grid.end, arena->base);
        return;
    }
    d->begin = lw_nanoseconds_now();
    bool shared = items >= SURELY_PARALLEL_ITEMS || is_surely_long(d, threads);
    if (shared && prefers_one_thread(d, threads, &trial)) {
        run_groups(d, done, d->grid.end, arena->base);
        note_time(d, trial, 1);
        return;
    }
    if (!shared || d->better || (d->race && threads == 1))
        done = work_alone(d, threads, arena);
    if (done == d->grid.end)
        return;
    lw_parts_divide(&d->parts, done, d->grid.end, threads, d->undivided);
    if (threads > 1)
        lw_pool_publish(pool, &d->task, threads - 1);
    while (take(d, 0, &first, &end)) {
        run_groups(d, first, end, arena->base);
        improve(d);
    }
    if (threads > 1)
        lw_pool_finish(pool, &d->task);
    if (shared && !d->better)
        note_time(d, trial, threads);
}

static void
fill_launch(struct lw_launch *launch, const struct lw_range *range)
{
    memset(launch, 0, sizeof *launch);
    launch->work_dim = range->dimensions;
    launch->print = print_lanes;
    launch->serve = lw_serve;
    launch->wait = lw_wait;
    for (unsigned i = 0; i < 3; i++) {
        launch->global_size[i] = range->global[i];
        launch->global_offset[i] = range->offset[i];
        launch->num_groups[i] = range->groups[i];
        launch->local_size[i] = range->local[i];
    }
}

/* Those that are ready by now, and that there is memory for. Runs are long enough to be measured, and short
 * enough for each code to have some of this dispatch. */
static void
enter_race(struct lw_dispatch *d, const struct lw_choice *choice, uint64_t *frame)
{
    d->race = choice->race;
    for (unsigned k = 0; d->race && k < d->race->count; k++) {
        struct lw_instance *entrant = d->race->entrants[k];
        if (lw_instance_ready(entrant) && frame_bytes(entrant, d->group_items, frame))
            d->entrants |= 1u << k;
    }
    if (!d->race || d->undivided)
        return;
    double time = lw_race_group_time(d->kernel->code[LW_SLOT_SPECIAL]) + 1;
    uint64_t groups = (uint64_t)(LAP_NANOSECONDS / time) + 1, all = d->grid.end - d->begin_group;
    groups = groups < all ? groups : all;
    d->least = groups > d->least ? groups : d->least;
    d->most = LONGEST_LAP * d->least;
}

static bool
set_up(struct lw_dispatch *d, const lw_kernel *kernel, const struct lw_range *range,
       const struct lw_choice *choice, size_t local_bytes, lw_error *error)
{
    uint64_t frame = 0;
    if (!frame_bytes(choice->special, range->group_items, &frame) ||
        !frame_bytes(choice->masked, range->group_items, &frame))
        return lw_runtime_error(
            error, LW_OUT_OF_MEMORY,
            "kernel %s needs more than %llu MiB of private memory for a work-group of %llu "
            "work-items; a smaller local size needs less",
            kernel->desc->name, (unsigned long long)(LW_MAX_FRAME_BYTES >> 20),
            (unsigned long long)range->group_items);
    d->task.work = help;
    d->task.family = kernel->family;
    d->kernel = kernel;
    fill_launch(&d->launch, range);
    if (kernel->family)
        d->launch.serve = serve_blocks;
    if (choice->silent)
        d->launch.print = print_nothing;
    d->launch.program = kernel->build->memory;
    atomic_init(&d->special, choice->special);
    d->masked = choice->masked;
    d->chosen = choice->special;
    d->turns =
        (choice->special && choice->special->code->turns) || (choice->masked && choice->masked->code->turns);
    d->better = choice->better;
    d->group_items = range->group_items;
    d->patience = choice->patience;
    memcpy(d->grid.groups, range->groups, sizeof d->grid.groups);
    memcpy(d->grid.full, range->full, sizeof d->grid.full);
    d->grid.lanes_dimension = range->lanes_dimension;
    d->grid.end = range->end_group;
    d->begin_group = range->first_group;
    d->local_bytes = local_bytes;
    d->frame_offset = kernel->program->device->contain_faults ? lw_contained_frame(local_bytes)
                                                              : (local_bytes + 127) & ~(size_t)127;
    d->least = (LEAST_ITEMS_PER_RUN + range->group_items - 1) / range->group_items;
    /* In loops, by atomics, work-groups may wait for lower ones: long runs would serialise them. */
    d->undivided = d->turns || (kernel->desc->has_atomics && kernel->desc->has_loop);
    d->most = d->undivided ? d->least : UINT64_MAX;
    enter_race(d, choice, &frame);
    d->arena_bytes = d->frame_offset + (size_t)frame + 128;
    d->one_by_one = kernel->program->device->trace_groups;
    d->flush = kernel->program->flags & LW_MATH_FLUSH;
    return true;
}

static bool
tell_fault(const struct lw_dispatch *d, lw_error *error)
{
    const struct lw_instance *codes[2 + LW_MOST_ENTRANTS] = {atomic_load(&d->special), d->masked};
    unsigned count = 2;
    for (unsigned k = 0; d->race && k < d->race->count; k++)
        codes[count++] = lw_instance_ready(d->race->entrants[k]) ? d->race->entrants[k] : NULL;
    return lw_tell_fault(&d->fault, d->kernel->desc->name, &d->grid, codes, count, error);
}

bool
lw_dispatch(const lw_kernel *kernel, const struct lw_range *range, const struct lw_choice *choice,
            size_t local_bytes, lw_error *error)
{
    struct lw_dispatch d;
    memset(&d, 0, offsetof(struct lw_dispatch, parts));
    struct lw_pool *pool = kernel->program->device->pool;
    if (!set_up(&d, kernel, range, choice, local_bytes, error))
        return false;
    struct lw_arena *arena = lw_pool_borrow_arena(pool);
    bool room = arena && take_memory(&d, arena);
    if (room) {
        struct running outer = running;
        running = (struct running){.dispatch = &d};
        unsigned saved = lw_enter_float_environment(d.flush);
        work_as_caller(&d, (range->end_group - range->first_group) * range->group_items, arena);
        lw_leave_float_environment(saved);
        lw_print_free(&running.print);
        running = outer;
        room = !atomic_load(&d.no_memory);
    }
    if (!room) {
        lw_runtime_error(error, LW_OUT_OF_MEMORY,
                         "no memory for the %zu bytes that a work-group of kernel %s needs", memory_bytes(&d),
                         kernel->desc->name);
    }
    if (arena)
        lw_pool_return_arena(pool, arena);
    if (room && has_fault(&d))
        return tell_fault(&d, error);
    return room;
}

bool
lw_current_activity(lw_activity *out)
{
    const struct lw_dispatch *d = running.dispatch;
    if (!d || !out)
        return false;
    *out = (lw_activity){.kernel = d->kernel->desc->name, .groups = running.count};
    lw_find_group(&d->grid, running.first, out->group);
    for (unsigned i = 0; i < 3; i++)
        out->local[i] = d->launch.local_size[i];
    lw_exchange_dimensions(&d->grid, out->local);
    out->local_memory = running.local;
    out->printed = running.print.text;
    out->printed_bytes = running.print.used;
    return true;
}

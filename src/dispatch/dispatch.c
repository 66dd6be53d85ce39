/* SPDX-License-Identifier: MIT */
/* Cuts a dispatch into runs of consecutive work-groups and runs them on the caller and the pool.
 *
 * Which thread runs what, and when, sharing.c decides. Kernels with atomics and loops, whose work-groups may
 * wait for each other all the time (look-back scans), go in short runs.
 *
 * A thread cuts its run where full and remainder work-groups meet: full ones go to the specialised code, the
 * others to the masked instance.
 *
 * In a race of widths (race.h) each run goes to the next code, and the time of its full work-groups is noted:
 * masked code is the same for all.
 *
 * Where a device contains faults (faults.h), one of them ends the work-groups that its thread runs; no others
 * are begun, and the dispatch fails.
 *
 * Where sub-groups take turns (turns.h) a thread takes work-groups one by one, and the next one where those
 * that it has wait. Its runs become longer while nobody in the dispatch has waited.
 */
#include "dispatch.h"
#include "../../spirv/enqueue.h"
#include "../host/clock.h"
#include "../services/pipe.h"
#include "../services/print.h"
#include "../threads/turns.h"
#include "../trace.h"
#include "dispatch_internal.h"
#include "local_guard.h"

#include <string.h>

#define LAP_NANOSECONDS 15000 /* a run of a race, at least: the clock costs some hundred */
#define LONGEST_LAP 4u
#define LEAST_ITEMS_PER_RUN 64u
#define MOST_ITEMS_PER_RUN 4096u /* of code that may wait, and has not */

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

bool
lw_dispatch_take(struct lw_dispatch *d, unsigned own, uint64_t *first, uint64_t *end)
{
    return !lw_has_fault(d) && lw_parts_take(&d->parts, own, d->least, d->most, first, end);
}

struct stretch {
    struct lw_dispatch *d;
    const struct lw_instance *racing;
    bool timed;
    uint64_t first, end;
    uint64_t groups, nanoseconds; /* where it is timed: of those that the racing code ran */
    char *memory;
};

static void
run_stretch(void *data)
{
    struct stretch *s = data;
    struct lw_dispatch *d = s->d;
    uint64_t first = s->first, end = s->end;
    char *memory = s->memory;
    while (first < end) {
        uint64_t stop = end;
        const struct lw_instance *code = code_for(d, s->racing, first, &stop);
        bool timed = s->timed && code == s->racing;
        if (d->one_by_one)
            stop = first + 1;
        note_running(first, stop - first, memory);
        uint64_t begin = timed ? lw_thread_nanoseconds() : 0;
        code->code->run(&d->launch, d->kernel->args, first, stop - first, memory, memory + d->frame_offset);
        s->nanoseconds += timed ? lw_thread_nanoseconds() - begin : 0;
        s->groups += timed ? stop - first : 0;
        first = stop;
    }
}

void
lw_dispatch_run(struct lw_dispatch *d, uint64_t first, uint64_t end, char *memory)
{
    unsigned lap = LW_MOST_ENTRANTS;
    bool measured = end - first >= d->least;
    const struct lw_instance *racing = d->race ? lw_race_next(d->race, d->entrants, measured, &lap) : NULL;
    struct stretch stretch = {d, racing, lap < LW_MOST_ENTRANTS, first, end, 0, 0, memory};
    struct lw_fault fault;
    if (!d->kernel->program->device->contain_faults)
        run_stretch(&stretch);
    else if (!lw_has_fault(d) && !lw_contained(run_stretch, &stretch, &fault))
        note_fault(d, &fault);
    if (stretch.groups)
        lw_race_note(d->race, lap, stretch.groups, d->grid.end - d->begin_group, stretch.nanoseconds);
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
take_memory(const struct lw_dispatch *d, struct lw_thread_memory *arena)
{
    if (d->kernel->program->device->guard_local)
        return lw_thread_memory_guard(arena, d->kernel, d->frame_offset, d->arena_bytes);
    if (d->kernel->program->device->contain_faults) {
        struct lw_thread_memory_need need = {d->local_bytes, d->frame_offset,
                                             d->arena_bytes - d->frame_offset};
        return lw_thread_memory_contain(arena, &need);
    }
    return lw_thread_memory_reserve(arena, d->arena_bytes);
}

/* ---- turns ---- */

/* One thread's way to them. */
struct taker {
    struct lw_giver giver; /* first: turns.c knows us by it */
    struct lw_dispatch *d;
    struct lw_thread_memory *arena;
    uint64_t first, end; /* taken, not begun */
    uint64_t alike;      /* up to there they are like the last one that has begun */
    uint64_t run;        /* the longest that it takes next */
};

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

/* Who takes a work-group has others wait for it that are taken later: longer runs as long as nobody in the
 * dispatch has waited. */
static bool
take_run(struct taker *t)
{
    struct lw_dispatch *d = t->d;
    uint64_t most = (MOST_ITEMS_PER_RUN + d->group_items - 1) / d->group_items;
    if (lw_has_fault(d) || !lw_parts_take(&d->parts, t->arena->number, d->least, t->run, &t->first, &t->end))
        return false;
    t->run = t->run < most / 2 ? 2 * t->run : most;
    if (atomic_load_explicit(&d->waited, memory_order_relaxed))
        t->run = d->most;
    return true;
}

static bool
begin_group(struct lw_giver *giver, struct lw_begun *out)
{
    struct taker *t = (struct taker *)giver;
    struct lw_dispatch *d = t->d;
    for (;;) {
        if (t->arena->number == 0)
            lw_dispatch_improve(d);
        if (t->first == t->end && !take_run(t))
            return false;
        uint64_t group = t->first++, end = t->end;
        const struct lw_instance *code = code_for(d, NULL, group, &end);
        t->alike = code == d->masked || d->one_by_one ? t->first : end;
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
        lw_dispatch_run(d, group, t->first, t->arena->base);
    }
}

static bool
next_group(struct lw_giver *giver, struct lw_begun *group)
{
    struct taker *t = (struct taker *)giver;
    if (t->first >= t->alike || lw_has_fault(t->d))
        return false;
    group->group = t->first++;
    return true;
}

static bool
reserve_group(struct lw_giver *giver, struct lw_thread_memory *memory)
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

void
lw_dispatch_take_turns(struct lw_dispatch *d, struct lw_thread_memory *arena)
{
    struct taker t = {{&d->launch, d->kernel->args, d->frame_offset, memory_bytes(d), begin_group,
                       next_group, reserve_group, enter_group, &d->waited},
                      .d = d,
                      .arena = arena,
                      .run = d->most};
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
help(struct lw_task *task, struct lw_thread_memory *arena)
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
        lw_dispatch_take_turns(d, arena);
    while (!d->turns && lw_dispatch_take(d, arena->number, &first, &end)) {
        lw_dispatch_run(d, first, end, arena->base);
        groups += end - first;
    }
    lw_trace_span(trace, "work", d->kernel->desc->name, begin, "\"groups\":%llu", (unsigned long long)groups);
    lw_leave_float_environment(saved);
    lw_print_free(&running.print);
    running.dispatch = NULL;
}

bool
lw_count_frame(const struct lw_instance *instance, uint64_t items, uint64_t *most)
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
        if (lw_instance_ready(entrant) && lw_count_frame(entrant, d->group_items, frame))
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

/* So many work-groups that taking them costs little, but some for each thread: a few may take long. */
static uint64_t
least_run(const lw_kernel *kernel, const struct lw_range *range)
{
    uint64_t groups = (LEAST_ITEMS_PER_RUN + range->group_items - 1) / range->group_items;
    uint64_t most = (range->end_group - range->first_group) / kernel->program->device->threads;
    groups = groups < most ? groups : most;
    return groups ? groups : 1;
}

static bool
set_up(struct lw_dispatch *d, const lw_kernel *kernel, const struct lw_range *range,
       const struct lw_choice *choice, size_t local_bytes, lw_error *error)
{
    uint64_t frame = 0;
    if (!lw_count_frame(choice->special, range->group_items, &frame) ||
        !lw_count_frame(choice->masked, range->group_items, &frame))
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
    d->least = least_run(kernel, range);
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
    struct lw_thread_memory *arena = lw_pool_borrow_arena(pool);
    bool room = arena && take_memory(&d, arena);
    if (room) {
        struct running outer = running;
        running = (struct running){.dispatch = &d};
        unsigned saved = lw_enter_float_environment(d.flush);
        lw_dispatch_share(&d, (range->end_group - range->first_group) * range->group_items, arena);
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
    if (room && lw_has_fault(&d))
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

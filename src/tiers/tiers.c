/* SPDX-License-Identifier: MIT */
/* The tiers: which code serves a dispatch.
 *
 *   first code   compiled in less than half the time, for a range that was not seen before: for its shape, or
 *                masked, for any
 *   masked       any local size and remainder work-groups, once those came often
 *   special      specialised on the shape. A kernel's first range waits for it where that is no small one, as
 *                long as such waits have not taken their part of the time: what programs repeat they also
 *                measure, but for the first dispatch. Else, of a large range it is wished for at the first
 *                dispatch, of others when their dispatches took as long as it takes to compile; the compile
 *                thread makes it. It is waited for, a while, when the shape keeps coming, or has cost as much
 *
 * What is on disk is taken at once; where that is first code the compiler is not loaded before it pays. A
 * dispatch that is under way goes over to special code too (dispatch.c). First code does the same arithmetic
 * in the same order. Whoever asks for reports or dumps gets the code that lasts; so does a build without
 * optimizations, whose masked code is hardly dearer.
 *
 * Where the compiler fails on one, by an error or by its death, the kernel has to do with less from then on:
 * masked code in place of special code, masked first code, which takes the fewest passes, in place of that.
 * Only what fails there too is refused. LANEWISE_VERIFY hides no failure that is ours.
 */
#include "tiers.h"
#include "../host/clock.h"
#include "../trace.h"
#include "compile_threads.h"
#include "race.h"
#include "steady.h"

#include <string.h>

#define PROMPT_ITEMS (1u << 11) /* where special code is waited for at once, and of so many instructions */
#define PROMPT_INSTRUCTIONS 2000u
#define PROMPT_PART 0.2 /* of the time that the device has been there */
#define PROMPT_WAIT_NANOSECONDS 150000000 /* for one code, at most */
#define LARGE_ITEMS (1u << 16)
#define VERY_LARGE_ITEMS (1u << 22) /* where there is no first code */
#define HOT_RUNS 16u
#define HOT_RUNS_OF_ONE 8u               /* of the only shape a kernel is run with */
#define LEAST_WAIT_NANOSECONDS 100000000 /* code for any size may take as long, where much else is done */
#define LASTING_CODE_COSTS 2.2           /* times as much to compile as first code */

struct lw_instance *
lw_fetch_code(lw_kernel *kernel, enum lw_code_slot slot, const struct lw_shape *shape, lw_error *error)
{
    struct lw_cache *cache = kernel->program->device->cache;
    struct lw_instance **held = &kernel->code[slot];
    bool again = *held && atomic_load(&(*held)->state) == LW_INSTANCE_FAILED && !lw_instance_failed(*held);
    if (*held && !again && lw_instance_matches(*held, kernel, shape)) {
        lw_instance_touch(cache, *held);
        return *held;
    }
    lw_instance_release(*held);
    *held = lw_cache_find(cache, kernel, shape);
    if (!*held)
        lw_runtime_error(error, LW_OUT_OF_MEMORY, "no memory for the code of kernel %s", kernel->desc->name);
    return *held;
}

bool
lw_compile_code(lw_kernel *kernel, struct lw_instance *instance, lw_error *error)
{
    bool there = lw_instance_ready(instance);
    bool good = lw_instance_compile(kernel->program->device, instance, LW_NEEDED, error);
    if (!there) /* what a command waits for before it executes */
        kernel->begun = lw_nanoseconds_now();
    if (atomic_load_explicit(&instance->counted, memory_order_relaxed) ||
        atomic_exchange_explicit(&instance->counted, true, memory_order_relaxed))
        return good;
    kernel->info.milliseconds += instance->spent;
    kernel->info.compilations += !good || instance->compiler;
    return good;
}

/* ---- first code ---- */

/* In the usual width: what is computed in several registers takes as many instructions. */
static struct lw_shape
first_shape(const struct lw_shape *shape, const struct lw_shape *masked)
{
    struct lw_shape first;
    memcpy(&first, shape, sizeof first); /* the padding is part of the key */
    first.build |= LW_BUILD_FIRST;
    first.known = 0; /* the same for all strides: who changes them each time has it compiled once */
    memset(first.values, 0, sizeof first.values);
    if (first.local_size[0] && first.lanes > masked->lanes) {
        first.lanes = masked->lanes;
        first.row_multiple = first.local_size[0] % first.lanes == 0;
    }
    return first;
}

/* Without `error` other code will do: what failed once is not tried again. */
static struct lw_instance *
first_code(lw_kernel *kernel, enum lw_code_slot slot, const struct lw_shape *shape, lw_error *error)
{
    struct lw_shape first = first_shape(shape, &kernel->code[LW_SLOT_MASKED]->shape);
    const struct lw_instance *held = kernel->code[slot];
    if (!error && held && atomic_load(&held->state) == LW_INSTANCE_FAILED &&
        lw_instance_matches(held, kernel, &first))
        return NULL;
    struct lw_instance *instance = lw_fetch_code(kernel, slot, &first, error);
    return instance && lw_compile_code(kernel, instance, error) ? instance : NULL;
}

/* Is the kernel's first code for a shape this shape's, and ready? */
static bool
first_code_fits(const lw_kernel *kernel)
{
    struct lw_instance *held = kernel->code[LW_SLOT_FIRST_SPECIAL];
    struct lw_shape first =
        first_shape(&kernel->code[LW_SLOT_SPECIAL]->shape, &kernel->code[LW_SLOT_MASKED]->shape);
    return held && lw_instance_ready(held) && lw_instance_matches(held, kernel, &first);
}

/* ---- what pays ---- */

/* Nanoseconds to compile the code that lasts, by what was compiled before. */
static uint64_t
estimate(const lw_kernel *kernel)
{
    double milliseconds = 0;
    for (unsigned slot = 0; slot < LW_SLOT_COUNT && milliseconds == 0; slot++) {
        struct lw_instance *code = kernel->code[slot];
        if (code && lw_instance_ready(code))
            milliseconds = code->milliseconds * (code->shape.build & LW_BUILD_FIRST ? LASTING_CODE_COSTS : 1);
    }
    return milliseconds ? (uint64_t)(milliseconds * 1e6) : UINT64_MAX;
}

/* Has the kernel had no other shape? A second one is a sign of many, which masked code serves. */
static bool
is_only_shape(const lw_kernel *kernel)
{
    return atomic_load(&kernel->code[LW_SLOT_SPECIAL]->runs) ==
           atomic_load(&kernel->code[LW_SLOT_MASKED]->runs);
}

static bool
special_pays(const lw_kernel *kernel)
{
    struct lw_instance *special = kernel->code[LW_SLOT_SPECIAL];
    uint64_t runs = atomic_load(&special->runs);
    return runs && (runs >= (is_only_shape(kernel) ? HOT_RUNS_OF_ONE : HOT_RUNS) ||
                    atomic_load(&special->nanoseconds) >= estimate(kernel));
}

static bool
masked_pays(const lw_kernel *kernel)
{
    struct lw_instance *masked = kernel->code[LW_SLOT_MASKED];
    return atomic_load(&masked->runs) >= HOT_RUNS || atomic_load(&masked->nanoseconds) >= estimate(kernel);
}

static bool
is_large(const lw_kernel *kernel, const struct lw_range *range, bool remainders)
{
    return range->total_items >= LARGE_ITEMS && !remainders && is_only_shape(kernel) &&
           !lw_instance_ready(kernel->code[LW_SLOT_MASKED]);
}

/* Is this the first range of a kernel, of which there is no code yet, and the device's time for such not used
 * up? */
static bool
is_prompt(lw_kernel *kernel, const struct lw_range *range, uint64_t full_groups)
{
    lw_device *device = kernel->program->device;
    struct lw_instance *special = kernel->code[LW_SLOT_SPECIAL], *masked = kernel->code[LW_SLOT_MASKED];
    if (range->total_items < PROMPT_ITEMS || full_groups < range->total_groups / 2 ||
        atomic_load(&masked->runs) || lw_instance_ready(masked) ||
        kernel->desc->instruction_count > PROMPT_INSTRUCTIONS)
        return false;
    double there = (double)(lw_nanoseconds_now() - device->created);
    double may = device->options.prompt * 1e6 + PROMPT_PART * there;
    if (!device->options.prompt ||
        (double)atomic_load_explicit(&device->prompt_nanoseconds, memory_order_relaxed) > may)
        return false;
    struct lw_shape first = first_shape(&special->shape, &masked->shape);
    struct lw_instance *on_disk = lw_fetch_code(kernel, LW_SLOT_FIRST_SPECIAL, &first, NULL);
    return on_disk && !lw_instance_load(device, on_disk);
}

/* Waits for special code, where the compile thread has nothing else to do. Is it there, and not too dear? */
static bool
special_at_once(lw_kernel *kernel)
{
    lw_device *device = kernel->program->device;
    struct lw_instance *special = kernel->code[LW_SLOT_SPECIAL];
    uint64_t begin = lw_nanoseconds_now();
    if (!lw_compile_later(device, special) || !lw_compiles_one(device))
        return false;
    atomic_store_explicit(&special->awaited, true, memory_order_relaxed);
    bool ready = lw_instance_wait(device, special, PROMPT_WAIT_NANOSECONDS);
    kernel->begun = lw_nanoseconds_now();
    atomic_fetch_add_explicit(&device->prompt_nanoseconds, kernel->begun - begin, memory_order_relaxed);
    if (ready) { /* another shape will not be the first */
        atomic_fetch_add_explicit(&special->runs, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&kernel->code[LW_SLOT_MASKED]->runs, 1, memory_order_relaxed);
    }
    return ready;
}

/* ---- the choice ---- */

/* For remainders of what special code does, or for everything. */
static struct lw_instance *
code_for_any_size(lw_kernel *kernel, bool first, bool remainders, lw_error *error)
{
    lw_device *device = kernel->program->device;
    struct lw_instance *masked = kernel->code[LW_SLOT_MASKED], *code = NULL;
    if (first && !lw_instance_load(device, masked) &&
        (!masked_pays(kernel) || (remainders && lw_compile_later(device, masked))))
        code = first_code(kernel, LW_SLOT_FIRST_MASKED, &masked->shape, NULL); /* masked will do */
    if (code)
        return code;
    if (lw_compile_code(kernel, masked, error))
        return masked;
    return lw_instance_failed(masked) ? first_code(kernel, LW_SLOT_FIRST_MASKED, &masked->shape, NULL) : NULL;
}

/* NULL where the range has a remainder, or its shape is one of several, or first code cannot be had. */
static struct lw_instance *
first_code_for_shape(lw_kernel *kernel, bool remainders)
{
    if (remainders || lw_instance_ready(kernel->code[LW_SLOT_MASKED]) ||
        (!is_only_shape(kernel) && !first_code_fits(kernel)))
        return NULL;
    return first_code(kernel, LW_SLOT_FIRST_SPECIAL, &kernel->code[LW_SLOT_SPECIAL]->shape, NULL);
}

/* LANEWISE_TIER=first */
static bool
choose_first_code(lw_kernel *kernel, bool full, bool remainders, struct lw_choice *out, lw_error *error)
{
    if (full)
        out->special =
            first_code(kernel, LW_SLOT_FIRST_SPECIAL, &kernel->code[LW_SLOT_SPECIAL]->shape, error);
    if (remainders || !full)
        out->masked = first_code(kernel, LW_SLOT_FIRST_MASKED, &kernel->code[LW_SLOT_MASKED]->shape, error);
    return (!full || out->special) && ((!remainders && full) || out->masked);
}

/* Its budget ended, or the machine's means: code for any size serves then, as it does without LANEWISE_TIER.
 */
static bool
first_code_gave_up(const lw_kernel *kernel)
{
    static const unsigned slots[] = {LW_SLOT_FIRST_SPECIAL, LW_SLOT_FIRST_MASKED};
    for (unsigned i = 0; i < sizeof slots / sizeof slots[0]; i++) {
        const struct lw_instance *code = kernel->code[slots[i]];
        if (code && lw_instance_failed(code) && code->error.status != LW_INTERNAL)
            return true;
    }
    return false;
}

/* First code, or masked code, until special code pays. */
static bool
choose_code_for_now(lw_kernel *kernel, const struct lw_range *range, bool remainders, bool may_specialise,
                    struct lw_choice *out, lw_error *error)
{
    struct lw_instance *special = kernel->code[LW_SLOT_SPECIAL];
    if (may_specialise)
        out->special = first_code_for_shape(kernel, remainders);
    if (!out->special && !(out->masked = code_for_any_size(kernel, true, false, error)))
        return false;
    if (!may_specialise)
        return true;
    if (is_large(kernel, range, remainders) && out->special && out->special->compiler)
        lw_compile_later(kernel->program->device, special);
    uint64_t pays = estimate(kernel), spent = atomic_load(&special->nanoseconds);
    out->better = special;
    out->patience = pays > spent ? pays - spent : 0;
    return true;
}

/* Is special code ready, or nearly? The caller waits once, and no longer than code for any size would take;
 * then, and where the compile thread has more to do, other code serves until that is done. */
static bool
special_soon(lw_kernel *kernel)
{
    lw_device *device = kernel->program->device;
    struct lw_instance *special = kernel->code[LW_SLOT_SPECIAL];
    if (lw_instance_load(device, special) || !lw_compile_later(device, special))
        return true;
    if (atomic_exchange_explicit(&special->awaited, true, memory_order_relaxed) || !lw_compiles_one(device))
        return lw_instance_failed(special);
    uint64_t most = estimate(kernel);
    bool usual = most < LEAST_WAIT_NANOSECONDS || most == UINT64_MAX;
    bool ready = lw_instance_wait(device, special, usual ? LEAST_WAIT_NANOSECONDS : most);
    kernel->begun = lw_nanoseconds_now();
    return ready || lw_instance_failed(special);
}

/* Special code where it pays, else what there is until it does. */
static bool
choose(lw_kernel *kernel, const struct lw_range *range, bool preparing, struct lw_choice *out,
       lw_error *error)
{
    lw_device *device = kernel->program->device;
    unsigned tier = device->options.tier;
    struct lw_instance *special = kernel->code[LW_SLOT_SPECIAL];
    uint64_t full_groups = range->full[0] * range->full[1] * range->full[2];
    bool remainders = full_groups != range->total_groups;
    bool optimized = !(special->shape.build & LW_BUILD_UNOPTIMIZED);
    bool may_specialise = full_groups && tier != LW_TIER_MASKED && optimized;
    bool first = tier == LW_TIER_AUTO && optimized && !preparing && !device->dump && !device->explain;

    if (tier == LW_TIER_FIRST) {
        if (choose_first_code(kernel, full_groups && optimized, remainders, out, error))
            return true;
        if (!first_code_gave_up(kernel))
            return false;
        *out = (struct lw_choice){.masked = code_for_any_size(kernel, false, false, error)};
        return out->masked != NULL;
    }
    if (may_specialise && lw_instance_failed(special))
        may_specialise = first = false;
    bool pays = tier == LW_TIER_SPECIALISED || preparing || device->explanations ||
                lw_instance_ready(special) || special_pays(kernel);
    if (may_specialise && !pays)
        pays = first ? lw_instance_load(device, special)
                     : range->total_items >= VERY_LARGE_ITEMS || is_large(kernel, range, remainders);
    bool prompt =
        first && may_specialise && !pays && is_prompt(kernel, range, full_groups) && special_at_once(kernel);
    if (first && !prompt && !(may_specialise && pays && special_soon(kernel)))
        return choose_code_for_now(kernel, range, remainders, may_specialise, out, error);
    if (may_specialise && (pays || prompt)) {
        if (lw_compile_code(kernel, special, error))
            out->special = special;
        else if (!lw_instance_failed(special))
            return false;
    }
    if (!out->special || remainders)
        out->masked = code_for_any_size(kernel, first, out->special, error);
    return out->masked || (out->special && !remainders);
}

bool
lw_choose_first_code(lw_kernel *kernel, const struct lw_range *range, struct lw_choice *out)
{
    uint64_t full_groups = range->full[0] * range->full[1] * range->full[2];
    bool optimized = !(kernel->code[LW_SLOT_MASKED]->shape.build & LW_BUILD_UNOPTIMIZED);
    lw_error error;
    *out = (struct lw_choice){0};
    return choose_first_code(kernel, full_groups && optimized, full_groups != range->total_groups, out,
                             &error);
}

/* LANEWISE_VERIFY: a failure that is ours, which other code would hide. */
static bool
hides_failure(const lw_kernel *kernel, lw_error *error)
{
    for (unsigned slot = 0; slot < LW_SLOT_COUNT; slot++) {
        const struct lw_instance *code = kernel->code[slot];
        if (code && lw_instance_failed(code) && code->error.status == LW_INTERNAL) {
            *error = code->error;
            return true;
        }
    }
    return false;
}

/* The code that the race of this special code leaves the dispatch to; NULL: it is not known yet. Then the
 * dispatch may be part of it, or its time is of interest. */
static struct lw_instance *
ask_race(lw_kernel *kernel, struct lw_instance *special, struct lw_instance *before, bool open,
         struct lw_choice *out)
{
    open = open && lw_race_is_open(special);
    out->race = open ? lw_race_join(kernel, special, before) : NULL;
    out->watched = open && !out->race ? special : NULL;
    return out->race ? NULL : lw_race_winner(special);
}

/* Special code that knows the arguments comes before other widths of the one that does not: where it wins,
 * its own are what counts. */
static void
choose_among_special(lw_kernel *kernel, bool preparing, struct lw_choice *out)
{
    struct lw_instance *special = out->special;
    bool open = !preparing, widths = lw_race_is_allowed(kernel, special);
    struct lw_instance *winner = widths ? lw_race_winner(special) : NULL;
    enum lw_hope hope = LW_HOPE_NONE;
    struct lw_instance *steady = preparing ? NULL : lw_steady_code(kernel, special, &hope);
    out->special = winner ? winner : special;
    if (steady && (winner = ask_race(kernel, steady, out->special, open, out)))
        out->special = winner;
    bool undecided = out->race || out->watched || hope == LW_HOPE_SOON;
    if (!undecided && widths && out->special->shape.known == special->shape.known &&
        (winner = ask_race(kernel, special, NULL, open, out)))
        out->special = winner;
    if (open && hope && !out->race)
        out->watched = special;
}

/* What serves in the place of special code is the kernel's. */
static void
hold_winner(lw_kernel *kernel, struct lw_instance *winner)
{
    struct lw_instance **held = &kernel->code[LW_SLOT_WINNER];
    int trace = kernel->program->device->trace;
    if (winner == kernel->code[LW_SLOT_SPECIAL] || *held == winner)
        return;
    lw_instance_release(*held);
    *held = winner;
    atomic_fetch_add_explicit(&winner->refs, 1, memory_order_relaxed);
    lw_compile_code(kernel, winner, NULL); /* counts it */
    lw_trace_span(trace, "race", kernel->desc->name, lw_trace_begin(trace), "\"lanes\":%u,\"known\":%d",
                  winner->shape.lanes, __builtin_popcountll(winner->shape.known));
}

static unsigned
refused_kind(const struct lw_range *range)
{
    return range->full[0] * range->full[1] * range->full[2] == range->total_groups ? LW_REFUSED_FULL
                                                                                   : LW_REFUSED_REMAINDERS;
}

bool
lw_choose_code(lw_kernel *kernel, const struct lw_range *range, const struct lw_shape *masked_shape,
               const struct lw_shape *special_shape, bool preparing, struct lw_choice *out, lw_error *error)
{
    lw_error ours;
    struct lw_cache *cache = kernel->program->device->cache;

    *out = (struct lw_choice){0};
    error = error ? error : &ours;
    struct lw_instance *masked = lw_fetch_code(kernel, LW_SLOT_MASKED, masked_shape, error);
    struct lw_instance *special =
        masked ? lw_fetch_code(kernel, LW_SLOT_SPECIAL, special_shape, error) : NULL;
    if (!special)
        return false;
    if (choose(kernel, range, preparing, out, error) &&
        !(kernel->program->device->options.verify && hides_failure(kernel, error))) {
        lw_no_error(error); /* of what was done without */
        if (out->special && out->special == special) {
            choose_among_special(kernel, preparing, out);
            hold_winner(kernel, out->special);
        }
        return true;
    }
    const struct lw_instance *least = kernel->code[LW_SLOT_FIRST_MASKED];
    if (lw_instance_failed(masked) && least && lw_instance_failed(least)) {
        lw_instance_refuse(cache, special, refused_kind(range), error);
        atomic_store_explicit(&kernel->build->refuses, true, memory_order_relaxed);
    }
    return false;
}

bool
lw_range_is_refused(const lw_kernel *kernel, const struct lw_range *range, const struct lw_shape *special,
                    lw_error *error)
{
    return lw_cache_refuses(kernel->program->device->cache, kernel, special, refused_kind(range), error);
}

void
lw_note_run(lw_kernel *kernel, const struct lw_choice *choice, uint64_t nanoseconds)
{
    struct lw_instance *masked = kernel->code[LW_SLOT_MASKED], *special = kernel->code[LW_SLOT_SPECIAL];
    if (choice->special != special) {
        atomic_fetch_add_explicit(&special->runs, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&special->nanoseconds, nanoseconds, memory_order_relaxed);
    }
    if (choice->masked != masked && (choice->masked || choice->special != special)) {
        atomic_fetch_add_explicit(&masked->runs, 1, memory_order_relaxed);
        if (!choice->special)
            atomic_fetch_add_explicit(&masked->nanoseconds, nanoseconds, memory_order_relaxed);
    }
}

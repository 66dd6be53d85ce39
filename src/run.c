/* SPDX-License-Identifier: MIT */
/* lw_kernel_run: arguments and range checked, code chosen (tiers.c), the dispatch started. */
#include "compiler/report_text.h"
#include "dispatch/cross_check.h"
#include "dispatch/dispatch.h"
#include "host/clock.h"
#include "ranges/dispatch_facts.h"
#include "ranges/known.h"
#include "ranges/shape.h"
#include "ranges/stretch.h"
#include "services/family.h"
#include "tiers/race.h"
#include "tiers/tiers.h"
#include "trace.h"

#include <stdlib.h>
#include <string.h>

/* Work-groups by their id in the last dimension; all where `end` is 0. */
struct slab {
    uint64_t first, end;
};

/* What a range was found to be: a kernel that runs over the same range again, as most do, is not asked again.
 */
struct lw_plan {
    lw_ndrange asked;
    struct slab slab;
    uint32_t sub_group_size, asked_size; /* the kernel's; and what it was asked for: code of other widths */
    unsigned flags;                      /* the program's */
    struct lw_range whole; /* as it was asked for */
    struct lw_range range; /* as it is cut */
    struct lw_shape masked, special;
};

static bool
plan_holds(const lw_kernel *kernel, const lw_ndrange *asked, const struct slab *slab, bool preparing)
{
    const struct lw_plan *p = kernel->plan;
    if (!p || p->asked.dimensions != asked->dimensions || p->slab.first != slab->first ||
        p->slab.end != slab->end || p->sub_group_size != kernel->sub_group_size ||
        p->asked_size != kernel->asked || p->flags != kernel->program->flags ||
        p->masked.buffers_4g != lw_buffers_are_small(kernel) ||
        p->special.buffers_apart != lw_buffers_are_apart(kernel) ||
        p->special.heads != lw_readable_heads(kernel, preparing) ||
        p->special.few_rounds != lw_has_few_rounds(kernel, &p->range) ||
        !lw_known_arguments_are(kernel, &p->special) ||
        (p->range.stretched ? p->range.global[0] : 0) != lw_stretched_size(kernel, &p->whole))
        return false;
    for (uint32_t d = 0; d < asked->dimensions; d++)
        if (p->asked.global[d] != asked->global[d] || p->asked.local[d] != asked->local[d] ||
            p->asked.offset[d] != asked->offset[d])
            return false;
    return lw_images_are(kernel, &p->range, p->masked.images);
}

/* The work-groups of the slab, in the range as it is cut: consecutive ones, as the last dimension is the
 * slowest. False: the cut goes through one. `local` is what the slab's work-groups have in that dimension. */
static bool
place_slab(struct lw_range *range, const struct slab *slab, uint64_t local)
{
    unsigned last = range->dimensions - 1;
    uint64_t first = slab->first * local, end = slab->end * local, per = 1; /* work-items of that dimension */
    end = end < range->global[last] ? end : range->global[last];
    if (range->lanes_dimension || range->stretched || first % range->local[last] ||
        (end % range->local[last] && end != range->global[last]))
        return false;
    for (unsigned d = 0; d < last; d++)
        per *= range->groups[d];
    range->first_group = first / range->local[last] * per;
    range->end_group = (end + range->local[last] - 1) / range->local[last] * per;
    return true;
}

static bool
choose_slab(lw_kernel *kernel, struct lw_plan *p, const lw_ndrange *asked, const struct slab *slab,
            bool preparing, lw_error *error)
{
    struct lw_range *whole = &p->whole;
    unsigned last = whole->dimensions - 1;
    if (slab->first > slab->end || slab->end > whole->groups[last])
        return lw_runtime_error(
            error, LW_BAD_ARGUMENT,
            "kernel %s: work-groups %llu to %llu of dimension %u were asked for, which has %llu",
            kernel->desc->name, (unsigned long long)slab->first, (unsigned long long)slab->end, last,
            (unsigned long long)whole->groups[last]);
    if (place_slab(&p->range, slab, whole->local[last]))
        return true;
    if (!lw_range_check(kernel, asked, &p->range, error))
        return false;
    p->range.keeps_groups = whole->keeps_groups = true;
    lw_choose_shapes(kernel, &p->range, preparing, &p->masked, &p->special);
    return place_slab(&p->range, slab, whole->local[last]);
}

/* NULL: refused, or no memory. */
static const struct lw_plan *
make_plan(lw_kernel *kernel, const lw_ndrange *asked, const struct slab *slab, bool preparing,
          lw_error *error)
{
    if (plan_holds(kernel, asked, slab, preparing))
        return kernel->plan;
    struct lw_plan *p = kernel->plan;
    kernel->plan = NULL;
    if (!p && !(p = malloc(sizeof *p))) {
        lw_runtime_error(error, LW_OUT_OF_MEMORY, "no memory for the range of kernel %s", kernel->desc->name);
        return NULL;
    }
    if (!lw_range_check(kernel, asked, &p->range, error)) {
        free(p);
        return NULL;
    }
    memset(&p->masked, 0, sizeof p->masked);
    memset(&p->special, 0, sizeof p->special);
    p->whole = p->range;
    if (p->range.total_groups)
        lw_choose_shapes(kernel, &p->range, preparing, &p->masked, &p->special);
    if (slab->end && !choose_slab(kernel, p, asked, slab, preparing, error)) {
        free(p);
        return NULL;
    }
    p->asked = *asked;
    p->slab = *slab;
    p->sub_group_size = kernel->sub_group_size;
    p->asked_size = kernel->asked;
    p->flags = kernel->program->flags;
    return kernel->plan = p;
}

static void
note_code(lw_kernel *kernel, const struct lw_instance *code, const struct lw_range *range)
{
    kernel->used = 0;
    while (kernel->code[kernel->used] != code)
        kernel->used++;
    kernel->info.first = code->shape.build & LW_BUILD_FIRST;
    uint64_t lanes = code->shape.lanes, sub_groups = (range->group_items + lanes - 1) / lanes;
    kernel->info.lanes = (uint32_t)lanes;
    kernel->info.specialised = code->shape.local_size[0] != 0;
    kernel->info.frame_bytes = code->code->frame_fixed + sub_groups * code->code->frame_per_sub_group;
    kernel->info.code_bytes = code->code->code_bytes;
}

static bool
run(lw_kernel *kernel, const lw_ndrange *asked, const struct slab *slab, bool preparing, lw_error *error)
{
    struct lw_choice choice;
    size_t local_bytes;
    const struct lw_plan *plan = make_plan(kernel, asked, slab, preparing, error);
    kernel->begun = 0;
    if (!plan)
        return false;
    if (plan->range.first_group == plan->range.end_group)
        return true;
    /* What a block reaches by what it captured is not known. */
    bool check = kernel->program->device->options.cross_check && !preparing && !kernel->child && !slab->end,
         done;
    if (!lw_choose_code(kernel, &plan->range, &plan->masked, &plan->special, preparing || check, &choice,
                        error))
        return false;
    note_code(kernel, choice.special ? choice.special : choice.masked, &plan->range);
    if (preparing)
        return true;
    if (!lw_kernel_place_local(kernel, &local_bytes, error))
        return false;
    if (check &&
        !lw_cross_check(kernel, asked, &plan->range, &plan->masked, &choice, local_bytes, &done, error))
        return false;
    if (check && done)
        return true;
    int trace = kernel->program->device->trace;
    uint64_t traced = lw_trace_begin(trace);
    bool lasting = choice.special && !(choice.special->shape.build & LW_BUILD_FIRST) && !choice.masked;
    uint64_t begin = lasting && !choice.watched ? 0 : lw_nanoseconds_now();
    if (!lw_dispatch(kernel, &plan->range, &choice, local_bytes, error))
        return false;
    uint64_t taken = lasting && !choice.watched ? 0 : lw_nanoseconds_now() - begin;
    if (choice.watched)
        lw_race_watch(choice.watched, plan->range.end_group - plan->range.first_group, taken);
    if (!lasting)
        lw_note_run(kernel, &choice, taken);
    lw_trace_span(trace, "dispatch", kernel->desc->name, traced,
                  "\"items\":%llu,\"groups\":%llu,\"local\":%llu,\"lanes\":%u,\"code\":\"%s\"",
                  (unsigned long long)plan->range.total_items,
                  (unsigned long long)(plan->range.end_group - plan->range.first_group),
                  (unsigned long long)plan->range.group_items, kernel->info.lanes,
                  kernel->info.first ? "first" : kernel->info.specialised ? "specialised" : "masked");
    return true;
}

bool
lw_kernel_check_range(const lw_kernel *kernel, const lw_ndrange *asked, lw_error *error)
{
    struct lw_range range;
    return lw_range_validate(kernel, asked, &range, error);
}

bool
lw_kernel_is_refused(const lw_kernel *kernel, const lw_ndrange *asked, lw_error *error)
{
    struct lw_range range;
    struct lw_shape masked, special;
    if (!atomic_load_explicit(&kernel->build->refuses, memory_order_relaxed))
        return false;
    lw_device_after_fork(kernel->program->device);
    if (!lw_range_check(kernel, asked, &range, NULL) || range.total_groups == 0)
        return false;
    lw_choose_shapes(kernel, &range, false, &masked, &special);
    return lw_range_is_refused(kernel, &range, &special, error);
}

const char *
lw_kernel_take_failure(lw_kernel *kernel)
{
    for (unsigned slot = 0; slot < LW_SLOT_COUNT; slot++) {
        struct lw_instance *code = kernel->code[slot];
        if (code && lw_instance_failed(code) && !atomic_load_explicit(&code->told, memory_order_relaxed) &&
            !atomic_exchange(&code->told, true))
            return code->error.text;
    }
    return NULL;
}

static const struct slab everything;

static bool
run_checked(lw_kernel *kernel, const lw_ndrange *range, const struct slab *slab, const char *function,
            lw_error *error)
{
    lw_no_error(error);
    if (!kernel || !range)
        return lw_runtime_error(error, LW_BAD_ARGUMENT, "%s was given no %s", function,
                                kernel ? "range" : "kernel");
    lw_device_after_fork(kernel->program->device);
    if (kernel->desc->names_blocks && !kernel->family && !(kernel->family = lw_family_create(kernel, error)))
        return false;
    if (!lw_kernel_check_arguments(kernel, error))
        return false;
    bool good = run(kernel, range, slab, false, error);
    if (!kernel->family)
        return good;
    kernel->ended = lw_nanoseconds_now();
    return lw_family_finish(kernel->family, good, error);
}

bool
lw_kernel_run(lw_kernel *kernel, const lw_ndrange *range, lw_error *error)
{
    return run_checked(kernel, range, &everything, "lw_kernel_run", error);
}

bool
lw_kernel_run_slab(lw_kernel *kernel, const lw_ndrange *range, size_t first, size_t end, lw_error *error)
{
    const struct slab slab = {first, end};
    lw_no_error(error);
    if (first >= end)
        return first == end ||
               lw_runtime_error(error, LW_BAD_ARGUMENT, "a slab that begins at %zu ends at %zu", first, end);
    return run_checked(kernel, range, &slab, "lw_kernel_run_slab", error);
}

bool
lw_run_block(lw_kernel *kernel, const lw_ndrange *range, lw_error *error)
{
    return run(kernel, range, &everything, false, error);
}

bool
lw_kernel_prepare(lw_kernel *kernel, const lw_ndrange *range, lw_error *error)
{
    lw_no_error(error);
    if (!kernel || !range)
        return lw_runtime_error(error, LW_BAD_ARGUMENT, "lw_kernel_prepare was given no %s",
                                kernel ? "range" : "kernel");
    lw_device_after_fork(kernel->program->device);
    return run(kernel, range, &everything, true, error);
}

bool
lw_kernel_prepare_slab(lw_kernel *kernel, const lw_ndrange *range, size_t first, size_t end, lw_error *error)
{
    const struct slab slab = {first, end};
    if (first >= end)
        return lw_kernel_run_slab(kernel, range, first, end, error);
    lw_no_error(error);
    if (!kernel || !range)
        return lw_runtime_error(error, LW_BAD_ARGUMENT, "lw_kernel_prepare_slab was given no %s",
                                kernel ? "range" : "kernel");
    lw_device_after_fork(kernel->program->device);
    return run(kernel, range, &slab, true, error);
}

/* Of the code used last, else of what a small range would use. */
bool
lw_kernel_private_bytes(lw_kernel *kernel, uint64_t *out, lw_error *error)
{
    lw_device_after_fork(kernel->program->device);
    struct lw_instance *code = kernel->code[LW_SLOT_MASKED];
    if (!code || !lw_instance_ready(code)) {
        const lw_kernel_info *info = &kernel->desc->info;
        lw_ndrange small = {.dimensions = 1, .global = {kernel->sub_group_size}};
        struct lw_range range;
        struct lw_shape masked, special;
        uint64_t local[3];
        if (lw_required_local_size(info, local)) {
            small.dimensions = 3;
            for (unsigned d = 0; d < 3; d++)
                small.global[d] = (size_t)local[d];
        } else if (info->required_sub_groups_per_group) {
            small.global[0] *= info->required_sub_groups_per_group;
        }
        if (!lw_range_check(kernel, &small, &range, error))
            return false;
        lw_choose_shapes(kernel, &range, false, &masked, &special);
        code = lw_fetch_code(kernel, LW_SLOT_MASKED, &masked, error);
        if (!code || !lw_compile_code(kernel, code, error))
            return false;
    }
    uint64_t lanes = code->shape.lanes;
    *out = (code->code->frame_per_sub_group + lanes - 1) / lanes;
    return true;
}

void
lw_kernel_compile_info(const lw_kernel *kernel, lw_compile_info *out)
{
    if (out)
        *out = kernel ? kernel->info : (lw_compile_info){0};
}

/* The report, with a note of each compilation that failed in front of the others. */
static char *
add_failures(const lw_kernel *kernel, const char *report)
{
    static const char notes[] = "\"notes\":[";
    char *text = NULL;
    size_t size;
    const char *at = strstr(report, notes);
    FILE *out = at ? open_memstream(&text, &size) : NULL;
    if (!out)
        return NULL;
    at += sizeof notes - 1;
    const char *between = "";
    fwrite(report, 1, (size_t)(at - report), out);
    for (unsigned slot = 0; slot < LW_SLOT_COUNT; slot++) {
        const struct lw_instance *code = kernel->code[slot];
        if (!code || !lw_instance_failed(code))
            continue;
        fprintf(out, "%s{\"file\":\"\",\"line\":0,\"kind\":\"failed\",\"text\":", between);
        lw_report_quote(out, code->error.text);
        fputs(",\"count\":1}", out);
        between = ",";
    }
    fprintf(out, "%s%s", *at == ']' ? "" : between, at);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

const char *
lw_kernel_explain(lw_kernel *kernel)
{
    if (!kernel)
        return NULL;
    struct lw_instance *used = kernel->code[kernel->used];
    const char *report = used && lw_instance_ready(used) ? used->code->report : NULL;
    bool failed = false;
    for (unsigned slot = 0; slot < LW_SLOT_COUNT; slot++)
        failed |= kernel->code[slot] && lw_instance_failed(kernel->code[slot]);
    if (!report || !failed)
        return report;
    free(kernel->explanation);
    kernel->explanation = add_failures(kernel, report);
    return kernel->explanation ? kernel->explanation : report;
}

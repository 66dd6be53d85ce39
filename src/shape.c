/* SPDX-License-Identifier: MIT */
/* Chooses N and W, and what a dispatch's code may take for granted. */
#include "shape.h"
#include "known.h"
#include "stretch.h"

#include <stdlib.h>
#include <string.h>

/* One register of 32-bit elements. */
static uint32_t
usual_lanes(lw_isa isa)
{
    return isa >= LW_ISA_AVX512 ? 16 : isa == LW_ISA_AVX2 ? 8 : 4;
}

#define MOST_SHARING 4 /* rows of work-items in a sub-group */
#define LEAST_SHARED 8 /* work-items of a row */
#define MOST_TALL 64
#define MOST_WIDE_INSTRUCTIONS 250 /* past these, what is computed in two registers would spill */
#define MOST_DEEP_INSTRUCTIONS 120 /* the same of four */

/* Sub-groups that tell each other their results in loops have less to tell the fewer they are. Blocks that
 * are asked about, nobody knows which, are all of one size. */
static uint32_t
natural_size(const struct lw_kernel_desc *desc, lw_isa isa)
{
    uint32_t usual = usual_lanes(isa);
    bool tell = desc->info.observes_sub_groups && desc->info.has_barrier && desc->has_loop &&
                desc->widest_access <= 32 && desc->instruction_count <= MOST_WIDE_INSTRUCTIONS &&
                !desc->unnamed;
    return tell && usual < 16 ? 2 * usual : usual;
}

static bool
is_sub_group_size(uint32_t n)
{
    return n >= 4 && n <= LW_MAX_LANES && (n & (n - 1)) == 0;
}

/* The size nearest the usual one that cuts a required local size into `count` sub-groups; 0: none does. */
static uint32_t
size_for_count(uint64_t items, uint32_t count, uint32_t usual)
{
    uint32_t best = 0;
    for (uint32_t n = 4; n <= LW_MAX_LANES; n *= 2) {
        if ((items + n - 1) / n != count)
            continue;
        uint32_t distance = n > usual ? n / usual : usual / n;
        uint32_t best_distance = best > usual ? best / usual : best ? usual / best : UINT32_MAX;
        if (distance < best_distance)
            best = n;
    }
    return best;
}

bool
lw_choose_sub_group_size(const struct lw_kernel_desc *desc, lw_isa isa, uint32_t asked, uint32_t *out,
                         lw_error *error)
{
    const lw_kernel_info *info = &desc->info;
    uint32_t required = info->required_sub_group_size, count = info->required_sub_groups_per_group;
    if (required && !is_sub_group_size(required))
        return lw_runtime_error(
            error, LW_UNSUPPORTED,
            "kernel %s requires a sub-group size of %u; 4, 8, 16, 32 and 64 are supported", desc->name,
            required);
    if (asked && !is_sub_group_size(asked))
        return lw_runtime_error(
            error, LW_BAD_ARGUMENT,
            "kernel %s: a sub-group size of %u was asked for; 4, 8, 16, 32 and 64 are supported", desc->name,
            asked);
    if (required && asked && required != asked)
        return lw_runtime_error(error, LW_BAD_ARGUMENT,
                                "kernel %s requires a sub-group size of %u; %u was asked for", desc->name,
                                required, asked);
    uint64_t items = info->required_local_size[0];
    for (unsigned d = 1; d < 3; d++)
        items *= info->required_local_size[d] ? info->required_local_size[d] : 1;
    *out = required ? required : asked ? asked : natural_size(desc, isa);
    if (!count || !items)
        return true;
    if (!required && !asked)
        *out = size_for_count(items, count, *out);
    if (!*out || (items + *out - 1) / *out != count)
        return lw_runtime_error(
            error, required || !asked ? LW_UNSUPPORTED : LW_BAD_ARGUMENT,
            "kernel %s requires %u sub-groups in a work-group of %llu: no sub-group size that may be "
            "chosen gives that",
            desc->name, count, (unsigned long long)items);
    return true;
}

static bool
may_look(const lw_kernel *kernel)
{
    return kernel->desc->has_loop && kernel->desc->looks && !(kernel->program->flags & LW_BUILD_NO_PROGRESS);
}

/* W is tied to N where the kernel could tell, and where partial results are combined in an order that W
 * decides (a reduction's are not: collectives.c). */
static bool
any_width_gives_the_same(const lw_kernel *kernel)
{
    const struct lw_kernel_desc *desc = kernel->desc;
    return !desc->info.observes_sub_groups && !desc->has_ordered_scan &&
           !desc->info.required_sub_group_size && !desc->info.required_sub_groups_per_group;
}

/* Nor where a sub-group may wait for another. */
static bool
may_have_any_width(const lw_kernel *kernel)
{
    return any_width_gives_the_same(kernel) && !may_look(kernel);
}

/* Nor where somebody asked for N. */
bool
lw_width_is_free(const lw_kernel *kernel)
{
    return may_have_any_width(kernel) && !kernel->asked;
}

bool
lw_width_is_free_without_waits(const lw_kernel *kernel)
{
    return any_width_gives_the_same(kernel) && !kernel->asked;
}

/* Kernels of small elements fill their registers with more lanes; a loop that waits for its own results has
 * two registers' worth of lanes to wait for at once, where it waits long four registers, of doubles too.
 * Formulas with divisions and roots have two as well: the constants of a step are loaded once for both. */
#define FORMULA 3 /* divisions and roots */

static uint32_t
usual_or_more(const lw_kernel *kernel, uint32_t usual)
{
    const struct lw_kernel_desc *desc = kernel->desc;
    uint32_t bits = desc->widest_access, times = 1;
    if (desc->instruction_count > MOST_WIDE_INSTRUCTIONS || desc->has_texels)
        return usual;
    if (bits && bits < 32)
        times = bits <= 8 ? 4 : 2;
    else if (desc->has_slow_loop && desc->instruction_count <= MOST_DEEP_INSTRUCTIONS)
        times = desc->widest_element == 64 ? 2 : 4;
    else if (bits && bits <= 64 && desc->widest_element == 8 && !desc->has_wide_values)
        times = 2; /* vectors of bytes, which are reckoned with in 16 bits */
    else if (desc->has_waiting_loop)
        times = 2;
    else if (!desc->has_loop && desc->slow_count >= FORMULA && bits == 32 && !desc->private_bytes &&
             desc->instruction_count <= MOST_DEEP_INSTRUCTIONS)
        times = 2;
    return usual * times < LW_MAX_LANES ? usual * times : LW_MAX_LANES;
}

/* One sub-group per work-group has nothing to wait for; past four registers a value, spills eat the gain.
 * Short kernels with a loop of their own between the barriers take as much of a work-group at a time, unless
 * atomics of one lane after another are what takes the time; those without any loop two registers, where
 * registers are short: half as many sub-groups can be written out. */
static uint32_t
width_with_barriers(const lw_kernel *kernel, uint32_t usual, uint64_t items)
{
    const struct lw_kernel_desc *desc = kernel->desc;
    uint32_t most = usual * 4 < LW_MAX_LANES ? usual * 4 : LW_MAX_LANES;
    if (items <= most)
        return most;
    if (desc->widest_access > 32 || desc->instruction_count > MOST_DEEP_INSTRUCTIONS)
        return usual;
    if (desc->has_waiting_loop && !desc->has_atomics && items % most == 0)
        return most;
    return !desc->has_loop && usual <= 8 && items % (usual * 2) == 0 ? usual * 2 : usual;
}

/* The width of code made for work-groups of the range. */
static uint32_t
special_width(const lw_kernel *kernel, const struct lw_range *range)
{
    uint64_t items = range->group_items;
    const lw_device *device = kernel->program->device;
    uint32_t usual = usual_lanes(device->isa), wanted = device->options.lanes;
    if (wanted && may_have_any_width(kernel))
        return wanted;
    if (!lw_width_is_free(kernel))
        return kernel->sub_group_size;
    if (range->shares)
        return usual * MOST_SHARING;
    uint32_t most = kernel->desc->info.has_barrier ? width_with_barriers(kernel, usual, items)
                                                   : usual_or_more(kernel, usual);
    uint32_t width = kernel->desc->has_collective ? usual : 4;
    while (width < most && width < items)
        width *= 2;
    return width;
}

/* The sub-groups of a one-dimensional range that are all full stay the same in work-groups of other sizes. */
static bool
keeps_sub_groups(const lw_kernel *kernel, const struct lw_range *range)
{
    uint64_t n = kernel->sub_group_size;
    return range->dimensions == 1 && range->local[0] % n == 0 && range->global[0] % n == 0 &&
           !kernel->desc->info.required_sub_groups_per_group;
}

/* Work-items that know nothing of work-groups: these may be cut anew. */
static bool
knows_only_ids(const lw_kernel *kernel)
{
    const struct lw_kernel_desc *desc = kernel->desc;
    return desc->uses_only_global_ids && !desc->has_collective && !desc->info.observes_sub_groups;
}

bool
lw_may_cut(const lw_kernel *kernel)
{
    const struct lw_kernel_desc *desc = kernel->desc;
    const lw_device *device = kernel->program->device;
    for (uint32_t i = 0; i < desc->arg_count; i++)
        if (desc->args[i].info.kind == LW_ARG_LOCAL)
            return false;
    return device->options.reshape && !device->trace_groups && !desc->info.has_barrier &&
           !desc->info.local_bytes && !desc->prints;
}

/* A work-item that waits for a lock may stand side by side with the one that has it, and both wait for ever.
 * One that has a work-group to itself never does; there it may wait for whatever it likes. */
static bool
may_wait(const lw_kernel *kernel, const struct lw_range *range)
{
    const struct lw_kernel_desc *desc = kernel->desc;
    return desc->has_loop && desc->has_atomics && (desc->may_take_lock || range->group_items == 1);
}

/* Odd local sizes and small ones cost nothing then. Atomics keep the order of one-dimensional ranges:
 * lookers-back wait for lower ids only. Those that know their sub-group, but not which of the work-group it
 * is, are worth it where their sub-groups do atomics together. */
static bool
may_regroup(const lw_kernel *kernel, const struct lw_range *range)
{
    const struct lw_kernel_desc *desc = kernel->desc;
    if (knows_only_ids(kernel))
        return !desc->has_atomics || range->dimensions == 1;
    return desc->has_atomics && !desc->knows_group && keeps_sub_groups(kernel, range);
}

/* As many sub-groups together as leave enough work-groups for the threads; never fewer than there were. */
static void
regroup_sub_groups(const lw_kernel *kernel, struct lw_range *range)
{
    uint64_t threads = kernel->program->device->threads, local[3] = {2048, 1, 1};
    while (local[0] > range->local[0] && range->global[0] / local[0] < 16 * threads)
        local[0] /= 2;
    if (local[0] > range->local[0])
        lw_range_cut(range, local);
}

/* Tiles, where memory is accessed by columns: what one row leaves in the cache, the next ones find there. No
 * more than 8 columns, since they are often a power of two apart and compete for the same lines. Loops have
 * accesses of their own, mostly along the rows. */
static bool
regroup_in_tiles(const lw_kernel *kernel, const struct lw_columns *columns, struct lw_range *range)
{
    uint64_t local[3] = {8, 32, 1};

    if (!columns->any || kernel->desc->has_loop || range->lanes_dimension ||
        range->global[0] < 32 || range->global[1] < 32)
        return false;
    while (local[1] > 8 && range->global[1] % local[1])
        local[1] /= 2;
    lw_range_cut(range, local);
    return true;
}

/* Which dimension lanes follow: any may be laid over them where work-items only know their global ids and
 * nothing tells their order. The one along which most accesses to memory are in one piece; where that is all
 * one, the one that work-groups of a single column are long in: whoever asked for those had a reason. */
static unsigned
choose_lanes(const lw_kernel *kernel, const struct lw_columns *columns, const struct lw_range *range)
{
    const uint64_t *cost = columns->lane_cost, least = usual_lanes(kernel->program->device->isa);
    unsigned best = 0;
    for (unsigned d = 1; d < range->dimensions; d++) {
        bool asked = best == 0 && range->local[0] == 1 && range->local[d] >= least && range->global[0] > 1;
        if (range->global[d] >= least && (cost[d] < cost[best] || (asked && cost[d] == cost[best])))
            best = d;
    }
    return best;
}

/* Blocks as wide as a register and tall, where lanes read far apart in loops what their neighbours in another
 * dimension read as well, rows of a matrix each: it stays in the cache for these, and sub-groups of several
 * registers load it once for all (forms/rows.c). Long kernels would spill in these. */
static bool
regroup_to_share(const lw_kernel *kernel, const struct lw_columns *columns, struct lw_range *range)
{
    uint64_t local[3] = {usual_lanes(kernel->program->device->isa), 1, 1}, best = 0;
    uint64_t enough = 2 * (uint64_t)kernel->program->device->threads;
    unsigned lanes = range->lanes_dimension, along = 0;

    for (unsigned d = 1; d < range->dimensions; d++) {
        uint64_t shared = columns->shared[lanes][d == lanes ? 0 : d];
        if (range->global[d] >= MOST_SHARING && shared > best) {
            best = shared;
            along = d;
        }
    }
    while (local[0] > LEAST_SHARED && range->global[0] % local[0] && range->global[0] < 8 * local[0])
        local[0] /= 2;
    if (!best || kernel->desc->instruction_count > MOST_WIDE_INSTRUCTIONS ||
        (range->global[0] % local[0] && range->global[0] < 8 * local[0]))
        return false;
    local[along] = MOST_TALL;
    while (local[along] > MOST_SHARING &&
           (range->global[along] % local[along] || range->total_items < enough * local[0] * local[along]))
        local[along] /= 2;
    lw_range_cut(range, local);
    range->shares = true;
    return true;
}

#define GATHER_COST 16 /* times an operation's: what an access in one piece costs more where lanes wrap */

/* Sub-groups that wrap from row to row gather what lies beside each other. A short row to itself leaves lanes
 * idle: worth it where these compute less than the gathers cost. */
static bool
short_rows_stand_alone(const lw_kernel *kernel, const struct lw_columns *columns,
                       const struct lw_range *range)
{
    uint64_t lanes = usual_lanes(kernel->program->device->isa), width = range->global[0];
    uint64_t idle = (lanes - width % lanes) % lanes;
    return idle && idle * columns->work < width * columns->beside[range->lanes_dimension] * GATHER_COST;
}

/* Whole rows where there are enough of them: no remainder work-group, no sub-group that wraps. Of few
 * work-items small work-groups, so that the threads end at about the same time; where each has a loop, so
 * small that there is one for every thread. */
static void
regroup(const lw_kernel *kernel, const struct lw_columns *columns, struct lw_range *range)
{
    uint64_t least = usual_lanes(kernel->program->device->isa);
    uint64_t threads = kernel->program->device->threads, width = range->global[0], local[3] = {width, 1, 1};
    uint64_t items = range->total_items;
    uint64_t most = items / 1024 >= 8 * threads ? 1024 : 256;
    while (items >= 1024 && most > 64 && items / most < 16 * threads)
        most /= 2;
    while (kernel->desc->has_loop && most > least && items / most < 2 * threads)
        most /= 2;
    bool rows = width < 32 ? short_rows_stand_alone(kernel, columns, range)
                           : width <= 2048 && items / width >= 8 * threads;
    if (!rows)
        lw_choose_block(range->global, most, local);
    lw_range_cut(range, local);
}

/* How it accesses memory where these arguments are 1. */
static struct lw_columns
find_columns(const lw_kernel *kernel, uint64_t ones)
{
    const lw_module *module = kernel->build->module;
    struct lw_columns columns = {0};
    uint32_t *functions = ones ? calloc(module->function_count, sizeof *functions) : NULL;
    if (!functions)
        return kernel->desc->columns;
    uint32_t count = lw_reachable_functions(module, kernel->desc->function, functions);
    for (uint32_t f = 0; f < count; f++)
        lw_reflect_columns(module, functions[f], kernel->desc, ones, &columns);
    free(functions);
    return columns;
}

/* Those that only know their ids. */
static void
regroup_ids(const lw_kernel *kernel, struct lw_range *range)
{
    struct lw_columns columns = find_columns(kernel, range->dimensions > 1 ? lw_find_ones(kernel) : 0);
    unsigned lanes = kernel->desc->has_atomics ? 0 : choose_lanes(kernel, &columns, range);
    if (lanes)
        lw_range_turn(range, lanes);
    if (!regroup_in_tiles(kernel, &columns, range) && !regroup_to_share(kernel, &columns, range))
        regroup(kernel, &columns, range);
}

/* In work-groups of any size, unless the kernel demands one. */
static void
stretch(const lw_kernel *kernel, struct lw_range *range, uint64_t size)
{
    const uint64_t demanded[3] = {range->local[0], 1, 1};
    lw_range_stretch(range, size);
    if (kernel->desc->info.required_local_size[0])
        lw_range_cut(range, demanded);
    else
        regroup(kernel, &kernel->desc->columns, range);
}

static void
cut_anew(const lw_kernel *kernel, struct lw_range *range)
{
    const uint64_t alone[3] = {1, 1, 1}, size = lw_stretched_size(kernel, range);
    if (range->keeps_groups || !lw_may_cut(kernel))
        return;
    if (size)
        stretch(kernel, range, size);
    else if (knows_only_ids(kernel) && may_wait(kernel, range))
        lw_range_cut(range, alone);
    else if (may_regroup(kernel, range) && kernel->desc->info.observes_sub_groups)
        regroup_sub_groups(kernel, range);
    else if (may_regroup(kernel, range))
        regroup_ids(kernel, range);
}

bool
lw_buffers_are_small(const lw_kernel *kernel)
{
    const uint64_t most = ((uint64_t)15 << 28) - 1;
    for (uint32_t i = 0; i < kernel->desc->arg_count; i++)
        if (kernel->desc->args[i].info.kind == LW_ARG_POINTER && kernel->bytes[i] > most)
            return false;
    return true;
}

bool
lw_has_few_rounds(const lw_kernel *kernel, const struct lw_range *range)
{
    uint64_t most = 0;
    for (uint32_t i = 0; kernel->desc->has_loop && i < kernel->desc->arg_count; i++)
        if (kernel->desc->args[i].info.kind == LW_ARG_POINTER && kernel->bytes[i] > most)
            most = kernel->bytes[i];
    return most / sizeof(uint32_t) / LW_FAR_ROUNDS < range->total_items;
}

#define PAGE 4096
#define LEAST_HEAD 64

uint16_t
lw_readable_heads(const lw_kernel *kernel, bool preparing)
{
    uint64_t least = LW_HEAD;
    for (uint32_t i = 0; i < kernel->desc->arg_count; i++) {
        uint64_t begin, size = kernel->bytes[i];
        if (kernel->desc->args[i].info.kind != LW_ARG_POINTER)
            continue;
        memcpy(&begin, kernel->args + kernel->desc->args[i].offset, sizeof begin);
        if (!begin && preparing)
            continue;
        if (!begin || !size || size > UINT64_MAX - PAGE - begin) /* SIZE_MAX: nobody knows */
            return 0;
        /* What is in a page that is there can be read. Few different numbers: each is another shape. */
        uint64_t end = (begin + size + PAGE - 1) / PAGE * PAGE;
        while (end - begin < least)
            least /= least > LW_HEAD / 2 ? 2 : 4;
    }
    return least < LEAST_HEAD ? 0 : (uint16_t)least;
}

#define MOST_APART 32 /* buffers; of more it is not asked */

bool
lw_buffers_are_apart(const lw_kernel *kernel)
{
    struct {
        uint64_t begin, end;
    } other[MOST_APART];
    uint32_t count = 0;

    for (uint32_t i = 0; i < kernel->desc->arg_count; i++) {
        uint64_t begin, size = kernel->bytes[i];
        if (kernel->desc->args[i].info.kind != LW_ARG_POINTER)
            continue;
        memcpy(&begin, kernel->args + kernel->desc->args[i].offset, sizeof begin);
        if (!begin || !size)
            continue;
        if (count == MOST_APART || size > UINT64_MAX - begin)
            return false; /* SIZE_MAX: nobody knows */
        for (uint32_t k = 0; k < count; k++)
            if (begin < other[k].end && other[k].begin < begin + size)
                return false;
        other[count].begin = begin;
        other[count++].end = begin + size;
    }
    return count > 1;
}

static void
find_facts(const lw_kernel *kernel, const struct lw_range *range, struct lw_shape *shape)
{
    const uint64_t limit = ((uint64_t)1 << 31) - 65536;
    shape->offset_zero = shape->index31 = 1;
    shape->buffers_4g = lw_buffers_are_small(kernel);
    for (unsigned d = 0; d < 3; d++) {
        if (range->offset[d])
            shape->offset_zero = 0;
        /* The last work-group's lanes past the range count too: their ids are computed, if never used. */
        if (range->offset[d] > limit || range->global[d] > limit ||
            range->offset[d] + range->global[d] + range->local[d] > limit)
            shape->index31 = 0;
    }
}

static bool
has_facts(lw_arg_kind kind)
{
    return kind == LW_ARG_IMAGE || kind == LW_ARG_SAMPLER;
}

/* Of the image's dimensions those that the range lies within. The range may have the kernel's dimensions in
 * another order. */
static uint16_t
covered(const struct lw_image *image, const struct lw_range *range)
{
    bool array1d = image->kind == LW_IMAGE_1D_ARRAY;
    const uint64_t extent[3] = {image->width, array1d ? image->layers : image->height,
                                image->kind == LW_IMAGE_2D_ARRAY ? image->layers : image->depth};
    uint16_t facts = 0;
    for (unsigned d = 0; d < 3; d++) {
        unsigned at = d == range->lanes_dimension ? 0 : d == 0 ? range->lanes_dimension : d;
        if (range->global[at] <= extent[d] && range->offset[at] <= extent[d] - range->global[at])
            facts |= LW_FACT_COVERS(d);
    }
    return facts;
}

static uint16_t
facts_over(const lw_kernel *kernel, uint32_t index, const struct lw_range *range)
{
    uint16_t facts = (uint16_t)kernel->facts[index];
    const struct lw_image *image;
    if (!facts || kernel->desc->args[index].info.kind != LW_ARG_IMAGE)
        return facts;
    memcpy(&image, kernel->args + kernel->desc->args[index].offset, sizeof image);
    return facts | covered(image, range);
}

void
lw_find_images(const lw_kernel *kernel, const struct lw_range *range, uint16_t out[LW_SHAPE_IMAGES])
{
    uint32_t count = 0;
    memset(out, 0, LW_SHAPE_IMAGES * sizeof *out);
    for (uint32_t i = 0; i < kernel->desc->arg_count && count < LW_SHAPE_IMAGES; i++)
        if (has_facts(kernel->desc->args[i].info.kind))
            out[count++] = facts_over(kernel, i, range);
}

bool
lw_images_are(const lw_kernel *kernel, const struct lw_range *range, const uint16_t facts[LW_SHAPE_IMAGES])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < kernel->desc->arg_count && count < LW_SHAPE_IMAGES; i++)
        if (has_facts(kernel->desc->args[i].info.kind) && facts[count++] != facts_over(kernel, i, range))
            return false;
    return true;
}

static bool
rows_are_multiples(const struct lw_range *range, uint32_t lanes)
{
    return range->local[0] % lanes == 0 && range->global[0] % range->local[0] % lanes == 0;
}

void
lw_choose_shapes(const lw_kernel *kernel, struct lw_range *range, struct lw_shape *masked,
                 struct lw_shape *special)
{
    cut_anew(kernel, range);
    memset(masked, 0, sizeof *masked); /* the padding is part of the key */
    masked->work_dim = range->dimensions;
    masked->sub_group_size = kernel->sub_group_size;
    masked->isa = kernel->program->device->isa;
    masked->lanes_dimension = range->lanes_dimension;
    masked->lanes =
        lw_width_is_free(kernel) ? usual_lanes(kernel->program->device->isa) : kernel->sub_group_size;
    masked->build = (uint8_t)(kernel->program->flags & ~(unsigned)LW_MATH_FLUSH);
    masked->slow_gathers = kernel->program->device->slow_gathers;
    masked->yields = may_look(kernel);
    masked->guarded = kernel->program->device->guard_local != 0;
    masked->stretched = range->stretched;
    masked->flat = range->local[1] == 1 && range->local[2] == 1;
    find_facts(kernel, range, masked);
    lw_find_images(kernel, range, masked->images);
    memcpy(special, masked, sizeof *special);
    special->lanes = special_width(kernel, range);
    for (unsigned d = 0; d < 3; d++)
        special->local_size[d] = (uint32_t)range->local[d];
    special->row_multiple = range->local[0] % special->lanes == 0;
    special->buffers_apart = lw_buffers_are_apart(kernel);
    special->heads = lw_readable_heads(kernel, false);
    special->few_rounds = lw_has_few_rounds(kernel, range);
    lw_know_arguments(kernel, lw_find_known(kernel), special);
    /* In one dimension a row is the whole work-group and cannot wrap inside a sub-group: one masked instance
     * for all local sizes, rather than two. */
    masked->row_multiple = range->dimensions > 1 && rows_are_multiples(range, masked->lanes);
}

static void
set_lanes(struct lw_shape *shape, uint32_t lanes)
{
    shape->lanes = lanes;
    shape->row_multiple = shape->local_size[0] % lanes == 0;
}

bool
lw_is_broad(const struct lw_shape *shape)
{
    return shape->lanes > usual_lanes((lw_isa)shape->isa);
}

#define MOST_BROAD_INSTRUCTIONS 1000

/* One register of 32-bit elements, half of one, and no lanes at all; two and four registers, which share what
 * is uniform and have more to wait for at once, as far as they compile soon. */
unsigned
lw_choose_rivals(const lw_kernel *kernel, const struct lw_shape *special,
                 struct lw_shape out[LW_MOST_RIVALS])
{
    const uint32_t usual = usual_lanes(kernel->program->device->isa);
    const uint32_t widths[LW_MOST_RIVALS] = {1, usual, usual / 2, usual * 2, usual * 4};
    const bool long_one = kernel->desc->instruction_count > MOST_BROAD_INSTRUCTIONS;
    const uint64_t items = (uint64_t)special->local_size[0] * special->local_size[1] * special->local_size[2];
    unsigned count = 0;
    for (unsigned k = 0; k < LW_MOST_RIVALS; k++) {
        bool slow = widths[k] > usual && long_one;
        if (widths[k] == special->lanes || widths[k] == 2 || widths[k] > items || slow)
            continue;
        memcpy(&out[count], special, sizeof *out); /* the padding is part of the key */
        set_lanes(&out[count++], widths[k]);
    }
    return count;
}

/* SPDX-License-Identifier: MIT */
/* Chooses N and W, and what a dispatch's code may take for granted. */
#include "shape.h"
#include "dispatch_facts.h"
#include "known.h"
#include "regroup.h"

#include <string.h>

uint32_t
lw_usual_lanes(lw_isa isa)
{
    return isa >= LW_ISA_AVX512 ? 16 : isa == LW_ISA_AVX2 ? 8 : 4;
}

#define MOST_DEEP_INSTRUCTIONS 120 /* past these, what is computed in four registers would spill */

/* Sub-groups that tell each other their results in loops have less to tell the fewer they are. Blocks that
 * are asked about, nobody knows which, are all of one size. */
static uint32_t
natural_size(const struct lw_kernel_desc *desc, lw_isa isa)
{
    uint32_t usual = lw_usual_lanes(isa);
    bool tell = desc->info.observes_sub_groups && desc->info.has_barrier && desc->has_loop &&
                desc->widest_access <= 32 && desc->instruction_count <= LW_MOST_WIDE_INSTRUCTIONS &&
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
    uint64_t local[3], items = lw_required_local_size(info, local);
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

/* What a loop keeps of four registers of lanes, addresses too, has room in 32 registers, not in 16. */
static bool
has_room_for_four(const lw_kernel *kernel)
{
    return kernel->program->device->isa >= LW_ISA_AVX512 || kernel->desc->has_chain;
}

/* Kernels of small elements fill their registers with more lanes; a loop that waits for its own results has
 * two registers' worth of lanes to wait for at once, where it waits long four registers, of doubles too;
 * where registers are few, only if the next round cannot begin before (reflect_loops.c). Formulas with
 * divisions and roots have two as well: the constants of a step are loaded once for both. */
#define FORMULA 3 /* divisions and roots */

static uint32_t
usual_or_more(const lw_kernel *kernel, uint32_t usual)
{
    const struct lw_kernel_desc *desc = kernel->desc;
    uint32_t bits = desc->widest_access, times = 1;
    if (desc->instruction_count > LW_MOST_WIDE_INSTRUCTIONS || desc->has_texels)
        return usual;
    if (bits && bits < 32)
        times = bits <= 8 ? 4 : 2;
    else if (desc->has_slow_loop && desc->instruction_count <= MOST_DEEP_INSTRUCTIONS)
        times = desc->widest_element == 64 || !has_room_for_four(kernel) ? 2 : 4;
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
    uint32_t usual = lw_usual_lanes(device->isa), wanted = device->options.lanes;
    if (wanted && may_have_any_width(kernel))
        return wanted;
    if (!lw_width_is_free(kernel))
        return kernel->sub_group_size;
    if (range->shares)
        return usual * LW_MOST_SHARING;
    uint32_t most = kernel->desc->info.has_barrier ? width_with_barriers(kernel, usual, items)
                                                   : usual_or_more(kernel, usual);
    uint32_t width = kernel->desc->has_collective ? usual : 4;
    while (width < most && width < items)
        width *= 2;
    return width;
}

static bool
rows_are_multiples(const struct lw_range *range, uint32_t lanes)
{
    return range->local[0] % lanes == 0 && range->global[0] % range->local[0] % lanes == 0;
}

void
lw_choose_shapes(const lw_kernel *kernel, struct lw_range *range, bool preparing, struct lw_shape *masked,
                 struct lw_shape *special)
{
    lw_regroup(kernel, range);
    memset(masked, 0, sizeof *masked); /* the padding is part of the key */
    masked->work_dim = range->dimensions;
    masked->sub_group_size = kernel->sub_group_size;
    masked->isa = kernel->program->device->isa;
    masked->lanes_dimension = range->lanes_dimension;
    masked->lanes =
        lw_width_is_free(kernel) ? lw_usual_lanes(kernel->program->device->isa) : kernel->sub_group_size;
    masked->build = (uint8_t)(kernel->program->flags & ~(unsigned)LW_MATH_FLUSH);
    masked->slow_gathers = kernel->program->device->slow_gathers;
    masked->yields = may_look(kernel);
    masked->guarded = kernel->program->device->guard_local != 0;
    masked->stretched = range->stretched;
    masked->flat = range->local[1] == 1 && range->local[2] == 1;
    lw_find_facts(kernel, range, masked);
    lw_find_images(kernel, range, masked->images);
    memcpy(special, masked, sizeof *special);
    special->lanes = special_width(kernel, range);
    for (unsigned d = 0; d < 3; d++)
        special->local_size[d] = (uint32_t)range->local[d];
    special->row_multiple = range->local[0] % special->lanes == 0;
    special->buffers_apart = lw_buffers_are_apart(kernel);
    special->heads = lw_readable_heads(kernel, preparing);
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
    return shape->lanes > lw_usual_lanes((lw_isa)shape->isa);
}

#define MOST_BROAD_INSTRUCTIONS 1000

/* One register of 32-bit elements, half of one, and no lanes at all; two and four registers, which share what
 * is uniform and have more to wait for at once, as far as they compile soon. */
unsigned
lw_choose_rivals(const lw_kernel *kernel, const struct lw_shape *special,
                 struct lw_shape out[LW_MOST_RIVALS])
{
    const uint32_t usual = lw_usual_lanes(kernel->program->device->isa);
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

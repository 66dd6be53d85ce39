/* SPDX-License-Identifier: MIT */
/* What is true of a dispatch's buffers, images and ids, which code may take for granted. */
#include "dispatch_facts.h"

#include <string.h>

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

void
lw_find_facts(const lw_kernel *kernel, const struct lw_range *range, struct lw_shape *shape)
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

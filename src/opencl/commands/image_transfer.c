/* SPDX-License-Identifier: MIT */
/* Commands on images: read, write, copy, fill, map, and copies from and to buffers. Each moves a box of
 * texels. */
#include "../memory/images.h"

#include <stdlib.h>
#include <string.h>

/* ---- Checks ---- */

static cl_int
check_images(cl_command_queue queue, cl_mem one, cl_mem two, cl_uint count, const cl_event *list)
{
    if (!lw_cl_is(queue, LW_CL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!lw_cl_has_images(queue->context->device) && lw_cl_is(one, LW_CL_MEMORY) &&
        lw_cl_is(two, LW_CL_MEMORY))
        return CL_INVALID_OPERATION;
    if (!lw_cl_is_image(one) || !lw_cl_is_image(two))
        return CL_INVALID_MEM_OBJECT;
    return lw_cl_check_contexts(queue, one, two, count, list);
}

static cl_int
check_image_and_buffer(cl_command_queue queue, cl_mem image, cl_mem buffer, cl_uint count,
                       const cl_event *list)
{
    if (!lw_cl_is(queue, LW_CL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!lw_cl_has_images(queue->context->device) && lw_cl_is(image, LW_CL_MEMORY) &&
        lw_cl_is(buffer, LW_CL_MEMORY))
        return CL_INVALID_OPERATION;
    if (!lw_cl_is_image(image) || !lw_cl_is_buffer(buffer) ||
        (image->image.kind == LW_IMAGE_1D_BUFFER && image->parent == buffer))
        return CL_INVALID_MEM_OBJECT;
    return lw_cl_check_contexts(queue, image, buffer, count, list);
}

/* Not empty and inside the image: dimensions that it has not are one texel. */
static bool
box_is_valid(const struct lw_image *image, const size_t *origin, const size_t *region)
{
    size_t extent[3];
    if (!origin || !region)
        return false;
    lw_cl_image_extent(image, extent);
    for (unsigned d = 0; d < 3; d++)
        if (!region[d] || origin[d] >= extent[d] || region[d] > extent[d] - origin[d])
            return false;
    return true;
}

static char *
texel_at(const struct lw_image *image, const size_t origin[3])
{
    return (char *)image->data + origin[0] * image->element_size + origin[1] * image->row_pitch +
           origin[2] * image->slice_pitch;
}

/* The pitches of a box in the host's memory or a buffer, from one y and one z to the next. */
struct pitches {
    size_t row, slice;
};

/* Fills in what is left open; false: they are too small, or there should be none. */
static bool
take_pitches(const struct lw_image *image, const size_t region[3], size_t row, size_t slice,
             struct pitches *out)
{
    bool layers_1d = image->kind == LW_IMAGE_1D_ARRAY;
    bool flat = image->kind == LW_IMAGE_1D || image->kind == LW_IMAGE_1D_BUFFER || image->kind == LW_IMAGE_2D;
    size_t bytes = region[0] * image->element_size, least;
    row = row ? row : bytes;
    if (row < bytes || (flat && slice) || __builtin_mul_overflow(row, layers_1d ? 1 : region[1], &least))
        return false;
    slice = slice ? slice : least;
    *out = layers_1d ? (struct pitches){slice, 0} : (struct pitches){row, slice};
    return slice >= least;
}

/* The box of the image as the target, and as the source. */
static struct lw_bulk
image_box(const struct lw_image *image, const size_t origin[3], const size_t region[3])
{
    return (struct lw_bulk){
        .to = texel_at(image, origin),
        .from = texel_at(image, origin),
        .region = {region[0] * image->element_size, region[1], region[2]},
        .to_row = image->row_pitch,
        .to_slice = image->slice_pitch,
        .from_row = image->row_pitch,
        .from_slice = image->slice_pitch,
    };
}

static cl_int
enqueue(cl_event command, cl_mem one, cl_mem two, cl_uint count, const cl_event *list, cl_bool blocking,
        cl_event *event)
{
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    lw_cl_command_hold_memory(command, 0, one);
    if (two)
        lw_cl_command_hold_memory(command, 1, two);
    return lw_cl_enqueue(command, count, list, blocking, event);
}

/* ---- Read and write ---- */

/* Of both directions: `pointer` is read only where the image is written. */
struct host_access {
    cl_command_type type;
    cl_mem_flags forbidden; /* what the image may not be made with */
    const size_t *origin, *region;
    size_t row_pitch, slice_pitch;
    char *pointer;
};

static cl_int
transfer(cl_command_queue queue, cl_mem image, const struct host_access *a, cl_bool blocking, cl_uint count,
         const cl_event *list, cl_event *event)
{
    struct pitches host;
    cl_int error = check_images(queue, image, image, count, list);
    if (error)
        return error;
    if (!a->pointer || !box_is_valid(&image->image, a->origin, a->region) ||
        !take_pitches(&image->image, a->region, a->row_pitch, a->slice_pitch, &host))
        return CL_INVALID_VALUE;
    if (image->flags & a->forbidden)
        return CL_INVALID_OPERATION;
    struct lw_bulk box = image_box(&image->image, a->origin, a->region);
    if (a->type == CL_COMMAND_READ_IMAGE)
        box.to = a->pointer, box.to_row = host.row, box.to_slice = host.slice;
    else
        box.from = a->pointer, box.from_row = host.row, box.from_slice = host.slice;
    return enqueue(lw_cl_box_command(queue, a->type, &box), image, NULL, count, list, blocking, event);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin,
                   const size_t *region, size_t row_pitch, size_t slice_pitch, void *pointer, cl_uint count,
                   const cl_event *list, cl_event *event)
{
    const struct host_access a = {CL_COMMAND_READ_IMAGE,
                                  CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS,
                                  origin,
                                  region,
                                  row_pitch,
                                  slice_pitch,
                                  pointer};
    return transfer(queue, image, &a, blocking, count, list, event);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin,
                    const size_t *region, size_t row_pitch, size_t slice_pitch, const void *pointer,
                    cl_uint count, const cl_event *list, cl_event *event)
{
    const struct host_access a = {CL_COMMAND_WRITE_IMAGE,
                                  CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
                                  origin,
                                  region,
                                  row_pitch,
                                  slice_pitch,
                                  (char *)(uintptr_t)pointer};
    return transfer(queue, image, &a, blocking, count, list, event);
}

/* ---- Copy ---- */

static bool
boxes_meet(const size_t a[3], const size_t b[3], const size_t region[3])
{
    for (unsigned d = 0; d < 3; d++)
        if (a[d] >= b[d] + region[d] || b[d] >= a[d] + region[d])
            return false;
    return true;
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueCopyImage(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin,
                   const size_t *to_origin, const size_t *region, cl_uint count, const cl_event *list,
                   cl_event *event)
{
    cl_int error = check_images(queue, from, to, count, list);
    if (error)
        return error;
    if (memcmp(&from->format, &to->format, sizeof from->format) != 0)
        return CL_IMAGE_FORMAT_MISMATCH;
    if (!box_is_valid(&from->image, from_origin, region) || !box_is_valid(&to->image, to_origin, region))
        return CL_INVALID_VALUE;
    if (from == to && boxes_meet(from_origin, to_origin, region))
        return CL_MEM_COPY_OVERLAP;
    struct lw_bulk box = image_box(&from->image, from_origin, region);
    box.to = texel_at(&to->image, to_origin);
    box.to_row = to->image.row_pitch;
    box.to_slice = to->image.slice_pitch;
    return enqueue(lw_cl_box_command(queue, CL_COMMAND_COPY_IMAGE, &box), from, to, count, list, CL_FALSE,
                   event);
}

/* The part of a buffer where the box lies without gaps; false: it has no room for it. */
static bool
take_packed(const struct lw_image *image, const size_t region[3], cl_mem buffer, size_t offset,
            struct pitches *out)
{
    size_t row = region[0] * image->element_size, bytes;
    *out = (struct pitches){row, row * region[1]};
    return !__builtin_mul_overflow(out->slice, region[2], &bytes) && offset <= buffer->size &&
           bytes <= buffer->size - offset;
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *origin,
                           const size_t *region, size_t offset, cl_uint count, const cl_event *list,
                           cl_event *event)
{
    struct pitches packed;
    cl_int error = check_image_and_buffer(queue, from, to, count, list);
    if (error)
        return error;
    if (!box_is_valid(&from->image, origin, region) ||
        !take_packed(&from->image, region, to, offset, &packed))
        return CL_INVALID_VALUE;
    struct lw_bulk box = image_box(&from->image, origin, region);
    box.to = to->data + offset;
    box.to_row = packed.row;
    box.to_slice = packed.slice;
    cl_event command = lw_cl_box_command(queue, CL_COMMAND_COPY_IMAGE_TO_BUFFER, &box);
    return enqueue(command, from, to, count, list, CL_FALSE, event);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem from, cl_mem to, size_t offset,
                           const size_t *origin, const size_t *region, cl_uint count, const cl_event *list,
                           cl_event *event)
{
    struct pitches packed;
    cl_int error = check_image_and_buffer(queue, to, from, count, list);
    if (error)
        return error;
    if (!box_is_valid(&to->image, origin, region) ||
        !take_packed(&to->image, region, from, offset, &packed))
        return CL_INVALID_VALUE;
    struct lw_bulk box = image_box(&to->image, origin, region);
    box.from = from->data + offset;
    box.from_row = packed.row;
    box.from_slice = packed.slice;
    cl_event command = lw_cl_box_command(queue, CL_COMMAND_COPY_BUFFER_TO_IMAGE, &box);
    return enqueue(command, from, to, count, list, CL_FALSE, event);
}

/* ---- Fill ---- */

/* The texel is in `owned`, its size in from_row. The other rows are copies of the first, and the other slices
 * of it too. */
static cl_int
run_fill(cl_event event)
{
    const struct lw_bulk *t = &event->transfer;
    cl_device_id device = event->queue->device;
    struct lw_bulk bulk = {t->to + t->to_row, t->to, {t->region[0], t->region[1] - 1, 1}, t->to_row, 0, 0, 0};
    lw_bulk_fill(device->device, device->units, t->to, event->owned, t->from_row, t->region[0]);
    lw_bulk_copy(device->device, device->units, &bulk);
    bulk.to = t->to + t->to_slice;
    bulk.region[1] = t->region[1];
    bulk.region[2] = t->region[2] - 1;
    bulk.to_slice = t->to_slice;
    lw_bulk_copy(device->device, device->units, &bulk);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void *colour, const size_t *origin,
                   const size_t *region, cl_uint count, const cl_event *list, cl_event *event)
{
    cl_int error = check_images(queue, image, image, count, list);
    if (error)
        return error;
    if (!colour || !box_is_valid(&image->image, origin, region))
        return CL_INVALID_VALUE;
    struct lw_bulk box = image_box(&image->image, origin, region);
    box.from_row = image->image.element_size;
    cl_event command = lw_cl_box_command(queue, CL_COMMAND_FILL_IMAGE, &box);
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    command->run = run_fill;
    command->owned = malloc(16);
    if (!command->owned) {
        lw_cl_command_discard(command);
        return CL_OUT_OF_HOST_MEMORY;
    }
    float components[4] = {0};
    memcpy(components, colour, image->format.image_channel_order == CL_DEPTH ? 4 : 16);
    lw_cl_texel_of_colour(&image->format, components, command->owned);
    return enqueue(command, image, NULL, count, list, CL_FALSE, event);
}

/* ---- Map ---- */

static cl_int
check_map(cl_mem image, cl_map_flags flags, const size_t *origin, const size_t *region,
          const size_t *row_pitch, const size_t *slice_pitch)
{
    bool layered = image->image.kind == LW_IMAGE_1D_ARRAY || image->image.kind == LW_IMAGE_2D_ARRAY ||
                   image->image.kind == LW_IMAGE_3D;
    if (!box_is_valid(&image->image, origin, region) || !lw_cl_map_flags_are_valid(flags) || !row_pitch ||
        (layered && !slice_pitch))
        return CL_INVALID_VALUE;
    return lw_cl_check_map_access(image, flags);
}

/* From its first byte to its last. */
static size_t
span_of(const struct lw_image *image, const size_t region[3])
{
    return (region[2] - 1) * image->slice_pitch + (region[1] - 1) * image->row_pitch +
           region[0] * image->element_size;
}

static void
tell_pitches(const struct lw_image *image, size_t *row_pitch, size_t *slice_pitch)
{
    bool flat = image->kind == LW_IMAGE_1D || image->kind == LW_IMAGE_1D_BUFFER || image->kind == LW_IMAGE_2D;
    *row_pitch = image->row_pitch;
    if (slice_pitch)
        *slice_pitch = flat ? 0 : image->kind == LW_IMAGE_1D_ARRAY ? image->row_pitch : image->slice_pitch;
}

CL_API_ENTRY void *CL_API_CALL
clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking, cl_map_flags flags,
                  const size_t *origin, const size_t *region, size_t *row_pitch, size_t *slice_pitch,
                  cl_uint count, const cl_event *list, cl_event *event, cl_int *errcode_ret)
{
    cl_int error = check_images(queue, image, image, count, list);
    if (!error)
        error = check_map(image, flags, origin, region, row_pitch, slice_pitch);
    if (error)
        return lw_cl_fail(errcode_ret, error);
    char *pointer = texel_at(&image->image, origin);
    struct lw_cl_mapping *mapping = malloc(sizeof *mapping);
    cl_event command = mapping ? lw_cl_command(queue, CL_COMMAND_MAP_IMAGE, NULL) : NULL;
    if (!command) {
        free(mapping);
        return lw_cl_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    }
    *mapping = (struct lw_cl_mapping){NULL,
                                      image,
                                      pointer,
                                      span_of(&image->image, region),
                                      lw_cl_map_writes(flags),
                                      {origin[0], origin[1], origin[2]},
                                      {region[0], region[1], region[2]}};
    error = lw_cl_note_mapping(mapping);
    if (error) {
        free(mapping);
        lw_cl_command_discard(command);
        return lw_cl_fail(errcode_ret, error);
    }
    error = enqueue(command, image, NULL, count, list, blocking, event);
    if (error) {
        lw_cl_forget_mapping(image, pointer);
        return lw_cl_fail(errcode_ret, error);
    }
    tell_pitches(&image->image, row_pitch, slice_pitch);
    return lw_cl_give(errcode_ret, pointer);
}

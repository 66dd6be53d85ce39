/* SPDX-License-Identifier: MIT */
/* Images: made of memory of their own, the program's (CL_MEM_USE_HOST_PTR: where it is, with its pitches), a
 * buffer or another image. Their texels lie row by row, as host and kernels both see them. */
#include "allocations.h"
#include "images.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    cl_mem_object_type type;
    enum lw_image_kind kind;
} kinds[] = {
    {CL_MEM_OBJECT_IMAGE1D, LW_IMAGE_1D},
    {CL_MEM_OBJECT_IMAGE1D_BUFFER, LW_IMAGE_1D_BUFFER},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY, LW_IMAGE_1D_ARRAY},
    {CL_MEM_OBJECT_IMAGE2D, LW_IMAGE_2D},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, LW_IMAGE_2D_ARRAY},
    {CL_MEM_OBJECT_IMAGE3D, LW_IMAGE_3D},
};

enum lw_image_kind
lw_cl_image_kind(cl_mem_object_type type)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].type == type)
            return kinds[i].kind;
    return 0;
}

cl_mem_object_type
lw_cl_image_type(const struct _cl_mem *image)
{
    size_t i = 0;
    while (kinds[i].kind != image->image.kind)
        i++;
    return kinds[i].type;
}

void
lw_cl_image_extent(const struct lw_image *image, size_t out[3])
{
    out[0] = image->width;
    out[1] = image->kind == LW_IMAGE_1D_ARRAY ? image->layers : image->height;
    out[2] = image->kind == LW_IMAGE_2D_ARRAY ? image->layers : image->depth;
}

/* ---- The descriptor ---- */

/* What is asked for, checked: sizes as in struct lw_image, pitches of the host's memory, 0 open. */
struct plan {
    struct lw_image image;
    size_t row, slice; /* filled in */
    cl_mem from;       /* NULL: nothing */
};

static cl_int
take_size(uint32_t *out, size_t size, size_t most)
{
    *out = (uint32_t)size;
    return !size ? CL_INVALID_IMAGE_DESCRIPTOR : size > most ? CL_INVALID_IMAGE_SIZE : CL_SUCCESS;
}

static cl_int
take_sizes(struct lw_image *image, const cl_image_desc *desc)
{
    const size_t most = image->kind == LW_IMAGE_3D          ? LW_CL_IMAGE_3D_SIZE
                        : image->kind == LW_IMAGE_1D_BUFFER ? LW_CL_IMAGE_BUFFER_SIZE
                                                            : LW_CL_IMAGE_2D_SIZE;
    image->height = image->depth = image->layers = 1;
    cl_int error = take_size(&image->width, desc->image_width, most);
    if (!error && image->kind >= LW_IMAGE_2D)
        error = take_size(&image->height, desc->image_height, most);
    if (!error && image->kind == LW_IMAGE_3D)
        error = take_size(&image->depth, desc->image_depth, most);
    if (!error && (image->kind == LW_IMAGE_1D_ARRAY || image->kind == LW_IMAGE_2D_ARRAY))
        error = take_size(&image->layers, desc->image_array_size, LW_CL_IMAGE_LAYERS);
    return error;
}

static bool
has_slices(const struct lw_image *image)
{
    return image->kind == LW_IMAGE_1D_ARRAY || image->kind == LW_IMAGE_2D_ARRAY || image->kind == LW_IMAGE_3D;
}

/* false: the pitches are not valid. `given`: there may be some. */
static bool
take_pitches(struct plan *p, const cl_image_desc *desc, bool given)
{
    const struct lw_image *image = &p->image;
    size_t least = (size_t)image->width * image->element_size, least_slice, slice = desc->image_slice_pitch;
    if (!given && (desc->image_row_pitch || (slice && has_slices(image))))
        return false;
    p->row = desc->image_row_pitch ? desc->image_row_pitch : least;
    if (p->row < least || p->row % image->element_size ||
        __builtin_mul_overflow(p->row, (size_t)image->height, &least_slice))
        return false;
    p->slice = has_slices(image) ? least_slice : 0;
    if (!has_slices(image) || !slice)
        return true;
    p->slice = slice;
    return slice >= least_slice && slice % p->row == 0;
}

/* Another order of the same channels. */
static bool
is_view(cl_channel_order of, cl_channel_order as)
{
    static const cl_channel_order pairs[][2] = {
        {CL_sBGRA, CL_BGRA}, {CL_sRGBA, CL_RGBA}, {CL_sRGBx, CL_RGBx}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if ((pairs[i][0] == of && pairs[i][1] == as) || (pairs[i][1] == of && pairs[i][0] == as))
            return true;
    return of == CL_R && as == CL_DEPTH;
}

/* All but the order is the other image's, whose row pitch may be left open as where that was made. */
static cl_int
check_view(cl_mem from, const cl_image_format *format, const cl_image_desc *desc)
{
    bool fits = from->image.kind == LW_IMAGE_2D && from->image.width == desc->image_width &&
                from->image.height == desc->image_height &&
                (!desc->image_row_pitch || desc->image_row_pitch == from->row_pitch) &&
                !desc->image_slice_pitch &&
                from->format.image_channel_data_type == format->image_channel_data_type &&
                is_view(from->format.image_channel_order, format->image_channel_order);
    return fits ? CL_SUCCESS : CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
}

/* Of the memory that the texels are in. Pitches of one texel's alignment will do, and of its host pointer. */
static cl_int
check_source(struct plan *p, const cl_image_format *format, const cl_image_desc *desc)
{
    cl_mem from = p->from;
    if (lw_cl_is_image(from)) {
        cl_int error =
            p->image.kind == LW_IMAGE_2D ? check_view(from, format, desc) : CL_INVALID_IMAGE_DESCRIPTOR;
        p->row = from->row_pitch;
        p->slice = 0;
        return error;
    }
    if (!lw_cl_is_buffer(from) || (p->image.kind != LW_IMAGE_2D && p->image.kind != LW_IMAGE_1D_BUFFER))
        return CL_INVALID_IMAGE_DESCRIPTOR;
    if (!take_pitches(p, desc, p->image.kind == LW_IMAGE_2D))
        return p->image.kind == LW_IMAGE_2D ? CL_INVALID_IMAGE_FORMAT_DESCRIPTOR
                                            : CL_INVALID_IMAGE_DESCRIPTOR;
    if ((uintptr_t)from->data % p->image.element_size)
        return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    return p->row > from->size / p->image.height ? CL_INVALID_IMAGE_DESCRIPTOR : CL_SUCCESS;
}

static cl_int
make_plan(cl_context context, const cl_image_format *format, const cl_image_desc *desc, bool host,
          struct plan *p)
{
    memset(p, 0, sizeof *p);
    if (!desc || !lw_cl_image_kind(desc->image_type))
        return format ? CL_INVALID_IMAGE_DESCRIPTOR : CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    cl_int error = lw_cl_check_format(format, desc->image_type);
    if (error)
        return error;
    if (desc->num_mip_levels || desc->num_samples)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    p->image.kind = lw_cl_image_kind(desc->image_type);
    p->image.order = format->image_channel_order - CL_R;
    p->image.type = format->image_channel_data_type - CL_SNORM_INT8;
    p->image.element_size = lw_cl_element_size(format);
    p->from = desc->mem_object;
    error = take_sizes(&p->image, desc);
    if (error)
        return error;
    if (!p->from)
        return p->image.kind != LW_IMAGE_1D_BUFFER && take_pitches(p, desc, host)
                   ? CL_SUCCESS
                   : CL_INVALID_IMAGE_DESCRIPTOR;
    if (!lw_cl_is(p->from, LW_CL_MEMORY) || p->from->context != context)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    return check_source(p, format, desc);
}

/* ---- The memory ---- */

/* From slice to slice and row to row of the host's memory: the images of a 1-D array are its slices. */
static struct lw_bulk
whole_box(const struct lw_image *image, size_t row, size_t slice)
{
    struct lw_bulk box = {0};
    lw_cl_image_extent(image, box.region);
    box.region[0] *= image->element_size;
    box.to_row = box.from_row = image->kind == LW_IMAGE_1D_ARRAY ? slice : row;
    box.to_slice = box.from_slice = slice;
    return box;
}

/* Rows without gaps, and the padding. */
static cl_int
allocate(cl_mem memory, const struct plan *p, const char *host)
{
    struct lw_image *image = &memory->image;
    struct lw_bulk box = whole_box(image, p->row, p->slice);
    image->row_pitch = box.region[0];
    image->slice_pitch = box.region[0] * box.region[1];
    if (__builtin_mul_overflow(image->slice_pitch, box.region[2], &memory->size) ||
        memory->size > lw_cl_max_alloc(memory->context->device))
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    memory->data = lw_cl_take_memory(LW_CL_BASE_ALIGN, memory->size + LW_IMAGE_PADDING);
    if (!memory->data)
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    memory->owns_data = true;
    image->padded = 1;
    box.to = memory->data;
    box.from = host;
    box.to_row = image->row_pitch;
    box.to_slice = image->slice_pitch;
    if (host)
        lw_bulk_copy(memory->context->device->device, memory->context->device->units, &box);
    return CL_SUCCESS;
}

/* Memory that is there already. */
static void
adopt(cl_mem memory, const struct plan *p, char *data)
{
    struct lw_bulk box = whole_box(&memory->image, p->row, p->slice);
    memory->data = data;
    memory->image.row_pitch = box.from_row;
    memory->image.slice_pitch = p->slice ? p->slice : p->row * box.region[1];
    memory->size = (box.region[2] - 1) * memory->image.slice_pitch + box.region[1] * box.from_row;
}

static cl_int
place(cl_mem memory, const struct plan *p, void *host)
{
    cl_int error = CL_SUCCESS;
    memory->image = p->image;
    if (p->from) {
        memory->parent = p->from;
        lw_cl_hold(p->from);
        adopt(memory, p, p->from->data);
        memory->host_ptr = p->from->host_ptr;
        memory->image.padded = lw_cl_root_of(memory)->owns_data;
    } else if (memory->flags & CL_MEM_USE_HOST_PTR) {
        adopt(memory, p, host);
        memory->host_ptr = host;
    } else {
        error = allocate(memory, p, host);
    }
    memory->image.data = memory->data;
    return error;
}

static cl_mem
make_image(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
           const cl_image_format *format, const struct plan *p, void *host, cl_int *errcode_ret)
{
    cl_mem memory = lw_cl_new_memory(context, flags, lw_cl_destroy_memory);
    if (!memory)
        return lw_cl_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    memory->format = *format;
    memory->row_pitch = p->row;
    memory->slice_pitch = p->slice;
    return lw_cl_complete_memory(memory, place(memory, p, host), properties, errcode_ret);
}

/* ---- Making ---- */

CL_API_ENTRY cl_mem CL_API_CALL
clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                            const cl_image_format *format, const cl_image_desc *desc, void *host_ptr,
                            cl_int *errcode_ret)
{
    struct plan plan;
    if (!lw_cl_is(context, LW_CL_CONTEXT))
        return lw_cl_fail(errcode_ret, CL_INVALID_CONTEXT);
    if (!lw_cl_has_images(context->device))
        return lw_cl_fail(errcode_ret, CL_INVALID_OPERATION);
    if (properties && *properties)
        return lw_cl_fail(errcode_ret, CL_INVALID_PROPERTY);
    if (!lw_cl_memory_flags_are_valid(flags))
        return lw_cl_fail(errcode_ret, CL_INVALID_VALUE);
    cl_int error = make_plan(context, format, desc, host_ptr, &plan);
    if (error)
        return lw_cl_fail(errcode_ret, error);
    if (plan.from && !lw_cl_inherit_flags(flags, plan.from->flags, &flags))
        return lw_cl_fail(errcode_ret, CL_INVALID_VALUE);
    bool wants = !plan.from && (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR));
    if (wants != (host_ptr != NULL))
        return lw_cl_fail(errcode_ret, CL_INVALID_HOST_PTR);
    return make_image(context, properties, flags ? flags : CL_MEM_READ_WRITE, format, &plan, host_ptr,
                      errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL
clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
              const cl_image_desc *desc, void *host_ptr, cl_int *errcode_ret)
{
    return clCreateImageWithProperties(context, NULL, flags, format, desc, host_ptr, errcode_ret);
}

/* The older functions have another word for descriptors that are wrong. */
static cl_mem
make_older(cl_context context, cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc,
           void *host_ptr, cl_int *errcode_ret)
{
    cl_int error = CL_SUCCESS;
    cl_mem image = clCreateImage(context, flags, format, desc, host_ptr, &error);
    if (errcode_ret)
        *errcode_ret = error == CL_INVALID_IMAGE_DESCRIPTOR ? CL_INVALID_IMAGE_SIZE : error;
    return image;
}

CL_API_ENTRY cl_mem CL_API_CALL
clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
                size_t height, size_t row_pitch, void *host_ptr, cl_int *errcode_ret)
{
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = width,
                                .image_height = height,
                                .image_row_pitch = row_pitch};
    return make_older(context, flags, format, &desc, host_ptr, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL
clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
                size_t height, size_t depth, size_t row_pitch, size_t slice_pitch, void *host_ptr,
                cl_int *errcode_ret)
{
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                                .image_width = width,
                                .image_height = height,
                                .image_depth = depth > 1 ? depth : 0, /* one slice is none of it */
                                .image_row_pitch = row_pitch,
                                .image_slice_pitch = slice_pitch};
    return make_older(context, flags, format, &desc, host_ptr, errcode_ret);
}

/* ---- Queries ---- */

CL_API_ENTRY cl_int CL_API_CALL
clGetImageInfo(cl_mem image, cl_image_info name, size_t size, void *value, size_t *size_ret)
{
    struct lw_cl_answer to = {size, value, size_ret};
    if (!lw_cl_is_image(image))
        return CL_INVALID_MEM_OBJECT;
    const struct lw_image *i = &image->image;
    bool layered = i->kind == LW_IMAGE_1D_ARRAY || i->kind == LW_IMAGE_2D_ARRAY;
    switch (name) {
    case CL_IMAGE_FORMAT: return lw_cl_answer_bytes(&to, &image->format, sizeof image->format);
    case CL_IMAGE_ELEMENT_SIZE: return lw_cl_answer_size(&to, i->element_size);
    case CL_IMAGE_ROW_PITCH: return lw_cl_answer_size(&to, image->row_pitch);
    case CL_IMAGE_SLICE_PITCH: return lw_cl_answer_size(&to, image->slice_pitch);
    case CL_IMAGE_WIDTH: return lw_cl_answer_size(&to, i->width);
    case CL_IMAGE_HEIGHT: return lw_cl_answer_size(&to, i->kind >= LW_IMAGE_2D ? i->height : 0);
    case CL_IMAGE_DEPTH: return lw_cl_answer_size(&to, i->kind == LW_IMAGE_3D ? i->depth : 0);
    case CL_IMAGE_ARRAY_SIZE: return lw_cl_answer_size(&to, layered ? i->layers : 0);
    case CL_IMAGE_BUFFER:
        return lw_cl_answer_pointer(&to,
                                    image->parent && lw_cl_is_buffer(image->parent) ? image->parent : NULL);
    case CL_IMAGE_NUM_MIP_LEVELS:
    case CL_IMAGE_NUM_SAMPLES: return lw_cl_answer_uint(&to, 0);
    default: return CL_INVALID_VALUE;
    }
}

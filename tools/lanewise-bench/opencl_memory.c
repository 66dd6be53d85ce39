/* SPDX-License-Identifier: MIT */
/* The buffers, images, pipes and samplers of an opencl worker: made, filled, read. */
#include "opencl_memory.h"

/* The format of texels of that type: R, RG or RGBA. */
static cl_image_format
format_of(const struct argument_line *line)
{
    static const cl_channel_type types[2][3][2] = {
        {{CL_UNSIGNED_INT8, CL_SIGNED_INT8},
         {CL_UNSIGNED_INT16, CL_SIGNED_INT16},
         {CL_UNSIGNED_INT32, CL_SIGNED_INT32}},
        {{CL_UNORM_INT8, CL_SNORM_INT8},
         {CL_UNORM_INT16, CL_SNORM_INT16},
         {CL_UNSIGNED_INT32, CL_SIGNED_INT32}},
    };
    const struct element *element = &line->element;
    unsigned lanes = element->lanes, size = element->bytes / 2;
    cl_image_format format = {lanes == 1 ? CL_R : lanes == 2 ? CL_RG : CL_RGBA, 0};

    if (element->kind == ELEMENT_FLOAT)
        format.image_channel_data_type = element->bytes == 2 ? CL_HALF_FLOAT : CL_FLOAT;
    else
        format.image_channel_data_type = types[line->normalized][size][element->kind == ELEMENT_SIGNED];
    return format;
}

cl_mem
opencl_memory(const struct opencl *opencl, const struct case_argument *argument, cl_int *status)
{
    static const cl_mem_object_type types[] = {0, CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE2D,
                                               CL_MEM_OBJECT_IMAGE3D};
    const struct argument_line *line = argument->line;
    cl_image_format format;
    cl_image_desc about = {
        .image_type = types[line->dimensions],
        .image_width = argument->extent[0],
        .image_height = line->dimensions > 1 ? argument->extent[1] : 0,
        .image_depth = line->dimensions > 2 ? argument->extent[2] : 0,
    };

    if (line->kind == ARGUMENT_BUFFER)
        return clCreateBuffer(opencl->context, CL_MEM_READ_WRITE, argument->bytes, NULL, status);
    if (line->kind == ARGUMENT_PIPE)
        return clCreatePipe(opencl->context, 0, (cl_uint)(line->element.bytes * line->element.lanes),
                            (cl_uint)argument->count, NULL, status);
    format = format_of(line);
    return clCreateImage(opencl->context, CL_MEM_READ_WRITE, &format, &about, NULL, status);
}

cl_sampler
opencl_sampler(const struct opencl *opencl, const struct argument_line *line, cl_int *status)
{
    return clCreateSampler(opencl->context, line->normalized, line->addressing, line->filter, status);
}

cl_int
opencl_move(const struct opencl *opencl, cl_mem memory, const struct case_argument *argument, void *data,
            bool write)
{
    const size_t origin[3] = {0, 0, 0};

    if (argument->line->kind == ARGUMENT_IMAGE)
        return write ? clEnqueueWriteImage(opencl->queue, memory, CL_TRUE, origin, argument->extent, 0, 0,
                                           data, 0, NULL, NULL)
                     : clEnqueueReadImage(opencl->queue, memory, CL_TRUE, origin, argument->extent, 0, 0,
                                          data, 0, NULL, NULL);
    return write
               ? clEnqueueWriteBuffer(opencl->queue, memory, CL_TRUE, 0, argument->bytes, data, 0, NULL, NULL)
               : clEnqueueReadBuffer(opencl->queue, memory, CL_TRUE, 0, argument->bytes, data, 0, NULL, NULL);
}

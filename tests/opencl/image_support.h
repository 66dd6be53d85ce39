/* SPDX-License-Identifier: MIT */
/* What the tests of images share: one image of each kind. */
#ifndef TEST_OPENCL_IMAGE_SUPPORT_H
#define TEST_OPENCL_IMAGE_SUPPORT_H

#include "support.h"

enum { K1D, K1D_BUFFER, K1D_ARRAY, K2D, K2D_ARRAY, K3D, KINDS };

static const cl_mem_object_type image_kinds[KINDS] = {
    CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_MEM_OBJECT_IMAGE1D_ARRAY,
    CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY,  CL_MEM_OBJECT_IMAGE3D};

/* As origins and regions count. */
static const size_t image_extents[KINDS][3] = {{7, 1, 1}, {7, 1, 1}, {7, 3, 1}, {7, 5, 1}, {7, 5, 3},
                                               {7, 5, 4}};

static inline size_t
image_bytes(int kind, size_t element)
{
    return image_extents[kind][0] * image_extents[kind][1] * image_extents[kind][2] * element;
}

/* By the tables of orders and types. */
static inline size_t
element_bytes(const cl_image_format *format)
{
    size_t channels = 4, bytes = 4;
    switch (format->image_channel_order) {
    case CL_R:
    case CL_A:
    case CL_INTENSITY:
    case CL_LUMINANCE:
    case CL_DEPTH: channels = 1; break;
    case CL_RG:
    case CL_RA:
    case CL_Rx: channels = 2; break;
    default: break;
    }
    switch (format->image_channel_data_type) {
    case CL_UNORM_SHORT_565:
    case CL_UNORM_SHORT_555: return 2;
    case CL_UNORM_INT_101010:
    case CL_UNORM_INT_101010_2: return 4;
    case CL_SNORM_INT8:
    case CL_UNORM_INT8:
    case CL_SIGNED_INT8:
    case CL_UNSIGNED_INT8: bytes = 1; break;
    case CL_SIGNED_INT32:
    case CL_UNSIGNED_INT32:
    case CL_FLOAT: bytes = 4; break;
    default: bytes = 2; break;
    }
    return channels * bytes;
}

/* One of the kind's extent; with a host pointer, of texels without gaps. An image of a buffer is of one that
 * it alone keeps. */
static inline cl_mem
try_image(int kind, const cl_image_format *format, cl_mem_flags flags, void *host, cl_int *error)
{
    const size_t *e = image_extents[kind];
    cl_image_desc desc = {.image_type = image_kinds[kind],
                          .image_width = e[0],
                          .image_height = e[1],
                          .image_depth = e[2],
                          .image_array_size = kind == K1D_ARRAY ? e[1] : e[2]};
    if (kind == K1D_BUFFER) {
        desc.mem_object = clCreateBuffer(w.context, flags, host ? image_bytes(kind, element_bytes(format)) :
                                         7 * 16, host, NULL);
        flags = 0;
        host = NULL;
    }
    cl_mem image = clCreateImage(w.context, flags, format, &desc, host, error);
    if (desc.mem_object)
        ok(clReleaseMemObject(desc.mem_object));
    return image;
}

static inline cl_mem
make_image(int kind, const cl_image_format *format, cl_mem_flags flags, void *host)
{
    cl_int error = 1;
    cl_mem image = try_image(kind, format, flags, host, &error);
    ok(error);
    return image;
}

#endif

/* SPDX-License-Identifier: MIT */
/* Images and samplers: what there is, how they are made, what they tell (API 5.3, 5.7). */
#include "image_support.h"

/* ---- Formats ---- */

/* API table "Minimum list of required image formats: kernel read or write", and what else the device lists.
 * */
static bool
is_expected(cl_channel_order order, cl_channel_type type, cl_mem_object_type kind)
{
    bool packed = type >= CL_UNORM_SHORT_565 && type <= CL_UNORM_INT_101010;
    bool integer = type >= CL_SIGNED_INT8 && type <= CL_UNSIGNED_INT32;
    if (type == CL_UNORM_INT24)
        return false;
    if (type == CL_UNORM_INT_101010_2)
        return order == CL_RGBA;
    switch (order) {
    case CL_R:
    case CL_A:
    case CL_RG:
    case CL_RA:
    case CL_Rx:
    case CL_RGBA: return !packed;
    case CL_RGBx: return true;
    case CL_RGB: return packed;
    case CL_BGRA:
    case CL_ARGB:
    case CL_ABGR:
        return type == CL_UNORM_INT8 || type == CL_SNORM_INT8 || type == CL_SIGNED_INT8 ||
               type == CL_UNSIGNED_INT8;
    case CL_INTENSITY:
    case CL_LUMINANCE: return !packed && !integer;
    case CL_DEPTH:
        return (type == CL_UNORM_INT16 || type == CL_FLOAT) &&
               (kind == CL_MEM_OBJECT_IMAGE2D || kind == CL_MEM_OBJECT_IMAGE2D_ARRAY);
    case CL_sRGBA:
    case CL_sBGRA:
    case CL_sRGBx: return type == CL_UNORM_INT8;
    default: return false;
    }
}

START_TEST(test_formats)
{
    static const cl_mem_flags flags[] = {CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY,
                                         CL_MEM_KERNEL_READ_AND_WRITE};
    for (int k = 0; k < KINDS; k++)
        for (size_t f = 0; f < 4; f++) {
            cl_image_format list[300], few[2];
            cl_uint count, again, expected = 0;
            ok(clGetSupportedImageFormats(w.context, flags[f], image_kinds[k], 300, list, &count));
            ok(clGetSupportedImageFormats(w.context, flags[f], image_kinds[k], 2, few, &again));
            ck_assert_uint_eq(count, again);
            ck_assert_mem_eq(few, list, sizeof few);
            for (cl_channel_order o = CL_R; o <= CL_ABGR; o++)
                for (cl_channel_type t = CL_SNORM_INT8; t <= CL_UNORM_INT_101010_2; t++) {
                    int found = 0;
                    for (cl_uint i = 0; i < count; i++)
                        found += list[i].image_channel_order == o && list[i].image_channel_data_type == t;
                    ck_assert_msg(found == is_expected(o, t, image_kinds[k]), "0x%x 0x%x of 0x%x", o, t,
                                  image_kinds[k]);
                    expected += (cl_uint)found;
                }
            ck_assert_uint_eq(count, expected);
        }
    cl_image_format one;
    const cl_mem_flags reads = CL_MEM_READ_ONLY;
    ok(clGetSupportedImageFormats(w.context, reads, CL_MEM_OBJECT_IMAGE2D, 0, NULL, NULL));
    fails(CL_INVALID_VALUE,
          clGetSupportedImageFormats(w.context, reads, CL_MEM_OBJECT_IMAGE2D, 0, &one, NULL));
    fails(CL_INVALID_VALUE, clGetSupportedImageFormats(w.context, reads, CL_MEM_OBJECT_BUFFER, 1, &one,
                                                       NULL));
    fails(CL_INVALID_VALUE, clGetSupportedImageFormats(w.context, reads | CL_MEM_WRITE_ONLY,
                                                       CL_MEM_OBJECT_IMAGE2D, 1, &one, NULL));
    fails(CL_INVALID_CONTEXT,
          clGetSupportedImageFormats(NULL, reads, CL_MEM_OBJECT_IMAGE2D, 1, &one, NULL));
}
END_TEST

/* What is listed can be made, with elements of the size that its channels have; nothing else can be. */
START_TEST(test_formats_make_images)
{
    for (int k = 0; k < KINDS; k++)
        for (cl_channel_order o = CL_R; o <= CL_ABGR; o++)
            for (cl_channel_type t = CL_SNORM_INT8; t <= CL_UNORM_INT_101010_2; t++) {
                cl_int error = 1;
                const cl_image_format format = {o, t};
                cl_mem image = try_image(k, &format, 0, NULL, &error);
                if (!is_expected(o, t, image_kinds[k])) {
                    ck_assert_ptr_null(image);
                    ck_assert(error == CL_IMAGE_FORMAT_NOT_SUPPORTED || error ==
                              CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
                    continue;
                }
                ok(error);
                cl_image_format got;
                size_t element;
                ok(clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof got, &got, NULL));
                ck_assert_mem_eq(&got, &format, sizeof got);
                ok(clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof element, &element, NULL));
                ck_assert_uint_eq(element, element_bytes(&format));
                ok(clReleaseMemObject(image));
            }
}
END_TEST

/* ---- The device ---- */

START_TEST(test_limits)
{
    static const struct {
        cl_device_info name;
        size_t size;
        cl_ulong least;
    } limits[] = {
        {CL_DEVICE_IMAGE_SUPPORT, 4, 1},
        {CL_DEVICE_MAX_READ_IMAGE_ARGS, 4, 128},
        {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 4, 64},
        {CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, 4, 64},
        {CL_DEVICE_MAX_SAMPLERS, 4, 16},
        {CL_DEVICE_IMAGE_PITCH_ALIGNMENT, 4, 1},
        {CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, 4, 1},
        {CL_DEVICE_IMAGE2D_MAX_WIDTH, 8, 16384},
        {CL_DEVICE_IMAGE2D_MAX_HEIGHT, 8, 16384},
        {CL_DEVICE_IMAGE3D_MAX_WIDTH, 8, 2048},
        {CL_DEVICE_IMAGE3D_MAX_HEIGHT, 8, 2048},
        {CL_DEVICE_IMAGE3D_MAX_DEPTH, 8, 2048},
        {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 8, 65536},
        {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 8, 2048},
    };
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        cl_ulong value = 0;
        size_t size;
        ok(clGetDeviceInfo(w.device, limits[i].name, sizeof value, &value, &size));
        ck_assert_uint_eq(size, limits[i].size);
        ck_assert_msg(value >= limits[i].least, "0x%x", limits[i].name);
    }
}
END_TEST

START_TEST(test_extensions_and_features)
{
    static const char *const names[] = {"cl_khr_image2d_from_buffer", "cl_khr_depth_images",
                                        "cl_khr_3d_image_writes"};
    static const char *const features[] = {"__opencl_c_images", "__opencl_c_3d_image_writes",
                                           "__opencl_c_read_write_images"};
    char text[8192];
    cl_name_version list[200];
    size_t size;
    ok(clGetDeviceInfo(w.device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL));
    for (size_t i = 0; i < 3; i++)
        ck_assert_ptr_nonnull(strstr(text, names[i]));
    ok(clGetDeviceInfo(w.device, CL_DEVICE_OPENCL_C_FEATURES, sizeof list, list, &size));
    for (size_t i = 0; i < 3; i++) {
        int found = 0;
        for (size_t k = 0; k < size / sizeof list[0]; k++)
            found += strcmp(list[k].name, features[i]) == 0;
        ck_assert_int_eq(found, 1);
    }
}
END_TEST

/* ---- Making ---- */

static size_t
size_info(cl_mem image, cl_image_info name)
{
    size_t value, size;
    ok(clGetImageInfo(image, name, sizeof value, &value, &size));
    ck_assert_uint_eq(size, sizeof value);
    return value;
}

/* As they were given; without any, the default. */
START_TEST(test_flags)
{
    static const cl_mem_flags given[] = {0,
                                         CL_MEM_WRITE_ONLY,
                                         CL_MEM_HOST_READ_ONLY,
                                         CL_MEM_ALLOC_HOST_PTR,
                                         CL_MEM_COPY_HOST_PTR,
                                         CL_MEM_USE_HOST_PTR | CL_MEM_HOST_NO_ACCESS,
                                         CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR};
    static unsigned char texels[64];
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        bool takes = given[i] & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR);
        cl_mem_flags flags;
        cl_int error;
        cl_mem image = clCreateImage(w.context, given[i], &format, &desc, takes ? texels : NULL, &error);
        ok(error);
        ok(clGetMemObjectInfo(image, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
        ck_assert_uint_eq(flags, given[i] ? given[i] : CL_MEM_READ_WRITE);
        ok(clReleaseMemObject(image));
    }
}
END_TEST

START_TEST(test_info)
{
    /* width, height, depth, layers, rows of 8-byte texels, slices: as the table of clGetImageInfo has them */
    static const size_t expected[KINDS][6] = {{7, 0, 0, 0, 56,
                                               0},  {7, 0, 0, 0, 56, 0},   {7, 0, 0, 3, 56, 56},
                                              {7, 5, 0, 0, 56, 0},  {7, 5, 0, 3, 56, 280},
                                              {7, 5, 4, 0, 56, 280}};
    static const cl_image_info names[6] = {CL_IMAGE_WIDTH,      CL_IMAGE_HEIGHT,    CL_IMAGE_DEPTH,
                                           CL_IMAGE_ARRAY_SIZE, CL_IMAGE_ROW_PITCH, CL_IMAGE_SLICE_PITCH};
    const cl_image_format format = {CL_RGBA, CL_HALF_FLOAT};
    for (int k = 0; k < KINDS; k++) {
        cl_mem image = make_image(k, &format, 0, NULL), from = (cl_mem)1;
        for (int i = 0; i < 6; i++)
            ck_assert_msg(size_info(image, names[i]) == expected[k][i], "kind %d, query %d", k, i);
        cl_mem_object_type type;
        cl_mem_flags flags;
        cl_uint number = 99;
        size_t bytes;
        ok(clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof type, &type, NULL));
        ck_assert_uint_eq(type, image_kinds[k]);
        ok(clGetMemObjectInfo(image, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
        ck_assert_uint_eq(flags, CL_MEM_READ_WRITE);
        ok(clGetMemObjectInfo(image, CL_MEM_SIZE, sizeof bytes, &bytes, NULL));
        ck_assert_uint_ge(bytes, image_bytes(k, 8));
        ok(clGetMemObjectInfo(image, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof from, &from, NULL));
        ck_assert_int_eq(from != NULL, k == K1D_BUFFER);
        ok(clGetImageInfo(image, CL_IMAGE_BUFFER, sizeof from, &from, NULL));
        ck_assert_int_eq(from != NULL, k == K1D_BUFFER);
        ok(clGetImageInfo(image, CL_IMAGE_NUM_MIP_LEVELS, sizeof number, &number, NULL));
        ck_assert_uint_eq(number, 0);
        ok(clGetImageInfo(image, CL_IMAGE_NUM_SAMPLES, sizeof number, &number, NULL));
        ck_assert_uint_eq(number, 0);
        fails(CL_INVALID_VALUE, clGetImageInfo(image, CL_MEM_TYPE, 0, NULL, NULL));
        fails(CL_INVALID_VALUE, clGetImageInfo(image, CL_IMAGE_WIDTH, 4, &number, NULL));
        /* no buffer, no pipe */
        fails(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(w.queue, image, CL_TRUE, 0, 1, &type, 0, NULL,
                                                         NULL));
        fails(CL_INVALID_MEM_OBJECT, clGetPipeInfo(image, CL_PIPE_PACKET_SIZE, 0, NULL, NULL));
        makes(CL_INVALID_MEM_OBJECT, clCreateSubBuffer(image, 0, CL_BUFFER_CREATE_TYPE_REGION,
                                                       &(cl_buffer_region){0, 4}, code_ret));
        ok(clReleaseMemObject(image));
    }
    cl_mem buffer = make_buffer(NULL, 4);
    fails(CL_INVALID_MEM_OBJECT, clGetImageInfo(buffer, CL_IMAGE_WIDTH, 0, NULL, NULL));
    ok(clReleaseMemObject(buffer));
}
END_TEST

#define REFUSES(error, flags, format, desc, pointer) \
    makes(error, clCreateImage(w.context, flags, format, desc, pointer, code_ret))

START_TEST(test_bad_descriptors)
{
    const cl_image_format good = {CL_RGBA, CL_UNORM_INT8}, unknown = {CL_RGBA, 0},
    three = {CL_RGB, CL_UNORM_INT8};
    const cl_image_format packed = {CL_RGBA, CL_UNORM_SHORT_565}, bright = {CL_INTENSITY, CL_SIGNED_INT8};
    const cl_image_format turned = {CL_BGRA, CL_FLOAT}, deep = {CL_DEPTH, CL_UNORM_INT8};
    char host[8192];
    const cl_image_desc two = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
    cl_image_desc d = two;
    makes(CL_INVALID_CONTEXT, clCreateImage(NULL, 0, &good, &two, NULL, code_ret));
    REFUSES(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, NULL, &two, NULL);
    REFUSES(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, &unknown, &two, NULL);
    REFUSES(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, &three, &two, NULL);
    REFUSES(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, &packed, &two, NULL);
    REFUSES(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, &bright, &two, NULL);
    REFUSES(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, &turned, &two, NULL);
    REFUSES(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, &deep, &two, NULL);
    REFUSES(CL_INVALID_IMAGE_DESCRIPTOR, 0, &good, NULL, NULL);
    REFUSES(CL_INVALID_VALUE, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, &good, &two, NULL);
    REFUSES(CL_INVALID_VALUE, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, &good, &two, host);
    REFUSES(CL_INVALID_VALUE, (cl_mem_flags)1 << 40, &good, &two, NULL);
    REFUSES(CL_INVALID_HOST_PTR, CL_MEM_COPY_HOST_PTR, &good, &two, NULL);
    REFUSES(CL_INVALID_HOST_PTR, CL_MEM_USE_HOST_PTR, &good, &two, NULL);
    REFUSES(CL_INVALID_HOST_PTR, CL_MEM_READ_ONLY, &good, &two, host);
    const cl_mem_properties none[] = {0}, some[] = {77, 1, 0};
    makes(CL_INVALID_PROPERTY, clCreateImageWithProperties(w.context, some, 0, &good, &two, NULL, code_ret));
    cl_int error;
    cl_mem image = clCreateImageWithProperties(w.context, none, 0, &good, &two, NULL, &error);
    ok(error);
    ok(clReleaseMemObject(image));
#define CHANGED(error, field, value, flags, pointer) \
    d = two, d.field = value; \
    REFUSES(error, flags, &good, &d, pointer)
    CHANGED(CL_INVALID_IMAGE_DESCRIPTOR, image_type, CL_MEM_OBJECT_BUFFER, 0, NULL);
    /* of no buffer */
    CHANGED(CL_INVALID_IMAGE_DESCRIPTOR, image_type, CL_MEM_OBJECT_IMAGE1D_BUFFER, 0, NULL);
    CHANGED(CL_INVALID_IMAGE_DESCRIPTOR, image_width, 0, 0, NULL);
    CHANGED(CL_INVALID_IMAGE_DESCRIPTOR, image_height, 0, 0, NULL);
    CHANGED(CL_INVALID_IMAGE_SIZE, image_width, 16385, 0, NULL);
    CHANGED(CL_INVALID_IMAGE_SIZE, image_height, (size_t)1 << 40, 0, NULL);
    CHANGED(CL_INVALID_IMAGE_DESCRIPTOR, image_row_pitch, 32, 0, NULL); /* without a host pointer */
    CHANGED(CL_INVALID_IMAGE_DESCRIPTOR, image_row_pitch, 28, CL_MEM_COPY_HOST_PTR, host);
    CHANGED(CL_INVALID_IMAGE_DESCRIPTOR, image_row_pitch, 34, CL_MEM_COPY_HOST_PTR, host);
    CHANGED(CL_INVALID_IMAGE_DESCRIPTOR, num_mip_levels, 1, 0, NULL);
    CHANGED(CL_INVALID_IMAGE_DESCRIPTOR, num_samples, 1, 0, NULL);
    CHANGED(CL_INVALID_IMAGE_DESCRIPTOR, mem_object, (cl_mem)host, 0, NULL); /* no handle */
    const cl_image_desc three_d = {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 4, .image_height = 4,
                                   .image_depth = 4};
    d = three_d, d.image_depth = 0;
    REFUSES(CL_INVALID_IMAGE_DESCRIPTOR, 0, &good, &d, NULL);
    d = three_d, d.image_depth = 2049;
    REFUSES(CL_INVALID_IMAGE_SIZE, 0, &good, &d, NULL);
    d = three_d, d.image_slice_pitch = 60; /* less than a slice */
    REFUSES(CL_INVALID_IMAGE_DESCRIPTOR, CL_MEM_COPY_HOST_PTR, &good, &d, host);
    d = three_d, d.image_slice_pitch = 72; /* no multiple of the row pitch */
    REFUSES(CL_INVALID_IMAGE_DESCRIPTOR, CL_MEM_COPY_HOST_PTR, &good, &d, host);
    d = (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 4,
                        .image_array_size = 2049};
    REFUSES(CL_INVALID_IMAGE_SIZE, 0, &good, &d, NULL);
    d.image_array_size = 0;
    REFUSES(CL_INVALID_IMAGE_DESCRIPTOR, 0, &good, &d, NULL);
}
END_TEST

START_TEST(test_older_functions)
{
    const cl_image_format format = {CL_R, CL_FLOAT};
    float data[24];
    cl_int error;
    for (int i = 0; i < 24; i++)
        data[i] = (float)i;
    cl_mem image = clCreateImage2D(w.context, CL_MEM_COPY_HOST_PTR, &format, 3, 4, 24, data, &error);
    float got[12];
    ok(error);
    ok(clEnqueueReadImage(w.queue, image, CL_TRUE, (size_t[]){0, 0, 0}, (size_t[]){3, 4, 1}, 0, 0, got, 0,
                          NULL, NULL));
    for (int i = 0; i < 12; i++)
        ck_assert_float_eq(got[i], (float)(i / 3 * 6 + i % 3));
    ck_assert_uint_eq(size_info(image, CL_IMAGE_ROW_PITCH), 24);
    ok(clReleaseMemObject(image));
    image = clCreateImage3D(w.context, CL_MEM_READ_ONLY, &format, 3, 4, 2, 0, 0, NULL, &error);
    ok(error);
    ck_assert_uint_eq(size_info(image, CL_IMAGE_SLICE_PITCH), 48);
    ok(clReleaseMemObject(image));
    makes(CL_INVALID_IMAGE_SIZE, clCreateImage2D(w.context, 0, &format, 0, 4, 0, NULL, code_ret));
    makes(CL_INVALID_IMAGE_SIZE, clCreateImage2D(w.context, 0, &format, 4, 16385, 0, NULL, code_ret));
    makes(CL_INVALID_IMAGE_SIZE, clCreateImage2D(w.context, CL_MEM_COPY_HOST_PTR, &format, 3, 4, 8, data,
                                                 code_ret));
    makes(CL_INVALID_IMAGE_SIZE, clCreateImage3D(w.context, 0, &format, 4, 4, 1, 0, 0, NULL, code_ret));
}
END_TEST

/* ---- From other memory ---- */

static cl_mem
image_of(cl_mem memory, cl_mem_flags flags, cl_image_format format, size_t width, size_t height, size_t row,
         cl_int expected)
{
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width,
                                .image_height = height,
                                .image_row_pitch = row, .mem_object = memory};
    cl_int error = 1;
    cl_mem image = clCreateImage(w.context, flags, &format, &desc, NULL, &error);
    ck_assert_int_eq(error, expected);
    ck_assert(!image == (expected != CL_SUCCESS));
    return image;
}

START_TEST(test_from_buffers)
{
    const cl_image_format rgba = {CL_RGBA, CL_UNSIGNED_INT8};
    const size_t zero[3] = {0};
    cl_uint data[96], got[12], pixel = 0xdeadbeef;
    for (cl_uint i = 0; i < 96; i++)
        data[i] = i * 0x01020304;
    cl_mem buffer = make_buffer((int *)data, 96);
    cl_mem part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){128, 256},
                                    NULL);
    cl_mem image = image_of(part, 0, rgba, 3, 4, 40, CL_SUCCESS);
    ok(clEnqueueReadImage(w.queue, image, CL_TRUE, zero, (size_t[]){3, 4, 1}, 0, 0, got, 0, NULL, NULL));
    for (cl_uint i = 0; i < 12; i++)
        ck_assert_uint_eq(got[i], data[32 + i / 3 * 10 + i % 3]);
    ok(clEnqueueWriteImage(w.queue, image, CL_TRUE, (size_t[]){2, 3, 0}, (size_t[]){1, 1, 1}, 0, 0, &pixel,
                           0, NULL,
                           NULL));
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
    ck_assert_uint_eq(data[32 + 32], pixel);
    cl_mem from;
    ok(clGetImageInfo(image, CL_IMAGE_BUFFER, sizeof from, &from, NULL));
    ck_assert_ptr_eq(from, part);
    ok(clReleaseMemObject(part)); /* the image keeps it */
    ok(clReleaseMemObject(buffer));
    ok(clEnqueueReadImage(w.queue, image, CL_TRUE, (size_t[]){2, 3, 0}, (size_t[]){1, 1, 1}, 0, 0, got, 0,
                          NULL, NULL));
    ck_assert_uint_eq(got[0], pixel);
    ok(clReleaseMemObject(image));
}
END_TEST

START_TEST(test_bad_sources)
{
    const cl_image_format rgba = {CL_RGBA, CL_UNSIGNED_INT8};
    cl_mem buffer = make_buffer(NULL, 64), image;
    cl_int error;
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 64, .mem_object = buffer};
    ok(clReleaseMemObject(image_of(buffer, 0, rgba, 8, 8, 0, CL_SUCCESS)));
    image_of(buffer, 0, rgba, 8, 9, 0, CL_INVALID_IMAGE_DESCRIPTOR);                /* too small */
    image_of(buffer, 0, rgba, 8, 8, 28, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);        /* pitches */
    image_of(buffer, 0, rgba, 8, 4, 34, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    image_of(buffer, CL_MEM_COPY_HOST_PTR, rgba, 8, 8, 0, CL_INVALID_VALUE);
    image_of(buffer, CL_MEM_ALLOC_HOST_PTR, rgba, 8, 8, 0, CL_INVALID_VALUE);
    image = clCreateImage(w.context, 0, &rgba, &d, NULL, &error);
    ok(error);
    ok(clReleaseMemObject(image));
    d.image_width = 65;
    REFUSES(CL_INVALID_IMAGE_DESCRIPTOR, 0, &rgba, &d, NULL);
    d = (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 4, .mem_object = buffer};
    REFUSES(CL_INVALID_IMAGE_DESCRIPTOR, 0, &rgba, &d, NULL); /* neither of a buffer nor of an image */
    cl_mem sub = clCreateSubBuffer(buffer, CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY,
                                   CL_BUFFER_CREATE_TYPE_REGION,
                                   &(cl_buffer_region){0, 128}, NULL);
    image_of(sub, CL_MEM_WRITE_ONLY, rgba, 4, 4, 0, CL_INVALID_VALUE);
    image_of(sub, CL_MEM_READ_WRITE, rgba, 4, 4, 0, CL_INVALID_VALUE);
    image_of(sub, CL_MEM_HOST_WRITE_ONLY, rgba, 4, 4, 0, CL_INVALID_VALUE);
    image = image_of(sub, 0, rgba, 4, 4, 0, CL_SUCCESS);
    cl_mem_flags flags;
    ok(clGetMemObjectInfo(image, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
    ck_assert_uint_eq(flags & (CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_READ_WRITE),
                      CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY);
    ok(clReleaseMemObject(image));
    cl_context other = clCreateContext(NULL, 1, &w.device, NULL, NULL, &error);
    cl_mem foreign = clCreateBuffer(other, 0, 256, NULL, &error);
    image_of(foreign, 0, rgba, 8, 8, 0, CL_INVALID_IMAGE_DESCRIPTOR);
    ok(clReleaseMemObject(foreign));
    ok(clReleaseContext(other));
    ok(clReleaseMemObject(sub));
    ok(clReleaseMemObject(buffer));
}
END_TEST

/* The same texels in another order of channels. */
START_TEST(test_views)
{
    const cl_image_format rgba = {CL_RGBA, CL_UNORM_INT8}, srgba = {CL_sRGBA, CL_UNORM_INT8};
    const cl_image_format bgra = {CL_BGRA, CL_UNORM_INT8}, deep = {CL_DEPTH, CL_FLOAT}, r = {CL_R, CL_FLOAT};
    const size_t zero[3] = {0}, all[3] = {7, 5, 1};
    cl_uint data[35], got[35];
    for (cl_uint i = 0; i < 35; i++)
        data[i] = i * 77777;
    cl_mem image = make_image(K2D, &rgba, CL_MEM_COPY_HOST_PTR, data), linear = make_image(K2D, &r, 0, NULL);
    cl_mem view = image_of(image, 0, srgba, 7, 5, 28, CL_SUCCESS),
    back = image_of(view, 0, rgba, 7, 5, 28, CL_SUCCESS);
    ok(clEnqueueReadImage(w.queue, back, CL_TRUE, zero, all, 0, 0, got, 0, NULL, NULL));
    ck_assert_mem_eq(got, data, sizeof data);
    ok(clEnqueueFillImage(w.queue, view, (float[]){0.5f, 1, 0, 0.5f}, zero, all, 0, NULL, NULL));
    ok(clEnqueueReadImage(w.queue, image, CL_TRUE, zero, all, 0, 0, got, 0, NULL, NULL));
    ck_assert_uint_eq(got[34], 0x8000ffbc); /* the curve has 0.5 at 188 of 255 */
    /* the pitch that it was made with */
    ok(clReleaseMemObject(image_of(image, 0, srgba, 7, 5, 0, CL_SUCCESS)));
    ok(clReleaseMemObject(image_of(linear, 0, deep, 7, 5, 28, CL_SUCCESS)));
    image_of(image, 0, bgra, 7, 5, 28, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    image_of(image, 0, r, 7, 5, 28, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    image_of(image, 0, srgba, 6, 5, 28, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    image_of(image, 0, srgba, 7, 4, 28, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    image_of(image, 0, srgba, 7, 5, 32, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    ok(clReleaseMemObject(image));
    ok(clReleaseMemObject(view));
    ok(clReleaseMemObject(back));
    ok(clReleaseMemObject(linear));
}
END_TEST

/* ---- Samplers ---- */

START_TEST(test_samplers)
{
    cl_int error;
    for (cl_uint n = 0; n < 2; n++)
        for (cl_addressing_mode a = CL_ADDRESS_NONE; a <= CL_ADDRESS_MIRRORED_REPEAT; a++)
            for (cl_filter_mode f = CL_FILTER_NEAREST; f <= CL_FILTER_LINEAR; f++) {
                cl_sampler_properties list[] = {CL_SAMPLER_FILTER_MODE, f, CL_SAMPLER_ADDRESSING_MODE, a,
                                                CL_SAMPLER_NORMALIZED_COORDS, n, 0};
                cl_sampler samplers[2] = {clCreateSampler(w.context, n, a, f, &error),
                                          clCreateSamplerWithProperties(w.context, list, &error)};
                for (int i = 0; i < 2; i++) {
                    cl_uint got[4];
                    size_t size;
                    cl_context context;
                    ok(clGetSamplerInfo(samplers[i], CL_SAMPLER_NORMALIZED_COORDS, 4, &got[0], NULL));
                    ok(clGetSamplerInfo(samplers[i], CL_SAMPLER_ADDRESSING_MODE, 4, &got[1], NULL));
                    ok(clGetSamplerInfo(samplers[i], CL_SAMPLER_FILTER_MODE, 4, &got[2], NULL));
                    ok(clGetSamplerInfo(samplers[i], CL_SAMPLER_REFERENCE_COUNT, 4, &got[3], NULL));
                    ck_assert(got[0] == n && got[1] == a && got[2] == f && got[3] == 1);
                    ok(clGetSamplerInfo(samplers[i], CL_SAMPLER_CONTEXT, sizeof context, &context, NULL));
                    ck_assert_ptr_eq(context, w.context);
                    ok(clGetSamplerInfo(samplers[i], CL_SAMPLER_PROPERTIES, 0, NULL, &size));
                    ck_assert_uint_eq(size, i ? sizeof list : 0);
                    ok(clRetainSampler(samplers[i]));
                    ok(clReleaseSampler(samplers[i]));
                    ok(clReleaseSampler(samplers[i]));
                    fails(CL_INVALID_SAMPLER, clReleaseSampler(samplers[i]));
                }
            }
}
END_TEST

START_TEST(test_bad_samplers)
{
    const cl_sampler_properties twice[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_FILTER_MODE,
                                           CL_FILTER_LINEAR, 0};
    const cl_sampler_properties unknown[] = {77, 1, 0}, wrong[] = {CL_SAMPLER_ADDRESSING_MODE, 1, 0};
    const cl_sampler_properties large[] = {CL_SAMPLER_FILTER_MODE, ((cl_ulong)1 << 32) + CL_FILTER_LINEAR, 0};
    const cl_int bad = CL_INVALID_VALUE;
    cl_uint value;
    makes(bad, clCreateSamplerWithProperties(w.context, twice, code_ret));
    makes(bad, clCreateSamplerWithProperties(w.context, unknown, code_ret));
    makes(bad, clCreateSamplerWithProperties(w.context, wrong, code_ret));
    makes(bad, clCreateSamplerWithProperties(w.context, large, code_ret));
    makes(bad, clCreateSampler(w.context, 2, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, code_ret));
    makes(bad, clCreateSampler(w.context, CL_TRUE, 0, CL_FILTER_LINEAR, code_ret));
    makes(bad, clCreateSampler(w.context, CL_TRUE, CL_ADDRESS_MIRRORED_REPEAT + 1, CL_FILTER_LINEAR,
                               code_ret));
    makes(bad, clCreateSampler(w.context, CL_TRUE, CL_ADDRESS_CLAMP, 0, code_ret));
    makes(CL_INVALID_CONTEXT, clCreateSampler(NULL, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, code_ret));
    cl_int error;
    cl_sampler s = clCreateSamplerWithProperties(w.context, NULL, &error);
    ok(clGetSamplerInfo(s, CL_SAMPLER_NORMALIZED_COORDS, 4, &value, NULL));
    ck_assert_uint_eq(value, CL_TRUE);
    ok(clGetSamplerInfo(s, CL_SAMPLER_ADDRESSING_MODE, 4, &value, NULL));
    ck_assert_uint_eq(value, CL_ADDRESS_CLAMP);
    ok(clGetSamplerInfo(s, CL_SAMPLER_FILTER_MODE, 4, &value, NULL));
    ck_assert_uint_eq(value, CL_FILTER_NEAREST);
    fails(bad, clGetSamplerInfo(s, 0, 4, &value, NULL));
    fails(bad, clGetSamplerInfo(s, CL_SAMPLER_FILTER_MODE, 2, &value, NULL));
    fails(CL_INVALID_SAMPLER, clGetSamplerInfo((cl_sampler)w.queue, CL_SAMPLER_FILTER_MODE, 4, &value, NULL));
    fails(CL_INVALID_SAMPLER, clRetainSampler((cl_sampler)w.queue));
    ok(clReleaseSampler(s));
}
END_TEST

TCase *
image_tests(void)
{
    TCase *tests = tcase_create("images");
    tcase_add_test(tests, test_formats);
    tcase_add_test(tests, test_formats_make_images);
    tcase_add_test(tests, test_limits);
    tcase_add_test(tests, test_extensions_and_features);
    tcase_add_test(tests, test_info);
    tcase_add_test(tests, test_flags);
    tcase_add_test(tests, test_bad_descriptors);
    tcase_add_test(tests, test_older_functions);
    tcase_add_test(tests, test_from_buffers);
    tcase_add_test(tests, test_bad_sources);
    tcase_add_test(tests, test_views);
    tcase_add_test(tests, test_samplers);
    tcase_add_test(tests, test_bad_samplers);
    return tests;
}

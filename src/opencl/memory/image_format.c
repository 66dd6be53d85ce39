/* SPDX-License-Identifier: MIT */
/* Formats of images: which there are, and a colour as bytes of a texel.
 *
 * Every format is there for reading, writing and both, in images of all types but for depth.
 */
#include "images.h"

#include <math.h>
#include <string.h>

/* Orders in the sets of the types that they go with. */
enum { ANY = 1, NORMALIZED = 2, BYTES = 4, PACKED3 = 8, PACKED4 = 16, DEPTHS = 32, CURVED = 64 };

static const struct {
    cl_channel_order order;
    unsigned channels, sets;
} orders[] = {
    {CL_R, 1, ANY},
    {CL_A, 1, ANY},
    {CL_RG, 2, ANY},
    {CL_RA, 2, ANY},
    {CL_Rx, 2, ANY},
    {CL_RGBA, 4, ANY | PACKED4},
    {CL_RGBx, 4, ANY | PACKED3},
    {CL_RGB, 3, PACKED3},
    {CL_BGRA, 4, BYTES},
    {CL_ARGB, 4, BYTES},
    {CL_ABGR, 4, BYTES},
    {CL_INTENSITY, 1, NORMALIZED},
    {CL_LUMINANCE, 1, NORMALIZED},
    {CL_DEPTH, 1, DEPTHS},
    {CL_sRGBA, 4, CURVED},
    {CL_sBGRA, 4, CURVED},
    {CL_sRGBx, 4, CURVED},
};

static const struct {
    cl_channel_type type;
    unsigned bytes, sets; /* of a channel; of all of them where they are packed */
} types[] = {
    {CL_UNORM_INT8, 1, ANY | NORMALIZED | BYTES | CURVED},
    {CL_UNORM_INT16, 2, ANY | NORMALIZED | DEPTHS},
    {CL_SNORM_INT8, 1, ANY | NORMALIZED | BYTES},
    {CL_SNORM_INT16, 2, ANY | NORMALIZED},
    {CL_SIGNED_INT8, 1, ANY | BYTES},
    {CL_SIGNED_INT16, 2, ANY},
    {CL_SIGNED_INT32, 4, ANY},
    {CL_UNSIGNED_INT8, 1, ANY | BYTES},
    {CL_UNSIGNED_INT16, 2, ANY},
    {CL_UNSIGNED_INT32, 4, ANY},
    {CL_HALF_FLOAT, 2, ANY | NORMALIZED},
    {CL_FLOAT, 4, ANY | NORMALIZED | DEPTHS},
    {CL_UNORM_SHORT_565, 2, PACKED3},
    {CL_UNORM_SHORT_555, 2, PACKED3},
    {CL_UNORM_INT_101010, 4, PACKED3},
    {CL_UNORM_INT_101010_2, 4, PACKED4},
};

enum { ORDERS = sizeof orders / sizeof orders[0], TYPES = sizeof types / sizeof types[0] };

static size_t
find_order(cl_channel_order order)
{
    size_t i = 0;
    while (i < ORDERS && orders[i].order != order)
        i++;
    return i;
}

static size_t
find_type(cl_channel_type type)
{
    size_t i = 0;
    while (i < TYPES && types[i].type != type)
        i++;
    return i;
}

static bool
is_packed(size_t type)
{
    return types[type].sets & (PACKED3 | PACKED4);
}

cl_int
lw_cl_check_format(const cl_image_format *format, cl_mem_object_type type)
{
    if (!format || format->image_channel_order < CL_R || format->image_channel_order > CL_ABGR ||
        format->image_channel_data_type < CL_SNORM_INT8 ||
        format->image_channel_data_type > CL_UNORM_INT_101010_2)
        return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    size_t o = find_order(format->image_channel_order), t = find_type(format->image_channel_data_type);
    if (o == ORDERS || t == TYPES) /* three channels of a size each, stencils */
        return CL_IMAGE_FORMAT_NOT_SUPPORTED;
    if (!(orders[o].sets & types[t].sets)) /* orders that "can only be used if", types that want an order */
        return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    if (orders[o].order == CL_DEPTH && type != CL_MEM_OBJECT_IMAGE2D && type != CL_MEM_OBJECT_IMAGE2D_ARRAY)
        return CL_IMAGE_FORMAT_NOT_SUPPORTED;
    return CL_SUCCESS;
}

uint32_t
lw_cl_element_size(const cl_image_format *format)
{
    size_t o = find_order(format->image_channel_order), t = find_type(format->image_channel_data_type);
    return is_packed(t) ? types[t].bytes : types[t].bytes * orders[o].channels;
}

CL_API_ENTRY cl_int CL_API_CALL
clGetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type type,
                           cl_uint num_entries, cl_image_format *formats, cl_uint *num_formats)
{
    cl_uint count = 0;
    if (!lw_cl_is(context, LW_CL_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!lw_cl_memory_flags_are_valid(flags & ~(cl_mem_flags)CL_MEM_KERNEL_READ_AND_WRITE) ||
        !lw_cl_image_kind(type) || (formats && !num_entries))
        return CL_INVALID_VALUE;
    for (size_t o = 0; o < ORDERS && lw_cl_has_images(context->device); o++)
        for (size_t t = 0; t < TYPES; t++) {
            const cl_image_format format = {orders[o].order, types[t].type};
            if (lw_cl_check_format(&format, type))
                continue;
            if (formats && count < num_entries)
                formats[count] = format;
            count++;
        }
    if (num_formats)
        *num_formats = count;
    return CL_SUCCESS;
}

/* ---- Colours ---- */

/* Red, green, blue, alpha (0 to 3) by their places in memory; -1: nobody looks at it. */
static void
channels_of(cl_channel_order order, int out[4])
{
    static const struct {
        cl_channel_order order;
        int at[4];
    } places[] = {
        {CL_A, {3, -1, -1, -1}},   {CL_RA, {0, 3, -1, -1}},   {CL_Rx, {0, -1, -1, -1}},
        {CL_RGBx, {0, 1, 2, -1}},  {CL_sRGBx, {0, 1, 2, -1}}, {CL_BGRA, {2, 1, 0, 3}},
        {CL_sBGRA, {2, 1, 0, 3}},  {CL_ARGB, {3, 0, 1, 2}},   {CL_ABGR, {3, 2, 1, 0}},
    };
    for (int k = 0; k < 4; k++)
        out[k] = k;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (places[i].order == order)
            memcpy(out, places[i].at, sizeof places[i].at);
}

/* To the nearest, ties to even; what is no number becomes 0. The product is a float's, as where kernels
 * write: what is a tie there is one here. */
static uint32_t
normalized(float x, float scale, float least)
{
    float y = x * scale;
    if (!(y == y))
        return 0;
    y = y < least ? least : y > scale ? scale : y;
    return (uint32_t)(int32_t)rintf(y);
}

/* OpenCL C, "Conversion rules for sRGBA and sBGRA images". */
static float
curve(float x)
{
    if (!(x > 0))
        return 0;
    if (x >= 1)
        return 1;
    return x < 0.0031308f ? 12.92f * x : (float)(1.055 * pow((double)x, 1 / 2.4) - 0.055);
}

static uint32_t
saturate(int32_t x, int32_t least, int32_t most)
{
    return (uint32_t)(x < least ? least : x > most ? most : x);
}

static uint32_t
convert(cl_channel_type type, const void *colour, int channel, bool curved)
{
    float f;
    int32_t i;
    uint32_t u;
    memcpy(&f, (const char *)colour + 4 * channel, 4);
    memcpy(&i, (const char *)colour + 4 * channel, 4);
    memcpy(&u, (const char *)colour + 4 * channel, 4);
    switch (type) {
    case CL_UNORM_INT8: return normalized(curved && channel < 3 ? curve(f) : f, 255, 0);
    case CL_UNORM_INT16: return normalized(f, 65535, 0);
    case CL_SNORM_INT8: return normalized(f, 127, -128);
    case CL_SNORM_INT16: return normalized(f, 32767, -32768);
    case CL_SIGNED_INT8: return saturate(i, -128, 127);
    case CL_SIGNED_INT16: return saturate(i, -32768, 32767);
    case CL_UNSIGNED_INT8: return u > 255 ? 255 : u;
    case CL_UNSIGNED_INT16: return u > 65535 ? 65535 : u;
    case CL_HALF_FLOAT: {
        _Float16 half = (_Float16)f;
        uint16_t bits;
        memcpy(&bits, &half, sizeof bits);
        return bits;
    }
    default: return u; /* 32 bits as they are */
    }
}

/* The first channel in the most significant bits. */
static uint32_t
pack(cl_channel_type type, const void *colour)
{
    float c[4] = {0};
    memcpy(c, colour, sizeof c);
    switch (type) {
    case CL_UNORM_SHORT_565:
        return normalized(c[0], 31, 0) << 11 | normalized(c[1], 63, 0) << 5 | normalized(c[2], 31, 0);
    case CL_UNORM_SHORT_555:
        return normalized(c[0], 31, 0) << 10 | normalized(c[1], 31, 0) << 5 | normalized(c[2], 31, 0);
    case CL_UNORM_INT_101010:
        return normalized(c[0], 1023, 0) << 20 | normalized(c[1], 1023, 0) << 10 | normalized(c[2], 1023, 0);
    default: /* 101010_2 */
        return normalized(c[0], 1023, 0) << 22 | normalized(c[1], 1023, 0) << 12 |
               normalized(c[2], 1023, 0) << 2 | normalized(c[3], 3, 0);
    }
}

void
lw_cl_texel_of_colour(const cl_image_format *format, const void *colour, unsigned char out[16])
{
    size_t o = find_order(format->image_channel_order), t = find_type(format->image_channel_data_type);
    int places[4];
    memset(out, 0, 16);
    if (is_packed(t)) {
        uint32_t bits = pack(types[t].type, colour);
        memcpy(out, &bits, types[t].bytes);
        return;
    }
    channels_of(orders[o].order, places);
    for (unsigned k = 0; k < orders[o].channels; k++) {
        uint32_t bits =
            places[k] < 0 ? 0 : convert(types[t].type, colour, places[k], orders[o].sets & CURVED);
        memcpy(out + k * types[t].bytes, &bits, types[t].bytes); /* little-endian */
    }
}

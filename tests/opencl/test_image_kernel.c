/* SPDX-License-Identifier: MIT */
/* Kernels and the host's images: every format and kind, as kernels see the bytes that the host wrote, and the
 * other way round; images of other memory; arguments and what can be asked of them. */
#include "image_support.h"

#include <math.h>

static const char source[] =
    "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n"
    "#define AT1d x\n"
    "#define AT1d_buffer x\n"
    "#define AT1d_array (int2)(x, y)\n"
    "#define AT2d (int2)(x, y)\n"
    "#define AT2d_array (int4)(x, y, z, 0)\n"
    "#define AT3d (int4)(x, y, z, 0)\n"
    "#define HERE int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2); \\\n"
    "    size_t n = ((size_t)z * get_global_size(1) + y) * get_global_size(0) + x;\n"
    "#define KIND(K, T, s) \\\n"
    "kernel void read_##K##_##s(read_only image##K##_t i, global T *o) { HERE o[n] = read_image##s(i, "
    "AT##K); } \\\n"
    "kernel void write_##K##_##s(write_only image##K##_t i, global const T *o) { HERE write_image##s(i, "
    "AT##K, o[n]); }\n"
    "#define KINDS(K) KIND(K, float4, f) KIND(K, int4, i) KIND(K, uint4, ui)\n"
    "KINDS(1d) KINDS(1d_buffer) KINDS(1d_array) KINDS(2d) KINDS(2d_array) KINDS(3d)\n"
    "kernel void sampled(read_only image2d_t i, sampler_t s, global float4 *o, float2 at) {\n"
    "    o[get_global_id(0)] = read_imagef(i, s, at); }\n"
    "kernel void both(read_write image2d_t i) {\n"
    "    HERE uint4 v = read_imageui(i, AT2d); write_imageui(i, AT2d, v + 1); }\n"
    "kernel void deep(read_only image2d_depth_t i, global float *o) { HERE o[n] = read_imagef(i, AT2d); }\n"
    "kernel void store(global uint *p) { HERE p[n] += 0x01010101; }\n";

static cl_program program;

static void
open_program(void)
{
    const char *text = source;
    char log[8000] = "";
    cl_int error;
    open_world();
    program = clCreateProgramWithSource(w.context, 1, &text, NULL, &error);
    ok(error);
    error = clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL);
    clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    ck_assert_msg(error == CL_SUCCESS, "%d\n%s", error, log);
}

static void
close_program(void)
{
    ok(clReleaseProgram(program));
    close_world();
}

static cl_kernel
kernel_of(const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    ck_assert_msg(error == CL_SUCCESS, "%s: %d", name, error);
    return kernel;
}

static const char *const kind_names[KINDS] = {"1d", "1d_buffer", "1d_array", "2d", "2d_array", "3d"};

static void
run(cl_kernel kernel, const size_t *extent)
{
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 3, NULL, extent, NULL, 0, NULL, NULL));
}

static double
half_of(unsigned short bits)
{
    int e = bits >> 10 & 31, f = bits & 1023;
    double m = e ? ldexp(1024 + f, e - 25) : ldexp(f, -24);
    return bits & 0x8000 ? -m : m;
}

/* The k-th channel in memory: of integers as they are, else what it stands for. */
static double
channel(const cl_image_format *format, const unsigned char *t, int k)
{
    unsigned short word;
    cl_uint wide;
    memcpy(&word, t + (element_bytes(format) > 1 ? 2 * (size_t)k % element_bytes(format) : 0), 2);
    switch (format->image_channel_data_type) {
    case CL_UNORM_INT8: return t[k] / 255.0;
    case CL_SNORM_INT8: return fmax((signed char)t[k] / 127.0, -1);
    case CL_SIGNED_INT8: return (signed char)t[k];
    case CL_UNSIGNED_INT8: return t[k];
    case CL_UNORM_INT16: return word / 65535.0;
    case CL_SNORM_INT16: return fmax((short)word / 32767.0, -1);
    case CL_SIGNED_INT16: return (short)word;
    case CL_UNSIGNED_INT16: return word;
    case CL_HALF_FLOAT: return half_of(word);
    default: break;
    }
    memcpy(&wide, t, 2);
    wide &= 0xffff;
    if (format->image_channel_data_type == CL_UNORM_SHORT_565)
        return k == 0 ? (wide >> 11) / 31.0 : k == 1 ? (wide >> 5 & 63) / 63.0 : (wide & 31) / 31.0;
    if (format->image_channel_data_type == CL_UNORM_SHORT_555)
        return (wide >> (10 - 5 * k) & 31) / 31.0;
    memcpy(&wide, t, 4);
    if (format->image_channel_data_type == CL_UNORM_INT_101010)
        return (wide >> (20 - 10 * k) & 1023) / 1023.0;
    if (format->image_channel_data_type == CL_UNORM_INT_101010_2)
        return k == 3 ? (wide & 3) / 3.0 : (wide >> (22 - 10 * k) & 1023) / 1023.0;
    memcpy(&wide, t + 4 * k, 4);
    if (format->image_channel_data_type == CL_FLOAT) {
        float f;
        memcpy(&f, &wide, 4);
        return (double)f;
    }
    return format->image_channel_data_type == CL_SIGNED_INT32 ? (double)(cl_int)wide : (double)wide;
}

/* Where red, green, blue and alpha come from: places in memory, 0 or 1. */
static const char *
sources_of(cl_channel_order order)
{
    switch (order) {
    case CL_R:
    case CL_Rx:
    case CL_DEPTH: return "0zzo";
    case CL_A: return "zzz0";
    case CL_RG: return "01zo";
    case CL_RA: return "0zz1";
    case CL_RGB:
    case CL_RGBx:
    case CL_sRGBx: return "012o";
    case CL_BGRA:
    case CL_sBGRA: return "2103";
    case CL_ARGB: return "1230";
    case CL_ABGR: return "3210";
    case CL_INTENSITY: return "0000";
    case CL_LUMINANCE: return "000o";
    default: return "0123";
    }
}

static void
check_texel(const cl_image_format *format, const unsigned char *t, const void *got, char suffix)
{
    bool curved = format->image_channel_order == CL_sRGBA || format->image_channel_order == CL_sBGRA ||
                  format->image_channel_order == CL_sRGBx;
    for (int c = 0; c < 4; c++) {
        char from = sources_of(format->image_channel_order)[c];
        double wanted = from == 'z' ? 0 : from == 'o' ? 1 : channel(format, t, from - '0'), value, slack = 0;
        if (curved && c < 3)
            wanted = wanted <= 0.04045 ? wanted / 12.92 : pow((wanted + 0.055) / 1.055, 2.4);
        if (suffix == 'f') {
            value = (double)((const float *)got)[c];
            slack = format->image_channel_data_type == CL_FLOAT || format->image_channel_data_type ==
            CL_HALF_FLOAT
                        ? 0
                        : fabs(wanted) * 2e-7 + 1e-9;
            if (curved)
                slack = 0.5 / 255 * 0.02;
        } else {
            value = suffix == 'i' ? (double)((const cl_int *)got)[c] : (double)((const cl_uint *)got)[c];
        }
        ck_assert_msg(fabs(value - wanted) <= slack, "0x%x 0x%x, channel %d: %.9g, not %.9g",
                      format->image_channel_order, format->image_channel_data_type, c, value, wanted);
    }
}

static char
suffix_of(const cl_image_format *format)
{
    cl_channel_type type = format->image_channel_data_type;
    return type >= CL_SIGNED_INT8 && type <= CL_SIGNED_INT32       ? 'i'
           : type >= CL_UNSIGNED_INT8 && type <= CL_UNSIGNED_INT32 ? 'u'
                                                                   : 'f';
}

/* Bytes that are numbers in every format: halves and floats neither NaNs nor infinite. */
static void
random_texels(const cl_image_format *format, unsigned char *bytes, size_t size, unsigned seed)
{
    for (size_t i = 0; i < size; i++) {
        seed = seed * 1664525 + 1013904223;
        bytes[i] = (unsigned char)(seed >> 24);
    }
    for (size_t i = 1; format->image_channel_data_type == CL_HALF_FLOAT && i < size; i += 2)
        bytes[i] &= 0xbb;
    for (size_t i = 3; format->image_channel_data_type == CL_FLOAT && i < size; i += 4)
        bytes[i] &= 0xbe;
}

static void
check_format(int kind, const cl_image_format *format)
{
    unsigned char bytes[7 * 5 * 4 * 16], back[sizeof bytes];
    float got[7 * 5 * 4][4];
    char name[64], s = suffix_of(format);
    size_t element = element_bytes(format), size = image_bytes(kind, element), count = size / element;
    random_texels(format, bytes, size, (unsigned)kind + format->image_channel_order * 31);
    cl_mem image = make_image(kind, format, CL_MEM_COPY_HOST_PTR, bytes),
    buffer = make_buffer(NULL, 4 * 7 * 5 * 4);
    snprintf(name, sizeof name, "read_%s_%s", kind_names[kind], s == 'u' ? "ui" : s == 'i' ? "i" : "f");
    cl_kernel kernel = kernel_of(name);
    ok(clSetKernelArg(kernel, 0, sizeof image, &image));
    ok(clSetKernelArg(kernel, 1, sizeof buffer, &buffer));
    run(kernel, image_extents[kind]);
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, count * 16, got, 0, NULL, NULL));
    for (size_t i = 0; i < count; i++)
        check_texel(format, bytes + i * element, got[i], s);
    ok(clReleaseKernel(kernel));
    /* And written back into another: the texels are read as the same numbers. */
    cl_mem other = make_image(kind, format, 0, NULL);
    snprintf(name, sizeof name, "write_%s_%s", kind_names[kind], s == 'u' ? "ui" : s == 'i' ? "i" : "f");
    kernel = kernel_of(name);
    ok(clSetKernelArg(kernel, 0, sizeof other, &other));
    ok(clSetKernelArg(kernel, 1, sizeof buffer, &buffer));
    run(kernel, image_extents[kind]);
    ok(clEnqueueReadImage(w.queue, other, CL_TRUE, (size_t[]){0, 0, 0}, image_extents[kind], 0, 0, back, 0,
                          NULL, NULL));
    for (size_t i = 0; i < count; i++)
        check_texel(format, back + i * element, got[i], s);
    ok(clReleaseKernel(kernel));
    ok(clReleaseMemObject(other));
    ok(clReleaseMemObject(image));
    ok(clReleaseMemObject(buffer));
}

/* Depths have functions of their own. */
static void
check_formats(int kind, cl_uint part, cl_uint parts)
{
    cl_image_format list[300];
    cl_uint count;
    ok(clGetSupportedImageFormats(w.context, CL_MEM_READ_WRITE, image_kinds[kind], 300, list, &count));
    for (cl_uint i = part; i < count; i += parts)
        if (list[i].image_channel_order != CL_DEPTH)
            check_format(kind, &list[i]);
}

/* All of 2-D images, a part of each other kind's: their code has the format from the same place. */
START_TEST(test_formats_in_kernels)
{
    check_formats(_i % KINDS, (cl_uint)_i / KINDS, _i % KINDS == K2D ? 2 : 12);
}
END_TEST

START_TEST(test_depth)
{
    const cl_image_format format = {CL_DEPTH, CL_UNORM_INT16};
    unsigned short data[35];
    float got[35];
    for (int i = 0; i < 35; i++)
        data[i] = (unsigned short)(i * 1872);
    cl_mem image = make_image(K2D, &format, CL_MEM_COPY_HOST_PTR, data), buffer = make_buffer(NULL, 35);
    const cl_image_format plain = {CL_R, CL_FLOAT};
    cl_mem other = make_image(K2D, &plain, 0, NULL);
    cl_kernel kernel = kernel_of("deep");
    fails(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, sizeof other, &other));
    ok(clSetKernelArg(kernel, 0, sizeof image, &image));
    ok(clSetKernelArg(kernel, 1, sizeof buffer, &buffer));
    run(kernel, image_extents[K2D]);
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < 35; i++)
        ck_assert_float_eq_tol(got[i], (float)data[i] / 65535, 2e-7f);
    ok(clReleaseKernel(kernel));
    ok(clReleaseMemObject(image));
    ok(clReleaseMemObject(other));
    ok(clReleaseMemObject(buffer));
}
END_TEST

/* Texel (1, 0) of four, at its middle, between it and its neighbour, outside on both sides. */
START_TEST(test_sampler_arguments)
{
    static const struct {
        cl_bool normalized;
        cl_addressing_mode addressing;
        cl_filter_mode filter;
        float x, wanted;
    } rows[] = {{CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, 1.5f, 20},
                {CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, 0.375f, 20},
                {CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, -1, 0},
                {CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, -1, 10},
                {CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR, 1.75f, 22.5f},
                {CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, 0, 5},
                {CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, 1.375f, 20},
                {CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, 1, 25},
                {CL_TRUE, CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_NEAREST, -0.125f, 10},
                {CL_TRUE, CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_NEAREST, 1.125f, 40}};
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    float data[4][4] = {{10, 0, 0, 0}, {20, 0, 0, 0}, {30, 0, 0, 0}, {40, 0, 0, 0}}, got[4];
    const size_t items = 1;
    cl_int error;
    cl_mem image = clCreateImage2D(w.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, 4, 1, 0,
                                   data, &error);
    cl_mem buffer = make_buffer(NULL, 4);
    cl_kernel kernel = kernel_of("sampled");
    ok(error);
    ok(clSetKernelArg(kernel, 0, sizeof image, &image));
    ok(clSetKernelArg(kernel, 2, sizeof buffer, &buffer));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cl_sampler s = clCreateSampler(w.context, rows[i].normalized, rows[i].addressing, rows[i].filter,
                                       &error);
        const float at[2] = {rows[i].x, 0.5f};
        ok(error);
        ok(clSetKernelArg(kernel, 1, sizeof s, &s));
        ok(clReleaseSampler(s)); /* its settings are the kernel's now */
        ok(clSetKernelArg(kernel, 3, sizeof at, at));
        ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
        ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, 16, got, 0, NULL, NULL));
        ck_assert_msg(got[0] == rows[i].wanted, "row %zu: %g, not %g", i, (double)got[0],
                      (double)rows[i].wanted);
    }
    ok(clReleaseKernel(kernel));
    ok(clReleaseMemObject(image));
    ok(clReleaseMemObject(buffer));
}
END_TEST

/* Kernels write the buffer and the image over it in turn. */
START_TEST(test_shared_memory)
{
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    cl_uint data[64], wanted[64];
    cl_int error;
    for (cl_uint i = 0; i < 64; i++)
        data[i] = wanted[i] = i * 0x01010101u;
    cl_mem buffer = clCreateBuffer(w.context, CL_MEM_USE_HOST_PTR, sizeof data, data, &error);
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 5, .image_height = 8,
                                .image_row_pitch = 32, .mem_object = buffer};
    cl_mem image = clCreateImage(w.context, 0, &format, &desc, NULL, &error);
    cl_kernel both = kernel_of("both"), store = kernel_of("store");
    ok(error);
    ok(clSetKernelArg(both, 0, sizeof image, &image));
    ok(clSetKernelArg(store, 0, sizeof buffer, &buffer));
    for (int round = 0; round < 3; round++) {
        run(both, (size_t[]){5, 8, 1});
        run(store, (size_t[]){64, 1, 1});
        for (cl_uint i = 0; i < 64; i++)
            for (int b = 0; b < 4; b++) {
                unsigned char *byte = (unsigned char *)&wanted[i] + b;
                *byte = (unsigned char)(i % 8 < 5 && *byte < 255 ? *byte + 1 : *byte);
            }
        for (cl_uint i = 0; i < 64; i++)
            wanted[i] += 0x01010101;
    }
    void *p = clEnqueueMapBuffer(w.queue, buffer, CL_TRUE, CL_MAP_READ, 0, sizeof data, 0, NULL, NULL,
                                 &error);
    ok(error);
    ck_assert_mem_eq(p, wanted, sizeof data);
    ok(clEnqueueUnmapMemObject(w.queue, buffer, p, 0, NULL, NULL));
    ok(clFinish(w.queue));
    ok(clReleaseKernel(both));
    ok(clReleaseKernel(store));
    ok(clReleaseMemObject(image));
    ok(clReleaseMemObject(buffer));
}
END_TEST

START_TEST(test_argument_errors)
{
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    cl_mem reads = make_image(K2D, &format, CL_MEM_READ_ONLY, NULL),
    writes = make_image(K2D, &format, CL_MEM_WRITE_ONLY, NULL);
    cl_mem both = make_image(K2D, &format, 0, NULL), volume = make_image(K3D, &format, 0, NULL),
    buffer = make_buffer(NULL, 4);
    cl_mem nothing = NULL;
    cl_sampler none = NULL;
    cl_kernel in = kernel_of("sampled"), out = kernel_of("write_2d_ui"), at_once = kernel_of("both");
    cl_int error;
    ok(clSetKernelArg(in, 0, sizeof reads, &reads));
    ok(clSetKernelArg(in, 0, sizeof both, &both));
    fails(CL_INVALID_ARG_VALUE, clSetKernelArg(in, 0, sizeof writes, &writes));
    ok(clSetKernelArg(out, 0, sizeof writes, &writes));
    fails(CL_INVALID_ARG_VALUE, clSetKernelArg(out, 0, sizeof reads, &reads));
    fails(CL_INVALID_ARG_VALUE, clSetKernelArg(at_once, 0, sizeof reads, &reads));
    fails(CL_INVALID_ARG_VALUE, clSetKernelArg(at_once, 0, sizeof writes, &writes));
    fails(CL_INVALID_MEM_OBJECT, clSetKernelArg(in, 0, sizeof volume, &volume)); /* of another kind */
    fails(CL_INVALID_MEM_OBJECT, clSetKernelArg(in, 0, sizeof both, NULL));
    fails(CL_INVALID_ARG_SIZE, clSetKernelArg(in, 0, 4, &both));
    fails(CL_INVALID_MEM_OBJECT, clSetKernelArg(in, 0, sizeof buffer, &buffer));
    fails(CL_INVALID_MEM_OBJECT, clSetKernelArg(in, 0, sizeof nothing, &nothing));
    fails(CL_INVALID_SAMPLER, clSetKernelArg(in, 1, sizeof none, &none));
    fails(CL_INVALID_SAMPLER, clSetKernelArg(in, 1, sizeof both, &both));
    fails(CL_INVALID_SAMPLER, clSetKernelArg(in, 1, sizeof none, NULL));
    fails(CL_INVALID_ARG_SIZE, clSetKernelArg(in, 1, 4, &none));
    fails(CL_INVALID_MEM_OBJECT, clSetKernelArg(in, 2, sizeof both, &both)); /* an image is no buffer */
    cl_context other = clCreateContext(NULL, 1, &w.device, NULL, NULL, &error);
    cl_sampler foreign = clCreateSampler(other, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, &error);
    fails(CL_INVALID_SAMPLER, clSetKernelArg(in, 1, sizeof foreign, &foreign));
    ok(clReleaseSampler(foreign));
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    cl_mem theirs = clCreateImage(other, 0, &format, &desc, NULL, &error);
    fails(CL_INVALID_MEM_OBJECT, clSetKernelArg(in, 0, sizeof theirs, &theirs));
    ok(clReleaseMemObject(theirs));
    ok(clReleaseContext(other));
    const size_t items = 1;
    fails(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(w.queue, in, 1, NULL, &items, NULL, 0, NULL, NULL));
    cl_mem all[] = {reads, writes, both, volume, buffer};
    for (int i = 0; i < 5; i++)
        ok(clReleaseMemObject(all[i]));
    ok(clReleaseKernel(in));
    ok(clReleaseKernel(out));
    ok(clReleaseKernel(at_once));
}
END_TEST

START_TEST(test_argument_info)
{
    static const struct {
        const char *kernel;
        cl_uint argument;
        const char *type;
        cl_kernel_arg_access_qualifier access;
        cl_kernel_arg_address_qualifier space;
    } rows[] = {
        {"sampled", 0, "image2d_t", CL_KERNEL_ARG_ACCESS_READ_ONLY, CL_KERNEL_ARG_ADDRESS_GLOBAL},
        {"sampled", 1, "sampler_t", CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_ADDRESS_PRIVATE},
        {"write_3d_f", 0, "image3d_t", CL_KERNEL_ARG_ACCESS_WRITE_ONLY, CL_KERNEL_ARG_ADDRESS_GLOBAL},
        {"both", 0, "image2d_t", CL_KERNEL_ARG_ACCESS_READ_WRITE, CL_KERNEL_ARG_ADDRESS_GLOBAL},
        {"deep", 0, "image2d_depth_t", CL_KERNEL_ARG_ACCESS_READ_ONLY, CL_KERNEL_ARG_ADDRESS_GLOBAL},
        {"read_1d_array_f", 0, "image1d_array_t", CL_KERNEL_ARG_ACCESS_READ_ONLY,
         CL_KERNEL_ARG_ADDRESS_GLOBAL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cl_kernel kernel = kernel_of(rows[i].kernel);
        char type[64];
        cl_uint value;
        ok(clGetKernelArgInfo(kernel, rows[i].argument, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL));
        ck_assert_str_eq(type, rows[i].type);
        ok(clGetKernelArgInfo(kernel, rows[i].argument, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof value, &value,
                              NULL));
        ck_assert_uint_eq(value, rows[i].access);
        ok(clGetKernelArgInfo(kernel, rows[i].argument, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof value,
                              &value, NULL));
        ck_assert_uint_eq(value, rows[i].space);
        ok(clReleaseKernel(kernel));
    }
}
END_TEST

/* As many images as the device promises: code that looked at each as it runs would take minutes to make. */
START_TEST(test_many_images)
{
    enum { MANY = 128, WIDE = 33 };
    static char text[MANY * 100 + 200];
    static cl_uint texels[MANY][WIDE], out[WIDE];
    static cl_mem images[MANY];
    const cl_image_format formats[] = {{CL_R, CL_UNSIGNED_INT32}, {CL_RGBA, CL_UNSIGNED_INT8}};
    const size_t items = WIDE;
    const char *given = text;
    cl_int error;
    size_t end = (size_t)sprintf(text, "kernel void f(");
    for (int i = 0; i < MANY; i++)
        end += (size_t)sprintf(text + end, "read_only image2d_t i%d, ", i);
    end += (size_t)sprintf(text + end, "global uint *o) { int g = get_global_id(0); uint s = 0;");
    for (int i = 0; i < MANY; i++)
        end += (size_t)sprintf(text + end, " s = s * 3 + read_imageui(i%d, (int2)(g, 0)).x;", i);
    sprintf(text + end, " o[g] = s; }");
    cl_program many = clCreateProgramWithSource(w.context, 1, &given, NULL, &error);
    ok(error);
    ok(clBuildProgram(many, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
    cl_kernel kernel = clCreateKernel(many, "f", &error);
    ok(error);
    for (int i = 0; i < MANY; i++) {
        const cl_image_desc desc = {
            .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDE, .image_height = 1};
        for (cl_uint x = 0; x < WIDE; x++)
            texels[i][x] = 0x9e3779b9u * (x + 1) + 77777u * (cl_uint)i;
        images[i] =
            clCreateImage(w.context, CL_MEM_COPY_HOST_PTR, &formats[i % 2], &desc, texels[i], &error);
        ok(error);
        ok(clSetKernelArg(kernel, (cl_uint)i, sizeof images[i], &images[i]));
    }
    cl_mem result = make_buffer(NULL, WIDE);
    ok(clSetKernelArg(kernel, MANY, sizeof result, &result));
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(w.queue, result, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (size_t x = 0; x < WIDE; x++) {
        cl_uint sum = 0;
        for (int i = 0; i < MANY; i++)
            sum = sum * 3 + (i % 2 ? texels[i][x] & 255 : texels[i][x]);
        ck_assert_uint_eq(out[x], sum);
    }
    for (int i = 0; i < MANY; i++)
        ok(clReleaseMemObject(images[i]));
    ok(clReleaseMemObject(result));
    ok(clReleaseKernel(kernel));
    ok(clReleaseProgram(many));
}
END_TEST

/* cl_intel_subgroups' blocks of images, declared for every version of the language: a sub-group's block at
 * byte 8 of row 2, each element one more. */
enum { BLOCK_WIDE = 160, BLOCK_HIGH = 20, BLOCK_LANES = 16 };

static cl_mem
block_image(unsigned char *bytes)
{
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = BLOCK_WIDE / 4, .image_height = BLOCK_HIGH};
    cl_int error;
    cl_mem image = clCreateImage(w.context, CL_MEM_COPY_HOST_PTR, &format, &desc, bytes, &error);
    ok(error);
    return image;
}

static void
check_blocks(cl_kernel kernel, size_t bytes, size_t rows, const char *name)
{
    static unsigned char in[BLOCK_HIGH][BLOCK_WIDE], out[BLOCK_HIGH][BLOCK_WIDE];
    static unsigned char wanted[BLOCK_HIGH][BLOCK_WIDE];
    const size_t items = BLOCK_LANES, origin[3] = {0}, region[3] = {BLOCK_WIDE / 4, BLOCK_HIGH, 1};
    for (size_t i = 0; i < sizeof in; i++)
        in[i / BLOCK_WIDE][i % BLOCK_WIDE] = (unsigned char)(i * i * 31 + i / 7);
    memset(wanted, 9, sizeof wanted);
    memset(out, 9, sizeof out);
    for (size_t n = 0; n < rows * BLOCK_LANES; n++) {
        size_t y = 2 + n / BLOCK_LANES, x = 8 + n % BLOCK_LANES * bytes;
        cl_ulong element = 0;
        memcpy(&element, &in[y][x], bytes); /* little-endian */
        element++;
        memcpy(&wanted[y][x], &element, bytes);
    }
    cl_mem from = block_image(in[0]), to = block_image(out[0]);
    ok(clSetKernelArg(kernel, 0, sizeof from, &from));
    ok(clSetKernelArg(kernel, 1, sizeof to, &to));
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
    ok(clEnqueueReadImage(w.queue, to, CL_TRUE, origin, region, 0, 0, out, 0, NULL, NULL));
    ck_assert_msg(!memcmp(out, wanted, sizeof out), "%s", name);
    ok(clReleaseMemObject(from));
    ok(clReleaseMemObject(to));
}

START_TEST(test_blocks)
{
    static const char text[] =
        "#define MORE(name, V, suffix, in, out) \\\n"
        "kernel __attribute__((intel_reqd_sub_group_size(16))) \\\n"
        "void name(in image2d_t i, out image2d_t o) { \\\n"
        "    V v = intel_sub_group_block_read##suffix(i, (int2)(8, 2)); \\\n"
        "    intel_sub_group_block_write##suffix(o, (int2)(8, 2), v + (V)1); }\n"
        "MORE(words, uint4, 4, read_only, write_only) MORE(named, uint, _ui, read_only, write_only)\n"
        "MORE(shorts, ushort8, _us8, read_only, write_only)\n"
        "MORE(bytes, uchar16, _uc16, read_only, write_only)\n"
        "MORE(longs, ulong2, _ul2, read_only, write_only)\n"
        "#if __OPENCL_C_VERSION__ >= 200\n"
        "MORE(both, uint2, 2, read_write, read_write)\n"
        "#endif\n";
    static const struct {
        const char *name;
        size_t bytes, rows;
    } kernels[] = {{"words", 4, 4}, {"named", 4, 1}, {"shorts", 2, 8},
                   {"bytes", 1, 16}, {"longs", 8, 2}, {"both", 4, 2}};
    static const char *const options[] = {"-cl-std=CL1.2", "-cl-std=CL2.0", "-cl-std=CL3.0"};
    const char *given = text;
    cl_int error;
    cl_program blocks = clCreateProgramWithSource(w.context, 1, &given, NULL, &error);
    ok(error);
    ok(clBuildProgram(blocks, 0, NULL, options[_i], NULL, NULL));
    for (size_t k = 0; k < (_i > 0 ? 6 : 5); k++) {
        cl_kernel kernel = clCreateKernel(blocks, kernels[k].name, &error);
        ok(error);
        check_blocks(kernel, kernels[k].bytes, kernels[k].rows, kernels[k].name);
        ok(clReleaseKernel(kernel));
    }
    ok(clReleaseProgram(blocks));
}
END_TEST

TCase *
image_kernel_tests(void)
{
    TCase *tests = tcase_create("image kernels");
    tcase_add_checked_fixture(tests, open_program, close_program);
    tcase_add_loop_test(tests, test_formats_in_kernels, 0, 2 * KINDS);
    tcase_add_test(tests, test_depth);
    tcase_add_test(tests, test_sampler_arguments);
    tcase_add_test(tests, test_shared_memory);
    tcase_add_test(tests, test_argument_errors);
    tcase_add_test(tests, test_argument_info);
    tcase_add_test(tests, test_many_images);
    tcase_add_loop_test(tests, test_blocks, 0, 3);
    tcase_set_timeout(tests, 120);
    return tests;
}

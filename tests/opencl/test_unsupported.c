/* SPDX-License-Identifier: MIT */
/* What a device without images (LANEWISE_IMAGES=0), and without samplers, answers (API appendix "OpenCL 3.0
 * Backwards Compatibility", and the CL_INVALID_OPERATION of each entry point's list), and without OpenGL. */
#include "support.h"

#include <CL/cl_icd.h>

static cl_uint
uint_of(cl_device_info name)
{
    cl_ulong value = 0;
    size_t size;
    ok(clGetDeviceInfo(w.device, name, sizeof value, &value, &size));
    ck_assert(size == 4 || size == 8);
    return (cl_uint)value;
}

START_TEST(test_device_says_so)
{
    static const cl_device_info zeros[] = {
        CL_DEVICE_IMAGE_SUPPORT,
        CL_DEVICE_MAX_READ_IMAGE_ARGS,
        CL_DEVICE_MAX_WRITE_IMAGE_ARGS,
        CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS,
        CL_DEVICE_IMAGE_PITCH_ALIGNMENT,
        CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT,
    };
    for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; i++)
        ck_assert_msg(uint_of(zeros[i]) == 0, "0x%x", zeros[i]);
}
END_TEST

START_TEST(test_no_images)
{
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const size_t zero[3] = {0}, one[3] = {1, 1, 1};
    char data[64];
    cl_int error;
    cl_mem m = make_buffer(NULL, 16);
    cl_command_queue q = w.queue;
    const cl_int no = CL_INVALID_OPERATION;
    makes(no, clCreateImage(w.context, 0, &format, &desc, NULL, code_ret));
    makes(no, clCreateImageWithProperties(w.context, NULL, 0, &format, &desc, NULL, code_ret));
    makes(no, clCreateImage2D(w.context, 0, &format, 4, 4, 0, NULL, code_ret));
    makes(no, clCreateImage3D(w.context, 0, &format, 4, 4, 4, 0, 0, NULL, code_ret));
    fails(no, clEnqueueReadImage(q, m, CL_TRUE, zero, one, 0, 0, data, 0, NULL, NULL));
    fails(no, clEnqueueWriteImage(q, m, CL_TRUE, zero, one, 0, 0, data, 0, NULL, NULL));
    fails(no, clEnqueueFillImage(q, m, data, zero, one, 0, NULL, NULL));
    fails(no, clEnqueueCopyImage(q, m, m, zero, zero, one, 0, NULL, NULL));
    fails(no, clEnqueueCopyImageToBuffer(q, m, m, zero, one, 0, 0, NULL, NULL));
    fails(no, clEnqueueCopyBufferToImage(q, m, m, 0, zero, one, 0, NULL, NULL));
    size_t pitch;
    ck_assert_ptr_null(
        clEnqueueMapImage(q, m, CL_TRUE, CL_MAP_READ, zero, one, &pitch, NULL, 0, NULL, NULL, &error));
    fails(no, error);
    fails(CL_INVALID_MEM_OBJECT, clGetImageInfo(m, CL_IMAGE_WIDTH, 0, NULL, NULL)); /* a buffer */
    ok(clReleaseMemObject(m));
}
END_TEST

START_TEST(test_no_image_formats)
{
    cl_image_format format;
    cl_uint count;
    for (cl_mem_object_type type = CL_MEM_OBJECT_BUFFER; type <= CL_MEM_OBJECT_PIPE; type++) {
        bool image = type != CL_MEM_OBJECT_BUFFER && type != CL_MEM_OBJECT_PIPE;
        static const cl_mem_flags flags[] = {CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY,
                                             CL_MEM_KERNEL_READ_AND_WRITE};
        for (size_t i = 0; i < 4; i++) {
            count = 99;
            fails(image ? CL_SUCCESS : CL_INVALID_VALUE,
                  clGetSupportedImageFormats(w.context, flags[i], type, 1, &format, &count));
            ck_assert_uint_eq(count, image ? 0 : 99);
        }
    }
    const cl_mem_object_type two = CL_MEM_OBJECT_IMAGE2D;
    ok(clGetSupportedImageFormats(w.context, CL_MEM_READ_ONLY, two, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clGetSupportedImageFormats(w.context, CL_MEM_READ_ONLY, two, 0, &format, &count));
    fails(CL_INVALID_VALUE,
          clGetSupportedImageFormats(w.context, (cl_mem_flags)1 << 40, two, 0, NULL, &count));
    fails(CL_INVALID_VALUE, clGetSupportedImageFormats(w.context, CL_MEM_READ_ONLY, 0, 0, NULL, &count));
}
END_TEST

START_TEST(test_no_samplers)
{
    const cl_sampler_properties properties[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
    makes(CL_INVALID_OPERATION,
          clCreateSampler(w.context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, code_ret));
    makes(CL_INVALID_OPERATION, clCreateSamplerWithProperties(w.context, properties, code_ret));
    makes(CL_INVALID_OPERATION, clCreateSamplerWithProperties(w.context, NULL, code_ret));
}
END_TEST

/* No built-in kernels, no callbacks for destructors of program scope, no OpenGL. */
START_TEST(test_no_others)
{
    const cl_icd_dispatch *d = *(const cl_icd_dispatch **)w.platform;
    char names[16];
    cl_mem m = make_buffer(NULL, 4);
    ok(clGetDeviceInfo(w.device, CL_DEVICE_BUILT_IN_KERNELS, sizeof names, names, NULL));
    ck_assert_str_eq(names, "");
    makes(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(w.context, 1, &w.device, "any", code_ret));
    makes(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(w.context, 1, &w.device, NULL, code_ret));
    makes(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(w.context, 0, &w.device, "any", code_ret));
    makes(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(w.context, 1, NULL, "any", code_ret));
    fails(CL_INVALID_OPERATION, d->clSetProgramReleaseCallback(w.program, NULL, NULL));
    fails(CL_INVALID_GL_OBJECT, d->clGetGLObjectInfo(m, NULL, NULL));
    fails(CL_INVALID_GL_OBJECT, d->clGetGLTextureInfo(m, 0, 0, NULL, NULL));
    fails(-1093,
          d->clEnqueueAcquireEGLObjectsKHR(w.queue, 1, &m, 0, NULL, NULL)); /* CL_INVALID_EGL_OBJECT_KHR */
    fails(CL_INVALID_VALUE, d->clEnqueueReleaseEGLObjectsKHR(w.queue, 0, &m, 0, NULL, NULL));
    ok(clReleaseMemObject(m));
}
END_TEST

TCase *
unsupported_tests(void)
{
    TCase *tests = tcase_create("unsupported");
    tcase_add_test(tests, test_device_says_so);
    tcase_add_test(tests, test_no_images);
    tcase_add_test(tests, test_no_image_formats);
    tcase_add_test(tests, test_no_samplers);
    tcase_add_test(tests, test_no_others);
    return tests;
}

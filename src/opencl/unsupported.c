/* SPDX-License-Identifier: MIT */
/* What the device has not, as the specification says that such a device answers: images, samplers, and
 * the objects of OpenGL and EGL. */
#include "objects.h"

#include <CL/cl_egl.h>
#include <CL/cl_gl.h>
#include <CL/cl_gl_ext.h>

/* ---- Images ---- */

/* Context first, then that no device of it supports images. */
static void *
no_image(cl_context context, cl_int *errcode_ret)
{
    return lw_cl_fail(errcode_ret,
                      lw_cl_is(context, LW_CL_CONTEXT) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT);
}

CL_API_ENTRY cl_mem CL_API_CALL
clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
              const cl_image_desc *desc, void *host_ptr, cl_int *errcode_ret)
{
    (void)flags, (void)format, (void)desc, (void)host_ptr;
    return no_image(context, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL
clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                            const cl_image_format *format, const cl_image_desc *desc, void *host_ptr,
                            cl_int *errcode_ret)
{
    (void)properties, (void)flags, (void)format, (void)desc, (void)host_ptr;
    return no_image(context, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL
clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
                size_t height, size_t row_pitch, void *host_ptr, cl_int *errcode_ret)
{
    (void)flags, (void)format, (void)width, (void)height, (void)row_pitch, (void)host_ptr;
    return no_image(context, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL
clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
                size_t height, size_t depth, size_t row_pitch, size_t slice_pitch, void *host_ptr,
                cl_int *errcode_ret)
{
    (void)flags, (void)format, (void)width, (void)height, (void)depth, (void)row_pitch, (void)slice_pitch,
        (void)host_ptr;
    return no_image(context, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL
clGetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type type,
                           cl_uint num_entries, cl_image_format *formats, cl_uint *num_formats)
{
    const cl_mem_flags known = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY |
                               CL_MEM_KERNEL_READ_AND_WRITE | CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR |
                               CL_MEM_COPY_HOST_PTR | CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY |
                               CL_MEM_HOST_NO_ACCESS;
    bool image = type >= CL_MEM_OBJECT_IMAGE2D && type <= CL_MEM_OBJECT_IMAGE1D_BUFFER;
    if (!lw_cl_is(context, LW_CL_CONTEXT))
        return CL_INVALID_CONTEXT;
    if ((flags & ~known) || !image || (formats && !num_entries))
        return CL_INVALID_VALUE;
    if (num_formats)
        *num_formats = 0;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL
clGetImageInfo(cl_mem image, cl_image_info name, size_t size, void *value, size_t *size_ret)
{
    (void)image, (void)name, (void)size, (void)value, (void)size_ret;
    return CL_INVALID_MEM_OBJECT; /* whatever it is, it is no image */
}

/* The device does not support images; memory objects there are. */
static cl_int
no_image_command(cl_command_queue queue, cl_mem one, cl_mem two)
{
    if (!lw_cl_is(queue, LW_CL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!lw_cl_is(one, LW_CL_MEMORY) || !lw_cl_is(two, LW_CL_MEMORY))
        return CL_INVALID_MEM_OBJECT;
    return CL_INVALID_OPERATION;
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin,
                   const size_t *region, size_t row_pitch, size_t slice_pitch, void *pointer, cl_uint count,
                   const cl_event *list, cl_event *event)
{
    (void)blocking, (void)origin, (void)region, (void)row_pitch, (void)slice_pitch, (void)pointer,
        (void)count, (void)list, (void)event;
    return no_image_command(queue, image, image);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin,
                    const size_t *region, size_t row_pitch, size_t slice_pitch, const void *pointer,
                    cl_uint count, const cl_event *list, cl_event *event)
{
    (void)blocking, (void)origin, (void)region, (void)row_pitch, (void)slice_pitch, (void)pointer,
        (void)count, (void)list, (void)event;
    return no_image_command(queue, image, image);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void *color, const size_t *origin,
                   const size_t *region, cl_uint count, const cl_event *list, cl_event *event)
{
    (void)color, (void)origin, (void)region, (void)count, (void)list, (void)event;
    return no_image_command(queue, image, image);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueCopyImage(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin,
                   const size_t *to_origin, const size_t *region, cl_uint count, const cl_event *list,
                   cl_event *event)
{
    (void)from_origin, (void)to_origin, (void)region, (void)count, (void)list, (void)event;
    return no_image_command(queue, from, to);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *origin,
                           const size_t *region, size_t offset, cl_uint count, const cl_event *list,
                           cl_event *event)
{
    (void)origin, (void)region, (void)offset, (void)count, (void)list, (void)event;
    return no_image_command(queue, from, to);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem from, cl_mem to, size_t offset,
                           const size_t *origin, const size_t *region, cl_uint count, const cl_event *list,
                           cl_event *event)
{
    (void)offset, (void)origin, (void)region, (void)count, (void)list, (void)event;
    return no_image_command(queue, from, to);
}

CL_API_ENTRY void *CL_API_CALL
clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking, cl_map_flags flags,
                  const size_t *origin, const size_t *region, size_t *row_pitch, size_t *slice_pitch,
                  cl_uint count, const cl_event *list, cl_event *event, cl_int *errcode_ret)
{
    (void)blocking, (void)flags, (void)origin, (void)region, (void)row_pitch, (void)slice_pitch, (void)count,
        (void)list, (void)event;
    return lw_cl_fail(errcode_ret, no_image_command(queue, image, image));
}

/* ---- Samplers ---- */

CL_API_ENTRY cl_sampler CL_API_CALL
clCreateSampler(cl_context context, cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter,
                cl_int *errcode_ret)
{
    (void)normalized, (void)addressing, (void)filter;
    return no_image(context, errcode_ret);
}

CL_API_ENTRY cl_sampler CL_API_CALL
clCreateSamplerWithProperties(cl_context context, const cl_sampler_properties *properties,
                              cl_int *errcode_ret)
{
    (void)properties;
    return no_image(context, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL
clRetainSampler(cl_sampler sampler)
{
    (void)sampler;
    return CL_INVALID_SAMPLER;
}

CL_API_ENTRY cl_int CL_API_CALL
clReleaseSampler(cl_sampler sampler)
{
    (void)sampler;
    return CL_INVALID_SAMPLER;
}

CL_API_ENTRY cl_int CL_API_CALL
clGetSamplerInfo(cl_sampler sampler, cl_sampler_info name, size_t size, void *value, size_t *size_ret)
{
    (void)sampler, (void)name, (void)size, (void)value, (void)size_ret;
    return CL_INVALID_SAMPLER;
}

/* ---- Objects of OpenGL: contexts here never share with it ---- */

CL_API_ENTRY cl_mem CL_API_CALL
clCreateFromGLBuffer(cl_context context, cl_mem_flags flags, cl_GLuint buffer, cl_int *errcode_ret)
{
    (void)context, (void)flags, (void)buffer;
    return lw_cl_fail(errcode_ret, CL_INVALID_CONTEXT);
}

CL_API_ENTRY cl_mem CL_API_CALL
clCreateFromGLTexture(cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint level,
                      cl_GLuint texture, cl_int *errcode_ret)
{
    (void)context, (void)flags, (void)target, (void)level, (void)texture;
    return lw_cl_fail(errcode_ret, CL_INVALID_CONTEXT);
}

CL_API_ENTRY cl_mem CL_API_CALL
clCreateFromGLTexture2D(cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint level,
                        cl_GLuint texture, cl_int *errcode_ret)
{
    return clCreateFromGLTexture(context, flags, target, level, texture, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL
clCreateFromGLTexture3D(cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint level,
                        cl_GLuint texture, cl_int *errcode_ret)
{
    return clCreateFromGLTexture(context, flags, target, level, texture, errcode_ret);
}

CL_API_ENTRY cl_mem CL_API_CALL
clCreateFromGLRenderbuffer(cl_context context, cl_mem_flags flags, cl_GLuint buffer, cl_int *errcode_ret)
{
    (void)context, (void)flags, (void)buffer;
    return lw_cl_fail(errcode_ret, CL_INVALID_CONTEXT);
}

CL_API_ENTRY cl_int CL_API_CALL
clGetGLObjectInfo(cl_mem memory, cl_gl_object_type *type, cl_GLuint *name)
{
    (void)type, (void)name;
    return lw_cl_is(memory, LW_CL_MEMORY) ? CL_INVALID_GL_OBJECT : CL_INVALID_MEM_OBJECT;
}

CL_API_ENTRY cl_int CL_API_CALL
clGetGLTextureInfo(cl_mem memory, cl_gl_texture_info name, size_t size, void *value, size_t *size_ret)
{
    (void)name, (void)size, (void)value, (void)size_ret;
    return lw_cl_is(memory, LW_CL_MEMORY) ? CL_INVALID_GL_OBJECT : CL_INVALID_MEM_OBJECT;
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueAcquireGLObjects(cl_command_queue queue, cl_uint memory_count, const cl_mem *memories, cl_uint count,
                          const cl_event *list, cl_event *event)
{
    (void)memory_count, (void)memories, (void)count, (void)list, (void)event;
    return lw_cl_is(queue, LW_CL_QUEUE) ? CL_INVALID_CONTEXT : CL_INVALID_COMMAND_QUEUE;
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueReleaseGLObjects(cl_command_queue queue, cl_uint memory_count, const cl_mem *memories, cl_uint count,
                          const cl_event *list, cl_event *event)
{
    (void)memory_count, (void)memories, (void)count, (void)list, (void)event;
    return lw_cl_is(queue, LW_CL_QUEUE) ? CL_INVALID_CONTEXT : CL_INVALID_COMMAND_QUEUE;
}

CL_API_ENTRY cl_int CL_API_CALL
clGetGLContextInfoKHR(const cl_context_properties *properties, cl_gl_context_info name, size_t size,
                      void *value, size_t *size_ret)
{
    (void)properties, (void)name, (void)size, (void)value, (void)size_ret;
    return CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR;
}

CL_API_ENTRY cl_event CL_API_CALL
clCreateEventFromGLsyncKHR(cl_context context, cl_GLsync sync, cl_int *errcode_ret)
{
    (void)context, (void)sync;
    return lw_cl_fail(errcode_ret, CL_INVALID_CONTEXT);
}

/* ---- Objects of EGL ---- */

CL_API_ENTRY cl_mem CL_API_CALL
clCreateFromEGLImageKHR(cl_context context, CLeglDisplayKHR display, CLeglImageKHR image, cl_mem_flags flags,
                        const cl_egl_image_properties_khr *properties, cl_int *errcode_ret)
{
    (void)display, (void)image, (void)flags, (void)properties;
    return no_image(context, errcode_ret);
}

/* Whatever memory objects there are, they are not made from images of EGL. */
static cl_int
no_egl_objects(cl_command_queue queue, cl_uint memory_count, const cl_mem *memories)
{
    if (!lw_cl_is(queue, LW_CL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if ((memory_count == 0) != (memories == NULL))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < memory_count; i++)
        if (!lw_cl_is(memories[i], LW_CL_MEMORY))
            return CL_INVALID_MEM_OBJECT;
    return memory_count ? CL_INVALID_EGL_OBJECT_KHR : CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueAcquireEGLObjectsKHR(cl_command_queue queue, cl_uint memory_count, const cl_mem *memories,
                              cl_uint count, const cl_event *list, cl_event *event)
{
    (void)count, (void)list, (void)event;
    return no_egl_objects(queue, memory_count, memories);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueReleaseEGLObjectsKHR(cl_command_queue queue, cl_uint memory_count, const cl_mem *memories,
                              cl_uint count, const cl_event *list, cl_event *event)
{
    (void)count, (void)list, (void)event;
    return no_egl_objects(queue, memory_count, memories);
}

CL_API_ENTRY cl_event CL_API_CALL
clCreateEventFromEGLSyncKHR(cl_context context, CLeglSyncKHR sync, CLeglDisplayKHR display,
                            cl_int *errcode_ret)
{
    (void)context, (void)sync, (void)display;
    return lw_cl_fail(errcode_ret, CL_INVALID_CONTEXT); /* none is made from OpenGL's */
}

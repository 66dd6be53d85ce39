/* SPDX-License-Identifier: MIT */
/* What the device has not, as the specification says that such a device answers: the objects of OpenGL and
 * EGL. */
#include "objects.h"

#include <CL/cl_egl.h>
#include <CL/cl_gl.h>
#include <CL/cl_gl_ext.h>

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
    return lw_cl_fail(errcode_ret,
                      lw_cl_is(context, LW_CL_CONTEXT) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT);
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

/* SPDX-License-Identifier: MIT */
/* The rows of test_handles.c: every handle that an entry point takes, with the error for a wrong one. */
#ifndef TEST_OPENCL_HANDLE_ROWS_H
#define TEST_OPENCL_HANDLE_ROWS_H

/* X(entry point, variant, what `h` is, its error, is NULL allowed, a call whose value is the error) */
#define OF_PLATFORM(X)                                                                                       \
    X(clGetPlatformInfo, , PLATFORM, CL_INVALID_PLATFORM, true,                                              \
      d->clGetPlatformInfo(h, CL_PLATFORM_NAME, 0, NULL, NULL))                                              \
    X(clGetDeviceIDs, , PLATFORM, CL_INVALID_PLATFORM, true,                                                 \
      d->clGetDeviceIDs(h, CL_DEVICE_TYPE_ALL, 1, (cl_device_id[1]){0}, NULL))                               \
    X(clUnloadPlatformCompiler, , PLATFORM, CL_INVALID_PLATFORM, false, d->clUnloadPlatformCompiler(h))      \
    X(clGetExtensionFunctionAddressForPlatform, , PLATFORM, CL_INVALID_PLATFORM, false,                      \
      d->clGetExtensionFunctionAddressForPlatform(h, "clGetPlatformInfo") ? CL_SUCCESS                       \
                                                                          : CL_INVALID_PLATFORM)             \
    X(clCreateContext, _property, PLATFORM, CL_INVALID_PLATFORM, false,                                      \
      (d->clCreateContext((cl_context_properties[]){CL_CONTEXT_PLATFORM, (cl_context_properties)h, 0}, 1,    \
                          &w.device, NULL, NULL, &e),                                                        \
       e))                                                                                                   \
    X(clCreateContextFromType, , PLATFORM, CL_INVALID_PLATFORM, false,                                       \
      (d->clCreateContextFromType(                                                                           \
           (cl_context_properties[]){CL_CONTEXT_PLATFORM, (cl_context_properties)h, 0}, CL_DEVICE_TYPE_ALL,  \
           NULL, NULL, &e),                                                                                  \
       e))

#define OF_DEVICE(X)                                                                                         \
    X(clGetDeviceInfo, , DEVICE, CL_INVALID_DEVICE, false,                                                   \
      d->clGetDeviceInfo(h, CL_DEVICE_NAME, 0, NULL, NULL))                                                  \
    X(clCreateContext, , DEVICE, CL_INVALID_DEVICE, false,                                                   \
      (d->clCreateContext(NULL, 1, (cl_device_id[]){h}, NULL, NULL, &e), e))                                 \
    X(clCreateSubDevices, , DEVICE, CL_INVALID_DEVICE, false,                                                \
      d->clCreateSubDevices(h, (cl_device_partition_property[]){CL_DEVICE_PARTITION_EQUALLY, 1, 0}, 0, NULL, \
                            &count))                                                                         \
    X(clCreateSubDevicesEXT, , DEVICE, CL_INVALID_DEVICE, false,                                             \
      d->clCreateSubDevicesEXT(                                                                              \
          h, (cl_device_partition_property_ext[]){CL_DEVICE_PARTITION_EQUALLY_EXT, 1, 0}, 0, NULL, &count))  \
    X(clRetainDevice, , DEVICE, CL_INVALID_DEVICE, false, d->clRetainDevice(h))                              \
    X(clReleaseDevice, , DEVICE, CL_INVALID_DEVICE, false, d->clReleaseDevice(h))                            \
    X(clRetainDeviceEXT, , DEVICE, CL_INVALID_DEVICE, false, d->clRetainDeviceEXT(h))                        \
    X(clReleaseDeviceEXT, , DEVICE, CL_INVALID_DEVICE, false, d->clReleaseDeviceEXT(h))                      \
    X(clGetDeviceAndHostTimer, , DEVICE, CL_INVALID_DEVICE, false,                                           \
      d->clGetDeviceAndHostTimer(h, (cl_ulong[1]){0}, (cl_ulong[1]){0}))                                     \
    X(clGetHostTimer, , DEVICE, CL_INVALID_DEVICE, false, d->clGetHostTimer(h, (cl_ulong[1]){0}))            \
    X(clCreateCommandQueue, _device, DEVICE, CL_INVALID_DEVICE, false,                                       \
      (d->clCreateCommandQueue(w.context, h, 0, &e), e))                                                     \
    X(clCreateCommandQueueWithProperties, _device, DEVICE, CL_INVALID_DEVICE, false,                         \
      (d->clCreateCommandQueueWithProperties(w.context, h, NULL, &e), e))                                    \
    X(clSetDefaultDeviceCommandQueue, _device, DEVICE, CL_INVALID_DEVICE, false,                             \
      d->clSetDefaultDeviceCommandQueue(w.context, h, w.queue))                                              \
    X(clCreateProgramWithBinary, _device, DEVICE, CL_INVALID_DEVICE, false,                                  \
      (d->clCreateProgramWithBinary(w.context, 1, (cl_device_id[]){h}, &one,                                 \
                                    (const unsigned char *[]){(unsigned char *)bytes}, NULL, &e),            \
       e))                                                                                                   \
    X(clCreateProgramWithBuiltInKernels, _device, DEVICE, CL_INVALID_DEVICE, false,                          \
      (d->clCreateProgramWithBuiltInKernels(w.context, 1, (cl_device_id[]){h}, "k", &e), e))                 \
    X(clBuildProgram, _device, DEVICE, CL_INVALID_DEVICE, false,                                             \
      d->clBuildProgram(w.program, 1, (cl_device_id[]){h}, NULL, NULL, NULL))                                \
    X(clCompileProgram, _device, DEVICE, CL_INVALID_DEVICE, false,                                           \
      d->clCompileProgram(w.program, 1, (cl_device_id[]){h}, NULL, 0, NULL, NULL, NULL, NULL))               \
    X(clLinkProgram, _device, DEVICE, CL_INVALID_DEVICE, false,                                              \
      (d->clLinkProgram(w.context, 1, (cl_device_id[]){h}, NULL, 1, &w.program, NULL, NULL, &e), e))         \
    X(clGetProgramBuildInfo, _device, DEVICE, CL_INVALID_DEVICE, false,                                      \
      d->clGetProgramBuildInfo(w.program, h, CL_PROGRAM_BUILD_STATUS, 0, NULL, NULL))                        \
    X(clGetKernelWorkGroupInfo, _device, DEVICE, CL_INVALID_DEVICE, true,                                    \
      d->clGetKernelWorkGroupInfo(kernel, h, CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, NULL))                      \
    X(clGetKernelSubGroupInfo, _device, DEVICE, CL_INVALID_DEVICE, true,                                     \
      d->clGetKernelSubGroupInfo(kernel, h, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 0, NULL, NULL))

#define OF_CONTEXT(X)                                                                                        \
    X(clRetainContext, , CONTEXT, CL_INVALID_CONTEXT, false, d->clRetainContext(h))                          \
    X(clReleaseContext, , CONTEXT, CL_INVALID_CONTEXT, false, d->clReleaseContext(h))                        \
    X(clGetContextInfo, , CONTEXT, CL_INVALID_CONTEXT, false,                                                \
      d->clGetContextInfo(h, CL_CONTEXT_NUM_DEVICES, 0, NULL, NULL))                                         \
    X(clSetContextDestructorCallback, , CONTEXT, CL_INVALID_CONTEXT, false,                                  \
      d->clSetContextDestructorCallback(h, NEVER(context_callback), NULL))                                   \
    X(clCreateCommandQueue, , CONTEXT, CL_INVALID_CONTEXT, false,                                            \
      (d->clCreateCommandQueue(h, w.device, 0, &e), e))                                                      \
    X(clCreateCommandQueueWithProperties, , CONTEXT, CL_INVALID_CONTEXT, false,                              \
      (d->clCreateCommandQueueWithProperties(h, w.device, NULL, &e), e))                                     \
    X(clSetDefaultDeviceCommandQueue, , CONTEXT, CL_INVALID_CONTEXT, false,                                  \
      d->clSetDefaultDeviceCommandQueue(h, w.device, w.queue))                                               \
    X(clCreateBuffer, , CONTEXT, CL_INVALID_CONTEXT, false, (d->clCreateBuffer(h, 0, 16, NULL, &e), e))      \
    X(clCreateBufferWithProperties, , CONTEXT, CL_INVALID_CONTEXT, false,                                    \
      (d->clCreateBufferWithProperties(h, NULL, 0, 16, NULL, &e), e))                                        \
    X(clCreateImage, , CONTEXT, CL_INVALID_CONTEXT, false,                                                   \
      (d->clCreateImage(h, 0, NULL, NULL, NULL, &e), e))                                                     \
    X(clCreateImageWithProperties, , CONTEXT, CL_INVALID_CONTEXT, false,                                     \
      (d->clCreateImageWithProperties(h, NULL, 0, NULL, NULL, NULL, &e), e))                                 \
    X(clCreateImage2D, , CONTEXT, CL_INVALID_CONTEXT, false,                                                 \
      (d->clCreateImage2D(h, 0, NULL, 1, 1, 0, NULL, &e), e))                                                \
    X(clCreateImage3D, , CONTEXT, CL_INVALID_CONTEXT, false,                                                 \
      (d->clCreateImage3D(h, 0, NULL, 1, 1, 1, 0, 0, NULL, &e), e))                                          \
    X(clGetSupportedImageFormats, , CONTEXT, CL_INVALID_CONTEXT, false,                                      \
      d->clGetSupportedImageFormats(h, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, NULL))                             \
    X(clCreateSampler, , CONTEXT, CL_INVALID_CONTEXT, false,                                                 \
      (d->clCreateSampler(h, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &e), e))                          \
    X(clCreateSamplerWithProperties, , CONTEXT, CL_INVALID_CONTEXT, false,                                   \
      (d->clCreateSamplerWithProperties(h, NULL, &e), e))                                                    \
    X(clCreatePipe, , CONTEXT, CL_INVALID_CONTEXT, false, (d->clCreatePipe(h, 0, 4, 4, NULL, &e), e))        \
    X(clSVMAlloc, , CONTEXT, CL_INVALID_CONTEXT, false,                                                      \
      d->clSVMAlloc(h, 0, 16, 0) ? CL_SUCCESS : CL_INVALID_CONTEXT)                                          \
    X(clSVMFree, , CONTEXT, CL_INVALID_CONTEXT, false, (d->clSVMFree(h, bytes), CL_INVALID_CONTEXT))         \
    X(clCreateUserEvent, , CONTEXT, CL_INVALID_CONTEXT, false, (d->clCreateUserEvent(h, &e), e))             \
    X(clCreateProgramWithSource, , CONTEXT, CL_INVALID_CONTEXT, false,                                       \
      (d->clCreateProgramWithSource(h, 1, (const char *[]){""}, NULL, &e), e))                               \
    X(clCreateProgramWithIL, , CONTEXT, CL_INVALID_CONTEXT, false,                                           \
      (d->clCreateProgramWithIL(h, bytes, sizeof bytes, &e), e))                                             \
    X(clCreateProgramWithBinary, , CONTEXT, CL_INVALID_CONTEXT, false,                                       \
      (d->clCreateProgramWithBinary(h, 1, &w.device, &one,                                                   \
                                    (const unsigned char *[]){(unsigned char *)bytes}, NULL, &e),            \
       e))                                                                                                   \
    X(clCreateProgramWithBuiltInKernels, , CONTEXT, CL_INVALID_CONTEXT, false,                               \
      (d->clCreateProgramWithBuiltInKernels(h, 1, &w.device, "k", &e), e))                                   \
    X(clLinkProgram, , CONTEXT, CL_INVALID_CONTEXT, false,                                                   \
      (d->clLinkProgram(h, 0, NULL, NULL, 1, &w.program, NULL, NULL, &e), e))                                \
    X(clCreateFromGLBuffer, , CONTEXT, CL_INVALID_CONTEXT, false, (d->clCreateFromGLBuffer(h, 0, 1, &e), e)) \
    X(clCreateFromGLTexture, , CONTEXT, CL_INVALID_CONTEXT, false,                                           \
      (d->clCreateFromGLTexture(h, 0, 0, 0, 1, &e), e))                                                      \
    X(clCreateFromGLTexture2D, , CONTEXT, CL_INVALID_CONTEXT, false,                                         \
      (d->clCreateFromGLTexture2D(h, 0, 0, 0, 1, &e), e))                                                    \
    X(clCreateFromGLTexture3D, , CONTEXT, CL_INVALID_CONTEXT, false,                                         \
      (d->clCreateFromGLTexture3D(h, 0, 0, 0, 1, &e), e))                                                    \
    X(clCreateFromEGLImageKHR, , CONTEXT, CL_INVALID_CONTEXT, false,                                         \
      (d->clCreateFromEGLImageKHR(h, NULL, NULL, 0, NULL, &e), e))                                           \
    X(clCreateEventFromEGLSyncKHR, , CONTEXT, CL_INVALID_CONTEXT, false,                                     \
      (d->clCreateEventFromEGLSyncKHR(h, NULL, NULL, &e), e))                                                \
    X(clCreateFromGLRenderbuffer, , CONTEXT, CL_INVALID_CONTEXT, false,                                      \
      (d->clCreateFromGLRenderbuffer(h, 0, 1, &e), e))                                                       \
    X(clCreateEventFromGLsyncKHR, , CONTEXT, CL_INVALID_CONTEXT, false,                                      \
      (d->clCreateEventFromGLsyncKHR(h, NULL, &e), e))

#define OF_QUEUE(X)                                                                                          \
    X(clRetainCommandQueue, , QUEUE, CL_INVALID_COMMAND_QUEUE, false, d->clRetainCommandQueue(h))            \
    X(clReleaseCommandQueue, , QUEUE, CL_INVALID_COMMAND_QUEUE, false, d->clReleaseCommandQueue(h))          \
    X(clGetCommandQueueInfo, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                       \
      d->clGetCommandQueueInfo(h, CL_QUEUE_CONTEXT, 0, NULL, NULL))                                          \
    X(clSetCommandQueueProperty, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                   \
      d->clSetCommandQueueProperty(h, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, NULL))                             \
    X(clFlush, , QUEUE, CL_INVALID_COMMAND_QUEUE, false, d->clFlush(h))                                      \
    X(clFinish, , QUEUE, CL_INVALID_COMMAND_QUEUE, false, d->clFinish(h))                                    \
    X(clEnqueueReadBuffer, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                         \
      d->clEnqueueReadBuffer(h, buffer, CL_TRUE, 0, 4, bytes, 0, NULL, NULL))                                \
    X(clEnqueueWriteBuffer, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                        \
      d->clEnqueueWriteBuffer(h, buffer, CL_TRUE, 0, 4, bytes, 0, NULL, NULL))                               \
    X(clEnqueueCopyBuffer, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                         \
      d->clEnqueueCopyBuffer(h, buffer, buffer, 0, 8, 4, 0, NULL, NULL))                                     \
    X(clEnqueueReadBufferRect, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                     \
      d->clEnqueueReadBufferRect(h, buffer, CL_TRUE, zero, zero, three, 0, 0, 0, 0, bytes, 0, NULL, NULL))   \
    X(clEnqueueWriteBufferRect, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                    \
      d->clEnqueueWriteBufferRect(h, buffer, CL_TRUE, zero, zero, three, 0, 0, 0, 0, bytes, 0, NULL, NULL))  \
    X(clEnqueueCopyBufferRect, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                     \
      d->clEnqueueCopyBufferRect(h, buffer, buffer, zero, three, three, 0, 0, 0, 0, 0, NULL, NULL))          \
    X(clEnqueueFillBuffer, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                         \
      d->clEnqueueFillBuffer(h, buffer, bytes, 1, 0, 1, 0, NULL, NULL))                                      \
    X(clEnqueueMapBuffer, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                          \
      (d->clEnqueueMapBuffer(h, buffer, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &e), e))                  \
    X(clEnqueueUnmapMemObject, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                     \
      d->clEnqueueUnmapMemObject(h, buffer, bytes, 0, NULL, NULL))                                           \
    X(clEnqueueMigrateMemObjects, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                  \
      d->clEnqueueMigrateMemObjects(h, 1, &buffer, 0, 0, NULL, NULL))                                        \
    X(clEnqueueReadImage, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                          \
      d->clEnqueueReadImage(h, buffer, CL_TRUE, zero, three, 0, 0, bytes, 0, NULL, NULL))                    \
    X(clEnqueueWriteImage, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                         \
      d->clEnqueueWriteImage(h, buffer, CL_TRUE, zero, three, 0, 0, bytes, 0, NULL, NULL))                   \
    X(clEnqueueFillImage, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                          \
      d->clEnqueueFillImage(h, buffer, bytes, zero, three, 0, NULL, NULL))                                   \
    X(clEnqueueCopyImage, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                          \
      d->clEnqueueCopyImage(h, buffer, buffer, zero, zero, three, 0, NULL, NULL))                            \
    X(clEnqueueCopyImageToBuffer, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                  \
      d->clEnqueueCopyImageToBuffer(h, buffer, buffer, zero, three, 0, 0, NULL, NULL))                       \
    X(clEnqueueCopyBufferToImage, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                  \
      d->clEnqueueCopyBufferToImage(h, buffer, buffer, 0, zero, three, 0, NULL, NULL))                       \
    X(clEnqueueMapImage, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                           \
      (d->clEnqueueMapImage(h, buffer, CL_TRUE, CL_MAP_READ, zero, three, NULL, NULL, 0, NULL, NULL, &e),    \
       e))                                                                                                   \
    X(clEnqueueNDRangeKernel, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                      \
      d->clEnqueueNDRangeKernel(h, kernel, 1, NULL, &one, NULL, 0, NULL, NULL))                              \
    X(clEnqueueTask, , QUEUE, CL_INVALID_COMMAND_QUEUE, false, d->clEnqueueTask(h, kernel, 0, NULL, NULL))   \
    X(clEnqueueNativeKernel, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                       \
      d->clEnqueueNativeKernel(h, NEVER(native_kernel), NULL, 0, 0, NULL, NULL, 0, NULL, NULL))              \
    X(clEnqueueMarker, , QUEUE, CL_INVALID_COMMAND_QUEUE, false, d->clEnqueueMarker(h, (cl_event[1]){0}))    \
    X(clEnqueueBarrier, , QUEUE, CL_INVALID_COMMAND_QUEUE, false, d->clEnqueueBarrier(h))                    \
    X(clEnqueueWaitForEvents, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                      \
      d->clEnqueueWaitForEvents(h, 1, &event))                                                               \
    X(clEnqueueMarkerWithWaitList, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                 \
      d->clEnqueueMarkerWithWaitList(h, 0, NULL, NULL))                                                      \
    X(clEnqueueBarrierWithWaitList, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                \
      d->clEnqueueBarrierWithWaitList(h, 0, NULL, NULL))                                                     \
    X(clEnqueueSVMFree, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                            \
      d->clEnqueueSVMFree(h, 0, NULL, NULL, NULL, 0, NULL, NULL))                                            \
    X(clEnqueueSVMMemcpy, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                          \
      d->clEnqueueSVMMemcpy(h, CL_TRUE, bytes, bytes + 8, 4, 0, NULL, NULL))                                 \
    X(clEnqueueSVMMemFill, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                         \
      d->clEnqueueSVMMemFill(h, bytes, bytes + 8, 1, 4, 0, NULL, NULL))                                      \
    X(clEnqueueSVMMap, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                             \
      d->clEnqueueSVMMap(h, CL_TRUE, CL_MAP_READ, bytes, 4, 0, NULL, NULL))                                  \
    X(clEnqueueSVMUnmap, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                           \
      d->clEnqueueSVMUnmap(h, bytes, 0, NULL, NULL))                                                         \
    X(clEnqueueSVMMigrateMem, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                      \
      d->clEnqueueSVMMigrateMem(h, 1, (const void *[]){bytes}, NULL, 0, 0, NULL, NULL))                      \
    X(clEnqueueAcquireEGLObjectsKHR, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                               \
      d->clEnqueueAcquireEGLObjectsKHR(h, 1, &buffer, 0, NULL, NULL))                                        \
    X(clEnqueueReleaseEGLObjectsKHR, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                               \
      d->clEnqueueReleaseEGLObjectsKHR(h, 1, &buffer, 0, NULL, NULL))                                        \
    X(clEnqueueAcquireGLObjects, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                   \
      d->clEnqueueAcquireGLObjects(h, 1, &buffer, 0, NULL, NULL))                                            \
    X(clEnqueueReleaseGLObjects, , QUEUE, CL_INVALID_COMMAND_QUEUE, false,                                   \
      d->clEnqueueReleaseGLObjects(h, 1, &buffer, 0, NULL, NULL))

#define OF_MEMORY(X)                                                                                         \
    X(clRetainMemObject, , MEMORY, CL_INVALID_MEM_OBJECT, false, d->clRetainMemObject(h))                    \
    X(clReleaseMemObject, , MEMORY, CL_INVALID_MEM_OBJECT, false, d->clReleaseMemObject(h))                  \
    X(clGetMemObjectInfo, , MEMORY, CL_INVALID_MEM_OBJECT, false,                                            \
      d->clGetMemObjectInfo(h, CL_MEM_SIZE, 0, NULL, NULL))                                                  \
    X(clGetImageInfo, , MEMORY, CL_INVALID_MEM_OBJECT, false,                                                \
      d->clGetImageInfo(h, CL_IMAGE_WIDTH, 0, NULL, NULL))                                                   \
    X(clGetPipeInfo, , MEMORY, CL_INVALID_MEM_OBJECT, false,                                                 \
      d->clGetPipeInfo(h, CL_PIPE_PACKET_SIZE, 0, NULL, NULL))                                               \
    X(clGetGLObjectInfo, , MEMORY, CL_INVALID_MEM_OBJECT, false, d->clGetGLObjectInfo(h, NULL, NULL))        \
    X(clGetGLTextureInfo, , MEMORY, CL_INVALID_MEM_OBJECT, false,                                            \
      d->clGetGLTextureInfo(h, CL_GL_TEXTURE_TARGET, 0, NULL, NULL))                                         \
    X(clSetMemObjectDestructorCallback, , MEMORY, CL_INVALID_MEM_OBJECT, false,                              \
      d->clSetMemObjectDestructorCallback(h, NEVER(memory_callback), NULL))                                  \
    X(clCreateSubBuffer, , MEMORY, CL_INVALID_MEM_OBJECT, false,                                             \
      (d->clCreateSubBuffer(h, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){0, 4}, &e), e))          \
    X(clEnqueueReadBuffer, _buffer, MEMORY, CL_INVALID_MEM_OBJECT, false,                                    \
      d->clEnqueueReadBuffer(w.queue, h, CL_TRUE, 0, 4, bytes, 0, NULL, NULL))                               \
    X(clEnqueueWriteBuffer, _buffer, MEMORY, CL_INVALID_MEM_OBJECT, false,                                   \
      d->clEnqueueWriteBuffer(w.queue, h, CL_TRUE, 0, 4, bytes, 0, NULL, NULL))                              \
    X(clEnqueueCopyBuffer, _from, MEMORY, CL_INVALID_MEM_OBJECT, false,                                      \
      d->clEnqueueCopyBuffer(w.queue, h, buffer, 0, 8, 4, 0, NULL, NULL))                                    \
    X(clEnqueueCopyBuffer, _to, MEMORY, CL_INVALID_MEM_OBJECT, false,                                        \
      d->clEnqueueCopyBuffer(w.queue, buffer, h, 0, 8, 4, 0, NULL, NULL))                                    \
    X(clEnqueueReadBufferRect, _buffer, MEMORY, CL_INVALID_MEM_OBJECT, false,                                \
      d->clEnqueueReadBufferRect(w.queue, h, CL_TRUE, zero, zero, three, 0, 0, 0, 0, bytes, 0, NULL, NULL))  \
    X(clEnqueueWriteBufferRect, _buffer, MEMORY, CL_INVALID_MEM_OBJECT, false,                               \
      d->clEnqueueWriteBufferRect(w.queue, h, CL_TRUE, zero, zero, three, 0, 0, 0, 0, bytes, 0, NULL, NULL)) \
    X(clEnqueueCopyBufferRect, _from, MEMORY, CL_INVALID_MEM_OBJECT, false,                                  \
      d->clEnqueueCopyBufferRect(w.queue, h, buffer, zero, three, three, 0, 0, 0, 0, 0, NULL, NULL))         \
    X(clEnqueueCopyBufferRect, _to, MEMORY, CL_INVALID_MEM_OBJECT, false,                                    \
      d->clEnqueueCopyBufferRect(w.queue, buffer, h, zero, three, three, 0, 0, 0, 0, 0, NULL, NULL))         \
    X(clEnqueueFillBuffer, _buffer, MEMORY, CL_INVALID_MEM_OBJECT, false,                                    \
      d->clEnqueueFillBuffer(w.queue, h, bytes, 1, 0, 1, 0, NULL, NULL))                                     \
    X(clEnqueueMapBuffer, _buffer, MEMORY, CL_INVALID_MEM_OBJECT, false,                                     \
      (d->clEnqueueMapBuffer(w.queue, h, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &e), e))                 \
    X(clEnqueueUnmapMemObject, _memory, MEMORY, CL_INVALID_MEM_OBJECT, false,                                \
      d->clEnqueueUnmapMemObject(w.queue, h, bytes, 0, NULL, NULL))                                          \
    X(clEnqueueAcquireEGLObjectsKHR, _memory, MEMORY, CL_INVALID_MEM_OBJECT, false,                          \
      d->clEnqueueAcquireEGLObjectsKHR(w.queue, 1, (cl_mem[]){h}, 0, NULL, NULL))                            \
    X(clEnqueueMigrateMemObjects, _memory, MEMORY, CL_INVALID_MEM_OBJECT, false,                             \
      d->clEnqueueMigrateMemObjects(w.queue, 1, (cl_mem[]){h}, 0, 0, NULL, NULL))                            \
    X(clEnqueueNativeKernel, _memory, MEMORY, CL_INVALID_MEM_OBJECT, true,                                   \
      d->clEnqueueNativeKernel(w.queue, h ? NEVER(native_kernel) : nothing, bytes, 8, 1, (cl_mem[]){h},      \
                               (const void *[]){bytes}, 0, NULL, NULL))                                      \
    X(clEnqueueReadImage, _image, MEMORY, CL_INVALID_MEM_OBJECT, false,                                      \
      d->clEnqueueReadImage(w.queue, h, CL_TRUE, zero, three, 0, 0, bytes, 0, NULL, NULL))                   \
    X(clEnqueueWriteImage, _image, MEMORY, CL_INVALID_MEM_OBJECT, false,                                     \
      d->clEnqueueWriteImage(w.queue, h, CL_TRUE, zero, three, 0, 0, bytes, 0, NULL, NULL))                  \
    X(clEnqueueFillImage, _image, MEMORY, CL_INVALID_MEM_OBJECT, false,                                      \
      d->clEnqueueFillImage(w.queue, h, bytes, zero, three, 0, NULL, NULL))                                  \
    X(clEnqueueCopyImage, _from, MEMORY, CL_INVALID_MEM_OBJECT, false,                                       \
      d->clEnqueueCopyImage(w.queue, h, buffer, zero, zero, three, 0, NULL, NULL))                           \
    X(clEnqueueCopyImageToBuffer, _to, MEMORY, CL_INVALID_MEM_OBJECT, false,                                 \
      d->clEnqueueCopyImageToBuffer(w.queue, buffer, h, zero, three, 0, 0, NULL, NULL))                      \
    X(clEnqueueCopyBufferToImage, _from, MEMORY, CL_INVALID_MEM_OBJECT, false,                               \
      d->clEnqueueCopyBufferToImage(w.queue, h, buffer, 0, zero, three, 0, NULL, NULL))                      \
    X(clEnqueueMapImage, _image, MEMORY, CL_INVALID_MEM_OBJECT, false,                                       \
      (d->clEnqueueMapImage(w.queue, h, CL_TRUE, CL_MAP_READ, zero, three, NULL, NULL, 0, NULL, NULL, &e),   \
       e))                                                                                                   \
    X(clSetKernelArg, _memory, MEMORY, CL_INVALID_MEM_OBJECT, true,                                          \
      d->clSetKernelArg(kernel, 0, sizeof h, &h))

#define OF_SAMPLER(X)                                                                                        \
    X(clRetainSampler, , SAMPLER, CL_INVALID_SAMPLER, false, d->clRetainSampler(h))                          \
    X(clReleaseSampler, , SAMPLER, CL_INVALID_SAMPLER, false, d->clReleaseSampler(h))                        \
    X(clGetSamplerInfo, , SAMPLER, CL_INVALID_SAMPLER, false,                                                \
      d->clGetSamplerInfo(h, CL_SAMPLER_CONTEXT, 0, NULL, NULL))

#define OF_PROGRAM(X)                                                                                        \
    X(clRetainProgram, , PROGRAM, CL_INVALID_PROGRAM, false, d->clRetainProgram(h))                          \
    X(clReleaseProgram, , PROGRAM, CL_INVALID_PROGRAM, false, d->clReleaseProgram(h))                        \
    X(clBuildProgram, , PROGRAM, CL_INVALID_PROGRAM, false, d->clBuildProgram(h, 0, NULL, NULL, NULL, NULL)) \
    X(clCompileProgram, , PROGRAM, CL_INVALID_PROGRAM, false,                                                \
      d->clCompileProgram(h, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL))                                      \
    X(clLinkProgram, _input, PROGRAM, CL_INVALID_PROGRAM, false,                                             \
      (d->clLinkProgram(w.context, 0, NULL, NULL, 1, (cl_program[]){h}, NULL, NULL, &e), e))                 \
    X(clGetProgramInfo, , PROGRAM, CL_INVALID_PROGRAM, false,                                                \
      d->clGetProgramInfo(h, CL_PROGRAM_CONTEXT, 0, NULL, NULL))                                             \
    X(clGetProgramBuildInfo, , PROGRAM, CL_INVALID_PROGRAM, false,                                           \
      d->clGetProgramBuildInfo(h, w.device, CL_PROGRAM_BUILD_STATUS, 0, NULL, NULL))                         \
    X(clCreateKernel, , PROGRAM, CL_INVALID_PROGRAM, false, (d->clCreateKernel(h, "add", &e), e))            \
    X(clCreateKernelsInProgram, , PROGRAM, CL_INVALID_PROGRAM, false,                                        \
      d->clCreateKernelsInProgram(h, 0, NULL, NULL))                                                         \
    X(clSetProgramReleaseCallback, , PROGRAM, CL_INVALID_PROGRAM, false,                                     \
      d->clSetProgramReleaseCallback(h, NEVER(program_callback), NULL))                                      \
    X(clSetProgramSpecializationConstant, , PROGRAM, CL_INVALID_PROGRAM, false,                              \
      d->clSetProgramSpecializationConstant(h, 7, 4, bytes))

#define OF_KERNEL(X)                                                                                         \
    X(clRetainKernel, , KERNEL, CL_INVALID_KERNEL, false, d->clRetainKernel(h))                              \
    X(clReleaseKernel, , KERNEL, CL_INVALID_KERNEL, false, d->clReleaseKernel(h))                            \
    X(clCloneKernel, , KERNEL, CL_INVALID_KERNEL, false, (d->clCloneKernel(h, &e), e))                       \
    X(clSetKernelArg, , KERNEL, CL_INVALID_KERNEL, false, d->clSetKernelArg(h, 0, 8, &buffer))               \
    X(clSetKernelArgSVMPointer, , KERNEL, CL_INVALID_KERNEL, false,                                          \
      d->clSetKernelArgSVMPointer(h, 0, bytes))                                                              \
    X(clSetKernelExecInfo, , KERNEL, CL_INVALID_KERNEL, false,                                               \
      d->clSetKernelExecInfo(h, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL))                                      \
    X(clGetKernelInfo, , KERNEL, CL_INVALID_KERNEL, false,                                                   \
      d->clGetKernelInfo(h, CL_KERNEL_NUM_ARGS, 0, NULL, NULL))                                              \
    X(clGetKernelArgInfo, , KERNEL, CL_INVALID_KERNEL, false,                                                \
      d->clGetKernelArgInfo(h, 0, CL_KERNEL_ARG_NAME, 0, NULL, NULL))                                        \
    X(clGetKernelWorkGroupInfo, , KERNEL, CL_INVALID_KERNEL, false,                                          \
      d->clGetKernelWorkGroupInfo(h, w.device, CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, NULL))                    \
    X(clGetKernelSubGroupInfo, , KERNEL, CL_INVALID_KERNEL, false,                                           \
      d->clGetKernelSubGroupInfo(h, w.device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 0, NULL, NULL))         \
    X(clGetKernelSubGroupInfoKHR, , KERNEL, CL_INVALID_KERNEL, false,                                        \
      d->clGetKernelSubGroupInfoKHR(h, w.device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 8, &one, 0, NULL, \
                                    NULL))                                                                   \
    X(clEnqueueNDRangeKernel, _kernel, KERNEL, CL_INVALID_KERNEL, false,                                     \
      d->clEnqueueNDRangeKernel(w.queue, h, 1, NULL, &one, NULL, 0, NULL, NULL))                             \
    X(clEnqueueTask, _kernel, KERNEL, CL_INVALID_KERNEL, false, d->clEnqueueTask(w.queue, h, 0, NULL, NULL))

#define OF_EVENT(X)                                                                                          \
    X(clRetainEvent, , EVENT, CL_INVALID_EVENT, false, d->clRetainEvent(h))                                  \
    X(clReleaseEvent, , EVENT, CL_INVALID_EVENT, false, d->clReleaseEvent(h))                                \
    X(clGetEventInfo, , EVENT, CL_INVALID_EVENT, false,                                                      \
      d->clGetEventInfo(h, CL_EVENT_CONTEXT, 0, NULL, NULL))                                                 \
    X(clGetEventProfilingInfo, , EVENT, CL_INVALID_EVENT, false,                                             \
      d->clGetEventProfilingInfo(h, CL_PROFILING_COMMAND_END, 0, NULL, NULL))                                \
    X(clSetEventCallback, , EVENT, CL_INVALID_EVENT, false,                                                  \
      d->clSetEventCallback(h, CL_COMPLETE, NEVER(event_callback), NULL))                                    \
    X(clSetUserEventStatus, , EVENT, CL_INVALID_EVENT, false, d->clSetUserEventStatus(h, CL_COMPLETE))       \
    X(clWaitForEvents, , EVENT, CL_INVALID_EVENT, false, d->clWaitForEvents(1, (cl_event[]){h}))             \
    X(clEnqueueWaitForEvents, _list, EVENT, CL_INVALID_EVENT, false,                                         \
      d->clEnqueueWaitForEvents(w.queue, 1, (cl_event[]){h}))                                                \
    X(clEnqueueMarkerWithWaitList, _list, EVENT, CL_INVALID_EVENT_WAIT_LIST, false,                          \
      d->clEnqueueMarkerWithWaitList(w.queue, 1, (cl_event[]){h}, NULL))                                     \
    X(clEnqueueBarrierWithWaitList, _list, EVENT, CL_INVALID_EVENT_WAIT_LIST, false,                         \
      d->clEnqueueBarrierWithWaitList(w.queue, 1, (cl_event[]){h}, NULL))                                    \
    X(clEnqueueReadBuffer, _list, EVENT, CL_INVALID_EVENT_WAIT_LIST, false,                                  \
      d->clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, 4, bytes, 1, (cl_event[]){h}, NULL))               \
    X(clEnqueueWriteBuffer, _list, EVENT, CL_INVALID_EVENT_WAIT_LIST, false,                                 \
      d->clEnqueueWriteBuffer(w.queue, buffer, CL_TRUE, 0, 4, bytes, 1, (cl_event[]){h}, NULL))              \
    X(clEnqueueCopyBuffer, _list, EVENT, CL_INVALID_EVENT_WAIT_LIST, false,                                  \
      d->clEnqueueCopyBuffer(w.queue, buffer, buffer, 0, 8, 4, 1, (cl_event[]){h}, NULL))                    \
    X(clEnqueueReadBufferRect, _list, EVENT, CL_INVALID_EVENT_WAIT_LIST, false,                              \
      d->clEnqueueReadBufferRect(w.queue, buffer, CL_TRUE, zero, zero, three, 0, 0, 0, 0, bytes, 1,          \
                                 (cl_event[]){h}, NULL))                                                     \
    X(clEnqueueWriteBufferRect, _list, EVENT, CL_INVALID_EVENT_WAIT_LIST, false,                             \
      d->clEnqueueWriteBufferRect(w.queue, buffer, CL_TRUE, zero, zero, three, 0, 0, 0, 0, bytes, 1,         \
                                  (cl_event[]){h}, NULL))                                                    \
    X(clEnqueueCopyBufferRect, _list, EVENT, CL_INVALID_EVENT_WAIT_LIST, false,                              \
      d->clEnqueueCopyBufferRect(w.queue, buffer, buffer, zero, three, three, 0, 0, 0, 0, 1,                 \
                                 (cl_event[]){h}, NULL))                                                     \
    X(clEnqueueFillBuffer, _list, EVENT, CL_INVALID_EVENT_WAIT_LIST, false,                                  \
      d->clEnqueueFillBuffer(w.queue, buffer, bytes, 1, 0, 1, 1, (cl_event[]){h}, NULL))                     \
    X(clEnqueueMapBuffer, _list, EVENT, CL_INVALID_EVENT_WAIT_LIST, false,                                   \
      (d->clEnqueueMapBuffer(w.queue, buffer, CL_TRUE, CL_MAP_READ, 0, 4, 1, (cl_event[]){h}, NULL, &e), e)) \
    X(clEnqueueUnmapMemObject, _list, EVENT, CL_INVALID_EVENT_WAIT_LIST, false,                              \
      d->clEnqueueUnmapMemObject(w.queue, buffer, bytes, 1, (cl_event[]){h}, NULL))                          \
    X(clEnqueueMigrateMemObjects, _list, EVENT, CL_INVALID_EVENT_WAIT_LIST, false,                           \
      d->clEnqueueMigrateMemObjects(w.queue, 1, &buffer, 0, 1, (cl_event[]){h}, NULL))                       \
    X(clEnqueueNDRangeKernel, _list, EVENT, CL_INVALID_EVENT_WAIT_LIST, false,                               \
      d->clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &one, NULL, 1, (cl_event[]){h}, NULL))             \
    X(clEnqueueTask, _list, EVENT, CL_INVALID_EVENT_WAIT_LIST, false,                                        \
      d->clEnqueueTask(w.queue, kernel, 1, (cl_event[]){h}, NULL))                                           \
    X(clEnqueueNativeKernel, _list, EVENT, CL_INVALID_EVENT_WAIT_LIST, false,                                \
      d->clEnqueueNativeKernel(w.queue, NEVER(native_kernel), NULL, 0, 0, NULL, NULL, 1, (cl_event[]){h},    \
                               NULL))                                                                        \
    X(clEnqueueSVMFree, _list, EVENT, CL_INVALID_EVENT_WAIT_LIST, false,                                     \
      d->clEnqueueSVMFree(w.queue, 0, NULL, NULL, NULL, 1, (cl_event[]){h}, NULL))                           \
    X(clEnqueueSVMMemcpy, _list, EVENT, CL_INVALID_EVENT_WAIT_LIST, false,                                   \
      d->clEnqueueSVMMemcpy(w.queue, CL_TRUE, bytes, bytes + 8, 4, 1, (cl_event[]){h}, NULL))                \
    X(clEnqueueSVMMemFill, _list, EVENT, CL_INVALID_EVENT_WAIT_LIST, false,                                  \
      d->clEnqueueSVMMemFill(w.queue, bytes, bytes + 8, 1, 4, 1, (cl_event[]){h}, NULL))                     \
    X(clEnqueueSVMMap, _list, EVENT, CL_INVALID_EVENT_WAIT_LIST, false,                                      \
      d->clEnqueueSVMMap(w.queue, CL_TRUE, CL_MAP_READ, bytes, 4, 1, (cl_event[]){h}, NULL))                 \
    X(clEnqueueSVMUnmap, _list, EVENT, CL_INVALID_EVENT_WAIT_LIST, false,                                    \
      d->clEnqueueSVMUnmap(w.queue, bytes, 1, (cl_event[]){h}, NULL))                                        \
    X(clEnqueueSVMMigrateMem, _list, EVENT, CL_INVALID_EVENT_WAIT_LIST, false,                               \
      d->clEnqueueSVMMigrateMem(w.queue, 1, (const void *[]){bytes}, NULL, 0, 1, (cl_event[]){h}, NULL))

#define ROWS(X)                                                                                              \
    OF_PLATFORM(X)                                                                                           \
    OF_DEVICE(X)                                                                                             \
    OF_CONTEXT(X)                                                                                            \
    OF_QUEUE(X)                                                                                              \
    OF_MEMORY(X)                                                                                             \
    OF_SAMPLER(X)                                                                                            \
    OF_PROGRAM(X)                                                                                            \
    OF_KERNEL(X)                                                                                             \
    OF_EVENT(X)

#endif

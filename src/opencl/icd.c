/* SPDX-License-Identifier: MIT */
/* What the ICD loader sees: the dispatch table, and entry points by name.
 *
 * The rows of the EGL, Direct3D and DirectX sharing extensions are empty: no device here has those
 * extensions, and their entry points are reached by name only, which finds none.
 *
 * A loader that knows the ICD extension's second version sees the tag in two rows that no loader calls, asks
 * for every function by name and dispatches by a table of its own, which it puts into our objects; older
 * loaders use this table.
 */
#include "entry_points.h"

#include <string.h>

const cl_icd_dispatch lw_cl_dispatch = {
    .clGetPlatformIDs = (cl_api_clGetPlatformIDs)CL_ICD2_TAG_KHR,
    .clGetPlatformInfo = clGetPlatformInfo,
    .clGetDeviceIDs = clGetDeviceIDs,
    .clGetDeviceInfo = clGetDeviceInfo,
    .clCreateContext = clCreateContext,
    .clCreateContextFromType = clCreateContextFromType,
    .clRetainContext = clRetainContext,
    .clReleaseContext = clReleaseContext,
    .clGetContextInfo = clGetContextInfo,
    .clCreateCommandQueue = clCreateCommandQueue,
    .clRetainCommandQueue = clRetainCommandQueue,
    .clReleaseCommandQueue = clReleaseCommandQueue,
    .clGetCommandQueueInfo = clGetCommandQueueInfo,
    .clSetCommandQueueProperty = clSetCommandQueueProperty,
    .clCreateBuffer = clCreateBuffer,
    .clCreateImage2D = clCreateImage2D,
    .clCreateImage3D = clCreateImage3D,
    .clRetainMemObject = clRetainMemObject,
    .clReleaseMemObject = clReleaseMemObject,
    .clGetSupportedImageFormats = clGetSupportedImageFormats,
    .clGetMemObjectInfo = clGetMemObjectInfo,
    .clGetImageInfo = clGetImageInfo,
    .clCreateSampler = clCreateSampler,
    .clRetainSampler = clRetainSampler,
    .clReleaseSampler = clReleaseSampler,
    .clGetSamplerInfo = clGetSamplerInfo,
    .clCreateProgramWithSource = clCreateProgramWithSource,
    .clCreateProgramWithBinary = clCreateProgramWithBinary,
    .clRetainProgram = clRetainProgram,
    .clReleaseProgram = clReleaseProgram,
    .clBuildProgram = clBuildProgram,
    .clUnloadCompiler = (cl_api_clUnloadCompiler)CL_ICD2_TAG_KHR,
    .clGetProgramInfo = clGetProgramInfo,
    .clGetProgramBuildInfo = clGetProgramBuildInfo,
    .clCreateKernel = clCreateKernel,
    .clCreateKernelsInProgram = clCreateKernelsInProgram,
    .clRetainKernel = clRetainKernel,
    .clReleaseKernel = clReleaseKernel,
    .clSetKernelArg = clSetKernelArg,
    .clGetKernelInfo = clGetKernelInfo,
    .clGetKernelWorkGroupInfo = clGetKernelWorkGroupInfo,
    .clWaitForEvents = clWaitForEvents,
    .clGetEventInfo = clGetEventInfo,
    .clRetainEvent = clRetainEvent,
    .clReleaseEvent = clReleaseEvent,
    .clGetEventProfilingInfo = clGetEventProfilingInfo,
    .clFlush = clFlush,
    .clFinish = clFinish,
    .clEnqueueReadBuffer = clEnqueueReadBuffer,
    .clEnqueueWriteBuffer = clEnqueueWriteBuffer,
    .clEnqueueCopyBuffer = clEnqueueCopyBuffer,
    .clEnqueueReadImage = clEnqueueReadImage,
    .clEnqueueWriteImage = clEnqueueWriteImage,
    .clEnqueueCopyImage = clEnqueueCopyImage,
    .clEnqueueCopyImageToBuffer = clEnqueueCopyImageToBuffer,
    .clEnqueueCopyBufferToImage = clEnqueueCopyBufferToImage,
    .clEnqueueMapBuffer = clEnqueueMapBuffer,
    .clEnqueueMapImage = clEnqueueMapImage,
    .clEnqueueUnmapMemObject = clEnqueueUnmapMemObject,
    .clEnqueueNDRangeKernel = clEnqueueNDRangeKernel,
    .clEnqueueTask = clEnqueueTask,
    .clEnqueueNativeKernel = clEnqueueNativeKernel,
    .clEnqueueMarker = clEnqueueMarker,
    .clEnqueueWaitForEvents = clEnqueueWaitForEvents,
    .clEnqueueBarrier = clEnqueueBarrier,
    .clGetExtensionFunctionAddress = clGetExtensionFunctionAddress,
    .clSetEventCallback = clSetEventCallback,
    .clCreateSubBuffer = clCreateSubBuffer,
    .clSetMemObjectDestructorCallback = clSetMemObjectDestructorCallback,
    .clCreateUserEvent = clCreateUserEvent,
    .clSetUserEventStatus = clSetUserEventStatus,
    .clEnqueueReadBufferRect = clEnqueueReadBufferRect,
    .clEnqueueWriteBufferRect = clEnqueueWriteBufferRect,
    .clEnqueueCopyBufferRect = clEnqueueCopyBufferRect,
    .clCreateSubDevices = clCreateSubDevices,
    .clRetainDevice = clRetainDevice,
    .clReleaseDevice = clReleaseDevice,
    .clCreateImage = clCreateImage,
    .clCreateProgramWithBuiltInKernels = clCreateProgramWithBuiltInKernels,
    .clCompileProgram = clCompileProgram,
    .clLinkProgram = clLinkProgram,
    .clUnloadPlatformCompiler = clUnloadPlatformCompiler,
    .clGetKernelArgInfo = clGetKernelArgInfo,
    .clEnqueueFillBuffer = clEnqueueFillBuffer,
    .clEnqueueFillImage = clEnqueueFillImage,
    .clEnqueueMigrateMemObjects = clEnqueueMigrateMemObjects,
    .clEnqueueMarkerWithWaitList = clEnqueueMarkerWithWaitList,
    .clEnqueueBarrierWithWaitList = clEnqueueBarrierWithWaitList,
    .clGetExtensionFunctionAddressForPlatform = clGetExtensionFunctionAddressForPlatform,
    .clCreateCommandQueueWithProperties = clCreateCommandQueueWithProperties,
    .clCreatePipe = clCreatePipe,
    .clGetPipeInfo = clGetPipeInfo,
    .clSVMAlloc = clSVMAlloc,
    .clSVMFree = clSVMFree,
    .clEnqueueSVMFree = clEnqueueSVMFree,
    .clEnqueueSVMMemcpy = clEnqueueSVMMemcpy,
    .clEnqueueSVMMemFill = clEnqueueSVMMemFill,
    .clEnqueueSVMMap = clEnqueueSVMMap,
    .clEnqueueSVMUnmap = clEnqueueSVMUnmap,
    .clCreateSamplerWithProperties = clCreateSamplerWithProperties,
    .clSetKernelArgSVMPointer = clSetKernelArgSVMPointer,
    .clSetKernelExecInfo = clSetKernelExecInfo,
    .clCloneKernel = clCloneKernel,
    .clCreateProgramWithIL = clCreateProgramWithIL,
    .clEnqueueSVMMigrateMem = clEnqueueSVMMigrateMem,
    .clGetDeviceAndHostTimer = clGetDeviceAndHostTimer,
    .clGetHostTimer = clGetHostTimer,
    .clGetKernelSubGroupInfo = clGetKernelSubGroupInfo,
    .clSetDefaultDeviceCommandQueue = clSetDefaultDeviceCommandQueue,
    .clSetProgramReleaseCallback = clSetProgramReleaseCallback,
    .clSetProgramSpecializationConstant = clSetProgramSpecializationConstant,
    .clCreateBufferWithProperties = clCreateBufferWithProperties,
    .clCreateImageWithProperties = clCreateImageWithProperties,
    .clSetContextDestructorCallback = clSetContextDestructorCallback,
    .clCreateFromGLBuffer = clCreateFromGLBuffer,
    .clCreateFromGLTexture2D = clCreateFromGLTexture2D,
    .clCreateFromGLTexture3D = clCreateFromGLTexture3D,
    .clCreateFromGLRenderbuffer = clCreateFromGLRenderbuffer,
    .clGetGLObjectInfo = clGetGLObjectInfo,
    .clGetGLTextureInfo = clGetGLTextureInfo,
    .clEnqueueAcquireGLObjects = clEnqueueAcquireGLObjects,
    .clEnqueueReleaseGLObjects = clEnqueueReleaseGLObjects,
    .clGetGLContextInfoKHR = clGetGLContextInfoKHR,
    .clCreateEventFromGLsyncKHR = clCreateEventFromGLsyncKHR,
    .clCreateFromGLTexture = clCreateFromGLTexture,
    .clGetKernelSubGroupInfoKHR = clGetKernelSubGroupInfo,
    .clCreateSubDevicesEXT = clCreateSubDevicesEXT,
    .clRetainDeviceEXT = clRetainDevice,
    .clReleaseDeviceEXT = clReleaseDevice,
};

struct named_function {
    const char *name;
    void *function;
};

#define NAMED(function) {#function, __extension__(void *) function}
static const struct named_function functions[] = {
    {"clIcdGetPlatformIDsKHR", __extension__(void *) clIcdGetPlatformIDsKHR},
    NAMED(clIcdGetFunctionAddressForPlatformKHR),
    NAMED(clIcdSetPlatformDispatchDataKHR),
    {"clCreateProgramWithILKHR", __extension__(void *) clCreateProgramWithIL},
    {"clGetKernelSubGroupInfoKHR", __extension__(void *) clGetKernelSubGroupInfo},
    {"clCreateCommandQueueWithPropertiesKHR", __extension__(void *) clCreateCommandQueueWithProperties},
    {"clRetainDeviceEXT", __extension__(void *) clRetainDevice},
    {"clReleaseDeviceEXT", __extension__(void *) clReleaseDevice},
    NAMED(clCreateSubDevicesEXT),
    NAMED(clGetKernelSuggestedLocalWorkSizeKHR),
    {"clGetKernelSuggestedLocalWorkSize", __extension__(void *) clGetKernelSuggestedLocalWorkSizeKHR},
    NAMED(clHostMemAllocINTEL),
    NAMED(clDeviceMemAllocINTEL),
    NAMED(clSharedMemAllocINTEL),
    NAMED(clMemFreeINTEL),
    NAMED(clMemBlockingFreeINTEL),
    NAMED(clGetMemAllocInfoINTEL),
    NAMED(clSetKernelArgMemPointerINTEL),
    NAMED(clEnqueueMemFillINTEL),
    NAMED(clEnqueueMemsetINTEL),
    NAMED(clEnqueueMemcpyINTEL),
    NAMED(clEnqueueMigrateMemINTEL),
    NAMED(clEnqueueMemAdviseINTEL),
    {"clCreateBufferWithPropertiesINTEL", __extension__(void *) clCreateBufferWithProperties},
    NAMED(clGetPlatformIDs),
    NAMED(clGetPlatformInfo),
    NAMED(clGetDeviceIDs),
    NAMED(clGetDeviceInfo),
    NAMED(clCreateContext),
    NAMED(clCreateContextFromType),
    NAMED(clRetainContext),
    NAMED(clReleaseContext),
    NAMED(clGetContextInfo),
    NAMED(clCreateCommandQueue),
    NAMED(clRetainCommandQueue),
    NAMED(clReleaseCommandQueue),
    NAMED(clGetCommandQueueInfo),
    NAMED(clSetCommandQueueProperty),
    NAMED(clCreateBuffer),
    NAMED(clCreateImage2D),
    NAMED(clCreateImage3D),
    NAMED(clRetainMemObject),
    NAMED(clReleaseMemObject),
    NAMED(clGetSupportedImageFormats),
    NAMED(clGetMemObjectInfo),
    NAMED(clGetImageInfo),
    NAMED(clCreateSampler),
    NAMED(clRetainSampler),
    NAMED(clReleaseSampler),
    NAMED(clGetSamplerInfo),
    NAMED(clCreateProgramWithSource),
    NAMED(clCreateProgramWithBinary),
    NAMED(clRetainProgram),
    NAMED(clReleaseProgram),
    NAMED(clBuildProgram),
    NAMED(clUnloadCompiler),
    NAMED(clGetProgramInfo),
    NAMED(clGetProgramBuildInfo),
    NAMED(clCreateKernel),
    NAMED(clCreateKernelsInProgram),
    NAMED(clRetainKernel),
    NAMED(clReleaseKernel),
    NAMED(clSetKernelArg),
    NAMED(clGetKernelInfo),
    NAMED(clGetKernelWorkGroupInfo),
    NAMED(clWaitForEvents),
    NAMED(clGetEventInfo),
    NAMED(clRetainEvent),
    NAMED(clReleaseEvent),
    NAMED(clGetEventProfilingInfo),
    NAMED(clFlush),
    NAMED(clFinish),
    NAMED(clEnqueueReadBuffer),
    NAMED(clEnqueueWriteBuffer),
    NAMED(clEnqueueCopyBuffer),
    NAMED(clEnqueueReadImage),
    NAMED(clEnqueueWriteImage),
    NAMED(clEnqueueCopyImage),
    NAMED(clEnqueueCopyImageToBuffer),
    NAMED(clEnqueueCopyBufferToImage),
    NAMED(clEnqueueMapBuffer),
    NAMED(clEnqueueMapImage),
    NAMED(clEnqueueUnmapMemObject),
    NAMED(clEnqueueNDRangeKernel),
    NAMED(clEnqueueTask),
    NAMED(clEnqueueNativeKernel),
    NAMED(clEnqueueMarker),
    NAMED(clEnqueueWaitForEvents),
    NAMED(clEnqueueBarrier),
    NAMED(clGetExtensionFunctionAddress),
    NAMED(clSetEventCallback),
    NAMED(clCreateSubBuffer),
    NAMED(clSetMemObjectDestructorCallback),
    NAMED(clCreateUserEvent),
    NAMED(clSetUserEventStatus),
    NAMED(clEnqueueReadBufferRect),
    NAMED(clEnqueueWriteBufferRect),
    NAMED(clEnqueueCopyBufferRect),
    NAMED(clCreateSubDevices),
    NAMED(clRetainDevice),
    NAMED(clReleaseDevice),
    NAMED(clCreateImage),
    NAMED(clCreateProgramWithBuiltInKernels),
    NAMED(clCompileProgram),
    NAMED(clLinkProgram),
    NAMED(clUnloadPlatformCompiler),
    NAMED(clGetKernelArgInfo),
    NAMED(clEnqueueFillBuffer),
    NAMED(clEnqueueFillImage),
    NAMED(clEnqueueMigrateMemObjects),
    NAMED(clEnqueueMarkerWithWaitList),
    NAMED(clEnqueueBarrierWithWaitList),
    NAMED(clGetExtensionFunctionAddressForPlatform),
    NAMED(clCreateCommandQueueWithProperties),
    NAMED(clCreatePipe),
    NAMED(clGetPipeInfo),
    NAMED(clSVMAlloc),
    NAMED(clSVMFree),
    NAMED(clEnqueueSVMFree),
    NAMED(clEnqueueSVMMemcpy),
    NAMED(clEnqueueSVMMemFill),
    NAMED(clEnqueueSVMMap),
    NAMED(clEnqueueSVMUnmap),
    NAMED(clCreateSamplerWithProperties),
    NAMED(clSetKernelArgSVMPointer),
    NAMED(clSetKernelExecInfo),
    NAMED(clCloneKernel),
    NAMED(clCreateProgramWithIL),
    NAMED(clEnqueueSVMMigrateMem),
    NAMED(clGetDeviceAndHostTimer),
    NAMED(clGetHostTimer),
    NAMED(clGetKernelSubGroupInfo),
    NAMED(clSetDefaultDeviceCommandQueue),
    NAMED(clSetProgramReleaseCallback),
    NAMED(clSetProgramSpecializationConstant),
    NAMED(clCreateBufferWithProperties),
    NAMED(clCreateImageWithProperties),
    NAMED(clSetContextDestructorCallback),
};

void *
lw_cl_extension_function(const char *name)
{
    for (size_t i = 0; name && i < sizeof functions / sizeof functions[0]; i++)
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].function;
    return NULL;
}

CL_API_ENTRY void *CL_API_CALL
clGetExtensionFunctionAddress(const char *name)
{
    return lw_cl_extension_function(name);
}

CL_API_ENTRY void *CL_API_CALL
clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
    return lw_cl_is(platform, LW_CL_PLATFORM) ? lw_cl_extension_function(name) : NULL;
}

CL_API_ENTRY cl_int CL_API_CALL
clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    return clGetPlatformIDs(num_entries, platforms, num_platforms);
}

CL_API_ENTRY void *CL_API_CALL
clIcdGetFunctionAddressForPlatformKHR(cl_platform_id platform, const char *name)
{
    return lw_cl_is(platform, LW_CL_PLATFORM) ? lw_cl_extension_function(name) : NULL;
}

CL_API_ENTRY cl_int CL_API_CALL
clIcdSetPlatformDispatchDataKHR(cl_platform_id platform, void *data)
{
    if (!lw_cl_is(platform, LW_CL_PLATFORM))
        return CL_INVALID_PLATFORM;
    lw_cl_set_dispatch_data(data);
    return CL_SUCCESS;
}

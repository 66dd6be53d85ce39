/* SPDX-License-Identifier: MIT */
/* The platform of an opencl worker. */
#include "opencl_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "message.h"

#define MAX_PLATFORMS 64

const char *
opencl_error(cl_int error)
{
    static const struct {
        cl_int error;
        const char *name;
    } names[] = {
        {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
        {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
        {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
        {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
        {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
        {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
        {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
        {CL_COMPILE_PROGRAM_FAILURE, "CL_COMPILE_PROGRAM_FAILURE"},
        {CL_LINK_PROGRAM_FAILURE, "CL_LINK_PROGRAM_FAILURE"},
        {CL_INVALID_VALUE, "CL_INVALID_VALUE"},
        {CL_INVALID_BINARY, "CL_INVALID_BINARY"},
        {CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS"},
        {CL_INVALID_PROGRAM, "CL_INVALID_PROGRAM"},
        {CL_INVALID_PROGRAM_EXECUTABLE, "CL_INVALID_PROGRAM_EXECUTABLE"},
        {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
        {CL_INVALID_KERNEL_DEFINITION, "CL_INVALID_KERNEL_DEFINITION"},
        {CL_INVALID_KERNEL, "CL_INVALID_KERNEL"},
        {CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX"},
        {CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE"},
        {CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE"},
        {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
        {CL_INVALID_WORK_DIMENSION, "CL_INVALID_WORK_DIMENSION"},
        {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
        {CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE"},
        {CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE"},
        {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
        {CL_INVALID_OPERATION, "CL_INVALID_OPERATION"},
        {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].error == error)
            return names[i].name;
    return "an error without a name";
}

static char *
platform_text(cl_platform_id platform, cl_platform_info what)
{
    size_t bytes = 0;
    char *text;

    if (clGetPlatformInfo(platform, what, 0, NULL, &bytes))
        bytes = 0;
    text = memory_get(bytes + 1);
    if (bytes && clGetPlatformInfo(platform, what, bytes, text, NULL))
        *text = 0;
    return text;
}

static char *
device_text(cl_device_id device, cl_device_info what)
{
    size_t bytes = 0;
    char *text;

    if (clGetDeviceInfo(device, what, 0, NULL, &bytes))
        bytes = 0;
    text = memory_get(bytes + 1);
    if (bytes && clGetDeviceInfo(device, what, bytes, text, NULL))
        *text = 0;
    return text;
}

static void CL_CALLBACK
keep_told(const char *text, const void *data, size_t bytes, void *opencl)
{
    struct opencl *o = opencl;

    (void)data, (void)bytes;
    snprintf(o->told, sizeof o->told, "%s", text);
}

bool
opencl_open(struct opencl *opencl, unsigned index, char *error, size_t error_bytes)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint count = 0;
    cl_int status = clGetPlatformIDs(MAX_PLATFORMS, platforms, &count);
    char *version, *il;

    if (status || index >= count) {
        snprintf(error, error_bytes,
                 count ? "there is no further platform" : "the ICD gives no platform (%s)",
                 opencl_error(status));
        return false;
    }
    opencl->platform = platforms[index];
    status = clGetDeviceIDs(opencl->platform, CL_DEVICE_TYPE_CPU, 1, &opencl->device, NULL);
    if (status)
        status = clGetDeviceIDs(opencl->platform, CL_DEVICE_TYPE_ALL, 1, &opencl->device, NULL);
    if (status) {
        snprintf(error, error_bytes, "the platform has no device (%s)", opencl_error(status));
        return false;
    }
    version = platform_text(opencl->platform, CL_PLATFORM_VERSION);
    opencl->version_2 = strncmp(version, "OpenCL ", 7) == 0 && strtod(version + 7, NULL) > 2.05;
    opencl->version_3 = opencl->version_2 && strtod(version + 7, NULL) > 2.95;
    il = opencl->version_2 ? device_text(opencl->device, CL_DEVICE_IL_VERSION) : text_copy("");
    opencl->takes_il = strstr(il, "SPIR-V") != NULL;
    free(version);
    free(il);
    opencl->context = clCreateContext(NULL, 1, &opencl->device, keep_told, opencl, &status);
    if (status == CL_SUCCESS)
        opencl->queue = opencl->version_2 ? clCreateCommandQueueWithProperties(opencl->context,
                                                                               opencl->device, NULL, &status)
                                          : clCreateCommandQueue(opencl->context, opencl->device, 0, &status);
    if (status)
        snprintf(error, error_bytes, "no context and queue (%s)", opencl_error(status));
    return status == CL_SUCCESS;
}

void
opencl_describe(const struct opencl *opencl, struct text *answer)
{
    static const struct {
        const char *key;
        bool device;
        cl_uint what;
    } texts[] = {
        {"name", false, CL_PLATFORM_NAME},  {"version", false, CL_PLATFORM_VERSION},
        {"device", true, CL_DEVICE_NAME},   {"driver", true, CL_DRIVER_VERSION},
        {"il", true, CL_DEVICE_IL_VERSION}, {"opencl_c", true, CL_DEVICE_OPENCL_C_VERSION},
    };
    cl_uint units = 0;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char *text = texts[i].device ? device_text(opencl->device, texts[i].what)
                                     : platform_text(opencl->platform, texts[i].what);

        message_put(answer, texts[i].key, "%s", text);
        free(text);
    }
    clGetDeviceInfo(opencl->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    message_put(answer, "units", "%u", units);
    message_put(answer, "form", "%s", opencl->takes_il ? "SPIR-V" : "OpenCL C");
}

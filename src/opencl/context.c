/* SPDX-License-Identifier: MIT */
/* Contexts. */
#include "memory/allocations.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool
lw_cl_debugs(void)
{
    const char *debug = secure_getenv("LANEWISE_DEBUG");
    return debug && *debug && strcmp(debug, "0") != 0;
}

void
lw_cl_notify(cl_context context, const char *format, ...)
{
    static const char prefix[] = "Lanewise: ";
    char text[1400];
    va_list list;
    memcpy(text, prefix, sizeof prefix);
    va_start(list, format);
    vsnprintf(text + sizeof prefix - 1, sizeof text - sizeof prefix, format, list);
    va_end(list);
    if (lw_cl_debugs())
        fprintf(stderr, "%s\n", text);
    if (context->notify)
        context->notify(text, NULL, 0, context->notify_data);
}

static void
destroy_context(void *object)
{
    cl_context context = object;
    struct lw_cl_destructor destructor;
    while (lw_cl_pop_destructor(&context->destructors, &destructor))
        ((lw_cl_context_callback *)destructor.function)(context, destructor.data);
    for (size_t i = 0; i < context->allocation_count; i++)
        lw_cl_give_memory(context->allocations[i].base, context->allocations[i].size);
    free(context->allocations);
    free(context->properties.list);
    for (cl_uint i = 0; i < context->device_count; i++)
        lw_cl_drop(context->devices[i]);
    free(context->devices);
    pthread_mutex_destroy(&context->lock);
    pthread_mutex_destroy(&context->memory_lock);
    pthread_cond_destroy(&context->changed);
}

static cl_int
check_properties(const cl_context_properties *properties)
{
    for (size_t i = 0; properties && properties[i]; i += 2) {
        for (size_t k = 0; k < i; k += 2)
            if (properties[k] == properties[i])
                return CL_INVALID_PROPERTY;
        switch (properties[i]) {
        case CL_CONTEXT_PLATFORM:
            if (!lw_cl_is((void *)properties[i + 1], LW_CL_PLATFORM))
                return CL_INVALID_PLATFORM;
            break;
        case CL_CONTEXT_INTEROP_USER_SYNC:
            if (properties[i + 1] != CL_TRUE && properties[i + 1] != CL_FALSE)
                return CL_INVALID_PROPERTY;
            break;
        default: return CL_INVALID_PROPERTY;
        }
    }
    return CL_SUCCESS;
}

bool
lw_cl_context_has(const struct _cl_context *context, const struct _cl_device_id *device)
{
    for (cl_uint i = 0; i < context->device_count; i++)
        if (context->devices[i] == device)
            return true;
    return false;
}

/* Each once. false: no memory. */
static bool
take_devices(cl_context context, cl_uint count, const cl_device_id *devices)
{
    context->device = devices[0];
    context->devices = malloc(count * sizeof *context->devices);
    for (cl_uint i = 0; context->devices && i < count; i++)
        if (!lw_cl_context_has(context, devices[i])) {
            context->devices[context->device_count++] = devices[i];
            lw_cl_hold(devices[i]);
        }
    return context->devices;
}

static cl_context
make_context(const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
             void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data,
             cl_int *errcode_ret)
{
    cl_context context = lw_cl_new(LW_CL_CONTEXT, sizeof *context, destroy_context);
    if (!context)
        return lw_cl_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    pthread_mutex_init(&context->lock, NULL);
    pthread_mutex_init(&context->memory_lock, NULL);
    pthread_cond_init(&context->changed, NULL);
    context->notify = notify;
    context->notify_data = data;
    if (!take_devices(context, count, devices) ||
        !lw_cl_copy_properties(&context->properties, (const cl_properties *)properties)) {
        lw_cl_drop(context);
        return lw_cl_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    }
    return lw_cl_give(errcode_ret, context);
}

CL_API_ENTRY cl_context CL_API_CALL
clCreateContext(const cl_context_properties *properties, cl_uint num_devices, const cl_device_id *devices,
                void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data,
                cl_int *errcode_ret)
{
    cl_int error = check_properties(properties);
    if (error)
        return lw_cl_fail(errcode_ret, error);
    if (!devices || !num_devices || (!notify && data))
        return lw_cl_fail(errcode_ret, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < num_devices; i++)
        if (!lw_cl_is(devices[i], LW_CL_DEVICE))
            return lw_cl_fail(errcode_ret, CL_INVALID_DEVICE);
    return make_context(properties, num_devices, devices, notify, data, errcode_ret);
}

CL_API_ENTRY cl_context CL_API_CALL
clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
                        void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data,
                        cl_int *errcode_ret)
{
    cl_int error = check_properties(properties);
    if (error)
        return lw_cl_fail(errcode_ret, error);
    if (!notify && data)
        return lw_cl_fail(errcode_ret, CL_INVALID_VALUE);
    cl_device_id device;
    error = clGetDeviceIDs(NULL, type, 1, &device, NULL);
    if (error)
        return lw_cl_fail(errcode_ret, error);
    return make_context(properties, 1, &device, notify, data, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL
clRetainContext(cl_context context)
{
    return lw_cl_retain(context, LW_CL_CONTEXT);
}

CL_API_ENTRY cl_int CL_API_CALL
clReleaseContext(cl_context context)
{
    return lw_cl_release(context, LW_CL_CONTEXT);
}

CL_API_ENTRY cl_int CL_API_CALL
clGetContextInfo(cl_context context, cl_context_info name, size_t size, void *value, size_t *size_ret)
{
    struct lw_cl_answer to = {size, value, size_ret};
    if (!lw_cl_is(context, LW_CL_CONTEXT))
        return CL_INVALID_CONTEXT;
    switch (name) {
    case CL_CONTEXT_REFERENCE_COUNT: return lw_cl_answer_uint(&to, lw_cl_refs(context));
    case CL_CONTEXT_NUM_DEVICES: return lw_cl_answer_uint(&to, context->device_count);
    case CL_CONTEXT_DEVICES:
        return lw_cl_answer_bytes(&to, context->devices, context->device_count * sizeof *context->devices);
    case CL_CONTEXT_PROPERTIES: return lw_cl_answer_properties(&to, &context->properties);
    default: return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL
clSetContextDestructorCallback(cl_context context, lw_cl_context_callback *function, void *data)
{
    if (!lw_cl_is(context, LW_CL_CONTEXT))
        return CL_INVALID_CONTEXT;
    return lw_cl_push_destructor(context, &context->destructors, __extension__(void *) function, data);
}

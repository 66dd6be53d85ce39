/* SPDX-License-Identifier: MIT */
/* Events: user events, waiting, callbacks, profiling; markers and barriers. */
#include "../objects.h"
#include "../../trace.h"

#include <stdlib.h>

/* ---- User events ---- */

CL_API_ENTRY cl_event CL_API_CALL
clCreateUserEvent(cl_context context, cl_int *errcode_ret)
{
    if (!lw_cl_is(context, LW_CL_CONTEXT))
        return lw_cl_fail(errcode_ret, CL_INVALID_CONTEXT);
    cl_event event = lw_cl_new(LW_CL_EVENT, sizeof *event, lw_cl_destroy_event);
    if (!event)
        return lw_cl_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    event->context = context;
    lw_cl_hold(context);
    event->type = CL_COMMAND_USER;
    event->submitted = true;
    atomic_init(&event->status, CL_SUBMITTED);
    return lw_cl_give(errcode_ret, event);
}

CL_API_ENTRY cl_int CL_API_CALL
clSetUserEventStatus(cl_event event, cl_int status)
{
    if (!lw_cl_is(event, LW_CL_EVENT) || event->type != CL_COMMAND_USER)
        return CL_INVALID_EVENT;
    if (status > CL_COMPLETE)
        return CL_INVALID_VALUE;
    /* Whoever sets `submitted` back may end it; the others come too late. */
    pthread_mutex_lock(&event->context->lock);
    bool first = event->submitted;
    event->submitted = false;
    pthread_mutex_unlock(&event->context->lock);
    if (!first)
        return CL_INVALID_OPERATION;
    lw_cl_hold(event);
    lw_cl_complete(event, status);
    lw_cl_drop(event);
    return CL_SUCCESS;
}

/* ---- Waiting and asking ---- */

CL_API_ENTRY cl_int CL_API_CALL
clWaitForEvents(cl_uint count, const cl_event *list)
{
    if (!count || !list)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++)
        if (!lw_cl_is(list[i], LW_CL_EVENT))
            return CL_INVALID_EVENT;
    for (cl_uint i = 1; i < count; i++)
        if (list[i]->context != list[0]->context)
            return CL_INVALID_CONTEXT;
    cl_int result = CL_SUCCESS;
    int trace = list[0]->queue ? list[0]->queue->device->device->trace : -1;
    uint64_t begin = lw_trace_begin(trace);
    for (cl_uint i = 0; i < count; i++)
        if (lw_cl_wait(list[i]) < 0)
            result = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    lw_trace_span(trace, "wait", "clWaitForEvents", begin, "\"events\":%u", count);
    return result;
}

/* Programs that ask again and again until it is done expect that it gets done. */
static cl_int
status_of(cl_event event)
{
    cl_int status = atomic_load(&event->status);
    if (status > CL_RUNNING && event->queue)
        lw_cl_flush(event->queue);
    return status;
}

CL_API_ENTRY cl_int CL_API_CALL
clGetEventInfo(cl_event event, cl_event_info name, size_t size, void *value, size_t *size_ret)
{
    struct lw_cl_answer to = {size, value, size_ret};
    if (!lw_cl_is(event, LW_CL_EVENT))
        return CL_INVALID_EVENT;
    switch (name) {
    case CL_EVENT_COMMAND_QUEUE: return lw_cl_answer_pointer(&to, event->queue);
    case CL_EVENT_COMMAND_TYPE: return lw_cl_answer_uint(&to, event->type);
    case CL_EVENT_CONTEXT: return lw_cl_answer_pointer(&to, event->context);
    case CL_EVENT_COMMAND_EXECUTION_STATUS: return lw_cl_answer_uint(&to, (cl_uint)status_of(event));
    case CL_EVENT_REFERENCE_COUNT: return lw_cl_answer_uint(&to, lw_cl_refs(event));
    default: return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL
clRetainEvent(cl_event event)
{
    return lw_cl_retain(event, LW_CL_EVENT);
}

CL_API_ENTRY cl_int CL_API_CALL
clReleaseEvent(cl_event event)
{
    return lw_cl_release(event, LW_CL_EVENT);
}

CL_API_ENTRY cl_int CL_API_CALL
clGetEventProfilingInfo(cl_event event, cl_profiling_info name, size_t size, void *value, size_t *size_ret)
{
    struct lw_cl_answer to = {size, value, size_ret};
    if (!lw_cl_is(event, LW_CL_EVENT))
        return CL_INVALID_EVENT;
    if (!event->queue || !(event->queue->flags & CL_QUEUE_PROFILING_ENABLE) ||
        atomic_load(&event->status) != CL_COMPLETE)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    switch (name) {
    case CL_PROFILING_COMMAND_QUEUED: return lw_cl_answer_ulong(&to, event->stamps[0]);
    case CL_PROFILING_COMMAND_SUBMIT: return lw_cl_answer_ulong(&to, event->stamps[1]);
    case CL_PROFILING_COMMAND_START: return lw_cl_answer_ulong(&to, event->stamps[2]);
    case CL_PROFILING_COMMAND_END:
        return lw_cl_answer_ulong(&to, event->stamps[3] ? event->stamps[3] : event->stamps[4]);
    case CL_PROFILING_COMMAND_COMPLETE: return lw_cl_answer_ulong(&to, event->stamps[4]);
    default: return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL
clSetEventCallback(cl_event event, cl_int type, void(CL_CALLBACK *function)(cl_event, cl_int, void *),
                   void *data)
{
    if (!lw_cl_is(event, LW_CL_EVENT))
        return CL_INVALID_EVENT;
    if (!function || (type != CL_SUBMITTED && type != CL_RUNNING && type != CL_COMPLETE))
        return CL_INVALID_VALUE;
    struct lw_cl_event_callback *callback = malloc(sizeof *callback);
    if (!callback)
        return CL_OUT_OF_HOST_MEMORY;
    cl_context context = event->context;
    pthread_mutex_lock(&context->lock);
    cl_int status = atomic_load(&event->status);
    if (status > type && event->queue) { /* whoever is called back does not wait for it */
        lw_cl_submit_locked(event->queue);
        status = atomic_load(&event->status);
    }
    bool late = status <= type;
    *callback = (struct lw_cl_event_callback){late ? NULL : event->callbacks, type, function, data};
    if (!late)
        event->callbacks = callback; /* which may release the event, once the lock is let go of */
    pthread_mutex_unlock(&context->lock);
    if (late)
        lw_cl_run_callbacks(event, callback, status < 0 ? status : type);
    return CL_SUCCESS;
}

/* ---- Markers and barriers ---- */

static cl_int
enqueue_nothing(cl_command_queue queue, cl_command_type type, cl_uint count, const cl_event *list,
                cl_event *event)
{
    if (!lw_cl_is(queue, LW_CL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    cl_int error = lw_cl_check_wait_list(queue->context, count, list);
    if (error)
        return error;
    cl_event command = lw_cl_command(queue, type, NULL);
    return command ? lw_cl_enqueue(command, count, list, CL_FALSE, event) : CL_OUT_OF_HOST_MEMORY;
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count, const cl_event *list, cl_event *event)
{
    return enqueue_nothing(queue, CL_COMMAND_MARKER, count, list, event);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint count, const cl_event *list, cl_event *event)
{
    return enqueue_nothing(queue, CL_COMMAND_BARRIER, count, list, event);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueMarker(cl_command_queue queue, cl_event *event)
{
    if (!event)
        return lw_cl_is(queue, LW_CL_QUEUE) ? CL_INVALID_VALUE : CL_INVALID_COMMAND_QUEUE;
    return enqueue_nothing(queue, CL_COMMAND_MARKER, 0, NULL, event);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueBarrier(cl_command_queue queue)
{
    return enqueue_nothing(queue, CL_COMMAND_BARRIER, 0, NULL, NULL);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueWaitForEvents(cl_command_queue queue, cl_uint count, const cl_event *list)
{
    if (!lw_cl_is(queue, LW_CL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!count || !list)
        return CL_INVALID_VALUE;
    cl_int error = enqueue_nothing(queue, CL_COMMAND_BARRIER, count, list, NULL);
    return error == CL_INVALID_EVENT_WAIT_LIST ? CL_INVALID_EVENT : error;
}

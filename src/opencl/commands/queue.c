/* SPDX-License-Identifier: MIT */
/* Command queues: their thread, and waiting for them. */
#include "../objects.h"
#include "../../threads/threads.h"
#include "../../trace.h"

#include <stdlib.h>
#include <unistd.h>

#define MOST_IDLE_SECONDS 2 /* of its thread; another takes some 50 microseconds */

/* ---- The thread ---- */

/* Under the lock, which is let go of meanwhile. false: nobody woke it for so long that it is to end; it does
 * not count as one that works. */
static bool
sleep_until_woken(cl_command_queue queue)
{
    struct timespec end;
    int error = 0;
    queue->sleeping = true;
    lw_work_ends();
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += MOST_IDLE_SECONDS;
    while (queue->sleeping && error == 0)
        error = pthread_cond_clockwait(&queue->wake, &queue->context->lock, CLOCK_MONOTONIC, &end);
    bool woken = !queue->sleeping;
    queue->sleeping = false;
    return woken;
}

/* Ends once nothing is left to do, and the program has released the queue or not used it for a while: there
 * are programs that keep thousands. The next flush starts another. */
static void *
queue_thread(void *data)
{
    cl_command_queue queue = data;
    cl_context context = queue->context;
    struct lw_cl_event_callback *callbacks;
    bool woken = true;
    pthread_mutex_lock(&context->lock);
    while (woken && (lw_cl_refs(queue) || queue->first)) {
        cl_event event = lw_cl_take_ready(queue, &callbacks);
        if (event) {
            pthread_mutex_unlock(&context->lock);
            lw_cl_execute(event, callbacks);
            pthread_mutex_lock(&context->lock);
            continue;
        }
        woken = sleep_until_woken(queue);
    }
    queue->started = false;
    pthread_mutex_unlock(&context->lock);
    lw_cl_drop(queue);
    if (woken)
        lw_work_ends();
    return NULL;
}

/* Under the lock. */
static void
wake(cl_command_queue queue)
{
    if (!queue->sleeping)
        return;
    lw_work_begins();
    queue->sleeping = false;
    pthread_cond_signal(&queue->wake);
}

/* Without a thread the commands wait for somebody who blocks on the queue. */
static void
start_thread(cl_command_queue queue)
{
    pthread_t thread;
    lw_cl_hold(queue);
    queue->process = getpid();
    lw_work_begins();
    queue->started = lw_thread_start(&thread, "lanewise-queue", queue_thread, queue);
    if (queue->started) {
        pthread_detach(thread);
        return;
    }
    lw_work_ends();
    atomic_fetch_sub(&queue->object.holds, 1); /* never the last: our caller has one */
}

void
lw_cl_flush_locked(cl_command_queue queue)
{
    queue->weight = 0;
    if (!queue->ready)
        return;
    if (queue->started && queue->process != getpid()) { /* a forked child: the thread is the parent's */
        queue->started = queue->sleeping = false;
        pthread_cond_init(&queue->wake, NULL);
    }
    if (!queue->started)
        start_thread(queue);
    else
        wake(queue);
}

/* What was enqueued so far is submitted from now on. No callback waits for that: who sets one submits its
 * command. */
static void
mark_submitted(cl_command_queue queue)
{
    bool profiling = queue->flags & CL_QUEUE_PROFILING_ENABLE;
    for (cl_event e = queue->unsubmitted; e; e = e->next) {
        int queued = CL_QUEUED;
        if (e->submitted)
            continue;
        e->submitted = true;
        if (profiling)
            e->stamps[1] = lw_cl_now();
        atomic_compare_exchange_strong(&e->status, &queued, CL_SUBMITTED);
    }
    queue->unsubmitted = NULL;
}

void
lw_cl_submit_locked(cl_command_queue queue)
{
    mark_submitted(queue);
    lw_cl_flush_locked(queue);
}

void
lw_cl_flush(cl_command_queue queue)
{
    pthread_mutex_lock(&queue->context->lock);
    lw_cl_submit_locked(queue);
    pthread_mutex_unlock(&queue->context->lock);
}

/* ---- Waiting ---- */

/* Other queues may hold what we wait for, and nobody may have flushed them. Under the lock. */
static void
flush_others(cl_context context, cl_command_queue own)
{
    for (cl_command_queue queue = context->busy; queue; queue = queue->next_busy)
        if (queue != own)
            lw_cl_flush_locked(queue);
}

/* One step towards the completion of something in `queue` (NULL: a user event). Under the lock, which is let
 * go of meanwhile. */
static void
work_or_sleep(cl_context context, cl_command_queue queue)
{
    struct lw_cl_event_callback *callbacks;
    cl_event event = queue ? lw_cl_take_ready(queue, &callbacks) : NULL;
    if (event) {
        pthread_mutex_unlock(&context->lock);
        lw_cl_execute(event, callbacks);
        pthread_mutex_lock(&context->lock);
        return;
    }
    flush_others(context, queue);
    context->sleepers++;
    pthread_cond_wait(&context->changed, &context->lock);
    context->sleepers--;
}

cl_int
lw_cl_wait(cl_event event)
{
    cl_context context = event->context;
    cl_int status = atomic_load(&event->status);
    if (status <= CL_COMPLETE)
        return status;
    pthread_mutex_lock(&context->lock);
    if (event->queue)
        mark_submitted(event->queue);
    while ((status = atomic_load(&event->status)) > CL_COMPLETE)
        work_or_sleep(context, event->queue);
    if (event->queue)
        lw_cl_flush_locked(event->queue); /* what follows was flushed too, and we work on it no longer */
    pthread_mutex_unlock(&context->lock);
    return status;
}

/* What is enqueued by others meanwhile is not waited for. */
void
lw_cl_finish(cl_command_queue queue)
{
    cl_context context = queue->context;
    pthread_mutex_lock(&context->lock);
    mark_submitted(queue);
    cl_event last = queue->last;
    if (last && !(queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)) {
        lw_cl_hold(last);
        while (atomic_load(&last->status) > CL_COMPLETE)
            work_or_sleep(context, queue);
        lw_cl_flush_locked(queue);
        pthread_mutex_unlock(&context->lock);
        lw_cl_drop(last);
        return;
    }
    while (queue->first)
        work_or_sleep(context, queue);
    pthread_mutex_unlock(&context->lock);
}

/* The next that has been busy since a time behind `*since`, which becomes that time; held. NULL: there is
 * none that was so by `until`. */
static cl_command_queue
next_busy(cl_context context, cl_ulong *since, cl_ulong until)
{
    pthread_mutex_lock(&context->lock);
    cl_command_queue queue = context->busy;
    while (queue && queue->busy_since <= *since)
        queue = queue->next_busy;
    if (queue && queue->busy_since > until)
        queue = NULL;
    if (queue) {
        *since = queue->busy_since;
        lw_cl_hold(queue);
    }
    pthread_mutex_unlock(&context->lock);
    return queue;
}

void
lw_cl_finish_all(cl_context context)
{
    cl_ulong since = 0;
    pthread_mutex_lock(&context->lock);
    cl_ulong until = context->times_busy;
    pthread_mutex_unlock(&context->lock);
    for (cl_command_queue queue; (queue = next_busy(context, &since, until));) {
        lw_cl_finish(queue);
        lw_cl_drop(queue);
    }
}

/* ---- Entry points ---- */

static void
destroy_queue(void *object)
{
    cl_command_queue queue = object;
    cl_context context = queue->context;
    pthread_mutex_lock(&context->lock);
    *(queue->previous ? &queue->previous->next : &context->queues) = queue->next;
    if (queue->next)
        queue->next->previous = queue->previous;
    pthread_mutex_unlock(&context->lock);
    pthread_cond_destroy(&queue->wake);
    free(queue->properties.list);
    lw_device_queue_release(queue->on_device);
    lw_cl_drop(context);
}

#define HOST_FLAGS                                                                                           \
    ((cl_command_queue_properties)(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE))

/* `sized`: CL_QUEUE_SIZE is given, which is for queues on the device; `hinted`: a priority or throttle, which
 * is for the others. */
static cl_int
check_flags(cl_command_queue_properties flags, bool sized, bool hinted)
{
    if ((flags & ~(HOST_FLAGS | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT)) ||
        ((flags & CL_QUEUE_ON_DEVICE) && !(flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)) ||
        ((flags & CL_QUEUE_ON_DEVICE_DEFAULT) && !(flags & CL_QUEUE_ON_DEVICE)) ||
        (sized && !(flags & CL_QUEUE_ON_DEVICE)))
        return CL_INVALID_VALUE;
    return hinted && (flags & CL_QUEUE_ON_DEVICE) ? CL_INVALID_QUEUE_PROPERTIES : CL_SUCCESS;
}

static cl_int
read_properties(const cl_queue_properties *properties, cl_command_queue_properties *flags, cl_uint *bytes)
{
    bool sized = false, hinted = false;
    *flags = 0;
    *bytes = LW_CL_QUEUE_BYTES;
    for (size_t i = 0; properties && properties[i]; i += 2) {
        cl_queue_properties value = properties[i + 1];
        cl_int error = CL_SUCCESS;
        switch (properties[i]) {
        case CL_QUEUE_PROPERTIES: *flags = value; break;
        case CL_QUEUE_SIZE:
            sized = true;
            error = value == 0                      ? CL_INVALID_VALUE
                    : value > LW_CL_MAX_QUEUE_BYTES ? CL_INVALID_QUEUE_PROPERTIES
                                                    : error;
            *bytes = (cl_uint)value;
            break;
        case CL_QUEUE_PRIORITY_KHR:
            hinted = true;
            if (value != CL_QUEUE_PRIORITY_HIGH_KHR && value != CL_QUEUE_PRIORITY_MED_KHR &&
                value != CL_QUEUE_PRIORITY_LOW_KHR)
                error = CL_INVALID_VALUE;
            break;
        case CL_QUEUE_THROTTLE_KHR:
            hinted = true;
            if (value != CL_QUEUE_THROTTLE_HIGH_KHR && value != CL_QUEUE_THROTTLE_MED_KHR &&
                value != CL_QUEUE_THROTTLE_LOW_KHR)
                error = CL_INVALID_VALUE;
            break;
        default: error = CL_INVALID_VALUE;
        }
        if (error)
            return error;
    }
    return check_flags(*flags, sized, hinted);
}

/* false: it is one queue on the device too many; it is in the list all the same. */
static bool
enter_list(cl_context context, cl_command_queue queue)
{
    unsigned count = 0;
    pthread_mutex_lock(&context->lock);
    queue->next = context->queues;
    if (queue->next)
        queue->next->previous = queue;
    context->queues = queue;
    for (cl_command_queue q = queue->on_device ? queue : NULL; q; q = q->next)
        count += q->on_device && q->device == queue->device;
    pthread_mutex_unlock(&context->lock);
    return count <= LW_CL_MAX_DEVICE_QUEUES;
}

/* `bytes`: of a queue on the device. */
static cl_command_queue
make_queue(cl_context context, cl_device_id device, cl_command_queue_properties flags, cl_uint bytes,
           const cl_queue_properties *properties, cl_int *errcode_ret)
{
    struct lw_cl_properties copy;
    cl_command_queue queue = NULL;
    bool on_device = flags & CL_QUEUE_ON_DEVICE;
    lw_device_queue *room = on_device ? lw_device_queue_create(device->device, bytes, NULL) : NULL;
    if (lw_cl_copy_properties(&copy, properties) && (room || !on_device))
        queue = lw_cl_new(on_device ? LW_CL_DEVICE_QUEUE : LW_CL_QUEUE, sizeof *queue, destroy_queue);
    if (!queue) {
        free(copy.list);
        lw_device_queue_release(room);
        return lw_cl_fail(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    }
    queue->properties = copy;
    queue->context = context;
    lw_cl_hold(context);
    queue->device = device;
    queue->flags = flags;
    queue->on_device = room;
    queue->size = bytes;
    queue->is_default = flags & CL_QUEUE_ON_DEVICE_DEFAULT;
    pthread_cond_init(&queue->wake, NULL);
    if (!enter_list(context, queue)) {
        lw_cl_drop(queue);
        return lw_cl_fail(errcode_ret, CL_OUT_OF_RESOURCES);
    }
    return lw_cl_give(errcode_ret, queue);
}

CL_API_ENTRY cl_command_queue CL_API_CALL
clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                   const cl_queue_properties *properties, cl_int *errcode_ret)
{
    cl_command_queue_properties flags;
    cl_uint bytes;
    if (!lw_cl_is(context, LW_CL_CONTEXT))
        return lw_cl_fail(errcode_ret, CL_INVALID_CONTEXT);
    if (!lw_cl_context_has(context, device))
        return lw_cl_fail(errcode_ret, CL_INVALID_DEVICE);
    cl_int error = read_properties(properties, &flags, &bytes);
    if (error)
        return lw_cl_fail(errcode_ret, error);
    /* There is one default queue: who asks for another gets it. */
    cl_command_queue found = flags & CL_QUEUE_ON_DEVICE_DEFAULT ? lw_cl_default_queue(context, device) : NULL;
    if (!found)
        return make_queue(context, device, flags, bytes, properties, errcode_ret);
    error = lw_cl_retain(found, LW_CL_DEVICE_QUEUE);
    lw_cl_drop(found);
    if (errcode_ret)
        *errcode_ret = error;
    return found;
}

CL_API_ENTRY cl_command_queue CL_API_CALL
clCreateCommandQueue(cl_context context, cl_device_id device, cl_command_queue_properties flags,
                     cl_int *errcode_ret)
{
    if (!lw_cl_is(context, LW_CL_CONTEXT))
        return lw_cl_fail(errcode_ret, CL_INVALID_CONTEXT);
    if (!lw_cl_context_has(context, device))
        return lw_cl_fail(errcode_ret, CL_INVALID_DEVICE);
    if (flags & ~HOST_FLAGS) /* of those on the device it knows nothing */
        return lw_cl_fail(errcode_ret, CL_INVALID_VALUE);
    return make_queue(context, device, flags, 0, NULL, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL
clSetCommandQueueProperty(cl_command_queue queue, cl_command_queue_properties flags, cl_bool enable,
                          cl_command_queue_properties *old)
{
    (void)flags, (void)enable, (void)old;
    return lw_cl_is(queue, LW_CL_QUEUE) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}

cl_command_queue
lw_cl_default_queue(cl_context context, cl_device_id device)
{
    pthread_mutex_lock(&context->lock);
    cl_command_queue queue = context->queues;
    while (queue && !(queue->is_default && queue->device == device && lw_cl_refs(queue)))
        queue = queue->next;
    if (queue)
        lw_cl_hold(queue);
    pthread_mutex_unlock(&context->lock);
    return queue;
}

CL_API_ENTRY cl_int CL_API_CALL
clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device, cl_command_queue queue)
{
    if (!lw_cl_is(context, LW_CL_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!lw_cl_context_has(context, device))
        return CL_INVALID_DEVICE;
    if (!lw_cl_is(queue, LW_CL_DEVICE_QUEUE) || queue->context != context || queue->device != device)
        return CL_INVALID_COMMAND_QUEUE;
    pthread_mutex_lock(&context->lock);
    for (cl_command_queue other = context->queues; other; other = other->next)
        if (other->device == device)
            other->is_default = other == queue;
    pthread_mutex_unlock(&context->lock);
    return CL_SUCCESS;
}

static bool
is_any_queue(cl_command_queue queue)
{
    return lw_cl_is(queue, LW_CL_QUEUE) || lw_cl_is(queue, LW_CL_DEVICE_QUEUE);
}

CL_API_ENTRY cl_int CL_API_CALL
clRetainCommandQueue(cl_command_queue queue)
{
    return lw_cl_retain(queue, lw_cl_is(queue, LW_CL_DEVICE_QUEUE) ? LW_CL_DEVICE_QUEUE : LW_CL_QUEUE);
}

CL_API_ENTRY cl_int CL_API_CALL
clReleaseCommandQueue(cl_command_queue queue)
{
    if (lw_cl_is(queue, LW_CL_DEVICE_QUEUE))
        return lw_cl_release(queue, LW_CL_DEVICE_QUEUE);
    if (!lw_cl_is(queue, LW_CL_QUEUE) || !lw_cl_refs(queue))
        return CL_INVALID_COMMAND_QUEUE;
    /* Implicitly flushed; the thread looks again whether it is still wanted. */
    lw_cl_hold(queue);
    lw_cl_flush(queue);
    lw_cl_release(queue, LW_CL_QUEUE);
    pthread_mutex_lock(&queue->context->lock);
    wake(queue);
    pthread_mutex_unlock(&queue->context->lock);
    lw_cl_drop(queue);
    return CL_SUCCESS;
}

static cl_int
answer_default(cl_command_queue queue, const struct lw_cl_answer *to)
{
    cl_command_queue found = lw_cl_default_queue(queue->context, queue->device);
    cl_int error = lw_cl_answer_pointer(to, found);
    lw_cl_drop(found);
    return error;
}

CL_API_ENTRY cl_int CL_API_CALL
clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info name, size_t size, void *value,
                      size_t *size_ret)
{
    struct lw_cl_answer to = {size, value, size_ret};
    if (!is_any_queue(queue))
        return CL_INVALID_COMMAND_QUEUE;
    switch (name) {
    case CL_QUEUE_CONTEXT: return lw_cl_answer_pointer(&to, queue->context);
    case CL_QUEUE_DEVICE: return lw_cl_answer_pointer(&to, queue->device);
    case CL_QUEUE_REFERENCE_COUNT: return lw_cl_answer_uint(&to, lw_cl_refs(queue));
    case CL_QUEUE_PROPERTIES: return lw_cl_answer_ulong(&to, queue->flags);
    case CL_QUEUE_PROPERTIES_ARRAY: return lw_cl_answer_properties(&to, &queue->properties);
    case CL_QUEUE_SIZE: /* of queues on the device alone */
        return queue->on_device ? lw_cl_answer_uint(&to, queue->size) : CL_INVALID_COMMAND_QUEUE;
    case CL_QUEUE_DEVICE_DEFAULT: return answer_default(queue, &to);
    default: return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL
clFlush(cl_command_queue queue)
{
    if (!lw_cl_is(queue, LW_CL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    lw_cl_flush(queue);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL
clFinish(cl_command_queue queue)
{
    if (!lw_cl_is(queue, LW_CL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    int trace = queue->device->device->trace;
    uint64_t begin = lw_trace_begin(trace);
    lw_cl_finish(queue);
    lw_trace_span(trace, "wait", "clFinish", begin, NULL);
    return CL_SUCCESS;
}

/* SPDX-License-Identifier: MIT */
/* Commands: what waits for what, and who runs them.
 *
 * A command counts what it waits for: its wait list, its predecessor in an in-order queue, the barrier before
 * it in an out-of-order one. At zero it is ready. Ready commands are run by the queue's own thread, which is
 * woken by a flush (or when much has been enqueued), and by every thread that blocks on the queue or an event
 * of it: so a small command costs no switch of threads, and nothing ever runs inside an enqueue.
 * Never: a command runs, a callback is called or memory is given back under the context's lock.
 */
#include "../objects.h"
#include "../../host/clock.h"

#include <stdlib.h>

/* So much enqueued work (bytes or work-items) wakes the queue's thread without a flush. Far more than a
 * program enqueues before it waits: two threads that take turns at one queue's commands move their data from
 * one processor's cache to the other's, and the one that is woken late holds up the other. */
#define WAKE_WEIGHT (1u << 24)

cl_ulong
lw_cl_now(void)
{
    return lw_nanoseconds_now();
}

static void
stamp(cl_event event, unsigned which)
{
    if (event->queue && (event->queue->flags & CL_QUEUE_PROFILING_ENABLE))
        event->stamps[which] = lw_cl_now();
}

/* ---- Making commands ---- */

static void
release_payload(cl_event event)
{
    lw_cl_drop(event->memory[0]);
    lw_cl_drop(event->memory[1]);
    event->memory[0] = event->memory[1] = NULL;
    lw_program_release(event->build);
    event->build = NULL;
    bool launch = event->type == CL_COMMAND_NDRANGE_KERNEL || event->type == CL_COMMAND_TASK;
    if (launch && event->launch.runner) {
        for (cl_uint i = 0; i < event->launch.buffer_count; i++)
            lw_cl_drop(event->launch.buffers[i]);
        lw_cl_runner_return(event->launch.runner);
        event->launch.runner = NULL;
    }
    if (event->type == CL_COMMAND_NATIVE_KERNEL && event->owned)
        for (cl_uint i = 0; i < event->other.count; i++)
            lw_cl_drop(event->other.pointers[i]);
    free(event->owned);
    event->owned = NULL;
}

void
lw_cl_destroy_event(void *object)
{
    cl_event event = object;
    release_payload(event);
    if (event->edges != &event->first_edge)
        free(event->edges);
    while (event->callbacks) {
        struct lw_cl_event_callback *callback = event->callbacks;
        event->callbacks = callback->next;
        free(callback);
    }
    lw_cl_drop(event->queue ? (void *)event->queue : event->context); /* the queue holds its context */
}

cl_event
lw_cl_command(cl_command_queue queue, cl_command_type type, cl_int (*run)(cl_event event))
{
    cl_event event = lw_cl_new(LW_CL_EVENT, sizeof *event, lw_cl_destroy_event);
    if (!event)
        return NULL;
    event->queue = queue;
    lw_cl_hold(queue);
    event->context = queue->context;
    event->type = type;
    event->run = run;
    atomic_init(&event->status, CL_QUEUED);
    return event;
}

void
lw_cl_command_discard(cl_event command)
{
    lw_cl_release(command, LW_CL_EVENT);
}

void
lw_cl_command_hold_memory(cl_event command, unsigned slot, cl_mem memory)
{
    lw_cl_hold(memory);
    command->memory[slot] = memory;
}

cl_int
lw_cl_check_wait_list(cl_context context, cl_uint count, const cl_event *list)
{
    if ((count == 0) != (list == NULL))
        return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < count; i++)
        if (!lw_cl_is(list[i], LW_CL_EVENT))
            return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < count; i++)
        if (list[i]->context != context)
            return CL_INVALID_CONTEXT;
    return CL_SUCCESS;
}

cl_int
lw_cl_check_contexts(cl_command_queue queue, cl_mem one, cl_mem two, cl_uint count, const cl_event *list)
{
    if (one->context != queue->context || two->context != queue->context)
        return CL_INVALID_CONTEXT;
    return lw_cl_check_wait_list(queue->context, count, list);
}

/* ---- What waits for what. All under the context's lock ---- */

static void
add_edge(cl_event event, struct lw_cl_edge *edge, cl_event on, bool strict)
{
    cl_int status = atomic_load(&on->status);
    if (status <= CL_COMPLETE) {
        if (strict && status < 0)
            event->failed = status;
        return;
    }
    *edge = (struct lw_cl_edge){event, on->dependants, strict};
    on->dependants = edge;
    event->waiting++;
}

static bool
is_barrier(const struct _cl_event *event)
{
    return event->type == CL_COMMAND_BARRIER;
}

static bool
waits_for_all(const struct _cl_event *event, cl_uint count)
{
    return count == 0 && (is_barrier(event) || event->type == CL_COMMAND_MARKER);
}

/* false: no memory. */
static bool
connect_events(cl_event event, cl_uint count, const cl_event *list)
{
    cl_command_queue queue = event->queue;
    bool in_order = !(queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    bool gathers = !in_order && waits_for_all(event, count);
    size_t edges = count;
    cl_event order = in_order ? queue->last : queue->barrier;
    cl_event first = queue->gathered ? queue->gathered : queue->first;
    for (cl_event e = gathers ? first : NULL; e; e = e->next)
        edges++;
    edges += order != NULL;
    event->edges = edges <= 1 ? &event->first_edge : malloc(edges * sizeof *event->edges);
    if (!event->edges)
        return false;
    size_t used = 0;
    for (cl_uint i = 0; i < count; i++)
        add_edge(event, &event->edges[used++], list[i], true);
    if (order)
        add_edge(event, &event->edges[used++], order, in_order); /* it is waited for as a wait list is */
    for (cl_event e = gathers ? first : NULL; e; e = e->next)
        add_edge(event, &event->edges[used++], e, false);
    if (gathers)
        queue->gathered = event;
    return true;
}

static void
make_ready(cl_event event)
{
    cl_command_queue queue = event->queue;
    event->next_ready = NULL;
    *(queue->ready ? &queue->last_ready->next_ready : &queue->ready) = event;
    queue->last_ready = event;
}

static void
enter_busy(cl_command_queue queue)
{
    cl_context context = queue->context;
    queue->busy_since = ++context->times_busy;
    queue->next_busy = NULL;
    queue->previous_busy = context->last_busy;
    *(context->last_busy ? &context->last_busy->next_busy : &context->busy) = queue;
    context->last_busy = queue;
}

static void
leave_busy(cl_command_queue queue)
{
    cl_context context = queue->context;
    *(queue->previous_busy ? &queue->previous_busy->next_busy : &context->busy) = queue->next_busy;
    *(queue->next_busy ? &queue->next_busy->previous_busy : &context->last_busy) = queue->previous_busy;
}

static void
list_event(cl_event event)
{
    cl_command_queue queue = event->queue;
    if (!queue->first)
        enter_busy(queue);
    event->previous = queue->last;
    *(queue->last ? &queue->last->next : &queue->first) = event;
    queue->last = event;
    event->listed = true;
    if (!queue->unsubmitted)
        queue->unsubmitted = event;
    if (is_barrier(event))
        queue->barrier = event;
    lw_cl_hold(event);
}

static void
unlist_event(cl_event event)
{
    cl_command_queue queue = event->queue;
    *(event->previous ? &event->previous->next : &queue->first) = event->next;
    *(event->next ? &event->next->previous : &queue->last) = event->previous;
    event->listed = false;
    if (queue->unsubmitted == event)
        queue->unsubmitted = event->next;
    if (queue->barrier == event)
        queue->barrier = NULL;
    if (queue->gathered == event)
        queue->gathered = NULL;
    if (!queue->first)
        leave_busy(queue);
}

cl_int
lw_cl_enqueue(cl_event command, cl_uint count, const cl_event *list, cl_bool blocking, cl_event *event)
{
    cl_command_queue queue = command->queue;
    cl_context context = command->context;
    stamp(command, 0);
    pthread_mutex_lock(&context->lock);
    bool room = connect_events(command, count, list);
    if (room) {
        list_event(command);
        if (command->waiting == 0)
            make_ready(command);
        queue->weight += command->weight + 64;
        if (queue->weight >= WAKE_WEIGHT && !blocking)
            lw_cl_flush_locked(queue);
    }
    pthread_mutex_unlock(&context->lock);
    if (!room) {
        lw_cl_command_discard(command);
        return CL_OUT_OF_HOST_MEMORY;
    }
    cl_int status = blocking ? lw_cl_wait(command) : CL_COMPLETE;
    if (event && status >= 0) /* a call that fails gives no event */
        *event = command;
    else
        lw_cl_release(command, LW_CL_EVENT);
    return status < 0 ? status : CL_SUCCESS;
}

/* ---- Running ---- */

/* Those of at least this status leave the list, oldest first. Under the lock. */
static struct lw_cl_event_callback *
take_callbacks(cl_event event, cl_int status)
{
    struct lw_cl_event_callback *taken = NULL, **link = &event->callbacks;
    while (*link) {
        struct lw_cl_event_callback *callback = *link;
        if (callback->status < status) {
            link = &callback->next;
            continue;
        }
        *link = callback->next;
        callback->next = taken;
        taken = callback;
    }
    return taken;
}

void
lw_cl_run_callbacks(cl_event event, struct lw_cl_event_callback *callbacks, cl_int status)
{
    while (callbacks) {
        struct lw_cl_event_callback *callback = callbacks;
        callbacks = callback->next;
        callback->function(event, status < 0 ? status : callback->status, callback->data);
        free(callback);
    }
}

/* The next ready command of the queue, now running; NULL: there is none. Under the lock. */
cl_event
lw_cl_take_ready(cl_command_queue queue, struct lw_cl_event_callback **callbacks)
{
    cl_event event = queue->ready;
    *callbacks = NULL;
    if (!event)
        return NULL;
    queue->ready = event->next_ready;
    if (!event->submitted) {
        event->submitted = true;
        stamp(event, 1);
    }
    if (event->failed == 0) {
        atomic_store(&event->status, CL_RUNNING);
        if (event->callbacks)
            *callbacks = take_callbacks(event, CL_RUNNING);
    }
    return event;
}

void
lw_cl_execute(cl_event event, struct lw_cl_event_callback *callbacks)
{
    cl_int result = CL_SUCCESS;
    lw_cl_run_callbacks(event, callbacks, CL_RUNNING);
    stamp(event, 2);
    if (event->failed)
        result = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    else if (event->run)
        result = event->run(event);
    release_payload(event);
    lw_cl_complete(event, result < 0 ? result : CL_COMPLETE);
}

/* Under the lock: those that waited for it. Queues other than its own are woken: nobody may be looking. */
static void
release_dependants(cl_event event, cl_int status)
{
    struct lw_cl_edge *edge = event->dependants;
    event->dependants = NULL;
    while (edge) {
        struct lw_cl_edge *next = edge->next;
        cl_event dependant = edge->dependant;
        if (edge->strict && status < 0)
            dependant->failed = status;
        if (--dependant->waiting == 0) {
            make_ready(dependant);
            if (dependant->queue != event->queue)
                lw_cl_flush_locked(dependant->queue);
        }
        edge = next;
    }
}

void
lw_cl_complete(cl_event event, cl_int status)
{
    cl_context context = event->context;
    bool listed = event->listed;
    stamp(event, 4);
    pthread_mutex_lock(&context->lock);
    atomic_store(&event->status, status);
    if (listed)
        unlist_event(event);
    release_dependants(event, status);
    struct lw_cl_event_callback *callbacks = take_callbacks(event, CL_COMPLETE);
    if (context->sleepers)
        pthread_cond_broadcast(&context->changed);
    pthread_mutex_unlock(&context->lock);
    lw_cl_run_callbacks(event, callbacks, status);
    if (listed)
        lw_cl_drop(event);
}

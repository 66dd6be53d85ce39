/* SPDX-License-Identifier: MIT */
/* Runs what descends from a kernel: the thread that ran it goes on with its children, and calls others once
 * there is more than one and they have shown to be worth it. A child is a dispatch like any other, which may
 * call for help itself.
 *
 * Neither depth nor number is a matter of the stack: children that end make others ready, in one list. */
#include "../host/clock.h"
#include "family.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ALONE_NANOSECONDS 20000u /* waking a thread takes about as long */
#define SLEEP_NANOSECONDS 100000u

/* ---- what may run. All under the lock ---- */

static void
make_ready(struct lw_family *f, struct lw_child *child)
{
    child->next_ready = NULL;
    *(f->ready ? &f->last_ready->next_ready : &f->ready) = child;
    f->last_ready = child;
    f->ready_count++;
    if (f->sleeping)
        pthread_cond_signal(&f->changed);
}

static struct lw_child *
take_ready(struct lw_family *f)
{
    struct lw_child *child = f->ready;
    if (child) {
        f->ready = child->next_ready;
        f->ready_count--;
    }
    return child;
}

static void
leave_queue(struct lw_child *child)
{
    if (child->queue)
        atomic_fetch_sub_explicit(&child->queue->used, child->bytes, memory_order_relaxed);
    child->queue = NULL;
}

/* It has run, and all its children have ended. */
static void
end_child(struct lw_family *f, struct lw_child *child)
{
    if (child->event) {
        struct lw_device_event *e = &f->events[child->event];
        e->run_time = child->ran - child->began;
        e->whole_time = child->began ? lw_nanoseconds_now() - child->began : 0;
        uint32_t event = child->event;
        lw_event_complete(f, event, child->failed);
        lw_event_release(f, event);
    }
    *(child->previous ? &child->previous->next : &f->all) = child->next;
    if (child->next)
        child->next->previous = child->previous;
    free(child);
}

/* One thing less until the child has ended, and so on upwards. */
static void
pend_less(struct lw_family *f, struct lw_child *child)
{
    while (--child->pending == 0) {
        struct lw_child *parent = child->parent;
        if (!parent) {
            if (f->sleeping)
                pthread_cond_broadcast(&f->changed);
            return;
        }
        end_child(f, child);
        child = parent;
    }
}

void
lw_child_wait_less(struct lw_family *f, struct lw_child *child)
{
    if (--child->waiting == 0)
        make_ready(f, child);
}

void
lw_child_start(struct lw_family *f, struct lw_child *child)
{
    struct lw_child *parent = child->parent;
    if (child->is_held && !parent->has_run) {
        child->waiting++;
        child->next_ready = NULL;
        *(parent->held ? &parent->last_held->next_ready : &parent->held) = child;
        parent->last_held = child;
    } else if (child->waiting == 0) {
        make_ready(f, child);
    }
}

/* Its work-items have ended: what it held back may begin. */
static void
end_run(struct lw_family *f, struct lw_child *child)
{
    struct lw_child *held = child->held;
    child->held = child->last_held = NULL;
    child->has_run = true;
    while (held) {
        struct lw_child *next = held->next_ready;
        lw_child_wait_less(f, held);
        held = next;
    }
    pend_less(f, child);
}

/* ---- running ---- */

static lw_kernel *
take_runner(struct lw_family *f, uint32_t block)
{
    lw_kernel *kernel = f->idle[block];
    if (kernel)
        f->idle[block] = kernel->next_idle;
    else if ((kernel = lw_kernel_of_block(f->kernel, block, NULL)))
        kernel->family = f;
    return kernel;
}

static bool
run_block(lw_kernel *kernel, const struct lw_child *child, lw_error *error)
{
    const struct lw_kernel_desc *desc = kernel->desc;
    uint64_t literal = (uintptr_t)child->literal;
    memcpy(kernel->args + desc->args[0].offset, &literal, sizeof literal);
    kernel->bytes[0] = child->captured;
    for (uint32_t i = 0; i < child->local_count && i + 1 < desc->arg_count; i++)
        kernel->bytes[i + 1] = child->local_sizes[i];
    return lw_run_block(kernel, &child->range, error);
}

/* Takes the lock for all but the run itself. */
static void
run_child(struct lw_family *f, struct lw_child *child)
{
    lw_error error = {0};
    bool good = true;
    leave_queue(child);
    if (!child->is_marker && !child->failed) {
        lw_kernel *kernel = take_runner(f, child->block);
        f->running++;
        pthread_mutex_unlock(&f->lock);
        if (child->event)
            child->began = lw_nanoseconds_now();
        if (kernel) {
            kernel->child = child;
            kernel->threads = f->kernel->threads;
            good = run_block(kernel, child, &error);
        } else {
            good = lw_runtime_error(&error, LW_OUT_OF_MEMORY, "no memory for an enqueued kernel");
        }
        if (child->event)
            child->ran = lw_nanoseconds_now();
        pthread_mutex_lock(&f->lock);
        f->running--;
        if (kernel) {
            kernel->next_idle = f->idle[child->block];
            f->idle[child->block] = kernel;
        }
    }
    if (!good) {
        child->failed = -1;
        if (!f->failures++)
            f->error = error;
    }
    end_run(f, child);
}

/* Others are called where there is more than this thread's next child, and it has been at it for a while. */
static void
call_others(struct lw_family *f)
{
    const lw_device *device = f->kernel->program->device;
    unsigned threads =
        f->kernel->threads && f->kernel->threads < device->threads ? f->kernel->threads : device->threads;
    if (threads < 2 || f->ready_count < 2 || f->running >= threads)
        return;
    if (!f->shared) {
        uint64_t now = lw_nanoseconds_now();
        if (!f->patience)
            f->patience = now + ALONE_NANOSECONDS;
        if (now < f->patience)
            return;
    }
    unsigned wanted = f->ready_count - 1 < threads - 1 ? f->ready_count - 1 : threads - 1;
    lw_pool_offer(device->pool, &f->task, wanted, !f->shared);
    f->shared = true;
}

void
lw_family_help(struct lw_task *task, struct lw_thread_memory *arena)
{
    struct lw_family *f = (struct lw_family *)task;
    struct lw_child *child;
    (void)arena;
    pthread_mutex_lock(&f->lock);
    while ((child = take_ready(f))) {
        call_others(f);
        run_child(f, child);
    }
    if (!f->running && f->sleeping)
        pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->lock);
}

/* Until a child is ready or the last has ended: others run some. They may want help with those meanwhile. */
static void
wait_for_others(struct lw_family *f, struct lw_thread_memory *arena)
{
    struct lw_pool *pool = f->kernel->program->device->pool;
    struct timespec until;
    pthread_mutex_unlock(&f->lock);
    bool helped = arena && lw_pool_help(pool, f, arena);
    pthread_mutex_lock(&f->lock);
    if (helped || f->ready || !f->root.pending || !f->running)
        return;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += SLEEP_NANOSECONDS;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    f->sleeping++;
    pthread_cond_timedwait(&f->changed, &f->lock, &until);
    f->sleeping--;
}

static void
run_descendants(struct lw_family *f)
{
    struct lw_thread_memory *arena = NULL;
    while (f->root.pending) {
        struct lw_child *child = take_ready(f);
        if (child) {
            call_others(f);
            run_child(f, child);
        } else if (f->running) {
            if (!arena)
                arena = lw_pool_borrow_arena(f->kernel->program->device->pool);
            wait_for_others(f, arena);
        } else {
            break; /* all that are left wait for what nobody completes */
        }
    }
    if (arena)
        lw_pool_return_arena(f->kernel->program->device->pool, arena);
}

static uint64_t
drop_all(struct lw_family *f)
{
    uint64_t count = 0;
    while (f->all) {
        struct lw_child *child = f->all;
        f->all = child->next;
        leave_queue(child);
        free(child);
        count++;
    }
    f->ready = f->last_ready = NULL;
    f->ready_count = 0;
    return count;
}

bool
lw_family_finish(struct lw_family *f, bool good, lw_error *error)
{
    pthread_mutex_lock(&f->lock);
    f->patience = 0;
    if (good) {
        end_run(f, &f->root);
        run_descendants(f);
    }
    bool shared = f->shared;
    f->shared = false;
    pthread_mutex_unlock(&f->lock);
    if (shared)
        lw_pool_finish(f->kernel->program->device->pool, &f->task);
    uint64_t left = drop_all(f);
    lw_events_free(f);
    memset(&f->root, 0, sizeof f->root);
    f->root.pending = 1;
    uint64_t failures = f->failures; /* of the kernel's own queries too */
    f->failures = 0;
    if (!good)
        return false;
    if (failures) {
        if (error)
            *error = f->error;
        return false;
    }
    return !left ||
           lw_runtime_error(
               error, LW_BAD_ARGUMENT,
               "kernel %s ended, but %llu that it had enqueued wait for events that nobody completes",
               f->kernel->desc->name, (unsigned long long)left);
}

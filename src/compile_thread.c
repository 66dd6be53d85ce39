/* SPDX-License-Identifier: MIT */
/* A thread of the device's that compiles what is wanted, and not waited for.
 *
 * Instances wait in a list, in the order in which they were wished for, and are held while they do. Whoever
 * cannot do without one compiles it, or waits for the thread that does (specialize.c): the thread finds it
 * done then.
 */
#include "compile_thread.h"
#include "pool.h"

#include <stdlib.h>

struct lw_compile_thread {
    lw_device *device; /* whose it is */
    pthread_mutex_t lock;
    pthread_cond_t wished;
    struct lw_instance *first, *last;
    unsigned left; /* wished for, and not done */
    pthread_t thread;
    bool started, ending;
};

struct lw_compile_thread *
lw_compile_thread_create(lw_device *device)
{
    struct lw_compile_thread *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->device = device;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->wished, NULL);
    return t;
}

void
lw_compile_thread_after_fork(struct lw_compile_thread *t)
{
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->wished, NULL);
    t->left = 0;
    t->first = t->last = NULL; /* their references are the parent's memory */
    t->started = false;
}

/* Under the lock. */
static struct lw_instance *
take_first(struct lw_compile_thread *t)
{
    struct lw_instance *instance = t->first;
    t->first = instance->next_wish;
    if (!t->first)
        t->last = NULL;
    return instance;
}

static void *
work(void *data)
{
    struct lw_compile_thread *t = data;
    pthread_mutex_lock(&t->lock);
    for (;;) {
        while (!t->first && !t->ending)
            pthread_cond_wait(&t->wished, &t->lock);
        if (t->ending)
            break;
        struct lw_instance *instance = take_first(t);
        pthread_mutex_unlock(&t->lock);
        lw_instance_compile(t->device, instance, NULL); /* an error is told to who needs it */
        lw_instance_release(instance);
        pthread_mutex_lock(&t->lock);
        t->left--;
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

bool
lw_compile_later(lw_device *device, struct lw_instance *instance)
{
    struct lw_compile_thread *t = device->compile_thread;
    if (atomic_load_explicit(&instance->wished, memory_order_relaxed))
        return true;
    pthread_mutex_lock(&t->lock);
    bool started = t->started = t->started || lw_thread_start(&t->thread, "lanewise compile", work, t);
    if (started && !atomic_exchange_explicit(&instance->wished, true, memory_order_relaxed)) {
        atomic_fetch_add_explicit(&instance->refs, 1, memory_order_relaxed);
        instance->next_wish = NULL;
        t->left++;
        *(t->last ? &t->last->next_wish : &t->first) = instance;
        t->last = instance;
        pthread_cond_signal(&t->wished);
    }
    pthread_mutex_unlock(&t->lock);
    return started;
}

bool
lw_compiles_one(lw_device *device)
{
    struct lw_compile_thread *t = device->compile_thread;
    pthread_mutex_lock(&t->lock);
    bool one = t->left == 1;
    pthread_mutex_unlock(&t->lock);
    return one;
}

void
lw_compile_thread_free(struct lw_compile_thread *t)
{
    if (!t)
        return;
    pthread_mutex_lock(&t->lock);
    t->ending = true;
    pthread_cond_signal(&t->wished);
    pthread_mutex_unlock(&t->lock);
    if (t->started)
        pthread_join(t->thread, NULL);
    while (t->first)
        lw_instance_release(take_first(t));
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->wished);
    free(t);
}

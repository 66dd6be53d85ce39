/* SPDX-License-Identifier: MIT */
/* A thread of the device's that compiles what is wanted, and not waited for.
 *
 * Instances wait in lists, in the order in which they were wished for, and are held while they do; those that
 * nobody is sure to need come last. Whoever cannot do without one compiles it, or waits for the thread that
 * does (specialize.c): the thread finds it done then.
 */
#include "compile_thread.h"
#include "pool.h"

#include <stdlib.h>

struct wishes {
    struct lw_instance *first, *last;
};

struct lw_compile_thread {
    lw_device *device; /* whose it is */
    pthread_mutex_t lock;
    pthread_cond_t wished;
    struct wishes needed, at_leisure;
    unsigned left; /* needed, and not done */
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
    t->needed = t->at_leisure = (struct wishes){NULL, NULL}; /* their references are the parent's memory */
    t->started = false;
}

/* Under the lock: the next one, which is needed or not; NULL: none is left. */
static struct lw_instance *
take_next(struct lw_compile_thread *t, bool *needed)
{
    *needed = t->needed.first;
    struct wishes *w = *needed ? &t->needed : &t->at_leisure;
    struct lw_instance *instance = w->first;
    if (!instance)
        return NULL;
    w->first = instance->next_wish;
    if (!w->first)
        w->last = NULL;
    return instance;
}

static void *
work(void *data)
{
    struct lw_compile_thread *t = data;
    struct lw_instance *instance;
    bool needed;

    pthread_mutex_lock(&t->lock);
    while (!t->ending) {
        instance = take_next(t, &needed);
        if (!instance) {
            pthread_cond_wait(&t->wished, &t->lock);
            continue;
        }
        pthread_mutex_unlock(&t->lock);
        lw_instance_compile(t->device, instance, NULL); /* an error is told to who needs it */
        lw_instance_release(instance);
        pthread_mutex_lock(&t->lock);
        t->left -= needed;
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

static bool
wish(lw_device *device, struct lw_instance *instance, bool needed)
{
    struct lw_compile_thread *t = device->compile_thread;
    if (atomic_load_explicit(&instance->wished, memory_order_relaxed))
        return true;
    pthread_mutex_lock(&t->lock);
    bool started = t->started = t->started || lw_thread_start(&t->thread, "lanewise compile", work, t);
    if (started && !atomic_exchange_explicit(&instance->wished, true, memory_order_relaxed)) {
        atomic_fetch_add_explicit(&instance->refs, 1, memory_order_relaxed);
        instance->next_wish = NULL;
        t->left += needed;
        struct wishes *to = needed ? &t->needed : &t->at_leisure;
        *(to->last ? &to->last->next_wish : &to->first) = instance;
        to->last = instance;
        pthread_cond_signal(&t->wished);
    }
    pthread_mutex_unlock(&t->lock);
    return started;
}

bool
lw_compile_later(lw_device *device, struct lw_instance *instance)
{
    return wish(device, instance, true);
}

bool
lw_compile_at_leisure(lw_device *device, struct lw_instance *instance)
{
    return wish(device, instance, false);
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
    for (struct lw_instance *left; (left = take_next(t, &(bool){false}));)
        lw_instance_release(left);
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->wished);
    free(t);
}

/* SPDX-License-Identifier: MIT */
/* Threads of the device's that compile what is wanted, and not waited for: one what will be needed, the other
 * at leisure what may turn out to be of no use.
 *
 * Instances wait in lists, in the order in which they were wished for, and are held while they do. Whoever
 * cannot do without one compiles it, or waits for the thread that does (specialize.c): the thread finds it
 * done then.
 */
#include "compile_threads.h"
#include "../threads/threads.h"

#include <stdlib.h>

#define HASTES 2

struct compiler {
    struct lw_compile_threads *both;
    enum lw_haste haste;
    pthread_t thread;
    pthread_cond_t wished;
    struct lw_instance *first, *last, *current; /* the last one is held until it is not */
    unsigned waiting;
    bool started;
};

struct lw_compile_threads {
    lw_device *device; /* whose they are */
    pthread_mutex_t lock;
    struct compiler of[HASTES];
    bool ending;
};

static void
init(struct lw_compile_threads *t)
{
    pthread_mutex_init(&t->lock, NULL);
    for (unsigned k = 0; k < HASTES; k++) {
        t->of[k] = (struct compiler){.both = t, .haste = (enum lw_haste)k};
        pthread_cond_init(&t->of[k].wished, NULL);
    }
}

struct lw_compile_threads *
lw_compile_threads_create(lw_device *device)
{
    struct lw_compile_threads *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->device = device;
    init(t);
    return t;
}

/* What was wished for is the parent's memory. */
void
lw_compile_threads_after_fork(struct lw_compile_threads *t)
{
    init(t);
}

/* Under the lock. NULL: none is left. */
static struct lw_instance *
take_next(struct compiler *c)
{
    struct lw_instance *instance = c->first;
    if (!instance)
        return NULL;
    c->waiting--;
    c->first = instance->next_wish;
    if (!c->first)
        c->last = NULL;
    return instance;
}

static void *
work(void *data)
{
    struct compiler *c = data;
    struct lw_compile_threads *t = c->both;

    pthread_mutex_lock(&t->lock);
    while (!t->ending) {
        struct lw_instance *instance = c->current = take_next(c);
        if (!instance) {
            pthread_cond_wait(&c->wished, &t->lock);
            continue;
        }
        pthread_mutex_unlock(&t->lock);
        lw_instance_compile(t->device, instance, c->haste, NULL); /* an error is told to who needs it */
        pthread_mutex_lock(&t->lock);
        c->current = NULL;
        pthread_mutex_unlock(&t->lock);
        lw_instance_release(instance);
        pthread_mutex_lock(&t->lock);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

static bool
wish(lw_device *device, struct lw_instance *instance, enum lw_haste haste)
{
    static const char *const names[HASTES] = {"lanewise needed", "lanewise spare"};
    struct lw_compile_threads *t = device->compile_threads;
    struct compiler *c = &t->of[haste];
    if (atomic_load_explicit(&instance->wished, memory_order_relaxed))
        return true;
    pthread_mutex_lock(&t->lock);
    bool started = c->started = c->started || lw_thread_start(&c->thread, names[haste], work, c);
    if (started && !atomic_exchange_explicit(&instance->wished, true, memory_order_relaxed)) {
        atomic_fetch_add_explicit(&instance->refs, 1, memory_order_relaxed);
        instance->next_wish = NULL;
        c->waiting++;
        *(c->last ? &c->last->next_wish : &c->first) = instance;
        c->last = instance;
        pthread_cond_signal(&c->wished);
    }
    pthread_mutex_unlock(&t->lock);
    return started;
}

bool
lw_compile_later(lw_device *device, struct lw_instance *instance)
{
    return wish(device, instance, LW_NEEDED);
}

bool
lw_compile_at_leisure(lw_device *device, struct lw_instance *instance)
{
    return wish(device, instance, LW_AT_LEISURE);
}

bool
lw_compiles_one(lw_device *device)
{
    struct lw_compile_threads *t = device->compile_threads;
    const struct compiler *c = &t->of[LW_NEEDED];
    pthread_mutex_lock(&t->lock);
    bool busy = c->current && atomic_load(&c->current->state) < LW_INSTANCE_READY;
    unsigned left = c->waiting + busy;
    pthread_mutex_unlock(&t->lock);
    return left <= 1;
}

void
lw_compile_threads_free(struct lw_compile_threads *t)
{
    if (!t)
        return;
    pthread_mutex_lock(&t->lock);
    t->ending = true;
    for (unsigned k = 0; k < HASTES; k++)
        pthread_cond_signal(&t->of[k].wished);
    pthread_mutex_unlock(&t->lock);
    for (unsigned k = 0; k < HASTES; k++) {
        struct compiler *c = &t->of[k];
        if (c->started)
            pthread_join(c->thread, NULL);
        for (struct lw_instance *left; (left = take_next(c));)
            lw_instance_release(left);
        pthread_cond_destroy(&c->wished);
    }
    pthread_mutex_destroy(&t->lock);
    free(t);
}

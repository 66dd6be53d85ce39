/* SPDX-License-Identifier: MIT */
/* The worker threads of a device.
 *
 * A caller publishes a task, works on it itself, and takes it back: whatever workers are free join in
 * between, so that a dispatch needs no worker to make progress and several callers share the pool. Tasks are
 * joined in the order of publication. The threads take none of the program's signals but those that a fault
 * of their own raises.
 */
#include "pool.h"

#include <signal.h>
#include <stdlib.h>

/* What an idle arena may keep. */
#define KEPT_ARENA_BYTES ((size_t)64 << 20)

struct lw_pool {
    pthread_mutex_t lock;
    pthread_cond_t offered; /* a task was published, or the pool ends */
    pthread_cond_t left;    /* a worker left a task */
    struct lw_task *first, *last;
    struct lw_arena *idle; /* arenas of callers */
    pthread_t *workers;
    unsigned wanted, started, sleeping;
    bool ending;
};

bool
lw_arena_reserve(struct lw_arena *arena, size_t bytes)
{
    if (bytes <= arena->size)
        return true;
    size_t size = arena->size ? arena->size : 4096;
    while (size < bytes) {
        if (size > SIZE_MAX / 2)
            return false;
        size *= 2;
    }
    void *base = aligned_alloc(128, size);
    if (!base)
        return false;
    free(arena->base);
    arena->base = base;
    arena->size = size;
    return true;
}

static void
arena_trim(struct lw_arena *arena)
{
    if (arena->size <= KEPT_ARENA_BYTES)
        return;
    free(arena->base);
    arena->base = NULL;
    arena->size = 0;
}

struct lw_arena *
lw_pool_borrow_arena(struct lw_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    struct lw_arena *arena = pool->idle;
    if (arena)
        pool->idle = arena->next;
    pthread_mutex_unlock(&pool->lock);
    return arena ? arena : calloc(1, sizeof *arena);
}

void
lw_pool_return_arena(struct lw_pool *pool, struct lw_arena *arena)
{
    arena_trim(arena);
    pthread_mutex_lock(&pool->lock);
    arena->next = pool->idle;
    pool->idle = arena;
    pthread_mutex_unlock(&pool->lock);
}

static void
unlist(struct lw_pool *pool, struct lw_task *task)
{
    if (!task->listed)
        return;
    *(task->prev ? &task->prev->next : &pool->first) = task->next;
    *(task->next ? &task->next->prev : &pool->last) = task->prev;
    task->listed = false;
}

/* Under the lock. The task leaves the list once it has no room for more. */
static struct lw_task *
join(struct lw_pool *pool)
{
    struct lw_task *task = pool->first;
    if (!task)
        return NULL;
    task->helpers++;
    if (--task->room == 0)
        unlist(pool, task);
    return task;
}

static void *
worker(void *data)
{
    struct lw_pool *pool = data;
    struct lw_arena arena = {NULL, 0, NULL};
    lw_enter_float_environment();
    pthread_mutex_lock(&pool->lock);
    while (!pool->ending) {
        struct lw_task *task = join(pool);
        if (!task) {
            pool->sleeping++;
            pthread_cond_wait(&pool->offered, &pool->lock);
            pool->sleeping--;
            continue;
        }
        pthread_mutex_unlock(&pool->lock);
        task->work(task, &arena);
        arena_trim(&arena);
        pthread_mutex_lock(&pool->lock);
        unlist(pool, task);
        if (--task->helpers == 0)
            pthread_cond_broadcast(&pool->left);
    }
    pthread_mutex_unlock(&pool->lock);
    free(arena.base);
    return NULL;
}

static void
pool_init(struct lw_pool *pool)
{
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->offered, NULL);
    pthread_cond_init(&pool->left, NULL);
    pool->first = pool->last = NULL;
    pool->started = pool->sleeping = 0;
}

struct lw_pool *
lw_pool_create(unsigned threads)
{
    struct lw_pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    pool->wanted = threads - 1;
    pool->workers = calloc(threads, sizeof *pool->workers);
    if (!pool->workers) {
        free(pool);
        return NULL;
    }
    pool_init(pool);
    return pool;
}

void
lw_pool_after_fork(struct lw_pool *pool)
{
    pool_init(pool);
}

/* Under the lock. Fewer threads than wanted are no error: the caller works too. */
static void
start_workers(struct lw_pool *pool)
{
    sigset_t most, before;
    sigfillset(&most);
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF};
    for (unsigned i = 0; i < sizeof faults / sizeof faults[0]; i++)
        sigdelset(&most, faults[i]);
    pthread_sigmask(SIG_SETMASK, &most, &before);
    while (pool->started < pool->wanted &&
           pthread_create(&pool->workers[pool->started], NULL, worker, pool) == 0) {
        pthread_setname_np(pool->workers[pool->started], "lanewise");
        pool->started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void
lw_pool_publish(struct lw_pool *pool, struct lw_task *task, unsigned helpers)
{
    task->helpers = 0;
    task->listed = false;
    pthread_mutex_lock(&pool->lock);
    if (pool->started < pool->wanted)
        start_workers(pool);
    task->room = helpers < pool->started ? helpers : pool->started;
    if (task->room) {
        task->next = NULL;
        task->prev = pool->last;
        *(pool->last ? &pool->last->next : &pool->first) = task;
        pool->last = task;
        task->listed = true;
        unsigned wake = task->room < pool->sleeping ? task->room : pool->sleeping;
        if (wake == pool->sleeping)
            pthread_cond_broadcast(&pool->offered);
        else
            for (unsigned i = 0; i < wake; i++)
                pthread_cond_signal(&pool->offered);
    }
    pthread_mutex_unlock(&pool->lock);
}

void
lw_pool_finish(struct lw_pool *pool, struct lw_task *task)
{
    pthread_mutex_lock(&pool->lock);
    unlist(pool, task);
    while (task->helpers)
        pthread_cond_wait(&pool->left, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

void
lw_pool_free(struct lw_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->ending = true;
    pthread_cond_broadcast(&pool->offered);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->started; i++)
        pthread_join(pool->workers[i], NULL);
    while (pool->idle) {
        struct lw_arena *arena = pool->idle;
        pool->idle = arena->next;
        free(arena->base);
        free(arena);
    }
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->offered);
    pthread_cond_destroy(&pool->left);
    free(pool->workers);
    free(pool);
}

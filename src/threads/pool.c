/* SPDX-License-Identifier: MIT */
/* The worker threads of a device.
 *
 * A caller publishes a task, works on it itself, and takes it back: whatever workers are free join in
 * between, so that a dispatch needs no worker to make progress and several callers share the pool. Tasks are
 * joined in the order of publication.
 *
 * Waking a thread costs several microseconds of the caller's time and tens until it runs. So a worker that
 * has just worked looks out for the next task for a while before it sleeps: as long as `spin` says where the
 * last pause was shorter than that, an eighth of it where it was not, not at all for a while where the
 * processor was taken from it meanwhile, and never so many workers that no processor is left. Programs that
 * copy or prepare a buffer between two dispatches pause for some hundred microseconds, and then find the
 * threads awake.
 *
 * The system leaves a thread that wakes often and works for a short time where it was, be that the processor
 * of whoever woke it: both then share one, dispatch after dispatch, and another idles. So a caller keeps idle
 * workers away from its own processor: all of few, else those that wait there.
 */
#include "pool.h"
#include "../host/clock.h"
#include "threads.h"
#include "turns.h"

#include <sched.h>
#include <stdlib.h>

/* Looking out: so many looks between two of the clock, and what says that others want the processor. */
#define LOOKS 16
#define TAKEN_NANOSECONDS 200000u
#define YIELDED_NANOSECONDS 20000000u
#define FEW_WORKERS 7

struct worker {
    struct lw_pool *pool;
    pthread_t thread;
    /* Under the lock: */
    int cpu;  /* where it waits, -1: it works */
    int away; /* from this one of the pool's, -1: from none */
};

struct lw_pool {
    pthread_mutex_t lock;
    pthread_cond_t offered; /* a task was published, or the pool ends */
    pthread_cond_t left;    /* a worker left a task */
    struct lw_task *first, *last;
    atomic_uint offers;            /* tasks in the list; workers that look out read it without the lock */
    unsigned room;                 /* of these tasks, in all */
    struct lw_thread_memory *idle; /* arenas of callers */
    struct worker *workers;
    cpu_set_t cpus; /* that they may run on; none: more than such a set has */
    unsigned wanted, started, numbered, sleeping;
    atomic_uint spinning; /* workers that look out; written under the lock */
    unsigned most_spinning;
    uint64_t spin; /* nanoseconds */
    bool ending;
};

/* One worker's experience. */
struct patience {
    uint64_t idle_since, spin, rest_until;
};

static void
arena_trim(struct lw_thread_memory *arena)
{
    if (arena->size <= LW_KEPT_ARENA_BYTES)
        return;
    if (arena->turns)
        lw_turns_free(arena);
    lw_thread_memory_release(arena);
}

struct lw_thread_memory *
lw_pool_borrow_arena(struct lw_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    struct lw_thread_memory *arena = pool->idle;
    if (arena)
        pool->idle = arena->next;
    pthread_mutex_unlock(&pool->lock);
    return arena ? arena : calloc(1, sizeof *arena);
}

void
lw_pool_return_arena(struct lw_pool *pool, struct lw_thread_memory *arena)
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
    pool->room -= task->room;
    atomic_fetch_sub_explicit(&pool->offers, 1, memory_order_relaxed);
}

/* Under the lock. The task leaves the list once it has no room for more. */
static struct lw_task *
join(struct lw_pool *pool, const void *family)
{
    struct lw_task *task = pool->first;
    while (task && family && task->family != family)
        task = task->next;
    if (!task)
        return NULL;
    atomic_fetch_add_explicit(&task->helpers, 1, memory_order_relaxed);
    pool->room--;
    if (--task->room == 0)
        unlist(pool, task);
    return task;
}

/* Under the lock. The task's work is done, as far as this thread has seen. */
static void
leave(struct lw_pool *pool, struct lw_task *task)
{
    unlist(pool, task);
    /* The caller may be gone with the task as soon as it reads 0. */
    if (atomic_fetch_sub_explicit(&task->helpers, 1, memory_order_release) == 1)
        pthread_cond_broadcast(&pool->left);
}

bool
lw_pool_help(struct lw_pool *pool, const void *family, struct lw_thread_memory *arena)
{
    if (!atomic_load_explicit(&pool->offers, memory_order_relaxed))
        return false;
    pthread_mutex_lock(&pool->lock);
    struct lw_task *task = join(pool, family);
    pthread_mutex_unlock(&pool->lock);
    if (!task)
        return false;
    task->work(task, arena);
    pthread_mutex_lock(&pool->lock);
    leave(pool, task);
    pthread_mutex_unlock(&pool->lock);
    return true;
}

/* Until there is an offer, or patience ends. */
static void
look_out(struct lw_pool *pool, struct patience *p)
{
    uint64_t begin = lw_nanoseconds_now(), last = begin;
    do {
        for (unsigned i = 0; i < LOOKS; i++) {
            if (atomic_load_explicit(&pool->offers, memory_order_relaxed))
                return;
            __builtin_ia32_pause();
        }
        uint64_t now = lw_nanoseconds_now();
        if (now - last > TAKEN_NANOSECONDS) {
            p->rest_until = now + YIELDED_NANOSECONDS;
            return;
        }
        last = now;
    } while (last - begin < p->spin);
}

/* Under the lock, which is let go of meanwhile. There may be an offer afterwards. */
static void
wait_for_offer(struct worker *w, struct patience *p)
{
    struct lw_pool *pool = w->pool;
    w->cpu = sched_getcpu();
    if (pool->spin && p->idle_since >= p->rest_until &&
        atomic_load_explicit(&pool->spinning, memory_order_relaxed) < pool->most_spinning) {
        atomic_fetch_add_explicit(&pool->spinning, 1, memory_order_relaxed);
        pthread_mutex_unlock(&pool->lock);
        look_out(pool, p);
        pthread_mutex_lock(&pool->lock);
        atomic_fetch_sub_explicit(&pool->spinning, 1, memory_order_relaxed);
    }
    if (pool->first || pool->ending)
        return;
    pool->sleeping++;
    pthread_cond_wait(&pool->offered, &pool->lock);
    pool->sleeping--;
    p->spin = lw_nanoseconds_now() - p->idle_since < pool->spin ? pool->spin : pool->spin / 8;
}

static void *
worker(void *data)
{
    struct worker *w = data;
    struct lw_pool *pool = w->pool;
    struct lw_thread_memory arena = {0};
    struct patience patience = {lw_nanoseconds_now(), pool->spin, 0};
    lw_enter_float_environment(false);
    pthread_mutex_lock(&pool->lock);
    arena.number = ++pool->numbered;
    while (!pool->ending) {
        struct lw_task *task = join(pool, NULL);
        if (!task) {
            wait_for_offer(w, &patience);
            continue;
        }
        w->cpu = -1;
        pthread_mutex_unlock(&pool->lock);
        task->work(task, &arena);
        arena_trim(&arena);
        patience.idle_since = lw_nanoseconds_now();
        pthread_mutex_lock(&pool->lock);
        leave(pool, task);
    }
    pthread_mutex_unlock(&pool->lock);
    lw_turns_free(&arena);
    lw_thread_memory_release(&arena);
    return NULL;
}

static void
pool_init(struct lw_pool *pool)
{
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->offered, NULL);
    pthread_cond_init(&pool->left, NULL);
    pool->first = pool->last = NULL;
    pool->started = pool->numbered = pool->sleeping = pool->room = 0;
    atomic_store(&pool->offers, 0);
    atomic_store(&pool->spinning, 0);
}

struct lw_pool *
lw_pool_create(unsigned threads, unsigned cpus, unsigned spin_microseconds)
{
    struct lw_pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    pool->wanted = threads - 1;
    pool->most_spinning = cpus - 1;
    pool->spin = (uint64_t)spin_microseconds * 1000;
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
    if (sched_getaffinity(0, sizeof pool->cpus, &pool->cpus))
        CPU_ZERO(&pool->cpus);
    while (pool->started < pool->wanted) {
        struct worker *w = &pool->workers[pool->started];
        *w = (struct worker){.pool = pool, .cpu = -1, .away = -1};
        if (!lw_thread_start(&w->thread, "lanewise", worker, w))
            break;
        pool->started++;
    }
}

/* Under the lock: idle workers from this thread's processor. */
static void
keep_away(struct lw_pool *pool)
{
    int cpu = sched_getcpu();
    cpu_set_t others = pool->cpus;
    if (cpu < 0 || cpu >= CPU_SETSIZE || CPU_COUNT(&others) < 2)
        return;
    bool few = pool->started <= FEW_WORKERS;
    CPU_CLR(cpu, &others);
    for (unsigned i = 0; i < pool->started; i++) {
        struct worker *w = &pool->workers[i];
        if (w->cpu < 0 || w->away == cpu || (!few && w->cpu != cpu))
            continue;
        pthread_setaffinity_np(w->thread, sizeof others, &others);
        w->away = cpu;
    }
}

void
lw_pool_publish(struct lw_pool *pool, struct lw_task *task, unsigned helpers)
{
    lw_pool_offer(pool, task, helpers, true);
}

void
lw_pool_offer(struct lw_pool *pool, struct lw_task *task, unsigned helpers, bool first)
{
    if (first) {
        atomic_init(&task->helpers, 0);
        task->listed = false;
    }
    pthread_mutex_lock(&pool->lock);
    if (pool->started < pool->wanted)
        start_workers(pool);
    if (task->listed) {
        pthread_mutex_unlock(&pool->lock);
        return;
    }
    task->room = helpers < pool->started ? helpers : pool->started;
    if (task->room) {
        task->next = NULL;
        task->prev = pool->last;
        *(pool->last ? &pool->last->next : &pool->first) = task;
        pool->last = task;
        task->listed = true;
        pool->room += task->room;
        atomic_fetch_add_explicit(&pool->offers, 1, memory_order_relaxed);
        keep_away(pool);
        unsigned spinning = atomic_load_explicit(&pool->spinning, memory_order_relaxed);
        unsigned wake = pool->room > spinning ? pool->room - spinning : 0;
        wake = wake < pool->sleeping ? wake : pool->sleeping;
        if (wake && wake == pool->sleeping)
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
    pthread_mutex_unlock(&pool->lock);
    /* They are about to end, as a rule: all runs are taken. */
    uint64_t begin = pool->spin ? lw_nanoseconds_now() : 0;
    while (atomic_load_explicit(&task->helpers, memory_order_acquire)) {
        if (pool->spin && lw_nanoseconds_now() - begin < pool->spin) {
            for (unsigned i = 0; i < 4; i++)
                __builtin_ia32_pause();
            continue;
        }
        pthread_mutex_lock(&pool->lock);
        while (atomic_load_explicit(&task->helpers, memory_order_acquire))
            pthread_cond_wait(&pool->left, &pool->lock);
        pthread_mutex_unlock(&pool->lock);
    }
}

bool
lw_pool_looks_out(const struct lw_pool *pool)
{
    return atomic_load_explicit(&pool->spinning, memory_order_relaxed) != 0;
}

void
lw_pool_free(struct lw_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->ending = true;
    atomic_fetch_add(&pool->offers, 1); /* ends the looking out */
    pthread_cond_broadcast(&pool->offered);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->started; i++)
        pthread_join(pool->workers[i].thread, NULL);
    while (pool->idle) {
        struct lw_thread_memory *arena = pool->idle;
        pool->idle = arena->next;
        lw_turns_free(arena);
        lw_thread_memory_release(arena);
        free(arena);
    }
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->offered);
    pthread_cond_destroy(&pool->left);
    free(pool->workers);
    free(pool);
}

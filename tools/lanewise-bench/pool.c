/* SPDX-License-Identifier: MIT */
/* The limit's threads. A hand-written program would keep its threads spinning through a row of short runs, so
 * that is what the limit does: a dispatch costs a few hundred nanoseconds. */
#include "pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdio.h>
#include "text.h"

#define PARTS 4     /* a thread's own share is taken in so many parts, and stolen in such */
#define SPINS 16384 /* then the processor is offered to others: there may be more threads than processors */
#define MAX_PHASES 4096

struct share {
    alignas(64) atomic_size_t next;
    size_t end, part;
};

struct thread {
    struct pool *pool;
    unsigned index;
};

struct pool {
    unsigned threads;
    alignas(64) atomic_uint run;     /* counts runs; a change starts one */
    alignas(64) atomic_uint arrived; /* at the barrier */
    alignas(64) atomic_uint barrier; /* counts barriers passed */
    alignas(64) atomic_bool awake;
    pthread_mutex_t lock;
    pthread_cond_t wakened;
    const struct hand *hand;
    const struct limit *limit;
    size_t phases;
    struct share *shares; /* of each phase, of each thread */
    size_t shares_room;
};

static void
pause_some(unsigned *spins)
{
    /* A row of pauses is what hypervisors take for a lock's holder being preempted, and stop the processor
     * for: 200 us a run in one. So there is one now and then only. */
    if (++*spins >= SPINS)
        sched_yield();
    else if (*spins % 64 == 0)
        __builtin_ia32_pause();
    else
        __asm__ volatile("" ::: "memory");
}

static void
wait_for_all(struct pool *pool)
{
    unsigned passed = atomic_load_explicit(&pool->barrier, memory_order_relaxed), spins = 0;

    if (atomic_fetch_add(&pool->arrived, 1) + 1 == pool->threads) {
        atomic_store_explicit(&pool->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&pool->barrier, passed + 1, memory_order_release);
        return;
    }
    while (atomic_load_explicit(&pool->barrier, memory_order_acquire) == passed)
        pause_some(&spins);
}

static void
take_parts(struct share *share, const struct hand *hand, const struct limit *limit, size_t phase)
{
    for (;;) {
        size_t begin = atomic_fetch_add_explicit(&share->next, share->part, memory_order_relaxed);
        size_t end = begin + share->part < share->end ? begin + share->part : share->end;

        if (begin >= share->end)
            return;
        hand->run(limit, phase, begin, end);
    }
}

/* What each thread does in a run: its own share of every phase, then what others have not begun. */
static void
do_phases(struct pool *pool, unsigned index)
{
    struct limit limit = *pool->limit;
    size_t phases = pool->phases; /* the next run may begin before the last barrier is left by all */

    limit.thread = index;
    limit.threads = pool->threads;
    for (size_t phase = 0; phase < phases; phase++) {
        for (unsigned other = 0; other < pool->threads; other++)
            take_parts(&pool->shares[phase * pool->threads + (index + other) % pool->threads], pool->hand,
                       &limit, phase);
        wait_for_all(pool);
    }
}

static void *
thread_main(void *argument)
{
    struct thread thread = *(struct thread *)argument;
    struct pool *pool = thread.pool;
    unsigned seen = 0, now, spins;

    free(argument);
    for (;; seen = now) {
        spins = 0;
        while ((now = atomic_load_explicit(&pool->run, memory_order_acquire)) == seen) {
            if (!atomic_load_explicit(&pool->awake, memory_order_relaxed)) {
                pthread_mutex_lock(&pool->lock);
                while (!atomic_load(&pool->awake))
                    pthread_cond_wait(&pool->wakened, &pool->lock);
                pthread_mutex_unlock(&pool->lock);
            }
            pause_some(&spins);
        }
        do_phases(pool, thread.index);
    }
    return NULL;
}

struct pool *
pool_start(unsigned threads)
{
    struct pool *pool = aligned_alloc(64, (sizeof *pool + 63) / 64 * 64);

    if (!pool)
        return NULL;
    memset(pool, 0, sizeof *pool);
    pool->threads = threads;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wakened, NULL);
    for (unsigned i = 1; i < threads; i++) {
        struct thread *thread = memory_get(sizeof *thread);
        pthread_t handle;

        *thread = (struct thread){pool, i};
        if (pthread_create(&handle, NULL, thread_main, thread)) {
            fprintf(stderr, "no thread could be started\n");
            exit(2);
        }
        pthread_detach(handle);
    }
    return pool;
}

unsigned
pool_threads(const struct pool *pool)
{
    return pool->threads;
}

static void
share_out(struct pool *pool, size_t phase, size_t units)
{
    for (unsigned t = 0; t < pool->threads; t++) {
        struct share *share = &pool->shares[phase * pool->threads + t];
        size_t begin = units * t / pool->threads, end = units * (t + 1) / pool->threads;

        atomic_store_explicit(&share->next, begin, memory_order_relaxed);
        share->end = end;
        share->part = (end - begin + PARTS - 1) / PARTS;
        if (share->part == 0)
            share->part = 1;
    }
}

void
pool_run(struct pool *pool, const struct hand *hand, const struct limit *limit)
{
    size_t phases = hand->phases(limit);

    if (phases > MAX_PHASES) {
        fprintf(stderr, "LIMIT_PHASES is %zu: at most %d\n", phases, MAX_PHASES);
        abort();
    }
    if (phases * pool->threads > pool->shares_room) {
        free(pool->shares);
        pool->shares_room = phases * pool->threads;
        pool->shares = aligned_alloc(64, pool->shares_room * sizeof *pool->shares);
        if (!pool->shares)
            abort();
    }
    for (size_t phase = 0; phase < phases; phase++)
        share_out(pool, phase, hand->units(limit, phase));
    pool->hand = hand;
    pool->limit = limit;
    pool->phases = phases;
    atomic_fetch_add_explicit(&pool->run, 1, memory_order_release);
    do_phases(pool, 0);
}

void
pool_wake(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->awake, true);
    pthread_cond_broadcast(&pool->wakened);
    pthread_mutex_unlock(&pool->lock);
}

void
pool_sleep(struct pool *pool)
{
    atomic_store(&pool->awake, false);
}

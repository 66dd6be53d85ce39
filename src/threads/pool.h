/* SPDX-License-Identifier: MIT */
/* Worker threads that help a caller with a task. */
#ifndef LW_SRC_POOL_H
#define LW_SRC_POOL_H

#include "../objects.h"
#include "thread_memory.h"

/* Lives on the caller's stack from lw_pool_publish to lw_pool_finish. */
struct lw_task {
    void (*work)(struct lw_task *task,
                 struct lw_thread_memory *arena); /* returns when nothing is left to take */
    const void *family; /* of kernels that descend from one (family.h); NULL: none */
    struct lw_task *next, *prev;
    atomic_uint helpers; /* workers inside `work`; written under the pool's lock */
    unsigned room;       /* how many more may join */
    bool listed;
};

/* NULL where there is no memory. No thread is started before the first publish. `cpus`: how many there are;
 * `spin`: how long a worker may look out for work before it sleeps, microseconds. */
struct lw_pool *lw_pool_create(unsigned threads, unsigned cpus, unsigned spin);
/* Ends the threads. No task may be published. */
void lw_pool_free(struct lw_pool *pool);
/* In a forked child: the threads and the tasks of the parent are forgotten. */
void lw_pool_after_fork(struct lw_pool *pool);

/* Offers the task to at most `helpers` workers. */
void lw_pool_publish(struct lw_pool *pool, struct lw_task *task, unsigned helpers);
/* The same for a task of which there is work now and then: offered again while workers may be inside.
 * `first`: it never was before. */
void lw_pool_offer(struct lw_pool *pool, struct lw_task *task, unsigned helpers, bool first);
/* Joins a task of the family, as a worker would. false: there is none. */
bool lw_pool_help(struct lw_pool *pool, const void *family, struct lw_thread_memory *arena);
/* Takes it back and waits until no worker is inside. Call once `work` has returned for the caller too. */
void lw_pool_finish(struct lw_pool *pool, struct lw_task *task);

/* Is a worker awake that would join at once? */
bool lw_pool_looks_out(const struct lw_pool *pool);

/* Memory for a calling thread. NULL where there is none. */
struct lw_thread_memory *lw_pool_borrow_arena(struct lw_pool *pool);
void lw_pool_return_arena(struct lw_pool *pool, struct lw_thread_memory *arena);

/* Kernels run with the default floating-point environment: round to nearest, no trap, and subnormal numbers
 * kept unless the program was built otherwise. */
static inline unsigned
lw_enter_float_environment(bool flush)
{
    unsigned saved = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(flush ? 0x9fc0 : 0x1f80);
    return saved;
}

static inline void
lw_leave_float_environment(unsigned saved)
{
    __builtin_ia32_ldmxcsr(saved);
}

#endif

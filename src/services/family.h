/* SPDX-License-Identifier: MIT */
/* Device-side enqueue inside the runtime: a kernel that a host runs, and all that descends from it.
 *
 *   serve (blocks.c) -> enqueue.c makes children -> device_events.c what they wait for -> children.c runs
 * them
 *
 * A child is held back until its parent's own work-items have ended, unless it need not wait for them; then
 * it is ready once its events are complete. One lock guards a family; children run without it. A child has
 * ended when it has run and all its own children have ended. */
#ifndef LW_SRC_FAMILY_H
#define LW_SRC_FAMILY_H

#include "../threads/pool.h"
#include "blocks.h"

#define LW_DEVICE_QUEUE_BYTES ((size_t)64 << 20) /* of a queue of no size */

struct lw_device_queue {
    lw_device *device;
    atomic_uint refs;
    size_t size;
    atomic_size_t used; /* bytes of the children in it that have not run yet */
};

struct lw_child {
    struct lw_child *parent;            /* NULL: the kernel that the host runs */
    struct lw_child *next, *previous;   /* of all that have not ended */
    struct lw_child *next_ready;        /* of those that may run, or that their parent holds back */
    struct lw_child *held, *last_held;
    uint64_t pending;                   /* itself while it has not run, and its children */
    uint32_t waiting;                   /* for so many events, and its parent */
    int32_t failed;                     /* how one of the events ended */
    bool is_marker, is_held, has_run;
    uint32_t block;
    uint32_t event;                     /* number; 0: none */
    struct lw_device_queue *queue;      /* that it is in until it runs */
    size_t bytes;                       /* there */
    lw_ndrange range;
    uint64_t began, ran;                /* nanoseconds, where there is an event */
    uint32_t local_count, captured;
    size_t *local_sizes;
    void *literal;
};

/* Of one family. Its number tells nothing of those that had its place before. */
struct lw_device_event {
    uint32_t refs, generation;
    int32_t status;                     /* 1: not complete, 0: complete, negative: failed */
    bool is_user;
    struct lw_waiter *waiters;
    struct lw_profile *profiles;
    uint64_t run_time, whole_time;      /* nanoseconds, once complete */
};

/* Lists of events as kernels make them. */
struct lw_event_list {
    uint32_t count, room;
    uint32_t events[];
};

struct lw_family {
    struct lw_task task; /* first: the pool knows us by it */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a child is ready, or the last has ended */
    const lw_kernel *kernel; /* whose it is */
    uint32_t block_count;
    lw_kernel **blocks; /* by entry point, made when asked for */
    lw_kernel **idle;   /* by entry point: those that children run by */
    struct lw_child root;
    struct lw_child *all;
    struct lw_child *ready, *last_ready;
    uint32_t ready_count;
    unsigned running;    /* threads that run a child */
    unsigned sleeping;   /* threads on `changed` */
    bool shared;         /* the task has been offered since the run began */
    uint64_t patience;   /* nanoseconds of the clock from when on others are called */
    uint64_t failures;
    lw_error error; /* of the first of them */
    struct lw_device_event *events;
    uint32_t event_count, event_room;
    uint32_t free_event; /* the first whose place is free; 0: none */
    uint32_t *next_free; /* by event: the one behind it */
};

/* run.c: a block with all its arguments in place. */
bool lw_run_block(lw_kernel *kernel, const lw_ndrange *range, lw_error *error);

/* ---- enqueue.c: all under the family's lock ---- */

/* One lane's call, see spirv/enqueue.h; the result. */
int64_t lw_enqueue_kernel(struct lw_family *family, struct lw_child *parent, const uint64_t *lane,
                          uint32_t width);
int64_t lw_enqueue_marker(struct lw_family *family, struct lw_child *parent, const uint64_t *lane,
                          uint32_t width);
uint64_t lw_default_queue(const struct lw_family *family);

/* ---- device_events.c: all under the family's lock ---- */

/* A new event that one kernel holds; 0: no memory, or too many. */
uint32_t lw_event_make(struct lw_family *family, bool user);
/* What kernels know it by, and back; 0: there is no such event. */
uint64_t lw_event_handle(const struct lw_family *family, uint32_t event);
uint32_t lw_event_of_handle(const struct lw_family *family, uint64_t handle);
void lw_event_retain(struct lw_family *family, uint32_t event);
void lw_event_release(struct lw_family *family, uint32_t event);
/* Ends it; children that waited may become ready. */
void lw_event_complete(struct lw_family *family, uint32_t event, int32_t status);
/* The child waits for it. false: no memory. */
bool lw_event_add_waiter(struct lw_family *family, uint32_t event, struct lw_child *child);
/* Its times go to `place` once they are known. */
void lw_event_capture(struct lw_family *family, uint32_t event, uint64_t *place);
/* The list with the event, LW_BAD_EVENT_LIST where there is no such event. */
uint64_t lw_event_list_add(struct lw_family *family, uint64_t list, uint64_t event);
void lw_events_free(struct lw_family *family);

/* ---- children.c ---- */

/* Under the lock. What it waits for is set: queues it, or has its parent hold it. */
void lw_child_start(struct lw_family *family, struct lw_child *child);
/* Under the lock. One thing less that it waits for. */
void lw_child_wait_less(struct lw_family *family, struct lw_child *child);
/* The task by which others help. */
void lw_family_help(struct lw_task *task, struct lw_thread_memory *arena);
/* Runs all that descends from the kernel's run, which was `good`. false and `error`: it was not, or some
 * child could not run. */
bool lw_family_finish(struct lw_family *family, bool good, lw_error *error);

#endif

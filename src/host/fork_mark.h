/* SPDX-License-Identifier: MIT */
/* A page that the kernel clears in a forked child: how the child learns, by one load, that the parent's
 * threads are gone and that what they held is to be made usable again. */
#ifndef LW_SRC_FORK_MARK_H
#define LW_SRC_FORK_MARK_H

#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>

#define LW_FORK_MARK_BYTES 4096

enum { LW_MARK_FORKED = 0, LW_MARK_OURS = 1, LW_MARK_REPAIRING = 2 };

/* NULL: no memory. */
static inline atomic_uint *
lw_fork_mark_create(void)
{
    void *page = mmap(NULL, LW_FORK_MARK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return NULL;
    madvise(page, LW_FORK_MARK_BYTES, MADV_WIPEONFORK);
    atomic_uint *mark = page;
    atomic_store(mark, LW_MARK_OURS);
    return mark;
}

/* In a forked child: one thread repairs, the others wait for it. */
static inline void
lw_fork_mark_check(atomic_uint *mark, void (*repair)(void *data), void *data)
{
    unsigned now = atomic_load_explicit(mark, memory_order_acquire);
    while (now != LW_MARK_OURS) {
        unsigned forked = LW_MARK_FORKED;
        if (atomic_compare_exchange_strong(mark, &forked, LW_MARK_REPAIRING)) {
            repair(data);
            atomic_store_explicit(mark, LW_MARK_OURS, memory_order_release);
        } else {
            sched_yield();
        }
        now = atomic_load_explicit(mark, memory_order_acquire);
    }
}

#endif

/* SPDX-License-Identifier: MIT */
/* The memory that a thread runs work-groups in. */
#ifndef LW_SRC_THREAD_MEMORY_H
#define LW_SRC_THREAD_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* What an idle arena may keep. */
#define LW_KEPT_ARENA_BYTES ((size_t)64 << 20)

/* One thread's memory: grown on demand, 128-byte aligned, contents undefined. */
struct lw_thread_memory {
    void *base;
    size_t size, mapped; /* so much of it: pages.h */
    void *map;           /* that `base` is in, where it is not malloc's */
    size_t map_bytes;
    size_t
        local_room; /* contained: of local memory, at `base`; the frame's is behind the guard that follows */
    struct lw_turns *turns; /* turns.c; NULL: none yet */
    unsigned number;        /* of the worker, from 1; a caller's: 0 */
    struct lw_thread_memory *next;
};

/* false: no memory, the arena is as before. */
bool lw_thread_memory_reserve(struct lw_thread_memory *arena, size_t bytes);
/* What of it is memory, and where. */
struct lw_thread_memory_need {
    size_t local_bytes;  /* at the base */
    size_t frame_offset; /* by lw_contained_frame */
    size_t frame_bytes;
};
/* The same with pages that may not be touched around local memory and behind the frame, so that what a kernel
 * writes beyond its own memory meets none of the process's: close by, nothing at all; further away, a fault.
 */
bool lw_thread_memory_contain(struct lw_thread_memory *arena, const struct lw_thread_memory_need *need);
/* Where the frame is in such an arena, from its base. */
size_t lw_contained_frame(size_t local_bytes);
/* How much of such an offset is address space only. */
#define LW_CONTAINED_GUARD ((size_t)16 << 20)
/* Its memory, not the structure. */
void lw_thread_memory_release(struct lw_thread_memory *arena);

#endif

/* SPDX-License-Identifier: MIT */
/* The memory that a thread runs work-groups in: plain, or contained, with pages around local memory and the
 * frame that may not be touched.
 */
#include "thread_memory.h"
#include "../host/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

void
lw_thread_memory_release(struct lw_thread_memory *arena)
{
    if (arena->map)
        munmap(arena->map, arena->map_bytes);
    else
        free(arena->base);
    arena->base = arena->map = NULL;
    arena->size = arena->mapped = arena->map_bytes = arena->local_room = 0;
}

static bool
grow(struct lw_thread_memory *arena, size_t bytes)
{
    size_t size = arena->size ? arena->size : 4096;
    while (size < bytes) {
        if (size > SIZE_MAX / 2)
            return false;
        size *= 2;
    }
    void *base = lw_pages_allocate(128, size);
    if (!base)
        return false;
    lw_thread_memory_release(arena);
    arena->base = base;
    arena->size = size;
    arena->mapped = 0;
    return true;
}

/* Work-groups write their frames, in part under masks without lanes. No more of it than they have, and not
 * where it is so large that it is given back each time. */
static void
map_arena(struct lw_thread_memory *arena, size_t bytes)
{
    if (bytes > arena->mapped && bytes <= LW_KEPT_ARENA_BYTES) {
        lw_pages_map((char *)arena->base + arena->mapped, bytes - arena->mapped);
        arena->mapped = bytes;
    }
}

bool
lw_thread_memory_reserve(struct lw_thread_memory *arena, size_t bytes)
{
    if (bytes > arena->size && !grow(arena, bytes))
        return false;
    map_arena(arena, bytes);
    return true;
}

/* ---- contained ---- */

#define LEAST_LOCAL_ROOM ((size_t)64 << 10)
#define PAGE ((size_t)4096)
#define LARGE_PAGE ((size_t)2 << 20)
/* From the begin of a page to local memory: `t[id - d]` of the first lanes is a load that begins before it,
 * and one from two pages, behind stores to one of them, takes 500 cycles on a Zen 5. */
#define BEFORE_LOCAL ((size_t)1024)

/* With most of a page behind and more than one before: vectors of a kernel that is right may reach over its
 * ends, too. */
static size_t
local_room(size_t local_bytes)
{
    size_t room = LEAST_LOCAL_ROOM;
    while (room < local_bytes + PAGE)
        room *= 2;
    return room;
}

/* Local memory and the frame lie to each other, within a page, as if one followed the other: the processor
 * takes equal places for one address. */
size_t
lw_contained_frame(size_t local_bytes)
{
    return local_room(local_bytes) + LW_CONTAINED_GUARD + ((local_bytes + 127) & (PAGE - 128));
}

static bool
open_pages(char *begin, size_t bytes)
{
    return mprotect(begin, bytes, PROT_READ | PROT_WRITE) == 0;
}

/* [guard][a page and more, local memory][guard][frame][guard]; the frame's pages begin where large ones do.
 */
static bool
map_contained(struct lw_thread_memory *arena, size_t room, size_t frame)
{
    size_t size = LARGE_PAGE / 8;
    while (size < BEFORE_LOCAL + frame + PAGE) {
        if (size > SIZE_MAX / 4)
            return false;
        size *= 2;
    }
    size_t all = 3 * LW_CONTAINED_GUARD + room + size + LARGE_PAGE;
    lw_thread_memory_release(arena);
    char *map = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return false;
    char *frames = map + 2 * LW_CONTAINED_GUARD + room;
    frames += -(uintptr_t)frames & (LARGE_PAGE - 1);
    char *base = frames - LW_CONTAINED_GUARD - room;
    if (!open_pages(base - PAGE, room + PAGE) || !open_pages(frames, size)) {
        munmap(map, all);
        return false;
    }
    if (size >= LARGE_PAGE)
        madvise(frames, size, MADV_HUGEPAGE);
    *arena = (struct lw_thread_memory){.base = base + BEFORE_LOCAL,
                                       .size = room + size - BEFORE_LOCAL,
                                       .map = map,
                                       .map_bytes = all,
                                       .local_room = room,
                                       .turns = arena->turns,
                                       .number = arena->number,
                                       .next = arena->next};
    return true;
}

bool
lw_thread_memory_contain(struct lw_thread_memory *arena, const struct lw_thread_memory_need *need)
{
    size_t room = local_room(need->local_bytes), frame = need->frame_bytes;
    if ((arena->local_room != room || arena->size - room < frame + PAGE) &&
        !map_contained(arena, room, frame))
        return false;
    size_t mapped = need->local_bytes + frame;
    if (mapped > arena->mapped && mapped <= LW_KEPT_ARENA_BYTES) {
        lw_pages_map(arena->base, need->local_bytes);
        lw_pages_map((char *)arena->base + need->frame_offset, frame);
        arena->mapped = mapped;
    }
    return true;
}

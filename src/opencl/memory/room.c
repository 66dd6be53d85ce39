/* SPDX-License-Identifier: MIT */
/* Memory of buffers, images and shared allocations, no more of it than there is. Linux gives out more, and
 * ends a process that writes it; programs that take as much as they can get, and those that are to be told
 * that there is no more, need the error. */
#include "allocations.h"
#include "../../host/memory.h"
#include "../../host/pages.h"

#include <stdlib.h>
#include <string.h>

/* What is smaller is asked about once for so much of it: the answer takes as long as a small buffer. */
#define LARGE ((size_t)64 << 20)

/* Up to here what nobody wrote is zero, as it is in fresh pages, which larger objects mostly are: programs
 * come from drivers that give out nothing else, fill a table's head and read on. It takes 10 us at most. */
#define ZEROED ((size_t)256 << 10)

/* Of the process, as the memory is. Below `cleared` there was room. */
static atomic_ullong taken, cleared = LARGE;

/* Is there room for what was taken, but is not written yet, too? `all`: this included. */
static bool
has_room(size_t bytes, uint64_t all)
{
    if (all > lw_cl_platform()->device->memory_bytes)
        return false;
    uint64_t before = all - bytes, written = lw_resident_memory();
    uint64_t wanted = bytes + (before > written ? before - written : 0);
    return wanted <= lw_available_memory();
}

void *
lw_cl_take_memory(size_t align, size_t bytes)
{
    uint64_t all = atomic_fetch_add(&taken, bytes) + bytes;
    bool asks = bytes >= LARGE || all > atomic_load(&cleared), room = !asks || has_room(bytes, all);
    void *base = room ? lw_pages_allocate(align, bytes) : NULL;
    if (!base)
        atomic_fetch_sub(&taken, bytes);
    else if (asks && all + LARGE > atomic_load(&cleared))
        atomic_store(&cleared, all + LARGE); /* of several at once any one's will do */
    if (base && bytes <= ZEROED)
        memset(base, 0, bytes);
    return base;
}

void
lw_cl_give_memory(void *base, size_t bytes)
{
    free(base);
    atomic_fetch_sub(&taken, bytes);
}

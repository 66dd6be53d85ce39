/* SPDX-License-Identifier: MIT */
/* Pages that nobody has written yet are not there, or are a common page of zeros. A masked vector store
 * without lanes into one writes nothing, so they stay so, and each such store takes hundreds of cycles: the
 * processor looks into the fault before it drops it. Mapping a page takes as long as a few of them. So what
 * kernels get is mapped first, up to a size.
 *
 * Memory above the size of a large page is aligned to it and asks for large pages: a sixth of the time to
 * map, and look-ups at random find their address. Both are advice. Where the kernel has neither
 * (MADV_POPULATE_WRITE is Linux 5.14's), all is as it would be without. */
#include "pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define LARGE_PAGE ((size_t)2 << 20)
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

void *
lw_pages_allocate(size_t align, size_t bytes)
{
    if (bytes >= LARGE_PAGE && align < LARGE_PAGE)
        align = LARGE_PAGE;
    if (bytes > SIZE_MAX - align)
        return NULL;
    void *base = aligned_alloc(align, (bytes + align - 1) / align * align);
    /* The last, broken one is not asked for: it would be memory that nobody needs. */
    if (base && bytes >= LARGE_PAGE)
        madvise(base, bytes / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
    return base;
}

void
lw_pages_map(void *base, size_t bytes)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t begin = (uintptr_t)base / page * page;
    uintptr_t end = ((uintptr_t)base + bytes + page - 1) / page * page;
    if (bytes)
        madvise((void *)begin, end - begin, MADV_POPULATE_WRITE);
}

/* SPDX-License-Identifier: MIT */
/* The compiler library's own heap, see heap.c. */
#ifndef LW_JIT_HEAP_H
#define LW_JIT_HEAP_H

#include <stddef.h>
#include <stdlib.h>

#ifdef LW_OWN_HEAP
/* The C library's: for blocks that somebody outside frees. */
void *lw_malloc_for_others(size_t size);
/* After a compilation: where this thread's heap has become large, what is free in it goes back to the system.
 */
void lw_heap_trim(void);
#else
static inline void *
lw_malloc_for_others(size_t size)
{
    return malloc(size);
}

static inline void
lw_heap_trim(void)
{
}
#endif

#endif

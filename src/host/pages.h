/* SPDX-License-Identifier: MIT */
/* Memory for kernels: in large pages where it is large, and mapped before vector code meets it. */
#ifndef LW_SRC_PAGES_H
#define LW_SRC_PAGES_H

#include <stddef.h>

/* As aligned_alloc, of any size; free() takes it back. What is as large as a large page begins at one, and
 * asks for them. NULL: no memory. */
void *lw_pages_allocate(size_t align, size_t bytes);

/* Maps, for writing, the pages under an object of the process's own memory. Changes no contents; may be
 * called while others use the object, and as often as one likes. */
void lw_pages_map(void *base, size_t bytes);

/* Objects above this are left as they are by whoever maps ahead of time: a program may mean to use a part. */
#define LW_PAGES_MOST_MAPPED ((size_t)64 << 20)

#endif

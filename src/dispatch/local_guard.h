/* SPDX-License-Identifier: MIT */
/* Local memory between pages that may not be touched; see local_guard.c. */
#ifndef LW_SRC_LOCAL_GUARD_H
#define LW_SRC_LOCAL_GUARD_H

#include "../objects.h"
#include "../threads/pool.h"

/* What lw_kernel_place_local does, with guards in between. */
void lw_place_guarded(lw_kernel *kernel, uint64_t *total);
/* The arena anew: memory where the kernel's local memory is and from `frame` on, guards elsewhere. false: no
 * memory. */
bool lw_thread_memory_guard(struct lw_thread_memory *arena, const lw_kernel *kernel, size_t frame,
                            size_t bytes);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef LW_VECTORIZER_WAIT_LOCKS_H
#define LW_VECTORIZER_WAIT_LOCKS_H

#include "wait_sources.h"

/* Of a loop that waits: does it look like a lock that work-items of one sub-group may hold (wait_locks.c)? */
bool lw_is_lock(const struct lw_wait_loop *w);
/* Is there a condition on the way to the loop that one work-item fulfils? */
bool lw_is_for_one(const struct lw_wait_loop *w);

#endif

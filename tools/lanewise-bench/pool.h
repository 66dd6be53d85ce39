/* SPDX-License-Identifier: MIT */
/* Threads for the limit: they spin between phases and runs, and sleep between slices. */
#ifndef LANEWISE_BENCH_POOL_H
#define LANEWISE_BENCH_POOL_H

#include "hand.h"

struct pool;

struct pool *pool_start(unsigned threads);
unsigned pool_threads(const struct pool *pool);
/* All phases of one run; returns when all is done. Spinning threads must be awake: pool_wake before a row of
 * runs, pool_sleep after it. */
void pool_run(struct pool *pool, const struct hand *hand, const struct limit *limit);
void pool_wake(struct pool *pool);
void pool_sleep(struct pool *pool);

#endif

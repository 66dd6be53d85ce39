/* SPDX-License-Identifier: MIT */
/* The clock that durations are measured by. */
#ifndef LW_SRC_CLOCK_H
#define LW_SRC_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t
lw_nanoseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Of the processor, on this thread. */
static inline uint64_t
lw_thread_nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline double
lw_milliseconds_now(void)
{
    return (double)lw_nanoseconds_now() * 1e-6;
}

#endif

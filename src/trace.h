/* SPDX-License-Identifier: MIT */
/* LANEWISE_TRACE: a timeline of what the runtime does, for Perfetto and Chrome (docs/profiling.md).
 *
 * Every event is one line, written at once to a file that is appended to: threads, forked children and other
 * processes may write the same one, and a crash loses nothing. Where there is no trace, nothing but a
 * comparison is done.
 */
#ifndef LW_SRC_TRACE_H
#define LW_SRC_TRACE_H

#include <stdint.h>
#include "host/clock.h"

/* Opens `path` (NULL: there is no trace), -1 where it cannot be had, which is told to stderr. */
int lw_trace_open(const char *path);
void lw_trace_close(int trace);
/* What took from `begin` (lw_nanoseconds_now) until now on this thread. `category` and what `details` (NULL:
 * none) makes, the members of a JSON object, are plain ASCII of ours; `name` may be anything. */
void lw_trace_span(int trace, const char *category, const char *name, uint64_t begin, const char *details,
                   ...) __attribute__((format(printf, 5, 6)));

static inline uint64_t
lw_trace_begin(int trace)
{
    return trace >= 0 ? lw_nanoseconds_now() : 0;
}

#endif

/* SPDX-License-Identifier: MIT */
/* LANEWISE_PERF: tells Linux's perf which kernel a piece of code is (docs/profiling.md). */
#ifndef LW_SRC_PERF_H
#define LW_SRC_PERF_H

#include <stddef.h>

struct lw_line_table;

/* `bytes` of code at `code`, of the kernel `kernel` in the form `form`, and its lines (NULL: none). Adds it
 * to /tmp/perf-PID.map and to jit-PID.dump in the current folder. What cannot be written is not: profiling
 * fails, no kernel. Safe on any thread. */
void lw_perf_code(const char *kernel, const char *form, const void *code, size_t bytes,
                  const struct lw_line_table *lines);

#endif

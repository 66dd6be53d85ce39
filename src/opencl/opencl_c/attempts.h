/* SPDX-License-Identifier: MIT */
/* A module that our check takes, by whichever producer writes one. */
#ifndef LW_OPENCL_ATTEMPTS_H
#define LW_OPENCL_ATTEMPTS_H

#include "texts.h"

/* The first attempt's module that our check takes; else another producer's; else the first one, of which the
 * check says what is wrong; malloc'd, its size in `source`. NULL: there is none. `ir`: clang's of the
 * program, unless that is at fault. `said`: by clang. Both malloc'd, or NULL. */
void *lw_cl_compile_attempts(const struct lw_cl_texts *texts, const struct lw_cl_source *source, char **ir,
                             char **said);

/* Device-side enqueue: clang-22's SPIR-V back end ends on queues and events, and loses which block is meant.
 */
bool lw_cl_has_queues(const char *ir);

#endif

/* SPDX-License-Identifier: MIT */
/* LANEWISE_EXPLAIN: what the compiler made of each kernel, to standard error or a file (docs/explain.md). */
#ifndef LW_SRC_EXPLAIN_H
#define LW_SRC_EXPLAIN_H

#include "specialize.h"

struct lw_explain;

/* `where` is 1 (standard error) or a file, which is appended to; NULL: there is none, or no memory. */
struct lw_explain *lw_explain_open(const char *where);
void lw_explain_close(struct lw_explain *explain);
/* Tells of a compilation that has ended, well or not. `form`: which code it is. What was told of this kernel
 * before is not told again. */
void lw_explain_code(lw_device *device, const struct lw_instance *instance, const char *form, bool good);

#endif

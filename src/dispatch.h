/* SPDX-License-Identifier: MIT */
/* Runs compiled code over a range, on the caller and the pool. */
#ifndef LW_SRC_DISPATCH_H
#define LW_SRC_DISPATCH_H

#include "range.h"

/* Compiled instances for the range's work-groups: `special` may be NULL (masked serves all), `masked` may be
 * NULL (no remainder work-groups). */
bool lw_dispatch(const lw_kernel *kernel, const struct lw_range *range, struct lw_instance *special,
                 struct lw_instance *masked, size_t local_bytes, lw_error *error);

#endif

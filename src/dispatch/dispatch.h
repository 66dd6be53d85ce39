/* SPDX-License-Identifier: MIT */
/* Runs compiled code over a range, on the caller and the pool. */
#ifndef LW_SRC_DISPATCH_H
#define LW_SRC_DISPATCH_H

#include "../tiers/tiers.h"

/* Runs all work-groups of the range by the instances of the choice: compiled ones, but for `better`, which is
 * wished for where the dispatch turns out to take long. */
bool lw_dispatch(const lw_kernel *kernel, const struct lw_range *range, const struct lw_choice *choice,
                 size_t local_bytes, lw_error *error);

#endif

/* SPDX-License-Identifier: MIT */
/* Every dispatch by all codes there are, compared (LANEWISE_CROSS_CHECK). */
#ifndef LW_SRC_CROSS_CHECK_H
#define LW_SRC_CROSS_CHECK_H

#include "../tiers/tiers.h"

#define LW_MOST_CHECKED_BYTES ((size_t)1 << 30)

/* Runs the range, which was asked for as `asked`, where what it leaves can be compared, by masked code, first
 * code and `last`, and fails where they disagree. `done`: it ran; where it did not there is nothing to
 * compare. */
bool lw_cross_check(lw_kernel *kernel, const lw_ndrange *asked, const struct lw_range *range,
                    const struct lw_shape *masked, const struct lw_choice *last, size_t local_bytes,
                    bool *done, lw_error *error);

#endif

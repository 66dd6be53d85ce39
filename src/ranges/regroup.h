/* SPDX-License-Identifier: MIT */
/* Ranges cut into other work-groups than were asked for. */
#ifndef LW_SRC_REGROUP_H
#define LW_SRC_REGROUP_H

#include "range.h"

#define LW_MOST_SHARING 4 /* rows of work-items in a sub-group, where these share loads */

/* May its ranges be cut into other work-groups, as far as it has nothing that belongs to one? */
bool lw_may_cut(const lw_kernel *kernel);

/* Cuts the range anew where the kernel cannot notice; else leaves it as it is. For every dispatch again:
 * arguments may decide it. */
void lw_regroup(const lw_kernel *kernel, struct lw_range *range);

#endif

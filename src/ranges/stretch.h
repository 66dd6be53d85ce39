/* SPDX-License-Identifier: MIT */
/* Kernels that stride through a grid, by ranges as long as what they stride through. */
#ifndef LW_SRC_STRETCH_H
#define LW_SRC_STRETCH_H

#include "range.h"

/* What size dimension 0 of the checked range is to have so that each work-item runs one round of the kernel's
 * loop; 0: it stays as it is. For every dispatch again: arguments decide it. */
uint64_t lw_stretched_size(const lw_kernel *kernel, const struct lw_range *range);

#endif

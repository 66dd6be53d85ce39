/* SPDX-License-Identifier: MIT */
/* What code is specialised on: the sub-group size, the width, and what is true of a dispatch. */
#ifndef LW_SRC_SHAPE_H
#define LW_SRC_SHAPE_H

#include "range.h"

/* Lanes of 32 bits that a register has. */
uint32_t lw_usual_lanes(lw_isa isa);

#define LW_MOST_WIDE_INSTRUCTIONS 250 /* past these, what is computed in two registers would spill */

/* N of a kernel: by its modes, the caller's wish (0: none), else the ISA's. A function of these alone, never
 * of a local size. */
bool lw_choose_sub_group_size(const struct lw_kernel_desc *desc, lw_isa isa, uint32_t asked, uint32_t *out,
                              lw_error *error);

/* limits.c. Is there a range that the kernel could have on this device? */
bool lw_fits_device(const struct lw_kernel_desc *desc, const lw_device *device, lw_error *error);

/* May code for it have any number of lanes? */
bool lw_width_is_free(const lw_kernel *kernel);
/* May it, if the compiler has found that no loop of the kernel waits (lw_code.turns)? */
bool lw_width_is_free_without_waits(const lw_kernel *kernel);

/* The two shapes that a dispatch may run: `masked` takes any work-group, `special` full ones only. The range
 * is cut anew where the kernel cannot notice. `preparing`: nothing runs now, buffers may not be there yet. */
void lw_choose_shapes(const lw_kernel *kernel, struct lw_range *range, bool preparing,
                      struct lw_shape *masked, struct lw_shape *special);

/* More lanes than a register has of 32 bits? */
bool lw_is_broad(const struct lw_shape *shape);

#define LW_MOST_RIVALS 5

/* Shapes of other widths for what special code does, where nothing tells the width; how many. */
unsigned lw_choose_rivals(const lw_kernel *kernel, const struct lw_shape *special,
                          struct lw_shape out[LW_MOST_RIVALS]);

#endif

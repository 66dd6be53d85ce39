/* SPDX-License-Identifier: MIT */
/* What code is specialised on: the sub-group size, the width, and the facts of a dispatch. */
#ifndef LW_SRC_SHAPE_H
#define LW_SRC_SHAPE_H

#include "range.h"

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

/* compiler.h: few_rounds. */
bool lw_has_few_rounds(const lw_kernel *kernel, const struct lw_range *range);
/* Does every buffer span less than 4 GiB (compiler.h: buffers_4g)? */
bool lw_buffers_are_small(const lw_kernel *kernel);

/* Has no byte two buffer arguments (compiler.h: buffers_apart)? The range of one in the middle of an
 * allocation ends where the allocation does, so that two of the same one always meet. */
bool lw_buffers_are_apart(const lw_kernel *kernel);

/* So many bytes may be read of every buffer argument (compiler.h: heads); 0 where one is a null pointer, or
 * nobody knows how long it is. `preparing`: null pointers are arguments that nobody has set yet. */
uint16_t lw_readable_heads(const lw_kernel *kernel, bool preparing);

/* The facts of its images and samplers over the range, as shapes have them. */
void lw_find_images(const lw_kernel *kernel, const struct lw_range *range, uint16_t out[LW_SHAPE_IMAGES]);

/* Are they those still? */
bool lw_images_are(const lw_kernel *kernel, const struct lw_range *range,
                   const uint16_t facts[LW_SHAPE_IMAGES]);

/* May its ranges be cut into other work-groups, as far as it has nothing that belongs to one? */
bool lw_may_cut(const lw_kernel *kernel);

/* The two shapes that a dispatch may run: `masked` takes any work-group, `special` full ones only. The range
 * is cut anew where the kernel cannot notice. */
void lw_choose_shapes(const lw_kernel *kernel, struct lw_range *range, struct lw_shape *masked,
                      struct lw_shape *special);

/* More lanes than a register has of 32 bits? */
bool lw_is_broad(const struct lw_shape *shape);

#define LW_MOST_RIVALS 5

/* Shapes of other widths for what special code does, where nothing tells the width; how many. */
unsigned lw_choose_rivals(const lw_kernel *kernel, const struct lw_shape *special,
                          struct lw_shape out[LW_MOST_RIVALS]);

#endif

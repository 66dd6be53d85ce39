/* SPDX-License-Identifier: MIT */
/* What is true of a dispatch's buffers, images and ids. */
#ifndef LW_SRC_DISPATCH_FACTS_H
#define LW_SRC_DISPATCH_FACTS_H

#include "range.h"

/* compiler.h: offset_zero, index31, buffers_4g. */
void lw_find_facts(const lw_kernel *kernel, const struct lw_range *range, struct lw_shape *shape);

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

#endif

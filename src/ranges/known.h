/* SPDX-License-Identifier: MIT */
/* Integer arguments whose values are part of the shape (compiler.h: known). */
#ifndef LW_SRC_KNOWN_H
#define LW_SRC_KNOWN_H

#include "../objects.h"

/* May code know this argument? */
bool lw_may_be_known(const struct lw_kernel_desc *desc, uint32_t index);

/* The value of one that may. */
uint64_t lw_integer_argument(const lw_kernel *kernel, uint32_t index);

/* Which arguments are strides (reflect.h) and 1? */
uint64_t lw_find_ones(const lw_kernel *kernel);

/* The arguments that code for this dispatch is to know: lw_find_ones, or all (LANEWISE_VALUES). */
uint64_t lw_find_known(const lw_kernel *kernel);

/* The shape is one for the kernel's values of these arguments, from now on. */
void lw_know_arguments(const lw_kernel *kernel, uint64_t known, struct lw_shape *shape);

/* Are those that it knows the kernel's? */
bool lw_known_arguments_are(const lw_kernel *kernel, const struct lw_shape *shape);

#endif

/* SPDX-License-Identifier: MIT */
/* Warnings of clang's that are none here. */
#ifndef LW_OPENCL_PRAGMAS_H
#define LW_OPENCL_PRAGMAS_H

#include <stdbool.h>

/* Takes out of what clang said, in place, that it ignores #pragma OPENCL EXTENSION for one of these
 * extensions, whose names are separated by spaces, and counts its warnings anew. */
void lw_cl_leave_pragmas_out(char *messages, const char *extensions);

#endif

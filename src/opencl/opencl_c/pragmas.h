/* SPDX-License-Identifier: MIT */
/* Warnings of clang's that are none here. */
#ifndef LW_OPENCL_PRAGMAS_H
#define LW_OPENCL_PRAGMAS_H

struct _cl_device_id;

/* Takes out of what clang said, in place, that it ignores #pragma OPENCL EXTENSION for an extension of the
 * device, and counts its warnings anew. */
void lw_cl_leave_pragmas_out(char *messages, const struct _cl_device_id *device);

#endif

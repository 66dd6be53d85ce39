/* SPDX-License-Identifier: MIT */
/* What clang said, as a program's log has it. */
#ifndef LW_OPENCL_MESSAGES_H
#define LW_OPENCL_MESSAGES_H

#include <stdbool.h>

struct _cl_device_id;

/* Did the compiler end by a fault of its own? Asked of messages that are not tidied yet. */
bool lw_cl_has_died(const char *messages);

/* In place: takes `folder` off the names of headers, the stack out of what a compiler that died said, and
 * what says that #pragma OPENCL EXTENSION is ignored for an extension of the device; counts the warnings
 * anew. */
void lw_cl_tidy_messages(char *messages, const char *folder, const struct _cl_device_id *device);

#endif

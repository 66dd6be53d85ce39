/* SPDX-License-Identifier: MIT */
/* Where an instance's code comes from: the disk cache, else the compiler. */
#ifndef LW_SRC_CODE_H
#define LW_SRC_CODE_H

#include "specialize.h"

/* Fills code, compiler, loaded and milliseconds, or error; on one thread per instance at a time. Counts in
 * kernel->info. */
bool lw_code_make(lw_kernel *kernel, struct lw_instance *instance);
void lw_code_free(struct lw_instance *instance);

#endif

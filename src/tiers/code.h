/* SPDX-License-Identifier: MIT */
/* Where an instance's code comes from: the disk cache, else the compiler. */
#ifndef LW_SRC_CODE_H
#define LW_SRC_CODE_H

#include "specialize.h"

/* Fills code, compiler, loaded, milliseconds and spent, or error; on one thread per instance at a time. */
bool lw_code_make(lw_device *device, struct lw_instance *instance, enum lw_haste haste);
/* The same where it is on disk; no error otherwise. */
bool lw_code_load(lw_device *device, struct lw_instance *instance);
void lw_code_free(struct lw_instance *instance);

#endif

/* SPDX-License-Identifier: MIT */
/* How much memory this process may use. */
#ifndef LW_SRC_MEMORY_H
#define LW_SRC_MEMORY_H

#include <stdint.h>

/* In all: the machine's, capped by the limits of the process's control groups. */
uint64_t lw_usable_memory(void);
/* So much more may be written before somebody is ended for want of memory; roughly. */
uint64_t lw_available_memory(void);
/* Written by this process, and its own; roughly. */
uint64_t lw_resident_memory(void);

#endif

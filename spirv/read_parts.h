/* SPDX-License-Identifier: MIT */
/* The steps of lw_module_read that have files of their own. */
#ifndef LW_SPIRV_READ_PARTS_H
#define LW_SPIRV_READ_PARTS_H

#include "module.h"

/* read_functions.c: functions[], blocks[], global_count; brackets checked. */
bool lw_read_functions(lw_module *m, lw_error *error);
/* Import names of functions; needs the decorations. */
void lw_read_imports(lw_module *m);
/* Ends a block. */
bool lw_is_terminator(uint32_t op);

/* read_decorations.c: decorations[] sorted, groups spread, first_decoration[]. */
bool lw_read_decorations(lw_module *m, lw_error *error);

/* blocks.c: the entry points of blocks, behind all others. */
bool lw_read_blocks(lw_module *m, lw_error *error);

/* read_kernel_facts.c: modes[] and arg_strings[]. */
bool lw_read_kernel_facts(lw_module *m, lw_error *error);

#endif

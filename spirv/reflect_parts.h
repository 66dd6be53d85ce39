/* SPDX-License-Identifier: MIT */
/* The steps of lw_reflect_kernel that have files of their own. */
#ifndef LW_SPIRV_REFLECT_PARTS_H
#define LW_SPIRV_REFLECT_PARTS_H

#include "reflect.h"
#include "uses.h"

/* reflect_args.c: args, arg_count, arg_bytes, info.arg_count. */
bool lw_reflect_args(const lw_module *m, struct lw_kernel_desc *desc, lw_error *error);
/* reflect_waits.c, reflect_widths.c: of each instruction. reflect_loops.c: of each function. */
void lw_reflect_waits(const lw_module *m, const struct lw_inst *inst, struct lw_kernel_desc *desc);
void lw_reflect_widths(const lw_module *m, const struct lw_inst *inst, struct lw_kernel_desc *desc);
void lw_reflect_loops(const lw_module *m, const struct lw_spirv_function *function,
                      struct lw_kernel_desc *desc);

/* Does the instruction load or store, or a function that it calls, as vload does, what other work-items could
 * see? How many bits at once, and of one component. */
bool lw_find_access(const lw_module *m, const struct lw_inst *inst, uint32_t *bits, uint32_t *element);

#endif

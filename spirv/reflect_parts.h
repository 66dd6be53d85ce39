/* SPDX-License-Identifier: MIT */
/* The steps of lw_reflect_kernel that have files of their own. */
#ifndef LW_SPIRV_REFLECT_PARTS_H
#define LW_SPIRV_REFLECT_PARTS_H

#include "reflect.h"
#include "uses.h"

/* reflect_args.c: args, arg_count, arg_bytes, info.arg_count. */
bool lw_reflect_args(const lw_module *m, struct lw_kernel_desc *desc, lw_error *error);
/* reflect_waits.c, reflect_loops.c: of each instruction, and of each function. */
void lw_reflect_waits(const lw_module *m, const struct lw_inst *inst, struct lw_kernel_desc *desc);
void lw_reflect_loops(const lw_module *m, const struct lw_spirv_function *function,
                      struct lw_kernel_desc *desc);

/* reflect.c: the widths of loads and stores that other work-items could see, and of those by vload and the
 * like and by atomics. */
void lw_reflect_access(const lw_module *m, const struct lw_inst *inst, struct lw_kernel_desc *desc);
void lw_reflect_hidden_access(const lw_module *m, const struct lw_inst *inst, struct lw_kernel_desc *desc);

#endif

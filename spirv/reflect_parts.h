/* SPDX-License-Identifier: MIT */
/* The steps of lw_reflect_kernel that have files of their own. */
#ifndef LW_SPIRV_REFLECT_PARTS_H
#define LW_SPIRV_REFLECT_PARTS_H

#include "reflect.h"
#include "uses.h"

/* reflect_args.c: args, arg_count, arg_bytes, info.arg_count. */
bool lw_reflect_args(const lw_module *m, struct lw_kernel_desc *desc, lw_error *error);

#endif

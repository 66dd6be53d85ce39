/* SPDX-License-Identifier: MIT */
#ifndef LW_VECTORIZER_LOCAL_LAYOUT_H
#define LW_VECTORIZER_LOCAL_LAYOUT_H

#include <llvm-c/Core.h>
#include <stdbool.h>

#include "../../spirv/reflect.h"
#include "../../src/compiler.h"
#include "explain.h"

/* Lays arrays in local memory out so that what each work-item reads of its own lies beside what the next one
 * reads (local_layout.c). false: out of memory. */
bool lw_lay_out_local(LLVMModuleRef module, const struct lw_kernel_desc *kernel, const struct lw_shape *shape,
                      struct lw_report *report);

#endif

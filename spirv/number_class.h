/* SPDX-License-Identifier: MIT */
/* Tests of a number's class as comparisons (number_class.c). */
#ifndef LW_SPIRV_NUMBER_CLASS_H
#define LW_SPIRV_NUMBER_CLASS_H

#include <stdbool.h>

#include <llvm-c/Core.h>

/* A call of llvm.is.fpclass, which LLVM makes of x > 0 && x < INFINITY: is x, or are its lanes, of one of the
 * classes, by at most two comparisons of x or of |x|, written before it. NULL: it is something else, or not
 * all that lies between two numbers, or all that does not, with every NaN or none. Where subnormal numbers
 * may count as zeros, they do. */
LLVMValueRef lw_compare_class(LLVMBuilderRef builder, LLVMValueRef call);

#endif

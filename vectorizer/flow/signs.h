/* SPDX-License-Identifier: MIT */
/* fabs of a product: the signs of its factors do not matter. */
#ifndef LW_VECTORIZER_SIGNS_H
#define LW_VECTORIZER_SIGNS_H

#include <llvm-c/Core.h>

/* fabs(x * -c) becomes fabs(x * c), so that what is made of |x * c| and of |x * -c| is seen to be one: LLVM
 * 22 does so for a negation, not for a negative constant. Even functions of built-ins begin with fabs. */
void lw_forget_signs(LLVMModuleRef module);

#endif

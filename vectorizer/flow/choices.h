/* SPDX-License-Identifier: MIT */
#ifndef LW_VECTORIZER_CHOICES_H
#define LW_VECTORIZER_CHOICES_H

#include <stdbool.h>
#include <llvm-c/Core.h>
#include "../../src/compiler.h"

/* Makes choices of small arms that only compute, see choices.c. Enters: lw.kernel in canonical form, in which
 * it stays. Out of memory leaves it as it is. */
void lw_make_choices(LLVMModuleRef module, const struct lw_shape *shape);

#endif

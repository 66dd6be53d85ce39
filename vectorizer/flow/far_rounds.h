/* SPDX-License-Identifier: MIT */
/* Loops whose rounds lie far apart in memory: all sub-groups go through a round before any goes on. */
#ifndef LW_VECTORIZER_FAR_ROUNDS_H
#define LW_VECTORIZER_FAR_ROUNDS_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include "../../src/compiler.h"

struct lw_report; /* widen/explain.h */

/* Enters: lw.kernel in canonical form. Leaves: true where code was written, and then the form is to be made
 * again. */
bool lw_join_far_rounds(LLVMModuleRef module, const struct lw_shape *shape, struct lw_report *report);

#endif

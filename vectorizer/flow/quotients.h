/* SPDX-License-Identifier: MIT */
/* Indices that are taken apart by / and %: code of their own for sub-groups that lie in one row. */
#ifndef LW_VECTORIZER_QUOTIENTS_H
#define LW_VECTORIZER_QUOTIENTS_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include "../../src/compiler.h"

/* Enters: lw.kernel in canonical form. Leaves: true where code was written, and then the form is to be made
 * again: there may be more to do. */
bool lw_split_quotients(LLVMModuleRef module, const struct lw_shape *shape);

#endif

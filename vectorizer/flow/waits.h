/* SPDX-License-Identifier: MIT */
/* Loops that wait for what others write: where they go round, the others get their turn. */
#ifndef LW_VECTORIZER_WAITS_H
#define LW_VECTORIZER_WAITS_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include "../../src/compiler.h"

/* void lw.sg.yield(i1 goes round, i1 constant: work-items of one sub-group may wait for each other) */
#define LW_YIELD "lw.sg.yield"

/* Before lanes are made of lw.kernel and the functions that are kept. false: no memory, or no canonical form. */
bool lw_mark_waits(LLVMModuleRef module, const struct lw_shape *shape);

#endif

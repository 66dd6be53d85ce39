/* SPDX-License-Identifier: MIT */
/* Loops that wait for what others write: where they go round, the others get their turn. */
#ifndef LW_VECTORIZER_WAITS_H
#define LW_VECTORIZER_WAITS_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include "../../spirv/arena.h"
#include "../facts/model.h"
#include "../../src/compiler.h"

/* Before lanes are made of lw.kernel and the functions that are kept. false: no memory, or no canonical
 * form. */
bool lw_mark_waits(LLVMModuleRef module, const struct lw_shape *shape);
/* By loop: it waits for what others write; and one work-item of the sub-group does, in its condition's
 * words. */
void lw_find_waiting(struct lw_arena *arena, const struct lw_model *model, const struct lw_shape *shape,
                     bool *waiting, bool *for_one);

#endif

/* SPDX-License-Identifier: MIT */
/* LLVM's passes over programs in whose loops work-items of a sub-group meet. */
#ifndef LW_PRODUCER_MEETINGS_H
#define LW_PRODUCER_MEETINGS_H

#include "legal.h"
#include "vectorizer/flow/held_loops.h"

#include <llvm-c/TargetMachine.h>

/* What clang's own passes would do of `level` ("O2"), but that those who meet in the source meet behind it.
 * Enters: what clang has written before any pass, with names. NULL, or what went wrong (not the caller's). */
const char *lw_optimize_meetings(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *level);

/* breaks.c */
void lw_change_breaks(struct lw_arena *arena, LLVMValueRef function, const struct lw_telling *telling);

#endif

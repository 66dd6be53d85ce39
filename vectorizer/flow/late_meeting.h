/* SPDX-License-Identifier: MIT */
/* Lanes that wait for each other meet again late: behind what the ones that got on write for the others. */
#ifndef LW_VECTORIZER_LATE_MEETING_H
#define LW_VECTORIZER_LATE_MEETING_H

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <stdbool.h>
#include "../../src/compiler.h"

/* Of lw.kernel in canonical form, which it keeps. */
bool lw_meet_late(LLVMModuleRef module, LLVMTargetMachineRef machine, const struct lw_shape *shape,
                  lw_error *error);

#endif

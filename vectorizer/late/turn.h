/* SPDX-License-Identifier: MIT */
#ifndef LW_VECTORIZER_TURN_H
#define LW_VECTORIZER_TURN_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <lanewise/lanewise.h>

/* Loops over sub-groups that exchange lanes: a vector of each lane instead of one of each sub-group (turn.c).
 * *changed: wants a clean-up behind it. false: out of memory. */
bool lw_turn_sub_groups(LLVMModuleRef module, lw_isa isa, bool *changed);

#endif

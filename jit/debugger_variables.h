/* SPDX-License-Identifier: MIT */
/* Where the lanes of the source's variables are, for a debugger; see debugger_variables.c. */
#ifndef LW_JIT_DEBUGGER_VARIABLES_H
#define LW_JIT_DEBUGGER_VARIABLES_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <stdbool.h>

struct lw_variables;

/* An instruction whose debug location has this column is marked, before its location goes. */
void lw_mark_variable_store(LLVMModuleRef module, LLVMValueRef instruction, unsigned column);
/* Once they are marked, while instructions have their locations. */
void lw_cut_behind_variables(LLVMModuleRef module);
/* Of a function; `file`, `scope` for all of them. NULL: no memory. Free it. */
struct lw_variables *lw_variables_of(LLVMValueRef function, LLVMDIBuilderRef builder, LLVMMetadataRef scope,
                                     LLVMMetadataRef file);
/* In this block, whose instructions are at `location`: from its begin on those that are known there, and from
 * each store of one on that one. */
void lw_tell_variables(struct lw_variables *variables, LLVMBasicBlockRef block, LLVMMetadataRef location);
void lw_free_variables(struct lw_variables *variables);

#endif

/* SPDX-License-Identifier: MIT */
/* What debuggers are told of variables: their names and types; see debugger_types.c. */
#ifndef LW_JIT_DEBUGGER_TYPES_H
#define LW_JIT_DEBUGGER_TYPES_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stdint.h>

enum { LW_MOST_VARIABLES = 1024 };

/* A name with one type of value; the same variable may have several. */
struct lw_variable {
    LLVMValueRef name, encoding, line, pointee; /* of the row in LW_VARIABLES; pointee: NULL, none is told */
    LLVMTypeRef type;
    bool part; /* of a vector, an array or a structure */
    LLVMValueRef slot;
    /* Filled by lw_describe_variables: */
    LLVMMetadataRef described; /* the variable, or the one that it is a part of; NULL: it is not shown */
    uint64_t offset, bits;     /* of the part in it, `bits` 0: it is all of it */
};

struct lw_describer {
    LLVMDIBuilderRef builder;
    LLVMMetadataRef scope, file;
    LLVMTargetDataRef layout;
};

bool lw_is_part(LLVMValueRef name); /* as "v.x" or "a[2]" is */
/* Parts of one variable are described together, in whichever place they stand. */
void lw_describe_variables(const struct lw_describer *d, struct lw_variable *list, unsigned count);

#endif

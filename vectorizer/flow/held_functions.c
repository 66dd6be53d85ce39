/* SPDX-License-Identifier: MIT */
/* What held_loops.c asks of the functions that a kernel's IR calls: spirv/intrinsics.def has it. */
#include "held_loops.h"

#include "../../spirv/intrinsics.h"

#include <string.h>

static bool
tells(LLVMValueRef function)
{
    size_t length;
    const struct lw_call_row *row = lw_find_call(LLVMGetValueName2(function, &length));

    return row && row->effect == LW_DOES_TELLS && row->meets == LW_MEETS_SUB_GROUP;
}

static enum lw_result
result_of(LLVMValueRef function)
{
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    const struct lw_call_row *row = lw_find_call(name);

    if (!row) /* LLVM's intrinsics with results compute */
        return strncmp(name, "llvm.", 5) == 0 ? LW_RESULT_OF_OPERANDS : LW_RESULT_OWN;
    return row->same >= LW_SAME_SUB_GROUP    ? LW_RESULT_SAME
           : row->same == LW_SAME_OPERANDS ? LW_RESULT_OF_OPERANDS
                                           : LW_RESULT_OWN;
}

static bool
is_kernel(LLVMValueRef function)
{
    size_t length;
    return strcmp(LLVMGetValueName2(function, &length), "lw.kernel") == 0;
}

const struct lw_functions lw_kernel_functions = {tells, result_of, is_kernel};

/* SPDX-License-Identifier: MIT */
/* LLVM's passes over programs in whose loops work-items of a sub-group meet: see meetings.h.
 *
 * Why: to clang's passes a loop's last round is as well done behind it, and a test that is known on some way
 * is left out there. Both change who comes together to sub_group_ballot and its like: loops that serve one
 * key a round then serve all at once (breaks.c, held_loops.c).
 */
#include "meetings.h"

#include "telling.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>

static bool
tells(V function)
{
    size_t length;
    return lw_names_telling(LLVMGetValueName2(function, &length));
}

static enum lw_result
result_of(V function)
{
    static const char *const same[] = {"sub_group_balloti",   "sub_group_broadcast", "sub_group_any",
                                       "sub_group_all",       "sub_group_reduce_",   "non_uniform_any",
                                       "non_uniform_all",     "non_uniform_reduce_", "get_sub_group_size",
                                       "get_sub_group_id",    "get_local_size",      "get_group_id",
                                       "get_max_sub_group_size"};
    static const char *const computes[] = {"llvm.", "sub_group_ballot_bit_count", "sub_group_ballot_find_"};
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    enum lw_result result = LW_RESULT_OWN;
    for (size_t k = 0; k < sizeof computes / sizeof computes[0]; k++)
        result = strstr(name, computes[k]) ? LW_RESULT_OF_OPERANDS : result;
    for (size_t k = 0; k < sizeof same / sizeof same[0]; k++)
        result = strstr(name, same[k]) ? LW_RESULT_SAME : result;
    return result;
}

/* Or what clang calls from it, of the same parameters. */
static bool
is_kernel(V function)
{
    static const char body[] = "__clang_ocl_kern_imp_";
    size_t length;
    return LLVMGetFunctionCallConv(function) == LLVMSPIRKERNELCallConv ||
           strncmp(LLVMGetValueName2(function, &length), body, strlen(body)) == 0;
}

static const struct lw_functions functions = {tells, result_of, is_kernel};

static void
change_all(struct lw_arena *arena, void *data)
{
    struct lw_telling telling;
    lw_find_telling(arena, data, tells, &telling);
    for (uint32_t k = 0; k < telling.count; k++)
        if (LLVMCountBasicBlocks(telling.functions[k]))
            lw_change_breaks(arena, telling.functions[k], &telling);
}

static bool
run(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *passes)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetLoopVectorization(options, false);
    LLVMPassBuilderOptionsSetSLPVectorization(options, false);
    LLVMErrorRef failed = LLVMRunPasses(module, passes, machine, options);
    LLVMDisposePassBuilderOptions(options);
    LLVMConsumeError(failed);
    return !failed;
}

const char *
lw_optimize_meetings(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *level)
{
    char passes[32];
    snprintf(passes, sizeof passes, "default<%s>", level);
    if (!lw_with_arena(change_all, module))
        return "no memory";
    if (LLVMVerifyModule(module, LLVMReturnStatusAction, NULL))
        return "a value goes along on the way out of a loop";
    if (!run(module, machine, "function(sroa,early-cse<memssa>)"))
        return "LLVM's passes failed";
    if (!lw_hold_loops(module, &functions))
        return "no memory";
    bool good = run(module, machine, passes);
    lw_release_loops(module);
    return good ? NULL : "LLVM's passes failed";
}

/* SPDX-License-Identifier: MIT */
/* LLVM's passes: which ones, where, in one place. */
#include "jit.h"
#include "../vectorizer/facts/instructions.h"

#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <string.h>

/* Written out in a pipeline, instcombine would abort where it needs a second round. */
#define INSTCOMBINE "instcombine<no-verify-fixpoint>"
/* Before vectorizing, common code of two arms is better left in place, and lookup tables become gathers. */
#define SIMPLIFY_SCALAR                                                                                      \
    "simplifycfg<no-hoist-common-insts;no-sink-common-insts;no-switch-to-lookup;"                            \
    "bonus-inst-threshold=6>"

/* Behind sroa: what other passes know of poison ends with its block. */
#define JOIN_PIECES                                                                                          \
    "function(simplifycfg<no-hoist-common-insts;no-sink-common-insts;no-switch-to-lookup;"                   \
    "no-speculate-blocks;bonus-inst-threshold=0>)"

#define SCALAR_SSA "sroa<modify-cfg>,early-cse<memssa>," SIMPLIFY_SCALAR "," INSTCOMBINE
#define SCALAR_END "gvn<no-pre;no-load-pre>,adce," SIMPLIFY_SCALAR
#define SCALAR_UNROLL "loop-simplify,lcssa,loop(loop-deletion,loop-unroll-full)"
#define SCALAR_LOOPS "sroa<modify-cfg>,early-cse<memssa>," INSTCOMBINE "," SIMPLIFY_SCALAR "," SCALAR_END

#define CLEAN_SUBGROUP "function(sroa,early-cse<memssa>," INSTCOMBINE ",simplifycfg,adce),globaldce"
#define JOIN_BLOCKS "function(simplifycfg<no-speculate-blocks>),"

static const char *const pipelines[] = {
    [LW_CLEAN_INLINE] = "always-inline,globaldce",

    [LW_CLEAN_VALUES] = "function(sroa,early-cse<memssa>)",

    /* No pass here copies barriers or collectives (they are noduplicate), or rotates loops; simplifycfg leads
     * ways around tests that are known on them, but for those that lw_hold_loops holds. */
    [LW_CLEAN_SSA] = "function(" SCALAR_SSA ",loop-simplify,lcssa)",

    /* Loops with small constant counts are unrolled, so that private arrays fall apart into values, and
     * loop-deletion opens those that the shape's facts let run once. indvars would make new counters of lane
     * ids where a lane id plus a counter stood. */
    [LW_CLEAN_LOOPS] = "function(" SCALAR_UNROLL "," SCALAR_LOOPS "),globaldce",
    /* Loops of at most eight rounds too, however many each work-item takes: what fills a tile with a margin.
     */
    [LW_CLEAN_ROUNDS] =
        "function(" SCALAR_UNROLL
        ",loop-unroll<O2;upperbound;no-partial;no-runtime;no-peeling;no-profile-peeling>," SCALAR_LOOPS
        "),globaldce",
    [LW_CLEAN_STRAIGHT] = "function(" SCALAR_END "),globaldce",

    [LW_CLEAN_FIRST] = "function(sroa,early-cse<memssa>,adce)",
    /* LLVM 22's code generation reads the wrong lane of a vpermq by a constant that instcombine has not made
     * a shuffle of. */
    [LW_OPTIMIZE_FIRST] = "function(sroa,early-cse<memssa>," INSTCOMBINE ",adce)",
    [LW_CLEAN_SUBGROUP] = CLEAN_SUBGROUP,
    /* Predicated code is blocks one behind the other. As one block sroa need not look, for each variable, at
     * all that its first store dominates. */
    [LW_CLEAN_LARGE] = JOIN_BLOCKS CLEAN_SUBGROUP,
    /* LW_OPTIMIZE_HUGE combines instructions soon enough, if not as quickly where private arrays are many. */
    [LW_CLEAN_ENORMOUS] = JOIN_BLOCKS "function(sroa,early-cse<memssa>,simplifycfg,adce),globaldce",

    [LW_OPTIMIZE_MASKED] = "function(sroa,early-cse<memssa>," INSTCOMBINE ",simplifycfg,loop-mssa(licm),"
                           "early-cse,adce)",
    /* Nothing goes in front of loops: thousands of values that live from there on are stored and read again.
     */
    [LW_OPTIMIZE_HUGE] = "function(sroa,early-cse<memssa>," INSTCOMBINE ",simplifycfg,early-cse,adce)",

    /* No loop-vectorize or slp-vectorize: the lanes are laid out. GVN in place of the second early-cse
     * gives the same code, in more time. Short loops are copied for each side of a condition that does not
     * change in them: what the sides read, or inner loops of no round, goes in front of them then. */
    [LW_OPTIMIZE_SPECIAL] =
        "function(sroa,early-cse<memssa>," INSTCOMBINE ",simplifycfg,"
        "loop-mssa(licm,simple-loop-unswitch<nontrivial>),"
        "early-cse<memssa>,infer-alignment,vector-combine,dse," INSTCOMBINE ",simplifycfg,adce)",

    /* Lanes are as good as any other rounds here, and loops are unrolled when all is folded that can be.
     * Never slp-vectorize: LLVM 22's takes products of signed and unsigned bytes for narrower numbers than
     * they are (test `language one lane dots`). */
    [LW_OPTIMIZE_SCALAR] =
        "function(loop-simplify,lcssa,loop-vectorize," INSTCOMBINE ",simplifycfg,vector-combine," INSTCOMBINE
        ",loop-mssa(licm),early-cse,simplifycfg,adce,loop-unroll<O3>)",

    [LW_CLEAN_SAME] = "function(loop-simplify,lcssa,loop-mssa(licm))",
    [LW_CLEAN_LOOP_FORM] = "function(loop-simplify)",
};

static bool
run(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *passes, lw_error *error)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();

    LLVMErrorRef failed = LLVMRunPasses(module, passes, machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (!failed)
        return true;
    char *message = LLVMGetErrorMessage(failed); /* consumes it */
    lw_jit_fail(error, LW_INTERNAL, "LLVM's passes: %s", message);
    LLVMDisposeErrorMessage(message);
    return false;
}

/* Up to the next comma, or closing parenthesis, outside any that opens on the way. */
static size_t
pass_length(const char *at)
{
    size_t n = 0;

    for (int depth = 0; at[n] && (depth || (at[n] != ',' && at[n] != ')')); n++)
        depth += (at[n] == '(') - (at[n] == ')');
    return n;
}

/* Of a large module instcombine and early-cse do not see what they would look at again and again, and sroa
 * sees no long blocks. */
static bool
run_one(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *pass, bool large, lw_error *error)
{
    bool instcombine = strstr(pass, "instcombine"), cse = large && strstr(pass, "early-cse");
    bool cut = large && strstr(pass, "sroa");

    if (instcombine)
        lw_hide_what_goes_wrong(module);
    if (instcombine && large)
        lw_hide_from_instcombine(module);
    if (cse)
        lw_hide_freezes(module);
    if (cut)
        lw_cut_blocks(module, false, true);
    bool good = run(module, machine, pass, error) && (!cut || run(module, machine, JOIN_PIECES, error));
    if (instcombine || cse)
        lw_show_again(module);
    return good;
}

/* Passes over functions one by one, passes over the module as they stand. */
bool
lw_optimize_each(LLVMModuleRef module, LLVMTargetMachineRef machine, enum lw_clean what, bool large,
                 bool (*after)(void *data, const char *pass), void *data, lw_error *error)
{
    static const char open[] = "function(";
    char pass[400];
    bool inside = false;

    for (const char *at = pipelines[what]; *at;) {
        if (!inside && strncmp(at, open, sizeof open - 1) == 0) {
            inside = true;
            at += sizeof open - 1;
            continue;
        }
        int length = (int)pass_length(at);
        snprintf(pass, sizeof pass, inside ? "function(%.*s)" : "%.*s", length, at);
        if (!run_one(module, machine, pass, large, error) || !after(data, pass))
            return false;
        at += length;
        inside = inside && *at != ')';
        at += *at == ')';
        at += *at == ',';
    }
    return true;
}

static bool
go_on(void *data, const char *pass)
{
    (void)data, (void)pass;
    return true;
}

/* loop-vectorize makes masked loads, which are to be hidden from the instcombine behind it, too. */
bool
lw_optimize(LLVMModuleRef module, LLVMTargetMachineRef machine, enum lw_clean what, lw_error *error)
{
    if (what == LW_OPTIMIZE_SCALAR)
        return lw_optimize_each(module, machine, what, false, go_on, NULL, error);
    lw_hide_what_goes_wrong(module);
    bool good = run(module, machine, pipelines[what], error);
    lw_show_again(module);
    return good;
}

#define MOST_STRAIGHT 64

/* Do all branches of the function go forward, in a list of at most MOST_STRAIGHT blocks? Then it has no loop.
 */
static bool
goes_forward(LLVMValueRef function)
{
    LLVMBasicBlockRef blocks[MOST_STRAIGHT];
    unsigned count = LLVMCountBasicBlocks(function);

    if (count > MOST_STRAIGHT)
        return false;
    LLVMGetBasicBlocks(function, blocks);
    for (unsigned b = 0; b < count; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(blocks[b]);
        for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++)
            for (unsigned before = 0; before <= b; before++)
                if (LLVMGetSuccessor(end, k) == blocks[before])
                    return false;
    }
    return true;
}

bool
lw_is_straight(LLVMModuleRef module)
{
    LLVMValueRef kernel = LLVMGetNamedFunction(module, "lw.kernel");

    if (!kernel || LLVMIsDeclaration(kernel) || !goes_forward(kernel))
        return false;
    for (LLVMValueRef i = lw_first_instruction(kernel); i; i = lw_next_instruction(i))
        if (LLVMIsAAllocaInst(i))
            return false;
    return true;
}

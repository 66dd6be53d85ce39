/* SPDX-License-Identifier: MIT */
/* Brings lw.kernel into canonical form with LLVM's passes and proves it, see canonical.h.
 *
 * Enters: a module whose lw.kernel has every call inlined but lw.*, LLVM intrinsics and functions that are
 * kept (kept.h), which come out in the same form, each with its one return.
 * Leaves: what canonical.h says; hints (assume, lifetimes) are gone, since they would lie for inactive lanes.
 * Relies on: nothing. Never: runs a pass that copies or merges calls.
 *
 *   switch, several returns, memcpy      ->      br, one `ret void`, loads and stores
 *
 * The order is forced: edges are split before lcssa, because a block put on an exit edge would stand between
 * a loop and its LCSSA phis.
 */
#include "canonical.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "addresses.h"
#include "critical_edges.h"
#include "expand_memory.h"
#include "many_exits.h"
#include "webs.h"
#include "../facts/instructions.h"
#include "../facts/kept.h"
#include "../facts/model.h"

/* First of all, blocks that are never reached go. */
#define CLEAN "function(simplifycfg<no-hoist-common-insts;no-sink-common-insts;no-switch-to-lookup>)"
#define ONE_RETURN "lower-switch,mergereturn"
#define FORM "function(loop-simplify,invalidate<all>,break-crit-edges,invalidate<all>,loop-simplify,lcssa)"
#define LARGE_BLOCKS 100 /* from which on critical_edges.h splits edges */

__attribute__((format(printf, 3, 4))) static bool
fail(lw_error *error, lw_status status, const char *format, ...)
{
    if (error) {
        va_list args;
        *error = (lw_error){.status = status};
        va_start(args, format);
        vsnprintf(error->text, sizeof error->text, format, args);
        va_end(args);
    }
    return false;
}

/* Over `function`: those that are kept as calls lie beside it, and have their own turn. */
static bool
run_passes(LLVMValueRef function, LLVMTargetMachineRef machine, const char *passes, lw_error *error)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef failed = LLVMRunPassesOnFunction(function, passes, machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (!failed)
        return true;
    char *message = LLVMGetErrorMessage(failed);
    fail(error, LW_INTERNAL, "canonical form: LLVM's passes: %s", message);
    LLVMDisposeErrorMessage(message);
    return false;
}

/* ---- Calls ---- */

static bool
is_hint(const char *name)
{
    static const char *const hints[] = {"llvm.assume",
                                        "llvm.lifetime.",
                                        "llvm.donothing",
                                        "llvm.sideeffect",
                                        "llvm.experimental.noalias.scope.decl",
                                        "llvm.dbg.",
                                        "llvm.prefetch",
                                        "llvm.var.annotation",
                                        "llvm.pseudoprobe",
                                        "llvm.invariant.end"};
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strncmp(name, hints[i], strlen(hints[i])) == 0)
            return true;
    return false;
}

/* `zext nneg` says that lanes are not negative, which lies for lanes that a guard keeps from using the
 * result. `sext` gives the same to the others, and stays exact for lane ids that go below zero. Which it is
 * stays told by a mark. */
static void
replace_zext(LLVMValueRef zext)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(zext)));
    LLVMPositionBuilderBefore(builder, zext);
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(zext));
    LLVMValueRef sext = LLVMBuildSExt(builder, LLVMGetOperand(zext, 0), LLVMTypeOf(zext), "");
    if (LLVMIsAInstruction(sext))
        LLVMSetMetadata(sext, LLVMGetMDKindIDInContext(context, LW_NATURAL, sizeof LW_NATURAL - 1),
                        LLVMMDNodeInContext(context, NULL, 0));
    lw_replace(zext, sext);
    LLVMDisposeBuilder(builder);
}

static bool
clean_call(struct lw_expansion *x, LLVMValueRef i, lw_error *error)
{
    LLVMValueRef callee = LLVMGetCalledValue(i);
    size_t length;
    const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : NULL;
    if (!name)
        return fail(error, LW_INTERNAL, "the kernel calls through a pointer to a function");
    if (LLVMCountBasicBlocks(callee) != 0 && !lw_is_kept(callee))
        return fail(error, LW_INTERNAL, "the call of %s was not inlined", name);
    if (strncmp(name, "llvm.expect.", 12) == 0)
        LLVMReplaceAllUsesWith(i, LLVMGetOperand(i, 0));
    if (is_hint(name) || strncmp(name, "llvm.expect.", 12) == 0)
        LLVMInstructionEraseFromParent(i);
    else
        lw_expand_memory_call(x, i);
    return true;
}

/* Erases hints, expands memory intrinsics, refuses calls that inlining should have removed. */
static bool
clean_instructions(struct lw_expansion *x, LLVMValueRef kernel, lw_error *error)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            bool zext = LLVMIsAZExtInst(i) && LLVMGetNNeg(i);
            if (zext)
                replace_zext(i);
            else if (LLVMIsAStoreInst(i))
                lw_expand_constant_store(x, i);
            else if (LLVMIsACallInst(i) && !clean_call(x, i, error))
                return false;
        }
    return true;
}

/* ---- One way out ---- */

static void
build_return(LLVMBuilderRef builder, LLVMValueRef function)
{
    LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(function));
    if (LLVMGetTypeKind(type) == LLVMVoidTypeKind)
        LLVMBuildRetVoid(builder);
    else
        LLVMBuildRet(builder, LLVMConstNull(type));
}

static void
replace_unreachable(LLVMValueRef kernel)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(kernel)));
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        if (!end || LLVMGetInstructionOpcode(end) != LLVMUnreachable)
            continue;
        LLVMInstructionEraseFromParent(end);
        LLVMPositionBuilderAtEnd(builder, b);
        build_return(builder, kernel);
    }
    LLVMDisposeBuilder(builder);
}

/* i1 that is false, which no pass before the work-group function can see: lw.work_dim() is never 0. */
static LLVMValueRef
build_never(LLVMModuleRef module, LLVMBuilderRef builder)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetModuleContext(module));
    LLVMTypeRef type = LLVMFunctionType(i64, NULL, 0, false);
    LLVMValueRef function = LLVMGetNamedFunction(module, LW_NEVER_ZERO);
    if (!function)
        function = LLVMAddFunction(module, LW_NEVER_ZERO, type);
    LLVMValueRef dim = LLVMBuildCall2(builder, type, function, NULL, 0, "");
    return LLVMBuildICmp(builder, LLVMIntEQ, dim, LLVMConstInt(i64, 0, false), "never");
}

/* Ends `block` with a way to `out` that is never taken. Its successors' phis stay as they are. */
static void
add_way_out(LLVMModuleRef module, LLVMBasicBlockRef block, LLVMBasicBlockRef out)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    LLVMTypeRef i8 = LLVMInt8TypeInContext(context);
    LLVMPositionBuilderBefore(builder, end);
    LLVMValueRef never = build_never(module, builder);
    if (LLVMGetNumSuccessors(end) == 1) {
        LLVMBuildCondBr(builder, never, out, LLVMGetSuccessor(end, 0));
    } else {
        LLVMValueRef way = LLVMBuildZExt(builder, LLVMGetCondition(end), i8, "");
        way = LLVMBuildSelect(builder, never, LLVMConstInt(i8, 2, false), way, "");
        LLVMValueRef ways = LLVMBuildSwitch(builder, way, LLVMGetSuccessor(end, 0), 2);
        LLVMAddCase(ways, LLVMConstInt(i8, 0, false), LLVMGetSuccessor(end, 1));
        LLVMAddCase(ways, LLVMConstInt(i8, 2, false), out);
    }
    LLVMInstructionEraseFromParent(end);
    LLVMDisposeBuilder(builder);
}

/* Loops that are never left get a way out to a return. */
static bool
open_endless_loops(LLVMModuleRef module, LLVMValueRef kernel, lw_error *error)
{
    const char *why;
    LLVMContextRef context = LLVMGetModuleContext(module);
    struct lw_model *m = lw_model_build(kernel, &why);
    if (!m)
        return fail(error, LW_INTERNAL, "canonical form: %s", why);
    char *reached = calloc(m->block_count, 1);
    uint32_t *stack = malloc((size_t)m->block_count * sizeof *stack);
    LLVMBasicBlockRef out = NULL;
    for (uint32_t round = 0; reached && stack && round < 2 * m->block_count; round++) {
        uint32_t b = round < m->block_count ? round : 2 * m->block_count - 1 - round;
        bool returns = m->blocks[b].succ_count == 0;
        if (reached[b] || (round < m->block_count && !returns))
            continue; /* first the returns, then the others from the last one on */
        if (!returns) {
            if (!out) {
                LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
                out = LLVMAppendBasicBlockInContext(context, kernel, "never");
                LLVMPositionBuilderAtEnd(builder, out);
                build_return(builder, kernel);
                LLVMDisposeBuilder(builder);
            }
            add_way_out(module, m->blocks[b].ref, out);
        }
        lw_mark_ways_to(m, b, reached, stack);
    }
    bool done = reached && stack;
    free(reached);
    free(stack);
    lw_model_free(m);
    return done || fail(error, LW_OUT_OF_MEMORY, "canonical form: out of memory");
}

/* ---- Proof ---- */

/* The first thing that is not as canonical.h says; NULL where all is. */
static const char *
find_defect(const struct lw_model *m)
{
    for (uint32_t b = 0; b < m->block_count; b++) {
        const struct lw_vblock *block = &m->blocks[b];
        LLVMOpcode op = LLVMGetInstructionOpcode(LLVMGetBasicBlockTerminator(block->ref));
        if (op != LLVMBr && op != LLVMRet)
            return "a block ends neither with a branch nor with a return";
        for (uint32_t k = 0; k < block->succ_count && block->succ_count > 1; k++)
            if (m->blocks[block->succs[k]].pred_count > 1 &&
                (block->loop == LW_NONE || lw_loop_contains(m, block->loop, block->succs[k])))
                return "a critical edge";
        if (block->loop == LW_NONE)
            continue;
        for (uint32_t v = block->first_value; v < block->value_end; v++)
            for (LLVMUseRef use = LLVMGetFirstUse(m->values[v]); use; use = LLVMGetNextUse(use)) {
                LLVMValueRef user = LLVMGetUser(use);
                uint32_t at = lw_block_id_of(m, user);
                if (at != LW_NONE && !lw_loop_contains(m, block->loop, at) && !LLVMIsAPHINode(user))
                    return "a value leaves a loop without a phi";
            }
    }
    for (uint32_t l = 0; l < m->loop_count; l++)
        for (uint32_t e = 0; e < m->loops[l].exit_count; e++) {
            const struct lw_vblock *out = &m->blocks[m->loops[l].exit_edges[2 * e + 1]];
            for (uint32_t k = 0; k < out->pred_count; k++)
                if (!lw_loop_contains(m, l, out->preds[k]))
                    return "a loop's exit is shared with other blocks";
        }
    return NULL;
}

/* The function's first defect; NULL: none. `whole`: as canonical.h says, not only what the model asks for. */
static const char *
why_not(LLVMValueRef kernel, bool whole)
{
    const char *why = NULL;
    if (whole && LLVMVerifyFunction(kernel, LLVMReturnStatusAction))
        return "LLVM's passes broke the function";
    struct lw_model *m = lw_model_build(kernel, &why);
    if (m && whole)
        why = find_defect(m);
    lw_model_free(m);
    return why;
}

/* Branches, and one return: nothing for ONE_RETURN to do. */
static bool
has_one_return(LLVMValueRef kernel)
{
    unsigned returns = 0;

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        if (LLVMIsAReturnInst(end))
            returns++;
        else if (!LLVMIsABranchInst(end))
            return false;
    }
    return returns == 1;
}

/* Makes the control flow reducible, where it is not. Relies on simplified loops. */
static bool
reduce(LLVMTargetMachineRef machine, LLVMValueRef kernel, lw_error *error)
{
    if (!why_not(kernel, false))
        return true;
    if (!run_passes(kernel, machine, "function(reg2mem)", error))
        return false;
    if (!lw_flatten_webs(kernel))
        return fail(error, LW_OUT_OF_MEMORY, "canonical form: out of memory");
    if (!run_passes(kernel, machine, "function(lower-switch,loop-simplify)", error))
        return false;
    const char *why = why_not(kernel, false);
    if (why)
        return fail(error, LW_INTERNAL, "canonical form: %s", why);
    return run_passes(kernel, machine, "function(mem2reg,dce)", error);
}

/* One block has no branch that the passes over control flow could see; each call of LLVM's has a price. */
static bool
run_control_flow_passes(LLVMTargetMachineRef machine, LLVMValueRef kernel, const char *passes,
                        lw_error *error)
{
    return LLVMCountBasicBlocks(kernel) == 1 || run_passes(kernel, machine, passes, error);
}

/* Loops that stand for copies of memory are functions of their own up to here. */
static bool
inline_copies(LLVMModuleRef module, LLVMTargetMachineRef machine, lw_error *error)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef failed = LLVMRunPasses(module, "always-inline", machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (!failed)
        return true;
    LLVMConsumeError(failed);
    return fail(error, LW_INTERNAL, "canonical form: copies of memory are not inlined");
}

/* Tells whoever asked of a transformation that is done; `good`: it was. */
static bool
done(const struct lw_after *after, bool good, const char *transformation)
{
    return good && (!after || after->step(after->data, transformation));
}

static bool
wants(const struct lw_after *after, const char *row)
{
    return !after || after->wants(after->data, row);
}

/* Does `change` what it says to the function's model? */
static bool
change_flow(LLVMValueRef kernel, bool (*change)(const struct lw_model *m, bool *changed), bool *changed,
            lw_error *error)
{
    const char *why;
    struct lw_model *m = lw_model_build(kernel, &why);
    if (!m)
        return fail(error, LW_INTERNAL, "canonical form: %s", why);
    bool good = change(m, changed);
    lw_model_free(m);
    return good || fail(error, LW_OUT_OF_MEMORY, "canonical form: out of memory");
}

/* Loops, edges and LCSSA as canonical.h has them. */
static bool
run_form(LLVMTargetMachineRef machine, LLVMValueRef kernel, const struct lw_after *after, lw_error *error)
{
    static const char form[] = "function(loop-simplify,lcssa)";
    bool changed = false, large = LLVMCountBasicBlocks(kernel) >= LARGE_BLOCKS;
    bool join = large && wants(after, "many_exits"), split = large && wants(after, "critical_edges");
    if ((join || split) && !run_passes(kernel, machine, form, error))
        return false;
    if (join && !change_flow(kernel, lw_join_many_exits, &changed, error))
        return false;
    if (changed && !run_passes(kernel, machine, "function(lower-switch,loop-simplify)", error))
        return false;
    return split ? change_flow(kernel, lw_split_critical_edges, &changed, error) &&
                       run_passes(kernel, machine, form, error)
                 : run_control_flow_passes(machine, kernel, FORM, error);
}

static bool
canonicalize(LLVMModuleRef module, LLVMValueRef kernel, LLVMTargetMachineRef machine,
             const struct lw_after *after, lw_error *error)
{
    struct lw_expansion expansion = {.module = module};
    if (!done(after, run_control_flow_passes(machine, kernel, CLEAN, error), CLEAN) ||
        !done(after, clean_instructions(&expansion, kernel, error), "clean_instructions"))
        return false;
    if (expansion.loops && !done(after, inline_copies(module, machine, error), "inline_copies"))
        return false;
    static const char values[] = "function(sroa<modify-cfg>,early-cse)",
                      one_return[] = "function(" ONE_RETURN ")";
    if (expansion.changed && !done(after, run_passes(kernel, machine, values, error), values))
        return false;
    replace_unreachable(kernel);
    if (!done(after, true, "replace_unreachable") ||
        !done(after,
              run_control_flow_passes(machine, kernel, "function(" ONE_RETURN ",loop-simplify)", error),
              one_return) ||
        !done(after, reduce(machine, kernel, error), "lw_flatten_webs") ||
        !done(after, open_endless_loops(module, kernel, error), "open_endless_loops") ||
        (!has_one_return(kernel) && !done(after, run_passes(kernel, machine, one_return, error), one_return)))
        return false;
    if (wants(after, "extensions"))
        lw_expose_extensions(kernel);
    if (wants(after, "sink_addresses"))
        lw_sink_addresses(kernel);
    if (!done(after, true, "lw_expose_extensions, lw_sink_addresses") ||
        !done(after, run_form(machine, kernel, after, error), FORM))
        return false;
    const char *why = why_not(kernel, true);
    return !why || fail(error, LW_INTERNAL, "canonical form: %s", why);
}

bool
lw_take_apart(LLVMValueRef function, LLVMTargetMachineRef machine, lw_error *error)
{
    return run_passes(function, machine, "function(reg2mem)", error);
}

/* No simplification of the control flow: it would lead edges with a constant flag past its test. */
bool
lw_put_together(LLVMValueRef function, LLVMTargetMachineRef machine, lw_error *error)
{
    if (!run_passes(function, machine, "function(mem2reg,dce)", error) ||
        !run_form(machine, function, NULL, error))
        return false;
    const char *why = why_not(function, true);
    return !why || fail(error, LW_INTERNAL, "canonical form: %s", why);
}

bool
lw_canonicalize(LLVMModuleRef module, LLVMTargetMachineRef machine, const struct lw_after *after,
                lw_error *error)
{
    LLVMValueRef kernel = LLVMGetNamedFunction(module, "lw.kernel");
    if (!kernel || LLVMCountBasicBlocks(kernel) == 0)
        return fail(error, LW_INTERNAL, "canonical form: there is no lw.kernel");
    bool good = canonicalize(module, kernel, machine, after, error);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && good; f = LLVMGetNextFunction(f))
        if (lw_is_kept(f))
            good = canonicalize(module, f, machine, after, error);
    return good;
}

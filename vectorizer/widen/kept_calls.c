/* SPDX-License-Identifier: MIT */
/* Widening of functions that are kept as calls: their signature, what enters and leaves them, and the calls.
 * See kept.h.
 *
 * Enters: a call of kept.NAME, or the function itself as an instance. Leaves: a call of lanes.NAME.K, which
 * is declared at its first call and waits to be written. Relies on: kept.c for the instance. Never: calls
 * with no lane active.
 */
#include "../facts/kept.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../spirv/attributes.h"
#include "../lanes/internal.h"
#include "widener.h"

/* ---- how values are passed ---- */

/* Masks have no place in the calling convention. */
static LLVMTypeRef
passed_type(lw_widener *w, LLVMTypeRef element)
{
    bool mask = element == LLVMInt1TypeInContext(w->l.context);

    if (mask && lw_isa_row(w->l.isa)->mask_registers && w->l.n >= 8)
        return LLVMIntTypeInContext(w->l.context, w->l.n);
    return lane_type(&w->l, mask ? LLVMInt8TypeInContext(w->l.context) : element);
}

static V
pass(lw_widener *w, V lanes)
{
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(lanes)), type = passed_type(w, element);

    if (LLVMTypeOf(lanes) == type)
        return lanes;
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMBuildSExt(w->l.builder, lanes, type, "")
                                                       : LLVMBuildBitCast(w->l.builder, lanes, type, "");
}

static V
take(lw_widener *w, V passed, LLVMTypeRef element)
{
    LLVMTypeRef type = lane_type(&w->l, element);

    if (LLVMTypeOf(passed) == type)
        return passed;
    if (!lw_lane_is_vector(passed))
        return LLVMBuildBitCast(w->l.builder, passed, type, "");
    return LLVMBuildICmp(w->l.builder, LLVMIntNE, passed, LLVMConstNull(LLVMTypeOf(passed)), "");
}

/* ---- the signature ---- */

static LLVMTypeRef
result_of(LLVMValueRef scalar)
{
    return LLVMGetReturnType(LLVMGlobalGetValueType(scalar));
}

static LLVMTypeRef
result_type(lw_widener *w, const struct lw_kept_instance *i)
{
    LLVMTypeRef type = result_of(i->function->scalar), parts[LW_KEPT_LEAVES];
    uint32_t leaves = lw_leaf_count(w, type);

    if (i->uniform_result || leaves == 0)
        return type;
    for (uint32_t k = 0; k < leaves; k++)
        parts[k] = passed_type(w, lw_leaf_at(w, type, k).type);
    return leaves == 1 ? parts[0] : LLVMStructTypeInContext(w->l.context, parts, leaves, false);
}

/* How many parameters the widened function has; and their types, where `types` is given. */
static unsigned
parameter_types(lw_widener *w, const struct lw_kept_instance *i, LLVMTypeRef *types)
{
    const struct lw_model *m = i->function->model;
    unsigned count = 2;

    if (types) {
        types[0] = LLVMPointerTypeInContext(w->l.context, 0);
        types[1] = passed_type(w, LLVMInt1TypeInContext(w->l.context));
    }
    for (uint32_t p = 0; p < m->param_count; p++) {
        LLVMTypeRef type = LLVMTypeOf(m->values[p]);
        uint32_t leaves = i->uniform[p] ? 1 : lw_leaf_count(w, type);
        for (uint32_t k = 0; types && k < leaves; k++)
            types[count + k] = i->uniform[p] ? type : passed_type(w, lw_leaf_at(w, type, k).type);
        count += leaves;
    }
    return count;
}

static bool
declare(lw_widener *w, struct lw_kept_instance *i)
{
    struct lw_kept *kept = w->m->kept;
    size_t length;
    const char *name = LLVMGetValueName2(i->function->scalar, &length) + strlen(LW_KEPT_PREFIX);
    unsigned count = parameter_types(w, i, NULL);
    LLVMTypeRef *types = malloc(count * sizeof *types);
    char text[64];

    if (!types)
        return false;
    parameter_types(w, i, types);
    snprintf(text, sizeof text, "lanes.%.40s.%u", name, i->number);
    i->lanes = LLVMAddFunction(w->l.module, text, LLVMFunctionType(result_type(w, i), types, count, false));
    free(types);
    LLVMSetLinkage(i->lanes, LLVMInternalLinkage);
    lw_add_attributes(i->lanes, "nounwind noinline");
    i->wait = NULL;
    *(kept->last ? &kept->last->wait : &kept->first) = i;
    kept->last = i;
    return true;
}

/* ---- a call ---- */

static V
context_of(lw_widener *w)
{
    LLVMTypeRef ptr = LLVMPointerTypeInContext(w->l.context, 0), type = LLVMFunctionType(ptr, NULL, 0, false);
    LLVMValueRef function = LLVMGetNamedFunction(w->l.module, "lw.kept_context");

    if (w->m->instance)
        return LLVMGetParam(w->l.function, 0);
    if (!function)
        function = LLVMAddFunction(w->l.module, "lw.kept_context", type);
    return LLVMBuildCall2(w->l.builder, type, function, NULL, 0, "");
}

/* The arguments of the widened function; malloc'd. */
static V *
arguments_of(lw_widener *w, LLVMValueRef call, const struct lw_kept_instance *i, unsigned count)
{
    V *args = malloc(count * sizeof *args);
    unsigned at = 2;

    if (!args)
        return NULL;
    args[0] = context_of(w);
    args[1] = pass(w, w->mask ? w->mask : lane_all_true(&w->l));
    for (uint32_t p = 0; p < i->function->model->param_count; p++) {
        LLVMValueRef value = LLVMGetOperand(call, p);
        uint32_t leaves = lw_leaf_count(w, LLVMTypeOf(value));
        if (i->uniform[p]) {
            args[at++] = lw_use_scalar(w, value);
            continue;
        }
        for (uint32_t k = 0; k < leaves; k++)
            args[at++] = pass(w, lw_use_vector(w, value, k));
    }
    return args;
}

/* Where lanes may be missing altogether, by way of a jump; the result is zero then. */
static V
call_guarded(lw_widener *w, const struct lw_kept_instance *i, V *args, unsigned count)
{
    LLVMBuilderRef b = w->l.builder;
    LLVMTypeRef type = LLVMGlobalGetValueType(i->lanes);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b), active = NULL, behind = NULL;
    bool guarded = w->mask && w->may_be_empty;

    if (guarded) {
        V any = lane_any(&w->l, w->mask);
        before = LLVMGetInsertBlock(b);
        active = lw_lane_block(&w->l, "call");
        behind = lw_lane_block(&w->l, "called");
        LLVMBuildCondBr(b, any, active, behind);
        LLVMPositionBuilderAtEnd(b, active);
    }
    V made = LLVMBuildCall2(b, type, i->lanes, args, count, "");
    if (!guarded)
        return made;
    LLVMBuildBr(b, behind);
    LLVMPositionBuilderAtEnd(b, behind);
    if (LLVMGetTypeKind(LLVMTypeOf(made)) == LLVMVoidTypeKind)
        return made;
    V phi = LLVMBuildPhi(b, LLVMTypeOf(made), ""), values[] = {LLVMConstNull(LLVMTypeOf(made)), made};
    LLVMBasicBlockRef blocks[] = {before, active};
    LLVMAddIncoming(phi, values, blocks, 2);
    return phi;
}

static void
define_result(lw_widener *w, LLVMValueRef call, const struct lw_kept_instance *i, V made)
{
    uint32_t leaves = lw_leaf_count(w, LLVMTypeOf(call));

    if (leaves == 0)
        return;
    if (i->uniform_result && !lw_is_varying(w, call)) {
        lw_define_scalar(w, call, made);
        return;
    }
    for (uint32_t k = 0; k < leaves; k++) {
        LLVMTypeRef element = lw_leaf_at(w, LLVMTypeOf(call), k).type;
        if (i->uniform_result)
            lw_define_leaf(w, call, k, lw_scalar_leaf(w, made, k));
        else
            lw_define_leaf(
                w, call, k,
                take(w, leaves == 1 ? made : LLVMBuildExtractValue(w->l.builder, made, k, ""), element));
    }
}

void
lw_widen_kept_call(lw_widener *w, LLVMValueRef call)
{
    bool uniform[LW_KEPT_PARAMS] = {false};
    unsigned arguments = LLVMGetNumArgOperands(call), count, scalars = 0;

    for (unsigned k = 0; k < arguments; k++) {
        uniform[k] = lw_info(w, LLVMGetOperand(call, k)).form == LW_UNIFORM;
        scalars += uniform[k];
    }
    struct lw_kept_instance *i = lw_kept_find(w->m->kept, LLVMGetCalledValue(call), uniform);
    if (!i || (!i->lanes && !declare(w, i))) {
        lw_widen_fail(w, call, "out of memory at");
        return;
    }
    count = parameter_types(w, i, NULL);
    V *args = arguments_of(w, call, i, count);
    if (!args) {
        lw_widen_fail(w, call, "out of memory at");
        return;
    }
    V made = call_guarded(w, i, args, count);
    free(args);
    define_result(w, call, i, made);
    lw_report_note(w->report, call, "call", "kept as a call: %u of %u arguments uniform%s", scalars,
                   arguments,
                   lw_leaf_count(w, LLVMTypeOf(call)) == 0 ? ""
                   : i->uniform_result                     ? ", result uniform"
                                                           : ", result varying");
}

/* ---- the function ---- */

void
lw_take_parameters(lw_widener *w)
{
    const struct lw_kept_instance *i = w->m->instance;
    unsigned at = 2;

    w->params = LW_ARENA_NEW(w->arena, V, w->first_slot[w->m->param_count]);
    w->entry_mask = take(w, LLVMGetParam(w->l.function, 1), LLVMInt1TypeInContext(w->l.context));
    for (uint32_t p = 0; p < w->m->param_count; p++) {
        LLVMTypeRef type = LLVMTypeOf(w->m->values[p]);
        for (uint32_t k = 0; k < w->slot_count[p]; k++, at++) {
            V param = LLVMGetParam(w->l.function, at);
            w->params[w->first_slot[p] + k] =
                i->uniform[p] ? param : take(w, param, lw_leaf_at(w, type, k).type);
        }
    }
}

void
lw_widen_kept_return(lw_widener *w, LLVMValueRef ret)
{
    const struct lw_kept_instance *i = w->m->instance;
    LLVMBuilderRef b = w->l.builder;
    LLVMValueRef value = LLVMGetNumOperands(ret) ? LLVMGetOperand(ret, 0) : NULL;
    uint32_t leaves = value ? lw_leaf_count(w, LLVMTypeOf(value)) : 0;

    if (!value) {
        LLVMBuildRetVoid(b);
        return;
    }
    if (i->uniform_result || leaves == 0) {
        LLVMBuildRet(b, lw_use_scalar(w, value));
        return;
    }
    V made = leaves == 1 ? pass(w, lw_use_vector(w, value, 0)) : LLVMGetPoison(result_type(w, i));
    for (uint32_t k = 0; leaves > 1 && k < leaves; k++)
        made = LLVMBuildInsertValue(b, made, pass(w, lw_use_vector(w, value, k)), k, "");
    LLVMBuildRet(b, made);
}

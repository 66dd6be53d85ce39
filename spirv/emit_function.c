/* SPDX-License-Identifier: MIT */
/* Functions: declaration, parameters, prologue, calls. By-value aggregates are copied when the function is
 * entered: the caller's bytes (for the kernel: the argument buffer) are never written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "attributes.h"
#include "emit_function.h"
#include "image.h"

static const struct lw_kernel_arg *
kernel_argument(const lw_emitter *e, uint32_t index, uint32_t param)
{
    return index == e->kernel->function && param < e->kernel->arg_count ? &e->kernel->args[param] : NULL;
}

/* What describes an image, and the heads of buffers where the facts say so, are there, whether or not a lane
 * asks for them. */
static void
tell_what_is_there(lw_emitter *e, uint32_t index, V function)
{
    for (uint32_t i = 0; i < e->kernel->arg_count && index == e->kernel->function; i++) {
        if (e->kernel->args[i].info.kind == LW_ARG_IMAGE)
            lw_add_parameter_attribute(function, i, "dereferenceable", sizeof(struct lw_image));
        if (e->kernel->args[i].info.kind == LW_ARG_POINTER && e->facts->heads)
            lw_add_parameter_attribute(function, i, "dereferenceable", e->facts->heads);
    }
}

void
lw_declare_function(lw_emitter *e, uint32_t index)
{
    const struct lw_spirv_function *f = &e->spv->functions[index];
    const struct lw_inst *t = lw_def(e->spv, f->type);
    bool is_kernel = index == e->kernel->function;
    char name[32];
    if (f->block_count == 0)
        return; /* an import, resolved at its calls */
    e->inst = &e->spv->insts[f->inst];
    if (!t || t->op != SpvOpTypeFunction || t->count - 3u != f->param_count ||
        (is_kernel && f->param_count != e->kernel->arg_count)) {
        lw_emit_fail(e, "a function of another type than declared");
        return;
    }
    T *params = calloc((size_t)f->param_count + 1, sizeof *params);
    if (!params) {
        lw_emit_fail(e, "so large a module: out of memory, which");
        return;
    }
    for (uint32_t i = 0; i < f->param_count && !e->failed; i++) {
        const struct lw_kernel_arg *arg = kernel_argument(e, index, i);
        params[i] = arg && arg->info.kind == LW_ARG_STRUCT
                        ? LLVMPointerTypeInContext(e->context, LW_AS_CONSTANT)
                        : lw_emit_type(e, lw_word(e->spv, t, 3 + i));
    }
    T result = lw_emit_type(e, lw_word(e->spv, t, 2));
    if (!e->failed) {
        snprintf(name, sizeof name, "fn.%u", f->id);
        V function = LLVMAddFunction(e->module, is_kernel ? "lw.kernel" : name,
                                     LLVMFunctionType(result, params, f->param_count, false));
        lw_add_attributes(function, "nounwind convergent");
        if (!is_kernel) {
            LLVMSetLinkage(function, LLVMInternalLinkage);
            lw_add_attributes(function, "alwaysinline");
        }
        tell_what_is_there(e, index, function);
        e->functions[index] = function;
    }
    free(params);
}

/* A private copy of the `type` object at `source`. */
static V
copy_aggregate(lw_emitter *e, uint32_t type, V source, unsigned source_align, uint32_t id)
{
    unsigned align = lw_align_of(e, type), promised = lw_alignment_asked(e->spv, id);
    promised = promised < LW_MAX_PRIVATE_ALIGN ? promised : LW_MAX_PRIVATE_ALIGN;
    align = promised > align ? promised : align;
    V slot = lw_alloca(e, lw_emit_memory_type(e, type), align, lw_name_of(e->spv, id));
    uint64_t size = lw_size_of(e, type);
    if (!e->failed)
        LLVMBuildMemCpy(e->b, slot, align, source, source_align, lw_int(e->i64, size));
    return slot;
}

static uint64_t
known_value(const struct lw_emit_facts *facts, uint32_t argument)
{
    uint64_t before = facts->known & (((uint64_t)1 << argument) - 1);
    return facts->values[__builtin_popcountll(before)];
}

static V
parameter_value(lw_emitter *e, uint32_t index, uint32_t i, const struct lw_inst *param)
{
    const struct lw_kernel_arg *arg = kernel_argument(e, index, i);
    V value = LLVMGetParam(e->function, i);
    if (arg && arg->info.kind == LW_ARG_STRUCT) {
        unsigned align = arg->info.align ? arg->info.align : 1;
        if (arg->value_type)
            return copy_aggregate(e, arg->value_type, value, align, param->result);
        return lw_load(e, param->type, value, align, false);
    }
    if (arg && i < 64 && e->facts->known >> i & 1)
        return LLVMConstInt(LLVMTypeOf(value), known_value(e->facts, i), false);
    if (!lw_has_attribute(e->spv, param->result, SpvFunctionParameterAttributeByVal))
        return value;
    uint32_t pointee = lw_pointee(e, param->type);
    return copy_aggregate(e, pointee, value, pointee ? lw_align_of(e, pointee) : 1, param->result);
}

static void
emit_parameters(lw_emitter *e, uint32_t index, const struct lw_spirv_function *f)
{
    uint32_t seen = 0;
    for (uint32_t i = f->first_param; seen < f->param_count && i < f->end && !e->failed; i++) {
        const struct lw_inst *param = &e->spv->insts[i];
        if (param->op != SpvOpFunctionParameter)
            continue;
        e->inst = param;
        lw_debug_at(e, param);
        e->values[param->result] = parameter_value(e, index, seen++, param);
    }
}

void
lw_define_function(lw_emitter *e, uint32_t index)
{
    const struct lw_spirv_function *f = &e->spv->functions[index];
    e->function = e->functions[index];
    if (!e->function)
        return;
    e->inst = &e->spv->insts[f->inst];
    const char *name = index == e->kernel->function ? e->kernel->name : lw_name_of(e->spv, f->id);
    lw_debug_function(e, e->function, name, e->inst);
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(e->context, e->function, "entry");
    LLVMPositionBuilderAtEnd(e->prologue, entry);
    LLVMBuilderRef body = e->b;
    e->b = e->prologue;
    lw_debug_at(e, e->inst);
    emit_parameters(e, index, f);
    e->b = body;
    LLVMBasicBlockRef first = e->failed || lw_emit_fill(e, f) ? NULL : lw_emit_blocks(e, f);
    if (first && !e->failed)
        LLVMBuildBr(e->prologue, first);
    for (uint32_t i = 0; i < e->scratch_count; i++)
        e->values[e->scratch[i]] = NULL;
    e->scratch_count = 0;
    lw_forget_variables(e);
}

static void
call_function(lw_emitter *e, V function, V *args, unsigned count)
{
    T type = LLVMGlobalGetValueType(function);
    if (LLVMCountParamTypes(type) != count) {
        lw_emit_fail(e, "a call with %u arguments", count);
        return;
    }
    for (unsigned i = 0; i < count; i++)
        if (LLVMTypeOf(args[i]) != LLVMTypeOf(LLVMGetParam(function, i))) {
            lw_emit_fail(e, "a call with argument %u of the wrong type", i);
            return;
        }
    V call = LLVMBuildCall2(e->b, type, function, args, count, "");
    if (LLVMGetTypeKind(LLVMGetReturnType(type)) != LLVMVoidTypeKind)
        lw_emit_result(e, call);
}

bool
lw_emit_call(lw_emitter *e)
{
    if (e->inst->op != SpvOpFunctionCall)
        return false;
    uint32_t id = lw_operand(e, 3), ids[8] = {0};
    unsigned count = e->inst->count - 4u;
    if (e->inst->count < 4 || id >= e->spv->bound || !e->function_of[id]) {
        lw_emit_fail(e, "a call of what is no function");
        return true;
    }
    const struct lw_spirv_function *f = &e->spv->functions[e->function_of[id] - 1];
    V function = e->functions[e->function_of[id] - 1];
    V *args = calloc(count + 1, sizeof *args);
    if (!args)
        lw_emit_fail(e, "so large a module: out of memory, which");
    for (unsigned i = 0; i < count && !e->failed; i++) {
        args[i] = lw_operand_value(e, 4 + i);
        if (i < 8)
            ids[i] = lw_operand(e, 4 + i);
    }
    if (!e->failed && function && function != LLVMGetNamedFunction(e->module, "lw.kernel"))
        call_function(e, function, args, count);
    else if (!e->failed && !function && count <= 8)
        lw_emit_import(e, f->import_name ? f->import_name : lw_name_of(e->spv, id), args, ids, count);
    else
        lw_emit_fail(e, "this call");
    free(args);
    return true;
}

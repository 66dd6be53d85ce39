/* SPDX-License-Identifier: MIT */
/* The driver: set-up, one kernel's functions, one instruction at a time to the file of its group.
 *
 * Enters: a module that lw_kernel_check passed for this kernel, its description, the facts of the shape.
 * Leaves: see emit.h.
 * Relies on: the check, for everything it says; still, nothing here trusts operands' types, so that a gap
 * there becomes an error and not a crash inside LLVM. Never: noalias, recursion deeper than LW_MAX_NESTING, a
 * name from the module on a global value.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "emit_function.h"

/* Layout rules of x86-64, on which memory form relies for the sizes of scalars and pointers alone. */
#define DATA_LAYOUT "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

static bool
emit_hint(lw_emitter *e)
{
    switch (e->inst->op) {
    case SpvOpNop:
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpAssumeTrueKHR: return true;
    case SpvOpExpectKHR: lw_emit_result(e, lw_operand_value(e, 3)); return true;
    default: return false;
    }
}

void
lw_emit_instruction(lw_emitter *e, const struct lw_inst *inst)
{
    if (e->failed)
        return;
    e->inst = inst;
    lw_debug_at(e, inst);
    bool done = lw_emit_memory(e) || lw_emit_arithmetic(e) || lw_emit_bits(e) || lw_emit_dot(e) ||
                lw_emit_relational(e) || lw_emit_composite(e) || lw_emit_convert(e) ||
                lw_emit_opencl_std(e) || lw_emit_groups(e) || lw_emit_async(e) || lw_emit_pipe(e) ||
                lw_emit_image(e) || lw_emit_enqueue(e) || lw_emit_atomics(e) || lw_emit_call(e) ||
                emit_hint(e);
    if (!done)
        lw_emit_fail(e, "this instruction");
}

static bool
allocate(lw_emitter *e)
{
    size_t n = e->spv->bound;
    e->types = calloc(n, sizeof *e->types);
    e->memory_types = calloc(n, sizeof *e->memory_types);
    e->values = calloc(n, sizeof *e->values);
    e->blocks = calloc(n, sizeof *e->blocks);
    e->block_of = calloc(n, sizeof *e->block_of);
    e->inputs = calloc(n, sizeof *e->inputs);
    e->function_of = calloc(n, sizeof *e->function_of);
    e->functions = calloc((size_t)e->spv->function_count + 1, sizeof *e->functions);
    e->scratch = calloc(n, sizeof *e->scratch);
    e->di_files = calloc(n, sizeof *e->di_files);
    e->di_blocks = calloc(n, sizeof *e->di_blocks);
    e->di_used = calloc(n, sizeof *e->di_used);
    if (e->facts->variables) {
        e->shown_of = calloc(n, sizeof *e->shown_of);
        e->declared = calloc(n, sizeof *e->declared);
        if (!e->shown_of || !e->declared)
            return false;
    }
    return e->types && e->memory_types && e->values && e->blocks && e->block_of && e->inputs &&
           e->function_of && e->functions && e->scratch && e->di_files && e->di_blocks && e->di_used;
}

static void
release(lw_emitter *e)
{
    free(e->types);
    free(e->memory_types);
    free(e->values);
    free(e->blocks);
    free(e->block_of);
    free(e->inputs);
    free(e->function_of);
    free(e->functions);
    free(e->rooms);
    free(e->scratch);
    free(e->di_files);
    free(e->di_blocks);
    free(e->di_used);
    free(e->shown);
    free(e->shown_of);
    free(e->declared);
    free(e->places);
    if (e->b)
        LLVMDisposeBuilder(e->b);
    if (e->prologue)
        LLVMDisposeBuilder(e->prologue);
}

static void
open_module(lw_emitter *e)
{
    LLVMContextRef c = e->context;
    e->module = LLVMModuleCreateWithNameInContext("lanewise", c);
    LLVMSetDataLayout(e->module, DATA_LAYOUT);
    e->b = LLVMCreateBuilderInContext(c);
    e->prologue = LLVMCreateBuilderInContext(c);
    e->i1 = LLVMInt1TypeInContext(c);
    e->i8 = LLVMInt8TypeInContext(c);
    e->i16 = LLVMInt16TypeInContext(c);
    e->i32 = LLVMInt32TypeInContext(c);
    e->i64 = LLVMInt64TypeInContext(c);
    e->f16 = LLVMHalfTypeInContext(c);
    e->f32 = LLVMFloatTypeInContext(c);
    e->f64 = LLVMDoubleTypeInContext(c);
    e->ptr = LLVMPointerTypeInContext(c, LW_AS_PRIVATE);
    lw_debug_open(e);
}

/* All declared first: calls go in any direction. */
static void
emit_functions(lw_emitter *e)
{
    uint32_t *reached = calloc((size_t)e->spv->function_count + 1, sizeof *reached);
    if (!reached) {
        lw_emit_fail(e, "so large a module: out of memory, which");
        return;
    }
    uint32_t count = lw_reachable_functions(e->spv, e->kernel->function, reached);
    for (uint32_t i = 0; i < e->spv->function_count; i++)
        e->function_of[e->spv->functions[i].id] = i + 1;
    for (uint32_t i = 0; i < count && !e->failed; i++)
        lw_declare_function(e, reached[i]);
    for (uint32_t i = 0; i < count && !e->failed; i++)
        lw_define_function(e, reached[i]);
    free(reached);
}

LLVMModuleRef
lw_emit_kernel(LLVMContextRef context, const lw_module *module, const struct lw_kernel_desc *kernel,
               const struct lw_emit_facts *facts, lw_error *error)
{
    lw_emitter e = {.context = context, .spv = module, .kernel = kernel, .facts = facts, .error = error};
    if (!allocate(&e)) {
        if (error) {
            *error = (lw_error){.status = LW_OUT_OF_MEMORY};
            snprintf(error->text, sizeof error->text, "kernel %.200s: out of memory", kernel->name);
        }
        release(&e);
        return NULL;
    }
    open_module(&e);
    emit_functions(&e);
    lw_debug_close(&e);
    if (e.failed) {
        LLVMDisposeModule(e.module);
        e.module = NULL;
    }
    release(&e);
    return e.module;
}

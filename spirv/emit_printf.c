/* SPDX-License-Identifier: MIT */
/* printf -> lw.printf.N (intrinsics.def): every component of the arguments becomes 64 bits, and a string
 * tells the runtime what they were. The format's own text is read when it is printed: it may be chosen at run
 * time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "attributes.h"
#include "emitter.h"

#define FORMAT 5 /* operand numbers */

struct words {
    V *values; /* [0]: the types */
    char *types;
    unsigned count, type_count;
};

static V
as_word(lw_emitter *e, V x)
{
    T type = LLVMTypeOf(x);
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
        return LLVMBuildPtrToInt(e->b, x, e->i64, "");
    if (lw_is_float(type))
        x = LLVMBuildBitCast(e->b, x, LLVMIntTypeInContext(e->context, lw_bits(type)), "");
    return LLVMBuildZExtOrBitCast(e->b, x, e->i64, "");
}

static void
add_argument(lw_emitter *e, struct words *w, V x)
{
    T type = LLVMTypeOf(x), scalar = lw_scalar(type);
    LLVMTypeKind kind = LLVMGetTypeKind(scalar);
    bool pointer = kind == LLVMPointerTypeKind, number = lw_is_float(scalar) || kind == LLVMIntegerTypeKind;
    if ((!pointer && (!number || lw_bits(scalar) % 8)) || lw_parts(type) > LW_MAX_COMPONENTS) {
        lw_emit_fail(e, "printf of this type");
        return;
    }
    for (unsigned i = 0; i < lw_parts(type); i++)
        w->values[w->count++] = as_word(e, lw_component(e, x, i));
    w->types[w->type_count++] = pointer ? 'p' : lw_is_float(scalar) ? 'f' : 'i';
    w->types[w->type_count++] = (char)('0' + lw_bits(scalar) / 8);
    w->types[w->type_count++] = (char)('@' + lw_parts(type));
}

static V
types_global(lw_emitter *e, const struct words *w)
{
    V text = LLVMConstStringInContext2(e->context, w->types, w->type_count, false);
    V global = LLVMAddGlobalInAddressSpace(e->module, LLVMTypeOf(text), "print.types", LW_AS_CONSTANT);
    LLVMSetInitializer(global, text);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
    return global;
}

static V
declare(lw_emitter *e, const struct words *w, T *type)
{
    char name[32];
    T *types = malloc(w->count * sizeof *types);
    if (!types) {
        lw_emit_fail(e, "out of memory");
        return NULL;
    }
    for (unsigned i = 0; i < w->count; i++)
        types[i] = LLVMTypeOf(w->values[i]);
    *type = LLVMFunctionType(e->i32, types, w->count, false);
    free(types);
    snprintf(name, sizeof name, "lw.printf.%u", w->count - 1);
    V function = LLVMGetNamedFunction(e->module, name);
    if (function)
        return function;
    function = LLVMAddFunction(e->module, name, *type);
    lw_add_attributes(function, "nounwind willreturn");
    return function;
}

static V
call(lw_emitter *e, struct words *w)
{
    T type = NULL;
    V format = lw_operand_value(e, FORMAT);
    if (!e->failed && LLVMGetTypeKind(LLVMTypeOf(format)) != LLVMPointerTypeKind)
        lw_emit_fail(e, "a format that is no pointer");
    if (e->failed)
        return NULL;
    w->values[1] = as_word(e, format);
    w->count = 2;
    for (unsigned i = FORMAT + 1; i < e->inst->count && !e->failed; i++) {
        V x = lw_operand_value(e, i);
        if (!e->failed)
            add_argument(e, w, x);
    }
    if (e->failed)
        return NULL;
    w->values[0] = types_global(e, w);
    V function = declare(e, w, &type);
    return e->failed ? NULL : LLVMBuildCall2(e->b, type, function, w->values, w->count, "");
}

void
lw_emit_printf(lw_emitter *e)
{
    size_t most = e->inst->count;
    struct words w = {.values = calloc(2 + most * LW_MAX_COMPONENTS, sizeof *w.values),
                      .types = malloc(3 * most)};
    V made = NULL;
    if (w.values && w.types)
        made = call(e, &w);
    else
        lw_emit_fail(e, "out of memory");
    lw_emit_result(e, made);
    free(w.values);
    free(w.types);
}

/* SPDX-License-Identifier: MIT */
/* Calls of declared functions and LLVM intrinsics, vectors taken apart and put together. */
#include <string.h>
#include "attributes.h"
#include "emitter.h"

/* `memory`: 0 none, 3 read and write through arguments only (two bits per kind of memory, arguments lowest).
 */
static void
add_pure(V function, uint64_t memory)
{
    lw_add_attribute(function, "memory", memory);
    lw_add_attributes(function, memory ? "willreturn" : "willreturn speculatable");
}

static V
declare(lw_emitter *e, const char *name, T type, bool has_pointer)
{
    const struct lw_call_row *row = lw_find_call(name);
    V function = LLVMAddFunction(e->module, name, type);
    lw_add_attributes(function, "nounwind");
    switch (row ? row->effect : LW_DOES_RUNTIME) {
    case LW_DOES_TELLS:
    case LW_DOES_ORDERS:
        lw_add_attributes(function, "convergent noduplicate nomerge");
        break;
    case LW_DOES_RUNTIME:
        lw_add_attributes(function, "willreturn");
        break;
    case LW_DOES_NOTHING:
    case LW_DOES_COMPUTES:
        add_pure(function, row->effect == LW_DOES_COMPUTES && has_pointer ? 3 : 0);
    }
    return function;
}

V
lw_call(lw_emitter *e, const char *name, T result, V *args, unsigned count)
{
    T types[LW_MAX_COMPONENTS];
    bool has_pointer = false;
    if (count > LW_MAX_COMPONENTS)
        lw_emit_fail(e, "a call of %s with %u arguments", name, count);
    for (unsigned i = 0; i < count && !e->failed; i++) {
        if (!args[i])
            lw_emit_fail(e, "a call of %s without its argument %u", name, i);
        else
            types[i] = LLVMTypeOf(args[i]);
        has_pointer |= !e->failed && LLVMGetTypeKind(types[i]) == LLVMPointerTypeKind;
    }
    if (e->failed || !result)
        return NULL;
    T type = LLVMFunctionType(result, types, count, false);
    V function = LLVMGetNamedFunction(e->module, name);
    if (!function)
        function = declare(e, name, type, has_pointer);
    if (LLVMGlobalGetValueType(function) != type) {
        lw_emit_fail(e, "%s used with two signatures", name);
        return NULL;
    }
    V call = LLVMBuildCall2(e->b, type, function, args, count, "");
    if (strncmp(name, "lw.wg.", 6) == 0)
        lw_show_all_again(e);
    return call;
}

V
lw_runtime_function(lw_emitter *e, const char *name, T type)
{
    V function = LLVMGetNamedFunction(e->module, name);
    return function ? function : declare(e, name, type, false);
}

void
lw_set_range(lw_emitter *e, V call, uint64_t low, uint64_t high)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("range", 5);
    LLVMAttributeRef range = LLVMCreateConstantRangeAttribute(e->context, kind, 64, &low, &high);
    LLVMAddCallSiteAttribute(call, LLVMAttributeReturnIndex, range);
}

void
lw_set_readable(lw_emitter *e, V call, uint64_t bytes)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("dereferenceable", 15);
    LLVMAddCallSiteAttribute(call, LLVMAttributeReturnIndex,
                             LLVMCreateEnumAttribute(e->context, kind, bytes));
}

V
lw_intrinsic(lw_emitter *e, const char *name, V *args, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!args[i] || e->failed) {
            lw_emit_fail(e, "%s without its argument %u", name, i);
            return NULL;
        }
    T overload = LLVMTypeOf(args[0]);
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    V function = LLVMGetIntrinsicDeclaration(e->module, id, &overload, 1);
    return LLVMBuildCall2(e->b, LLVMGlobalGetValueType(function), function, args, count, "");
}

V
lw_intrinsic1(lw_emitter *e, const char *name, V a)
{
    return lw_intrinsic(e, name, &a, 1);
}

V
lw_intrinsic2(lw_emitter *e, const char *name, V a, V b)
{
    V args[2] = {a, b};
    return lw_intrinsic(e, name, args, 2);
}

V
lw_component(lw_emitter *e, V vector, unsigned index)
{
    if (e->failed || !vector || LLVMGetTypeKind(LLVMTypeOf(vector)) != LLVMVectorTypeKind)
        return vector;
    return LLVMBuildExtractElement(e->b, vector, LLVMConstInt(e->i32, index, false), "");
}

V
lw_assemble(lw_emitter *e, T type, V *components)
{
    if (e->failed)
        return NULL;
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return components[0];
    V vector = LLVMGetPoison(type);
    for (unsigned i = 0; i < LLVMGetVectorSize(type); i++) {
        if (!components[i])
            return NULL;
        vector = LLVMBuildInsertElement(e->b, vector, components[i], LLVMConstInt(e->i32, i, false), "");
    }
    return vector;
}

V
lw_splat(lw_emitter *e, V scalar, T type)
{
    V components[LW_MAX_COMPONENTS];
    if (e->failed || !scalar || LLVMGetTypeKind(LLVMTypeOf(scalar)) == LLVMVectorTypeKind)
        return scalar;
    for (unsigned i = 0; i < LW_MAX_COMPONENTS; i++)
        components[i] = scalar;
    return lw_assemble(e, type, components);
}

V
lw_select_component(lw_emitter *e, V vector, V index)
{
    if (e->failed || !vector || !index)
        return NULL;
    T type = LLVMTypeOf(vector), index_type = LLVMTypeOf(index);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return vector;
    unsigned n = LLVMGetVectorSize(type);
    V limit = LLVMConstInt(index_type, n - 1, false);
    if ((n & (n - 1)) == 0)
        index = LLVMBuildAnd(e->b, index, limit, "");
    else
        index = lw_intrinsic2(e, "llvm.umin", index, limit);
    return LLVMBuildExtractElement(e->b, vector, index, "");
}

V
lw_alloca(lw_emitter *e, T type, unsigned align, const char *name)
{
    if (e->failed || !type)
        return NULL;
    V slot = LLVMBuildAlloca(e->prologue, type, name);
    LLVMSetAlignment(slot, align);
    return slot;
}

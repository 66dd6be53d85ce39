/* SPDX-License-Identifier: MIT */
/* Replaces the lw.cl.* calls of a module by what builtins.def says.
 *
 * Enters: scalar IR of the emitter. Leaves: the same without lw.cl.* declarations; what was linked is
 * internal and alwaysinline. Relies on: slices that are self-contained (slices.py checks). Never: touches
 * other functions. */
#include "builtins/resolve.h"
#include "builtins/table.h"
#include "spirv/attributes.h"

#include <stdlib.h>
#include <string.h>

#define NAME_LIMIT 64
#define MAX_OPERANDS 4

/* ---- Types ---- */

static LLVMTypeRef
float_of_bits(LLVMContextRef c, unsigned bits)
{
    return bits == 16   ? LLVMHalfTypeInContext(c)
           : bits == 32 ? LLVMFloatTypeInContext(c)
                        : LLVMDoubleTypeInContext(c);
}

/* The type of one letter of a signature. */
static LLVMTypeRef
letter_type(LLVMContextRef c, char letter, bool is_float, unsigned bits)
{
    switch (letter) {
    case 'T':
        return is_float ? float_of_bits(c, bits) : LLVMIntTypeInContext(c, bits);
    case 'F':
        return float_of_bits(c, bits);
    case 'N':
        return LLVMIntTypeInContext(c, bits);
    case 'L':
        return LLVMIntTypeInContext(c, 2 * bits);
    case 'I':
        return LLVMInt32TypeInContext(c);
    default: /* P, Q */
        return LLVMPointerTypeInContext(c, 0);
    }
}

/* The function type that a row has for `type`, "f32" or "i8". */
static LLVMTypeRef
row_type(LLVMContextRef c, const struct lw_builtin_row *row, const char *type)
{
    unsigned bits = (unsigned)atoi(type + 1);
    bool is_float = type[0] == 'f';
    LLVMTypeRef operands[MAX_OPERANDS];
    unsigned count = (unsigned)strlen(row->signature) - 1;
    for (unsigned i = 0; i < count; i++)
        operands[i] = letter_type(c, row->signature[i + 1], is_float, bits);
    return LLVMFunctionType(letter_type(c, row->signature[0], is_float, bits), operands, count, false);
}

/* ---- The ways of builtins.def ---- */

static void
replace(LLVMValueRef call, LLVMValueRef value)
{
    LLVMReplaceAllUsesWith(call, value);
    LLVMInstructionEraseFromParent(call);
}

/* The next call of f: the emitter makes no other use of it. */
static LLVMValueRef
next_call(LLVMValueRef f)
{
    LLVMUseRef use = LLVMGetFirstUse(f);
    LLVMValueRef call = use ? LLVMGetUser(use) : NULL;
    return call && LLVMIsACallInst(call) && LLVMGetCalledValue(call) == f ? call : NULL;
}

static LLVMValueRef
intrinsic(struct lw_resolve *r, const char *name, LLVMTypeRef overload)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    return LLVMGetIntrinsicDeclaration(r->module, id, &overload, 1);
}

/* Intrinsics with one operand more than the operation: the constant false, or the first operand again. */
static void
resolve_longer(struct lw_resolve *r, LLVMValueRef f, const struct lw_builtin_cell *cell)
{
    LLVMValueRef call;
    while ((call = next_call(f))) {
        LLVMValueRef first = LLVMGetOperand(call, 0),
                     callee = intrinsic(r, cell->argument, LLVMTypeOf(first));
        LLVMValueRef flagged[2] = {first, LLVMConstInt(LLVMInt1TypeInContext(r->context), 0, 0)};
        LLVMValueRef rotated[3] = {first, first, NULL};
        bool flag = cell->how == LW_HOW_FLAG;
        if (!flag)
            rotated[2] = LLVMGetOperand(call, 1);
        LLVMPositionBuilderBefore(r->builder, call);
        replace(call, LLVMBuildCall2(r->builder, LLVMGlobalGetValueType(callee), callee,
                                     flag ? flagged : rotated, flag ? 2 : 3, ""));
    }
}

/* A half operation by the float one. */
static void
resolve_wide(struct lw_resolve *r, LLVMValueRef f, const struct lw_builtin_row *row)
{
    char name[NAME_LIMIT];
    snprintf(name, sizeof name, LW_BUILTIN_PREFIX "%s.f32", row->name);
    LLVMTypeRef type = row_type(r->context, row, "f32");
    LLVMValueRef wide = lw_builtin_declare(r, name, type), call;
    unsigned count = (unsigned)strlen(row->signature) - 1;
    while ((call = next_call(f))) {
        LLVMValueRef operands[MAX_OPERANDS];
        LLVMPositionBuilderBefore(r->builder, call);
        for (unsigned i = 0; i < count; i++) {
            operands[i] = LLVMGetOperand(call, i);
            if (row->signature[i + 1] == 'T')
                operands[i] = LLVMBuildFPExt(r->builder, operands[i], LLVMFloatTypeInContext(r->context), "");
        }
        LLVMValueRef result = LLVMBuildCall2(r->builder, type, wide, operands, count, "");
        if (row->signature[0] == 'T')
            result = LLVMBuildFPTrunc(r->builder, result, LLVMHalfTypeInContext(r->context), "");
        replace(call, result);
    }
}

static void
resolve_as(LLVMValueRef f, LLVMValueRef other)
{
    LLVMReplaceAllUsesWith(f, other);
}

/* Resolves the declaration `f` of the operation `name` and type `type`; its uses are gone, or its slice
 * wanted. */
static bool
resolve_function(struct lw_resolve *r, LLVMValueRef f, const char *full)
{
    const char *name = full + strlen(LW_BUILTIN_PREFIX), *dot = strrchr(name, '.');
    const struct lw_builtin_row *row = dot ? lw_builtin_find(name, (size_t)(dot - name), dot + 1) : NULL;
    if (!row)
        return lw_builtin_fail(r, LW_INTERNAL, "there is no OpenCL.std operation %s",
                               full + strlen(LW_BUILTIN_PREFIX));
    const char *type = dot + 1;
    bool half = !strcmp(type, "f16"), computes = r->isa >= (half ? LW_ISA_AVX512_FP16 : LW_ISA_AVX2);
    const struct lw_builtin_cell *cell = lw_builtin_cell_of(row, type);
    if (LLVMGlobalGetValueType(f) != row_type(r->context, row, type))
        return lw_builtin_fail(r, LW_INTERNAL,
                               "the operands of the OpenCL.std operation %s have wrong types", row->name);
    if (!half && (!strcmp(row->name, "pow") || !strcmp(row->name, "pown")))
        lw_builtin_small_powers(r, f);
    if (!LLVMGetFirstUse(f)) {
        LLVMDeleteFunction(f);
        return true;
    }
    char other[NAME_LIMIT];
    enum lw_builtin_how how = cell->how;
    if (how == LW_HOW_FMA)
        how = computes ? LW_HOW_LLVM : LW_HOW_BODY;
    if (how == LW_HOW_HALF)
        how = computes ? LW_HOW_LLVM : LW_HOW_WIDE;
    switch (how) {
    case LW_HOW_NUMBER: /* which zero is the lesser is left open behind LLVM's passes (late/minmax.c) */
    case LW_HOW_LLVM:
        resolve_as(f, intrinsic(r, cell->argument, LLVMTypeOf(LLVMGetParam(f, 0))));
        break;
    case LW_HOW_FLAG:
    case LW_HOW_ROTATE:
        resolve_longer(r, f, cell);
        break;
    case LW_HOW_WIDE:
        resolve_wide(r, f, row);
        break;
    case LW_HOW_SAME:
        snprintf(other, sizeof other, LW_BUILTIN_PREFIX "%s.%s", cell->argument, type);
        resolve_as(f, lw_builtin_declare(r, other, LLVMGlobalGetValueType(f)));
        break;
    default:
        return lw_builtin_want(r, full);
    }
    if (LLVMGetFirstUse(f))
        return lw_builtin_fail(r, LW_INTERNAL, "%s is used other than by calls", full);
    LLVMDeleteFunction(f);
    return true;
}

/* Without FMA hardware the intrinsic would become a library call per lane. */
static void
redirect_fma(struct lw_resolve *r)
{
    static const char *const types[3] = {"f16", "f32", "f64"};
    for (int i = 0; i < 3 && r->isa < LW_ISA_AVX2; i++) {
        char name[NAME_LIMIT], body[NAME_LIMIT];
        snprintf(name, sizeof name, "llvm.fma.%s", types[i]);
        snprintf(body, sizeof body, LW_BUILTIN_PREFIX "fma.%s", types[i]);
        LLVMValueRef f = LLVMGetNamedFunction(r->module, name);
        if (!f)
            continue;
        resolve_as(f, lw_builtin_declare(r, body, LLVMGlobalGetValueType(f)));
        LLVMDeleteFunction(f);
    }
}

/* One pass over the declarations. Linking replaces functions, so names are looked up, not remembered values.
 */
static bool
resolve_round(struct lw_resolve *r, bool *found)
{
    *found = false;
    lw_builtin_join_sincos(r);
    LLVMValueRef next;
    for (LLVMValueRef f = LLVMGetFirstFunction(r->module); f; f = next) {
        next = LLVMGetNextFunction(f);
        size_t length;
        const char *name = LLVMGetValueName2(f, &length);
        bool image = strncmp(name, LW_IMAGE_PREFIX, strlen(LW_IMAGE_PREFIX)) == 0;
        if ((strncmp(name, LW_BUILTIN_PREFIX, strlen(LW_BUILTIN_PREFIX)) && !image) || !LLVMIsDeclaration(f))
            continue;
        char full[NAME_LIMIT];
        if (length >= sizeof full)
            return lw_builtin_fail(r, LW_INTERNAL, "there is no OpenCL.std operation of that name");
        memcpy(full, name, length + 1);
        *found = true;
        if (!LLVMGetFirstUse(f)) {
            LLVMDeleteFunction(f);
            continue;
        }
        if (image ? !lw_builtin_want(r, full) : !resolve_function(r, f, full))
            return false;
        /* A function that this made is at the end of the list, which may have been the end already. */
        if (!next)
            break;
    }
    return lw_builtin_link(r);
}

bool
lw_builtins_resolve(LLVMModuleRef module, lw_isa isa, lw_error *error)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    struct lw_resolve r = {module, NULL, context, LLVMCreateBuilderInContext(context), isa, error};
    bool ok = true, found = true;
    redirect_fma(&r);
    while (ok && found)
        ok = resolve_round(&r, &found);
    ok = ok && lw_builtin_soften_half(&r) && lw_builtin_link(&r);
    if (r.library)
        LLVMDisposeModule(r.library);
    LLVMDisposeBuilder(r.builder);
    return ok;
}
